"""Results side by side: what each scheme needs to reach a target, where it ends, and whether that is noise."""
from __future__ import annotations

import json
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

import pandas as pd

from .errors import InputError, nearest
from .frame import LOSS, Run, kind_of, less_is_better, listed, metric_of, range_of, read_all, without_result
from .labels import Group, Grouped, difference, group, relabel, short
from .runs import AnyPath
from .stats import Estimate, Verdict, holm, verdict
from .table import Cell, Column, Table, finite, hanging, json_cell
from .units import Kind, base_unit, counted, seconds, shown

_MOST_FOR_ALL_PAIRS = 50  # groups of a condition; of more only pairs with the best are compared
_MOST_NAMED = 5


@dataclass(frozen=True)
class Measure:
    key: str                # of summary.json: "time_to_accuracy_s.0.8"
    title: str              # "time to 0.8"
    judged: bool            # whether schemes are ranked by it
    target: float | None = None  # of the time to it

    @property
    def kind(self) -> Kind:
        return kind_of(self.key)


@dataclass(frozen=True)
class Pair:
    """Two groups under one condition by one measure, of which every run has a value; `better` by its mean."""
    measure: str
    better: Group
    other: Group
    difference: float       # of the means, positive
    p: float | None         # of no difference, corrected by Holm's rule for the condition's pairs; none: too few seeds

    @property
    def verdict(self) -> Verdict:
        return verdict(self.difference, self.p)


@dataclass
class Condition:
    """Groups that differ in the scheme alone; or all groups where no two do."""
    label: str
    groups: list[Group]
    pairs: list[Pair] = field(default_factory=list)      # by measure, those with the best first
    best: dict[str, Group] = field(default_factory=dict)  # by measure


@dataclass(frozen=True)
class AgainstOne:
    """A group beside one worker without a network ("single"), in the time to a target."""
    speed_up: float | None  # none unless all runs of both get there
    beats: bool             # sooner there, or the only one of the two that gets there


@dataclass(frozen=True)
class Fidelity:
    """A measured group and a simulated one of the same scenario: (key, measured, simulated) of what both have."""
    measured: Group
    simulated: Group
    rows: list[tuple[str, Estimate, Estimate]]


