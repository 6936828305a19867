#!/usr/bin/env python3
"""python/ddlsim runs scenarios and reads results: against what the program itself says. DDLSIM names the program."""
import csv
import importlib.util
import json
import math
import os
import pickle
import signal
import subprocess
import sys
import tempfile
import time
import unittest
from collections import deque
from datetime import timedelta
from decimal import Decimal
from fractions import Fraction
from pathlib import Path
from unittest import mock

SOURCE = Path(__file__).resolve().parents[2]
sys.path[:0] = [str(SOURCE / "python"), str(SOURCE / "tests/support")]
import ddlsim  # noqa: E402
import debian_python  # noqa: E402

debian_python.need("pandas")

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
        self.assertIn("<th>seed</th><td>1</td>", result._repr_html_())
        with open("out/ring/1/iterations.csv", newline="") as file:
            self.assertEqual(len(result.iterations), sum(1 for _ in csv.DictReader(file)))
        self.assertEqual(list(result.iterations.query("worker == 'w0'")["iteration"]), [0, 1, 2, 3, 4])
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
        self.assertEqual(list(zip(sweep.frame["platform.workers"], sweep.frame["seed"])), [(2, 1), (2, 2), (4, 1), (4, 2)])
        self.assertEqual(len(sweep.results), 4)
        self.assertEqual(sweep._repr_html_().count("<tr"), 1 + 4)
        for seconds, result in zip(sweep.frame["simulated_seconds"], sweep.results):
            self.assertEqual(seconds, result.summary["simulated_seconds"])
        self.assertIsInstance(ddlsim.load("out/grid"), ddlsim.Sweep)
        Path("file.json").write_text(json.dumps({key: grid[key] for key in grid if key != "name"}))
        self.assertEqual(ddlsim.sweep("file.json", out="out").folder, Path("out/file"))

    def test_a_sweep_may_be_a_dict_with_names_or_without(self):
        base = {key: RING[key] for key in RING if key != "name"}
        for of_sweep, of_base, folder in (({}, {}, "sweep"), ({}, {"name": "b"}, "sweep"), ({"name": "s"}, {}, "s"),
                                          ({"name": "s"}, {"name": "b"}, "s")):
            for out in ("plain", Path("other")):
                sweep = ddlsim.sweep({**of_sweep, "base": {**base, **of_base}, "vary": {"platform.workers": (2, 3)}}, out=out,
                                     **{"stop.iterations": 2})
                self.assertEqual(sweep.folder, Path(out, folder))
                self.assertEqual(list(sweep.frame["platform.workers"]), [2, 3])
                self.assertEqual([result.scenario["stop"]["iterations"] for result in sweep.results], [2, 2])
        with self.assertRaises(ddlsim.InputError) as caught:
            ddlsim.sweep({"base": base, "vary": {"platform.worker": [2, 3]}}, out="wrong")
        self.assertEqual(caught.exception.lines, ['$.platform.worker: is an unknown key; did you mean "workers"?'])
        self.assertFalse(Path("wrong").exists())

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

    def assert_wrong(self, line, call, kind=ddlsim.InputError):
        with self.assertRaises(kind) as caught:
            call()
        self.assertEqual(len(caught.exception.lines), 1)
        self.assertRegex(str(caught.exception), line)
        again = pickle.loads(pickle.dumps(caught.exception))  # as pools of processes hand it on
        self.assertEqual((type(again), again.lines, again.code),
                         (type(caught.exception), caught.exception.lines, caught.exception.code))

    def described(self, scenario, **overrides):
        """The scenario as the program has read it."""
        return ddlsim.run(scenario, out="out", force=True, name="described", **overrides).scenario

    def test_text_stays_text(self):
        for text in ("1e3", "true", "null", "12", "[1]", "{}", '"quoted"', " ", "a=b", "--force", "\n", "ü", Path("1e3")):
            self.assertEqual(self.described(RING, description=text)["description"], str(text))
            self.assertEqual(self.described({**RING, "description": text})["description"], str(text))
        base = {"base": {**RING, "description": "1e3"}, "vary": {"description": ["null", "1e3"]}}
        self.assertEqual([result.scenario["description"] for result in ddlsim.sweep(base, out="out").results], ["null", "1e3"])
        self.assert_wrong(r'^\$.platform.workers: "3" is not a whole number; ',
                          lambda: ddlsim.run(RING, **{"platform.workers": "3"}))
        self.assertNotIn("description", self.described({**RING, "description": "x"}, description=None))  # as of --set

    def test_numbers_of_any_kind_are_numbers(self):
        for number in (3, Fraction(3), Decimal(3), 3.0):
            self.assertEqual(self.described(RING, **{"platform.workers": number})["platform"]["workers"], 3)
        bandwidths = ["1Mbps", "2Mbps"]
        for given in (tuple(bandwidths), deque(bandwidths), bandwidths):
            self.assertEqual(self.described(RING, **{"platform.bandwidth": given})["platform"]["bandwidth"], bandwidths)

    def test_numbers_of_numpy_and_pandas_are_numbers(self):
        import numpy as np
        import pandas as pd
        for kind in (np.int8, np.uint16, np.int32, np.int64, np.uint64, np.array, lambda n: pd.Series([n])[0]):
            for described in (self.described(RING, **{"platform.workers": kind(3)}),
                              self.described({**RING, "platform": {**RING["platform"], "workers": kind(3)}})):
                self.assertEqual(described["platform"]["workers"], 3)
        for kind in (np.float16, np.float32, np.float64, np.longdouble, np.array, lambda x: pd.Series([x]).mean()):
            self.assertEqual(self.described(RING, **{"compute.jitter": kind(0.5)})["compute"]["jitter"], 0.5)
        self.assertEqual(self.described(RING, **{"record.trace": np.bool_(True)})["record"]["trace"], True)
        bandwidths = ["1Mbps", "2Mbps"]
        for kind in (np.array, pd.Series, pd.Index, pd.Categorical, lambda texts: [np.str_(text) for text in texts]):
            described = self.described(RING, **{"platform.bandwidth": kind(bandwidths)})
            self.assertEqual(described["platform"]["bandwidth"], bandwidths)
        sweep = ddlsim.sweep({"base": RING, "vary": {"platform.workers": np.arange(2, 4)}, "seeds": np.arange(1, 3)}, out="out",
                             jobs=np.int64(1))
        self.assertEqual(list(sweep.frame["platform.workers"]), [2, 2, 3, 3])
        self.assertEqual([result.summary["seed"] for result in ddlsim.run(RING, out="out", seeds=np.arange(1, 3))], [1, 2])
        for wrong in (np.nan, np.float32("inf"), np.array([1, np.nan]), pd.NA, pd.NaT, np.timedelta64(1, "s"),
                      np.array([1], "datetime64[s]"), np.complex64(1), pd.DataFrame({"a": [1]})):
            self.assert_wrong(r"^platform.workers(\[1\])?: .*; expected ",
                              lambda: ddlsim.run(RING, **{"platform.workers": wrong}))

    def test_what_is_no_value_is_refused_by_its_path(self):
        endless = []
        endless.append(endless)
        for wrong in (math.nan, -math.inf, Decimal("NaN"), 10**400, b"text", {1}, 1j, object(), endless, {2: 3}, "\ud800",
                      (i for i in ()), timedelta(1)):
            self.assert_wrong(r"^\$\.stop\.time.*; expected ", lambda: ddlsim.run({**RING, "stop": {"time": wrong}}))
            self.assert_wrong(r"^stop\.time.*; expected ", lambda: ddlsim.run(RING, **{"stop.time": wrong}))
        self.assert_wrong(r'^\$\.compute\["w 0"\]\[1\]: nan is not finite; ',
                          lambda: ddlsim.bounds({**RING, "compute": {"w 0": [1, math.nan]}}))
        self.assert_wrong(r"^\$\.vary\[.platform.workers.\]\[0\]: inf ",
                          lambda: ddlsim.sweep({"base": RING, "vary": {"platform.workers": [math.inf]}}))
        for path in ("a=b", "a..b", "", "a\0b", "a\ud800"):
            self.assert_wrong("expected |cannot be ", lambda: ddlsim.run(RING, **{path: 1}))

    def test_every_error_is_one_of_ddlsim(self):
        for wrong in (None, 3, [RING], "none.json", "-", "-none.json", ".", "a\0b"):
            for call in (ddlsim.run, ddlsim.sweep, ddlsim.bounds, ddlsim.load):
                self.assert_wrong("expected |cannot be ", lambda: call(wrong))
        for seeds in (3, [], [1.5], "x", [-1], object()):
            self.assert_wrong("seeds", lambda: ddlsim.run(RING, seeds=seeds))
        for wrong in ({"threads": "a"}, {"threads": 0}, {"out": None}, {"out": "a\0b"}, {"out": __file__}):
            self.assert_wrong("expected |cannot be ", lambda: ddlsim.run(RING, **wrong))
        self.assert_wrong("too long", lambda: ddlsim.run(RING, faults=["long"] * 100_000))
        self.assertFalse(Path("results").exists())

    def test_a_program_that_is_none_is_an_error(self):
        kept = os.environ.get("DDLSIM")
        self.addCleanup(lambda: os.environ.update(DDLSIM=kept) if kept else os.environ.pop("DDLSIM"))
        Path("killed").write_text("#!/bin/sh\necho at work >&2\nkill -9 $$\n")
        Path("killed").chmod(0o755)
        for named, line, code in (("/none", "cannot be started .No such file", None),
                                  (__file__ + "/", "cannot be started", None), (".", "cannot be started .Permission denied", None),
                                  ("./killed", "ended by signal 9", -9),
                                  ("/bin/false", "ended with exit code 1", 1), ("/bin/true", "is no JSON", None)):
            os.environ["DDLSIM"] = named
            self.assert_wrong(line, lambda: ddlsim.run(RING), ddlsim.DdlsimError)
            with self.assertRaises(ddlsim.DdlsimError) as caught:
                ddlsim.sweep({"base": RING})
            self.assertEqual(caught.exception.code, code)

    def test_damaged_results_are_errors(self):
        result = ddlsim.run(LEARNS, out="out")
        for file, text, read in (("summary.json", "{", lambda: ddlsim.load(result.folder).summary),
                                 ("summary.json", "[]", lambda: ddlsim.load(result.folder).digest),
                                 ("summary.json", "\xff", lambda: ddlsim.load(result.folder).digest),
                                 ("run.json", "{}", lambda: ddlsim.load(result.folder).scenario),
                                 ("curve.csv", "a,b\n1,2,3\n", lambda: result.curve),
                                 ("curve.csv", "a\n\"" + "x" * 200_000, lambda: result.curve),
                                 ("sweep.csv", "a\n1\n", lambda: ddlsim.Sweep(result.folder).results),
                                 ("sweep.csv", "run,failure\nnone,\n", lambda: ddlsim.Sweep(result.folder).results)):
            (result.folder / file).write_bytes(text.encode("latin-1"))
            self.assert_wrong(r"json|csv", read)
        (result.folder / "sweep.csv").unlink()
        for missing in ("out/scenario", "none", 3):
            self.assert_wrong("expected |cannot be ", lambda: ddlsim.Sweep(missing))

    def test_names_in_tables_stay_text(self):
        hosts = ("1e3", "NA", "007", "1_000")
        links = "".join(f'<link id="{host}.0" bandwidth="1MBps" latency="1ms" sharing_policy="FATPIPE"/>' for host in hosts)
        routes = "".join(f'<route src="{a}" dst="{b}" symmetrical="NO"><link_ctn id="{a}.0"/></route>'
                         for a in hosts for b in hosts if a != b)
        Path("hosts.xml").write_text(
            "<?xml version='1.0'?><!DOCTYPE platform SYSTEM \"https://simgrid.org/simgrid.dtd\"><platform version=\"4.1\">"
            '<zone id="z" routing="Full">' + "".join(f'<host id="{host}" speed="1Gf"/>' for host in hosts) + links + routes
            + "</zone></platform>")
        result = ddlsim.run({**RING, "platform": {"file": "hosts.xml", "network": {"model": "CM02"}}}, out="out")
        self.assertEqual(set(result.iterations["worker"]), set(hosts))
        self.assertEqual(set(result.pairs["source"]), set(hosts))
        self.assertEqual(set(result.pairs["target"]), set(hosts))
        self.assertEqual(set(result.traffic["link"]), {f"{host}.0" for host in hosts})
        table = Path("grid/sweep.csv")
        table.parent.mkdir()
        table.write_text("seed,run,failure,digest\n1,workers=2/1,,1234567890123456\n2,workers=2/2,,00000000000000e1\n")
        sweep = ddlsim.load("grid")
        self.assertEqual(list(sweep.frame["digest"]), ["1234567890123456", "00000000000000e1"])
        self.assertTrue(sweep.frame["failure"].isna().all())

    def test_a_caller_s_time_out_ends_the_run(self):
        def give_up(*_):
            raise TimeoutError
        self.addCleanup(signal.signal, signal.SIGALRM, signal.signal(signal.SIGALRM, give_up))
        signal.alarm(1)
        with self.assertRaises(TimeoutError):
            ddlsim.run({**LEARNS, "stop": {"iterations": 10_000_000}, "evaluate": {"every_iterations": 100_000}}, out="out")
        self.assertFalse(any(path.is_file() for path in Path("out").rglob("*")))

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

    def test_tables_are_frames(self):
        result = ddlsim.run(LEARNS, out="out")
        mean = result.curve.query("worker == 'mean'")
        self.assertAlmostEqual(mean["test_accuracy"].iloc[-1], result.summary["final_accuracy"]["mean"])
        self.assertEqual(len(result.iterations), 2 * 8)
        self.assertEqual(result.traffic["bytes"].sum() > 0, True)

    @unittest.skipUnless(importlib.util.find_spec("matplotlib"), "no matplotlib")
    def test_the_example_draws_its_picture(self):
        done = subprocess.run([sys.executable, SOURCE / "examples/picture.py"], capture_output=True, text=True)
        self.assertEqual(done.returncode, 0, done.stderr)
        self.assertEqual(len(done.stdout.splitlines()), 5)
        self.assertGreater(Path("picture.png").stat().st_size, 10_000)

    def test_runs_need_no_pandas_and_tables_do(self):
        with mock.patch.dict(sys.modules, {"pandas": None}):  # an import of it fails
            sys.modules.pop("ddlsim.frame", None)
            result = ddlsim.run(LEARNS, out="out")
            with self.assertRaisesRegex(ddlsim.PackageMissing, "tables need pandas"):
                result.curve
        self.assertEqual(result.curve["time_s"].iloc[0], 0)
        with self.assertRaisesRegex(ddlsim.InputError, "has no curves.csv; there are curve.csv"):
            result.frame("curves")


if __name__ == "__main__":
    unittest.main()
