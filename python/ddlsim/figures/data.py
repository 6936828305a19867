"""The content of pictures: panels, series and their points, from groups of runs. Nothing here draws."""
from __future__ import annotations

import math
from collections import Counter
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Literal

import numpy as np
import numpy.typing as npt
import pandas as pd

from ..comparison import AgainstOne, against_one, baselines, evaluated_every
from ..errors import InputError, nearest
from ..frame import ACCURACY, LOSS, Metric, Run, less_is_better
from ..labels import Group, Grouped, difference, follows, is_called, short, short_labels, told_condition, told_key, value_key
from ..stats import LEAST_SEEDS, SIGNIFICANCE, Estimate, estimate, holm, student_factor
from .looks import DASHES, Look, looks_of

Values = npt.NDArray[np.float64]
Line = tuple[Values, Values]  # x, which never falls, and y

OF_WORKERS = ("platform.workers", "platform.workers_per_site")
MOST_NAMES = 12    # lines of a legend or panel, before a condition becomes panels
MOST_BARS = 16     # likewise
MOST_BANDS = 8     # lines of a panel that have bands around them unasked
_MOST_POINTS = 500  # of a line; more would exceed the pixels
_MOST_STAIRS = 400
_MOST_LINKS = 40


@dataclass
class Axis:
    label: str                   # without its unit
    column: str                  # in the data: "time_s"
    unit: str = ""
    factor: float = 1.0          # from the data's unit to this one
    spacing: Literal["linear", "log", "log_from_zero"] = "linear"
    from_zero: bool = True
    most: float | None = None    # in the data's unit
    ticks: list[float] = field(default_factory=list)


@dataclass
class Series:
    """One series in one panel, in the data's units. With fewer than three runs behind it they are drawn, and no interval."""
    panel: int
    name: int
    runs: int
    x: Sequence[float] | Values = ()
    y: Sequence[float] | Values = ()
    low: Sequence[float] | Values = ()
    high: Sequence[float] | Values = ()
    each: list[Line] = field(default_factory=list)  # the runs themselves, where they are drawn
    text: str = ""                                  # beside a bar: why it is missing


@dataclass
class Legend:
    """Names and looks of series. Where they differ in two things, one legend has the colours, the other the dashes."""
    names: list[str]
    looks: list[Look]
    shows: Literal["lines", "dashes"] = "lines"


@dataclass
class Picture:
    names: list[str]         # of series
    looks: list[Look]
    panels: list[str]        # titles; one empty title without facets
    legends: list[Legend]
    series: list[Series]
    x: Axis
    y: Axis
    shape: Literal["curve", "points", "staircase", "bars"] = "curve"
    note: list[str] = field(default_factory=list)

    def tell_of(self, name: int, text: str) -> None:
        """About a series: beside its name, or in the note where legends have no whole names."""
        if len(self.legends) == 1:
            self.legends[0].names[name] += f" ({text})"
        else:
            self.note.append(f"{self.names[name]}: {text}")

    def frame(self) -> pd.DataFrame:
        """A row for each point, panel by panel, as the legend has the names; `panel` only where there are several."""
        rows = []
        for one in sorted(self.series, key=lambda one: (one.panel, one.name)):
            where = {"panel": self.panels[one.panel]} if len(self.panels) > 1 else {}
            for i in range(len(one.x)):
                row: dict[str, object] = {**where, "series": self.names[one.name], "runs": one.runs, self.x.column: one.x[i]}
                if self.shape != "bars":
                    row[self.y.column] = one.y[i]
                rows.append({**row, "low": one.low[i] if len(one.low) else None, "high": one.high[i] if len(one.high) else None})
        columns = [*(["panel"] if len(self.panels) > 1 else []), "series", "runs", self.x.column,
                   *([] if self.shape == "bars" else [self.y.column]), "low", "high"]
        return pd.DataFrame(rows, columns=columns)


@dataclass(frozen=True)
class Cell:
    """The best scheme under one pair of conditions."""
    scheme: str
    mean: float
    clear: bool | None            # whether it differs significantly from the second; none: too few seeds, or no second
    against_one: AgainstOne | None


@dataclass
class WinnerMap:
    measure: str
    x: str                        # paths of the two settings
    y: str
    columns: list[str]            # their values, ascending
    rows: list[str]
    cells: list[list[Cell | None]]
    looks: dict[str, Look]        # of the schemes that win somewhere, in order of their first run
    title: str
    note: list[str]

    def frame(self) -> pd.DataFrame:
        rows = []
        for row, cells in zip(self.rows, self.cells):
            for column, cell in zip(self.columns, cells):
                rows.append({self.x: column, self.y: row, "scheme": cell.scheme if cell else None,
                             self.measure: cell.mean if cell else None,
                             "within_noise": None if cell is None or cell.clear is None else int(not cell.clear),
                             "speed_up": cell.against_one.speed_up if cell and cell.against_one else None})
        return pd.DataFrame(rows)


