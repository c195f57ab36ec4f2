"""Figures over time: their panels and order, the time window, and the number of points."""

from __future__ import annotations

import re
from dataclasses import replace
from functools import cache
from itertools import pairwise
from pathlib import Path

import numpy as np
import pytest
from matplotlib.figure import Figure

import benchkit as bk
from benchkit.api import Comparison
from benchkit.derived.record import Measured
from benchkit.derived.timeline import CPU, LATENCY, Track
from benchkit.errors import DataError
from benchkit.plots import kinds, timeline
from benchkit.plots.grid import draw_chart, draw_panel
from benchkit.plots.labels import LABEL
from benchkit.plots.svg import to_svg
from benchkit.reporting.figures import describe, tabulate

FIXTURES = Path(__file__).resolve().parents[2] / "fixtures"
PAIR = (("no-agent", "agent"),)


@cache
def compared() -> Comparison:
    return bk.load(FIXTURES / "skywalking-costs").compare(baseline="no-agent")


def test_service_is_first_with_its_memory_next_to_it() -> None:
    chart = timeline.data(compared().tracks, PAIR)
    assert [panel.y.label for panel in chart.panels] == [
        "CPU, cores",
        "working-set memory, MiB",
    ]
    for panel in chart.panels:
        assert [line.name for line in panel.lines if line.name] == ["no-agent", "agent"]
        assert [line.series for line in panel.lines if line.name] == [0, 1]
        assert sum(line.is_faint for line in panel.lines) == 6
        assert panel.window[0] == 0
        assert panel.window[1] == pytest.approx(30.0, rel=0.01)


def test_output_is_reproducible() -> None:
    chart = timeline.data(compared().tracks, PAIR)
    first, second = (to_svg(draw_chart(chart), "Over time", "x") for _ in range(2))
    assert first == second
    assert "--bk-band" in first


def make_track(
    variant: str, run: int, *, points: int = 100, length: float = 30.0, **options: str
) -> Track:
    measured = Measured(
        group="", variant=variant, benchmark=options.get("benchmark", ""), params="", run=run,
        tool="wrk", window=(0.0, length), duration=length,
    )  # fmt: skip
    times = np.linspace(0.0, length, points)
    return Track(
        run=measured,
        metric=options.get("metric", CPU),
        stat=options.get("stat", ""),
        subject=options.get("subject", "server"),
        is_service=options.get("subject", "server") == "server",
        times=times,
        values=1 + np.sin(times + run) ** 2 / 10,
    )


def test_size_does_not_depend_on_the_length_of_the_runs() -> None:
    sizes = []
    for points in (2_000, 20_000):
        tracks = [
            make_track(name, run, points=points, subject=subject)
            for name in ("none", "a", "b", "c", "d")
            for run in range(1, 6)
            for subject in ("server", "collector", "storage")
        ]
        chart = timeline.data(tracks, [("none", name) for name in "abcd"])
        assert all(len(line.x) <= 1002 for panel in chart.panels for line in panel.lines)
        sizes.append(len(to_svg(draw_chart(chart), "Over time", "")))
    assert max(sizes) < 1_000_000
    assert sizes[1] == pytest.approx(sizes[0], rel=0.05)


def test_only_compared_variants_are_drawn_at_most_five_per_axis() -> None:
    tracks = [make_track(name, run=1) for name in ("none", *"abcdef")]
    (panel,) = timeline.data(tracks, [("none", "b")]).panels
    assert [line.name for line in panel.lines] == ["none", "b"]
    several = timeline.data(tracks, [("none", name) for name in "abcdef"]).panels
    assert [[line.name for line in panel.lines] for panel in several] == [
        ["none", "a", "b", "c", "d"],
        ["none", "e", "f"],
    ]


def test_tail_is_the_furthest_percentile_of_every_run() -> None:
    stats = {1: ("p50", "p90", "p99"), 2: ("p50", "p90")}
    tracks = [
        make_track(name, run, metric=LATENCY, stat=stat, subject="")
        for name in ("none", "a")
        for run, known in stats.items()
        for stat in known
    ]
    chart = timeline.data(tracks, [("none", "a")])
    assert [panel.heading for panel in chart.panels] == ["median latency", "p90 latency"]


