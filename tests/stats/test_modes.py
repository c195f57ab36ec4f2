"""Two groups of runs are reported; one group and a few outliers are not."""

from __future__ import annotations

import numpy as np
import pytest

from benchkit.stats.outliers import find_modes


def test_two_groups_are_detected_with_their_members() -> None:
    rng = np.random.default_rng(1)
    x = rng.normal(0, 0.01, 14)
    x[::2] += 0.1
    modes = find_modes(x)
    assert modes is not None
    assert modes.is_upper.nonzero()[0].tolist() == list(range(0, 14, 2))
    assert (modes.low, modes.high) == pytest.approx((0.0, 0.1), abs=0.01)


@pytest.mark.parametrize("n", [10, 20])
def test_single_group_is_hardly_ever_split(n: int) -> None:
    rng = np.random.default_rng(n)
    assert np.mean([find_modes(rng.normal(size=n)) is not None for _ in range(500)]) <= 0.025


@pytest.mark.parametrize(
    "values",
    [
        [1.0, 2.0] * 4,
        [3.0] * 12,
        [1.0, 1.1, 0.9, 1.05, 0.95, 1.02, 0.98, 1.01, 0.99, 1.0, 3.0],
        list(range(12)),
    ],
    ids=["too few", "all equal", "one far value", "evenly spread"],
)
def test_other_shapes_are_not_two_groups(values: list[float]) -> None:
    assert find_modes(values) is None
