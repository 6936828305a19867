"""An advice from four facts: a model's bytes, the time of a step, what connections carry, and how many workers there are.

Times are the user's: `ddlsim check` simulates steps of a model of that size on that network. What is learned is a small GPT's
(learned.py). Systems whose learning depends on times are run within the budget where a text is given.
"""
from __future__ import annotations

import json
import math
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from pathlib import Path
from statistics import fmean
from typing import TYPE_CHECKING, Any

from ..errors import DdlsimError, InputError, RunFailed, nearest
from ..files import make_folder, write_whole
from ..frame import LOSS
from ..program import in_threads
from ..stats import SIGNIFICANCE, holm, pooled, pooled_p, student_factor
from ..units import counted, quantity, seconds
from .advise import BANDWIDTH
from .candidates import reason_of
from .decide import what_binds
from .learned import JITTER, LONGEST, SINGLE, Row, rows_of
from .search import Changes, named
from .trials import Base, Budget, Goal, Trials, check_target, checked, plain, system_facts

if TYPE_CHECKING:
    import pandas as pd

FACTS = ("platform.matrix", "platform.workers_per_site", "platform.exclude", "platform.topology", "wire.model_bytes",
         "compute.seconds_per_batch", "compute.seconds_per_sample")
TIMES, OTHER_TIMES = 0.5, 0.9  # shares of the budget at whose ends no more steps are simulated, as given and otherwise
CONNECTIONS = "platform.network.connections"
LEFT_OUT = "the budget left it out"
FURTHEST = 64.0               # times the bandwidth, up and down, at which break-even is looked for
LEARNED = ("What is learned is a small GPT's (0.1 million parameters, batches of 12 windows). With size and progress the order of "
           "DiLoCo and of plain averaging turns: DiLoCo (every 10 steps) leads at 0.8 million parameters (loss 1.617 against 1.775 "
           "after 2,000 steps) and trails at 10.7 million (1.625 against 1.569 after 1,000). That all-reduce learns most a step, "
           "that longer rounds learn less, and that several workers learn more than one does not turn.")
TIMED = ("Times are of your model and network. Held to measurements they err by 3 % on average between continents with one machine on "
         "each, 10 % with several (results/hivemind.md), 5 % for all-reduces of NCCL (results/tc_cluster.md), and more through tunnels "
         "(results/ec2.md). Compression itself takes no time here.")


@dataclass
class Timed:
    """A scheme on the user's network, and what of it was learned in the time."""
    row: Row
    algorithm: dict[str, Any]     # the quickest way to exchange the same
    checked: dict[str, Any]
    seeds: list[float] = field(default_factory=list)  # as Question.by_seed has them
    p: float | None = None        # of no difference from the best, corrected

    @property
    def system(self) -> str:
        return str(self.algorithm["name"])

    @property
    def scheme(self) -> str:
        """Its name in tables: "local_sgd, local_steps=100"."""
        return plain(self.algorithm).replace(",", ", ")

    @property
    def alone(self) -> bool:
        return self.row.algorithm == SINGLE

    @property
    def expected(self) -> dict[str, Any]:
        return self.checked.get("expected") or {}

    @property
    def step_s(self) -> float:
        """As simulated, but no less than the bound, which holds in the long run."""
        return max(self.least_step_s, float(self.expected.get("step_s", 0.0)))

    @property
    def least_step_s(self) -> float:
        return float(self.checked["bounds"]["step_s"])

    @property
    def bytes_per_hour(self) -> float | None:
        """Over the busiest link; unknown where windows bind, for which `check` counts the bytes of one pair."""
        bounds = self.checked["bounds"]
        if (bounds["bottleneck"] or "").startswith("window "):
            return None
        return float(3600 * bounds["bottleneck_bytes_per_step"] / self.step_s)


