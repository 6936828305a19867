"""A published study: which runs stand for which of its figures, and what it claims of them.

A study is a package beside this file that defines `study`, a `Definition`; README.md shows how to write one.
"""
from __future__ import annotations

import csv
import math
import re
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, Literal, NamedTuple

from ..errors import DdlsimError, InputError
from .number import Condition, Finding, Number
from .readings import Reading, total

Json = dict[str, Any]
Kind = Literal["published", "check", "input"]
SizeName = Literal["default", "data", "full"]
Where = Mapping[str, str | Sequence[str]]
Readings = dict[tuple[object, ...], Reading]

KINDS: tuple[Kind, ...] = ("published", "check", "input")
SIZES: tuple[SizeName, ...] = ("default", "data", "full")
NOTES = ("Modelled", "Calibrated", "Assumed")


class Place(NamedTuple):
    """Where a figure stands: a table, the labels of its row, and that of its column."""
    table: str
    row: tuple[str, ...]
    column: str

    def __str__(self) -> str:
        return " | ".join((self.table, *self.row, self.column))


@dataclass(frozen=True)
class Table:
    name: str                         # results/tables/<study>_<name>.csv
    title: str                        # with the unit
    row: tuple[str, ...]              # headers of the row's labels
    column: str                       # header of the columns' labels
    decimals: int = 1                 # shown on the page; the CSV has all
    reference: str = "published"      # what simulated figures are compared with
    on_page: bool = False             # or in its CSV alone
    half_width_of_one: float = 0.0    # of the interval of a figure that one run gave


@dataclass(frozen=True)
class Range:
    """The least and the most of several published values."""
    least: float
    most: float


@dataclass(frozen=True)
class Value:
    """A figure of an outcome. `half_width` is that of the simulated mean's 95 % interval, none of one run; `open`: not all
    of its runs are finished, and it has no simulated value."""
    place: Place
    published: float | None = None
    simulated: float | None = None
    half_width: float | None = None
    range: Range | None = None
    open: bool = False


@dataclass(frozen=True)
class Figure:
    """A number that is read off each run of a cell."""
    place: Place
    read: Reading
    published: float | None = None
    range: Range | None = None


@dataclass
class Cell:
    """A scenario, run once per seed and draw of the network."""
    name: str
    scenario: Json
    figures: list[Figure]
    seeds: Sequence[int] = ()   # none: the study's
    cost: float = 1.0           # what a run may take, in any one unit: the cheapest run first
    draws: int = 1              # of the network, for each seed, whose figure is the mean over them


@dataclass(frozen=True)
class Count:
    """A figure that needs no run: a number of `ddlsim model`, in units of `unit`."""
    place: Place
    model: str
    key: str
    unit: float = 1.0
    published: float | None = None


@dataclass(frozen=True)
class Network:
    """How the messages of so many runs were carried."""
    text: str
    runs: int


class Unfinished(Exception):
    """A figure was asked for that is open."""


@dataclass
class Outcome:
    """The figures of a study: a value per place, in its order. `open`: cells whose runs are not all finished."""
    values: list[Value]
    networks: list[Network] = field(default_factory=list)
    open: list[str] = field(default_factory=list)


@dataclass(frozen=True)
class Verdict:
    finding: Finding = Finding.NOT_JUDGED
    numbers: str = ""         # by which it was decided
    unfinished: bool = False  # not judged, because runs are not finished

    @property
    def holds(self) -> bool:
        return self.finding is Finding.HOLDS


