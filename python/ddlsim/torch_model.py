"""A PyTorch module as a model of one's own: TorchModel(module, loss, train, test)."""
import hashlib
import os
import random
import warnings

import numpy as np
import torch
from torch import nn
from torch.utils.data import default_collate

from .model import Model

STATISTICS_SAMPLES, STATISTICS_BATCH = 400, 100  # that batch normalisation's statistics of an evaluation are of

# cuBLAS reads it when it starts: without it a product may be summed in another order each time.
os.environ.setdefault("CUBLAS_WORKSPACE_CONFIG", ":4096:8")


def _seed(seed):
    """Of PyTorch on all devices, and of NumPy and Python, which augmentations use."""
    torch.manual_seed(seed)
    np.random.seed(seed & 0xFFFFFFFF)
    random.seed(seed)


def _mixed(*numbers, key=()):
    return int(np.random.SeedSequence(numbers, spawn_key=key).generate_state(1, np.uint64)[0]) >> 1


def _be_deterministic(device):
    warnings.filterwarnings("ignore", message=".*not writable.*")  # the weights, which nothing writes to
    torch.backends.cudnn.deterministic, torch.backends.cudnn.benchmark = True, False
    if device.type == "cuda":
        # What has no deterministic form warns, and may make the digests of two runs differ.
        torch.use_deterministic_algorithms(True, warn_only=True)


def _check_can_start_again(module):
    """Of a module that is made already, every parameter must be one that its layer can draw again."""
    for prefix, layer in module.named_modules():
        own = [name for name, _ in layer.named_parameters(recurse=False)]
        if own and not hasattr(layer, "reset_parameters"):
            name = f"{prefix}.{own[0]}" if prefix else own[0]
            raise ValueError(f"the layer of the parameter {name} has no reset_parameters(), so no seed decides its start; "
                             "expected what makes the module: TorchModel(Net, ...), not TorchModel(Net(), ...)")


def _device():
    if torch.cuda.is_available():
        return torch.device("cuda")
    mps = getattr(torch.backends, "mps", None)
    return torch.device("mps" if mps is not None and mps.is_available() else "cpu")


def _digest_of(tensors):
    digest = hashlib.sha256()
    for tensor in tensors:
        tensor = tensor.detach().cpu().contiguous()
        digest.update(f"{tensor.dtype} {tuple(tensor.shape)}".encode())
        digest.update(tensor.reshape(-1).view(torch.uint8).numpy())
    return digest.hexdigest()[:16]


class _Samples:
    """A pair of tensors, or a data set whose samples are such pairs."""

    def __init__(self, source, device):
        self.source, self.device = source, device
        self.together = isinstance(source, (tuple, list)) and len(source) == 2
        self.digest = ""
        if self.together:
            parts = [torch.as_tensor(part) for part in source]
            self.digest = _digest_of(parts)
            self.source = tuple(part.to(device) for part in parts)

    def __len__(self):
        return len(self.source[0]) if self.together else len(self.source)

    def batch(self, numbers):
        if self.together:
            places = torch.as_tensor(numbers, device=self.device)
            return tuple(part[places] for part in self.source)
        inputs, targets = default_collate([self.source[int(i)] for i in numbers])
        return inputs.to(self.device), targets.to(self.device)

    def targets(self):
        if self.together:
            return self.source[1].cpu().numpy()
        return np.array([int(self.source[i][1]) for i in range(len(self))])


