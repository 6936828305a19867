"""A small GPT trained by several workers without a network, beside the same in plain PyTorch."""
from __future__ import annotations

from typing import Any

from ..number import Condition, Number, every, worst
from ..readings import Reading, first, rows
from ..study import Definition, Figures, Study

study = Definition(
    __file__,
    what="a small GPT by one worker and by many, DiLoCo's settings and all-reduces: losses beside plain PyTorch's",
    title="A small GPT trained by many, beside plain PyTorch",
    source="an independent program of 150 lines in plain PyTorch, float32 on a GPU, which knows no network; nanoGPT's "
           "settings for CPUs (github.com/karpathy/nanoGPT at 3adf61e), three seeds",
    data="tinyshakespeare")

STEPS = (250, 500, 1000, 1500, 2000)
NESTEROV = {"type": "nesterov", "learning_rate": 0.7, "momentum": 0.9}
MEAN = {"type": "sgd", "learning_rate": 1}  # the mean of models


def diloco(every_steps: int, outer: dict[str, Any] | None = None, **more: Any) -> dict[str, Any]:
    return {"name": "diloco", "sync_every": every_steps, "outer": {**NESTEROV, **(outer or {})}, **more}


# By the reference's name: workers, scheme, algorithm.
ROWS: dict[str, tuple[int, str, dict[str, Any]]] = {
    "single": (1, "one worker", {"name": "single"}),
    **{f"ddp{n}": (n, "all-reduce of gradients", {"name": "ring_allreduce"}) for n in (2, 8)},
    **{f"diloco{n}_H{h}": (n, f"DiLoCo, H = {h}", diloco(h)) for n, h in ((2, 30), (8, 1), (8, 10), (8, 30))},
    **{f"diloco8_H30_eta{rate}": (8, f"DiLoCo, H = 30, outer rate {rate}", diloco(30, {"learning_rate": rate})) for rate in (0.3, 1.0)},
    "diloco8_H30_shards": (8, "DiLoCo, H = 30, a piece of the text each", diloco(30)),
    **{f"avg8_H{h}": (8, f"mean of models, H = {h}", {"name": "diloco", "sync_every": h, "outer": MEAN}) for h in (10, 100)},
    "stream8_H100_P4": (8, "DiLoCo, H = 100, 4 fragments", diloco(100, fragments=4)),
}
THREE_SEEDS = ("single", "diloco8_H30")


def loss_after(steps: int) -> Reading:
    return rows("curve", lambda here: here["test_loss"], first, among=lambda here: here["iteration"] == steps,
                worker="averaged_model")


@study.build
def build(s: Study) -> None:
    s.table("loss", "Loss over the whole validation text, nats", ["workers", "scheme"], "steps of each worker", 3,
            reference="PyTorch", on_page=True)
    there = {(line["tag"], int(line["step"])): [float(line[f"seed{seed}"]) for seed in range(3)]
             for line in study.lines("pytorch.csv")}
    for name, (workers, scheme, algorithm) in ROWS.items():
        s.cell(name, scenario(s.data, workers, algorithm, name.endswith("_shards")), {},
               seeds=(1, 2, 3) if name in THREE_SEEDS else (1,), cost=workers)
        for steps in STEPS:
            s.read(name, {("loss", workers, scheme, steps): loss_after(steps)}, there.get((name, steps), ()))


def scenario(data: str, workers: int, algorithm: dict[str, Any], by_position: bool) -> dict[str, Any]:
    """Times are beside the point: the network is quick, and all workers are as fast."""
    return {"platform": {"topology": "star", "workers": workers, "bandwidth": "100Gbps", "latency": "0s",
                         "network": {"model": "CM02"}},
            "data": {"source": "text", "path": f"{data}/tinyshakespeare",
                     "partition": "sequential" if by_position else "iid"},
            "model": "gpt-4-128-64",
            "training": {"batch_size": 12,
                         "optimizer": {"type": "adamw", "learning_rate": 0.001, "betas": [0.9, 0.99],
                                       "weight_decay": 0.1, "clip_norm": 1, "warmup_steps": 100,
                                       "schedule": {"type": "cosine", "steps": STEPS[-1], "floor": 0.1}}},
            "compute": {"seconds_per_batch": "1s", "jitter": 0},
            "algorithm": algorithm,
            "stop": {"iterations": STEPS[-1]},
            "evaluate": {"every_iterations": STEPS[0]},
            "record": {"iterations": False}}


def _claim(name: str, text: str, margin: float, *rows_of: str, steps: tuple[int, ...] = STEPS[-1:]) -> None:
    @study.claim("check", name, text, accepted=f"each mean of seeds within {margin} nats")
    def _(f: Figures) -> tuple[Condition, str]:
        figures = [f("loss", *ROWS[row][:2], after) for row in rows_of for after in steps]
        errors = [Number.exact(figure.value) - figure.published for figure in figures]
        return every(abs(error) <= margin for error in errors), f"{len(errors)} of them, worst {worst(errors):+.3f}"


_AFTER = f"after {STEPS[-1]:,} steps"
_claim("one worker", f"One worker {_AFTER}, three seeds", 0.01, "single")
_claim("eight", f"DiLoCo with eight workers, H = 30, {_AFTER}, three seeds", 0.02, "diloco8_H30")
_claim("two", f"Two workers {_AFTER}: all-reduce, and DiLoCo at a thirtieth of its traffic", 0.03,
       "ddp2", "diloco2_H30")
_claim("H", f"Eight workers {_AFTER}: all-reduce, DiLoCo with H of 1 and 10", 0.03, "ddp8", "diloco8_H1", "diloco8_H10")
_claim("outer", f"Outer rates of 0.3 and 1, {_AFTER}", 0.03, "diloco8_H30_eta0.3", "diloco8_H30_eta1.0")
_claim("means", f"Means of models, H of 10 and 100, {_AFTER}", 0.03, "avg8_H10", "avg8_H100")
_claim("fragments", f"Four fragments, {_AFTER}", 0.03, "stream8_H100_P4")
_claim("shards", f"A piece of the text for each worker, {_AFTER}", 0.03, "diloco8_H30_shards")
_claim("way", "On the way, after 250, 500, 1,000 and 1,500 steps: one worker, and DiLoCo with eight, H = 30", 0.03,
       *THREE_SEEDS, steps=STEPS[:-1])
_claim("others on the way", "On the way: all other rows that have a reference", 0.03, "ddp2", "ddp8", "diloco2_H30", "diloco8_H1",
       "diloco8_H10", "diloco8_H30_eta0.3", "diloco8_H30_eta1.0", "diloco8_H30_shards", "avg8_H10", "avg8_H100", "stream8_H100_P4",
       steps=STEPS[:-1])
