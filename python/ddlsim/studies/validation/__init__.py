"""Cycle times simulated and measured over real TCP."""
from __future__ import annotations

import csv
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from ...errors import InputError
from ..number import Condition, count, mean_size, worst
from ..readings import mean_of_workers, rows
from ..study import Definition, Figures, Study

study = Definition(
    __file__,
    what="this program: cycle times simulated and measured over real TCP",
    title="Simulation against real TCP",
    source="`ddlsim emulate`: 992 cells (network, workers, message size, scheme) over Linux TCP between network namespaces; "
           "see [validation](validation/README.md)")

MEASURED = Path(__file__).resolve().parents[4] / "results" / "validation"
MODELS = ("packets", "TCP")
WINDOW = "4MiB"  # the default when the cells were simulated
LINKS: dict[str, str | list[str]] = {
    "uniform": "40Mbps", "uniform20": "20Mbps", "uniform30": "30Mbps", "uniform100": "100Mbps",
    "heterogeneous": ["40Mbps", "20Mbps", "10Mbps"], "heterogeneous60": ["60Mbps", "30Mbps", "15Mbps"]}


@dataclass
class Measured:
    """A cell that was measured: what ran, and by seed how many seconds a cycle took."""
    network: str
    workers: int
    message_mb: str
    latency_ms: str       # one way
    scheme: str
    compute_ms: str
    stop_s: str
    queue_s: float
    keeps_windows: bool   # while idle
    seeds: list[int] = field(default_factory=list)
    seconds: list[float] = field(default_factory=list)

    @property
    def labels(self) -> tuple[str, ...]:
        return (self.network, str(self.workers), self.message_mb, self.latency_ms, self.scheme)

    def scenario(self, model: str) -> dict[str, Any]:
        links = LINKS[self.network]
        return {"platform": {"topology": "star", "workers": self.workers, "servers": 1, "bandwidth": links,
                             "server_bandwidth": links if isinstance(links, str) else links[0],
                             "latency": f"{self.latency_ms}ms",
                             "network": {"model": model, "queue": f"{self.queue_s}s", "tcp_window": WINDOW,
                                         "slow_start_after_idle": not self.keeps_windows}},
                "model": "none",
                "wire": {"model_bytes": f"{self.message_mb}MB"},
                "compute": {"seconds_per_batch": f"{self.compute_ms}ms", "jitter": 0.1},
                "algorithm": algorithm(self.scheme),
                "stop": {"time": f"{self.stop_s}s"}}


def algorithm(scheme: str) -> object:
    if scheme.startswith("ako_p"):
        return {"name": "ako", "partitions": int(scheme.removeprefix("ako_p")), "overflow": "block"}
    return scheme


def measured(file: str, where: Mapping[str, str] | None = None, queue_s: float = 0.05) -> list[Measured]:
    """The cells of a table of results/validation, of the rows `where` columns have fields; in order of what ran."""
    try:
        with open(MEASURED / file, newline="", encoding="utf-8") as stream:
            lines = [line for line in csv.DictReader(stream)
                     if all(line[column] == text for column, text in (where or {}).items())]
    except OSError as error:
        raise InputError(f"{MEASURED / file}: cannot be read: {error.strerror}; expected what was measured") from None
    cells: dict[tuple[object, ...], Measured] = {}
    for line in lines:
        cell = Measured(line["network"], int(line["workers"]), line["message_mb"], line.get("latency_ms", "0.1"),
                        line["scheme"], line.get("compute_ms", "100"), line["stop_s"], queue_s,
                        line.get("slow_start_after_idle") == "off")
        order = (cell.network, cell.workers, float(cell.message_mb), float(cell.latency_ms), cell.scheme,
                 float(cell.compute_ms), float(cell.stop_s))
        cell = cells.setdefault(order, cell)
        cell.seeds.append(int(line["seed"]))
        cell.seconds.append(float(line["seconds_per_cycle"]))
    return [cell for _, cell in sorted(cells.items())]


