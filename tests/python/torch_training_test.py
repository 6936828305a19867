#!/usr/bin/env python3
"""Modules with parameters of every kind learn under ddlsim what they learn under torch.optim alone. DDLSIM names the program.
Exit status 77: there is no PyTorch."""
import csv
import json
import os
import struct
import sys
import tempfile
import unittest
from pathlib import Path

SOURCE = Path(__file__).resolve().parents[2]
sys.path[:0] = [str(SOURCE / "python"), str(SOURCE / "tests/support")]
import debian_python  # noqa: E402

debian_python.need("torch", "numpy", "pandas")
import ddlsim  # noqa: E402
import numpy as np  # noqa: E402
import torch  # noqa: E402
from torch import nn  # noqa: E402

FEATURES, HIDDEN, CLASSES = 6, 5, 3
SEED, STEPS, RATE, DECAY, MOMENTUM = 3, 12, 0.1, 0.5, 0.8
MOST_APART = 1e-6  # over the largest weight: rounding, since means of two gradients are summed in another order
_drawn = torch.Generator().manual_seed(1)
INPUTS = torch.randn(64, FEATURES, generator=_drawn)
TARGETS = (INPUTS @ torch.randn(FEATURES, CLASSES, generator=_drawn)).argmax(dim=1)
TRAIN, TEST = (INPUTS[:48], TARGETS[:48]), (INPUTS[48:], TARGETS[48:])


class Base(nn.Module):
    def __init__(self):
        super().__init__()
        self.a, self.b = nn.Linear(FEATURES, HIDDEN), nn.Linear(HIDDEN, CLASSES)

    def forward(self, inputs):
        return self.b(torch.relu(self.a(inputs)))


class FrozenLayer(Base):
    def __init__(self):
        super().__init__()
        self.a.requires_grad_(False)


class FrozenBias(Base):
    """Half of a layer."""

    def __init__(self):
        super().__init__()
        self.a.bias.requires_grad_(False)


class UnusedLayer(Base):
    def __init__(self):
        super().__init__()
        self.head = nn.Linear(HIDDEN, 2)


class UsedInEvaluation(Base):
    def __init__(self):
        super().__init__()
        self.shift = nn.Parameter(torch.randn(CLASSES))

    def forward(self, inputs):
        outputs = super().forward(inputs)
        return outputs if self.training else outputs + self.shift


class Detached(Base):
    """A layer that a gradient never reaches."""

    def forward(self, inputs):
        return self.b(torch.relu(self.a(inputs)).detach())


class Tied(nn.Module):
    def __init__(self):
        super().__init__()
        self.a, self.b, self.out = nn.Linear(FEATURES, FEATURES), nn.Linear(FEATURES, FEATURES), nn.Linear(FEATURES, CLASSES)
        self.b.weight = self.a.weight

    def forward(self, inputs):
        return self.out(torch.tanh(self.b(torch.tanh(self.a(inputs)))))


class TiedAndFrozen(Tied):
    def __init__(self):
        super().__init__()
        self.a.weight.requires_grad_(False)


class OtherTypes(Base):
    """Of half, bfloat16, double and whole numbers, which stay as they are."""

    def __init__(self):
        super().__init__()
        for name, kind in (("of_half", torch.float16), ("of_brain", torch.bfloat16), ("of_double", torch.float64)):
            setattr(self, name, nn.Parameter(torch.randn(HIDDEN).to(kind), requires_grad=False))
        self.order = nn.Parameter(torch.randperm(HIDDEN), requires_grad=False)
        self.unused_half = nn.Parameter(torch.randn(2, dtype=torch.float16))

    def forward(self, inputs):
        hidden = torch.relu(self.a(inputs))[:, self.order]
        return self.b(hidden * self.of_half.float() + self.of_brain.float() + self.of_double.float())


