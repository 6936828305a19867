"""Draws pictures with matplotlib: panels, legends and notes below them, whatever the size. No global state of pyplot."""
from __future__ import annotations

import io
import math
import re
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from functools import partial
from pathlib import Path
from typing import Any

import matplotlib
import matplotlib.style
import numpy as np
import pandas as pd
from matplotlib.axes import Axes
from matplotlib.backends.backend_agg import FigureCanvasAgg
from matplotlib.colors import LinearSegmentedColormap, Normalize
from matplotlib.figure import Figure
from matplotlib.lines import Line2D
from matplotlib.patches import Patch, Rectangle
from matplotlib.ticker import FixedLocator, FuncFormatter, LogLocator, MaxNLocator, NullFormatter, SymmetricalLogLocator

from .. import units
from ..errors import InputError
from ..files import write_whole
from ..labels import short
from .data import Axis, Legend, LinkLoads, Picture, Series, WinnerMap
from .looks import DASHES, Look, towards

MM = 1 / 25.4  # inches
SIZES = {"screen": 170.0, "one": 84.0, "two": 174.0}  # widths in millimetres
FORMATS = ("svg", "png", "pdf")

_STYLE = Path(__file__).with_name("style.mplstyle")
_MARKS_ON_A_LINE = 8
_LOADS = LinearSegmentedColormap.from_list("loads", ["#440154", "#3b528b", "#21918c", "#5ec962", "#fde725"])  # as Viridis


class Drawing:
    """A picture as drawn. Notebooks show it; save() writes it and its data."""

    def __init__(self, figure: Figure, frame: pd.DataFrame, title: str) -> None:
        self.figure, self.frame, self.title = figure, frame, title

    def save(self, file: Path | str, command: str = "") -> list[Path]:
        """Writes F.svg, .png or .pdf, and F.data.csv beside it, each whole or not at all; says which files."""
        file = Path(file)
        data = file.with_suffix(".data.csv")
        if folder := next((target for target in (file, data) if target.is_dir()), None):
            raise InputError(f"{folder}: is a folder; expected the name of a file")
        picture = self.bytes_of(format_of(file), command)
        write_whole(file, picture)
        write_whole(data, self.frame.to_csv(index=False, lineterminator="\n").encode())
        return [file, data]

    def bytes_of(self, kind: str, command: str = "") -> bytes:
        """The picture in one of FORMATS."""
        out = io.BytesIO()
        # Without a date, so that a picture has the same bytes each time.
        told: dict[str, str | None] = {"Software": "ddlsim"} if kind == "png" else {"Date" if kind == "svg" else "CreationDate": None}
        told |= {name: text for name, text in (("Title", self.title), ("Subject" if kind == "pdf" else "Description", command)) if text}
        with styled():
            self.figure.savefig(out, format=kind, dpi=300, metadata=told)
        # Where a reader of an SVG lacks the font, one as wide.
        return out.getvalue().replace(b"'DejaVu Sans'", b"'DejaVu Sans', Verdana, sans-serif") if kind == "svg" else out.getvalue()

    def _repr_png_(self) -> bytes:
        return self.bytes_of("png")


@contextmanager
def styled() -> Iterator[None]:
    with matplotlib.rc_context():
        matplotlib.style.use("default")
        matplotlib.style.use(str(_STYLE))
        yield


def format_of(file: Path) -> str:
    kind = file.suffix.lstrip(".").lower()
    if kind not in FORMATS:
        raise InputError(f"{file}: is no picture's name; expected one that ends in .svg, .png or .pdf")
    return kind


def width_and_height(size: str) -> tuple[float, float | None]:
    """In millimetres; no height where it follows from the content. Raises InputError."""
    if size in SIZES:
        return SIZES[size], None
    given = re.fullmatch(r"(\d+(?:\.\d+)?)x(\d+(?:\.\d+)?)", size)
    if not given or not 30 <= float(given[1]) <= 1000 or not 30 <= float(given[2]) <= 1000:
        raise InputError(f'--size: "{size}" is no size; expected screen, one, two, or millimetres such as 120x80 (30 to 1000)')
    return float(given[1]), float(given[2])


