"""What scenarios are called, in one place for tables, figures and pages."""
import json

import pytest
from ddlsim.errors import InputError
from ddlsim.frame import read_all
from ddlsim.labels import MOST_LETTERS, group, relabel, shown_values


def labels_of(results, **options):
    return [one.label for one in group(read_all([results.folder]), **options).groups]


def test_names_are_used_where_they_are_shorter_than_what_differs(results):
    data = {"data_digest": "aa", "platform.bandwidth": 1e9, "platform.latency": 1e-4, "data.train": 100}
    results.add("ab", system="local_sgd", settings=data)
    results.add("join", system="local_sgd", settings={**data, "data_digest": "bb", "platform.workers": 3, "data.train": 150})
    assert labels_of(results) == ["ab", "join"]


def test_what_differs_is_used_where_it_is_shorter(results):
    for partitions in (3, 4):
        results.add(f"het_wan_ako_with_{partitions}_partitions", system="ako", settings={"algorithm.partitions": partitions})
    assert labels_of(results) == ["ako partitions=3", "ako partitions=4"]


def test_a_default_that_took_effect_tells_scenarios_apart(results):
    results.add("a_run_by_default", system="diloco", settings={"algorithm.overlap": "layers"})
    results.add("b_run_without_it", system="diloco", settings={"algorithm.overlap": "none"})
    results.add("c_other", system="ako")
    grouped = group(read_all([results.folder]))
    assert len({one.label for one in grouped.groups}) == 3
    assert [one.scheme for one in grouped.groups[:2]] == ["diloco overlap=layers", "diloco"]


def test_values_are_shown_as_the_scenario_spells_them(results):
    for bandwidth, bits in (("40Mbps", 4e7), ("1Gbps", 1e9)):
        for system in ("ako", "gossip"):
            results.add(f"a_long_name_of_{system}_at_{bandwidth}", system=system, settings={"platform.bandwidth": bits},
                        scenario={"platform": {"bandwidth": bandwidth}})
    grouped = group(read_all([results.folder]))
    assert grouped.is_grid and grouped.varied == ["platform.bandwidth"]
    assert {one.condition for one in grouped.groups} == {("40Mbps",), ("1Gbps",)}
    assert {one.label for one in grouped.groups} >= {"ako, bandwidth=40Mbps", "gossip, bandwidth=1Gbps"}


def test_labels_have_at_most_forty_letters_and_are_unique(results):
    for i in range(12):
        results.add("x" * 60 + f"{i}", system="a_system_of_ones_own_with_quite_a_name", settings={
            f"algorithm.a_setting_{k}": (i + k) % 2 for k in range(3)} | {"algorithm.number": i})
    labels = labels_of(results)
    assert len(set(labels)) == 12 and max(map(len, labels)) <= MOST_LETTERS


def test_seeds_come_together_and_names_do_not_part_them(results):
    for seed in (3, 1, 2):
        results.add(f"name_{seed}", system="ako", seed=seed)
    (one,) = group(read_all([results.folder])).groups
    assert [run.seed for run in one.runs] == [1, 2, 3]
    assert len(group(read_all([results.folder]), over_seeds=False).groups) == 3


def test_a_rate_that_was_tuned_belongs_to_its_scheme(results):
    for system, rate in (("ako", 0.4), ("gossip", 0.1), ("single", 0.2)):
        for bandwidth in (1e6, 1e7):
            results.add(f"{system}{bandwidth}", system=system,
                        settings={"training.optimizer.learning_rate": rate, "platform.bandwidth": bandwidth})
    grouped = group(read_all([results.folder]))
    assert grouped.varied == ["platform.bandwidth"]
    assert {one.own for one in grouped.groups} == {"learning_rate=0.4", "learning_rate=0.1", "learning_rate=0.2"}


def test_a_rate_that_two_of_one_scheme_differ_in_is_a_condition(results):
    for rate in (0.1, 0.2):
        for system in ("ako", "gossip"):
            results.add(f"{system}{rate}", system=system, settings={"training.optimizer.learning_rate": rate})
    assert group(read_all([results.folder])).varied == ["training.optimizer.learning_rate"]