class Buffers(Base):
    """Random ones, one that counts and is none at first, and one that is no number."""

    def __init__(self):
        super().__init__()
        self.register_buffer("mix", torch.randn(FEATURES, FEATURES))
        self.register_buffer("which", torch.tensor([True, False, True, True, False]))
        self.register_buffer("later", None)
        self.register_buffer("passing", torch.zeros(2), persistent=False)

    def forward(self, inputs):
        self.later = torch.ones(1)
        self.passing = self.passing + 1
        return self.b(torch.relu(self.a(inputs @ self.mix)) * self.which)


class FrozenNorm(Base):
    """As a backbone that has been trained: its statistics are its own, in training, too."""

    def __init__(self):
        super().__init__()
        self.norm = nn.BatchNorm1d(HIDDEN)
        self.norm.requires_grad_(False)
        with torch.no_grad():
            self.norm.running_mean.copy_(torch.randn(HIDDEN))
            self.norm.running_var.copy_(torch.rand(HIDDEN) + 0.5)
            self.norm.weight.copy_(torch.randn(HIDDEN))

    def train(self, mode=True):
        super().train(mode)
        self.norm.eval()
        return self

    def forward(self, inputs):
        return self.b(torch.relu(self.norm(self.a(inputs))))


class Adapter(Base):
    """A frozen layer and a small one beside it; and a parameter without an axis."""

    def __init__(self):
        super().__init__()
        self.a.requires_grad_(False)
        self.down, self.up = nn.Linear(FEATURES, 2, bias=False), nn.Linear(2, HIDDEN, bias=False)
        self.scale = nn.Parameter(torch.tensor(0.5))
        self.nothing = nn.Parameter(torch.zeros(0, 4))

    def forward(self, inputs):
        return self.b(torch.relu(self.a(inputs) + self.scale * self.up(self.down(inputs))))


class Listed(nn.Module):
    """Parameters in lists and dictionaries."""

    def __init__(self):
        super().__init__()
        self.list = nn.ParameterList([nn.Parameter(torch.randn(FEATURES, CLASSES)) for _ in range(2)])
        self.dict = nn.ParameterDict({"used": nn.Parameter(torch.randn(CLASSES)), "not": nn.Parameter(torch.randn(CLASSES))})

    def forward(self, inputs):
        return inputs @ self.list[1] + self.dict["used"]


def already_made():
    """A module instead of its class: a layer that was trained before is frozen, with a new one on top."""
    torch.manual_seed(11)
    net = nn.Sequential(nn.Linear(FEATURES, HIDDEN), nn.ReLU(), nn.Linear(HIDDEN, CLASSES))
    net[0].requires_grad_(False)
    return net


NETS = {net.__name__: net for net in (Base, FrozenLayer, FrozenBias, UnusedLayer, UsedInEvaluation, Detached, Tied,
                                      TiedAndFrozen, OtherTypes, Buffers, FrozenNorm, Adapter, Listed)}
OPTIMIZERS = {
    "sgd": ({"type": "sgd"}, lambda parameters: torch.optim.SGD(parameters, lr=RATE, weight_decay=DECAY)),
    "momentum": ({"type": "momentum", "momentum": MOMENTUM},
                 lambda parameters: torch.optim.SGD(parameters, lr=RATE, weight_decay=DECAY, momentum=MOMENTUM)),
    "adamw": ({"type": "adamw"}, lambda parameters: torch.optim.AdamW(parameters, lr=RATE, weight_decay=DECAY)),
}


def tensors_in(path):
    data = path.read_bytes()
    length = struct.unpack("<Q", data[:8])[0]
    found = {}
    for name, entry in json.loads(data[8:8 + length]).items():
        begin, end = entry["data_offsets"]
        values = np.frombuffer(data[8 + length + begin:8 + length + end], np.float32).copy()
        found[name] = torch.from_numpy(values).view(entry["shape"])
    return found


def batches_in(path):
    """Of each step the samples of both workers."""
    found = {}
    with open(path, newline="", encoding="utf-8") as table:
        for row in csv.DictReader(table):
            found.setdefault(row["worker"], []).append([int(number) for number in row["samples"].split()])
    return list(zip(*found.values()))


