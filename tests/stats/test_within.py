"""The inside of a run: correlation, warm-up, and the error of a single run."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from benchkit.stats.within import compare_within, find_correlation, find_course

values = st.lists(st.floats(-5, 5, width=32), min_size=10, max_size=20)


def wave(rng: np.random.Generator, size: int, rho: float) -> np.ndarray:
    """Return an AR(1) series of standard deviation 1."""
    noise = rng.normal(size=size + 50)
    for i in range(1, noise.size):
        noise[i] = rho * noise[i - 1] + np.sqrt(1 - rho**2) * noise[i]
    return noise[50:]


def test_correlation_equals_the_textbook_value() -> None:
    x = np.array([47, 64, 23, 71, 38, 64, 55, 41, 59, 48], dtype=float)
    away = x - x.mean()
    correlation = find_correlation(x)
    assert correlation.lag1 == pytest.approx((away[:-1] * away[1:]).sum() / (away**2).sum())
    assert correlation.lag1 == pytest.approx(-0.79, abs=0.01)
    assert correlation.effective == correlation.size == 10


def test_constant_values_do_not_correlate() -> None:
    correlation = find_correlation([2.0] * 8)
    assert (correlation.lag1, correlation.is_shown) == (0.0, False)


def test_waves_are_detected_and_noise_is_not() -> None:
    rng = np.random.default_rng(1)
    shown = [
        np.mean([find_correlation(wave(rng, 20, rho)).is_shown for _ in range(300)])
        for rho in (0.0, 0.8)
    ]
    assert shown[0] <= 0.05
    assert shown[1] >= 0.6


def test_warm_up_is_distinguished_from_a_trend() -> None:
    noise = np.random.default_rng(2).normal(0, 0.01, 20)
    warm = find_course(noise + np.r_[np.full(4, 0.3), np.zeros(16)])
    assert warm.start == pytest.approx(0.3, abs=0.02)
    assert warm.start_pvalue < 0.001
    assert warm.trend.pvalue > 0.01
    leak = find_course(noise + np.linspace(0, 0.4, 20))
    assert leak.drift == pytest.approx(0.4 * 15 / 19, abs=0.05)
    assert leak.trend.pvalue < 0.001


@pytest.mark.parametrize("rho", [0.0, 0.5])
def test_interval_covers_the_runs_but_not_the_variants(rho: float) -> None:
    rng = np.random.default_rng(3)
    runs = variants = 0
    for _ in range(400):
        levels = rng.normal(0, 1, 2)
        estimates = compare_within(*(level + wave(rng, 20, rho) for level in levels))
        if np.isfinite(estimates.low):
            runs += estimates.low <= levels[1] - levels[0] <= estimates.high
            variants += estimates.low <= 0 <= estimates.high
    assert runs / 400 >= 0.90
    assert variants / 400 <= 0.75


@given(values, values)
def test_swapping_sides_mirrors_the_interval(x: list[float], y: list[float]) -> None:
    one, other = compare_within(x, y), compare_within(y, x)
    assert one.value == pytest.approx(-other.value)
    assert one.low == pytest.approx(-other.high, nan_ok=True)


def test_run_that_is_a_single_wave_has_no_interval() -> None:
    estimates = compare_within(np.arange(30.0), np.zeros(20))
    assert np.isnan(estimates.low)
    assert "varies slowly" in estimates.notes[0]
    assert np.isnan(compare_within([1.0] * 5, [2.0] * 5).high)


@pytest.mark.parametrize("bad", [[1.0] * 4, [1.0, 2.0, 3.0, 4.0, float("nan")]])
def test_few_and_bad_stretches_are_refused(bad: list[float]) -> None:
    with pytest.raises(ValueError, match="must"):
        compare_within(bad, [1.0, 2.0, 3.0, 4.0, 5.0])
