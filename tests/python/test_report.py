"""The page and its data."""
import json
import re

import pytest
from ddlsim.errors import InputError
from ddlsim.frame import read_all
from ddlsim.labels import group
from ddlsim.reports import page_data, report


def data_of(text):
    return json.loads(re.search(r'<script id="data" type="application/json">(.*?)</script>', text, re.S)[1])


@pytest.fixture
def runs(results):
    for seed in (1, 2, 3):
        results.add("ako", seed=seed, final=0.8 + seed / 100, times={0.5: 10.0 + seed})
        results.add("gossip", seed=seed, final=0.7 + seed / 100, times={0.5: 30.0 + seed})
    return results


def test_the_page_is_one_file_without_places_left_or_a_network(runs, tmp_path):
    text = report(runs.folder, tmp_path / "page.html", title="A & <b>")
    assert (tmp_path / "page.html").read_text() == text and "{{" not in re.sub(r"<script>.*?</script>", "", text, flags=re.S)
    assert "<title>A &amp; &lt;b&gt;</title>" in text
    assert not re.findall(r'(?:src|href)="(?!#|data:)', text)


def test_a_notebook_shows_the_page_and_not_its_text(runs):
    found = report(runs.folder)
    assert len(repr(found)) < 60 and found._repr_html_().startswith('<iframe srcdoc="&lt;!doctype html&gt;')
    with pytest.raises(InputError, match="--title: 3 is no text"):
        report(runs.folder, title=3)
    with pytest.raises(InputError, match="3 names no folders"):
        report(3)


def test_nothing_in_a_name_ends_the_script(results):
    results.add("x", system="</script><b>")
    assert "</script><b>" not in report(results.folder)


def test_systems_are_ranked_with_their_certainty(runs):
    data = page_data(group(read_all([runs.folder])))
    assert data["answer"]["target"] == 0.5
    (ranking,) = data["answer"]["rankings"]
    assert [data["groups"][entry["group"]]["scheme"] for entry in ranking["order"]] == ["ako", "gossip"]
    assert ranking["clear"] is True and ranking["order"][0]["value"][0] == 12.0


def test_scenarios_that_share_no_condition_are_ranked_together(results):
    for name, digest, final in (("ab", "a", 0.75), ("join", "b", 0.73)):
        for seed in (1, 2, 3):
            results.add(name, system="local_sgd", seed=seed, final=final + seed / 1000, times={0.6: 10.0},
                        settings={"data_digest": digest, "platform.bandwidth": 1e6 if digest == "a" else 1e7})
    data = page_data(group(read_all([results.folder])))
    assert data["varied"] == [] and len(data["answers"][-1]["rankings"]) == 1
    assert [group_["scheme"] for group_ in data["groups"]] == ["ab", "join"]


def test_a_run_shows_its_links_pairs_and_steps(runs):
    run = page_data(group(read_all([runs.folder])))["runs"][0]
    assert [link["name"] for link in run["links"]] == ["w0 up", "w1 down"]
    assert run["pairs"]["nodes"] == ["w0", "w1", "ps0"] and [2, 500] == run["pairs"]["cells"][1][2:]
    assert run["timeline"]["exact"] is False and run["timeline"]["spans"][0] == [0, "compute", 0, 0.5, 0]
    assert run["worker_curves"]["names"] == ["w0", "w1"] and run["curve"]["time"] == [0, 30, 60]


def test_a_trace_shows_messages(results):
    folder = results.add("ako")
    events = [{"ph": "M", "name": "process_name", "pid": 1, "args": {"name": "w0"}},
              {"ph": "X", "name": "compute", "pid": 1, "ts": 0, "dur": 1e6, "args": {"step": 0}},
              {"ph": "X", "name": "send to w1", "pid": 1, "ts": 5e5, "dur": 2e5, "args": {"step": 0}}]
    (folder / "trace.json").write_text(json.dumps({"traceEvents": events}))
    timeline = page_data(group(read_all([results.folder])))["runs"][0]["timeline"]
    assert timeline["exact"] is True and timeline["spans"] == [[0, "compute", 0, 1, 0], [0, "send", 0.5, 0.7, 0, 1]]


def test_a_page_opens_with_an_answer(runs):
    assert data_of(report(runs.folder, answer="Sure."))["answer"] == {"text": "Sure."}
