"""A model of one's own: ddlsim asks this process for its gradients and evaluations.

    import numpy as np
    from ddlsim import Model, serve

    class Mine(Model):
        def tensors(self) -> Tensors:
            return [("dense.weight", (10, 144)), ("dense.bias", (10,))]
        ...

    serve(Mine())

and in the scenario "model": {"command": ["python3", "mine.py"]}. docs/own_models.md has the protocol.
"""
from __future__ import annotations

import hashlib
import json
import math
import mmap
import os
import sys
import sysconfig
from collections.abc import Iterable, Sequence
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from .errors import InputError

Vector = NDArray[np.float32]
Tensors = Sequence[tuple[str, Sequence[int]]]
Request = dict[str, Any]

PROTOCOL = 1
MEMORY = 3  # the descriptor of the memory that is shared with ddlsim: weights, then the vector that is answered


class Model:
    """What ddlsim asks for. Vectors are float32, their parts in the order of tensors().

    Answers may depend on the arguments alone: which process is asked, and when, differs from run to run. Before anything
    else is asked, `seed` and `batch_size` are the scenario's. `out` is the vector that ddlsim reads: what a method writes into
    it and returns is not copied, as in `return loss, np.concatenate(parts, out=self.out)`. Without ddlsim it is None.
    """

    seed = 0
    batch_size = 32
    out: Vector | None = None

    def tensors(self) -> Tensors:
        """The parameters: [(name, shape), ...]. Tensors with one prefix before the last dot are a layer."""
        raise NotImplementedError("a Model says what tensors() it has")

    def frozen(self) -> Tensors:
        """Tensors of the model that are not trained, as tensors() has the others. They do not travel, and ddlsim asks for their
        frozen_values(), one vector, only to write whole models (record.weights)."""
        return []

    def frozen_values(self) -> Vector:
        """The values of frozen(), one tensor after the other."""
        raise NotImplementedError("a Model that has frozen() tensors has their frozen_values()")

    def samples(self) -> tuple[int, int]:
        """How many samples there are: (training, test). Training samples are numbered from 0."""
        raise NotImplementedError("a Model says how many samples() it has")

    def initial(self, seed: int) -> Vector:
        """The weights to start from."""
        raise NotImplementedError("a Model has initial(seed) weights")

    def gradient(self, weights: Vector, samples: NDArray[np.int64], worker: int, step: int) -> tuple[float, Vector]:
        """(loss, gradient), both means over the training samples with these numbers."""
        raise NotImplementedError("a Model has a gradient(weights, samples, worker, step)")

    def evaluate(self, weights: Vector) -> dict[str, float]:
        """{"loss": ..., "accuracy": ...} on the test samples; either may be missing."""
        raise NotImplementedError("a Model can evaluate(weights)")

    def labels(self) -> Iterable[Any]:
        """The class of each training sample, 0 to 255: asked for by the partitions by_label and dirichlet alone."""
        raise NotImplementedError("data.partition deals by label, and this Model has no labels()")

    def version(self) -> str:
        """A text that changes with everything that decides the answers: digest_of(the files that are read), settings.

        ddlsim knows of the files that its command names, and of the modules that are imported from the program's folder.
        """
        return ""


def digest_of(*paths: str | os.PathLike[str]) -> str:
    """A text that changes with the contents of these files, and with the names and contents of those in these folders."""
    digest = hashlib.sha256()
    for path in map(Path, paths):
        below = (file for file in path.rglob("*") if file.is_file() and "__pycache__" not in file.parts)
        files = sorted(below) if path.is_dir() else [path]
        for file in files:
            # Names and lengths, too: what ends one file does not begin the next.
            digest.update(f"{file.relative_to(path)}\0{file.stat().st_size}\0".encode())
            with open(file, "rb") as content:
                while block := content.read(1 << 20):
                    digest.update(block)
    return digest.hexdigest()[:16]


def _own_modules() -> list[Path]:
    """Files of the modules that the program has from its own folder, but for what is installed there."""
    program = getattr(sys.modules.get("__main__"), "__file__", None)
    if program is None:
        return []
    main, library = Path(program).resolve(), Path(sysconfig.get_path("stdlib"))
    files = {Path(file).resolve() for module in list(sys.modules.values()) if (file := getattr(module, "__file__", None))}
    return sorted(file for file in files - {main} if file.is_relative_to(main.parent) and file.is_file()
                  and not file.is_relative_to(library) and not {"site-packages", "dist-packages"} & set(file.parts))


