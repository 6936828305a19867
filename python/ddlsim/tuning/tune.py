"""`ddlsim tune`, and sweeps that tune every point: schemes at their own best settings, by the rule of search.py."""
from __future__ import annotations

import csv
import io
import itertools
import json
import math
import os
import re
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING, Any

from ..errors import InputError, RunFailed
from ..files import make_folder, write_whole
from ..labels import short
from ..program import program
from ..runs import AnyPath, Scenario
from ..stats import estimate
from ..table import Cell, Column, Table
from ..units import base_unit, quantity
from ..units import plain as number_text
from ..values import json_of
from .search import FIRST_SEED, MOST_TOGETHER, RATE, SCHEDULE, Axis, Changes, Search, axis, changes_of, named, over, rates, text_of
from .trials import Base, Goal, Trials, checked, file_name, goal_of, plain, sending, system_facts

if TYPE_CHECKING:
    import pandas as pd

BATCH, RECORD = "training.batch_size", "record.iterations"
AWAY = ("host_crash", "churn", "availability")  # faults after which a system may wait for a worker


def axes_of(described: Mapping[str, Any], system: Mapping[str, Any], same: "Same", name: str | None = None) -> list[Axis]:
    """Everything that the rule tunes, of a scenario with all its defaults; `name`: of another system than its own."""
    optimizer, batch = described["training"]["optimizer"], described["training"]["batch_size"]
    schedule = optimizer["schedule"]
    axes = []  # what is sent decides most, and comes first
    own = described["algorithm"] if name is None else {}
    tuned = list(system["tuned"])
    if "on_failure" in system["keys"] and any(fault["type"] in AWAY for fault in described.get("faults", [])):
        tuned.append({"on_failure": ["wait", "go_on"]})
    for lists in tuned:
        given = {key: own.get(key, system["keys"][key].get("default")) for key in lists}
        values = [{f"algorithm.{key}": same(f"algorithm.{key}", value, own.get(key)) for key, value in zip(lists, step)}
                  for step in zip(*lists.values())]
        axes.append(axis(values, {f"algorithm.{key}": value for key, value in given.items() if value is not None}))
    schedules = [{SCHEDULE: same(SCHEDULE, {"type": kind}, schedule)} for kind in ("constant", "cosine")]
    return [*axes, rates(optimizer["learning_rate"]), axis(schedules, {SCHEDULE: schedule}, False),
            axis([{BATCH: batch}, {BATCH: 2 * batch}], {BATCH: batch})]


class Same:
    """Gives a value as the scenario has it, with its defaults, where it is the scenario's own, so that it is not run twice."""

    def __init__(self, base: Base) -> None:
        self._base = base
        self._filled: dict[str, Any] = {}

    def __call__(self, path: str, value: Any, own: Any) -> Any:
        asked = {"type": value} if isinstance(value, str) else value
        if not isinstance(own, dict) or not isinstance(asked, dict) or not asked.items() <= own.items():
            return value
        key = text_of({path: value})
        if key not in self._filled:
            try:
                found = json.loads(self._base.describe(changes={path: value}))
                for part in path.split("."):
                    found = found[part]
                self._filled[key] = found
            except InputError:
                self._filled[key] = None  # it is refused
        return own if self._filled[key] == own else value


def priced(base: Base, described: Mapping[str, Any]) -> Base:
    """A scenario whose batches take their time, where one time is known of its own."""
    compute = dict(described["compute"])
    time_s = quantity(compute.pop("seconds_per_batch", ""))
    if not time_s:
        return base
    compute["seconds_per_sample"] = f"{time_s / described['training']['batch_size']:.12g}s"
    others = {path: value for path, value in base.changes.items() if not path.startswith("compute")}
    return replace(base, changes=others | {"compute": compute})


