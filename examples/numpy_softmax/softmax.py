#!/usr/bin/env python3
"""Multinomial logistic regression in NumPy, as a model of one's own: the same as ddlsim's "softmax".

    softmax.py FOLDER       where FOLDER has data in MNIST's format (digits.py makes some)
"""
import os
import sys

import numpy as np
from ddlsim import Model, digest_of, serve

CLASSES = 10


def read_idx(path):
    with open(path, "rb") as file:
        data = file.read()
    axes = data[3]
    shape = np.frombuffer(data, ">u4", axes, 4)
    return np.frombuffer(data, np.uint8, offset=4 + 4 * axes).reshape(shape)


class Softmax(Model):
    def __init__(self, folder):
        self.files = [os.path.join(folder, f"{name}-ubyte") for name in
                      ("train-images-idx3", "train-labels-idx1", "t10k-images-idx3", "t10k-labels-idx1")]
        images, labels, test_images, test_labels = map(read_idx, self.files)

        def pair(images, labels):
            return images.reshape(len(images), -1) / np.float32(255), labels.astype(np.int64)
        self.train, self.test = pair(images, labels), pair(test_images, test_labels)
        self.inputs = self.train[0].shape[1]

    def version(self):  # results are of these data
        return digest_of(*self.files)

    def samples(self):
        return len(self.train[0]), len(self.test[0])

    def labels(self):
        return self.train[1]

    def tensors(self):
        return [("dense.weight", (self.inputs, CLASSES)), ("dense.bias", (CLASSES,))]

    def initial(self, seed):
        return np.zeros((self.inputs + 1) * CLASSES)

    def outputs(self, weights, inputs):
        matrix = weights[:self.inputs * CLASSES].reshape(self.inputs, CLASSES)
        return inputs @ matrix + weights[self.inputs * CLASSES:]

    def shares(self, outputs):
        """Of each class, by softmax; and their logarithms."""
        outputs = outputs.astype(np.float64)
        outputs -= outputs.max(axis=1, keepdims=True)
        logarithms = outputs - np.log(np.exp(outputs).sum(axis=1, keepdims=True))
        return np.exp(logarithms), logarithms

    def gradient(self, weights, samples, worker, step):
        inputs, labels = self.train[0][samples], self.train[1][samples]
        shares, logarithms = self.shares(self.outputs(weights, inputs))
        rows = np.arange(len(samples))
        loss = -logarithms[rows, labels].mean()
        shares[rows, labels] -= 1
        errors = (shares / len(samples)).astype(np.float32)
        return loss, np.concatenate([(inputs.T @ errors).reshape(-1), errors.sum(axis=0)], out=self.out)

    def evaluate(self, weights):
        inputs, labels = self.test
        outputs = self.outputs(weights, inputs)
        _, logarithms = self.shares(outputs)
        return {"loss": -logarithms[np.arange(len(labels)), labels].mean(),
                "accuracy": (outputs.argmax(axis=1) == labels).mean()}


if __name__ == "__main__":
    serve(Softmax(sys.argv[1] if len(sys.argv) > 1 else "data"))
