"""Holm, Benjamini-Hochberg and the size of families."""

from __future__ import annotations

from collections.abc import Callable
from math import nan

import numpy as np
import pytest
import scipy.stats
from hypothesis import given
from hypothesis import strategies as st

from benchkit.stats import (
    benjamini_hochberg,
    holm,
    largest_family,
    largest_paired_family,
    mann_whitney,
    pairs_for_family,
    runs_for_family,
    smallest_pvalue,
)

PVALUES = st.lists(st.floats(0, 1), min_size=1, max_size=12)


def test_holm_by_hand() -> None:
    assert holm([0.01, 0.04, 0.03, 0.005]) == pytest.approx([0.03, 0.06, 0.06, 0.02])
    assert holm([0.6, 0.9]) == pytest.approx([1, 1])


@given(PVALUES)
def test_holm_rejects_what_the_stepwise_procedure_rejects(pvalues: list[float]) -> None:
    adjusted = holm(pvalues)
    for alpha in (0.01, 0.05, 0.3):
        rejected, going = set(), True
        for step, index in enumerate(np.argsort(pvalues, kind="stable")):
            going = going and pvalues[index] * (len(pvalues) - step) <= alpha
            rejected |= {int(index)} if going else set()
        assert rejected == set(np.flatnonzero(adjusted <= alpha).tolist())


@given(PVALUES)
def test_benjamini_hochberg_equals_scipy(pvalues: list[float]) -> None:
    theirs = scipy.stats.false_discovery_control(pvalues)
    assert benjamini_hochberg(pvalues) == pytest.approx(theirs, rel=1e-12)


@given(PVALUES)
def test_adjusted_values_keep_order_and_never_shrink(pvalues: list[float]) -> None:
    raw, q, adjusted = np.array(pvalues), benjamini_hochberg(pvalues), holm(pvalues)
    order = np.argsort(raw)
    assert np.all(np.diff(adjusted[order]) >= 0)
    assert np.all(np.diff(q[order]) >= 0)
    assert np.all(raw <= q * (1 + 1e-12))
    assert np.all(q <= adjusted * (1 + 1e-12))
    assert np.all(adjusted <= 1)


@pytest.mark.parametrize("adjust", [holm, benjamini_hochberg])
def test_rows_without_a_p_are_not_counted(adjust: Callable[..., np.ndarray]) -> None:
    adjusted = adjust([nan, 0.02, nan, 0.04])
    assert np.isnan(adjusted[[0, 2]]).all()
    assert adjusted[[1, 3]] == pytest.approx(adjust([0.02, 0.04]))
    assert adjust([]).size == 0
    assert np.isnan(adjust([nan])).all()


def test_invalid_pvalue_is_refused() -> None:
    with pytest.raises(ValueError, match=r"between 0 and 1: \[1.8\]"):
        holm([1.8])


def test_largest_families() -> None:
    assert [largest_family(k, k) for k in (3, 4, 5, 6, 8)] == [0, 1, 6, 23, 321]
    assert largest_family(3, 3, alpha=0.1) == 1


@pytest.mark.parametrize("k", [4, 5, 6])
def test_largest_family_can_reject_but_one_more_row_cannot(k: int) -> None:
    best = mann_whitney(range(k), range(100, 100 + k)).pvalue
    rows = largest_family(k, k)
    assert holm([best] + [1.0] * (rows - 1))[0] <= 0.05
    assert holm([best] + [1.0] * rows)[0] > 0.05


@pytest.mark.parametrize(("rows", "runs"), [(1, 4), (2, 5), (6, 5), (7, 6), (23, 6), (28, 7)])
def test_runs_for_family(rows: int, runs: int) -> None:
    assert runs_for_family(rows) == runs
    assert rows * smallest_pvalue(runs, runs) <= 0.05


def test_impossible_families_are_refused() -> None:
    with pytest.raises(ValueError, match="rows must be at least 1: 0"):
        runs_for_family(0)
    with pytest.raises(ValueError, match="at least 1 run: 0 and 4"):
        largest_family(0, 4)
    with pytest.raises(ValueError, match="alpha must be"):
        runs_for_family(1, alpha=1e-300)
    with pytest.raises(ValueError, match="alpha must be between"):
        largest_family(4, 4, alpha=1)


def test_holm_keeps_the_family_wise_level_in_simulation() -> None:
    rng = np.random.default_rng(1)
    false = sum(bool(np.any(holm(rng.random(20)) <= 0.05)) for _ in range(2000))
    assert 0.03 < false / 2000 <= 0.05 + 3 * np.sqrt(0.05 * 0.95 / 2000)


def test_families_of_pairs() -> None:
    assert [largest_paired_family(n) for n in (5, 6, 8, 10)] == [0, 1, 6, 25]
    assert [pairs_for_family(rows) for rows in (1, 2, 6, 7, 25, 26)] == [6, 7, 8, 9, 10, 11]
    with pytest.raises(ValueError, match="at least 1 pair"):
        largest_paired_family(0)
    with pytest.raises(ValueError, match="rows must be"):
        pairs_for_family(0)