def axes_over(described: Mapping[str, Any], lists: Iterable[tuple[str, Sequence[Any]]], where: str = "--over") -> list[Axis]:
    """The axes of given lists, which are tried as they are; an empty one is the learning rate, about the scenario's own. Raises InputError."""
    found = []
    for path, values in lists:
        if not values and path != RATE:
            raise InputError(f"{where}: {path} has no values; expected one at least")
        found.append(axis([{path: value} for value in values], {path: values[0]}, False) if values else
                     rates(described["training"]["optimizer"]["learning_rate"]))
    count = math.prod(len(one.values) for one in found)
    if count > MOST_TOGETHER:
        raise InputError(f"{where}: has {count} settings, each value with each other; expected {MOST_TOGETHER} at most")
    return found or [rates(described["training"]["optimizer"]["learning_rate"])]


def tune(scenarios: Scenario | Sequence[Scenario], *, over: Sequence[str] | Mapping[str, Sequence[Any]] = (),  # noqa: A002
         target: float | None = None, seeds: int = 4, out: AnyPath = "results/tune", changes: Mapping[str, Any] | None = None,
         jobs: int | None = None, quiet: bool = True) -> "pd.DataFrame":
    """The best settings of each scenario, a row each: what was best, how it did over its seeds of tuning, how many runs that took.
    `over`: values to try, as --over has them; by default whatever the rule tunes. DIR/<name>/ has tried.csv, the scenario with what
    was best, and the runs. Raises DdlsimError."""
    import pandas as pd
    given = [scenarios] if isinstance(scenarios, (str, os.PathLike, Mapping)) else list(scenarios)
    if not given:
        raise InputError("tune: no scenario given; expected one at least")
    lists = list(over.items()) if isinstance(over, Mapping) else [_over(text) for text in over]
    bases: list[Base] = []
    searches: dict[Base, Search] = {}
    goals: dict[Base, Goal] = {}
    for scenario in given:
        base, described = base_of(scenario, dict(changes or {}))
        where = base.where
        goal = goal_of(described, target, where)
        if any(base.name == other.name for other in bases):
            raise InputError(f"{where}: $.name: is {base.name}, as an earlier scenario's is; expected another name")
        if lists:
            axes = axes_over(described, lists)
        else:
            base = priced(base, described)
            base = sending(base, checked(base))
            axes = axes_of(described, system_facts(base, described)[described["algorithm"]["name"]], Same(base))
        bases.append(base)
        goals[base] = goal
        searches[base] = Search(axes, seeds, grid=bool(lists))
    if len({goal.metric for goal in goals.values()}) > 1:
        raise InputError("tune: the scenarios are judged by different metrics; expected one evaluate.metric")
    rows = []
    trials = {base: Trials(Path(out) / base.name / "tuning", goals[base], at_once=jobs, quiet=quiet) for base in bases}
    for base in bases:
        trials[base].follow({base: searches[base]})
        trials[base].end_line()
        rows.append(_row(base, searches[base], trials[base], Path(out), dict(changes or {})))
    return pd.DataFrame(rows)


def base_of(scenario: Scenario, changes: Changes) -> tuple[Base, dict[str, Any]]:
    """A scenario, the path of its file or a dict, and what it says with all defaults. Its name tells the changes, except where they give
    one."""
    if str(scenario) == "-":
        raise InputError("the standard input is read once, and a search reads a scenario often; expected the name of a file")
    file: Path | dict[str, Any] = (json.loads(json_of({"name": "scenario", **scenario})) if isinstance(scenario, Mapping)
                                   else Path(scenario))
    changes = json.loads(json_of(changes))
    described = json.loads(Base("", file, changes=changes).describe())
    told = "_".join(plain(value) if path == "algorithm" else f"{short(path)}={plain(value)}" for path,
                    value in changes.items()
                    if path.split(".")[0] not in ("seed", "description", "record", "expect", "name"))
    name = described["name"] + ("" if "name" in changes or not told else "_" + told)
    return Base(file_name(name)[:100], file, None, changes | {RECORD: False}), described


def as_asked(base: Base, asked: Changes, added: Changes) -> Base:
    """Without what was added for the search alone."""
    kept = {path: asked[path] if path in added else value for path, value in base.changes.items()
            if path in asked or path not in added}
    return replace(base, changes=kept)


