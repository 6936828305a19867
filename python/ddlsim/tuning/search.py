"""One rule of tuning, for every scheme and at equal cost.

A scheme is a system with settings. It is tuned over axes: the learning rate, its schedule, the batch at its price in time, and
each setting of the system that changes what is sent, or when (`tuned` in `ddlsim list algorithms --json`).

1. Every run is as long as the run that is asked for, so that a schedule is judged over its own whole length.
2. The first round runs the scheme as it is given, and every other value of each axis, one at a time. Each later round starts from the
   best setting so far: it combines all values that were better, and tries the neighbours of each value. Rate and schedule also change
   together, for a schedule that decays wants a larger rate.
3. Where the best value ends its axis, the search goes further, by the factor between the last two values.
4. It ends where no neighbour is better, or with its allowance of runs, which is the same for all schemes.
5. The four best get a second seed, the better two of these all seeds (successive halving; Karnin, Koren and Somekh, ICML 2013).
   The seeds are for tuning alone.

Settings that differ in any value are different settings. A search depends on its scores alone, so it continues where it stopped.
"""
from __future__ import annotations

import json
import math
import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from itertools import product
from statistics import fmean
from typing import Any

from ..labels import short
from ..units import quantity

Changes = dict[str, Any]      # values of a scenario by path
Setting = tuple[str, ...]     # of each axis the changes, as JSON

RATE, SCHEDULE = "training.optimizer.learning_rate", "training.optimizer.schedule"
FIRST_SEED = 1_000_001        # seeds of tuning: far from those of reports
ALLOWANCE = 48                # runs of one search with its first seed
MOST_TOGETHER = 64            # settings of a grid that is tried whole
RUNGS = (4, 2)                # settings that get a second seed, and all of them


@dataclass
class Axis:
    """Values of one or several keys that go together. `own` is the one that the scheme is given with."""
    values: list[str]             # changes as JSON; neighbours are beside each other
    own: str
    further: bool = True          # whether values beyond the ends may be tried

    def beside(self, value: str) -> list[str]:
        """The neighbours of a value. One beyond an end is added to the axis."""
        i = self.values.index(value)
        found = self.values[max(0, i - 1):i] + self.values[i + 1:i + 2]
        if self.further and len(self.values) > 1:
            if i == len(self.values) - 1 and (after := beyond(self.values[i - 1], value)) not in self.values:
                self.values.append(after)
                found.append(after)
            if i == 0 and (before := beyond(self.values[1], value)) not in self.values:
                self.values.insert(0, before)
                found.append(before)
        return found


def axis(values: Sequence[Changes], own: Changes, further: bool = True) -> Axis:
    """Words come first, the own one before the others; numbers ascend, so that the last can be gone beyond."""
    all_values = {text_of(value): value for value in [own, *values]}
    if further:
        numbers = {text: -math.inf if (number := number_of(value)) is None else number for text, value in all_values.items()}
        texts = sorted(numbers, key=numbers.__getitem__)
    else:
        texts = list(all_values)
    return Axis(texts, text_of(own), further)


def text_of(changes: Changes) -> str:
    return json.dumps(changes, sort_keys=True)


def changes_of(setting: Setting) -> Changes:
    return {path: value for text in setting for path, value in json.loads(text).items()}


def number_of(changes: Changes) -> float | None:
    """The number of an axis with one key; None where its value is none."""
    value = next(iter(changes.values())) if len(changes) == 1 else None
    return None if isinstance(value, bool) else quantity(value) if isinstance(value, str) else (
        float(value) if isinstance(value, (int, float)) else None)


def beyond(before: str, last: str) -> str:
    """As much further from `last` as that is from `before`; `last` itself where nothing changes in proportion."""
    return text_of(_beyond(json.loads(before), json.loads(last)))


