#!/usr/bin/env python3
"""python/ddlsim runs scenarios and reads results: against what the program itself says. DDLSIM names the program."""
import csv
import importlib.util
import json
import os
import signal
import subprocess
import sys
import tempfile
import time
import unittest
from pathlib import Path

SOURCE = Path(__file__).resolve().parents[2]
sys.path[:0] = [str(SOURCE / "python"), str(SOURCE / "tests/support")]
import ddlsim  # noqa: E402
import debian_python  # noqa: E402

debian_python.use("pandas")  # without it some tests are skipped

# A ring of four by the textbook's network: 0.1 s of gradient, and 2 (n - 1) / n of a model of 1 s over a link.
RING = {
    "name": "ring",
    "platform": {"topology": "star", "workers": 4, "bandwidth": "8Mbps", "latency": "0ms", "network": {"model": "CM02"}},
    "model": "none", "wire": {"model_bytes": "1MB"}, "compute": {"seconds_per_batch": "100ms", "jitter": 0},
    "algorithm": {"name": "ring_allreduce"}, "stop": {"iterations": 5},
}
LEARNS = {
    "platform": {"topology": "star", "workers": 2, "bandwidth": "80Mbps", "latency": "1ms", "network": {"model": "CM02"}},
    "model": "softmax", "data": {"train": 200, "test": 50}, "compute": {"seconds_per_batch": "100ms"},
    "algorithm": {"name": "gossip"}, "stop": {"iterations": 8}, "evaluate": {"every_iterations": 2},
}


