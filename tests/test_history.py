"""One metric over many commits: series, changes with their commits, the newest, the accepted."""

from __future__ import annotations

from dataclasses import replace
from random import Random
from typing import Any

import numpy as np
import pandas as pd
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from traced import START, counted, join, name, store, text

from benchkit import schema
from benchkit.comparison.model import Plan
from benchkit.config.acceptance import Accepted
from benchkit.errors import DataError
from benchkit.history import trace
from benchkit.history.outcome import decide
from benchkit.plots.history import data
from benchkit.tables.history import gate_line, history_tables


def test_change_is_reported_with_its_commit_and_duration() -> None:
    history = trace(*store([1e-3] * 16 + [1.05e-3] * 14))
    (series,) = history.series
    (change,) = series.changes
    assert (change.commit, change.commits) == (name(16), 14)
    assert 1.04 < change.low < change.ratio < change.high < 1.06
    assert series.newest.verdict == "inside"
    assert series.newest.commits == 13
    assert (
        "1 series: 1 step change; the newest commit is outside the expected range in no series."
        in text(history)
    )
    assert "since 0000016 (17 Oct 2026): ▲ worse +" in text(history)
    assert "14 commits" in text(history)
    assert "measure 0000015 and 0000016 alternately" in text(history)


@pytest.mark.parametrize("seed", range(12))
def test_faster_commit_after_a_step_is_outside_the_new_level(seed: int) -> None:
    (series,) = trace(*store([1e-3] * 18 + [1.25e-3] * 12 + [1.1e-3], seed=seed)).series
    assert [change.commit for change in series.changes] == [name(18)]
    assert series.newest.verdict == "outside"
    assert 0.9 < series.newest.low < series.newest.high < 1.1


def test_steady_series_has_no_change_and_a_small_change_is_ignored() -> None:
    assert trace(*store([1e-3] * 40)).series[0].changes == ()
    small = store([1e-3] * 20 + [1.02e-3] * 20)
    assert trace(*small).series[0].changes == ()
    assert len(trace(*small, margin=0.01).series[0].changes) == 1


def test_outlying_newest_commit_is_reported_before_it_can_be_a_change() -> None:
    history = trace(*store([1e-3] * 20 + [1.1e-3]))
    assert history.series[0].changes == ()
    assert history.series[0].newest.verdict == "outside"
    assert "newest 0000020 (21 Oct 2026): outside, +" in text(history)
    assert "Confirm them: measure 0000019 and 0000020 alternately, and run" in text(history)
    assert "Confirm them" not in text(trace(*store([1e-3] * 21)))


def test_newest_commit_within_the_margin_is_not_outside() -> None:
    data = store([1e-3] * 14 + [1.02e-3] * 10)
    (series,) = trace(*data).series
    assert series.changes == ()
    assert series.newest.verdict in {"inside", "within the margin"}
    alone = trace(*store([1e-3] * 20 + [1.02e-3]))
    assert alone.series[0].newest.verdict == "within the margin"
    assert "newest commit is outside the expected range in no series." in text(alone)
    assert trace(*store([1e-3] * 20 + [1.02e-3]), margin=0.01).series[0].newest.verdict == "outside"


def test_few_commits_give_no_baseline() -> None:
    for count in (1, 8):
        history = trace(*store([1e-3] * count))
        assert history.series[0].newest.verdict == "no baseline"
    assert trace(*store([1e-3] * 9)).series[0].newest.verdict != "no baseline"


def test_accepted_change_begins_a_new_level_with_its_reason() -> None:
    data = store([1e-3] * 16 + [1.2e-3] * 3)
    accepted = [Accepted(name(16)[:7], "TLS")]
    history = trace(*data, accepted=accepted)
    (series,) = history.series
    assert [change.reason for change in series.changes] == ["TLS"]
    assert series.newest.verdict == "no baseline"
    assert "accepted: TLS" in text(history)
    assert "Confirm them" not in text(history)
    assert "no step change" in text(history)


def test_accepted_change_at_an_unmeasured_commit_begins_at_the_next() -> None:
    whole = store([1e-3] * 10, group="whole")
    gaps = store([1e-3] * 4 + [0] * 3 + [1.2e-3] * 3, group="gaps")
    history = trace(*join(whole, gaps), accepted=[Accepted(name(5), "TLS")])
    begins = {s.group: [change.commit for change in s.changes] for s in history.series}
    assert begins == {"whole": [name(5)], "gaps": [name(7)]}
    assert "since 0000005 (6 Oct 2026): accepted: TLS, in 1 series." in text(history)


