"""IDDL (2020): block designs as sparse networks, their accuracy, what they save, and ensembles."""
from __future__ import annotations

from dataclasses import dataclass
from typing import Any

from ..layers import Layers
from ..number import Condition, Number, count, every, fall, largest, least, rounded, worst
from ..readings import Reading, final_accuracy, mean, measure, percent_of_rows, rows
from ..study import Definition, Figures, Readings, SizeName, Study, Where

study = Definition(
    __file__,
    what="IDDL: block designs as sparse networks, their accuracy, what they save, ensembles",
    data="mnist and cifar-10",
    title="IDDL (2020): block designs as sparse networks",
    source="code and stored results of github.com/iid2019/iddl")

FORMS = {"dense": "", "BIBD": "-bibd", "random": "-random"}  # endings of models' names
PERCEPTRONS = ("MLP-3-1", "MLP-3-2", "MLP-3-3", "MLP-3-4")
LARGER = {"ResNet-34": "resnet34", "ResNet-50": "resnet50"}
EXITS = {"first": "w0", "second": "w1", "end": "w2"}  # on which host
MEMBERS = (1, 3, 5, 7, 9)
MORE_SEEDS = range(1, 11)  # five do not decide the checks of ours
WITH_DATA: tuple[SizeName, ...] = ("data", "full")

SLOW_MOMENTUM = {"type": "momentum", "learning_rate": 0.01, "momentum": 0.5}
ALONE = {"topology": "star", "workers": 1, "bandwidth": "1Gbps"}


def cifar(s: Study, **counts: int) -> dict[str, Any]:
    return {"source": "cifar-10", "path": f"{s.data}/cifar-10", "augment": "crop_flip", **counts}


@study.build
def build(s: Study) -> None:
    s.seeds = (1, 2, 3, 4, 5)
    add_tables(s)
    for model in PERCEPTRONS:
        for form, ending in FORMS.items():
            s.count(("parameters", model, "weights", form), model.lower() + ending, "non_zero_weights")
    for model in ("ResNet-18", *LARGER):
        for form, ending in FORMS.items():
            named = model.lower().replace("-", "") + ending
            s.count(("parameters", model, "parameters", form), named, "non_zeros")
            s.count(("operations", model, form), named, "operations", 1e6)
    if s.size != "default":
        add_perceptrons(s)
        add_residual_networks(s)
        add_exits(s)
    add_wan(s)
    add_ensembles(s)


def add_tables(s: Study) -> None:
    s.table("parameters", "Parameters that are there", ["model", "counted"], "form", 0)
    s.table("operations", "Operations of one image, forward, millions", ["model"], "form", 2)
    if s.size != "default":
        s.table("mlp_accuracy", "Accuracy on MNIST after 10 epochs, %", ["model"], "form", 2, on_page=True)
    if s.size == "full":
        s.table("resnet_accuracy", "Accuracy on CIFAR-10 after 50 epochs, %", ["model"], "form", 2)
    if s.size != "default":
        epochs, images = FEW[s.size][:2]
        s.table("resnet_few",
                f"Accuracy on CIFAR-10 after {epochs} epochs of {images} images, seed 1 (published: after 50 of 50000), %",
                ["model"], "form", 2, on_page=True)
        s.table("exit_accuracy", "Accuracy of each exit on CIFAR-10, seed 1, %", ["exit"], "form", 2, on_page=True)
        s.table("exit_training", "Networks with exits: training and requests", ["quantity"], "form", 3,
                on_page=s.size == "data")
    s.table("wan_accuracy", "Accuracy after 300 s, 4 workers at 40 Mbit/s, %", ["model"], "system", 1)
    s.table("wan_step", "Seconds a step there", ["model"], "system", 2)
    s.table("ensemble_accuracy", "Accuracy of ensembles, %", ["members"], "weighting", 2)
    s.table("ensemble_cost", "What a standard ensemble takes", ["members"], "", 2)


