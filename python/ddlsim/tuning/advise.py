"""`ddlsim advise`: which system suits a network. Schemes are tuned by one rule (search.py), the best race over other seeds, and the
best of these run again under other conditions. Each stage has a share of the budget."""
from __future__ import annotations

import json
import math
import re
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from itertools import takewhile
from numbers import Integral
from pathlib import Path
from typing import TYPE_CHECKING, Any

from ..errors import InputError, RunFailed
from ..files import make_folder
from ..runs import AnyPath, Scenario
from ..stats import SIGNIFICANCE, paired_p
from ..units import counted, quantity
from .candidates import TUNING_SEEDS, Candidate, candidates_of
from .race import LOOKS, SEEDS, Entrant, look, looks_of
from .search import FIRST_SEED, Changes, Search, changes_of
from .trials import Base, Budget, Goal, Trial, Trials, checked, cores, goal_of, system_facts
from .tune import RECORD, base_of, priced

if TYPE_CHECKING:
    import pandas as pd

# Shares of the budget at the ends of stages.
FIRST_ROUND, SEARCHES, RACE, CONDITIONS = 0.35, 0.6, 0.8, 0.97
FEWEST_RUNS = 10              # of a scheme, which the whole budget must allow
FIELD = 4                     # schemes that are searched to the end, beside the baseline and the scenario's own
EVALUATIONS = 60              # where time to a target counts
CONDITION_SEEDS = 3
BANDWIDTH, NETWORK = "platform.bandwidth_factor", "platform.network.model"


@dataclass
class Condition:
    """The best again where one thing differs. `scores` by system and seed; `key` where it is a user's guess of what a step costs."""
    name: str
    changes: Changes
    key: str = ""
    touches_all: bool = False     # what sends nothing, too
    is_upgrade: bool = False
    scores: dict[str, list[float]] = field(default_factory=dict)
    failures: dict[str, str] = field(default_factory=dict)

    def mean(self, system: str) -> float:
        scores = self.scores.get(system, [])
        return sum(scores) / len(scores) if scores else math.inf

    @property
    def best(self) -> str | None:
        return min(self.scores, key=self.mean) if self.scores and math.isfinite(min(map(self.mean, self.scores))) else None


@dataclass
class Study:
    """A question, and what has been found of it."""
    base: Base
    described: dict[str, Any]
    goal: Goal
    candidates: list[Candidate]
    notes: list[str]
    trials: Trials
    seeds: list[int]
    asked: Changes                # by the user
    added: Changes                # for the search alone
    entrants: dict[str, Entrant] = field(default_factory=dict)
    leader: str | None = None
    conditions: list[Condition] = field(default_factory=list)
    cut_off: list[str] = field(default_factory=list)
    hasty: bool = False           # the budget cut the first round of tuning: the best of some system may not have been tried
    bound: dict[str, tuple[str, str]] = field(default_factory=dict)  # by system, as decide.binding has it
    usages: dict[str, dict[str, Any]] = field(default_factory=dict)  # likewise, as decide.usage

    def candidate(self, system: str) -> Candidate:
        return next(one for one in self.candidates if one.system == system)

    @property
    def baseline(self) -> Candidate | None:
        return None if self.candidates[0].sends else self.candidates[0]

    @property
    def run(self) -> list[Candidate]:
        return [one for one in self.candidates if not one.left_out]

    def best_changes(self, one: Candidate) -> Changes:
        return changes_of(one.search.best) if one.search.best else {}

    def raced(self, system: str) -> list[Trial]:
        one = self.candidate(system)
        found = (self.trials.of(one.base, self.best_changes(one), seed) for seed in self.seeds)
        return list(takewhile(bool, found))  # type: ignore[arg-type]

    @property
    def evaluated_every_s(self) -> float:
        """To which times to a target are known; 0 where scores are no times."""
        trials = self.raced(self.leader) if self.leader and self.goal.target is not None else []
        curves = [trial.run.curve() for trial in trials[:1] if trial.run]
        return max((float(curve["time_s"].diff().max()) for curve in curves if len(curve) > 1), default=0.0)

    def value(self, trial: Trial) -> float | None:
        """Seconds to the target, or the metric at the end."""
        if trial.run is None:
            return None
        metric = self.goal.metric
        return trial.run.measure(metric.final if self.goal.target is None else metric.time_to(self.goal.target))


