#!/usr/bin/env python3
"""TorchModel: answers depend on the question alone, whatever a module draws at random. Exit status 77: there is no PyTorch."""
import random
import sys
import unittest
from pathlib import Path

SOURCE = Path(__file__).resolve().parents[2]
sys.path[:0] = [str(SOURCE / "python"), str(SOURCE / "tests/support")]
import debian_python  # noqa: E402

debian_python.need("torch", "numpy")
import numpy as np  # noqa: E402
import torch  # noqa: E402
from ddlsim import TorchModel  # noqa: E402
from torch import nn  # noqa: E402

FEATURES, CLASSES = 5, 3
torch.set_num_threads(1)
INPUTS = torch.randn(40, FEATURES, generator=torch.Generator().manual_seed(1))
PAIR = INPUTS, (INPUTS.sum(dim=1) > 0).long()


class Drawn(nn.Module):
    """Draws a buffer, a tensor that is no buffer, and a parameter that no layer can reset; and drops when it is judged, too."""

    def __init__(self):
        super().__init__()
        self.register_buffer("mixture", torch.randn(FEATURES, FEATURES))
        self.shift = torch.randn(FEATURES)
        self.scale = nn.Parameter(torch.randn(FEATURES))
        self.dense = nn.Linear(FEATURES, CLASSES)

    def forward(self, inputs):
        hidden = (inputs @ self.mixture + self.shift) * self.scale
        return self.dense(nn.functional.dropout(hidden, 0.3, training=True))


class Counting(nn.Module):
    """A buffer changes with each batch, and the weights are changed where they lie."""

    def __init__(self):
        super().__init__()
        self.dense = nn.Linear(FEATURES, CLASSES)
        self.register_buffer("batches", torch.zeros(()))

    def forward(self, inputs):
        self.batches += 1
        with torch.no_grad():
            self.dense.bias.clamp_(-0.1, 0.1)
        return self.dense(inputs) * self.batches


class Augmented(torch.utils.data.Dataset):
    def __len__(self):
        return len(PAIR[0])

    def __getitem__(self, i):
        return PAIR[0][i] + torch.randn(FEATURES) + np.float32(np.random.normal()) + random.gauss(0, 1), PAIR[1][i]


def model(module, data=PAIR, seed=7, **options):
    made = TorchModel(module, nn.functional.cross_entropy, data, data, device="cpu", **options)
    made.seed = seed
    return made


def served(module):
    """As by serve(): weights and answers are in one memory."""
    made = model(module)
    start = made.initial(7)
    memory = np.zeros(2 * start.size, np.float32)
    memory[:start.size] = start
    weights, made.out = memory[:start.size], memory[start.size:]
    weights.flags.writeable = False
    return made, memory, weights


class Answers(unittest.TestCase):
    def assert_same(self, one, other):
        start = one.initial(7)
        self.assertEqual(start.tolist(), other.initial(7).tolist())
        first, again = one.gradient(start, np.arange(8), 1, 2), other.gradient(start, np.arange(8), 1, 2)
        self.assertEqual(first[0], again[0])
        self.assertEqual(first[1].tolist(), again[1].tolist())
        self.assertNotEqual(first[0], one.gradient(start, np.arange(8), 1, 3)[0])
        self.assertEqual(one.evaluate(start), other.evaluate(start))
        self.assertEqual(one.evaluate(start), one.evaluate(start))

    def test_what_a_module_draws_follows_the_seed(self):
        self.assert_same(model(Drawn), model(Drawn))
        torch.manual_seed(7)
        net = Drawn()
        ours = model(Drawn)
        self.assertEqual(ours.initial(7).tolist(),
                         torch.cat([parameter.detach().reshape(-1) for parameter in net.parameters()]).tolist())
        ours.evaluate(ours.initial(7))
        self.assertTrue(torch.equal(ours.module.mixture, net.mixture) and torch.equal(ours.module.shift, net.shift))
        # Another start of a worker has the same buffers; another scenario has others.
        ours.evaluate(ours.initial(8))
        self.assertTrue(torch.equal(ours.module.mixture, net.mixture))
        other = model(Drawn, seed=8)
        other.evaluate(other.initial(7))
        self.assertFalse(torch.equal(other.module.mixture, net.mixture))

    def test_augmentations_follow_seed_worker_and_step(self):
        self.assert_same(model(lambda: nn.Linear(FEATURES, CLASSES), Augmented()),
                         model(lambda: nn.Linear(FEATURES, CLASSES), Augmented()))

    def test_a_module_that_is_made_must_be_one_that_can_start_again(self):
        with self.assertRaisesRegex(ValueError, r"of the parameter scale has no reset_parameters\(\).*; expected what makes"):
            model(Drawn())
        start = model(nn.Linear(FEATURES, CLASSES)).initial(7)
        self.assertEqual(start.tolist(), model(nn.Linear(FEATURES, CLASSES)).initial(7).tolist())
        self.assertNotEqual(start.tolist(), model(nn.Linear(FEATURES, CLASSES)).initial(8).tolist())

    def test_the_version_tells_data_and_buffers_apart(self):
        def made():
            module = nn.Sequential(nn.Linear(FEATURES, CLASSES))
            module.register_buffer("noise", torch.randn(2))
            return module
        self.assertEqual(model(Drawn).version(), model(Drawn).version())
        self.assertNotEqual(model(Drawn).version(), model(Drawn, (PAIR[0] + 1, PAIR[1])).version())
        self.assertNotEqual(model(Drawn).version(), model(Drawn, (PAIR[0], 1 - PAIR[1])).version())
        self.assertNotEqual(model(made()).version(), model(made()).version())  # processes that differ are refused
        self.assertEqual(model(made).version(), model(made).version())
        self.assertNotEqual(model(Drawn, Augmented(), version="1").version(), model(Drawn, Augmented(), version="2").version())

    def test_in_shared_memory_nothing_is_copied_and_all_is_the_same(self):
        for module in (Drawn, Counting):
            alone = model(module)
            start = alone.initial(7)
            made, memory, weights = served(module)
            for step in range(3):
                memory[:start.size] = start + np.float32(step)  # as ddlsim puts them
                loss, gradient = made.gradient(weights, np.arange(8), 0, step)
                self.assertIs(gradient, made.out)
                self.assertEqual(made.gradients.data_ptr(), made.out.ctypes.data)
                self.assertEqual(made.weights.data_ptr(), memory.ctypes.data)
                expected = alone.gradient(start + np.float32(step), np.arange(8), 0, step)
                self.assertEqual(loss, expected[0])
                self.assertEqual(gradient.tolist(), expected[1].tolist())
                memory[:start.size] = start + np.float32(step)
                self.assertEqual(made.evaluate(weights), alone.evaluate(start + np.float32(step)))
            self.assertEqual(made.initial(8).tolist(), model(module).initial(8).tolist())


if __name__ == "__main__":
    unittest.main()