class Comparison:
    """Made by compare(). `frame` has a row for each group; print() and notebooks show the table."""

    def __init__(self, grouped: Grouped, columns: Sequence[Measure | str], failed: Sequence[str] = ()) -> None:
        self.grouped = grouped
        self.failed = list(failed)  # runs without a result, each with its reason
        self.groups = grouped.groups
        self.columns = list(columns)  # measures, and settings by their path
        self.measures = [column for column in columns if isinstance(column, Measure)]
        self.baselines = baselines(grouped)
        self.conditions = _conditions(grouped, self.measures)
        self.fidelities = _fidelities(grouped)

    def against_one(self, one: Group, target: float) -> AgainstOne | None:
        baseline = self.baselines.get(id(one))
        return None if baseline is None else against_one(one, baseline, target)

    @property
    def frame(self) -> pd.DataFrame:
        return pd.DataFrame([{"label": one.label, "scheme": one.scheme, **dict(zip(self.grouped.varied, one.condition)),
                              "seeds": len(one.runs),
                              **{measure.key: estimate.mean if (estimate := one.estimate(measure.key)) else float("nan")
                                 for measure in self.measures}} for one in self.groups])

    @property
    def pairs(self) -> pd.DataFrame:
        return pd.DataFrame([{"condition": condition.label, "measure": pair.measure,
                              "better": self.grouped.name_of(pair.better), "other": self.grouped.name_of(pair.other),
                              "difference": pair.difference, "p": pair.p, "verdict": pair.verdict.value}
                             for condition in self.conditions for pair in condition.pairs])

    def table(self, *, targets_named: bool = False) -> Table:
        """targets_named: titles of speed-ups name their target, for in papers columns are moved."""
        grid = self.grouped.is_grid
        varied = self.grouped.varied if grid else [path for path in self.grouped.varied if path == "seed"]
        table = Table([Column("scheme" if grid else "label", "scheme" if grid else "scenario")])
        table.columns += [Column(_with_unit(self.groups, path), short(path)) for path in varied]
        table.columns.append(Column("runs", "seeds"))
        table.keys = len(table.columns)
        any_baseline = any(self.baselines.values())
        for column in self.columns:
            if isinstance(column, str):
                table.columns.append(Column(_with_unit(self.groups, column), short(column)))
                continue
            table.columns.append(Column(column.key, self._title(column), column.kind, True))
            if any_baseline and column.target is not None:
                title = "over one worker" + (f", to {column.target:g}" if targets_named else "")
                table.columns.append(Column(f"{column.key}.speed_up_over_one_worker", title, "number"))
        for one in self.groups:
            condition = dict(zip(self.grouped.varied, one.condition))
            row = [Cell(_name_with_ends(self.grouped.name_of(one), one), self.grouped.name_of(one))]
            row += [Cell(condition[path] or "none", condition[path] if number is None else number)
                    for path, number in ((path, _number(one, path)) for path in varied)]
            row.append(Cell(str(len(one.runs)), str(len(one.runs))))
            for column in self.columns:
                if isinstance(column, str):
                    row.append(_setting_cell(one, column))
                    continue
                row.append(_measure_cell(one, column))
                if any_baseline and column.target is not None:
                    row.append(_speed_up_cell(self.against_one(one, column.target)))
            table.rows.append(row)
        return table

    def _title(self, measure: Measure) -> str:
        every = evaluated_every(self.groups) if measure.target is not None else ""
        return f"{measure.title} (every {every})" if every else measure.title

    def verdicts(self) -> list[tuple[str, list[str]]]:
        """A condition's label ("" where there is one alone), and a sentence for each measure."""
        return [(condition.label, lines) for condition in self.conditions if (lines := self._verdicts(condition))]

    def text(self, width: int | None = None) -> str:
        table = self.table()
        parts = [table.text(width)]
        for fidelity in self.fidelities:
            parts.append(hanging(self._fidelity_title(fidelity), width or 80) + _fidelity_table(fidelity).text(width))
        notes = self._notes(table, "", "  ")
        return "\n".join(parts + ([hanging(notes, width or 80)] if notes else []))

    def markdown(self) -> str:
        table = self.table(targets_named=True)
        parts = [table.markdown()]
        parts += [self._fidelity_title(fidelity) + "\n\n" + _fidelity_table(fidelity).markdown() for fidelity in self.fidelities]
        return "\n".join(parts + ([notes] if (notes := self._notes(table, "\n", "- ")) else []))

    def latex(self) -> str:
        """A tabular for each table; everything else as comments."""
        table = self.table(targets_named=True)
        text = table.latex()
        for fidelity in self.fidelities:
            text += f"\n% {self._fidelity_title(fidelity)}\n{_fidelity_table(fidelity).latex()}"
        return text + "".join(f"% {line}".rstrip() + "\n" for line in self._notes(table, "", "  ").splitlines())

    def csv(self) -> str:
        return self.table().csv()

    def json(self) -> str:
        """Groups with every figure, and pairs with their p; indices count groups."""
        table = self.table()
        index = {id(one): i for i, one in enumerate(self.groups)}
        groups = [self._group_json(one, row, table, index) for one, row in zip(self.groups, table.rows)]
        pairs = [{"measure": pair.measure, "better": index[id(pair.better)], "other": index[id(pair.other)],
                  "difference": finite(pair.difference), "tie": pair.verdict is Verdict.TIE, "p": pair.p,
                  "within_noise": None if pair.p is None else pair.p >= 0.05, "verdict": pair.verdict.value}
                 for condition in self.conditions for pair in condition.pairs]
        fidelities = [{"measured": index[id(fidelity.measured)], "simulated": index[id(fidelity.simulated)],
                       "quantities": [{"quantity": _QUANTITIES[key], "measured": finite(measured.mean),
                                       "simulated": finite(simulated.mean), "error": _error(measured, simulated)}
                                      for key, measured, simulated in fidelity.rows]}
                      for fidelity in self.fidelities]
        return json.dumps({"groups": groups, "pairs": pairs, "measured_and_simulated": fidelities}, indent=2,
                          ensure_ascii=False) + "\n"

    def __str__(self) -> str:
        return self.text()

    def _repr_html_(self) -> str:
        table = self.table()
        notes = "".join(f"<p>{line.strip()}</p>\n" for line in self._notes(table, "", "").splitlines() if line.strip())
        return table.html() + notes

    def _group_json(self, one: Group, row: Sequence[Cell], table: Table, index: Mapping[int, int]) -> dict[str, Any]:
        found: dict[str, Any] = {
            "label": one.label, "scheme": one.scheme, "varied": dict(zip(self.grouped.varied, one.condition)),
            **({"tuned": one.own} if one.own else {}), "collapsed": one.collapsed,
            "runs": [{"folder": str(run.folder), "seed": run.seed, "stopped_by": run.stopped_by,
                      "busiest_link": run.busiest_link} for run in one.runs],
            "measures": {}}
        for column, cell in zip(table.columns[table.keys:], row[table.keys:]):
            if column.estimated:
                found["measures"][column.key] = json_cell(column, cell)
            elif column.kind == "text":
                found.setdefault("settings", {})[column.key] = json_cell(column, cell)
        baseline = self.baselines.get(id(one))
        if baseline is not None:
            beside = {measure.key: (self.against_one(one, measure.target)) for measure in self.measures
                      if measure.target is not None}
            found["over_one_worker"] = {key: {"baseline": index[id(baseline)], "speed_up": against.speed_up,
                                              "beats": against.beats} for key, against in beside.items() if against}
        return found

    def _verdicts(self, condition: Condition) -> list[str]:
        name = self.grouped.name_of
        lines = []
        for measure in self.measures:
            pairs = [pair for pair in condition.pairs if pair.measure == measure.key]
            if not pairs:
                continue
            best = condition.best[measure.key]
            with_best = [pair for pair in pairs if best in (pair.better, pair.other)]
            def rival(pair: Pair) -> str:
                return name(pair.other if pair.better is best else pair.better)
            ties = [rival(pair) for pair in with_best if pair.verdict is Verdict.TIE]
            near = [rival(pair) for pair in with_best if pair.verdict is Verdict.NOISE]
            judged = all(pair.p is not None for pair in with_best)
            line = f"{measure.title}: " + (f"a tie of {_named([name(best), *ties])}" if ties else f"best {name(best)}")
            if not judged:
                line += "; fewer than three seeds do not tell whether that is noise"
            elif not near and not ties:
                line += ", beyond noise"
            if near:
                line += f"; within noise of it: {_named(near)}"
            level = {id(best)} | {id(g) for pair in with_best if pair.verdict is Verdict.TIE for g in (pair.better, pair.other)}
            others = [f"{name(pair.better)} ~ {name(pair.other)}" for pair in pairs
                      if pair not in with_best and pair.verdict in (Verdict.TIE, Verdict.NOISE)
                      and not {id(pair.better), id(pair.other)} <= level]
            if others:
                line += f"; among the others: {_named(others)}"
            lines.append(line)
        for measure in self.measures:
            beaten = [name(one) for one in condition.groups if measure.target is not None
                      and (against := self.against_one(one, measure.target)) and not against.beats]
            if beaten:
                lines.append(f"{measure.title}: not sooner than one worker alone: {_named(beaten)}")
        return lines

    def _notes(self, table: Table, before_condition: str, before: str) -> str:
        verdict_text = ""
        for label, lines in self.verdicts():
            verdict_text += (f"{before_condition}{label}\n" if label else "") + "".join(f"{before}{line}\n" for line in lines)
        cells = [cell.text for row in table.rows for cell in row]
        legend = "".join(told + "\n" for told, is_needed in {
            "Each scheme has a learning rate of its own, as tuned.": any(one.own and one.own not in one.scheme for one in self.groups),
            "!: not sooner than one worker alone.": any(" !" in text for text in cells),
            "never: one worker gets there with all seeds, this does not.": any("never !" in text for text in cells),
            "only this: it gets there with all seeds, one worker does not.": any("only this" in text for text in cells),
            "a ~ b: within noise of each other.": " ~ " in verdict_text,
            "Noise: t-tests at 5 %, paired by seed (Welch's without three seeds in common), corrected for the number of pairs "
            "(Holm); ± is the 95 % interval of a mean.": verdict_text}.items() if is_needed)
        legend += "".join(f"No result: {one}\n" for one in self.failed)
        return verdict_text + ("\n" if verdict_text and before == "- " else "") + legend

    def _fidelity_title(self, fidelity: Fidelity) -> str:
        several = sum(other.measured is fidelity.measured for other in self.fidelities) > 1
        if several:
            return f"{fidelity.simulated.label} (simulated) against {fidelity.measured.label} (measured)"
        return f"Simulated against measured: {fidelity.measured.label}"