def trained_by_torch_alone(net, make_optimizer, batches):
    """All parameters are the optimizer's, which passes over those without a gradient."""
    optimizer = make_optimizer([parameter for parameter in net.parameters() if parameter.is_floating_point()])
    net.train()
    for of_workers in batches:
        optimizer.zero_grad()
        for samples in of_workers:
            loss = nn.functional.cross_entropy(net(TRAIN[0][samples]), TRAIN[1][samples])
            (loss / len(of_workers)).backward()
        optimizer.step()


class Training(unittest.TestCase):
    def setUp(self):
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        self.addCleanup(os.chdir, os.getcwd())
        os.chdir(folder.name)

    def run_net(self, net, optimizer, **overrides):
        return ddlsim.run({
            "name": f"{net}_{optimizer['type']}", "seed": SEED,
            "platform": {"workers": 2, "bandwidth": "800Mbps", "network": {"model": "CM02"}},
            "model": {"command": [sys.executable, "-B", str(Path(__file__).resolve()), "--serve", net], "processes": 1},
            "compute": {"seconds_per_batch": "1s", "jitter": 0}, "algorithm": "ring_allreduce", "stop": {"iterations": STEPS},
            "training": {"batch_size": 4, "optimizer": {"learning_rate": RATE, "weight_decay": DECAY, **optimizer}},
            "evaluate": {"every_iterations": STEPS},
            "record": {"weights": True, "initial_weights": True, "batches": True},
        }, out="out", **overrides)

    def assert_as_torch(self, name, net, optimizer):
        settings, make_optimizer = OPTIMIZERS[optimizer]
        result = self.run_net(name, settings)
        first, last = (tensors_in(result.folder / f"{file}.safetensors") for file in ("initial-weights", "weights-w1"))
        for path, parameter in net.named_parameters():
            if parameter.numel() > 0:
                self.assertTrue(torch.equal(first[path], parameter.detach().float()), f"{name}: {path} starts otherwise")
        trained_by_torch_alone(net, make_optimizer, batches_in(result.folder / "batches.csv"))
        largest = max(parameter.detach().float().abs().max() for parameter in net.parameters() if parameter.numel() > 0)
        parameters = {path: parameter.detach().float() for path, parameter in net.named_parameters() if parameter.numel() > 0}
        self.assertEqual(set(last), {"parameters", *parameters})
        moved = 0
        for path, parameter in parameters.items():
            apart = (last[path] - parameter).abs().max() / largest
            self.assertLess(apart, MOST_APART, f"{name} by {optimizer}: {path}")
            if torch.equal(parameter, first[path]):
                self.assertTrue(torch.equal(last[path], first[path]), f"{name}: {path} moves")
            else:
                moved += parameter.numel()
        self.assertGreater(moved, 0)
        self.assertEqual(last["parameters"].numel(), moved)  # what stays is not sent
        self.assertEqual(result.pairs["bytes"].iloc[0], STEPS * 4 * moved)  # two workers: each sends both halves
        net.eval()
        outputs = net(TEST[0])
        score = result.curve.query("worker == 'w1'").iloc[-1]
        self.assertAlmostEqual(score["test_loss"], nn.functional.cross_entropy(outputs, TEST[1]).item(), places=5)
        self.assertAlmostEqual(score["test_accuracy"], (outputs.argmax(dim=1) == TEST[1]).float().mean().item(), places=6)

    def test_parameters_of_every_kind_learn_as_under_torch(self):
        for name, make in NETS.items():
            for optimizer in OPTIMIZERS if make in (FrozenLayer, UnusedLayer) else ("momentum",):
                with self.subTest(net=name, optimizer=optimizer):
                    torch.manual_seed(SEED)
                    self.assert_as_torch(name, make(), optimizer)

    def test_what_is_frozen_in_a_module_that_is_made_stays(self):
        result = self.run_net("already_made", {"type": "sgd"})
        net = already_made()
        weights = tensors_in(result.folder / "weights-w0.safetensors")
        for path in ("0.weight", "0.bias"):
            self.assertTrue(torch.equal(weights[path], dict(net.named_parameters())[path].detach()))
        net[2].load_state_dict({path: tensors_in(result.folder / "initial-weights.safetensors")[f"2.{path}"]
                                for path in ("weight", "bias")})
        trained_by_torch_alone(net, OPTIMIZERS["sgd"][1], batches_in(result.folder / "batches.csv"))
        self.assertLess((weights["2.weight"] - net[2].weight).abs().max(), MOST_APART)

    def test_what_changes_between_steps_is_refused_in_one_line(self):
        for name, line, code in (("SometimesUsed", "b.weight has no gradient in this step, and had one at first", 3),
                                 ("UsedLater", "head.weight has a gradient now, and had none at first", 3),
                                 ("FrozenLater", "a.weight has no gradient in this step, and had one at first", 3),
                                 ("Teacher", "changes the parameter teacher.weight, which is not trained", 3),
                                 ("Half", "a.weight is of bfloat16; expected float32", 2),
                                 ("Double", "a.weight is of float64; expected float32", 2),
                                 ("AllFrozen", "no parameter of the module is trained", 2),
                                 ("Lazy", "a.weight has no shape before the first minibatch", 2),
                                 ("SharedMemory", "a.weight and b.weight share memory", 2)):
            with self.subTest(net=name):
                with self.assertRaises(ddlsim.DdlsimError) as caught:
                    self.run_net(name, {"type": "sgd"}, name="refused")
                self.assertEqual(len(caught.exception.lines), 1)
                self.assertIn(line, str(caught.exception))
                self.assertIn("ddlsim.InputError: ", str(caught.exception))
                self.assertEqual(caught.exception.code, code)
                self.assertFalse(Path("out/refused").exists())