def _beyond(before: Any, last: Any) -> Any:
    if isinstance(before, dict) and isinstance(last, dict) and before.keys() == last.keys():
        return {key: _beyond(before[key], last[key]) for key in last}
    if isinstance(last, (int, float)) and isinstance(before, (int, float)) and not isinstance(last, bool):
        if before <= 0 or last <= 0 or before == last:
            return last
        number = last * last / before
        return max(1, round(number)) if isinstance(last, int) and isinstance(before, int) else float(f"{number:.3g}")
    if isinstance(last, str) and isinstance(before, str) and last != before:
        a, unit = _number_and_unit(before)
        b, other = _number_and_unit(last)
        if unit == other and a and b and float(a) > 0 and float(b) > 0:
            return f"{float(b)**2 / float(a):.6g}{unit}"
    return last


def _number_and_unit(text: str) -> tuple[str, str]:
    unit = text.lstrip("0123456789.")
    return text[:len(text) - len(unit)], unit


class Search:
    """One search: `open` says which runs it asks for next, and `tell` how they did (the less the better; infinity: it failed, None:
    there can be no such run)."""

    def __init__(self, axes: Sequence[Axis], seeds: int = 4, grid: bool = False, allowance: int = ALLOWANCE,
                 start: Setting | None = None) -> None:
        """`grid`: each value with each other; `start`: where it begins, by default with the own values."""
        self.axes, self.seeds, self.allowance, self.rounds = list(axes), seeds, allowance, 0
        self.scores: dict[Setting, dict[int, float]] = {}
        self.impossible: dict[Setting, int] = {}  # with the number of the seed
        self._climbs = True
        self.start = self._centre = own = start or tuple(one.own for one in self.axes)
        first = [one.values for one in self.axes]
        apart = [*(_with(own, i, value) for i, values in enumerate(first) for value in values), *self._both(own, first)]
        self._round = list(dict.fromkeys([own, *(product(*first) if grid else apart)]))
        self._round = self._round[:None if grid else allowance]

    def open(self, rounds: int | None = None) -> list[tuple[Setting, int]]:
        """Runs, as a setting and the number of its seed; none: the search is at its end, or has had so many rounds."""
        while self._climbs and (rounds is None or self.rounds < rounds):
            runs = [(setting, 0) for setting in self._round if self._is_open(setting, 0)]
            if runs:
                return runs
            self.rounds += 1
            self._next_round()
        if rounds is not None:
            return []
        for kept, seeds in zip(RUNGS, (2, self.seeds)):
            runs = [(setting, seed) for setting in self._ranked()[:kept] for seed in range(min(seeds, self.seeds))
                    if self._is_open(setting, seed)]
            if runs:
                return runs
        return []

    def tell(self, setting: Setting, seed: int, score: float | None) -> None:
        if score is None:
            self.impossible[setting] = seed
        else:
            self.scores.setdefault(setting, {})[seed] = score

    @property
    def best(self) -> Setting | None:
        """The least mean over the seeds of the last rung that is whole; None where no run came to its end."""
        rungs = {1: 1, min(2, self.seeds): RUNGS[0]} | ({self.seeds: RUNGS[1]} if self.seeds > 2 else {})
        for seeds, kept in sorted(rungs.items(), reverse=True):
            means = {setting: fmean(scores[seed] for seed in range(seeds)) for setting, scores in self.scores.items()
                     if all(seed in scores for seed in range(seeds))}
            finite = {setting: mean for setting, mean in means.items() if math.isfinite(mean)}
            if finite and len(means) >= min(kept, len(self.scores)):
                return min(finite, key=finite.__getitem__)
        return None

    def at_edge(self) -> list[str]:
        """Names of the keys whose best value is the last that was tried, and which could be tried further."""
        found = []
        for i, value in enumerate(self.best or ()):
            asked = {setting[i] for setting in [*self.scores, *self.impossible]}
            tried = [other for other in self.axes[i].values if other in asked]
            before = tried[1:2] if value == tried[0] else tried[-2:-1] if value == tried[-1] else []
            if self.axes[i].further and before and beyond(before[0], value) not in tried:
                found += [short(path) for path in json.loads(value)]
        return found[:3]

    def _both(self, setting: Setting, values: Sequence[Sequence[str]]) -> list[Setting]:
        """Rate and schedule changed at once, where both are searched."""
        axes = [i for i, one in enumerate(self.axes) if RATE in one.own or SCHEDULE in one.own]
        if len(axes) < 2:
            return []
        return [_with(_with(setting, axes[0], a), axes[1], b) for a in values[axes[0]] for b in values[axes[1]]]

    def _is_open(self, setting: Setting, seed: int) -> bool:
        return setting not in self.impossible and seed not in self.scores.get(setting, {})

    def _ranked(self) -> list[Setting]:
        return sorted(self.scores, key=lambda setting: (-len(self.scores[setting]), fmean(self.scores[setting].values())))

    def _next_round(self) -> None:
        tried = {setting: scores[0] for setting, scores in self.scores.items() if 0 in scores}
        if len(tried) >= self.allowance or not any(map(math.isfinite, tried.values())):
            self._climbs = False
            return
        centre = min(tried, key=lambda setting: tried[setting])
        together = list(self._centre)
        for i in range(len(self.axes)):
            of_axis = [setting for setting in tried if _with(setting, i, self._centre[i]) == self._centre]
            together[i] = min(of_axis, key=lambda setting: tried[setting])[i] if of_axis else centre[i]
        self._centre = centre
        proposals: list[Setting] = [tuple(together)]
        beside = [one.beside(value) for one, value in zip(self.axes, centre)]
        proposals += [_with(centre, i, value) for i, values in enumerate(beside) for value in values] + self._both(centre, beside)
        fresh = [setting for setting in dict.fromkeys(proposals) if setting not in self.scores and setting not in self.impossible]
        self._round = fresh[:self.allowance - len(tried)]
        self._climbs = bool(self._round)


