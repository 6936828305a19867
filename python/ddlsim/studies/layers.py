"""Layers that networks of several studies have."""
from __future__ import annotations

from collections.abc import Sequence
from typing import Any

Layers = list[dict[str, Any]]

VGG_16 = ((64, 64), (128, 128), (256, 256, 256), (512, 512, 512), (512, 512, 512))
VGG_19 = ((64, 64), (128, 128), (256,) * 4, (512,) * 4, (512,) * 4)
SMALL_VGG = ((16,), (32,), (64,), (128,))


def vgg(blocks: Sequence[Sequence[int]], batch_norm: bool = False) -> dict[str, Layers]:
    """Blocks of 3x3 convolutions, by their filters, each block ending in 2x2 max-pooling; then one dense layer of ten."""
    layers: Layers = []
    for block in blocks:
        for filters in block:
            layers.append({"type": "conv", "filters": filters, "kernel": 3, **({"bias": False} if batch_norm else {})})
            layers += [{"type": "batch_norm"}] if batch_norm else []
            layers.append({"type": "relu"})
        layers.append({"type": "max_pool"})
    return {"layers": [*layers, {"type": "flatten"}, {"type": "dense", "units": 10, "init": "zero"}]}
