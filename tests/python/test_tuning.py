"""The rule of tuning, races, and what advice says of times."""
import json
import math
import os
import random
import signal
import subprocess
import sys
import time
from pathlib import Path
from types import SimpleNamespace

import pytest

from ddlsim.errors import InputError, RunFailed
from ddlsim.frame import ACCURACY
from ddlsim.tuning.advise import Condition, Study, best_sender, conditions_of, safe_choice
from ddlsim.tuning.candidates import Candidate
from ddlsim.tuning.decide import how_sure, is_unreached, losses, of_bandwidth, reasons, setting_told, upgrades, what_binds
from ddlsim.tuning.race import SEEDS, Entrant, look, looks_of, seeds_to_tell
from ddlsim.tuning.search import ALLOWANCE, FIRST_SEED, RATE, RUNGS, SCHEDULE, Search, axis, beyond, changes_of, over, rates, text_of
from ddlsim.tuning.trials import Base, Goal, Trial, Trials
from ddlsim.tuning.tune import Same, axes_over

STEPS = "algorithm.sync_every"


def space():
    codecs = [{"algorithm.codec": "e3m0"}, *({"algorithm.codec": {"type": "top_k", "fraction": share}} for share in (0.1, 0.02))]
    return [rates(0.1), axis([{STEPS: value} for value in (10, 30, 100)], {STEPS: 30}), axis(codecs, {"algorithm.codec": "none"}),
            axis([{"algorithm.overlap": True}], {"algorithm.overlap": False})]


def score_of(rate=0.1, steps=30, fraction=None):
    """How far a setting is, by factors, from what is best."""
    def score(changes):
        codec = changes["algorithm.codec"]
        of_codec = math.inf if fraction is None else 9.0
        if isinstance(codec, dict):
            of_codec = abs(math.log(codec["fraction"] / (fraction or 1)))
        elif fraction is None:
            of_codec = 0.0 if codec == "none" else 1.0
        return (abs(math.log(changes[RATE] / rate)) + abs(math.log(changes[STEPS] / steps)) + (9.0 if math.isinf(of_codec) else of_codec) +
                (1.0 if changes["algorithm.overlap"] else 0.0))
    return score


def follow(search, score, rounds=None):
    asked = []
    while runs := search.open(rounds):
        for setting, seed in runs:
            asked.append((setting, seed))
            search.tell(setting, seed, score(changes_of(setting)))
    return asked


@pytest.mark.parametrize("best", [{}, {"rate": 1.6}, {"rate": 0.0125, "steps": 333}, {"steps": 1}, {"fraction": 0.0008, "steps": 100}])
def test_a_search_finds_what_is_best_also_far_beyond_the_ends_of_its_lists(best):
    search = Search(space())
    follow(search, score_of(**best))
    found = changes_of(search.best)
    assert found[RATE] == pytest.approx(best.get("rate", 0.1), rel=0.42)
    assert found[STEPS] == pytest.approx(best.get("steps", 30), rel=0.75)
    if "fraction" in best:
        assert found["algorithm.codec"]["fraction"] == pytest.approx(best["fraction"], rel=1.3)


def test_a_schedule_is_tried_with_other_rates():
    """Cosine is better than constant at twice the rate alone, as where its mean rate is half of its first."""
    schedules = axis([{SCHEDULE: kind} for kind in ("constant", "cosine")], {SCHEDULE: "constant"}, False)
    search = Search([rates(0.2), schedules, *space()[1:]])
    best = {"constant": (0.2, 1.0), "cosine": (0.4, 0.9)}

    def score(changes):
        rate, least = best[changes[SCHEDULE]]
        return least + abs(math.log(changes[RATE] / rate))
    follow(search, score)
    assert changes_of(search.best)[SCHEDULE] == "cosine" and changes_of(search.best)[RATE] == 0.4


def test_searches_cost_alike_whatever_they_search():
    for allowance in (7, 20, ALLOWANCE):
        asked = follow(Search(space(), allowance=allowance), lambda changes: random.Random(text_of(changes)).random())
        assert len({setting for setting, _ in asked}) <= allowance
        assert len(asked) == len(set(asked)) <= allowance + RUNGS[0] + 3 * RUNGS[1]
        assert max(seed for _, seed in asked) == 3


def test_the_same_scores_give_the_same_search():
    score = score_of(rate=0.8, fraction=0.004)
    whole = follow(Search(space()), score)
    assert follow(Search(space()), score) == whole  # so a search whose runs are kept goes on where it stopped
    assert follow(Search(space()), score, rounds=2) == whole[:len(follow(Search(space()), score, rounds=2))]


def test_what_cannot_be_costs_nothing_and_is_never_best():
    def score(changes):
        return None if changes["algorithm.codec"] != "none" else score_of()(changes)
    search = Search(space())
    follow(search, score)
    assert changes_of(search.best)["algorithm.codec"] == "none" and len(search.impossible) >= 3
    assert not search.impossible.keys() & search.scores.keys()


def test_a_grid_is_tried_whole_and_only_rates_go_further():
    lists = [axis([{"training.batch_size": size} for size in (1, 40)], {"training.batch_size": 1}, False), rates(0.1)]
    search = Search(lists, grid=True)
    asked = follow(search, lambda changes: abs(math.log(changes[RATE] / 0.8)) + changes["training.batch_size"])
    assert {(changes_of(setting)["training.batch_size"]) for setting, _ in asked} == {1, 40}
    assert changes_of(search.best) == {"training.batch_size": 1, RATE: 0.8}


def test_a_grid_is_tried_whole_also_where_it_is_larger_than_an_allowance():
    lists = [axis([{key: value} for value in range(count)], {key: 0}, False) for key, count in (("a", 5), ("b", 12))]
    asked = follow(Search(lists, seeds=1, grid=True), lambda changes: -changes["a"] - changes["b"])
    assert len(asked) == 60 > ALLOWANCE
    with pytest.raises(InputError, match="has 65 settings, each value with each other; expected 64 at most"):
        axes_over({}, [("a", range(5)), ("b", range(13))])


