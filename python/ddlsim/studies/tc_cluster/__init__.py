"""Collectives and transfers of NCCL and Gloo between nodes of set delay and rate, against how long they took."""
from __future__ import annotations

from itertools import product
from typing import Any

from ..number import Condition, Number, count, every, mean_size, worst
from ..readings import Reading, rows
from ..study import Definition, Figures, Json, Study
from ..timing import errors, star, timed

study = Definition(
    __file__,
    what="NCCL's and Gloo's all-reduces, sharded servers and transfers between nodes of which delay and rate were set",
    title="Collectives under tc (authors of DT-FM, 2022)",
    source="github.com/BinhangYuan/tc_cluster_setting at 75581a5, results/*.md: 4 to 32 nodes of EC2, one GPU each, "
           "float32; netem on each node's egress sets the delay one way and the rate; MB there is 2^20 bytes")

NODES, SIZES = ("4", "8", "16", "32"), ("128", "256")  # MiB
GROUPS, SIZES_OF_GROUPS = ("4", "8", "16"), ("256", "1024")
SHAPED = (("1", "5"), ("5", "2"), ("10", "1"))          # ms one way, Gbit/s
UNSHAPED = ("", "")
FARTHEST = ("50", "1")
SENT_BY_TWO = (UNSHAPED, ("1", ""), ("5", ""), ("10", ""), ("", "5"), ("", "2"), ("", "1"), *SHAPED)
UNSHAPED_GBPS = "9.59"  # of a transfer of NCCL: 128 MiB in 0.112 s
BUFFER: Json = {"tcp_window": "4194304B"}  # NCCL's for a neighbour in a ring bounds what is under way
SOCKETS: Json = {"connections": 16}        # NCCL's on EC2 between two nodes: two threads of eight
RING = {"name": "ring_allreduce", "slice_bytes": "1048576B"}  # two of the eight steps of its buffer
WHOLE_CHUNKS = {"name": "ring_allreduce", "slice_bytes": "0B"}
LIBRARIES: dict[str, tuple[str, Json, Json]] = {
    "NCCL by CM02": ("nccl", RING, {"model": "CM02"}), "NCCL by TCP": ("nccl", RING, {"model": "TCP", **BUFFER}),
    "Gloo by TCP": ("gloo", WHOLE_CHUNKS, {"model": "TCP"})}
OVER: dict[str, Json] = {"NCCL": SOCKETS, "Gloo": {}}  # connections of a transfer
CALLED = {"all-reduces": "dp_allreduce", "sharded servers": "dp_sharded_ps"}


