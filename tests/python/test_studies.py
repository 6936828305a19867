"""Studies: their pages are what is said of their tables today, their claims take nothing missing for agreement, and what is
wrong in one is said in a line."""
import csv
from dataclasses import replace
from pathlib import Path

import pytest
from ddlsim import studies
from ddlsim.errors import DdlsimError, InputError
from ddlsim.studies import page as pages
from ddlsim.studies.number import Condition, Finding, every
from ddlsim.studies.readings import (FinishedRun, accuracy_after, final_accuracy, first, fluctuation, goes_into,
                                     largest_of_workers, least_of_workers, mean_of_workers, measure, percent_of_rows,
                                     percentile, points_learnt_late, rows)
from ddlsim.studies.study import Definition, Figures, Outcome, Place, Study, Unfinished, judge, place_of

from published_pages import PAGES, RESULTS, figures_in, outcome_of

TRAINING = ("ako_2018", "cui_2019", "iddl", "zhang")  # those that say something of a publication's networks


def sizes_of(name):
    definition = studies.definition(name)
    sizes = {"": ("default",), "cifar-10, full alone": ("default", "full"), "tinyshakespeare": ("data",)}.get(
        definition.data, ("default", "data", "full"))
    return {size: definition.sized(size, "" if size == "default" else "/d") for size in sizes}


def all_sizes():
    return [pytest.param(study, id=f"{name} {size}") for name in TRAINING for size, study in sizes_of(name).items()]


def changed(study, change):
    """The outcome in which every figure is as published, by what `change` makes of it."""
    return Outcome([change(replace(value, simulated=value.published, half_width=0.0)) for value in study.places()])


@pytest.mark.parametrize("page", PAGES, ids=lambda page: page.name)
def test_published_pages_are_what_is_said_of_their_tables(page):
    study = page.sized()
    outcome = outcome_of(study)
    assert outcome.networks
    assert pages.page(study, outcome, page.command) == (RESULTS / f"{page.name}.md").read_text(encoding="utf-8")
    tables = {table.name: pages.table_csv(table, outcome) for table in study.tables}
    for name, text in {**tables, "claims": pages.claims_csv(study, outcome)}.items():
        assert text == (RESULTS / "tables" / f"{page.name}_{name}.csv").read_text(encoding="utf-8"), name


@pytest.mark.parametrize("name, figure, rates", [
    ("cui_2019", ("learning", "literal", "test accuracy, %"), ("rates_accuracy",)),
    ("cui_2019_cifar", ("learning", "literal", "test accuracy, %"), ("rates_accuracy",)),
    ("zhang_cifar", ("accuracy", "VGG", "1x"), ("rates", "VGG"))])
def test_a_rate_that_a_study_calls_the_best_is_that_of_its_table(name, figure, rates):
    study = next(page for page in PAGES if page.name == name).sized()
    best = {}
    for place, (_, simulated, _) in figures_in(study).items():
        if (place.table, *place.row)[:len(rates)] == rates:
            best[place.column] = max(best.get(place.column, (0, 0)), (simulated, float(place.row[-1])))
    assert len(best) == 3
    for cell in study.cells.values():
        for one in cell.figures:
            if (one.place.table, *one.place.row) == figure:
                assert cell.scenario["training"]["optimizer"]["learning_rate"] == best.pop(one.place.column)[1]
    assert not best


@pytest.mark.parametrize("study", all_sizes())
def test_no_claim_takes_a_missing_figure_for_agreement(study):
    missing = Figures(study, changed(study, lambda value: replace(value, simulated=None)))
    for claim in study.claims:
        assert claim.judge is None or claim.judge(missing)[0].finding is not Finding.HOLDS, claim.name
    for column in {value.place.column for value in study.places()}:
        def without(**change):
            return Figures(study, changed(
                study, lambda value: replace(value, **change) if value.place.column == column else value))
        for claim in study.claims:
            if claim.judge is None:
                continue
            try:
                claim.judge(without(open=True))
            except Unfinished:  # it asks for the column
                assert claim.judge(without(simulated=None))[0].finding is not Finding.HOLDS, (claim.name, column)


@pytest.mark.parametrize("study", all_sizes())
def test_what_was_published_satisfies_what_is_claimed_of_it(study):
    # The LAN's published iterations are one worker's and the WAN's are all workers': no reading fits both.
    contradictions = {"iterations on the LAN"}
    whole, published = (Figures(study, changed(study, change)) for change in (
        lambda value: replace(value, open=value.published is None), lambda value: value))
    for claim in study.claims:
        if claim.judge is None or claim.kind == "input":
            continue
        try:
            claim.judge(whole)
        except Unfinished:  # for something of it nothing was published
            continue
        assert claim.judge(published)[0].holds == (claim.name not in contradictions), claim.name


