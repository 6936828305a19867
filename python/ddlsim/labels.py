"""Names of scenarios in tables, figures and pages. Nothing else in the package makes one.

A group is called by the shorter of its scenario's name and what differs in its settings, where that is unique, in at most 40
letters. What differs has two parts: the scheme (the algorithm, with those of its settings that differ among the groups that
use it) and the condition (all other settings that differ).
"""
from __future__ import annotations

import json
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import PurePosixPath
from typing import Any

from .errors import InputError, nearest
from .frame import Metric, Run, natural, one_metric
from .stats import Estimate, difference_p, estimate
from .units import quantity

MOST_LETTERS = 40

_ALGORITHM = "algorithm."
_OPTIMIZER = "training.optimizer."
# A digest of content, and the paths that tell where it lay.
_CONTENTS = {"platform_digest": ("platform.file",), "data_digest": ("data.path", "data.test_path", "training.init.file")}
# Content that no path of the scenario names.
_CONTENT_ALONE = ("plug_in_digest", "model.version", "measured")


@dataclass
class Group:
    """Runs of one scenario that differ in their seed alone (and in name and description), or one run."""
    runs: list[Run]
    scheme: str = ""                    # "ako partitions=4"
    own: str = ""                       # what was tuned of it: "learning_rate=0.2"
    condition: tuple[str, ...] = ()     # a value for each of Grouped.varied; "" where it has none
    label: str = ""                     # unique among the groups
    renamed: bool = False               # its label is the user's

    @property
    def system(self) -> str:
        return self.runs[0].algorithm

    @property
    def settings(self) -> Mapping[str, Any]:
        return self.runs[0].settings

    def by_seed(self, key: str) -> dict[int, list[float]]:
        values: dict[int, list[float]] = {}
        for run in self.runs:
            value = run.measure(key)
            if value is not None:
                values.setdefault(run.seed, []).append(value)
        return values

    def values(self, key: str) -> list[float]:
        return [value for run in self.runs if (value := run.measure(key)) is not None]

    def estimate(self, key: str) -> Estimate | None:
        return estimate(self.values(key))

    def whole_estimate(self, key: str) -> Estimate | None:
        """None unless every run came to its end and has a value: a mean over the others would flatter."""
        found = self.estimate(key)
        return found if found and found.count == len(self.runs) and not self.diverged else None

    @property
    def diverged(self) -> int:
        return sum(run.stopped_by == "diverged" for run in self.runs)

    @property
    def collapsed(self) -> int:
        """Runs that end below half of their best score, or above twice their best loss, or half of it where it is negative."""
        def has(run: Run) -> bool:
            best, last = run.measure(run.metric.best), run.measure(run.metric.final)
            if best is None or last is None:
                return False
            return last > max(2 * best, best / 2) if run.metric.less_is_better else last < 0.5 * best
        return sum(map(has, self.runs))


@dataclass
class Grouped:
    """Groups in the order of their first runs, and the settings whose values tell conditions apart."""
    groups: list[Group]
    varied: list[str] = field(default_factory=list)

    @property
    def metric(self) -> Metric:
        return self.groups[0].runs[0].metric

    @property
    def is_grid(self) -> bool:
        """Whether schemes share conditions, so that conditions are columns and rows are called by schemes."""
        return bool(self.varied) and len({group.condition for group in self.groups}) < len(self.groups)

    def name_of(self, group: Group) -> str:
        """Its name within its condition."""
        return group.scheme if self.is_grid and not group.renamed else group.label

    def targets(self) -> list[float]:
        return sorted({target for group in self.groups for run in group.runs for target in run.targets})

    def shared_targets(self) -> list[float]:
        """Those of every group, the hardest first."""
        shared = set.intersection(*(set(group.runs[0].targets) for group in self.groups))
        return sorted(shared, reverse=not self.metric.less_is_better)


def difference(a: Group, b: Group, key: str) -> float | None:
    """Two-sided p of no difference between two groups in a measure. Times to a target are those of evaluations."""
    every = [one.settings.get("evaluate.every") or 0.0 for one in (a, b)] if key.startswith("time_to_") else [0.0]
    return difference_p(a.by_seed(key), b.by_seed(key), max(every))


