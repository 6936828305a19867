#!/usr/bin/env python3
"""Holds each preset of `ddlsim list` to its paper's algorithm, which stands here in NumPy: the same minibatches from the
same start, under a constant rate, and under warm-up and schedules.

    presets_test.py PROGRAM

Exit status: 0 all agree, 1 some do not, 77 there is no NumPy here.
"""
import csv
import json
import math
import os
import re
import subprocess
import sys
import tempfile

sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), "../support"))
import debian_python  # noqa: E402

debian_python.need("numpy")
import numpy as np  # noqa: E402
from result_tensors import tensors_in  # noqa: E402

MOST_APART = 1e-5  # over the largest weight: float32 against double, over some thirty steps

WARM_UP, RATE = 3, 0.2
OPTIMIZERS = {
    "sgd": {"type": "sgd", "learning_rate": RATE},
    "sgd, falling": {"type": "sgd", "learning_rate": RATE, "warmup_steps": WARM_UP, "weight_decay": 0.01,
                     "schedule": {"type": "steps", "at": [7, 13], "factor": 0.3}},
    "momentum, falling": {"type": "momentum", "learning_rate": RATE / 4, "momentum": 0.8, "warmup_steps": WARM_UP,
                          "schedule": {"type": "cosine", "steps": 24, "floor": 0.1}},
}


class Worker:
    """One worker's model x, multinomial logistic regression, and its inner optimizer: PyTorch's SGD."""

    def __init__(self, start, batches, samples, settings):
        self.x, self.batches, self.settings = start.copy(), batches, settings
        self.inputs, self.labels = samples
        self.velocity, self.steps, self.rate = np.zeros_like(start), 0, 0

    def gradient(self):
        of = self.batches[self.steps]
        inputs, labels = self.inputs[of], self.labels[of]
        classes = len(self.x) // (inputs.shape[1] + 1)
        matrix, bias = self.x[:-classes].reshape(-1, classes), self.x[-classes:]
        shares = np.exp(inputs @ matrix + bias)
        shares /= shares.sum(axis=1, keepdims=True)
        shares[np.arange(len(of)), labels] -= 1
        shares /= len(of)
        return np.concatenate([(inputs.T @ shares).ravel(), shares.sum(axis=0)])

    def step(self):
        self.rate = rate_of(self.settings, self.steps)
        slope = self.gradient() + self.settings.get("weight_decay", 0) * self.x
        self.velocity = self.settings.get("momentum", 0) * self.velocity + slope
        self.x -= self.rate * self.velocity
        self.steps += 1


def rate_of(settings, step):
    rate, warm = settings["learning_rate"], settings.get("warmup_steps", 0)
    if step < warm:
        rate *= (step + 1) / (warm + 1)
    schedule = settings.get("schedule", {"type": "constant"})
    if schedule["type"] == "steps":
        rate *= schedule["factor"] ** sum(step >= at for at in schedule["at"])
    if schedule["type"] == "cosine" and step >= warm:
        progress = min(1, (step - warm) / (schedule["steps"] - warm))
        rate *= schedule["floor"] + (1 - schedule["floor"]) * (1 + math.cos(math.pi * progress)) / 2
    return rate


def mean_after(workers, start, steps):
    """Of models that begin at `start` and take so many steps alone."""
    for worker in workers:
        worker.x = start.copy()
        for _ in range(steps):
            worker.step()
    return np.mean([worker.x for worker in workers], axis=0)


# --- the papers' algorithms: each takes workers, the start, and how many steps each worker takes ---