@pytest.mark.parametrize("study", all_sizes())
def test_a_published_claim_stands_once_and_says_what_is_accepted(study):
    published = [claim.name for claim in study.claims if claim.kind == "published"]
    assert len(published) == len(set(published))
    assert all(claim.accepted for claim in study.claims if claim.judge)


@pytest.mark.parametrize("name", studies.names())
def test_every_published_figure_is_a_figure_of_some_size(name):
    there = {value.place for study in sizes_of(name).values() for value in study.places()}
    file = studies.definition(name).folder / "published.csv"
    lines = list(csv.DictReader(file.open(encoding="utf-8"))) if file.exists() else []
    for line in lines:
        assert place_of(line["table"], *line["row"].split(" | "), line["column"]) in there


def test_p1_of_tf_ako_is_judged_where_n_minus_1_models_take_the_slowest_link_longer_than_n_the_servers():
    study = studies.definition("ako_2018").sized()
    computed = set()
    for cell in study.cells.values():
        place = cell.figures[0].place
        if (place.table, place.column) == ("accuracy", "P=1"):
            *links, server = (float(link.removesuffix("Mbps")) for link in cell.scenario["platform"]["bandwidth"])
            if (len(links) - 1) / (len(links) * min(links)) > 1 / server:
                computed.add(place)
    assert len(computed) == 4
    outcome = changed(study, lambda value: replace(value, simulated=40.0 if value.place in computed else 50.0))
    claim = next(claim for claim in study.claims if claim.name == "P=1 as computed")
    assert claim.judge(Figures(study, outcome))[0].holds


def test_the_48_cells_of_tf_ako_differ_in_network_workers_and_training_system_only():
    cells = [cell.scenario for cell in studies.definition("ako_2018").sized().cells.values()
             if cell.figures[0].place.table == "accuracy"]
    assert len(cells) == 48
    for scenario in cells:  # and in the weight of a gradient: a server takes a whole step of Adam for each
        scenario = {**scenario, "platform": None, "algorithm": None,
                    "training": {**scenario["training"], "gradient_scale": None}}
        assert scenario == {**cells[0], "platform": None, "algorithm": None,
                            "training": {**cells[0]["training"], "gradient_scale": None}}


@pytest.mark.parametrize("accuracies, finding", [
    ((90, 91, 92), Finding.HOLDS), ((90.4, 90.2, 90), Finding.HOLDS),  # reversed by less than half a point in all
    ((90.6, 90.3, 90), Finding.FAILS), ((90, 92, 91), Finding.FAILS)])  # two steps, each of less than half a point
def test_accuracies_of_zhang_are_in_order_if_no_two_are_reversed_by_more_than_a_tie(accuracies, finding):
    study = studies.definition("zhang").sized()
    of = dict(zip(("AllReduce", "D-PSGD", "AD-PSGD"), accuracies))
    outcome = changed(study, lambda value: replace(value, simulated=float(of.get(value.place.column, 0))))
    claim = next(claim for claim in study.claims if claim.name == "Table 1, ResNet-20")
    assert claim.judge(Figures(study, outcome))[0].finding is finding


# --- a study made here ---

WORDS = """# Size

## default, data

{steps} steps.

# Causes

## longer; pigs

they have
no wings

## cows

nobody listened

# Notes

## Assumed (default)

nothing
"""


@pytest.fixture
def example(tmp_path):
    """Three cells whose seconds are published, and claims of them."""
    (tmp_path / "published.csv").write_text("table,row,column,published\ntimes,short,single,1\ntimes,long,single,2\n")
    (tmp_path / "words.md").write_text(WORDS.replace("{steps}", "Ten"))
    made = Definition(str(tmp_path / "__init__.py"), what="an example", title="An example", source="nobody, never")

    @made.build
    def build(s):
        s.seeds = (1, 2)
        s.table("times", "Times, s", ["cell"], "system", 1, on_page=True)
        for name in ("short", "long", "longer"):
            s.cell(name, {"algorithm": "single"}, {("times", name, "single"): measure("simulated_seconds")})

    @made.claim("input", "short", "short takes 0.5 s", accepted="exact")
    def _(f):
        return f("times", "short", "single").equals(0.5), "as given"

    @made.claim("published", "longer", "long is longer than short", accepted="more than once")
    def _(f):
        ratio = f("times", "long", "single") / f("times", "short", "single")
        return ratio > 1, f"{ratio:.0f} times"

    @made.claim("published", "pigs", "pigs fly", accepted="one")
    def _(f):
        return every([f("times", "short", "single") < 0]), "0 of 3"

    made.unjudged("published", "cows", "cows sing")
    return made


