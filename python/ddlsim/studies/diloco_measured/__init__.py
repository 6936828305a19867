"""DiLoCo, local SGD and DDP on four nodes whose outgoing rate was shaped: how long 69 measured windows of training last."""
from __future__ import annotations

from typing import Any

from ..number import Condition, Number, count, every, mean_size
from ..readings import Reading, percentile, rows, total
from ..study import Definition, Figures, Study

study = Definition(
    __file__,
    what="DiLoCo, local SGD and DDP on four shaped nodes: how long 69 measured windows of training last",
    title="DiLoCo, local SGD and DDP on four shaped nodes (diloco-measured, 2026)",
    source="github.com/Adnan082/diloco-measured at 07b7885: four nodes of one GPU in one zone of EC2, 30,846,720 parameters in "
           "float32, all-reduces by NCCL over TCP, outgoing rate by a token bucket of 32 KiB and at most 50 ms of queue")

MODEL_BYTES = 4 * 30846720
# DDP broadcasts its module's buffers before each forward pass, and each of the six attention layers has a table of rotary
# embeddings (131,072 positions of eight complex64). A chain passes them on once; a ring sends 2 (n - 1) / n of its vector.
BUFFER_BYTES = 6 * 131072 * 8 * 8
WITH_BUFFERS = MODEL_BYTES + BUFFER_BYTES * 2 // 3
RATES = ("5Gbps", "1Gbps", "200Mbps", "50Mbps")
CONNECTIONS = {"one connection": 1, "16 connections": 16}  # NCCL's on EC2: two threads of eight sockets
SCHEMES = {"diloco": "DiLoCo", "localsgd": "local SGD", "ddp": "DDP"}
NEAR = 0.12  # as in the validation


@study.build
def build(s: Study) -> None:
    s.table("windows", "Seconds of the steps after warm-up", ["scheme", "H", "rate", "run"], "network", 3, reference="measured")
    s.table("synchronisation", "Median seconds of a step beyond computing", ["rate", "network"], "scheme", 3,
            reference="measured", on_page=True)
    measured = study.lines("measured.csv")
    for line in measured:
        scheme, every_, rate, run = (line[column] for column in ("scheme", "H", "rate", "repeat"))
        for network in CONNECTIONS:
            window = {("windows", SCHEMES[scheme], every_, rate, run, network): seconds_after(int(line["warmup"]))}
            s.cell("_".join((scheme, every_, rate, run, network)), scenario(line, network), window,
                   published=[float(line["window_s"])])
            if rate not in RATES or every_ != "1" or scheme == "localsgd":
                continue
            if run == "0":
                s.read("_".join((scheme, every_, rate, run, network)),
                       {("synchronisation", rate, network, SCHEMES[scheme]): SYNCHRONISATION},
                       [float(other["sync_s"]) for other in measured
                        if (other["scheme"], other["H"], other["rate"]) == (scheme, every_, rate)])
            if scheme == "ddp":
                s.cell("_".join(("buffers", rate, network)), scenario(line, network, WITH_BUFFERS),
                       {("synchronisation", rate, network, "DDP with its buffers"): SYNCHRONISATION},
                       published=[float(line["sync_s"])])


def seconds_after(warmup: int) -> Reading:
    return rows("iterations", lambda t: t.end_s - t.start_s, lambda workers: total(workers[0]),
                among=lambda t: t.iteration >= warmup, worker="w0")


SYNCHRONISATION: Reading = rows("iterations", lambda t: t.end_s - t.start_s - t.compute_s, percentile(50))


def scenario(line: dict[str, str], network: str, model_bytes: int = MODEL_BYTES) -> dict[str, Any]:
    rate = "9.53Gbps" if line["rate"] == "unshaped" else line["rate"]  # what iperf3 measured there
    compute_ms = float(line["compute_ms"]) + float(line["optimizer_ms"])
    return {"platform": {"topology": "star", "workers": 4, "bandwidth": rate, "latency": "0.1ms",
                         "network": {"queue": "50ms", "connections": CONNECTIONS[network]}},
            "model": "none", "wire": {"model_bytes": f"{model_bytes}B"},
            "compute": {"seconds_per_batch": f"{compute_ms}ms", "jitter": 0, "layers": 24},
            "algorithm": algorithm(line["scheme"], int(line["H"])), "stop": {"iterations": int(line["steps"])}}


def algorithm(scheme: str, sync_every: int) -> dict[str, Any]:
    if scheme == "ddp":
        return {"name": "ring_allreduce", "overlap": "backward"}
    if scheme == "localsgd":
        return {"name": "local_sgd", "local_steps": sync_every}
    return {"name": "diloco", "sync_every": sync_every, "overlap": "none"}


def _windows(scheme: str, network: str) -> None:
    @study.claim("published", f"{SCHEMES[scheme]}, {network}",
                 f"{SCHEMES[scheme]}, {network}: the window of every run lasts as long as measured",
                 accepted="all within 12 %, as in the validation")
    def _(f: Figures) -> tuple[Condition, str]:
        shares = [it / it.published for _, it in f.published("windows", {"scheme": SCHEMES[scheme], "network": network})]
        near = [abs(share - 1) <= NEAR for share in shares]
        by_rate = []
        for rate in RATES:
            where = {"scheme": SCHEMES[scheme], "network": network, "rate": rate}
            errors = [100 * (it / it.published - 1) for _, it in f.published("windows", where)]
            by_rate.append(f"{mean_size(errors):.1f} % at {rate}")
        return every(near), f"{count(near):.0f} of {len(near)}; mean error {', '.join(by_rate)}"


for _network in CONNECTIONS:
    for _scheme in SCHEMES:
        _windows(_scheme, _network)


def ratios(f: Figures, scheme: str, rates: tuple[str, ...]) -> list[Number]:
    """Of a scheme's synchronisation over DiLoCo's, over one connection."""
    return [f("synchronisation", rate, "one connection", scheme) / f("synchronisation", rate, "one connection", "DiLoCo")
            for rate in rates]


@study.claim("published", "DDP against DiLoCo",
             "at 1 Gbit/s and less a synchronisation of DDP, in buckets beside the backward pass, takes 1.31 to 1.41 times "
             "DiLoCo's of as many gradients",
             accepted="1.31 to 1.41, to two digits")
def _against(f: Figures) -> tuple[Condition, str]:
    found = ratios(f, "DDP", RATES[1:])
    return every(ratio.within(1.305, 1.415) for ratio in found), ", ".join(f"{ratio:.2f}" for ratio in found)


@study.claim("check", "DDP with its buffers against DiLoCo",
             "the ratio is that of bytes: DDP also broadcasts its buffers, 50.3 MB before each forward pass",
             accepted="within 12 % of the measured ratio, at four rates")
def _with_buffers(f: Figures) -> tuple[Condition, str]:
    found = ratios(f, "DDP with its buffers", RATES)
    return (every(abs(ratio / ratio.published - 1) <= NEAR for ratio in found),
            ", ".join(f"{ratio:.2f}" for ratio in found) +
            f" (measured {', '.join(f'{ratio.published:.2f}' for ratio in found)})")
