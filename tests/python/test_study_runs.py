"""Runs of a study with a fake program in place of `ddlsim batch`: what is kept, what is run again, what a failure says."""
import argparse
import fcntl
import inspect
import json
import os
import stat
import sys
import time
from pathlib import Path

import pytest
from ddlsim import batch, cli
from ddlsim.errors import DdlsimError, InputError, RunFailed
from ddlsim.studies import add_arguments, command, page, reproduce, running
from ddlsim.studies.readings import measure, rows
from ddlsim.studies.study import Definition, Outcome


@pytest.fixture
def program(tmp_path, monkeypatch):
    """The fake as the program; returns the jobs that it was given so far."""
    fake, log = tmp_path / "ddlsim", tmp_path / "log"
    fake.write_text(f"#!/bin/sh\nexec {sys.executable} {Path(__file__).parent / 'fake_batch.py'} \"$@\"\n")
    fake.chmod(fake.stat().st_mode | stat.S_IXUSR)
    monkeypatch.setenv("DDLSIM", str(fake))
    monkeypatch.setenv("FAKE_LOG", str(log))
    return lambda: [json.loads(line) for line in log.read_text().splitlines()] if log.exists() else []


def study_of(tmp_path, **cells):
    """Cells of so many simulated seconds, to which the fake adds the seed: a scenario each, or with how it is run."""
    folder = tmp_path / "definition"
    folder.mkdir(exist_ok=True)
    (folder / "words.md").write_text("# Notes\n")
    made = Definition(str(folder / "__init__.py"), what="", title="", source="")

    @made.build
    def build(s):
        s.seeds = (1, 2, 3)
        s.table("times", "Times, s", ["cell"], "system")
        for name, cell in cells.items():
            how = cell if isinstance(cell, dict) else {"scenario": {"seconds": cell}}
            s.cell(name, figures={("times", name, "x"): measure("simulated_seconds")}, **how)
    study = made.sized()
    study.name = "example"
    return study


def simulated(outcome):
    return [(value.simulated, value.half_width) for value in outcome.values]


def test_figures_are_means_over_seeds_in_the_studys_order_and_the_cheapest_run_is_first(program, tmp_path):
    dear = {"scenario": {"seconds": 10}, "cost": 5.0}
    seeds = {"scenario": {"seconds": 20}, "seeds": (7,)}
    told = []
    outcome = running.run_study(study_of(tmp_path, dear=dear, own=seeds), tmp_path / "out", progress=told.append)
    assert simulated(outcome) == [(12.0, pytest.approx(4.303 / 3**0.5, rel=1e-3)), (27.0, None)]
    order = [(job["scenario"]["name"], job["seed"]) for job in program()]
    assert order == [("own", 7), ("dear", 1), ("dear", 2), ("dear", 3)]
    assert [(one.finished, one.kept, one.runs) for one in told] == [(1, 0, 4), (2, 0, 4), (3, 0, 4), (4, 0, 4)]
    assert [(network.text, network.runs) for network in outcome.networks] == [("TCP, carried by SimGrid", 4)]
    assert (tmp_path / "out/cells/example/dear/3/run.json").exists()


def test_a_cell_may_have_several_draws_of_the_network_over_which_a_seeds_figure_is_the_mean(program, tmp_path):
    cell = {"scenario": {"seconds": 0, "platform": {"workers": 2, "network": {"model": "packets"}}}, "draws": 2}
    outcome = running.run_study(study_of(tmp_path, both=cell), tmp_path / "out")
    assert simulated(outcome) == [(17.0, pytest.approx(4.303 / 3**0.5, rel=1e-3))]  # (10 + 20) / 2, and the seed
    draws = {(job["scenario"]["name"], json.dumps(job["scenario"]["platform"])) for job in program()}
    assert draws == {("both", '{"workers": 2, "network": {"model": "packets", "draw": 1}}'),
                     ("both_draw_2", '{"workers": 2, "network": {"model": "packets", "draw": 2}}')}


def test_finished_runs_are_kept_and_a_changed_scenario_is_run_again(program, tmp_path):
    running.run_study(study_of(tmp_path, a=10, b=20), tmp_path / "out")
    told = []
    outcome = running.run_study(study_of(tmp_path, a=10, b=30), tmp_path / "out", progress=told.append)
    assert [value for value, _ in simulated(outcome)] == [12.0, 32.0]
    assert (told[-1].kept, told[-1].finished) == (3, 6)


