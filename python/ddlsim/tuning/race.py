"""Systems at their best settings race over seeds that served for nothing else, until chance no longer explains who leads."""
from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass, field
from statistics import NormalDist

from ..stats import SIGNIFICANCE, estimate, holm, paired_p

LOOKS = (3, 5, 8)      # seeds after which the leader is compared with the others; and after all
SEEDS = 12


def looks_of(seeds: int) -> list[int]:
    return [*(count for count in LOOKS if count < seeds), seeds]


@dataclass
class Entrant:
    scores: list[float] = field(default_factory=list)  # by seed, the less the better
    p: float | None = None    # of no difference from the leader at the last look that it was in, corrected
    dropped: bool = False

    @property
    def mean(self) -> float:
        return sum(self.scores) / len(self.scores) if self.scores else math.inf


def look(entrants: Sequence[Entrant], looks: int, step: float = 0.0) -> Entrant | None:
    """The leader among those still in the race, which all have as many seeds. Those that are worse beyond chance are dropped: Student's
    test of differences by seed, corrected for rivals (Holm), so many looks, and the choice of the leader, who could have been
    any of them (Bonferroni). Scores are multiples of `step`, if that is not 0."""
    left = [one for one in entrants if not one.dropped and one.scores]
    for one in left:
        one.dropped = math.isinf(one.mean)
    left = [one for one in left if not one.dropped]
    if not left:
        return None
    leader = min(left, key=lambda one: one.mean)
    leader.p = None
    others = [one for one in left if one is not leader]
    p = [paired_p([b - a for a, b in zip(leader.scores, one.scores)], step) for one in others]
    corrected = holm([1.0 if value is None else value for value in p])
    for one, value in zip(others, corrected):
        one.p = min(1.0, value * looks * len(left) / 2) if len(one.scores) >= LOOKS[0] else None
        one.dropped = one.p is not None and one.p < SIGNIFICANCE
    return leader


def seeds_to_tell(differences: Sequence[float], tests: int) -> int | None:
    """About so many seeds tell two apart, in four cases of five, by one of so many tests; None where they are equal."""
    found = estimate(differences)
    if found is None or found.count < 2 or found.mean == 0:
        return None
    normal = NormalDist()
    z = normal.inv_cdf(1 - SIGNIFICANCE / max(1, tests) / 2) + normal.inv_cdf(0.8)
    return max(2, math.ceil((z * found.deviation / found.mean) ** 2) + 2)
