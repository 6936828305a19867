#!/usr/bin/env python3
"""Makes the results that the analysis is tested on: small runs that have everything that readers of results know.

    make.py [--program PATH] [--only SET] [--emulate PATH-OF-DDLSIM-LAB]

Results lie in results/SET/NAME/SEED. Made again they differ where the program has changed; expected/ is then to be renewed,
too. Files that no command reads (timing.json, platform.xml, a sweep's means) are left out. Measured runs need root, and are
kept where --emulate is not given.
"""
import argparse
import copy
import json
import shutil
import subprocess
import sys
import tempfile
from pathlib import Path

HERE = Path(__file__).resolve().parent
ROOT = HERE.parents[2]
RESULTS = HERE / "results"

SMALL = {
    "platform": {"topology": "star", "workers": 3, "servers": 1, "bandwidth": "40Mbps", "latency": "5ms",
                 "network": {"model": "TCP"}},
    "data": {"train": 120, "test": 60}, "model": "softmax", "wire": {"model_bytes": "1MB"},
    "training": {"batch_size": 10, "optimizer": {"type": "sgd", "learning_rate": 0.1}},
    "compute": {"seconds_per_batch": "100ms"}, "stop": {"iterations": 20},
    "evaluate": {"every_iterations": 5, "target_accuracy": [0.2, 0.4, 0.99]}, "record": {"iterations": False},
}
TIMED = {"model": "none", "data": None, "training": None, "evaluate": None, "wire.model_bytes": "2MB",
         "stop": {"iterations": 8}}
BY_LOSS = {"evaluate": {"every_iterations": 5, "metric": "loss", "target_loss": [2.0, 1.9, 0.01]}}
SITES = {"platform": {"sites": [{"name": "ams", "workers": 2, "bandwidth": "1Gbps"},
                                {"name": "nyc", "workers": 2, "bandwidth": "500Mbps"}],
                      "links": [{"from": "ams", "to": "nyc", "up": "100Mbps", "down": "40Mbps", "latency": "35ms"}]}}
HARD = {"stop": {"iterations": 12}, "evaluate": {"every_iterations": 3, "target_accuracy": [0.3]}}
CRASH = {"type": "host_crash", "host": "w1", "at": "1s", "restart": "2s"}
SLOW_LINK = {"type": "link_degraded", "link": "w0", "from": "1s", "until": "4s", "bandwidth": 0.2}
SERVING = {"requests": 5, "arrivals": "regular", "interval": "20ms"}

# Every system once. What one needs beside its name, by its name.
SYSTEMS = {
    "single": {}, "alone": {}, "ps_async": {}, "ps_sync": {}, "ako": {}, "gossip": {}, "d_psgd": {}, "ad_psgd": {},
    "sgp": {}, "choco": {}, "ring_allreduce": {}, "tree_allreduce": {}, "star_allreduce": {},
    "hierarchical_allreduce": SITES, "partial_allreduce": {"algorithm.partitions": 3}, "local_sgd": {}, "diloco": {"algorithm.sync_every": 5}, "fedavg": {},
    "ps_ssp": {"algorithm.staleness_bound": 2},
    "vertical": {"model": "mlp", "wire": None, "algorithm.serving": SERVING},
    "early_exit": {"model": "cnn", "wire": None, "algorithm.cuts": [2, 4], "algorithm.exit_filters": 4,
                   "algorithm.thresholds": [0, 0.4, 1], "algorithm.serving": SERVING},
    "samme": {"model": "mlp-3-1-bibd", "training.init": "independent", "algorithm.local_epochs": 2},
}

# (set, name, seeds, system, what differs from SMALL)
RUNS = [("systems", name, "1", name, change) for name, change in SYSTEMS.items()]
RUNS += [("seeds", name, "1..3", name, {}) for name in ("single", "alone", "ps_sync", "gossip")]
RUNS += [("seeds", "ps_async_other_seeds", "3..6", "ps_async", {})]
RUNS += [("two_seeds", name, "1..2", name, {}) for name in ("local_sgd", "ring_allreduce")]
RUNS += [("loss", name, "1..3", name, BY_LOSS) for name in ("single", "ps_async", "diloco")]
RUNS += [("sites", f"{name}_of_sites", "1", name, SITES) for name in ("ring_allreduce", "hierarchical_allreduce", "single")]
# A target that some seeds alone reach.
RUNS += [("partly", name, "1..3", name, HARD) for name in ("single", "ring_allreduce", "gossip")]
RUNS += [("ends", "fine", "1..3", "ring_allreduce", {}),
         ("ends", "diverges", "1..2", "ring_allreduce", {"model": "mlp", "training.optimizer.learning_rate": 1e30}),
         ("ends", "collapses", "1..3", "ring_allreduce", {"model": "mlp", "training.optimizer.schedule": {
             "type": "steps", "at": [15], "factor": 1000}})]