def _number(value: Any) -> float | None:
    """JSON has no numbers that are not finite."""
    value = float(value)
    return value if math.isfinite(value) else None


def _named(tensors: Tensors) -> list[tuple[str, list[int]]]:
    return [(str(name), [int(extent) for extent in shape]) for name, shape in tensors]


def _class(label: Any) -> int:
    """A label's number; what is no whole number is no class."""
    if np.ndim(label) != 0 or not float(label).is_integer():
        raise InputError(f"the label {label} is no class; expected whole numbers from 0 to 255, one for each training sample")
    return int(label)


class _Memory:
    """Vectors in memory that ddlsim sees, too."""

    def __init__(self, parameters: int, frozen: int) -> None:
        shared = mmap.mmap(MEMORY, 8 * parameters + 4 * frozen)
        whole = np.frombuffer(shared, dtype=np.float32)
        self.answered, self.frozen = whole[parameters:2 * parameters], whole[2 * parameters:]
        self.weights = whole[:parameters]
        self.weights.flags.writeable = False

    @staticmethod
    def put(given: Any, place: Vector, what: str) -> None:
        vector = np.asarray(given, dtype=np.float32).reshape(-1)
        if vector.size != place.size:
            raise InputError(f"{what} has {vector.size} values; expected {place.size}, those of its tensors")
        if vector.ctypes.data != place.ctypes.data:
            place[:] = vector


class _Server:
    def __init__(self, model: Model) -> None:
        self.model = model
        self.memory: _Memory | None = None

    def hello(self, request: Request) -> Request:
        if request["protocol"] != PROTOCOL:
            raise InputError(f"ddlsim speaks version {request['protocol']} of the protocol; this is {PROTOCOL}")
        self.model.seed, self.model.batch_size = request["seed"], request["batch"]
        tensors, frozen = _named(self.model.tensors()), _named(self.model.frozen())
        train, test = self.model.samples()
        version, modules = str(self.model.version()), _own_modules()
        if modules:
            version = f"{version}; modules {digest_of(*modules)}" if version else f"modules {digest_of(*modules)}"
        answer = {"protocol": PROTOCOL, "tensors": tensors, "frozen": frozen, "train": int(train), "test": int(test),
                  "version": version}
        if request["labels"]:
            answer["labels"] = [_class(label) for label in self.model.labels()]
        self.sizes = [sum(math.prod(shape) for _, shape in named) for named in (tensors, frozen)]
        return answer

    def shared(self) -> _Memory:
        if self.memory is None:
            self.memory = _Memory(*self.sizes)
            self.model.out = self.memory.answered
        return self.memory

    def initial(self, request: Request) -> Request:
        memory = self.shared()
        memory.put(self.model.initial(request["seed"]), memory.answered, "the initial vector")
        return {"did": "initial", "values": memory.answered.size}

    def frozen(self, request: Request) -> Request:
        memory = self.shared()
        memory.put(self.model.frozen_values(), memory.frozen, "the vector of frozen tensors")
        return {"did": "frozen", "values": memory.frozen.size}

    def gradient(self, request: Request) -> Request:
        samples = np.array(request["samples"], dtype=np.int64)
        memory = self.shared()
        loss, gradient = self.model.gradient(memory.weights, samples, request["worker"], request["step"])
        memory.put(gradient, memory.answered, "the gradient")
        return {"did": "gradient", "loss": _number(loss), "values": memory.answered.size}

    def evaluate(self, request: Request) -> Request:
        scores = self.model.evaluate(self.shared().weights)
        return {"did": "evaluate", **{key: _number(scores[key]) for key in ("loss", "accuracy") if key in scores}}


def serve(model: Model) -> None:
    """Answers ddlsim until it has no more to ask. What the model prints goes to stderr, whose last line ddlsim quotes when
    something goes wrong."""
    answers = os.fdopen(os.dup(1), "w", encoding="utf-8")
    os.dup2(2, 1)
    server = _Server(model)
    acts = {act: getattr(server, act) for act in ("hello", "initial", "frozen", "gradient", "evaluate")}
    for line in sys.stdin:
        request = json.loads(line)
        print(json.dumps(acts[request["do"]](request), allow_nan=False), file=answers, flush=True)