def advise(question: Scenario | None = None, *, target: float | None = None, budget: str = "10min",
           systems: Sequence[str] = (),
           exclude: Sequence[str] = (), seeds: Sequence[int] | None = None, changes: Mapping[str, Any] | None = None,
           out: AnyPath = "results/advise", output: AnyPath | None = None, jobs: int | None = None, quiet: bool = True,
           model_bytes: str | None = None, step: str | None = None, platform: AnyPath | None = None, workers: int | None = None,
           batch: int | None = None, horizon: int | None = None, text: AnyPath | None = None) -> "pd.DataFrame":
    """Ranks systems for a network, a row for each system; its `attrs["advice"]` is advice.json. `question` is a
    scenario, or a platform's file (.xml); or else facts are given: model_bytes and what follows it (see facts.py). Raises
    DdlsimError."""
    from .pages import advice_of, answer_of, table_of, write_advice
    budget = str(budget)
    time_s = quantity(budget) if budget.rstrip("smhinu") != budget else None
    if time_s is None:
        raise InputError(f"--budget: {budget} has no unit; write for example 10min")
    if time_s <= 0:
        raise InputError(f"--budget: {budget} is no time; expected more than 0s, such as 10min")
    facts = {"model_bytes": model_bytes, "step": step, "platform": platform, "workers": workers, "batch": batch, "horizon": horizon,
             "text": text}
    if any(value is not None for value in facts.values()):
        from .facts import advise_facts
        if question is not None:
            raise InputError("advise: a scenario has its own model and platform; expected either that or --model-bytes, --step, --platform")
        for option, value in (("--seeds", seeds), ("-o", output)):
            if value is not None:
                raise InputError(f"{option}: is for a race of runs; from facts there is none")
        return advise_facts(facts, target=target, only=_names(systems), without=_names(exclude), out=Path(out), budget=Budget(time_s),
                            changes=dict(changes or {}), jobs=jobs or cores(), quiet=quiet)
    if question is None:
        raise InputError("advise: no scenario or platform given; see ddlsim advise --help")
    race_seeds = [*range(1, SEEDS + 1)] if seeds is None else [*seeds] if isinstance(seeds, Iterable) else []
    if not race_seeds or len(set(race_seeds)) < len(race_seeds) or any(
            not isinstance(seed, Integral) or int(seed) < 0 or 0 <= int(seed) - FIRST_SEED < TUNING_SEEDS for seed in race_seeds):
        raise InputError(f"--seeds: expected different whole numbers from 0, without {FIRST_SEED} and the next, which are for tuning")
    if output is not None and not Path(output).absolute().parent.is_dir():
        raise InputError(f"-o: {Path(output).parent} is no folder; expected one for the page")
    clock = Budget(time_s)
    study = study_of(question, target, _names(systems), _names(exclude), dict(changes or {}), Path(out), clock, jobs, quiet)
    study.seeds = [int(seed) for seed in race_seeds]
    make_folder(study.trials.out)
    try:
        search(study)
        race(study)
        other_conditions(study)
    finally:
        study.trials.end_line()
        if study.leader is not None:
            advice = advice_of(study)
            write_advice(study, advice)
    if study.leader is None:
        failures = {trial.failure.splitlines()[0] for trial in study.trials.known.values() if trial.failure}
        raise RunFailed([f"advise: no run came to its end within {budget}", *sorted(failures)])
    if output is not None:
        from ..reports import report
        folders = [trial.folder for one in study.entrants for trial in study.raced(one) if trial.run]
        report(folders, Path(output), title=f"Advice: {study.base.name}", answer=" ".join(answer_of(study, advice)))
    return table_of(study, advice)


def _names(given: Sequence[str]) -> list[str]:
    return [name.strip() for name in (given.split(",") if isinstance(given, str) else given or ()) if name.strip()]


