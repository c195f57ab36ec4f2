"""Spread, its upper limit, and its components: by known formulas and by simulation."""

from __future__ import annotations

from math import exp, log, sqrt

import numpy as np
import pytest
from scipy import stats

from benchkit.stats.rankrows import compare_rows
from benchkit.stats.sample import FloatArray
from benchkit.stats.spread import (
    Components,
    are_unequal,
    measure_spread,
    part_variance,
    pool_ratios,
)


def test_limit_follows_chi_square() -> None:
    spread = measure_spread([exp(v) for v in (0.0, 0.1, 0.2, 0.3)])
    assert spread.cv == pytest.approx(0.1 * sqrt(5 / 3))
    assert spread.high == pytest.approx(spread.cv * sqrt(3 / stats.chi2.ppf(0.2, 3)))
    assert (spread.n, spread.confidence) == (4, 0.8)


@pytest.mark.parametrize("n", [2, 5, 8])
def test_limit_covers_four_of_five_samples(n: int) -> None:
    samples = np.exp(np.random.default_rng(1).normal(3, 0.04, (4000, n)))
    covered = np.mean([measure_spread(sample).high >= 0.04 for sample in samples])
    assert covered == pytest.approx(0.8, abs=0.02)


def test_constant_runs_have_no_spread() -> None:
    spread = measure_spread([0.1] * 7)
    assert (spread.cv, spread.high) == (0.0, 0.0)


@pytest.mark.parametrize("values", [[1.0], [1.0, 0.0], [1.0, -2.0], [1.0, float("nan")]])
def test_non_positive_values_are_refused(values: list[float]) -> None:
    with pytest.raises(ValueError, match="values must"):
        measure_spread(values)


def test_components_are_recovered() -> None:
    rng = np.random.default_rng(2)
    runs = rng.normal(0, 0.03, 400)[:, None] + rng.normal(0, 0.02, (400, 10))
    components = part_variance(list(np.exp(runs)))
    assert components.between == pytest.approx(0.03, rel=0.08)
    assert components.within == pytest.approx(0.02 / sqrt(10), rel=0.05)
    assert components.runs == 400
    assert components.values == pytest.approx(10)


@pytest.mark.parametrize(("rows", "correlation"), [(1, 0.0), (20, 0.0), (20, 0.9)])
def test_equal_spreads_are_rarely_beyond_chance(rows: int, correlation: float) -> None:
    generator = np.random.default_rng(1)
    sessions, n = 500, 5

    def draw() -> np.ndarray:
        alone, common = generator.standard_normal((rows, n)), generator.standard_normal((1, n))
        return np.asarray(sqrt(1 - correlation) * alone + sqrt(correlation) * common)

    beyond = sum(pool_ratios(draw(), draw())[1] > 1.96 for _ in range(sessions))
    assert beyond / sessions <= 0.05 + 3 * sqrt(0.05 * 0.95 / sessions)


def test_independent_rows_estimate_a_ratio_better_than_correlated_ones() -> None:
    x, y = np.random.default_rng(2).standard_normal((2, 40, 6))
    ratio, errors = pool_ratios(x, 2 * y)
    assert ratio == pytest.approx(2, abs=0.4)
    assert errors > 4
    assert pool_ratios(np.repeat(x[:1], 40, axis=0), np.repeat(2 * y[:1], 40, axis=0))[1] < 4


def test_constant_rows_have_no_ratio() -> None:
    assert pool_ratios(np.ones((2, 5)), np.ones((2, 5))) == (1.0, 0.0)


def test_components_of_a_worked_example() -> None:
    """S1² = 0.02, S2² = 0.04: T2² = 0.04 - 0.02/2."""
    groups = [[exp(m - 0.1), exp(m + 0.1)] for m in (1.0, 1.2, 1.4)]
    components = part_variance(groups)
    assert components.between == pytest.approx(sqrt(0.03))
    assert components.within == pytest.approx(0.1)
    assert components.share == pytest.approx(0.25)


def test_dominant_variance_within_leaves_none_between() -> None:
    components = part_variance([[1.0, 2.0], [2.0, 1.0]])
    assert components.between == 0.0
    assert components.within == pytest.approx(log(2) / 2)
    assert components.share == 1.0


def test_zero_variance() -> None:
    assert Components(0.0, 0.0, 2, 2.0).share == 0.0


def test_one_run_has_no_components() -> None:
    with pytest.raises(ValueError, match="at least 2 runs"):
        part_variance([[1.0, 2.0]])


def _draw(world: str, n: int, sessions: int) -> tuple[FloatArray, FloatArray]:
    rng = np.random.default_rng(n)
    sides = rng.normal(0, 0.02, (2, sessions, n))
    if world == "slow":
        sides += log(1.2) * (rng.random(sides.shape) < 0.1)
    elif world == "starved":
        sides += log(2.3) * (rng.random(sides.shape) < 0.12)
    else:
        sides[1] *= float(world)
    return sides[0], sides[1]


@pytest.mark.parametrize("n", [4, 6, 8, 10, 20])
@pytest.mark.parametrize("world", ["1", "2", "3", "6", "slow", "starved"])
def test_choice_of_ranks_or_welch_keeps_the_level(world: str, n: int) -> None:
    sessions = 6000
    x, y = _draw(world, n, sessions)
    ranks = compare_rows(x, y).pvalue
    welch = stats.ttest_ind(x, y, axis=1, equal_var=False).pvalue
    level = float(np.mean(np.where(are_unequal(x, y), welch, ranks) <= 0.05))
    assert level <= 0.062 + 2 * sqrt(0.05 * 0.95 / sessions)
