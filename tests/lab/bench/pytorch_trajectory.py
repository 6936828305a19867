#!/usr/bin/env python3
"""Repeats recorded runs of ddlsim in PyTorch: its own networks, gradients and optimizers from the same start, on the same
minibatches. What differs in the end is rounding.

    tests/lab/bench/pytorch_trajectory.py [--double] PROGRAM        runs the cases below, and repeats them
    tests/lab/bench/pytorch_trajectory.py [--double] RESULT ...     repeats these results

A result must have been recorded with "record": {"weights": true, "initial_weights": true, "batches": true, "draws": true}.
docs/trajectories.md says what is in its files. Knows the systems single, alone, ps_sync, ring_allreduce, d_psgd and ako;
of ako, runs whose workers compute in step, so that every part arrives before its receiver's next step is applied.
Exit status: 0 all agree, 1 some do not, 77 there is no PyTorch here.
"""
import collections
import csv
import json
import os
import struct
import subprocess
import sys
import tempfile

sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), "../../support"))
import debian_python  # noqa: E402

debian_python.need("torch", "numpy")
import torch  # noqa: E402
from torch import nn  # noqa: E402

# Of weights after the last step, over the largest weight; of losses, absolute. Float32 has 24 bits, and each of a few
# dozen steps adds some rounding, which training amplifies.
MOST_APART = 1e-5


# --- what ddlsim has written ---

def safetensors(path):
    types = {"F32": torch.float32, "I64": torch.int64, "U8": torch.uint8}
    with open(path, "rb") as file:
        data = file.read()
    length = struct.unpack("<Q", data[:8])[0]
    header = json.loads(data[8:8 + length])
    tensors = {}
    for name, entry in header.items():
        begin, end = entry["data_offsets"]
        raw = bytearray(data[8 + length + begin:8 + length + end])
        tensors[name] = torch.frombuffer(raw, dtype=types[entry["dtype"]]).reshape(entry["shape"])
    return tensors


def table(path):
    with open(path, newline="") as file:
        return list(csv.DictReader(file))


class Record:
    """A result folder: settings, start, minibatches, and what came out."""

    def __init__(self, folder, number):
        self.folder = folder
        with open(os.path.join(folder, "run.json")) as file:
            self.scenario = json.load(file)["scenario"]
        self.number = number  # torch.float32 or torch.float64
        samples = safetensors(os.path.join(folder, "samples.safetensors"))
        self.shape = tuple(samples["images"].shape[1:])  # channels, height, width
        mean, scale = (samples[key].to(number).reshape(1, -1, 1, 1) for key in ("mean", "scale"))
        # Inputs are scaled in float32 by ddlsim; the same is done here, whatever precision follows.
        inputs = (samples["images"].float() - mean.float()) * scale.float()
        self.black = (-mean * scale).float().to(number)
        self.inputs = inputs.to(number)
        self.labels = samples["labels"]
        self.place = {int(n): i for i, n in enumerate(samples["numbers"])}
        self.workers = []
        self.batches = collections.defaultdict(list)
        for row in table(os.path.join(folder, "batches.csv")):
            self.batches[row["worker"]].append([self.place[int(n)] for n in row["samples"].split()])
        for row in table(os.path.join(folder, "shards.csv")):
            self.workers.append(row["worker"])
        self.dropout = collections.defaultdict(list)
        self.crops = collections.defaultdict(list)
        self.neighbours = collections.defaultdict(list)
        for row in table(os.path.join(folder, "draws.csv")):
            if row["purpose"] == "dropout":
                self.dropout[row["node"]].append(int(row["drawn"]))
            if row["purpose"] == "augmentation":
                self.crops[row["node"]].append(int(row["drawn"]))
            if row["purpose"] == "neighbour":
                self.neighbours[row["node"]].append(row["drawn"])
        self.iterations = collections.defaultdict(list)
        for row in table(os.path.join(folder, "iterations.csv")):
            self.iterations[row["worker"]].append(row)

    def images(self, worker, step):
        """Of the worker's minibatch of this number, cropped and flipped if they were."""
        images = self.inputs[self.batches[worker][step]]
        if not self.crops:
            return images
        stream = Stream(self.crops[worker][step])
        height, width = images.shape[2:]
        cropped = []
        for image in images:
            bordered = self.black.expand(1, -1, height + 8, width + 8).clone()[0]
            bordered[:, 4:4 + height, 4:4 + width] = image
            drawn = stream.below(162)
            row, column = drawn // 18, drawn // 2 % 9
            part = bordered[:, row:row + height, column:column + width]
            cropped.append(part.flip(2) if drawn % 2 else part)
        return torch.stack(cropped)

    def steps(self, worker):
        return len(self.iterations[worker])

    def start(self, worker):
        own = os.path.join(self.folder, f"initial-weights-{worker}.safetensors")
        shared = os.path.join(self.folder, "initial-weights.safetensors")
        return safetensors(own if worker and os.path.exists(own) else shared)

    def end(self, owner):
        return safetensors(os.path.join(self.folder, f"weights-{owner}.safetensors"))


