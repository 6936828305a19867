"""The words `tune` and `advise`; and a sweep whose points are tuned, which the program hands over."""
from __future__ import annotations

import argparse
import json
import sys
from collections.abc import Sequence
from typing import Any

from ..table import finite
from ..units import counted
from .search import value_of

OF_FACTS = ("model_bytes", "step", "platform", "workers", "batch", "horizon", "text")


def add_tune(parser: argparse.ArgumentParser) -> None:
    parser.add_argument("scenarios", nargs="+", metavar="SCENARIO.json", help="scenario files")
    parser.add_argument("--over", action="append", default=[], metavar="PATH=V,V,...",
                        help="values to try; repeatable. Default: rate, schedule, batch at its price in time, and every setting of the system "
                             "that changes what is sent; of the learning rate the path may stand alone")
    _add_target(parser)
    parser.add_argument("--seeds", type=_count, default=4, metavar="N",
                        help="at most so many seeds of a setting, from 1000001 on, for tuning alone")
    _add_shared(parser, "results/tune", "DIR/<name>/ gets tried.csv, <name>_tuned.json and the runs")
    parser.set_defaults(command=_tune)


def _tune(arguments: argparse.Namespace, _: Sequence[str]) -> int:
    from .tune import table_of, tune
    found = tune(arguments.scenarios, over=arguments.over, target=arguments.target, seeds=arguments.seeds,
                 out=arguments.out,
                 changes=dict(arguments.set), jobs=arguments.jobs, quiet=arguments.quiet)
    if arguments.json:
        print(json.dumps([{key: finite(value) if isinstance(value, float) else value for key, value in row.items()}
                          for row in found.to_dict("records")], indent=1))
        return 0
    files = "".join(f"  {file}\n" for file in found["tuned_scenario"])
    sys.stdout.write(f"{table_of(found, arguments.target).text()}\nEach scenario with its best settings:\n{files}")
    for row in found.to_dict("records"):
        if row["at_edge"]:
            print(f"ddlsim: {row['scenario']}: of {' and '.join(row['at_edge'])} the last value tried is best; what lies beyond "
                  "may be better", file=sys.stderr)
        if row["failed"]:
            print(f"ddlsim: {row['scenario']}: {row['failed']} of {row['runs']} runs failed; see tried.csv", file=sys.stderr)
        if row["refused"]:
            print(f"ddlsim: {row['scenario']}: {counted(row['refused'], 'setting')} cannot be run; see tried.csv",
                  file=sys.stderr)
    return 0


def add_advise(parser: argparse.ArgumentParser) -> None:
    parser.add_argument("question", nargs="?", metavar="SCENARIO.json|PLATFORM.xml",
                        help="a scenario, whose own system runs first, or a platform file")
    _add_target(parser)
    parser.add_argument("--budget", default="10min", metavar="TIME",
                        help="wall time (default 10min); at its end unfinished runs are ended, finished ones kept")
    parser.add_argument("--systems", default="", metavar="NAME,...", help="only these, and one worker alone")
    parser.add_argument("--exclude", default="", metavar="NAME,...",
                        help="not these. Without single, which needs all data in one place, the others are measured by each worker alone")
    parser.add_argument("--seeds", metavar="A..B", help="of the race (default 1..12)")
    parser.add_argument("-o", "--output", metavar="F.html", help="write an interactive page about the race, too")
    facts = parser.add_argument_group("instead of a scenario, four facts")
    for name, metavar, what in (("--model-bytes", "SIZE", "what a model has on the wire, such as 2.6GB"),
                                ("--step", "TIME", "of one gradient of a worker, such as 0.7s"),
                                ("--platform", "IPERF.csv",
                                 "from,to,rate_mbps,rtt_ms,streams: what connections between sites were measured to carry"),
                                ("--workers", "N", "in all, dealt evenly over the sites"), ("--batch", "N",
                                                                                            "samples of a gradient"),
                                ("--horizon", "STEPS", "of training (default 1000)"), ("--text", "FILE",
                                                                                       "to learn asynchronous systems on, too")):
        facts.add_argument(name, metavar=metavar, help=what)
    _add_shared(parser, "results/advise", "DIR/<name>/ gets advice.md, advice.json, best.json, safe.json and the runs")
    parser.set_defaults(command=_advise)


def _advise(arguments: argparse.Namespace, _: Sequence[str]) -> int:
    from ..errors import InputError
    from .advise import advise
    seeds = None
    if arguments.seeds is not None:
        first, _, last = arguments.seeds.partition("..")
        seeds = range(int(first), int(last or first) + 1) if first.isdecimal() and (last or first).isdecimal() else range(0)
        if not seeds:
            raise InputError(f"--seeds: {arguments.seeds} is no range; expected A..B")
    facts: dict[str, Any] = {name: getattr(arguments, name) for name in OF_FACTS}
    found = advise(arguments.question, target=arguments.target, budget=arguments.budget, systems=arguments.systems,
                   exclude=arguments.exclude, seeds=seeds, out=arguments.out,
                   changes=dict(arguments.set), output=arguments.output, jobs=arguments.jobs,
                   quiet=arguments.quiet or arguments.json, **facts)
    if arguments.json:
        print(json.dumps(found.attrs["advice"], indent=1, ensure_ascii=False))
    else:
        sys.stdout.write(found.attrs["text"])
    return 0


def add_sweep(parser: argparse.ArgumentParser) -> None:
    parser.add_argument("file")
    parser.add_argument("--live")
    parser.add_argument("--learn-each", action="store_true")
    _add_shared(parser, "results", "")
    parser.set_defaults(command=_sweep)


def _sweep(arguments: argparse.Namespace, words: Sequence[str]) -> int:
    from .tune import tune_sweep
    tune_sweep(arguments.file, dict(arguments.set), arguments.out, arguments.jobs, arguments.quiet or arguments.json, words)
    return 0


def _add_target(parser: argparse.ArgumentParser) -> None:
    parser.add_argument("--target", type=float, metavar="VALUE",
                        help="rank by time to this accuracy (or loss, by evaluate.metric); without it, by the end")


def _add_shared(parser: argparse.ArgumentParser, out: str, what: str) -> None:
    parser.add_argument("--set", action="append", default=[], type=_setting, metavar="PATH=VALUE",
                        help="override one key of the scenario; repeatable")
    parser.add_argument("--out", default=out, metavar="DIR", help=f"{what}; default {out}")
    parser.add_argument("--jobs", type=_count, metavar="N", help="parallel runs; default: one per core")
    parser.add_argument("--json", action="store_true", help="print what was found as JSON, and nothing else")
    parser.add_argument("--quiet", action="store_true", help="no progress")


def _count(text: str) -> int:
    if not text.isdecimal() or int(text) < 1:
        raise argparse.ArgumentTypeError(f"{text} is no count; expected a whole number from 1")
    return int(text)


def _setting(text: str) -> tuple[str, Any]:
    path, equals, value = text.removeprefix("$.").partition("=")
    if not equals or not path:
        raise argparse.ArgumentTypeError(f"{text} sets nothing; expected PATH=VALUE")
    return path, value_of(value)


__all__ = ["add_advise", "add_sweep", "add_tune"]