@dataclass
class Question:
    base: Base                    # its scenario has model none
    workers: int
    per_site: dict[str, int]
    step_s: float
    bytes: float
    horizon: int                  # steps of one worker
    target: float | None
    batch: int | None
    rows: list[Row]
    learned_with: int             # workers
    budget: Budget

    @property
    def bandwidth(self) -> float:
        """The user's factor on bandwidths of the table."""
        return float(self.base.changes.get(BANDWIDTH, 1))

    @property
    def connections(self) -> int:
        """Four times as many for each message as the user has."""
        return 4 * int(self.base.changes.get(CONNECTIONS, 1))

    @property
    def time_s(self) -> float:
        """In which schemes are compared."""
        return self.horizon * self.step_s

    @property
    def key(self) -> str:
        return Goal(LOSS, self.target).key

    def time(self, row: Row, algorithm: dict[str, Any], changes: Changes | None = None) -> Timed:
        return Timed(row, algorithm, checked(self.base, {**(changes or {}), "algorithm": algorithm}, steps=True))

    def score(self, one: Timed, slower: float = 1.0) -> float | None:
        """Loss at the end, or seconds to the target, with steps that take so many times as long; None: it learns nothing, or does not get
        there."""
        step_s = slower * one.step_s
        if self.target is None:
            losses = one.row.after(self.time_s / step_s)
            return fmean(losses) if losses else None
        needed = one.row.steps_to(self.target)
        return None if needed is None else needed * step_s

    def by_seed(self, one: Timed) -> list[float]:
        """What is ranked: losses, or logarithms of seconds to the target; a seed that misses it counts as the whole table."""
        if self.target is None:
            return one.row.after(self.time_s / one.step_s)
        steps = [one.row.steps_to(self.target, seed) for seed in range(len(next(iter(one.row.losses.values()))))]
        return [math.log((count or LONGEST) * one.step_s) for count in steps] if any(steps) else []

    def told(self, value: float | None) -> str:
        return "none" if value is None else f"{value:.3f}" if self.target is None else seconds(value)


def advise_facts(facts: dict[str, Any], *, target: float | None, only: Sequence[str], without: Sequence[str], out: Path,
                 budget: Budget, changes: Changes, jobs: int, quiet: bool) -> "pd.DataFrame":
    """The ranking, as advise() has it. Raises DdlsimError."""
    import pandas as pd

    from .facts_page import text_of
    check_target(target, LOSS)
    if given := next((path for path in changes if not path.startswith(("platform.", "wire.", "compute.")) or path in FACTS), None):
        raise InputError(f"--set {given}: is what an advice from facts is given, or chooses; expected another key of platform, wire or compute")
    if facts.get("text") and not Path(str(facts["text"])).exists():
        raise InputError(f"--text: {facts['text']} does not exist; expected a text, or a folder with input.txt")
    question = question_of(facts, target, changes, budget)
    systems = system_facts(question.base, {})
    # Their learning depends on times. A table of sites has no servers.
    depend = [name for name, system in systems.items() if not any(
        system[fact] for fact in ("timing_independent", "one_model", "chooses_samples", "needs_servers"))]
    ways = ways_of(systems)
    known = [*dict.fromkeys(row.algorithm["name"] for row in question.rows), *depend]
    for option, names in (("--systems", only), ("--exclude", without)):
        for name in names:
            if name not in [*known, *ways]:
                raise InputError(f'{option}: "{name}" is no candidate; {nearest(name, [*known, *ways])}')
    only, without = [["ring_allreduce" if name in ways else name for name in names] for names in (only, without)]
    if only and not facts.get("text") and set(only) <= set(depend):
        raise InputError(f"--systems: what {', '.join(only)} learns depends on times; expected --text FILE, too")
    asked = [name for name in known if name not in without and (not only or name in only or name == "single")]
    rows = [row for row in question.rows if row.algorithm["name"] in asked]
    if not rows:
        raise InputError("--exclude: leaves no candidate whose learning is known; expected one at least")
    folder = out / question.base.name
    make_folder(folder)
    trials = Trials(folder, Goal(LOSS), budget, jobs, "advise", quiet)
    found, left_out = _timed(question, systems, rows, jobs, trials)
    for one in found:
        one.seeds = question.by_seed(one)
    found.sort(key=lambda one: math.inf if (score := question.score(one)) is None else score)
    _compare(found)
    text = facts.get("text")
    asynchronous = _asynchronous(question, [name for name in depend if name in asked], str(text), trials) if text else []
    advice = _advice(question, found, left_out, asynchronous, folder, jobs)
    for word in ("best", "safe"):
        if choice := advice[word]:
            question.base.describe(changes={"algorithm": choice["algorithm"], "name": f"{question.base.name}_{word}"},
                                   options=["-o", str(folder / f"{word}.json")])
    write_whole(folder / "advice.json", (json.dumps(advice, indent=1, ensure_ascii=False) + "\n").encode())
    told = text_of(question, advice)
    page = text_of(question, advice, markdown=True)
    write_whole(folder / "advice.md", f"# Which system suits {question.base.name}?\n\n{page}".encode())
    table = pd.DataFrame(advice["systems"])
    table.attrs |= {"advice": advice, "text": told}
    return table