def test_finished_makes_no_run_and_says_which_cells_are_open(program, tmp_path):
    with pytest.raises(InputError, match="holds no runs of the study; expected some, made without --finished"):
        running.run_study(study_of(tmp_path, a=10), tmp_path / "out", finished=True)
    running.run_study(study_of(tmp_path, a=10), tmp_path / "out")
    outcome = running.run_study(study_of(tmp_path, a=10, b=20), tmp_path / "out", finished=True)
    assert outcome.open == ["b"] and [value.open for value in outcome.values] == [False, True]
    assert [value for value, _ in simulated(outcome)] == [12.0, None]
    assert not (tmp_path / "out/cells/example/b").exists()


@pytest.mark.parametrize("says, error, what", [
    ({"failed": "deadlock: w0 waits for w1"}, RunFailed, "b (seed 1): deadlock: w0 waits for w1"),
    ({"refused": "line 4: $.scenario.algorithm: \"singel\" is unknown"}, InputError,
     "b (seed 1): line 4: $.scenario.algorithm: \"singel\" is unknown")])
def test_the_first_run_without_a_result_ends_the_study_and_what_was_finished_is_kept(program, tmp_path, says, error, what):
    slow = {"seconds": 1, "says": {"sleep": 60}}
    cells = {"a": 10, "b": {"scenario": {"seconds": 20, "says": says}}, "c": {"scenario": slow}}
    with pytest.raises(error) as found:
        running.run_study(study_of(tmp_path, **cells), tmp_path / "out")
    assert str(found.value) == what
    assert sorted(path.parent.name for path in (tmp_path / "out/cells/example").glob("*/*")) == ["a", "a", "a"]


def test_a_study_is_alone_in_its_folder(program, tmp_path):
    running.run_study(study_of(tmp_path, a=10), tmp_path / "out")
    folder = os.open(tmp_path / "out/cells/example", os.O_RDONLY)
    fcntl.flock(folder, fcntl.LOCK_EX | fcntl.LOCK_NB)
    with pytest.raises(InputError, match="another program is at work in it; expected to be alone"):
        running.run_study(study_of(tmp_path, a=10), tmp_path / "out")
    os.close(folder)
    running.run_study(study_of(tmp_path, a=10), tmp_path / "out")


def test_platforms_of_a_study_lie_where_its_scenarios_find_them(program, tmp_path):
    study = study_of(tmp_path, a=10)
    (tmp_path / "definition/p.xml").write_text("<platform/>")
    study.platforms = [tmp_path / "definition/p.xml"]
    running.run_study(study, tmp_path / "out")
    assert (tmp_path / "out/cells/example/p.xml").read_text() == "<platform/>"
    assert {job["folder"] for job in program()} == {str(tmp_path / "out/cells/example")}


def test_a_figure_that_one_run_does_not_have_is_none(program, tmp_path):
    study = study_of(tmp_path, a=10)
    study.read("a", {("times", "b", "x"): lambda run: None if run.run.seed == 2 else 1.0})
    study.read("a", {("times", "c", "x"): lambda run: float("nan")})
    assert simulated(running.run_study(study, tmp_path / "out"))[1:] == [(None, None), (None, None)]


def test_a_table_without_a_column_is_one_line(program, tmp_path):
    study = study_of(tmp_path, a=10)
    study.read("a", {("times", "b", "x"): rows("iterations", lambda t: t.train_accuracy)})
    with pytest.raises(InputError, match="out/cells/example/a/1: has no figure times .*'train_accuracy'"):
        running.run_study(study, tmp_path / "out")


def test_an_output_that_cannot_be_written_is_one_line(tmp_path):
    (tmp_path / "out").write_text("")
    with pytest.raises(InputError, match="out/tables: cannot be made: Not a directory"):
        page.write(tmp_path / "out", study_of(tmp_path, a=10), Outcome([]), "again")


# --- batch itself ---


def test_a_job_is_a_line(tmp_path):
    job = batch.Job({"name": "x"}, tmp_path / "1", seed=2, folder=tmp_path, changes={"algorithm.partitions": 4}, force=True)
    assert json.loads(job.line(7)) == {"id": 7, "scenario": {"name": "x"}, "out": str(tmp_path / "1"), "seed": 2,
                                       "folder": str(tmp_path), "set": {"algorithm.partitions": 4}, "force": True}
    assert json.loads(batch.Job(Path("x.json"), Path("o")).line(0)) == {"id": 0, "scenario": "x.json", "out": "o"}


