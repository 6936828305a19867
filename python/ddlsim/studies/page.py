"""A study's page and tables: results/<study>.md and results/tables/<study>_*.csv."""
from __future__ import annotations

import csv
import io
from collections.abc import Sequence
from pathlib import Path

from ..errors import InputError
from ..files import write_whole
from ..table import Cell as Shown
from ..table import Column
from ..table import Table as ShownTable
from ..units import counted, plain
from .number import Finding
from .study import KINDS, NOTES, Claim, Kind, Outcome, Study, Table, Value, Verdict, judge

_TITLES: dict[Kind, str] = {"published": "Published claims", "check": "Checks of ours", "input": "Inputs"}
_WORDS_OF_INPUT = {Finding.HOLDS: "met", Finding.FAILS: "missed"}
_WORDS_OF_SEVERAL = {Finding.HOLDS: "hold", Finding.FAILS: "fail"}


def counts_of(study: Study, verdicts: Sequence[Verdict]) -> str:
    """Published claims: 2 hold, 1 fails. Inputs: 1 met"""
    parts = []
    for kind in KINDS:
        findings = [verdict.finding for claim, verdict in zip(study.claims, verdicts) if claim.kind == kind]
        counts = [f"{count} {_word(kind, finding, count)}" for finding in Finding if (count := findings.count(finding))]
        if counts:
            parts.append(f"{_TITLES[kind]}: {', '.join(counts)}")
    return ". ".join(parts)


def table_csv(table: Table, outcome: Outcome) -> str:
    lines = [[*table.row, table.column, table.reference, "simulated", "ratio", "half_width"]]
    for value in _values_of(table, outcome):
        ratio = value.simulated / value.published if value.simulated is not None and value.published else None
        numbers = (value.published, value.simulated, ratio, value.half_width)
        lines.append([*value.place.row, value.place.column, *map(plain, numbers)])
    return _csv(lines)


def claims_csv(study: Study, outcome: Outcome) -> str:
    lines = [["kind", "claim", "verdict", "numbers", "accepted"]]
    for claim, verdict in zip(study.claims, judge(study, outcome)):
        lines.append([claim.kind, claim.text, _word(claim.kind, verdict.finding), verdict.numbers, claim.accepted])
    return _csv(lines)


def page(study: Study, outcome: Outcome, command: str) -> str:
    """In Markdown. `command` makes the study whole."""
    verdicts = judge(study, outcome)
    judged = list(zip(range(1, len(verdicts) + 1), study.claims, verdicts))  # numbered through all kinds
    parts = [f"# {study.title}", f"**{counts_of(study, verdicts)}.**"]
    if study.conclusion:
        parts.append(study.conclusion)
    if outcome.open:
        parts.append(f"**Not whole**: {len(outcome.open)} of {len(study.cells)} cells are not finished and have no figures, "
                     f"and no claim that needs them is judged. Open: {', '.join(outcome.open)}.")
    parts.append(f"Source: {study.source}")
    if study.scale:
        parts.append(f"Size: {study.scale}")
    parts.append(f"Made by `{command}{' --finished' if outcome.open else ''}`; {_seeds_text(study)}")
    for kind in KINDS:
        parts += _claims_section(kind, [one for one in judged if one[1].kind == kind])
    parts += _causes_section(study, judged)
    parts.append("## Figures")
    parts += [_shown_table(table, outcome) for table in study.tables if table.on_page]
    files = ", ".join(f"[{table.name}](tables/{study.name}_{table.name}.csv)" for table in study.tables)
    parts.append(f"All, with intervals: {files}.")
    notes = [f"- **Network.** {network.text} in {counted(network.runs, 'run')}." for network in outcome.networks]
    notes += [f"- **{kind}.** {text}" for kind in NOTES for of, text in study.notes if of == kind]
    parts += ["## What the figures rest on", "\n".join(notes)]
    return "\n\n".join(parts) + "\n"