class Runs(unittest.TestCase):
    def setUp(self):
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        self.addCleanup(os.chdir, os.getcwd())
        os.chdir(folder.name)

    def test_a_result_is_what_its_folder_holds(self):
        result = ddlsim.run(RING, out="out")
        self.assertEqual(result.folder, Path("out/ring/1"))
        self.assertEqual(result.summary, json.loads(Path("out/ring/1/summary.json").read_text()))
        self.assertAlmostEqual(result.summary["simulated_seconds"], 5 * (0.1 + 2 * 3 / 4), places=6)
        self.assertEqual(result.scenario["algorithm"]["name"], "ring_allreduce")
        with open("out/ring/1/iterations.csv", newline="") as file:
            self.assertEqual(len(result.rows("iterations")), sum(1 for _ in csv.DictReader(file)))
        self.assertEqual([row["iteration"] for row in result.rows("iterations") if row["worker"] == "w0"], [0, 1, 2, 3, 4])
        self.assertEqual([path.name for path in Path(".").iterdir()], ["out"])  # a dict's file is gone

    def test_a_dict_and_a_file_of_it_are_the_same_run(self):
        Path("scenario.json").write_text(json.dumps(LEARNS))
        self.assertEqual(ddlsim.run("scenario.json", out="a").digest, ddlsim.run(LEARNS, out="b").digest)

    def test_overrides_are_keys_and_seeds_are_runs(self):
        results = ddlsim.run(LEARNS, seeds=[3, 5], out="out", threads=1,
                             **{"stop.iterations": 4, "algorithm": {"name": "gossip", "peer": "ring"}})
        self.assertEqual([result.summary["seed"] for result in results], [3, 5])
        self.assertEqual(results[0].scenario["algorithm"]["peer"], "ring")
        self.assertEqual(results[0].summary["iterations"], 2 * 4)
        self.assertNotEqual(results[0].digest, results[1].digest)
        self.assertEqual(ddlsim.run(LEARNS, seed=3, out="other", **{"stop.iterations": 4, "algorithm.peer": "ring"}).digest,
                         results[0].digest)
        self.assertEqual([loaded.digest for loaded in ddlsim.load("out")], [result.digest for result in results])

    def test_bounds_are_known_before_a_run(self):
        bounds = ddlsim.bounds(RING, **{"stop.iterations": 50})
        self.assertAlmostEqual(bounds["bounds"]["step_s"], 0.1 + 2 * 3 / 4)
        self.assertAlmostEqual(bounds["expected"]["step_s"], 0.1 + 2 * 3 / 4, places=6)
        self.assertFalse(Path("results").exists())

    def test_a_sweep_has_a_row_for_each_run(self):
        Path("base.json").write_text(json.dumps(RING))
        grid = {"name": "grid", "base": "base.json", "vary": {"platform.workers": [2, 4]}, "seeds": [1, 2]}
        sweep = ddlsim.sweep(grid, out="out", jobs=2)
        self.assertEqual([(row["platform.workers"], row["seed"]) for row in sweep.rows()], [(2, 1), (2, 2), (4, 1), (4, 2)])
        self.assertEqual(len(sweep.results), 4)
        for row, result in zip(sweep.rows(), sweep.results):
            self.assertEqual(row["simulated_seconds"], result.summary["simulated_seconds"])
        self.assertIsInstance(ddlsim.load("out/grid"), ddlsim.Sweep)
        Path("file.json").write_text(json.dumps({key: grid[key] for key in grid if key != "name"}))
        self.assertEqual(ddlsim.sweep("file.json", out="out").folder, Path("out/file"))

    def test_what_is_wrong_is_an_error_with_the_program_s_lines(self):
        with self.assertRaises(ddlsim.InputError) as caught:
            ddlsim.run(RING, out="out", **{"platform.bandwith": "1Mbps", "stop.iterations": -1})
        self.assertEqual(caught.exception.code, 2)
        self.assertEqual(len(caught.exception.lines), 2)
        self.assertIn('did you mean "bandwidth"', str(caught.exception))
        with self.assertRaises(ddlsim.RunFailed) as caught:
            ddlsim.run(RING, out="out", faults=[{"type": "host_crash", "host": "w1", "at": "1s"}])
        self.assertIn("w1", str(caught.exception))
        self.assertFalse(Path("out").exists() and any(Path("out").rglob("run.json")))
        for missing in ("out", "none"):
            with self.assertRaises(FileNotFoundError):
                ddlsim.load(missing)

    def test_an_interrupted_run_leaves_nothing(self):
        code = f"import sys; sys.path.insert(0, {str(SOURCE / 'python')!r}); import ddlsim; ddlsim.run(sys.argv[1], out='out')"
        long = {**LEARNS, "stop": {"iterations": 1_000_000}, "evaluate": {"every_iterations": 1000}, "name": "long"}
        Path("long.json").write_text(json.dumps(long))
        child = subprocess.Popen([sys.executable, "-c", code, "long.json"], stderr=subprocess.PIPE, text=True)
        time.sleep(2)
        child.send_signal(signal.SIGINT)
        _, said = child.communicate(timeout=60)
        self.assertIn("KeyboardInterrupt", said)
        self.assertFalse(any(path.is_file() for path in Path("out").rglob("*")) if Path("out").exists() else False)

    @unittest.skipUnless(importlib.util.find_spec("pandas"), "no pandas")
    def test_tables_are_frames(self):
        result = ddlsim.run(LEARNS, out="out")
        mean = result.curve.query("worker == 'mean'")
        self.assertAlmostEqual(mean["test_accuracy"].iloc[-1], result.summary["final_accuracy"]["mean"])
        self.assertEqual(len(result.iterations), 2 * 8)
        self.assertEqual(result.traffic["bytes"].sum() > 0, True)

    @unittest.skipUnless(importlib.util.find_spec("pandas") and importlib.util.find_spec("matplotlib"), "no matplotlib")
    def test_the_example_draws_its_picture(self):
        done = subprocess.run([sys.executable, SOURCE / "examples/picture.py"], capture_output=True, text=True)
        self.assertEqual(done.returncode, 0, done.stderr)
        self.assertEqual(len(done.stdout.splitlines()), 5)
        self.assertGreater(Path("picture.png").stat().st_size, 10_000)

    def test_without_pandas_rows_are_there(self):
        result = ddlsim.run(LEARNS, out="out")
        hidden = sys.modules.get("pandas")
        sys.modules["pandas"] = None  # an import of it fails
        try:
            with self.assertRaisesRegex(ImportError, "rows()"):
                result.curve
        finally:
            del sys.modules["pandas"]
            if hidden:
                sys.modules["pandas"] = hidden
        self.assertEqual(result.rows("curve")[0]["time_s"], 0)
        with self.assertRaisesRegex(FileNotFoundError, "there are curve"):
            result.rows("curves")


if __name__ == "__main__":
    unittest.main()
