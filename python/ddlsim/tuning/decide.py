"""The reasons of an answer: what binds, where communication stops paying, what helps most, and what to be careful about."""
from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from typing import Any

from ..frame import Run
from ..stats import SIGNIFICANCE, paired_p
from ..units import bits_per_s, bytes_, seconds, share
from .advise import BANDWIDTH, Condition, Study, best_sender, lead_of
from .race import Entrant, looks_of, seeds_to_tell
from .search import changes_of, named
from .trials import checked

COMPUTING = 2 / 3  # of a step: then computing binds
SATURATED = 0.01  # so little of accuracy, or share of loss, is gained in the second half of the time


def usage(study: Study, system: str | None) -> dict[str, Any]:
    """As usage_of, in the first run of a system's race; empty: it has none."""
    if system and system not in study.usages:
        study.usages[system] = next((usage_of(trial.run) for trial in study.raced(system)[:1] if trial.run), {})
    return study.usages.get(system or "", {})


def usage_of(run: Run) -> dict[str, Any]:
    """How busy network and workers were in a run."""
    used: dict[str, Any] = {"bottleneck": run.busiest_link or None, "utilisation": run.measure("busiest_link.utilisation"),
                            "computing": run.measure("compute_utilisation"), "staleness": run.measure("staleness.mean"),
                            "wan_link": None, "wan_bytes_per_hour": 0.0, "link_bits_per_s": None}
    time_s = run.measure("simulated_seconds") or 0.0
    if not run.busiest_link or time_s <= 0:
        return used
    rows = run.rows("traffic")
    rows = rows[rows["utilisation"] > 0]
    rates = rows["bytes"] / time_s / rows["utilisation"]
    if len(rows):
        busiest = rows["link"] + " " + rows["direction"] == run.busiest_link
        used["link_bits_per_s"] = 8 * float(rates[busiest].iloc[0]) if busiest.any() else None
        slowest = rows[rates <= rates.min() * 1.000001].sort_values("bytes", kind="stable").iloc[-1]["link"]
        used["wan_link"] = slowest
        used["wan_bytes_per_hour"] = float(rows[rows["link"] == slowest]["bytes"].sum()) * 3600 / time_s
    return used


def binding(study: Study, system: str) -> tuple[str, str]:
    """As what_binds, of a system at its best settings."""
    if system not in study.bound:
        one = study.candidate(system)
        study.bound[system] = what_binds(checked(one.base, study.best_changes(one), steps=True))
    return study.bound[system]


def what_binds(found: Mapping[str, Any]) -> tuple[str, str]:
    """computing, window, route, host, bandwidth, latency or waiting; and a sentence. From a scheme's `check`: its expected step or,
    where none is known, its lower bounds."""
    expected, bounds = found.get("expected") or {}, found["bounds"]
    shares = {key: expected.get(f"{key}_share", 0.0) for key in ("compute", "bandwidth", "latency", "waiting")}
    if expected:
        step = f"A step takes {seconds(expected['step_s'])}, {share(shares['compute'])} of it computing"
    else:
        step = f"A step takes at least {seconds(bounds['step_s'])}; computing takes {seconds(bounds['compute_s'])}"
        shares["bandwidth" if bounds["network_bound"] else "compute"] = 1.0
    most = max(shares, key=lambda key: float(shares[key]))
    if most == "compute" and shares[most] < COMPUTING:
        most = max((key for key in shares if key != "compute"), key=lambda key: float(shares[key]))
    if most == "compute":
        return "computing", f"{step}: computing binds."
    connections: list[dict[str, Any]] = found.get("connections") or []
    slow = max(connections, key=lambda one: float(one["message_s"]), default=None)
    if slow is not None and most != "waiting":
        kind = {"window": "the window of one connection", "route": "the route",
                "host": "a host's own link"}.get(slow["binds"], slow["binds"])
        return slow["binds"], (f"{step}; {kind} binds between {slow['from']} and {slow['to']} ({bits_per_s(8 * slow['bytes_per_s'])}, a "
                               f"message in {seconds(slow['message_s'])}).")
    link = bounds.get("bottleneck") or ""
    if link.startswith("window ") and most != "waiting":
        return "window", f"{step}; the {link} binds."
    if not expected:
        return most, f"{step}; {link or 'the network'} binds."
    words = {"bandwidth": f"bandwidth of {link}" if link else "bandwidth", "latency": "latency", "waiting": "waiting for other workers"}
    return most, f"{step}; {words[most]} takes {share(shares[most])}."


