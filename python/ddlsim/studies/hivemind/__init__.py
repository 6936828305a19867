"""Averagings of hivemind in one zone, over two to four continents and over two clouds, against how long they took.

What hivemind itself costs is read from its runs in one zone and holds everywhere. There the network takes a tenth of an
averaging, so that its seconds W are work of the machines: encoding, summing, decoding. Over distances a machine works W
of an averaging's T seconds, and waits for the network otherwise. Data that arrive while it waits cost no more; those
that arrive while it works, a share W/T, wait for that work: T = D + W W/T, with the network's D, which is simulated. So
T = D/2 + sqrt(D^2/4 + W^2).
"""
from __future__ import annotations

import math
from collections.abc import Sequence

from ..number import Condition, Number, mean_size, worst
from ..readings import FinishedRun, Reading, goes_into, mean, rows
from ..study import Definition, Figures, Readings, Study
from ..timing import errors, measured, timed

study = Definition(
    __file__,
    what="averagings of hivemind over one to four continents and two clouds, on platforms as they were measured",
    title="hivemind over continents and clouds (Erben et al., VLDB 2024)",
    source="github.com/cirquit/hivemind-multi-cloud at 654cc02: logs of training, by the rule of its notebook 03 (an "
           "averaging is an optimizer step longer than the median and two standard deviations; the first epoch is dropped), "
           "tables and logs of iperf and ping")

BYTES = {"CV": 2 * 197_800_000, "NLP": 2 * 560_100_000}  # float16: ConvNextLarge, RoBERTa-XLM
MACHINES: dict[str, dict[str, int]] = {
    "A-2": {"US": 2}, "A-3": {"US": 3}, "A-4": {"US": 4}, "A-6": {"US": 6}, "A-8": {"US": 8},
    "B-2": {"US": 1, "EU": 1}, "B-4": {"US": 2, "EU": 2}, "B-6": {"US": 4, "EU": 2}, "B-8": {"US": 4, "EU": 4},
    "C-3": {"US": 1, "EU": 1, "ASIA": 1}, "C-4": {"US": 1, "EU": 1, "ASIA": 1, "AUS": 1},
    "C-6": {"US": 2, "EU": 2, "ASIA": 2}, "C-8": {"US": 2, "EU": 2, "ASIA": 2, "AUS": 2},
    "D-2": {"GC": 2, "AWS": 2}, "D-3": {"GC": 2, "AZURE": 2}}
ONE_EACH = ("B-2", "C-3", "C-4")
DISTANT = tuple(name for name in MACHINES if name[0] in "BC")
CLOUDS = ("D-2", "D-3")
WITH_OWN = "with hivemind's own work"
DRAWS = 4      # of the network
IPERF_S = 600  # long enough that slow start counts for nothing, which rates that were entered have in them


@study.build
def build(s: Study) -> None:
    s.platforms.append(study.folder / "hivemind.csv")
    s.table("averagings", "Seconds of an averaging", ["model", "experiment", "machines"], "", 2, reference="measured",
            on_page=True)
    s.table("streams", "Mbit/s of parallel connections", ["from", "to"], "streams", 0, reference="measured",
            on_page=True)
    found = {(line["model"], line["experiment"]): float(line["seconds"]) for line in study.lines("measured.csv")}
    for model in BYTES:
        for name, sites in MACHINES.items():
            place = ("averagings", model, name, " ".join(f"{site}{machines}" for site, machines in sites.items()))
            figures: Readings = {(*place, "network"): WAITING}
            if name[0] != "A":
                figures[(*place, WITH_OWN)] = with_own_work(found[model, f"A-{sum(sites.values())}"])
            scenario = timed(measured("hivemind.csv", sites), BYTES[model], "butterfly_allreduce", 2, "60s")
            s.cell(f"{model}_{name}", scenario, figures, draws=DRAWS,
                   published=[found[model, name]] if (model, name) in found else ())
    for line in study.lines("streams.csv"):
        there, back, streams = line["from"], line["to"], int(line["streams"])
        size = int(float(line["mbps"]) * 1e6 / 8 * IPERF_S)
        platform = measured("hivemind.csv", {there: 1, back: 1}, connections=streams)
        s.cell(f"{there}_{back}_{streams}", timed(platform, size, "tree_allreduce", 1),  # to the root, then back
               {("streams", there, back, streams): goes_into(2 * size * 8 / 1e6, "simulated_seconds")}, draws=DRAWS,
               published=[float(line["mbps"])])


# Windows have shrunk when an averaging begins, a minute after the one before.
WAITING: Reading = rows("iterations", lambda t: t.end_s - t.start_s - t.compute_s, mean)


def beside_own_work(network_s: float, own_s: float) -> float:
    return network_s / 2 + math.sqrt(network_s**2 / 4 + own_s**2)


def with_own_work(own_s: float) -> Reading:
    def reading(run: FinishedRun) -> float | None:
        network_s = WAITING(run)
        return None if network_s is None else beside_own_work(network_s, own_s)
    return reading


def errors_of(f: Figures, experiments: Sequence[str]) -> list[Number]:
    """With hivemind's own work."""
    return errors(f, "averagings", {"experiment": experiments, "": WITH_OWN})


@study.claim("published", "one machine a region",
             "one machine on each of two to four continents: every averaging takes as long as measured",
             accepted="each within 13 %, 6 % on average")
def _one(f: Figures) -> tuple[Condition, str]:
    off = errors_of(f, ONE_EACH)
    return (abs(worst(off)) <= 13) & (mean_size(off) <= 6), ", ".join(f"{error:+.1f} %" for error in off)


@study.claim("published", "continents", "one to four machines on each of two to four continents",
             accepted="15 % on average")
def _continents(f: Figures) -> tuple[Condition, str]:
    off = errors_of(f, DISTANT)
    return mean_size(off) <= 15, f"{mean_size(off):.1f} % in {len(off)} averagings, worst {worst(off):+.0f} %"


@study.claim("published", "two clouds", "two machines on each of two clouds", accepted="15 % on average")
def _clouds(f: Figures) -> tuple[Condition, str]:
    off = errors_of(f, CLOUDS)
    return mean_size(off) <= 15, ", ".join(f"{error:+.1f} %" for error in off)


def _streams(name: str, there: str, back: str) -> None:
    @study.claim("published", f"streams {name}",
                 f"5, 10 and 20 connections {name} get what one connection's window and the route's most, of 80, "
                 "let expect",
                 accepted="each within 5 %")
    def _(f: Figures) -> tuple[Condition, str]:
        off = [100 * (it / it.published - 1) for it in (f("streams", there, back, streams) for streams in (5, 10, 20))]
        return abs(worst(off)) <= 5, ", ".join(f"{error:+.1f} %" for error in off)


_streams("from Europe to the USA", "EU", "US")
_streams("from the authors' cluster to Europe", "HOME", "EU")
_streams("from the authors' cluster to the USA", "HOME", "US")