def test_count_unaffected_by_an_accepted_change_is_unchanged() -> None:
    observations, runs = store([1e-3] * 6)
    counts = observations.assign(metric="allocs_per_op", unit="1", value=8.0)
    data = schema.observations(pd.concat([observations, counts], ignore_index=True)), runs
    history = trace(*data, accepted=[Accepted(name(3), "TLS")])
    assert {s.metric: len(s.changes) for s in history.series} == {
        "time_per_op": 1,
        "allocs_per_op": 0,
    }


def test_sentences_name_the_machine_if_there_are_several() -> None:
    levels = [1e-3, 2e-3] * 10 + [1.2e-3]
    history = trace(*store(levels, machines=["old", "new"] * 10 + ["old"]))
    assert "time per operation · base · Ping on old: newest 0000020" in text(history)


def test_another_machine_is_a_separate_series() -> None:
    levels = [1e-3, 2e-3] * 12
    history = trace(*store(levels, machines=["old", "new"] * 12))
    assert [series.machine for series in history.series] == ["old", "new"]
    assert [series.changes for series in history.series] == [(), ()]
    assert {len(series.measured) for series in history.series} == {12}


def test_unmeasured_commits_are_gaps() -> None:
    one, two = store([1e-3] * 5 + [0] * 2 + [1e-3] * 5, group="a"), store([1e-3] * 12, group="b")
    joined = [pd.concat(frames, ignore_index=True) for frames in zip(one, two, strict=True)]
    history = trace(schema.observations(joined[0]), schema.runs(joined[1]))
    gaps = {series.group: len(series.points) - len(series.measured) for series in history.series}
    assert gaps == {"a": 2, "b": 0}
    tables = history_tables(history)
    assert tables[1].rows[5][3].text == "–"
    assert "2 commits were not measured here and are left out" in tables[1].footer


def test_changed_series_among_many_is_reported() -> None:
    parts = [store([1e-3] * 24, group=f"g{n}", seed=n) for n in range(24)]
    parts.append(store([1e-3] * 12 + [1.1e-3] * 12, group="moved"))
    history = trace(*join(*parts), margin=0.001)
    assert [series.group for series in history.series if series.changes] == ["moved"]
    assert "Not listed: 24 series without a change" in text(history)
    assert [len(table.rows) for table in history_tables(history)] == [1, 24]
    assert len(data(history).panels) == 1
    fewer = trace(*join(*parts[:20]), margin=0.001)
    assert "Select some with --metric and --variant" in text(fewer)
    assert [len(table.rows) for table in history_tables(fewer)] == [20]


def test_very_many_unchanged_series_are_not_listed() -> None:
    history = trace(*join(*(store([1e-3] * 3, group=f"g{n}", seed=n) for n in range(24))))
    assert len(history_tables(history)[0].rows) == 24  # too few commits for a verdict
    same = [replace(s, newest=replace(s.newest, verdict="inside")) for s in history.series]
    steady = replace(history, series=tuple(same))
    assert history_tables(steady) == ()
    assert text(steady).startswith("24 series: no step change")
    assert data(steady).panels


def test_history_needs_commits_or_dates() -> None:
    observations, runs = store([1e-3] * 5, dated=False)
    with pytest.raises(
        DataError, match="none of 5 commits has a date or a run with a recorded start"
    ):
        trace(observations, runs)
    nothing: list[Any] = [{} for _ in range(len(runs))]
    nameless = runs.assign(env=nothing)
    with pytest.raises(DataError, match="no run has a commit; benchkit history add"):
        trace(observations, schema.runs(nameless))
    dated, of_dated = store([1e-3] * 5)
    with pytest.raises(DataError, match="runs of 5 commits have no primary metric; name one with"):
        trace(dated, of_dated, Plan(primaries=(("bytes_per_op", ""),)))
    runs["started_at"] = pd.Series([pd.Timestamp(START)] * len(runs)).astype("datetime64[us, UTC]")
    assert len(trace(observations, schema.runs(runs)).series) == 1