class TorchModel(Model):
    """`module` makes an nn.Module, as its class does: `initial(seed)` is what it makes after torch.manual_seed(seed). A
    module that is made already starts from what its layers' reset_parameters() make. `loss(outputs, targets)` is a mean over
    the batch; `train` and `test` are pairs of tensors (inputs, targets), or data sets of such pairs. `version` is a text
    that changes with what they read: pairs of tensors are known by their contents, data sets are not.

    Parameters are what is trained and travels. Whatever else a module has is as it is made with the scenario's seed; buffers
    are so again before each answer, which depends on weights and samples alone. Statistics of batch normalisation for an
    evaluation are taken at its weights, from 400 training samples. Dropout and other random numbers of PyTorch, NumPy and
    Python are seeded by seed, worker and step, and those of each evaluation by the seed.
    """

    def __init__(self, module, loss, train, test, device=None, evaluation_batch=500, version=""):
        self.device = torch.device(device) if device is not None else _device()
        _be_deterministic(self.device)
        self.make = None if isinstance(module, nn.Module) else module
        if self.make is None:
            _check_can_start_again(module)
        self._adopt(module if self.make is None else self._made(0))
        self.made_with = None  # the seed
        self.loss = loss.to(self.device) if isinstance(loss, nn.Module) else loss
        self.told_version = version
        self.train, self.test = _Samples(train, self.device), _Samples(test, self.device)
        self.evaluation_batch = evaluation_batch

    def tensors(self):
        return [(name, tuple(parameter.shape)) for name, parameter in self.parameters]

    def samples(self):
        return len(self.train), len(self.test)

    def labels(self):
        return self.train.targets()

    def version(self):
        known = [f"PyTorch {torch.__version__}", self.device.type, self.told_version, self.train.digest, self.test.digest]
        if self.make is None:
            known.append(_digest_of(self.buffers.values()))  # nothing else says that all processes have the same
        return ", ".join(text for text in known if text)

    def initial(self, seed):
        if self.make is not None:
            return self._answer(torch.cat([parameter.detach().reshape(-1) for parameter in self._made(seed).parameters()]))
        torch.manual_seed(seed)
        for layer in self.module.modules():
            if hasattr(layer, "reset_parameters"):
                layer.reset_parameters()
        return self._answer(self.weights)

    def gradient(self, weights, samples, worker, step):
        self._take(weights)
        _seed(_mixed(self.seed, worker, step))
        self.module.train()
        inputs, targets = self.train.batch(samples)
        self.gradients.zero_()
        loss = self.loss(self.module(inputs), targets)
        loss.backward()
        return loss.item(), self._answer(self.gradients)

    @torch.no_grad()
    def evaluate(self, weights):
        self._take(weights)
        _seed(_mixed(self.seed, key=(1,)))
        self.module.eval()
        self._estimate()
        loss, right, classes = 0.0, 0, True
        for first in range(0, len(self.test), self.evaluation_batch):
            numbers = np.arange(first, min(first + self.evaluation_batch, len(self.test)))
            inputs, targets = self.test.batch(numbers)
            outputs = self.module(inputs)
            loss += self.loss(outputs, targets).item() * len(numbers)
            classes = classes and outputs.dim() == 2 and targets.dim() == 1 and not targets.is_floating_point()
            if classes:
                right += (outputs.argmax(dim=1) == targets).sum().item()
        scores = {"loss": loss / len(self.test)}
        if classes:
            scores["accuracy"] = right / len(self.test)
        return scores

    def _made(self, seed):
        _seed(seed)
        return self.make()

    def _adopt(self, module):
        self.module = module.to(self.device)
        self.parameters = list(self.module.named_parameters())
        weights = torch.cat([parameter.detach().reshape(-1).float() for _, parameter in self.parameters])
        self._live_in(weights, torch.zeros_like(weights))
        self.buffers = {name: buffer.detach().clone() for name, buffer in self.module.named_buffers()}
        self.norms = [layer for layer in self.module.modules()
                      if isinstance(layer, nn.modules.batchnorm._BatchNorm) and layer.track_running_stats]

    def _live_in(self, weights, gradients):
        """Parameters and their gradients are views of these two vectors."""
        self.weights, self.gradients = weights, gradients
        place = 0
        for _, parameter in self.parameters:
            part = slice(place, place + parameter.numel())
            parameter.data = weights[part].view(parameter.shape)
            parameter.grad = gradients[part].view(parameter.shape)
            place = part.stop

    def _take(self, weights):
        """On a CPU the module computes in the memory that is shared with ddlsim; elsewhere vectors are copied once."""
        if self.make is not None and self.made_with != self.seed:
            self._adopt(self._made(self.seed))
            self.made_with = self.seed
        given = torch.from_numpy(weights)
        if self.device.type == "cpu" and self.out is not None:
            if given.data_ptr() != self.weights.data_ptr():
                self._live_in(given, torch.from_numpy(self.out))
        else:
            self.weights.copy_(given)
        with torch.no_grad():
            for name, buffer in self.module.named_buffers():
                buffer.copy_(self.buffers[name])

    def _answer(self, vector):
        """In the shared memory, if there is one."""
        if self.out is None:
            return vector.detach().cpu().numpy().copy()
        answered = torch.from_numpy(self.out)
        if vector.data_ptr() != answered.data_ptr():
            answered.copy_(vector.detach())
        return self.out

    def _estimate(self):
        """Statistics of batch normalisation at these weights: means over batches of training samples, evenly spread."""
        if not self.norms:
            return
        kept = [layer.momentum for layer in self.norms]
        for layer in self.norms:
            layer.reset_running_stats()
            layer.momentum = None
            layer.train()
        count = min(STATISTICS_SAMPLES, len(self.train))
        numbers = np.arange(count) * len(self.train) // count
        for batch in np.array_split(numbers, max(1, count // STATISTICS_BATCH)):
            self.module(self.train.batch(batch)[0])
        for layer, momentum in zip(self.norms, kept):
            layer.momentum = momentum
            layer.eval()
