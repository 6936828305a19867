"""Statistics against values derived by hand or by SciPy's own tests."""
import math

import pytest
from ddlsim.stats import Verdict, difference_p, estimate, holm, paired_p, verdict, welch_p
from scipy import stats


def test_an_estimate_is_mean_deviation_and_students_interval():
    found = estimate([1.0, 2.0, 3.0])
    assert (found.count, found.mean, found.deviation) == (3, 2.0, 1.0)
    assert found.half_width == pytest.approx(4.302652729696142 / math.sqrt(3))  # t(0.975, 2)
    assert found.interval(0.0, 4.0) == (0.0, 4.0)


def test_constant_values_have_exactly_their_mean_and_no_width():
    found = estimate([0.1] * 7)
    assert (found.mean, found.deviation, found.half_width) == (0.1, 0.0, 0.0)


@pytest.mark.parametrize("values", [[], [1.0], [1.0, math.nan], [1.0, math.inf]])
def test_what_has_no_interval(values):
    found = estimate(values)
    assert found is None or found.half_width is None


def test_p_values_are_those_of_scipy():
    a, b = [1.0, 2.5, 3.0, 4.0], [2.0, 3.5, 3.5, 6.0, 5.0]
    assert welch_p(estimate(a), estimate(b)) == pytest.approx(stats.ttest_ind(a, b, equal_var=False).pvalue)
    pairs = [0.5, 1.0, -0.2, 0.7]
    assert paired_p(pairs) == pytest.approx(stats.ttest_1samp(pairs, 0).pvalue)
    assert (paired_p([0.0, 0.0]), paired_p([1.0, 1.0]), paired_p([1.0])) == (1.0, 0.0, None)


def test_holm_multiplies_by_the_tests_left_and_never_falls():
    assert holm([0.01, 0.04, 0.03]) == pytest.approx([0.03, 0.06, 0.06])
    assert holm([0.9, 0.8]) == [1.0, 1.0]


def test_groups_are_paired_by_seed_where_three_are_common():
    a, b = {1: [1.0], 2: [2.0], 3: [3.5]}, {1: [1.1], 2: [2.2], 3: [3.6]}
    assert difference_p(a, b) == pytest.approx(paired_p([1.1 - 1.0, 2.2 - 2.0, 3.6 - 3.5]))
    c = {4: [1.1], 5: [2.2], 6: [3.6]}
    assert difference_p(a, c) == pytest.approx(welch_p(estimate([1.0, 2.0, 3.5]), estimate([1.1, 2.2, 3.6])))
    assert difference_p(a, {1: [1.1], 2: [2.2]}) is None


def test_verdicts():
    assert [verdict(*case) for case in ((0.0, None), (0.1, None), (0.1, 0.04), (0.1, 0.05))] == [
        Verdict.TIE, Verdict.TOO_FEW_SEEDS, Verdict.BETTER, Verdict.NOISE]


def test_three_equal_systems_are_called_different_in_at_most_five_percent_of_comparisons():
    import random
    draw, wrong = random.Random(1), 0
    for _ in range(400):
        groups = [{seed: [draw.gauss(0, 1)] for seed in range(5)} for _ in range(3)]
        p = holm([difference_p(groups[i], groups[j]) for i in range(3) for j in range(i)])
        wrong += min(p) < 0.05
    assert wrong <= 400 * 0.05 + 2 * math.sqrt(400 * 0.05 * 0.95)


def test_one_deviation_for_many_groups_of_few_values():
    import random

    from ddlsim.stats import pooled, pooled_p
    assert pooled([[1.0, 3.0], [10.0, 14.0], [5.0]]) == (pytest.approx(math.sqrt((2 + 8) / 2)), 2)
    assert pooled([[1.0], []])[1] == 0 and pooled_p([1.0], [2.0], math.nan, 0) is None
    seeds, called = random.Random(1), 0
    for _ in range(400):
        groups = [[seeds.gauss(0, 1) for _ in range(2)] for _ in range(8)]
        called += (pooled_p(groups[0], groups[1], *pooled(groups)) or 0) < 0.05
    assert 6 <= called <= 36  # of equal means one in twenty
