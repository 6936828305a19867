"""Running scenarios and reading results.

    import ddlsim
    result = ddlsim.run("scenarios/het_wan_ako_p3.json", seed=2, **{"algorithm.partitions": 4})
    result.summary["final_accuracy"]["mean"]
    result.curve.query("worker == 'mean'").plot("time_s", "test_accuracy")

A scenario is the path of a file, or a dict of the same form, whose relative paths start at the current folder. Overrides
are keys of the scenario by their path. Tables are pandas frames. Whatever is wrong is a DdlsimError.
"""
from __future__ import annotations

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


class _Folder:
    """A folder that is known by a file. compare(), plot() and report() take it as they take its path."""
    _what: str
    _file: str

    def __init__(self, folder: AnyPath) -> None:
        self.folder = _path(folder, "the path of a folder")
        if not (self.folder / self._file).is_file():
            raise InputError(f"{self.folder}: no {self._what}; expected a folder with a {self._file}")

    def __fspath__(self) -> str:
        return str(self.folder)

    def __repr__(self) -> str:
        return f"{type(self).__name__}({str(self.folder)!r})"


class Result(_Folder):
    """A result folder of one run; docs of its files: `ddlsim describe curve.csv` and results/README.md."""
    _what, _file = "result", "run.json"

    def _repr_html_(self) -> str:
        told = {name: self.summary[name] for name in ("name", "seed", "algorithm", "simulated_seconds", "iterations", "bytes_sent",
                                                      "stopped_by", "final_accuracy", "final_loss") if name in self.summary}
        rows = "".join(f"<tr><th>{name}</th><td>{html.escape(str(value['mean'] if isinstance(value, dict) else value))}</td></tr>\n"
                       for name, value in told.items())
        return f"<table>\n{rows}</table>\n"

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

    def frame(self, table: str) -> pd.DataFrame:
        """A table such as "curve": numbers and words."""
        return _frame(self.folder / f"{table}.csv")

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


class Sweep(_Folder):
    """A sweep's folder."""
    _what, _file = "sweep", "sweep.csv"

    def _repr_html_(self) -> str:
        return str(self.frame.to_html(index=False, max_rows=20))

    @property
    def frame(self) -> pd.DataFrame:
        """A row for each run: what was varied, and its summary."""
        return _frame(self.folder / "sweep.csv")

    @property
    def means(self) -> pd.DataFrame:
        """Means over seeds with their intervals, a row for each measure."""
        return _frame(self.folder / "means.csv")

    @cached_property
    def results(self) -> list[Result]:
        """The runs that finished, in the order of `frame`."""
        table, file = self.frame, self.folder / "sweep.csv"
        has_finished = _of(table, "failure", file).isna()
        return [Result(self.folder / run) for run in _of(table, "run", file)[has_finished]]


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
    try:
        return found[key]
    except (KeyError, TypeError):
        raise InputError(f"{source}: has no {key}") from None


def _frame(path: Path) -> pd.DataFrame:
    try:
        from .frame import read_table
    except ImportError as error:
        raise PackageMissing("tables need pandas; expected it to be installed for this Python") from error
    return read_table(path)
