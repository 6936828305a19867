"""Runs that a search asks for, each made once and kept, within a budget by the clock."""
from __future__ import annotations

import hashlib
import json
import math
import os
import re
import sys
import time
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from numbers import Real
from pathlib import Path
from typing import Any

from ..batch import Job, run_jobs
from ..errors import InputError
from ..frame import ACCURACY, LOSS, Metric, Run, read
from ..labels import short
from ..program import call
from ..units import counted, quantity
from .search import FIRST_SEED, Changes, Search, changes_of


@dataclass(frozen=True)
class Goal:
    """How runs are judged: how soon they reach a target of the metric or, without one, its value at their end."""
    metric: Metric
    target: float | None = None
    longest_s: float = 0.0  # that a run with a target may last

    @property
    def key(self) -> str:
        """Of the value in tables and JSON."""
        return self.metric.word if self.target is None else "time_to_target_s"

    def changes(self) -> Changes:
        return {} if self.target is None else {f"evaluate.target_{self.metric.word}": [self.target]}

    def score(self, run: Run) -> float:
        """The less the better. A run that misses the target counts as the longest time, and as much more as it is behind."""
        value = run.measure(self.metric.final)
        if run.stopped_by == "diverged" or value is None or not math.isfinite(value):
            return math.inf
        if self.target is None:
            return value if self.metric.less_is_better else 1 - value
        reached = run.measure(self.metric.time_to(self.target))
        return reached if reached is not None else self.longest_s * (1 + abs(self.target - value))


def check_target(target: float | None, metric: Metric) -> None:
    """Raises InputError unless runs could reach it."""
    if target is not None and not (isinstance(target, Real) and 0 < target <= metric.most):
        told = f"{target:g}" if isinstance(target, Real) else target
        expected = "a loss above 0" if metric.less_is_better else "an accuracy above 0 and at most 1"
        raise InputError(f"--target: {told} cannot be reached; expected {expected}")


def goal_of(described: Mapping[str, Any], target: float | None, where: str) -> Goal:
    """The goal in a scenario with all defaults. Raises InputError unless its runs can be judged."""
    evaluate = described["evaluate"]
    metric = LOSS if evaluate.get("metric") == "loss" else ACCURACY
    check_target(target, metric)
    if described.get("model") == "none":
        raise InputError(f"{where}: $.model: is none, and a run without a model learns nothing; expected one that learns")
    for key in ("accuracy", "loss"):
        ends_at = described["stop"].get(key)
        if ends_at is not None and (key != metric.word or target is None or metric.is_better(target, ends_at)):
            raise InputError(f"{where}: $.stop.{key}: ends runs before they can be compared; expected stop.time alone")
    longest_s = quantity(described["stop"].get("time") or "")
    if target is not None and not longest_s:
        raise InputError(f'{where}: $.stop.time: is missing; --target expects a time that every run may take, such as "600s"')
    return Goal(metric, target, longest_s or 0.0)


@dataclass(frozen=True)
class Base:
    """A scenario that is varied: a file, or a dict whose relative paths start at `folder`. If it `sends`, a run in which nothing was
    sent counts as failed."""
    name: str
    scenario: Path | dict[str, Any] = field(hash=False)
    folder: Path | None = None
    changes: Changes = field(default_factory=dict, hash=False)
    sends: bool = False

    @property
    def where(self) -> str:
        """The scenario in messages."""
        return str(self.scenario) if isinstance(self.scenario, Path) else self.name

    def describe(self, command: str = "describe", changes: Changes | None = None, options: Iterable[str] = ()) -> str:
        """The answer of `ddlsim describe`, or another command, about it."""
        sets = [word for path, value in {**self.changes, **(changes or {})}.items()
                for word in ("--set", f"{path}={value if isinstance(value, str) else json.dumps(value)}")]
        is_file = isinstance(self.scenario, Path)
        text = None if is_file else json.dumps(self.scenario)
        return call([command, str(self.scenario) if is_file else "-", *sets, "--trust", *options], given=text)


@dataclass(frozen=True)
class Trial:
    """How one run did."""
    folder: Path
    score: float                  # infinity: it failed, or diverged
    run: Run | None = field(default=None, repr=False, compare=False)
    failure: str = ""
    possible: bool = True         # whether its scenario is one


class Budget:
    """A time by the clock. It decides which runs are made, and nothing else."""

    def __init__(self, seconds: float | None) -> None:
        self.seconds, self.start = seconds, time.monotonic()

    @property
    def used(self) -> float:
        return (time.monotonic() - self.start) / self.seconds if self.seconds else 0.0

    def left(self, share: float = 1.0) -> float | None:
        """Seconds until that share of it is used; None: there is no end to it."""
        return None if self.seconds is None else max(0.0, (share - self.used) * self.seconds)


