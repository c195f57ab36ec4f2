"""What of a request's extra CPU no request waits for: its interval is that of the runs."""

from __future__ import annotations

import math

import pytest

from benchkit.derived.costs import RequestCost
from benchkit.stats.location import welch
from benchkit.stats.rank import hodges_lehmann


def cost(cpu: float, latency: float | None, surplus: tuple[float, ...] = ()) -> RequestCost:
    return RequestCost(
        cell=("", "a", "", "", "wrk"),
        service="server",
        cores=1.0,
        rate=1.0,
        cpu=cpu,
        latency=latency,
        beside=None,
        per_request=None,
        surplus=surplus,
    )


@pytest.mark.parametrize(
    ("cpu", "latency", "inside"),
    [(5.0, 12.0, 2.0), (5.0, 99.0, 4.0), (5.0, 9.0, 0.0), (1.0, 12.0, None), (0.5, 12.0, None)],
)
def test_in_band_is_a_part_of_what_is_extra(
    cpu: float, latency: float, inside: float | None
) -> None:
    assert cost(cpu, latency).split(cost(1.0, 10.0)) == (cpu - 1.0, inside)


def test_without_a_latency_nothing_is_split() -> None:
    assert cost(5.0, None).split(cost(1.0, 10.0)) == (4.0, None)


def test_the_interval_is_by_ranks_from_four_runs_on_and_by_welch_below() -> None:
    base, other = (1.0, 1.2, 0.9, 1.1), (2.0, 2.3, 1.9, 2.2)
    found = cost(2.0, 1.0, other).estimate_outside(cost(1.0, 1.0, base), 0.95)
    assert found == hodges_lehmann(base, other, 0.95)
    few = cost(2.0, 1.0, other[:2]).estimate_outside(cost(1.0, 1.0, base), 0.95)
    assert few is not None
    assert few == welch(base, other[:2], 0.95)[0]
    assert math.isfinite(few.low)


def test_one_run_on_a_side_has_no_interval() -> None:
    assert cost(2.0, 1.0, (1.0,)).estimate_outside(cost(1.0, 1.0, (1.0, 2.0)), 0.95) is None
