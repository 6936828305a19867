"""Results side by side, and the words about them."""
import csv
import io
import json
import math

import pytest
from ddlsim import stats
from ddlsim.comparison import compare
from ddlsim.errors import InputError
from ddlsim.runs import Result


def three_seeds(results, name, finals, times=(), **options):
    for seed, final in enumerate(finals, 1):
        results.add(name, seed=seed, final=final, times={0.5: times[seed - 1]} if times else None, **options)


def test_verdicts_say_best_noise_and_tie(results):
    three_seeds(results, "ako", (0.80, 0.81, 0.82))
    three_seeds(results, "gossip", (0.70, 0.71, 0.72))
    three_seeds(results, "sgp", (0.79, 0.83, 0.80))
    three_seeds(results, "choco", (0.80, 0.81, 0.82))
    ((_, lines),) = compare(results.folder, columns=["accuracy"]).verdicts()
    assert lines[0].startswith("final accuracy: a tie of ako, choco; within noise of it: sgp")


def test_two_seeds_do_not_tell(results):
    for seed in (1, 2):
        results.add("ako", seed=seed, final=0.8)
        results.add("gossip", seed=seed, final=0.7)
    found = compare(results.folder, columns=["accuracy"])
    assert "fewer than three seeds do not tell" in found.text(80)
    assert {pair["p"] for pair in json.loads(found.json())["pairs"]} == {None}


def test_pairs_have_the_p_of_their_tests_corrected_for_their_number(results):
    values = {"ako": (0.80, 0.82, 0.81), "gossip": (0.70, 0.71, 0.75), "sgp": (0.79, 0.80, 0.83)}
    for name, finals in values.items():
        three_seeds(results, name, finals)
    found = json.loads(compare(results.folder, columns=["accuracy"]).json())
    names = [group["label"] for group in found["groups"]]
    raw = {}
    for pair in found["pairs"]:
        a, b = names[pair["better"]], names[pair["other"]]
        raw[a, b] = stats.paired_p([x - y for x, y in zip(values[a], values[b])])
    expected = dict(zip(raw, stats.holm(list(raw.values()))))
    for pair in found["pairs"]:
        assert pair["p"] == pytest.approx(expected[names[pair["better"]], names[pair["other"]]], rel=1e-9)


def test_a_target_that_some_runs_miss_is_told_and_not_ranked(results):
    three_seeds(results, "ako", (0.8, 0.8, 0.8), (10.0, 20.0, None))
    three_seeds(results, "gossip", (0.7, 0.7, 0.7), (None, None, None))
    found = compare(results.folder, columns=["time"])
    text = found.text(100)
    assert "15 s (0 s .. 78.5 s) (2 of 3)" in text and "not reached" in text and found.verdicts() == []


def test_a_time_says_how_often_was_evaluated_and_no_spread_of_zero(results):
    three_seeds(results, "ako", (0.8, 0.81, 0.82), (30.0, 30.0, 30.0))
    text = compare(results.folder, columns=["time"]).text(100)
    assert "time to 0.5 (every 5 s)" in text and "30 s" in text and "± 0" not in text


def test_one_worker_is_what_schemes_are_measured_by(results):
    three_seeds(results, "single", (0.7, 0.7, 0.7), (40.0, 40.0, 40.0))
    three_seeds(results, "ako", (0.8, 0.8, 0.8), (20.0, 20.0, 20.0))
    three_seeds(results, "gossip", (0.8, 0.8, 0.8), (50.0, 50.0, 50.0))
    three_seeds(results, "sgp", (0.8, 0.8, 0.8), (None, None, None))
    text = compare(results.folder, columns=["time"]).text(120)
    assert "2.00x" in text and "0.80x !" in text and "never !" in text
    assert "not sooner than one worker alone: gossip, sgp" in text


def test_conditions_are_judged_apart(results):
    for bandwidth in (1e6, 1e7):
        for system in ("ako", "gossip"):
            for seed in (1, 2, 3):
                better = (system == "ako") == (bandwidth == 1e6)
                results.add(f"{system}_{bandwidth:g}", seed=seed, system=system, final=(0.8 if better else 0.7) + seed / 1000,
                            settings={"platform.bandwidth": bandwidth})
    found = compare(results.folder, columns=["accuracy"]).verdicts()
    assert [lines for _, lines in found] == [["final accuracy: best ako, beyond noise"], ["final accuracy: best gossip, beyond noise"]]