def test_words_come_before_numbers_which_go_on_beyond_the_last():
    mixed = axis([{"a": value} for value in (1, 2, 4, "auto")], {"a": "auto"})
    assert mixed.values == [text_of({"a": value}) for value in ("auto", 1, 2, 4)]
    search = Search([mixed])
    follow(search, lambda changes: 9.0 if changes["a"] == "auto" else abs(math.log(changes["a"] / 16)))
    assert changes_of(search.best) == {"a": 16} and search.at_edge() == []


def test_an_end_is_told_where_nothing_beyond_it_was_tried():
    def edge(allowance):
        search = Search([axis([{STEPS: value} for value in (10, 30, 100)], {STEPS: 30})], allowance=allowance)
        follow(search, lambda changes: -changes[STEPS] if changes[STEPS] < 200 else 9.0)
        return search.at_edge()
    assert edge(3) == ["sync_every"] and edge(4) == []


def test_a_search_that_begins_elsewhere_still_knows_its_own_values():
    steps = axis([{STEPS: value} for value in (10, 30, 100)], {STEPS: 10})
    start = (text_of({STEPS: 100}),)
    search = Search([steps], start=start)
    assert search.open()[0] == (start, 0) and steps.own == text_of({STEPS: 10})


def test_a_listed_value_that_is_the_own_one_with_its_defaults_is_no_other():
    class Filled:
        def describe(self, changes):
            return json.dumps({"a": {"codec": {"type": "top_k", "feedback": True} | changes["a.codec"]}})
    same, value = Same(Filled()), {"type": "top_k", "fraction": 0.1}
    assert same("a.codec", value, {**value, "feedback": True}) == {**value, "feedback": True}
    assert same("a.codec", value, {**value, "feedback": False}) == same("a.codec", value, {**value, "fraction": 0.2}) == value


def test_values_beyond_an_end_are_in_proportion():
    assert beyond(text_of({"a": 10}), text_of({"a": 30})) == text_of({"a": 90})
    assert beyond(text_of({"a": 0.1}), text_of({"a": 0.02})) == text_of({"a": 0.004})
    assert beyond(text_of({"b": 8, "t": "0.2s"}), text_of({"b": 16, "t": "0.4s"})) == text_of({"b": 32, "t": "0.8s"})
    for last in ({"a": "ring"}, {"a": True}, {"a": {"type": "none"}}):
        assert beyond(text_of({"a": "tree"}), text_of(last)) == text_of(last)


def test_lists_of_values_keep_together_what_is_in_brackets():
    assert over('a.b=1,[2,3],{"x": 1, "y": [1, 2]},word') == ("a.b", [1, [2, 3], {"x": 1, "y": [1, 2]}, "word"])
    assert over(RATE) == (RATE, [])
    assert over('a=[[[1, 2]], [[3]]], {"x": {"y": {"z": 1}}}') == ("a", [[[[1, 2]], [[3]]], {"x": {"y": {"z": 1}}}])
    assert over("a=true,1,5min") == ("a", [True, 1, "5min"])
    for text in ("a.b", "a=", "a=1,,2", "a=1,1", "a=[1,2", "a=1,2]", "a=1,"):
        with pytest.raises(ValueError):
            over(text)


def test_settings_are_told_apart_whatever_differs(tmp_path):
    trials, base = Trials(tmp_path, Goal(None)), Base("same", {})
    outer = [{"algorithm": {"name": "diloco", "outer": {"type": kind, "learning_rate": rate}}} for kind in ("sgd", "nesterov") for rate in (0.4, 1, 1.0)]
    outer += [{"algorithm": {"name": "diloco"}}, {"algorithm.outer": "sgd"}, {"a": "x" * 200}, {"a": "x" * 201}]
    assert len({trials.folder(base, changes, FIRST_SEED) for changes in outer}) == len({json.dumps(changes) for changes in outer})
    assert trials.folder(base, {"a": 1, "b": 2}, 5) != trials.folder(Base("same", {}, None, {"c": 1}), {"a": 1, "b": 2}, 5)
    assert all(len(str(trials.folder(base, changes, FIRST_SEED).parent.name)) <= 120 for changes in outer)


def test_a_run_that_misses_the_target_is_behind_one_that_reaches_it_however_short_it_was():
    def run(seconds, accuracy, reached):
        values = {"final_accuracy.mean": accuracy, "time_to_accuracy_s.0.35": reached, "simulated_seconds": seconds}
        return SimpleNamespace(stopped_by="iterations", measure=values.get)
    goal = Goal(ACCURACY, 0.35, 600.0)
    assert goal.score(run(30, 0.4, 28.0)) < goal.score(run(600, 0.34, None)) < goal.score(run(1, 0.1, None))


def raced(means, seeds, deviation=1.0, step=0.0):
    """Entrants after a whole race of systems with these means, whose scores are multiples of `step`."""
    scores = [[mean + seeds.gauss(0, deviation) for _ in range(SEEDS)] for mean in means]
    if step:
        scores = [[step * math.ceil(score / step) for score in own] for own in scores]
    entrants = [Entrant() for _ in means]
    looks = looks_of(SEEDS)
    for count in looks:
        for one, own in zip(entrants, scores):
            if not one.dropped:
                one.scores = own[:count]
        look([one for one in entrants if not one.dropped], len(looks), step)
    return entrants


@pytest.mark.parametrize("systems", [2, 4, 6])
@pytest.mark.parametrize("step", [0.0, 1.0, 3.0])
def test_of_equal_systems_at_most_one_race_in_twenty_drops_one(systems, step):
    seeds = random.Random(1)
    races = [raced([0.0] * systems, seeds, step=step) for _ in range(400)]
    assert sum(any(one.dropped for one in race) for race in races) <= 0.05 * len(races)


