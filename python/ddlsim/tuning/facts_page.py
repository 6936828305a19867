"""An advice from four facts as text, and as a page."""
from __future__ import annotations

from typing import Any

from ..table import Cell, Column, Table, hanging
from ..units import bytes_, counted, seconds, share
from .decide import of_bandwidth
from .facts import Question


def text_of(question: Question, advice: dict[str, Any], width: int = 80, markdown: bool = False) -> str:
    best, safe, why, found = advice["best"], advice["safe"], advice["why"], advice["break_even_bandwidth"]
    told = question.told
    lines = [f"Question: {bytes_(question.bytes)}, {seconds(question.step_s)} a step, {counted(question.workers, 'worker')} in "
             f"{counted(len(question.per_site), 'site')}; the time of {question.horizon:,} steps of one worker, {seconds(question.time_s)}.", ""]
    what = "loss at the end" if question.target is None else f"time to {question.target:g}"
    if best:
        lines.append(f"Best estimate: {best['scheme']}: {seconds(best['step_s'])} a step; {what} {told(best[question.key])}.")
    if safe:
        same = safe["scheme"] == best["scheme"]
        lines.append("Safe choice: " + ("the same." if same else f"{safe['scheme']}: {seconds(safe['step_s'])} a step."))
    if best and best["needs_all_data_in_one_place"]:
        lines.append("One worker alone needs all data in one place; --exclude single leaves it out.")
    lines += [advice["how_sure"], "", "About times (yours):"]
    if why["told"]:
        lines.append(f"{why['scheme']}: {why['told']}")
        lines.append(f"Price: {bytes_(why['sent_bytes_per_hour'])} an hour from each worker." if advice["wan_bytes_per_hour"] is None else
                     f"Price: {bytes_(advice['wan_bytes_per_hour'])} an hour over {why['bottleneck'] or 'the busiest link'}, one way.")
    after = ["", "About both, with what the small GPT learns:"]
    if found and found["share"]:
        after.append(f"Break-even: at {of_bandwidth(found['share'])} all bandwidths one worker is as good as {found['scheme']}.")
    elif found:
        order = f"one worker is ahead of {found['scheme']}" if found["ahead_at_least"] == "single" else f"{found['scheme']} is ahead of one worker"
        after.append(f"Break-even: {order} at every bandwidth from {found['tried'][0]:.2g} to {found['tried'][1]:g} times that measured"
                     + ("; other things bind." if found["ahead_at_least"] == "single" else "."))
    conditions = [*advice["sensitivity"], *advice["other_conditions"]]
    given: dict[str, Any] = next((one for one in conditions if one["condition"] == "as given"), {"scores": {}})
    if given["scores"].get(why["scheme"]) is not None:
        within = "" if advice["conditions_horizon"] == question.horizon else (
            f" in the time of {advice['conditions_horizon']:,} steps of one worker")
        after.append(f"{why['scheme']}, otherwise {told(given['scores'].get(why['scheme']))}{within}, where one thing differs:")
    for one in conditions:
        if given["scores"].get(why["scheme"]) is None:
            break  # nothing to compare with
        if one is not given and why["scheme"] in one["scores"]:
            other = "" if one["best"] in (given.get("best"), None) else f"; best is {one['best']}"
            learned = "" if one["learned_with"] == question.learned_with else f", as {one['learned_with']} workers learn"
            after.append(f"  {one['condition']}: {told(one['scores'][why['scheme']])}{learned}{other}")
        elif why["scheme"] in one["failures"]:
            after.append(f"  {one['condition']}: cannot be told: {one['failures'][why['scheme']][:100]}")
    if advice["upgrades"]:
        gains = ", ".join(f"{name} ({told(gain)})" for name, gain in advice["upgrades"].items())
        after.append(f"What would help it most: {gains}.")
    for one in advice["asynchronous"]:
        value = f"loss {one['loss']:.3f}" if one["loss"] is not None else one["reason"]
        after.append(f"{one['scheme']}, one seed, rate not tuned: {value}.")
    careful = ["", *(f"Careful: {line}" for line in advice["warnings"]), *(f"Not run: {line}" for line in advice["not_run"])]
    if advice["cut_off"]:
        careful.append(f"Careful: The budget left out: {'; '.join(advice['cut_off'])}.")
    parts = ["".join(_marked(line) if markdown else hanging(line, width) for line in part) for part in (lines, [*after, *careful])]
    table = _times(question, advice)
    return f"{parts[0]}\n{table.markdown() if markdown else table.text(width)}{parts[1]}"


def _marked(line: str) -> str:
    """A line in Markdown: a heading, or part of a list."""
    if line.startswith("About"):
        return f"## {line.removesuffix(':')}\n\n"
    indent = "  " if line.startswith("  ") else ""
    return f"{indent}- {line.strip()}\n" if line else "\n"


def _times(question: Question, advice: dict[str, Any]) -> Table:
    what = "loss" if question.target is None else f"time to {question.target:g}"
    table = Table([Column(title, title) for title in ("scheme", "a step", "at least", "computing", "samples", what, "p")])
    for row in advice["systems"]:
        cells = [row["scheme"], ("≥ " if row["computing"] is None else "") + seconds(row["step_s"]), seconds(row["least_step_s"]),
                 "-" if row["computing"] is None else share(row["computing"]), f"x {row['samples_against_one_worker']:.2g}",
                 question.told(row[question.key]), "" if row["p_against_leader"] is None else f"{row['p_against_leader']:.2g}"]
        table.rows.append([Cell(text) for text in cells])
    return table
