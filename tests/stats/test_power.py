"""Runs needed and smallest effects: compared with a computed table and by simulation."""

from __future__ import annotations

from math import inf, log1p, nan, sqrt

import numpy as np
import pytest

from benchkit.stats import (
    hodges_lehmann,
    is_equivalent,
    mann_whitney,
    runs_to_show_effect,
    runs_to_show_equivalence,
)


def half_width(cv: float, n: int) -> float:
    return 1.959964 * cv * sqrt(2 / n)


def test_needed_runs_do_not_depend_on_the_number_of_pilot_runs() -> None:
    for runs in (runs_to_show_equivalence, lambda h, n, m: runs_to_show_effect(h, n, 2 * m, m)):
        assert len({runs(half_width(0.05, n), n, 0.03) for n in (4, 10, 40)}) == 1


@pytest.mark.parametrize(("cv", "runs"), [(0.02, 9), (0.03, 19), (0.05, 50), (0.10, 197)])
def test_runs_for_equivalence_are_near_the_table(cv: float, runs: int) -> None:
    """The table uses Student's t, the formula the normal: one or two runs fewer."""
    needed = runs_to_show_equivalence(half_width(cv, 10), 10, 0.03)
    assert needed is not None
    assert runs - 2 <= needed <= runs


def test_quoted_runs_have_the_promised_power() -> None:
    """80 % with a normal estimate; the rank interval and few runs cost some points."""
    rng = np.random.default_rng(8)
    cv, margin, repeats = 0.04, 0.03, 600
    same = runs_to_show_equivalence(half_width(cv, 10), 10, margin)
    other = runs_to_show_effect(half_width(cv, 10), 10, 2 * margin, margin)
    equivalent = shown = 0
    for _ in range(repeats):
        x, y = rng.normal(0, cv, same), rng.normal(0, cv, same)
        interval = hodges_lehmann(x, y, 0.9)
        equivalent += is_equivalent(interval.low, interval.high, margin)
        x, y = rng.normal(0, cv, other), rng.normal(log1p(2 * margin), cv, other)
        worse = hodges_lehmann(x, y).value >= log1p(margin)
        shown += worse and mann_whitney(x, y).pvalue <= 0.05
    assert 0.7 < equivalent / repeats < 0.87
    assert 0.65 < shown / repeats < 0.87


def test_effect_near_the_margin_needs_an_estimate_beyond_it() -> None:
    near = runs_to_show_effect(0.02, 8, effect=0.035, margin=0.03)
    far = runs_to_show_effect(0.02, 8, effect=0.035, margin=0.001)
    assert near is not None
    assert far is not None
    assert near > 3 * far


@pytest.mark.parametrize("effect", [0.01, 0.03])
def test_effect_within_the_margin_is_never_shown(effect: float) -> None:
    assert runs_to_show_effect(0.02, 8, effect, margin=0.03) is None


@pytest.mark.parametrize("unknown", [inf, nan, 1.0, 1e300])
def test_without_a_usable_interval_there_is_no_advice(unknown: float) -> None:
    assert runs_to_show_equivalence(unknown, 4, 0.03) is None
    assert runs_to_show_effect(unknown, 4, 0.06, 0.03) is None


def test_advice_is_never_below_four_runs() -> None:
    assert runs_to_show_equivalence(0.0, 3, 0.03) == 4
    assert runs_to_show_effect(1e-9, 20, 0.06, 0.03) == 4


def test_power_below_one_half_is_possible() -> None:
    unsure = runs_to_show_effect(0.05, 8, 0.06, 0.03, power=0.4)
    usual = runs_to_show_effect(0.05, 8, 0.06, 0.03)
    assert unsure is not None
    assert usual is not None
    assert unsure < usual


@pytest.mark.parametrize(("width", "n"), [(-0.1, 4), (0.1, 1), (0.1, nan)])
def test_impossible_intervals_are_refused(width: float, n: int) -> None:
    with pytest.raises(ValueError, match="expected"):
        runs_to_show_equivalence(width, n, 0.03)