def test_a_clear_difference_is_found_and_the_better_one_stays():
    seeds = random.Random(2)
    for _ in range(20):
        race = raced([0.0, 6.0, 6.0, 6.0], seeds)
        assert [one.dropped for one in race] == [False, True, True, True]


def test_so_many_seeds_as_are_said_to_tell_two_apart_do_in_four_cases_of_five():
    seeds = random.Random(3)
    told = [seeds_to_tell([1 + seeds.gauss(0, 2) for _ in range(400)], 1) for _ in range(20)]
    count = round(sum(told) / len(told))
    from ddlsim.stats import paired_p
    found = sum(paired_p([1 + seeds.gauss(0, 2) for _ in range(count)]) < 0.05 for _ in range(300))
    assert 0.7 < found / 300 < 0.92
    assert seeds_to_tell([0.0, 0.0, 0.0], 1) is None


def test_what_binds_is_what_most_of_a_step_waits_for():
    def of(connections=(), **shares):
        expected = {"step_s": 1.0, **{f"{key}_share": value for key, value in shares.items()}}
        return what_binds({"expected": expected, "bounds": {"step_s": 1.0, "bottleneck": "w0 up"}, "connections": list(connections)})[0]
    slow = {"from": "us", "to": "asia", "binds": "window", "bytes_per_s": 1e6, "message_s": 3.0}
    quick = {**slow, "binds": "host", "message_s": 1.0}
    assert of(compute=0.9, bandwidth=0.1) == "computing"
    assert of(compute=0.2, bandwidth=0.7) == "bandwidth"
    assert of([quick, slow], compute=0.2, latency=0.7) == "window"
    assert of([slow], compute=0.2, waiting=0.7) == "waiting"


def test_what_binds_is_taken_from_bounds_where_no_step_was_simulated():
    def of(bottleneck, network_bound):
        bounds = {"step_s": 3.0, "compute_s": 2.0, "bottleneck": bottleneck, "network_bound": network_bound}
        return what_binds({"expected": None, "bounds": bounds})
    assert of("w0 up", False)[0] == of("", False)[0] == "computing"
    assert of("w0 up", True)[0] == "bandwidth" and "at least 3 s" in of("w0 up", True)[1]
    assert of("window w0 to w1", True)[0] == "window" and "the window w0 to w1 binds" in of("window w0 to w1", True)[1]


def test_a_race_uses_all_its_seeds():
    assert looks_of(SEEDS) == [3, 5, 8, 12]
    assert looks_of(4) == [3, 4] and looks_of(40) == [3, 5, 8, 40] and looks_of(2) == [2]


def study(search, seeds=range(1, 13), known=()):
    """A study of one system, "s", whose runs with the seeds `known` have been made."""
    trials = SimpleNamespace(of=lambda base, changes, seed: Trial(Path(str(seed)), float(seed)) if seed in known else None)
    one = Candidate("s", Base("s", {}), search)
    platform = {"exclude": ["w3"], "bandwidth_factor": 0.5, "latency_factor": 1.0}
    one.checked = {"model_bytes": 4.0, "workers": ["w0", "w1", "w2"]}
    return Study(one.base, {"platform": platform, "compute": {}}, Goal(None), [one], [], trials, list(seeds), {}, {},
                 entrants={"s": Entrant([1.0] * 3)}, leader="s")


def told(axes, score):
    search = Search(axes, seeds=1)
    follow(search, score)
    return search


def test_a_seed_that_the_budget_left_out_ends_a_row():
    asked = study(told(space(), score_of()), known={1, 2, 4, 5})
    assert [trial.score for trial in asked.raced("s")] == [1.0, 2.0]


def test_a_codec_that_the_best_has_is_told_as_a_loss():
    coded, plain = study(told(space(), score_of(fraction=0.1))), study(told(space(), score_of()))
    for one in (coded, plain):
        one.conditions = [Condition("as given", {}, scores={"s": [1.0]}), Condition("bandwidth doubled", {}, scores={"s": [0.5]}, is_upgrade=True)]
    assert [name for name, _ in losses(coded)] == ["without its codec"] and losses(coded)[0][1] == pytest.approx(9.0)
    assert losses(plain) == [] and upgrades(coded) == upgrades(plain) == [("bandwidth doubled", 0.5)]


def racing(**scores):
    """A study in which systems have raced; "alone" sends nothing, what else does sends more the later its name."""
    asked = study(told(space(), score_of()))
    base = Base("s", {})
    asked.candidates = [Candidate(name, base, Search(space()), sends=name != "alone") for name in scores]
    asked.entrants = {name: Entrant(list(values)) for name, values in scores.items()}
    asked.leader = min(scores, key=lambda name: asked.entrants[name].mean)
    sent = {name: 0.0 if name == "alone" else float(ord(name[0])) for name in scores}
    asked.raced = lambda system: [SimpleNamespace(run=SimpleNamespace(measure=lambda key: sent[system]))]
    return asked


def test_what_the_test_of_two_alone_tells_apart_is_no_safe_choice():
    """By the race's test, which is corrected, it may still be level."""
    asked = racing(best=[1.0, 1.2, 1.1, 1.0], alone=[2.0, 2.1, 2.2, 1.9], level=[1.2, 1.1, 1.0, 1.1])
    assert safe_choice(asked) == "best"
    asked.entrants["best"].scores = [1.0, 3.0, 1.1, 3.0]
    assert safe_choice(asked) == "alone"


def test_the_best_that_sends_is_one_that_is_still_in_the_race():
    asked = racing(alone=[1.0] * 4, early=[1.5] * 3, late=[1.6] * 4)
    asked.entrants["early"].dropped = True
    assert best_sender(asked) == "late"


def test_nothing_is_sure_where_nothing_else_raced():
    assert "Nothing to compare" in how_sure(racing(one=[1.0] * 4))
    assert "Nothing to compare" in how_sure(racing(one=[1.0] * 4, failed=[math.inf] * 4))