# --- cells ---


def on_one_machine(data: dict[str, Any], model: str, batch: int, seconds: str, epochs: int, every: int) -> dict[str, Any]:
    return {"platform": ALONE, "data": data, "model": model, "training": {"batch_size": batch, "optimizer": SLOW_MOMENTUM},
            "compute": {"seconds_per_batch": seconds, "jitter": 0}, "algorithm": "single", "stop": {"epochs": epochs},
            "evaluate": {"every_iterations": every}, "record": {"iterations": False}}


def add_perceptrons(s: Study) -> None:
    for model in PERCEPTRONS:
        for form, ending in FORMS.items():
            name = model.lower() + ending
            s.cell(name, on_one_machine({"source": "mnist", "path": f"{s.data}/mnist"}, name, 32, "1ms", 10, 100000),
                   {("mlp_accuracy", model, form): final_accuracy()})


FEW = {"data": (3, 640, 16, 400), "full": (5, 50000, 128, 10000)}
"""The training of the larger residual networks: epochs, images, a batch's, test images."""


def add_residual_networks(s: Study) -> None:
    if s.size == "full":
        for form, ending in FORMS.items():
            s.cell(f"resnet18{ending}", on_one_machine(cifar(s), f"resnet18{ending}", 128, "1s", 50, 2000),
                   {("resnet_accuracy", "ResNet-18", form): final_accuracy()})
    epochs, images, batch, tests = FEW[s.size]
    for model, name in LARGER.items():
        for form, ending in FORMS.items():
            data = cifar(s, train=images, test=tests)
            s.cell(name + ending, on_one_machine(data, name + ending, batch, "1s", epochs, 2000),
                   {("resnet_few", model, form): final_accuracy()}, seeds=(1,), cost=2)


@dataclass(frozen=True)
class WithExits:
    """A residual network that is cut for exits."""
    trunk: Layers       # without its residual layers
    blocks: tuple[int, ...]  # how many of each width
    cuts: tuple[int, int]
    images: dict[str, Any]
    batch: int
    epochs: int
    steps: int
    requests: int

    def model(self, mask: str, groups: int, classifiers: Layers) -> dict[str, Layers]:
        residual: Layers = []
        for filters, blocks in zip((64, 128, 256, 512), self.blocks):
            for block in range(blocks):
                stride = {"stride": 2} if filters > 64 and block == 0 else {}
                residual.append({"type": "residual", "filters": filters, **stride, "mask": mask, "groups": groups})
        return {"layers": [*self.trunk, {"type": "batch_norm"}, {"type": "relu"}, *residual, {"type": "global_average_pool"},
                           *classifiers, {"type": "flatten"}, {"type": "dense", "units": 10}]}


def with_exits(s: Study) -> WithExits:
    def conv(**stride: int) -> Layers:
        return [{"type": "conv", "filters": 64, "kernel": 3, **stride, "bias": False, "init": "he_out"}]
    if s.size == "full":
        return WithExits(conv(), (2, 2, 2, 2), (7, 9), cifar(s), 128, 75, 29297, 10000)
    return WithExits(conv(stride=2), (1, 1, 1, 1), (5, 6), cifar(s, test=5000), 32, 2, 3125, 5000)


