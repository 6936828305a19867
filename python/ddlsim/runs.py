"""Running scenarios and reading results.

    import ddlsim
    result = ddlsim.run("scenarios/het_wan_ako_p3.json", seed=2, **{"algorithm.partitions": 4})
    result.summary["final_accuracy"]["mean"]
    result.curve.query("worker == 'mean'").plot("time_s", "test_accuracy")

A scenario is the path of a file, or a dict of the same form, whose relative paths start at the current folder. Overrides
are keys of the scenario by their path. Tables are pandas frames; without pandas, rows() gives lists of dicts. Whatever is
wrong is a DdlsimError.
"""
from __future__ import annotations

import csv
import html
import json
import numbers
import os
import tempfile
from collections.abc import Iterable, Mapping
from functools import cached_property
from pathlib import Path
from typing import TYPE_CHECKING, Any, Union, overload

from .errors import InputError, PackageMissing
from .files import object_in
from .program import call
from .values import json_of

if TYPE_CHECKING:
    import pandas as pd

AnyPath = Union[str, "os.PathLike[str]"]
Scenario = Union[AnyPath, Mapping[str, Any]]  # a file, or the same as a dict
Row = dict[str, Any]

# Columns of names and words, which stay text whatever they look like; in the others is a number wherever one can be read.
TEXTS = frozenset({"worker", "link", "direction", "source", "target", "exit", "node", "host", "server", "run", "failure",
                   "stopped_by", "busiest_link", "digest", "measure"})


class Result:
    """A result folder of one run; docs of its files: `ddlsim describe curve.csv` and results/README.md."""

    def __init__(self, folder: AnyPath) -> None:
        self.folder = _path(folder, "the path of a folder")
        if not (self.folder / "run.json").is_file():
            raise InputError(f"{self.folder}: no result; expected a folder with a run.json")

    @cached_property
    def summary(self) -> Row:
        return object_in(self.folder / "summary.json")

    @cached_property
    def identity(self) -> Row:
        """What run.json says: the scenario with all defaults, versions, network, digests."""
        return object_in(self.folder / "run.json")

    @property
    def scenario(self) -> Row:
        scenario: Row = _of(self.identity, "scenario", self.folder / "run.json")
        return scenario

    @property
    def digest(self) -> str:
        return str(_of(self.summary, "digest", self.folder / "summary.json"))

    def rows(self, table: str) -> list[Row]:
        """The rows of a table such as "curve": dicts of numbers and words, None where there is no value."""
        return _rows(self._table(table))

    def frame(self, table: str) -> pd.DataFrame:
        """The same as a pandas frame."""
        return _frame(self._table(table))

    @property
    def curve(self) -> pd.DataFrame:
        return self.frame("curve")

    @property
    def iterations(self) -> pd.DataFrame:
        return self.frame("iterations")

    @property
    def traffic(self) -> pd.DataFrame:
        return self.frame("traffic")

    @property
    def pairs(self) -> pd.DataFrame:
        return self.frame("pairs")

    def _table(self, table: str) -> Path:
        path = self.folder / f"{table}.csv"
        if not path.is_file():
            there = sorted(other.stem for other in self.folder.glob("*.csv"))
            raise InputError(f"{self.folder}: no {table}.csv; there are {', '.join(there)}")
        return path

    def __fspath__(self) -> str:  # so that compare(), plot() and report() take results as they take folders
        return str(self.folder)

    def __repr__(self) -> str:
        return f"Result({str(self.folder)!r})"

    def _repr_html_(self) -> str:
        told = {name: self.summary[name] for name in ("name", "seed", "algorithm", "simulated_seconds", "iterations", "bytes_sent",
                                                      "stopped_by") if name in self.summary}
        for name in ("final_accuracy", "final_loss"):
            if isinstance(self.summary.get(name), dict):
                told[name] = self.summary[name]["mean"]
        rows = "".join(f"<tr><th>{name}</th><td>{html.escape(str(value))}</td></tr>\n" for name, value in told.items())
        return f"<table>\n{rows}</table>\n"


class Sweep:
    """A sweep's folder."""

    def __init__(self, folder: AnyPath) -> None:
        self.folder = _path(folder, "the path of a folder")
        if not (self.folder / "sweep.csv").is_file():
            raise InputError(f"{self.folder}: no sweep; expected a folder with a sweep.csv")

    def rows(self) -> list[Row]:
        """A row for each run: what was varied, and its summary."""
        return _rows(self.folder / "sweep.csv")

    @property
    def frame(self) -> pd.DataFrame:
        return _frame(self.folder / "sweep.csv")

    @property
    def means(self) -> pd.DataFrame:
        """Means over seeds with their intervals, a row for each measure."""
        return _frame(self.folder / "means.csv")

    @cached_property
    def results(self) -> list[Result]:
        """The runs that finished, in the order of rows()."""
        table = self.folder / "sweep.csv"
        return [Result(self.folder / _of(row, "run", table)) for row in self.rows() if not _of(row, "failure", table)]

    def __fspath__(self) -> str:
        return str(self.folder)

    def __repr__(self) -> str:
        return f"Sweep({str(self.folder)!r})"

    def _repr_html_(self) -> str:
        return str(self.frame.to_html(index=False, max_rows=20))


@overload
def run(scenario: Scenario, *, seeds: None = None, out: AnyPath = "results", threads: int | None = None, force: bool = False,
        progress: bool = False, **overrides: Any) -> Result: ...


@overload
def run(scenario: Scenario, *, seeds: str | Iterable[int], out: AnyPath = "results", threads: int | None = None,
        force: bool = False, progress: bool = False, **overrides: Any) -> list[Result]: ...


