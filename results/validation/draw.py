#!/usr/bin/env python3
"""Draws validation.svg, from the tables here and in ../tables: simulation against real TCP. cd results/validation && ./draw.py"""
import sys
from pathlib import Path

import pandas as pd
from matplotlib.figure import Figure
from matplotlib.ticker import FixedLocator, FuncFormatter, NullFormatter

HERE = Path(__file__).resolve().parent
sys.path.insert(0, str(HERE.parents[1] / "python"))
from ddlsim.figures.draw import MM, Drawing, styled  # noqa: E402

BLUE, ORANGE, GREEN, BLACK = "#0072b2", "#d55e00", "#009e73", "#000000"


def ratios(axes, title, limits, series):
    """Simulated over measured cycle times, each of (rows, label, colour, filled)."""
    axes.axhspan(0.88, 1.12, color="#eeeeee", zorder=0)
    axes.axhline(1, color="#444444", linewidth=0.7)
    for rows, label, colour, filled in series:
        axes.plot(rows["measured"], rows["simulated"] / rows["measured"], linestyle="", marker="o", markersize=2.6, label=label,
                  color=colour, markerfacecolor=colour if filled else "none", markeredgewidth=0.5)
    axes.set(title=title, xscale="log", xlim=(0.08, 16), ylim=limits, xlabel="measured over real TCP, seconds per cycle",
             ylabel="simulated / measured")
    axes.xaxis.set_major_formatter(FuncFormatter(lambda value, _: f"{value:g}"))
    axes.legend(loc="upper left", labelspacing=0.25, handletextpad=0.3)


def of(table, model):
    return table[table["model"] == model]


def main():
    cycles, distances, held_out = (pd.read_csv(HERE.parent / f"tables/validation_{name}.csv")
                                   for name in ("cycles", "distances", "held_out"))
    former, curves = pd.read_csv(HERE / "former_models.csv"), pd.read_csv(HERE / "curves.csv")

    def once(table, column):
        return former[(former["table"] == table) & (former["column"] == column)]
    with styled():
        figure = Figure(figsize=(174 * MM, 150 * MM), layout="constrained")
        axes = figure.subplots(2, 2).flatten()
        ratios(axes[0], "Local networks", (0.5, 1.5),
               [(once("cycles", "fair"), "fair sharing", ORANGE, False), (of(cycles, "TCP"), "TCP", BLUE, True),
                (of(cycles, "packets"), "packets", BLACK, True)])
        by_latency = of(distances, "packets").groupby("ms one way")
        ratios(axes[1], "Packet by packet: real distances, and held-out cells", (0.5, 1.5),
               [*((by_latency.get_group(ms), f"{ms} ms one way", colour, True)
                  for ms, colour in ((5, BLUE), (20, ORANGE), (50, GREEN))),
                (of(held_out, "packets"), "held out, 0.1 to 30 ms", BLACK, False)])
        ratios(axes[2], "Real distances, all network models", (0.25, 12),
               [(once("distances", "LV08"), "LV08", ORANGE, False), (once("distances", "CM02"), "CM02", GREEN, False),
                (of(distances, "TCP"), "TCP", BLUE, True), (of(distances, "packets"), "packets", BLACK, True)])
        axes[2].set_yscale("log")
        axes[2].yaxis.set_major_locator(FixedLocator([0.25, 0.5, 1, 2, 4, 8]))
        axes[2].yaxis.set_major_formatter(FuncFormatter(lambda value, _: f"{value:g}"))
        axes[2].yaxis.set_minor_formatter(NullFormatter())
        for system, label, colour in (("ako_p4", "Ako P=4", BLUE), ("ps_async", "asynchronous PS", ORANGE), ("gossip", "gossip", GREEN)):
            for runtime, dashes in (("measured", "-"), ("simulated", (0, (3, 1.5)))):
                chosen = curves[(curves["system"] == system) & (curves["runtime"] == runtime)]
                mean = chosen.groupby("time_s")["test_accuracy"].mean()
                axes[3].plot(mean.index, mean, color=colour, linestyle=dashes, label=f"{label}, {runtime}")
        axes[3].set(title="Heterogeneous WAN, 20 ms one way; three seeds", xlabel="seconds", xlim=(0, 150),
                    ylim=(0, 0.8), ylabel="mean test accuracy")
        axes[3].legend(loc="upper left", labelspacing=0.25)
        for one in axes:
            one.title.set_ha("left")
            one.title.set_x(0)
    (HERE / "validation.svg").write_bytes(Drawing(figure, cycles, "Simulation against real TCP").bytes_of("svg"))


main()
