"""An advice as advice.json, as a page of text, and as a table."""
from __future__ import annotations

import json
import math
from collections.abc import Iterable
from typing import TYPE_CHECKING, Any

from ..errors import InputError
from ..files import write_whole
from ..stats import estimate
from ..table import Cell, Column, Table, finite, hanging
from ..units import seconds
from .advise import Study, best_score, best_sender, safe_choice
from .candidates import why_left_out
from .decide import (
    binding,
    break_even,
    how_sure,
    is_saturated,
    is_unreached,
    losses,
    price,
    reasons,
    setting_told,
    turns,
    upgrades,
    usage,
    warnings_of,
)
from .search import named
from .tune import as_asked

if TYPE_CHECKING:
    import pandas as pd


def advice_of(study: Study) -> dict[str, Any]:
    """The content of advice.json; None where nothing is known."""
    sender, safe = best_sender(study), safe_choice(study)
    used = usage(study, sender)
    saturated = is_saturated(study)
    conditions = [{"condition": condition.name, "key": condition.key or None,
                   "scores": {name: [finite(score) for score in scores] for name, scores in condition.scores.items()},
                   "failures": condition.failures, "best": condition.best,
                   "p_against_best": next((p for other, _, p in turns(study) if other is condition), None)}
                  for condition in study.conditions]
    saturation = ["One worker all but saturates this task within half of the time: no network matters here; a harder task, or less time, would tell."]
    return {
        "question": study.base.name, "metric": study.goal.metric.word, "target": study.goal.target,
        "best": _choice(study, study.leader), "safe": _choice(study, safe), "saturated": saturated, "how_sure": how_sure(study),
        "needs_all_data_in_one_place": {one.system: one.needs_all_data for one in study.run},
        "why": {"system": sender, "binds": binding(study, sender)[0] if sender else None,
                **{key: used.get(key) for key in ("bottleneck", "utilisation", "computing", "staleness")}},
        "wan_link": used.get("wan_link"), "wan_bytes_per_hour": used.get("wan_bytes_per_hour"),
        "break_even_bandwidth": break_even(study), "upgrades": _finite(upgrades(study)), "losses": _finite(losses(study)),
        "sensitivity": [one for one in conditions if one["key"]],
        "other_conditions": [one for one in conditions if not one["key"]],
        "systems": [_row(study, name) for name in _ranking(study)], "not_run": why_left_out(study.candidates), "cut_off": study.cut_off,
        "failures": _failures(study), "notes": study.notes, "warnings": (saturation if saturated else []) + warnings_of(study)}


def _finite(values: Iterable[tuple[str, float]]) -> dict[str, float | None]:
    return {name: finite(value) for name, value in values}


def _choice(study: Study, system: str | None) -> dict[str, Any] | None:
    if system is None:
        return None
    trials = study.raced(system)
    values = [study.value(trial) for trial in trials[:len(study.entrants[system].scores)]]
    known = [value for value in values if value is not None]
    mean = estimate(known) if len(known) == len(values) else None
    limits = (0.0, math.inf) if study.goal.target is not None else (study.goal.metric.least, study.goal.metric.most)
    interval = mean.interval(*limits) if mean else None
    key = study.goal.key
    return {"system": system, "setting": setting_told(study, system),
            "scenario": str(study.trials.out / ("best.json" if system == study.leader else "safe.json")),
            key: finite(mean.mean) if mean else None, "interval": list(interval) if interval else None,
            "needs_all_data_in_one_place": study.candidate(system).needs_all_data,
            "wan_bytes_per_hour": usage(study, system).get("wan_bytes_per_hour")}


def _ranking(study: Study) -> list[str]:
    raced = sorted((name for name, one in study.entrants.items() if one.scores),
                   key=lambda name: (name != study.leader, study.entrants[name].mean))
    others = [one for one in study.run if one.system not in raced and one.search.scores]
    return raced + [one.system for one in sorted(others, key=lambda one: best_score(one.search))]


def _row(study: Study, system: str) -> dict[str, Any]:
    entrant, one = study.entrants.get(system), study.candidate(system)
    runs = study.trials.of_search(one.base, one.search)
    choice = _choice(study, system) if entrant and entrant.scores else None
    scores = entrant.scores if entrant else []
    values = [value for changes, _, trial in runs if changes == study.best_changes(one)
              and (value := study.value(trial)) is not None]
    tuned = sum(values) / len(values) if values else None
    key = study.goal.key
    return {"system": system, "setting": setting_told(study, system), "changes": study.best_changes(one),
            key: choice[key] if choice else None, "interval": choice["interval"] if choice else None, "at_tuning": tuned,
            "scores": [finite(score) for score in scores], "p_against_leader": entrant.p if entrant else None,
            "runs": sum(trial.possible for _, _, trial in runs) + len(scores),
            "failed": sum(bool(trial.failure) and trial.possible for _, _, trial in runs),
            "needs_all_data_in_one_place": one.needs_all_data, "sends": one.sends}