def write(out: Path, study: Study, outcome: Outcome, command: str) -> Path:
    """Writes tables and page below `out`, and returns the page's path. Raises InputError."""
    try:
        (out / "tables").mkdir(parents=True, exist_ok=True)
    except OSError as error:
        raise InputError(f"{out / 'tables'}: cannot be made: {error.strerror}") from None
    for table in study.tables:
        write_whole(out / "tables" / f"{study.name}_{table.name}.csv", table_csv(table, outcome).encode())
    write_whole(out / "tables" / f"{study.name}_claims.csv", claims_csv(study, outcome).encode())
    file = out / f"{study.name}.md"
    write_whole(file, page(study, outcome, command).encode())
    return file


def _word(kind: Kind, finding: Finding, count: int = 1) -> str:
    if kind == "input":
        return _WORDS_OF_INPUT.get(finding, finding.value)
    return _WORDS_OF_SEVERAL.get(finding, finding.value) if count > 1 else finding.value


def _claims_section(kind: Kind, judged: Sequence[tuple[int, Claim, Verdict]]) -> list[str]:
    lines = ["| | claim | verdict | by | accepted |", "| --- | --- | --- | --- | --- |"]
    for number, claim, verdict in judged:
        word = _word(kind, verdict.finding)
        shown = word if verdict.holds else f"**{word}**"
        lines.append(f"| {number} | {claim.text} | {shown} | {verdict.numbers} | {claim.accepted} |")
    return [f"## {_TITLES[kind]}", "\n".join(lines)] if judged else []


def _causes_section(study: Study, judged: Sequence[tuple[int, Claim, Verdict]]) -> list[str]:
    """Each cause with the numbers of those of its claims that do not hold, and whose runs are finished."""
    parts = []
    for cause in study.causes:
        numbers = [str(number) for number, claim, verdict in judged
                   if claim.name in cause.claims and not verdict.holds and not verdict.unfinished]
        if numbers:
            parts.append(f"*{', '.join(numbers)}.* {cause.text}")
    return ["## Why", *parts] if parts else []


def _seeds_text(study: Study) -> str:
    if len(study.seeds) == 1:
        return f"figures are of one run each, seed {study.seeds[0]}."
    differs = any(cell.seeds and len(cell.seeds) != len(study.seeds) for cell in study.cells.values())
    return (f"figures are means of seeds {', '.join(map(str, study.seeds))}"
            f"{' (in some cells more or fewer)' if differs else ''} with their 95 % intervals, where these differ.")


def _values_of(table: Table, outcome: Outcome) -> list[Value]:
    return [value for value in outcome.values if value.place.table == table.name]


def _shown_table(table: Table, outcome: Outcome) -> str:
    """A line for each row's labels and a column for each column's: "published/simulated" with its interval, or the simulated
    value alone where nothing was published in the table."""
    values = _values_of(table, outcome)
    with_published = any(value.published is not None for value in values)
    columns = list(dict.fromkeys(value.place.column for value in values))
    lines: dict[tuple[str, ...], dict[str, str]] = {}
    for value in values:
        published = f"{_shown(value.published, table.decimals)}/" if with_published else ""
        lines.setdefault(value.place.row, {})[value.place.column] = published + _with_interval(value, table.decimals)
    shown = ShownTable([Column(title, title) for title in (*table.row, *columns)])
    for row, texts in lines.items():
        shown.rows.append([Shown(text) for text in (*row, *(texts.get(column, "") for column in columns))])
    what = f", {table.reference}/simulated" if with_published else ""
    return f"{table.title}{what}:\n\n{shown.markdown()}".rstrip("\n")


def _with_interval(value: Value, decimals: int) -> str:
    """With the half width of its interval, if there is one to be seen in so many digits."""
    mean, width = _shown(value.simulated, decimals), _shown(value.half_width, decimals)
    return f"{mean} ±{width}" if width.strip("0.-") else mean


def _shown(number: float | None, decimals: int) -> str:
    return "-" if number is None else f"{number:.{decimals}f}"


def _csv(lines: Sequence[Sequence[str]]) -> str:
    text = io.StringIO()
    csv.writer(text, lineterminator="\n").writerows(lines)
    return text.getvalue()