def test_scenarios_that_share_no_condition_are_compared_with_each_other(results):
    three_seeds(results, "ab", (0.74, 0.75, 0.75), system="local_sgd", settings={"data_digest": "a", "platform.bandwidth": 1e9})
    three_seeds(results, "join", (0.72, 0.73, 0.74), system="local_sgd", settings={"data_digest": "b", "platform.bandwidth": 1e8})
    ((label, lines),) = compare(results.folder, columns=["accuracy"]).verdicts()
    assert label == "" and lines[0].startswith("final accuracy: best ab")


def test_less_loss_is_better(results):
    for name, losses in (("ako", (1.0, 1.1, 1.2)), ("gossip", (2.0, 2.1, 2.2))):
        for seed, loss in enumerate(losses, 1):
            results.add(name, seed=seed, metric="loss", final=loss, times={1.5: 10.0 * loss})
    found = compare(results.folder)
    assert "final loss: best ako, beyond noise" in found.text(80)
    assert "time to 1.5: best ako" in found.text(80)


def test_language_models_are_judged_by_their_loss_too(results):
    for name, losses in (("ako", (1.0, 1.1, 1.2)), ("gossip", (2.0, 2.1, 2.2))):
        for seed, loss in enumerate(losses, 1):
            scores = {"final_loss": {"mean": loss, "min": loss, "max": loss, "averaged_model": loss}}
            results.add(name, seed=seed, final=0.5, perplexity=math.exp(loss), **scores)
            results.add(f"{name} of images", seed=seed, final=0.5, **scores)
    own = compare([results.folder / "ako", results.folder / "gossip"])
    assert "final loss: best ako, beyond noise" in own.text(80) and "final accuracy" in own.text(80)
    assert "final loss" not in compare([results.folder / f"{name} of images" for name in ("ako", "gossip")]).text(80)


def test_a_model_without_accuracy_is_judged_by_its_loss(results):
    for seed in (1, 2, 3):
        results.add("ako", seed=seed, final=None, final_loss={"mean": 1.0 + seed, "min": 1, "max": 3, "averaged_model": 2})
        results.add("none", seed=seed, final=None)
    assert "final loss" in compare(results.folder / "ako").text(80)
    assert "final loss" not in compare(results.folder / "none").text(80)


def test_diverged_and_collapsed_runs_are_told(results):
    results.add("ako", final=0.3, best=0.8)
    results.add("gossip", final=0.8, stopped_by="diverged")
    text = compare(results.folder, columns=["accuracy"]).text(100)
    assert "ako (collapsed)" in text and "gossip (diverged)" in text


@pytest.mark.parametrize("best, final, collapsed", [
    (1.0, 1.99, False), (1.0, 2.01, True), (-5.0, -4.995, False), (-5.0, -2.51, False), (-5.0, -2.49, True), (-5.0, 0.0, True)])
def test_a_loss_collapses_above_twice_its_best_or_half_of_a_negative_one(results, best, final, collapsed):
    results.add("ako", metric="loss", final=final, best=best)
    assert compare(results.folder).groups[0].collapsed == collapsed


def test_intervals_of_negative_losses_lie_around_their_means(results):
    three_seeds(results, "ako", (-4.994, -4.995, -4.996), metric="loss", replica_loss={"mean": -4.995})
    found = compare(results.folder, columns=["loss", "replica_loss"])
    (one,) = json.loads(found.json())["groups"]
    assert one["measures"]["final_loss.mean"]["high"] == pytest.approx(-4.995 + stats.student_factor(3) * 0.001 / 3**0.5)
    assert one["measures"]["final_loss.mean"]["low"] == pytest.approx(-4.995 - stats.student_factor(3) * 0.001 / 3**0.5)
    assert one["measures"]["replica_loss.mean"]["low"] == -4.995
    assert "-4.9950 ± 0.0025" in found.text(100)


