"""Wilcoxon and Walsh averages: compared with enumeration, scipy, and each other."""

from __future__ import annotations

from itertools import product
from math import inf

import numpy as np
import pytest
import scipy.stats
from hypothesis import given
from hypothesis import strategies as st

from benchkit.stats import paired_shift, smallest_paired_pvalue, wilcoxon
from benchkit.stats.rank import Alternative

TIED = st.lists(st.integers(-3, 3), min_size=1, max_size=9)
DISTINCT = st.lists(st.integers(1, 10**6), min_size=1, max_size=12, unique=True)


def enumerate_pvalue(differences: list[int]) -> float:
    """Two-sided p over all sign patterns, ranks of |d| with the zeros among them."""
    ranks = scipy.stats.rankdata(np.abs(differences))
    signed = [rank for rank, d in zip(ranks, differences, strict=True) if d]
    seen = sum(rank for rank, d in zip(ranks, differences, strict=True) if d > 0)
    sums = [
        sum(r for r, s in zip(signed, p, strict=True) if s)
        for p in product((0, 1), repeat=len(signed))
    ]
    below, above = np.mean([s <= seen for s in sums]), np.mean([s >= seen for s in sums])
    return min(1.0, 2 * min(float(below), float(above)))


@given(TIED)
def test_ties_and_zeros_are_counted_exactly(differences: list[int]) -> None:
    test = wilcoxon([0] * len(differences), differences)
    assert test.method == "signed-rank exact"
    assert test.pvalue == pytest.approx(enumerate_pvalue(differences), rel=1e-12)


@given(sizes=DISTINCT, data=st.data())
def test_untied_pairs_equal_the_exact_scipy_test(sizes: list[int], data: st.DataObject) -> None:
    signs = data.draw(st.lists(st.sampled_from((-1, 1)), min_size=len(sizes), max_size=len(sizes)))
    differences = [size * sign for size, sign in zip(sizes, signs, strict=True)]
    alternatives: tuple[Alternative, ...] = ("two-sided", "less", "greater")
    for alternative in alternatives:
        peer = scipy.stats.wilcoxon(differences, method="exact", alternative=alternative)
        mine = wilcoxon([0] * len(differences), differences, alternative)
        assert mine.pvalue == pytest.approx(peer.pvalue, rel=1e-12)


def test_many_pairs_equal_the_scipy_approximation() -> None:
    rng = np.random.default_rng(3)
    x = rng.normal(size=80)
    y = x + rng.normal(0.2, size=80)
    test = wilcoxon(x, y)
    peer = scipy.stats.wilcoxon(y - x, method="approx", correction=True)
    assert (test.method, test.notes) == (
        "signed-rank normal",
        ("too many pairs for the exact test: normal approximation",),
    )
    assert test.pvalue == pytest.approx(peer.pvalue, rel=1e-9)
    assert paired_shift(x, y).notes == test.notes


@given(st.lists(st.tuples(st.integers(-50, 50), st.integers(-50, 50)), min_size=1, max_size=15))
def test_swapping_sides_mirrors_the_shift_and_keeps_p(pairs: list[tuple[int, int]]) -> None:
    x, y = zip(*pairs, strict=True)
    there, back = paired_shift(x, y), paired_shift(y, x)
    assert (there.value, there.low, there.high) == (-back.value, -back.high, -back.low)
    assert wilcoxon(x, y).pvalue == wilcoxon(y, x).pvalue


@given(st.lists(st.integers(-(10**5), 10**5), min_size=6, max_size=12, unique=True))
def test_interval_excludes_zero_exactly_if_p_rejects(values: list[int]) -> None:
    differences = [3 * v + 1 for v in values]  # no zero, no tie in size, no average of 0
    if len({abs(d) for d in differences}) < len(differences):
        return
    zero = [0] * len(differences)
    shift, test = paired_shift(zero, differences), wilcoxon(zero, differences)
    assert (shift.low > 0 or shift.high < 0) == (test.pvalue <= 0.05)


def test_published_example_of_r() -> None:
    # Hollander and Wolfe's depression data, as in the examples of R's wilcox.test
    first = [1.83, 0.50, 1.62, 2.48, 1.68, 1.88, 1.55, 3.06, 1.30]
    second = [0.878, 0.647, 0.598, 2.05, 1.06, 1.29, 1.06, 3.14, 1.29]
    test = wilcoxon(second, first, "greater")
    assert (test.statistic, round(test.pvalue, 5)) == (40, 0.01953)
    assert wilcoxon(second, first).pvalue == 0.0390625
    shift = paired_shift(second, first)  # the book's 96 % interval: no level in between is attained
    assert [shift.value, shift.low, shift.high] == pytest.approx([0.46, 0.010, 0.786])


def test_too_few_pairs_for_an_interval_state_how_many_are_needed() -> None:
    shift = paired_shift([1, 2, 3], [2, 4, 6])
    assert (shift.value, shift.low, shift.high) == (2, -inf, inf)
    assert shift.notes == ("3 pairs are too few for a 95 % interval: at least 6",)
    assert paired_shift(range(6), range(1, 12, 2)).low > -inf


def test_equal_pairs_show_nothing() -> None:
    test = wilcoxon([1, 2], [1, 2])
    assert (test.pvalue, test.notes) == (1, ("all pairs are equal",))
    assert wilcoxon([1] * 70, [1] * 70).pvalue == 1


@pytest.mark.parametrize("n", [1, 5, 6, 20])
def test_smallest_p_is_that_of_equal_signs(n: int) -> None:
    assert wilcoxon([0] * n, range(1, n + 1)).pvalue == smallest_paired_pvalue(n)


def test_invalid_pairs_are_refused() -> None:
    with pytest.raises(ValueError, match="equal length: 1 and 2"):
        wilcoxon([1], [1, 2])
    with pytest.raises(ValueError, match="finite"):
        paired_shift([1.0, inf], [1.0, 2.0])
    with pytest.raises(ValueError, match="at least 1 pair"):
        smallest_paired_pvalue(0)
    with pytest.raises(ValueError, match="alternative"):
        wilcoxon([1], [2], "other")  # type: ignore[arg-type]
