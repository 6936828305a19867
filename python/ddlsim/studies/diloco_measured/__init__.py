"""DiLoCo, local SGD and DDP on four shaped nodes: how long 69 measured windows of training last."""
from __future__ import annotations

from typing import Any

from ..number import Condition, Number, count, every, mean_size
from ..readings import Reading, percentile, rows, total
from ..study import Definition, Figures, Study
from ..timing import errors, star, timed

study = Definition(
    __file__,
    what="DiLoCo, local SGD and DDP on four shaped nodes: how long 69 measured windows of training last",
    title="DiLoCo, local SGD and DDP on four shaped nodes (diloco-measured, 2026)",
    source="github.com/Adnan082/diloco-measured at 07b7885: four nodes of one GPU in one zone of EC2, 30,846,720 parameters "
           "in float32, all-reduces by NCCL over TCP, outgoing rate by a token bucket of 32 KiB and at most 50 ms of queue")

MODEL_BYTES = 4 * 30846720
# DDP broadcasts its module's buffers before each forward pass, and each of the six attention layers has a table of
# rotary embeddings (131,072 positions of eight complex64). A node passes them on once; of a ring's vector it sends
# 2 (n - 1) / n.
BUFFER_BYTES = 6 * 131072 * 8 * 8
BUFFERS_IN_RING = BUFFER_BYTES * 2 // 3
RATES = ("5Gbps", "1Gbps", "200Mbps", "50Mbps")
SCHEMES = {"diloco": "DiLoCo", "localsgd": "local SGD", "ddp": "DDP"}
WITH_BUFFERS = "DDP with its buffers"
NEAR = 0.12  # as in the validation


@study.build
def build(s: Study) -> None:
    s.table("windows", "Seconds of the steps after warm-up", ["scheme", "H", "rate"], "run", 3, reference="measured")
    s.table("synchronisation", "Median seconds of a step beyond computing", ["rate"], "scheme", 3,
            reference="measured", on_page=True)
    measured = study.lines("measured.csv")
    for line in measured:
        scheme, interval, rate, run = (line[column] for column in ("scheme", "H", "rate", "repeat"))
        alike = [float(other["sync_s"]) for other in measured
                 if (other["scheme"], other["H"], other["rate"]) == (scheme, interval, rate)]
        for label in (SCHEMES[scheme], *([WITH_BUFFERS] if scheme == "ddp" else [])):
            name = "_".join((label, interval, rate, run))
            s.cell(name, scenario(line, label),
                   {("windows", label, interval, rate, run): seconds_after(int(line["warmup"]))},
                   published=[float(line["window_s"])])
            if rate in RATES and interval == "1" and run == "0":
                s.read(name, {("synchronisation", rate, label): SYNCHRONISATION}, alike)


def seconds_after(warmup: int) -> Reading:
    return rows("iterations", lambda t: t.end_s - t.start_s, lambda workers: total(workers[0]),
                among=lambda t: t.iteration >= warmup, worker="w0")


SYNCHRONISATION: Reading = rows("iterations", lambda t: t.end_s - t.start_s - t.compute_s, percentile(50))


def scenario(line: dict[str, str], label: str) -> dict[str, Any]:
    rate = "9.53Gbps" if line["rate"] == "unshaped" else line["rate"]  # iperf3 measured it
    compute_ms = float(line["compute_ms"]) + float(line["optimizer_ms"])
    return timed(star(4, rate, "0.1ms", queue="50ms"),
                 MODEL_BYTES + (BUFFERS_IN_RING if label == WITH_BUFFERS else 0),
                 algorithm(line["scheme"], int(line["H"])), int(line["steps"]), f"{compute_ms}ms", layers=24)


def algorithm(scheme: str, sync_every: int) -> dict[str, Any]:
    if scheme == "ddp":
        return {"name": "ring_allreduce", "overlap": "backward"}
    if scheme == "localsgd":
        return {"name": "local_sgd", "local_steps": sync_every}
    return {"name": "diloco", "sync_every": sync_every, "overlap": "none"}


def _windows(label: str) -> None:
    @study.claim("published", label, f"{label}: the window of every run lasts as long as measured",
                 accepted="all within 12 %, as in the validation")
    def _(f: Figures) -> tuple[Condition, str]:
        near = [abs(error) <= 100 * NEAR for error in errors(f, "windows", {"scheme": label})]
        by_rate = (f"{mean_size(errors(f, 'windows', {'scheme': label, 'rate': rate})):.1f} % at {rate}"
                   for rate in RATES)
        return every(near), f"{count(near):.0f} of {len(near)}; on average {', '.join(by_rate)}"


for _label in (*SCHEMES.values(), WITH_BUFFERS):
    _windows(_label)


def ratios(f: Figures, label: str, rates: tuple[str, ...]) -> list[Number]:
    """Of a scheme's synchronisation over DiLoCo's."""
    return [f("synchronisation", rate, label) / f("synchronisation", rate, "DiLoCo") for rate in rates]


@study.claim("published", "DDP against DiLoCo",
             "at 1 Gbit/s and less a synchronisation of DDP, in buckets beside the backward pass, takes 1.31 to 1.41 "
             "times DiLoCo's of as many gradients",
             accepted="1.31 to 1.41, to two digits")
def _against(f: Figures) -> tuple[Condition, str]:
    found = ratios(f, "DDP", RATES[1:])
    return every(ratio.within(1.305, 1.415) for ratio in found), ", ".join(f"{ratio:.2f}" for ratio in found)


@study.claim("check", f"{WITH_BUFFERS} against DiLoCo",
             "the ratio is that of bytes: DDP also broadcasts its buffers, 50.3 MB before each forward pass",
             accepted="within 12 % of the measured ratio, at four rates")
def _with_buffers(f: Figures) -> tuple[Condition, str]:
    found = ratios(f, WITH_BUFFERS, RATES)
    return (every(abs(ratio / ratio.published - 1) <= NEAR for ratio in found),
            ", ".join(f"{ratio:.2f}" for ratio in found) +
            f" (measured {', '.join(f'{ratio.published:.2f}' for ratio in found)})")