@dataclass(frozen=True)
class Ranked:
    """A group's place under one condition; no value: not all of its runs have one, or some diverged."""
    group: Group
    value: Estimate | None


@dataclass(frozen=True)
class Ranking:
    """The groups of one condition, best first; `clear`: whether the first differs significantly from the second, corrected
    for its comparisons with all others; none where that cannot be tested."""
    condition: tuple[str, ...]
    order: list[Ranked]
    clear: bool | None


# --- Which groups are in which panel, under which name.

@dataclass
class Arrangement:
    picture: Picture
    place: dict[int, tuple[int, int]]  # by id of a group: panel and name


def arrange(grouped: Grouped, x: Axis, y: Axis, *, facet: str = "", apart: str = "", grey: bool = False,
            one_name_each: bool = False) -> Arrangement:
    """A picture with panels and names, and no points. Groups that differ in the setting `apart` alone share a series, which
    is drawn over it. Raises InputError: nothing of the name `facet` varies, or there are too many series."""
    facets = _facets(grouped, facet, apart)
    words = [_words(grouped, one, facets, apart) for one in grouped.groups]
    if not facet and _crowd(words, one_name_each) > (MOST_BARS if one_name_each else MOST_NAMES):
        facets = _facets_that_help(grouped, apart, one_name_each)
        words = [_words(grouped, one, facets, apart) for one in grouped.groups]
    order = sorted(range(len(words)), key=lambda i: (_rank(words, i), [value_key(v) for v in grouped.groups[i].condition]))
    names = list(dict.fromkeys(words[i].name for i in order))
    if _lines_needed(words, one_name_each) > 28:
        raise InputError(f"{len(names)} {'bars' if one_name_each else 'lines'} cannot be told apart; expected --facet with a "
                         "setting, or fewer folders")
    by_facets = sorted(range(len(words)), key=lambda i: [value_key(grouped.groups[i].condition[k]) for k in facets])
    panels = list(dict.fromkeys(words[i].panel for i in by_facets))
    of_name = {words[i].name: words[i] for i in reversed(order)}
    looks = looks_of([(of_name[name].system, name) for name in names], grey)
    legends = [Legend(short_labels(names), looks)]
    two = {} if one_name_each else _two_parts(words)
    if two:
        colours = list(dict.fromkeys(two[name][0] for name in names))
        dashes = sorted({two[name][1] for name in names}, key=told_key)
        systems = {two[name][0]: of_name[name].system for name in reversed(names)}
        coloured = [Look(look.colour, look.mark) for look in looks_of([(systems[c], c) for c in colours], grey)]
        legends = [Legend(short_labels(colours), coloured),
                   Legend(short_labels(dashes), [Look("#444444", "", i) for i in range(len(dashes))], "dashes")]
        looks = [Look(coloured[colours.index(two[n][0])].colour, coloured[colours.index(two[n][0])].mark,
                      dashes.index(two[n][1])) for n in names]
    picture = Picture(short_labels(names), looks, panels, legends, [], x, y)
    if any(one.own and one.own not in one.scheme for one in grouped.groups):
        picture.note.append("each at a learning rate of its own")
    place = {id(one): (panels.index(w.panel), names.index(w.name)) for one, w in zip(grouped.groups, words)}
    return Arrangement(picture, place)


@dataclass(frozen=True)
class _Words:
    panel: str
    system: str
    scheme: str
    others: tuple[str, ...]  # what else tells it apart within its panel

    @property
    def rest(self) -> str:
        return ", ".join(text for text in self.others if text)

    @property
    def name(self) -> str:
        """In full, for what is cut may be alike."""
        return ", ".join(part for part in (self.scheme, self.rest) if part)


def _facets(grouped: Grouped, facet: str, apart: str) -> list[int]:
    """Indices in grouped.varied of what a panel stands for."""
    if not facet:
        return []
    paths = [i for i, path in enumerate(grouped.varied) if path != apart and
             (path.startswith("platform") and path not in OF_WORKERS if facet == "network" else is_called(path, facet))]
    if not paths:
        others = [path for path in grouped.varied if path != apart]
        raise InputError(f'--facet: "{facet}" does not vary among these runs; ' +
                         ("nothing but the scheme does" if not others else "these do: " + ", ".join(others)))
    return paths


