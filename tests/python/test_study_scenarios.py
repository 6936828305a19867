"""The scenarios of studies, as the program reads them: it is that of the variable DDLSIM."""
import json
import os
from dataclasses import replace

import pytest
from ddlsim import batch, studies
from ddlsim.program import call
from ddlsim.studies import running

from conftest import ROOT

pytestmark = pytest.mark.skipif(not os.environ.get("DDLSIM"), reason="needs the program: DDLSIM names it")
PAPERS = sorted((ROOT / "scenarios/paper").glob("*.json"))
COUNTS = {"mnist": 30, "cifar-10": 48}  # images to train on, and as many to test


@pytest.fixture(scope="module")
def data(tmp_path_factory):
    """A folder of CIFAR-10's files, which has folders of these, of MNIST's and of a text."""
    folder = tmp_path_factory.mktemp("data")
    (folder / "tinyshakespeare").mkdir()
    (folder / "tinyshakespeare/input.txt").write_text("To be, or not to be: that is the question. " * 100)
    (folder / "mnist").mkdir()
    (folder / "cifar-10").mkdir()
    count = COUNTS["cifar-10"]
    images = b"".join(bytes([image % 10, *((value * 7 + image * 31) % 251 for value in range(3072))])
                      for image in range(count))
    for place in (folder, folder / "cifar-10"):
        for name in ("data_batch_1.bin", "test_batch.bin"):
            (place / name).write_bytes(images)
    count = COUNTS["mnist"]
    for name in ("train", "t10k"):
        size = count.to_bytes(4, "big")
        pixels = bytes(i % (251 if name == "t10k" else 250) for i in range(count * 784))
        (folder / f"mnist/{name}-images-idx3-ubyte").write_bytes(b"\0\0\x08\x03" + size + b"\0\0\0\x1c\0\0\0\x1c" + pixels)
        labels = bytes(i % 10 for i in range(count))
        (folder / f"mnist/{name}-labels-idx1-ubyte").write_bytes(b"\0\0\x08\x01" + size + labels)
    return folder


def all_sizes():
    for name in studies.names():
        uses = studies.definition(name).data
        for size in {"": ["default"], "cifar-10, full alone": ["default", "full"], "tinyshakespeare": ["data"]}.get(
                uses, ["default", "data", "full"]):
            yield pytest.param(name, size, id=f"{name} {size}")


@pytest.mark.parametrize("name, size", all_sizes())
def test_the_scenarios_of_every_study_are_valid(name, size, data, tmp_path):
    study = studies.definition(name).sized(size, "" if size == "default" else str(data))
    for platform in study.platforms:
        (tmp_path / platform.name).write_bytes(platform.read_bytes())
    jobs = [batch.Job({**cell.scenario, "name": "x"}, tmp_path / str(number), 1, tmp_path)
            for number, cell in enumerate(study.cells.values())]
    wrong = [answer.error for answer in batch.run_jobs(jobs, options=["--finished"]) if answer.state != "open"]
    assert not wrong


def what_is_done(file, data):
    """What is learnt and how it is exchanged; not where, how long and how it is measured."""
    scenario = json.loads(call(["describe", file, "--set", f"data.path={data}"]))
    return {key: value for key, value in scenario.items()
            if key not in ("name", "description", "platform", "stop", "evaluate", "record", "wire")}


def test_the_scenarios_of_tf_ako_do_what_its_study_with_the_published_network_does(data, tmp_path):
    cells = studies.definition("ako_2018").sized("full", str(data)).cells
    of_endings = {"ps_async": "4_ps", "ako_p1": "4_ako_p1", "ako_p4": "4_ako_p4", "ps_async_to_target": "2_ps_to_target",
                  "ako_p4_to_target": "2_ako_p4_to_target"}
    compared = 0
    for file in PAPERS:
        for network in ("uniform_lan", "het_lan", "uniform_wan", "het_wan"):
            ending = file.stem.removeprefix(f"tfako_2018_{network}_")
            if ending == file.stem:
                continue
            cell = tmp_path / "cell.json"
            scenario = cells[f"{network}_{of_endings[ending]}"].scenario
            cell.write_text(json.dumps({**scenario, "name": "cell", "evaluate": {"every": "20s"}}))
            assert what_is_done(file, data) == what_is_done(cell, data), file.name
            compared += 1
    assert compared == 4 * 3 + 4


