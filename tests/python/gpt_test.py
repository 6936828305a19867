#!/usr/bin/env python3
"""A gpt of ddlsim computes the losses and gradients of the same model in PyTorch, learns as torch.optim does with clipping,
warm-up and a cosine, and starts from what PyTorch saves. DDLSIM names the program. Exit status 77: there is no PyTorch."""
import csv
import json
import math
import os
import struct
import subprocess
import sys
import tempfile
import unittest

sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), "../support"))
import debian_python  # noqa: E402

debian_python.need("torch", "numpy")
import torch  # noqa: E402
from result_tensors import tensors_in  # noqa: E402
from torch import nn  # noqa: E402
from torch_gpt import Gpt  # noqa: E402

LAYERS, HEADS, WIDTH, CONTEXT, BATCH = 2, 2, 24, 19, 5
MODEL = {"name": "gpt", "layers": LAYERS, "heads": HEADS, "width": WIDTH, "context": CONTEXT}
MOST_APART = 1e-5


def text_of(count):
    drawn = torch.Generator().manual_seed(7)
    return "".join("abcdefgh\n"[int(torch.randint(9, (1,), generator=drawn) * torch.rand(1, generator=drawn))]
                   for _ in range(count))


def safetensors(tensors):
    header, data = {}, b""
    for name, tensor in tensors.items():
        values = tensor.detach().contiguous().numpy().tobytes()
        header[name] = {"dtype": "F32", "shape": list(tensor.shape), "data_offsets": [len(data), len(data) + len(values)]}
        data += values
    text = json.dumps(header).encode()
    return struct.pack("<Q", len(text)) + text + data


class Run:
    def __init__(self, optimizer, steps, init=None, status=0):
        with tempfile.TemporaryDirectory() as path:
            self.run(path, optimizer, steps, init, status)

    def run(self, path, optimizer, steps, init, status):
        with open(f"{path}/input.txt", "w") as file:
            self.text = text_of(2000)
            file.write(self.text)
        training = {"batch_size": BATCH, "optimizer": optimizer}
        if init is not None:
            with open(f"{path}/start.safetensors", "wb") as file:
                file.write(safetensors(init))
            training["init"] = {"file": "start.safetensors"}
        scenario = {"name": "gpt", "platform": {"workers": 1, "bandwidth": "1Gbps"}, "model": MODEL,
                    "data": {"source": "text", "path": "input.txt"}, "training": training,
                    "compute": {"seconds_per_batch": "1s"}, "algorithm": "single", "stop": {"iterations": steps},
                    "evaluate": {"every_iterations": steps},
                    "record": {"initial_weights": True, "weights": True, "batches": True}}
        with open(f"{path}/gpt.json", "w") as file:
            json.dump(scenario, file)
        done = subprocess.run([os.environ["DDLSIM"], "run", "gpt.json", "--quiet", "--threads", "1"], cwd=path,
                              capture_output=True, text=True)
        assert done.returncode == status, done.stderr
        self.stderr = done.stderr
        if status == 0:
            self.read(f"{path}/results/gpt/1")

    def read(self, result):
        self.start = self.tensors(f"{result}/initial-weights.safetensors")
        self.end = self.tensors(f"{result}/weights-w0.safetensors")
        samples = self.tensors(f"{result}/samples.safetensors")
        place = {int(number): i for i, number in enumerate(samples["numbers"])}
        symbols, labels = samples["values"].reshape(-1, CONTEXT).long(), samples["labels"]
        self.batches, self.losses = [], []
        with open(f"{result}/batches.csv", newline="") as file:
            for row in csv.DictReader(file):
                chosen = [place[int(n)] for n in row["samples"].split()]
                self.batches.append((symbols[chosen], labels[chosen]))
        with open(f"{result}/iterations.csv", newline="") as file:
            self.losses = [float(row["train_loss"]) for row in csv.DictReader(file)]
        with open(f"{result}/curve.csv", newline="") as file:
            self.test_losses = [float(row["test_loss"]) for row in csv.DictReader(file) if row["worker"] == "mean"]

    @staticmethod
    def tensors(path):
        return {name: torch.from_numpy(values.copy()) for name, values in tensors_in(path).items()}

    def model(self, tensors):
        model = Gpt(len(set(self.text)), LAYERS, HEADS, WIDTH, CONTEXT)
        model.load_state_dict({name: tensor for name, tensor in tensors.items() if name != "parameters"})
        return model


def largest(a, b):
    return float((a - b).abs().max())


def orthogonal(matrix):
    """Five Newton-Schulz steps towards the nearest orthogonal matrix, each with its own polynomial (arXiv 2505.23725)."""
    x = matrix.double() / matrix.double().norm()
    for a, b, c in ((4.0848, -6.8946, 2.9270), (3.9505, -6.3029, 2.6377), (3.7418, -5.5913, 2.3037),
                    (2.8769, -3.1427, 1.2046), (2.8366, -3.0525, 1.2012)):
        square = x @ x.T
        x = a * x + (b * square + c * square @ square) @ x
    return x.float()