def slowmo(workers, x, steps, tau, alpha=1, beta=0.7):
    """Wang, Tantia, Ballas and Rabbat, ICLR 2020, algorithm 1, on local SGD whose buffers are maintained. gamma is the
    rate as it is at the slow step, which is the last inner step's."""
    u = np.zeros_like(x)
    for _ in range(steps // tau):
        average = mean_after(workers, x, tau)
        gamma = workers[0].rate
        u = beta * u + (x - average) / gamma
        x = x - alpha * gamma * u
    return x


def bmuf(workers, w, steps, tau, zeta=1):
    """Chen and Huo, ICASSP 2016, with Nesterov block momentum eta = 1 - 1/n: w_g is where a block begins."""
    eta = 1 - 1 / len(workers)
    w_g, delta = w, np.zeros_like(w)
    for _ in range(steps // tau):
        g = mean_after(workers, w_g, tau) - w_g
        delta = eta * delta + zeta * g
        w = w + delta
        w_g = w + eta * delta
    return w_g


def lookahead(workers, phi, steps, k=5, alpha=0.5):
    """Zhang, Lucas, Hinton and Ba, NeurIPS 2019, algorithm 1, for one worker; several have one phi, which follows the
    mean of their fast weights."""
    for _ in range(steps // k):
        phi = phi + alpha * (mean_after(workers, phi, k) - phi)
    return phi


def post_local_sgd(workers, w, steps, switch, local):
    """Lin, Stich, Patel and Jaggi, ICLR 2020: H_t = 1 until step t', then H."""
    t = 0
    while t < steps:
        h = 1 if t < switch else local
        w = mean_after(workers, w, h)
        t += h
    return w


# The paper's algorithm, with workers and settings that make a short run of it; `keys` are of the scenario.
PAPERS = {
    "SlowMo": [(n, 20, {"sync_every": 4}, lambda *run: slowmo(*run, tau=4)) for n in (1, 3)],
    "BMUF": [(4, 20, {"sync_every": 4}, lambda *run: bmuf(*run, tau=4))],
    "Lookahead": [(n, 20, {}, lookahead) for n in (1, 3)],
    "post-local SGD": [(3, 20, {"local_steps": 4, "local_from": 8},
                        lambda *run: post_local_sgd(*run, switch=8, local=4))],
}


def presets_of(program):
    """By name: the system, and the settings that it has then."""
    listed = " ".join(subprocess.run([program, "list", "algorithms"], capture_output=True, text=True, check=True).stdout.split())
    found = re.findall(r" - ([^{}\[\]]*?) (\w+) with (\{[^\[\]]*\}) \[", listed)
    return {name: (system, json.loads(settings)) for name, system, settings in found}


def column(folder, file, name):
    with open(os.path.join(folder, file), newline="") as table:
        return [row[name] for row in csv.DictReader(table)]


def run(program, work, algorithm, workers, steps, optimizer):
    """The result's folder."""
    scenario = {"name": "preset", "seed": 3,
                "platform": {"topology": "star", "workers": workers, "bandwidth": "10Gbps", "latency": "1us",
                             "network": {"model": "CM02"}},
                "data": {"train": 120, "test": 20}, "model": "softmax",
                "training": {"batch_size": 6, "optimizer": optimizer},
                "compute": {"seconds_per_batch": "100ms", "jitter": 0}, "algorithm": algorithm,
                "stop": {"iterations": steps}, "evaluate": {"every_iterations": steps},
                "record": {"weights": True, "initial_weights": True, "batches": True}}
    with open(os.path.join(work, "preset.json"), "w") as file:
        json.dump(scenario, file)
    subprocess.run([program, "run", "preset.json", "--quiet", "--force", "--out", "results"], cwd=work, check=True)
    return os.path.join(work, "results", "preset", "3")


def workers_of(folder, optimizer):
    kept = tensors_in(os.path.join(folder, "samples.safetensors"))
    inputs = kept["images"].reshape(len(kept["numbers"]), -1).astype(np.float64)
    inputs = (inputs - kept["mean"].astype(np.float64)) * kept["scale"].astype(np.float64)
    place = {int(number): i for i, number in enumerate(kept["numbers"])}
    batches = {}
    for worker, samples in zip(column(folder, "batches.csv", "worker"), column(folder, "batches.csv", "samples")):
        batches.setdefault(worker, []).append([place[int(number)] for number in samples.split()])
    start = tensors_in(os.path.join(folder, "initial-weights.safetensors"))["parameters"].astype(np.float64)
    return [Worker(start, batches[f"w{i}"], (inputs, kept["labels"]), optimizer) for i in range(len(batches))], start


def main(program):
    presets = presets_of(program)
    if presets.keys() != PAPERS.keys():
        print(f"listed are {sorted(presets)}, and written down here {sorted(PAPERS)}")
        return 1
    wrong = 0
    with tempfile.TemporaryDirectory() as work:
        for name, (system, settings) in presets.items():
            for workers, steps, keys, paper in PAPERS[name]:
                for rates, optimizer in OPTIMIZERS.items():
                    folder = run(program, work, {"name": system, **settings, **keys}, workers, steps, optimizer)
                    replicas, start = workers_of(folder, optimizer)
                    expected = paper(replicas, start, steps)
                    learned = [tensors_in(os.path.join(folder, file))["parameters"] for file in os.listdir(folder)
                               if file.startswith("weights-")]
                    apart = max(np.abs(model - expected).max() for model in learned) / np.abs(expected).max()
                    agrees = len(learned) == workers and apart <= MOST_APART
                    wrong += not agrees
                    print(f"{name}, {workers} workers, {rates}: {'' if agrees else 'NOT '}its paper's ({apart:.1e})")
    return 1 if wrong else 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1]))
