"""The rule of tuning, races, and what advice says of times."""
import json
import math
import os
import random
import subprocess

import pytest

from ddlsim.errors import InputError
from ddlsim.tuning.decide import what_binds
from ddlsim.tuning.race import LOOKS, Entrant, look, seeds_to_tell
from ddlsim.tuning.search import ALLOWANCE, FIRST_SEED, RATE, RUNGS, SCHEDULE, Search, axis, beyond, changes_of, over, rates, text_of
from ddlsim.tuning.trials import Base, Goal, Trials

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
    assert not search.impossible & search.scores.keys()


def test_a_grid_is_tried_whole_and_only_rates_go_further():
    lists = [axis([{"training.batch_size": size} for size in (1, 40)], {"training.batch_size": 1}, False), rates(0.1)]
    search = Search(lists, grid=True)
    asked = follow(search, lambda changes: abs(math.log(changes[RATE] / 0.8)) + changes["training.batch_size"])
    assert {(changes_of(setting)["training.batch_size"]) for setting, _ in asked} == {1, 40}
    assert changes_of(search.best) == {"training.batch_size": 1, RATE: 0.8}


def test_values_beyond_an_end_are_in_proportion():
    assert beyond(text_of({"a": 10}), text_of({"a": 30})) == text_of({"a": 90})
    assert beyond(text_of({"a": 0.1}), text_of({"a": 0.02})) == text_of({"a": 0.004})
    assert beyond(text_of({"b": 8, "t": "0.2s"}), text_of({"b": 16, "t": "0.4s"})) == text_of({"b": 32, "t": "0.8s"})
    for last in ({"a": "ring"}, {"a": True}, {"a": {"type": "none"}}):
        assert beyond(text_of({"a": "tree"}), text_of(last)) == text_of(last)


def test_lists_of_values_keep_together_what_is_in_brackets():
    assert over('a.b=1,[2,3],{"x": 1, "y": [1, 2]},word') == ("a.b", [1, [2, 3], {"x": 1, "y": [1, 2]}, "word"])
    assert over(RATE) == (RATE, [])
    for text in ("a.b", "a=", "a=1,,2", "a=1,1"):
        with pytest.raises(ValueError):
            over(text)


def test_settings_are_told_apart_whatever_differs(tmp_path):
    trials, base = Trials(tmp_path, Goal(None)), Base("same", {})
    outer = [{"algorithm": {"name": "diloco", "outer": {"type": kind, "learning_rate": rate}}} for kind in ("sgd", "nesterov") for rate in (0.4, 1, 1.0)]
    outer += [{"algorithm": {"name": "diloco"}}, {"algorithm.outer": "sgd"}, {"a": "x" * 200}, {"a": "x" * 201}]
    assert len({trials.folder(base, changes, FIRST_SEED) for changes in outer}) == len({json.dumps(changes) for changes in outer})
    assert trials.folder(base, {"a": 1, "b": 2}, 5) != trials.folder(Base("same", {}, None, {"c": 1}), {"a": 1, "b": 2}, 5)
    assert all(len(str(trials.folder(base, changes, FIRST_SEED).parent.name)) <= 120 for changes in outer)


def raced(means, seeds, deviation=1.0):
    """Entrants after a whole race of systems with these means."""
    scores = [[mean + seeds.gauss(0, deviation) for _ in range(LOOKS[-1])] for mean in means]
    entrants = [Entrant() for _ in means]
    for count in LOOKS:
        for one, own in zip(entrants, scores):
            if not one.dropped:
                one.scores = own[:count]
        look([one for one in entrants if not one.dropped])
    return entrants


def test_of_equal_systems_at_most_one_race_in_twenty_is_called():
    seeds = random.Random(1)
    races = [raced([0.0] * 5, seeds) for _ in range(400)]
    called = sum(sum(not one.dropped for one in race) == 1 for race in races)
    assert called <= 0.05 * len(races)
    assert sum(any(one.dropped for one in race) for race in races) <= 0.1 * len(races)


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
    tried = (tmp_path / "out/learner/tried.csv").read_text().splitlines()
    assert tried[0] == "training.optimizer.learning_rate,algorithm.local_steps,seed,score,accuracy,failure,best"
    assert len(tried) == 9 and {line.split(",")[2] for line in tried[1:]} == {"1000001", "1000002"}
    again = ddlsim.run(row["tuned_scenario"], seed=1000001, out=tmp_path / "again")
    of_best = [float(line.split(",")[4]) for line in tried[1:] if line.endswith(",1")]
    assert again.summary["final_accuracy"]["mean"] in [pytest.approx(value) for value in of_best]


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
def test_advice_says_first_what_its_own_system_does_and_leaves_what_can_be_run(tmp_path):
    import ddlsim
    file = learner(tmp_path)
    table = ddlsim.advise(file, systems=["local_sgd", "ako"], budget="60s", seeds=range(1, 4), out=tmp_path / "out")
    advice = table.attrs["advice"]
    assert {"single", "local_sgd", "ako"} == set(table["system"])
    assert json.loads((tmp_path / "out/learner/advice.json").read_text())["best"] == json.loads(json.dumps(advice["best"]))
    for key in ("best", "safe", "why", "break_even_bandwidth", "wan_bytes_per_hour", "sensitivity", "warnings", "needs_all_data_in_one_place"):
        assert key in advice
    assert advice["needs_all_data_in_one_place"]["single"] and not advice["needs_all_data_in_one_place"]["ako"]
    assert {one["key"] for one in advice["sensitivity"]} == {"compute.seconds_per_batch", "wire.model_bytes"}
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
    assert [one["condition"] for one in advice["other_conditions"] if one["condition"].endswith("away")] == ["a away", "b away"]
    file.write_text(MATRIX.format(rate=4))
    slow = ddlsim.advise(model_bytes="1GB", step="2s", platform=str(file), workers=2, out=tmp_path / "out").attrs["advice"]
    assert slow["best"]["system"] == "single" and any("too few to learn" in line for line in slow["not_run"])
    assert next(row["step_s"] for row in slow["systems"] if row["system"] == ring["system"]) > 50 * ring["step_s"]


def test_the_small_gpt_learns_more_with_more_steps_and_more_workers():
    from ddlsim.tuning.facts import rows_of
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
