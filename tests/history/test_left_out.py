"""What a history compares differently or leaves out: zeros, commits without results, branches."""

from __future__ import annotations

import pandas as pd
from traced import counted, name, store, text

from benchkit import schema
from benchkit.comparison.model import Plan
from benchkit.history import trace
from benchkit.plots.history import data

NOISE = [2, 0, 3, 1, 2, 3, 0, 2, 1, 3]


def test_series_with_a_zero_is_compared_by_difference() -> None:
    history = counted([*NOISE, 2], "failures")
    (series,) = history.series
    assert (series.is_difference, series.changes, series.newest.verdict) == (True, (), "inside")
    cause = "Compared by difference, because some values are 0 or negative"
    why = f"{cause}: failed requests · base · Ping."
    assert why in text(history)
    history = counted([*NOISE, 40], "failures")
    assert history.series[0].newest.verdict == "outside"
    assert "newest 0000010 (11 Oct 2026): outside, +38.0 vs. [" in text(history)
    history = counted([*NOISE, *(20 + n for n in NOISE)], "failures")
    (change,) = history.series[0].changes
    assert (change.commit, change.before, change.after) == (name(10), 2, 22)
    assert change.low <= change.difference == 20 <= change.high
    assert "since 0000010 (11 Oct 2026): ▲ worse +20.0 [+" in text(history)
    assert "] (2 → 22), 10 commits" in text(history)
    data(history)


def test_commit_without_a_result_is_a_gap_and_the_newest_is_reported() -> None:
    observations, runs = store([1e-3] * 12)
    failed = runs["group"].isin([name(5), name(11)])
    broken = runs.assign(role=runs["role"].mask(failed, "failed"))
    kept = observations[~observations["group"].isin([name(5), name(11)])]
    history = trace(schema.observations(kept), schema.runs(broken))
    (series,) = history.series
    assert [point.commit for point in series.points if not point.runs] == [name(5)]
    assert (len(series.points), series.newest.commits) == (11, 9)
    sentence = "Nothing was measured at the newest commit, 0000011: 3 runs failed."
    assert sentence in text(history)


def test_benchmark_without_a_tracked_metric_is_reported() -> None:
    observations, runs = store([1e-3] * 3)
    other = runs.assign(benchmark="Heap")
    joined = schema.runs(pd.concat([runs, other], ignore_index=True))
    why = "Not followed: gobench · base · Heap has no primary metric; name one with --metric."
    assert why in text(trace(observations, joined))
    plan = Plan(primaries=(("time_per_op", ""),))
    assert "Heap reports no time_per_op." in text(trace(observations, joined, plan))