def test_heading_states_all_names_if_one_differs() -> None:
    tracks = [make_track(name, 1, metric=LATENCY, stat="p50", subject="") for name in ("none", "a")]
    other = [
        replace(t, run=replace(t.run, benchmark="/b", params="connections=30", tool="ab"))
        for t in tracks
    ]
    panels = timeline.data([*tracks, *other], [("none", "a")]).panels
    assert any(panel.heading.endswith(" · /b · connections=30 · ab") for panel in panels)


def test_runs_that_never_overlap_are_drawn_without_a_median() -> None:
    runs = [make_track("none", run, points=10) for run in (1, 2, 3)]
    apart = [replace(track, times=track.times + 100 * track.run.run) for track in runs]
    (panel,) = timeline.data(apart).panels
    assert [line.is_faint for line in panel.lines] == [True, True, True]
    draw_panel(panel, Figure().subplots())


def test_long_run_is_drawn_in_minutes() -> None:
    (panel,) = timeline.data([make_track("none", 1, length=1200.0)]).panels
    assert panel.x.label == "min since the run began"
    assert panel.window == (0.0, 20.0)


def test_line_labels_stay_below_the_heading_and_apart() -> None:
    tracks = [make_track(name, 1) for name in ("none", *"abcd")]
    (panel,) = timeline.data(tracks, [("none", name) for name in "abcd"]).panels
    figure = Figure(figsize=(9.4, 3.1))
    axes = draw_panel(panel, figure.subplots())
    shown = sorted(text.get_position()[1] for text in axes.texts)
    height = axes.get_position().height * 3.1
    assert shown[-1] <= 1.0
    assert all((b - a) * height >= LABEL * 0.99 for a, b in pairwise(shown))


def test_drawn_data_is_described_in_words_and_as_a_table() -> None:
    chart = timeline.data(compared().tracks, PAIR)
    words, table = describe(chart), tabulate(chart)
    assert re.match(
        r"cpu_usage · \w+, CPU, cores over the course of a run: no-agent: 0\.\d+ at", words
    )
    assert [column.title for column in table.columns] == [
        "figure", "variant", "start", "1/4", "1/2", "3/4", "end", "lowest", "highest",
    ]  # fmt: skip
    assert len(table.rows) == 4
    for row in table.rows:
        numbers = [cell.value for cell in row[2:] if cell.value is not None]
        assert numbers[-2] <= min(numbers[1:4]) <= max(numbers[1:4]) <= numbers[-1]


def test_missing_clock_is_an_error_that_says_what_to_record() -> None:
    material = bk.load(FIXTURES / "tracing-wrk").compare(baseline="none").material
    with pytest.raises(DataError, match=r"no timeline plot: .* runs\.json"):
        kinds.draw("timeline", material)
    with pytest.raises(DataError):
        kinds.draw("timeline", replace(material, observations=None))


def test_lowest_and_highest_bound_every_value_of_their_row() -> None:
    table = tabulate(timeline.data(compared().tracks, PAIR))
    assert len(table.rows) == 4
    for row in table.rows:
        *values, low, high = (float(cell.value or 0) for cell in row[2:])
        assert low <= min(values) <= max(values) <= high


def test_container_is_named_as_in_the_tables() -> None:
    container, other = (f"/docker/{digit * 64}" for digit in "ab")
    tracks = []
    for variant in ("none", "otlp"):
        for subject in (container, other):
            track = make_track(variant, 1, subject=subject)
            env = {f"name.{container}": "consumer", f"name.{other}": "consumer"}
            tracks.append(replace(track, run=replace(track.run, env=env)))
    one = [track for track in tracks if track.subject == container]
    assert [panel.heading for panel in timeline.data(one).panels] == ["cpu_usage · consumer"]
    assert [panel.heading for panel in timeline.data(tracks).panels] == [
        "cpu_usage · consumer (aaaaaaaaaaaa)",
        "cpu_usage · consumer (bbbbbbbbbbbb)",
    ]


def test_no_panel_is_drawn_twice() -> None:
    names = ["none", *"abcdef"]
    pairs = [("none", name) for name in names[1:]]
    alone = timeline.data([make_track("none", 1)], pairs)
    assert len(alone.panels) == 1
    all_of_them = timeline.data([make_track(name, 1) for name in names], pairs)
    headings = [panel.heading for panel in all_of_them.panels]
    assert headings == ["cpu_usage · server · 1 of 2", "cpu_usage · server · 2 of 2"]
    rows = [(row[0].text, row[1].text) for row in tabulate(all_of_them).rows]
    assert len(set(rows)) == len(rows)
