"""Cui (2019): pulling models from peers against a parameter server."""
from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any

from ..layers import SMALL_VGG, VGG_19, vgg
from ..number import Condition, Number, every, largest, least
from ..readings import (Column, Reading, Taking, final_accuracy, largest_of_workers, least_of_workers, mean, measure,
                        percent_of_rows, percentile, points_learnt_late, rows)
from ..study import Definition, Figures, Readings, SizeName, Study

study = Definition(
    __file__,
    what="Cui: pulling models from peers against a parameter server",
    data="cifar-10",
    title="Cui (2019): pulling models from peers against a parameter server",
    source="Cui, peer-to-peer deep learning with gradient compression, 2019: testbed of five machines")


@dataclass(frozen=True)
class Preset:
    """How the published 300 M/bps and 80.1 MB are read, which do not go together."""
    name: str
    links: str
    server_link: str
    model_bytes: str
    computing: str


LITERAL = Preset("literal", "1Gbps", "300Mbps", "13.5MB", "547ms")
BYTES = Preset("bytes", "10Gbps", "2.4Gbps", "80118056B", "591ms")
PRESETS = (LITERAL, BYTES)

PULLING = {"name": "gossip", "mode": "pull", "peer": "ring", "order": "sequential", "threshold": "abs_mean"}


@dataclass(frozen=True)
class System:
    name: str
    slug: str
    algorithm: object
    servers: int = 0
    workers: int = 4

    def platform(self, preset: Preset) -> dict[str, Any]:
        if self.workers == 1:
            return {"topology": "star", "workers": 1, "bandwidth": "1Gbps"}
        server = {"servers": 1, "server_bandwidth": preset.server_link} if self.servers else {}
        return {"topology": "star", "workers": self.workers, "bandwidth": preset.links, "latency": "0.1ms", **server}


PEERS = System("decentralized", "literal_decentralized", PULLING)
SERVER = System("centralized", "literal_centralized", "ps_async", servers=1)
SINGLE = System("single machine", "single", "single", workers=1)
SYSTEMS = (PEERS, SERVER, SINGLE)

ONE_RATE = 0.03  # for all systems, as the source tunes none: the best of its own, the peers


# --- cells ---