def add_exits(s: Study) -> None:
    network = with_exits(s)
    own: Layers = [{"type": "conv", "filters": 40, "kernel": 1, "groups": 4}]
    forms: tuple[tuple[str, str, str, int, Layers], ...] = (
        ("dense", "dense", "none", 1, []), ("BIBD", "bibd", "bibd", 1, []), ("grouped", "grouped", "none", 4, []),
        ("BIBD, grouped", "bibd_grouped", "bibd", 4, []), ("grouped, own classifiers", "own_classifiers", "none", 4, own))
    for form, ending, mask, groups, classifiers in forms:
        figures: Readings = {}
        for exit_name, host in EXITS.items():
            figures["exit_accuracy", exit_name, form] = at_exit(host)
        figures["exit_training", "s a step", form] = measure("seconds_per_batch.mean")
        for exit_name, host in zip(("first", "second", "last"), EXITS.values()):
            figures["exit_training", f"ms to the {exit_name} exit of a request", form] = latency_at(host)
        figures["exit_training", "training loss, last twentieth of the steps", form] = rows(
            "iterations", lambda t: t.train_loss, among=lambda t: t.iteration >= 0.95 * network.steps, worker="w2")
        s.cell(f"exits_{ending}", {
            "platform": {"topology": "star", "workers": 3, "bandwidth": "1Gbps"},
            "data": network.images,
            "model": network.model(mask, groups, classifiers),
            "training": {"batch_size": network.batch,
                         "optimizer": {"type": "momentum", "learning_rate": 0.01, "momentum": 0.9, "weight_decay": 5e-4}},
            "compute": {"jitter": 0},
            "algorithm": {"name": "early_exit", "cuts": list(network.cuts), "exit_filters": 32, "exit_learning_rate": 0.01,
                          "thresholds": [], "serving": {"requests": network.requests}},
            "stop": {"epochs": network.epochs},
            "evaluate": {"every_iterations": 100000},
            "record": {"iterations": True}}, figures, seeds=(1,))


def at_exit(host: str) -> Reading:
    return percent_of_rows("requests", lambda t: t.correct == 1, among=lambda t: t.exit == host)


def latency_at(host: str) -> Reading:
    return rows("requests", lambda t: 1000 * t.latency_s, mean, among=lambda t: t.exit == host)


def add_wan(s: Study) -> None:
    for form, mask, model_bytes, batch in (("dense", "none", "17053736B", "340.0ms"),
                                           ("BIBD", "bibd", "3517703B", "196.4ms")):
        bias = form == "dense"
        for system, slug, algorithm in (
                ("async. PS", "ps_async", "ps_async"),
                ("Ako P=4", "ako_p4", {"name": "ako", "partitions": 4, "overflow": "block"})):
            s.cell(f"uniform_wan_{slug}_{form.lower()}", {
                "platform": {"topology": "star", "workers": 4, "servers": 1, "bandwidth": "40Mbps", "latency": "20ms",
                             "network": {"model": "TCP"}},
                "model": {"layers": [
                    {"type": "conv", "filters": 8, "kernel": 5}, {"type": "relu"}, {"type": "max_pool"},
                    {"type": "conv", "filters": 16, "kernel": 3, "mask": mask, "bias": bias},
                    {"type": "relu"}, {"type": "max_pool"},
                    {"type": "flatten"},
                    {"type": "dense", "units": 32, "mask": mask, "bias": bias}, {"type": "relu"},
                    {"type": "dense", "units": 10, "init": "zero"}]},
                "training": {"batch_size": 64, "optimizer": {"type": "sgd", "learning_rate": 0.4}},
                "wire": {"model_bytes": model_bytes},
                "compute": {"seconds_per_batch": batch, "jitter": 0.1},
                "algorithm": algorithm,
                "stop": {"time": "300s"},
                "evaluate": {"every": "10s"},
                "record": {"iterations": True}},
                {("wan_accuracy", form, system): final_accuracy(3),
                 ("wan_step", form, system): measure("seconds_per_batch.mean")}, seeds=MORE_SEEDS)


