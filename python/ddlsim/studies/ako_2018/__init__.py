"""TF.AKO (2018): partial gradient exchange against a parameter server on four networks."""
from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass
from typing import Any

from ..number import Condition, Number, count, every, largest, least
from ..readings import final_accuracy, first, fluctuation, measure, rows
from ..study import Definition, Figures, Readings, Study

study = Definition(
    __file__,
    what="TF.AKO: partial gradient exchange against parameter servers on four networks",
    data="cifar-10, full alone",
    title="TF.AKO (2018): Ako against a parameter server",
    source="charts of github.com/mesh-umn/TF.AKO, read to half a point")


@dataclass(frozen=True)
class Network:
    name: str
    slug: str
    mbps: tuple[int, int, int]  # of fast, medium and slow links
    latency: str                # one way

    @property
    def is_lan(self) -> bool:
        return self.name.endswith("LAN")


NETWORKS = (Network("uniform LAN", "uniform_lan", (800, 800, 800), "0.1ms"),
            Network("hetero LAN", "het_lan", (800, 400, 200), "0.1ms"),
            Network("uniform WAN", "uniform_wan", (40, 40, 40), "20ms"),
            Network("hetero WAN", "het_wan", (40, 20, 10), "20ms"))
SLOWER_LAN = Network("slower LAN", "slower_lan", (80, 40, 20), "0.1ms")
ALL = tuple(network.name for network in NETWORKS)
OTHERS = ALL[1:]
WORKERS = (2, 3, 4)


@dataclass(frozen=True)
class System:
    name: str
    slug: str
    models: float = 0.0         # that travel through a link in a step,
    models_a_peer: float = 0.0  # and for each other worker

    def cost(self, network: Network, workers: int, seconds_per_batch: float = 0.34) -> float:
        """Steps of all workers in 300 s, as the medium link has it."""
        models = self.models + self.models_a_peer * (workers - 1)
        return 300 * workers / (seconds_per_batch + models * 136.4 / network.mbps[1])


CENTRALIZED = System("centralized", "ps", models=2)
P1 = System("P=1", "ako_p1", models_a_peer=1)
VARIOUS = System("P various", "ako_various", models_a_peer=0.333)
P4 = System("P=4", "ako_p4", models_a_peer=0.25)
SYSTEMS = (CENTRALIZED, P1, VARIOUS, P4)


# --- cells ---


@dataclass
class Settings:
    """Settings that all cells of a size share."""
    size: str
    data: str

    @property
    def is_full(self) -> bool:
        return self.size == "full"

    @property
    def target(self) -> float:
        return 0.4 if self.is_full else 0.6

    def ako(self, system: System, workers: int) -> dict[str, Any]:
        various = ({2: [2, 4], 3: [2, 4, 4], 4: [2, 4, 4, 2]} if self.is_full else
                   {2: [2, 4], 3: [2, 3, 4], 4: [2, 3, 4, 2]})[workers]
        partitions: Any = {P1: 1, VARIOUS: various, P4: 4}[system]
        if not self.is_full:
            return {"name": "ako", "partitions": partitions, "overflow": "block", "tf_ako": {"publish": "blocking"}}
        if system == P4:
            partitions = [["conv1", "dense2"], ["conv2"], ["conv3"], ["dense1"]]
        return {"name": "ako", "schedule": "broadcast", "partitions": partitions, "overflow": "block",
                "tf_ako": {"publish": "blocking", "receive_threads": 2},
                **({"partitioner": "layer"} if system == VARIOUS else {})}

    def run(self, platform: dict[str, Any], algorithm: object, *, is_ako: bool, scale: str = "mean",
            stop: dict[str, Any] | None = None, **others: Any) -> dict[str, Any]:
        """A scenario; `others` are its keys that differ from what most cells have."""
        every: dict[str, Any] = {"every": "20s", "samples": 1000} if self.is_full else {"every": "10s"}
        adam = {"type": "adam", "learning_rate": 0.001 if self.is_full else 0.0005}
        return {
            "platform": platform,
            "data": ({"source": "cifar-10", "path": self.data, "partition": "dealt", "shuffle": False} if self.is_full else
                     {"source": "synthetic"}),
            "model": "ako-cnn" if self.is_full else "cnn",
            "training": {"batch_size": 104 if self.is_full else 64,
                         "optimizer": others.get("optimizer", adam),
                         "gradient_scale": scale, "init": "independent" if self.is_full and is_ako else "shared"},
            "wire": {"model_bytes": "17053736B"},
            "compute": {"seconds_per_batch": "340ms", "jitter": 0.1},
            "algorithm": algorithm,
            "stop": stop or {"time": "300s"},
            "evaluate": others.get("evaluate", every),
            "record": {"iterations": False}}

    def system_on(self, network: Network, workers: int, system: System, *, scale: str = "mean",
                  **others: Any) -> dict[str, Any]:
        """`scale` is Ako's: a worker takes one step of Adam; a server takes a whole one for every gradient."""
        if system == CENTRALIZED:
            return self.run(star(network, workers), {"name": "ps_async"}, is_ako=False, scale="sum", **others)
        return self.run(star(network, workers), self.ako(system, workers), is_ako=True, scale=scale, **others)

    def to_target(self, network: Network, system: System, **others: Any) -> dict[str, Any]:
        """Two workers on a uniform network, until they reach the target."""
        every = "1s" if network.is_lan or not self.is_full else "5s"
        samples = {"samples": 1000} if self.is_full else {}
        look: dict[str, Any] = {"every": every, **samples, "target_accuracy": [self.target]}
        return self.system_on(network, 2, system, stop={"time": "3000s", "accuracy": self.target}, evaluate=look, **others)


