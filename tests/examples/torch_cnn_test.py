#!/usr/bin/env python3
"""Holds the model of examples/torch_cnn to a loop in PyTorch alone, and runs it under the systems there.

    torch_cnn_test.py PROGRAM

After 20 steps of a ring all-reduce the weights must be those of torch.optim.SGD on the mean of the workers' gradients, but for
rounding. Exit status: 0 all agree, 1 some do not, 77 there is no PyTorch or no CIFAR-10 (in DDLSIM_DATA) here.
"""
import csv
import json
import os
import shutil
import struct
import subprocess
import sys
import tempfile

sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), "../support"))
import debian_python  # noqa: E402

debian_python.need("torch", "numpy")
import numpy as np  # noqa: E402
import torch  # noqa: E402

ROOT = os.path.join(os.path.dirname(os.path.abspath(__file__)), "../..")
EXAMPLE = os.path.join(ROOT, "examples/torch_cnn")
MOST_APART = 1e-5  # over the largest weight
SEED, STEPS, RATE, MOMENTUM, DECAY = 7, 20, 0.02, 0.9, 0.001


def parameters_in(path):
    with open(path, "rb") as file:
        data = file.read()
    length = struct.unpack("<Q", data[:8])[0]
    begin, end = json.loads(data[8:8 + length])["parameters"]["data_offsets"]
    return np.frombuffer(data[8 + length + begin:8 + length + end], np.float32)


def trained_by_torch_alone(cnn, train, batches):
    """`batches`: of each worker, of each step, the numbers of the samples."""
    torch.manual_seed(SEED)
    net = cnn.Net()
    optimizer = torch.optim.SGD(net.parameters(), lr=RATE, momentum=MOMENTUM, weight_decay=DECAY)
    inputs, targets = train
    for of_workers in zip(*batches.values()):
        optimizer.zero_grad()
        for samples in of_workers:
            loss = torch.nn.functional.cross_entropy(net(inputs[samples]), targets[samples])
            (loss / len(of_workers)).backward()
        optimizer.step()
    return torch.cat([parameter.detach().reshape(-1) for parameter in net.parameters()]).numpy()


def main(program):
    folder = os.path.join(os.environ.get("DDLSIM_DATA", ""), "cifar-10")
    if not os.path.isfile(os.path.join(folder, "data_batch_1.bin")):
        print("torch_cnn_test: [skipped] there is no CIFAR-10 in DDLSIM_DATA")
        return 77
    folder = os.path.abspath(folder)
    sys.path[:0] = [EXAMPLE, os.path.join(ROOT, "python")]
    import cnn
    torch.set_num_threads(1)
    problems = []
    with tempfile.TemporaryDirectory() as work:
        for file in os.listdir(EXAMPLE):
            if os.path.isfile(os.path.join(EXAMPLE, file)):
                shutil.copy(os.path.join(EXAMPLE, file), work)

        def run(scenario, name, *settings):
            words = [word for setting in (f'model.command=["{sys.executable}","cnn.py","{folder}"]', f"name={name}",
                                          *settings) for word in ("--set", setting)]
            subprocess.run([program, "run", f"{scenario}.json", "--quiet", "--seed", str(SEED), "--out", "results", *words],
                           cwd=work, check=True)
            return os.path.join(work, "results", name, str(SEED))

        # Both sums of four gradients are in float32: two workers, so that the order does not matter.
        result = run("ako", "ring", 'algorithm="ring_allreduce"', 'platform={"workers":2,"bandwidth":"1Gbps"}',
                     f"stop.iterations={STEPS}", f"training.optimizer.weight_decay={DECAY}", "record.weights=true",
                     "record.batches=true", "record.initial_weights=true", "evaluate.every_iterations=100")
        batches = {}
        with open(os.path.join(result, "batches.csv"), newline="") as table:
            for row in csv.DictReader(table):
                batches.setdefault(row["worker"], []).append([int(number) for number in row["samples"].split()])
        expected = trained_by_torch_alone(cnn, cnn.data(folder)[0], batches)
        start = parameters_in(os.path.join(result, "initial-weights.safetensors"))
        for worker in batches:
            weights = parameters_in(os.path.join(result, f"weights-{worker}.safetensors"))
            apart = np.abs(weights - expected).max() / np.abs(expected).max()
            moved = np.abs(weights - start).max() / np.abs(expected).max()
            print(f"{worker}: after {STEPS} steps {apart:.1e} apart, having moved by {moved:.1e}")
            if not (apart <= MOST_APART and moved > 100 * MOST_APART):
                problems.append(f"{worker} differs")

        for system, steps in (("ako", 8), ("diloco", 12), ("gossip", 8)):
            digests = set()
            for processes in (1, 2) if system == "ako" else (2,):
                result = run(system, f"{system}_{processes}", f"stop.iterations={steps}", f"model.processes={processes}",
                             "evaluate.every_iterations=100")
                with open(os.path.join(result, "summary.json")) as file:
                    summary = json.load(file)
                digests.add(summary["digest"])
            print(f"{system}: loss {summary['final_loss']['mean']:.3f}")
            if len(digests) != 1:
                problems.append(f"{system} depends on the number of processes")
            if not 1 < summary["final_loss"]["mean"] < 2.4:
                problems.append(f"{system} does not learn")
    print("; ".join(problems) or "the same")
    return 1 if problems else 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1]))
