"""The share of a request's extra CPU that can be in band."""

from __future__ import annotations

import pytest

from benchkit.derived.costs import RequestCost
from benchkit.schema import Side


def cost(cpu: float, latency: float | None) -> RequestCost:
    return RequestCost(
        side=Side("", "a", "", "", "wrk"),
        service="server",
        cores=1.0,
        rate=1.0,
        cpu=cpu,
        latency=latency,
        backend=None,
        per_request=None,
    )


@pytest.mark.parametrize(
    ("cpu", "latency", "inside"),
    [(5.0, 12.0, 2.0), (5.0, 99.0, 4.0), (5.0, 9.0, 0.0), (1.0, 12.0, None), (0.5, 12.0, None)],
)
def test_in_band_share_is_part_of_the_extra_cpu(
    cpu: float, latency: float, inside: float | None
) -> None:
    assert cost(cpu, latency).split(cost(1.0, 10.0)) == (cpu - 1.0, inside)


def test_cost_without_a_latency_is_not_split() -> None:
    assert cost(5.0, None).split(cost(1.0, 10.0)) == (4.0, None)
