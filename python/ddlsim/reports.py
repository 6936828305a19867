"""One self-contained page about finished runs, which opens in any browser without a network."""
from __future__ import annotations

import html
import json
import math
import re
from collections.abc import Iterable, Mapping, Sequence
from pathlib import Path
from typing import Any

import pandas as pd

from .comparison import against_one, baselines
from .errors import InputError
from .figures.data import Ranking, ranked_by, spread_evenly, telling_target
from .figures.looks import looks_of
from .files import write_whole
from .frame import Run, listed, natural, read_all
from .labels import Group, Grouped, group, relabel, short
from .runs import AnyPath
from .stats import student_factor
from .units import counted

_PAGE = Path(__file__).with_name("page")
_SCRIPTS = ("model.js", "state.js", "zoom.js", "curves.js", "tables.js", "run_view.js", "answer.js", "pair.js", "main.js")
_CHARTS = ("/usr/share/javascript/chart.js/chart.min.js", "/usr/share/nodejs/chart.js/dist/chart.min.js")

# The most that a page shows of a run, so that it opens quickly.
_CURVE_POINTS, _LINKS, _PERIODS, _MATRIX_NODES = 300, 24, 120, 48
_LANES, _SERVER_LANES, _SPANS = 32, 8, 600
_CURVE_WORKERS, _WORKER_VALUES = 16, 300_000


class Page(str):
    """The HTML of a page. Notebooks show it."""

    def __repr__(self) -> str:
        return f"<page of {len(self)} letters>"

    def _repr_html_(self) -> str:
        return f'<iframe srcdoc="{html.escape(self)}" width="100%" height="800" style="border: 0"></iframe>'


def report(folders: Iterable[AnyPath] | AnyPath, file: Path | str | None = None, *, title: str = "",
           label: Mapping[str, str] | None = None, answer: str = "") -> Page:
    """The page about the results of these folders; with `file`, it is written there, whole or not at all. It opens with `answer`.
    Raises InputError."""
    if not isinstance(title, str):
        raise InputError(f"--title: {title!r} is no text")
    folders = listed(folders)
    grouped = group(read_all(folders))
    relabel(grouped, label or {})
    data = page_data(grouped)
    if answer:
        data["answer"] = {"text": answer}
    text = Page(page(data, title or _title(folders, grouped)))
    if file is not None:
        write_whole(file, text.encode("utf-8"))
    return text


def page(data: Mapping[str, Any], title: str) -> str:
    def part(name: str) -> str:
        return (_PAGE / name).read_text(encoding="utf-8")
    # Nothing in a name may end the script element.
    filled = {"title": html.escape(title, quote=False), "style": part("page.css"), "chart": _chart_library(),
              "script": "".join(map(part, _SCRIPTS)), "data": json.dumps(data, ensure_ascii=False, separators=(",", ":")).replace("<", "\\u003c")}
    return re.sub(r"\{\{(\w+)\}\}", lambda found: filled[found[1]], part("page.html"))


