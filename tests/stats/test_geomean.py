"""A single change over many benchmarks: its definition, its coverage, its requirements."""

from __future__ import annotations

from math import isnan

import numpy as np
import pytest

from benchkit.stats import compare_together, paired_t, welch


def test_runs_are_compared_by_their_mean_over_benchmarks() -> None:
    generator = np.random.default_rng(1)
    x, y = generator.normal(size=(7, 4)), generator.normal(size=(7, 6))
    together, (of_means, _) = compare_together(x, y), welch(x.mean(axis=0), y.mean(axis=0))
    assert (together.value, together.low, together.high) == (
        of_means.value,
        of_means.low,
        of_means.high,
    )
    pairs, (of_pairs, _) = (
        compare_together(x, y[:, :4], is_paired=True),
        paired_t(x.mean(axis=0), y[:, :4].mean(axis=0)),
    )
    assert (pairs.low, pairs.high) == (of_pairs.low, of_pairs.high)


def test_two_runs_against_more_have_one_degree_of_freedom() -> None:
    x, y = np.array([[1.0, 1.1], [2.0, 2.2]]), np.array([[1.0, 1.2, 1.1], [2.0, 2.2, 2.1]])
    least, _ = welch(x.mean(axis=0), y.mean(axis=0), least_freedom=True)
    assert compare_together(x, y).high == least.high


@pytest.mark.parametrize(("correlation", "ratio"), [(0.0, 1.0), (0.8, 1.0), (0.8, 3.0)])
def test_intervals_cover_even_if_rows_correlate(correlation: float, ratio: float) -> None:
    generator = np.random.default_rng(3)
    rows, n, repeats = 20, 6, 600
    spread = generator.uniform(0.01, 0.1, (rows, 1))
    covered = 0
    for _ in range(repeats):
        x, y = (
            spread
            * (
                np.sqrt(1 - correlation) * generator.standard_normal((rows, n))
                + np.sqrt(correlation) * generator.standard_normal((1, n))
            )
            for _ in range(2)
        )
        together = compare_together(x, ratio * y + 0.1)
        covered += together.low <= 0.1 <= together.high
    assert covered / repeats >= 0.935 - 3 * (0.05 * 0.95 / repeats) ** 0.5


def test_constant_runs_have_no_interval() -> None:
    together = compare_together(np.zeros((3, 4)), np.full((3, 4), 0.2))
    assert together.value == pytest.approx(0.2)
    assert isnan(together.low)
    assert together.notes


@pytest.mark.parametrize(
    ("x", "y", "message"),
    [
        ([[1.0, 2.0]], [[1.0, 2.0], [1.0, 2.0]], "one row per benchmark"),
        ([[1.0]], [[1.0]], "2 columns"),
        ([], [], "2 columns"),
        ([[1.0, np.nan]], [[1.0, 2.0]], "finite"),
    ],
)
def test_mismatched_input_is_refused(
    x: list[list[float]], y: list[list[float]], message: str
) -> None:
    with pytest.raises(ValueError, match=message):
        compare_together(x, y)
