"""A table apart from how it is shown: columns and cells, and one writer for each form."""
from __future__ import annotations

import csv
import html
import io
import math
import shutil
import textwrap
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field

from .units import Kind, plain

_GAP = 2          # between columns of a terminal
_NARROWEST = 10   # that a key column is made


@dataclass(frozen=True)
class Column:
    key: str             # for programs: "time_to_accuracy_s.0.8"
    title: str           # for people: "time to 0.8"
    kind: Kind = "text"  # seconds, bytes, shares of 1
    estimated: bool = False  # cells are means; CSV has key.low, key.high and key.count beside them


@dataclass(frozen=True)
class Cell:
    text: str                          # for people
    data: str | float | None = None    # for programs
    interval: tuple[float, float] | None = None
    count: int = 0                     # values behind a mean


@dataclass
class Table:
    columns: list[Column]
    rows: list[list[Cell]] = field(default_factory=list)
    keys: int = 1  # columns that tell rows apart; every block of a wide table has them

    def text(self, width: int | None = None) -> str:
        """For a terminal of `width` letters: aligned columns, in blocks one under the other where they are too wide."""
        width = width or shutil.get_terminal_size().columns
        lines = [[column.title for column in self.columns]] + [[cell.text for cell in row] for row in self.rows]
        widths = [max(len(line[i]) for line in lines) for i in range(len(self.columns))]
        _narrow(widths, self.keys, width)
        for i in range(self.keys, len(widths)):
            widths[i] = min(widths[i], max(_NARROWEST, width - _total(widths[:self.keys])))
        blocks = []
        rest = list(range(self.keys, len(widths)))
        while True:
            chosen, used = list(range(self.keys)), _total(widths[:self.keys])
            while rest and (len(chosen) == self.keys or used + widths[rest[0]] <= width):
                used += widths[rest[0]] + _GAP
                chosen.append(rest.pop(0))
            blocks.append("".join(_terminal_row(line, chosen, widths) for line in lines))
            if not rest:
                return "\n".join(blocks)

    def markdown(self) -> str:
        def row(cells: Iterable[str]) -> str:
            return "| " + " | ".join(cell.replace("|", "\\|") for cell in cells) + " |\n"
        return (row(column.title for column in self.columns) + "|" + " --- |" * len(self.columns) + "\n" +
                "".join(row(cell.text for cell in line) for line in self.rows))

    def latex(self) -> str:
        """A tabular with the rules of the package booktabs."""
        def row(cells: Iterable[str]) -> str:
            return "  " + " & ".join(latex_escaped(cell) for cell in cells) + " \\\\\n"
        kinds = "".join("l" if column.kind == "text" else "r" for column in self.columns)
        return (f"\\begin{{tabular}}{{{kinds}}}\n  \\toprule\n" + row(column.title for column in self.columns) +
                "  \\midrule\n" + "".join(row(cell.text for cell in line) for line in self.rows) +
                "  \\bottomrule\n\\end{tabular}\n")

    def html(self) -> str:
        def row(cells: Iterable[str], tag: str) -> str:
            return "<tr>" + "".join(f"<{tag}>{html.escape(cell)}</{tag}>" for cell in cells) + "</tr>\n"
        return ("<table>\n<thead>" + row((column.title for column in self.columns), "th") + "</thead>\n<tbody>\n" +
                "".join(row((cell.text for cell in line), "td") for line in self.rows) + "</tbody>\n</table>\n")

    def csv(self) -> str:
        out = io.StringIO()
        writer = csv.writer(out, lineterminator="\n")
        writer.writerow([name for column in self.columns for name in _csv_names(column)])
        for line in self.rows:
            writer.writerow([text for column, cell in zip(self.columns, line) for text in _csv_texts(column, cell)])
        return out.getvalue()


def json_cell(column: Column, cell: Cell) -> object:
    """A text, a number, None, or {"count", "mean", "low", "high"}."""
    if not column.estimated:
        return finite(cell.data) if isinstance(cell.data, float) else cell.data
    low, high = cell.interval or (None, None)
    return {"count": cell.count, "mean": finite(cell.data), "low": finite(low), "high": finite(high)}


def finite(value: str | float | None) -> float | None:
    """JSON has neither nan nor inf."""
    return float(value) if isinstance(value, (int, float)) and math.isfinite(value) else None


def latex_escaped(text: str) -> str:
    marks = {"\\": "\\textbackslash{}", "~": "\\textasciitilde{}", "^": "\\textasciicircum{}", "<": "\\textless{}",
             ">": "\\textgreater{}", "|": "\\textbar{}", '"': "''", "±": "$\\pm$",
             **{mark: "\\" + mark for mark in "&%$#_{}"}}
    return "".join(marks.get(letter, letter) for letter in text).replace(" .. ", "--")


def hanging(text: str, width: int, indent: int = 2) -> str:
    """Prose of at most 80 letters a line; later lines of a paragraph are indented."""
    lines: list[str] = []
    for line in text.splitlines():
        start = line[:len(line) - len(line.lstrip())]
        lines += textwrap.wrap(line.strip(), min(width, 80), initial_indent=start, break_on_hyphens=False,
                               subsequent_indent=start + " " * indent) or [""]
    return "\n".join(lines) + "\n" if lines else ""


def _csv_names(column: Column) -> list[str]:
    return [column.key] + ([column.key + part for part in (".low", ".high", ".count")] if column.estimated else [])


def _csv_texts(column: Column, cell: Cell) -> list[str]:
    texts = [cell.data if isinstance(cell.data, str) else plain(cell.data)]
    if column.estimated:
        low, high = cell.interval or (None, None)
        texts += [plain(low), plain(high), str(cell.count)]
    return texts


def _total(widths: Sequence[int]) -> int:
    return sum(widths) + _GAP * len(widths)


def _narrow(widths: list[int], keys: int, width: int) -> None:
    """Makes the widest keys narrower until they leave room for a column beside them."""
    others = _total(widths[keys:])
    room = width - others if _total(widths[:keys]) + others > width >= others + 2 * _NARROWEST else width * 9 // 20
    if _total(widths[:keys]) + others <= width + _GAP:
        return
    while _total(widths[:keys]) > room:
        widest = max(range(keys), key=lambda key: widths[key])
        if widths[widest] <= _NARROWEST:
            return
        widths[widest] -= 1


def _terminal_row(line: Sequence[str], columns: Sequence[int], widths: Sequence[int]) -> str:
    cells = [_wrapped(line[i], widths[i]) for i in columns]
    height = max(len(cell) for cell in cells)
    padded = [[(cell[k] if k < len(cell) else "").ljust(widths[i] + _GAP) for i, cell in zip(columns, cells)]
              for k in range(height)]
    return "".join("".join(parts).rstrip() + "\n" for parts in padded)


def _wrapped(text: str, width: int) -> list[str]:
    """Lines of at most `width` letters. A word that is longer breaks after the last of its marks that fits."""
    lines = [""]
    for word in text.split():
        if lines[-1] and len(lines[-1]) + 1 + len(word) > width:
            lines.append("")
        lines[-1] += " " + word if lines[-1] else word
        while len(lines[-1]) > width:
            rest = lines.pop()
            cut = max(rest.rfind(mark, 0, width) for mark in "_=,/-") + 1 or rest.rfind(".", 0, width) + 1 or width
            lines += [rest[:cut], rest[cut:]]
    return lines
