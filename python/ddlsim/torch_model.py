"""A PyTorch module as a model of one's own: TorchModel(module, loss, train, test)."""
from __future__ import annotations

import functools
import os
import random
import warnings
from collections.abc import Callable
from typing import Any

import numpy as np
import torch
from numpy.typing import NDArray
from torch import nn
from torch.utils.data import default_collate

from .errors import InputError
from .model import Model, Tensors, Vector
from .torch_parameters import Parameters, check_have_values, digest_of_tensors, first_gradients

STATISTICS_SAMPLES, STATISTICS_BATCH = 400, 100  # that batch normalisation's statistics of an evaluation are of

# cuBLAS reads it when it starts: without it a product may be summed in another order each time.
os.environ.setdefault("CUBLAS_WORKSPACE_CONFIG", ":4096:8")


def _seed(seed: int) -> None:
    """Of PyTorch on all devices, and of NumPy and Python, which augmentations use."""
    torch.manual_seed(seed)
    np.random.seed(seed & 0xFFFFFFFF)
    random.seed(seed)


def _mixed(*numbers: int, key: tuple[int, ...] = ()) -> int:
    return int(np.random.SeedSequence(numbers, spawn_key=key).generate_state(1, np.uint64)[0]) >> 1


def _be_deterministic(device: torch.device) -> None:
    warnings.filterwarnings("ignore", message=".*not writable.*")  # the weights, which nothing writes to
    torch.backends.cudnn.deterministic, torch.backends.cudnn.benchmark = True, False
    if device.type == "cuda":
        # What has no deterministic form warns, and may make the digests of two runs differ.
        torch.use_deterministic_algorithms(True, warn_only=True)


def _check_can_start_again(module: nn.Module) -> None:
    """Of a module that is made already, every parameter that may be trained must be one that its layer can draw again."""
    for prefix, layer in module.named_modules():
        own = [name for name, parameter in layer.named_parameters(recurse=False) if parameter.requires_grad]
        if own and not hasattr(layer, "reset_parameters"):
            name = f"{prefix}.{own[0]}" if prefix else own[0]
            raise InputError(f"the layer of the parameter {name} has no reset_parameters(), so no seed decides its start; "
                             "expected what makes the module: TorchModel(Net, ...), not TorchModel(Net(), ...)")


def _device() -> torch.device:
    if torch.cuda.is_available():
        return torch.device("cuda")
    mps = getattr(torch.backends, "mps", None)
    return torch.device("mps" if mps is not None and mps.is_available() else "cpu")


class _Samples:
    """A pair of tensors, or a data set whose samples are such pairs."""

    def __init__(self, source: Any, device: torch.device) -> None:
        self.source, self.device = source, device
        self.together = isinstance(source, (tuple, list)) and len(source) == 2
        self.digest = ""
        if self.together:
            parts = [torch.as_tensor(part) for part in source]
            self.digest = digest_of_tensors(parts)
            self.source = tuple(part.to(device) for part in parts)

    def __len__(self) -> int:
        return len(self.source[0]) if self.together else len(self.source)

    def batch(self, numbers: NDArray[np.int64]) -> tuple[torch.Tensor, torch.Tensor]:
        if self.together:
            places = torch.as_tensor(numbers, device=self.device)
            return self.source[0][places], self.source[1][places]
        inputs, targets = default_collate([self.source[int(i)] for i in numbers])
        return inputs.to(self.device), targets.to(self.device)

    def targets(self) -> NDArray[Any]:
        if self.together:
            return np.asarray(self.source[1].cpu())
        return np.array([np.asarray(self.source[i][1]) for i in range(len(self))])


# Losses that take the outputs of classes as the second axis.
_CLASSES_SECOND = (nn.functional.cross_entropy, nn.functional.nll_loss), (nn.CrossEntropyLoss, nn.NLLLoss)


class _Loss:
    """The user's loss, and what outputs and targets are to it: of one class for each sample, or for each position of it, as
    targets of whole numbers have them."""

    def __init__(self, loss: Any, device: torch.device) -> None:
        if isinstance(loss, nn.Module):
            loss = loss.to(device)
            for name, parameter in loss.named_parameters():
                if parameter.requires_grad:
                    raise InputError(f"the loss has the parameter {name}, which would not be trained; expected it in the module")
        self.loss = loss
        plain, settings = (loss.func, loss.keywords) if isinstance(loss, functools.partial) else (loss, {})
        functions, classes = _CLASSES_SECOND
        self.wants_second = plain in functions or isinstance(plain, classes)
        self.ignored = settings.get("ignore_index", getattr(loss, "ignore_index", -100))

    def __call__(self, outputs: torch.Tensor, targets: torch.Tensor) -> torch.Tensor:
        axis = self.class_axis(outputs, targets)
        if self.wants_second and axis == -1 and outputs.dim() > 2:
            outputs = outputs.movedim(-1, 1)
        return self.loss(outputs, targets)

    def class_axis(self, outputs: torch.Tensor, targets: torch.Tensor) -> int | None:
        """Of the outputs, None where these are of no classes. Beside that of samples the last, or the second."""
        if not isinstance(outputs, torch.Tensor) or targets.is_floating_point() or outputs.dim() != targets.dim() + 1:
            return None
        last, second = outputs.shape[:-1] == targets.shape, outputs.shape[:1] + outputs.shape[2:] == targets.shape
        if last and second and outputs.dim() > 2 and self.wants_second:
            raise InputError(f"in outputs of {tuple(outputs.shape)} classes may be the second axis or the last; expected a loss "
                             "that says which: lambda outputs, targets: cross_entropy(outputs.flatten(0, 1), targets.flatten())")
        return -1 if last else 1 if second else None

    def counts(self, targets: torch.Tensor) -> torch.Tensor:
        """Which targets are classes: not those that are passed over, such as padding."""
        return (targets >= 0) & (targets != self.ignored)