def model_of(scenario, tmp_path):
    file = tmp_path / "cell.json"
    file.write_text(json.dumps({**scenario, "name": "cell"}))
    return json.loads(call(["model", file, "--json"]))


def test_iddls_exits_and_classifiers_are_those_of_the_source(data, tmp_path):
    for size, values in (("data", [2048, 512]), ("full", [8192, 2048])):  # the small network halves height and width at once
        cells = studies.definition("iddl").sized(size, str(data)).cells
        parameters = {}
        for name in ("dense", "grouped", "own_classifiers"):
            scenario = cells[f"exits_{name}"].scenario
            model = model_of(scenario, tmp_path)
            outputs = {layer["name"].split(".")[0]: layer["output"] for layer in model["layers"]}  # a block's last
            cuts = [list(outputs.values())[cut - 1] for cut in scenario["algorithm"]["cuts"]]
            assert [32 * height * width for _, height, width in cuts] == values  # of the 32 channels that an exit reads
            parameters[name] = model["total"]["parameters"]
        # Four of 128 inputs and ten outputs, and one of 40 inputs, in place of one of 512; all with biases.
        more = 4 * (128 * 10 + 10) + 40 * 10 + 10 - (512 * 10 + 10)
        assert parameters["own_classifiers"] - parameters["grouped"] == more


def test_networks_between_the_default_and_the_full_size_have_the_parameters_and_operations_that_pages_name(data, tmp_path):
    resnet20 = json.loads(call(["model", "resnet20", "--json"]))["total"]
    found = {}
    for name in ("cui_2019", "zhang"):
        for cell in studies.definition(name).sized("data", str(data)).cells.values():
            if cell.scenario["model"] != "none":
                found[json.dumps(cell.scenario["model"])] = cell.scenario
    totals = {total["parameters"]: total for total in (model_of(scenario, tmp_path)["total"] for scenario in found.values())}
    # Convolutions of 3x3 over 3, 16, 32 and 64 channels, 2x2x128 values into ten outputs; biases, or two per filter.
    weights = 9 * (3 * 16 + 16 * 32 + 32 * 64 + 64 * 128) + 512 * 10 + 10
    filters = 16 + 32 + 64 + 128
    assert set(totals) == {weights + filters, weights + 2 * filters, resnet20["parameters"]}
    assert totals[resnet20["parameters"]]["operations"] == pytest.approx(resnet20["operations"] / 4, rel=0.001)


@pytest.mark.parametrize("name", ("cui_2019", "iddl", "zhang"))
def test_what_learns_from_images_in_files_is_run_and_every_figure_of_accuracy_is_there(name, data, tmp_path):
    """Two steps each by one seed, without the cells that only take time."""
    study = studies.definition(name).sized("data", str(data))
    study.counts, study.seeds = [], (1,)
    for cell_name, cell in list(study.cells.items()):
        scenario = cell.scenario
        if isinstance(scenario["model"], str) or scenario.get("data", {}).get("source") != "cifar-10":
            del study.cells[cell_name]
            continue
        scenario["data"] = {**scenario["data"], "train": 48, "test": 48}
        scenario["training"] = {**scenario["training"], "batch_size": 2}
        scenario["stop"] = {"iterations": 2}
        scenario["evaluate"] = {"every_iterations": 1, "samples": 4}
        if "serving" in scenario["algorithm"]:
            scenario["algorithm"] = {**scenario["algorithm"], "serving": {"requests": 5}}
        study.cells[cell_name] = replace(cell, seeds=())
    outcome = running.run_study(study, tmp_path)
    accuracies = [value for value in outcome.values
                  if value.place.table.endswith("accuracy") or value.place.row[-1] == "test accuracy, %"]
    assert len(accuracies) >= 3 and all(value.simulated is not None for value in accuracies)


def test_figures_that_need_no_run_are_counted_by_the_program(tmp_path):
    study = studies.definition("iddl").sized()
    study.cells = {}
    outcome = running.run_study(study, tmp_path)
    assert len(outcome.values) == 30
    for value in outcome.values:
        assert value.simulated == pytest.approx(value.published, abs=0.005)