def group(runs: Sequence[Run], *, over_seeds: bool = True) -> Grouped:
    """With `over_seeds` replications come together; otherwise each run is a group, and its seed a condition. A run given
    twice counts once. Raises InputError: two different results of one scenario and seed, or two metrics."""
    one_metric(runs)
    groups: dict[str, Group] = {}
    for run in runs:
        key = json.dumps(run.settings, sort_keys=True) + ("" if over_seeds else f" {run.seed}")
        groups.setdefault(key + json.dumps(run.measured, sort_keys=True), Group([])).runs.append(run)
    grouped = Grouped(list(groups.values()))
    for one in grouped.groups:
        _drop_repeated(one.runs)
    name(grouped, over_seeds=over_seeds)
    return grouped


def relabel(grouped: Grouped, labels: Mapping[str, str]) -> None:
    """Calls rows, lines and columns otherwise: what is replaced is a label, a scheme, or a scenario's name."""
    if not isinstance(labels, Mapping) or any(not isinstance(text, str) for pair in labels.items() for text in pair):
        raise InputError(f"--label: {labels!r} is no label; expected names with new ones")
    for old, new in labels.items():
        found = False
        for one in grouped.groups:
            if old in (one.label, one.runs[0].name):
                one.label, one.renamed, found = new, True, True
                if not grouped.is_grid:
                    one.scheme = new
            elif old == one.scheme:
                one.scheme, found = new, True
        if not found:
            known = dict.fromkeys(text for one in grouped.groups for text in (grouped.name_of(one), one.label))
            raise InputError(f'--label: "{old}" is no label here; {nearest(old, known)}')
    if labels and len({(grouped.name_of(one), one.condition) for one in grouped.groups}) < len(grouped.groups):
        raise InputError(f"--label: {', '.join(labels.values())}: gives two rows one name; expected a name for each")


def name(grouped: Grouped, *, over_seeds: bool = True) -> None:
    """Fills in scheme, condition and label of every group, and `varied`. What follows from other settings, as the bytes of a
    model do, is told only where nothing else tells two groups apart."""
    _give_schemes_and_conditions(grouped, over_seeds, derived_too=False)
    if len({(one.scheme, one.condition) for one in grouped.groups}) < len(grouped.groups):
        _give_schemes_and_conditions(grouped, over_seeds, derived_too=True)
    _give_own_rates(grouped)
    _give_labels(grouped)
    schemes = list(dict.fromkeys(one.scheme for one in grouped.groups))
    shown = dict(zip(schemes, short_labels(schemes)))
    for one in grouped.groups:
        one.scheme = shown[one.scheme]


def _give_schemes_and_conditions(grouped: Grouped, over_seeds: bool, derived_too: bool) -> None:
    groups = grouped.groups
    tables = [_told(one) for one in groups]
    paths = list(dict.fromkeys(path for table in tables for path in table))
    for content in [path for path in _CONTENTS if path in paths]:  # first of what there is of the platform, or the data
        paths.remove(content)
        part = content.replace("_digest", ".")
        paths.insert(next((i for i, path in enumerate(paths) if path.startswith(part)), len(paths)), content)
    _give_schemes(groups, tables, paths, derived_too)
    grouped.varied = []
    for path in paths:
        column = [table.get(path) for table in tables]
        if path.startswith(_ALGORITHM) or not _differ(groups, path, column):
            continue
        if not derived_too and _is_derived(groups, path):
            continue
        if path == "platform.servers" and follows(column, [one.scheme for one in groups]):
            continue  # servers come with the systems that need them
        grouped.varied.append(path)
    for path in list(grouped.varied):
        if path.startswith("platform.network.") and any(
                follows([t.get(path) for t in tables], [t.get(other) for t in tables])
                for other in grouped.varied if not other.startswith("platform.network.")):
            grouped.varied.remove(path)  # how a network is simulated follows from what it is
    columns = [_texts(groups, path, tables) for path in grouped.varied]
    if not over_seeds and len({one.runs[0].seed for one in groups}) > 1:
        grouped.varied.append("seed")
        columns.append([str(one.runs[0].seed) for one in groups])
    for i, one in enumerate(groups):
        one.condition = tuple(column[i] for column in columns)


