"""A model of one's own: ddlsim asks this process for its gradients and evaluations.

    import numpy as np
    from ddlsim import Model, serve

    class Mine(Model):
        def tensors(self):
            return [("dense.weight", (10, 144)), ("dense.bias", (10,))]
        ...

    serve(Mine())

and in the scenario "model": {"command": ["python3", "mine.py"]}. docs/own_models.md has the protocol.
"""
import json
import math
import mmap
import os
import sys

import numpy as np

PROTOCOL = 1
MEMORY = 3  # the descriptor of the memory that is shared with ddlsim: weights, then the vector that is answered


class Model:
    """What ddlsim asks for. Vectors are float32, their parts in the order of tensors().

    Answers may depend on the arguments alone: which process is asked, and when, differs from run to run. Before anything
    else is asked, `seed` is the scenario's.
    """

    seed = 0

    def tensors(self):
        """The parameters: [(name, shape), ...]. Tensors with one prefix before the last dot are a layer."""
        raise NotImplementedError("a Model says what tensors() it has")

    def samples(self):
        """How many samples there are: (training, test). Training samples are numbered from 0."""
        raise NotImplementedError("a Model says how many samples() it has")

    def initial(self, seed):
        """The weights to start from."""
        raise NotImplementedError("a Model has initial(seed) weights")

    def gradient(self, weights, samples, worker, step):
        """(loss, gradient), both means over the training samples with these numbers."""
        raise NotImplementedError("a Model has a gradient(weights, samples, worker, step)")

    def evaluate(self, weights):
        """{"loss": ..., "accuracy": ...} on the test samples; either may be missing."""
        raise NotImplementedError("a Model can evaluate(weights)")

    def labels(self):
        """The class of each training sample, 0 to 255: asked for by the partitions by_label and dirichlet alone."""
        raise NotImplementedError("data.partition deals by label, and this Model has no labels()")

    def version(self):
        """Of everything beside the program's own file that decides its answers, as a text."""
        return ""


def _number(value):
    """JSON has no numbers that are not finite."""
    value = float(value)
    return value if math.isfinite(value) else None


class _Memory:
    """Two vectors, in memory that ddlsim sees, too."""

    def __init__(self, parameters):
        shared = mmap.mmap(MEMORY, 8 * parameters)
        whole = np.frombuffer(shared, dtype=np.float32)
        self.answered = whole[parameters:]
        self.weights = whole[:parameters]
        self.weights.flags.writeable = False

    def put(self, vector, what):
        vector = np.asarray(vector, dtype=np.float32).reshape(-1)
        if vector.size != self.answered.size:
            raise ValueError(f"{what} has {vector.size} values; the tensors have {self.answered.size}")
        self.answered[:] = vector


class _Server:
    def __init__(self, model):
        self.model = model
        self.memory = None

    def hello(self, request):
        if request["protocol"] != PROTOCOL:
            raise ValueError(f"ddlsim speaks version {request['protocol']} of the protocol; this is {PROTOCOL}")
        self.model.seed = request["seed"]
        tensors = [[str(name), [int(extent) for extent in shape]] for name, shape in self.model.tensors()]
        train, test = self.model.samples()
        answer = {"protocol": PROTOCOL, "tensors": tensors, "train": int(train), "test": int(test),
                  "version": str(self.model.version())}
        if request["labels"]:
            answer["labels"] = [int(label) for label in self.model.labels()]
        self.parameters = sum(math.prod(shape) for _, shape in tensors)
        return answer

    def shared(self):
        if self.memory is None:
            self.memory = _Memory(self.parameters)
        return self.memory

    def initial(self, request):
        self.shared().put(self.model.initial(request["seed"]), "the initial vector")
        return {"did": "initial", "values": self.parameters}

    def gradient(self, request):
        samples = np.array(request["samples"], dtype=np.int64)
        loss, gradient = self.model.gradient(self.shared().weights, samples, request["worker"], request["step"])
        self.shared().put(gradient, "the gradient")
        return {"did": "gradient", "loss": _number(loss), "values": self.parameters}

    def evaluate(self, request):
        scores = self.model.evaluate(self.shared().weights)
        return {"did": "evaluate", **{key: _number(scores[key]) for key in ("loss", "accuracy") if key in scores}}


def serve(model):
    """Answers ddlsim until it has no more to ask. What the model prints goes to stderr, whose last line ddlsim quotes when
    something goes wrong."""
    answers = os.fdopen(os.dup(1), "w", encoding="utf-8")
    os.dup2(2, 1)
    server = _Server(model)
    acts = {"hello": server.hello, "initial": server.initial, "gradient": server.gradient, "evaluate": server.evaluate}
    for line in sys.stdin:
        request = json.loads(line)
        print(json.dumps(acts[request["do"]](request), allow_nan=False), file=answers, flush=True)
