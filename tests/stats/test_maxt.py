"""Joint permutations: exact if enumerated, and independent of order and sides if drawn."""

from __future__ import annotations

from itertools import combinations
from typing import get_args

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from numpy.testing import assert_allclose

from benchkit.stats.maxt import Tail, max_t, sign_flip_max_t

SEEDS = st.integers(0, 2**32 - 1)


def normal(seed: int, rows: int, columns: int) -> np.ndarray:
    return np.random.default_rng(seed).standard_normal((rows, columns))


def step_down_by_hand(x: np.ndarray, y: np.ndarray) -> np.ndarray:
    """Westfall and Young's algorithm 2.8 as published, one assignment at a time."""
    pooled, n = np.concatenate([x, y], axis=1), x.shape[1]

    def statistic(chosen: tuple[int, ...]) -> np.ndarray:
        rest = [i for i in range(2 * n) if i not in chosen]
        one, other = pooled[:, list(chosen)], pooled[:, rest]
        variance = (one.var(axis=1, ddof=1) + other.var(axis=1, ddof=1)) / 2
        difference: np.ndarray = np.abs(one.mean(axis=1) - other.mean(axis=1))
        statistics: np.ndarray = difference / np.sqrt(variance * 2 / n)
        return statistics

    observed = statistic(tuple(range(n)))
    order = np.argsort(-observed)
    counts, every = np.zeros(len(x)), list(combinations(range(2 * n), n))
    for chosen in every:
        permuted = statistic(chosen)[order]
        largest = np.maximum.accumulate(permuted[::-1])[::-1]
        counts += largest >= observed[order] - 1e-9
    adjusted = np.empty(len(x))
    adjusted[order] = np.maximum.accumulate(counts / len(every))
    return adjusted


@given(seed=SEEDS, rows=st.integers(1, 6), n=st.integers(3, 5))
def test_result_equals_the_published_algorithm(seed: int, rows: int, n: int) -> None:
    x, y = normal(seed, rows, n), normal(seed + 1, rows, n) + 0.7
    assert_allclose(max_t(x, y).p_adjusted, step_down_by_hand(x, y), rtol=1e-12)


@pytest.mark.parametrize("n", [4, 8])
@given(seed=SEEDS)
def test_order_sides_and_unit_change_nothing(n: int, seed: int) -> None:
    x, y = normal(seed, 5, n), normal(seed + 1, 5, n)
    expected = max_t(x, y)
    shuffle = np.random.default_rng(seed).permutation
    rows, left, right = shuffle(5), shuffle(n), shuffle(n)
    moved = max_t(y[:, right][rows], x[:, left][rows])
    assert_allclose(moved.p_adjusted, expected.p_adjusted[rows])
    assert_allclose(moved.pvalue, expected.pvalue[rows])
    assert_allclose(max_t(4 * x + 3, 4 * y + 3).p_adjusted, expected.p_adjusted)


@pytest.mark.parametrize("n", [4, 6, 9])
@given(seed=SEEDS)
def test_adjusted_p_is_never_below_the_p_of_the_row(n: int, seed: int) -> None:
    for tail in get_args(Tail):
        tested = max_t(normal(seed, 8, n), normal(seed + 1, 8, n) + 0.5, tail=tail)
        assert (tested.p_adjusted >= tested.pvalue).all()
        assert ((tested.pvalue > 0) & (tested.p_adjusted <= 1)).all()


def test_change_of_all_rows_attains_the_smallest_p() -> None:
    x = normal(0, 60, 6)
    assert_allclose(max_t(x, x[:, ::-1] + 9).p_adjusted, 2 / 924)
    assert_allclose(max_t(x, x[:, ::-1] + 9, tail="greater").p_adjusted, 1 / 924)
    assert_allclose(max_t(x + 9, x[:, ::-1], tail="greater").p_adjusted, 1.0)


def test_sampled_assignments_count_the_observed_one() -> None:
    x = normal(0, 3, 10)
    assert max_t(x, x[:, ::-1] + 9).pvalue.tolist() == [1 / 2000] * 3


def test_nearly_constant_rows_do_not_mask_the_others() -> None:
    constant = np.array([[1.0, 1, 1, 1, 1, 2]]).repeat(30, axis=0)
    x = np.concatenate([constant, normal(0, 1, 6)])
    y = np.concatenate([constant, normal(1, 1, 6) + 12])
    assert max_t(x, y).p_adjusted[-1] == pytest.approx(2 / 924)
    assert (max_t(x, y).p_adjusted[:-1] == 1).all()


def test_rounding_step_bounds_the_evidence_of_a_constant_row() -> None:
    x, y = np.full((1, 4), 10.0), np.full((1, 4), 10.1)
    rows = np.concatenate([x, normal(0, 9, 4)]), np.concatenate([y, normal(1, 9, 4)])
    fine, coarse = (max_t(*rows, resolution=[step] + [0.0] * 9) for step in (0.001, 0.3))
    assert fine.p_adjusted[0] < coarse.p_adjusted[0]


def test_all_rows_of_a_pair_are_flipped_together() -> None:
    pairs = normal(0, 4, 8) * 0.1
    pairs[0] += 1
    tested = sign_flip_max_t(pairs)
    assert tested.p_adjusted[0] == 2 / 256
    assert (tested.p_adjusted >= tested.pvalue).all()
    assert_allclose(sign_flip_max_t(-pairs[::-1]).p_adjusted[::-1], tested.p_adjusted)
    assert sign_flip_max_t(pairs, tail="greater").p_adjusted[0] == 1 / 256


@pytest.mark.parametrize(
    ("x", "y", "message"),
    [
        ([[1.0, 2.0]], [[1.0, 2.0, 3.0]], "same shape"),
        ([[1.0]], [[2.0]], "at least 2 columns"),
        ([[1.0, np.nan]], [[1.0, 2.0]], "finite"),
    ],
)
def test_invalid_input_is_refused(x: object, y: object, message: str) -> None:
    with pytest.raises(ValueError, match=message):
        max_t(x, y)  # type: ignore[arg-type]