def _is_derived(groups: Sequence[Group], path: str) -> bool:
    """Whether the scenarios spell it alike, or not at all, so that its values follow from other settings."""
    if path in _CONTENTS or path in _CONTENT_ALONE:
        return False
    return len({json.dumps(one.runs[0].spelled(path), sort_keys=True) for one in groups}) == 1


def is_called(path: str, word: str) -> bool:
    """Whether a user's word is a setting: its path, the heading, or the path of the file whose content it is."""
    return word in (path, short(path), *_CONTENTS.get(path, ()))


def short(path: str) -> str:
    """A setting's name as a heading."""
    return path.removesuffix("_digest").removesuffix(".type").rsplit(".", 1)[-1]


def told_condition(grouped: Grouped, one: Group, varied: Sequence[str] | None = None) -> str:
    """"bandwidth=40Mbps, workers=8"; a platform's file and data are told by their names alone."""
    parts = []
    for path, value in zip(grouped.varied, one.condition):
        if (varied is None or path in varied) and value:
            parts.append(value if path in _CONTENTS else f"{short(path)}={value}")
    return ", ".join(parts)


def value_key(value: str) -> tuple[Any, ...]:
    """A key to sort shown values by: quantities by what they are, other texts in natural order."""
    number = quantity(value)
    return (0, number, ()) if number is not None else (1, 0.0, natural(value))


def told_key(text: str) -> tuple[Any, ...]:
    """The same for texts of told_condition()."""
    return tuple((name, value_key(value)) for name, _, value in (part.partition("=") for part in text.split(", ")))


def _told(one: Group) -> dict[str, Any]:
    """All that tells a group from others: its settings, and of measured runs how they were measured."""
    table = dict(one.settings)
    if one.runs[0].measured is not None:
        table["measured"] = ", ".join(value if isinstance(value, str) else f"{key} {_in_words(value, 1)}"
                                      for key, value in one.runs[0].measured.items())
    return table


def _differ(groups: Sequence[Group], path: str, column: Sequence[Any]) -> bool:
    """How a network is simulated differs among simulated runs only; measured ones have no such setting."""
    values = [value for one, value in zip(groups, column)
              if not (value is None and path.startswith("platform.network.") and one.runs[0].measured is not None)]
    return any(value != values[0] for value in values[1:])


def follows(column: Sequence[Any], other: Sequence[Any]) -> bool:
    """Whether groups alike in `other` are alike in `column`."""
    seen: dict[str, Any] = {}
    return all(seen.setdefault(repr(key), value) == value for key, value in zip(other, column))


def _drop_repeated(runs: list[Run]) -> None:
    """Leaves one run of each seed, and all measured ones, which are repetitions."""
    runs.sort(key=lambda run: run.seed)
    i = 1
    while i < len(runs):
        a, b = runs[i - 1], runs[i]
        if a.seed != b.seed or b.measured is not None:
            i += 1
            continue
        times = [run.measure("simulated_seconds") or 0.0 for run in (a, b)]
        if (a.schema_version == b.schema_version and a.digest != b.digest) or abs(times[0] - times[1]) > 1e-9 * max(times):
            raise InputError(f"{b.folder}: is another result of the scenario and seed of {a.folder} (another program?); "
                             "expected one of the two, or --runs")
        del runs[i]


def _give_schemes(groups: Sequence[Group], tables: Sequence[Mapping[str, Any]], paths: Sequence[str], derived_too: bool) -> None:
    for one in groups:
        one.scheme = one.system
    of_algorithm = [path for path in paths if path.startswith(_ALGORITHM) and path != "algorithm.name"]
    for system in dict.fromkeys(one.system for one in groups):
        members = [i for i, one in enumerate(groups) if one.system == system]
        told: list[list[Any]] = [[] for _ in members]
        for path in of_algorithm:
            column, alike = [tables[i].get(path) for i in members], [groups[i] for i in members]
            if all(value == column[0] for value in column) or not derived_too and _is_derived(alike, path):
                continue
            if path.rpartition(".")[0] + ".type" in paths and follows(column, told):
                continue  # what a codec has with its type tells no more than that
            for i, text in zip(members, _texts(alike, path, [tables[i] for i in members])):
                if text and text != "none":
                    groups[i].scheme += f" {_of_algorithm(path)}={text}"
            for seen, value in zip(told, column):
                seen.append(value)