def test_servers_that_come_with_a_system_are_no_condition(results):
    results.add("a", system="ps_async", settings={"platform.servers": 1})
    results.add("b", system="ako", settings={"platform.servers": 0})
    assert group(read_all([results.folder])).varied == []


def test_two_results_of_one_scenario_and_seed_are_refused(results):
    results.add("a", system="ako", digest="one")
    results.add("b", system="ako", digest="two")
    with pytest.raises(InputError, match="another result of the scenario and seed"):
        labels_of(results)


def test_runs_judged_by_two_metrics_are_refused(results):
    results.add("a", system="ako")
    results.add("b", system="gossip", metric="loss")
    with pytest.raises(InputError, match="judged by"):
        labels_of(results)


def test_rows_can_be_called_otherwise_by_label_or_name(results):
    results.add("first", system="ako")
    results.add("second", system="gossip")
    grouped = group(read_all([results.folder]))
    relabel(grouped, {"ako": "Ako", "second": "rumours"})
    assert [one.label for one in grouped.groups] == ["Ako", "rumours"]
    with pytest.raises(InputError, match='"akko" is no label here; did you mean'):
        relabel(group(read_all([results.folder])), {"akko": "Ako"})


def test_lists_of_objects_are_told_by_as_many_elements_as_it_takes():
    crash = {"type": "host_crash", "host": "w1", "at": "20s"}
    late = {**crash, "at": "30s"}
    assert shown_values([[crash], [crash, late], []]) == ["host_crash w1 at 20s", "host_crash w1 at 20s +1 more", "none"]
    assert shown_values([[crash, crash], [crash, late]]) == [
        "host_crash w1 at 20s, host_crash w1 at 20s", "host_crash w1 at 20s, host_crash w1 at 30s"]
    assert shown_values([1.0, 2, True, None, "40Mbps"]) == ["1", "2", "true", "", "40Mbps"]


def test_values_that_are_shown_alike_are_numbered():
    assert shown_values(["1", 1.0, "1", "1 (2)"]) == ["1", "1 (2)", "1", "1 (2) (2)"]
    assert shown_values([True, "true" + 50 * "x", "true"])[2] == "true (2)"


def test_what_follows_from_other_settings_is_told_only_where_nothing_else_tells(results):
    for model, size in (("mlp", 1e6), ("cnn", 4e6)):
        results.add(f"with-{model}-{'x' * 30}", system="ako", settings={"model": model}, derived={"wire.model_bytes": size})
    grouped = group(read_all([results.folder]))
    assert grouped.varied == ["model"] and [one.label for one in grouped.groups] == ["model=cnn", "model=mlp"]
    results.add("again" + "x" * 40, system="ako", settings={"model": "cnn"}, derived={"wire.model_bytes": 5e6})
    assert group(read_all([results.folder])).varied == ["model", "wire.model_bytes"]


def test_words_that_mean_two_things_are_told_by_what_they_mean(results):
    for name, model in (("a", "TCP"), ("b", "packets")):
        results.add(name + "x" * 60, system="ako", settings={"platform.network.model": model},
                    scenario={"platform.network.model": "auto"})
    assert [one.label for one in group(read_all([results.folder])).groups] == ["model=TCP", "model=packets"]


def test_a_result_of_an_older_program_is_refused_in_one_line(results):
    folder = results.add("ako")
    run = json.loads((folder / "run.json").read_text())
    del run["settings"]
    (folder / "run.json").write_text(json.dumps(run))
    with pytest.raises(InputError, match="has no settings: an older ddlsim wrote it; expected its scenario to be run again"):
        read_all([results.folder])


def test_a_table_without_rows_is_one(results):
    folder = results.add("single")
    (folder / "pairs.csv").write_text("source,target,messages,bytes\n")
    (run,) = read_all([folder])
    assert run.rows("pairs")["bytes"].sum() == 0
