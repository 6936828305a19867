"""An advice from four facts: a model's bytes, the time of a step, what connections were measured to carry, and how many workers there are.

Times are the user's: `ddlsim check` simulates steps of a model of that size on that network. What is learned is a small GPT's
(gpt-2-64-32 on Tiny Shakespeare): losses.csv has its loss after 100, 300 and 1,000 steps of each worker, each with a schedule of that
length, by systems whose learning does not depend on times (scenarios/study/small_gpt.json makes them). Systems whose learning does are
run within the budget where a text is given."""
from __future__ import annotations

import csv
import json
import math
from collections.abc import Sequence
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass, field
from pathlib import Path
from typing import TYPE_CHECKING, Any

from ..errors import DdlsimError, InputError
from ..files import write_whole
from ..frame import LOSS
from ..stats import SIGNIFICANCE, estimate, holm, paired_p
from ..table import Cell, Column, Table, hanging
from ..units import bytes_, counted, quantity, seconds, share
from .candidates import checked, reason_of
from .decide import what_binds
from .search import Changes, named, value_of
from .trials import Base, Budget, Goal, Trials, cores, plain, system_facts

if TYPE_CHECKING:
    import pandas as pd

TABLE = Path(__file__).with_name("losses.csv")
BATCH = 12                    # windows of a step in that table
LEARNED = ("What is learned is a small GPT's (0.1 million parameters, batches of 12 windows). With size and progress the order of DiLoCo and of "
           "plain averaging turns: DiLoCo (every 10 steps) leads at 0.8 million parameters (loss 1.617 against 1.775 after 2,000 steps) and "
           "trails at 10.7 million (1.625 against 1.569 after 1,000). That all-reduce learns most a step, that longer rounds learn less, and "
           "that several workers learn more than one does not turn.")
TIMED = ("Times are of your model and network. Held to measurements they are within 6 % between continents with one machine on each, 10 % on "
         "average with several (results/hivemind.md), 5 % for all-reduces of NCCL (results/tc_cluster.md); through tunnels worse "
         "(results/ec2.md). Compression itself takes no time here.")


@dataclass
class Row:
    """A scheme of the table, for one number of workers."""
    algorithm: dict[str, Any]
    workers: int
    losses: dict[int, list[float]] = field(default_factory=dict)  # by seed, after so many steps of each worker

    def after(self, steps: float) -> list[float] | None:
        """By seed; between lengths in proportion to the logarithm of the steps. None: too few to have learned anything."""
        known = sorted(self.losses)
        if steps < known[0]:
            return None
        steps = min(steps, known[-1])
        low = max(length for length in known if length <= steps)
        high = min((length for length in known if length >= steps), default=low)
        part = 0.0 if low == high else math.log(steps / low) / math.log(high / low)
        return [a + part * (b - a) for a, b in zip(self.losses[low], self.losses[high])]

    def steps_to(self, loss: float) -> float | None:
        """The fewest steps after which the mean loss is that; None: it is not, within the table."""
        first, last = min(self.losses), max(self.losses)
        if _mean(self.after(float(last))) > loss:
            return None
        for i in range(201):
            steps = float(first * (last / first) ** (i / 200))
            if _mean(self.after(steps)) <= loss:
                return steps
        return float(last)


@dataclass
class Timed:
    """A scheme on the user's network."""
    row: Row
    algorithm: dict[str, Any]     # the quickest way to exchange the same
    checked: dict[str, Any]
    losses: list[float] | None = None
    p: float | None = None

    @property
    def system(self) -> str:
        return str(self.algorithm["name"])

    @property
    def step_s(self) -> float:
        return float((self.checked.get("expected") or self.checked["bounds"])["step_s"])

    @property
    def setting(self) -> str:
        return named({key: value for key, value in self.algorithm.items() if key != "name"})

    @property
    def scheme(self) -> str:
        """"local_sgd, local_steps=100": its name in tables."""
        return plain(self.algorithm).replace(",", ", ")


def rows_of(workers: int) -> tuple[list[Row], int]:
    """Of one worker and of so many, or of the nearest number that was learned."""
    found: dict[tuple[str, int], Row] = {}
    with open(TABLE, encoding="utf-8", newline="") as file:
        for line in csv.DictReader(file):
            name, *settings = line["algorithm"].split(",")
            algorithm = {"name": name} | {key: value_of(value) for key, value in (setting.split("=") for setting in settings)}
            count = 1 if name == "single" else int(line["workers"])
            row = found.setdefault((line["algorithm"], count), Row(algorithm, count))
            row.losses.setdefault(int(line["steps"]), []).append(float(line["loss"]))
    counts = sorted({count for _, count in found if count > 1})
    nearest = min(counts, key=lambda count: abs(math.log(count / max(1, workers))))
    return [row for (_, count), row in found.items() if count in (1, nearest)], nearest