# --- random numbers, for crops, flips and dropout: xoshiro256++ (Blackman and Vigna, 2019), seeded through splitmix64 ---

MASK = (1 << 64) - 1


def rotated(x, by):
    return ((x << by) | (x >> (64 - by))) & MASK


class Stream:
    def __init__(self, seed):
        self.state = []
        for _ in range(4):
            seed = (seed + 0x9e3779b97f4a7c15) & MASK
            z = ((seed ^ (seed >> 30)) * 0xbf58476d1ce4e5b9) & MASK
            z = ((z ^ (z >> 27)) * 0x94d049bb133111eb) & MASK
            self.state.append(z ^ (z >> 31))

    def bits(self):
        s = self.state
        result = (rotated((s[0] + s[3]) & MASK, 23) + s[0]) & MASK
        shifted = (s[1] << 17) & MASK
        s[2] ^= s[0]
        s[3] ^= s[1]
        s[1] ^= s[2]
        s[0] ^= s[3]
        s[2] ^= shifted
        s[3] = rotated(s[3], 45)
        return result

    def below(self, bound):
        drawn = self.bits()
        while drawn < 2 ** 64 % bound:
            drawn = self.bits()
        return drawn % bound


class Dropout(nn.Module):
    """One draw for every two values of the batch, which are counted with the channels of a pixel together."""

    def __init__(self, rate):
        super().__init__()
        self.threshold = min(int(rate * 2 ** 32), 2 ** 32 - 1)
        self.scale = 1 / (1 - rate)
        self.stream = None

    def forward(self, x):
        if self.threshold == 0:
            return x
        factors = []
        while len(factors) < x.numel():
            bits = self.stream.bits()
            factors += [0 if half < self.threshold else self.scale for half in (bits >> 32, bits & (2 ** 32 - 1))]
        mask = torch.tensor(factors[:x.numel()], dtype=torch.float32).to(x.dtype)
        if x.dim() == 4:
            batch, channels, height, width = x.shape
            return x * mask.reshape(batch, height, width, channels).permute(0, 3, 1, 2)
        return x * mask.reshape(x.shape)


# --- networks ---

CONV, POOL, RELU, FLATTEN = "conv", {"type": "max_pool"}, {"type": "relu"}, {"type": "flatten"}
NAMED = {
    "softmax": [FLATTEN, {"type": "dense", "units": 10}],
    "mlp": [FLATTEN, {"type": "dense", "units": 32}, RELU, {"type": "dense", "units": 10}],
    "cnn": [{"type": CONV, "filters": 8, "kernel": 5}, RELU, POOL, {"type": CONV, "filters": 16, "kernel": 3}, RELU, POOL,
            FLATTEN, {"type": "dense", "units": 32}, RELU, {"type": "dense", "units": 10}],
    "ako-cnn": [{"type": CONV, "filters": 32, "kernel": 5}, RELU, POOL, {"type": CONV, "filters": 64, "kernel": 3}, RELU,
                {"type": CONV, "filters": 64, "kernel": 3}, RELU, POOL, FLATTEN, {"type": "dense", "units": 1024}, RELU,
                {"type": "dropout", "rate": 0.5}, {"type": "dense", "units": 10}],
}