def compare(folders: Iterable[AnyPath] | AnyPath, *, columns: Sequence[str] | str = (),
            label: Mapping[str, str] | None = None, runs: bool = False) -> Comparison:
    """Compares the results of these folders.

    columns: what the table shows, in this order: "time", "bytes", "accuracy", "loss", any number of summary.json or its
    object, a setting such as "platform.bandwidth"; the usual ones where there are none. label: what a row is called, by its
    label or its scenario's name. runs: every run by itself, instead of means over seeds. Raises InputError.
    """
    folders = listed(folders)
    return compare_runs(read_all(folders), columns=columns.split(",") if isinstance(columns, str) else columns, label=label,
                        runs=runs, failed=without_result(folders))


def compare_runs(found: Sequence[Run], *, columns: Sequence[str] = (), label: Mapping[str, str] | None = None,
                 runs: bool = False, failed: Sequence[str] = ()) -> Comparison:
    if not found:
        raise InputError("no results to compare; expected folders with run.json")
    grouped = group(found, over_seeds=not runs)
    relabel(grouped, label or {})
    return Comparison(grouped, _chosen(grouped, columns), failed)


def usual_measures(grouped: Grouped) -> list[Measure]:
    metric = grouped.metric
    measures = []
    for target in grouped.targets():
        measures.append(Measure(metric.time_to(target), f"time to {target:g}", True, target))
        measures.append(Measure(metric.bytes_to(target), f"bytes to {target:g}", True))
    # How long steps take is no aim of systems that learn, but what is asked of those that do not.
    learns = any(one.values(metric.final) for one in grouped.groups)
    if learns:
        measures.append(Measure(metric.final, f"final {metric.word}", True))
        measures.append(Measure(metric.best, f"best {metric.word}", True))
    # A language model is known by its loss, whatever else judges it; a model of one's own may have no accuracy.
    is_known_by_loss = any(one.values("perplexity") or not learns and one.values(LOSS.final) for one in grouped.groups)
    if metric != LOSS and is_known_by_loss:
        measures.append(Measure(LOSS.final, "final loss", True))
    if any(one.values("goodput") for one in grouped.groups):
        measures.append(Measure("goodput", "goodput", False))
    return measures + [Measure("seconds_per_batch.mean", "step time", not learns),
                       Measure("busiest_link.utilisation", "busiest link", False),
                       Measure("compute_utilisation", "computing", False),
                       Measure("staleness.mean", "staleness", False)]


