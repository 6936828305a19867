"""Published studies: each package here runs a publication's experiments, puts its figures beside the published ones, and
judges what it claims."""
from __future__ import annotations

import argparse
import importlib
import os
import pkgutil
import shlex
import signal
import sys
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING

from ..errors import InputError, nearest

if TYPE_CHECKING:
    from .study import Definition, Outcome, SizeName, Study, Verdict


@dataclass(frozen=True)
class Reproduction:
    """A study, what came out of it, its verdicts, by claim, and its page's path."""
    study: Study
    outcome: Outcome
    verdicts: list[Verdict]
    page: Path

    def __str__(self) -> str:
        from .page import counts_of
        return counts_of(self.study, self.verdicts)

    def _repr_markdown_(self) -> str:
        return self.page.read_text(encoding="utf-8")


def names() -> list[str]:
    return sorted(found.name for found in pkgutil.iter_modules(__path__) if found.ispkg)


def definition(name: str) -> Definition:
    """Raises InputError for a name that no study has."""
    if name not in names():
        raise InputError(f'"{name}" is no study; {nearest(name, names())}')
    found: Definition = importlib.import_module(f"{__name__}.{name}").study
    return found


def sized(name: str, full: bool = False, data: Path | str | None = None) -> Study:
    """A study in the size that is asked for. Its name ends as its pages, tables and runs do."""
    source = definition(name)
    folder = _data_folder(source, full, "" if data is None else str(data))
    size: SizeName = "full" if full else "data" if folder else "default"
    study = source.sized(size, folder)
    study.name += {"full": "_full", "data": "_cifar" if source.data == "cifar-10" else ""}.get(size, "")
    return study


def reproduce(name: str, *, full: bool = False, data: Path | str | None = None, out: Path | str = "results",
              jobs: int | None = None, seeds: Sequence[int] | None = None, finished: bool = False,
              progress: bool = False) -> Reproduction:
    """Runs a study and writes its page and tables to `out`; finished runs are kept in OUT/cells.

    `full`: the published network on CIFAR-10, whose folder is `data`. `seeds` replace the study's own, but not those of
    cells that have others. `jobs` run at once (default: one per core). `finished`: no run is made; the page has those that
    are finished. Raises InputError, RunFailed or DdlsimError.
    """
    from . import page, running
    from .study import judge
    study = sized(name, full, data)
    if seeds:
        study.seeds = list(seeds)
    show = running.show_progress(study.name) if progress else lambda _: None
    outcome = running.run_study(study, Path(out), at_once=jobs, finished=finished, progress=show)
    words = ["ddlsim", "reproduce", name, *(["--full"] if full else []), *(["--data", "DIR"] if study.data else []),
             *(["--seeds", ",".join(map(str, seeds))] if seeds else [])]
    return Reproduction(study, outcome, judge(study, outcome), page.write(Path(out), study, outcome, shlex.join(words)))


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """Those of the command `reproduce`, which `command` does."""
    parser.add_argument("name", nargs="?", metavar="NAME", help="the study; without it, all are listed")
    parser.add_argument("--full", action="store_true", help="the published network on CIFAR-10, instead of a small one")
    parser.add_argument("--data", metavar="DIR",
                        help="folder of CIFAR-10's binary files: for --full or, without it, for small networks (cui_2019, "
                             "zhang); iddl: of mnist/ and cifar-10/, and gpt_diloco: of tinyshakespeare/, default DDLSIM_DATA")
    parser.add_argument("--out", default="results", metavar="DIR",
                        help="tables and page go to DIR; finished runs are kept in DIR/cells (default: results)")
    parser.add_argument("--seeds", type=_seeds, metavar="LIST", help="such as 1..5 or 1,4,7, instead of the study's own")
    how = parser.add_mutually_exclusive_group()
    how.add_argument("--jobs", type=_count, metavar="N", help="runs at once (default: one per core)")
    how.add_argument("--finished", action="store_true", help="make no run: tables and page of those that are finished")
    parser.add_argument("--quiet", dest="progress", action="store_false", help="no progress")
    parser.set_defaults(command=command)


def command(arguments: argparse.Namespace, _: Sequence[str] = ()) -> int:
    if arguments.name is None:
        if arguments.full or arguments.data:
            raise InputError("reproduce --full: of which study?")
        for name in names():
            print(f"  {name:<16} {definition(name).what}")
        return 0
    try:
        found = _reproduced(arguments)
    except KeyboardInterrupt:
        print("ddlsim: interrupted: finished runs are kept, and the same command goes on from there", file=sys.stderr)
        return 128 + signal.SIGINT
    print(f"{found}\npage  {found.page}")
    return 0


def _reproduced(arguments: argparse.Namespace) -> Reproduction:
    return reproduce(arguments.name, full=arguments.full, data=arguments.data, out=arguments.out, jobs=arguments.jobs,
                     seeds=arguments.seeds, finished=arguments.finished,
                     progress=arguments.progress and not arguments.finished and sys.stderr.isatty())


def _data_folder(source: Definition, full: bool, data: str) -> str:
    """The absolute path of the folder of data; "" for a size without."""
    parts = {"mnist and cifar-10": ["mnist", "cifar-10"], "tinyshakespeare": ["tinyshakespeare"]}.get(source.data, [])
    expected = f"the folder of {' and '.join(f'{part}/' for part in parts)}" if parts else "the folder of CIFAR-10's files"

    def is_right(folder: str) -> bool:
        return all(os.path.isdir(os.path.join(folder, part)) for part in parts or [""])

    usual = os.environ.get("DDLSIM_DATA", "")
    if parts and not data and usual and is_right(usual):
        data = usual
    if not source.data and (full or data):
        raise InputError(f"reproduce {source.name}: trains no network; expected it without --full and --data")
    if source.data == "tinyshakespeare" and (full or not data):
        raise InputError(f"reproduce {source.name}: has one size; expected it with --data, {expected}, and without --full")
    if full and not data:
        raise InputError(f"reproduce --full: needs CIFAR-10; expected --data with {expected}")
    if data and not full and source.data == "cifar-10, full alone":
        raise InputError("reproduce --data: is for --full alone, which trains on CIFAR-10")
    if data and not is_right(data):
        raise InputError(f"reproduce --data {data}: is not {expected}; expected a folder that is")
    return os.path.abspath(data) if data else ""


def _count(text: str) -> int:
    if not text.isdigit() or not 1 <= int(text) <= 4096:
        raise argparse.ArgumentTypeError(f"{text} is no count; expected a whole number of 1 to 4096")
    return int(text)


def _seeds(text: str) -> list[int]:
    seeds: list[int] = []
    for part in text.split(","):
        first, _, last = part.partition("..")
        if not first.isdigit() or not (last or first).isdigit() or int(last or first) < int(first):
            raise argparse.ArgumentTypeError(f"{text} is no list of seeds; expected such as 1..5 or 1,4,7")
        seeds += range(int(first), int(last or first) + 1)
    return list(dict.fromkeys(seeds))