def question_of(facts: dict[str, Any], target: float | None, changes: Changes, budget: Budget) -> Question:
    """Workers are dealt evenly over the sites of the table. Raises InputError."""
    needed = ("model_bytes", "step", "platform", "workers")
    if missing := [f"--{name.replace('_', '-')}" for name in needed if facts.get(name) is None]:
        raise InputError(f"advise: lacks {', '.join(missing)}; expected all of --model-bytes, --step, --platform and --workers")
    for name, example in (("model_bytes", "2.6GB"), ("step", "0.7s")):
        if not quantity(str(facts[name])) or str(facts[name])[-1].isdigit():
            raise InputError(f"--{name.replace('_', '-')}: {facts[name]} is none; write more than 0 and its unit, for example {example}")
    file, workers = Path(str(facts["platform"])), _count(facts["workers"], "--workers")
    # Packet by packet `check` has no expected step for large models, and TCP is as near to what was measured of connections.
    platform: dict[str, Any] = {"topology": "measured", "matrix": str(file.resolve()), "network": {"model": "TCP"}}
    scenario = {"name": file.stem, "platform": platform, "model": "none", "wire": {"model_bytes": facts["model_bytes"]},
                "compute": {"seconds_per_batch": facts["step"]}, "algorithm": "ring_allreduce",
                "stop": {"iterations": _count(LONGEST if facts.get("horizon") is None else facts["horizon"], "--horizon")}, "record": {"iterations": False}}
    base = Base(file.stem, scenario, None, changes)
    sites = [site["name"] for site in checked(base)["sites"]]
    if workers == 1:
        raise InputError("--workers: 1 exchanges nothing; expected 2 at least")
    if workers < len(sites):
        raise InputError(f"--workers: {workers} are fewer than the {len(sites)} sites of {file}; expected one at least in each")
    per_site = {site: workers // len(sites) + (i < workers % len(sites)) for i, site in enumerate(sites)}
    platform["workers_per_site"] = list(per_site.values())
    batch = None if facts.get("batch") is None else _count(facts["batch"], "--batch")
    if scenario["stop"]["iterations"] > LONGEST:  # type: ignore[index]
        raise InputError(f"--horizon: the small GPT was learned for {LONGEST:,} steps; expected these at most")
    return Question(base, workers, per_site, quantity(str(facts["step"])) or 0.0, quantity(str(facts["model_bytes"])) or 0.0,
                    scenario["stop"]["iterations"], target, batch, *rows_of(workers), budget)  # type: ignore[index]


def _count(value: Any, option: str) -> int:
    try:
        number = int(value)
    except (TypeError, ValueError, OverflowError):
        number = 0
    if number < 1 or not isinstance(value, str) and number != value:
        raise InputError(f"{option}: {value} is no count; expected a whole number from 1")
    return number


def ways_of(systems: Iterable[str]) -> list[str]:
    """Systems that sum all gradients, each in its way, so that they learn alike."""
    return [name for name in systems if name.endswith("_allreduce") and name != "partial_allreduce"]


def _timed(question: Question, systems: Mapping[str, Any], rows: Sequence[Row], jobs: int,
           trials: Trials) -> tuple[list[Timed], list[str]]:
    """Each scheme, its sums made in the way in which those of gradients are quickest here, which changes nothing that is learned; and
    those that the network does not allow, with the reason."""
    def time(asked: tuple[Row, dict[str, Any]]) -> Timed | str:
        try:
            return question.time(*asked) if question.budget.used < TIMES else LEFT_OUT
        except DdlsimError as error:
            return reason_of(error)
    def quickest_sum() -> str:
        sums = next((row for row in question.rows if row.algorithm == {"name": "ring_allreduce"}), None)
        timed = [one for one in in_threads(time, [(sums, {"name": name}) for name in ways_of(systems) if sums], jobs)
                 if isinstance(one, Timed) and one.checked["bounds"]["bytes_per_step"]]  # none: too many messages to be listed
        are_simulated = all(one.expected for one in timed)  # lower bounds stand beside lower bounds alone
        quickest = min(timed, key=lambda one: one.step_s if are_simulated else one.least_step_s, default=None)
        return quickest.system if quickest else "ring_allreduce"
    best = quickest_sum()

    def way(row: Row) -> dict[str, Any]:
        if row.algorithm["name"] == "ring_allreduce":
            return {**row.algorithm, "name": best}
        sums_too = "collective" in systems[row.algorithm["name"]]["keys"] and best != "ring_allreduce"
        return row.algorithm | ({"collective": best.removesuffix("_allreduce")} if sums_too else {})
    answers = []
    for number, answer in enumerate(in_threads(time, [(row, way(row)) for row in rows], jobs), 1):
        answers.append(answer)
        trials.tell("time of a step", number, len(rows), "scheme")
    trials.end_line()
    left_out = [f"{plain(row.algorithm)}: {answer}" for row, answer in zip(rows, answers) if isinstance(answer, str)]
    found = [answer for answer in answers if isinstance(answer, Timed)]
    if not found and question.budget.used >= TIMES:
        raise RunFailed("advise: the budget ended before a step of any system was simulated")
    if not found:
        raise InputError([f"advise: no system can be timed: {line}" for line in left_out])
    return found, left_out


def _compare(found: Sequence[Timed]) -> None:
    """By the deviation that seeds have within all of these, corrected for their number."""
    learned = [one for one in found if one.seeds]
    deviation, freedom = pooled([one.seeds for one in learned])
    p = [pooled_p(learned[0].seeds, one.seeds, deviation, freedom) for one in learned[1:]]
    for one, value in zip(learned[1:], holm([1.0 if value is None else value for value in p])):
        one.p = value


def _asynchronous(question: Question, names: Sequence[str], text: str, trials: Trials) -> list[dict[str, Any]]:
    """Systems whose learning depends on times, as they are, on the small GPT in the user's times; Ako with its largest 2 % too, and
    one worker, for the text may be another than the table's."""
    sparse = {"name": "ako", "codec": {"type": "top_k", "fraction": 0.02}}
    algorithms = [{"name": name} for name in ["single", *names]] + ([sparse] if "ako" in names else [])
    assert isinstance(question.base.scenario, dict)
    optimizer = {"type": "adamw", "learning_rate": 0.002, "schedule": "cosine", "clip_norm": 1,
                 "warmup_steps": max(1, question.horizon // 10)}
    scenario = {**question.base.scenario, "model": "gpt-2-64-32", "data": {"source": "text", "path": str(Path(text).resolve())},
                "training": {"batch_size": 12, "optimizer": optimizer}, "stop": {"time": f"{question.time_s:.6g}s"},
                "evaluate": {"every_iterations": question.horizon, "metric": "loss"}}
    learning = Base("asynchronous", scenario, None, question.base.changes)
    trials.run([(learning, {"algorithm": algorithm}, 1) for algorithm in algorithms], "asynchronous systems")
    trials.end_line()
    found = []
    for algorithm in algorithms:
        trial = trials.of(learning, {"algorithm": algorithm}, 1)
        reason = LEFT_OUT if trial is None else trial.failure.splitlines()[0] if trial.failure else None
        found.append({"scheme": plain(algorithm).replace(",", ", "), "reason": reason,
                      "loss": trial.run.measure(LOSS.final) if trial and trial.run else None})
    return found


def _advice(question: Question, found: list[Timed], left_out: list[str], asynchronous: list[dict[str, Any]], folder: Path,
            jobs: int) -> dict[str, Any]:
    able = [one for one in found if question.score(one) is not None]
    best = able[0] if able else None
    single = next((one for one in found if one.alone), None)
    sending = [one for one in found if not one.alone]
    sender = next((one for one in sending if one in able), min(sending, key=lambda one: one.step_s, default=None))
    deviation, freedom = pooled([one.seeds for one in found])
    def is_level(one: Timed) -> bool:
        """With the best, by the test of these two alone, too."""
        p = pooled_p(best.seeds, one.seeds, deviation, freedom) if best else None
        return one is best or p is None or p >= SIGNIFICANCE
    equal = [one for one in able if is_level(one)]
    safe = min(equal, key=lambda one: (one.checked["bounds"]["bytes_per_step"], one.step_s), default=None)
    told = list(dict.fromkeys(id(one) for one in [*able[:2], sender, single] if one))
    # In half of the time, if need be, so that steps of half the length are within the table.
    shorter = replace(question, horizon=min(question.horizon, LONGEST // 2)) if question.target is None else question
    conditions, cut_off = _conditions(shorter, [one for one in found if id(one) in told], jobs) if able else ([], [])
    warnings = [TIMED, LEARNED]
    if question.learned_with != question.workers:
        warnings.append(f"The small GPT was learned by {question.learned_with} workers, not by {question.workers}.")
    if not asynchronous:
        warnings.append("Asynchronous systems (Ako, AD-PSGD, gossip) are not in this answer, for what they learn depends on times; "
                        "--text FILE runs them.")
    if not all(one.expected for one in found):
        warnings.append("Steps with ≥ are lower bounds, since simulating these takes too long: such schemes may be slower than they look.")
    if question.target is not None and any(one.row.steps_to(question.target) == min(one.row.losses) for one in able):
        warnings.append(f"Some reach {question.target:g} before the shortest runs that were learned end: their times are at most.")
    slow = [f"{one.scheme}: takes {question.time_s / one.step_s:.0f} steps in the time, too few to learn anything" if question.target is None
            else f"{one.scheme}: the small GPT does not reach {question.target:g} within {LONGEST:,} steps"
            for one in found if question.score(one) is None]
    others = "; ".join(one.scheme for one in equal if one is not best)
    sure = ("Nothing to compare: one scheme alone." if len(found) < 2 else
            "No system learns anything in this time." if best is None and question.target is None else
            f"The small GPT reaches {question.target:g} with no system within {LONGEST:,} steps." if best is None else
            f"Not sure, by the seeds of the small GPT: {others} may be as good." if others else
            "Not sure: of some steps lower bounds alone are known." if not all(one.expected for one in able) else
            f"Sure of the small GPT with {counted(question.learned_with, 'worker')}, beyond chance between seeds (5 %); of a large "
            "one the warnings below say what is known.")
    return {"question": question.base.name, "metric": "loss", "target": question.target,
            "conditions_horizon": shorter.horizon,
            "facts": {"model_bytes": question.bytes, "step_s": question.step_s, "workers": question.per_site,
                      "horizon": question.horizon, "time_s": question.time_s, "learned_with": question.learned_with},
            "best": _choice(question, best, deviation, freedom, folder / "best.json"),
            "safe": _choice(question, safe, deviation, freedom, folder / "safe.json"), "how_sure": sure,
            "needs_all_data_in_one_place": {one.system: one.alone for one in found}, "why": _why(sender),
            "break_even_bandwidth": _break_even(question, sender, single) if sender and single and question.budget.used < 1 else None,
            "wan_bytes_per_hour": sender.bytes_per_hour if sender else None,
            "upgrades": _upgrades(shorter, conditions, found, sender), "sensitivity": [one for one in conditions if one["key"]],
            "other_conditions": [one for one in conditions if not one["key"]], "asynchronous": asynchronous,
            "systems": [_row(question, one, single) for one in found], "not_run": [*left_out, *slow], "warnings": warnings,
            "cut_off": [*(line for line in left_out if line.endswith(LEFT_OUT)), *cut_off,
                        *(one["scheme"] for one in asynchronous if one["reason"] == LEFT_OUT)]}


def _why(sender: Timed | None) -> dict[str, Any]:
    """Why the best that sends is as it is; None where nothing is known."""
    if sender is None:
        return dict.fromkeys(("system", "scheme", "binds", "told", "bottleneck", "utilisation", "computing", "staleness",
                              "sent_bytes_per_hour"))
    binds, told = what_binds(sender.checked)
    return {"system": sender.system, "scheme": sender.scheme, "binds": binds, "told": told, "staleness": None,
            "bottleneck": sender.checked["bounds"]["bottleneck"], "utilisation": sender.expected.get("bandwidth_share"),
            "computing": sender.expected.get("compute_share"),
            "sent_bytes_per_hour": 3600 * sender.checked["bounds"]["bytes_per_step"] / sender.step_s}


def _choice(question: Question, one: Timed | None, deviation: float, freedom: int, file: Path) -> dict[str, Any] | None:
    if one is None:
        return None
    half = student_factor(freedom + 1) * deviation / math.sqrt(len(one.seeds)) if freedom and one.seeds else None
    interval = None if half is None or question.target is not None else [fmean(one.seeds) - half, fmean(one.seeds) + half]
    return {"system": one.system, "scheme": one.scheme, "algorithm": one.algorithm, question.key: question.score(one),
            "interval": interval, "scenario": str(file), "step_s": one.step_s, "needs_all_data_in_one_place": one.alone,
            "wan_bytes_per_hour": one.bytes_per_hour}


def _row(question: Question, one: Timed, single: Timed | None) -> dict[str, Any]:
    workers = 1 if one.alone else question.workers
    return {"system": one.system, "scheme": one.scheme, "setting": named({k: v for k, v in one.algorithm.items() if k != "name"}),
            "algorithm": one.algorithm, question.key: question.score(one), "p_against_leader": one.p, "step_s": one.step_s,
            "least_step_s": one.least_step_s, "bytes_per_step": one.checked["bounds"]["bytes_per_step"],
            "computing": one.expected.get("compute_share"), "binds": what_binds(one.checked)[0],
            "steps": question.time_s / one.step_s, "needs_all_data_in_one_place": one.alone,
            "samples_against_one_worker": workers * (single.step_s if single else question.step_s) / one.step_s,
            "samples_per_s": workers * question.batch / one.step_s if question.batch else None}


def _conditions(question: Question, among: Sequence[Timed], jobs: int) -> tuple[list[dict[str, Any]], list[str]]:
    """Some schemes where one thing differs: in time as it is simulated, and in learning where workers differ; and the conditions
    that the budget left out."""
    step_key, bytes_key, count = "compute.seconds_per_batch", "wire.model_bytes", question.workers
    asked: list[tuple[str, Changes, int]] = [("as given", {}, count)]
    for word, factor in (("halved", 0.5), ("doubled", 2.0)):
        asked += [(f"seconds a batch {word}", {step_key: f"{factor * question.step_s:.6g}s"}, count),
                  (f"model bytes {word}", {bytes_key: f"{factor * question.bytes:.0f}B"}, count),
                  (f"bandwidth {word}", {BANDWIDTH: factor * question.bandwidth}, count)]
    twice = [2 * workers for workers in question.per_site.values()]
    asked.append((f"{question.connections} connections for each message", {CONNECTIONS: question.connections}, count))
    if rows_of(2 * count)[1] != question.learned_with:
        asked.append(("twice the workers", {"platform.workers_per_site": twice}, 2 * count))
    if len(question.per_site) > 1:
        asked += [(f"{site} away", {"platform.exclude": [site]}, count - own)
                  for site, own in list(question.per_site.items())[:3]]

    def run(condition: tuple[str, Changes, int]) -> dict[str, Any] | None:
        name, changes, workers = condition
        if question.budget.used >= OTHER_TIMES:
            return None
        rows, learned_with = rows_of(workers)
        told: dict[str, Any] = {"condition": name, "key": next((key for key in (step_key, bytes_key) if key in changes), None),
                                "learned_with": learned_with, "scores": {}, "failures": {}}
        for one in among:
            learns_as = SINGLE if workers == 1 else one.row.algorithm
            row = next((row for row in rows if row.algorithm == learns_as), one.row)
            try:
                is_touched = bool(changes) and (not one.alone or step_key in changes)
                timed = question.time(row, one.algorithm, changes) if is_touched else one
                told["scores"][one.scheme] = question.score(timed)
            except DdlsimError as error:
                told["failures"][one.scheme] = reason_of(error)
        known = {scheme: score for scheme, score in told["scores"].items() if score is not None}
        return {**told, "best": min(known, key=lambda scheme: float(known[scheme])) if known else None}
    found = list(in_threads(run, asked, jobs))
    return [one for one in found if one], [condition[0] for condition, one in zip(asked, found) if not one]


def _upgrades(question: Question, conditions: Iterable[dict[str, Any]], found: Iterable[Timed],
              sender: Timed | None) -> dict[str, float]:
    """Conditions in which the best that sends is better, and by how much; the most first."""
    if sender is None:
        return {}
    scores = {one["condition"]: one["scores"].get(sender.scheme) for one in conditions}
    coded = next((one for one in found if one.row.algorithm == {**sender.row.algorithm, "codec": "e3m0"}), None)
    scores["a codec"] = question.score(coded) if coded else None
    given = scores.get("as given")
    names = ("seconds a batch halved", "bandwidth doubled", f"{question.connections} connections for each message", "twice the workers", "a codec")
    gains = {name: float(given - scores[name]) for name in names if given is not None and scores.get(name) is not None}
    slower = question.score(sender, 1 + JITTER)
    noise = math.inf if slower is None or given is None else slower - given
    return dict(sorted(((name, gain) for name, gain in gains.items() if gain > noise), key=lambda one: -one[1]))


def _break_even(question: Question, sender: Timed, single: Timed) -> dict[str, Any] | None:
    """The share of all bandwidths at which the best that sends is as good as one worker, by halves of its logarithm. None where the
    network cannot be simulated at such bandwidths."""
    alone = question.score(single)

    def is_ahead(factor: float) -> bool:
        score = question.score(question.time(sender.row, sender.algorithm, {BANDWIDTH: factor * question.bandwidth}))
        return score is not None and (alone is None or score < alone)
    low, high = 1 / FURTHEST, FURTHEST
    try:
        at_least, at_most = is_ahead(low), is_ahead(high)
        found: dict[str, Any] = {"system": sender.system, "scheme": sender.scheme, "tried": [low, high], "share": None,
                                 "ahead_at_least": sender.system if at_least else single.system}
        for _ in range(6 if at_least != at_most else 0):
            if question.budget.used >= 1:
                return None
            middle = math.sqrt(low * high)
            low, high = (low, middle) if is_ahead(middle) else (middle, high)
        return found if at_least == at_most else {**found, "share": math.sqrt(low * high)}
    except DdlsimError:
        return None
