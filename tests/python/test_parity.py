"""The analysis says of small results what it said when it was C++: parity/README.md."""
import csv
import io
import json
import math
import re
import shlex
from pathlib import Path

import ddlsim
import pytest

from parity import cases

PARITY = Path(__file__).with_name("parity")
EXPECTED = PARITY / "expected"


@pytest.fixture(autouse=True)
def in_results(monkeypatch):
    monkeypatch.chdir(PARITY / "results")


def given(words):
    """Folders and options of a command line, as the functions of the package take them."""
    folders, options = [], {}
    rest = iter(shlex.split(words))
    for word in rest:
        name = word.removeprefix("--")
        if name == word:
            folders.append(word)
        elif name == "runs":
            options[name] = True
        else:
            value = next(rest)
            options[name] = (value.split(",") if name == "columns" else dict([value.split("=")]) if name == "label" else
                             float(value) if name == "target" else value)
    return folders, options


def check_alike(found, expected, where="", scale=0.0):
    """Numbers to 1e-9, all else exactly. An end of an interval may be off by as much as its mean, which is `scale`."""
    if isinstance(expected, float) and isinstance(found, (int, float)):
        assert math.isclose(found, expected, rel_tol=1e-9, abs_tol=1e-9 * scale), f"{where}: {found!r}, not {expected!r}"
    elif isinstance(expected, dict) and isinstance(found, dict):
        assert list(found) == list(expected), where
        for key, value in expected.items():
            check_alike(found[key], value, f"{where}.{key}", scale)
    elif isinstance(expected, list) and isinstance(found, list):
        assert len(found) == len(expected), f"{where}: {len(found)} of them, not {len(expected)}: {found}, not {expected}"
        for i, value in enumerate(expected):
            check_alike(found[i], value, f"{where}[{i}]", scale)
    else:
        assert found == expected, f"{where}: {found!r}, not {expected!r}"


def same_as_first(keys):
    """For each the index of the first that equals it."""
    return [keys.index(key) for key in keys]


# --- compare

@pytest.mark.parametrize("name", cases.COMPARE)
def test_compare(name):
    folders, options = given(cases.COMPARE[name])
    found = json.loads(ddlsim.compare(folders, **options).json())
    expected = json.loads((EXPECTED / f"compare/{name}.json").read_text())
    assert [[[run["folder"], run["seed"], run["stopped_by"], run["busiest_link"]] for run in group["runs"]]
            for group in found["groups"]] == [group["runs"] for group in expected["groups"]]
    for i, (group, told) in enumerate(zip(found["groups"], expected["groups"])):
        measures = {key: [value["count"], value.get("mean"), value.get("low"), value.get("high")]
                    for key, value in group["measures"].items()}
        assert list(measures) == list(told["measures"])
        for key, value in told["measures"].items():
            check_alike(measures[key], value, f"groups[{i}].{key}", abs(value[1] or 0.0))
        check_alike(group["collapsed"], told["collapsed"], f"groups[{i}].collapsed")
        check_alike(group.get("over_one_worker"), told.get("over_one_worker"), f"groups[{i}].over_one_worker")
        check_alike(settings(group), settings(told), f"groups[{i}].settings")
    check_varied([group["varied"] for group in found["groups"]], [group["varied"] for group in expected["groups"]])
    check_alike([[pair[key] for key in ("measure", "better", "other", "difference", "tie", "p", "within_noise")]
                 for pair in found["pairs"]], expected["pairs"], "pairs")
    check_alike(found["measured_and_simulated"], expected["measured_and_simulated"])


def settings(group):
    """Columns that are settings, without what is varied, which can be a column where rows are called by labels."""
    return {path: number_of(value) for path, value in group.get("settings", {}).items() if path not in group["varied"]}


def number_of(value):
    try:
        return float(value)
    except (TypeError, ValueError):
        return value


_CONTENT = {"platform_digest": "platform.file", "data_digest": "data.path"}


def check_varied(found, expected):
    """The same settings tell the same groups apart, and are told alike, but for what README.md says."""
    def paths(group):
        return [path for path in group if not path.startswith("platform.network.")]
    renamed = [_CONTENT.get(path, path) for path in paths(found[0])]
    contents = [path for path in renamed if path in _CONTENT.values()]
    in_order = [path for path in renamed if path not in contents] + contents
    told = paths(expected[0])
    assert in_order == [path for path in told if path not in contents] + contents
    def condition(group):
        return {path: value for path, value in group.items() if path != "seed"}
    classes = [same_as_first([condition(group) for group in groups]) for groups in (found, expected)]
    check_alike(*classes, "conditions")
    for ours, theirs in zip(found, expected):
        for path in paths(ours):
            value, before = ours[path], theirs[_CONTENT.get(path, path)]
            if path in _CONTENT or path == "measured":
                assert bool(value) == bool(before), path
            elif before or path.startswith("faults"):  # what the scenario left to its default
                check_alike(number_of(value), number_of(before), path)


@pytest.mark.parametrize("name", cases.COMPARE)
def test_labels_are_short_and_tell_rows_apart(name):
    folders, options = given(cases.COMPARE[name])
    labels = [group["label"] for group in json.loads(ddlsim.compare(folders, **options).json())["groups"]]
    assert len(set(labels)) == len(labels) and all(0 < len(label) <= 40 for label in labels), labels


# --- tables