def add_ensembles(s: Study) -> None:
    for members in MEMBERS:
        for weighting, slug, sampling in (("standard SAMME", "standard", "resample"),
                                          ("as published", "published", "repeat")):
            figures: Readings = {("ensemble_accuracy", members, weighting): final_accuracy()}
            if slug == "standard":
                figures["ensemble_cost", members, "s"] = measure("simulated_seconds")
                figures["ensemble_cost", members, "MB sent"] = measure("bytes_sent", 1e6)
            s.cell(f"ensemble_{members}_{slug}", {
                "platform": {"topology": "star", "workers": members, "bandwidth": "40Mbps", "latency": "20ms",
                             "network": {"model": "TCP"}},
                "data": {"source": "synthetic", "train": 8000, "test": 4000},
                "model": "mlp-3-1-bibd",
                "training": {"batch_size": 32, "optimizer": {"type": "momentum", "learning_rate": 0.05, "momentum": 0.5},
                             "init": "independent"},
                "compute": {"seconds_per_batch": "10ms", "jitter": 0.1},
                "algorithm": {"name": "samme", "local_epochs": 10, "iddl": {"weighting": slug, "sampling": sampling}},
                "stop": {"epochs": 20 * members},
                "evaluate": {"every_iterations": 100000},
                "record": {"iterations": False}}, figures, seeds=MORE_SEEDS)


# --- claims ---


@study.claim("published", "parameters", "every published number of parameters, dense and sparse",
             accepted="exact: they are counted")
def _parameters(f: Figures) -> tuple[Condition, str]:
    cases = [rounded(it).equals(rounded(it.published)) for _, it in f.published("parameters")]
    return every(cases), f"{count(cases)} of {len(cases)}"


@study.claim("published", "operations", "every published number of operations", accepted="exact in millions to two digits")
def _operations(f: Figures) -> tuple[Condition, str]:
    cases = [rounded(100 * it).equals(rounded(100 * it.published)) for _, it in f.published("operations")]
    return every(cases), f"{count(cases)} of {len(cases)}"


@study.claim("published", "dense perceptrons", "dense perceptrons are more accurate than sparse ones",
             accepted="by more than 3 points", sizes=WITH_DATA)
def _dense(f: Figures) -> tuple[Condition, str]:
    cases = []
    for model in PERCEPTRONS:
        dense, bibd, at_random = (f("mlp_accuracy", model, form) for form in FORMS)
        cases.append(dense > largest(bibd, at_random) + 3)
    return every(cases), f"{count(cases)} of {len(cases)}"


@study.claim("published", "larger perceptrons", "larger perceptrons are more accurate in every form",
             accepted="MLP-3-4 over 3-1", sizes=WITH_DATA)
def _larger(f: Figures) -> tuple[Condition, str]:
    pairs = {form: (f("mlp_accuracy", "MLP-3-1", form), f("mlp_accuracy", "MLP-3-4", form)) for form in FORMS}
    return (every(large > small for small, large in pairs.values()),
            ", ".join(f"{form} {large - small:+.1f}" for form, (small, large) in pairs.items()))


@study.claim("published", "designs against chance",
             "block designs are more accurate than random places, on average over the four perceptrons",
             accepted="any more; single runs scatter by more than each difference", sizes=WITH_DATA)
def _designs(f: Figures) -> tuple[Condition, str]:
    gains = [f("mlp_accuracy", model, "BIBD") - f("mlp_accuracy", model, "random") for model in PERCEPTRONS]
    gain = (gains[0] + gains[1] + gains[2] + gains[3]) / 4
    return (gain > 0, ", ".join(f"{one:+.1f}" for one in gains) +
            f", on average {gain:+.2f} (published: +1.1, +2.0, +0.5, +0.9, on average +1.13)")


def near_published(f: Figures, table: str, where: Where, most: float) -> tuple[Condition, str]:
    """Accuracies within so many points."""
    errors = {" ".join(labels.values()): it - it.published for labels, it in f.published(table, where)}
    cases = {name: abs(error) <= most for name, error in errors.items()}
    beyond = ", ".join(f"{name} {errors[name]:+.1f}" for name, case in cases.items() if not case.holds)
    numbers = f"{count(list(cases.values()))} of {len(cases)}, at most {abs(worst(errors.values())):.2f} off"
    return every(cases.values()), numbers + (f"; beyond: {beyond}" if beyond else "")


