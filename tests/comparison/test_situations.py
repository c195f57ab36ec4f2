"""The situation is chosen from the data, named, and can be overridden."""

from __future__ import annotations

import math

import numpy as np
import pytest
from examples import RATES, observations, runs_of

from benchkit import schema
from benchkit.comparison import Comparisons, Contrast, Plan, compare
from benchkit.derived.stretches import Summary
from benchkit.errors import ConfigError
from benchkit.parsers.base import Reading, Samples
from benchkit.reporting.method import describe_method
from benchkit.verdict import judge

Sides = dict[str, tuple[float, ...]]


def rates(values: Sides, **asked: str) -> Comparisons:
    rows = [
        (variant, "/ping", run, "request_rate", "mean", value, "1/s")
        for variant, sample in values.items()
        for run, value in enumerate(sample, 1)
    ]
    frames = observations(rows, "wrk"), runs_of(rows, "wrk")
    return compare(*frames, [("none", "otlp")], Plan(**asked))  # type: ignore[arg-type]


def single(values: Sides, **asked: str) -> Contrast:
    (contrast,) = rates(values, **asked).contrasts
    return contrast


def sides(k: int, m: int) -> Sides:
    return {"none": RATES["none"][:k], "otlp": RATES["otlp"][:m]}


@pytest.mark.parametrize(
    ("k", "m", "requested", "method"),
    [
        (8, 8, "auto", "hodges-lehmann"),
        (8, 3, "auto", "welch"),
        (8, 7, "auto", "welch"),
        (4, 3, "auto", "welch"),
        (8, 1, "auto", "prediction"),
        (1, 8, "auto", "prediction"),
        (7, 1, "auto", "single run"),
        (8, 8, "welch", "welch"),
        (3, 3, "rank", "hodges-lehmann"),
        (8, 2, "history", "prediction"),
        (4, 4, "history", "hodges-lehmann"),
        (7, 1, "rank", "single run"),
    ],
)
def test_method_follows_the_runs_and_the_request(
    k: int, m: int, requested: str, method: str
) -> None:
    assert single(sides(k, m), method=requested).method == method


def test_unsuitable_requested_method_is_reported() -> None:
    assert any(
        ("4 runs are too few for a prediction") in note
        for note in single(sides(4, 4), method="history").notes
    )
    assert "rank needs 2 runs on each side" in single(sides(7, 1), method="rank").notes


def test_new_run_outside_its_history_is_named_without_a_verdict() -> None:
    comparisons = rates(sides(8, 1))
    (row,) = judge(comparisons).rows
    c = row.contrast
    assert c.ratio == pytest.approx(RATES["otlp"][0] / math.exp(np.median(np.log(RATES["none"]))))
    assert c.ratio_high is not None
    assert c.ratio_high < 1
    assert (c.equivalence_low, row.word) == (None, "inconclusive")
    beginning = "1 run vs. 8 earlier ones: outside their prediction interval (with fewer"
    assert row.notes[0].startswith(beginning)
    assert not any("excluded" in note for note in row.notes)


def test_history_may_be_on_either_side() -> None:
    new = single(sides(8, 1))
    old = single({"none": RATES["otlp"][:1], "otlp": RATES["none"]})
    assert (old.ratio, old.ratio_low) == pytest.approx(
        (1 / (new.ratio or 1), 1 / (new.ratio_high or 1))
    )


def test_requested_method_takes_precedence_over_blocks() -> None:
    assert Plan(blocks="auto").uses_blocks
    assert not Plan(blocks="auto", method="rank").uses_blocks
    assert not Plan(blocks="never").uses_blocks


def test_unknown_methods_are_refused() -> None:
    with pytest.raises(ConfigError, match="unknown value 'student'"):
        Plan(method="student")