def evaluated_every(groups: Sequence[Group]) -> str:
    """"5 s" or "20 steps", to which times to a target are known; "" where groups differ."""
    every = {(one.settings.get("evaluate.every"), one.settings.get("evaluate.every_iterations")) for one in groups}
    step_s, steps = every.pop() if len(every) == 1 else (None, None)
    return seconds(step_s) if step_s is not None else counted(steps, "step") if steps is not None else ""


def baselines(grouped: Grouped) -> dict[int, Group | None]:
    """By id of a group: the group of "single" in its condition; none for "single" itself and where there is none."""
    singles: dict[tuple[str, ...], Group] = {}
    for one in grouped.groups:
        if one.system == "single":
            singles.setdefault(one.condition, one)
    return {id(one): None if one.system == "single" else singles.get(one.condition) for one in grouped.groups}


def against_one(one: Group, single: Group, target: float) -> AgainstOne | None:
    """None where not all runs of either get there."""
    key = one.runs[0].metric.time_to(target)
    own, alone = one.whole_estimate(key), single.whole_estimate(key)
    if own is None and alone is None:
        return None
    if own is None or alone is None:
        return AgainstOne(None, own is not None)
    if own.mean == 0:
        return AgainstOne(1.0 if alone.mean == 0 else None, alone.mean > 0)
    return AgainstOne(alone.mean / own.mean, own.mean < alone.mean)


