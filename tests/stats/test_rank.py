"""Mann-Whitney and Hodges-Lehmann: compared with enumeration, scipy, R and real runs."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from itertools import combinations
from math import exp, inf, log

import numpy as np
import pytest
import scipy.stats
from hypothesis import given
from hypothesis import strategies as st

from benchkit.stats import hodges_lehmann, mann_whitney, smallest_pvalue

TIED = st.lists(st.integers(0, 4), min_size=1, max_size=6)
REALS = st.lists(st.integers(-(10**6), 10**6).map(float), min_size=1, max_size=9)

# Hollander and Wolfe's permeability data, as in the examples of R's wilcox.test.
TERM = [0.80, 0.83, 1.89, 1.04, 1.45, 1.38, 1.91, 1.64, 0.73, 1.46]
EARLY = [1.15, 0.88, 0.90, 0.74, 1.21]

# wrk's requests per second, 8 rotated repeats of each tracing backend (benchkit's own runs).
NONE = [10406.41, 10713.21, 10594.48, 10850.03, 10668.84, 10467.87, 10443.02, 10198.55]
TRACED = {
    "otlp": [9307.29, 9269.90, 9372.46, 9306.73, 9075.83, 9022.65, 8926.63, 9026.30],
    "zipkin": [8900.86, 8959.72, 8980.89, 8957.65, 8986.85, 8425.14, 8744.00, 8554.82],
    "apm": [10471.56, 11000.19, 10651.26, 10621.35, 10338.29, 10326.50, 10862.99, 10328.91],
    "skywalking": [9329.70, 9367.36, 9447.22, 9345.69, 9601.40, 9291.46, 9209.51, 9145.48],
}


def u_of(x: Sequence[float], y: Sequence[float]) -> float:
    return sum(1.0 if b > a else 0.5 if b == a else 0.0 for a in x for b in y)


def enumerate_tails(x: Sequence[float], y: Sequence[float]) -> tuple[float, float]:
    """P(U <= u), P(U >= u) over all splits of the pooled values."""
    pooled, seen = [*x, *y], u_of(x, y)
    splits = []
    for chosen in combinations(range(len(pooled)), len(y)):
        after = [pooled[i] for i in chosen]
        before = [pooled[i] for i in range(len(pooled)) if i not in chosen]
        splits.append(u_of(before, after))
    values = np.array(splits)
    return float(np.mean(values <= seen)), float(np.mean(values >= seen))


@given(TIED, TIED)
def test_pvalue_equals_enumeration_of_all_splits(x: Sequence[float], y: Sequence[float]) -> None:
    lower, upper = enumerate_tails(x, y)
    result = mann_whitney(x, y)
    assert result.statistic == u_of(x, y)
    assert result.method == "mann-whitney exact"
    assert result.pvalue == pytest.approx(min(1, 2 * min(lower, upper)), rel=1e-12)
    assert mann_whitney(x, y, "less").pvalue == pytest.approx(lower, rel=1e-12)
    assert mann_whitney(x, y, "greater").pvalue == pytest.approx(upper, rel=1e-12)


@pytest.mark.parametrize(("n", "m"), [(1, 4), (3, 3), (4, 7), (10, 10), (25, 31), (50, 50)])
@pytest.mark.parametrize("shift", [0.0, 0.4, 1.5])
def test_pvalue_equals_scipy_without_ties(n: int, m: int, shift: float) -> None:
    rng = np.random.default_rng(n * 100 + m)
    x, y = rng.normal(size=n), rng.normal(size=m) + shift
    for ours in ("two-sided", "less", "greater"):
        theirs = scipy.stats.mannwhitneyu(y, x, alternative=ours, method="exact").pvalue
        assert mann_whitney(x, y, ours).pvalue == pytest.approx(theirs, rel=1e-12, abs=1e-12)


@pytest.mark.parametrize(("n", "m", "levels"), [(60, 51, 10**9), (40, 40, 5), (400, 300, 3)])
def test_large_samples_equal_scipy_asymptotic_with_a_note(n: int, m: int, levels: int) -> None:
    rng = np.random.default_rng(n)
    x, y = rng.integers(0, levels, n), rng.integers(0, levels, m)
    result = mann_whitney(x, y)
    theirs = scipy.stats.mannwhitneyu(y, x, method="asymptotic").pvalue
    assert result.pvalue == pytest.approx(theirs, rel=1e-9)
    assert result.method == "mann-whitney normal"
    assert result.notes == ("too many values for the exact test: normal approximation",)


def test_thirty_and_thirty_with_ties_is_exact_and_near_asymptotic() -> None:
    rng = np.random.default_rng(5)
    x, y = rng.integers(0, 9, 30), rng.integers(1, 10, 30)
    result = mann_whitney(x, y)
    assert result.method == "mann-whitney exact"
    theirs = scipy.stats.mannwhitneyu(y, x, method="asymptotic").pvalue
    assert result.pvalue == pytest.approx(theirs, rel=0.1)


@given(st.one_of(TIED, REALS), st.one_of(TIED, REALS))
def test_swapping_sides_keeps_p_and_mirrors_u(x: Sequence[float], y: Sequence[float]) -> None:
    ahead, back = mann_whitney(x, y), mann_whitney(y, x)
    assert 0 < ahead.pvalue <= 1
    assert ahead.pvalue == back.pvalue
    assert ahead.statistic + back.statistic == len(x) * len(y)
    assert mann_whitney(x, y, "less").pvalue == mann_whitney(y, x, "greater").pvalue


@given(TIED, TIED, st.sampled_from([0.5, 2.0, 8.0]), st.integers(-8, 8))
def test_scale_and_shift_only_scale_the_interval(
    x: Sequence[float], y: Sequence[float], scale: float, shift: float
) -> None:
    x2, y2 = ([value * scale + shift for value in side] for side in (x, y))
    assert mann_whitney(x2, y2) == mann_whitney(x, y)
    here, there = hodges_lehmann(x, y, 0.8), hodges_lehmann(x2, y2, 0.8)
    assert (there.value, there.low, there.high) == (
        here.value * scale,
        here.low * scale,
        here.high * scale,
    )


def test_tied_case_that_other_tools_get_wrong() -> None:
    assert mann_whitney([103, 103, 103], [101, 102]).pvalue == 0.2
    assert mann_whitney([101, 102], [103, 103, 103]).pvalue == 0.2


@pytest.mark.parametrize("n", [1, 5, 100])
def test_equal_values_are_no_evidence(n: int) -> None:
    result = mann_whitney([7.5] * n, [7.5] * n)
    assert result.pvalue == 1
    assert result.notes[0] == "all values are equal"


def test_pvalue_stays_positive_where_the_tail_underflows() -> None:
    x = np.arange(3000.0)
    assert 0 < mann_whitney(x, x + 10_000).pvalue < 1e-300


def test_published_example_of_r() -> None:
    assert mann_whitney(EARLY, TERM, "greater").statistic == 35
    assert mann_whitney(EARLY, TERM, "greater").pvalue == pytest.approx(0.1272, abs=5e-5)
    shift = hodges_lehmann(EARLY, TERM)
    assert [shift.value, shift.low, shift.high] == pytest.approx([0.305, -0.15, 0.76])


@pytest.mark.parametrize(
    ("variant", "percent"),
    [
        ("otlp", [-13.1, -14.8, -11.1]),
        ("zipkin", [-16.1, -18.3, -14.2]),
        ("skywalking", [-11.5, -12.9, -9.8]),
        ("apm", [0.1, -2.3, 2.7]),
    ],
)
def test_tracing_backends(variant: str, percent: float) -> None:
    logs = [log(v) for v in NONE], [log(v) for v in TRACED[variant]]
    shift = hodges_lehmann(*logs)
    percents = [100 * (exp(end) - 1) for end in (shift.value, shift.low, shift.high)]
    assert percents == pytest.approx(percent, abs=0.0501)
    if variant != "apm":
        assert mann_whitney(*logs).pvalue == 2 / 12870


@pytest.mark.parametrize(("n", "m"), [(1, 1), (2, 3), (3, 3), (4, 4), (6, 6), (8, 8), (3, 9)])
def test_smallest_pvalue_is_reached_by_sides_apart(n: int, m: int) -> None:
    apart = mann_whitney(np.arange(n), 100 + np.arange(m))
    assert smallest_pvalue(n, m) == apart.pvalue
    assert smallest_pvalue(n, m) == pytest.approx(
        min(1, 2 * min(enumerate_tails(range(n), range(100, 100 + m)))) if n + m < 13 else 2 / 12870
    )


def test_smallest_pvalue_of_huge_sides_is_positive() -> None:
    assert smallest_pvalue(2000, 2000) > 0
    with pytest.raises(ValueError, match="at least 1 value"):
        smallest_pvalue(0, 4)


def test_ranks_of_the_95_percent_interval() -> None:
    """With x = 0 … and y far apart, all differences are distinct, so an end shows its rank."""
    expected = dict(zip(range(4, 13), [1, 3, 6, 9, 14, 18, 24, 31, 38], strict=True))
    for k, c in expected.items():
        x, y = np.arange(k) / 1000, np.arange(k) * 1.0
        differences = np.sort(np.subtract.outer(y, x), axis=None)
        shift = hodges_lehmann(x, y)
        assert shift.low == differences[c - 1]
        assert shift.high == differences[k * k - c]


@given(
    st.lists(st.integers(0, 2000), min_size=4, max_size=9, unique=True),
    st.lists(st.integers(0, 2000), min_size=4, max_size=9, unique=True),
    st.sampled_from([0.8, 0.9, 0.95]),
)
def test_interval_excludes_a_shift_exactly_if_the_test_rejects_it(
    x: Sequence[float], y: Sequence[float], confidence: float
) -> None:
    shift = hodges_lehmann(x, y, confidence)
    for tried in (shift.low - 0.25, shift.low + 0.25, shift.high - 0.25, shift.high + 0.25, 0.25):
        if not np.isfinite(tried):
            continue
        rejected = mann_whitney(np.add(x, tried + 1e-7 * np.arange(len(x))), y).pvalue
        inside = shift.low <= tried <= shift.high
        assert inside == (rejected > 1 - confidence + 1e-12)


def test_three_runs_attain_90_percent_but_not_95() -> None:
    x, y = [1.0, 2.0, 3.0], [11.0, 12.5, 13.0]
    assert hodges_lehmann(x, y, 0.9).low == 8.0
    assert hodges_lehmann(x, y, 0.9).high == 12.0
    wide = hodges_lehmann(x, y)
    assert (wide.value, wide.low, wide.high) == (10.0, -inf, inf)
    assert wide.notes == ("3 and 3 values are too few for a 95 % interval: at least 4 and 4",)


def test_interval_of_many_values_is_near_the_exact_one() -> None:
    rng = np.random.default_rng(11)
    x, y = rng.normal(size=51), rng.normal(size=51) + 0.3
    approximate, exact = hodges_lehmann(x, y), hodges_lehmann(x[:-1], y[:-1])
    assert approximate.notes
    assert not exact.notes
    assert approximate.low == pytest.approx(exact.low, abs=0.05)
    assert approximate.high == pytest.approx(exact.high, abs=0.05)


@given(st.lists(st.integers(0, 3), min_size=8, max_size=9))
def test_interval_with_ties_covers_at_least_as_often_as_stated(pooled: list[float]) -> None:
    """Over all splits of any tied values (true shift 0) the interval misses 0 in at most 5 %."""
    missed, total = 0, 0
    for chosen in combinations(range(len(pooled)), 4):
        y = [pooled[i] for i in chosen]
        x = [pooled[i] for i in range(len(pooled)) if i not in chosen]
        shift = hodges_lehmann(x, y)
        missed += not shift.low <= 0 <= shift.high
        total += 1
    assert missed / total <= 0.05


@pytest.mark.parametrize("k", [4, 6, 10])
@pytest.mark.parametrize("shape", ["normal", "slow runs", "rounded"])
def test_size_and_coverage_in_simulation(k: int, shape: str) -> None:
    rng = np.random.default_rng(k)
    repeats, shift, rejected, covered = 800, 2.0, 0, 0
    for _ in range(repeats):
        x, y = draw(rng, shape, k), draw(rng, shape, k)
        rejected += mann_whitney(x, y).pvalue <= 0.05
        interval = hodges_lehmann(x, y + shift)
        covered += interval.low <= shift <= interval.high
    error = 3 * np.sqrt(0.05 * 0.95 / repeats)
    assert rejected / repeats <= 0.05 + error
    assert covered / repeats >= 0.95 - error


def draw(rng: np.random.Generator, shape: str, k: int) -> np.ndarray:
    values = rng.normal(size=k)
    if shape == "slow runs":
        values += 10 * (rng.random(k) < 0.1)
    return np.round(values * 2) / 2 if shape == "rounded" else values


def test_limit_tests_keep_their_level_at_the_limit() -> None:
    rng = np.random.default_rng(3)
    over = sum(
        mann_whitney(rng.normal(size=6) + 1.5, rng.normal(size=6) + 1.5, "greater").pvalue <= 0.05
        for _ in range(800)
    )
    assert 0.02 < over / 800 <= 0.05 + 3 * np.sqrt(0.05 * 0.95 / 800)


@pytest.mark.parametrize("bad", [[], [1.0, np.nan], [np.inf], [[1.0, 2.0]], [1e200]])
@pytest.mark.parametrize("function", [mann_whitney, hodges_lehmann])
def test_unusable_values_are_refused_on_either_side(
    function: Callable[..., object], bad: object
) -> None:
    with pytest.raises(ValueError, match="must"):
        function(bad, [1.0, 2.0])
    with pytest.raises(ValueError, match="must"):
        function([1.0, 2.0], bad)


def test_unknown_choices_are_refused() -> None:
    with pytest.raises(ValueError, match="two-sided: larger"):
        mann_whitney([1], [2], "larger")  # type: ignore[arg-type]
    with pytest.raises(ValueError, match="confidence must be between 0 and 1: 95"):
        hodges_lehmann([1], [2], 95)