@pytest.mark.parametrize("name", cases.TABLES)
def test_csv(name):
    folders, options = given(cases.TABLES[name])
    found = list(csv.DictReader(io.StringIO(ddlsim.compare(folders, **options).csv())))
    expected = list(csv.DictReader(io.StringIO((EXPECTED / f"tables/{name}.csv").read_text())))
    first = "platform.workers" if name == "grid" else "runs"  # conditions have columns where schemes share them
    check_alike([numbers(row, first) for row in found], [numbers(row, first) for row in expected])


def numbers(row, first):
    """The columns from `first` on."""
    columns = list(row)
    return {column: number_of(row[column]) for column in columns[columns.index(first):]}


@pytest.mark.parametrize("name", [name for name in cases.TABLES if name != "measured"])  # whose labels fill lines
@pytest.mark.parametrize("form, ending", (("markdown", "md"), ("latex", "tex")))
def test_tables_for_papers(name, form, ending):
    """Every word, but for titles of columns and labels."""
    folders, options = given(cases.TABLES[name])
    found = getattr(ddlsim.compare(folders, **options), form)()
    expected = (EXPECTED / f"tables/{name}.{ending}").read_text()
    expected = re.sub(r" (±|\$\\pm\$) 0(\.0+| B)(?= [|&\\])", "", expected)  # no spread is none to tell
    found = re.sub(r" \(every [^)]*\)", "", found)  # how often was evaluated, which C++ did not tell
    assert words_of(found) == words_of(expected.replace("platform.", ""))


def words_of(text):
    return " ".join(line.removeprefix("% ") for line in text.splitlines()).replace("scenario", "scheme").split()


# --- report

@pytest.mark.parametrize("words", cases.REPORT)
def test_report(words):
    page = ddlsim.report(shlex.split(words))
    found = json.loads(re.search(r'<script id="data" type="application/json">(.*?)</script>', page, re.DOTALL)[1])
    expected = json.loads((EXPECTED / f"report/{cases.name_of(words)}.json").read_text())
    for key in ("subtitle", "metric", "targets", "thinned", "t95"):
        check_alike(found[key], expected[key], key)
    conditions = [group["varied"] for group in expected["groups"]]
    is_grid = bool(expected["varied"]) and len(set(map(tuple, conditions))) < len(conditions)
    assert found["varied"] == ([path.rsplit(".", 1)[-1] for path in expected["varied"]] if is_grid else [])
    for i, (group, told) in enumerate(zip(found["groups"], expected["groups"])):
        for key in ("runs", "measures", "over_one_worker", *(["varied"] if is_grid else [])):
            check_alike(group.get(key), told.get(key), f"groups[{i}].{key}")
    for i, (run, told) in enumerate(zip(found["runs"], expected["runs"], strict=True)):
        check_alike({key: with_values(run[key]) for key in told}, {key: with_values(value) for key, value in told.items()},
                    f"runs[{i}]")
    for answer, told in zip([found["answer"], *found["answers"]], [expected["answer"], *expected["answers"]], strict=True):
        if is_grid or not expected["varied"]:
            check_alike(answer, told)
        else:
            check_alike(ranked_together(answer, expected), ranked_together(told, expected))
    if [group["scheme"] for group in found["groups"]] == [group["scheme"] for group in expected["groups"]]:
        for looks in (found["looks"], expected["looks"]):
            looks.pop("hierarchical_allreduce", None)  # it has no colour that was picked, and has got another
        check_alike(found["looks"], expected["looks"], "looks")


def with_values(members):
    """Measures of no value may be left out."""
    return {key: value for key, value in members.items() if value is not None} if isinstance(members, dict) else members


def ranked_together(answer, page):
    """Where no two groups share a condition, all of them in one order, whatever it was before."""
    less_is_better = answer["target"] is not None or page["metric"]["less_is_better"]
    order = [ranked for ranking in answer["rankings"] for ranked in ranking["order"] if ranked["value"]]
    order.sort(key=lambda ranked: ranked["value"][0] * (1 if less_is_better else -1))
    return {"measure": answer["measure"], "target": answer["target"], "order": order}


# --- plot

@pytest.mark.parametrize("name", cases.PLOT)
def test_plot(name, tmp_path):
    folders, options = given(cases.PLOT[name])
    ddlsim.plot(folders, tmp_path / "picture.svg", **options)
    found, expected = (list(csv.DictReader(file.read_text().splitlines()))
                       for file in (tmp_path / "picture.data.csv", EXPECTED / f"plot/{name}.csv"))
    assert list(found[0]) == list(expected[0])
    for column in {"panel", "series"} & set(found[0]):  # in the same order, whatever they are called
        names = [list(dict.fromkeys(row[column] for row in rows)) for rows in (found, expected)]
        for rows, known in zip((found, expected), names):
            for row in rows:
                row[column] = known.index(row[column])
    for row in [*found, *expected]:
        if row.get("runs") == "2" and not options.get("band"):
            row["low"] = row["high"] = ""  # two runs are drawn themselves, without an interval
    for i, (row, told) in enumerate(zip(found, expected)):
        check_alike({key: number_of(value) for key, value in row.items()},
                    {key: number_of(value) for key, value in told.items()}, f"{name}[{i}]", 1.0)
    assert len(found) == len(expected)


# --- refusals

@pytest.mark.parametrize("words", cases.REFUSED)
def test_what_was_refused_is_refused(words, tmp_path):
    folders, options = given(words)
    command = folders.pop(0)
    with pytest.raises(ddlsim.InputError) as refused:
        if command == "plot":
            ddlsim.plot(folders, tmp_path / "picture.svg", **options)
        else:
            getattr(ddlsim, command)(folders, **options)
    assert len(refused.value.lines) == 1 and not list(tmp_path.iterdir())
