"""The pages of studies in results/, made of the figures in their tables: what `ddlsim reproduce` would say of them today.

    python3 tests/python/published_pages.py      writes them again, which needs no run
"""
import csv
import re
import sys
from dataclasses import dataclass, replace
from pathlib import Path

ROOT = Path(__file__).resolve().parents[2]
sys.path.insert(0, str(ROOT / "python"))

from ddlsim.studies import definition, page  # noqa: E402
from ddlsim.studies.study import Network, Outcome, Place  # noqa: E402

RESULTS = ROOT / "results"


@dataclass(frozen=True)
class Page:
    name: str
    study: str
    size: str = "default"
    options: str = ""

    def sized(self):
        study = definition(self.study).sized(self.size, "" if self.size == "default" else "/d")
        study.name = self.name
        return study

    @property
    def command(self):
        return f"ddlsim reproduce {self.study}{self.options}"


PAGES = (Page("ako_2018", "ako_2018"), Page("ako_2018_full", "ako_2018", "full", " --full --data DIR"),
         Page("collectives", "collectives"), Page("cui_2019", "cui_2019"),
         Page("cui_2019_cifar", "cui_2019", "data", " --data DIR"), Page("diloco_bandwidth", "diloco_bandwidth"),
         Page("diloco_measured", "diloco_measured"), Page("ec2", "ec2"), Page("hivemind", "hivemind"),
         Page("gpt_diloco", "gpt_diloco", "data", " --data DIR"), Page("tc_cluster", "tc_cluster"),
         Page("iddl", "iddl", "data", " --data DIR"), Page("validation", "validation"),
         Page("zhang", "zhang"), Page("zhang_cifar", "zhang", "data", " --data DIR"))


def figures_in(study):
    """By place: what was published, simulated, and half the width of its interval."""
    figures = {}
    for table in study.tables:
        with open(RESULTS / "tables" / f"{study.name}_{table.name}.csv", newline="", encoding="utf-8") as file:
            for line in list(csv.reader(file))[1:]:
                row, (column, published, simulated, _, half_width) = line[:len(table.row)], line[len(table.row):]
                figures[Place(table.name, tuple(row), column)] = [float(text) if text else None
                                                                  for text in (published, simulated, half_width)]
    return figures


def outcome_of(study):
    """In the study's order; how messages were carried, which no table has, is as the page says. A cell without figures is
    open."""
    figures = figures_in(study)
    open_cells = [name for name, cell in study.cells.items()
                  if all(figures[figure.place][1] is None for figure in cell.figures)]
    open_places = {figure.place for name in open_cells for figure in study.cells[name].figures}
    values = []
    for value in study.places():
        published, simulated, half_width = figures.pop(value.place)
        values.append(replace(value, published=published, simulated=simulated, half_width=half_width,
                              open=value.place in open_places))
    assert not figures, f"{study.name}: figures that the study does not have: {list(figures)}"
    text = (RESULTS / f"{study.name}.md").read_text(encoding="utf-8")
    networks = re.findall(r"^- \*\*Network\.\*\* (.*) in ([0-9,]+) runs?\.$", text, re.MULTILINE)
    return Outcome(values, [Network(network, int(runs.replace(",", ""))) for network, runs in networks], open_cells)


if __name__ == "__main__":
    for one in PAGES:
        page.write(RESULTS, one.sized(), outcome_of(one.sized()), one.command)
