"""Planned runs keep their promise, by simulation of the rule that will judge."""

from __future__ import annotations

from math import inf, log1p, nan

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from benchkit.stats.equivalence import log_bounds
from benchkit.stats.ranksum import attained_level, untied_cdf
from benchkit.stats.samplesize import runs_for_effect, runs_for_equivalence, smallest_effect


def simulate(n: int, shift: float, repeats: int = 4000) -> tuple[np.ndarray, np.ndarray]:
    """Return U of y and the sorted differences, shape (repeats, n²), for runs with sd 1."""
    rng = np.random.default_rng(7)
    x, y = rng.standard_normal((repeats, n)), rng.standard_normal((repeats, n)) + shift
    differences = (y[:, :, None] - x[:, None, :]).reshape(repeats, n * n)
    return (differences > 0).sum(axis=1), np.sort(differences, axis=1)


def critical(n: int, tail: float) -> int:
    return int(np.searchsorted(untied_cdf(n, n), tail * (1 + 1e-9), side="right"))


@pytest.mark.parametrize("n", [4, 5, 6, 8, 12, 20])
def test_smallest_effect_is_shown_with_the_requested_power(n: int) -> None:
    shift = log1p(smallest_effect(0.01, n)) / 0.01
    u, _ = simulate(n, shift)
    assert np.mean(n * n - u < critical(n, 0.025)) == pytest.approx(0.785, abs=0.03)


@pytest.mark.parametrize("n", [5, 10, 20])
def test_estimate_reaches_the_margin_as_well(n: int) -> None:
    cv = 0.02
    shift = log1p(smallest_effect(cv, n, margin=0.03)) / cv
    u, differences = simulate(n, shift)
    reached = np.median(differences, axis=1) >= log1p(0.03) / cv
    assert np.mean((n * n - u < critical(n, 0.025)) & reached) == pytest.approx(0.79, abs=0.04)


@pytest.mark.parametrize("cv", [0.015, 0.02, 0.03, 0.05])
def test_equivalence_is_shown_with_the_requested_power(cv: float) -> None:
    n = runs_for_equivalence(cv, 0.03)
    assert n is not None
    _, differences = simulate(n, 0.0, repeats=1500)
    c = (
        critical(n, 0.05)
        if n <= 50
        else round(n * n / 2 - 1.645 * (n * n * (2 * n + 1) / 12) ** 0.5)
    )
    low, high = (bound / cv for bound in log_bounds(0.03))
    shown = (differences[:, c - 1] > low) & (differences[:, -c] < high)
    assert np.mean(shown) == pytest.approx(0.81, abs=0.05)


@pytest.mark.parametrize(
    ("cv", "effect", "runs"),
    [(0.01, 0.01, 17), (0.02, 0.03, 9), (0.05, 0.05, 18), (0.10, 0.03, 181), (0.10, 0.10, 19)],
)
def test_ranks_need_slightly_more_runs_than_the_t_table(
    cv: float, effect: float, runs: int
) -> None:
    needed = runs_for_effect(cv, effect)
    assert needed is not None
    assert runs <= needed <= runs * 1.06 + 1


def test_effect_within_the_margin_is_never_shown() -> None:
    assert runs_for_effect(0.02, 0.03, margin=0.03) is None
    assert runs_for_effect(0.02, 0.029, margin=0.03) is None
    assert runs_for_effect(0.0, 0.031, margin=0.03) == 4


def test_more_than_a_thousand_runs_are_not_a_plan() -> None:
    assert runs_for_effect(1.0, 0.01) is None
    assert runs_for_equivalence(1.0, 0.01) is None
    assert smallest_effect(200.0, 4) == inf


def test_level_unattainable_by_ranks_shows_nothing() -> None:
    assert smallest_effect(0.02, 4, alpha=0.01) == inf
    assert smallest_effect(0.02, 5, alpha=0.01) < inf
    assert attained_level(4, 4, 0.01) == 0.0


def test_zero_spread_needs_the_fewest_runs_that_can_reject() -> None:
    assert runs_for_effect(0.0, 0.01) == 4
    assert runs_for_equivalence(0.0, 0.01) == 4


@given(st.floats(0.001, 0.3), st.floats(0.005, 0.5))
def test_more_spread_never_needs_fewer_runs(cv: float, effect: float) -> None:
    for runs in (runs_for_effect, runs_for_equivalence):
        calm, rough = runs(cv, effect), runs(2 * cv, effect)
        assert rough is None or (calm is not None and calm <= rough)


@pytest.mark.parametrize("cv", [-1, nan, inf])
def test_invalid_spread_is_refused(cv: float) -> None:
    for call in (
        lambda: smallest_effect(cv, 5),
        lambda: runs_for_effect(cv, 0.05),
        lambda: runs_for_equivalence(cv, 0.03),
    ):
        with pytest.raises(ValueError, match="expected"):
            call()


def test_invalid_aim_is_refused() -> None:
    for call in (
        lambda: smallest_effect(0.02, 1),
        lambda: smallest_effect(0.02, 4, margin=-0.1),
        lambda: runs_for_effect(0.02, 0.0),
        lambda: runs_for_equivalence(0.02, 0.0),
        lambda: runs_for_effect(0.02, 0.05, power=0.04),
    ):
        with pytest.raises(ValueError, match="expected"):
            call()