def is_saturated(study: Study) -> bool:
    """Whether one worker has learned, has all but stopped half-way, and nobody ends far above it."""
    one = study.baseline
    trials = study.raced(one.system) if one else []
    if not trials or trials[0].run is None or one is None or study.leader is None:
        return False
    column = f"test_{study.goal.metric.word}"
    def gain(before: float, after: float) -> float:
        return (before - after) / max(abs(before), 1e-12) if study.goal.metric.less_is_better else after - before
    gains, learned = [], []
    for trial in trials:
        curve = trial.run.curve() if trial.run else None
        if curve is not None and len(curve) > 2:
            half = curve[curve["time_s"] <= curve["time_s"].iloc[-1] / 2][column].iloc[-1]
            gains.append(gain(half, curve[column].iloc[-1]))
            learned.append(gain(curve[column].iloc[0], half))
    best = [trial.run.measure(study.goal.metric.final) or 0.0 for trial in study.raced(study.leader) if trial.run]
    own = [trial.run.measure(study.goal.metric.final) or 0.0 for trial in trials if trial.run]
    if not gains or not best or not own:
        return False
    lead = abs(sum(best) / len(best) - sum(own) / len(own))
    scale = abs(sum(own) / len(own)) if study.goal.metric.less_is_better else 1
    return bool(sum(gains) / len(gains) < SATURATED < sum(learned) / len(learned) / 5 and lead < 2 * SATURATED * scale)


def break_even(study: Study) -> dict[str, Any] | None:
    """The share of all bandwidths at which the best that sends is as good as the baseline, between those that were tried; it changes with
    the logarithm of the bandwidth."""
    sender, baseline = best_sender(study), study.baseline
    if sender is None or baseline is None:
        return None
    given = float(study.described["platform"].get("bandwidth_factor", 1))
    leads: dict[float, float] = {}
    for one in study.conditions:
        share_of = float(one.changes[BANDWIDTH]) / given if BANDWIDTH in one.changes else 1.0 if not one.changes else None
        lead = lead_of(one, sender, baseline.system)
        if share_of is not None and lead is not None:
            leads[share_of] = lead
    if len(leads) < 2 or not any(leads.values()) or is_unreached(study):
        return None
    factors = sorted(leads)
    found: dict[str, Any] = {"system": sender, "share": None, "bits_per_s": None, "link": None,
                             "tried": [factors[0], factors[-1]],
                             "ahead_at_least": sender if leads[factors[0]] > 0 else baseline.system}
    for low, high in zip(factors, factors[1:]):
        if (leads[low] > 0) != (leads[high] > 0):
            part = leads[low] / (leads[low] - leads[high])
            found["share"] = math.exp(math.log(low) + part * (math.log(high) - math.log(low)))
    used = usage(study, sender)
    if found["share"] and used.get("link_bits_per_s"):
        found |= {"bits_per_s": found["share"] * used["link_bits_per_s"], "link": used["bottleneck"]}
    return found


def upgrades(study: Study) -> list[tuple[str, float]]:
    """Conditions in which the best that sends is better, and by how much of its score; the most first."""
    sender = best_sender(study)
    given = next((one for one in study.conditions if not one.changes), None)
    if sender is None or given is None or sender not in given.scores:
        return []
    found = []
    for one in study.conditions:
        if one.is_upgrade and sender in one.scores:
            found.append((one.name, given.mean(sender) - one.mean(sender)))
    return sorted(found, key=lambda one: -one[1])


