"""A quantile of buckets is known only as precisely as its bucket."""

from __future__ import annotations

import numpy as np
from hypothesis import given
from hypothesis import strategies as st

from benchkit.stats.quantiles import bucket_quantile

times = st.lists(st.floats(0.0, 20.0), min_size=1, max_size=60)
edges = st.lists(st.floats(0.01, 10.0), min_size=1, max_size=12, unique=True).map(sorted)


@given(times, edges, st.sampled_from([0.5, 0.9, 0.99]))
def test_bounds_contain_the_quantile_of_the_values(
    values: list[float], finite: list[float], level: float
) -> None:
    bounds = np.array([*finite, np.inf])
    counts = np.searchsorted(np.sort(values), bounds, side="right").astype(np.float64)
    exact = float(np.quantile(values, level, method="inverted_cdf"))
    limits = bucket_quantile(bounds, counts, level)
    if limits is None:
        assert exact > finite[-1]
    else:
        assert limits.low <= exact <= limits.high
        assert limits.low <= limits.value <= limits.high


def test_empty_buckets_have_no_quantile() -> None:
    assert bucket_quantile(np.array([1.0, np.inf]), np.array([0.0, 0.0]), 0.5) is None


def test_values_beyond_the_last_bound_have_no_quantile() -> None:
    assert bucket_quantile(np.array([1.0, np.inf]), np.array([1.0, 9.0]), 0.5) is None