def _failures(study: Study) -> list[str]:
    """A line for each system: where its first failure differs from its best settings, why, and how many there are. What is refused does
    not count, unless nothing else was tried."""
    lines = []
    for one in study.run:
        runs = study.trials.of_search(one.base, one.search)
        failed = [(changes, trial) for changes, _, trial in runs if trial.failure and (trial.possible or not one.search.scores)]
        best = study.best_changes(one)
        for changes, trial in failed[:1]:
            told = named({path: value for path, value in changes.items() if best.get(path, value) != value})
            lines.append(f"{one.system}{'' if told == 'as given' else f' ({told})'}: {trial.failure.splitlines()[0]}"
                         + (f" (and {len(failed) - 1} more)" if len(failed) > 1 else ""))
    return lines


def table_of(study: Study, advice: dict[str, Any]) -> "pd.DataFrame":
    import pandas as pd
    table = pd.DataFrame(advice["systems"])
    table.attrs["advice"] = advice
    table.attrs["text"] = text_of(study, advice)
    return table


def answer_of(study: Study, advice: dict[str, Any]) -> list[str]:
    """What a page opens with."""
    lines = [advice["warnings"][0]] if advice["saturated"] else []
    if unreached := is_unreached(study):
        lines.append(advice["how_sure"])
    lines.append("Best estimate: " + _told(study, advice["best"]))
    if advice["safe"]:
        same = advice["safe"]["system"] == advice["best"]["system"]
        lines.append("Safe choice: " + ("the same." if same else _told(study, advice["safe"])))
    if advice["best"] and not study.candidate(advice["best"]["system"]).sends:
        lines.append(_why_alone(study))
    return lines + ([] if unreached else [advice["how_sure"]])


def text_of(study: Study, advice: dict[str, Any], width: int = 80, markdown: bool = False) -> str:
    lines, key = answer_of(study, advice), study.goal.key
    table = Table([Column("system", "system"), Column(key, f"time to {study.goal.target:g}" if study.goal.target is not None
                                                      else f"{key} at the end"),
                   Column("p", "p"), Column("runs", "runs"), *([Column("setting", "setting")] if markdown else [])])
    any_tuned_only = any(not row["scores"] and row["at_tuning"] is not None for row in advice["systems"])
    for row in advice["systems"]:
        value = row[key] if row["scores"] else row["at_tuning"]
        shown = "-" if value is None else ("" if row["scores"] else "~") + (seconds(value) if study.goal.target is not None
                                                                            else f"{value:.4f}")
        p = row["p_against_leader"]
        cells = [row["system"], shown, "" if p is None else f"{p:.2g}", str(row["runs"]),
                 *([row["setting"]] if markdown else [])]
        table.rows.append([Cell(text) for text in cells])
    parts = ["\n".join(f"{line}\n" for line in lines) if markdown else "".join(hanging(line, width) for line in lines),
             table.markdown() if markdown else table.text(width),
             "" if markdown else _list(["Settings, where they differ from the scheme as given:",
                                        *(f"  {row['system']}: {row['setting']}" for row in advice["systems"])], width),
             _list([*(["~ before a number: it did not race, and this is what tuning saw."] if any_tuned_only else []),
                    *reasons(study)], width),
             _list([f"Careful: {line}" for line in advice["warnings"] if not advice["saturated"]
                    or line != advice["warnings"][0]], width)]
    told = [*study.notes, *(f"Not run: {line}" for line in advice["not_run"]),
            *(f"Failed: {line}" for line in advice["failures"])]
    parts.append(_list(told, width))
    return "\n".join(part for part in parts if part)


def _list(lines: list[str], width: int) -> str:
    return "".join(hanging(line, width) for line in lines)


def _told(study: Study, choice: dict[str, Any] | None) -> str:
    if choice is None:
        return "none yet."
    key = study.goal.key
    def tell(value: float) -> str:
        return seconds(value) if key == "time_to_target_s" else f"{value:.4f}"
    text = f"{choice['system']} ({choice['setting']})"
    if choice[key] is not None:
        text += f", {'time to ' + format(study.goal.target, 'g') + ':' if key == 'time_to_target_s' else key + ' at the end'} {tell(choice[key])}"
    if choice["interval"]:
        text += f" ({tell(choice['interval'][0])} .. {tell(choice['interval'][1])})"
    return text + (", with all data in one place." if choice["needs_all_data_in_one_place"] else ".")


def _why_alone(study: Study) -> str:
    """Why nothing that sends is better."""
    sender = best_sender(study)
    if sender is None:
        return "Why: no system that sends has raced."
    used = usage(study, sender)
    cost = f" for {price(used)}" if used else ""
    return f"Why: the best that sends, {sender}, gains nothing{cost}. {binding(study, sender)[1]}"


def write_advice(study: Study, advice: dict[str, Any]) -> None:
    """advice.json, advice.md, and what can be run: best.json and safe.json. Raises InputError."""
    folder = study.trials.out
    write_whole(folder / "advice.json", (json.dumps(advice, indent=1, ensure_ascii=False) + "\n").encode())
    write_whole(folder / "advice.md",
                f"# Which system suits {study.base.name}?\n\n{text_of(study, advice, markdown=True)}".encode())
    for name, choice in (("best", advice["best"]), ("safe", advice["safe"])):
        if choice is None:
            continue
        one = study.candidate(choice["system"])
        changes = study.best_changes(one) | {"name": f"{study.base.name}_{name}"[:100]}
        try:
            as_asked(one.base, study.asked, study.added).describe(changes=changes, options=["-o", str(folder / f"{name}.json")])
        except InputError as error:
            raise InputError(f"{folder / name}.json: {error}") from None
