"""Numbers that know the intervals of the figures they were computed from, and comparisons of such numbers.

A claim computes with them as with any numbers; what it compares then holds, fails or is not decidable.
"""
from __future__ import annotations

import enum
import math
import operator
from collections.abc import Callable, Hashable, Iterable, Mapping, Sequence
from dataclasses import dataclass

from ..units import plain

DEVIATIONS_IN_HALF_WIDTH = 1.96  # of a normal distribution


class Finding(enum.Enum):
    HOLDS = "holds"
    FAILS = "fails"
    NOT_DECIDABLE = "not decidable"
    NOT_JUDGED = "not judged"


class Number:
    """A value, and the same of the published figures; nan where there is none.

    `ends` has, for each source of error, the value if that source alone lay at the lower and at the upper end of its 95 %
    interval. Arithmetic passes them on, so that a figure that is used twice moves in both places at once.
    """

    def __init__(self, value: float, published: float = math.nan,
                 ends: Mapping[Hashable, tuple[float, float]] | None = None) -> None:
        self.value = value
        self._published = published
        self._ends = dict(ends or {})

    @classmethod
    def measured(cls, source: Hashable, value: float, half_width: float = 0.0, published: float = math.nan) -> Number:
        """`half_width` is that of the value's 95 % interval; figures of one `source` are one figure."""
        return cls(value, published, {source: (value - half_width, value + half_width)} if half_width else None)

    @classmethod
    def exact(cls, value: float) -> Number:
        """A constant, which is the same for the published figures."""
        return cls(value, value)

    @property
    def published(self) -> Number:
        """The published value, as a constant."""
        return Number.exact(self._published)

    @property
    def half_width(self) -> float:
        """Half the width of the value's 95 % interval: the sources are independent, so their changes add as squares."""
        return math.sqrt(sum(max(abs(self.value - low), abs(self.value - high)) ** 2 for low, high in self._ends.values()))

    def __add__(self, other: Number | float) -> Number:
        return computed(operator.add, self, other)

    def __radd__(self, other: float) -> Number:
        return computed(operator.add, other, self)

    def __sub__(self, other: Number | float) -> Number:
        return computed(operator.sub, self, other)

    def __rsub__(self, other: float) -> Number:
        return computed(operator.sub, other, self)

    def __mul__(self, other: Number | float) -> Number:
        return computed(operator.mul, self, other)

    def __rmul__(self, other: float) -> Number:
        return computed(operator.mul, other, self)

    def __truediv__(self, other: Number | float) -> Number:
        return computed(_quotient, self, other)

    def __rtruediv__(self, other: float) -> Number:
        return computed(_quotient, other, self)

    def __abs__(self) -> Number:
        return computed(abs, self)

    def __lt__(self, other: Number | float) -> Condition:
        return Condition((Comparison(self, "<", _number(other)),))

    def __le__(self, other: Number | float) -> Condition:
        return Condition((Comparison(self, "<=", _number(other)),))

    def __gt__(self, other: Number | float) -> Condition:
        return Condition((Comparison(self, ">", _number(other)),))

    def __ge__(self, other: Number | float) -> Condition:
        return Condition((Comparison(self, ">=", _number(other)),))

    def equals(self, other: Number | float) -> Condition:
        return Condition((Comparison(self, "=", _number(other)),))

    def within(self, least: Number | float, most: Number | float) -> Condition:
        """Both ends count as within."""
        return (self >= least) & (self <= most)

    def __format__(self, form: str) -> str:
        return format(self.value, form) if form else plain(self.value)

    def __repr__(self) -> str:
        return f"Number({self.value!r} ±{self.half_width!r}, published {self._published!r})"


@dataclass(frozen=True)
class Comparison:
    """One whose value is missing does not hold."""
    left: Number
    sign: str
    right: Number

    @property
    def holds(self) -> bool:
        return _is_so(self.left.value, self.sign, self.right.value)

    @property
    def finding(self) -> Finding:
        """Not decidable if the difference's interval has both answers; but where the published difference is larger than
        half of that interval it would have been seen, and the values decide."""
        margin = self.right - self.left
        if abs(margin.value) < margin.half_width and not abs(margin.published.value) >= margin.half_width:
            return Finding.NOT_DECIDABLE
        return Finding.HOLDS if self.holds else Finding.FAILS

    @property
    def chance(self) -> float:
        """With which probability it holds, if errors are normal."""
        margin = self.right - self.left
        width = margin.half_width
        flipped = math.erfc(DEVIATIONS_IN_HALF_WIDTH * abs(margin.value) / width / math.sqrt(2)) / 2 if width > 0 else 0.0
        return 1 - flipped if self.holds else flipped