def page_data(grouped: Grouped) -> dict[str, Any]:
    """The input of the page's scripts (page/model.js). Conditions count only where schemes share them; otherwise scenarios are
    compared with each other, by their labels."""
    groups, metric = grouped.groups, grouped.metric
    runs = [run for one in groups for run in one.runs]
    of_single = baselines(grouped)
    index = {id(one): i for i, one in enumerate(groups)}
    thinned = False
    data: dict[str, Any] = {"varied": [short(path) for path in grouped.varied] if grouped.is_grid else [], "groups": [], "runs": []}
    for one in groups:
        entry = _group(grouped, one)
        single = of_single[id(one)]
        if single is not None:
            beside = {target: against_one(one, single, target) for target in one.runs[0].targets}
            entry["over_one_worker"] = {f"{target:g}": [_six(against.speed_up), against.beats]
                                        for target, against in beside.items() if against}
        data["groups"].append(entry)
        for run in one.runs:
            shown, cut = _run(run, index[id(one)], len(runs))
            thinned = thinned or cut
            data["runs"].append(shown)
    provenance = runs[0].provenance
    data["subtitle"] = (f"{counted(len(runs), 'run')} of {counted(len(groups), 'scenario')}. Simulated by "
                        f"{provenance.get('program', 'ddlsim')} {provenance.get('version', '?')} with SimGrid "
                        f"{provenance.get('simgrid', '?')}." + _networks(runs))
    data["metric"] = {"word": metric.word, "less_is_better": metric.less_is_better, "time_to": metric.time_to(),
                      "bytes_to": metric.bytes_to()}
    data["targets"] = grouped.targets()
    data["thinned"] = thinned
    answers = answers_of(grouped)
    telling = telling_target(grouped) if len(answers) > 1 else None
    chosen = next((answer for answer in answers if answer["target"] == telling), answers[-1])
    data["answer"], data["answers"] = _without_groups(chosen, index), [_without_groups(answer, index) for answer in answers]
    drawn = [(one.system, grouped.name_of(one)) for one in groups]
    data["looks"] = {name: {"colour": look.colour, "dash": look.dash} for (_, name), look in zip(drawn, looks_of(drawn))}
    data["t95"] = [_six(student_factor(n)) for n in range(2, max(2, *(len(one.runs) for one in groups)) + 1)]
    return data


def answers_of(grouped: Grouped) -> list[dict[str, Any]]:
    """Rankings by the time to each target that some scheme reaches, the smallest first, and by the metric at the end."""
    metric, answers = grouped.metric, []
    for target in sorted(grouped.shared_targets()):
        rankings = ranked_by(grouped, metric.time_to(target))
        if rankings:
            answers.append({"measure": metric.time_to(target), "target": target, "rankings": rankings})
    return [*answers, {"measure": metric.final, "target": None, "rankings": ranked_by(grouped, metric.final)}]


def _without_groups(answer: Mapping[str, Any], index: Mapping[int, int]) -> dict[str, Any]:
    def told(ranking: Ranking) -> dict[str, Any]:
        order = [{"group": index[id(ranked.group)],
                  "value": [_six(ranked.value.mean), _six(ranked.value.half_width)] if ranked.value else None}
                 for ranked in ranking.order]
        return {"condition": list(ranking.condition), "order": order, "clear": ranking.clear}
    return {"measure": answer["measure"], "target": answer["target"], "rankings": [told(one) for one in answer["rankings"]]}


def _group(grouped: Grouped, one: Group) -> dict[str, Any]:
    measures = {}
    for key in one.runs[0].measures:
        mean = one.estimate(key)
        if mean:
            measures[key] = [_six(mean.mean), _six(mean.half_width), mean.count, len(one.runs)]
    return {"label": one.label, "scheme": grouped.name_of(one), "varied": list(one.condition) if grouped.is_grid else [],
            "runs": len(one.runs), "scenario": json.dumps(one.runs[0].scenario, indent=2, ensure_ascii=False), "measures": measures}