class Sheet:
    """A figure whose panels, legends, title and note are measured and placed from above. Lengths are in millimetres."""
    edge, gap = 1.5, 2.0

    def __init__(self, size: str) -> None:
        self.width, self.height = width_and_height(size)
        self.figure = Figure(figsize=(self.width * MM, 100 * MM), dpi=100)
        self.renderer = FigureCanvasAgg(self.figure).get_renderer()

    def extent(self, artist: Any) -> tuple[float, float]:
        """Width and height of a text or legend."""
        box = artist.get_window_extent(self.renderer)
        return box.width / self.figure.dpi / MM, box.height / self.figure.dpi / MM

    def text_width(self, text: str, size: float | str = 8.0) -> float:
        artist = self.figure.text(0, 0, text, fontsize=size)
        width = self.extent(artist)[0]
        artist.remove()
        return width

    def wrapped(self, text: str, room: float, size: float | str = 8.0) -> str:
        """The text in as many lines as it takes."""
        lines, line = [], ""
        for word in text.split():
            if line and self.text_width(f"{line} {word}", size) > room:
                lines.append(line)
                line = word
            else:
                line = f"{line} {word}".strip()
        return "\n".join([*lines, line])

    def captions(self, title: str, note: Sequence[str]) -> tuple[float, float]:
        """Takes a title above and a note below everything; returns their heights."""
        room = self.width - 2 * self.edge
        self.title = self.wrapped(title, room, 9) if title else ""
        self.note = self.wrapped("; ".join(note), room, 7) if note else ""
        return (4.5 * (self.title.count("\n") + 1) + 1 if title else 0.0, 3.2 * (self.note.count("\n") + 1) + 1 if note else 0.0)

    def resize(self, height: float) -> None:
        """Gives the figure its height, and the captions their places."""
        self.figure.set_size_inches(self.width * MM, height * MM)
        x, y = self.edge / self.width, self.edge / height
        self.figure.text(x, 1 - y, self.title, fontsize=9, va="top")
        self.figure.text(x, y, self.note, fontsize=7, color="#555555", va="bottom")


def draw(picture: Picture, *, size: str = "screen", title: str = "", xlabel: str = "", ylabel: str = "", xlim: str = "",
         ylim: str = "", logx: bool = False, logy: bool = False) -> Drawing:
    """Draws lines, points, staircases or bars."""
    limits = [limits_of(xlim, "--xlim"), limits_of(ylim, "--ylim")]
    for axis, is_log in ((picture.x, logx), (picture.y, logy)):
        if is_log:
            axis.spacing = "log"
    frame = picture.frame()
    with styled():
        sheet = Sheet(size)
        bars = picture.shape == "bars"
        if bars:
            picture.legends = []
        lines = max((sheet.wrapped(name, sheet.width * 0.36, 7.5).count("\n") + 1 for name in picture.names), default=1)
        panel_height = (3.3 * lines + 1.9) * (_bar_rows(picture)[0] + 1) + 1 if bars else None
        panels = _panels(sheet, picture, title, panel_height, xlabel or _label(picture.x), "" if bars else ylabel or _label(picture.y))
        for number, axes in enumerate(panels):
            inside = [one for one in picture.series if one.panel == number]
            if bars:
                _draw_bars(axes, picture, inside, sheet, first=axes.get_position().x0 == panels[0].get_position().x0)
            else:
                _draw_series(axes, picture, inside)
        _scale(panels, picture, limits)
    return Drawing(sheet.figure, frame, title)


def _label(axis: Axis) -> str:
    return axis.label + (f" ({axis.unit})" if axis.unit else "")