def test_runs_that_nobody_asks_for_any_more_end(program, tmp_path):
    jobs = [batch.Job({"name": "x", "seconds": 1, "says": {"sleep": 0 if seed == 1 else 60}}, tmp_path / f"x/{seed}", seed)
            for seed in (1, 2, 3)]
    answers = batch.run_jobs(jobs)
    answer = next(answers)
    assert (answer.job.seed, answer.state, answer.seconds) == (1, "done", 0.5)
    answers.close()  # at once, though the next run takes a minute
    assert len(program()) < 3


def test_no_more_jobs_are_handed_over_than_twice_as_many_as_run(program, tmp_path):
    jobs = [batch.Job({"name": "x", "seconds": 1}, tmp_path / f"x/{seed}", seed) for seed in range(1, 21)]
    answers = batch.run_jobs(jobs, at_once=2)
    next(answers)
    time.sleep(0.5)
    assert len(program()) <= 2 * 2 + 1
    assert len(list(answers)) == 19


@pytest.mark.parametrize("code, error", [(2, InputError), (1, DdlsimError)])
def test_a_batch_that_ends_by_itself_says_why(program, tmp_path, monkeypatch, code, error):
    monkeypatch.setenv("STUB_DIES", str(code))
    with pytest.raises(error) as found:
        list(batch.run_jobs([batch.Job({}, tmp_path / "1")]))
    assert str(found.value) == "out of luck" and found.value.code == code


def test_a_program_that_cannot_be_started_is_one_line(tmp_path, monkeypatch):
    monkeypatch.setenv("DDLSIM", str(tmp_path))
    with pytest.raises(DdlsimError, match=f"^{tmp_path}: cannot be started .Permission denied."):
        list(batch.run_jobs([batch.Job({}, tmp_path / "1")]))


def test_an_answer_that_is_none_is_told(tmp_path, monkeypatch):
    fake = tmp_path / "ddlsim"
    fake.write_text("#!/bin/sh\necho 'hello'\n")
    fake.chmod(0o755)
    monkeypatch.setenv("DDLSIM", str(fake))
    with pytest.raises(DdlsimError, match="answered 'hello'; expected the answer to a job"):
        list(batch.run_jobs([batch.Job({}, tmp_path / "1")]))


# --- the command ---


def test_without_a_name_all_studies_are_listed(capsys):
    parser = argparse.ArgumentParser()
    add_arguments(parser)
    assert command(parser.parse_args([])) == 0
    lines = capsys.readouterr().out.splitlines()
    assert len(lines) == 12 and lines[0].startswith("  ako_2018         TF.AKO: ")
    with pytest.raises(InputError, match="reproduce --full: of which study?"):
        command(parser.parse_args(["--full"]))
    assert parser.parse_args(["zhang", "--seeds", "1..3,7"]).seeds == [1, 2, 3, 7]
    for wrong in (["--seeds", "3..1"], ["--seeds", "x"], ["--jobs", "0"], ["--jobs", "2", "--finished"]):
        with pytest.raises(SystemExit):
            parser.parse_args(["zhang", *wrong])


def test_every_option_is_a_parameter():
    options = {action.dest for action in cli._parser()[1]["reproduce"]._actions} - {"help"}
    assert options == set(inspect.signature(reproduce).parameters)


def test_the_command_writes_the_page_and_says_the_counts(program, tmp_path, monkeypatch, capsys):
    study = study_of(tmp_path, a=10)
    monkeypatch.setattr("ddlsim.studies.sized", lambda name, full, data: study)
    assert cli.main(["reproduce", "example", "--out", str(tmp_path / "out"), "--seeds", "4", "--quiet"]) == 0
    assert capsys.readouterr().out == f"\npage  {tmp_path}/out/example.md\n"
    assert "Made by `ddlsim reproduce example --seeds 4`; figures are of one run each, seed 4." in (
        (tmp_path / "out/example.md").read_text())
    assert (tmp_path / "out/tables/example_times.csv").read_text() == (
        "cell,system,published,simulated,ratio,half_width\na,x,,14,,\n")