def test_reasons_are_told_where_the_budget_left_the_baseline_out():
    asked = racing(sender=[1.0] * 4)
    asked.candidates.insert(0, Candidate("alone", Base("s", {}), Search(space()), sends=False))
    asked.goal = Goal(ACCURACY)
    asked.bound["sender"], asked.usages["sender"] = ("computing", "computing binds."), {}
    assert reasons(asked) == ["sender: computing binds."]


def test_factors_of_bandwidth_read_well():
    assert [of_bandwidth(factor) for factor in (0.123, 1.04, 18.6)] == ["12.3 % of", "104 % of", "18.6 times"]


def test_the_best_of_a_search_that_was_cut_is_of_seeds_that_all_had():
    """In the round of second seeds the first to get one is not the best for that."""
    search = Search([axis([{STEPS: value} for value in (10, 30, 100, 300)], {STEPS: 10})], seeds=4)
    first, second, third, fourth = [(value,) for value in search.axes[0].values]
    for setting, score in ((first, 0.3), (second, 0.1), (third, 0.2), (fourth, 0.4)):
        search.tell(setting, 0, score)
    search.tell(first, 1, 0.3)
    assert search.best == second
    for setting, score in ((second, 0.9), (third, 0.2), (fourth, 0.4)):
        search.tell(setting, 1, score)
    assert search.best == third
    search.tell(third, 2, 0.9)
    assert search.best == third
    for setting, seed, score in ((third, 3, 0.9), (first, 2, 0.3), (first, 3, 0.3)):
        search.tell(setting, seed, score)
    assert search.best == first


def test_a_target_is_unreached_where_no_run_of_any_system_reaches_it():
    def of(*values):
        asked = racing(**{f"s{i}": [1.0] * 3 for i in range(len(values))})
        asked.goal = Goal(ACCURACY, 0.5, 60.0)
        asked.raced = lambda system: [SimpleNamespace(run=SimpleNamespace(measure=lambda key: values[int(system[1])]))]
        asked.trials = SimpleNamespace(of_search=lambda base, search: [])
        return is_unreached(asked)
    assert of(None, None) and not of(None, 3.0) and not of(3.0, None)


def test_a_search_of_which_every_run_failed_goes_no_further():
    search = Search(space())
    runs = follow(search, lambda _: math.inf, rounds=9)
    assert len(runs) < ALLOWANCE / 2 and search.best is None


def test_a_rate_is_tried_as_it_was_given():
    assert 0.123456 in [changes_of((value,))[RATE] for value in rates(0.123456).values]


def test_a_setting_is_told_where_the_search_had_to_begin_elsewhere():
    steps = axis([{STEPS: value} for value in (10, 30, 100)], {STEPS: 10})
    search = Search([steps], start=(text_of({STEPS: 100}),))
    search.tell((text_of({STEPS: 100}),), 0, 1.0)
    assert setting_told(study(search), "s") == "sync_every 100"


def test_conditions_change_what_the_user_has_set():
    found = {one.name: one.changes for one in conditions_of(study(told(space(), score_of())))}
    assert found["bandwidth halved"] == {"platform.bandwidth_factor": 0.25}
    assert found["without w2"] == {"platform.exclude": ["w3", "w2"]} and "twice the workers" not in found
    asked = study(told(space(), score_of()))
    for key, twice in (("workers", 8), ("workers_per_site", [2, 6])):
        asked.described["platform"] = {key: 4 if key == "workers" else [1, 3], "workers": 4}
        assert next(one.changes for one in conditions_of(asked) if one.name == "twice the workers") == {f"platform.{key}": twice}


LEARNER = {"name": "learner", "platform": {"workers": 3, "bandwidth": "40Mbps"}, "data": {"train": 600, "test": 200}, "model": "softmax",
           "training": {"batch_size": 8, "optimizer": {"type": "sgd", "learning_rate": 0.1}}, "wire": {"model_bytes": "1MB"},
           "compute": {"seconds_per_batch": "100ms"}, "algorithm": "local_sgd", "stop": {"time": "4s"}, "evaluate": {"every": "1s"}}

needs_program = pytest.mark.skipif("DDLSIM" not in os.environ, reason="needs the program")


def learner(folder, **changes):
    file = folder / "learner.json"
    file.write_text(json.dumps(LEARNER | changes))
    return file


@needs_program
def test_tune_writes_what_was_tried_and_a_scenario_that_is_as_good(tmp_path):
    import ddlsim
    found = ddlsim.tune(learner(tmp_path), over={RATE: [0.001, 0.1], "algorithm.local_steps": [1, 8]}, seeds=2, out=tmp_path / "out")
    (row,) = found.to_dict("records")
    assert row["runs"] == 8 and row["best"][RATE] == 0.1  # four settings, each of which gets the second seed
    assert "record" not in json.loads(Path(row["tuned_scenario"]).read_text()) or json.loads(
        Path(row["tuned_scenario"]).read_text())["record"]["iterations"]
    tried = (tmp_path / "out/learner/tried.csv").read_text().splitlines()
    assert tried[0] == "training.optimizer.learning_rate,algorithm.local_steps,seed,score,accuracy,failure,best"
    assert len(tried) == 9 and {line.split(",")[2] for line in tried[1:]} == {"1000001", "1000002"}
    again = ddlsim.run(row["tuned_scenario"], seed=1000001, out=tmp_path / "again")
    of_best = [float(line.split(",")[4]) for line in tried[1:] if line.endswith(",1")]
    assert again.summary["final_accuracy"]["mean"] in [pytest.approx(value) for value in of_best]


BY_SAMPLE = {"compute": {"seconds_per_sample": "12.5ms"}}


