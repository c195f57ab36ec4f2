"""Quantiles with intervals: within a run by ranks, over runs by both levels."""

from __future__ import annotations

from math import comb

import numpy as np
import pytest

from benchkit.stats.twolevel import compare_two_level, quantile_interval


def cover(n: int, q: float, low: int, high: int) -> float:
    """Return the probability that the quantile lies between two order statistics."""
    return sum(comb(n, k) * q**k * (1 - q) ** (n - k) for k in range(low, high))


@pytest.mark.parametrize(("n", "q"), [(20, 0.5), (100, 0.5), (101, 0.9), (400, 0.95)])
def test_ranks_are_the_narrowest_that_keep_the_level_on_both_sides(n: int, q: float) -> None:
    interval = quantile_interval(range(1, n + 1), q)
    low, high = int(interval.low), int(interval.high)
    assert cover(n, q, low, high) >= 0.95
    assert cover(n, q, 0, low) <= 0.025 < cover(n, q, 0, low + 1)
    assert cover(n, q, high, n + 1) <= 0.025 < cover(n, q, high - 1, n + 1)


@pytest.mark.parametrize(("n", "q"), [(999, 0.99), (19, 0.5), (90, 0.1)])
def test_quantile_with_too_few_values_beyond_it_is_refused(n: int, q: float) -> None:
    with pytest.raises(ValueError, match="at least 10 are needed"):
        quantile_interval(range(n), q)
    run = np.arange(1.0, n + 1)
    with pytest.raises(ValueError, match="at least 10 are needed"):
        compare_two_level([run], [run], [q])


def sample(rng: np.random.Generator, runs: int, spread: float, size: int) -> list[np.ndarray]:
    levels = rng.normal(0, spread, runs)
    return [np.exp(rng.normal(level, 0.4, size)) for level in levels]


@pytest.mark.parametrize(("runs", "spread"), [(3, 0.03), (10, 0.03), (5, 0.0)])
def test_interval_covers_the_difference_of_the_variants(runs: int, spread: float) -> None:
    rng = np.random.default_rng(runs)
    covered = np.zeros(2)
    for _ in range(200):
        x, y = sample(rng, runs, spread, 1000), sample(rng, runs, spread, 1000)
        estimates = compare_two_level(x, y)
        covered += [one.estimate.low <= 0 <= one.estimate.high for one in estimates]
    assert (covered / 200 >= 0.91).all()


def test_both_levels_of_the_spread_are_returned() -> None:
    rng = np.random.default_rng(4)
    sides = [sample(rng, 40, 0.05, 1000) for _ in range(2)]
    (median,) = compare_two_level(sides[0], sides[1], [0.5])
    exact = 0.4 * np.sqrt(np.pi / 2 / 1000)  # of a normal median
    assert median.within == pytest.approx((exact, exact), rel=0.1)
    assert median.between == pytest.approx((0.05, 0.05), rel=0.3)
    assert median.estimate.method == "two-level"


def test_quantile_is_the_usual_one() -> None:
    rng = np.random.default_rng(5)
    x, y = sample(rng, 1, 0, 1234)[0], sample(rng, 1, 0, 4321)[0]
    estimates = compare_two_level([x], [y], [0.5, 0.99])
    for one in estimates:
        assert one.estimate.value == pytest.approx(
            np.log(np.quantile(y, one.level)) - np.log(np.quantile(x, one.level)), abs=2e-4
        )
        assert one.estimate.method == "within-run"
        assert np.isnan(one.between).all()


@pytest.mark.parametrize("bad", [[0.0], [-1.0], [np.nan], [np.inf]])
def test_non_positive_values_are_refused(bad: list[float]) -> None:
    run = np.append(np.arange(1.0, 100), bad)
    with pytest.raises(ValueError, match="positive and finite"):
        compare_two_level([run], [run], [0.5])