def study_of(question: Scenario, target: float | None, only: list[str], without: list[str], changes: Changes, out: Path,
             budget: Budget, jobs: int | None, quiet: bool) -> Study:
    notes: list[str] = []
    if not isinstance(question, Mapping) and Path(question).suffix == ".xml":
        base, described = _of_platform(Path(question), changes, notes)
    else:
        base, described = base_of(question, changes)
    where = base.where
    stop_s = quantity(described["stop"].get("time") or "")
    if not stop_s:
        raise InputError(f'{where}: $.stop.time: is missing; expected a time that all candidates may take, such as "600s"')
    goal = goal_of(described, target, where)
    count = EVALUATIONS if target is not None else 4  # the end leads; half-way tells whether the task is saturated
    more: Changes = {"evaluate.every": f"{stop_s / count:.6g}s"}
    if "every_iterations" in described["evaluate"]:
        more = {}
    first = checked(base)
    if first["network"]["model"] == "packets" and NETWORK not in first["network"]["why"]:  # the program's choice, not the scenario's
        more[NETWORK] = "TCP"
        notes.append("Searched with the network model TCP, the quick one; the best run again packet by packet, which is nearer to "
                     "measured times here.")
    base = priced(Base(base.name, base.scenario, base.folder, {**base.changes, **more}), described)
    if not described["compute"].get("seconds_per_batch"):
        notes.append("A larger batch takes the time that the host's speed gives it.")
    else:
        notes.append(f"Another batch takes time in proportion: {described['compute']['seconds_per_batch']} are for "
                     f"{described['training']['batch_size']} samples.")
    facts = system_facts(base, described)
    found = candidates_of(base, described, facts, only, without, target is not None,
                          (budget.seconds or math.inf) * (jobs or cores()) / FEWEST_RUNS)
    if facts[own := described["algorithm"]["name"]]["one_model"] or facts[own]["chooses_samples"]:
        notes.append(f"Its own system, {own}, is no candidate: not each of its workers trains a whole model on samples of its own.")
    trials = Trials(out / base.name, goal, budget, jobs, "advise", quiet)
    return Study(base, described, goal, found, notes, trials, [], changes, {**more, RECORD: False})


def _of_platform(file: Path, changes: Changes, notes: list[str]) -> tuple[Base, dict[str, Any]]:
    """The task of the shipped scenarios, on a platform's hosts."""
    if not file.is_file():
        raise InputError(f"{file}: no such file; expected a platform or a scenario")
    servers = re.findall(r'<host\s[^>]*\bid="(ps\d+)"', file.read_text(encoding="utf-8", errors="replace"))
    shipped = Path(__file__).resolve().parents[3] / "scenarios/het_wan_ako_p3.json"  # of this checkout
    scenario = json.loads(Base("", shipped if shipped.is_file() else Path("het_wan_ako_p3")).describe())
    for key in ("name", "description", "expect"):
        scenario.pop(key, None)
    scenario |= {"name": file.stem, "platform": {"file": str(file.resolve()), "servers": servers}, "algorithm": "single"}
    notes.append("No task was given: it is the one of the shipped scenarios, as in scenarios/het_wan_ako_p3.json, and the answer is about "
                 "that small model.")
    notes.append(f"Servers: {', '.join(servers)}; all other hosts are workers." if servers else
                 "All hosts are workers, for none is named ps0, ps1, ...")
    base = Base(file.stem, scenario, None, {**changes, RECORD: False})
    return base, json.loads(base.describe())


def search(study: Study) -> None:
    """Successive halving over schemes: one round of each scheme's search, more of those that did better, and the rest of the best few.
    The scenario's own system comes first, then those of which a run costs least."""
    own = study.described["algorithm"]["name"]
    cheap_first = sorted(study.run, key=lambda one: (one.system != own, one.cost_s))
    alive = {one.base: one.search for one in cheap_first}
    always = {one.base for one in study.run if not one.sends or one.system == own}
    for rounds, until in ((1, FIRST_ROUND), (3, (FIRST_ROUND + SEARCHES) / 2), (None, SEARCHES)):
        whole = study.trials.follow(alive, f"tuning of {counted(len(alive), 'system')}", rounds, until)
        if rounds == 1 and not whole:
            study.hasty = True
            study.cut_off.append("part of the first round of tuning")
        ranked = sorted(alive, key=lambda base: best_score(alive[base]))
        kept = max(FIELD, math.ceil(len(alive) / 2)) if rounds == 1 else FIELD
        alive = {base: alive[base] for base in ranked if base in always or ranked.index(base) < kept}
    if without := [one.system for one in study.run if not one.search.scores and not one.search.impossible]:
        study.cut_off.append(f"every run of {', '.join(without)}")
    if unfinished := [base.name for base, one in alive.items() if one.open()]:
        study.cut_off.append(f"the rest of the tuning of {', '.join(unfinished)}")