def _run(run: Run, number: int, runs: int) -> tuple[dict[str, Any], bool]:
    rows = run.rows("curve")
    means = rows[rows["worker"] == "mean"].reset_index(drop=True)
    kept = spread_evenly(len(means), _CURVE_POINTS)
    columns = {"time": "time_s", "bytes": "bytes_sent", "iterations": "iteration", "epochs": "epoch", "accuracy": "test_accuracy",
               "loss": "test_loss", "train_loss": "train_loss"}
    of_a_point = runs * 4 * min(len(run.workers), _CURVE_WORKERS)
    links, all_links = _links(run)
    return {"group": number, "seed": run.seed, "simulated_s": _six(run.measure("simulated_seconds")),
            "curve": {name: [_six(value) for value in means[column].iloc[kept]] for name, column in columns.items()},
            "worker_curves": _worker_curves(run, rows, kept, max(8, _WORKER_VALUES // of_a_point)),
            "busiest_link": run.busiest_link, "bottleneck": run.bottleneck,
            "measures": {key: _six(value) for key, value in run.measures.items()},
            "all_links": all_links, "links": links, "pairs": _pairs(run), "timeline": _timeline(run)}, len(kept) < len(means)


def _worker_curves(run: Run, rows: pd.DataFrame, kept: Sequence[int], most: int) -> dict[str, Any]:
    names = list(run.workers[:_CURVE_WORKERS])
    at = spread_evenly(len(kept), most)
    evaluation = (rows["worker"] == "mean").shift(fill_value=False).cumsum()  # the mean's row is behind its workers'
    wanted = rows[evaluation.isin([kept[i] for i in at])]
    columns = {"accuracy": "test_accuracy", "loss": "test_loss", "train_loss": "train_loss"}
    by_worker = [wanted[wanted["worker"] == name] for name in names]
    return {"names": names, "more": len(run.workers) - len(names), "at": at,
            "steps": [[_six(step) for step in own["iteration"]] for own in by_worker],
            "curves": {name: [[_six(value) for value in own[column]] for own in by_worker] for name, column in columns.items()}}


def _links(run: Run) -> tuple[list[dict[str, Any]], int]:
    rows = run.rows("traffic")
    rows = rows[rows["bytes"] > 0].sort_values("utilisation", ascending=False, kind="stable")
    periods = run.rows("links") if (run.folder / "links.csv").is_file() else None
    links = []
    for row in rows.iloc[:_LINKS].itertuples():
        link: dict[str, Any] = {"name": f"{row.link} {row.direction}", "bytes": _six(row.bytes), "utilisation": _six(row.utilisation)}
        if periods is not None:
            own = periods[(periods["link"] == row.link) & (periods["direction"] == row.direction)]
            if len(own):
                link["over_time"] = _over_time(own)
        links.append(link)
    return links, len(rows)


def _over_time(periods: pd.DataFrame) -> list[list[Any]]:
    """Neighbouring periods come together where there are more than a page shows."""
    together = math.ceil(len(periods) / _PERIODS)
    found = []
    for begin in range(0, len(periods), together):
        part = periods.iloc[begin:begin + together]
        busy_s = float((part["utilisation"] * (part["end_s"] - part["start_s"])).sum())
        start, end = float(part["start_s"].iloc[0]), float(part["end_s"].iloc[-1])
        if busy_s > 0:
            found.append([_six(start), _six(end), _six(busy_s / (end - start))])
    return found


def _pairs(run: Run) -> dict[str, Any]:
    rows = run.rows("pairs")
    others = sorted({*rows["source"], *rows["target"]} - set(run.workers), key=natural)
    nodes = [*run.workers, *others]
    index = {name: i for i, name in enumerate(nodes[:_MATRIX_NODES])}
    cells = [[index[row.source], index[row.target], int(row.messages), _six(row.bytes)] for row in rows.itertuples()
             if row.source in index and row.target in index]
    return {"nodes": nodes[:_MATRIX_NODES], "cells": cells, "more": max(0, len(nodes) - _MATRIX_NODES)}


def _timeline(run: Run) -> dict[str, Any]:
    """The first steps and messages: from the trace, or else from the table of steps, which tells no messages."""
    workers = list(run.workers[:_LANES])
    traced = _traced(run)
    servers = [node for node in dict.fromkeys(span[0] for span in traced) if node not in run.workers]
    spans = traced or _stepwise(run)
    lanes = {name: i for i, name in enumerate([*workers, *servers[:_SERVER_LANES]])}
    most = max(4, _SPANS // max(1, len(workers)))
    drawn: list[list[list[Any]]] = [[] for _ in lanes]
    drawn_to = [0.0] * len(lanes)
    steps = [0] * len(lanes)
    for node, kind, start, end, step, peer in spans:
        lane = lanes.get(node)
        if lane is None or end <= start or kind == "send" or steps[lane] == most:
            continue
        steps[lane] += 1
        drawn_to[lane] = max(drawn_to[lane], end)
        drawn[lane].append([lane, kind, _six(start), _six(end), step])
    for lane in range(len(workers), len(lanes)):
        drawn_to[lane] = max(drawn_to[:len(workers)], default=0.0)
    sends = [0] * len(lanes)
    for node, kind, start, end, step, peer in spans:
        lane = lanes.get(node)
        if lane is None or end <= start or kind != "send" or start >= drawn_to[lane]:
            continue
        if sends[lane] == (most if lane < len(workers) else _SPANS):
            continue
        sends[lane] += 1
        drawn[lane].append([lane, kind, _six(start), _six(end), step, *([lanes[peer]] if peer in lanes else [])])
    return {"workers": workers, "servers": servers[:_SERVER_LANES], "spans": [span for lane in drawn for span in lane],
            "exact": bool(traced), "more_workers": len(run.workers) - len(workers),
            "more_servers": max(0, len(servers) - _SERVER_LANES)}


Span = tuple[str, str, float, float, int, str]  # node, kind, start and end in s, step, and of a message whom it goes to


def _traced(run: Run) -> list[Span]:
    file = run.folder / "trace.json"
    if not file.is_file():
        return []
    try:
        trace = json.loads(file.read_text(encoding="utf-8"))
        events = trace["traceEvents"] if isinstance(trace, dict) else trace
        names = {event["pid"]: event["args"]["name"] for event in events if event.get("name") == "process_name"}
        spans: list[Span] = []
        for event in events:
            name = event.get("name", "")
            if event.get("ph") == "X" and (name in ("compute", "wait") or name.startswith("send to ")):
                start = event["ts"] / 1e6
                spans.append((names[event["pid"]], "send" if name.startswith("send") else name, start, start + event["dur"] / 1e6,
                              int(event.get("args", {}).get("step", 0)), name.removeprefix("send to ") if name.startswith("send") else ""))
        return spans
    except (OSError, ValueError, KeyError, TypeError, AttributeError) as error:
        raise InputError(f"{file}: is no trace of ddlsim ({error})") from None


def _stepwise(run: Run) -> list[Span]:
    if not (run.folder / "iterations.csv").is_file():
        return []
    spans: list[Span] = []
    for row in run.rows("iterations").itertuples():
        computed = row.start_s + row.compute_s
        spans.append((row.worker, "compute", row.start_s, computed, int(row.iteration), ""))
        spans.append((row.worker, "wait", computed, row.end_s, int(row.iteration), ""))
    return spans


def _networks(runs: Sequence[Run]) -> str:
    """The carriers of messages, in every way that a run has it; and why, unless the reasons differ."""
    reasons: dict[str, set[str]] = {}
    for run in runs:
        if run.network:
            carrier = {"simgrid": "SimGrid", "accelerator": "the accelerator"}.get(run.network["carried_by"])
            told = f"{run.network['model']}, carried by {carrier}" if carrier else "packets: TCP connections, packet by packet"
            reasons.setdefault(told, set()).add(run.network.get("why", ""))
    texts = [network + (f" ({only})" if len(why) == 1 and (only := "".join(why)) else "") for network, why in sorted(reasons.items())]
    return f" Network: {'; '.join(texts)}." if texts else ""


def _title(folders: Sequence[Path | str], grouped: Grouped) -> str:
    if len(folders) == 1:
        return Path(folders[0]).resolve().name if len(grouped.groups) > 1 else grouped.groups[0].runs[0].name
    names = list(dict.fromkeys(run.name for one in grouped.groups for run in one.runs))
    return names[0] if len(names) == 1 else f"{names[0]} and {names[1]}" if len(names) == 2 else f"{names[0]} and others"


def _chart_library() -> str:
    for file in map(Path, _CHARTS):
        if file.is_file():
            return file.read_text(encoding="utf-8")
    raise InputError("report: needs chart.js: apt-get install libjs-chart.js")


def _six(value: float | None) -> float | None:
    """Six significant digits are enough for any screen; None for what is not finite."""
    return float(f"{value:.6g}") if value is not None and math.isfinite(value) else None
