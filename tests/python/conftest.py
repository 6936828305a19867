"""Result folders made by hand, and the package on the path."""
import csv
import functools
import json
import sys
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parents[2]
sys.path.insert(0, str(ROOT / "python"))


class Results:
    """Writes result folders: Results(tmp).add("ako", seed=1, final=0.8, settings={"algorithm.partitions": 4})."""

    def __init__(self, folder):
        self.folder = folder

    def add(self, name, *, seed=1, system=None, settings=None, scenario=None, final=0.8, best=None, times=None, metric="accuracy",
            every=5.0, curve=None, workers=("w0", "w1"), stopped_by="time", digest=None, sweep=None, measured=None,
            derived=None, utilisation=0.5, steps=None, links=None, **summary):
        times = times or {}
        folder = self.folder / (sweep or "") / name / str(seed)
        folder.mkdir(parents=True)
        flat = {"algorithm.name": system or name, "platform.workers": len(workers), "evaluate.every": every,
                **(settings or {})}
        targets = sorted({float(target) for target in times})
        spelled = {"name": name, "seed": seed, "evaluate": {"metric": metric, f"target_{metric}": targets}}
        for path, value in {**flat, **(scenario or {})}.items():
            if not path.endswith("_digest"):
                *above, key = path.split(".")
                functools.reduce(lambda folder, inner: folder.setdefault(inner, {}), above, spelled)[key] = value
        flat |= {**(derived or {}), **{f"measured.{key}": value for key, value in (measured or {}).items()}}
        run = {"schema_version": 2, "scenario": spelled, "settings": flat, "provenance": {"program": "ddlsim", "version": "0"},
               "network": {"carried_by": "simgrid", "model": "TCP", "why": "small"}, "digest": digest or f"{name}{seed}"}
        if measured is not None:
            run["network"] = None
        word = "accuracy" if metric == "accuracy" else "target"
        scores = None if final is None else {"mean": final, "min": final, "max": final, "averaged_model": final}
        totals = {
            "name": name, "seed": seed, "algorithm": system or name, "simulated_seconds": 60.0, "iterations": 100,
            "iterations_per_worker": {worker: 50 for worker in workers}, "samples": 800, "epochs": 1.0,
            f"final_{metric}": scores, f"best_{metric}": final if best is None else best,
            f"time_to_{word}_s": {f"{float(t):g}": value for t, value in times.items()},
            f"bytes_to_{word}": {f"{float(t):g}": None if value is None else 1e6 * value for t, value in times.items()},
            "seconds_per_batch": {"min": 0.1, "mean": 0.2, "median": 0.2, "p95": 0.3, "max": 0.4}, "bytes_sent": 1_000_000,
            "messages_sent": 10, "busiest_link": {"name": "w0 up", "utilisation": utilisation} if utilisation else None,
            "staleness": {"mean": 1.0, "max": 3.0}, "consensus_distance": None, "compute_utilisation": 0.9,
            "idle_fraction": {worker: 0.1 for worker in workers}, "requests": [], "given_up": {}, "stopped_by": stopped_by,
            "diverged": None, "bounds": {"step_s": 0.1, "bottleneck": "w0 up", "network_bound": False}, **summary,
            "digest": digest or f"{name}{seed}"}
        (folder / "run.json").write_text(json.dumps(run))
        (folder / "summary.json").write_text(json.dumps(totals))
        rows = curve if curve is not None else [(0.0, 0.1), (30.0, 0.5), (60.0, final)]
        with open(folder / "curve.csv", "w", newline="") as file:
            writer = csv.writer(file)
            writer.writerow("time_s,worker,iteration,samples,epoch,bytes_sent,train_loss,test_loss,test_accuracy".split(","))
            for time_s, value in rows:
                for worker in (*workers, "mean"):
                    score = ("", value) if metric == "accuracy" else (value, "")
                    writer.writerow([time_s, worker, time_s, 8 * time_s, time_s / 100, 1000 * time_s, 1.0, *score])
        for table, header, lines in (
                ("iterations", "worker,iteration,start_s,compute_s,wait_s,end_s,train_loss,staleness",
                 steps if steps is not None else [(w, i, i, 0.5, 0.5, i + 1, 1.0, i % 3) for w in workers for i in range(4)]),
                ("traffic", "link,direction,bytes,utilisation", [("w0", "up", 1000, 0.5), ("w1", "down", 500, 0.25)]),
                ("pairs", "source,target,messages,bytes", [("w0", "w1", 5, 1000), ("w1", "ps0", 2, 500)]),
                ("links", "link,direction,start_s,end_s,utilisation", links)):
            if lines is not None:
                with open(folder / f"{table}.csv", "w", newline="") as file:
                    csv.writer(file).writerows([header.split(","), *lines])
        return folder


@pytest.fixture
def results(tmp_path):
    return Results(tmp_path / "results")