def test_commits_without_a_date_are_named() -> None:
    one, two = store([1e-3] * 5), store([0] * 5 + [1e-3], dated=False)
    joined = [pd.concat(frames, ignore_index=True) for frames in zip(one, two, strict=True)]
    history = trace(schema.observations(joined[0]), schema.runs(joined[1]))
    assert history.undated == (name(5),)
    assert "a run is recorded: 0000005" in text(history)


@settings(max_examples=8, deadline=None)
@given(st.randoms(use_true_random=False), st.floats(0.001, 1000))
def test_order_of_rows_and_unit_do_not_matter(random: Random, factor: float) -> None:
    observations, runs = store([1e-3] * 12 + [1.1e-3] * 8)
    (one,) = trace(observations, runs).series
    shuffled = observations.sample(frac=1, random_state=random.randrange(10**6))
    shuffled["value"] *= factor
    (other,) = trace(schema.observations(shuffled), runs, Plan()).series
    assert [c.commit for c in one.changes] == [c.commit for c in other.changes] == [name(12)]
    assert one.changes[0].ratio == pytest.approx(other.changes[0].ratio)


@pytest.mark.parametrize("runs", [1, 3])
@pytest.mark.parametrize(
    ("before", "after", "size"), [(12, 13, "+8.3 % (12 → 13)"), (0, 1, "0 → 1")]
)
def test_count_that_changes_at_the_newest_commit_is_outside_immediately(
    before: int, after: int, size: str, runs: int
) -> None:
    history = counted([before] * 22 + [after], runs=runs)
    (series,) = history.series
    assert series.newest.verdict == "outside"
    assert (
        "1 series: 1 step change; the newest commit is outside the expected range in 1 series."
        in text(history)
    )
    assert f"since 0000022 (23 Oct 2026): ▲ worse {size}, 1 commit" in text(history)
    newest = history_tables(history)[0].rows[0][-1].text.replace("\N{NO-BREAK SPACE}", " ")
    assert newest.endswith(f"outside, {size} vs. the 22 commits before it")
    data(history)


def test_constant_count_is_inside_and_an_earlier_change_keeps_its_commit() -> None:
    assert counted([0] * 9).series[0].newest.verdict == "inside"
    history = counted([12] * 10 + [14] * 2 + [12] * 9)
    (series,) = history.series
    assert [(c.commit, c.before, c.after, c.commits) for c in series.changes] == [
        (name(10), 12, 14, 2),
        (name(12), 14, 12, 9),
    ]
    assert series.newest.verdict == "inside"
    assert "alternately, and run" not in text(history)  # a fact needs no further run


def test_series_that_change_at_one_commit_share_a_line() -> None:
    steps = [1e-3] * 12 + [2e-3] * 12
    history = trace(*join(*(store(steps, group=f"g{n}", seed=n) for n in range(1, 6))))
    place = "since 0000012 (13 Oct 2026), 5 series: time per operation"
    (line,) = (line for line in text(history).splitlines() if "since" in line)
    assert line.startswith(place)
    assert line.count("▲ worse +") == 3
    assert line.endswith(", 12 commits; and 2 more")
    assert f"✗ Regression: {place}" in gate_line(decide(history, name(11)))
    assert len(history_tables(history)[0].rows) == 5  # the table has all of them


def test_bytes_within_the_margin_are_one_level() -> None:
    assert counted([1000] * 9 + [1010], "bytes_per_op", "B").series[0].changes == ()
    (change,) = counted([1000] * 9 + [1100], "bytes_per_op", "B").series[0].changes
    assert change.ratio == pytest.approx(1.1)


def test_equal_times_are_inside_and_predict_no_range() -> None:
    observations, runs = store([1e-3] * 23)
    values = [1e-3] * 66 + [1.2e-3] * 3
    same = trace(schema.observations(observations.assign(value=1e-3)), runs)
    assert same.series[0].newest.verdict == "inside"
    history = trace(schema.observations(observations.assign(value=values)), runs)
    (line,) = (
        text.replace("\N{NO-BREAK SPACE}", " ") for text in history_tables(history)[1].footer
    )
    comment = "vs. the 22 commits before it, which are all equal"
    assert line.endswith(f"no baseline, +20.0 % {comment}")