@study.claim("check", "accuracy of dense perceptrons", "the dense perceptrons are as accurate on MNIST as published",
             accepted="within 1.5 points", sizes=WITH_DATA)
def _dense_accuracy(f: Figures) -> tuple[Condition, str]:
    return near_published(f, "mlp_accuracy", {"form": "dense"}, 1.5)


@study.claim("check", "accuracy of sparse perceptrons", "and the sparse ones", accepted="within 3 points", sizes=WITH_DATA)
def _sparse_accuracy(f: Figures) -> tuple[Condition, str]:
    return near_published(f, "mlp_accuracy", {"form": ("BIBD", "random")}, 3)


@study.claim("published", "exits rise", "early exits: accuracy rises from the first to the second to the end, in all forms",
             accepted="any more", sizes=WITH_DATA, judged=("full",))
def _exits_rise(f: Figures) -> tuple[Condition, str]:
    cases, texts = [], []
    for form in ("dense", "grouped", "BIBD"):
        first, second, end = (f("exit_accuracy", exit_name, form) for exit_name in EXITS)
        cases.append((first < second) & (second < end))
        texts.append(f"{form} {first:.1f} / {second:.1f} / {end:.1f} %")
    return every(cases), ", ".join(texts)


@study.claim("published", "forms at exits",
             "at every exit dense networks are more accurate than grouped ones, and these than block designs",
             accepted="any more", sizes=WITH_DATA, judged=("full",))
def _forms_at_exits(f: Figures) -> tuple[Condition, str]:
    cases, texts = [], []
    for exit_name in EXITS:
        dense, grouped, bibd = (f("exit_accuracy", exit_name, form) for form in ("dense", "grouped", "BIBD"))
        cases.append((dense > grouped) & (grouped > bibd))
        texts.append(f"{exit_name} {dense:.1f} / {grouped:.1f} / {bibd:.1f} %")
    return every(cases), f"{count(cases)} of {len(cases)}: {', '.join(texts)}"


@study.claim("check", "designs within groups", "designs within groups are less accurate at the end than either",
             accepted="any less", sizes=WITH_DATA, judged=("full",))
def _within_groups(f: Figures) -> tuple[Condition, str]:
    both, bibd, grouped = (f("exit_accuracy", "end", form) for form in ("BIBD, grouped", "BIBD", "grouped"))
    return both < least(bibd, grouped), f"{both:.1f} %, the lower of the two {least(bibd, grouped):.1f} %"


@study.claim("check", "own classifiers", "a classifier for each group is as accurate as one", accepted="within 3 points",
             sizes=WITH_DATA, judged=("full",))
def _own_classifiers(f: Figures) -> tuple[Condition, str]:
    own, one = (f("exit_accuracy", "end", form) for form in ("grouped, own classifiers", "grouped"))
    return abs(own - one) <= 3, f"{own:.1f} % at the end, {one:.1f} % with one classifier"


def gains_with_members(f: Figures, weighting: str) -> tuple[Condition, str]:
    accuracies = [f("ensemble_accuracy", members, weighting) for members in MEMBERS]
    return ((fall(*accuracies) <= 1) & (accuracies[-1] - accuracies[0] > 1),
            ", ".join(f"{accuracy:.1f}" for accuracy in accuracies) + " %")


@study.claim("published", "ensembles", "an ensemble is more accurate the more members it has, right samples weighing more",
             accepted="never a point below the best; one gained")
def _ensembles(f: Figures) -> tuple[Condition, str]:
    return gains_with_members(f, "as published")


@study.claim("check", "standard ensembles", "an ensemble by standard SAMME gains with its members, too", accepted="likewise")
def _standard_ensembles(f: Figures) -> tuple[Condition, str]:
    return gains_with_members(f, "standard SAMME")