def _lines_needed(words: Sequence[_Words], one_name_each: bool) -> int:
    """Lines of all legends, or names of bars."""
    two = {} if one_name_each else _two_parts(words)
    if two:
        return len({pair[0] for pair in two.values()}) + len({pair[1] for pair in two.values()})
    return len({one.name for one in words})


def _crowd(words: Sequence[_Words], one_name_each: bool) -> int:
    """Lines of a legend, or of the fullest panel."""
    drawn = Counter(panel for panel, _ in {(one.panel, one.name) for one in words})
    return max(_lines_needed(words, one_name_each), *drawn.values())


def _facets_that_help(grouped: Grouped, apart: str, one_name_each: bool) -> list[int]:
    """The setting whose panels leave the shortest legend, if any does."""
    best: list[int] = []
    fewest = _crowd([_words(grouped, one, [], apart) for one in grouped.groups], one_name_each)
    for i, path in enumerate(grouped.varied):
        if path in (apart, "seed") or not 2 <= len({one.condition[i] for one in grouped.groups}) <= 6:
            continue
        needed = _crowd([_words(grouped, one, [i], apart) for one in grouped.groups], one_name_each)
        if needed < fewest:
            best, fewest = [i], needed
    return best


def _words(grouped: Grouped, one: Group, facets: Sequence[int], apart: str) -> _Words:
    if not grouped.is_grid and not facets and not apart:
        return _Words("", one.system, one.label, ())
    panel, others = [], []
    for i, (path, value) in enumerate(zip(grouped.varied, one.condition)):
        if path == apart:
            continue
        text = told_condition(grouped, one, [path])
        if i in facets:
            panel.append(text)
        else:
            others.append(f"{short(path)} by {short(apart)}" if apart and _in_step(grouped, i, apart) else text)
    scheme, rest = (one.label, [""] * len(others)) if one.renamed else (one.scheme, others)
    return _Words(", ".join(text for text in panel if text), one.system, scheme, tuple(rest))


def _in_step(grouped: Grouped, column: int, apart: str) -> bool:
    """Whether this setting follows from the one that is drawn over."""
    if apart not in grouped.varied:
        return False
    other = grouped.varied.index(apart)
    return follows([one.condition[column] for one in grouped.groups], [one.condition[other] for one in grouped.groups])


def _rank(words: Sequence[_Words], i: int) -> tuple[int, tuple[object, ...]]:
    systems = list(dict.fromkeys(one.system for one in words))
    return systems.index(words[i].system), value_key(words[i].scheme)


def _two_parts(words: Sequence[_Words]) -> dict[str, tuple[str, str]]:
    """By name: what a colour and what a dash stands for; empty unless two legends are shorter than one."""
    schemes = {one.scheme for one in words}
    varying = [i for i in range(len(words[0].others)) if len({one.others[i] for one in words}) > 1]
    if len(schemes) == 1 and len(varying) != 2:
        return {}
    found = {}
    for one in words:
        pair = (one.scheme, one.rest) if len(schemes) > 1 else (one.others[varying[0]], one.others[varying[-1]])
        if not all(pair):
            return {}
        found[one.name] = pair
    colours, dashes = {pair[0] for pair in found.values()}, {pair[1] for pair in found.values()}
    is_shorter = (len(colours) > 1 and 1 < len(dashes) <= len(DASHES) and
                  len(found) >= len(colours) + len(dashes) and len(found) > max(len(colours), len(dashes)))
    return found if is_shorter else {}


# --- Seeds.

def tell_runs(picture: Picture, what: str, interval: str) -> None:
    """"mean of 5 seeds, band: 95 % interval" in the note; where the numbers differ, they are behind each name."""
    counts = [one.runs for one in picture.series if one.runs]
    if not counts or max(counts) <= 1:
        return
    are_drawn = any(one.each for one in picture.series)
    if max(counts) < LEAST_SEEDS and are_drawn and picture.shape == "curve":
        picture.note.append("both seeds; three make a mean with a band")
        return
    several = min(counts) != max(counts)
    if several and len(picture.legends) == 1:
        picture.note.append(f"{what} n seeds")
        for name in range(len(picture.names)):
            own = [one.runs for one in picture.series if one.name == name and one.runs]
            if own:
                picture.tell_of(name, f"n = {_range(own)}")
    else:
        picture.note.append(f"{what} {_range(counts)} seeds")
    if are_drawn:
        picture.note.append("of fewer than three every run" + (f"; else {interval}" if max(counts) >= LEAST_SEEDS else ""))
    elif interval:
        picture.note.append(interval)


