#!/usr/bin/env python3
"""Holds the model of examples/numpy_softmax to ddlsim's own of the same mathematics, on the same data.

    numpy_softmax_test.py PROGRAM

Partitions, minibatches, times and messages must be equal, and weights, losses and accuracies differ by rounding alone.
Exit status: 0 all agree, 1 some do not, 77 there is no NumPy here.
"""
import csv
import json
import os
import shutil
import subprocess
import sys
import tempfile

sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), "../support"))
import debian_python  # noqa: E402

debian_python.need("numpy")
import numpy as np  # noqa: E402
from result_tensors import tensors_in  # noqa: E402

EXAMPLE = os.path.join(os.path.dirname(os.path.abspath(__file__)), "../../examples/numpy_softmax")

# Over the largest weight; of losses, absolute. Float32 has 24 bits, and a few hundred updates round each in their way.
MOST_APART = 1e-5

CASES = {
    "ako": [],
    "gossip": ['algorithm="gossip"', 'data.partition="by_label"'],
    "ring_allreduce": ['algorithm="ring_allreduce"', 'data.partition="dirichlet"', "data.alpha=0.3"],
    "by_layers": ['algorithm={"name":"ring_allreduce","overlap":"layers"}', 'training.optimizer={"type":"nesterov","learning_rate":0.01}'],
    "ps_async": ["platform.servers=1", 'algorithm="ps_async"', "data.shuffle=false",
                 'training.optimizer={"type":"sgd","learning_rate":0.1,"schedule":"cosine"}'],
    "diloco": ['algorithm={"name":"diloco","sync_every":6,"fragments":1}', 'data.partition="sequential"'],
    "split": ['algorithm={"name":"ako","partitions":2,"partitioner":"fine"}'],
}


def column(folder, file, name):
    with open(os.path.join(folder, file), newline="") as table:
        return [row[name] for row in csv.DictReader(table)]


def numbers(folder, file, name):
    return np.array([float(text or "nan") for text in column(folder, file, name)])


def check_same_run(own, built_in):
    """Of two result folders, what is wrong."""
    with open(os.path.join(own, "summary.json")) as a, open(os.path.join(built_in, "summary.json")) as b:
        here, there = json.load(a), json.load(b)
    for key in ("simulated_seconds", "iterations_per_worker", "bytes_sent", "messages_sent", "staleness", "bounds"):
        if here[key] != there[key]:
            yield f"{key}: {here[key]} and {there[key]}"
    for file in ("batches.csv", "shards.csv"):
        if column(own, file, "samples") != column(built_in, file, "samples"):
            yield f"{file} differ"
    for file, name in (("iterations.csv", "train_loss"), ("curve.csv", "test_loss"), ("curve.csv", "test_accuracy")):
        apart = np.abs(numbers(own, file, name) - numbers(built_in, file, name))
        # A sample of the 500 of the test set may lie on the border.
        if not apart.max() <= (0.003 if name == "test_accuracy" else MOST_APART):
            yield f"{file}: {name} is apart by {apart.max():.2g}"
    files = [file for file in os.listdir(own) if file.startswith("weights-")]
    if not files:
        yield "there are no weights"
    for file in files:
        a = tensors_in(os.path.join(own, file))
        b = tensors_in(os.path.join(built_in, file))
        apart = np.abs(a["parameters"] - b["parameters"]).max() / np.abs(b["parameters"]).max()
        if not apart <= MOST_APART:
            yield f"{file} is apart by {apart:.2g}"
        if a["dense.weight"].shape != (784, 10) or a["dense.bias"].tolist() != a["parameters"][-10:].tolist():
            yield f"{file} has other tensors than the program named"


def main(program):
    wrong = 0
    with tempfile.TemporaryDirectory() as work:
        for file in os.listdir(EXAMPLE):
            if os.path.isfile(os.path.join(EXAMPLE, file)):
                shutil.copy(os.path.join(EXAMPLE, file), work)
        subprocess.run([sys.executable, "digits.py", "data"], cwd=work, check=True)

        def run(scenario, name, *options):
            subprocess.run([program, "run", f"{scenario}.json", "--quiet", "--out", "results", "--set", f"name={name}",
                            *options], cwd=work, check=True)
            with open(os.path.join(work, "results", name, "1", "summary.json")) as file:
                return json.load(file)["digest"]

        python = ["--set", f'model.command=["{sys.executable}","softmax.py","data"]']
        for case, settings in CASES.items():
            shared = [word for setting in (*settings, "record.weights=true", "record.batches=true")
                      for word in ("--set", setting)]
            digests = {run("own", case, *python, *shared),
                       run("own", f"{case}_3", *python, *shared, "--threads", "3"),
                       run("own", f"{case}_1", *python, *shared, "--set", "model.processes=1", "--threads", "3")}
            run("built_in", f"{case}_built_in", *shared)
            problems = list(check_same_run(os.path.join(work, "results", case, "1"),
                                           os.path.join(work, "results", f"{case}_built_in", "1")))
            if len(digests) != 1:
                problems.append("the digest depends on the number of processes")
            print(f"{case}: {'; '.join(problems) or 'the same'}")
            wrong += len(problems)

        # A result is of its data, which the program reads.
        with open(os.path.join(work, "data", "t10k-labels-idx1-ubyte"), "r+b") as file:
            file.seek(-1, os.SEEK_END)
            last = file.read()[0]
            file.seek(-1, os.SEEK_END)
            file.write(bytes([(last + 1) % 10]))
        again = subprocess.run([program, "run", "own.json", "--quiet", "--out", "results", "--set", "name=ako", *python,
                                "--set", "record.weights=true", "--set", "record.batches=true"],
                               cwd=work, stderr=subprocess.PIPE, text=True)
        print(f"with other data: exit code {again.returncode}, {again.stderr.strip()}")
        wrong += again.returncode != 2 or "model differs" not in again.stderr

        subprocess.run([program, "new", "own_model", "-o", "mine.json"], cwd=work, check=True)
        subprocess.run([program, "run", "mine.json", "--quiet", "--set", "name=mine",
                        "--set", f'model.command=["{sys.executable}","own_model.py"]'], cwd=work, check=True)
        with open(os.path.join(work, "results", "mine", "1", "summary.json")) as file:
            accuracy = json.load(file)["final_accuracy"]["mean"]
        print(f"the template: accuracy {accuracy:.3f}")
        wrong += accuracy < 0.6  # one of five classes at random: 0.2
    return 1 if wrong else 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1]))