class GptTest(unittest.TestCase):
    def test_loss_and_gradient_are_pytorch_s(self):
        run = Run({"type": "sgd", "learning_rate": 1}, 1)
        model = run.model(run.start)
        loss = model(*run.batches[0])
        loss.backward()
        self.assertAlmostEqual(float(loss), run.losses[0], delta=MOST_APART)
        for name, parameter in model.named_parameters():
            found = run.start[name] - run.end[name]
            self.assertLess(largest(found, parameter.grad), MOST_APART, name)
            self.assertGreater(float(parameter.grad.abs().max()), 0, name)

    def test_labels_are_the_next_symbols_of_the_text(self):
        run = Run({"type": "sgd", "learning_rate": 1}, 3)
        number = {symbol: i for i, symbol in enumerate(sorted(set(run.text)))}
        numbers = "".join(chr(number[symbol]) for symbol in run.text[:1800])
        for symbols, labels in run.batches:
            for window, answers in zip(symbols.tolist(), labels.tolist()):
                self.assertIn("".join(map(chr, window + answers[-1:])), numbers)
                self.assertEqual(window[1:], answers[:-1])

    def test_an_evaluation_covers_the_text_in_windows_that_follow_one_another(self):
        run = Run({"type": "sgd", "learning_rate": 1}, 1)
        number = {symbol: i for i, symbol in enumerate(sorted(set(run.text)))}
        tested = torch.tensor([number[symbol] for symbol in run.text[1800:]])
        count = (len(tested) - 1) // CONTEXT
        symbols, labels = (tested[first:first + count * CONTEXT].reshape(count, CONTEXT) for first in (0, 1))
        for tensors, found in zip((run.start, run.end), run.test_losses):
            self.assertAlmostEqual(float(run.model(tensors)(symbols, labels).detach()), found, delta=MOST_APART)

    def test_learns_as_nanogpt_does(self):
        steps, warm, rate, floor = 30, 5, 1e-2, 0.1
        run = Run({"type": "adamw", "learning_rate": rate, "betas": [0.9, 0.99], "weight_decay": 0.1, "clip_norm": 0.5,
                   "warmup_steps": warm, "schedule": {"type": "cosine", "steps": steps, "floor": floor}}, steps)
        model = run.model(run.start)
        parameters = list(model.parameters())
        optimizer = model.adamw(0.1)
        clipped = 0
        for step, batch in enumerate(run.batches):
            share = (step - warm) / (steps - warm)
            factor = (step + 1) / (warm + 1) if step < warm else floor + (1 - floor) * (1 + math.cos(math.pi * share)) / 2
            for group in optimizer.param_groups:
                group["lr"] = rate * factor
            optimizer.zero_grad()
            loss = model(*batch)
            loss.backward()
            self.assertAlmostEqual(float(loss), run.losses[step], delta=1e-4)
            clipped += float(nn.utils.clip_grad_norm_(parameters, 0.5)) > 0.5
            optimizer.step()
        self.assertGreater(clipped, 5)
        for name, parameter in model.named_parameters():
            self.assertLess(largest(run.end[name], parameter.detach()), 1e-3, name)

    def test_hidden_matrices_learn_by_muon_and_the_rest_by_adamw(self):
        steps, rate, rate_of_rest, mu, decay = 12, 0.02, 3e-3, 0.9, 0.1
        run = Run({"type": "muon", "learning_rate": rate, "adamw_learning_rate": rate_of_rest, "momentum": mu,
                   "betas": [0.9, 0.99], "weight_decay": decay}, steps)
        model = run.model(run.start)
        hidden = {name: torch.zeros_like(tensor) for name, tensor in model.named_parameters() if ".h." in name
                  and tensor.dim() == 2}
        self.assertEqual(len(hidden), 4 * LAYERS)
        rest = [[tensor for name, tensor in model.named_parameters() if name not in hidden and tensor.dim() == dims]
                for dims in (2, 1)]
        adamw = torch.optim.AdamW([{"params": rest[0], "weight_decay": decay}, {"params": rest[1], "weight_decay": 0}],
                                  lr=rate_of_rest, betas=(0.9, 0.99))
        for step, batch in enumerate(run.batches):
            model.zero_grad()
            loss = model(*batch)
            loss.backward()
            self.assertAlmostEqual(float(loss), run.losses[step], delta=1e-4)
            adamw.step()
            with torch.no_grad():
                for name, tensor in model.named_parameters():
                    if name in hidden:
                        hidden[name] = mu * hidden[name] + tensor.grad
                        outputs, inputs = tensor.shape
                        tensor *= 1 - rate * decay
                        tensor -= rate * math.sqrt(outputs / inputs) * orthogonal(tensor.grad + mu * hidden[name])
        for name, parameter in model.named_parameters():
            self.assertLess(largest(run.end[name], parameter.detach()), 1e-3, name)
            self.assertGreater(largest(run.end[name], run.start[name]), 1e-2, name)

    def test_starts_from_what_pytorch_saves(self):
        torch.manual_seed(3)
        model = Gpt(len(set(text_of(2000))), LAYERS, HEADS, WIDTH, CONTEXT)
        state = model.state_dict()
        masks = {f"transformer.h.{i}.attn.bias": torch.ones(1, 1, CONTEXT, CONTEXT).tril() for i in range(LAYERS)}
        once = {name: tensor for name, tensor in state.items() if name != "lm_head.weight"}
        for start in (state | masks, once):
            run = Run({"type": "sgd", "learning_rate": 1}, 1, init=start)
            for name, tensor in state.items():
                self.assertEqual(largest(run.start[name], tensor), 0, name)
            self.assertAlmostEqual(float(model(*run.batches[0])), run.losses[0], delta=MOST_APART)
        untied = state | {"lm_head.weight": state["lm_head.weight"] + 1}
        run = Run({"type": "sgd", "learning_rate": 1}, 1, init=untied, status=2)
        self.assertIn('has in "lm_head.weight" other values than in "transformer.wte.weight"', run.stderr)


if __name__ == "__main__":
    unittest.main()
