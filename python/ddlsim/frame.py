"""Result folders as rows: one `Run` for each, read strictly, and one pandas frame of all."""
from __future__ import annotations

import csv
import math
import os
import re
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd

from .errors import InputError
from .files import object_in
from .runs import AnyPath
from .units import Kind

Json = dict[str, Any]

SCHEMA_VERSION = 2  # of run.json, the newest that is read

# Columns of names and words, which stay text whatever they look like; in the others is a number wherever one can be read.
_TEXTS = frozenset({"worker", "link", "direction", "source", "target", "exit", "node", "host", "server", "run", "failure",
                    "stopped_by", "busiest_link", "digest", "measure"})


@dataclass(frozen=True)
class Metric:
    """The score that runs are judged by (evaluate.metric)."""
    word: str               # "accuracy", "loss"
    less_is_better: bool
    least: float            # that it can be; a model of one's own may have a loss below zero
    most: float             # likewise

    @property
    def final(self) -> str:
        return f"final_{self.word}.mean"

    @property
    def best(self) -> str:
        return f"best_{self.word}"

    def time_to(self, target: float | None = None) -> str:
        """The measure of the time to a target, or the object of all of them."""
        return ("time_to_accuracy_s" if self.word == "accuracy" else "time_to_target_s") + _dotted(target)

    def bytes_to(self, target: float | None = None) -> str:
        return ("bytes_to_accuracy" if self.word == "accuracy" else "bytes_to_target") + _dotted(target)

    def is_better(self, a: float, b: float) -> bool:
        return a < b if self.less_is_better else a > b


ACCURACY = Metric("accuracy", False, 0.0, 1.0)
LOSS = Metric("loss", True, -math.inf, math.inf)


def metric_of(key: str) -> Metric | None:
    """The metric that a measure is a value of."""
    for metric in (ACCURACY, LOSS):
        if key == metric.best or key.startswith((f"final_{metric.word}.", f"replica_{metric.word}.")):
            return metric
    return None


def less_is_better(key: str) -> bool:
    """Whether less of a measure is better: times and bytes always, a metric as it says."""
    metric = metric_of(key)
    return metric is None or metric.less_is_better


def kind_of(key: str) -> Kind:
    """The kind of a number of summary.json, by its name."""
    name = key.split(".")[0]
    if metric_of(key):
        return "score"
    if name == "simulated_seconds" or name == "seconds_per_batch" or re.search(r"_s(\.|$)", key):
        return "seconds"
    if name.startswith("bytes_") or name in ("faults.bytes_lost",) or key.endswith("bytes_per_step"):
        return "bytes"
    return "share" if name in ("idle_fraction", "goodput") or key.endswith("utilisation") else "number"


def range_of(key: str) -> tuple[float, float]:
    """The least and the most that a measure can be."""
    metric = metric_of(key)
    if metric:
        return metric.least, metric.most
    return 0.0, 1.0 if kind_of(key) == "share" else math.inf


# Those that are read of a run's tables.
_COLUMNS = {"curve": ("time_s", "worker", "iteration", "samples", "epoch", "bytes_sent", "train_loss", "test_loss", "test_accuracy"),
            "iterations": ("worker", "iteration", "start_s", "compute_s", "end_s", "staleness"),
            "traffic": ("link", "direction", "bytes", "utilisation"), "pairs": ("source", "target", "messages", "bytes"),
            "links": ("link", "direction", "start_s", "end_s", "utilisation")}


@dataclass(frozen=True)
class Run:
    """A finished run: run.json and summary.json. Its tables, which may be long, are read by `rows` and `curve`."""
    folder: Path
    name: str
    seed: int
    scenario: Json
    settings: Json                  # flat, in base units, every default that took effect
    provenance: Json
    network: Json | None            # carried_by, model, why; none where it was measured
    measured: Json | None           # of `emulate`: how, without the repetition; none of simulated runs
    schema_version: int
    digest: str
    workers: tuple[str, ...]        # host names
    metric: Metric
    targets: tuple[float, ...]      # of the metric
    stopped_by: str
    busiest_link: str               # "" where nothing travelled
    bottleneck: str                 # of the bounds; "" likewise
    measures: dict[str, float | None]  # "final_accuracy.mean", "time_to_accuracy_s.0.8", "idle_fraction.max", ...

    @property
    def algorithm(self) -> str:
        return str(self.settings["algorithm.name"])

    def measure(self, key: str) -> float | None:
        return self.measures.get(key)

    def spelled(self, path: str) -> Any:
        """A setting as its scenario spells it, such as "40Mbps"; None where the scenario leaves it to a default."""
        here: Any = self.scenario
        for key in path.split("."):
            if not isinstance(here, dict) or key not in here:
                return None
            here = here[key]
        return here

    def rows(self, table: str) -> pd.DataFrame:
        """A table such as "curve" or "iterations". Raises InputError where the run has none."""
        file = self.folder / f"{table}.csv"
        rows = read_table(file)
        missing = [column for column in _COLUMNS.get(table, ()) if column not in rows]
        if missing:
            raise InputError(f'{file}: has no column "{missing[0]}"; expected a table of ddlsim')
        return rows

    def curve(self) -> pd.DataFrame:
        """The rows of curve.csv that are means over workers, in order."""
        rows = self.rows("curve")
        return rows[rows["worker"] == "mean"].reset_index(drop=True)