def _chosen(grouped: Grouped, names: Sequence[str]) -> list[Measure | str]:
    usual = usual_measures(grouped)
    if not names:
        return list(usual)
    metric = grouped.metric
    words = {"time": metric.time_to(), "bytes": metric.bytes_to(), "accuracy": "final_accuracy", "loss": "final_loss"}
    keys = list(dict.fromkeys(key for one in grouped.groups for run in one.runs for key in run.measures))
    by_key = {measure.key: measure for measure in usual}
    chosen: list[Measure | str] = []
    for name in names:
        key = words.get(name, name)
        titled = [measure.key for measure in usual if measure.title == name]
        exact = [one for one in (key, f"{key}.mean") if one in keys][:1]
        found = titled or exact or [one for one in keys if one.startswith(f"{key}.")]
        if all(one in by_key for one in found):  # targets as in the usual table
            found.sort(key=list(by_key).index)
        if found:
            chosen += [by_key.get(one) or _measure(one) for one in found]
        elif name in ("time", "bytes"):
            raise InputError(f"compare: --columns {name}: no run has a target; expected evaluate.target_{metric.word} "
                             "in its scenario")
        elif name in _TEXTS or any(name in one.settings for one in grouped.groups):
            if name not in grouped.varied or not grouped.is_grid:
                chosen.append(name)
        else:
            known = [*words, *keys, *_TEXTS, *dict.fromkeys(path for one in grouped.groups for path in one.settings)]
            raise InputError(f'compare: --columns: "{name}" is no column of these results; {nearest(name, known)}')
    return chosen


# Texts of a result that can be columns.
_TEXTS: dict[str, Callable[[Run], str]] = {
    "name": lambda run: run.name, "stopped_by": lambda run: run.stopped_by, "digest": lambda run: run.digest,
    "busiest_link.name": lambda run: run.busiest_link, "bounds.bottleneck": lambda run: run.bottleneck}


def _measure(key: str) -> Measure:
    """Any number of summary.json: judged if it is the value of a metric, otherwise told."""
    return Measure(key, key, metric_of(key) is not None)


def _setting_cell(one: Group, path: str) -> Cell:
    if path in _TEXTS:
        text = ", ".join(sorted({_TEXTS[path](run) for run in one.runs}))
        return Cell(text or "none", text)
    value = one.settings.get(path)
    spelled = one.runs[0].spelled(path)
    text = spelled if isinstance(spelled, str) else value if isinstance(value, str) else json.dumps(value)
    number = _number(one, path)
    return Cell("none", "") if value is None else Cell(text, text if number is None else number)


def _number(one: Group, path: str) -> float | None:
    """A setting that is a number, in base units."""
    value = one.settings.get(path)
    return float(value) if isinstance(value, (int, float)) and not isinstance(value, bool) else None


def _with_unit(groups: Sequence[Group], path: str) -> str:
    """"platform.bandwidth_bit_per_s": the name for programs, if some scenario spells the setting with a unit."""
    for one in groups:
        spelled = one.runs[0].spelled(path)
        unit = base_unit(spelled[0] if isinstance(spelled, list) and spelled else spelled)
        if unit:
            return path if path.endswith(f"_{unit}") else f"{path}_{unit}"
    return path


def _conditions(grouped: Grouped, measures: Sequence[Measure]) -> list[Condition]:
    found: dict[tuple[str, ...], Condition] = {}
    paths = [path for path in grouped.varied if path != "seed"]  # runs of different seeds may be compared
    for one in grouped.groups:
        values = tuple(value for path, value in zip(grouped.varied, one.condition) if path != "seed")
        label = ", ".join(f"{short(path)} {value or 'none'}" for path, value in zip(paths, values))
        found.setdefault(values, Condition(label, [])).groups.append(one)
    conditions = list(found.values())
    if all(len(condition.groups) == 1 for condition in conditions):
        conditions = [Condition("", list(grouped.groups))]
    if len(conditions) == 1:
        conditions[0].label = ""
    for condition in conditions:
        for measure in measures:
            if measure.judged:
                _judge(condition, measure)
    return conditions


def _judge(condition: Condition, measure: Measure) -> None:
    found = [(one, estimate) for one in condition.groups if (estimate := one.whole_estimate(measure.key))]
    if not found:
        return
    def is_better(a: Estimate, b: Estimate) -> bool:
        return a.mean < b.mean if less_is_better(measure.key) else a.mean > b.mean
    best = found[0]
    for entry in found:
        if is_better(entry[1], best[1]):
            best = entry
    condition.best[measure.key] = best[0]
    others = [entry for entry in found if entry[0] is not best[0]]
    compared = [(best, entry) for entry in others]
    if len(found) <= _MOST_FOR_ALL_PAIRS:
        compared += [(a, b) for i, a in enumerate(others) for b in others[i + 1:]]
    p = [difference(a[0], b[0], measure.key) for a, b in compared]
    corrected = iter(holm([one for one in p if one is not None]))
    for (a, b), one in zip(compared, p):
        better, other = (b, a) if is_better(b[1], a[1]) else (a, b)
        condition.pairs.append(Pair(measure.key, better[0], other[0], abs(a[1].mean - b[1].mean),
                                    None if one is None else next(corrected)))


