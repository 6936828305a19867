"""Studies of what others measured: closed forms hold for the measured numbers themselves, and a cell's run gives what
its table has (with the program, which the variable DDLSIM names)."""
import math
import os
import statistics

import pytest
from ddlsim import studies
from ddlsim.studies import diloco_measured, ec2, hivemind, running, tc_cluster

from published_pages import figures_in


def measured(study, file="measured.csv"):
    return study.lines(file)


# --- hivemind ---


def connections():
    """Bytes per second of one connection and seconds of its round trip, by the sites, in either order."""
    found = {}
    for line in measured(hivemind.study, "hivemind.csv"):
        if line["streams"] == "1" and line["from"] != line["to"]:
            rate, rtt_s = float(line["rate_mbps"]) * 1e6 / 8, float(line["rtt_ms"]) / 1e3
            for pair in ((line["from"], line["to"]), (line["to"], line["from"])):
                found.setdefault(pair, (rate, rtt_s))
    return found


def test_connections_between_continents_have_an_untuned_window():
    continents = [rate * rtt_s for (one, other), (rate, rtt_s) in connections().items()
                  if {one, other} <= {"US", "EU", "ASIA", "AUS"}]
    assert len(continents) == 12
    assert all(2.3e6 < window < 2.8e6 for window in continents)
    assert statistics.mean(continents) == pytest.approx(2.6e6, rel=0.03)  # the default


def test_no_averaging_of_one_machine_a_region_is_quicker_than_its_slowest_connection_and_few_wait_for_else():
    """Part i of n goes to machine i and its sum comes back, so that each connection carries 2/n of the vector."""
    compared = 0
    for line in measured(hivemind.study):
        sites = list(hivemind.MACHINES[line["experiment"]])
        if line["experiment"] not in hivemind.ONE_EACH:
            continue
        slowest = min(connections()[one, other][0] for one in sites for other in sites if one != other)
        least_s = 2 * hivemind.BYTES[line["model"]] / len(sites) / slowest
        assert 1 < float(line["seconds"]) / least_s < 1.25, line
        compared += 1
    assert compared >= 3


@pytest.mark.parametrize("own_s", (6.6, 20.8))
def test_own_work_counts_in_full_without_a_network_and_is_hidden_behind_a_slow_one(own_s):
    assert hivemind.beside_own_work(0, own_s) == own_s
    times = [hivemind.beside_own_work(network_s, own_s) for network_s in (0, 1, 10, 100)]
    assert times == sorted(times)
    for network_s in (1, 10, 100, 1000):
        together = hivemind.beside_own_work(network_s, own_s)
        assert max(network_s, own_s) < together < network_s + own_s
        assert together == pytest.approx(network_s + own_s * own_s / together)  # the share of work that waits
    assert hivemind.beside_own_work(1e4, own_s) == pytest.approx(1e4, rel=1e-4)


def test_all_26_averagings_and_those_over_two_clouds_have_a_figure():
    places = [value.place for value in studies.sized("hivemind").places() if value.place.table == "averagings"]
    assert len({place.row for place in places}) == 26 + 4
    assert sum(place.column == hivemind.WITH_OWN for place in places) == 16 + 4


# --- collectives under tc ---


def ring_s(nodes, vector, rate, latency_s, piece):
    """2 (n - 1) chunks one after another, of which a node forwards each slice as it comes (NCCL)."""
    chunk = vector / nodes
    return 2 * (nodes - 1) * max(chunk / rate, latency_s + piece / rate) + latency_s + piece / rate


def test_a_ring_that_forwards_slices_takes_what_nccls_was_measured_to():
    compared = 0
    for line in measured(tc_cluster.study):
        if (line["operation"], line["library"]) == ("allreduce", "nccl") and line["gbps"]:
            law_s = ring_s(int(line["nodes"]), int(line["MiB"]) << 20, float(line["gbps"]) * 1e9 / 8,
                           float(line["delay_ms"]) / 1e3, 1 << 20)
            assert float(line["seconds"]) == pytest.approx(law_s, rel=0.05), line
            compared += 1
    assert compared >= 12


def test_no_exchange_of_nccl_is_quicker_than_its_bytes():
    for line in measured(tc_cluster.study):
        if line["library"] == "nccl" and line["gbps"] and line["operation"] != "dp_central_ps":
            nodes = int(line["nodes"])
            share = 1 if line["operation"] == "p2p" else 2 * (nodes - 1) / nodes
            assert float(line["seconds"]) > share * (int(line["MiB"]) << 20) / (float(line["gbps"]) * 1e9 / 8), line


def test_no_star_has_the_times_of_the_central_server():
    """Its link would carry the vector of each of the others, in and out."""
    line = next(line for line in measured(tc_cluster.study) if line["operation"] == "dp_central_ps" and
                (line["nodes"], line["MiB"], line["gbps"], line["delay_ms"]) == ("4", "256", "1", "10"))
    one_way_s = (256 << 20) / (1e9 / 8)
    assert 2 * one_way_s < float(line["seconds"]) < 2 * 3 * one_way_s / 2


# --- DiLoCo, local SGD and DDP on shaped nodes ---


def test_no_synchronisation_is_quicker_than_its_ring_and_ddps_is_slower_by_its_buffers():
    bits = 8 * 2 * 3 / 4 * diloco_measured.MODEL_BYTES
    with_buffers = bits + 8 * diloco_measured.BUFFER_BYTES
    compared = 0
    for line in measured(diloco_measured.study):
        if line["rate"] in ("1Gbps", "5Gbps") and line["H"] in ("1", "8"):
            rate = float(line["rate"].removesuffix("Gbps")) * 1e9
            ratio = float(line["sync_s"]) * rate / (with_buffers if line["scheme"] == "ddp" else bits)
            assert 1 < ratio < 1.1, line
            compared += 1
    assert compared >= 16 + 2
    assert 8 * 2 * 3 / 4 * diloco_measured.BUFFERS_IN_RING == pytest.approx(8 * diloco_measured.BUFFER_BYTES)


# --- EC2 ---


def test_most_directions_between_regions_of_ec2_have_one_window():
    products = [float(line["rate_mbps"]) * float(line["rtt_ms"]) / 1e3 for line in ec2.study.lines(ec2.MATRIX)
                if line["from"] != line["to"]]
    assert len(products) == 90
    assert sum(45 <= product <= 94 for product in products) == 79


# --- runs ---


@pytest.mark.skipif(not os.environ.get("DDLSIM"), reason="needs the program: DDLSIM names it")
@pytest.mark.parametrize("name, cells", [
    ("hivemind", ("CV_B-2", "CV_B-6", "NLP_D-3", "EU_US_10")),
    ("tc_cluster", ("NCCL by CM02_16_128_10_1", "NCCL by TCP_4_128_1_5", "transfer_NCCL_64_10_1")),
    ("diloco_measured", ("DiLoCo_128_200Mbps_0", "DDP with its buffers_1_200Mbps_0")),
    ("ec2", ("oregon_tokyo", "london_32"))])
def test_runs_give_the_figures_of_the_table(name, cells, tmp_path):
    study = studies.sized(name)
    study.cells = {cell: study.cells[cell] for cell in cells}
    published = figures_in(studies.sized(name))
    values = running.run_study(study, tmp_path).values
    assert len(values) >= len(cells)
    for value in values:
        assert value.simulated == pytest.approx(published[value.place][1], rel=1e-6), value.place
        assert not math.isnan(value.simulated)