@dataclass(frozen=True)
class Settings:
    """By what the sizes differ. `rates` are the best of the systems; `batches` of all workers together."""
    images: dict[str, Any]
    network: object
    rates: tuple[float, float, float]
    batches: int
    batches_of_curves: tuple[int, ...]
    every: int          # steps of the single machine from one evaluation to the next
    evaluate: dict[str, Any]

    def steps(self, system: System) -> int:
        return self.batches // system.workers

    def learning(self, system: System, rate: float, *, steps: int | None = None, every: int | None = None,
                 algorithm: object = None, partition: str = "full", start: str = "shared") -> dict[str, Any]:
        return {"platform": system.platform(LITERAL),
                "data": {**self.images, "partition": partition},
                "model": self.network,
                "training": {"batch_size": 32, "gradient_scale": "sum", "init": start,
                             "optimizer": {"type": "momentum", "learning_rate": rate, "momentum": 0.9}},
                "wire": {"model_bytes": LITERAL.model_bytes},
                "compute": {"seconds_per_batch": LITERAL.computing, "jitter": 0.03},
                "algorithm": algorithm or system.algorithm,
                "stop": {"iterations": steps or self.steps(system)},
                "evaluate": {"every_iterations": every or self.every // system.workers, **self.evaluate}}


def settings_of(size: SizeName, data: str) -> Settings:
    published = (2000, 6000, 10000, 20000, 30000, 40000)
    cifar = {"source": "cifar-10", "path": data}
    if size == "default":
        images = {"source": "synthetic", "train": 50000, "test": 10000}
        return Settings(images, "mlp", (0.03, 0.003, 0.01), 40000, published, 2000, {})
    if size == "data":
        return Settings(cifar, vgg(SMALL_VGG), (0.03, 0.001, 0.003), 12000, (600, 1800, 3000, 6000, 9000, 12000), 600,
                        {"samples": 2000})
    return Settings(cifar, vgg(VGG_19), (0.01, 0.01, 0.01), 40000, published, 2000, {})


def timed(platform: dict[str, Any], preset: Preset, algorithm: object) -> dict[str, Any]:
    """40,000 batches without learning."""
    return {"platform": platform, "data": {"train": 50000}, "model": "none", "wire": {"model_bytes": preset.model_bytes},
            "compute": {"seconds_per_batch": preset.computing, "jitter": 0.03}, "algorithm": algorithm,
            "stop": {"iterations": 10000}}


@study.build
def build(s: Study) -> None:
    settings = settings_of(s.size, s.data)
    s.seeds = {"default": (1, 2, 3, 4, 5), "data": (1, 2, 3), "full": (1,)}[s.size]
    add_tables(s)
    is_default = s.size == "default"

    for preset in PRESETS:
        for system in (PEERS, SERVER):
            s.cell(f"{preset.name}_{system.name}_times", timed(system.platform(preset), preset, system.algorithm),
                   times(preset, system))
    if is_default:
        s.platforms = [study.folder / "literal_beside.xml", study.folder / "bytes_beside.xml"]
        for rate in (0.001, 0.003, 0.01, 0.015, 0.02, 0.03, 0.05):
            for system in SYSTEMS:
                s.cell(f"{system.slug}_rate_{rate}", settings.learning(system, rate), of_rate(settings, system, rate))
        for system, rate in zip(SYSTEMS, settings.rates):
            s.read(f"{system.slug}_rate_{rate}", what_is_learnt(settings, system))
            steps = settings.steps(system)
            s.read(f"{system.slug}_rate_{ONE_RATE}",
                   {("one_rate", "test accuracy, %", system.name): final_accuracy(3),
                    ("one_rate", "training accuracy, %", system.name): training_accuracy(steps),
                    ("one_rate", "training loss", system.name): training_loss(steps)})
        add_experiments(s, settings)
        return
    if s.size == "data":
        for rate in (0.0003, 0.001, 0.003, 0.01, 0.03, 0.1):
            for system in SYSTEMS:  # a quarter of the batches
                s.cell(f"{system.slug}_rate_{rate}",
                       settings.learning(system, rate, steps=settings.steps(system) // 4),
                       {("rates_accuracy", rate, system.name): final_accuracy(3)}, seeds=(1000001,))
    for system, rate in zip(SYSTEMS, settings.rates):
        s.cell(system.slug, settings.learning(system, rate), what_is_learnt(settings, system))


def add_experiments(s: Study, settings: Settings) -> None:
    for preset in PRESETS:
        platform = {"file": f"{preset.name}_beside.xml", "workers": 4, "servers": ["ps0"]}
        where = "w0 on the server's machine"
        s.cell(f"{preset.name}_beside", timed(platform, preset, "ps_async"),
               {("beside", preset.name, quantity, where): reading for quantity, reading in SECONDS.items()})

    s.read("single_rate_0.003", of_row("one machine, 40,000 batches", 40000))
    s.cell("single_10000", settings.learning(SINGLE, 0.003, steps=10000, every=500),
           of_row("one machine, 10,000 batches, as many as each peer", 10000))
    s.cell("literal_decentralized_whole", settings.learning(PEERS, 0.003, algorithm={**PULLING, "threshold": "none"}),
           of_row("four peers of 10,000, whole gradients", 10000))
    s.read("literal_decentralized_rate_0.003", of_row("four peers of 10,000, small gradients dropped", 10000))
    signed = {**PULLING, "threshold": "signed_mean"}
    s.cell("literal_decentralized_signed", settings.learning(PEERS, 0.003, algorithm=signed),
           of_row("four peers of 10,000, gradients below the signed mean dropped, as the text has it", 10000))

    by_rate, by_time = {"merge": "loss_weighted"}, {"timeout": "200ms"}
    apart = {"partition": "iid", "start": "independent"}
    add_peers(s, settings, "whole", "as in the study", {}, {})
    add_peers(s, settings, "contribution", "contribution rates", by_rate, {})
    add_peers(s, settings, "time_out", "time-outs of 200 ms", by_time, {})
    add_peers(s, settings, "local", "local data, and a start for each node", {}, apart)
    add_peers(s, settings, "all", "all of these", {**by_rate, **by_time}, apart)


def add_peers(s: Study, settings: Settings, slug: str, change: str, algorithm: dict[str, str],
              others: dict[str, Any]) -> None:
    """The four peers with one change: the least node and the largest, over the end of training."""
    def late(t: Any) -> Any:
        return (t.iteration >= 9500) & (t.iteration < 10000)
    takings: dict[str, Taking] = {"least": least_of_workers, "largest": largest_of_workers}
    losses: dict[str, Column] = {"training loss": lambda t: t.train_loss,
                                 "training accuracy, %": lambda t: 100 * t.train_accuracy}
    figures: Readings = {}
    for node, take in takings.items():
        for quantity, value in losses.items():
            figures["nodes", change, f"{node} {quantity}"] = rows("iterations", value, take, among=late)
    for node, take in takings.items():
        figures["nodes", change, f"{node} test accuracy, %"] = rows(
            "curve", lambda t: 100 * t.test_accuracy, take, among=lambda t: t.iteration >= 9000)
    s.cell(f"peers_{slug}", settings.learning(PEERS, 0.03, algorithm={**PULLING, **algorithm}, **others), figures)


# --- figures ---


def seconds(t: Any) -> Any:
    return t.end_s - t.start_s


SECONDS: dict[str, Reading] = {
    "least s/batch": measure("seconds_per_batch.min"),
    "1st percentile, s": rows("iterations", seconds, percentile(1)),
    "median, s": rows("iterations", seconds, percentile(50)),
    "99th percentile, s": rows("iterations", seconds, percentile(99)),
    "largest s/batch": measure("seconds_per_batch.max"),
    "% of batches below 0.7 s": percent_of_rows("iterations", lambda t: seconds(t) < 0.7)}


def times(preset: Preset, system: System) -> Readings:
    figures: Readings = {
        ("time", preset.name, quantity, system.name): reading for quantity, reading in SECONDS.items()}
    edges = (0, 0.6, 0.7, 1, 1.5, 2, 2.5, 3, 3.5)
    for begin, end in zip(edges, edges[1:]):
        figures["histogram", preset.name, f"{begin} to {end} s", system.name] = percent_between(begin, end)
    more = percent_of_rows("iterations", lambda t: seconds(t) >= 3.5)
    figures["histogram", preset.name, "3.5 s and more", system.name] = more
    return figures


def percent_between(begin: float, end: float) -> Reading:
    return percent_of_rows("iterations", lambda t: (seconds(t) >= begin) & (seconds(t) < end))


def in_training(value: Column, steps: int, until: float = 1.0) -> Reading:
    """The mean over a twentieth of the steps, which ends at a share of them."""
    return rows("iterations", value, mean,
                among=lambda t: (t.iteration >= (until - 0.05) * steps) & (t.iteration < until * steps))


def training_accuracy(steps: int, until: float = 1.0) -> Reading:
    return in_training(lambda t: 100 * t.train_accuracy, steps, until)


def training_loss(steps: int, until: float = 1.0) -> Reading:
    return in_training(lambda t: t.train_loss, steps, until)


def what_is_learnt(settings: Settings, system: System) -> Readings:
    steps = settings.steps(system)
    late = "points of test accuracy gained after 15 % of the batches"
    figures: Readings = {
        ("learning", "literal", "test accuracy, %", system.name): final_accuracy(3),
        ("learning", "literal", "training accuracy, %", system.name): training_accuracy(steps),
        ("learning", "literal", "training loss", system.name): training_loss(steps),
        ("learning", "literal", late, system.name): points_learnt_late}
    for quantity, reading in (("training loss", training_loss), ("training accuracy, %", training_accuracy)):
        for until, batches in zip((0.05, 0.15, 0.25, 0.5, 0.75, 1), settings.batches_of_curves):
            figures["curves", "literal", quantity, batches, system.name] = reading(steps, until)
    return figures


def of_rate(settings: Settings, system: System, rate: float) -> Readings:
    steps = settings.steps(system)
    return {("rates_accuracy", rate, system.name): final_accuracy(3),
            ("rates_training", rate, system.name): training_accuracy(steps),
            ("rates_loss", rate, system.name): training_loss(steps)}


def of_row(row: str, steps: int) -> Readings:
    return {("peers", row, "test accuracy, %"): final_accuracy(3),
            ("peers", row, "training accuracy, %"): training_accuracy(steps),
            ("peers", row, "training loss"): training_loss(steps)}


# --- tables ---


def add_tables(s: Study) -> None:
    is_default = s.size == "default"
    s.table("time", "Seconds per batch", ["preset", "quantity"], "system", 2)
    s.table("histogram", "Histogram: % of the batches by what they take", ["preset", "batches"], "system", 2)
    if is_default:
        s.table("one_rate", f"What is learnt at one rate for all, {ONE_RATE}", ["quantity"], "system", 2, on_page=True)
    s.table("learning", "What is learnt, each system at its own rate" if is_default else "What is learnt",
            ["preset", "quantity"], "system", 2, on_page=True)
    s.table("curves", "Training curves", ["preset", "quantity", "batches"], "system", 2)
    if is_default:
        s.table("beside", "Experiment: one of the four workers on the server's machine, centralized, seconds per batch",
                ["preset", "quantity"], "workers", 2)
        s.table("peers", "Experiment: from one machine to peers, learning rate 0.003", ["what trains"], "", 2)
        s.table("nodes", "Experiment: the four peers at learning rate 0.03, one change each; the least node and the largest",
                ["change"], "", 3, on_page=True)
    if s.size != "full":
        s.table("rates_accuracy",
                "Experiment: test accuracy by learning rate, %" if is_default else
                "Tuning: test accuracy by learning rate after a quarter of the batches, seed 1000001, %",
                ["rate"], "system", 2, on_page=True)
    if is_default:
        s.table("rates_training", "Experiment: training accuracy by learning rate, %", ["rate"], "system", 2)
        s.table("rates_loss", "Experiment: training loss by learning rate", ["rate"], "system", 3)


# --- claims ---


def percentiles(f: Figures, preset: Preset, system: System) -> tuple[Number, Number]:
    return (f("time", preset.name, "1st percentile, s", system.name),
            f("time", preset.name, "99th percentile, s", system.name))


@study.claim("published", "ratio of times", "a decentralized batch is 1.06 to 5.81 times as quick as a centralized one",
             accepted="1 to 1.2, and half of 5.81 to 5.81, in both presets")
def _ratio(f: Figures) -> tuple[Condition, str]:
    cases, texts = [], []
    for preset in PRESETS:
        peer, (quickest, slowest) = percentiles(f, preset, PEERS)[0], percentiles(f, preset, SERVER)
        cases.append((quickest / peer).within(1, 1.2) & (slowest / peer).within(2.9, 5.81))
        texts.append(f"{preset.name} {quickest / peer:.2f} to {slowest / peer:.2f}")
    return every(cases), f"centralized 1st and 99th percentiles, divided by the decentralized 1st: {', '.join(texts)}"


@study.claim("published", "spread, centralized", "centralized seconds per batch spread widely, 0.62 to 3.43 s",
             accepted="half of 5.53 to 5.53 times")
def _spread(f: Figures) -> tuple[Condition, str]:
    low, high = percentiles(f, BYTES, SERVER)
    return (high / low).within(2.77, 5.53), f"99th over 1st percentile: bytes {high / low:.2f} (published extremes: 5.53)"


@study.claim("published", "quick batches", "about a quarter of the centralized batches takes less than 0.7 s",
             accepted="15 to 35 %, in both presets")
def _quick(f: Figures) -> tuple[Condition, str]:
    quick = {preset.name: f("time", preset.name, "% of batches below 0.7 s", SERVER.name) for preset in PRESETS}
    return (every(share.within(15, 35) for share in quick.values()),
            ", ".join(f"{name} {share:.1f} %" for name, share in quick.items()))


def learnt(f: Figures, quantity: str, *systems: System) -> Iterator[Number]:
    """By the source's protocol: "without any fine-tuning", so at one rate for all systems, where there is one."""
    row = ("one_rate", quantity) if f.size == "default" else ("learning", "literal", quantity)
    return (f(*row, system.name) for system in systems or SYSTEMS)


def at_own_rates(f: Figures, quantity: str, decimals: int, *systems: System) -> str:
    """Beside that: each system tuned by itself."""
    if f.size != "default":
        return ""
    figures = {system.name: f("learning", "literal", quantity, system.name) for system in systems or SYSTEMS}
    words = {PEERS.name: "peers", SERVER.name: "server", SINGLE.name: "single machine"}
    return "; each at its own best rate " + ", ".join(f"{words[name]} {figure:.{decimals}f}"
                                                      for name, figure in figures.items())


@study.claim("published", "test accuracy", "test accuracy is the same, decentralized and centralized",
             accepted="within half a point, twice the published difference", judged=("default", "data"))
def _test_accuracy(f: Figures) -> tuple[Condition, str]:
    peers, server = learnt(f, "test accuracy, %", PEERS, SERVER)
    return (abs(peers - server) <= 0.5,
            f"{peers - server:+.2f} points (published: +0.28){at_own_rates(f, 'test accuracy, %', 1, PEERS, SERVER)}")


@study.claim("published", "single machine", "a single machine is the most accurate in the test",
             accepted="by a point or more", judged=("default", "data"))
def _single(f: Figures) -> tuple[Condition, str]:
    peers, server, single = learnt(f, "test accuracy, %")
    lead = single - largest(peers, server)
    return lead >= 1, f"{lead:+.2f} points (published: +4.0){at_own_rates(f, 'test accuracy, %', 1)}"


@study.claim("published", "training loss",
             "the training loss is least decentralized, then on a single machine, then centralized", accepted="this order",
             judged=("default", "data"))
def _training_loss(f: Figures) -> tuple[Condition, str]:
    peers, server, single = learnt(f, "training loss")
    return ((peers < single) & (single < server),
            f"peers {peers:.2f}, single machine {single:.2f}, server {server:.2f} (published: 0.23, 0.42, 0.49)"
            f"{at_own_rates(f, 'training loss', 2)}")


@study.claim("published", "training accuracy",
             "the training accuracy is least decentralized, and the same centralized and single",
             accepted="lower by 1.1 points or more, a quarter of the published distance; the others within half a point",
             judged=("default", "data"))
def _training_accuracy(f: Figures) -> tuple[Condition, str]:
    peers, server, single = learnt(f, "training accuracy, %")
    return ((peers <= least(server, single) - 1.1) & (abs(server - single) <= 0.5),
            f"peers {peers:.1f}, server {server:.1f}, single machine {single:.1f} % (published: 92.2, 96.7, 96.5)"
            f"{at_own_rates(f, 'training accuracy, %', 1)}")


@study.claim("published", "nodes", "Tables II and III: decentralized nodes differ, in training loss from 0.169 to 0.367",
             accepted="the largest 1.5 times the least or more (published: 2.2 times)", judged=("default",))
def _nodes(f: Figures) -> tuple[Condition, str]:
    def losses(change: str) -> tuple[Number, Number]:
        return f("nodes", change, "least training loss"), f("nodes", change, "largest training loss")
    (low, high), (low_of_all, high_of_all) = losses("as in the study"), losses("all of these")
    return (high / low >= 1.5,
            f"{low:.3f} to {high:.3f}; with local data, starts, contribution rates and time-outs {low_of_all:.3f} to "
            f"{high_of_all:.3f}")


@study.claim("input", "spread, chosen", "literal: centralized seconds per batch spread by 5.53 times",
             accepted="half of 5.53 to 5.53 times; the bytes were chosen for the largest")
def _spread_chosen(f: Figures) -> tuple[Condition, str]:
    low, high = percentiles(f, LITERAL, SERVER)
    return (high / low).within(2.77, 5.53), f"99th over 1st percentile {high / low:.2f}"


@study.claim("input", "spread, decentralized", "decentralized seconds per batch are stable, 0.58 to 0.73 s",
             accepted="at most 1.26 times; computing time and jitter were chosen for it")
def _spread_decentralized(f: Figures) -> tuple[Condition, str]:
    spreads = {preset.name: high / low for preset in PRESETS for low, high in [percentiles(f, preset, PEERS)]}
    return (every(spread <= 1.26 for spread in spreads.values()),
            "99th over 1st percentile: " + ", ".join(f"{name} {spread:.2f}" for name, spread in spreads.items()))


@study.claim("input", "learning goes on", "learning goes on after 6000 of the 40000 batches",
             accepted="by three points or more", sizes=("default",))
@study.claim("check", "learning goes on", {"data": "learning goes on after 1800 of the 12000 batches",
                                           "else": "learning goes on after 6000 of the 40000 batches"},
             accepted="by three points or more", sizes=("data", "full"))
def _goes_on(f: Figures) -> tuple[Condition, str]:
    gained = f("learning", "literal", "points of test accuracy gained after 15 % of the batches", SINGLE.name)
    return gained >= 3, f"the single machine rises by {gained:.1f} points after them"
