"""Quantile by quantile: each is a comparison over runs."""

from __future__ import annotations

import pytest
from examples import P50, P99, RATE, RATES, Measured, observations, runs_of

from benchkit.comparison.shift import Shift, compare_quantiles
from benchkit.errors import DataError
from benchkit.stats.rank import hodges_lehmann

MEASURED: Measured = {
    ("latency", "p99", "s"): P99,
    ("latency", "p50", "s"): P50,
    ("latency", "max", "s"): P99,
    RATE: RATES,
}


def shifts(n: int | None = None, runs: int = 8, variant: str = "zipkin") -> tuple[Shift, ...]:
    rows = [
        (name, "/ping", run, metric, stat, value, unit)
        for (metric, stat, unit), sides in MEASURED.items()
        for name, values in sides.items()
        for run, value in enumerate(values[:runs], 1)
    ]
    frame = observations(rows, "wrk")
    if n is not None:
        frame["n"] = frame["n"].fillna(n)
    return compare_quantiles(frame, runs_of(rows, "wrk"), "none", variant)


def test_percentiles_ascend_and_are_those_alone() -> None:
    assert [(shift.stat, shift.level) for shift in shifts()] == [("p50", 0.5), ("p99", 0.99)]


def test_each_is_the_estimate_over_runs() -> None:
    import numpy as np

    _, tail = shifts()
    estimate = hodges_lehmann(np.log(P99["none"]), np.log(P99["zipkin"]))
    assert tail.found is not None
    wanted = tuple(np.exp([estimate.value, estimate.low, estimate.high]))
    assert tail.found.ratio == pytest.approx(wanted)
    assert tail.found.ratio[0] == pytest.approx(1.511, abs=0.001)
    assert (tail.n_baseline, tail.n_variant) == (8, 8)
    assert tail.center_baseline == pytest.approx(4.93e-3)


def test_few_runs_fall_back_as_a_comparison_does() -> None:
    assert [s.found.method for s in shifts(runs=3) if s.found] == ["welch", "welch"]
    assert [s.found.method for s in shifts(runs=1) if s.found] == ["single run", "single run"]


def test_a_quantile_with_too_few_events_beyond_it_is_refused() -> None:
    middle, tail = shifts(n=900)
    assert middle.found is not None
    assert tail.found is None
    assert tail.notes == ("9 events of a run lie beyond p99: at least 10 are needed",)
    assert all(shift.found for shift in shifts(n=1000))


def test_no_percentile_in_common_is_refused() -> None:
    with pytest.raises(DataError, match="no percentile of latency in common"):
        shifts(variant="nobody")
