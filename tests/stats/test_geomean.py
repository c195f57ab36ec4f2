"""The geometric mean covers, and says what it needs."""

from __future__ import annotations

from math import isnan

import numpy as np
import pytest

from benchkit.stats.geomean import errors_of_intervals, mean_log_ratio
from benchkit.stats.location import welch


def test_one_row_keeps_its_own_interval() -> None:
    x, y = [1.0, 1.2, 1.1, 1.3], [1.5, 1.4, 1.6, 1.7]
    own, _ = welch(x, y)
    (error,) = errors_of_intervals([(own.high - own.low) / 2], [6])
    mean = mean_log_ratio([own.value], [error], [6])
    assert (mean.low, mean.high) == pytest.approx((own.low, own.high))


def test_intervals_cover_as_often_as_they_say() -> None:
    rng = np.random.default_rng(3)
    rows, n, repeats = 5, 5, 3000
    truth = np.array([0.0, 0.1, 0.2, -0.1, 0.05])
    spread = np.array([0.02, 0.05, 0.03, 0.1, 0.04])[:, None]
    covered = 0
    for _ in range(repeats):
        x = rng.normal(0, spread, (rows, n))
        y = rng.normal(truth[:, None], spread, (rows, n))
        errors = np.sqrt((x.var(axis=1, ddof=1) + y.var(axis=1, ddof=1)) / n)
        mean = mean_log_ratio(y.mean(axis=1) - x.mean(axis=1), errors, [2 * n - 2] * rows)
        covered += mean.low <= truth.mean() <= mean.high
    assert covered / repeats == pytest.approx(0.95, abs=0.012)


def test_rows_without_an_error_have_no_interval() -> None:
    mean = mean_log_ratio([0.1, 0.3], [0, 0], [4, 4])
    assert mean.value == pytest.approx(0.2)
    assert isnan(mean.low)
    assert isnan(mean.high)
    assert mean.notes


@pytest.mark.parametrize(
    ("logs", "errors", "freedom", "what"),
    [
        ([0.1, 0.2], [0.1], [4, 4], "one value per row"),
        ([0.1], [-0.1], [4], "not be negative"),
        ([0.1], [0.1], [0], "positive"),
    ],
)
def test_what_does_not_fit_is_refused(
    logs: list[float], errors: list[float], freedom: list[float], what: str
) -> None:
    with pytest.raises(ValueError, match=what):
        mean_log_ratio(logs, errors, freedom)