def losses(study: Study) -> list[tuple[str, float]]:
    """How much worse the best that sends is without a site or a worker, and, as its tuning saw, without its codec."""
    given = next((one for one in study.conditions if not one.changes), None)
    leader = best_sender(study)
    if given is None or leader is None or leader not in given.scores:
        return []
    found = [(one.name, one.mean(leader) - given.mean(leader)) for one in study.conditions
             if "platform.exclude" in one.changes and leader in one.scores]
    codecs: dict[bool, float] = {}
    for setting, scores in study.candidate(leader).search.scores.items():
        coded = any('"algorithm.codec"' in text and '"none"' not in text for text in setting)
        codecs[coded] = min(codecs.get(coded, math.inf), scores.get(0, math.inf))
    if codecs.get(True, math.inf) < codecs.get(False, math.inf) < math.inf:
        found.append(("without its codec", codecs[False] - codecs[True]))
    return found


def differences_in(study: Study, condition: str, system: str) -> list[float]:
    """By seed, between a system's scores as given and under a condition."""
    scores = {one.name: one.scores.get(system, []) for one in study.conditions}
    return [a - b for a, b in zip(scores.get("as given", []), scores.get(condition, []))]


def is_clear(study: Study, differences: Sequence[float]) -> bool:
    """Whether they are beyond chance, not corrected for other tests."""
    p = paired_p(differences, study.evaluated_every_s)
    return p is not None and p < SIGNIFICANCE


def turns(study: Study) -> list[tuple[Condition, str, float | None]]:
    """Conditions in which another system is best, with p of no difference from the best as given."""
    if study.leader is None:
        return []
    found: list[tuple[Condition, str, float | None]] = []
    for one in study.conditions:
        if one.best and one.best != study.leader and one.changes and study.leader in one.scores:
            p = paired_p([a - b for a, b in zip(one.scores[study.leader], one.scores[one.best])], study.evaluated_every_s)
            found.append((one, one.best, None if p is None else min(1.0, p * len(study.conditions))))
    return found


def is_unreached(study: Study) -> bool:
    """Whether no run reaches the target."""
    if study.goal.target is None:
        return False
    raced = [trial for system in study.entrants for trial in study.raced(system)]
    tuned = [trial for one in study.run for _, _, trial in study.trials.of_search(one.base, one.search)]
    return bool(raced or tuned) and all(study.value(trial) is None for trial in [*raced, *tuned])


def how_sure(study: Study) -> str:
    if study.leader is None:
        return "No run came to its end."
    unreached = (f"No run reaches {study.goal.target:g} within {seconds(study.goal.longest_s)}; the order is by how near they come. "
                 if is_unreached(study) else "")
    return unreached + _sure_of(study, study.entrants[study.leader])


def _sure_of(study: Study, leader: Entrant) -> str:
    seeds = len(leader.scores)
    if len([one for one in study.entrants.values() if one.scores and math.isfinite(one.mean)]) < 2:
        return "Nothing to compare: no other system raced to its end."
    if seeds < 3:
        return "Only a guess: fewer than three seeds raced."
    if study.hasty:
        return f"Only a guess: the budget cut the first round of tuning, so that some systems miss their best settings ({seeds} seeds raced)."
    close = [(name, one) for name, one in study.entrants.items() if one is not leader and not one.dropped and one.scores]
    if not close:
        return f"Sure after {seeds} seeds, of these settings: all others are worse beyond chance (5 %)."
    name, one = min(close, key=lambda pair: pair[1].mean)
    count = seeds_to_tell([b - a for a, b in zip(leader.scores, one.scores)], len(study.entrants) * len(looks_of(len(study.seeds))))
    more = "more than 1,000 seeds" if count is None or count > 1000 else f"about {max(count, seeds + 1)} seeds"
    told = "" if one.p is None else f" (p {one.p:.2g} against {name})"
    return f"Not sure after {seeds} seeds{told}: {', '.join(name for name, _ in close)} may be as good; {more} would tell."