class Figures:
    """The figures of an outcome as a claim asks for them: f("accuracy", "VGG", "1x", "AD-PSGD")."""

    def __init__(self, study: Study, outcome: Outcome) -> None:
        self.size = study.size
        self._study = study
        self._values = {value.place: value for value in outcome.values}

    def __call__(self, table: str, *labels: object) -> Number:
        place = place_of(table, *labels)
        value = self._values.get(place)
        if value is None:
            raise DdlsimError(f'{self._study.name}: a claim asks for "{place}", which is no figure of this size')
        return self._number(value)

    def published(self, table: str, where: Where | None = None) -> Iterator[tuple[Mapping[str, str], Number]]:
        """The figures of a table for which something was published, with their labels by header; `where` names the labels
        that headers may have."""
        for labels, value in self._among(table, where):
            if value.published is not None:
                yield labels, self._number(value)

    def rank_correlation(self, table: str, without: str = "") -> Number:
        """Spearman's coefficient of published and simulated figures, but for rows of which the first label is `without`."""
        values = [value for _, value in self._among(table, None)
                  if value.place.row[0] != without and value.published is not None]
        simulated = [self._number(value).value for value in values]
        if any(map(math.isnan, simulated)):
            return Number(math.nan)
        return Number(correlation(ranks([value.published or 0.0 for value in values]), ranks(simulated)))

    def pairs(self, table: str, where: Where | None = None) -> tuple[int, int]:
        """Pairs of figures that differ in their row's last label alone and whose published ranges do not overlap; and how
        many of these are simulated in the other order, or equal."""
        groups: dict[tuple[tuple[str, ...], str], list[Value]] = {}
        for _, value in self._among(table, where):
            groups.setdefault((value.place.row[:-1], value.place.column), []).append(value)
        reversed_pairs, pairs = 0, 0
        for group in groups.values():
            for less in group:
                for more in group:
                    if less.range and more.range and less.range.most < more.range.least:
                        pairs += 1
                        reversed_pairs += not self._number(less).value < self._number(more).value
        return pairs, reversed_pairs

    def _among(self, table: str, where: Where | None) -> Iterator[tuple[Mapping[str, str], Value]]:
        layout = self._study.layout(table)
        accepted = {header: (labels,) if isinstance(labels, str) else labels for header, labels in (where or {}).items()}
        for value in self._values.values():
            if value.place.table != table:
                continue
            labels = dict(zip((*layout.row, layout.column), (*value.place.row, value.place.column)))
            if all(labels[header] in among for header, among in accepted.items()):
                yield labels, value

    def _number(self, value: Value) -> Number:
        if value.open:
            raise Unfinished
        half_width = value.half_width
        if half_width is None:
            half_width = self._study.layout(value.place.table).half_width_of_one
        return Number.measured(value.place, math.nan if value.simulated is None else value.simulated, half_width,
                               math.nan if value.published is None else value.published)


Judge = Callable[[Figures], tuple[Condition, str]]
"""Returns the condition of a claim, and the numbers by which it was decided, in words."""


@dataclass(frozen=True)
class Claim:
    """A statement that is judged by an outcome."""
    kind: Kind
    name: str               # by which a reason names it
    text: str
    accepted: str = ""      # the condition in words, laid down before the study runs
    judge: Judge | None = None  # none: not judged in this size, for a cause that names the claim


@dataclass(frozen=True)
class Cause:
    """A known reason why claims do not hold."""
    claims: tuple[str, ...]
    text: str


class Study:
    """A study in one size: `default`; `data`, small networks on images of files; `full`, the published networks."""

    def __init__(self, name: str, size: SizeName, data: str, title: str, source: str,
                 published: Mapping[Place, float]) -> None:
        self.name = name
        self.size = size
        self.data = data                   # the folder; "" without
        self.title = title
        self.source = source               # the publication
        self.conclusion = ""               # in words, beside the counts of verdicts
        self.scale = ""                    # what trains on what, and what is smaller than published
        self.seeds: Sequence[int] = (1,)
        self.words: dict[str, str] = {}    # by which words.md differs from size to size
        self.tables: list[Table] = []
        self.counts: list[Count] = []
        self.cells: dict[str, Cell] = {}   # by name
        self.claims: list[Claim] = []
        self.causes: list[Cause] = []
        self.notes: list[tuple[str, str]] = []  # a word of NOTES, and its text
        self.platforms: list[Path] = []    # files that scenarios name
        self._published = published
        self._places: set[Place] = set()

    def layout(self, table: str) -> Table:
        for one in self.tables:
            if one.name == table:
                return one
        raise DdlsimError(f"{self.name}: {table} is no table of this size")

    def places(self) -> list[Value]:
        """All figures as they are before any run, in order."""
        return ([Value(count.place, count.published) for count in self.counts] +
                [Value(figure.place, figure.published, range=figure.range)
                 for cell in self.cells.values() for figure in cell.figures])

    # --- what a study's own module says ---

    def table(self, name: str, title: str, row: Sequence[str], column: str, decimals: int = 1, *, on_page: bool = False,
              reference: str = "published", half_width_of_one: float = 0.0) -> None:
        self.tables.append(Table(name, title, tuple(row), column, decimals, reference, on_page, half_width_of_one))

    def count(self, place: Sequence[object], model: str, key: str, unit: float = 1.0) -> None:
        there = self._new_place(place)
        self.counts.append(Count(there, model, key, unit, self._published.get(there)))

    def cell(self, name: str, scenario: Json, figures: Readings, *, seeds: Sequence[int] = (),
             cost: float = 1.0, draws: int = 1, published: Sequence[float] = ()) -> None:
        """A cell and what is read off its runs, by place: (table, label, ..., column). `published`: values of several
        published runs, instead of one in published.csv."""
        if name in self.cells:
            raise DdlsimError(f"{self.name}: {name} is a cell already; expected each name once")
        self.cells[name] = Cell(name, scenario, [], seeds, cost, draws)
        self.read(name, figures, published)

    def read(self, cell: str, figures: Readings, published: Sequence[float] = ()) -> None:
        """More that is read off the runs of a cell."""
        for labels, reading in figures.items():
            place = self._new_place(labels)
            one = total(published) / len(published) if published else self._published.get(place)
            several = Range(min(published), max(published)) if published else None
            self.cells[cell].figures.append(Figure(place, reading, one, several))

    def _new_place(self, labels: Sequence[object]) -> Place:
        place = place_of(*labels)
        if len(place.row) != len(self.layout(place.table).row):
            raise DdlsimError(f'{self.name}: "{place}" has {len(place.row)} labels of a row; expected '
                              f"{len(self.layout(place.table).row)}")
        if place in self._places:
            raise DdlsimError(f'{self.name}: "{place}" is a figure already; expected each place once')
        self._places.add(place)
        return place


