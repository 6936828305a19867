"""Measured rates between ten regions of EC2: that messages get them, and what they say of more connections."""
from __future__ import annotations

from typing import Any

from ..number import Condition, count, every, mean_size, worst
from ..readings import goes_into
from ..study import Definition, Figures, Readings, Study
from ..timing import errors, measured, timed

study = Definition(
    __file__,
    what="ten regions of EC2: that messages get measured connections' rates, and what these say of more connections",
    title="Connections between ten regions of EC2 (authors of DT-FM, 2022)",
    source="github.com/BinhangYuan/tc_cluster_setting at 75581a5, results/p2p.md: NCCL over 4 threads of 4 sockets through "
           "a VPN, each direction, with pings; iperf3 with 32 streams between public addresses to Oregon, and through the VPN")

MATRIX = "../../../../platforms/ec2_connections.csv"
BYTES = 100_000_000_000  # slow start counts for nothing, which rates that were entered have in them
SOCKETS, STREAMS = 16, 32


@study.build
def build(s: Study) -> None:
    s.platforms.append((study.folder / MATRIX).resolve())
    s.table("pairs", "Mbit/s of 16 connections, mean of both directions", ["one", "other"], "", 0, reference="measured")
    s.table("streams", "Mbit/s of 32 connections, mean of both directions", ["region"], "to Oregon", 0,
            reference="measured", on_page=True)
    rates = {(line["from"], line["to"]): float(line["rate_mbps"]) for line in study.lines(MATRIX)}
    for one, other in rates:
        if one < other:
            both = 2 / (1 / rates[one, other] + 1 / rates[other, one])
            s.cell(f"{one}_{other}", there_and_back(one, other, SOCKETS),
                   {("pairs", one, other, ""): goes_into(2 * BYTES * 8 / 1e6, "simulated_seconds")}, published=[both])
    for line in study.lines("iperf.csv"):
        region, name = line["sender"], f"{line['sender']}_{STREAMS}"
        for column, where in (("public", "public_mbps"), ("through the VPN", "vpn_mbps")):
            figure: Readings = {("streams", region, column): goes_into(2 * BYTES * 8 / 1e6, "simulated_seconds")}
            if name in s.cells:
                s.read(name, figure, [float(line[where])])
            else:
                s.cell(name, there_and_back("oregon", region, STREAMS), figure, published=[float(line[where])])


def there_and_back(one: str, other: str, connections: int) -> dict[str, Any]:
    """A vector to the root of a tree of two, and their sum back."""
    platform = measured("ec2_connections.csv", {one: 1, other: 1}, model="TCP", connections=connections)
    return timed(platform, BYTES, "tree_allreduce", 1)


@study.claim("input", "pairs",
             "16 connections between two regions get together what was measured of 16: an identity, no finding",
             accepted="each within 5 %")
def _pairs(f: Figures) -> tuple[Condition, str]:
    off = errors(f, "pairs", {})
    return abs(worst(off)) <= 5, f"{mean_size(off):.1f} % in {len(off)} pairs, worst {worst(off):+.1f} %"


def _streams(column: str, text: str) -> None:
    @study.claim("published", column, text, accepted="each within 20 %")
    def _(f: Figures) -> tuple[Condition, str]:
        off = errors(f, "streams", {"to Oregon": column})
        near = [abs(error) <= 20 for error in off]
        return every(near), f"{count(near):.0f} of {len(near)}, {mean_size(off):.0f} % on average"


_streams("through the VPN", "iperf3 through the same VPN got what was measured of NCCL's 16 sockets")
_streams("public",
         "32 connections of iperf3 between public addresses got what was measured of NCCL's 16 sockets in the VPN")
