"""Which parameters of a PyTorch module are trained, and where these live."""
from __future__ import annotations

import hashlib
from collections.abc import Callable, Iterable, Sequence
from typing import Any

import torch

from .errors import InputError

_EXPECTED = "expected the same parameters to be trained in every step"


def digest_of_tensors(tensors: Iterable[torch.Tensor]) -> str:
    digest = hashlib.sha256()
    for tensor in tensors:
        tensor = tensor.detach().cpu().contiguous()
        digest.update(f"{tensor.dtype} {tuple(tensor.shape)}".encode())
        digest.update(tensor.reshape(-1).view(torch.uint8).numpy())
    return digest.hexdigest()[:16]


def first_gradients(module: torch.nn.Module, compute_loss: Callable[[], torch.Tensor]) -> set[str]:
    """The names of the parameters that a minibatch's loss has gradients for."""
    for _, parameter in module.named_parameters():
        parameter.grad = None
    loss = compute_loss()
    if not loss.requires_grad:
        raise InputError("no parameter of the module is trained; expected one that needs a gradient, and a loss of it")
    loss.backward()
    found = {name for name, parameter in module.named_parameters() if parameter.grad is not None}
    for _, parameter in module.named_parameters():
        parameter.grad = None
    return found


def check_have_values(module: torch.nn.Module) -> None:
    for name, parameter in module.named_parameters():
        if torch.nn.parameter.is_lazy(parameter):
            raise InputError(f"the parameter {name} has no shape before the first minibatch; expected a module that has all of "
                             "its shapes when it is made, as with Linear instead of LazyLinear")


class Parameters:
    """Those of a module, of which `found` have a gradient. They are trained: parts of one vector, as their gradients are of
    another. The others are frozen: they belong to the module and stay as they are. A parameter that several layers share
    is one, under its first name."""

    def __init__(self, module: torch.nn.Module, found: set[str]) -> None:
        self.module = module
        self.all = list(module.named_parameters())
        self.trained = [(name, parameter) for name, parameter in self.all if name in found and parameter.numel() > 0]
        names = {name for name, _ in self.trained}
        self.frozen = [(name, parameter) for name, parameter in self.all if name not in names and parameter.numel() > 0]
        self._check_can_be_trained()
        weights = torch.cat([parameter.detach().reshape(-1) for _, parameter in self.trained])
        self.live_in(weights, torch.zeros_like(weights))
        self.note_frozen()

    def live_in(self, weights: torch.Tensor, gradients: torch.Tensor) -> None:
        """Trained parameters are views of the first vector, and their gradients go into views of the second."""
        self.weights, self.gradients = weights, gradients
        self.parts = []
        place = 0
        for _, parameter in self.trained:
            part = slice(place, place + parameter.numel())
            parameter.data = weights[part].view(parameter.shape)
            self.parts.append(gradients[part].view(parameter.shape))
            place = part.stop

    def note_frozen(self) -> None:
        """That these are the values which stay."""
        self.places = [(parameter.data_ptr(), parameter._version) for _, parameter in self.frozen]
        self.digests = [digest_of_tensors([parameter]) for _, parameter in self.frozen]

    def vector_of(self, module: torch.nn.Module) -> torch.Tensor:
        """The trained parameters of a module that is made like this one."""
        found = dict(module.named_parameters())
        try:
            return torch.cat([found[name].detach().reshape(-1) for name, _ in self.trained])
        except KeyError as error:
            raise InputError(f"another seed makes a module without the parameter {error.args[0]}; expected the same parameters "
                             "of every seed") from error

    def frozen_values(self) -> torch.Tensor:
        """One behind the other, as float32."""
        return torch.cat([parameter.detach().reshape(-1).float().cpu() for _, parameter in self.recorded()])

    def recorded(self) -> list[tuple[str, torch.nn.Parameter]]:
        return [(name, parameter) for name, parameter in self.frozen if not parameter.is_complex()]

    def forget_gradients(self) -> None:
        for _, parameter in self.all:
            parameter.grad = None

    def gather_gradients(self) -> None:
        """After backward(): into their vector. Other parameters than ever may have none, for optimizers elsewhere know of no
        parameter that is passed over in one step."""
        known = {id(parameter) for _, parameter in self.all}
        for name, parameter in self.module.named_parameters():
            if id(parameter) not in known:
                raise InputError(f"forward() makes the parameter {name}; expected parameters that are there from the start")
        for name, parameter in self.frozen:
            if parameter.grad is not None:
                raise InputError(f"the parameter {name} has a gradient now, and had none at first; {_EXPECTED}")
        for (name, parameter), part in zip(self.trained, self.parts):
            gradient = parameter.grad
            if gradient is None:
                raise InputError(f"the parameter {name} has no gradient in this step, and had one at first; {_EXPECTED}")
            part.copy_(gradient.to_dense() if gradient.is_sparse else gradient)
        self.forget_gradients()
        self.check_frozen()

    def check_frozen(self) -> None:
        """Quickly, which overlooks what is written to a parameter's data."""
        self._check_stay(self.places, [(parameter.data_ptr(), parameter._version) for _, parameter in self.frozen])

    def check_frozen_values(self) -> None:
        self._check_stay(self.digests, [digest_of_tensors([parameter]) for _, parameter in self.frozen])

    def _check_stay(self, noted: Sequence[Any], found: Sequence[Any]) -> None:
        for (name, _), before, now in zip(self.frozen, noted, found):
            if before != now:
                raise InputError(f"forward() changes the parameter {name}, which is not trained; expected it to stay as it is, "
                                 "since an answer may depend on weights and samples alone")

    def _check_can_be_trained(self) -> None:
        if not self.trained:
            raise InputError("no parameter of the module is trained; expected one that needs a gradient")
        for name, parameter in self.trained:
            if parameter.dtype != torch.float32 or parameter.layout != torch.strided:
                kind = str(parameter.dtype if parameter.layout == torch.strided else parameter.layout).rpartition(".")[2]
                raise InputError(f"the parameter {name} is of {kind}; expected float32, in which ddlsim trains; torch.autocast "
                                 "in forward() computes in another type")
        trained = {name for name, _ in self.trained}
        places = sorted((*_place(tensor), name) for name, tensor in [*self.all, *self.module.named_buffers()] if tensor.numel())
        end, last = 0, ""
        for first, behind, name in places:
            if first < end and (name in trained or last in trained):
                raise InputError(f"{last} and {name} share memory, which would not be so when one of them is trained here; "
                                 "expected one parameter under both names, or a copy")
            if behind > end:
                end, last = behind, name


def _place(tensor: torch.Tensor) -> tuple[int, int]:
    """Its first byte and that behind its last one."""
    last = sum((extent - 1) * stride for extent, stride in zip(tensor.shape, tensor.stride()))
    return tensor.data_ptr(), tensor.data_ptr() + (last + 1) * tensor.element_size()