# One scenario under two names, with seeds in common; and a name that says what the settings say longer.
RUNS += [("names", "first", "1..2", "d_psgd", {}), ("names", "second", "2..3", "d_psgd", {}),
         ("names", "wide", "1..2", "d_psgd", {"platform.bandwidth": "400Mbps", "platform.latency": "1ms",
                                              "training.batch_size": 5})]
# Pairs that differ in one setting.
RUNS += [("one_setting", f"diloco_{overlap}", "1..2", "diloco", {"algorithm.sync_every": 5, "algorithm.overlap": overlap})
         for overlap in ("layers", "none")]
RUNS += [("one_setting", f"ring_{name}", "1", "ring_allreduce", {"algorithm.codec": codec}) for name, codec in (
    ("none", "none"), ("sign", "sign"), ("top_k_0.1", {"type": "top_k", "fraction": 0.1}),
    ("top_k_0.01", {"type": "top_k", "fraction": 0.01}))]
RUNS += [("one_setting", f"with_{kind}", "1", "local_sgd", {"training.optimizer": {"type": kind, "learning_rate": rate}})
         for kind, rate in (("sgd", 0.1), ("momentum", 0.05), ("adam", 0.01))]
# A platform's file in two places, another one of the same name, and one's own data.
RUNS += [("contents", "file_here", "1", "gossip", {"platform": {"file": "here/lan.xml", "workers": 3}}),
         ("contents", "file_there", "2", "gossip", {"platform": {"file": "there/lan.xml", "workers": 3}}),
         ("contents", "file_other", "1..2", "gossip", {"platform": {"file": "other/lan.xml", "workers": 3}}),
         ("contents", "own_data", "1", "gossip", {"platform": {"file": "here/lan.xml", "workers": 3},
                                                  "data": {"source": "csv", "path": "flowers.csv"}})]
RUNS += [("faults", name, "1", system, {"faults": faults, "platform.servers": 0}) for name, system, faults in (
    ("none", "gossip", []), ("crash", "gossip", [CRASH]), ("later", "gossip", [{**CRASH, "at": "1.5s", "restart": "3s"}]),
    ("two_faults", "gossip", [CRASH, SLOW_LINK]), ("two_others", "gossip", [CRASH, {**SLOW_LINK, "bandwidth": 0.5}]),
    ("churn", "ako", [{"type": "churn", "mean_up": "2s", "mean_down": "1s", "until": "4s"}]), ("whole", "ako", []))]
RUNS += [("stops", f"by_{word}", "1", "ps_sync", {"stop": {word: value}}) for word, value in (
    ("iterations", 16), ("epochs", 4), ("samples", 500), ("time", "8s"), ("accuracy", 0.2))]
RUNS += [("stops", "evaluated_by_time", "1", "ps_sync", {"evaluate": {"every": "2s", "target_accuracy": [0.2]}})]
RUNS += [("timing", name, "1..3", name, TIMED) for name in ("ring_allreduce", "gossip")]
RUNS += [("traced", "traced", "1", "ps_async", {"stop.iterations": 4, "evaluate.every_iterations": 1, "platform.workers": 2,
                                                "wire.model_bytes": "20kB", "record.trace": True})]
RUNS += [("steps", name, "1..2", name, {"record.iterations": True}) for name in ("ps_async", "gossip")]
EMULATED = ("measured", "small", "1", "ps_async", {"stop.iterations": 12, "platform.network": None,
                                                   "compute.seconds_per_batch": "50ms", "wire.model_bytes": "200kB"})
RUNS += [EMULATED]

# (name, what the base differs in, the sweep)
GRID = {"vary": {"platform.bandwidth": ["8Mbps", "100Mbps"], "platform.workers": [2, 3],
                 "algorithm": ["single", "ps_sync", {"name": "ako", "partitions": 2}]}, "seeds": [1, 2, 3]}
PAIRS = {"zip": [{"platform.bandwidth": ["8Mbps", "40Mbps", "1Gbps"], "platform.latency": ["20ms", "5ms", "100us"]}],
         "vary": {"algorithm": ["gossip", "ring_allreduce"]}, "seeds": [1, 2]}