@study.build
def build(s: Study) -> None:
    s.seeds = (1, 2, 3)
    local = ["network", "workers", "MB", "scheme"]
    far = ["network", "workers", "MB", "ms one way", "scheme"]
    other = [*far[:4], "congestion control", "slow start after idle", "scheme"]
    for name, what, row in (("cycles", "local networks", local),
                            ("long_queue_cycles", "local networks with queues of 200 ms", local),
                            ("distances", "distances", far), ("held_out", "held-out cells", far),
                            ("other_tcp", "other settings of TCP", other)):
        s.table(name, f"seconds per cycle, {what}", row, "model", 3, reference="measured")

    for prefix, table, found in series():
        for cell in found:
            labels = cell.labels
            if table in ("cycles", "long_queue_cycles"):
                labels = (*labels[:3], labels[4])
            name = "_".join([prefix, *labels])
            if table == "other_tcp":
                congestion = "bbr" if prefix == "bbr" else "cubic"
                labels = (*labels[:4], congestion, "off" if cell.keeps_windows else "on", labels[4])
            for model in MODELS:
                s.cell(f"{name}_{model}", cell.scenario(model),
                       {(table, *labels, model): rows("iterations", lambda t: t.end_s - t.start_s, mean_of_workers)},
                       seeds=cell.seeds, draws=4, published=cell.seconds)


def series() -> Iterator[tuple[str, str, list[Measured]]]:
    """Measured cells: the beginning of cells' names, the table of their figures, and they themselves."""
    yield "cycles", "cycles", measured("measured.csv", {"queue_s": "0.05"})
    yield "long_queue", "long_queue_cycles", measured("measured.csv", {"queue_s": "0.2"}, queue_s=0.2)
    yield "distances", "distances", measured("wan.csv", {"congestion": "cubic", "slow_start_after_idle": "on"})
    yield "held_out", "held_out", measured("held_out_lan.csv")
    yield "held_out", "held_out", measured("held_out.csv")
    yield "windows_kept", "other_tcp", measured("wan.csv", {"congestion": "cubic", "slow_start_after_idle": "off"})
    yield "bbr", "other_tcp", measured("wan.csv", {"congestion": "bbr", "slow_start_after_idle": "on"})


def _near(model: str, what: str, table: str, most: int, where: Mapping[str, str | Sequence[str]]) -> None:
    @study.claim("check", f"cells of {model}", f"{model}: {what}", accepted=f"{most} %, 12 %, none, none")
    def _(f: Figures) -> tuple[Condition, str]:
        here: dict[str, str | Sequence[str]] = {"model": model, **where}
        shares = [it / it.published for _, it in f.published(table, here)]
        errors = [100 * (share - 1) for share in shares]
        beyond = len(shares) - count([abs(share - 1) <= 0.12 for share in shares])
        pairs, reversed_pairs = f.pairs(table, here)
        mean, most_off = mean_size(errors), worst(errors)
        return ((mean <= most) & (abs(most_off) <= 12) & Condition.of(reversed_pairs == 0),
                f"{mean:.1f} %, {most_off:+.1f} %, {beyond:.0f}/{len(shares)}, {reversed_pairs}/{pairs}")


for _model in MODELS:
    _near(_model, "LAN, queues of 50 ms", "cycles", 4, {})
    _near(_model, "LAN, queues of 200 ms", "long_queue_cycles", 4, {})
    _near(_model, "5 to 50 ms", "distances", 6, {})
    _near(_model, "held out, LAN", "held_out", 4, {"ms one way": "0.1"})
    _near(_model, "held out, 2 ms", "held_out", 6, {"ms one way": "2"})
    _near(_model, "held out, 10 and 30 ms", "held_out", 6, {"ms one way": ("10", "30")})
    _near(_model, "windows kept while idle", "other_tcp", 6, {"congestion control": "cubic"})
    _near(_model, "bbr, simulated as cubic", "other_tcp", 6, {"congestion control": "bbr"})