@dataclass
class Trials:
    out: Path
    goal: Goal
    budget: Budget = field(default_factory=lambda: Budget(None))
    at_once: int | None = None
    command: str = "tune"          # starts lines of progress
    quiet: bool = False
    known: dict[Path, Trial] = field(default_factory=dict)
    _told: float = 0.0

    def folder(self, base: Base, changes: Changes, seed: int) -> Path:
        """The same changes, judged alike, have the same folder, and others another one."""
        text = "_".join(f"{short(path)}={plain(value)}" for path, value in changes.items())
        digest = hashlib.sha256(json.dumps([base.changes, self.goal.changes(), changes], sort_keys=True).encode()).hexdigest()[:8]
        return self.out / file_name(f"{base.name}_{text}"[:90] + "-" + digest) / str(seed)

    def of(self, base: Base, changes: Changes, seed: int) -> Trial | None:
        return self.known.get(self.folder(base, changes, seed))

    def run(self, runs: Sequence[tuple[Base, Changes, int]], stage: str = "", until: float = 1.0) -> bool:
        """Makes those that are not known; False if the budget ended before (`until`: which share of it may be used)."""
        open_runs = {self.folder(*one): one for one in runs}
        jobs = [Job(base.scenario, folder, seed, base.folder, {**base.changes, **self.goal.changes(), **changes}, force=True)
                for folder, (base, changes, seed) in open_runs.items() if folder not in self.known]
        left = self.budget.left(until)
        if not jobs or left == 0.0:
            return not jobs
        for number, answer in enumerate(run_jobs(jobs, self.at_once, ["--trust"], left), 1):
            try:
                run = read(answer.job.out) if answer.state in ("done", "kept") else None
                score = self.goal.score(run) if run else math.inf
                is_silent = open_runs[answer.job.out][0].sends and run and math.isfinite(score) and not run.measure("bytes_sent")
                trial = (Trial(answer.job.out, math.inf, None, "sends nothing within the run") if is_silent else
                         Trial(answer.job.out, score, run, answer.error, answer.state != "refused"))
            except InputError as error:
                trial = Trial(answer.job.out, math.inf, None, str(error))
            self.known[answer.job.out] = trial
            self.tell(stage, number, len(jobs))
        return all(job.out in self.known for job in jobs)

    def follow(self, searches: Mapping[Base, Search], stage: str = "tuning", rounds: int | None = None,
               until: float = 1.0) -> bool:
        """Searches to the end, or for so many rounds; False if the budget ended before."""
        while True:
            # The first of each search, then the second of each: a budget that ends has been dealt out evenly.
            places = sorted(((place, base, *run) for base, search in searches.items() for place,
                             run in enumerate(search.open(rounds))),
                            key=lambda one: (one[3], one[0]))
            asked = [(base, setting, seed) for _, base, setting, seed in places]
            if not asked:
                return True
            whole = self.run([(base, changes_of(setting), first_seed(seed)) for base, setting, seed in asked], stage, until)
            for base, setting, seed in asked:
                trial = self.of(base, changes_of(setting), first_seed(seed))
                if trial is not None:
                    searches[base].tell(setting, seed, trial.score if trial.possible else None)
            if not whole:
                return False

    def of_search(self, base: Base, search: Search) -> list[tuple[Changes, int, Trial]]:
        """Every run that a search has asked for, in its order; at the end those that were refused."""
        asked = [(setting, seed) for setting, scores in search.scores.items() for seed in sorted(scores)]
        found = [(changes_of(setting), first_seed(seed)) for setting, seed in [*asked, *search.impossible.items()]]
        return [(changes, seed, trial) for changes, seed in found if (trial := self.of(base, changes, seed))]

    def tell(self, stage: str, number: int, count: int, what: str = "run") -> None:
        """A line of progress."""
        terminal = sys.stderr.isatty()
        now = time.monotonic()
        if self.quiet or now - self._told < (0.1 if terminal else 10):
            return
        self._told = now
        used = f", {100 * min(1.0, self.budget.used):.0f} % of the budget" if self.budget.seconds else ""
        line = f"{self.command}: {stage}, {number} of {counted(count, what)}{used}"
        print(f"\r\x1b[K{line}" if terminal else line, end="" if terminal else "\n", file=sys.stderr, flush=True)

    def end_line(self) -> None:
        if not self.quiet and sys.stderr.isatty() and self._told:
            print("\r\x1b[K", end="", file=sys.stderr, flush=True)


def checked(base: Base, changes: Changes | None = None, steps: bool = False) -> dict[str, Any]:
    """The answer of `ddlsim check`, with an expected step where `steps` are simulated. Raises DdlsimError."""
    found: dict[str, Any] = json.loads(base.describe("check", changes, ["--json", *([] if steps else ["--bounds"])]))
    return found


def sending(base: Base, answer: Mapping[str, Any]) -> Base:
    """With what `check` says of it: whether it sends."""
    return replace(base, sends=answer["bounds"]["bytes_per_step"] > 0)


def first_seed(seed: int) -> int:
    return FIRST_SEED + seed


def plain(value: Any) -> str:
    """A value without JSON's signs: ako,partitions=4 of {"name": "ako", "partitions": 4}."""
    if isinstance(value, dict):
        return ",".join(("" if key in ("name", "type") else f"{key}=") + plain(inner) for key, inner in value.items())
    if isinstance(value, list):
        return ",".join(map(plain, value))
    return value if isinstance(value, str) else json.dumps(value)


def file_name(text: str) -> str:
    name = re.sub(r"[^A-Za-z0-9._=+,-]", "-", text)
    return "-" + name[1:] if name.startswith(".") else name


def system_facts(base: Base, described: Mapping[str, Any]) -> dict[str, dict[str, Any]]:
    """Every training system by its name, as `ddlsim list algorithms --json` tells of it, with those of the scenario's libraries."""
    folder = base.scenario.parent if isinstance(base.scenario, Path) else base.folder or Path()
    loads = [word for library in described.get("load", []) for word in ("--load", str(folder / library))]
    return {system["name"]: system for system in json.loads(call(["list", "algorithms", "--json", *loads]))["algorithms"]}


def cores() -> int:
    return len(os.sched_getaffinity(0))