def example_outcome(study, long=2.0):
    simulated = {"short": 0.5, "long": long, "longer": None}
    half_widths = {"short": 0.2}
    return Outcome([replace(value, simulated=simulated[value.place.row[0]], half_width=half_widths.get(value.place.row[0]))
                    for value in study.places()])


def test_a_page_and_its_tables_say_published_simulated_ratio_and_which_claims_fail_why(example):
    study = example.sized()
    study.name = "example"
    outcome = example_outcome(study)
    assert pages.table_csv(study.tables[0], outcome) == (
        "cell,system,published,simulated,ratio,half_width\n"
        "short,single,1,0.5,0.5,0.2\nlong,single,2,2,1,\nlonger,single,,,,\n")
    assert pages.claims_csv(study, outcome) == (
        "kind,claim,verdict,numbers,accepted\npublished,long is longer than short,holds,4 times,more than once\n"
        "published,pigs fly,fails,0 of 3,one\npublished,cows sing,not judged,,\n"
        "input,short takes 0.5 s,met,as given,exact\n")
    assert pages.page(study, outcome, "ddlsim reproduce example") == """# An example

**Published claims: 1 holds, 1 fails, 1 not judged. Inputs: 1 met.**

Source: nobody, never

Size: Ten steps.

Made by `ddlsim reproduce example`; figures are means of seeds 1, 2 with their 95 % intervals, where these differ.

## Published claims

| | claim | verdict | by | accepted |
| --- | --- | --- | --- | --- |
| 1 | long is longer than short | holds | 4 times | more than once |
| 2 | pigs fly | **fails** | 0 of 3 | one |
| 3 | cows sing | **not judged** |  |  |

## Inputs

| | claim | verdict | by | accepted |
| --- | --- | --- | --- | --- |
| 4 | short takes 0.5 s | met | as given | exact |

## Why

*2.* they have no wings

*3.* nobody listened

## Figures

Times, s, published/simulated:

| cell | single |
| --- | --- |
| short | 1.0/0.5 ±0.2 |
| long | 2.0/2.0 |
| longer | -/- |

All, with intervals: [times](tables/example_times.csv).

## What the figures rest on

- **Assumed.** nothing
"""


def test_sizes_have_their_own_words(example):
    assert example.sized("data").notes == [] and example.sized("data").scale == "Ten steps."
    assert example.sized("full").scale == ""


def test_of_a_study_that_is_not_whole_no_claim_is_judged_that_needs_the_rest(example):
    study = example.sized()
    outcome = example_outcome(study)
    outcome.values[1] = replace(outcome.values[1], open=True, simulated=None)
    outcome.open = ["long"]
    verdicts = judge(study, outcome)
    assert [verdict.finding.value for verdict in verdicts] == ["not judged", "fails", "not judged", "holds"]
    assert [verdict.unfinished for verdict in verdicts] == [True, False, False, False]
    text = pages.page(study, outcome, "again")
    assert ("**Not whole**: 1 of 3 cells are not finished and have no figures, and no claim that needs them is judged. "
            "Open: long.") in text
    assert "Made by `again --finished`; " in text and "*2.* they have no wings" in text  # the first claim may yet hold


def test_a_figure_of_one_run_has_the_interval_that_its_table_states(example):
    study = example.sized()
    study.tables = [replace(study.tables[0], half_width_of_one=3.0)]
    half_widths = [Figures(study, example_outcome(study))("times", cell, "single").half_width for cell in ("short", "long")]
    assert half_widths == [0.2, 3.0]


