#!/usr/bin/env python3
"""Writes a data set in MNIST's format into the folder FOLDER: ten patterns of 28 x 28 grey values under noise.

    digits.py FOLDER

ddlsim's own models read it with "data": {"source": "mnist", "path": FOLDER}, and softmax.py beside this reads it, too.
"""
import os
import struct
import sys

import numpy as np

TRAIN, TEST, SIDE, CLASSES = 2000, 500, 28, 10


def write_idx(path, array):
    with open(path, "wb") as file:
        file.write(struct.pack(">HBB", 0, 8, array.ndim) + struct.pack(f">{array.ndim}I", *array.shape))
        file.write(array.astype(np.uint8).tobytes())


def main(folder):
    os.makedirs(folder, exist_ok=True)
    random = np.random.default_rng(1)
    patterns = 100.0 * (random.random((CLASSES, SIDE, SIDE)) < 0.15)
    for name, count in (("train", TRAIN), ("t10k", TEST)):
        labels = random.integers(0, CLASSES, count)
        images = np.clip(patterns[labels] + random.normal(0, 80, (count, SIDE, SIDE)), 0, 255)
        write_idx(os.path.join(folder, f"{name}-images-idx3-ubyte"), images)
        write_idx(os.path.join(folder, f"{name}-labels-idx1-ubyte"), labels)


if __name__ == "__main__":
    main(sys.argv[1] if len(sys.argv) > 1 else "data")
