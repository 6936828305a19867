"""Runs a study's cells, keeps what is finished, and reads the figures off the runs."""
from __future__ import annotations

import fcntl
import json
import math
import os
import shutil
import sys
import time
from collections.abc import Callable, Iterator, Sequence
from contextlib import closing, contextmanager
from dataclasses import dataclass, field, replace
from pathlib import Path

from ..batch import Answer, Job, run_jobs
from ..errors import InputError
from ..frame import Run
from ..program import call
from ..stats import Estimate, estimate
from ..units import seconds
from .readings import FinishedRun, total
from .study import Cell, Figure, Json, Network, Outcome, Study, Value

_Readings = list[float | None]  # one per figure of a cell


@dataclass(frozen=True)
class Progress:
    """How far a study's runs are; `left_s` by the clock, none before the first has ended."""
    finished: int
    kept: int
    runs: int
    left_s: float | None


def run_study(study: Study, out: Path, *, at_once: int | None = None, finished: bool = False,
              progress: Callable[[Progress], None] = lambda _: None) -> Outcome:
    """Makes the runs that are not there yet in OUT/cells/<study>/, the cheapest first; with `finished`, none.

    An interrupted study goes on where it was; a run of another scenario, platform or build of the program is made again.
    Raises InputError, RunFailed or DdlsimError; what was finished until then is kept.
    """
    folder = (out / "cells" / study.name).absolute()
    plan = _Plan(study, folder)
    if finished:
        if not folder.is_dir():
            raise InputError(f"{folder}: holds no runs of the study; expected some, made without --finished")
        return plan.outcome(list(plan.open_jobs()))
    with _alone_in(folder):
        for platform in study.platforms:
            shutil.copyfile(platform, folder / platform.name)
        with closing(run_jobs(sorted(plan.jobs, key=plan.cost_of), at_once)) as answers:
            for told in _progress_of(answers, plan):
                progress(told)
        return plan.outcome([])


def show_progress(name: str) -> Callable[[Progress], None]:
    """Tells it on a terminal, in one line that is written again and again."""
    def show(progress: Progress) -> None:
        kept = f", {progress.kept} kept" if progress.kept else ""
        left = f", {seconds(progress.left_s)} left" if progress.left_s else ""
        end = "\n" if progress.finished == progress.runs else ""
        sys.stderr.write(f"\r\x1b[K{name}: {progress.finished} of {progress.runs} runs{kept}{left}{end}")
        sys.stderr.flush()
    return show


@dataclass
class _Plan:
    """A job for each cell, draw of the network and seed."""
    study: Study
    folder: Path
    jobs: list[Job] = field(default_factory=list)
    of_cells: dict[str, list[Job]] = field(default_factory=dict)  # by draw, then seed

    def __post_init__(self) -> None:
        for cell in self.study.cells.values():
            seeds = cell.seeds or self.study.seeds
            jobs = [self._job(cell, draw, seed) for draw in range(1, cell.draws + 1) for seed in seeds]
            self.of_cells[cell.name] = jobs
            self.jobs += jobs
        self._costs = {job.out: cell.cost for cell in self.study.cells.values() for job in self.of_cells[cell.name]}

    def _job(self, cell: Cell, draw: int, seed: int) -> Job:
        name = cell.name if draw == 1 else f"{cell.name}_draw_{draw}"
        scenario: Json = {**cell.scenario, "name": name}
        if cell.draws > 1:
            network = {**scenario["platform"].get("network", {}), "draw": draw}
            scenario["platform"] = {**scenario["platform"], "network": network}
        return Job(scenario, self.folder / name / str(seed), seed, self.folder, force=True)

    def open_jobs(self) -> Iterator[Job]:
        """Those without a result, by whatever build of the program. Raises InputError for a scenario that is wrong."""
        with closing(run_jobs(self.jobs, options=["--finished"])) as answers:
            for answer in answers:
                if answer.state == "open":
                    yield answer.job
                else:
                    answer.check(self.name_of(answer.job))

    def cost_of(self, job: Job) -> float:
        return self._costs[job.out]

    def name_of(self, job: Job) -> str:
        return f"{job.out.parent.name} (seed {job.seed})"

    def outcome(self, open_jobs: Sequence[Job]) -> Outcome:
        """The outcome of the finished runs; `open_jobs` have none."""
        open_folders = {job.out for job in open_jobs}
        outcome = Outcome(_counted(self.study))
        networks: dict[str, int] = {}
        for cell in self.study.cells.values():
            jobs = self.of_cells[cell.name]
            is_open = any(job.out in open_folders for job in jobs)
            of_runs: list[_Readings] = []
            if is_open:
                outcome.open.append(cell.name)
            for job in [] if is_open else jobs:
                run = FinishedRun(job.out)
                of_runs.append([_read(figure, run) for figure in cell.figures])
                if run.run.network is not None:
                    text = network_text(run.run)
                    networks[text] = networks.get(text, 0) + 1
            for number, figure in enumerate(cell.figures):
                found = None if is_open else _estimate([readings[number] for readings in of_runs], cell.draws)
                value = Value(figure.place, figure.published, range=figure.range, open=is_open)
                if found is not None:
                    value = replace(value, simulated=found.mean, half_width=found.half_width)
                outcome.values.append(value)
        outcome.networks = [Network(text, runs) for text, runs in networks.items()]
        return outcome