def gain_of_sparse(f: Figures, system: str) -> tuple[Condition, str]:
    dense, sparse = f("wan_accuracy", "dense", system), f("wan_accuracy", "BIBD", system)
    return sparse - dense >= 10, f"{sparse:.1f} % instead of {dense:.1f} %"


@study.claim("check", "sparse server", "at 40 Mbit/s a sparse model gains an asynchronous server accuracy in 300 s",
             accepted="at least 10 points")
def _sparse_server(f: Figures) -> tuple[Condition, str]:
    return gain_of_sparse(f, "async. PS")


@study.claim("check", "sparse Ako", "and Ako with four partitions too", accepted="likewise")
def _sparse_ako(f: Figures) -> tuple[Condition, str]:
    return gain_of_sparse(f, "Ako P=4")


@study.claim("check", "both together", "sparsity and partial exchange together are the best of the four",
             accepted="ties within 0.5 points")
def _both(f: Figures) -> tuple[Condition, str]:
    both = f("wan_accuracy", "BIBD", "Ako P=4")
    others: list[Number] = [f("wan_accuracy", "dense", "Ako P=4"), f("wan_accuracy", "BIBD", "async. PS"),
                            f("wan_accuracy", "dense", "async. PS")]
    return both >= largest(*others) - 0.5, f"{both:.1f} %, the best other {largest(*others):.1f} %"


def each_near_published(f: Figures, table: str) -> tuple[Condition, str]:
    errors = {" ".join(labels.values()): it - it.published for labels, it in f.published(table)}
    cases = [abs(error) <= 2 for error in errors.values()]
    return every(cases), (f"{count(cases)} of {len(cases)} within 2 points, " +
                          ", ".join(f"{name} {error:+.1f}" for name, error in errors.items()))


@study.claim("published", "ResNet-18",
             "ResNet-18 on CIFAR-10: .9067 dense, .8555 with block designs, .8641 at random places",
             accepted="within 2 points", judged=("full",))
def _resnet_18(f: Figures) -> tuple[Condition, str]:
    return each_near_published(f, "resnet_accuracy")


@study.claim("published", "exits of ResNet-18",
             "its early exits: .853, .902, .911 at the end, dense; .840, .883, .897 grouped; .829, .869, .886 with block "
             "designs",
             accepted="within 2 points", judged=("full",))
def _exits_of_resnet_18(f: Figures) -> tuple[Condition, str]:
    return each_near_published(f, "exit_accuracy")


@study.claim("published", "larger residual networks",
             "ResNet-34 and ResNet-50 are more accurate dense than with block designs or at random places",
             accepted="by more than 3 points, four times", judged=("full",))
def _larger_networks(f: Figures) -> tuple[Condition, str]:
    leads = {(model, form): f("resnet_few", model, "dense") - f("resnet_few", model, form)
             for model in LARGER for form in ("BIBD", "random")}
    return (every(lead > 3 for lead in leads.values()),
            ", ".join(f"dense {model} {lead:+.1f} against {form}" for (model, form), lead in leads.items()) + " points")


study.unjudged("published", "accuracy of larger residual networks",
               "ResNet-34: .9064 dense, .8643 with block designs, .8639 at random places; ResNet-50: .9001, .8362, .8442")


@study.claim("check", "larger residual networks learn", "the larger residual networks leave chance (10 %) behind",
             accepted="15 % or more", sizes=WITH_DATA)
def _leave_chance(f: Figures) -> tuple[Condition, str]:
    accuracies = {model: [f("resnet_few", model, form) for form in FORMS] for model in LARGER}
    cases = [accuracy >= 15 for of_model in accuracies.values() for accuracy in of_model]
    shown = ", ".join(f"{model} " + ", ".join(f"{accuracy:.1f}" for accuracy in of_model)
                      for model, of_model in accuracies.items())
    return every(cases), f"{count(cases)} of {len(cases)}: {shown}"
