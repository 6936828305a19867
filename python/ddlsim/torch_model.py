"""A PyTorch module as a model of one's own: TorchModel(module, loss, train, test)."""
import warnings

import numpy as np
import torch
from torch import nn
from torch.utils.data import default_collate

from .model import Model

STATISTICS_SAMPLES, STATISTICS_BATCH = 400, 100  # that batch normalisation's statistics of an evaluation are of


def _device():
    if torch.cuda.is_available():
        return torch.device("cuda")
    mps = getattr(torch.backends, "mps", None)
    return torch.device("mps" if mps is not None and mps.is_available() else "cpu")


class _Samples:
    """A pair of tensors, or a data set whose samples are such pairs."""

    def __init__(self, source, device):
        self.source, self.device = source, device
        self.together = isinstance(source, (tuple, list)) and len(source) == 2
        if self.together:
            self.source = tuple(torch.as_tensor(part).to(device) for part in source)

    def __len__(self):
        return len(self.source[0]) if self.together else len(self.source)

    def batch(self, numbers):
        if self.together:
            places = torch.as_tensor(numbers, device=self.device)
            return tuple(part[places] for part in self.source)
        return tuple(part.to(self.device) for part in default_collate([self.source[int(i)] for i in numbers]))

    def targets(self):
        if self.together:
            return self.source[1].cpu().numpy()
        return np.array([int(self.source[i][1]) for i in range(len(self))])


class TorchModel(Model):
    """`module` is an nn.Module, or better a function that makes one: then `initial(seed)` is what it makes after
    torch.manual_seed(seed), and not only what the layers' reset_parameters() make. `loss(outputs, targets)` is a mean over
    the batch; `train` and `test` are pairs of tensors (inputs, targets), or data sets of such pairs.

    Parameters are what is trained and travels. Buffers, such as the running statistics of batch normalisation, are reset
    before each answer, which so depends on weights and samples alone; statistics for an evaluation are taken at its
    weights, from 400 training samples. Dropout and other random numbers are seeded by seed, worker and step.
    """

    def __init__(self, module, loss, train, test, device=None, evaluation_batch=500):
        warnings.filterwarnings("ignore", message=".*not writable.*")  # the weights, which nothing writes to
        torch.backends.cudnn.deterministic, torch.backends.cudnn.benchmark = True, False
        self.device = torch.device(device) if device is not None else _device()
        self.make = None if isinstance(module, nn.Module) else module
        self.module = (module if self.make is None else self.make()).to(self.device)
        self.loss = loss
        self.train, self.test = _Samples(train, self.device), _Samples(test, self.device)
        self.evaluation_batch = evaluation_batch
        self.parameters = list(self.module.named_parameters())
        # One vector each, of which parameters and their gradients are views.
        count = sum(parameter.numel() for _, parameter in self.parameters)
        self.weights = torch.zeros(count, device=self.device)
        self.gradients = torch.zeros(count, device=self.device)
        place = 0
        for _, parameter in self.parameters:
            part = slice(place, place + parameter.numel())
            self.weights[part] = parameter.detach().reshape(-1)
            parameter.data = self.weights[part].view(parameter.shape)
            parameter.grad = self.gradients[part].view(parameter.shape)
            place = part.stop
        self.buffers = {name: buffer.clone() for name, buffer in self.module.named_buffers()}
        self.norms = [layer for layer in self.module.modules()
                      if isinstance(layer, nn.modules.batchnorm._BatchNorm) and layer.track_running_stats]

    def tensors(self):
        return [(name, tuple(parameter.shape)) for name, parameter in self.parameters]

    def samples(self):
        return len(self.train), len(self.test)

    def labels(self):
        return self.train.targets()

    def version(self):
        return f"PyTorch {torch.__version__}, {self.device.type}"

    def initial(self, seed):
        torch.manual_seed(seed)
        if self.make is not None:
            return torch.cat([parameter.detach().reshape(-1) for parameter in self.make().parameters()]).numpy()
        for layer in self.module.modules():
            if hasattr(layer, "reset_parameters"):
                layer.reset_parameters()
        return self.weights.cpu().numpy()

    def gradient(self, weights, samples, worker, step):
        self._take(weights)
        torch.manual_seed(int(np.random.SeedSequence([self.seed, worker, step]).generate_state(1, np.uint64)[0]) >> 1)
        self.module.train()
        inputs, targets = self.train.batch(samples)
        self.gradients.zero_()
        loss = self.loss(self.module(inputs), targets)
        loss.backward()
        return loss.item(), self.gradients.cpu().numpy()

    @torch.no_grad()
    def evaluate(self, weights):
        self._take(weights)
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

    def _take(self, weights):
        self.weights.copy_(torch.from_numpy(weights))
        with torch.no_grad():
            for name, buffer in self.module.named_buffers():
                buffer.copy_(self.buffers[name])

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
