"""Levels over looks: compared with another integration and simulated series, and their logic."""

from __future__ import annotations

from functools import cache
from itertools import pairwise
from math import log, pi, sqrt

import numpy as np
import pytest
from scipy.special import ndtr

from benchkit.stats import SequentialDesign, find_stops, holm, take_looks
from benchkit.stats.sample import FloatArray
from benchkit.stats.spending import EDGES, SPENDING, Sides, Spending, find_bounds

LOOKS = np.arange(1, 6, dtype=np.float64)


@cache
def known_variance(before: float, now: float) -> FloatArray:
    """Return the moves of z-values between two numbers of runs, where the variance is known."""
    middles = (EDGES[:-1] + EDGES[1:]) / 2
    step = (EDGES * sqrt(now) - middles[:, None] * sqrt(before)) / sqrt(now - before)
    return np.asarray(np.diff(ndtr(step), axis=1))


def find_z(spent: FloatArray, sides: Sides) -> FloatArray:
    moves = (known_variance(*pair) for pair in pairwise(LOOKS.tolist()))
    return np.asarray(find_bounds(spent[None], moves, sides)[0])


def measure_leaving(bounds: FloatArray) -> float:
    """Return how often a series of z-values leaves symmetric bounds, by an independent method.

    The density of the sums that stayed inside is propagated from look to look on Gauss-Legendre
    nodes.
    """
    nodes, weights = np.polynomial.legendre.leggauss(200)
    inside = before = part = np.empty(0)
    for look, bound in enumerate(bounds, 1):
        sums = bound * sqrt(look) * nodes
        steps = sums[:, None] - before if look > 1 else sums[:, None]
        density = np.exp(-(steps**2) / 2) / sqrt(2 * pi)
        inside = density @ (inside * part) if look > 1 else density[:, 0]
        before, part = sums, bound * sqrt(look) * weights
    return 1 - float(inside @ part)


@pytest.mark.parametrize(
    ("spending", "expected"),
    [  # Lan & DeMets at 5 looks, two-sided 5 %: computed like `measure_leaving`
        ("obrien-fleming", [4.8769, 3.3570, 2.6803, 2.2898, 2.0310]),
        ("pocock", [2.4380, 2.4268, 2.4101, 2.3966, 2.3859]),
    ],
)
def test_boundaries_of_spending_agree_with_another_integration(
    spending: Spending, expected: list[float]
) -> None:
    spent = SPENDING[spending](np.array(0.025), LOOKS / 5)
    assert find_z(spent, 2) == pytest.approx(expected, abs=0.004)
    assert find_z(spent, 1) == pytest.approx(expected, abs=0.004)
    for look in range(1, 6):
        left = measure_leaving(np.array(expected[:look]))
        assert left == pytest.approx(2 * spent[look - 1], rel=5e-4)


@pytest.mark.parametrize(
    ("constant", "exponent"),
    [(2.41318, 0.0), (2.04007, 0.5)],
    ids=["Pocock", "O'Brien & Fleming"],
)
def test_classic_boundaries_spend_five_percent(constant: float, exponent: float) -> None:
    expected = constant * (5 / LOOKS) ** exponent
    assert measure_leaving(expected) == pytest.approx(0.05, abs=1e-6)
    spent = np.empty(5)
    for look in range(5):  # the spending of each look, so its boundary is the expected one
        low, high = 1e-9, 0.05
        for _ in range(24):
            part = sqrt(low * high)
            spent[look:] = (spent[look - 1] if look else 0.0) + part
            low, high = (part, high) if find_z(spent, 2)[look] > expected[look] else (low, part)
    assert 2 * spent[-1] == pytest.approx(0.05, abs=0.0004)


def draw(rows: int, rounds: int, seed: int) -> FloatArray:
    return np.random.default_rng(seed).standard_normal((rows, rounds))


@pytest.mark.parametrize("spending", ["pocock", "obrien-fleming"])
@pytest.mark.parametrize(("least", "most"), [(2, 12), (4, 12), (4, 40)])
def test_all_looks_together_keep_the_level(least: int, most: int, spending: Spending) -> None:
    design = SequentialDesign(least=least, most=most, spending=spending)
    looks = take_looks(draw(8000, most, 1), design)
    low, high = looks.find_interval(0.05)
    missed = float(((low > 0) | (high < 0)).any(axis=1).mean())
    assert missed == pytest.approx(0.05, abs=3.5 * sqrt(0.05 * 0.95 / 8000))
    one_sided = float((looks.find_interval(0.05, 1)[0] > 0).any(axis=1).mean())
    assert one_sided == pytest.approx(0.05, abs=3.5 * sqrt(0.05 * 0.95 / 8000))