def test_measured_runs_are_compared_with_the_simulated_ones(results):
    results.add("ako", system="ako", settings={"platform.network.model": "TCP"})
    results.add("ako-measured", system="ako", measured={"links": "tc"}, bytes_sent=1_100_000)
    found = compare(results.folder)
    assert "Simulated against measured" in found.text(100) and "-9.1 %" in found.text(100)
    (one,) = json.loads(found.json())["measured_and_simulated"]
    assert {q["quantity"]: q["error"] for q in one["quantities"]}["bytes sent"] == pytest.approx(1 / 1.1 - 1)


def test_forms_say_the_same(results):
    three_seeds(results, "ako", (0.80, 0.81, 0.82))
    three_seeds(results, "gossip", (0.70, 0.71, 0.72))
    found = compare(results.folder, columns=["accuracy", "algorithm.name"])
    (first, _) = csv.DictReader(io.StringIO(found.csv()))
    assert float(first["final_accuracy.mean"]) == pytest.approx(0.81) and first["final_accuracy.mean.count"] == "3"
    assert "| ako | 3 |" in found.markdown() and "\\toprule" in found.latex() and "<td>ako</td>" in found._repr_html_()
    assert found.frame.loc[0, "final_accuracy.mean"] == pytest.approx(0.81)
    assert set(found.pairs["verdict"]) == {"better"}


@pytest.mark.parametrize("columns, message", [(["acuracy"], 'did you mean "accuracy"'), (["time"], "no run has a target")])
def test_columns_that_are_not_there(results, columns, message):
    results.add("ako")
    with pytest.raises(InputError, match=message):
        compare(results.folder, columns=columns)


def test_folders_that_hold_nothing(results, tmp_path):
    (tmp_path / "empty").mkdir()
    for folder, message in ((tmp_path / "empty", "holds no finished result"), (tmp_path / "none", "no such folder")):
        with pytest.raises(InputError, match=message):
            compare(folder)


def test_a_sweeps_table_says_which_runs_are_its_own(results):
    for name in ("a", "b"):
        results.add(name, system=name, sweep="grid")
    (results.folder / "grid" / "sweep.csv").write_text("algorithm,seed,run\na,1,a/1\n")
    assert [one.label for one in compare(results.folder / "grid").groups] == ["a"]


def test_runs_of_a_search_are_passed_over(results):
    results.add("a", system="ako")
    results.add("trial", system="gossip", sweep="tuning")
    (results.folder / "tuning" / "tried.csv").write_text("")
    assert len(compare([results.folder / "a", results.folder / "tuning"]).groups) == 1


@pytest.mark.parametrize("file, text, message", [
    ("run.json", "{", "cannot be read"), ("run.json", "[]", "is not a JSON object"), ("run.json", "{}", r"\$.scenario"),
    ("summary.json", '{"name": "x", "seed": 1, "iterations_per_worker": {}}', "are of two runs"),
    ("run.json", '{"scenario": {}, "settings": {}, "schema_version": 99}', "99 is unknown; this program reads up to 2")])
def test_broken_results_are_one_line(results, file, text, message):
    folder = results.add("ako")
    (folder / file).write_text(text)
    with pytest.raises(InputError, match=message) as found:
        compare(results.folder)
    assert len(found.value.lines) == 1


@pytest.mark.parametrize("change, message", [(lambda text: text[:-3], "is cut off"),
                                             (lambda text: text.replace("0.5", "half"), "holds what is no number")])
def test_damaged_tables_are_one_line(results, change, message):
    from ddlsim.figures.plot import plot
    curve = results.add("ako") / "curve.csv"
    curve.write_text(change(curve.read_text()))
    with pytest.raises(InputError, match=message):
        plot(results.folder)


def test_a_failed_run_of_a_sweep_is_named_with_its_reason(results):
    results.add("ako", seed=1, final=0.8)
    (run,) = results.folder.rglob("run.json")
    (results.folder / "sweep.csv").write_text(
        f"rate,run,failure\n1,{run.parent.relative_to(results.folder)},\n2,gossip/1,no node can go on\n", encoding="utf-8")
    found = compare(results.folder)
    assert len(found.groups) == 1 and f"No result: {results.folder / 'gossip/1'}: no node can go on" in found.markdown()


def test_results_are_taken_as_their_folders_are(results):
    results.add("ako", seed=1, final=0.8)
    (run,) = results.folder.rglob("run.json")
    for given in (Result(run.parent), [Result(run.parent)], run.parent):
        assert [one.label for one in compare(given).groups] == ["ako"]