@dataclass(frozen=True)
class _ClaimOfSizes:
    kind: Kind
    name: str
    text: str | Mapping[str, str]
    accepted: str | Mapping[str, str]
    sizes: Sequence[str]
    judged: Sequence[str]
    judge: Judge | None

    def in_size(self, size: SizeName) -> Claim:
        text, accepted = ((one if isinstance(one, str) else one.get(size, one.get("else", "")))
                          for one in (self.text, self.accepted))
        return Claim(self.kind, self.name, text, accepted, self.judge if size in self.judged else None)


class Definition:
    """A study in all its sizes. A text may differ by size: {"full": ..., "else": ...}.

    `data` says what its folder of data is: "" (none, and no other size), "cifar-10", "cifar-10, full alone", or
    folders of that name in it: "mnist and cifar-10"; "tinyshakespeare" (the one size of such a study).
    """

    def __init__(self, file: str, *, what: str, title: str, source: str,
                 data: Literal["", "cifar-10", "cifar-10, full alone", "mnist and cifar-10", "tinyshakespeare"] = "") -> None:
        self.folder = Path(file).parent
        self.name = self.folder.name
        self.what = what
        self.data = data
        self._title = title
        self._source = source
        self._build: Callable[[Study], None] = lambda study: None
        self._claims: list[_ClaimOfSizes] = []

    def lines(self, file: str) -> list[dict[str, str]]:
        """Those of a table with a header in its folder. Raises InputError."""
        return list(csv.DictReader(_text_of(self.folder / file).splitlines()))

    def build(self, function: Callable[[Study], None]) -> Callable[[Study], None]:
        """Decorates the function that adds tables and cells."""
        self._build = function
        return function

    def claim(self, kind: Kind, name: str, text: str | Mapping[str, str], accepted: str | Mapping[str, str], *,
              sizes: Sequence[SizeName] = SIZES, judged: Sequence[SizeName] = SIZES) -> Callable[[Judge], Judge]:
        """Decorates the function that judges a claim: "published" (the source says so, in its words), "check" (asked beyond
        that) or "input" (a setting was chosen for it; it can be met or missed, and confirms nothing)."""
        def decorate(judge: Judge) -> Judge:
            self._claims.append(_ClaimOfSizes(kind, name, text, accepted, sizes, judged, judge))
            return judge
        return decorate

    def unjudged(self, kind: Kind, name: str, text: str) -> None:
        """A claim that no size judges, for a cause that names it."""
        self._claims.append(_ClaimOfSizes(kind, name, text, "", SIZES, (), None))

    def sized(self, size: SizeName = "default", data: str = "") -> Study:
        """Raises InputError where its files are wrong."""
        study = Study(self.name, size, data, self._title, self._source, _published_in(self.folder / "published.csv"))
        self._build(study)
        study.claims = sorted((claim.in_size(size) for claim in self._claims if size in claim.sizes),
                              key=lambda claim: KINDS.index(claim.kind))
        self._read_words(study)
        return study

    def _read_words(self, study: Study) -> None:
        """words.md: under "# Conclusion" and "# Size" a paragraph by size; under "# Words" those that stand for {word} further
        down, and differ by size; under "# Causes" paragraphs by claim, "## one; another (size, size)"; under "# Notes" by kind."""
        file = self.folder / "words.md"
        known = {"# Conclusion": SIZES, "# Size": SIZES, "# Words": None,
                 "# Causes": {claim.name for claim in self._claims}, "# Notes": NOTES}
        part, is_here = "", False
        names: tuple[str, ...] = ()
        for block in re.split("\n\n+", _text_of(file).strip("\n")):
            if block in known:
                part = block
            elif heading := re.fullmatch(r"## (.*?)(?: \(([^()]*)\))?", block):
                by_size = known.get(part) == SIZES
                names = tuple(re.split(", *" if by_size else "; *", heading[1]))
                sizes = re.split(", *", heading[2]) if heading[2] else names if by_size else SIZES
                is_here = study.size in sizes
                among = known.get(part, ())
                wrong = [name for name in names if among is not None and name not in among]
                wrong += [size for size in sizes if size not in SIZES]
                if wrong:
                    raise InputError(f'{file}: {block}: "{wrong[0]}" is neither a claim of the study, a kind of note '
                                     f"({', '.join(NOTES)}) nor a size ({', '.join(SIZES)})")
            elif is_here:
                text = _filled(block.replace("\n", " "), study.words, file)
                if part == "# Conclusion":
                    study.conclusion = text
                elif part == "# Size":
                    study.scale = text
                elif part == "# Words":
                    study.words[names[0]] = text
                elif part == "# Causes":
                    study.causes.append(Cause(names, text))
                else:
                    study.notes.append((names[0], text))
        for claim in study.claims:
            if claim.judge is None and not any(claim.name in cause.claims for cause in study.causes):
                raise InputError(f'{file}: has no reason why the claim "{claim.name}" is not judged; expected one')


