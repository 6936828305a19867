"""Running scenarios and reading results.

    import ddlsim
    result = ddlsim.run("scenarios/het_wan_ako_p3.json", seed=2, **{"algorithm.partitions": 4})
    result.summary["final_accuracy"]["mean"]
    result.curve.query("worker == 'mean'").plot("time_s", "test_accuracy")

A scenario is the path of a file, or a dict of the same form, whose relative paths start at the current folder. Overrides
are keys of the scenario by their path. Tables are pandas frames; without pandas, rows() gives lists of dicts.
"""
import csv
import json
import os
import tempfile
from contextlib import contextmanager
from functools import cached_property
from pathlib import Path

from .program import call


class Result:
    """A result folder of one run; docs of its files: `ddlsim describe curve.csv` and results/README.md."""

    def __init__(self, folder):
        self.folder = Path(folder)
        if not (self.folder / "run.json").is_file():
            raise FileNotFoundError(f"{self.folder}: no result; expected a folder with a run.json")

    @cached_property
    def summary(self):
        return json.loads((self.folder / "summary.json").read_text(encoding="utf-8"))

    @cached_property
    def identity(self):
        """What run.json says: the scenario with all defaults, versions, network, digests."""
        return json.loads((self.folder / "run.json").read_text(encoding="utf-8"))

    @property
    def scenario(self):
        return self.identity["scenario"]

    @property
    def digest(self):
        return self.summary["digest"]

    def rows(self, table):
        """The rows of a table such as "curve": dicts of numbers and words, None where there is no value."""
        return _rows(self._path(table))

    def frame(self, table):
        """The same as a pandas frame."""
        return _frame(self._path(table))

    @property
    def curve(self):
        return self.frame("curve")

    @property
    def iterations(self):
        return self.frame("iterations")

    @property
    def traffic(self):
        return self.frame("traffic")

    @property
    def pairs(self):
        return self.frame("pairs")

    def _path(self, table):
        path = self.folder / f"{table}.csv"
        if not path.is_file():
            there = sorted(other.stem for other in self.folder.glob("*.csv"))
            raise FileNotFoundError(f"{self.folder}: no {table}.csv; there are {', '.join(there)}")
        return path

    def __repr__(self):
        return f"Result({str(self.folder)!r})"


class Sweep:
    """A sweep's folder."""

    def __init__(self, folder):
        self.folder = Path(folder)
        if not (self.folder / "sweep.csv").is_file():
            raise FileNotFoundError(f"{self.folder}: no sweep; expected a folder with a sweep.csv")

    def rows(self):
        """A row for each run: what was varied, and its summary."""
        return _rows(self.folder / "sweep.csv")

    @property
    def frame(self):
        return _frame(self.folder / "sweep.csv")

    @property
    def means(self):
        """Means over seeds with their intervals, a row for each measure."""
        return _frame(self.folder / "means.csv")

    @cached_property
    def results(self):
        """The runs that finished, in the order of rows()."""
        return [Result(self.folder / row["run"]) for row in self.rows() if not row["failure"]]

    def __repr__(self):
        return f"Sweep({str(self.folder)!r})"


def run(scenario, *, seeds=None, out="results", threads=None, force=False, progress=False, **overrides):
    """Runs a scenario and returns its Result, which lies in OUT/<name>/<seed>/; with `seeds`, a list of them.

    Raises InputError, RunFailed or another DdlsimError.
    """
    words = ["--json", "--out", out, *_changes(overrides)]
    if seeds is not None:
        words += ["--seeds", ",".join(str(seed) for seed in seeds)]
    if threads is not None:
        words += ["--threads", threads]
    if force:
        words.append("--force")
    with _file_of(scenario) as path:
        summaries = json.loads(call(["run", path, *words], progress))
    results = [Result(Path(out) / summary["name"] / str(summary["seed"]))
               for summary in (summaries if isinstance(summaries, list) else [summaries])]
    return results[0] if seeds is None else results


def sweep(grid, *, out="results", jobs=None, progress=False, **overrides):
    """Runs a sweep (the path of its file, or a dict of the same form), or goes on where it was, and returns a Sweep."""
    words = ["--out", out, *_changes(overrides)]
    if jobs is not None:
        words += ["--jobs", jobs]
    with _file_of(grid) as path:
        call(["sweep", path, *words], progress)
        name = grid["name"] if isinstance(grid, dict) else _name_of_sweep(path)  # the program asks for one
    return Sweep(Path(out) / name)


def bounds(scenario, *, trust=False, **overrides):
    """What is known before a run: lower bounds of a step, the step expected, sizes and cost, as `check --json`.

    With `trust`, programs and libraries that the scenario names are started and opened, as by run().
    """
    words = ["--json", *_changes(overrides)] + (["--trust"] if trust else [])
    with _file_of(scenario) as path:
        return json.loads(call(["check", path, *words]))


def load(folder):
    """What a folder holds: a Result, a Sweep, or a list of the Results below it, in the order of their paths."""
    folder = Path(folder)
    if (folder / "run.json").is_file():
        return Result(folder)
    if (folder / "sweep.csv").is_file():
        return Sweep(folder)
    found = [Result(path.parent) for path in sorted(folder.rglob("run.json"))]
    if not found:
        raise FileNotFoundError(f"{folder}: no results below; expected a folder with a run.json")
    return found


def _changes(overrides):
    words = []
    for path, value in overrides.items():
        words += ["--set", f"{path}={value if isinstance(value, str) else json.dumps(value)}"]
    return words


@contextmanager
def _file_of(scenario):
    """The path of a scenario; of a dict, of a file in the current folder, which goes again."""
    if not isinstance(scenario, dict):
        yield os.fspath(scenario)
        return
    handle, path = tempfile.mkstemp(prefix=".scenario-", suffix=".json", dir=".")
    try:
        with os.fdopen(handle, "w", encoding="utf-8") as file:
            json.dump({"name": "scenario", **scenario}, file)
        yield path
    finally:
        os.unlink(path)


def _name_of_sweep(path):
    return json.loads(call(["describe", path]))["name"]


def _value(text):
    if text == "":
        return None
    for kind in (int, float):
        try:
            return kind(text)
        except ValueError:
            pass
    return text


def _rows(path):
    with open(path, newline="", encoding="utf-8") as file:
        return [{key: _value(text) for key, text in row.items()} for row in csv.DictReader(file)]


def _frame(path):
    try:
        import pandas
    except ImportError as error:
        raise ImportError("frames need pandas; rows() gives the same without it") from error
    return pandas.read_csv(path)
