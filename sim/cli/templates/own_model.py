#!/usr/bin/env python3
"""A model of your own, which ddlsim asks for gradients: logistic regression in NumPy, on data that it makes up."""
import numpy as np
from ddlsim import Model, serve

FEATURES, CLASSES, TRAIN, TEST = 20, 5, 2500, 500


class Mine(Model):
    def __init__(self):
        # Your data: read them here. Every process must have the same. Of data in files, version() returns digest_of(paths).
        random = np.random.default_rng(1)
        centres = random.normal(0, 1, (CLASSES, FEATURES))
        self.targets = random.integers(0, CLASSES, TRAIN + TEST)
        self.inputs = centres[self.targets] + random.normal(0, 1.5, (TRAIN + TEST, FEATURES))

    def samples(self):
        return TRAIN, TEST

    def labels(self):  # for data.partition by_label and dirichlet
        return self.targets[:TRAIN]

    def tensors(self):
        return [("dense.weight", (FEATURES, CLASSES)), ("dense.bias", (CLASSES,))]

    def initial(self, seed):
        return np.random.default_rng(seed).normal(0, 0.01, (FEATURES + 1) * CLASSES)

    def log_shares(self, weights, samples):
        """Of each class, by softmax."""
        matrix, bias = weights[:-CLASSES].reshape(FEATURES, CLASSES), weights[-CLASSES:]
        outputs = self.inputs[samples] @ matrix + bias
        outputs -= outputs.max(axis=1, keepdims=True)
        return outputs - np.log(np.exp(outputs).sum(axis=1, keepdims=True))

    def gradient(self, weights, samples, worker, step):
        # The answer may depend on these arguments alone. Random numbers: np.random.default_rng([self.seed, worker, step]).
        shares = self.log_shares(weights, samples)
        correct = np.eye(CLASSES)[self.targets[samples]]
        errors = (np.exp(shares) - correct) / len(samples)
        loss = -(shares * correct).sum() / len(samples)
        # What is written into self.out is handed over without a copy.
        return loss, np.concatenate([(self.inputs[samples].T @ errors).ravel(), errors.sum(axis=0)], out=self.out)

    def evaluate(self, weights):
        test = np.arange(TRAIN, TRAIN + TEST)
        shares = self.log_shares(weights, test)
        return {"loss": -shares[np.arange(TEST), self.targets[test]].mean(),
                "accuracy": (shares.argmax(axis=1) == self.targets[test]).mean()}


if __name__ == "__main__":
    serve(Mine())
