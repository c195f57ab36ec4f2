"""Values over the time of a run: where it begins, and that no peak is lost."""

from __future__ import annotations

from functools import cache
from pathlib import Path

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

import benchkit as bk
from benchkit.derived.record import Measured, list_measured
from benchkit.derived.timeline import CPU, LATENCY, MOST, Track, center, find_tracks, thin

FIXTURES = Path(__file__).resolve().parents[2] / "fixtures"


@cache
def loaded(name: str) -> bk.RunSet:
    return bk.load(FIXTURES / name)


def tracks(name: str, metric: str, *, series: bool = True) -> list[Track]:
    runs = loaded(name)
    samples = runs.series if series else None
    listed = find_tracks(runs.observations, list_measured(runs.runs), samples)
    return [track for track in listed if track.metric == metric]


def test_latencies_are_at_the_middle_of_their_stretches_within_the_run() -> None:
    rows = loaded("vegeta-single").observations
    for track in tracks("vegeta-single", LATENCY):
        stretches = rows[(rows["stat"] == "stretch_p50") & (rows["variant"] == track.run.variant)]
        assert track.values.tolist() == stretches.sort_values("time")["value"].tolist()
        width = np.diff(track.times)
        assert track.run.duration is not None
        assert np.allclose(width, width[0], rtol=1e-3)
        assert 0 < track.times[0] < width[0]
        assert track.times[-1] < track.run.duration


def test_cpu_over_a_run_averages_to_its_mean() -> None:
    rows = loaded("skywalking-costs").observations
    for track in tracks("skywalking-costs", CPU):
        window = track.run.window
        assert window is not None
        assert track.is_service
        mean = rows[
            (rows["metric"] == CPU)
            & (rows["stat"] == "mean")
            & (rows["variant"] == track.run.variant)
            & (rows["run"] == track.run.run)
        ]["value"].item()
        inside = (track.times > 0) & (track.times < window[1] - window[0])
        assert track.values[inside].mean() == pytest.approx(mean, rel=0.05)


def test_time_before_the_run_is_shown_up_to_half_its_length() -> None:
    for track in tracks("skywalking-costs", CPU):
        window = track.run.window
        assert window is not None
        length = window[1] - window[0]
        assert -length / 2 <= track.times[0] < 0
        assert 0.9 * length < track.times[-1] <= 1.25 * length


def test_missing_container_samples_give_no_cpu() -> None:
    assert tracks("skywalking-costs", CPU, series=False) == []


def test_filtered_results_keep_their_tracks() -> None:
    one = loaded("skywalking-costs").where(run=[1, 2]).compare(baseline="no-agent")
    assert sorted({track.run.run for track in one.tracks}) == [1, 2]


def test_store_and_raw_files_give_the_same_tracks(tmp_path: Path) -> None:
    from benchkit.ingestion.commit import ingest
    from benchkit.store import Store

    ingest([str(FIXTURES / "skywalking-costs")], Store(str(tmp_path)))
    stored = bk.load(tmp_path)
    listed = find_tracks(stored.observations, list_measured(stored.runs), stored.series)
    by_run = {(t.run.variant, t.run.run): t.values.tolist() for t in listed if t.metric == CPU}
    expected = tracks("skywalking-costs", CPU)
    assert by_run == {(t.run.variant, t.run.run): t.values.tolist() for t in expected}


def make_track(times: list[float], values: list[float]) -> Track:
    run = Measured(
        group="", variant="a", benchmark="", params="", run=1, tool="wrk", window=None,
        duration=None,
    )  # fmt: skip
    return Track(
        run=run,
        metric=CPU,
        stat="",
        subject="server",
        is_service=True,
        times=np.array(times),
        values=np.array(values),
    )


def test_median_needs_half_of_the_runs() -> None:
    early, late = make_track([0, 1, 2], [1, 1, 1]), make_track([2, 3, 4], [3, 3, 3])
    third = make_track([2, 3, 4], [5, 5, 5])
    times, values = center([early, late, third])
    assert times.tolist() == [2.0, 3.0, 4.0]
    assert values.tolist() == [3.0, 4.0, 4.0]


def test_long_run_keeps_its_highest_point() -> None:
    values = np.zeros(86_400)
    values[43_210] = 9.0
    day = make_track(np.arange(86_400.0).tolist(), values.tolist())
    times, kept = center([day])
    assert len(times) <= MOST + 2
    assert (times[kept.argmax()], kept.max()) == (43_210.0, 9.0)


@given(
    st.lists(st.floats(-1e6, 1e6), min_size=1, max_size=400),
    st.integers(4, 50),
)
def test_thinning_keeps_ends_order_and_extremes(values: list[float], most: int) -> None:
    times, kept = thin(np.arange(float(len(values))), np.array(values), most)
    assert len(times) <= most + 2
    assert (kept.min(), kept.max()) == (min(values), max(values))
    assert times[[0, -1]].tolist() == [0.0, len(values) - 1.0]
    assert (np.diff(times) > 0).all()
    assert kept.tolist() == [values[int(time)] for time in times]