@needs_program
def test_a_time_by_the_sample_is_tuned_as_the_same_time_by_the_batch(tmp_path):
    import ddlsim
    rows = []
    for name, compute in (("batch", LEARNER["compute"]), ("sample", BY_SAMPLE["compute"])):
        file = learner(tmp_path, compute=compute, algorithm="single")
        rows += ddlsim.tune(file, seeds=1, out=tmp_path / name).to_dict("records")
    assert rows[0]["best"] == rows[1]["best"] and rows[0]["accuracy_at_end"] == rows[1]["accuracy_at_end"]
    assert rows[0]["failed"] == rows[1]["failed"] == 0 and rows[0]["runs"] == rows[1]["runs"]


@needs_program
def test_a_sweep_is_tuned_by_the_runs_that_it_makes(tmp_path):
    """A larger batch takes longer where a scenario says the time of a sample."""
    import ddlsim
    learner(tmp_path, **BY_SAMPLE)
    (tmp_path / "s.json").write_text("""{ "base": "learner.json", // by the sample
      "vary": { "algorithm.local_steps": [1] }, "seeds": [1], "tune": { "over": { "training.batch_size": [8, 40] }, "seeds": 1 } }""")
    subprocess.run([os.environ["DDLSIM"], "sweep", "s.json", "--quiet"], cwd=tmp_path, check=True, timeout=100)
    tried = [line.split(",") for line in (tmp_path / "results/s_tuning/tried.csv").read_text().splitlines()]
    for _, size, seed, _, accuracy, *_ in tried[1:]:
        made = ddlsim.run(tmp_path / "learner.json", seed=int(seed), **{"training.batch_size": int(size), "algorithm.local_steps": 1},
                          out=tmp_path / size)
        assert made.summary["final_accuracy"]["mean"] == pytest.approx(float(accuracy))


@needs_program
def test_a_refused_setting_leaves_its_reason_and_json_has_no_nan(tmp_path):
    command = [sys.executable, "-m", "ddlsim", "tune", str(learner(tmp_path)), "--over", "algorithm.local_steps=0,4", "--target", "0.999",
               "--seeds", "1", "--json", "--quiet", "--out", str(tmp_path / "out")]
    import ddlsim
    package = str(Path(ddlsim.__file__).parents[1])
    answer = subprocess.run(command, check=True, timeout=100, stdout=subprocess.PIPE, env={**os.environ, "PYTHONPATH": package}).stdout
    (row,) = json.loads(answer, parse_constant=lambda word: pytest.fail(word))
    assert row["time_to_target_s"] is None and row["runs"] == 1 and row["failed"] == 0
    assert "local_steps" in next(line for line in (tmp_path / "out/learner/tried.csv").read_text().splitlines() if line.startswith("0,"))


@needs_program
def test_a_setting_with_which_nothing_is_sent_is_none_of_a_scheme_that_sends(tmp_path):
    import ddlsim
    file = learner(tmp_path, algorithm={"name": "local_sgd", "local_steps": 4}, stop={"time": "0.9s"})
    (row,) = ddlsim.tune(file, seeds=1, out=tmp_path / "out").to_dict("records")
    tried = (tmp_path / "out/learner/tried.csv").read_text().splitlines()
    silent = [line for line in tried if "sends nothing" in line]
    assert row["failed"] == len(silent) > 0 and all(line.endswith(",0") for line in silent)
    assert ddlsim.run(row["tuned_scenario"], out=tmp_path / "again").summary["bytes_sent"] > 0
    (row,) = ddlsim.tune(file, over={"algorithm.local_steps": [1000]}, seeds=1, out=tmp_path / "asked").to_dict("records")
    assert row["failed"] == 0  # it was asked for
    alone = learner(tmp_path, algorithm="local_sgd", platform={**LEARNER["platform"], "workers": 1}, stop={"time": "0.9s"})
    (row,) = ddlsim.tune(alone, seeds=1, out=tmp_path / "alone").to_dict("records")
    assert row["failed"] == 0  # one worker has nobody to send to


@needs_program
def test_a_tuned_sweep_tells_points_apart_that_differ_in_a_nested_setting_alone(tmp_path, monkeypatch):
    outers = [{"name": "diloco", "sync_every": 8, "outer": {"type": "nesterov", "learning_rate": rate, "momentum": 0.9}} for rate in (0.4, 0.7)]
    learner(tmp_path)
    sweep = {"name": "two", "base": "learner.json", "vary": {"algorithm": outers}, "seeds": "1..2",
             "tune": {"over": {RATE: [0.05, 0.1]}, "seeds": 1}}
    (tmp_path / "two.json").write_text(json.dumps(sweep))
    command = [os.environ["DDLSIM"], "sweep", "two.json", "--quiet"]
    subprocess.run(command, cwd=tmp_path, check=True, timeout=100)
    rows = (tmp_path / "results/two/sweep.csv").read_text().splitlines()
    assert rows[0].startswith("algorithm,training.optimizer.learning_rate,seed,") and len(rows) == 5
    assert len((tmp_path / "results/two_tuning/tried.csv").read_text().splitlines()) == 5
    times = {path: path.stat().st_mtime_ns for path in (tmp_path / "results").rglob("run.json")}
    subprocess.run(command, cwd=tmp_path, check=True, timeout=100)  # nothing is run twice
    assert times == {path: path.stat().st_mtime_ns for path in (tmp_path / "results").rglob("run.json")}
    monkeypatch.chdir(tmp_path)
    import ddlsim
    assert (ddlsim.sweep(sweep).folder / "sweep.csv").read_text().splitlines() == rows
    assert {file.name for file in tmp_path.iterdir()} == {"learner.json", "two.json", "results"}


