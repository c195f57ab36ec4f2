"""The interval of the extra CPU that no request waits for uses the method of the row's change."""

from __future__ import annotations

from dataclasses import replace

import pytest
from examples import runs_of, tracing

from benchkit import schema
from benchkit.comparison import ALIGNED, PAIRED_T, RANK, SIGNED, WELCH, estimate_outside
from benchkit.derived.costs import RequestCost
from benchkit.stats import Estimate
from benchkit.stats.aligned import compare_aligned
from benchkit.stats.location import paired_t, welch
from benchkit.stats.rank import hodges_lehmann
from benchkit.stats.signed_rank import paired_shift

#: Slow rounds, in which the sides move together.
SIDES = {
    "none": (1.0, 3.1, 0.9, 5.2, 1.1, 7.0, 2.0, 4.0),
    "otlp": (2.0, 4.3, 1.7, 6.3, 2.2, 7.9, 3.2, 5.1),
    "apm": (1.5, 3.3, 1.4, 5.9, 1.8, 7.7, 2.6, 4.4),
}
LABELS = {name: schema.Side("", name, "/ping", "connections=8,threads=2", "wrk") for name in SIDES}


def costs() -> list[RequestCost]:
    return [
        RequestCost(
            side=LABELS[name],
            service="server",
            cores=1.0,
            rate=1.0,
            cpu=1.0,
            latency=1.0,
            backend=None,
            per_request=None,
            surplus=dict(enumerate(values, 1)),
        )
        for name, values in SIDES.items()
    ]


def in_rounds() -> schema.Runs:
    rows = [(name, "/ping", run, "", "", 0.0, "") for name in SIDES for run in range(1, 9)]
    runs = runs_of(rows, "wrk")
    return runs.assign(block=runs["run"])


def estimate(method: str, *, of: list[RequestCost], arranged: bool) -> Estimate | None:
    """Estimate the out-of-band cost of otlp vs. none, whose CPU is compared by a method."""
    row = replace(
        tracing().rows[0].contrast,
        **LABELS["otlp"]._asdict(),
        baseline="none",
        subject="server",
        metric="cpu_per_request",
        stat="mean",
        method=method,
        arranged=((0.0,), (0.0,)) if arranged else (),
        is_paired=arranged and method != ALIGNED,
    )
    return estimate_outside(of, [row], in_rounds()).get(LABELS["otlp"])


NONE, OTLP, APM = SIDES["none"], SIDES["otlp"], SIDES["apm"]


@pytest.mark.parametrize(
    ("method", "arranged", "expected"),
    [
        (RANK, False, hodges_lehmann(NONE, OTLP)),
        (WELCH, False, welch(NONE, OTLP)[0]),
        (SIGNED, True, paired_shift(NONE, OTLP)),
        (PAIRED_T, True, paired_t(NONE, OTLP)[0]),
        (ALIGNED, True, compare_aligned(list(zip(NONE, OTLP, APM, strict=True)), 0, 1)[0]),
    ],
)
def test_interval_uses_the_method_of_the_row(
    method: str, arranged: bool, expected: Estimate
) -> None:
    assert estimate(method, of=costs(), arranged=arranged) == expected


def test_rounds_remove_variation_common_to_both_sides() -> None:
    unpaired = estimate(RANK, of=costs(), arranged=False)
    paired = estimate(SIGNED, of=costs(), arranged=True)
    assert unpaired is not None
    assert paired is not None
    assert unpaired.low < 0 < paired.low


@pytest.mark.parametrize("runs", [0, 1, 7])
def test_missing_round_leaves_no_interval_by_rounds(runs: int) -> None:
    base, other, third = costs()
    short = replace(other, surplus=dict(list(other.surplus.items())[:runs]))
    assert estimate(SIGNED, of=[base, short, third], arranged=True) is None


def test_single_run_on_a_side_has_no_interval() -> None:
    base, other, third = costs()
    assert (
        estimate(RANK, of=[base, replace(other, surplus={1: 2.0}), third], arranged=False) is None
    )