def _of_algorithm(path: str) -> str:
    """"codec" of algorithm.codec.type, "fraction" of algorithm.codec.fraction; rates there are several of."""
    path = path.removeprefix(_ALGORITHM).removesuffix(".type")
    return path if path.endswith("learning_rate") else path.rsplit(".", 1)[-1]


def _texts(groups: Sequence[Group], path: str, tables: Sequence[Mapping[str, Any]]) -> list[str]:
    """The values of one setting as they are shown; content is told by the name of the file it lay in, if that will do."""
    if path in _CONTENTS:
        digests = [table.get(path) for table in tables]
        names = [_name_of_content(one, path) for one in groups]
        for told in (names, [_place_of_content(one, path) for one in groups]):
            of_digest = dict(reversed(list(zip(digests, told))))  # one content has one name, wherever it lies
            if len(set(of_digest.values())) == len(of_digest):
                return [of_digest[digest] for digest in digests]
        return [f"{name_} {digest}".strip() if digest else "" for name_, digest in zip(names, digests)]
    if path == "measured":
        texts = list(dict.fromkeys(table[path] for table in tables if path in table))
        return [table.get(path, "") if len(texts) > 1 else "real TCP" if path in table else "" for table in tables]
    # A number as the first scenario with that value spells it ("40Mbps"), unless two values are spelled alike ("auto").
    values = [table.get(path) for table in tables]
    keys = [json.dumps(value, sort_keys=True) for value in values]
    spelled: dict[str, Any] = {}
    for one, key, value in zip(groups, keys, values):
        word = one.runs[0].spelled(path)
        is_spelled = isinstance(word, (str, int, float, list)) and value is not None and not isinstance(value, str)
        spelled.setdefault(key, word if is_spelled else value)
    if len({json.dumps(word, sort_keys=True) for word in spelled.values()}) < len(spelled):
        return shown_values(values)
    return shown_values([spelled[key] for key in keys])


def _name_of_content(one: Group, path: str) -> str:
    file = PurePosixPath(_place_of_content(one, path))
    return file.stem if file.suffix in (".xml", ".csv", ".npz", ".npy") else file.name


def _place_of_content(one: Group, path: str) -> str:
    """The file as the scenario spells it."""
    return next((str(spelled) for place in _CONTENTS[path] if (spelled := one.runs[0].spelled(place))), "")


def shown_values(values: Sequence[Any]) -> list[str]:
    """Texts for the values of one setting: equal values get equal texts, others different ones. Lists of objects, such as faults, become
    "host_crash w1 at 20s +2 more", with as many elements as it takes to tell them apart; [] is "none"."""
    keys = [json.dumps(value, sort_keys=True) for value in values]
    distinct = dict(zip(keys, values))
    texts: dict[str, str] = {}
    longest = max((len(value) for value in distinct.values() if isinstance(value, list)), default=1)
    for count in range(1, max(longest, 1) + 1):
        texts = {key: _in_words(value, count) for key, value in distinct.items()}
        if len(set(texts.values())) == len(texts):
            break
    unique = dict(zip(texts, _unique(texts.values())))
    return [unique[key] for key in keys]


def _in_words(value: Any, count: int) -> str:
    if value is None:
        return ""
    if isinstance(value, bool):
        return "true" if value else "false"
    if isinstance(value, float):
        return f"{value:.10g}"
    if isinstance(value, list):
        if not value:
            return "none"
        if all(isinstance(element, dict) for element in value):
            told = ", ".join(_words(element) for element in value[:count])
            return told + (f" +{len(value) - count} more" if len(value) > count else "")
        return "[" + ",".join(_words(element) for element in value) + "]"
    return str(value)