def test_pairs_whose_published_ranges_do_not_overlap_are_reversed_if_simulated_the_other_way_or_equal(tmp_path):
    made = Definition(str(tmp_path / "__init__.py"), what="", title="", source="")
    (tmp_path / "words.md").write_text("# Notes\n")

    @made.build
    def build(s):
        s.table("cycles", "", ["network", "scheme"], "model")
        for scheme, published in (("gossip", (1.0, 1.2)), ("ring", (1.4, 1.6)), ("other", (1.1, 1.5))):  # "other" overlaps
            s.cell(scheme, {}, {("cycles", "uniform", scheme, "packets"): measure("x")}, published=published)

    def pairs(gossip, ring, other):
        study = made.sized()
        values = [replace(value, simulated=seconds) for value, seconds in zip(study.places(), (gossip, ring, other))]
        return Figures(study, Outcome(values)).pairs("cycles", {"model": "packets"})
    assert [pairs(1.2, 1.3, 9), pairs(1.3, 1.3, 1), pairs(1.3, 1.2, 1)] == [(1, 0), (1, 1), (1, 1)]


def test_ranks_correlate(example):
    study = example.sized()

    def coefficient(*simulated):
        values = [replace(value, published=published, simulated=one)
                  for value, published, one in zip(study.places(), (1.0, 2.0, 3.0), simulated)]
        return Figures(study, Outcome(values)).rank_correlation("times").value
    assert coefficient(30, 20, 10) == pytest.approx(-1)
    assert coefficient(7, 7, 9) == pytest.approx(1.5 / (2 * 1.5) ** 0.5)  # ranks 0, 1, 2 against 0.5, 0.5, 2
    assert coefficient(1, None, 2) != coefficient(1, None, 2)  # no number


def test_the_study_of_the_readme_is_one(tmp_path):
    text = (Path(studies.__file__).parent / "README.md").read_text(encoding="utf-8")
    (tmp_path / "words.md").write_text("# Notes\n")
    names = {"__file__": str(tmp_path / "__init__.py"), "every": every, "final_accuracy": final_accuracy,
             "Definition": Definition, "Study": Study, "Figures": Figures, "Condition": Condition}
    exec(text.split("```python\n")[1].split("```")[0], names)
    study = names["study"].sized()
    assert list(study.cells) == ["ako_2", "ps_async_2", "ako_4", "ps_async_4"]
    outcome = Outcome([replace(value, simulated=80.0 + (value.place.column == "ako")) for value in study.places()])
    assert [(verdict.finding.value, verdict.numbers) for verdict in judge(study, outcome)] == [("holds", "+1.0, +1.0")]


# --- what is wrong ---


@pytest.mark.parametrize("file, old, new, what", [
    ("words.md", "longer; pigs", "longer; pgs", '## pgs" is neither'),
    ("words.md", "## Assumed (default)", "## Assumed (small)", '"small" is neither a claim of the study, a kind of note'),
    ("words.md", "## Assumed", "## Guessed", '"Guessed" is neither'),
    ("words.md", "Ten steps.", "{many} steps.", "has no word for {many}"),
    ("words.md", "## cows", "## pigs", 'has no reason why the claim "cows" is not judged; expected one'),
    ("published.csv", "times,long", "times,short", '"times | short | single" is there twice; expected each figure once'),
    ("published.csv", "single,2", "single,two", "published.csv:3: is no figure; expected table, row, column, published")])
def test_a_study_that_is_wrong_is_one_line_with_its_file(example, tmp_path, file, old, new, what):
    path = tmp_path / file
    path.write_text(path.read_text().replace(old, new, 1))
    with pytest.raises(InputError) as error:
        example.sized()
    line = str(error.value)
    assert line.startswith(str(path)) and what.removeprefix("## ") in line and "\n" not in line


def test_wrong_cells_and_figures_are_refused(example):
    study = example.sized()
    reading = {("times", "other", "single"): measure("x")}
    for change, what in ((lambda: study.cell("short", {}, {}), "short is a cell already"),
                         (lambda: study.read("short", {("times", "long", "single"): measure("x")}), "is a figure already"),
                         (lambda: study.read("short", {("times", "a", "b", "single"): measure("x")}), "has 2 labels"),
                         (lambda: study.read("short", {("tmes", "a", "single"): measure("x")}), "tmes is no table"),
                         (lambda: Figures(study, example_outcome(study))("times", "none", "single"), "no figure of this")):
        with pytest.raises(DdlsimError, match=what):
            change()
    study.read("short", reading)
    assert Place("times", ("other",), "single") in {value.place for value in study.places()}


