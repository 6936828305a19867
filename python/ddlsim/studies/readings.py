"""How a figure is read off a finished run. A reading has nothing where the run has no such figure: a target that it did not
reach, say."""
from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from functools import cache
from pathlib import Path

import numpy as np
import numpy.typing as npt
import pandas as pd

from ..frame import Run, read

NOT_WORKERS = ("mean", "averaged_model")  # in the column `worker`


class FinishedRun:
    """A run whose tables are read once, however many figures they give."""

    def __init__(self, folder: Path) -> None:
        self.run: Run = read(folder)
        self.table: Callable[[str], pd.DataFrame] = cache(self.run.rows)

    def curve(self) -> pd.DataFrame:
        """Means over workers, one row an evaluation."""
        rows = self.table("curve")
        return rows[rows["worker"] == "mean"]


Values = npt.NDArray[np.float64]
Reading = Callable[[FinishedRun], float | None]
Column = Callable[[pd.DataFrame], pd.Series]
"""A value for each row of a table: lambda rows: rows.end_s - rows.start_s"""
Taking = Callable[[list[Values]], float]
"""One number of the values of each worker."""


def measure(key: str, unit: float = 1.0) -> Reading:
    """A number of summary.json, such as "seconds_per_batch.min", in units of `unit`."""
    def reading(run: FinishedRun) -> float | None:
        value = run.run.measure(key)
        return None if value is None else value / unit
    return reading


def goes_into(whole: float, key: str) -> Reading:
    """How often a number of summary.json goes into `whole`."""
    def reading(run: FinishedRun) -> float | None:
        value = run.run.measure(key)
        return None if value is None else whole / value
    return reading


def final_accuracy(evaluations: int = 1) -> Reading:
    """In per cent, mean over workers and the last evaluations, as far as there are some after the start."""
    def reading(run: FinishedRun) -> float | None:
        rows = run.curve()
        values: list[float] = []
        for iteration, accuracy in zip(rows["iteration"][::-1], rows["test_accuracy"][::-1]):
            if len(values) == evaluations or (values and iteration == 0):
                break
            values.append(100 * float(accuracy))
        return _mean(np.array(values)) if values else None
    return reading


def accuracy_after(part: float) -> Reading:
    """In per cent, at the evaluation nearest to a part of the steps."""
    def reading(run: FinishedRun) -> float | None:
        rows = run.curve()
        if rows.empty:
            return None
        distance = (rows["iteration"] - part * rows["iteration"].iloc[-1]).abs().to_numpy()
        return 100 * float(rows["test_accuracy"].iloc[int(distance.argmin())])
    return reading


def points_learnt_late(run: FinishedRun) -> float | None:
    """Percentage points of accuracy gained after three twentieths of the steps."""
    early, late = accuracy_after(0.15)(run), final_accuracy(3)(run)
    return None if early is None or late is None else late - early


def fluctuation(run: FinishedRun) -> float | None:
    """Mean absolute change of accuracy from one evaluation to the next, in points, less the part that is progress. Each
    worker has its own curve, and the figure is the mean of theirs: the mean curve would hide what single replicas do."""
    rows = run.table("curve")
    rows = rows[~rows["worker"].isin(NOT_WORKERS)]
    of_workers = []
    for _, curve in rows.groupby("worker"):
        accuracy = 100 * curve["test_accuracy"].to_numpy()
        if len(accuracy) < 2:
            return None
        way = total(np.abs(np.diff(accuracy)))
        of_workers.append((way - abs(accuracy[-1] - accuracy[0])) / (len(accuracy) - 1))
    return _mean(np.array(of_workers)) if of_workers else None


# --- rows of a table ---


def mean(workers: list[Values]) -> float:
    return _mean(np.concatenate(workers))


def first(workers: list[Values]) -> float:
    return float(workers[0][0])


def percentile(percent: float) -> Taking:
    """The least value that so many per cent of the rows do not exceed."""
    def taking(workers: list[Values]) -> float:
        values = np.sort(np.concatenate(workers))
        return float(values[max(math.ceil(percent / 100 * len(values)), 1) - 1])
    return taking


def mean_of_workers(workers: list[Values]) -> float:
    return _mean(np.array([_mean(values) for values in workers]))


def least_of_workers(workers: list[Values]) -> float:
    return min(_mean(values) for values in workers)


def largest_of_workers(workers: list[Values]) -> float:
    return max(_mean(values) for values in workers)


def rows(table: str, value: Column, take: Taking = mean, *, among: Column | None = None, worker: str = "") -> Reading:
    """One number of the rows of a table ("iterations", "curve", "requests") that have a value and of which `among` is true:
    of all workers, or of one."""
    def reading(run: FinishedRun) -> float | None:
        here = run.table(table)
        if "worker" in here:
            here = here[here["worker"] == worker] if worker else here[~here["worker"].isin(NOT_WORKERS)]
        if among is not None:
            here = here[among(here)]
        values = value(here).astype(float)
        values = values[values.notna()]
        if values.empty:
            return None
        if "worker" not in here:
            return take([values.to_numpy()])
        return take([of_worker.to_numpy() for _, of_worker in values.groupby(here["worker"].loc[values.index])])
    return reading


def percent_of_rows(table: str, which: Column, *, among: Column | None = None) -> Reading:
    """The per cent of the rows (`among` those that are) of which `which` is true."""
    return rows(table, lambda here: 100.0 * which(here), mean, among=among)


def total(values: Values | Sequence[float]) -> float:
    """Added from the first to the last: sum() of Python and of NumPy depend on their version, and figures would, too."""
    return float(np.cumsum(values)[-1])


def _mean(values: Values) -> float:
    return total(values) / len(values)