def best_score(search_: Search) -> float:
    best = search_.best
    return math.inf if best is None else sum(search_.scores[best].values()) / len(search_.scores[best])


def race(study: Study) -> None:
    ranked = sorted((one for one in study.run if one.search.best), key=lambda one: best_score(one.search))
    own = study.described["algorithm"]["name"]
    chosen = [one for one in ranked if ranked.index(one) < FIELD or not one.sends or one.system == own]
    study.entrants = {one.system: Entrant() for one in chosen}
    if chosen:
        study.leader = chosen[0].system  # a guess, until there is a look
    looks = looks_of(len(study.seeds))
    for count in looks:
        left = [one for one in chosen if not study.entrants[one.system].dropped]
        if len(left) < 2 and study.entrants[left[0].system].scores if left else True:
            return
        runs = [(one.base, study.best_changes(one), seed) for seed in study.seeds[:count] for one in left]
        whole = study.trials.run(runs, f"race, {count} seeds", RACE)
        if not whole and study.entrants[left[0].system].scores:
            study.cut_off.append(f"race: seeds after {len(study.entrants[left[0].system].scores)}")
            return
        for one in left:
            study.entrants[one.system].scores = [trial.score for trial in study.raced(one.system)[:count]]
        fewest = min(len(study.entrants[one.system].scores) for one in left)
        for one in left:
            study.entrants[one.system].scores = study.entrants[one.system].scores[:fewest]
        leader = look([study.entrants[one.system] for one in left], len(looks), study.evaluated_every_s)
        study.leader = next((name for name, entrant in study.entrants.items() if entrant is leader), study.leader)
        if not whole:
            study.cut_off.append(f"race: seeds after {fewest}")
            return


def safe_choice(study: Study) -> str | None:
    """The one that sends least among those that no test tells from the leader, not even one of these two alone: for use if differences
    are chance."""
    if study.leader is None or len(study.entrants[study.leader].scores) < LOOKS[0]:
        return None
    leader, step = study.entrants[study.leader], study.evaluated_every_s
    def is_level(one: Entrant) -> bool:
        p = paired_p([b - a for a, b in zip(leader.scores, one.scores)], step)
        return one is leader or not one.dropped and (p is None or p >= SIGNIFICANCE)
    def sent(system: str) -> float:
        runs = [trial.run for trial in study.raced(system) if trial.run]
        return sum(run.measure("bytes_sent") or 0.0 for run in runs) / max(1, len(runs))
    return min((name for name, one in study.entrants.items() if is_level(one)), key=lambda name: (sent(name), name))


def best_sender(study: Study) -> str | None:
    ranked = sorted((name for name, one in study.entrants.items() if one.scores and study.candidate(name).sends),
                    key=lambda name: (study.entrants[name].dropped, study.entrants[name].mean))
    leader = study.leader
    return leader if leader and study.candidate(leader).sends else ranked[0] if ranked else None


def other_conditions(study: Study) -> None:
    """As given; then half and twice of what networks and steps cost, with more workers, without a site, and bandwidths further away."""
    if study.leader is None:
        return
    again = [name for name in dict.fromkeys([study.leader, safe_choice(study), best_sender(study),
                                             study.baseline.system if study.baseline else None]) if name]
    if left := [condition.name for condition in conditions_of(study) if not _measure(study, condition, again)]:
        study.cut_off.append(f"conditions: {', '.join(left)}")
    sender, baseline = best_sender(study), study.baseline
    if sender is None or baseline is None:
        return
    ahead = {factor: lead_of(condition, sender, baseline.system) for condition in study.conditions
             for factor in [condition.changes.get(BANDWIDTH, 1 if not condition.changes else None)] if factor}
    given = float(study.described["platform"].get("bandwidth_factor", 1))
    leads = [lead for lead in ahead.values() if lead is not None]
    if not leads or min(leads) < 0 < max(leads):
        return
    for factor in ((0.25, 0.125, 0.0625) if leads[0] > 0 else (4.0, 8.0, 16.0)):
        condition = Condition(f"bandwidth x {factor:g}", {BANDWIDTH: factor * given})
        if not _measure(study, condition, [sender, baseline.system]):
            return
        lead = lead_of(condition, sender, baseline.system)
        if lead is None or (lead > 0) != (leads[0] > 0):
            return