class Refused(Base):
    """Changes with the steps that it has been asked for, which nothing may."""

    steps = 0

    def forward(self, inputs):
        self.steps += self.training
        return super().forward(inputs)


class SometimesUsed(Refused):
    def forward(self, inputs):
        outputs = super().forward(inputs)
        return outputs if self.steps < 5 else self.a(inputs)[:, :CLASSES]


class UsedLater(Refused):
    def __init__(self):
        super().__init__()
        self.head = nn.Linear(FEATURES, CLASSES)

    def forward(self, inputs):
        outputs = super().forward(inputs)
        return outputs if self.steps < 5 else outputs + self.head(inputs)


class FrozenLater(Refused):
    def forward(self, inputs):
        self.a.requires_grad_(self.steps < 5)
        return super().forward(inputs)


class Teacher(Base):
    """The mean of what the student was, which is of no single question."""

    def __init__(self):
        super().__init__()
        self.teacher = nn.Linear(FEATURES, HIDDEN).requires_grad_(False)

    def forward(self, inputs):
        if self.training:
            with torch.no_grad():
                self.teacher.weight.lerp_(self.a.weight, 0.1)
        return super().forward(inputs)


class AllFrozen(Base):
    def __init__(self):
        super().__init__()
        self.requires_grad_(False)


class Lazy(Base):
    def __init__(self):
        super().__init__()
        self.a = nn.LazyLinear(HIDDEN)


class SharedMemory(Tied):
    def __init__(self):
        super().__init__()
        self.b.weight = nn.Parameter(self.a.weight.data)


REFUSED = {net.__name__: net for net in (SometimesUsed, UsedLater, FrozenLater, Teacher, AllFrozen, Lazy, SharedMemory)}
REFUSED["Half"], REFUSED["Double"] = lambda: Base().bfloat16(), lambda: Base().double()


def serve(name):
    torch.set_num_threads(1)
    net = already_made() if name == "already_made" else {**NETS, **REFUSED}[name]
    kind = {"Half": torch.bfloat16, "Double": torch.float64}.get(name, torch.float32)
    data = [(inputs.to(kind), targets) for inputs, targets in (TRAIN, TEST)]
    ddlsim.serve(ddlsim.TorchModel(net, nn.functional.cross_entropy, *data, device="cpu"))


if __name__ == "__main__":
    if sys.argv[1:2] == ["--serve"]:
        serve(sys.argv[2])
    else:
        unittest.main()