def place_of(table: object, *labels: object) -> Place:
    *row, column = map(str, labels)
    return Place(str(table), tuple(row), column)


def judge(study: Study, outcome: Outcome) -> list[Verdict]:
    """By claim. What rests on runs that are not finished is not judged."""
    figures = Figures(study, outcome)
    return [_verdict(claim, figures) for claim in study.claims]


def _verdict(claim: Claim, figures: Figures) -> Verdict:
    if claim.judge is None:
        return Verdict()
    try:
        condition, numbers = claim.judge(figures)
    except Unfinished:
        return Verdict(unfinished=True)
    return Verdict(condition.finding, numbers)


def ranks(values: Sequence[float]) -> list[float]:
    """From 0; equal values share theirs."""
    return [sum(other < value for other in values) + (values.count(value) - 1) / 2 for value in values]


def correlation(a: Sequence[float], b: Sequence[float]) -> float:
    mean_a, mean_b = sum(a) / len(a), sum(b) / len(b)
    ab = sum((x - mean_a) * (y - mean_b) for x, y in zip(a, b))
    aa, bb = sum((x - mean_a) ** 2 for x in a), sum((y - mean_b) ** 2 for y in b)
    return ab / math.sqrt(aa * bb) if aa > 0 and bb > 0 else 0.0


def _published_in(file: Path) -> dict[Place, float]:
    """table, row (its labels with " | " between them), column, published."""
    if not file.exists():
        return {}
    figures: dict[Place, float] = {}
    reader = csv.DictReader(_text_of(file).splitlines())
    for line in reader:
        try:
            place = Place(line["table"], tuple(line["row"].split(" | ")), line["column"])
            number = float(line["published"])
        except (AttributeError, KeyError, TypeError, ValueError):
            raise InputError(f"{file}:{reader.line_num}: is no figure; expected table, row, column, published") from None
        if place in figures:
            raise InputError(f'{file}:{reader.line_num}: "{place}" is there twice; expected each figure once')
        figures[place] = number
    return figures


def _text_of(file: Path) -> str:
    try:
        return file.read_text(encoding="utf-8")
    except (OSError, UnicodeDecodeError) as error:
        raise InputError(f"{file}: cannot be read: {error}") from None


def _filled(text: str, words: Mapping[str, str], file: Path) -> str:
    try:
        return text.format_map(words)
    except KeyError as word:
        raise InputError(f'{file}: has no word for {{{word.args[0]}}}; words are {", ".join(words) or "none"}') from None
    except ValueError as error:
        raise InputError(f"{file}: {text[:40]}...: {error}") from None
