#!/usr/bin/env python3
"""README's question in a picture: five systems on a heterogeneous WAN, accuracy over simulated time, three seeds each.

Cells begin with "# %%", as notebooks in editors have them. Needs pandas and matplotlib (Debian: python3-pandas,
python3-matplotlib). From a checkout:  python3 examples/picture.py  writes picture.png within a minute.
"""
# %% Run what the program ships, shorter, or read it if it is there already.
import sys
from pathlib import Path

HERE = Path(__file__).resolve().parents[1]
sys.path.insert(0, str(HERE / "python"))  # not needed where ddlsim is installed
SCENARIOS = next(folder for folder in (HERE / "scenarios", Path("/usr/share/ddlsim/scenarios")) if folder.is_dir())
import ddlsim  # noqa: E402

SYSTEMS = {"ako_p3": "Ako, P=3", "ad_psgd": "AD-PSGD", "ps_async": "asynchronous server", "ring_allreduce": "ring all-reduce",
           "single": "one worker alone"}
results = {name: ddlsim.run(SCENARIOS / f"het_wan_{name}.json", seeds=[1, 2, 3], out="picture-results", progress=True,
                            **{"stop.time": "300s", "evaluate.every": "10s", "evaluate.samples": 500})
           for name in SYSTEMS}

# %% What they come to.
for name, runs in results.items():
    accuracy = [run.summary["final_accuracy"]["mean"] for run in runs]
    print(f"{SYSTEMS[name]:20} {sum(accuracy) / len(accuracy):.3f}  after 300 s, {min(accuracy):.3f} to {max(accuracy):.3f}")

# %% A line for the mean of the seeds, a band from the least to the most.
import pandas  # noqa: E402
import matplotlib  # noqa: E402

matplotlib.use("Agg")
from matplotlib import pyplot  # noqa: E402

figure, axes = pyplot.subplots(figsize=(7, 4), layout="constrained")
for name, runs in results.items():
    curves = [run.curve.query("worker == 'mean'").set_index("time_s")["test_accuracy"] for run in runs]
    seeds = pandas.concat(curves, axis=1).sort_index().interpolate("index")
    line, = axes.plot(seeds.index, seeds.mean(axis=1), label=SYSTEMS[name])
    axes.fill_between(seeds.index, seeds.min(axis=1), seeds.max(axis=1), color=line.get_color(), alpha=0.2, linewidth=0)
axes.set(xlabel="simulated time (s)", ylabel="test accuracy", xlim=(0, 300), ylim=(0, None))
axes.legend(frameon=False)
figure.savefig("picture.png", dpi=150)