def network(record):
    """The network of a scenario as PyTorch's modules, under the names that the files of weights have."""
    model = record.scenario["model"]
    layers = NAMED.get(model) if isinstance(model, str) else model["layers"]
    if layers is None:
        raise SystemExit(f"pytorch_trajectory: cannot make the model {model}")
    modules, seen = collections.OrderedDict(), collections.Counter()
    channels, height, width = record.shape
    flat = None  # values of a sample after a flatten layer
    for layer in layers:
        kind = layer["type"]
        seen[kind] += 1
        if kind == "conv":
            if layer.get("groups", 1) != 1 or layer.get("mask", "none") != "none" or layer["kernel"] % 2 == 0:
                raise SystemExit("pytorch_trajectory: knows convolutions of odd kernels without masks and groups")
            same, stride = layer.get("same", True), layer.get("stride", 1)
            cut = 0 if same else layer["kernel"] - 1
            module = nn.Conv2d(channels, layer["filters"], layer["kernel"], stride=stride,
                               padding=(layer["kernel"] - 1) // 2 if same else 0, bias=layer.get("bias", True))
            channels, height, width = layer["filters"], (height - cut - 1) // stride + 1, (width - cut - 1) // stride + 1
        elif kind == "dense":
            inputs = flat if flat is not None else channels * height * width
            module = nn.Linear(inputs, layer["units"], bias=layer.get("bias", True))
            if flat is None:
                modules["flatten_before_" + kind + str(seen[kind])] = nn.Flatten()
            flat = layer["units"]
        elif kind == "max_pool":
            size = layer.get("size", 2)
            module = nn.MaxPool2d(size)
            height, width = height // size, width // size
        elif kind == "batch_norm":
            module = nn.BatchNorm2d(channels, track_running_stats=False) if flat is None else nn.BatchNorm1d(
                flat, track_running_stats=False)
        elif kind == "global_average_pool":
            module = nn.Sequential(nn.AdaptiveAvgPool2d(1), nn.Flatten())
            flat = channels
        elif kind == "flatten":
            module = nn.Flatten()
            flat = channels * height * width
        elif kind in ("relu", "tanh"):
            module = nn.ReLU() if kind == "relu" else nn.Tanh()
        elif kind == "dropout":
            module = Dropout(layer.get("rate", 0.5))
        else:
            raise SystemExit(f"pytorch_trajectory: cannot make a layer {kind}")
        modules[kind + str(seen[kind])] = module
    return nn.Sequential(modules).to(record.number)


def flat_places(model, shape):
    """For each of PyTorch's tensors the places of its values in ddlsim's vector, as docs/trajectories.md has them."""
    places, offset = [], 0
    before = shape  # channels, height, width of the values that a dense layer reads
    probe = torch.zeros(2, *shape, dtype=next(model.parameters()).dtype)
    for module in model:
        if isinstance(module, Dropout):
            continue
        probe = module(probe)
        for name, tensor in module.named_parameters():
            numbers = torch.arange(tensor.numel())
            if isinstance(module, nn.Conv2d) and name == "weight":  # height x width x channels x filters
                filters, channels, height, width = tensor.shape
                numbers = numbers.reshape(height, width, channels, filters).permute(3, 2, 0, 1)
            elif isinstance(module, nn.Linear) and name == "weight":  # inputs x outputs, inputs pixel by pixel
                units, inputs = tensor.shape
                channels, height, width = before
                numbers = numbers.reshape(height, width, channels, units).permute(3, 2, 0, 1)
            elif isinstance(module, nn.BatchNorm1d) and before[1] * before[2] > 1:
                channels, height, width = before
                numbers = numbers.reshape(height, width, channels).permute(2, 0, 1)
            places.append(offset + numbers.reshape(tensor.shape))
            offset += tensor.numel()
        if probe.dim() == 4:
            before = tuple(probe.shape[1:])
        elif isinstance(module, nn.Linear) or isinstance(module, nn.Sequential):
            before = (probe.shape[1], 1, 1)
    return places


# --- learning ---

def optimizer_for(record, parameters):
    settings = dict(record.scenario["training"]["optimizer"])
    if settings.get("schedule", {"type": "constant"}).get("type") != "constant" or settings.get("warmup_steps", 0):
        raise SystemExit("pytorch_trajectory: knows constant learning rates")
    kind, rate = settings.get("type", "sgd"), settings["learning_rate"]
    decay = settings.get("weight_decay", 0)
    if kind in ("adam", "adamw"):
        adam = torch.optim.Adam if kind == "adam" else torch.optim.AdamW
        return adam(parameters, lr=rate, betas=settings["betas"], eps=settings["epsilon"], weight_decay=decay)
    momentum = settings.get("momentum", 0)
    return torch.optim.SGD(parameters, lr=rate, momentum=momentum, weight_decay=decay, nesterov=kind == "nesterov")


class Replica:
    """A model with its optimizer, and the losses of its minibatches."""

    def __init__(self, record, worker):
        self.record, self.worker = record, worker
        self.model = network(record)
        start = record.start(worker)
        with torch.no_grad():
            for name, tensor in self.model.named_parameters():
                tensor.copy_(start[name])
        self.optimizer = optimizer_for(record, self.model.parameters())
        self.rate = self.optimizer.param_groups[0]["lr"]
        self.decay = self.optimizer.param_groups[0]["weight_decay"]
        self.losses = []

    def gradient(self, step):
        """Of the worker's minibatch of this number, at the model as it is."""
        chosen = self.record.batches[self.worker][step]
        for module in self.model:
            if isinstance(module, Dropout):
                module.stream = module.stream or Stream(self.record.dropout[self.worker][step])
        streams = [m for m in self.model if isinstance(m, Dropout)]
        for module in streams:
            module.stream = streams[0].stream
        inputs = self.record.images(self.worker, step)
        loss = nn.functional.cross_entropy(self.model(inputs), self.record.labels[chosen])
        result = torch.autograd.grad(loss, list(self.model.parameters()))
        for module in streams:
            module.stream = None
        self.losses.append(float(loss))
        return list(result)

    def apply(self, gradient, weight=1):
        """A step with this mean gradient, so many times as long."""
        for group in self.optimizer.param_groups:
            group["lr"] = self.rate * weight
        for tensor, value in zip(self.model.parameters(), gradient):
            tensor.grad = value.clone()
        self.optimizer.step()

    def apply_weighted(self, gradient, weights):
        """A step with a sum of gradients whose weights differ by coordinate: each coordinate's is that of its mean gradient
        and penalty, times its weight."""
        with torch.no_grad():
            for group in self.optimizer.param_groups:
                group["lr"] = self.rate
                group["weight_decay"] = 0
            before = self.weights()
            means = [value / weight + self.decay * tensor for value, weight, tensor in zip(gradient, weights, before)]
            if not isinstance(self.optimizer, torch.optim.Adam):  # its velocity is of weighted gradients
                means = [mean * weight for mean, weight in zip(means, weights)]
        for tensor, value in zip(self.model.parameters(), means):
            tensor.grad = value.clone()
        self.optimizer.step()
        if isinstance(self.optimizer, torch.optim.Adam):
            self.set_weights([old + weight * (new - old) for old, new, weight in zip(before, self.weights(), weights)])

    def weights(self):
        return [tensor.detach().clone() for tensor in self.model.parameters()]

    def set_weights(self, weights):
        with torch.no_grad():
            for tensor, value in zip(self.model.parameters(), weights):
                tensor.copy_(value)


def total(gradients):
    return [sum(parts) for parts in zip(*gradients)]


def scaled(gradient, factor):
    return [value * factor for value in gradient]


def sums_gradients(record):
    return record.scenario["training"].get("gradient_scale", "mean") == "sum"


def alone(record):
    replicas = [Replica(record, worker) for worker in record.workers if record.steps(worker) > 0]
    for replica in replicas:
        for step in range(record.steps(replica.worker)):
            replica.apply(replica.gradient(step))
    return replicas, {replica.worker: replica for replica in replicas}


def sum_of_all(record):
    """A synchronous parameter server, or an all-reduce: one model, and the sum of all workers' gradients."""
    replicas = [Replica(record, worker) for worker in record.workers]
    server = Replica(record, None)
    weight = len(replicas) if sums_gradients(record) else 1
    for step in range(record.steps(record.workers[0])):
        for replica in replicas:
            replica.set_weights(server.weights())
        server.apply(scaled(total([replica.gradient(step) for replica in replicas]), 1 / len(replicas)), weight)
    holders = [os.path.splitext(name)[0][len("weights-"):] for name in os.listdir(record.folder)
               if name.startswith("weights-")]
    return replicas, {holder: server for holder in holders}


def neighbours_of(record, index):
    algorithm, count = record.scenario["algorithm"], len(record.workers)
    topology = algorithm.get("topology", "ring")
    if topology == "ring":
        return sorted({(index + 1) % count, (index - 1) % count} - {index})
    if topology == "complete":
        return [other for other in range(count) if other != index]
    if topology == "random_regular":
        return sorted(record.workers.index(name) for name in record.neighbours[record.workers[index]])
    raise SystemExit(f"pytorch_trajectory: knows no topology {topology}")


def d_psgd(record):
    """Lian et al., NIPS 2017, algorithm 1: gradients at the models before they are averaged."""
    replicas = [Replica(record, worker) for worker in record.workers]
    after = record.scenario["algorithm"].get("combine", "before") == "after"
    for step in range(record.steps(record.workers[0])):
        gradients = [replica.gradient(step) for replica in replicas]
        if after:
            for replica, gradient in zip(replicas, gradients):
                replica.apply(gradient)
        models = [replica.weights() for replica in replicas]
        for index, replica in enumerate(replicas):
            mixed = [models[index]] + [models[other] for other in neighbours_of(record, index)]
            replica.set_weights(scaled(total(mixed), 1 / len(mixed)))
        if not after:
            for replica, gradient in zip(replicas, gradients):
                replica.apply(gradient)
    return replicas, {replica.worker: replica for replica in replicas}


def seconds(text):
    for unit, factor in (("ms", 1e-3), ("us", 1e-6), ("ns", 1e-9), ("s", 1)):
        if text.endswith(unit):
            return float(text[:-len(unit)]) * factor
    raise SystemExit(f"pytorch_trajectory: cannot read the time {text}")


def check_workers_are_in_step(record, waits_for_parts):
    """That no part of a step comes to a worker before it has applied its own step of that number or, where a step waits for
    the parts of all, the one before. A part leaves when its gradient is known, and is on its way for the latency at least."""
    latency = seconds(record.scenario["platform"]["latency"])
    for step in range(record.steps(record.workers[0])):
        rows = [record.iterations[worker][step] for worker in record.workers]
        ends = [float(row["end_s"]) for row in rows]
        slack = 0.9 * min(float(row["compute_s"]) for row in rows) if waits_for_parts else latency
        if max(ends) - min(ends) > slack:
            raise SystemExit("pytorch_trajectory: workers are not in step, so the record does not say what arrives when; "
                             "expected equal workers and links, the model CM02 and no jitter")


def parts_of(record, model, count):
    """Masks of the partitions, per tensor of PyTorch."""
    partitions = record.scenario["algorithm"]["partitions"]
    if isinstance(partitions, list) and isinstance(partitions[0], list):
        names = [name for name, _ in model.named_parameters()]
        return [[torch.full_like(tensor, float(name in group or name.split(".")[0] in group))
                 for name, tensor in zip(names, model.parameters())] for group in partitions]
    if record.scenario["algorithm"].get("partitioner", "even") != "even":
        raise SystemExit("pytorch_trajectory: knows even partitions, and groups of layers")
    places = flat_places(model, record.shape)
    size = sum(place.numel() for place in places)
    return [[((place >= size * part // count) & (place < size * (part + 1) // count)).to(record.number)
             for place in places] for part in range(count)]


def ako(record):
    """Ako (Watcharapichat et al., SoCC 2016): part (t + rank) mod P of what was not yet sent goes to each peer, and
    arrives before that peer's step t + 1 is applied."""
    algorithm = record.scenario["algorithm"]
    if algorithm.get("apply", "at_step") != "at_step" or algorithm.get("staleness_bound") != 0:
        raise SystemExit('pytorch_trajectory: knows ako with apply "at_step" and a staleness_bound of 0')
    in_this_step = algorithm.get("tf_ako", {}).get("clock") == "ping_pong"  # a step waits for the parts of all
    check_workers_are_in_step(record, in_this_step)
    partitions = algorithm["partitions"]
    replicas = [Replica(record, worker) for worker in record.workers]
    count = len(replicas)
    grouped = isinstance(partitions, list) and isinstance(partitions[0], list)
    if isinstance(partitions, list) and not grouped:
        counts = partitions if len(partitions) == count else partitions * count
    else:
        counts = [len(partitions) if grouped else partitions] * count
    parts = [parts_of(record, replicas[0].model, of) for of in counts]
    zero = [torch.zeros_like(tensor) for tensor in replicas[0].model.parameters()]
    unsent = {(i, j): scaled(zero, 0) for i in range(count) for j in range(count) if i != j}
    inbox = [scaled(zero, 0) for _ in replicas]
    weight = 1 if sums_gradients(record) else 1 / count
    one = [torch.ones_like(tensor) for tensor in replicas[0].model.parameters()]
    unsent_count = {key: scaled(zero, 0) for key in unsent}  # of gradients, by coordinate
    inbox_count = [scaled(zero, 0) for _ in replicas]
    for step in range(record.steps(record.workers[0])):
        gradients = [replica.gradient(step) for replica in replicas]
        coming = [scaled(zero, 0) for _ in replicas]
        coming_count = [scaled(zero, 0) for _ in replicas]
        for i in range(count):
            for j in range(count):
                if i == j:
                    continue
                rank = (j if j < i else j - 1) if algorithm.get("schedule", "rotate") == "rotate" else 0
                mask = parts[i][(step + rank) % counts[i]]
                unsent[i, j] = total([unsent[i, j], gradients[i]])
                sent = [value * chosen for value, chosen in zip(unsent[i, j], mask)]
                unsent[i, j] = [value - part for value, part in zip(unsent[i, j], sent)]
                coming[j] = total([coming[j], sent])
                unsent_count[i, j] = total([unsent_count[i, j], one])
                counted = [value * chosen for value, chosen in zip(unsent_count[i, j], mask)]
                unsent_count[i, j] = [value - part for value, part in zip(unsent_count[i, j], counted)]
                coming_count[j] = total([coming_count[j], counted])
        if in_this_step:
            inbox, inbox_count = coming, coming_count
        for replica, gradient, others, came in zip(replicas, gradients, inbox, inbox_count):
            replica.apply_weighted(scaled(total([others, gradient]), weight), scaled(total([came, one]), weight))
        if not in_this_step:
            inbox, inbox_count = coming, coming_count
    return replicas, {replica.worker: replica for replica in replicas}


SYSTEMS = {"single": alone, "alone": alone, "ps_sync": sum_of_all, "ring_allreduce": sum_of_all, "d_psgd": d_psgd,
           "ako": ako}


# --- comparing ---

def repeat(folder, number):
    """Prints a line; whether the run and its repetition agree."""
    record = Record(folder, number)
    algorithm = record.scenario["algorithm"]["name"]
    if algorithm not in SYSTEMS:
        raise SystemExit(f"pytorch_trajectory: cannot repeat {algorithm}")
    start = record.start(None)
    flat = torch.empty_like(start["parameters"])
    model = network(record)
    for (name, _), place in zip(model.named_parameters(), flat_places(model, record.shape)):
        flat[place.reshape(-1)] = start[name].reshape(-1)
    layout = torch.equal(flat, start["parameters"])
    replicas, owners = SYSTEMS[algorithm](record)
    apart = loss_apart = 0.0
    moved = 0.0
    for owner, replica in owners.items():
        end, begin = record.end(owner), record.start(owner)
        for name, tensor in replica.model.named_parameters():
            apart = max(apart, float((tensor.detach() - end[name]).abs().max()))
            moved = max(moved, float((end[name] - begin[name]).abs().max()))
    for replica in replicas:
        for loss, row in zip(replica.losses, record.iterations[replica.worker]):
            loss_apart = max(loss_apart, abs(loss - float(row["train_loss"])))
    good = layout and moved > 0 and apart <= MOST_APART * max(1.0, moved) and loss_apart <= MOST_APART
    steps = sum(record.steps(worker) for worker in record.workers)
    print(f"{record.scenario['name']:<26} {steps:>5} {moved:>10.3g} {apart:>10.2e} {loss_apart:>10.2e}   "
          f"{'agrees' if good else 'DIFFERS'}{'' if layout else ' (layout)'}")
    return good


def case(name, model, optimizer, algorithm, workers=3, servers=0, **more):
    scenario = {
        "name": name,
        "platform": {"topology": "star", "workers": workers, "servers": servers, "bandwidth": "1Gbps", "latency": "1ms",
                     "network": {"model": "CM02"}},
        "data": {"source": "synthetic", "train": 600, "test": 100}, "model": model,
        "training": {"batch_size": 16, "optimizer": optimizer}, "wire": {"model_bytes": "100kB"},
        "compute": {"seconds_per_batch": "100ms", "jitter": 0}, "algorithm": algorithm, "stop": {"iterations": 25},
        "evaluate": {"every_iterations": 25},
        "record": {"weights": True, "initial_weights": True, "batches": True, "draws": True}}
    for key, value in more.items():
        scenario[key].update(value)
    return scenario


# Small rates: near where training becomes unstable, any rounding grows at once.
SGD = {"type": "sgd", "learning_rate": 0.05}
DECAY = {"type": "sgd", "learning_rate": 0.02, "weight_decay": 0.5}
MOMENTUM = {"type": "momentum", "learning_rate": 0.02, "momentum": 0.9}
NESTEROV = {"type": "nesterov", "learning_rate": 0.02, "momentum": 0.9, "weight_decay": 0.001}
ADAM = {"type": "adam", "learning_rate": 0.001}
LAYERS = {"layers": [
    {"type": "conv", "filters": 6, "kernel": 3, "same": False}, {"type": "batch_norm"}, {"type": "tanh"},
    {"type": "conv", "filters": 8, "kernel": 3, "stride": 2, "init": "uniform"}, {"type": "relu"},
    {"type": "dropout", "rate": 0.25}, {"type": "flatten"}, {"type": "dense", "units": 20}, {"type": "relu"},
    {"type": "dropout", "rate": 0.5}, {"type": "dense", "units": 10}]}
AKO = {"name": "ako", "staleness_bound": 0}
CASES = [
    case("single_sgd", "mlp", SGD, {"name": "single"}, 1),
    case("single_momentum", "cnn", MOMENTUM, {"name": "single"}, 1),
    case("single_nesterov", "cnn", NESTEROV, {"name": "single"}, 1),
    case("single_adam", "cnn", ADAM, {"name": "single"}, 1),
    case("single_dropout_batch_norm", LAYERS, SGD, {"name": "single"}, 1),
    case("single_crop_flip", "cnn", SGD, {"name": "single"}, 1, data={"augment": "crop_flip"}),
    case("single_ako_cnn", "ako-cnn", SGD, {"name": "single"}, 1, stop={"iterations": 6},
         training={"optimizer": {"type": "sgd", "learning_rate": 0.001}}),
    case("alone_own_starts", "mlp", SGD, {"name": "alone"}, training={"init": "independent"}),
    case("ps_sync_sgd", "cnn", SGD, {"name": "ps_sync"}, servers=1),
    case("ps_sync_adam", "cnn", ADAM, {"name": "ps_sync"}, servers=2),
    case("ring_allreduce", "cnn", MOMENTUM, {"name": "ring_allreduce"}, 4),
    case("ring_crop_flip_dropout", LAYERS, SGD, {"name": "ring_allreduce"}, 3, data={"augment": "crop_flip"}),
    case("d_psgd_ring", "cnn", SGD, {"name": "d_psgd", "topology": "ring"}, 5),
    case("d_psgd_random_momentum", "cnn", MOMENTUM, {"name": "d_psgd", "topology": "random_regular", "degree": 3}, 6),
    case("d_psgd_after_adam", "mlp", ADAM, {"name": "d_psgd", "topology": "complete", "combine": "after"}, 4),
    case("ako_p1", "cnn", SGD, {**AKO, "partitions": 1}),
    case("ako_p3", "cnn", SGD, {**AKO, "partitions": 3}, 4),
    case("ako_various_momentum", "cnn", MOMENTUM, {**AKO, "partitions": [2, 3, 4]}),
    case("ako_broadcast_groups", "cnn", SGD,
         {**AKO, "schedule": "broadcast", "partitions": [["conv1", "dense2"], ["conv2"], ["dense1"]]}),
    case("ako_sum_adam", "mlp", ADAM, {**AKO, "partitions": 4}, 4,
         training={"gradient_scale": "sum", "init": "independent"}),
    case("ako_p3_penalty", "cnn", DECAY, {**AKO, "partitions": 3}, 4),
    case("ring_sum_penalty", "cnn", DECAY, {"name": "ring_allreduce"}, 3, training={"gradient_scale": "sum"}),
    case("ako_tf_clock", "mlp", ADAM,
         {**AKO, "partitions": 4, "schedule": "broadcast", "overflow": "block",
          "tf_ako": {"publish": "blocking", "clock": "ping_pong"}}, 3, training={"gradient_scale": "sum"}),
]


def run_cases(program, folder):
    for scenario in CASES:
        file = os.path.join(folder, scenario["name"] + ".json")
        with open(file, "w") as out:
            json.dump(scenario, out)
        subprocess.run([program, "run", file, "--out", os.path.join(folder, "results"), "--quiet"], check=True,
                       stdout=subprocess.DEVNULL)
        yield os.path.join(folder, "results", scenario["name"], "1")


def main():
    arguments = [argument for argument in sys.argv[1:] if argument != "--double"]
    if not arguments:
        raise SystemExit(__doc__)
    number = torch.float64 if "--double" in sys.argv else torch.float32
    torch.set_num_threads(1)
    print(f"PyTorch {torch.__version__}, {'double' if number == torch.float64 else 'single'} precision")
    print("run                        steps      moved    weights     losses")
    print("                                  at most: by weights, then apart")
    if os.path.isdir(arguments[0]):
        good = [repeat(folder, number) for folder in arguments]
    else:
        with tempfile.TemporaryDirectory() as folder:
            good = [repeat(result, number) for result in run_cases(arguments[0], folder)]
    print(f"{sum(good)} of {len(good)} agree, within {MOST_APART:g}")
    return 0 if all(good) else 1


sys.exit(main())