@study.build
def build(s: Study) -> None:
    row = ["nodes", "MiB", "ms one way", "Gbit/s"]
    s.table("allreduce", "Seconds of an all-reduce", row, "library", 3, reference="measured", on_page=True)
    s.table("groups", "Seconds of a vector's exchange in as many parts as nodes, TCP", row, "by", 2,
            reference="measured")
    s.table("transfers", "Seconds of a transfer, TCP", row[1:], "library", 3, reference="measured")
    found = {tuple(line.values())[:-1]: [float(line["seconds"])] for line in study.lines("measured.csv")}
    for size, nodes, link in product(SIZES, NODES, (*SHAPED, UNSHAPED)):
        for column, (library, algorithm, network) in LIBRARIES.items():
            s.cell("_".join((column, nodes, size, *link)),
                   timed(among(nodes, link, **network), int(size) << 20, algorithm, 3),
                   {("allreduce", nodes, size, *link, column): seconds_from(1)},
                   published=found.get(("allreduce", library, nodes, size, *link), ()))
    for size, nodes, link in product(SIZES_OF_GROUPS, GROUPS, (UNSHAPED, *SHAPED, FARTHEST)):
        parts, whole = int(nodes), int(size) << 20
        for column, scenario, seconds in (
                ("all-reduces", timed(among(nodes, link, model="TCP", **BUFFER), whole // parts, RING, 2 * parts),
                 seconds_from(parts, parts)),
                ("sharded servers", timed(among(nodes, link, model="TCP", **SOCKETS), whole, "butterfly_allreduce", 3),
                 seconds_from(1))):
            s.cell("_".join((column, nodes, size, *link)), scenario, {("groups", nodes, size, *link, column): seconds},
                   published=found.get((CALLED[column], "nccl", nodes, size, *link), ()))
    for size, link in product(("64", "128"), SENT_BY_TWO):
        for library, over in OVER.items():
            s.cell("_".join(("transfer", library, size, *link)),
                   timed(among("2", link, model="TCP", **over), int(size) << 20, "tree_allreduce", 3),
                   {("transfers", size, *link, library): seconds_from(1, 0.5)},
                   published=found[("p2p", library.lower(), "2", size, *link)])


def among(nodes: str, link: tuple[str, str], **network: Any) -> Json:
    delay, gbps = link
    return star(int(nodes), f"{gbps or UNSHAPED_GBPS}Gbps", f"{delay or 0.1}ms", **network)


def seconds_from(first: int, times: float = 1.0) -> Reading:
    """Mean seconds of the steps from the first counted on, when windows have grown, times a factor."""
    return rows("iterations", lambda t: times * (t.end_s - t.start_s), among=lambda t: t.iteration >= first)


def _nccl(column: str, percent: int) -> None:
    @study.claim("published", column,
                 f"{column}: every all-reduce between nodes of set delay and rate takes as long as measured",
                 accepted=f"each within {percent} %")
    def _(f: Figures) -> tuple[Condition, str]:
        off = errors(f, "allreduce", {"library": column, "Gbit/s": [gbps for _, gbps in SHAPED]})
        return abs(worst(off)) <= percent, f"{mean_size(off):.1f} % in {len(off)}, worst {worst(off):+.1f} %"


_nccl("NCCL by CM02", 5)
_nccl("NCCL by TCP", 10)


def all_near(off: list[Number]) -> tuple[Condition, str]:
    near = [abs(error) <= 10 for error in off]
    return every(near), f"{count(near):.0f} of {len(near)}; {mean_size(off):.0f} % on average, worst {worst(off):+.0f} %"


def _groups(column: str, text: str) -> None:
    @study.claim("published", column, text, accepted="each within 10 %, as of one all-reduce")
    def _(f: Figures) -> tuple[Condition, str]:
        return all_near(errors(f, "groups", {"by": column}))


_groups("all-reduces", "a vector in as many parts as nodes, all-reduced one after the other")
_groups("sharded servers", "a vector in as many parts as nodes, each summed by one of them and sent back to all")


@study.claim("published", "quicker", "which of the two is the quicker turns with delay, nodes and size",
             accepted="as measured wherever they are 5 % apart or more")
def _quicker(f: Figures) -> tuple[Condition, str]:
    sums = {tuple(labels.values())[:-1]: it for labels, it in f.published("groups", {"by": "all-reduces"})}
    cases = []
    for labels, servers in f.published("groups", {"by": "sharded servers"}):
        ratio = sums[tuple(labels.values())[:-1]] / servers
        if abs(ratio.published.value - 1) >= 0.05:
            cases.append((ratio > 1) if ratio.published.value > 1 else (ratio < 1))
    return every(cases), f"{count(cases):.0f} of {len(cases)}"


@study.claim("published", "transfers", "a transfer of NCCL, over 16 sockets, takes as long as measured",
             accepted="each within 10 %")
def _transfers(f: Figures) -> tuple[Condition, str]:
    return all_near(errors(f, "transfers", {"library": "NCCL"}))


@study.claim("input", "window",
             "a transfer of Gloo over one connection takes as long as measured, 5 and 10 ms away and with no rate set: the default window is from these four, among others", accepted="each within 10 %")
def _window(f: Figures) -> tuple[Condition, str]:
    off = errors(f, "transfers", {"library": "Gloo", "ms one way": ("5", "10"), "Gbit/s": ""})
    return abs(worst(off)) <= 10, ", ".join(f"{error:+.0f} %" for error in off)