@pytest.mark.parametrize("words, what", [
    ({"name": "ako_2081"}, '"ako_2081" is no study; did you mean "ako_2018"?'),
    ({"name": "ako_2018", "full": True},
     "reproduce --full: needs CIFAR-10; expected --data with the folder of CIFAR-10's files"),
    ({"name": "ako_2018", "data": "x"}, "reproduce --data: is for --full alone, which trains on CIFAR-10"),
    ({"name": "zhang", "data": "absent"},
     "reproduce --data absent: is not the folder of CIFAR-10's files; expected a folder that is"),
    ({"name": "iddl", "data": "."},
     "reproduce --data .: is not the folder of mnist/ and cifar-10/; expected a folder that is"),
    ({"name": "gpt_diloco"},
     "reproduce gpt_diloco: has one size; expected it with --data, the folder of tinyshakespeare/, and without --full"),
    ({"name": "collectives", "full": True},
     "reproduce collectives: trains no network; expected it without --full and --data")])
def test_what_cannot_be_reproduced_is_refused(words, what, tmp_path, monkeypatch):
    monkeypatch.delenv("DDLSIM_DATA", raising=False)
    monkeypatch.chdir(tmp_path)
    with pytest.raises(InputError) as error:
        studies.reproduce(out=tmp_path / "out", **words)
    assert str(error.value) == what and not list(tmp_path.iterdir())


# --- readings ---


@pytest.fixture
def run(results):
    folder = results.add("ako", workers=("w0", "w1"), utilisation=0.25)
    lines = [f"w{i % 2},{i},0,0,0,{(100 - i) / 100},,,0" for i in range(100)]
    lines += ["w0,9500,0,0,0,0.5,1,0.5,0", "w1,9999,0,0,0,0.5,3,1,0"]
    header = "worker,iteration,start_s,compute_s,wait_s,end_s,train_loss,train_accuracy,staleness\n"
    (folder / "iterations.csv").write_text(header + "\n".join(lines) + "\n")
    (folder / "requests.csv").write_text(
        "request,threshold,exit,arrival_s,answer_s,latency_s,bytes,correct\n"
        "0,,w1,0,1,1,4,1\n1,,w1,1,2,1,4,0\n2,,w1,2,3,1,4,1\n3,,w1,3,4,1,4,1\n0,,w0,4,5,1,0,0\n")
    (folder / "curve.csv").write_text(
        "time_s,worker,iteration,samples,epoch,bytes_sent,train_loss,test_loss,test_accuracy\n"
        "0,mean,0,0,0,0,,1,0.1\n1,mean,10,0,0,0,,1,0.5\n1,w0,10,0,0,0,,1,0.4\n1,w1,10,0,0,0,,1,0.6\n"
        "2,mean,100,0,0,0,,1,0.7\n2,w0,100,0,0,0,,1,0.9\n2,w1,100,0,0,0,,1,0.5\n")
    return FinishedRun(folder)


def seconds(t):
    return t.end_s - t.start_s


@pytest.mark.parametrize("reading, value", [
    (rows("iterations", seconds, percentile(1), among=lambda t: t.iteration < 100), 0.01),
    (rows("iterations", seconds, percentile(99), among=lambda t: t.iteration < 100), 0.99),
    (percent_of_rows("iterations", lambda t: seconds(t) < 0.7, among=lambda t: t.iteration < 100), 69),
    (rows("iterations", lambda t: t.train_loss), 2),  # of the rows that have one
    (rows("iterations", lambda t: 100 * t.train_accuracy, among=lambda t: t.iteration >= 9500), 75),
    (rows("iterations", lambda t: t.train_loss, least_of_workers), 1),
    (rows("iterations", lambda t: t.train_loss, largest_of_workers), 3),
    (rows("iterations", lambda t: t.iteration ** 2, mean_of_workers, among=lambda t: t.iteration < 3), 1.5),  # 0 and 4; 1
    (percent_of_rows("requests", lambda t: t.correct == 1, among=lambda t: t.exit == "w1"), 75),
    (percent_of_rows("requests", lambda t: t.correct == 1, among=lambda t: t.exit == "w2"), None),
    (rows("curve", lambda t: t.iteration * 2, first, among=lambda t: t.test_accuracy >= 0.6, worker="mean"), 200),
    (rows("curve", lambda t: 100 * t.test_accuracy, least_of_workers, among=lambda t: t.iteration >= 100), 50),
    (final_accuracy(), 70), (final_accuracy(3), 60),  # without the start
    (accuracy_after(0.1), 50), (points_learnt_late, 10), (fluctuation, 0),
    (measure("final_accuracy.mean", 0.01), 80), (measure("time_to_accuracy_s.0.9"), None),
    (goes_into(120, "simulated_seconds"), 2)])
def test_figures_are_read_off_a_run(run, reading, value):
    assert reading(run) == (None if value is None else pytest.approx(value))