class TorchModel(Model):
    """`module` makes an nn.Module, as its class does: `initial(seed)` is what it makes after torch.manual_seed(seed). A
    module that is made already starts from what its layers' reset_parameters() make. `loss(outputs, targets)` is a mean over
    the batch; `train` and `test` are pairs of tensors (inputs, targets), or data sets of such pairs. `version` is a text
    that changes with what they read: pairs of tensors are known by their contents, data sets are not.

    Parameters that a first minibatch has gradients for are trained, and travel. Whatever else a module has is as it is made
    with the scenario's seed: the other parameters stay so, and buffers are so again before each answer, which depends on
    weights and samples alone. Statistics of batch normalisation for an evaluation are taken at its weights, from 400
    training samples, but of layers that train() leaves in eval(). Dropout and other random numbers of PyTorch, NumPy and
    Python are seeded by seed, worker and step, and those of each evaluation by the seed.

    Accuracy is known where targets are whole numbers and outputs have one axis more, of classes: the last, or, where only
    that fits, the second, as PyTorch's losses take them. It is the share of all targets, such as each position of a text,
    that the largest output gives; targets that are negative or the loss's ignore_index do not count.
    """

    module: nn.Module           # of the scenario's seed, once something is asked
    parameters: Parameters      # likewise

    def __init__(self, module: nn.Module | Callable[[], nn.Module], loss: Callable[..., torch.Tensor], train: Any, test: Any,
                 device: str | torch.device | None = None, evaluation_batch: int = 500, version: str = "") -> None:
        self.device = torch.device(device) if device is not None else _device()
        _be_deterministic(self.device)
        self.make: Callable[[], nn.Module] | None = None
        if isinstance(module, nn.Module):
            self.module = module
            check_have_values(module)
            _check_can_start_again(module)
        else:
            self.make = module
        self.made_with: int | None = None  # the seed
        self.loss = _Loss(loss, self.device)
        self.told_version = version
        self.train, self.test = _Samples(train, self.device), _Samples(test, self.device)
        self.evaluation_batch = evaluation_batch

    def tensors(self) -> Tensors:
        self._begin()
        return [(name, tuple(parameter.shape)) for name, parameter in self.parameters.trained]

    def frozen(self) -> Tensors:
        self._begin()
        return [(name, tuple(parameter.shape)) for name, parameter in self.parameters.recorded()]

    def frozen_values(self) -> Vector:
        self._begin()
        return np.asarray(self.parameters.frozen_values())

    def samples(self) -> tuple[int, int]:
        return len(self.train), len(self.test)

    def labels(self) -> NDArray[Any]:
        targets = self.train.targets()
        if targets.ndim != 1:
            raise InputError(f"targets are of {targets.shape}; expected a class for each sample, by which data.partition deals")
        return targets

    def version(self) -> str:
        known = [f"PyTorch {torch.__version__}", self.device.type, self.told_version, self.train.digest, self.test.digest]
        if self.make is None:  # nothing else says that all processes have the same
            stay = [parameter for parameter in self.module.parameters() if not parameter.requires_grad]
            known.append(digest_of_tensors([*stay, *self.module.buffers()]))
        return ", ".join(text for text in known if text)

    def initial(self, seed: int) -> Vector:
        self._begin()
        if self.make is not None:
            return self._answer(self.parameters.vector_of(self._made(self.make, seed)))
        self._start_again(seed)
        return self._answer(self.parameters.weights)

    def gradient(self, weights: Vector, samples: NDArray[np.int64], worker: int, step: int) -> tuple[float, Vector]:
        self._take(weights)
        self.parameters.forget_gradients()
        loss = self._training_loss(samples, worker, step)
        loss.backward()
        self.parameters.gather_gradients()
        return loss.item(), self._answer(self.parameters.gradients)

    @torch.no_grad()
    def evaluate(self, weights: Vector) -> dict[str, float]:
        self._take(weights)
        _seed(_mixed(self.seed, key=(1,)))
        self._estimate()
        loss, right, weight, classes = 0.0, 0, 0, True
        for first in range(0, len(self.test), self.evaluation_batch):
            numbers = np.arange(first, min(first + self.evaluation_batch, len(self.test)))
            inputs, targets = self.test.batch(numbers)
            outputs = self.module(inputs)
            axis = self.loss.class_axis(outputs, targets)
            classes = classes and axis is not None
            counted = self.loss.counts(targets) if axis is not None else None
            count = len(numbers) if counted is None else int(counted.sum())
            if count == 0:
                continue
            loss += self.loss(outputs, targets).item() * count
            weight += count
            if classes:
                right += ((outputs.argmax(dim=axis) == targets) & counted).sum().item()
        self.parameters.check_frozen_values()
        if weight == 0:
            raise InputError("no target of the test set is a class; expected some that count")
        return {"loss": loss / weight, **({"accuracy": right / weight} if classes else {})}

    @staticmethod
    def _made(make: Callable[[], nn.Module], seed: int) -> nn.Module:
        _seed(seed)
        return make()

    def _begin(self) -> None:
        """The module of the scenario's seed, and which of its parameters are trained."""
        if self.made_with == self.seed:
            return
        if self.make is not None:
            self.module = self._made(self.make, self.seed)
            check_have_values(self.module)
        self.module = self.module.to(self.device)
        self.buffers = [(layer, {name: None if buffer is None else buffer.detach().clone()
                                 for name, buffer in layer._buffers.items()}) for layer in self.module.modules()]
        self.norms = [layer for layer in self.module.modules()
                      if isinstance(layer, nn.modules.batchnorm._BatchNorm) and layer.track_running_stats]
        if self.make is None:
            self._start_again(self.seed)
        samples = np.arange(self.batch_size) * len(self.train) // self.batch_size
        found = first_gradients(self.module, lambda: self._training_loss(samples, 0, 0))
        self._put_back_buffers()
        self.parameters = Parameters(self.module, found)
        self.made_with = self.seed

    def _start_again(self, seed: int) -> None:
        """What layers draw of a module that is made already, but for what needs no gradient."""
        frozen = [parameter for parameter in self.module.parameters() if not parameter.requires_grad]
        values = [parameter.detach().clone() for parameter in frozen]
        torch.manual_seed(seed)
        for layer in self.module.modules():
            own = list(layer.parameters())
            if hasattr(layer, "reset_parameters") and not (own and all(not parameter.requires_grad for parameter in own)):
                layer.reset_parameters()
        with torch.no_grad():
            for parameter, value in zip(frozen, values):
                parameter.copy_(value)
        if self.made_with is not None:
            self.parameters.note_frozen()

    def _training_loss(self, samples: NDArray[np.int64], worker: int, step: int) -> torch.Tensor:
        _seed(_mixed(self.seed, worker, step))
        self.module.train()
        inputs, targets = self.train.batch(samples)
        return self.loss(self.module(inputs), targets)

    def _take(self, weights: Vector) -> None:
        """On a CPU the module computes in the memory that is shared with ddlsim; elsewhere vectors are copied once."""
        self._begin()
        given = torch.from_numpy(weights)
        if self.device.type == "cpu" and self.out is not None:
            if given.data_ptr() != self.parameters.weights.data_ptr():
                self.parameters.live_in(given, torch.from_numpy(self.out))
        else:
            self.parameters.weights.copy_(given)
        self._put_back_buffers()

    @torch.no_grad()
    def _put_back_buffers(self) -> None:
        """Also those that forward() has made or replaced."""
        for layer, kept in self.buffers:
            for name in [name for name in layer._buffers if name not in kept]:
                del layer._buffers[name]
            for name, value in kept.items():
                now = layer._buffers.get(name)
                if value is None or now is None or now.shape != value.shape or now.dtype != value.dtype:
                    layer._buffers[name] = None if value is None else value.clone()
                else:
                    now.copy_(value)

    def _answer(self, vector: torch.Tensor) -> Vector:
        """In the shared memory, if there is one."""
        if self.out is None:
            return np.array(vector.detach().cpu())
        answered = torch.from_numpy(self.out)
        if vector.data_ptr() != answered.data_ptr():
            answered.copy_(vector.detach())
        return self.out

    def _estimate(self) -> None:
        """Statistics of batch normalisation at these weights: means over batches of training samples, evenly spread."""
        self.module.train()
        norms = [layer for layer in self.norms if layer.training]
        self.module.eval()
        if not norms:
            return
        kept = [layer.momentum for layer in norms]
        for layer in norms:
            layer.reset_running_stats()
            layer.momentum = None
            layer.train()
        count = min(STATISTICS_SAMPLES, len(self.train))
        numbers = np.arange(count) * len(self.train) // count
        for batch in np.array_split(numbers, max(1, count // STATISTICS_BATCH)):
            self.module(self.train.batch(batch)[0])
        for layer, momentum in zip(norms, kept):
            layer.momentum = momentum
            layer.eval()