def advise_facts(*, model_bytes: str | None = None, step: str | None = None, platform: str | None = None, workers: Any = None,
                 batch: Any = None,
                 horizon: Any = None, text: str | None = None, target: float | None = None, exclude: Sequence[str] = (), out: Path, budget: Budget,
                 changes: Changes) -> "pd.DataFrame":
    """The ranking, as advise() has it. Raises DdlsimError."""
    import pandas as pd
    missing = [f"--{name.replace('_', '-')}" for name,
               value in (("model_bytes", model_bytes), ("step", step), ("platform", platform), ("workers", workers))
               if value is None]
    if missing:
        raise InputError(f"advise: lacks {', '.join(missing)}; expected all of --model-bytes, --step, --platform and --workers")
    count, steps = _number(workers, "--workers"), _number(horizon or 1000, "--horizon")
    step_s = quantity(str(step))
    if not step_s or str(step).isdigit():
        raise InputError(f"--step: {step} is no time; write for example 0.7s")
    base, sites = _base(Path(str(platform)), count, str(model_bytes), str(step), steps, changes)
    rows, learned = rows_of(count)
    found, left_out = _timed(base, [row for row in rows if row.algorithm["name"] not in exclude], system_facts())
    time_s = steps * step_s
    for one in found:
        one.losses = one.row.after(time_s / one.step_s)
    study = {"model_bytes": model_bytes, "step": step, "workers": count, "sites": sites, "horizon": steps, "time_s": time_s,
             "learned_with": learned,
             "batch": _number(batch, "--batch") if batch else None}
    def rank(one: Timed) -> float:
        if target is None:
            return _mean(one.losses)
        needed = one.row.steps_to(target)
        return math.inf if needed is None else needed * one.step_s
    found.sort(key=rank)
    _compare(found)
    asynchronous = _asynchronous(base, text, found[0], steps, out, budget) if text else []
    advice = _advice(base, found, left_out, study, target, asynchronous)
    folder = out / "facts"
    folder.mkdir(parents=True, exist_ok=True)
    scenario = {**base.scenario, "algorithm": found[0].algorithm} if isinstance(base.scenario, dict) else {}
    write_whole(folder / "best.json", (json.dumps(scenario, indent=1) + "\n").encode())
    write_whole(folder / "advice.json", (json.dumps(advice, indent=1, ensure_ascii=False) + "\n").encode())
    told = text_of(advice)
    write_whole(folder / "advice.md", f"# Which system suits {platform}?\n\n{told}".encode())
    table = pd.DataFrame(advice["systems"])
    table.attrs |= {"advice": advice, "text": told}
    return table


def _number(value: Any, option: str) -> int:
    try:
        number = int(value)
    except (TypeError, ValueError):
        number = 0
    if number < 1:
        raise InputError(f"{option}: {value} is no count; expected a whole number from 1")
    return number


