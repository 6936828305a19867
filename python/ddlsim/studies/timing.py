"""Scenarios that only take time."""
from __future__ import annotations

from typing import Any

from .number import Number
from .study import Figures, Json, Where


def timed(platform: Json, model_bytes: int, algorithm: object, steps: int, batch: str = "1us", **compute: Any) -> Json:
    """Steps without mathematics, each of which computes equally long on every worker."""
    return {"platform": platform, "model": "none", "wire": {"model_bytes": f"{model_bytes}B"},
            "compute": {"seconds_per_batch": batch, "jitter": 0, **compute}, "algorithm": algorithm,
            "stop": {"iterations": steps}}


def star(workers: int, bandwidth: str, latency: str, **network: Any) -> Json:
    return {"topology": "star", "workers": workers, "bandwidth": bandwidth, "latency": latency, "network": network}


def measured(matrix: str, sites: dict[str, int], **network: Any) -> Json:
    """Of a matrix of connections: so many workers in each of these sites."""
    return {"topology": "measured", "matrix": matrix, "sites": list(sites), "workers_per_site": list(sites.values()),
            "network": network}


def errors(f: Figures, table: str, where: Where) -> list[Number]:
    """In per cent of what was measured, of the figures that were."""
    return [100 * (it / it.published - 1) for _, it in f.published(table, where)]