def run(scenario: Scenario, *, seeds: str | Iterable[int] | None = None, out: AnyPath = "results", threads: int | None = None,
        force: bool = False, progress: bool = False, **overrides: Any) -> Result | list[Result]:
    """Runs a scenario and returns its Result, which lies in OUT/<name>/<seed>/; with `seeds`, a list of them: numbers, or
    text such as "1..5".

    Raises InputError, RunFailed or another DdlsimError.
    """
    words = _where(out, progress)
    if seeds is not None:
        words.append(f"--seeds={_seeds(seeds)}")
    if threads is not None:
        words.append(f"--threads={threads}")
    if force:
        words.append("--force")
    told = _told("run", scenario, overrides, words, progress)
    results = [Result(_path(out, "") / _of(summary, "name", "the program") / str(_of(summary, "seed", "the program")))
               for summary in (told if isinstance(told, list) else [told])]
    return results[0] if seeds is None else results


def sweep(grid: Scenario, *, out: AnyPath = "results", jobs: int | None = None, progress: bool = False,
          **overrides: Any) -> Sweep:
    """Runs a sweep (the path of its file, or a dict of the same form), or goes on where it was, and returns a Sweep, which
    lies in OUT/<name>/; without a name, that of a file is the file's, and that of a dict is "sweep"."""
    if isinstance(grid, Mapping) and "tune" in grid:  # its points are tuned from a file, which is read more than once
        with tempfile.NamedTemporaryFile("w", dir=".", prefix=".sweep-", suffix=".json", encoding="utf-8") as file:
            file.write(json_of({"name": "sweep"} | dict(grid)))
            file.flush()
            return sweep(file.name, out=out, jobs=jobs, progress=progress, **overrides)
    words = _where(out, progress)
    if jobs is not None:
        words.append(f"--jobs={jobs}")
    return Sweep(_of(_told("sweep", grid, overrides, words, progress), "folder", "the program"))


def bounds(scenario: Scenario, *, trust: bool = False, **overrides: Any) -> Row:
    """What is known before a run: lower bounds of a step, the step expected, sizes and cost, as `check --json`.

    With `trust`, programs and libraries that the scenario names are started and opened, as by run().
    """
    told: Row = _told("check", scenario, overrides, ["--json"] + (["--trust"] if trust else []))
    return told


def load(folder: AnyPath) -> Result | Sweep | list[Result]:
    """What a folder holds: a Result, a Sweep, or a list of the Results below it, in the order of their paths."""
    folder = _path(folder, "the path of a folder")
    if (folder / "run.json").is_file():
        return Result(folder)
    if (folder / "sweep.csv").is_file():
        return Sweep(folder)
    found = [Result(path.parent) for path in sorted(folder.rglob("run.json"))]
    if not found:
        raise InputError(f"{folder}: no results below; expected a folder with a run.json")
    return found


def _told(command: str, scenario: Scenario, overrides: Mapping[str, Any], words: list[str], progress: bool = False) -> Any:
    """What a command prints as JSON of a scenario with overrides."""
    given = None
    if isinstance(scenario, Mapping):
        given, file = json_of(scenario), "-"
    else:
        file = str(_path(scenario, "a scenario: the path of its file, or a dict"))
        if file.startswith("-"):
            file = os.path.join(".", file)
    if wrong := [path for path in overrides if "=" in path]:
        raise InputError(f"{wrong[0]}: is no path of a key; expected one such as platform.workers")
    changes = [f"--set={path}={json_of(value, path)}" for path, value in overrides.items()]
    text = call([command, file, *words, *changes], progress, given)
    try:
        return json.loads(text)
    except json.JSONDecodeError as error:
        raise InputError(f"the program: says what is no JSON ({error})") from error


def _where(out: AnyPath, progress: bool) -> list[str]:
    return ["--json", f"--out={_path(out, 'the path of a folder, out')}", *([] if progress else ["--quiet"])]


def _seeds(seeds: str | Iterable[int]) -> str:
    if isinstance(seeds, str):
        return seeds
    numbers_given: list[Any] = list(seeds) if isinstance(seeds, Iterable) else []
    if not numbers_given or not all(isinstance(seed, numbers.Integral) for seed in numbers_given):
        raise InputError(f"seeds: {seeds!r} are none; expected whole numbers in a list or a range, or text such as \"1..5\"")
    return ",".join(str(int(seed)) for seed in numbers_given)


def _path(given: Any, expected: str) -> Path:
    try:
        return Path(os.fsdecode(given))
    except TypeError as error:
        raise InputError(f"{str(given)[:80]} is a {type(given).__name__}; expected {expected}") from error


def _of(found: Any, key: str, source: Path | str) -> Any:
    if not isinstance(found, dict) or key not in found:
        raise InputError(f"{source}: has no {key}")
    return found[key]


def _value(text: str) -> int | float | str | None:
    if text == "":
        return None
    kinds: tuple[type[int] | type[float], ...] = (int, float)
    for kind in kinds:
        try:
            return kind(text)
        except ValueError:
            pass
    return text


def _rows(path: Path) -> list[Row]:
    try:
        with open(path, encoding="utf-8", newline="") as file:
            rows = list(csv.DictReader(file))
    except (OSError, ValueError, csv.Error) as error:
        raise InputError(f"{path}: cannot be read ({error})") from error
    if any(None in row or None in row.values() for row in rows):
        raise InputError(f"{path}: is no table; expected as many fields in every line")
    return [{key: text if text and key in TEXTS else _value(text) for key, text in row.items()} for row in rows]


def _frame(path: Path) -> pd.DataFrame:
    try:
        from .frame import read_table
    except ImportError as error:
        raise PackageMissing("frames need pandas; rows() gives the same without it") from error
    return read_table(path)