@needs_program
def test_advice_ranks_its_own_system_too_and_leaves_what_can_be_run(tmp_path):
    import ddlsim
    file = learner(tmp_path)
    table = ddlsim.advise(file, systems=["local_sgd", "ako"], budget="60s", seeds=range(1, 4), out=tmp_path / "out",
                          output=tmp_path / "page.html", changes={"name": "learner", "algorithm": "ako", "evaluate.every": "700ms"})
    advice = table.attrs["advice"]
    assert {"single", "local_sgd", "ako"} == set(table["system"])
    assert json.loads((tmp_path / "out/learner/advice.json").read_text())["best"] == json.loads(json.dumps(advice["best"]))
    assert f"Best estimate: {advice['best']['system']} (" in (tmp_path / "page.html").read_text()
    for key in ("best", "safe", "why", "break_even_bandwidth", "wan_bytes_per_hour", "sensitivity", "warnings", "needs_all_data_in_one_place"):
        assert key in advice
    assert advice["needs_all_data_in_one_place"]["single"] and not advice["needs_all_data_in_one_place"]["ako"]
    assert {one["key"] for one in advice["sensitivity"]} == {"compute.seconds_per_batch", "wire.model_bytes"}
    written = json.loads((tmp_path / "out/learner/best.json").read_text())
    assert written["evaluate"]["every"] == "0.7s" and written["platform"]["network"]["model"] == "auto"  # as the user has it
    assert written["algorithm"]["name"] == advice["best"]["system"] != "ako"
    best = ddlsim.run(tmp_path / "out/learner/best.json", seed=1, out=tmp_path / "again")
    raced = next(row for row in advice["systems"] if row["system"] == advice["best"]["system"])
    assert 1 - best.summary["final_accuracy"]["mean"] == pytest.approx(raced["scores"][0])


@needs_program
def test_advice_refuses_in_one_line_what_it_cannot_answer(tmp_path):
    import ddlsim
    with pytest.raises(InputError, match="model: is none"):
        ddlsim.advise(learner(tmp_path, model="none", evaluate={}, data={}))
    with pytest.raises(InputError, match=r"stop.time: is missing"):
        ddlsim.advise(learner(tmp_path, stop={"iterations": 4}))
    with pytest.raises(InputError, match="did you mean"):
        ddlsim.advise(learner(tmp_path), exclude=["singel"])
    with pytest.raises(InputError, match="--budget: 0s is no time"):
        ddlsim.advise(learner(tmp_path), budget="0s")
    with pytest.raises(InputError, match="lacks --step, --platform, --workers"):
        ddlsim.advise(model_bytes="1GB")
    with pytest.raises(TypeError, match="modelbytes"):
        ddlsim.advise(modelbytes="1GB")
    for key in ("accuracy", "loss"):
        with pytest.raises(InputError, match=rf"stop.{key}: ends runs before"):
            ddlsim.advise(learner(tmp_path, stop={"time": "4s", key: 0.2}))
    for seeds in ([], [1, 1, 1], [-1, 2], [1000001], 3, "1..3"):
        with pytest.raises(InputError, match="--seeds: expected different whole numbers"):
            ddlsim.advise(learner(tmp_path), seeds=seeds)
    for asked in ({"seeds": [1]}, {"output": "page.html"}):
        with pytest.raises(InputError, match="from facts there is none"):
            ddlsim.advise(model_bytes="1GB", **asked)


MATRIX = "from,to,rate_mbps,rtt_ms,streams\na,a,10000,0.2,1\nb,b,10000,0.2,1\na,b,{rate},50,1\n"


@needs_program
def test_times_from_four_facts_are_those_of_the_law_of_a_ring(tmp_path):
    """All-reduce among n: 2 (n - 1) / n of the model over the slowest pair, and a step of computing."""
    import ddlsim
    file = tmp_path / "iperf.csv"
    file.write_text(MATRIX.format(rate=400))
    advice = ddlsim.advise(model_bytes="1GB", step="2s", platform=str(file), workers=2, out=tmp_path / "out").attrs["advice"]
    ring = next(row for row in advice["systems"] if row["system"].endswith("allreduce") and row["setting"] == "as given")
    assert ring["step_s"] == pytest.approx(2 + 8e9 / 400e6, rel=0.06)
    assert ring["least_step_s"] <= ring["step_s"]
    single = next(row for row in advice["systems"] if row["system"] == "single")
    assert single["samples_against_one_worker"] == 1 and single["step_s"] == pytest.approx(2, rel=0.05)
    rounds = next(row for row in advice["systems"] if row["system"] == "diloco" and "sync_every 100" in row["setting"])
    assert rounds["step_s"] == pytest.approx(2 + 8e9 / 400e6 / 100, rel=0.1)
    assert any("10.7 million" in line for line in advice["warnings"])
    halved = ddlsim.advise(model_bytes="1GB", step="2s", platform=str(file), workers=2, out=tmp_path / "halved",
                           changes={"platform.bandwidth_factor": 0.5}).attrs["advice"]

    def of(name, answer):
        return next(one["scores"] for one in [*answer["sensitivity"], *answer["other_conditions"]] if one["condition"] == name)
    given, again = of("as given", advice), of("bandwidth doubled", halved)
    assert len(given.keys() & again.keys() - {"single"}) > 0  # conditions are factors on what the user has set
    assert all(again[scheme] == pytest.approx(given[scheme]) for scheme in given.keys() & again.keys())
    assert [one["condition"] for one in advice["other_conditions"] if one["condition"].endswith("away")] == ["a away", "b away"]
    file.write_text(MATRIX.format(rate=4))
    slow = ddlsim.advise(model_bytes="1GB", step="2s", platform=str(file), workers=2, out=tmp_path / "out").attrs["advice"]
    assert slow["best"]["system"] == "single" and any("too few to learn" in line for line in slow["not_run"])
    assert next(row["step_s"] for row in slow["systems"] if row["system"] == ring["system"]) > 50 * ring["step_s"]


