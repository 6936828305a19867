"""At which bandwidth two workers compute most of the time, by the tables of Streaming DiLoCo and of Charles et al."""
from __future__ import annotations

from functools import cache
from typing import Any

from ..number import Condition, count, every
from ..readings import measure
from ..study import Definition, Figures, Study

study = Definition(
    __file__,
    what="at which bandwidth workers compute most of the time: data parallel, DiLoCo, Streaming DiLoCo",
    title="Bandwidth for a compute utilisation (Streaming DiLoCo, 2025; Charles et al., 2025)",
    source="arXiv 2501.18512, table 4, and 2503.09799, table 6: 150 bandwidths, all from the grid logspace(-1, 3, 50), each "
           "the first at which two replicas reach a share of computing time")

LABELS = ("step_times", "paper", "model", "scheme", "H", "percent")  # of a published bandwidth, in cells.csv
PLACES = {"two below": "two_below", "one below": "one_below", "at": "at", "one above": "one_above"}  # in the grid


@cache
def cells() -> list[dict[str, str]]:
    """The published bandwidths with their neighbours in the grid, in Gbit/s, and what they are for."""
    return sorted(study.lines("cells.csv"), key=lambda cell: (
        cell["step_times"], cell["paper"], cell["model"], cell["scheme"], int(cell["H"]), float(cell["percent"])))


@study.build
def build(s: Study) -> None:
    s.table("utilisation", "Share of computing time", ["step times", *LABELS[1:]], "place in the grid", 4)
    for cell in cells():
        for place, column in PLACES.items():
            name = "_".join([cell["paper"], cell["step_times"], *(cell[label] for label in LABELS[2:]), place])
            s.cell(name, scenario(cell, cell[column]),
                   {("utilisation", *(cell[label] for label in LABELS), place): measure("compute_utilisation")})


def scenario(cell: dict[str, str], gbps: str) -> dict[str, object]:
    return {"platform": {"topology": "star", "workers": 2, "bandwidth": f"{gbps}Gbps", "latency": "0s",
                         "network": {"model": "CM02"}},
            "model": "none",
            "wire": {"model_bytes": f"{cell['model_gb']}GB"},
            "compute": {"seconds_per_batch": f"{cell['step_s']}s", "jitter": 0, "layers": int(cell["layers"])},
            "algorithm": algorithm(cell["scheme"], int(cell["H"]), int(cell["P"])),
            "stop": {"iterations": int(cell["steps"])},
            "record": {"iterations": False}}


def algorithm(scheme: str, sync_every: int, fragments: int) -> dict[str, Any]:
    if scheme == "data parallel":
        return {"name": "ring_allreduce", "overlap": "layers"}
    found: dict[str, Any] = {"name": "diloco", "sync_every": sync_every}
    if scheme.startswith("streaming"):
        found["fragments"] = fragments
    if "overlapped" in scheme:
        found["fragment_sync_delay"] = 1
    if "4 bits" in scheme:
        found["codec"] = {"type": "e3m0"}
    return found


def reached(f: Figures, paper: str, times: str, before: str, there: str) -> list[Condition]:
    """For each published bandwidth: whether its share is reached at `there` in the grid, and not yet at `before`."""
    cases = []
    for cell in cells():
        if (cell["paper"], cell["step_times"]) != (paper, times):
            continue
        shares = [100 * f("utilisation", *(cell[label] for label in LABELS), place) for place in (before, there)]
        percent = float(cell["percent"])
        cases.append((shares[0] < percent) & (shares[1] >= percent))
    return cases


def _claims_of(paper: str, short: str, times: str, steps: str) -> None:
    @study.claim("published", f"{short}, {times}",
                 f"{paper}: every bandwidth is the published one or next to it in the grid, {steps}", accepted="all")
    def _(f: Figures) -> tuple[Condition, str]:
        cases = reached(f, paper, times, "two below", "one above")
        return every(cases), f"{count(cases)} of {len(cases)}"


def _exact(paper: str, short: str, least: int) -> None:
    @study.claim("check", f"{short}, times 1.2, exact",
                 f"{paper}: as many bandwidths are exact, steps 1.2 times as long, as in a small program of these tasks "
                 "alone",
                 accepted=f"at least {least}")
    def _(f: Figures) -> tuple[Condition, str]:
        cases = reached(f, paper, "times 1.2", "one below", "at")
        return count(cases) >= least, f"{count(cases)} of {len(cases)}"


for _paper, _short, _least in (("Streaming DiLoCo", "streaming", 66), ("Charles et al.", "charles", 34)):
    _claims_of(_paper, _short, "as printed", "steps as printed")
    _claims_of(_paper, _short, "times 1.2", "steps 1.2 times as long")
    _exact(_paper, _short, _least)