def _range(counts: Sequence[int]) -> str:
    return str(counts[0]) if min(counts) == max(counts) else f"{min(counts)} to {max(counts)}"


# --- Learning curves.

_X_COLUMNS = {"time": ("simulated time", "time_s"), "bytes": ("sent by all nodes", "bytes_sent"),
              "iterations": ("steps of each worker (mean)", "iteration"), "epochs": ("epochs", "epoch"),
              "samples": ("samples of all workers", "samples"), "tokens": ("tokens of all workers", "tokens")}
_Y_COLUMNS = {"accuracy": ("test accuracy, mean over workers", "test_accuracy"),
              "loss": ("test loss (nats), mean over workers", "test_loss"),
              "perplexity": ("test perplexity, mean over workers", "test_perplexity"),
              "train_loss": ("minibatch loss (nats), mean over workers", "train_loss")}
_BANDS = {"ci": "band: 95 % interval of the mean", "sd": "band: one standard deviation", "minmax": "band: least to largest",
          "none": ""}


def curves(grouped: Grouped, *, x: str = "time", y: str = "", band: str = "", facet: str = "", grey: bool = False) -> Picture:
    """A line for each group, the mean over its seeds, with a band. Without `band` the 95 % interval, unless a panel has too many
    lines for it."""
    y = y or grouped.metric.word
    for option, word, known in (("--x", x, list(_X_COLUMNS)), ("--y", y, list(_Y_COLUMNS)), ("--band", band or "ci", list(_BANDS))):
        _one_of(option, word, known, "curves")
    (x_label, x_column), (y_label, y_column) = _X_COLUMNS[x], _Y_COLUMNS[y]
    is_share = y == "accuracy"
    arrangement = arrange(grouped, Axis(x_label, x_column),
                          Axis(y_label, y_column, from_zero=is_share, most=1.0 if is_share else None), facet=facet, grey=grey)
    picture = arrangement.picture
    several = [one for one in grouped.groups if len(one.runs) >= LEAST_SEEDS]
    is_crowded = max(Counter(arrangement.place[id(one)][0] for one in several).values(), default=0) > MOST_BANDS
    band = band or ("none" if is_crowded else "ci")
    for one in grouped.groups:
        lines = [line for run in one.runs if len((line := _curve(run, x_column, y_column))[0])]
        if not lines:
            raise InputError(f"{one.runs[0].folder}: has no learning curve; expected runs that were evaluated")
        panel, name = arrangement.place[id(one)]
        places, mean, low, high = band_of(lines, band)
        series = Series(panel, name, len(one.runs), places, mean)
        if 1 < len(one.runs) < LEAST_SEEDS and band == "ci":
            series.each = [_thinned(line) for line in lines]
        elif len(one.runs) > 1 and band != "none":
            is_negative = any((values < 0).any() for _, values in lines)  # only the loss of a model of one's own is
            series.low = low if is_negative else np.maximum(low, 0.0)
            series.high = np.minimum(high, 1.0) if is_share else high
        picture.series.append(series)
    _choose_unit(picture.x, picture.series, x)
    tell_runs(picture, "mean of", _BANDS[band])
    if is_crowded and band == "none":
        picture.note.append("bands: --band ci")
    return picture


def band_of(lines: Sequence[Line], kind: str = "ci", most: int = _MOST_POINTS) -> tuple[Values, Values, Values, Values]:
    """x, mean, low and high over the range of x that all lines cover, where any of them has a point, `most` of these at most.
    Between its points a run is a straight line."""
    lines = [_last_of_each(line) for line in lines]
    first, last = max(line[0][0] for line in lines), min(line[0][-1] for line in lines)
    places = np.unique(np.concatenate([line[0] for line in lines] + [np.array([last])]))
    places = places[(places >= first) & (places <= last)]
    places = places[spread_evenly(len(places), most)]
    values = np.array([np.interp(places, *line) for line in lines])
    mean = values[0] + (values - values[0]).mean(axis=0)
    if kind == "minmax":
        return places, mean, values.min(axis=0), values.max(axis=0)
    half = np.zeros_like(mean)
    n = len(lines)
    if n > 1 and kind in ("ci", "sd"):
        half = np.sqrt(((values - mean) ** 2).sum(axis=0) / (n - 1))
        if kind == "ci":
            half = half * student_factor(n) / math.sqrt(n)
    return places, mean, mean - half, mean + half