def read_table(file: Path) -> pd.DataFrame:
    """A table of a result or sweep. Names stay texts, all else is numbers; nan and inf say that training diverged."""
    try:
        with open(file, "rb") as stream:
            header: list[str] = next(csv.reader([stream.readline().decode("utf-8")]), [])
            stream.seek(-1, 2)
            is_whole = stream.read() == b"\n"
        numbers = [name for name in header if name not in _TEXTS]
        rows = pd.read_csv(file, dtype={name: str for name in _TEXTS}, keep_default_na=False, float_precision="round_trip",
                           na_values={name: [""] for name in _TEXTS} | {name: ["", "nan"] for name in numbers})
    except FileNotFoundError:
        there = sorted(other.name for other in file.parent.glob("*.csv"))
        raise InputError(f"{file.parent}: has no {file.name}; there are {', '.join(there) or 'no tables'}") from None
    except (OSError, ValueError, pd.errors.ParserError) as error:
        raise InputError(f"{file}: is no table of a result: {error}") from None
    if not is_whole:
        raise InputError(f"{file}: is cut off; expected a line break at its end")
    if rows.empty:
        return rows.astype({name: float for name in numbers})
    if not isinstance(rows.index, pd.RangeIndex):  # pandas takes fields without a column for an index
        raise InputError(f"{file}: is no table of a result: expected no more fields in a line than columns")
    of_settings = file.name in ("sweep.csv", "means.csv", "tried.csv")  # whose other columns are settings, numbers or words
    wrong = [name for name in numbers if rows[name].dtype == object and not of_settings]
    if wrong:
        raise InputError(f"{file}: {wrong[0]}: holds what is no number; expected a table of ddlsim")
    return rows


_MEASURED = "measured."


def read(folder: Path | str) -> Run:
    """Reads a result's folder. Raises InputError: no result, or none of this program."""
    try:
        return _read(Path(folder))
    except InputError:
        raise
    except (AttributeError, KeyError, TypeError, ValueError) as error:
        raise InputError(f"{folder}: is no whole result ({error}); expected a result of this version of ddlsim") from None


def _read(folder: Path) -> Run:
    run, summary = object_in(folder / "run.json"), object_in(folder / "summary.json")
    file = folder / "run.json"
    scenario = _member(run, "scenario", dict, file)
    if "settings" not in run:
        raise InputError(f"{file}: has no settings: an older ddlsim wrote it; expected its scenario to be run again")
    settings = _member(run, "settings", dict, file)
    measured = {key.removeprefix(_MEASURED): value for key, value in settings.items() if key.startswith(_MEASURED)}
    evaluate = scenario.get("evaluate", {})
    metric = LOSS if evaluate.get("metric") == "loss" else ACCURACY
    version = _member(run, "schema_version", int, file)
    if version > SCHEMA_VERSION:
        raise InputError(f"{file}: $.schema_version: {version} is unknown; this program reads up to {SCHEMA_VERSION}")
    _member(settings, "algorithm.name", str, file)
    file = folder / "summary.json"
    workers = _member(summary, "iterations_per_worker", dict, file)
    name, seed = _member(summary, "name", str, file), _member(summary, "seed", int, file)
    if (name, seed, summary.get("digest")) != (scenario.get("name"), scenario.get("seed"), run.get("digest")):
        raise InputError(f"{folder}: run.json and summary.json are of two runs; expected a result of ddlsim")
    return Run(folder=folder, name=name, seed=seed, scenario=scenario,
               settings={key: value for key, value in settings.items() if not key.startswith(_MEASURED)},
               provenance=run.get("provenance", {}), network=run.get("network"), measured=measured or None,
               schema_version=version, digest=_member(summary, "digest", str, file), workers=tuple(workers), metric=metric,
               targets=tuple(float(target) for target in evaluate.get(f"target_{metric.word}", [])),
               stopped_by=_member(summary, "stopped_by", str, file),
               busiest_link=(summary.get("busiest_link") or {}).get("name", ""),
               bottleneck=(summary.get("bounds") or {}).get("bottleneck") or "",
               measures=dict(_measures(summary, set(workers))))


def listed(folders: Iterable[AnyPath] | AnyPath) -> list[Path]:
    try:
        return [Path(folder) for folder in ([folders] if isinstance(folders, (str, os.PathLike)) else folders)]
    except TypeError:
        raise InputError(f"results: {folders!r} names no folders") from None