def star(network: Network, workers: int) -> dict[str, Any]:
    """Workers have fast, medium, slow and again fast links; the server's, the last, is fast."""
    fast, medium, slow = (f"{mbps}Mbps" for mbps in network.mbps)
    return {"topology": "star", "workers": workers, "servers": 1,
            "bandwidth": [*[fast, medium, slow, fast][:workers], fast], "latency": network.latency,
            "network": {"model": "TCP"}}


@study.build
def build(s: Study) -> None:
    settings = Settings(s.size, s.data)
    is_full = settings.is_full
    s.seeds = (1,) if is_full else (1, 2, 3, 4, 5)
    add_tables(s, is_full)

    target = settings.target
    steps_to_target = rows("curve", lambda t: t.iteration * 2, first, among=lambda t: t.test_accuracy >= target,
                           worker="mean")

    for network in NETWORKS:
        for workers in WORKERS:
            for system in SYSTEMS:
                at = (network.name, workers, system.name)
                figures: Readings = {("accuracy", *at): final_accuracy(3), ("fluctuation", *at): fluctuation}
                if not is_full:
                    figures["gradients", *at] = measure("iterations")
                s.cell(f"{network.slug}_{workers}_{system.slug}", settings.system_on(network, workers, system), figures,
                       cost=system.cost(network, workers))
    for network in (NETWORKS[0], NETWORKS[2]):
        for system in (CENTRALIZED, P4):
            s.cell(f"{network.slug}_2_{system.slug}_to_target", settings.to_target(network, system),
                   {("time_to_target", network.name, system.name): measure(f"time_to_accuracy_s.{target}"),
                    ("steps_to_target", network.name, system.name): steps_to_target}, cost=300)
    if is_full:
        alone = {"topology": "star", "workers": 1, "bandwidth": "800Mbps"}
        s.cell("alone", settings.run(alone, "single", is_ako=False, scale="sum"),
               {("alone", "none", 1, "one machine alone"): final_accuracy(3)}, cost=882)
        network, rate = NETWORKS[0], 0.0003
        for workers in (2, 4):  # an experiment
            s.read(f"{network.slug}_{workers}_ps", {("server_rate", workers, 0.001): final_accuracy(3)})
            s.cell(f"{network.slug}_{workers}_ps_rate_{rate}",
                   settings.system_on(network, workers, CENTRALIZED, optimizer={"type": "adam", "learning_rate": rate}),
                   {("server_rate", workers, rate): final_accuracy(3)}, cost=CENTRALIZED.cost(network, workers))
        return

    # Experiments.
    for network in (NETWORKS[0], NETWORKS[2]):
        for rate in (0.05, 0.1):
            for system in (CENTRALIZED, P4):
                s.cell(f"{network.slug}_2_{system.slug}_to_target_sgd_{rate}",
                       settings.to_target(network, system, scale="sum", optimizer={"type": "sgd", "learning_rate": rate}),
                       {("plain_sgd", network.name, rate, system.name): steps_to_target})
    for workers in WORKERS:
        for system in SYSTEMS:
            s.cell(f"slower_lan_{workers}_{system.slug}", settings.system_on(SLOWER_LAN, workers, system),
                   {("slower_lan", workers, system.name): final_accuracy(3)}, cost=system.cost(SLOWER_LAN, workers))
    for network in NETWORKS:
        for workers in WORKERS:
            s.cell(f"{network.slug}_{workers}_ps_sync", settings.run(star(network, workers), "ps_sync", is_ako=False),
                   {("readings", network.name, workers, "centralized, synchronous"): final_accuracy(3)})
    for network in NETWORKS:
        for workers in WORKERS:
            for system, receive_time in ((P1, "100ms"), (VARIOUS, "33ms"), (P4, "25ms")):
                ako = settings.ako(system, workers)
                ako["tf_ako"] = {"publish": "blocking", "receive_time": receive_time}
                column = f"{system.name}, received in 100 ms a model"
                s.cell(f"{network.slug}_{workers}_{system.slug}_received",
                       settings.run(star(network, workers), ako, is_ako=True),
                       {("readings", network.name, workers, column): final_accuracy(3)},
                       seeds=(1, 2, 3))