@needs_program
def test_advice_from_facts_ranks_by_time_to_a_target_and_tests_those_times(tmp_path):
    import ddlsim
    file = tmp_path / "iperf.csv"
    file.write_text(MATRIX.format(rate=400))

    def ask(**asked):
        return ddlsim.advise(model_bytes="1GB", step="2s", platform=str(file), workers=2, out=tmp_path / "out", **asked).attrs["advice"]
    advice = ask(target=2.2)
    reached = [row["time_to_target_s"] for row in advice["systems"] if row["time_to_target_s"] is not None]
    assert reached == sorted(reached) and advice["best"]["time_to_target_s"] == reached[0]
    assert all(row["p_against_leader"] < 0.05 for row in advice["systems"] if row["time_to_target_s"] and row["time_to_target_s"] > 20 * reached[0])
    for word in ("best", "safe"):
        written = json.loads((tmp_path / f"out/iperf/{word}.json").read_text())
        assert advice[word]["scenario"] == str(tmp_path / f"out/iperf/{word}.json")
        assert written["algorithm"]["name"] == advice[word]["system"]
    none = ask(target=0.1)
    assert none["best"] is None and "reaches 0.1 with no system" in none["how_sure"]
    assert all("does not reach 0.1 within 1,000 steps" in line for line in none["not_run"])
    assert {row["system"] for row in ask(systems=["diloco"])["systems"]} == {"single", "diloco"}
    assert ask(systems=["tree_allreduce"])["systems"] == ask(systems=["ring_allreduce"])["systems"]  # the quickest of these
    assert any("before the shortest runs" in line for line in ask(target=5)["warnings"])
    assert "single" not in {row["system"] for row in ask(exclude=["single"])["systems"]}
    with pytest.raises(InputError, match=r'--exclude: "dilco" is no candidate; did you mean "diloco"\?'):
        ask(exclude=["dilco"])


@needs_program
def test_quicker_steps_leave_no_scheme_behind_what_it_was(tmp_path):
    import ddlsim
    (tmp_path / "iperf.csv").write_text(MATRIX.format(rate=400))
    advice = ddlsim.advise(model_bytes="20MB", step="1s", platform=str(tmp_path / "iperf.csv"), workers=2, horizon=600,
                           out=tmp_path / "out").attrs["advice"]
    losses = {one["condition"]: one["scores"] for one in [*advice["sensitivity"], *advice["other_conditions"]]}
    for scheme, given in losses["as given"].items():
        assert losses["seconds a batch halved"][scheme] < given < losses["seconds a batch doubled"][scheme]


@needs_program
def test_a_target_that_nobody_reaches_is_said_first_and_nothing_is_told_of_times(tmp_path):
    import ddlsim
    table = ddlsim.advise(LEARNER, systems="local_sgd", target=0.999, budget="60s", seeds=[1, 2, 3], out=tmp_path / "out")
    told = table.attrs["text"]
    assert told.startswith("No run reaches 0.999 within 4 s") and "Break-even" not in told and "would help" not in told
    assert set(table["system"]) == {"single", "local_sgd"}  # from a dict, and names in one text


@needs_program
def test_where_a_worker_crashes_other_systems_go_on_without_it(tmp_path):
    import ddlsim
    asked = LEARNER | {"algorithm": "ako", "faults": [{"type": "host_crash", "host": "w2", "at": "1s"}]}
    table = ddlsim.advise(asked, systems=["local_sgd"], exclude=["single"], budget="60s", seeds=[1, 2, 3], out=tmp_path / "out")
    found = table.set_index("system").loc["local_sgd"]
    assert found["changes"]["algorithm.on_failure"] == "go_on" and found["accuracy"] > 0.1
    assert "on_failure go_on" in found["setting"]  # the default is to wait
    failures = table.attrs["advice"]["failures"]
    assert len(failures) == len({line.split(":")[0] for line in failures})


@needs_program
def test_from_facts_what_is_within_the_noise_of_few_steps_is_no_upgrade(tmp_path):
    """With next to nothing to send nothing helps; with much to send, bandwidth does."""
    import ddlsim
    (tmp_path / "iperf.csv").write_text(MATRIX.format(rate=400))

    def ask(size):
        return ddlsim.advise(model_bytes=size, step="1s", platform=str(tmp_path / "iperf.csv"), workers=2, exclude=["single"],
                             out=tmp_path / "out").attrs["advice"]
    little, much = ask("10kB"), ask("4GB")
    assert "bandwidth doubled" not in little["upgrades"] and "4 connections for each message" not in little["upgrades"]
    assert "bandwidth doubled" in much["upgrades"] or "4 connections for each message" in much["upgrades"]
    page = (tmp_path / "out/iperf/advice.md").read_text()
    assert "| scheme |" in page and "\n- Best estimate:" in page


@needs_program
def test_from_facts_what_is_lost_is_no_gain_and_one_worker_learns_as_one(tmp_path):
    import ddlsim
    (tmp_path / "iperf.csv").write_text(MATRIX.format(rate=400))
    advice = ddlsim.advise(model_bytes="20MB", step="1s", platform=str(tmp_path / "iperf.csv"), workers=2, out=tmp_path / "out").attrs["advice"]
    given, *_ = [one for one in advice["other_conditions"] if one["condition"] == "as given"]
    away = [one for one in advice["other_conditions"] if one["condition"].endswith("away")]
    assert len(away) == 2
    for one in away:
        assert one["scores"]["single"] == given["scores"]["single"]
        assert all(score > given["scores"][scheme] for scheme, score in one["scores"].items() if scheme != "single")


@needs_program
def test_a_budget_of_an_advice_from_facts_ends_and_says_what_it_left_out(tmp_path, monkeypatch):
    import ddlsim
    (tmp_path / "iperf.csv").write_text(MATRIX.format(rate=400))

    def ask(budget):
        return ddlsim.advise(model_bytes="20MB", step="1s", platform=str(tmp_path / "iperf.csv"), workers=2, budget=budget,
                             out=tmp_path / "out")
    with pytest.raises(RunFailed, match="the budget ended before a step"):
        ask("1us")
    assert ask("10min").attrs["advice"]["cut_off"] == []
    monkeypatch.setattr("ddlsim.tuning.facts.OTHER_TIMES", 0.0)
    table = ask("10min")
    assert "as given" in table.attrs["advice"]["cut_off"] and "a away" in table.attrs["advice"]["cut_off"]
    assert "The budget left out: as given" in table.attrs["text"] and "where one thing differs" not in table.attrs["text"]