def _base(file: Path, workers: int, model_bytes: str, step: str, steps: int, changes: Changes) -> tuple[Base, list[str]]:
    platform: dict[str, Any] = {"topology": "measured", "matrix": str(file.resolve())}
    scenario = {"name": file.stem, "platform": platform, "model": "none", "wire": {"model_bytes": model_bytes},
                "compute": {"seconds_per_batch": step},
                "algorithm": "ring_allreduce", "stop": {"iterations": steps}, "record": {"iterations": False}}
    base = Base(file.stem, scenario, None, changes)
    sites = [site["name"] for site in checked(base)["sites"]]
    if workers < len(sites):
        raise InputError(f"--workers: {workers} are fewer than the {len(sites)} sites of {file}; expected one at least in each")
    platform["workers_per_site"] = [workers // len(sites) + (i < workers % len(sites)) for i in range(len(sites))]
    return base, sites


def _timed(base: Base, rows: Sequence[Row], systems: dict[str, dict[str, Any]]) -> tuple[list[Timed], list[str]]:
    """Each scheme by the quickest of the ways that exchange the same; and those that the network does not allow, with the reason."""
    def ways(row: Row) -> list[dict[str, Any]]:
        name = row.algorithm["name"]
        if name.endswith("_allreduce"):
            return [{**row.algorithm, "name": other} for other in systems if other.endswith("_allreduce")
                    and other != "partial_allreduce"]
        lists = [values["collective"] for values in systems[name]["tuned"] if "collective" in values]
        return [row.algorithm] + [{**row.algorithm, "collective": value} for values in lists for value in values]
    def time(row: Row, algorithm: dict[str, Any]) -> Timed | str:
        try:
            return Timed(row, algorithm, checked(base, {"algorithm": algorithm}))
        except DdlsimError as error:
            return reason_of(error)
    asked = [(row, algorithm) for row in rows for algorithm in ways(row)]
    with ThreadPoolExecutor(cores()) as pool:
        answers = list(pool.map(lambda one: time(*one), asked))
    found, left_out = [], []
    for row in rows:
        own = [answer for (other, _), answer in zip(asked, answers) if other is row]
        timed = [answer for answer in own if isinstance(answer, Timed)]
        if timed:
            found.append(min(timed, key=lambda one: one.step_s))
        else:
            left_out.append(f"{row.algorithm['name']}: {own[0]}")
    if not found:
        raise InputError([f"advise: no system can be timed: {line}" for line in left_out])
    return found, left_out


def _compare(found: Sequence[Timed]) -> None:
    """p of no difference from the first, paired by seed (start and minibatches), corrected for their number."""
    others = [one for one in found[1:] if one.losses and found[0].losses]
    p = [paired_p([b - a for a, b in zip(found[0].losses or [], one.losses or [])]) for one in others]
    for one, value in zip(others, holm([1.0 if value is None else value for value in p])):
        one.p = value


def _asynchronous(base: Base, text: str, best: Timed, steps: int, out: Path, budget: Budget) -> list[dict[str, Any]]:
    """Systems whose learning depends on times, each as it is and with the largest 2 % of its values, on the small GPT in the user's times."""
    systems = [name for name, one in system_facts().items() if name in ("ako", "ad_psgd", "gossip", "sgp")]
    scenario = {**(base.scenario if isinstance(base.scenario, dict) else {}), "model": "gpt-2-64-32",
                "data": {"source": "text", "path": str(Path(text).resolve())},
                "training": {"batch_size": BATCH, "optimizer": {"type": "adamw", "learning_rate": 0.003, "schedule": "cosine"}},
                "evaluate": {"every_iterations": steps, "metric": "loss", "samples": 1000},
                "stop": {"time": f"{steps * (quantity(str(base.scenario['compute']['seconds_per_batch'])) or 0):.6g}s" if isinstance(base.scenario, dict) else ""}}
    trials = Trials(out / "facts", Goal(LOSS), budget, None, "advise")
    learning = Base("asynchronous", scenario, None, base.changes)
    algorithms: list[dict[str, Any]] = [{"name": name}
                                        for name in systems] + [{"name": "ako", "codec": {"type": "top_k", "fraction": 0.02}}]
    trials.run([(learning, {"algorithm": algorithm}, 1) for algorithm in algorithms], "asynchronous systems")
    trials.end_line()
    found = []
    for algorithm in algorithms:
        trial = trials.of(learning, {"algorithm": algorithm}, 1)
        loss = trial.run.measure(LOSS.final) if trial and trial.run else None
        reason = "the budget left it out" if trial is None else trial.failure.splitlines()[0] if trial.failure else None
        found.append({"system": algorithm["name"], "scheme": plain(algorithm).replace(",", ", "), "loss": loss,
                      "reason": reason})
    return found


def _advice(base: Base, found: list[Timed], left_out: list[str], study: dict[str, Any], target: float | None,
            asynchronous: list[dict[str, Any]]) -> dict[str, Any]:
    able = [one for one in found if one.losses] if target is None else [one for one in found
                                                                        if one.row.steps_to(target) is not None]
    best = able[0] if able else None
    single = next((one for one in found if one.row.workers == 1), None)
    equal = [one for one in able if one is best or one.p is None or one.p >= SIGNIFICANCE]
    safe = min(equal, key=lambda one: (one.checked["bounds"]["bytes_per_step"], one.step_s), default=None)
    sender = best if best is not single else next((one for one in able if one is not single), None)
    told = list(dict.fromkeys(one.scheme for one in [*able[:3], sender, single] if one))
    conditions = _conditions(base, [one for one in found if one.scheme in told], study, target) if able else []
    warnings = [TIMED, LEARNED]
    if study["learned_with"] != study["workers"]:
        warnings.append(f"The small GPT was learned by {study['learned_with']} workers, not by {study['workers']}.")
    if study["horizon"] > 1000:
        warnings.append("The small GPT was learned for 1,000 steps of each worker; later ones count as those.")
    if not asynchronous:
        warnings.append("Asynchronous systems (Ako, AD-PSGD, gossip) are not in this answer: what they learn depends on times; --text FILE runs them.")
    left_out = [*left_out,
                *(f"{one.scheme}: takes {study['time_s'] / one.step_s:.0f} steps in the time, too few to learn anything"
                             for one in found if one.losses is None)]
    return {"question": base.name, "facts": study, "metric": "loss", "target": target, "best": _choice(best, study, target),
            "safe": _choice(safe, study, target),
            "how_sure": _how_sure(best, equal), "needs_all_data_in_one_place": {one.system: one is single for one in found},
            "upgrades": _upgrades(conditions, found, sender, study, target),
            "why": _why(sender),
            "break_even_bandwidth": _break_even(base, sender, single, study, target) if sender and single else None,
            "wan_bytes_per_hour": 3600 * sender.checked["bounds"]["bottleneck_bytes_per_step"] / sender.step_s if sender else None,
            "sensitivity": [one for one in conditions if one["key"]], "other_conditions": [one for one in conditions if not one["key"]],
            "systems": [_row(one, single, study, target) for one in found], "asynchronous": asynchronous, "not_run": left_out, "warnings": warnings, "cut_off": []}


def _why(sender: Timed | None) -> dict[str, Any]:
    """Of the best that sends; None where nothing is known."""
    if sender is None:
        return dict.fromkeys(("system", "scheme", "binds", "told", "bottleneck", "utilisation", "computing", "staleness"))
    binds, told = what_binds(sender.checked)
    expected = sender.checked.get("expected") or {}
    return {"system": sender.system, "scheme": sender.scheme, "binds": binds, "told": told,
            "bottleneck": sender.checked["bounds"]["bottleneck"], "utilisation": expected.get("bandwidth_share"),
            "computing": expected.get("compute_share"), "staleness": None}


def _score(one: Timed, time_s: float, target: float | None) -> float | None:
    """Loss at the end, or seconds to the target; None: it learns nothing, or does not get there."""
    if target is None:
        losses = one.row.after(time_s / one.step_s)
        return _mean(losses) if losses else None
    needed = one.row.steps_to(target)
    return None if needed is None else needed * one.step_s


def _choice(one: Timed | None, study: dict[str, Any], target: float | None) -> dict[str, Any] | None:
    if one is None:
        return None
    mean = estimate(one.losses or [])
    interval = mean.interval(0.0, math.inf) if mean and target is None else None
    return {"system": one.system, "scheme": one.scheme, "setting": one.setting, "scenario": "best.json",
            ("loss" if target is None else "time_to_target_s"): _score(one, study["time_s"],
                                                                       target), "interval": list(interval) if interval else None,
            "step_s": one.step_s, "needs_all_data_in_one_place": one.row.workers == 1,
            "wan_bytes_per_hour": 3600 * one.checked["bounds"]["bottleneck_bytes_per_step"] / one.step_s}


def _how_sure(best: Timed | None, equal: Sequence[Timed]) -> str:
    if best is None:
        return "No system learns anything in this time."
    others = [one.scheme for one in equal if one is not best]
    return f"Not sure, by three seeds of the small GPT: {'; '.join(others)} may be as good." if others else \
        "Sure of the small GPT, by three seeds (5 %); of a large one the warnings below say what is known."


def _row(one: Timed, single: Timed | None, study: dict[str, Any], target: float | None) -> dict[str, Any]:
    expected = one.checked.get("expected") or {}
    workers = 1 if one.row.workers == 1 else study["workers"]
    return {"system": one.system, "scheme": one.scheme, "setting": one.setting, "algorithm": one.algorithm,
            "step_s": one.step_s, "least_step_s": one.checked["bounds"]["step_s"],
            "bytes_per_step": one.checked["bounds"]["bytes_per_step"], "computing": expected.get("compute_share"), "binds": what_binds(one.checked)[0],
            "steps": study["time_s"] / one.step_s, "samples_against_one_worker": workers * (single.step_s if single else quantity(study["step"]) or 0.0) / one.step_s,
            "samples_per_s": workers * study["batch"] / one.step_s if study["batch"] else None,
            ("loss" if target is None else "time_to_target_s"): _score(one, study["time_s"],
                                                                       target), "p_against_leader": one.p, "needs_all_data_in_one_place": one is single}


def _conditions(base: Base, among: Sequence[Timed], study: dict[str, Any], target: float | None) -> list[dict[str, Any]]:
    """The best three and one worker where one thing differs: in time as it is simulated, and in learning where workers differ."""
    scenario = base.scenario if isinstance(base.scenario, dict) else {}
    step_s, size = quantity(study["step"]) or 0.0, quantity(study["model_bytes"]) or 0.0
    per_site = scenario["platform"]["workers_per_site"]
    asked: list[tuple[str, str | None, Changes, int]] = [("as given", "given", {}, study["workers"])]
    for word, factor in (("halved", 0.5), ("doubled", 2.0)):
        asked += [(f"seconds a batch {word}", "compute.seconds_per_batch",
                   {"compute.seconds_per_batch": f"{factor * step_s:.6g}s"}, study["workers"]),
                  (f"model bytes {word}", "wire.model_bytes", {"wire.model_bytes": f"{factor * size:.0f}B"},
                   study["workers"]),
                  (f"bandwidth {word}", None, {"platform.bandwidth_factor": factor}, study["workers"])]
    asked.append(("four connections for each message", None, {"platform.network.connections": 4}, study["workers"]))
    asked.append(("twice the workers", None, {"platform.workers_per_site": [2 * count for count in per_site]},
                  2 * study["workers"]))
    asked += [(f"{site} away", None, {"platform.exclude": [site]}, study["workers"] - per_site[i]) for i,
              site in enumerate(study["sites"][:3]) if len(study["sites"]) > 1]
    def run(question: tuple[str, str | None, Changes, int]) -> dict[str, Any]:
        name, key, changes, workers = question
        scores: dict[str, float | None] = {}
        rows = rows_of(workers)[0]
        for one in among:
            row = next((row for row in rows if row.algorithm == one.row.algorithm), one.row)
            try:
                timed = Timed(row, one.algorithm, checked(base, {**changes, "algorithm": one.algorithm}))
                scores[one.scheme] = _score(timed, study["time_s"] if "seconds" not in name
                                            else study["horizon"] * (quantity(changes["compute.seconds_per_batch"]) or 0.0),
                                            target)
            except DdlsimError as error:
                return {"condition": name, "key": key, "scores": {}, "best": None, "failures": {one.system: reason_of(error)}}
        known = {system: score for system, score in scores.items() if score is not None}
        return {"condition": name, "key": key if key != "given" else None, "scores": scores,
                "best": min(known, key=lambda system: known[system]) if known else None, "failures": {}}
    with ThreadPoolExecutor(cores()) as pool:
        return list(pool.map(run, asked))


def _break_even(base: Base, sender: Timed, single: Timed, study: dict[str, Any], target: float | None) -> dict[str,
                                                                                                               Any] | None:
    """The share of all bandwidths at which the best that sends is as good as one worker, by halves of its logarithm."""
    alone = _score(single, study["time_s"], target)
    def lead(factor: float) -> float:
        timed = Timed(sender.row, sender.algorithm,
                      checked(base, {"algorithm": sender.algorithm, "platform.bandwidth_factor": factor}))
        score = _score(timed, study["time_s"], target)
        return -math.inf if score is None else math.inf if alone is None else alone - score
    low, high = 2.0**-8, 2.0**8
    found: dict[str, Any] = {"system": sender.system, "scheme": sender.scheme, "tried": [low, high], "share": None,
                             "ahead_at_least": sender.system if lead(low) > 0 else single.system}
    if (lead(low) > 0) == (lead(high) > 0):
        return found
    for _ in range(7):
        middle = math.sqrt(low * high)
        low, high = (low, middle) if lead(middle) > 0 else (middle, high)
    return {**found, "share": math.sqrt(low * high)}


def text_of(advice: dict[str, Any], width: int = 80) -> str:
    facts, target = advice["facts"], advice["target"]
    key = "loss" if target is None else "time_to_target_s"
    def tell(value: float | None) -> str:
        return "none" if value is None else f"{value:.3f}" if target is None else seconds(value)
    best, safe, found = advice["best"], advice["safe"], advice["break_even_bandwidth"]
    lines = [f"Question: {bytes_(quantity(facts['model_bytes']) or 0)}, {facts['step']} a step, {counted(facts['workers'], 'worker')} in "
             f"{counted(len(facts['sites']), 'site')}; the time of {facts['horizon']:,} steps of one worker, {seconds(facts['time_s'])}.", ""]
    if best:
        lines.append(f"Best estimate: {best['scheme']}: {seconds(best['step_s'])} a step; {'loss at the end' if target is None else f'time to {target:g}'} {tell(best[key])}.")
    if safe:
        lines.append("Safe choice: " + ("the same." if safe["scheme"] == best["scheme"]
                                        else f"{safe['scheme']}: {seconds(safe['step_s'])} a step."))
    lines += [advice["how_sure"], "", "About times (yours):"]
    why = advice["why"]
    if why["told"]:
        lines += [f"{why['scheme']}: {why['told']}",
                  f"Price: {bytes_(advice['wan_bytes_per_hour'])} an hour over {why['bottleneck'] or 'the busiest link'}, one way."]
    parts = ["".join(hanging(line, width) for line in lines), _times(advice).text(width)]
    lines = ["About both, with what the small GPT learns:"]
    if found:
        lines.append(f"Break-even: at {100 * found['share']:.3g} % of all bandwidths one worker is as good as {found['scheme']}." if found["share"] else
                     f"Break-even: {found['ahead_at_least']} is ahead at every bandwidth from {found['tried'][0]:.2g} to {found['tried'][1]:g} times that measured"
                     + (": other things than bandwidth bind." if found["ahead_at_least"] == "single" else "."))
    conditions = [*advice["sensitivity"], *advice["other_conditions"]]
    given: dict[str, Any] = next((one for one in conditions if one["condition"] == "as given"), {"scores": {}})
    if why["scheme"]:
        lines.append(f"{why['scheme']}, otherwise {tell(given['scores'].get(why['scheme']))}, where one thing differs:")
    for one in conditions:
        if one is not given and one["scores"]:
            other = "" if one["best"] == given.get("best") else f"; best is {one['best'] or 'nobody'}"
            lines.append(f"  {one['condition']}: {tell(one['scores'].get(why['scheme']))}{other}")
    if advice["upgrades"]:
        lines.append("What would help it most: " + ", ".join(f"{name} ({tell(gain)})" for name,
                                                             gain in advice["upgrades"].items()) + ".")
    lines += [f"  {one['condition']}: cannot be told: {next(iter(one['failures'].values()))[:120]}" for one in conditions
              if one["failures"]]
    for one in advice["asynchronous"]:
        lines.append(f"{one['scheme']}, one seed, rate not tuned: " + (f"loss {one['loss']:.3f}." if one["loss"] is not None
                                                                       else f"{one['reason']}."))
    parts.append("".join(hanging(line, width) for line in lines))
    parts.append("".join(hanging(line, width) for line in [*(f"Careful: {line}" for line in advice["warnings"]),
                                                           *(f"Not run: {line}" for line in advice["not_run"])]))
    return "\n".join(parts)


def _times(advice: dict[str, Any]) -> Table:
    target = advice["target"]
    titles = ["scheme", "a step", "at least", "computing", "samples", "loss" if target is None else f"time to {target:g}",
              "p"]
    table = Table([Column(title, title) for title in titles])
    for row in advice["systems"]:
        score = row["loss" if target is None else "time_to_target_s"]
        table.rows.append([Cell(text) for text in (
            row["scheme"], seconds(row["step_s"]), seconds(row["least_step_s"]), "-" if row["computing"] is None else share(row["computing"]),
            f"x {row['samples_against_one_worker']:.2g}", "-" if score is None else f"{score:.3f}" if target is None else seconds(score),
            "" if row["p_against_leader"] is None else f"{row['p_against_leader']:.2g}")])
    return table


def _upgrades(conditions: list[dict[str, Any]], found: Sequence[Timed], sender: Timed | None, study: dict[str, Any],
              target: float | None) -> dict[str, float]:
    """What makes the best that sends better, and by how much; the most first."""
    if sender is None:
        return {}
    scores = {one["condition"]: one["scores"].get(sender.scheme) for one in conditions}
    given = scores.get("as given")
    coded = [other for one in found if one.row.algorithm == {**sender.row.algorithm, "codec": "e3m0"}
             and (other := _score(one, study["time_s"], target)) is not None]
    if coded:
        scores["a codec"] = coded[0]
    names = ("bandwidth doubled", "four connections for each message", "twice the workers", "a codec")
    gains = {name: given - value for name in names if given is not None and (value := scores.get(name)) is not None
             and given > value}
    return dict(sorted(gains.items(), key=lambda one: -float(one[1])))


def _mean(values: Sequence[float] | None) -> float:
    return sum(values) / len(values) if values else math.inf