def _with(setting: Setting, i: int, value: str) -> Setting:
    return (*setting[:i], value, *setting[i + 1:])


def rates(own: float) -> Axis:
    return axis([{RATE: float(f"{own * factor:.3g}")} for factor in (0.5, 2)], {RATE: own})


def over(text: str) -> tuple[str, list[Any]]:
    """"PATH=VALUE,VALUE" as --over has it: brackets, braces and quotes keep together what is in them. Raises ValueError."""
    path, equals, rest = text.removeprefix("$.").partition("=")
    if not path or not equals and path != RATE:
        raise ValueError("has no values; expected PATH=VALUE,VALUE,... such as algorithm.local_steps=4,16")
    values: dict[str, Any] = {}
    while equals:
        rest = rest.lstrip()
        try:
            value, end = json.JSONDecoder().raw_decode(rest)
            if rest[end:end + 1] not in ("", ","):
                raise ValueError
        except ValueError:
            value = re.split(r'[,\[\]{}"]', rest, maxsplit=1)[0]  # a bare word
            end = len(value)
        if value == "" or rest[end:end + 1] not in ("", ","):
            raise ValueError(f"has no value at {rest!r}; expected values between commas, each JSON or a word")
        if (told := text_of(value)) in values:
            raise ValueError("has a value twice; expected each value once")
        values[told] = value
        rest, equals = rest[end + 1:], rest[end:end + 1]
    return path, list(values.values())


def value_of(text: str) -> Any:
    try:
        return json.loads(text)
    except ValueError:
        return text  # a bare word


def named(changes: Mapping[str, Any]) -> str:
    """"learning_rate 0.2, codec top_k (fraction 0.1)"."""
    return ", ".join(f"{short(path)} {_told(value)}" for path, value in changes.items()) or "as given"


def _told(value: Any) -> str:
    if not isinstance(value, dict):
        return value if isinstance(value, str) else json.dumps(value)
    kind = value.get("type", value.get("name", ""))
    rest = ", ".join(f"{key} {_told(inner)}" for key, inner in value.items() if key not in ("type", "name"))
    return f"{kind} ({rest})" if rest and kind else f"{kind}{rest}"
