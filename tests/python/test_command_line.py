"""The commands: every option is a parameter of its function, and what is wrong is one line."""
import errno
import inspect
import os
import subprocess
import sys

import pytest
from ddlsim import cli
from ddlsim.comparison import compare
from ddlsim.figures.plot import plot
from ddlsim.reports import report

from conftest import ROOT


def run(*words, stdout=subprocess.PIPE):
    return subprocess.run([sys.executable, "-m", "ddlsim", *map(str, words)], stdout=stdout, stderr=subprocess.PIPE, text=True,
                          env={**os.environ, "PYTHONPATH": str(ROOT / "python"), "COLUMNS": "100"})


@pytest.mark.parametrize("name, function", [("compare", compare), ("plot", plot), ("report", report)])
def test_every_option_is_a_parameter(name, function):
    options = {action.dest for action in cli._parser()[1][name]._actions} - {"help", "results", "output", "form"}
    assert options <= set(inspect.signature(function).parameters)


def test_compare_prints_a_table(results):
    results.add("ako")
    results.add("gossip")
    reply = run("compare", results.folder, "--columns", "accuracy")
    assert reply.returncode == 0 and reply.stdout.splitlines()[0].split() == ["scenario", "seeds", "final", "accuracy"]


def test_plot_and_report_say_what_they_wrote(results, tmp_path):
    results.add("ako")
    assert run("plot", results.folder, "-o", tmp_path / "x.svg").stdout.split() == [str(tmp_path / "x.svg"), str(tmp_path / "x.data.csv")]
    assert "ddlsim plot" in (tmp_path / "x.svg").read_text()
    assert run("report", results.folder, "-o", tmp_path / "x.html").stdout.startswith(str(tmp_path / "x.html") + ", ")


@pytest.mark.parametrize("words, message", [
    (["compare"], "required: DIR"), (["compare", "none"], "no such folder"), (["plot", "none", "-o", "x.svg", "--siz", "one"], "--siz"),
    (["compare", "none", "--label", "x"], "expected OLD=NEW"), (["frobnicate"], "invalid choice")])
def test_what_is_wrong_is_one_line_and_exit_code_2(words, message):
    reply = run(*words)
    assert reply.returncode == 2 and reply.stdout == ""
    (line,) = reply.stderr.splitlines()
    assert line.startswith("ddlsim: ") and message in line


def test_a_full_disk_behind_the_standard_output_is_told(results):
    results.add("ako")
    with open("/dev/full", "w") as full:
        reply = run("compare", results.folder, stdout=full)
    assert (reply.returncode, reply.stderr) == (2, "ddlsim: the standard output cannot be written: No space left on device\n")


@pytest.mark.parametrize("error, line", [
    (NotADirectoryError(errno.ENOTDIR, "Not a directory", "out/ako"), "out/ako: Not a directory"),
    (OSError(errno.ENOSPC, "No space left on device"), "No space left on device"), (OSError("no style"), "no style")])
def test_another_error_of_the_system_is_not_the_standard_outputs(monkeypatch, capsys, error, line):
    def fail(*_):
        raise error
    monkeypatch.setattr(cli, "_compare", fail)
    assert cli.main(["compare", "results"]) == 2
    assert capsys.readouterr() == ("", f"ddlsim: {line}\n")
