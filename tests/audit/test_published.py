"""Published numbers, typed in: the findings agree with what a person worked out by hand.

Five single runs of wrk, 30 s on 8 connections, and the spans that each backend saved; a container
at its limit.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence

import examples
import pandas as pd
import pytest

from benchkit import schema
from benchkit.audit import check
from benchkit.errors import Finding

#: requests, requests/s, mean and p50, p90, p99 in ms, seconds
RUNS = {
    "none": (873465, 29018.83, 0.276, 0.261, 0.380, 0.631, 30.10),
    "otlp": (529052, 17576.42, 0.489, 0.405, 0.764, 2.13, 30.10),
    "apm": (597651, 19917.30, 0.449, 0.370, 0.601, 2.49, 30.01),
    "zipkin": (384299, 12806.59, 0.770, 0.517, 1.38, 4.84, 30.01),
    "skywalking": (491645, 16334.06, 0.542, 0.440, 0.801, 2.79, 30.10),
}
#: saved and dropped of three spans per request
SPANS = {
    "otlp": (505345, 1081811),
    "apm": (774151, 1018802),
    "zipkin": (436442, 716455),
    "skywalking": (681123, 793812),
}
Row = tuple[str, str, int, str, str, float, str]


def rows_of(variant: str) -> list[Row]:
    requests, rate, *times, duration = RUNS[variant]
    rows = [("requests", "count", float(requests), "1"), ("request_rate", "mean", rate, "1/s")]
    rows += [("duration", "total", duration, "s")]
    stats = ("mean", "p50", "p90", "p99")
    rows += [("latency", stat, ms / 1e3, "s") for stat, ms in zip(stats, times, strict=True)]
    if variant in SPANS:
        saved, dropped = SPANS[variant]
        rows += [
            ("spans_created", "count", requests * 3.0, "1"),
            ("spans_saved", "count", float(saved), "1"),
            ("spans_dropped", "count", float(dropped), "1"),
        ]
    return [
        (variant, "/ping/GRM", 1, metric, stat, value, unit) for metric, stat, value, unit in rows
    ]


def audited(rows: Sequence[Row], env: Mapping[str, str] | None = None) -> tuple[Finding, ...]:
    """Audit typed-in runs of wrk on 8 connections."""
    observations = examples.observations(rows, "wrk").copy()
    observations["params"] = "connections=8,threads=2"
    observations["subject"] = [
        "elasticsearch" if metric.startswith("cpu") else None for metric in observations["metric"]
    ]
    runs = examples.runs_of(rows, "wrk").copy()
    runs["connections"], runs["corrected"] = 8, "approximate"
    runs["env"] = pd.Series([dict(env or {})] * len(runs))
    return check(schema.observations(observations), schema.runs(runs))


@pytest.fixture(scope="module")
def published() -> tuple[Finding, ...]:
    return audited([row for variant in RUNS for row in rows_of(variant)])


def find(findings: Sequence[Finding], code: str) -> dict[str, Finding]:
    """Return the findings of a code by variant."""
    return {f.where.partition(" ")[0]: f for f in findings if f.code == code}


def test_more_requests_in_flight_than_connections(published: tuple[Finding, ...]) -> None:
    findings = find(published, "B310")
    in_flight = {variant: float(f.numbers["in_flight"]) for variant, f in findings.items()}
    assert in_flight == pytest.approx(
        {"otlp": 8.59, "apm": 8.94, "zipkin": 9.86, "skywalking": 8.85}, abs=0.005
    )
    corrected = {variant: float(f.numbers["corrected_mean"]) for variant, f in findings.items()}
    assert corrected == pytest.approx(
        {"otlp": 455e-6, "apm": 402e-6, "zipkin": 625e-6, "skywalking": 490e-6}, abs=0.5e-6
    )
    assert "implies 9.9 requests in flight on 8 connections" in findings["zipkin"].message
    assert "connections ÷ rate gives 625 µs, but the mean is 770 µs" in findings["zipkin"].message


def test_most_spans_were_lost(published: tuple[Finding, ...]) -> None:
    shares = {v: float(f.numbers["most"]) for v, f in find(published, "B423").items()}
    assert shares == pytest.approx(
        {"otlp": 0.6816, "apm": 0.5682, "zipkin": 0.6214, "skywalking": 0.5382}, abs=5e-5
    )


def test_incomplete_traces_have_no_multiple_of_three_spans(published: tuple[Finding, ...]) -> None:
    findings = find(published, "B421")
    assert set(findings) == {"otlp", "apm", "zipkin"}
    assert findings["otlp"].numbers["per_request"] == 3


def test_arithmetic_of_the_table_is_consistent(published: tuple[Finding, ...]) -> None:
    assert not {finding.code for finding in published} & {"B312", "B313", "B425"}


@pytest.mark.parametrize(
    ("cores", "throttled", "is_reported"), [(1.99, 0.0, True), (1.8, 0.0, False), (1.2, 0.2, True)]
)
def test_container_at_its_limit_is_reported(
    cores: float, throttled: float, is_reported: bool
) -> None:
    rows = rows_of("otlp")
    rows += [("otlp", "/ping/GRM", 1, "cpu_usage", "mean", cores, "cores")]
    rows += [("otlp", "/ping/GRM", 1, "cpu_throttled", "mean", throttled, "1")]
    findings = find(audited(rows, {"limit.elasticsearch.cpu": "2"}), "B412")
    assert bool(findings) is is_reported
    if is_reported:
        assert f"used {cores:.2f} of 2.00 cores" in findings["otlp"].message


def test_limit_may_be_an_observation() -> None:
    rows = rows_of("otlp")
    rows += [("otlp", "/ping/GRM", 1, "cpu_usage", "mean", 1.99, "cores")]
    rows += [("otlp", "/ping/GRM", 1, "cpu_limit", "value", 2.0, "cores")]
    assert find(audited(rows), "B412")["otlp"].numbers["limit"] == 2.0


def test_container_without_a_limit_is_not_reported() -> None:
    rows = [*rows_of("otlp"), ("otlp", "/ping/GRM", 1, "cpu_usage", "mean", 1.99, "cores")]
    assert find(audited(rows), "B412") == {}