@dataclass(frozen=True)
class Condition:
    """Comparisons that all must hold. They are joined by `&`."""
    comparisons: tuple[Comparison, ...]

    @classmethod
    def of(cls, is_so: bool) -> Condition:
        """A condition without error: a count of pairs, say."""
        return Number.exact(float(is_so)).equals(1)

    def __and__(self, other: Condition) -> Condition:
        return Condition(self.comparisons + other.comparisons)

    def __bool__(self) -> bool:
        raise TypeError("a condition is neither true nor false; join conditions by &, and ask for .holds or .finding")

    @property
    def holds(self) -> bool:
        return all(one.holds for one in self.comparisons)

    @property
    def finding(self) -> Finding:
        """Fails if one of them fails, and is not decidable if none does and one is not."""
        findings = [one.finding for one in self.comparisons]
        return next((word for word in (Finding.FAILS, Finding.NOT_DECIDABLE) if word in findings), Finding.HOLDS)

    @property
    def chance(self) -> float:
        """With which probability all hold, if their errors are independent."""
        return math.prod(one.chance for one in self.comparisons)


def every(cases: Iterable[Condition]) -> Condition:
    """All cases hold."""
    return Condition(tuple(comparison for case in cases for comparison in case.comparisons))


def count(cases: Sequence[Condition]) -> Number:
    """How many cases hold. Its interval, how many may hold by chance, decides alone: a published count of cases that are
    wide apart says nothing of ours, which may be close."""
    variance = sum(case.chance * (1 - case.chance) for case in cases)
    return Number.measured(object(), sum(case.holds for case in cases), DEVIATIONS_IN_HALF_WIDTH * math.sqrt(variance))


def mean_size(errors: Sequence[Number]) -> Number:
    """The mean of errors without their signs."""
    return Number.measured(object(), sum(abs(error.value) for error in errors) / len(errors),
                           math.sqrt(sum(error.half_width**2 for error in errors)) / len(errors),
                           sum(abs(error.published.value) for error in errors) / len(errors))


def worst(errors: Iterable[Number]) -> Number:
    """The largest error, with its sign; one that is missing is the worst."""
    most = Number.exact(0.0)
    for error in errors:
        if not abs(error.value) <= abs(most.value) and not math.isnan(most.value):
            most = error
    return most


def least(*numbers: Number | float) -> Number:
    return computed(min, *numbers)


def largest(*numbers: Number | float) -> Number:
    return computed(max, *numbers)


def fall(*numbers: Number | float) -> Number:
    """The most by which a later number is below the best before it."""
    return computed(_fall, *numbers)


def rounded(number: Number) -> Number:
    """To a whole number, halves away from zero."""
    return computed(lambda value: math.copysign(math.floor(abs(value) + 0.5), value), number)


def computed(operation: Callable[..., float], *parts: Number | float) -> Number:
    """`operation` of numbers; what has no value makes the result have none."""
    numbers = [_number(part) for part in parts]

    def of(values: Sequence[float]) -> float:
        return math.nan if any(map(math.isnan, values)) else operation(*values)

    sources = dict.fromkeys(source for number in numbers for source in number._ends)
    ends = {}
    for source in sources:
        moved = [number._ends.get(source, (number.value, number.value)) for number in numbers]
        ends[source] = (of([low for low, _ in moved]), of([high for _, high in moved]))
    return Number(of([number.value for number in numbers]), of([number._published for number in numbers]), ends)


def _number(part: Number | float) -> Number:
    return part if isinstance(part, Number) else Number.exact(part)


def _is_so(left: float, sign: str, right: float) -> bool:
    return {"<": left < right, "<=": left <= right, ">": left > right, ">=": left >= right, "=": left == right}[sign]


def _quotient(a: float, b: float) -> float:
    if b != 0:
        return a / b
    return math.nan if a == 0 else math.copysign(math.inf, a) * math.copysign(1.0, b)


def _fall(*values: float) -> float:
    best, most = values[0], 0.0
    for value in values:
        most = max(most, best - value)
        best = max(best, value)
    return most