def warnings_of(study: Study) -> list[str]:
    found = []
    for one in (study.candidate(name) for name in study.entrants):
        if edges := one.search.at_edge():
            found.append(f"{one.system}: of {' and '.join(edges)} the last value tried is best; what lies beyond may be better.")
    raced = [name for name in study.entrants if study.entrants[name].scores]
    if study.described.get("data", {}).get("source") == "synthetic" and "command" not in study.described.get("model", {}):
        found.append("The task learned is generated images and a small model; for your own model see docs/own_models.md, or give "
                     "--model-bytes, --step and --platform.")
    if study.cut_off:
        found.append(f"The budget left out: {'; '.join(study.cut_off)}. The same command with more budget goes on from here.")
    if raced and study.candidates[0].needs_all_data and study.leader == study.candidates[0].system:
        found.append("One worker alone needs all data in one place; --exclude single leaves it out.")
    return found


def of_bandwidth(factor: float) -> str:
    """"12 % of", "18.6 times"."""
    return f"{factor:.3g} times" if factor >= 2 else f"{100 * factor:.3g} % of"


def price(used: Mapping[str, Any]) -> str:
    if not used.get("wan_link"):
        return "nothing travels"
    return f"{bytes_(used['wan_bytes_per_hour'])} an hour over {used['wan_link']}, both ways"


def setting_told(study: Study, system: str) -> str:
    """The settings that differ from the scheme as it was given."""
    search = study.candidate(system).search
    return named(changes_of(tuple(value for value, one in zip(search.best or (), search.axes) if value != one.own)))


def reasons(study: Study) -> list[str]:
    """Sentences on the best that sends: what binds, what it costs, where it stops paying, what helps."""
    sender = best_sender(study)
    if sender is None:
        return []
    lines = [f"{sender}: {binding(study, sender)[1]}"]
    if used := usage(study, sender):
        lines.append(f"Price: {price(used)}." + (f" Gradients are {used['staleness']:.2g} updates old." if used["staleness"] else ""))
    if is_unreached(study):
        return lines
    found = break_even(study)
    baseline = study.baseline
    chance = ""
    scores = {name: one.scores for name, one in study.entrants.items()}
    ahead = [a - b for a, b in zip(scores.get(sender, []), scores.get(baseline.system, []) if baseline else [])]
    if baseline and ahead and not is_clear(study, ahead):
        chance = f"; as given, {sender} and {baseline.system} differ by no more than chance"
    if found and baseline and found["share"]:
        rate = "" if found["bits_per_s"] is None else f" ({bits_per_s(found['bits_per_s'])} of {found['link']})"
        lines.append(f"Break-even: below {of_bandwidth(found['share'])} the bandwidth{rate} {baseline.system} is as good{chance}.")
    elif found and baseline:
        lines.append(f"Break-even: {found['ahead_at_least']} is ahead at every bandwidth tried, from {found['tried'][0]:g} to "
                     f"{found['tried'][1]:g} times that given{chance}.")
    def unit(gain: float) -> str:
        return seconds(gain) if study.goal.target is not None else f"{gain:.3f}"
    def told(system: str, changes: list[tuple[str, float]]) -> str:
        differences = [differences_in(study, name, system) for name, _ in changes]  # none: it is no condition, and not tested
        chance = [bool(found) and not is_clear(study, found) for found in differences]
        parts = [f"{name} {'~' if by_chance else ''}{unit(gain)}" for (name, gain), by_chance in zip(changes, chance)]
        return ", ".join(parts) + ("; ~ is within chance." if any(chance) else ".")
    word = "of the time to the target" if study.goal.target is not None else f"of {study.goal.metric.word}"
    if paying := [one for one in upgrades(study) if one[1] > 0]:
        lines.append(f"What would help most, {word}: {told(sender, paying)}")
    if lost := losses(study):
        lines.append(f"A loss costs, {word}: {told(sender, lost)}")
    for condition, system, p in turns(study):
        sure = p is not None and p < SIGNIFICANCE
        lines.append(f"Where one thing differs, {condition.name}: {system} is best{'' if sure else ', by no more than chance'}.")
    return lines

