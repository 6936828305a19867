"""Schemes that `advise` chooses from: every system in which each worker trains a whole model and that the platform allows."""
from __future__ import annotations

import re
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

from ..errors import DdlsimError, InputError, nearest
from ..program import in_threads
from ..units import seconds
from .search import Search, changes_of, text_of
from .trials import Base, checked, cores, sending
from .tune import Same, axes_of

# A gradient of a distributed worker is worth at most as much as one of a worker alone, in the time to a target; this leaves
# room for that being wrong. The score at the end asks for more room: one worker may have long stopped learning.
ROOM_FOR_TIME, ROOM_AT_END = 2.0, 10.0
TUNING_SEEDS = 2
GOES_ON = text_of({"algorithm.on_failure": "go_on"})


@dataclass
class Candidate:
    """A system, the search for its best settings, and what `check` says of where that begins."""
    system: str
    base: Base
    search: Search
    checked: dict[str, Any] = field(default_factory=dict)
    one_trains: bool = False      # on all data
    sends: bool = True
    needs_all_data: bool = False
    left_out: str = ""            # why it is not run

    @property
    def cost_s(self) -> float:
        """Core seconds of a run, roughly."""
        return float(self.checked.get("cost_core_s") or 0)

    @property
    def gradients_per_s(self) -> float:
        """The sum over all workers that train, at most."""
        return float((1 if self.one_trains else len(self.checked["workers"])) / max(1e-12, self.checked["bounds"]["step_s"]))


def candidates_of(base: Base, described: Mapping[str, Any], facts: Mapping[str, Mapping[str, Any]], only: Sequence[str],
                  without: Sequence[str], has_target: bool, longest_s: float) -> list[Candidate]:
    """The baseline first: one worker alone or, without it, workers which exchange nothing; then the scenario's own system. Those that
    the platform does not allow, that cannot be the best, or of which a run takes a core longer than `longest_s`, are left out and
    cost no run. Raises InputError."""
    known = [name for name, system in facts.items() if not system["one_model"] and not system["chooses_samples"]]
    for option, names in (("--systems", only), ("--exclude", without)):
        for name in names:
            if name not in known:
                raise InputError(f'{option}: "{name}" is no candidate; {nearest(name, known)}')
    own = described["algorithm"]["name"]
    alone = [name for name in known if (facts[name]["one_trains"] or name == "alone") and name not in without][:1]
    asked = [name for name in dict.fromkeys([*alone, own, *known]) if name in known and name not in without and
             (not only or name in only or name in alone)]
    if not asked or only and not set(only) & set(asked):
        raise InputError("--exclude: leaves no candidate; expected one at least")
    found, same = [], Same(base)
    for name in asked:
        changes = base.changes if name == own else {"algorithm": {"name": name}} | {
            path: value for path, value in base.changes.items() if not path.startswith("algorithm")}
        of_system = Base(name, base.scenario, base.folder, changes)
        axes = axes_of(described, facts[name], same, None if name == own else name)
        # Other systems begin by going on without a worker that has crashed.
        start = tuple(GOES_ON if name != own and GOES_ON in one.values else one.own for one in axes)
        search = Search(axes, TUNING_SEEDS, start=start)
        found.append(Candidate(name, of_system, search, one_trains=facts[name]["one_trains"], sends=name != "alone" and
                               not facts[name]["one_trains"],
                               needs_all_data=facts[name]["one_trains"] or described["data"].get("partition") == "full"))
    list(in_threads(_check, found, cores()))
    if alone and found[0].left_out:
        raise InputError(f"{alone[0]}: cannot be run: {found[0].left_out}")
    if not found[0].sends:
        least = found[0].gradients_per_s / (ROOM_FOR_TIME if has_target else ROOM_AT_END)
        slow = [one for one in found[1:] if not one.left_out and one.gradients_per_s < least and one.system != own]
        list(in_threads(lambda one: _begin_where_feasible(one, least, found[0]), slow, cores()))
    for one in found:
        if one.cost_s > longest_s and not one.left_out and one.system not in (own, *alone):
            one.left_out = f"a run takes a core roughly {seconds(one.cost_s)}, too much of the budget"
    return found


def _check(one: Candidate) -> None:
    try:
        one.checked = checked(one.base)
        one.base = sending(one.base, one.checked)
    except DdlsimError as error:
        one.left_out = reason_of(error)


def reason_of(error: DdlsimError) -> str:
    """One line, without the file and the key that every candidate would have."""
    line = next(iter(error.lines), "no reason given")
    return re.sub(r"^.*?: (?=\$\.)", "", line).removeprefix("$.algorithm.name: ")


def _begin_where_feasible(one: Candidate, least: float, baseline: Candidate) -> None:
    """Moves the beginning of a search, one setting after the other, to the values with which most gradients are taken; leaves the
    candidate out where that is too few still."""
    start = one.search.start
    most, found = one.gradients_per_s, one.checked
    for i, axis in enumerate(one.search.axes):
        best = start
        for value in axis.values if '"algorithm.' in axis.values[-1] else []:
            tried = (*start[:i], value, *start[i + 1:])
            try:
                other = Candidate(one.system, one.base, one.search, checked(one.base, changes_of(tried)), one.one_trains)
            except DdlsimError:
                continue
            if other.gradients_per_s > 1.05 * most:
                most, best, found = other.gradients_per_s, tried, other.checked
        start = best
    if most < least:
        one.left_out = (f"takes {most:.3g} gradients/s in all at most, whatever it sends, against {baseline.gradients_per_s:.3g} of "
                        f"{baseline.system}")
    else:
        one.checked, one.search = found, Search(one.search.axes, one.search.seeds, start=start)


def why_left_out(found: Iterable[Candidate]) -> list[str]:
    """A line for each reason, with the systems that have it."""
    names: dict[str, list[str]] = {}
    for one in found:
        if one.left_out:
            names.setdefault(one.left_out.removeprefix(f'"{one.system}" '), []).append(one.system)
    return [f"{', '.join(systems)}: {reason}" for reason, systems in names.items()]