def add_tables(s: Study, is_full: bool) -> None:
    evaluations, between = ("260, 280", "20 s") if is_full else ("280, 290", "10 s")
    cell = ["network", "workers"]
    s.table("accuracy", f"Accuracy after 300 s, mean of the last three evaluations ({evaluations}, 300 s), %", cell,
            "system", half_width_of_one=3.1 if is_full else 0.0)
    if is_full:
        s.table("alone", "One machine alone, accuracy after 300 s as above, %", cell, "system")
        s.table("server_rate", "Experiment: the server on the uniform LAN by its learning rate, accuracy after 300 s, %",
                ["workers"], "rate", on_page=True)
    s.table("time_to_target", "Time to the target accuracy with two workers, s", ["network"], "system", 0)
    s.table("steps_to_target", "Steps of both workers to the target", ["network"], "system", 0)
    s.table("fluctuation", f"Fluctuation of a replica's accuracy curve, points per {between}", cell, "system", 2)
    if is_full:
        return
    s.table("gradients", "Gradients of all workers in 300 s", cell, "system", 0)
    s.table("plain_sgd", "Experiment: steps of both workers to the target with plain SGD instead of Adam",
            ["network", "rate"], "system", 0)
    s.table("readings", "Experiment: other readings of the source, accuracy after 300 s, %", cell, "system")
    s.table("slower_lan", "Experiment: accuracy on the heterogeneous LAN with a tenth of its bandwidth (80/40/20 Mbit/s), %",
            ["workers"], "system")


# --- claims ---


@dataclass(frozen=True)
class Accuracies:
    """After 300 s, in per cent, on one network with one number of workers."""
    figures: Figures
    network: str
    workers: int

    @property
    def centralized(self) -> Number:
        return self._of(CENTRALIZED)

    @property
    def p1(self) -> Number:
        return self._of(P1)

    @property
    def various(self) -> Number:
        return self._of(VARIOUS)

    @property
    def p4(self) -> Number:
        return self._of(P4)

    def _of(self, system: System) -> Number:
        return self.figures("accuracy", self.network, self.workers, system.name)


def accuracies(f: Figures, networks: tuple[str, ...] = ALL, workers: tuple[int, ...] = WORKERS) -> Iterator[Accuracies]:
    for network in networks:
        for number in workers:
            yield Accuracies(f, network, number)


def in_most(f: Figures, networks: tuple[str, ...], case: Callable[[Accuracies], Condition], at_least: int,
            published: int) -> tuple[Condition, str]:
    cases = [case(one) for one in accuracies(f, networks)]
    return count(cases) >= at_least, f"{count(cases)} of {len(cases)} (published: {published})"


