"""Statistics of a few seeds: means with intervals, and whether two means differ. Student's t throughout."""
from __future__ import annotations

import enum
import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from scipy.special import stdtr, stdtrit  # scipy.stats takes a tenth of a second to load

SIGNIFICANCE = 0.05
LEAST_SEEDS = 3  # in each of two groups, for a verdict


@dataclass(frozen=True)
class Estimate:
    """The mean of `count` values, their standard deviation (n - 1; 0 for one value), and half the width of the mean's
    95 % interval (none for one value, or where a value is not finite)."""
    count: int
    mean: float
    deviation: float
    half_width: float | None

    def interval(self, least: float, most: float) -> tuple[float, float] | None:
        """The 95 % interval, cut at what values can be."""
        if self.half_width is None:
            return None
        return max(least, self.mean - self.half_width), min(most, self.mean + self.half_width)


def student_factor(count: int) -> float:
    """Half the width of a 95 % interval in standard errors, for `count` >= 2 values."""
    return float(stdtrit(count - 1, 0.975))


def estimate(values: Sequence[float]) -> Estimate | None:
    """None for no values."""
    n = len(values)
    if n == 0:
        return None
    # About the first value, so that constant values have exactly that mean and no deviation.
    mean = values[0] + sum((value - values[0]) / n for value in values)
    squares = sum((value - mean) ** 2 for value in values)
    if n < 2 or not math.isfinite(squares):
        return Estimate(n, mean, 0.0, None)
    deviation = math.sqrt(squares / (n - 1))
    return Estimate(n, mean, deviation, student_factor(n) * deviation / math.sqrt(n))


def welch_p(a: Estimate, b: Estimate, step: float = 0.0) -> float | None:
    """Two-sided p of equal means by Welch's t-test (Biometrika 34, 1947); none where a group has fewer than two finite
    values. Values that are multiples of a `step` have the variance of rounding to it at least. Where neither group
    varies: 1 for equal means, otherwise 0."""
    if a.half_width is None or b.half_width is None:
        return None
    error_a, error_b = ((one.deviation**2 + step**2 / 12) / one.count for one in (a, b))
    error = error_a + error_b
    if error == 0:
        return 1.0 if a.mean == b.mean else 0.0
    freedom = error**2 / (error_a**2 / (a.count - 1) + error_b**2 / (b.count - 1))
    return float(2 * stdtr(freedom, -abs(a.mean - b.mean) / math.sqrt(error)))


def paired_p(differences: Sequence[float], step: float = 0.0) -> float | None:
    """Two-sided p of a mean difference of zero by Student's t-test; none for fewer than two finite differences. Differences
    of multiples of a `step` have the variance of rounding both to it at least. Where they do not vary: 1 if they are
    zero, otherwise 0."""
    mean = estimate(differences)
    if mean is None or mean.half_width is None:
        return None
    deviation = math.sqrt(mean.deviation**2 + step**2 / 6)
    if deviation == 0:
        return 1.0 if mean.mean == 0 else 0.0
    return float(2 * stdtr(mean.count - 1, -abs(mean.mean) * math.sqrt(mean.count) / deviation))


def pooled(groups: Sequence[Sequence[float]]) -> tuple[float, int]:
    """The standard deviation within groups, one for all of them, and its degrees of freedom: of few values in many groups."""
    squares, freedom = 0.0, 0
    for values in groups:
        found = estimate(values)
        if found is not None and found.half_width is not None:
            squares += found.deviation**2 * (found.count - 1)
            freedom += found.count - 1
    return (math.sqrt(squares / freedom) if freedom else math.nan), freedom


def pooled_p(a: Sequence[float], b: Sequence[float], deviation: float, freedom: int) -> float | None:
    """Two-sided p of equal means, where both have that standard deviation (Student's t-test); None where it is not known."""
    if not a or not b or freedom < 1 or not deviation > 0:
        return None
    error = deviation * math.sqrt(1 / len(a) + 1 / len(b))
    return float(2 * stdtr(freedom, -abs(sum(a) / len(a) - sum(b) / len(b)) / error))


def holm(p: Sequence[float]) -> list[float]:
    """p of several tests, each corrected for the others (Holm, Scandinavian Journal of Statistics 6, 1979): the least
    times their number, the next times one fewer, and so on; never falling, at most 1."""
    corrected = [0.0] * len(p)
    most = 0.0
    for rank, index in enumerate(sorted(range(len(p)), key=p.__getitem__)):
        most = max(most, min(1.0, p[index] * (len(p) - rank)))
        corrected[index] = most
    return corrected


def difference_p(a: Mapping[int, list[float]], b: Mapping[int, list[float]], step: float = 0.0) -> float | None:
    """Two-sided p of no difference between two groups of values by seed: paired by seed, because runs of one seed share
    start and minibatches; Welch's test where fewer than three seeds are common. None where a group has fewer than
    three values."""
    first = estimate([value for values in a.values() for value in values])
    second = estimate([value for values in b.values() for value in values])
    if first is None or second is None or min(first.count, second.count) < LEAST_SEEDS:
        return None
    differences = [value - a[seed][-1] for seed, values in b.items() if seed in a for value in values]
    return paired_p(differences, step) if len(differences) >= LEAST_SEEDS else welch_p(first, second, step)


class Verdict(enum.Enum):
    """How the better of two groups compares with the other."""
    BETTER = "better"
    TIE = "tie"  # equal to the last digit
    NOISE = "noise"
    TOO_FEW_SEEDS = "too few seeds"


def verdict(difference: float, p: float | None) -> Verdict:
    if difference == 0:
        return Verdict.TIE
    if p is None:
        return Verdict.TOO_FEW_SEEDS
    return Verdict.BETTER if p < SIGNIFICANCE else Verdict.NOISE
