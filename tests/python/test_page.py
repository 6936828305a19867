"""The page in a browser, as a reader opens it: no errors, its toggles work, and a large sweep's opens in two seconds."""
import json
import os
import re
import shutil
import subprocess
from pathlib import Path

import pytest
from ddlsim.reports import report

PROGRAM = os.environ.get("DDLSIM")
LEARNING = {"platform": {"workers": 2, "servers": 1, "bandwidth": "40Mbps"}, "data": {"train": 200, "test": 50},
            "model": "softmax", "wire": {"model_bytes": "1MB"}, "compute": {"seconds_per_batch": "100ms"},
            "algorithm": "ps_async", "stop": {"iterations": 20}, "evaluate": {"every_iterations": 4, "target_accuracy": [0.1]}}

pytestmark = pytest.mark.skipif(not (PROGRAM and shutil.which("node") and shutil.which("chromium")),
                                reason="needs the program (in DDLSIM), node and chromium")


@pytest.fixture
def simulated(tmp_path):
    (tmp_path / "learning.json").write_text(json.dumps(LEARNING))

    def run(*words):
        subprocess.run([PROGRAM, *words, "--quiet"], cwd=tmp_path, check=True)
    return run


def opened(page, runs, lines):
    """The milliseconds of processor time that it takes to open."""
    reply = subprocess.run(["node", Path(__file__).with_name("page_check.mjs"), page, str(runs), str(lines)], text=True,
                           capture_output=True)
    assert reply.returncode == 0, reply.stdout + reply.stderr
    return int(re.search(r"opened in (\d+) ms", reply.stdout)[1])


def test_a_page_opens_without_errors_and_its_toggles_work(simulated, tmp_path):
    simulated("learning.json", "--seeds", "1..2", "--trace")
    simulated("learning.json", "--set", "name=other", "--set", "algorithm=gossip")
    text = report(tmp_path / "results", tmp_path / "page.html", title="Two schemes")
    opened(tmp_path / "page.html", 3, 2)
    # However long a name is.
    (tmp_path / "long.html").write_text(text.replace('"gossip"', f'"gossip_{"x" * 80}"'))
    opened(tmp_path / "long.html", 3, 2)


def test_the_page_of_a_large_sweep_opens_in_two_seconds(simulated, tmp_path):
    (tmp_path / "grid.json").write_text(json.dumps({
        "base": "learning.json", "set": {"stop.iterations": 300, "evaluate.every_iterations": 1}, "seeds": [1, 2, 3, 4, 5],
        "vary": {"platform.bandwidth": ["8Mbps", "40Mbps", "80Mbps", "1Gbps", "2Gbps"], "algorithm": ["ps_async", "ako"]}}))
    simulated("sweep", "grid.json")
    report(tmp_path / "results/grid", tmp_path / "grid.html")
    assert 0 < opened(tmp_path / "grid.html", 50, 10) < 2000