@study.claim("published", "falls", "(a) accuracy falls as workers are added",
             accepted="14 of 16, for bars were read to half a point")
def _falls(f: Figures) -> tuple[Condition, str]:
    cases = [f("accuracy", network, 4, system.name) < f("accuracy", network, 2, system.name)
             for network in ALL for system in SYSTEMS]
    return count(cases) >= 14, f"{count(cases)} of {len(cases)} (published: 16)"


@study.claim("published", "equal on the uniform LAN", "(b) on the uniform LAN centralized and Ako are about equal",
             accepted="within 5 points")
def _equal(f: Figures) -> tuple[Condition, str]:
    gains = [one.p4 - one.centralized for one in accuracies(f, ("uniform LAN",))]
    return (every(abs(gain) <= 5 for gain in gains),
            " ".join(f"{gain:+.1f}" for gain in gains) + " points with 2, 3, 4 workers (published: -1.6 +0.4 +2.4)")


@study.claim("published", "P=4 leads", "(c) on other networks P=4 beats centralized in most cases",
             accepted="more than half")
def _p4_leads(f: Figures) -> tuple[Condition, str]:
    return in_most(f, OTHERS, lambda one: one.p4 > one.centralized, 5, published=9)


@study.claim("published", "various P leads", "(c) there various P beats centralized in most cases",
             accepted="more than half")
def _various_leads(f: Figures) -> tuple[Condition, str]:
    return in_most(f, OTHERS, lambda one: one.various > one.centralized, 5, published=9)


@study.claim("published", "largest P best", "(c) there the largest P is the best setting of Ako in most cases",
             accepted="more than half")
def _largest_best(f: Figures) -> tuple[Condition, str]:
    return in_most(f, OTHERS, lambda one: one.p4 >= largest(one.p1, one.various), 5, published=7)


@study.claim("published", "P=1 worst", "(d) P=1 is the worst of all four settings in most cases", accepted="more than half")
def _p1_worst(f: Figures) -> tuple[Condition, str]:
    return in_most(f, ALL, lambda one: one.p1 <= least(one.centralized, one.various, one.p4), 7, published=10)


@study.claim("published", "various P close to best", "(e) various P is best or close to best in most cases",
             accepted="more than half, within 4.5 points of the best")
def _various_close(f: Figures) -> tuple[Condition, str]:
    return in_most(f, ALL, lambda one: one.various >= largest(one.centralized, one.p1, one.p4) - 4.5, 7, published=10)


@study.claim("published", "centralized fluctuates", "(f) the accuracy curve of centralized fluctuates more",
             accepted="9 of 12, against a replica of P=4")
def _fluctuates(f: Figures) -> tuple[Condition, str]:
    def curves(network: str, workers: int) -> tuple[Number, Number]:
        return f("fluctuation", network, workers, "centralized"), f("fluctuation", network, workers, "P=4")
    cases = [centralized > p4 for centralized, p4 in (curves(network, workers) for network in ALL for workers in WORKERS)]
    (lan, lan4), (wan, wan4) = curves("uniform LAN", 2), curves("uniform WAN", 2)
    return (count(cases) >= 9,
            f"{count(cases)} of {len(cases)}; in the source's, uniform with two workers: LAN {lan:.2f} against {lan4:.2f} "
            f"of P=4, WAN {wan:.2f} against {wan4:.2f}")


def at_target(f: Figures, quantity: str, network: str) -> tuple[Number, Number]:
    return f(f"{quantity}_to_target", network, "centralized"), f(f"{quantity}_to_target", network, "P=4")


@study.claim("published", "iterations on the WAN", "WAN: the centralized system needs more iterations to the target",
             accepted="by both readings")
def _iterations_wan(f: Figures) -> tuple[Condition, str]:
    centralized, p4 = at_target(f, "steps", "uniform WAN")
    return ((centralized > p4) & (centralized > p4 / 2),
            f"{centralized:.0f} against {p4:.0f} of all workers', {centralized:.0f} against {p4 / 2:.0f} of one worker's "
            "(published: 139 against 88)")