TUNED = {"vary": {"platform.bandwidth": ["8Mbps", "100Mbps"], "algorithm": ["ps_async", "local_sgd"]}, "seeds": [1, 2, 3],
         "tune": {"over": {"training.optimizer.learning_rate": [0.003, 0.03, 0.3]}, "seeds": 1}}
SWEEPS = [("grid", {}, GRID), ("pairs", {}, PAIRS), ("tuned", {"evaluate.every_iterations": 10}, TUNED)]


def scenario(name, system, change):
    """SMALL with other values at paths; None takes a key away."""
    made = copy.deepcopy({"name": name, **SMALL, "algorithm": {"name": system}})
    for path, value in change.items():
        *above, key = path.split(".")
        place = made
        for part in above:
            place = place.setdefault(part, {})
        if value is None:
            place.pop(key, None)
        else:
            place[key] = value
    return made


def call(folder, *words):
    reply = subprocess.run([str(word) for word in words], cwd=folder, text=True, capture_output=True)
    if reply.returncode:
        sys.exit(f"{' '.join(map(str, words))}\n{reply.stderr}")


def short(members):
    """As JSON with a line for each member and each setting, which takes half the space."""
    def lines(members):
        told = {key: lines(value) if key == "settings" else json.dumps(value, ensure_ascii=False)
                for key, value in members.items()}
        return "{\n" + ",\n".join(f"{json.dumps(key)}: {value}" for key, value in told.items()) + "\n}"
    return lines(members) + "\n"


def write_inputs(folder):
    lan = (ROOT / "platforms/uniform_lan.xml").read_text()
    for name, text in (("here", lan), ("there", lan), ("other", lan.replace('latency="', 'latency="1'))):
        (folder / name).mkdir()
        (folder / name / "lan.xml").write_text(text)
    rows = [f"{0.1 * (i % 7) + (i % 3)},{0.3 * (i % 5) - (i % 3)},{'abc'[i % 3]}" for i in range(90)]
    (folder / "flowers.csv").write_text("\n".join(["length,width,kind", *rows]) + "\n")


def make(program, emulate, only, out):
    with tempfile.TemporaryDirectory() as place:
        folder = Path(place)
        write_inputs(folder)
        for group, name, seeds, system, change in RUNS:
            if only in ("", group):
                (folder / f"{name}.json").write_text(json.dumps(scenario(name, system, change)))
                call(folder, program, f"{name}.json", f"--seeds={seeds}", f"--out={out / group}", "--quiet")
        for name, change, sweep in SWEEPS:
            if only in ("", name):
                (folder / "base.json").write_text(json.dumps(scenario("base", "single", change)))
                (folder / f"{name}.json").write_text(json.dumps({"name": name, "base": "base.json", **sweep}))
                call(folder, program, "sweep", f"{name}.json", f"--out={out}", "--quiet")
        if emulate and only in ("", EMULATED[0]):
            call(folder, emulate, "emulate", "small.json", f"--out={out / EMULATED[0]}", "--quiet", "--repetitions=2")
    for search in out.glob("*_tuning"):
        for tried in sorted(path for path in search.iterdir() if path.is_dir())[1:]:
            shutil.rmtree(tried)  # readers pass over all of them; one is enough
    for name in ("run.json", "summary.json"):
        for file in out.rglob(name):
            file.write_text(short(json.loads(file.read_text())))
    for name in ("timing.json", "platform.xml", "curves.csv", "means.csv"):
        for file in out.rglob(name):
            file.unlink()


def main():
    parser = argparse.ArgumentParser(description=__doc__.partition("\n")[0])
    parser.add_argument("--program", help="default: as the package ddlsim finds it")
    parser.add_argument("--only", default="", metavar="SET")
    parser.add_argument("--emulate", metavar="DDLSIM-LAB")
    chosen = parser.parse_args()
    if not chosen.program:
        sys.path.insert(0, str(ROOT / "python"))
        from ddlsim.program import program
        chosen.program = program()
    with tempfile.TemporaryDirectory(dir=HERE) as place:
        out = Path(place)
        make(Path(chosen.program).resolve(), chosen.emulate, chosen.only, out)
        for made in sorted(out.iterdir()):
            kept = RESULTS / made.name
            if made.name == EMULATED[0] and not chosen.emulate and (kept / "small-measured").is_dir():
                shutil.copytree(kept / "small-measured", made / "small-measured")
            shutil.rmtree(kept, ignore_errors=True)
            shutil.copytree(made, kept)


if __name__ == "__main__":
    main()
