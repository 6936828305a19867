"""Numbers with intervals, conditions of them, and when these are not decidable."""
import math

import pytest
from ddlsim.studies.number import Condition, Finding, Number, count, every, fall, largest, least, mean_size, rounded, worst

HOLDS, FAILS, OPEN = Finding.HOLDS, Finding.FAILS, Finding.NOT_DECIDABLE
NONE = math.nan


def number(value, published=NONE, half_width=0.0, source=None):
    return Number.measured(source or object(), value, half_width, published)


def test_arithmetic_is_that_of_values_and_of_what_was_published():
    a, b = number(6, 3), number(4, 1)
    for found, value, published in (
            (a + b, 10, 4), (a - b, 2, 2), (a * b, 24, 3), (a / b, 1.5, 3), (1 + a, 7, 4), (1 - a, -5, -2), (2 * a, 12, 6),
            (12 / a, 2, 4), (abs(b - a), 2, 2), (least(a, b, 5), 4, 1), (largest(a, b, 5), 6, 5), (a.published + a, 9, 6)):
        assert (found.value, found.published.value) == (value, published)


def test_functions():
    assert fall(5, 7, 4, 9, 8).value == 3 and fall(1, 2, 3).value == 0
    assert [rounded(Number.exact(value)).value for value in (2.5, 2.4, -2.5)] == [3, 2, -3]
    assert math.isinf((number(1) / 0).value) and math.isnan((number(0) / 0).value)
    assert f"{number(3.14159):.2f} {number(14.0)}" == "3.14 14"


def test_errors_of_different_figures_add_as_squares_and_one_figure_is_one():
    a, b = number(10, half_width=3), number(20, half_width=4)
    assert (a + b).half_width == 5
    assert (a - a).half_width == 0 and (2 * a).half_width == 6
    assert (a * b).half_width == pytest.approx(math.hypot(60, 40))
    assert (12 / a).half_width == pytest.approx(12 / 7 - 12 / 10)  # the larger of both ends
    assert least(a, b).half_width == pytest.approx(3)
    assert largest(number(10, half_width=3), number(9, half_width=4)).half_width == pytest.approx(math.hypot(3, 3))
    one = number(1, half_width=1, source="one")
    assert (one - number(1, half_width=1, source="one")).half_width == 0


@pytest.mark.parametrize("case", [
    lambda a: a < 1, lambda a: a <= 1, lambda a: a > 1, lambda a: a >= 1, lambda a: a.equals(a), lambda a: largest(1, a) > 0,
    lambda a: fall(a, 1) < 9, lambda a: a - a <= 0])
def test_no_comparison_holds_with_a_missing_value(case):
    assert case(number(NONE, 0.1, 3)).finding is FAILS


@pytest.mark.parametrize("ours, published, finding", [
    # Half widths of 3 and 4 make one of 5; the published difference is smaller.
    (55.1, 50.1, HOLDS), (54.9, 50.1, OPEN), (45.1, 50.1, OPEN), (44.9, 50.1, FAILS),
    # A published difference that is larger than the interval would have been seen, on either side.
    (51, 55.1, HOLDS), (49, 55.1, FAILS), (51, 44.9, HOLDS), (49, 44.9, FAILS)])
def test_a_comparison_is_decided_beyond_its_interval_unless_what_was_published_is_beyond_it_too(ours, published, finding):
    assert (number(ours, published, 3) > number(50, 50, 4)).finding is finding


def test_where_nothing_was_published_the_interval_decides_and_where_nothing_scatters_the_values():
    assert [(number(value, NONE, 3) > 0).finding for value in (3.1, 1, -1, -3.1)] == [HOLDS, OPEN, OPEN, FAILS]
    assert (number(1, 0.1) > number(0, 0)).finding is HOLDS
    assert (number(1) > 0).finding is HOLDS and (number(0) > 0).finding is FAILS


def test_one_comparison_that_fails_decides_and_one_that_is_open_leaves_all_so():
    sure, open_, wrong = number(9, 9, 2) > 0, number(1, 1, 2) > 0, number(-9, 9, 2) > 0
    assert [case.finding for case in (sure & open_, open_ & sure, open_ & wrong, every([sure, sure]), every([]))] == [
        OPEN, OPEN, FAILS, HOLDS, HOLDS]
    assert number(1).within(1, 2).finding is HOLDS and number(2.1).within(1, 2).finding is FAILS
    assert Condition.of(True).finding is HOLDS and Condition.of(False).finding is FAILS


def test_a_condition_is_never_taken_for_true():
    with pytest.raises(TypeError, match="&"):
        bool(1 < number(2) < 3)


def test_a_count_has_the_interval_of_chance():
    # Of four cases that are as likely as not, here and published, 4 hold: 1 above 3, and 2 above 2.
    likely = [number(1e-9, 1e-9, 1) > 0 for _ in range(4)]
    holding = count(likely)
    assert holding.value == 4 and math.isnan(holding.published.value)
    assert holding.half_width == pytest.approx(1.96 * math.sqrt(4 * 0.25))
    assert (holding >= 3).finding is OPEN and (holding >= 2).finding is HOLDS
    assert (count([number(1, 1) > 0] * 4) >= 3).finding is HOLDS
    # However many were published: four sure cases, and two that are open.
    cases = [number(9, 9, 1) > 0] * 4 + [number(-0.1, 9, 1) > 0] * 2
    assert (count(cases) >= 5).finding is OPEN and (count(cases) >= 2).finding is HOLDS


def test_errors_have_a_mean_and_a_worst():
    errors = [number(-10, 0, 3), number(8, 2, 4)]
    mean = mean_size(errors)
    assert (mean.value, mean.published.value, mean.half_width) == (9, 1, 2.5)
    assert worst(errors).value == -10
    assert math.isnan(worst([number(1), number(NONE), number(2)]).value)
