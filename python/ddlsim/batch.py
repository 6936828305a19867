"""`ddlsim batch`: many runs by one child process, which answers as each of them ends."""
from __future__ import annotations

import json
import os
import threading
from collections.abc import Generator, Iterable, Sequence
from contextlib import suppress
from dataclasses import dataclass, field
from pathlib import Path
from typing import IO, Any, Literal

from .errors import DdlsimError, InputError, RunFailed
from .program import failure, listen, program, started

Json = dict[str, Any]


@dataclass(frozen=True)
class Job:
    """A run. Relative paths of a scenario that is a dict start at `folder`. With `force`, its result replaces whatever lies
    in `out`; without, only one of the same scenario."""
    scenario: Json | Path
    out: Path                       # the run's own folder
    seed: int | None = None         # none: the scenario's
    folder: Path | None = None
    changes: Json = field(default_factory=dict)  # values by their path, as --set
    force: bool = False

    def line(self, number: int) -> str:
        """As the program reads it; `number` comes back with the answer."""
        job: Json = {"id": number, "out": str(self.out)}
        job["scenario"] = self.scenario if isinstance(self.scenario, dict) else str(self.scenario)
        if self.folder is not None:
            job["folder"] = str(self.folder)
        if self.changes:
            job["set"] = self.changes
        if self.seed is not None:
            job["seed"] = self.seed
        if self.force:
            job["force"] = True
        return json.dumps(job)


@dataclass(frozen=True)
class Answer:
    """How a job ended: `kept` has a result of that run already, `refused` was not started, `failed` was; `open` has no
    result, where none was to be made. `seconds` by the clock; `error` says why there is no result."""
    job: Job
    state: Literal["done", "kept", "failed", "refused", "cancelled", "open"]
    seconds: float = 0.0
    error: str = ""

    def check(self, name: str = "") -> None:
        """Raises InputError or RunFailed where there is no result; `name` says of which run."""
        if self.error or self.state not in ("done", "kept"):
            lines = [f"{name}: {line}" if name else line for line in (self.error or self.state).splitlines()]
            raise (InputError if self.state == "refused" else RunFailed)(lines)


def run_jobs(jobs: Sequence[Job], at_once: int | None = None, options: Iterable[str] = (),
             most_s: float | None = None) -> Generator[Answer, None, None]:
    """Runs jobs, `at_once` at a time (default: one per core), and yields an answer as each ends. Closed before its end, or
    after `most_s` by the clock, it stops the runs at work, and nothing half-written is left. Raises DdlsimError where the
    program itself ends."""
    words = [program(), "batch", *options, *(["--jobs", str(at_once)] if at_once else [])]
    with started(words, reads=True) as child:
        assert child.stdin and child.stdout and child.stderr
        said: list[str] = []
        # A few more than are at work: if this process is killed, the program ends with what it knows.
        room = threading.Semaphore(2 * (at_once or os.cpu_count() or 1))
        ended = threading.Event()
        helpers = [threading.Thread(target=_hand_over, args=(jobs, child.stdin, room, ended), daemon=True),
                   threading.Thread(target=listen, args=(child.stderr, said), daemon=True)]
        for helper in helpers:
            helper.start()
        answered = 0
        late = threading.Event()

        def end() -> None:
            late.set()
            child.terminate()
        timer = threading.Timer(most_s or 0, end)
        if most_s is not None:
            timer.start()
        try:
            for line in child.stdout:
                answered += 1
                room.release()
                yield _answer(line, jobs)
        finally:
            timer.cancel()
            if answered < len(jobs):
                child.terminate()  # unlike Ctrl-C never ignored
            child.wait()
            ended.set()
            room.release()
            for helper in helpers:
                helper.join()
        if answered < len(jobs) and not late.is_set():
            raise failure(said, child.returncode)


def _hand_over(jobs: Sequence[Job], stream: IO[str], room: threading.Semaphore, ended: threading.Event) -> None:
    with suppress(BrokenPipeError), stream:  # the program has ended, and says why
        for number, job in enumerate(jobs):
            room.acquire()
            if ended.is_set():
                return
            stream.write(job.line(number) + "\n")
            stream.flush()


def _answer(line: str, jobs: Sequence[Job]) -> Answer:
    try:
        answer = json.loads(line)
        return Answer(jobs[answer["id"]], answer["state"], answer["seconds"] or 0.0, answer["error"] or "")
    except (ValueError, KeyError, TypeError, IndexError):
        raise DdlsimError(f"ddlsim batch: answered {line.strip()!r}; expected the answer to a job") from None