@study.claim("published", "iterations on the LAN", "LAN: P=4 needs more", accepted="likewise")
def _iterations_lan(f: Figures) -> tuple[Condition, str]:
    centralized, p4 = at_target(f, "steps", "uniform LAN")
    return ((p4 > centralized) & (p4 / 2 > centralized),
            f"{p4:.0f} of all workers' against {centralized:.0f}, {p4 / 2:.0f} of one worker's against {centralized:.0f} "
            "(published: 109 against 89)")


@study.claim("published", "time on the WAN", "WAN, two workers: P=4 reaches the target 3.5 times as soon",
             accepted="2.5 times or more")
def _time_wan(f: Figures) -> tuple[Condition, str]:
    centralized, p4 = at_target(f, "time", "uniform WAN")
    return centralized / p4 >= 2.5, f"{centralized / p4:.2f} times ({p4:.0f} s against {centralized:.0f})"


@study.claim("published", "time on the LAN", "LAN: at about the same time", accepted="within 20 %")
def _time_lan(f: Figures) -> tuple[Condition, str]:
    centralized, p4 = at_target(f, "time", "uniform LAN")
    return ((centralized / p4).within(1 / 1.2, 1.2),
            f"{centralized / p4:.2f} times ({p4:.0f} s against {centralized:.0f}; published: 0.95)")


@study.claim("check", "P=1 lowest of Ako", "off the uniform LAN P=1 is the lowest setting of Ako", accepted="8 of 9")
def _p1_lowest(f: Figures) -> tuple[Condition, str]:
    return in_most(f, OTHERS, lambda one: one.p1 <= least(one.various, one.p4), 8, published=9)


@study.claim("check", "P=1 as computed", "P=1 is below centralized where the links' arithmetic says so",
             accepted="everywhere")
def _p1_computed(f: Figures) -> tuple[Condition, str]:
    cases = [one.p1 < one.centralized for one in accuracies(f, ("hetero LAN", "hetero WAN"), (3, 4))]
    return every(cases), f"{count(cases)} of {len(cases)}"


@study.claim("check", "P=1 as published", "P=1 is above or below centralized as published, cell by cell",
             accepted="10 of 12")
def _p1_published(f: Figures) -> tuple[Condition, str]:
    cases = {f"{one.network} with {one.workers}":
             (one.p1 - one.centralized) * (one.p1.published - one.centralized.published) > 0 for one in accuracies(f)}
    others = ", ".join(name for name, case in cases.items() if not case.holds)
    holding = count(list(cases.values()))
    return holding >= 10, f"{holding} of {len(cases)}" + (f"; not: {others}" if others else "")


@study.claim("check", "gains on the heterogeneous LAN",
             "P=4 is above centralized on the heterogeneous LAN by as much as published",
             accepted="half of each gain or more")
def _gains(f: Figures) -> tuple[Condition, str]:
    gains = [one.p4 / one.centralized for one in accuracies(f, ("hetero LAN",))]
    published = [one.p4.published / one.centralized.published for one in accuracies(f, ("hetero LAN",))]
    return (every(gain - 1 >= (other - 1) / 2 for gain, other in zip(gains, published)),
            ", ".join(f"{gain:.2f}" for gain in gains) + " times with 2, 3, 4 workers (published: 1.70, 1.43, 1.19)")


@study.claim("check", "order of all cells", "the order of all 48 cells is the published one",
             accepted={"full": "0.9 or more", "else": "0.85 or more, for the task is another"})
def _order(f: Figures) -> tuple[Condition, str]:
    of_all, of_others = f.rank_correlation("accuracy"), f.rank_correlation("accuracy", without="hetero LAN")
    return (of_all >= (0.9 if f.size == "full" else 0.85),
            f"Spearman {of_all:.3f}; {of_others:.3f} without the heterogeneous LAN")


@study.claim("input", "seconds an iteration", "on the uniform LAN an iteration of Ako takes 0.385 s",
             accepted="within 5 %, for 109 iterations of one worker in 42 s")
def _seconds(f: Figures) -> tuple[Condition, str]:
    seconds = at_target(f, "time", "uniform LAN")[1] / (at_target(f, "steps", "uniform LAN")[1] / 2)
    return abs(seconds / 0.385 - 1) <= 0.05, f"{seconds:.3f} s"