def _row(base: Base, search: Search, trials: Trials, out: Path, asked: Changes) -> dict[str, Any]:
    runs = trials.of_search(base, search)
    folder = out / base.name
    reason = next((trial.failure.splitlines()[0] for _, _, trial in runs if trial.failure), "every run diverged")
    if not search.scores:
        raise InputError(reason)
    make_folder(folder)
    write_whole(folder / "tried.csv", tried_csv(trials.goal, [({}, base, search)], trials).encode())
    if search.best is None:
        raise RunFailed(f"{base.name}: no run came to its end: {reason}")
    best = changes_of(search.best)
    of_best = [trial for changes, _, trial in runs if changes == best]
    tuned = folder / f"{base.name}_tuned.json"
    as_asked(base, asked, {RECORD: False}).describe(changes=best | {"name": tuned.stem}, options=["-o", str(tuned)])
    metric, target = trials.goal.metric, trials.goal.target
    values = [value for trial in of_best if trial.run and (value := trial.run.measure(metric.final)) is not None]
    times = [trial.run.measure(metric.time_to(target)) if trial.run else None
             for trial in of_best] if target is not None else []
    whole = [time for time in times if time is not None]
    mean = estimate(values)
    return {"scenario": base.name, "best": best, f"{metric.word}_at_end": mean.mean if mean else math.nan,
            **({"time_to_target_s": sum(whole) / len(whole) if whole and len(whole) == len(times) else math.nan}
               if target is not None else {}),
            "seeds": len(of_best), "runs": sum(trial.possible for _, _, trial in runs),
            "failed": sum(bool(trial.failure) and trial.possible for _, _, trial in runs),
            "refused": sum(not trial.possible for _, _, trial in runs),
            "at_edge": search.at_edge(), "tuned_scenario": str(tuned)}


def tried_csv(goal: Goal, schemes: Sequence[tuple[Mapping[str, Any], Base, Search]], trials: Trials) -> str:
    """A table of all that was tried, a row per run: what tells its scheme, its settings, how it did, and whether they were the best in the end."""
    rows: list[tuple[dict[str, Any], list[Any]]] = []
    for told, base, search in schemes:
        best = changes_of(search.best) if search.best else None
        for changes, seed, trial in trials.of_search(base, search):
            def measure(key: str, run: Any = trial.run) -> float | None:
                return run.measure(key) if run else None
            of_target = [goal.metric.time_to(goal.target),
                         goal.metric.bytes_to(goal.target)] if goal.target is not None else []
            rows.append(({**told, **changes}, [seed, trial.score, measure(goal.metric.final), *map(measure, of_target),
                                               trial.failure, int(changes == best)]))
    paths = list(dict.fromkeys(path for settings, _ in rows for path in settings))
    columns = [_column(path, [settings.get(path) for settings, _ in rows]) for path in paths]
    text = io.StringIO()
    writer = csv.writer(text, lineterminator="\n")
    target = ["time_to_target_s", "bytes_to_target"] if goal.target is not None else []
    writer.writerow([title for title, _ in columns] + ["seed", "score", goal.metric.word, *target, "failure", "best"])
    for i, (_, values) in enumerate(rows):
        writer.writerow([cells[i] for _, cells in columns] +
                        [value if isinstance(value, str) else number_text(value) for value in values])
    return text.getvalue()


def _column(path: str, values: Sequence[Any]) -> tuple[str, list[str]]:
    """As a sweep's tables have it: quantities as numbers, whose unit is in the title."""
    units = {base_unit(value) for value in values if value is not None}
    if len(units) == 1 and (unit := units.pop()):
        return f"{path}_{unit}", ["" if value is None else number_text(quantity(value)) for value in values]
    return path, ["" if value is None else plain(value) for value in values]


def _over(text: str) -> tuple[str, list[Any]]:
    try:
        return over(text)
    except ValueError as error:
        raise InputError(f"--over {text}: {error}") from None


