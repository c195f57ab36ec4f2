"""The vocabulary is consistent, and stable for scripts."""

from __future__ import annotations

import re

import pytest

from benchkit import metrics
from benchkit.metrics import VOCABULARY
from benchkit.parsers import registry

LATENCY = "sample mean stdev min max median p50 p66 p75 p80 p90 p95 p98 p99 p99.9"
GAUGE = "sample mean max"

#: The public table: metric, unit, better, stats. Entries may be added, but never renamed.
PUBLIC = [
    ("latency", "s", "lower", LATENCY),
    ("phase_time", "s", "lower", LATENCY),
    ("time_per_request", "s", "lower", "mean"),
    ("requests", "1", "none", "count"),
    ("request_rate", "1/s", "higher", "mean"),
    ("success_rate_per_second", "1/s", "higher", "mean"),
    ("thread_request_rate", "1/s", "higher", "mean stdev max"),
    ("failures", "1", "lower", "count"),
    ("responses", "1", "none", "count"),
    ("error_rate", "1", "lower", "mean"),
    ("bytes_in", "B", "none", "total mean"),
    ("bytes_out", "B", "none", "total mean"),
    ("bandwidth_in", "B/s", "none", "mean"),
    ("bandwidth_out", "B/s", "none", "mean"),
    ("duration", "s", "none", "total"),
    ("time_per_op", "s", "lower", "sample"),
    ("bytes_per_op", "B", "lower", "sample"),
    ("allocs_per_op", "1", "lower", "sample"),
    ("processing_rate", "B/s", "higher", "sample"),
    ("cpu_time", "s", "none", "counter"),
    ("cpu_usage", "cores", "lower", GAUGE),
    ("memory_working_set", "B", "lower", GAUGE),
    ("memory_usage", "B", "lower", GAUGE),
    ("memory_rss", "B", "lower", GAUGE),
    ("memory_cache", "B", "lower", GAUGE),
    ("network_in", "B", "none", "counter"),
    ("network_out", "B", "none", "counter"),
    ("disk_read", "B", "none", "counter"),
    ("disk_write", "B", "none", "counter"),
    ("network_in_rate", "B/s", "none", "mean"),
    ("network_out_rate", "B/s", "none", "mean"),
    ("disk_read_rate", "B/s", "none", "mean"),
    ("disk_write_rate", "B/s", "none", "mean"),
    ("cpu_throttled", "1", "lower", "mean"),
    ("spans_created", "1", "none", "count"),
    ("spans_saved", "1", "higher", "count"),
    ("spans_dropped", "1", "lower", "count"),
    ("spans_dropped_share", "1", "lower", "mean"),
    ("cpu_per_request", "s", "lower", "mean"),
    ("cpu_per_span", "s", "lower", "mean"),
]


@pytest.mark.parametrize(("name", "unit", "better", "stats"), PUBLIC, ids=str)
def test_public_names_are_stable(name: str, unit: str, better: str, stats: str) -> None:
    metric = VOCABULARY[name]
    assert (metric.unit, metric.better) == (unit, better)
    assert set(stats.split()) <= set(metric.stats)


def test_only_allocations_are_exact() -> None:
    exact = {metric.name for metric in VOCABULARY.values() if metric.assume == "exact"}
    assert exact == {"bytes_per_op", "allocs_per_op"}


@pytest.mark.parametrize("metric", VOCABULARY.values(), ids=VOCABULARY)
def test_each_name_is_well_formed(metric: metrics.Metric) -> None:
    assert re.fullmatch(r"[a-z]+(_[a-z]+)*", metric.name)
    assert metric.unit in {"s", "B", "B/s", "1/s", "1", "cores"}
    assert metric.better in {"lower", "higher", "none"}
    assert metric.stats
    assert len(set(metric.stats)) == len(metric.stats)
    assert metric.meaning.endswith(".")
    assert registry.list_sources(metric)


def test_custom_metric_has_no_direction() -> None:
    custom = metrics.lookup("text-bytes", "B")
    assert (custom.name, custom.unit, custom.better, custom.stats) == (
        "text-bytes",
        "B",
        "none",
        ("sample",),
    )
    assert metrics.lookup("latency") is VOCABULARY["latency"]


@pytest.mark.parametrize(
    ("tool", "load_model", "headline"),
    [
        ("wrk", "closed", ("request_rate", "mean")),
        ("ab", "closed", ("request_rate", "mean")),
        ("wrk2", "open", ("latency", "p50")),
        ("vegeta", "open", ("latency", "p50")),
        ("gobench", "unknown", ("time_per_op", "sample")),
    ],
)
def test_headline_metric_depends_on_tool_and_load(
    tool: str, load_model: str, headline: tuple[str, str]
) -> None:
    assert registry.tool(tool).find_primaries(load_model)[0] == headline


def test_primaries_are_comparable_metrics_and_never_extremes() -> None:
    for tool, load_model in [("wrk", "closed"), ("k6", "open"), ("gobench", "unknown")]:
        for name, stat in registry.tool(tool).find_primaries(load_model):
            assert stat in VOCABULARY[name].stats
            assert stat not in {"min", "max", "stdev"}
            assert VOCABULARY[name].compared


@pytest.mark.parametrize(
    ("name", "tool", "stat"),
    [
        ("latency", "wrk", "p50"),
        ("request_rate", "wrk", "mean"),
        ("failures", "wrk", "count"),
        ("duration", "wrk", "total"),
        ("cpu_time", "cadvisor", "counter"),
        ("time_per_op", "gobench", "sample"),
        ("text-bytes", "gobench", "sample"),
    ],
)
def test_metric_without_a_stat_uses_its_headline_stat(name: str, tool: str, stat: str) -> None:
    assert registry.tool(tool).choose_stat(name) == stat


@pytest.mark.parametrize(
    ("metric", "stat"),
    [(name, stat) for name, each in metrics.VOCABULARY.items() for stat in each.stats],
)
def test_display_name_identifies_its_metric(metric: str, stat: str) -> None:
    shown = metrics.display_name(metric, stat)
    for text in (shown, shown.upper(), f"  {shown.replace(' ', '  ')} "):
        name, parsed_stat = metrics.split_metric(text)
        assert name == metric
        assert metrics.display_name(name, parsed_stat or stat) == shown


def test_metric_without_a_display_name_is_split_at_its_dot() -> None:
    assert metrics.split_metric("gc-pauses/op") == ("gc-pauses/op", "")
    assert metrics.split_metric("my latency.p50") == ("my latency", "p50")
    assert metrics.split_metric("p7 nothing") == ("p7 nothing", "")


def test_label_states_the_stat_only_if_a_metric_has_several() -> None:
    assert metrics.label("latency", "p99") == "latency p99"
    assert metrics.label("request_rate", "mean") == "request_rate"
    assert metrics.label("time_per_op", "sample") == "time_per_op"
