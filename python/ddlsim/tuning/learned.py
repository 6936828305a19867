"""What the small GPT learned (gpt-2-64-32 on Tiny Shakespeare, batches of 12 windows): losses.csv has its loss after 100, 300 and 1,000
steps of each worker, each with a schedule of that length, by systems whose learning does not depend on times.
scenarios/study/small_gpt.json makes them."""
from __future__ import annotations

import csv
import math
from dataclasses import dataclass, field
from pathlib import Path
from statistics import fmean
from typing import Any

from .search import value_of

TABLE = Path(__file__).with_name("losses.csv")
LONGEST = 1000                # steps in that table
SINGLE = {"name": "single"}
JITTER = 0.05                 # of a mean of a few steps that are simulated


@dataclass
class Row:
    """A scheme of the table, for one number of workers."""
    algorithm: dict[str, Any]
    workers: int
    losses: dict[int, list[float]] = field(default_factory=dict)  # by seed, after so many steps of each worker

    def after(self, steps: float) -> list[float]:
        """By seed; between lengths in proportion to the logarithm of the steps. Empty: too few to have learned anything."""
        known = sorted(self.losses)
        if steps < known[0] / (1 + JITTER):
            return []
        steps = min(max(steps, known[0]), known[-1])
        low = max(length for length in known if length <= steps)
        high = min(length for length in known if length >= steps)
        part = 0.0 if low == high else math.log(steps / low) / math.log(high / low)
        return [a + part * (b - a) for a, b in zip(self.losses[low], self.losses[high])]

    def steps_to(self, loss: float, seed: int | None = None) -> float | None:
        """The fewest steps after which the loss, the mean or a seed's, is that; None: it is not, within the table."""
        first, last = min(self.losses), max(self.losses)
        for i in range(201):
            steps = float(first * (last / first) ** (i / 200))
            after = self.after(steps)
            if (fmean(after) if seed is None else after[seed]) <= loss:
                return steps
        return None


def rows_of(workers: int) -> tuple[list[Row], int]:
    """The rows of one worker and of so many, or of the nearest number that was learned; and that number."""
    found: dict[tuple[str, int], Row] = {}
    with open(TABLE, encoding="utf-8", newline="") as file:
        for line in csv.DictReader(file):
            name, *settings = line["algorithm"].split(",")
            algorithm = {"name": name} | {key: value_of(value) for key, value in (setting.split("=") for setting in settings)}
            count = 1 if name == "single" else int(line["workers"])
            row = found.setdefault((line["algorithm"], count), Row(algorithm, count))
            row.losses.setdefault(int(line["steps"]), []).append(float(line["loss"]))
    nearest = min(sorted({count for _, count in found} - {1}), key=lambda count: abs(math.log(count / max(1, workers))))
    return [row for (_, count), row in found.items() if count in (1, nearest)], nearest
