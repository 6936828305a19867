#!/usr/bin/env python3
"""Sets a training step and an evaluation of ddlsim beside PyTorch's, one thread each, in turn on the same machine.

    tests/lab/bench/pytorch_math.py [build/release/ddlsim] [rounds]

Prints the median over rounds of the ratio within each round. Both sides count CPU time of their one thread, so that
other programs disturb little. PyTorch gets its batch ready-made; ddlsim's figures contain reading it from the data set.
"""
import json
import os
import statistics
import subprocess
import sys
import time

try:
    import torch
    from torch import nn
except ImportError:
    print("pytorch_math: there is no PyTorch here; on Debian: apt-get install python3-torch, then /usr/bin/python3")
    sys.exit(0)


def ako_cnn():
    return nn.Sequential(nn.Conv2d(3, 32, 5, padding=2), nn.ReLU(), nn.MaxPool2d(2), nn.Conv2d(32, 64, 3, padding=1),
                         nn.ReLU(), nn.Conv2d(64, 64, 3, padding=1), nn.ReLU(), nn.MaxPool2d(2), nn.Flatten(),
                         nn.Linear(4096, 1024), nn.ReLU(), nn.Dropout(0.5), nn.Linear(1024, 10))


def mlp():
    return nn.Sequential(nn.Flatten(), nn.Linear(784, 32), nn.ReLU(), nn.Linear(32, 10))


sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), "../../support"))
from torch_gpt import Gpt  # noqa: E402

SYMBOLS, CONTEXT = 65, 64

# Name as in `ddlsim bench`: model, shape of a sample, batch, optimizer, steps timed together.
CASES = {
    "ako-cnn": (ako_cnn, (3, 32, 32), 104, torch.optim.Adam, 1),
    "mlp-784-32-10": (mlp, (1, 28, 28), 32, torch.optim.SGD, 300),
    "gpt-4-128-64": (lambda: Gpt(SYMBOLS, 4, 4, 128, CONTEXT), (CONTEXT,), 12, None, 1),  # AdamW, clipped at norm 1
}


def median_seconds(work, repetitions):
    work()
    times = []
    for _ in range(5):
        start = time.process_time()
        for _ in range(repetitions):
            work()
        times.append((time.process_time() - start) / repetitions)
    return statistics.median(times)


def by_pytorch(name):
    make, shape, batch, optimizer_type, repetitions = CASES[name]
    model = make()
    if optimizer_type is None:
        optimizer, parameters = model.adamw(0.1), list(model.parameters())
        inputs, labels = torch.randint(0, SYMBOLS, (2, batch, *shape))

        def loss():
            return model(inputs, labels)
    else:
        optimizer, parameters = optimizer_type(model.parameters(), lr=0.001), []
        inputs, labels = torch.randn(batch, *shape), torch.randint(0, 10, (batch,))

        def loss():
            return nn.functional.cross_entropy(model(inputs), labels)

    def train():
        optimizer.zero_grad(set_to_none=True)
        loss().backward()
        if parameters:
            nn.utils.clip_grad_norm_(parameters, 1)
        optimizer.step()

    def evaluate():
        with torch.no_grad():
            loss()

    model.train()
    train_s = median_seconds(train, repetitions)
    model.eval()
    return batch / train_s, batch / median_seconds(evaluate, repetitions)


def main():
    program = sys.argv[1] if len(sys.argv) > 1 else "build/release/ddlsim"
    rounds = int(sys.argv[2]) if len(sys.argv) > 2 else 5
    torch.set_num_threads(1)
    rows = {name: [] for name in CASES}
    for _ in range(rounds):
        answer = subprocess.run([program, "bench", "--json", "--seconds", "4"], check=True, capture_output=True)
        report = json.loads(answer.stdout)
        for name in CASES:
            ours = next(s for s in report["steps"] if s["model"] == name and s["math_mode"] == "portable")
            train, evaluation = by_pytorch(name)
            rows[name].append((ours["train_images_per_s"], train, ours["eval_images_per_s"], evaluation,
                               ours["share_of_peak"]))
    print(f"PyTorch {torch.__version__}, medians of {rounds} rounds; images/s")
    print("model           training: ddlsim  PyTorch  ratio   evaluation: ddlsim  PyTorch  ratio   share of peak")
    for name, measured in rows.items():
        median = [statistics.median(column) for column in zip(*measured)]
        train = statistics.median(r[0] / r[1] for r in measured)
        evaluation = statistics.median(r[2] / r[3] for r in measured)
        print(f"{name:15} {median[0]:17.0f} {median[1]:8.0f} {train:6.2f} {median[2]:20.0f} {median[3]:8.0f} "
              f"{evaluation:6.2f} {100 * median[4]:13.0f} %")


main()