def _words(value: Any) -> str:
    if isinstance(value, list) and len(value) > 4:
        return f"{_words(value[0])} .. {_words(value[-1])} ({len(value)})"
    if isinstance(value, list):
        return " ".join(_words(element) for element in value)
    if isinstance(value, dict):
        bare = ("type", "name", "quantity", "host", "link", "site")
        return " ".join((("" if key in bare else key + " ") + _words(inner)) for key, inner in value.items())
    return _in_words(value, 1)


def _is_rate(path: str) -> bool:
    return path.startswith(_OPTIMIZER) and path.removeprefix(_OPTIMIZER).split(".")[0] in ("learning_rate", "schedule")


def _give_own_rates(grouped: Grouped) -> None:
    """A rate and schedule that every scheme has for itself in each condition, as where each was tuned, is the scheme's own:
    schemes with other rates are then compared."""
    rates = [path for path in grouped.varied if _is_rate(path)]
    for own in (rates, [path for path in rates if path.endswith(".learning_rate")]):
        if not own or not _are_own(grouped, own):
            continue
        kept = [i for i, path in enumerate(grouped.varied) if path not in own]
        # Where there is no other condition, names tell the rates, if they must; seeds are none.
        told = (all(grouped.varied[i] == "seed" for i in kept) and
                len({one.scheme for one in grouped.groups}) < len(grouped.groups))
        for one in grouped.groups:
            one.own = " ".join(f"{path.removeprefix(_OPTIMIZER)}={value}" for path, value in
                               zip(grouped.varied, one.condition) if path in own and value)
            if told:
                one.scheme += f" {one.own}"
            one.condition = tuple(one.condition[i] for i in kept)
        grouped.varied = [grouped.varied[i] for i in kept]
        return


def _are_own(grouped: Grouped, own: Sequence[str]) -> bool:
    by_condition: dict[tuple[str, ...], dict[str, tuple[str, ...]]] = {}
    for one in grouped.groups:
        pairs = [(path, value) for path, value in zip(grouped.varied, one.condition) if path != "seed"]
        rest = tuple(value for path, value in pairs if path not in own)
        values = tuple(value for path, value in pairs if path in own)
        if by_condition.setdefault(rest, {}).setdefault(one.scheme, values) != values:
            return False
    return any(len(set(schemes.values())) > 1 for schemes in by_condition.values())


def _give_labels(grouped: Grouped) -> None:
    groups = grouped.groups
    if len(groups) == 1:
        groups[0].label = _cut(groups[0].runs[0].name)
        return
    differing = [", ".join(part for part in (one.scheme, told_condition(grouped, one)) if part) for one in groups]
    if len({one.scheme for one in groups}) == 1:  # the scheme tells nothing
        differing = [told_condition(grouped, one) or one.scheme for one in groups]
    names = [one.runs[0].name for one in groups]
    are_unique = len({_cut(name) for name in names}) == len(names) and all(
        run.name == one.runs[0].name for one in groups for run in one.runs)
    chosen = names if are_unique and sum(map(len, names)) < sum(map(len, differing)) else differing
    for one, label in zip(groups, short_labels(chosen)):
        one.label = label


def short_labels(texts: Sequence[str]) -> list[str]:
    """The texts in at most 40 letters each, and all different."""
    return _unique([_cut(text) for text in texts], MOST_LETTERS)


def _cut(text: str) -> str:
    """From the middle: the scheme stands first, and what tells conditions apart often last."""
    return text if len(text) <= MOST_LETTERS else text[:MOST_LETTERS - 22].rstrip(" ,") + "…" + text[-21:].lstrip(" ,")


def _unique(labels: Iterable[str], most: int | None = None) -> list[str]:
    """Those that are alike get a number, within `most` letters."""
    taken: set[str] = set()
    unique = []
    for label in labels:
        number, candidate = 1, label
        while candidate in taken:
            number += 1
            end = f" ({number})"
            candidate = label[:most and most - len(end)] + end
        taken.add(candidate)
        unique.append(candidate)
    return unique
