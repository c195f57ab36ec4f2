"""Quantiles by the rules of the tools, and a sketch with a bounded error."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from benchkit.stats.quantiles import SKETCH_ERROR, Digest, quantile

LEVELS = [0.0, 0.25, 0.5, 0.9, 0.99, 1.0]


@pytest.mark.parametrize(
    ("rule", "expected"),
    [("linear", [1.0, 2.5, 4.0]), ("floor", [1.0, 3.0, 4.0]), ("hazen", [1.0, 2.5, 4.0])],
)
def test_each_rule_yields_its_value(rule: str, expected: list[float]) -> None:
    assert quantile(np.array([4.0, 1.0, 3.0, 2.0]), [0.0, 0.5, 1.0], rule).tolist() == expected


def test_unknown_rule_and_empty_values_are_refused() -> None:
    with pytest.raises(ValueError, match="unknown rule"):
        quantile(np.ones(3), [0.5], "median")
    with pytest.raises(ValueError, match="no values"):
        quantile(np.empty(0), [0.5])


@given(
    blocks=st.lists(st.lists(st.floats(1e-9, 1e9), min_size=1, max_size=40), min_size=1, max_size=8)
)
def test_digest_of_blocks_equals_that_of_all_values(blocks: list[list[float]]) -> None:
    digest = Digest()
    for block in blocks:
        digest.add(np.array(block))
    values = np.array([value for block in blocks for value in block])
    assert digest.is_exact
    assert digest.count == len(values)
    assert digest.quantiles(LEVELS).tolist() == quantile(values, LEVELS).tolist()
    assert digest.mean == pytest.approx(values.mean(), rel=1e-9)
    assert (digest.minimum, digest.maximum) == (values.min(), values.max())
    if len(values) > 1:
        assert digest.stdev == pytest.approx(values.std(ddof=1), rel=1e-6, abs=1e-6 * values.max())


@pytest.mark.parametrize("spread", [0.1, 1.0, 3.0])
def test_sketch_stays_within_its_error(spread: float) -> None:
    values = np.random.default_rng(7).lognormal(-7, spread, 50_000)
    digest = Digest(exact_values=1000)
    for block in np.array_split(values, 17):
        digest.add(block)
    assert not digest.is_exact
    levels = [0.01, 0.5, 0.9, 0.99, 0.999]
    sketched, exact = digest.quantiles(levels), np.quantile(values, levels, method="lower")
    assert np.abs(sketched / exact - 1).max() <= SKETCH_ERROR * 1.01
    assert digest.quantiles([0.0, 1.0]).tolist() == pytest.approx(
        [values.min(), values.max()], rel=SKETCH_ERROR
    )


@pytest.mark.parametrize("limit", [500, 5000])
def test_joined_digests_equal_that_of_all_values(limit: int) -> None:
    blocks = np.random.default_rng(3).lognormal(size=(30, 100))
    whole, *parts = (Digest(exact_values=limit) for _ in range(4))
    for number, block in enumerate(blocks):
        whole.add(block)
        parts[number // 10].add(block)
    for part in parts:
        part.condense(1 / 3)
    for part in parts[1:]:
        parts[0].join(part)
    assert parts[0].is_sound
    assert (parts[0].mean, parts[0].stdev, parts[0].count) == (whole.mean, whole.stdev, 3000)
    levels = [0.0, 0.5, 0.99, 1.0]
    assert parts[0].quantiles(levels).tolist() == whole.quantiles(levels).tolist()
    whole.condense(1e-9)  # as if many more had been added
    assert whole.is_sound == (limit == 500)