def spread_evenly(count: int, most: int) -> list[int]:
    """Positions of at most `most` of `count` things in order, first and last among them."""
    kept = min(count, most)
    return list(range(count)) if kept == count else [i * (count - 1) // (kept - 1) for i in range(kept)]


def _curve(run: Run, x: str, y: str) -> Line:
    tokens = run.measure("tokens") if x == "tokens" else 0
    if tokens is None:
        raise InputError(f"{run.folder}: has no tokens; expected runs of a gpt, or another --x")
    column = "samples" if x == "tokens" else x
    rows = run.curve()[[column, "test_loss" if y == "test_perplexity" else y]].dropna()
    each = tokens / (run.measure("samples") or 1) if x == "tokens" else 1
    values = rows.iloc[:, 1].to_numpy(float)
    return rows[column].to_numpy(float) * each, np.exp(values) if y == "test_perplexity" else values


def _last_of_each(line: Line) -> Line:
    """The last point of several at one place."""
    keep = np.append(line[0][1:] != line[0][:-1], True)
    return line[0][keep], line[1][keep]


def _thinned(line: Line) -> Line:
    keep = spread_evenly(len(line[0]), _MOST_POINTS)
    return line[0][keep], line[1][keep]


def _choose_unit(axis: Axis, series: Sequence[Series], quantity: str) -> None:
    most = max((float(np.max(one.x)) for one in series if len(one.x)), default=0.0)
    if quantity == "time":
        axis.factor, axis.unit = ((1e6, "µs") if 0 < most < 1e-3 else (1e3, "ms") if 0 < most < 1 else
                                  (1.0, "s") if most <= 7200 else (1 / 3600, "h"))
    elif quantity == "bytes":
        axis.factor, axis.unit = ((1e-3, "kB") if most < 1e6 else (1e-6, "MB") if most < 1e9 else
                                  (1e-9, "GB") if most < 1e12 else (1e-12, "TB"))


# --- Time or bytes to a target.

def targets(grouped: Grouped, *, y: str = "time", target: float | None = None, facet: str = "", grey: bool = False) -> Picture:
    """A bar for each group: how long, or how many bytes, until a target. Only where all seeds get there."""
    what = _one_of("--y", y or "time", ("time", "bytes"), "targets")
    chosen = chosen_target(grouped, target)
    metric = grouped.metric
    key = metric.time_to(chosen) if what == "time" else metric.bytes_to(chosen)
    label = f"{'time to' if what == 'time' else 'bytes sent until'} {metric.word} {chosen:g}"
    arrangement = arrange(grouped, Axis(label, "time_to_target_s" if what == "time" else "bytes_to_target"), Axis("", ""),
                          facet=facet, grey=grey, one_name_each=True)
    picture = arrangement.picture
    picture.shape = "bars"
    for one in grouped.groups:
        panel, name = arrangement.place[id(one)]
        series = Series(panel, name, len(one.runs))
        values = one.values(key)
        if len(values) < len(one.runs):
            series.text = "not reached" if not values else f"reached by {len(values)} of {len(one.runs)}"
        elif (mean := estimate(values)) is not None:
            series.x, series.y = [mean.mean], [0.0]
            _give_interval(series, mean, values)
        picture.series.append(series)
    if not any(len(one.x) for one in picture.series):
        raise InputError(f"no scenario reaches {chosen:g} with all its runs; nothing to draw")
    _choose_unit(picture.x, picture.series, what)
    tell_runs(picture, "mean of", "whiskers: its 95 % interval")
    if what == "time" and (every := evaluated_every(grouped.groups)):
        picture.note.append(f"evaluated every {every}")
    return picture


def _give_interval(series: Series, mean: Estimate, values: Sequence[float]) -> None:
    """A 95 % interval of what is never negative, or the runs themselves where they are fewer than three."""
    if 1 < mean.count < LEAST_SEEDS:
        series.each.append((np.array([series.x[-1]] * mean.count), np.array(values)))
        interval = None
    else:
        interval = mean.interval(0, math.inf)
    low, high = interval or (mean.mean, mean.mean)
    series.low, series.high = [*series.low, low], [*series.high, high]


def chosen_target(grouped: Grouped, asked: float | None = None) -> float:
    """The asked one, or else the hardest that most groups reach with all their runs. Raises InputError."""
    known = grouped.shared_targets()
    if not known:
        raise InputError(f"a target: needs evaluate.target_{grouped.metric.word} in the runs' scenarios")
    if asked is not None:
        if asked not in known:
            raise InputError(f"--target: {asked:g} is none of evaluate.target_{grouped.metric.word}: "
                             + ", ".join(f"{one:g}" for one in known))
        return asked
    return max(known, key=lambda one: sum(_is_reached(group, one) for group in grouped.groups))


def _is_reached(one: Group, target: float) -> bool:
    return len(one.values(one.runs[0].metric.time_to(target))) == len(one.runs)


def telling_target(grouped: Grouped) -> float:
    """The hardest that some scheme reaches under every condition, or else the one that most groups reach."""
    for target in grouped.shared_targets():
        reached: dict[tuple[str, ...], bool] = {}
        for one in grouped.groups:
            reached[one.condition] = reached.get(one.condition, False) or _is_reached(one, target)
        if all(reached.values()):
            return target
    return chosen_target(grouped)


# --- Speed-up over the number of workers.

def speed_up(grouped: Grouped, *, y: str = "", target: float | None = None, facet: str = "", grey: bool = False) -> Picture:
    """Over the number of workers: the time to a target, or samples a second, over those of `single`, or where that did not run
    over those of the fewest workers of the same scheme; paired by seed."""
    what = _one_of("--y", y or ("time" if grouped.shared_targets() or target is not None else "samples"), ("time", "samples"),
                   "speed-up")
    if what == "samples" and target is not None:
        raise InputError("--target: is for --y time")
    chosen = chosen_target(grouped, target) if what == "time" else None
    path = next((path for path in grouped.varied if path in OF_WORKERS), None)
    if path is None:
        raise InputError("speed-up is drawn over the number of workers; expected runs that differ in platform.workers")
    of_single = baselines(grouped)
    others = Grouped([one for one in grouped.groups if one.system != "single"], grouped.varied)
    if not others.groups:
        raise InputError("all runs are of one worker; there is no speed-up")
    by_single = all(of_single[id(one)] is not None for one in others.groups)
    arrangement = arrange(others, Axis("workers", "workers"),
                          Axis("speed-up over " + ("one worker" if by_single else "the fewest workers"), "speed_up"),
                          facet=facet, apart=path, grey=grey)
    picture = arrangement.picture
    picture.shape = "points"
    by_place: dict[tuple[int, int], dict[int, Group]] = {}
    for one in others.groups:
        series_of, workers = by_place.setdefault(arrangement.place[id(one)], {}), len(one.runs[0].workers)
        if workers in series_of:
            raise InputError(f'two scenarios with {workers} workers are both "{picture.names[arrangement.place[id(one)][1]]}"; '
                             f"expected a sweep over {path}, or fewer folders")
        series_of[workers] = one
    for (panel, name), by_workers in sorted(by_place.items()):
        series = Series(panel, name, 0)
        fewest = by_workers[min(by_workers)]
        for workers, one in sorted(by_workers.items()):
            base = of_single[id(one)] if by_single else fewest
            series.runs = max(series.runs, len(one.runs))
            ratios = _ratios(base or fewest, one, chosen)
            mean = estimate(ratios)
            if mean is None or mean.count < len(one.runs):
                continue  # some run does not get there
            series.x, series.y = [*series.x, float(workers)], [*series.y, mean.mean]
            _give_interval(series, mean, ratios)
        picture.series.append(series)
    drawn = sorted({x for one in picture.series for x in one.x})
    told = f"in time to {grouped.metric.word} {chosen:g}" if chosen is not None else "in samples per second"
    if not drawn:
        raise InputError(f"no scenario gets there with all its runs; nothing to draw {told} of")
    picture.x.ticks = drawn
    picture.note.append(told)
    tell_runs(picture, "mean of", "whiskers: its 95 % interval")
    for name in range(len(picture.names)):
        if not any(len(one.x) for one in picture.series if one.name == name):
            picture.tell_of(name, "not reached")
    return picture


def _ratios(base: Group, one: Group, target: float | None) -> list[float]:
    def seconds(run: Run) -> float | None:
        if run.stopped_by == "diverged":
            return None
        if target is not None:
            return run.measure(run.metric.time_to(target))
        samples, time_s = run.measure("samples"), run.measure("simulated_seconds")
        return time_s / samples if samples and time_s is not None else None
    of_seed = {run.seed: value for run in base.runs if (value := seconds(run)) is not None}
    return [of_seed[run.seed] / value for run in one.runs if (value := seconds(run)) and run.seed in of_seed]


# --- Distributions over steps.

def steps(grouped: Grouped, *, facet: str = "", grey: bool = False) -> Picture:
    """The share of all steps that took at most so long."""
    picture = _shares(grouped, Axis("time of a step", "step_s"), "share of steps at most this long",
                      lambda rows: np.asarray(rows["end_s"] - rows["start_s"], float), facet, grey)
    _choose_unit(picture.x, picture.series, "time")
    return picture


def staleness(grouped: Grouped, *, facet: str = "", grey: bool = False) -> Picture:
    """The share of all steps that used what was at most so stale."""
    picture = _shares(grouped, Axis("staleness (updates)", "staleness_updates", spacing="log_from_zero"),
                      "share of steps at most this stale", lambda rows: np.asarray(rows["staleness"], float), facet, grey)
    if max((float(one.x[-1]) for one in picture.series if len(one.x)), default=0.0) == 0:
        raise InputError("no step used anything stale; nothing to draw")
    for name in range(len(picture.names)):
        if all(one.x[-1] == 0 for one in picture.series if one.name == name and len(one.x)):
            picture.tell_of(name, "always 0")
    return picture


def _shares(grouped: Grouped, x: Axis, label: str, values_of: Callable[[pd.DataFrame], Values], facet: str,
            grey: bool) -> Picture:
    arrangement = arrange(grouped, x, Axis(label, "share_of_steps", most=1.0), facet=facet, grey=grey)
    picture = arrangement.picture
    picture.shape = "staircase"
    for one in grouped.groups:
        values = np.sort(np.concatenate([values_of(_iterations(run)) for run in one.runs]))
        if not len(values):
            continue  # it did not finish a step
        last = np.flatnonzero(np.append(values[1:] != values[:-1], True))  # of equal values
        last = last[spread_evenly(len(last), _MOST_STAIRS)]
        panel, name = arrangement.place[id(one)]
        picture.series.append(Series(panel, name, len(one.runs), np.append(values[0], values[last]),
                                     np.append(0.0, (last + 1) / len(values))))
    tell_runs(picture, "all steps of", "")
    return picture


def _iterations(run: Run) -> pd.DataFrame:
    if not (run.folder / "iterations.csv").is_file():
        raise InputError(f"{run.folder}: has no iterations.csv; expected runs without record.iterations false")
    return run.rows("iterations")


# --- Rankings, and a map of winners.

def ranked_by(grouped: Grouped, measure: str) -> list[Ranking]:
    """By one measure, condition by condition; by bytes only what sends any. Conditions without any value are left out. Where no
    two groups share a condition, all are ranked together."""
    conditions: dict[tuple[str, ...], list[Ranked]] = {}
    for one in grouped.groups:
        value = one.whole_estimate(measure)
        if value and measure.startswith("bytes_to_") and value.mean == 0:
            value = None  # it would be first everywhere
        conditions.setdefault(one.condition if grouped.is_grid else (), []).append(Ranked(one, value))
    sign = 1 if less_is_better(measure) else -1
    rankings = []
    for condition, order in conditions.items():
        order.sort(key=lambda ranked: (ranked.value is None, sign * ranked.value.mean if ranked.value else 0.0))
        if order[0].value:
            rankings.append(Ranking(condition, order, _first_is_clear(order, measure)))
    return rankings


def _first_is_clear(order: Sequence[Ranked], measure: str) -> bool | None:
    p = [difference(order[0].group, other.group, measure) for other in order[1:] if other.value]
    if not p or p[0] is None:
        return None
    return holm([one for one in p if one is not None])[0] < SIGNIFICANCE


def winners(grouped: Grouped, *, y: str = "", target: float | None = None, grey: bool = False) -> WinnerMap:
    """The best scheme for each pair of values of the two settings that vary. Without `target`, the hardest that some scheme
    reaches everywhere. A scheme wins only if it gets there with all seeds, and by bytes only if it sends any."""
    if y:
        _one_of("--y", y, ("accuracy", "loss", "time", "bytes"), "a map")
    if len(grouped.varied) != 2:
        these = "none does" if not grouped.varied else "these do: " + ", ".join(grouped.varied)
        raise InputError(f"a map needs two settings that vary beside the scheme, but {these}; expected a sweep over "
                         "platform.bandwidth and platform.workers, for instance")
    at_x, at_y = (1, 0) if grouped.varied[0] in OF_WORKERS else (0, 1)
    columns = sorted({one.condition[at_x] for one in grouped.groups}, key=value_key)
    rows = sorted({one.condition[at_y] for one in grouped.groups}, key=value_key)
    metric = grouped.metric
    shared = grouped.shared_targets()
    candidates: list[tuple[str, float | None]] = []
    if y in ("time", "bytes") or (not y and shared):
        for one in ([chosen_target(grouped, target)] if target is not None or not shared else [*shared, shared[0]]):
            candidates.append((metric.bytes_to(one), None) if y == "bytes" else (metric.time_to(one), one))
    elif target is not None:
        raise InputError("--target: is for --y time and --y bytes")
    else:
        candidates.append(((LOSS if y == "loss" else ACCURACY if y else metric).final, None))
    of_single = baselines(grouped)
    cells: list[list[Cell | None]] = []
    for measure, reached in candidates:
        cells = [[None] * len(columns) for _ in rows]
        for ranking in ranked_by(grouped, measure):
            first = ranking.order[0]
            single = of_single[id(first.group)]
            beside = against_one(first.group, single, reached) if single and reached is not None else None
            assert first.value is not None
            where = first.group.condition
            cells[rows.index(where[at_y])][columns.index(where[at_x])] = Cell(first.group.scheme, first.value.mean, ranking.clear,
                                                                              beside)
        if all(cell for row in cells for cell in row):
            break
    won = {cell.scheme for row in cells for cell in row if cell}
    if not won:
        raise InputError(f"no run has a value of {measure}; nothing to draw a map of")
    schemes = list(dict.fromkeys(one.scheme for one in grouped.groups))
    looks = dict(zip(schemes, looks_of([(scheme.split(" ")[0], scheme) for scheme in schemes], grey)))
    return WinnerMap(measure, grouped.varied[at_x], grouped.varied[at_y], columns, rows, cells,
                     {scheme: looks[scheme] for scheme in schemes if scheme in won}, _map_title(measure, metric),
                     _map_note(grouped, cells))


def _map_title(measure: str, metric: Metric) -> str:
    target = measure.partition(".")[2]
    if measure.startswith("time_to_"):
        return f"best scheme by simulated time to {metric.word} {target}"
    if measure.startswith("bytes_to_"):
        return f"best scheme by bytes sent until {metric.word} {target}, of those that send"
    return "best scheme by final test " + ("loss" if measure.startswith("final_loss") else "accuracy")


def _map_note(grouped: Grouped, cells: Sequence[Sequence[Cell | None]]) -> list[str]:
    counts = [len(one.runs) for one in grouped.groups]
    note = ["one seed" if max(counts) == 1 else f"mean of {_range(counts)} seeds"]
    found = [cell for row in cells for cell in row if cell]
    if any(cell.against_one and cell.against_one.speed_up for cell in found):
        note.append("(2.0x) speed-up over one worker alone")
    if any(cell.clear is False for cell in found):
        note.append("~ not told apart from the second best (p >= 0.05)")
    if min(counts) < LEAST_SEEDS:
        note.append("fewer than three seeds do not tell what is noise")
    return note


# --- How busy links were.

@dataclass
class LinkLoads:
    """One traced run: link by link, (start_s, end_s, utilisation) of each period."""
    title: str
    links: list[str]
    periods: list[list[tuple[float, float, float]]]

    def frame(self) -> pd.DataFrame:
        return pd.DataFrame([{"link": link, "start_s": start, "end_s": end, "utilisation": load}
                             for link, periods in zip(self.links, self.periods) for start, end, load in periods])


def links(run: Run) -> LinkLoads:
    """The busiest forty links, in the order of the file."""
    if not (run.folder / "links.csv").is_file():
        raise InputError(f"{run.folder}: has no links.csv; expected a run with --trace, which writes it")
    rows = run.rows("links")
    if rows.empty:
        raise InputError(f"{run.folder}: nothing travelled over its links")
    names = rows["link"] + " " + rows["direction"]
    all_links = list(dict.fromkeys(names))
    kept = all_links
    if len(all_links) > _MOST_LINKS:
        busy = (rows["utilisation"] * (rows["end_s"] - rows["start_s"])).groupby(names, sort=False).sum()
        kept = list(busy.sort_values(ascending=False, kind="stable").index[:_MOST_LINKS])
    by_link: Mapping[str, pd.DataFrame] = dict(tuple(rows.groupby(names, sort=False)))
    cut = f" (the {_MOST_LINKS} busiest of {len(all_links)} links)" if len(all_links) > _MOST_LINKS else ""
    return LinkLoads(f"{run.name} (seed {run.seed}){cut}", kept,
                     [list(by_link[link][["start_s", "end_s", "utilisation"]].itertuples(index=False, name=None)) for link in kept])


def _one_of(option: str, word: str, known: Sequence[str], what: str) -> str:
    if word not in known:
        raise InputError(f'{option}: "{word}" is not available for {what}; {nearest(word, known)}')
    return word
