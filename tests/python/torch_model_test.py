#!/usr/bin/env python3
"""TorchModel: answers depend on the question alone, whatever a module draws at random. Exit status 77: there is no PyTorch."""
import functools
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
from ddlsim import InputError, TorchModel  # noqa: E402
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
                self.assertEqual(made.parameters.gradients.data_ptr(), made.out.ctypes.data)
                self.assertEqual(made.parameters.weights.data_ptr(), memory.ctypes.data)
                expected = alone.gradient(start + np.float32(step), np.arange(8), 0, step)
                self.assertEqual(loss, expected[0])
                self.assertEqual(gradient.tolist(), expected[1].tolist())
                memory[:start.size] = start + np.float32(step)
                self.assertEqual(made.evaluate(weights), alone.evaluate(start + np.float32(step)))
            self.assertEqual(made.initial(8).tolist(), model(module).initial(8).tolist())


class Parts(nn.Module):
    """One layer is trained, one frozen, of one nothing is used, and one weight has two names."""

    def __init__(self):
        super().__init__()
        self.trained, self.tied = nn.Linear(FEATURES, FEATURES), nn.Linear(FEATURES, FEATURES)
        self.tied.weight = self.trained.weight
        self.frozen, self.unused = nn.Linear(FEATURES, FEATURES).requires_grad_(False), nn.Linear(2, 2)
        self.of_half = nn.Parameter(torch.ones(CLASSES, dtype=torch.float16), requires_grad=False)
        self.spectrum = nn.Parameter(torch.ones(2, dtype=torch.complex64), requires_grad=False)
        self.table = nn.Embedding(4, CLASSES, sparse=True)

    def forward(self, inputs):
        rows = self.table((inputs[:, 0] > 0).long())
        return self.tied(self.frozen(torch.tanh(self.trained(inputs))))[:, :CLASSES] * self.of_half.float() + rows


class Parameters(unittest.TestCase):
    def test_what_a_gradient_reaches_is_trained_and_the_rest_is_frozen(self):
        made = model(Parts)
        self.assertEqual(made.tensors(), [("trained.weight", (FEATURES, FEATURES)), ("trained.bias", (FEATURES,)),
                                          ("tied.bias", (FEATURES,)), ("table.weight", (4, CLASSES))])
        self.assertEqual([name for name, _ in made.frozen()],
                         ["of_half", "frozen.weight", "frozen.bias", "unused.weight", "unused.bias"])
        torch.manual_seed(7)
        net = Parts()
        expected = torch.cat([net.of_half.float(), *(parameter.detach().reshape(-1) for layer in (net.frozen, net.unused)
                                                  for parameter in layer.parameters())])
        self.assertEqual(made.frozen_values().tolist(), expected.tolist())
        samples = np.arange(8)
        start = made.initial(7)
        nn.functional.cross_entropy(net(PAIR[0][samples]), PAIR[1][samples]).backward()
        gradients = [net.trained.weight.grad, net.trained.bias.grad, net.tied.bias.grad, net.table.weight.grad.to_dense()]
        self.assertEqual(made.gradient(start, samples, 0, 0)[1].tolist(),
                         torch.cat([part.reshape(-1) for part in gradients]).tolist())

    def test_what_is_frozen_before_is_known_by_the_version(self):
        def made(value):
            net = nn.Sequential(nn.Linear(FEATURES, FEATURES), nn.Linear(FEATURES, CLASSES))
            net[0].requires_grad_(False)
            nn.init.constant_(net[0].weight, value)
            nn.init.constant_(net[0].bias, 0)
            return net
        self.assertEqual(model(made(1)).version(), model(made(1)).version())
        self.assertNotEqual(model(made(1)).version(), model(made(2)).version())
        one = model(made(2))
        for seed in (7, 8):
            one.initial(seed)
            self.assertEqual(set(one.frozen_values().tolist()), {2.0, 0.0})

    def test_a_frozen_parameter_of_no_layer_s_may_be_in_a_module_that_is_made(self):
        net = nn.Sequential(nn.Linear(FEATURES, CLASSES))
        net.register_parameter("scale", nn.Parameter(torch.ones(1), requires_grad=False))
        self.assertEqual([name for name, _ in model(net).frozen()], ["scale"])

    def test_a_frozen_parameter_that_changes_is_told_of_however_it_is_written(self):
        class Teacher(nn.Module):
            def __init__(self, change):
                super().__init__()
                self.dense, self.teacher, self.change = nn.Linear(FEATURES, CLASSES), nn.Linear(FEATURES, CLASSES), change
                self.teacher.requires_grad_(False)

            def forward(self, inputs):
                with torch.no_grad():
                    self.change(self.teacher.weight)
                return self.dense(inputs)

        def replace(weight):
            weight.data = weight.data * 0.9
        for change in (lambda weight: weight.mul_(0.9), replace, lambda weight: weight.data.mul_(0.9)):
            with self.assertRaisesRegex(InputError, "changes the parameter teacher.weight"):
                made = model(lambda: Teacher(change))
                start = made.initial(7)
                made.gradient(start, np.arange(8), 0, 0)
                made.evaluate(start)

    def test_other_parameters_that_cannot_be_trained_are_refused(self):
        class Loss(nn.Module):
            def __init__(self):
                super().__init__()
                self.temperature = nn.Parameter(torch.ones(()))
        with self.assertRaisesRegex(InputError, "the loss has the parameter temperature"):
            TorchModel(Parts, Loss(), PAIR, PAIR)
        buffered = nn.Linear(FEATURES, CLASSES)
        buffered.register_buffer("copy", buffered.weight.data)
        double = nn.Linear(FEATURES, CLASSES).double()
        for net, line in ((buffered, "share memory"), (double, "is of float64; expected float32")):
            with self.assertRaisesRegex(InputError, line):
                model(net, (PAIR[0].to(net.weight.dtype), PAIR[1])).tensors()

    def test_buffers_that_forward_makes_are_none_again(self):
        class Caching(nn.Module):
            def __init__(self):
                super().__init__()
                self.dense = nn.Linear(FEATURES, CLASSES)
                self.register_buffer("cache", None)

            def forward(self, inputs):
                if self.cache is None:
                    self.cache = torch.full((len(inputs),), 2.0)
                if not hasattr(self, "factor"):
                    self.register_buffer("factor", self.cache[:1] + 1)
                self.factor += 1
                return self.dense(inputs) * self.factor * self.cache[:, None]
        made = model(Caching)
        start = made.initial(7)
        first = made.gradient(start, np.arange(8), 0, 0)
        made.gradient(start, np.arange(5), 0, 1)
        self.assertEqual(made.gradient(start, np.arange(8), 0, 0)[0], first[0])