@needs_program
def test_a_candidate_that_costs_too_much_is_left_out_and_others_lack_the_keys_of_the_scenario_s_own_system(tmp_path):
    import ddlsim
    file = learner(tmp_path, platform={"topology": "star", "workers": 301, "bandwidth": "40Mbps"}, data={"train": 3000, "test": 20},
                   stop={"time": "1s"})
    answer = ddlsim.advise(file, systems=["local_sgd", "butterfly_allreduce"], exclude=["single"], budget="20s", seeds=[1, 2, 3],
                           out=tmp_path / "out", changes={"algorithm.local_steps": 2, "training.optimizer.schedule": "constant"}).attrs["advice"]
    assert any(line.startswith("butterfly_allreduce: a run takes a core roughly") for line in answer["not_run"])
    assert {row["system"] for row in answer["systems"]} == {"alone", "local_sgd"}


def test_the_small_gpt_learns_more_with_more_steps_and_more_workers():
    from ddlsim.tuning.learned import rows_of
    rows, learned = rows_of(7)
    assert learned == 8
    for row in rows:
        means = [sum(losses) / len(losses) for _, losses in sorted(row.losses.items())]
        assert means == sorted(means, reverse=True)
        between = row.after(550)
        assert means[-1] < sum(between) / len(between) < means[0] and row.after(3) == []
        middle = sum(between) / len(between)
        assert row.steps_to(middle) == pytest.approx(550, rel=0.03)
    last = {json.dumps(row.algorithm): sum(row.losses[1000]) / len(row.losses[1000]) for row in rows}
    assert min(last, key=last.get) != json.dumps({"name": "single"})


@needs_program
def test_each_way_of_asking_for_nonsense_is_one_line(tmp_path, capsys):
    from ddlsim.cli import main
    table = tmp_path / "iperf.csv"
    table.write_text("from,to,rate_mbps,rtt_ms,streams\nus,us,6000,1,1\neu,eu,6000,1,1\nus,eu,210,100,1\n")
    facts = ["advise", "--model-bytes", "2.6GB", "--step", "0.7s", "--platform", str(table), "--workers", "4", "--out", str(tmp_path / "out")]
    scenario = str(learner(tmp_path))
    for words, phrase in (([*facts, "--target", "-1"], "--target: -1"), ([*facts, "--target", "nan"], "--target: nan"),
                          ([*facts, "--set", "algorithm=gossip"], "--set algorithm: is what an advice from facts is given, or chooses"),
                          *(([*facts, "--set", f"{key}=1"], f"--set {key}: is what") for key in (
                              "compute.seconds_per_batch", "platform.workers_per_site", "wire.model_bytes", "seed", "stop.time")),
                          (["tune", scenario, "--over", "training.batch_size=[1,2"], "has no value at '[1,2'"),
                          (["advise", scenario, "--seeds", "1000001..1000003"], "are for tuning"),
                          ([*facts, "--text", "nosuch.txt"], "--text: nosuch.txt does not exist"),
                          ([*facts, "--horizon", "1001"], "--horizon: the small GPT was learned for 1,000 steps"),
                          ([*facts, "--workers", "1"], "--workers: 1 exchanges nothing"),
                          ([*facts, "--systems", "ako"], "--systems: what ako learns depends on times; expected --text FILE"),
                          ([*facts, "--out", scenario], "cannot be made: Not a directory"),
                          (["advise", scenario, "--out", scenario], "cannot be made: Not a directory"),
                          ([*facts, "--step", "0s"], "--step: 0s is none; write more than 0 and its unit"),
                          (["tune", scenario, "--over", "algorithm.nosuch=1,2", "--out", str(tmp_path / "out")], "nosuch"),
                          (["advise", scenario, "-o", str(tmp_path / "no" / "page.html")], "no is no folder"),
                          (["tune", scenario, "--jobs", "-5"], "-5 is no count"), (["tune", scenario, "--seeds", "0"], "0 is no count")):
        assert main(words) == 2
        said = capsys.readouterr().err
        assert phrase in said and "Traceback" not in said
    assert not list((tmp_path / "out").rglob("*.csv"))


@needs_program
@pytest.mark.parametrize("how", [signal.SIGTERM, signal.SIGINT])
def test_what_ends_an_advice_ends_the_programs_that_it_waits_for(tmp_path, how):
    table = tmp_path / "iperf.csv"
    table.write_text(MATRIX.format(rate=400))
    words = ["advise", "--model-bytes", "100MB", "--step", "1s", "--platform", str(table), "--workers", "700", "--out", str(tmp_path / "out")]
    import ddlsim
    asked = subprocess.Popen([sys.executable, "-m", "ddlsim", *words], stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL,
                             env={**os.environ, "PYTHONPATH": str(Path(ddlsim.__file__).parents[1])},
                             preexec_fn=lambda: signal.signal(signal.SIGINT, signal.SIG_DFL if how == signal.SIGINT else signal.SIG_IGN))

    def children():
        found = []
        for folder in Path("/proc").glob("[0-9]*"):
            try:
                found += [folder] if (folder / "stat").read_text().rpartition(")")[2].split()[1] == str(asked.pid) else []
            except OSError:
                pass  # it has ended
        return found
    while len(at_work := children()) < 2 and asked.poll() is None:
        time.sleep(0.05)
    asked.send_signal(how)
    assert asked.wait(60) == 128 + how
    assert not [folder for folder in at_work if folder.is_dir()]