def find(folders: Iterable[AnyPath] | AnyPath) -> list[Path]:
    """Every result that the arguments name, each once: a result's folder, or any folder up to three levels above it, in
    natural order. A sweep's are those that its table lists. Runs of a search (tune, advise) are passed over unless one
    alone is named. Raises InputError for an argument without results."""
    arguments = listed(folders)
    found: dict[Path, Path] = {}
    for argument in arguments:
        one_of_several = len(arguments) > 1  # as of "results/*"
        if one_of_several and _is_search(argument):
            continue
        here = list(_below(argument, 0)) if argument.is_dir() else []
        if not here and one_of_several and argument.is_dir() and any(map(_is_search, argument.iterdir())):
            continue
        if not here:
            what = "holds no finished result" if argument.exists() else "no such folder"
            raise InputError(f"{argument}: {what}; expected a folder with run.json, or one above such folders")
        for folder in here:
            found.setdefault(folder.resolve(), folder)
    if arguments and not found:
        raise InputError(f"{arguments[0]}: holds only runs of advise or tune; expected other results")
    return list(found.values())


def without_result(folders: Iterable[AnyPath] | AnyPath) -> list[str]:
    """The failed runs of these sweeps, each with its reason."""
    tables = [file for folder in listed(folders) for pattern in ("sweep.csv", "*/sweep.csv") for file in sorted(folder.glob(pattern))]
    return [f"{file.parent / run}: {why}" for file in tables if {"run", "failure"} <= set(table := read_table(file))
            for run, why in zip(table["run"], table["failure"].fillna("")) if why]


def read_all(folders: Iterable[AnyPath] | AnyPath) -> list[Run]:
    return [read(folder) for folder in find(folders)]


def results(folders: Iterable[AnyPath] | AnyPath) -> pd.DataFrame:
    """A row for each run: folder, name, seed, every setting by its path, and every number of summary.json by its key."""
    rows = []
    for run in read_all(folders):
        rows.append({"folder": str(run.folder), "name": run.name, "seed": run.seed, **run.settings,
                     "stopped_by": run.stopped_by, "digest": run.digest,
                     **{key: np.nan if value is None else value for key, value in run.measures.items()}})
    return pd.DataFrame(rows)


def natural(text: str) -> tuple[tuple[int, float, str], ...]:
    """A key to sort by: numbers within texts by their value."""
    parts = re.split(r"(\d+)", text)
    return tuple((1, float(part), part) if part.isdigit() else (0, 0.0, part) for part in parts)


def _dotted(target: float | None) -> str:
    return "" if target is None else f".{target:g}" if float(f"{target:g}") == target else f".{target!r}"


def _member(json_object: Json, key: str, kind: type, file: Path) -> Any:
    value = json_object.get(key)
    if not isinstance(value, kind) or isinstance(value, bool):
        raise InputError(f"{file}: $.{key}: is missing or of the wrong kind; expected a result of this version of ddlsim")
    return value


def _measures(summary: Json, workers: set[str]) -> Iterator[tuple[str, float | None]]:
    """The numbers of summary.json. An object by worker counts as its least, mean and largest."""
    for key, value in summary.items():
        if key in _TOLD or (value is None and key not in _MAY_BE_NONE and not key.startswith("best_")):
            continue
        if isinstance(value, dict) and value.keys() <= workers and value:
            numbers = [number for number in value.values() if isinstance(number, (int, float))]
            yield f"{key}.min", float(min(numbers)) if numbers else None
            yield f"{key}.mean", sum(numbers) / len(numbers) if numbers else None
            yield f"{key}.max", float(max(numbers)) if numbers else None
        elif isinstance(value, dict):
            for member, number in value.items():
                if member not in ("name", "bottleneck"):
                    yield f"{key}.{member}", None if number is None else float(number)
        elif value is None or isinstance(value, (bool, int, float)):
            yield key, None if value is None else float(value)


_TOLD = ("name", "seed", "algorithm", "requests", "given_up", "faults", "stopped_by", "diverged", "digest")
_MAY_BE_NONE = ("time_per_epoch_s", "consensus_distance", "slowest_step_s")


def _is_search(folder: Path) -> bool:
    return (folder / "tried.csv").exists() or (folder / "advice.json").exists()


def _below(folder: Path, depth: int) -> Iterator[Path]:
    deepest = 3  # OUT/<sweep>/<name>/<seed>
    if (folder / "run.json").is_file():
        yield folder
        return
    if depth > 0 and _is_search(folder):
        return
    if (folder / "sweep.csv").is_file():
        # Its table knows the sweep's own: an earlier state of the sweep's file may have left others.
        table = read_table(folder / "sweep.csv")
        if "run" not in table:
            raise InputError(f"{folder / 'sweep.csv'}: has no column \"run\"; expected a sweep's")
        yield from (folder / run for run in table["run"] if (folder / run / "run.json").is_file())
        return
    if depth < deepest:
        try:
            inner = [path for path in folder.iterdir() if path.is_dir() and not path.name.startswith(".")]
        except OSError as error:
            raise InputError(f"{folder}: cannot be read: {error.strerror}") from None
        for path in sorted(inner, key=lambda path: natural(path.name)):
            yield from _below(path, depth + 1)


def one_metric(runs: Sequence[Run]) -> Metric:
    """The metric of all these runs. Raises InputError where they differ."""
    for run in runs:
        if run.metric != runs[0].metric:
            raise InputError(f"{runs[0].folder} is judged by {runs[0].metric.word} and {run.folder} by {run.metric.word}; "
                             "expected runs of one evaluate.metric")
    return runs[0].metric