def tune_sweep(file: str, changes: Mapping[str, Any], out: str, jobs: int | None, quiet: bool, words: Sequence[str]) -> None:
    """Tunes every point of a sweep, and becomes the program, which runs the sweep with what was found. The runs of tuning are in
    DIR/<sweep>_tuning, with a table of them."""
    plan = json.loads(Base("", Path(file), changes=dict(changes)).describe())
    what, seeds = plan["tune"], plan["tune"]["seeds"]
    for seed in plan["seeds"]:
        if FIRST_SEED <= seed < FIRST_SEED + seeds:
            raise InputError(f"{file}: $.seeds: {seed} is a seed for tuning; expected others")
    folder = Path(out) / f"{plan['name']}_tuning"
    goals, schemes = [], []
    # As written, since the effective scenario has fixed what follows from other keys, such as a larger batch's time.
    written = _json(Path(file).read_text(encoding="utf-8"))
    scenario = written["base"] if isinstance(written["base"], dict) else Path(file).parent / written["base"]
    for varied, (name, described) in zip(_varied(plan["axes"]), plan["scenarios"].items()):
        goals.append(goal_of(described, what["target"], f"{file}: {name}"))
        base = Base(name, scenario, Path(plan["folder"]) if isinstance(scenario, dict) else None,
                    {**written.get("set", {}), **changes, **varied, "name": name, RECORD: False})
        axes = axes_over(described, what["over"].items(), f"{file}: $.tune.over")
        schemes.append((varied, base, Search(axes, seeds, grid=True)))
    if any(goal.metric != goals[0].metric for goal in goals):
        raise InputError(f"{file}: $.tune: the scenarios are judged by different metrics; expected one evaluate.metric")
    goal = replace(goals[0], longest_s=max(goal.longest_s for goal in goals))
    trials = Trials(folder, goal, at_once=jobs, command=f"{plan['name']} tuning", quiet=quiet)
    trials.follow({base: search for _, base, search in schemes})
    trials.end_line()
    make_folder(folder)
    write_whole(folder / "tried.csv", tried_csv(goal, schemes, trials).encode())
    best = {}
    for _, base, search in schemes:
        if search.best is None:
            reason = next((trial.failure for _, _, trial in trials.of_search(base, search) if trial.failure), "every run diverged")
            raise RunFailed(f"{base.name}: no run of its tuning came to its end: {reason.splitlines()[0]}")
        best[base.name] = changes_of(search.best)
    write_whole(folder / "tuned.json", (json.dumps(best, indent=1) + "\n").encode())
    os.execv(program(), [program(), *words, "--tuned", str(folder / "tuned.json")])


def _json(text: str) -> Any:
    """JSON with comments."""
    return json.loads(re.sub(r'("(?:\\.|[^"\\])*")|//[^\n]*|/\*.*?\*/', lambda found: found[1] or "", text, flags=re.DOTALL))


def _varied(axes: Sequence[Mapping[str, Sequence[Any]]]) -> list[dict[str, Any]]:
    """The varied values of each point: the last axis varies fastest."""
    steps = [[dict(zip(lists, values)) for values in zip(*lists.values())] for lists in axes]
    return [{path: value for step in point for path, value in step.items()} for point in itertools.product(*steps)]


def table_of(rows: "pd.DataFrame", target: float | None) -> Table:
    """For people: a line for each scenario."""
    word = next(column for column in rows if column.endswith("_at_end")).removesuffix("_at_end")
    titles = ["scenario", "best", *([f"time to {target:g}"] if target is not None else []), f"{word} at the end", "seeds", "runs"]
    table = Table([Column(title, title) for title in titles])
    for row in rows.to_dict("records"):
        time = row.get("time_to_target_s")
        told = [] if target is None else ["not reached" if time is None or math.isnan(time) else f"{time:.4g} s"]
        cells = [row["scenario"], named(row["best"]), *told, f"{row[word + '_at_end']:.4f}", str(row["seeds"]), str(row["runs"])]
        table.rows.append([Cell(text) for text in cells])
    return table


__all__ = ["RATE", "axes_of", "axes_over", "base_of", "table_of", "tune", "tune_sweep"]