_QUANTITIES = {
    "seconds_per_batch.mean": "time per step, mean", "seconds_per_batch.median": "time per step, median",
    "seconds_per_batch.p95": "time per step, 95 % below", "simulated_seconds": "time of the run", "iterations": "steps",
    "bytes_sent": "bytes sent", "messages_sent": "messages sent", "busiest_link.utilisation": "busiest link",
    "compute_utilisation": "computing", "staleness.mean": "staleness", "final_accuracy.mean": "final accuracy"}


def _fidelities(grouped: Grouped) -> list[Fidelity]:
    each_run = "seed" in grouped.varied
    def identity(one: Group) -> str:
        settings = {path: value for path, value in one.settings.items() if not path.startswith("platform.network.")}
        return json.dumps([settings, one.runs[0].seed if each_run else None], sort_keys=True)
    found = []
    for measured in (one for one in grouped.groups if one.runs[0].measured is not None):
        for simulated in (one for one in grouped.groups if one.runs[0].measured is None):
            if identity(measured) == identity(simulated):
                rows = [(key, here, there) for key in _QUANTITIES
                        if (here := measured.estimate(key)) and (there := simulated.estimate(key))]
                found.append(Fidelity(measured, simulated, rows))
    return found


def _fidelity_table(fidelity: Fidelity) -> Table:
    table = Table([Column(name, name) for name in ("quantity", "measured", "simulated", "error")])
    for key, measured, simulated in fidelity.rows:
        error, kind = _error(measured, simulated), kind_of(key)
        table.rows.append([Cell(_QUANTITIES[key])] + [
            Cell(shown(estimate.mean, kind) + ("" if estimate.half_width is None else f" ± {shown(estimate.half_width, kind)}"))
            for estimate in (measured, simulated)] + [Cell("-" if error is None else f"{100 * error:+.1f} %")])
    return table


def _error(measured: Estimate, simulated: Estimate) -> float | None:
    """The error of the simulated mean, as a share of the measured one."""
    return None if measured.mean == 0 else simulated.mean / measured.mean - 1


def _measure_cell(one: Group, measure: Measure) -> Cell:
    estimate = one.estimate(measure.key)
    if estimate is None:
        return Cell("not reached" if measure.target is not None else "-", None, None, 0)
    interval = estimate.interval(*range_of(measure.key))
    text = shown(estimate.mean, measure.kind)
    if measure.judged and interval and estimate.half_width:  # no spread at all is the grid of evaluations, or one value
        low, high = interval
        is_cut = low > estimate.mean - estimate.half_width or high < estimate.mean + estimate.half_width
        text += (f" ({shown(low, measure.kind)} .. {shown(high, measure.kind)})" if is_cut
                 else f" ± {shown(estimate.half_width, measure.kind)}")
    if estimate.count < len(one.runs):
        text += f" ({estimate.count} of {len(one.runs)})"  # a mean over those that got there flatters
    if measure.key == "busiest_link.utilisation" and len({run.busiest_link for run in one.runs}) == 1:
        text = f"{one.runs[0].busiest_link} {text}".strip()
    return Cell(text, estimate.mean, interval, estimate.count)


def _speed_up_cell(against: AgainstOne | None) -> Cell:
    if against is None:
        return Cell("-", None)
    if against.speed_up is not None:
        return Cell(f"{against.speed_up:.2f}x" + ("" if against.beats else " !"), against.speed_up)
    return Cell("only this" if against.beats else "never !", None)


def _name_with_ends(name: str, one: Group) -> str:
    for runs, what in ((one.diverged, "diverged"), (one.collapsed, "collapsed")):
        if runs:
            name += f" ({what})" if runs == len(one.runs) else f" ({runs} {what})"
    return name


def _named(names: Sequence[str]) -> str:
    more = f" and {len(names) - _MOST_NAMED} more" if len(names) > _MOST_NAMED else ""
    return ", ".join(names[:_MOST_NAMED]) + more
