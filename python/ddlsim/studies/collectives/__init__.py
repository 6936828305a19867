"""Collectives that others measured or modelled: INTELLECT-1's, and NCCL's tree against its ring."""
from __future__ import annotations

from ..number import Condition, Number, count, every
from ..readings import measure
from ..study import Definition, Figures, Study
from ..timing import star, timed

study = Definition(
    __file__,
    what="all-reduces: INTELLECT-1's, and where NCCL's tree gives way to its ring",
    title="Collectives that others measured or modelled",
    source="INTELLECT-1 (arXiv 2412.01152, table 2), NCCL's cost model (`src/graph/tuning.cc`)")

INTELLECT = {"USA": "1442.44Mbps", "USA and Europe": "388.93Mbps", "USA, Europe and Asia": "316.78Mbps"}
CROSSINGS = {  # bytes at half and twice the two crossings, by workers
    8: {"half N*": 800000, "twice N*": 3200000, "half ours": 47058, "twice ours": 188235},
    16: {"half N*": 4400000, "twice N*": 17600000, "half ours": 89795, "twice ours": 359183},
    32: {"half N*": 20800000, "twice N*": 83200000, "half ours": 161240, "twice ours": 644961},
}


@study.build
def build(s: Study) -> None:
    s.table("utilisation", "Compute utilisation", ["nodes"], "", 1, on_page=True)
    s.table("seconds", "Seconds of an all-reduce around NCCL's crossing", ["workers", "bytes"], "collective", 6)

    for nodes, bandwidth in INTELLECT.items():
        s.cell(f"utilisation_{nodes}",
               {**timed(star(14, bandwidth, "0s", model="CM02"), 10_000_000_000, {"name": "diloco", "sync_every": 100}, 300,
                        "22.8s"), "record": {"iterations": False}},
               {("utilisation", nodes, "%"): measure("compute_utilisation", 0.01)})
    for workers, sizes in CROSSINGS.items():
        for size, size_bytes in sizes.items():
            for collective in ("ring", "tree"):
                s.cell(f"crossing_{workers}_{size}_{collective}",
                       timed(star(workers, "80Gbps", "5us", model="CM02"), size_bytes, f"{collective}_allreduce", 1),
                       {("seconds", workers, size, collective): measure("simulated_seconds")})


@study.claim("published", "utilisation of INTELLECT-1", "INTELLECT-1: utilisation follows from the time of an all-reduce",
             accepted="within half a point")
def _utilisation(f: Figures) -> tuple[Condition, str]:
    found = [it for _, it in f.published("utilisation")]
    return (every(abs(it - it.published) <= 0.5 for it in found),
            ", ".join(f"{it:.1f} %" for it in found) + " (published: 95.7, 85.6, 83.0)")


@study.claim("published", "NCCL's crossing",
             "NCCL: below N* the tree is quicker, above it the ring, for 8, 16 and 32 workers",
             accepted="at half and twice N*")
def _nccl(f: Figures) -> tuple[Condition, str]:
    return crossing(f, "N*")


@study.claim("check", "crossing of a binomial tree",
             "a binomial tree, which sends the whole vector at each of its levels, gives way to the ring at "
             "a W (n - 1 - log2 n) / (log2 n - (n - 1) / n)", accepted="at half and twice these bytes")
def _binomial(f: Figures) -> tuple[Condition, str]:
    return crossing(f, "ours")


def crossing(f: Figures, place: str) -> tuple[Condition, str]:
    def seconds(workers: int, side: str, collective: str) -> Number:
        return f("seconds", workers, f"{side} {place}", collective)
    cases = [(seconds(workers, "half", "tree") < seconds(workers, "half", "ring")) &
             (seconds(workers, "twice", "tree") > seconds(workers, "twice", "ring")) for workers in CROSSINGS]
    return every(cases), f"{count(cases)} of {len(cases)}"
