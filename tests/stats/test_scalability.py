"""Scalability: a published sweep, recovered laws, and knees by rules checked by hand."""

from __future__ import annotations

import math

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from benchkit.stats.scalability import (
    asymptotic_knee,
    fit_law,
    most_powerful,
    predict,
    smallest_with_share,
)

#: nginx under ab, connections and requests per second, as an author published them.
LEVELS = (1, 20, 30, 50, 100)
RATES = (3351, 6545, 6578, 6977, 7345)


def test_the_published_sweep_has_a_poor_fit() -> None:
    law = fit_law(LEVELS, RATES)
    assert law.rate[0] == pytest.approx(3300, abs=1)
    assert law.contention[0] == pytest.approx(0.465, abs=0.0005)
    assert law.coherency[0] == pytest.approx(0, abs=1e-9)
    assert law.limit == pytest.approx(7092, abs=1)
    assert law.limit < max(RATES)
    assert law.poor == ("its limit is below a rate that was reached",)
    assert law.rate[1] < 3351 < law.rate[2]


def test_asymptotic_bounds_of_the_published_sweep() -> None:
    assert asymptotic_knee(LEVELS, RATES) == pytest.approx(7345 / 3351)


def test_share_below_the_threshold_is_not_rounded_up() -> None:
    assert pytest.approx(0.9499, abs=1e-4) == 6977 / 7345
    assert smallest_with_share(LEVELS, RATES, 0.95) == 100
    assert smallest_with_share(LEVELS, RATES, 0.9498) == 50
    assert smallest_with_share((1, 13, *LEVELS[1:]), (3351, 6250, *RATES[1:]), 0.85) == 13


def test_power_is_rate_divided_by_time() -> None:
    powers = [rate / (level / rate) for level, rate in zip(LEVELS, RATES, strict=True)]
    assert most_powerful(LEVELS, RATES) == LEVELS[int(np.argmax(powers))]


laws = st.tuples(st.floats(10, 1e5), st.floats(0.01, 0.9), st.floats(1e-5, 1e-2))


@given(laws)
def test_noiseless_law_is_recovered(parameters: tuple[float, float, float]) -> None:
    rate, contention, coherency = parameters
    n = np.array([1.0, 2, 4, 8, 16, 32, 64])
    x = rate * n / (1 + contention * (n - 1) + coherency * n * (n - 1))
    law = fit_law(n, x)
    for level, expected in zip(n.tolist(), x.tolist(), strict=True):
        assert predict(law, level) == pytest.approx(expected, rel=1e-3)
    assert law.peak == pytest.approx(math.sqrt((1 - contention) / coherency), rel=0.1)


def test_intervals_have_the_stated_coverage() -> None:
    rng = np.random.default_rng(20261121)
    n = np.array([1.0, 2, 4, 8, 16, 32, 48, 64])
    x = 1000 * n / (1 + 0.05 * (n - 1) + 0.001 * n * (n - 1))
    covered = 0
    for _ in range(100):
        low, high = fit_law(n, x + rng.normal(0, 50, len(n))).contention[1:]
        covered += low <= 0.05 <= high
    assert 0.85 <= covered / 100 <= 1


def test_three_levels_are_too_few_for_an_interval() -> None:
    law = fit_law((1, 2, 4), (100, 180, 300))
    assert "it has as many parameters as levels" in law.poor
    assert math.isnan(law.contention[1]) or law.coherency[0] < 1e-9


@pytest.mark.parametrize(("levels", "rates"), [((1, 2), (1, 2)), ((1, 2, 4), (1, 0, 2))])
def test_unfittable_levels_are_refused(levels: tuple[float, ...], rates: tuple[float, ...]) -> None:
    with pytest.raises(ValueError, match="3 levels"):
        fit_law(levels, rates)