def lead_of(condition: Condition, sender: str, baseline: str) -> float | None:
    lead = condition.mean(baseline) - condition.mean(sender)
    return lead if math.isfinite(lead) else None


def conditions_of(study: Study) -> list[Condition]:
    described = study.described
    platform, compute = described["platform"], described["compute"]
    found = [Condition("as given", {})]
    given, away = float(platform.get("bandwidth_factor", 1)), platform.get("exclude", [])
    found += [Condition(f"bandwidth {word}", {BANDWIDTH: factor * given}, is_upgrade=factor > 1) for word,
              factor in (("halved", 0.5), ("doubled", 2.0))]
    first = study.run[0].checked
    for word, factor in (("halved", 0.5), ("doubled", 2.0)):
        if compute.get("seconds_per_batch"):
            time_s = (quantity(compute["seconds_per_batch"]) or 0.0) / described["training"]["batch_size"]
            found.append(Condition(f"seconds a batch {word}", {"compute.seconds_per_sample": f"{factor * time_s:.12g}s"},
                                   "compute.seconds_per_batch", True, factor < 1))
        found.append(Condition(f"model bytes {word}", {"wire.model_bytes": f"{factor * first['model_bytes']:.0f}B"},
                               "wire.model_bytes"))
    sites = first.get("sites") or []
    key = "workers_per_site" if "workers_per_site" in platform else "workers"
    if isinstance(count := platform.get(key), (int, list)) and not away:
        twice = 2 * count if isinstance(count, int) else [2 * one for one in count]
        found.append(Condition("twice the workers", {f"platform.{key}": twice}, is_upgrade=True))
    names = [site["name"] for site in sites[:3]] if len(sites) > 1 else first["workers"][-1:]
    if len(first["workers"]) > 2:
        found += [Condition(f"without {name}", {"platform.exclude": [*away, name]}) for name in names]
    connections = 8 * platform.get("network", {}).get("connections", 1)
    if any(connection["binds"] == "window" for connection in first.get("connections") or []):
        found.append(Condition(f"{connections} connections for each message", {"platform.network.connections": connections},
                               is_upgrade=True))
    found.append(Condition("latency doubled", {"platform.latency_factor": 2 * float(platform.get("latency_factor", 1))}))
    if NETWORK in study.added:
        found.append(Condition("packet by packet", {NETWORK: "packets"}))
    return found


def _measure(study: Study, condition: Condition, systems: Sequence[str]) -> bool:
    """Runs systems under a condition; one that it does not touch is not run again. False if the budget ended before."""
    asked: dict[str, list[tuple[Base, Changes, int]]] = {}
    for name in systems:
        one = study.candidate(name)
        changes = dict(study.best_changes(one))
        if one.sends or condition.touches_all or "platform.exclude" in condition.changes:
            changes |= condition.changes
        asked[name] = [(one.base, changes, seed) for seed in study.seeds[:CONDITION_SEEDS]]
    whole = study.trials.run([run for runs in asked.values() for run in runs], condition.name, CONDITIONS)
    for name, runs in asked.items():
        trials = [study.trials.of(*run) for run in runs]
        if all(trial is not None for trial in trials):
            condition.scores[name] = [trial.score for trial in trials if trial]
            for trial in trials:
                if trial and trial.failure:
                    condition.failures[name] = trial.failure.splitlines()[0]
    condition.scores = {name: scores for name, scores in condition.scores.items() if name not in condition.failures}
    if condition.scores or condition.failures:
        study.conditions.append(condition)
    return whole