def _columns(sheet: Sheet, picture: Picture, left: float) -> int:
    """Panels beside each other: as wide as the words of their titles, and 45 mm where the height is free, but two at least."""
    panels = len(picture.panels)
    words = [word for title in picture.panels for word in title.replace("=", "= ").split()]
    least = 18.0 if picture.shape == "bars" else 26.0 if sheet.height else min(45.0, (sheet.width - left) / 2 - 5.5)
    least = max([least, *(sheet.text_width(word, 8) for word in words)])
    most = max(1, int((sheet.width - left) // (least + 5.5)))
    rows = math.ceil(panels / most)
    return math.ceil(panels / rows)


def _panels(sheet: Sheet, picture: Picture, title: str, panel_height: float | None, xlabel: str, ylabel: str) -> list[Axes]:
    """Axes for each panel, with everything around them in place. All panels share their axes."""
    figure = sheet.figure
    room = sheet.width - 2 * sheet.edge
    title_height, note_height = sheet.captions(title, picture.note)
    shown = [legend for legend in picture.legends if len(legend.names) > 1 or len(picture.panels) > 1]
    legends = _legends(sheet, shown, room)
    bars = picture.shape == "bars"
    names = [sheet.wrapped(name, sheet.width * 0.36, 7.5) for name in picture.names] if bars else []
    left = max((sheet.text_width(line, 7.5) for name in names for line in name.split("\n")), default=7.5) + 2 + (4.5 if ylabel else 0)
    right, between = 3.0, 5.5
    columns = _columns(sheet, picture, left)
    rows = math.ceil(len(picture.panels) / columns)
    wide = (room - left - right - between * (columns - 1)) / columns
    if wide < 15:
        raise InputError("--size: leaves no room for the panels; expected a wider picture, or fewer panels")
    are_narrow = any(sheet.text_width(word, 8) > wide for text in picture.panels for word in text.split())
    titles = [text.replace("=", "=\n") if are_narrow else sheet.wrapped(text, wide, 8) for text in picture.panels]
    titles_height = [4.0 * max((t.count("\n") + 1 if t else 0) for t in titles[r * columns:(r + 1) * columns]) for r in range(rows)]
    sizes = [sheet.extent(legend) for legend in legends]
    in_a_row = sum(width + 4 for width, _ in sizes) - 4 <= room
    legend_height = max((high for _, high in sizes), default=0.0) if in_a_row else sum(high + 1 for _, high in sizes) - 1
    above = sheet.edge + title_height
    under = 4.5 + 4.5  # numbers and label
    below = under + (legend_height + sheet.gap if legends else 0) + note_height + sheet.edge
    apart = 4.0  # between rows: numbers stand below the last panel of a column alone
    around = above + sum(titles_height) + apart * (rows - 1) + below
    if sheet.height is None:
        shape = 0.62 if len(picture.panels) == 1 and sheet.width > 100 else 0.75
        high = panel_height or min(wide * shape, 75.0)
        if ylabel:  # which has room beside its panels
            high = max(high, (sheet.text_width(_fitting(sheet, ylabel, 0.0)) + 2 - apart * (rows - 1)) / rows)
        height = around + high * rows
    else:
        height = sheet.height
        high = (height - around) / rows
        if high < (0.45 * panel_height if panel_height else 12.0):
            raise InputError("--size: leaves no room for the panels; expected a higher picture, or fewer names")
    sheet.resize(height)
    panels: list[Axes] = []
    top = height - above
    for row in range(rows):
        top -= titles_height[row]
        for column in range(columns):
            number = row * columns + column
            if number == len(picture.panels):
                break
            x = sheet.edge + left + column * (wide + between)
            axes = figure.add_axes([x / sheet.width, (top - high) / height, wide / sheet.width, high / height],
                                   sharex=panels[0] if panels else None, sharey=panels[0] if panels else None)
            axes.set_title(titles[number], loc="left", pad=3)
            axes.tick_params(labelbottom=number + columns >= len(picture.panels), labelleft=column == 0)
            panels.append(axes)
        top -= high + apart
    bottom = top + apart - under  # of what stands below the panels
    middle = (sheet.edge + left + (room - left - right) / 2) / sheet.width
    figure.text(middle, (bottom + 0.5) / height, _fitting(sheet, xlabel, room - left), ha="center", va="bottom")
    if ylabel:
        centre = (height - above - sum(titles_height) / 2 + top + apart) / 2
        beside = high * rows + apart * (rows - 1) + 4
        label = _fitting(sheet, ylabel, beside)
        figure.text((sheet.edge + 0.3) / sheet.width, centre / height, label, rotation=90, ha="left", va="center",
                    fontsize=8 * min(1.0, max(0.6, beside / sheet.text_width(label))))
    widest = sum(width + 4 for width, _ in sizes) if in_a_row else max(width for width, _ in sizes)
    x, y = sheet.edge + min(left, max(0.0, room - widest)), bottom - sheet.gap + 0.5
    for legend, (width, high) in zip(legends, sizes):
        legend.set_bbox_to_anchor((x / sheet.width, y / height), figure.transFigure)
        figure.add_artist(legend)
        x, y = (x + width + 4, y) if in_a_row else (x, y - high - 1)
    return panels


def _fitting(sheet: Sheet, label: str, room: float) -> str:
    """Without what follows a comma where that has no room."""
    if sheet.text_width(label) <= room or "," not in label:
        return label
    unit = re.search(r" \([^)]*\)$", label)
    return label.split(",")[0] + (unit[0] if unit and "(" not in label.split(",")[0] else "")


def _legends(sheet: Sheet, shown: Sequence[Legend], room: float) -> list[Any]:
    """In one line each if all have room beside each other, else each in its share if that does, else below each other."""
    needed = [sheet.extent(_legend(sheet, legend, math.inf))[0] for legend in shown]
    if sum(needed) + 8 <= room:
        return [_legend(sheet, legend, room) for legend in shown]
    legends = [_legend(sheet, legend, room * max(0.35, own / sum(needed)) - 4) for legend, own in zip(shown, needed)]
    fit = sum(sheet.extent(legend)[0] + 4 for legend in legends) - 4 <= room
    return legends if fit else [_legend(sheet, legend, room) for legend in shown]


def _legend(sheet: Sheet, legend: Legend, room: float) -> Any:
    """In as many columns as have room."""
    handles = [Line2D([], [], label=name, **_line_style(look, marks=legend.shows == "lines"))
               for name, look in zip(legend.names, legend.looks)]
    return _fitted_legend(sheet, handles, legend.names, room, 8)


def _fitted_legend(sheet: Sheet, handles: Sequence[Any], names: Sequence[str], room: float, most: int, **how: Any) -> Any:
    found: Any = None
    for columns in range(min(len(names), most), 0, -1):
        found = matplotlib.legend.Legend(sheet.figure, handles, names, ncol=columns, loc="upper left", borderpad=0, **how)
        found.set_figure(sheet.figure)
        if columns == 1 or sheet.extent(found)[0] <= room:
            break
    return found


def _line_style(look: Look, marks: bool) -> dict[str, Any]:
    style: dict[str, Any] = {"color": look.colour, "linestyle": (0, DASHES[look.dash]) if DASHES[look.dash] else "-"}
    if marks and look.mark:
        filled = not look.mark.endswith("-")
        style |= {"marker": look.mark.rstrip("-"), "markerfacecolor": look.colour if filled else "white",
                  "markeredgecolor": look.colour}
    return style


def _placed(axis: Axis, values: Any) -> Any:
    return np.asarray(values, float) * axis.factor


def _draw_series(axes: Axes, picture: Picture, inside: Sequence[Series]) -> None:
    x_of, y_of = partial(_placed, picture.x), partial(_placed, picture.y)
    if picture.shape == "points":
        axes.axhline(1, color="#555555", linewidth=0.6, linestyle=(0, (1, 2)))
    for one in inside:
        look = picture.looks[one.name]
        style = _line_style(look, marks=True)
        every = max(1, len(one.x) // _MARKS_ON_A_LINE)
        if picture.shape == "staircase":
            axes.step(x_of(one.x), y_of(one.y), where="post", markevery=every, **style)
            continue
        if picture.shape == "points":
            shift = _apart(picture) * (one.name - (len(picture.names) - 1) / 2)  # beside each other at one place
            at = x_of(one.x) + shift
            if len(one.low) and not one.each:
                errors = [np.maximum(0, y_of(one.y) - y_of(one.low)), np.maximum(0, y_of(one.high) - y_of(one.y))]
                axes.errorbar(at, y_of(one.y), errors, fmt="none", ecolor=look.colour, elinewidth=0.6, capsize=1.2, capthick=0.6)
            axes.plot(at, y_of(one.y), **style)
        else:
            if len(one.low) and not one.each:
                axes.fill_between(x_of(one.x), y_of(one.low), y_of(one.high), color=look.colour, alpha=0.16, linewidth=0)
            if not one.each:
                axes.plot(x_of(one.x), y_of(one.y), markevery=every, **style)
        for number, (x, y) in enumerate(one.each):
            if picture.shape == "points":
                axes.plot(x_of(x) + shift, y_of(y), linestyle="", marker="_", color=look.colour, markersize=4)
            else:
                axes.plot(x_of(x), y_of(y), markevery=max(1, len(x) // _MARKS_ON_A_LINE),
                          **{**style, "linewidth": 0.8, "alpha": 1 if number == 0 else 0.6})


def _apart(picture: Picture) -> float:
    """The distance of points at one place, a small share of that of neighbouring places."""
    ticks = [tick * picture.x.factor for tick in picture.x.ticks]
    nearest = min((b - a for a, b in zip(ticks, ticks[1:])), default=1.0)
    return 0.25 * nearest / max(6, len(picture.names))


def _draw_bars(axes: Axes, picture: Picture, inside: Sequence[Series], sheet: Sheet, first: bool) -> None:
    axes.grid(axis="x")
    axes.grid(False, axis="y")
    axes.spines["left"].set_visible(False)
    rows = _bar_rows(picture)
    for one in inside:
        look, row = picture.looks[one.name], rows[one.name]
        if len(one.x):
            axes.barh(row, _placed(picture.x, one.x[0]), height=0.72, color=look.colour, alpha=0.85)
            if one.each:
                axes.plot(_placed(picture.x, one.each[0][1]), [row] * len(one.each[0][1]), linestyle="", marker="|",
                          color="#222222", markersize=5)
            elif len(one.low) and one.high[0] > one.low[0]:
                low, high = _placed(picture.x, one.low[0]), _placed(picture.x, one.high[0])
                axes.plot([low, high], [row, row], color="white", linewidth=1.8)
                axes.plot([low, high], [row, row], color="#222222", linewidth=0.8, marker="|", markersize=3)
        elif one.text:
            axes.annotate(one.text, (0, row), xycoords=("axes fraction", "data"), xytext=(3, 0), textcoords="offset points",
                          va="center", fontsize=7, color="#555555")
    axes.set_ylim(-0.6, rows[0] + 0.6)
    axes.set_yticks(rows, [sheet.wrapped(name, sheet.width * 0.36, 7.5) for name in picture.names])
    axes.tick_params(axis="y", length=0, labelleft=first)


def _bar_rows(picture: Picture) -> list[float]:
    """Where bars lie, the last at 0; a gap parts systems of several bars."""
    systems = [name.split(" ")[0].rstrip(",") for name in picture.names]
    gap = 0.4 if len(set(systems)) < len(systems) else 0.0
    rows = [0.0]
    for one, above in zip(systems[:0:-1], systems[-2::-1]):
        rows.append(rows[-1] + 1 + (gap if one != above else 0.0))
    return rows[::-1]


def _scale(panels: Sequence[Axes], picture: Picture, limits: Sequence[tuple[float | None, float | None]]) -> None:
    """The ends of the axes, which all panels share, and their ticks."""
    axes = panels[0]
    low_x, high_x = _ends(picture.x, [v for one in picture.series for v in (one.x, *(x for x, _ in one.each if picture.shape != "bars"))]
                          + ([v for one in picture.series for v in (one.high, *(x for _, x in one.each))] if picture.shape == "bars" else []), limits[0],
                          0.06 if picture.shape == "bars" else 0.08 if picture.shape == "points" else 0.0)
    box = axes.get_position()
    width, height = axes.figure.get_size_inches() / MM
    _set_axis(axes, "x", picture.x, low_x, high_x, int(box.width * width / 9))
    for one in panels:
        one.xaxis.set_tick_params(which="minor", labelbottom=False)
    if picture.shape == "bars":
        return
    values = [v for one in picture.series for v in (one.y, one.low, one.high, *(y for _, y in one.each))]
    low_y, high_y = _ends(picture.y, values, limits[1], 0.04)
    _set_axis(axes, "y", picture.y, low_y, high_y, int(box.height * height / 6))


def _ends(axis: Axis, values: Sequence[Any], limits: tuple[float | None, float | None], room: float) -> tuple[float, float]:
    numbers = np.concatenate([np.asarray(one, float) for one in values if len(one)] or [np.array([0.0, 1.0])])
    numbers = numbers[np.isfinite(numbers)] * axis.factor
    high = float(numbers.max(initial=0.0))
    low = 0.0
    if axis.spacing == "log":
        positive = numbers[numbers > 0]
        low, high = (float(positive.min()) / (1 + room), high * (1 + room)) if len(positive) else (0.1, 1.0)
    else:
        if not axis.from_zero and len(numbers):
            least, high = float(numbers.min()), float(numbers.max())
            low = least - room * (high - least)
            if least >= 0:
                low = max(0.0, low)
        high += room * (high - low)
    if axis.most is not None:
        high = min(high, axis.most * axis.factor)
    low, high = limits[0] if limits[0] is not None else low, limits[1] if limits[1] is not None else high
    if high <= low:
        high = low + max(1.0, 1e-3 * abs(low))
    if axis.spacing == "log" and low <= 0:
        raise InputError("a logarithmic axis starts above 0")
    return low, high


def _set_axis(axes: Axes, which: str, axis: Axis, low: float, high: float, most_ticks: int) -> None:
    bins = min(max(most_ticks, 2), 7)
    artist: Any = axes.xaxis if which == "x" else axes.yaxis
    set_scale: Callable[..., None] = axes.set_xscale if which == "x" else axes.set_yscale
    set_limits: Callable[..., Any] = axes.set_xlim if which == "x" else axes.set_ylim
    def told(value: float, _: object = None) -> str:
        return f"{value:.10g}"
    number = FuncFormatter(told)
    if axis.spacing == "log":
        set_scale("log", nonpositive="mask")
        few = math.log10(high / low) < 1.5
        artist.set_major_locator(LogLocator(subs=(1, 2, 5) if few else (1,)) if high / low > 3 else MaxNLocator(bins))
        artist.set_major_formatter(number)
        artist.set_minor_formatter(NullFormatter())
    elif axis.spacing == "log_from_zero":
        set_scale("symlog", linthresh=1, linscale=0.5)
        artist.set_major_locator(SymmetricalLogLocator(base=10, linthresh=1))
        artist.set_major_formatter(number)
        low = -0.05
    else:
        artist.set_major_locator(MaxNLocator(bins, steps=[1, 2, 5, 10]))
        artist.set_major_formatter(number)
    if axis.ticks:
        artist.set_major_locator(FixedLocator([tick * axis.factor for tick in axis.ticks]))
    set_limits(low, high)


def limits_of(text: str, option: str) -> tuple[float | None, float | None]:
    """"0..60", "..60" or "0..". Raises InputError."""
    if not text:
        return None, None
    first, dots, last = text.partition("..")
    try:
        low, high = (float(part) if part else None for part in (first, last))
        if not dots or (low is None and high is None) or any(v is not None and not math.isfinite(v) for v in (low, high)):
            raise ValueError
    except ValueError:
        raise InputError(f'{option}: "{text}" is no range; expected A..B, A.. or ..B') from None
    if low is not None and high is not None and low >= high:
        raise InputError(f'{option}: "{text}" is empty; expected A..B with A below B')
    return low, high


def draw_map(found: WinnerMap, *, size: str = "screen", title: str = "", xlabel: str = "", ylabel: str = "",
             label: dict[str, str] | None = None, grey: bool = False) -> Drawing:
    """Cells coloured by the winner, with its value in one unit for all, and what is to be said of it."""
    names = {scheme: (label or {}).get(scheme, scheme) for scheme in found.looks}
    texts, told = _map_texts(found)
    colours = {scheme: ("#" + 3 * f"{part:02x}" if grey else towards(look.colour, 0.5))
               for (scheme, look), part in zip(found.looks.items(), np.linspace(120, 225, len(found.looks)).astype(int))}
    letters = dict(zip(found.looks, "abcdefghijklmnopqrstuvwxyz")) if grey else {}
    with styled():
        sheet = Sheet(size)
        patches = _fitted_legend(sheet, [Patch(color=colours[scheme]) for scheme in found.looks],
                                 [f"{letters[s]}  {names[s]}" if grey else names[s] for s in found.looks],
                                 sheet.width - 2 * sheet.edge, 6, handlelength=1)
        lines = max(cell.count("\n") + 1 for row in texts for cell in row)
        axes, place = _grid(sheet, [*found.note, *told], title or found.title,
                            xlabel or _setting(found.x), ylabel or _setting(found.y),
                            [c.removesuffix(".0") for c in found.columns], [r.removesuffix(".0") for r in found.rows],
                            3.4 * lines + 3.2, sheet.extent(patches)[1])
        patches.set_bbox_to_anchor(place, sheet.figure.transFigure)
        sheet.figure.add_artist(patches)
        wide = axes.get_position().width * sheet.width / len(found.columns) - 1.6
        longest = max(sheet.text_width(line, 8) for row in texts for cell in row for line in cell.split("\n"))
        if wide / longest < 0.6:
            raise InputError("--size: leaves no room for the numbers in the cells; expected a wider picture, or fewer folders")
        for r, (cells, row) in enumerate(zip(found.cells, texts)):
            for c, (cell, text) in enumerate(zip(cells, row)):
                colour = colours[cell.scheme] if cell else "#ffffff"
                axes.add_patch(Rectangle((c - 0.49, r - 0.49), 0.98, 0.98, facecolor=colour, edgecolor="none"))
                mark = f"{letters[cell.scheme]} " if grey and cell else ""
                axes.text(c, r, mark + text, ha="center", va="center", fontsize=8 * min(1.0, wide / longest))
    return Drawing(sheet.figure, found.frame(), title or found.title)


def _map_texts(found: WinnerMap) -> tuple[list[list[str]], list[str]]:
    """Texts of the cells, and lines of the note."""
    means = [cell.mean for row in found.cells for cell in row if cell]
    is_time, is_bytes = found.measure.startswith("time_to_"), found.measure.startswith("bytes_to_")
    shown: Callable[[float], str] = lambda value: f"{value:.3f}"
    note: list[str] = []
    if is_time or is_bytes:
        # One unit for all cells: that of the middle one.
        middle = sorted(means)[len(means) // 2]
        name = (units.seconds(middle) if is_time else units.bytes_(middle)).split()[-1]
        size = units.quantity(f"1{name}") or 1
        shown = lambda value: f"{value / size:.0f}" if abs(value / size) >= 100 else f"{value / size:.3g}"
        note.append(f"numbers in {name}")
    cells = []
    for row in found.cells:
        texts = []
        for cell in row:
            if cell is None:
                texts.append("-")
                continue
            lines = [shown(cell.mean)]
            if cell.against_one and cell.against_one.speed_up is not None:
                lines.append(f"({cell.against_one.speed_up:.1f}x)")
            texts.append("\n".join(lines) + (" ~" if cell.clear is False else ""))
        cells.append(texts)
    return cells, note


def draw_links(loads: LinkLoads, *, size: str = "screen", title: str = "", xlabel: str = "", xlim: str = "") -> Drawing:
    """A row for each link, coloured by how busy it was."""
    limits = limits_of(xlim, "--xlim")
    end = max(end for periods in loads.periods for _, end, _ in periods)
    with styled():
        sheet = Sheet(size)
        axes, _ = _grid(sheet, [], title or loads.title, xlabel or "simulated time (s)", "", [], loads.links, 3.6, 0.0, 16.0)
        colour = Normalize(0, 1)
        for row, periods in enumerate(loads.periods):
            for start, stop, load in periods:
                axes.add_patch(Rectangle((start, row - 0.45), stop - start, 0.9, facecolor=_LOADS(colour(load)), edgecolor="none"))
        axes.set_xlim(limits[0] if limits[0] is not None else 0, limits[1] if limits[1] is not None else end)
        axes.xaxis.set_major_locator(MaxNLocator(6, steps=[1, 2, 5, 10]))
        axes.tick_params(axis="x", length=2.5, labelbottom=True)
        box = axes.get_position()
        bar = sheet.figure.add_axes([box.x1 + 2.5 / sheet.width, box.y0, 2.5 / sheet.width, box.height])
        bar.imshow(np.linspace(0, 1, 64).reshape(-1, 1), cmap=_LOADS, origin="lower", aspect="auto", extent=(0, 1, 0, 100))
        bar.xaxis.set_visible(False)
        bar.yaxis.tick_right()
        bar.yaxis.set_label_position("right")
        bar.set_ylabel("% of the bandwidth")
        bar.grid(False)
    return Drawing(sheet.figure, loads.frame(), title or loads.title)


def _grid(sheet: Sheet, note: Sequence[str], title: str, xlabel: str, ylabel: str, columns: Sequence[str], rows: Sequence[str],
          row_height: float, legend_height: float, at_right: float = 2.0) -> tuple[Axes, tuple[float, float]]:
    """One panel whose rows, from above, and columns have names; and the place of a legend below it."""
    figure = sheet.figure
    room = sheet.width - 2 * sheet.edge
    title_height, note_height = sheet.captions(title, note)
    names = [sheet.wrapped(row, room * 0.4, 7.5) for row in rows]
    left = max(sheet.text_width(line, 7.5) for name in names for line in name.split("\n")) + 2 + (4.5 if ylabel else 0)
    wide = room - left - at_right
    turned = bool(columns) and max(sheet.text_width(c, 7.5) for c in columns) + 1.5 > wide / len(columns)
    numbers = max(sheet.text_width(c, 7.5) for c in columns) + 1.5 if turned else 4.5
    above = sheet.edge + title_height
    below = numbers + 5 + (legend_height + sheet.gap if legend_height else 0) + note_height + sheet.edge
    height = sheet.height or above + below + row_height * len(rows)
    high = height - above - below
    if high < 0.55 * row_height * len(rows) or wide < 15:
        raise InputError("--size: leaves no room for the rows; expected a larger picture, or fewer folders")
    sheet.resize(height)
    axes = figure.add_axes([(sheet.edge + left) / sheet.width, below / height, wide / sheet.width, high / height])
    axes.grid(False)
    for spine in axes.spines.values():
        spine.set_visible(False)
    axes.set_ylim(len(rows) - 0.5, -0.5)
    axes.set_yticks(range(len(rows)), names)
    axes.tick_params(length=0)
    if columns:
        axes.set_xlim(-0.5, len(columns) - 0.5)
        axes.set_xticks(range(len(columns)), columns, rotation=90 if turned else 0)
    figure.text((sheet.edge + left + wide / 2) / sheet.width, (below - numbers - 0.5) / height, xlabel, ha="center", va="top")
    if ylabel:
        figure.text((sheet.edge + 0.3) / sheet.width, (below + high / 2) / height, ylabel, rotation=90, ha="left", va="center")
    return axes, ((sheet.edge + left) / sheet.width, (below - numbers - 5 - sheet.gap + 1) / height)


def _setting(path: str) -> str:
    return short(path).replace("_", " ")
