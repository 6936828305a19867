#!/usr/bin/env python3
"""A small convolutional network in PyTorch on CIFAR-10, as a model of one's own.

    cnn.py [FOLDER]     with CIFAR-10's binary files; default: cifar-10 in the folder that DDLSIM_DATA names

It runs on a GPU where PyTorch finds one.
"""
import os
import sys

import numpy as np
import torch
from ddlsim import TorchModel, serve
from torch import nn

TRAIN, TEST = 5000, 500  # the first of each set: enough to learn from, and quick


class Net(nn.Module):
    def __init__(self):
        super().__init__()
        self.conv1 = nn.Conv2d(3, 16, 5, padding=2)
        self.conv2 = nn.Conv2d(16, 32, 3, padding=1)
        self.dense1 = nn.Linear(32 * 8 * 8, 64)
        self.dense2 = nn.Linear(64, 10)

    def forward(self, images):
        hidden = nn.functional.max_pool2d(torch.relu(self.conv1(images)), 2)
        hidden = nn.functional.max_pool2d(torch.relu(self.conv2(hidden)), 2)
        return self.dense2(torch.relu(self.dense1(hidden.flatten(1))))


def cifar(folder, files, count):
    records = np.concatenate([np.fromfile(os.path.join(folder, file), np.uint8).reshape(-1, 3073) for file in files])
    images = torch.from_numpy(records[:count, 1:].reshape(-1, 3, 32, 32).astype(np.float32))
    return images / 127.5 - 1, torch.from_numpy(records[:count, 0].astype(np.int64))


def data(folder):
    return cifar(folder, ["data_batch_1.bin"], TRAIN), cifar(folder, ["test_batch.bin"], TEST)


if __name__ == "__main__":
    folder = sys.argv[1] if len(sys.argv) > 1 else os.path.join(os.environ.get("DDLSIM_DATA", "."), "cifar-10")
    train, test = data(folder)
    serve(TorchModel(Net, nn.functional.cross_entropy, train, test))