def sampled(levels: dict[str, float], size: int = 2000) -> tuple[schema.Observations, schema.Runs]:
    """Return one run of 20 s of each variant, summarised as ingest does."""
    rng = np.random.default_rng(1)
    columns: dict[str, list[object]] = {column.name: [] for column in schema.COLUMNS}
    names = ("subject", "metric", "stat", "value", "unit", "n", "time", "resolution", "origin")
    for variant, level in levels.items():
        summary = Summary("linear")
        times = np.datetime64("2026-11-21", "us") + np.arange(size) * np.timedelta64(10, "ms")
        summary.add(
            Samples(
                reading=Reading(tool="vegeta", form="gob", line=1), metric="latency", unit="s",
                values=level * np.exp(rng.normal(0, 0.2, size)), lines=np.arange(size), times=times,
            )
        )  # fmt: skip
        for fields in summary.rows():
            labels = {"group": "", "variant": variant, "benchmark": "", "params": "", "run": 1,
                      "tool": "vegeta", "source": f"{variant}:1"}  # fmt: skip
            for name, cell in {**labels, **dict(zip(names, fields, strict=False))}.items():
                columns[name].append(cell)
    runs = runs_of([(variant, "", 1, "", "", 0.0, "") for variant in levels], "vegeta")
    return schema.observations(columns), runs


def within(stat: str) -> Contrast:
    frames = sampled({"none": 0.002, "otlp": 0.003})
    contrasts = compare(*frames, [("none", "otlp")]).contrasts
    return next(c for c in contrasts if c.metric == "latency" and c.stat == stat)


def test_single_runs_with_samples_have_a_within_run_interval_and_no_verdict() -> None:
    c = within("p50")
    assert (c.method, c.pvalue, c.equivalence_low) == ("within-run", None, None)
    assert c.ratio == pytest.approx(1.5, rel=0.02)
    low, ratio, high = c.ratio_low or 0.0, c.ratio or 0.0, c.ratio_high or 0.0
    assert 1.4 < low < ratio < high < 1.6
    comparisons = compare(*sampled({"none": 0.002, "otlp": 0.003}), [("none", "otlp")])
    verdicts = judge(comparisons)
    assert {row.word for row in verdicts.rows} == {"inconclusive"}
    assert not any("excluded" in note for row in verdicts.rows for note in row.notes)


def test_statistics_without_stretches_give_only_a_direction() -> None:
    assert within("p75").method == "single run"


def test_percentile_with_too_few_samples_beyond_it_is_refused_with_a_reason() -> None:
    thin = within("p99.9")
    assert (thin.method, thin.ratio, thin.pvalue) == ("too few events", None, None)
    assert thin.notes == ("only 2 events of a run lie beyond p99.9; at least 10 are needed",)
    assert within("p99").method == "single run"


def test_request_count_gives_the_events_of_a_reported_percentile() -> None:
    def rows(count: float) -> list[tuple[str, str, int, str, str, float, str]]:
        return [
            (variant, "/ping", run, metric, stat, value, unit)
            for variant in ("none", "otlp")
            for run in range(1, 5)
            for metric, stat, value, unit in (
                ("latency", "p99", 0.004 + run * 1e-5, "s"),
                ("requests", "count", count, "1"),
            )
        ]

    methods = []
    for count in (900.0, 1000.0):
        data = rows(count)
        comparisons = compare(observations(data, "wrk"), runs_of(data, "wrk"), [("none", "otlp")])
        methods.append(next(c.method for c in comparisons.contrasts if c.stat == "p99"))
    assert methods == ["too few events", "hodges-lehmann"]


def test_report_explains_every_method_in_use() -> None:
    frames = sampled({"none": 0.002, "otlp": 0.003})
    text = " ".join(describe_method(judge(compare(*frames, [("none", "otlp")]))))
    assert "within-run interval comes from parts of each run" in text
    assert "not compared if fewer than 10 events of a run lie beyond it" in text
    assert "earlier runs" not in text
    assert "earlier runs" in " ".join(describe_method(judge(rates(sides(8, 1)))))


def test_another_load_does_not_change_the_primary_of_a_workload() -> None:
    """One fixed-rate result made median latency primary for every row of its tool."""
    rows = [
        (variant, "/ping", run, metric, stat, value, unit)
        for variant, sample in sides(6, 6).items()
        for run, value in enumerate(sample, 1)
        for metric, stat, unit in (("request_rate", "mean", "1/s"), ("latency", "p50", "s"))
    ]
    rows += [("errors", "/nope", 1, "latency", "p50", 0.002, "s")]
    runs = runs_of(rows, "wrk")
    runs["params"] = ""
    runs["load_model"] = ["open" if name == "/nope" else "closed" for name in runs["benchmark"]]
    both = compare(observations(rows, "wrk"), runs, [("none", "otlp")], Plan())
    assert [row.metric for row in both.contrasts if row.primary] == ["request_rate"]