def network_text(run: Run) -> str:
    """How its messages were carried: "CM02, carried by SimGrid"."""
    network = run.network or {}
    if network.get("carried_by") == "packets":
        return "packets: TCP connections, packet by packet"
    carrier = "SimGrid" if network.get("carried_by") == "simgrid" else "the accelerator"
    return f"{network.get('model')}, carried by {carrier}"


def _counted(study: Study) -> list[Value]:
    """The figures that need no run."""
    totals: dict[str, dict[str, float]] = {}
    values = []
    for count in study.counts:
        if count.model not in totals:
            totals[count.model] = json.loads(call(["model", count.model, "--json"]))["total"]
        values.append(Value(count.place, count.published, totals[count.model][count.key] / count.unit))
    return values


def _read(figure: Figure, run: FinishedRun) -> float | None:
    """A run that diverged has no figures."""
    try:
        value = figure.read(run)
    except (AttributeError, KeyError) as error:  # of pandas: no such column
        raise InputError(f"{run.run.folder}: has no figure {figure.place}: {error}") from error
    return value if value is not None and math.isfinite(value) else None


def _estimate(of_runs: Sequence[float | None], draws: int) -> Estimate | None:
    """The mean over seeds of the means over draws, of values by draw, then seed. None unless every run has the figure: a
    mean of the others would flatter."""
    values = [value for value in of_runs if value is not None]
    if len(values) < len(of_runs):
        return None
    seeds = len(values) // draws
    return estimate([total(values[seed::seeds]) / draws for seed in range(seeds)])


def _progress_of(answers: Iterator[Answer], plan: _Plan) -> Iterator[Progress]:
    """As runs end. Raises InputError or RunFailed at the first without a result, which ends the others."""
    began, kept = time.monotonic(), 0
    work_done, work_left = 0.0, sum(map(plan.cost_of, plan.jobs))
    for finished, answer in enumerate(answers, 1):
        answer.check(plan.name_of(answer.job))
        cost = plan.cost_of(answer.job)
        work_left -= cost
        if answer.state == "kept":
            kept += 1
        else:
            work_done += cost
        left_s = (time.monotonic() - began) * work_left / work_done if work_done and work_left > 0 else None
        yield Progress(finished, kept, len(plan.jobs), left_s)


@contextmanager
def _alone_in(folder: Path) -> Iterator[None]:
    try:
        folder.mkdir(parents=True, exist_ok=True)
        lock = os.open(folder, os.O_RDONLY | os.O_DIRECTORY | os.O_CLOEXEC)
    except OSError as error:
        raise InputError(f"{folder}: cannot be made: {error.strerror}") from None
    try:
        try:
            fcntl.flock(lock, fcntl.LOCK_EX | fcntl.LOCK_NB)
        except BlockingIOError:
            raise InputError(f"{folder}: another program is at work in it; expected to be alone") from None
        except OSError:  # some network file systems cannot lock folders; then other programs are not kept out
            pass
        yield
    finally:
        os.close(lock)