def test_levels_of_many_rounds_equal_the_full_computation() -> None:
    design = SequentialDesign(least=44, most=80)
    alphas: tuple[tuple[float, Sides, float], ...] = (
        (0.05, 1, 0.012456014332445652), (0.05, 2, 0.010282223089599522),
        (1e-6, 1, 5.44201239769896e-08), (1e-6, 2, 5.1440403170872495e-08),
    )  # fmt: skip
    for alpha, sides, level in alphas:
        assert design.find_levels(alpha, sides)[-1] == pytest.approx(level, rel=1e-10)


def test_the_first_look_is_the_t_test() -> None:
    design = SequentialDesign(least=4, most=40)
    expected = 0.05 * log(1 + (np.e - 1) * 4 / 40)
    assert design.find_levels(0.05)[0] == pytest.approx(expected, rel=2e-3)


def test_levels_increase_with_alpha() -> None:
    for spending in SPENDING:
        design = SequentialDesign(least=3, most=12, spending=spending)
        levels = np.array([design.find_levels(alpha) for alpha in (0.001, 0.01, 0.05, 0.2, 0.8)])
        assert (np.diff(levels, axis=0) > 0).all(), spending


def test_small_p_and_interval_excluding_zero_agree() -> None:
    design = SequentialDesign(most=20)
    looks = take_looks(draw(500, 20, 2) + 0.5, design)
    pvalues = looks.find_pvalues()
    low, high = looks.find_interval(0.05)
    crossed = (low > 0) | (high < 0)
    clear = abs(pvalues - 0.05) > 0.0005
    assert ((pvalues <= 0.05) == crossed)[clear].all()
    assert (crossed[:, :-1] & ~crossed[:, 1:]).any()  # also of rows shown at an earlier look


def test_swapped_sides_have_the_same_p_values() -> None:
    looks, turned = (take_looks(s * draw(50, 12, 3), SequentialDesign(most=12)) for s in (1, -1))
    assert looks.find_pvalues() == pytest.approx(turned.find_pvalues())
    greater, less = looks.find_pvalues(0.1, "greater"), turned.find_pvalues(-0.1, "less")
    assert greater == pytest.approx(less)


def test_constant_differences_are_shown_by_their_signs() -> None:
    looks = take_looks([[0.1] * 12, [0.0] * 12], SequentialDesign(most=12))
    pvalues = looks.find_pvalues()
    assert pvalues[0, 0] > 0.05 > pvalues[0, -1]
    assert pvalues[1] == pytest.approx(1.0, abs=0.01)
    assert pvalues.min() > 2 / 2**12
    low, high = looks.find_interval(0.05)
    assert np.isinf(low[:, 0]).all()
    assert (low[:, -1] == high[:, -1]).all()
    floored = take_looks([[0.1] * 12], SequentialDesign(most=12), floor=0.3**2)
    assert floored.find_pvalues()[0, -1] > 0.05


def test_first_decision_of_a_row_is_final_and_passes_its_alpha_on() -> None:
    pvalues = np.array([[0.02, 0.02, 0.02], [0.3, 0.04, 0.04], [0.5, 0.5, 0.5]])
    never = np.zeros((3, 3), dtype=bool)
    large = np.array([[True] * 3, [True] * 3, [False] * 3])
    equal = never.copy()
    equal[2, 2] = True
    assert find_stops(pvalues, large, equal).tolist() == [-1, -1, 2]
    assert find_stops(pvalues[:2], large[:2], equal[:2]).tolist() == [0, 1]
    small = np.array([[False, True, True], [True] * 3])
    assert find_stops(pvalues[:2], small, equal[:2]).tolist() == [1, 1]
    assert holm(pvalues[:2, 1]).max() <= 0.05


@pytest.mark.parametrize(("least", "most"), [(1, 5), (6, 5), (4, 1001)])
def test_impossible_rounds_are_refused(least: int, most: int) -> None:
    with pytest.raises(ValueError, match="expected 2 <= least <= most"):
        SequentialDesign(least=least, most=most)


def test_unknown_options_and_levels_are_refused() -> None:
    with pytest.raises(ValueError, match="expected one of"):
        SequentialDesign(spending="never")  # type: ignore[arg-type]
    with pytest.raises(ValueError, match="alpha"):
        SequentialDesign().find_levels(0.0)
    with pytest.raises(ValueError, match="at least 4 rounds"):
        take_looks([[1.0, 2.0, 3.0]], SequentialDesign())