class Accuracy(unittest.TestCase):
    TIME, WORDS = 4, 6

    def scores(self, net, loss, targets):
        made = TorchModel(net, loss, (INPUTS, targets), (INPUTS, targets), device="cpu", evaluation_batch=7)
        return made.evaluate(made.initial(7))

    def outputs(self, axis):
        """Of each sample, of each position: of classes that are the last axis or the second."""
        class Net(nn.Module):
            def __init__(self):
                super().__init__()
                self.dense = nn.Linear(FEATURES, Accuracy.TIME * Accuracy.WORDS)

            def forward(self, inputs):
                outputs = self.dense(inputs).view(-1, Accuracy.TIME, Accuracy.WORDS)
                return outputs if axis == -1 else outputs.movedim(-1, axis)
        torch.manual_seed(0)
        made = model(Net, (INPUTS, torch.zeros(len(INPUTS), self.TIME).long()))
        made.initial(7)
        return Net, made.module(INPUTS).detach()

    def test_every_position_of_a_text_counts(self):
        flat = lambda outputs, targets: nn.functional.cross_entropy(outputs.flatten(0, 1), targets.flatten())  # noqa: E731
        targets = torch.randint(self.WORDS, (len(INPUTS), self.TIME), generator=torch.Generator().manual_seed(2))
        last, outputs = self.outputs(-1)
        right = (outputs.argmax(dim=-1) == targets).float().mean().item()
        expected = flat(outputs, targets).item()
        second, _ = self.outputs(1)
        for net, loss in ((last, flat), (last, nn.functional.cross_entropy), (last, nn.CrossEntropyLoss()),
                          (last, functools.partial(nn.functional.cross_entropy, reduction="mean")),
                          (second, nn.functional.cross_entropy)):
            scores = self.scores(net, loss, targets)
            self.assertAlmostEqual(scores["accuracy"], right, places=6)
            self.assertAlmostEqual(scores["loss"], expected, places=5)

    def test_positions_that_are_passed_over_do_not_count(self):
        net, outputs = self.outputs(-1)
        targets = outputs.argmax(dim=-1)  # all right
        targets[1::2] = (targets[1::2] + 1) % self.WORDS  # half are wrong
        for padding, loss in ((-100, nn.CrossEntropyLoss()), (0, nn.CrossEntropyLoss(ignore_index=0)),
                              (0, functools.partial(nn.functional.cross_entropy, ignore_index=0))):
            padded = targets.clone()
            padded[:, 2:] = padding
            padded[:7] = padding  # a whole batch
            kept = padded != padding
            scores = self.scores(net, loss, padded)
            self.assertAlmostEqual(scores["accuracy"], (outputs.argmax(dim=-1) == padded)[kept].float().mean().item(), places=6)
            self.assertAlmostEqual(scores["loss"], nn.functional.cross_entropy(outputs[kept], padded[kept]).item(), places=5)
        with self.assertRaisesRegex(InputError, "no target of the test set is a class"):
            self.scores(net, nn.CrossEntropyLoss(), torch.full_like(targets, -100))

    def test_what_is_of_no_classes_has_a_loss_alone(self):
        for targets in (INPUTS[:, :1], INPUTS):
            net = lambda: nn.Linear(FEATURES, targets.shape[1])  # noqa: E731
            self.assertEqual(list(self.scores(net, nn.functional.mse_loss, targets)), ["loss"])

    def test_classes_that_could_be_either_axis_are_asked_for(self):
        targets = torch.zeros(len(INPUTS), self.WORDS).long()
        net = lambda: nn.Sequential(nn.Linear(FEATURES, self.WORDS**2), nn.Unflatten(1, (self.WORDS, self.WORDS)))  # noqa: E731
        with self.assertRaisesRegex(InputError, "may be the second axis or the last; expected a loss that says which"):
            self.scores(net, nn.functional.cross_entropy, targets)
        flat = lambda outputs, targets: nn.functional.cross_entropy(outputs.flatten(0, 1), targets.flatten())  # noqa: E731
        self.scores(net, flat, targets)

    def test_texts_cannot_be_dealt_by_label(self):
        net, _ = self.outputs(-1)
        targets = torch.zeros(len(INPUTS), self.TIME).long()
        with self.assertRaisesRegex(InputError, "expected a class for each sample"):
            TorchModel(net, nn.functional.cross_entropy, (INPUTS, targets), (INPUTS, targets)).labels()


if __name__ == "__main__":
    unittest.main()
