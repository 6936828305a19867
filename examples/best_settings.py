#!/usr/bin/env python3
"""Tables of results/tuned.md: each scheme at the setting that tuning found best, beside one worker alone.

    best_settings.py results/tuned/sweep.csv results/tuned_tuning/tried.csv    # or the shipped tables/tuned*_{runs,tried}.csv

Settings of one scheme, such as Ako's numbers of partitions, are its candidates. Which of them stands for it in a network is
decided by the seeds of tuning alone; what it reached is the mean of the sweep's own seeds, with the mean time to 0.7 where all
of them get there. In brackets: below one worker. ~: not told apart from it by a t-test paired by seed, at 5 %, corrected for the
number of schemes in the network (Holm). Needs SciPy (python3-scipy).
"""
import csv
import json
import sys
from collections import defaultdict
from statistics import mean

from scipy.stats import ttest_rel

SCHEMES = {"single": "one worker, no network", "alone": "four workers, nothing travels", "ps_async": "asynchronous server",
           "ps_ssp": "asynchronous server", "ps_sync": "synchronous server", "ring_allreduce": "all-reduce",
           "tree_allreduce": "all-reduce", "star_allreduce": "all-reduce", "butterfly_allreduce": "all-reduce", "partial_allreduce": "all-reduce",
           "d_psgd": "D-PSGD", "ad_psgd": "AD-PSGD", "sgp": "SGP", "choco": "CHOCO", "gossip": "gossip", "ako": "Ako",
           "local_sgd": "local SGD", "fedavg": "FedAvg", "diloco": "DiLoCo"}


def rows(path):
    with open(path, encoding="utf-8", newline="") as table:
        return list(csv.DictReader(table))


def network_of(row):
    """What is varied beside the scheme, and how it is shown."""
    shown = row.get("platform.file", "").rsplit("/", 1)[-1].removesuffix(".xml").replace("_", " ")
    if "stop.time_s" in row:
        shown = f"{row['stop.time_s']} s, {json.loads(row['training.optimizer'])['type']}"
    return shown


def best_settings(tried):
    """By network and scheme: the algorithm whose tuned setting scored least over the seeds of tuning."""
    scores = defaultdict(list)
    for row in tried:
        if row["best"] == "1":
            scores[network_of(row), row["algorithm"]].append(float(row["score"]))
    best = {}
    for (network, algorithm), of_seeds in scores.items():
        scheme = SCHEMES[algorithm.split(" ")[0].split(",")[0]]
        candidate = (mean(of_seeds), algorithm)
        best[network, scheme] = min(best.get((network, scheme), candidate), candidate)
    return {key: algorithm for key, (_, algorithm) in best.items()}


def not_told_apart(p_values):
    """The names whose p is not below 5 % after Holm's correction."""
    left, apart = len(p_values), True
    names = set()
    for name, p in sorted(p_values.items(), key=lambda item: item[1]):
        apart = apart and p * left < 0.05
        left -= 1
        if not apart:
            names.add(name)
    return names


def main(runs_csv, tried_csv):
    runs = rows(runs_csv)
    best = best_settings(rows(tried_csv))
    accuracies, times = defaultdict(dict), defaultdict(list)
    for row in runs:
        setting = network_of(row), row["algorithm"]
        accuracies[setting][row["seed"]] = float(row["final_accuracy.mean"])
        times[setting].append(row["time_to_accuracy_s.0.7"])
    networks = list(dict.fromkeys(network_of(row) for row in runs))
    schemes = [scheme for scheme in dict.fromkeys(SCHEMES.values()) if any((network, scheme) in best for network in networks)]
    cells = {}
    for network in networks:
        single = accuracies[network, "single"]
        p_values = {}
        for scheme in schemes:
            own = accuracies[network, best[network, scheme]]
            if scheme != SCHEMES["single"]:
                p_values[scheme] = ttest_rel([own[seed] for seed in sorted(single)], [single[seed] for seed in sorted(single)]).pvalue
        chance = not_told_apart(p_values)
        for scheme in schemes:
            setting = network, best[network, scheme]
            sooner = [float(time) for time in times[setting] if time]
            accuracy = mean(accuracies[setting].values())
            shown = f"{accuracy:.3f}" if accuracy >= mean(single.values()) else f"({accuracy:.3f})"
            shown += " ~" * (scheme in chance)
            if len(sooner) == len(times[setting]):
                shown += f", {mean(sooner):.0f} s"
            cells[network, scheme] = (accuracy, shown, best[network, scheme])
    order = sorted(schemes, key=lambda scheme: -mean(cells[network, scheme][0] for network in networks))
    for part in (1, 2):
        print("| scheme | " + " | ".join(networks) + " |\n| --- |" + " --- |" * len(networks))
        for scheme in order:
            print(f"| {scheme} | " + " | ".join(str(cells[network, scheme][part]) for network in networks) + " |")
        print()


if __name__ == "__main__":
    if len(sys.argv) != 3:
        sys.exit(__doc__)
    main(*sys.argv[1:])