def test_slow_machine_is_reported_before_the_series() -> None:
    slow = [store([1e-3] * 20 + [1.1e-3], group=f"g{n}", seed=n) for n in range(9)]
    history = trace(*join(*slow, store([1e-3] * 20 + [1.5e-3], group="far", seed=9)))
    first, head, alarm, *_ = text(history).splitlines()
    assert first.startswith("9 of 10 series are 9–11 % slower at 0000020 (21 Oct 2026): ")
    assert "suspect the machine first: measure 0000019 and" in first
    assert head.endswith("newest commit is outside the expected range in 10 series.")
    assert alarm.startswith("time per operation · base · far · Ping: newest 0000020")
    assert [f.code for f in history.findings] == ["B341"]
    assert [s.group for s in history.series if not s.newest.is_shared] == ["far"]


def test_earlier_slow_day_is_named_and_excluded_from_predictions() -> None:
    before = [1e-3] * 10 + [1.2e-3] + [1e-3] * 10
    parts = [store([*before, 1e-3], group=f"g{n}", seed=n) for n in range(9)]
    moved = store([*before, 1.1e-3], group="moved", seed=9)
    history = trace(*join(*parts, moved))
    assert [s.group for s in history.series if s.newest.verdict == "outside"] == ["moved"]
    moved_together = "Most series moved together at 0000010, so predictions ignore this commit: "
    assert f"{moved_together}to include a commit, measure it" in text(history)
    again = trace(*join(*(store([*before, 1.2e-3], group=f"g{n}", seed=n) for n in range(9))))
    assert text(again).startswith("9 of 9 series are ")


def test_series_without_common_commits_have_no_slow_day() -> None:
    parts = [
        store([0] * (9 * n) + [1e-3] * 9 + [0] * (27 - 9 * n) + [1e-3], group=f"g{n}", seed=n)
        for n in range(4)
    ]
    assert trace(*join(*parts)).findings == ()


def test_change_of_one_series_is_not_a_shift_of_the_machine() -> None:
    steady = [store([1e-3] * 21, group=f"g{n}", seed=n) for n in range(9)]
    history = trace(*join(*steady, store([1e-3] * 20 + [1.1e-3], group="moved", seed=9)))
    assert not any(finding.code == "B341" for finding in history.findings)
    assert [s.group for s in history.series if s.newest.verdict == "outside"] == ["moved"]
    assert "(q < 0.001)" in text(history)


def test_series_that_ends_early_is_named_without_a_newest_commit() -> None:
    ended = store([1e-3] * 20 + [1.5e-3, 0, 0], group="gone", seed=2)
    history = trace(*join(store([1e-3] * 23), ended))
    assert [s.newest.verdict for s in history.series] == ["inside", "not measured"]
    gone = "Not measured at the newest commit: time per operation · base · gone · Ping (last 00"
    assert gone in text(history)


def test_series_with_new_labels_at_every_commit_are_reported() -> None:
    parts = [store([0] * n + [1e-3], group=f"g{n}") for n in range(3)]
    assert "No series has two commits" in text(trace(*join(*parts)))
    assert "No series has two commits" not in text(trace(*store([1e-3] * 2)))
    assert "No series has two commits" not in text(trace(*store([1e-3])))


@pytest.mark.parametrize("label", ["group", "variant"])
def test_folder_or_file_named_after_the_commit_is_not_a_label(label: str) -> None:
    observations, runs = store([1e-3] * 12)
    commits = [name(number) for number in range(12) for _ in range(3)]
    frames = [frame.assign(**{label: commits}) for frame in (observations, runs)]
    (series,) = trace(schema.observations(frames[0]), schema.runs(frames[1])).series
    assert (len(series.measured), getattr(series, label)) == (12, "")


def test_counts_are_tracked_and_listed_once_they_change() -> None:
    observations, runs = store([1e-3] * 12)
    counts = [
        observations.assign(metric=metric, unit=unit, value=np.repeat([8.0] * 11 + [last], 3))
        for metric, unit, last in (("bytes_per_op", "B", 8.0), ("allocs_per_op", "1", 9.0))
    ]
    joined = pd.concat([observations, *counts], ignore_index=True)
    history = trace(schema.observations(joined), runs)
    assert [s.metric for s in history.listed] == ["time_per_op", "allocs_per_op"]
    assert "Not listed: 1 series without a change; --format json" in text(history)
    assert "allocations per operation · base · Ping: since 0000011 (12 Oct 2026): ▲ worse" in text(
        history
    )
