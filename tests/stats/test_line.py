"""A line through repeats: scipy's results, lack of fit by hand, and coverage of the interval."""

from __future__ import annotations

import math

import numpy as np
import pytest
from scipy import stats

from benchkit.stats.scalability import fit_line


def test_non_positive_level_gives_ordinary_least_squares() -> None:
    generator = np.random.default_rng(1)
    x = np.repeat([0.0, 1, 4, 16], 5)
    y = 0.5 * x + generator.normal(0, 1, len(x)) - 3
    line, peer = fit_line(x, y), stats.linregress(x, y)
    reach = stats.t.ppf(0.975, len(x) - 2) * peer.stderr
    assert (line.slope, line.start) == pytest.approx((peer.slope, peer.intercept))
    assert (line.low, line.high) == pytest.approx((peer.slope - reach, peer.slope + reach))
    assert line.at(2) == pytest.approx(peer.intercept + 2 * peer.slope)


def test_positive_levels_weight_runs_by_the_mean_of_their_level() -> None:
    x, y = np.repeat([0.0, 4, 8], 2), np.array([9.0, 11, 24, 26, 29, 31])
    slope, start = np.polyfit(x, y, 1, w=1 / np.repeat([10.0, 25, 30], 2))
    line = fit_line(x, y)
    assert (line.slope, line.start) == pytest.approx((slope, start))


def test_lack_of_fit_by_hand() -> None:
    """Means 0, 15, 20 vs. a line of 1.67, 11.67, 21.67: F = 33.33 / (6 / 3)."""
    line = fit_line([0, 0, 4, 4, 8, 8], [-1, 1, 14, 16, 19, 21])
    assert (line.slope, line.start) == pytest.approx((2.5, 5 / 3))
    assert line.misfit == pytest.approx(stats.f.sf(100 / 3 / 2, 1, 3))


def test_undetermined_results_are_nan() -> None:
    two = fit_line([0, 1], [1, 3])
    assert two.slope == pytest.approx(2, rel=1e-15)  # the last bit depends on the processor
    assert math.isnan(two.low)
    assert math.isnan(two.misfit)
    assert math.isnan(fit_line([0, 1, 2, 3], [1, 3, 5, 8]).misfit)
    with pytest.raises(ValueError, match="two different levels"):
        fit_line([1, 1], [2, 3])


@pytest.mark.parametrize("slope", [0.0, 0.02, 0.3])
def test_interval_covers_and_test_keeps_its_level(slope: float) -> None:
    """Spread of 2 % of each level's own value, 4 doses, 5 runs of each."""
    generator = np.random.default_rng(20261127)
    x = np.repeat([0.0, 1, 4, 16], 5)
    lines = [
        fit_line(x, (1 + slope * x) * np.exp(generator.normal(0, 0.02, len(x))))
        for _ in range(2000)
    ]
    covered = np.mean([line.low <= slope * np.exp(0.0002) <= line.high for line in lines])
    assert 0.935 <= covered <= 0.965
    assert np.mean([line.misfit <= 0.05 for line in lines]) <= 0.065
