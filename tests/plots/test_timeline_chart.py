"""Figures over time: which panels, in which order, within which window, and how many points."""

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


def test_the_service_comes_first_and_its_memory_beside_it() -> None:
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


def test_the_same_bytes_every_time() -> None:
    chart = timeline.data(compared().tracks, PAIR)
    first, second = (to_svg(draw_chart(chart), "Over time", "x") for _ in range(2))
    assert first == second
    assert "--bk-band" in first


def made(variant: str, run: int, *, points: int = 100, length: float = 30.0, **told: str) -> Track:
    measured = Measured(
        group="", variant=variant, benchmark=told.get("benchmark", ""), params="", run=run,
        tool="wrk", window=(0.0, length), duration=length,
    )  # fmt: skip
    times = np.linspace(0.0, length, points)
    return Track(
        run=measured,
        metric=told.get("metric", CPU),
        stat=told.get("stat", ""),
        subject=told.get("subject", "server"),
        is_service=told.get("subject", "server") == "server",
        times=times,
        values=1 + np.sin(times + run) ** 2 / 10,
    )


def test_five_variants_and_five_runs_of_any_length_take_as_much_room() -> None:
    sizes = []
    for points in (2_000, 20_000):
        found = [
            made(name, run, points=points, subject=subject)
            for name in ("none", "a", "b", "c", "d")
            for run in range(1, 6)
            for subject in ("server", "collector", "storage")
        ]
        chart = timeline.data(found, [("none", name) for name in "abcd"])
        assert all(len(line.x) <= 1002 for panel in chart.panels for line in panel.lines)
        sizes.append(len(to_svg(draw_chart(chart), "Over time", "")))
    assert max(sizes) < 1_000_000
    assert sizes[1] == pytest.approx(sizes[0], rel=0.05)


def test_only_variants_that_are_compared_are_drawn_and_at_most_five_on_an_axis() -> None:
    found = [made(name, run=1) for name in ("none", *"abcdef")]
    (panel,) = timeline.data(found, [("none", "b")]).panels
    assert [line.name for line in panel.lines] == ["none", "b"]
    several = timeline.data(found, [("none", name) for name in "abcdef"]).panels
    assert [[line.name for line in panel.lines] for panel in several] == [
        ["none", "a", "b", "c", "d"],
        ["none", "e", "f"],
    ]


def test_the_tail_is_the_furthest_that_every_run_has() -> None:
    stats = {1: ("p50", "p90", "p99"), 2: ("p50", "p90")}
    found = [
        made(name, run, metric=LATENCY, stat=stat, subject="")
        for name in ("none", "a")
        for run, known in stats.items()
        for stat in known
    ]
    chart = timeline.data(found, [("none", "a")])
    assert [panel.heading for panel in chart.panels] == ["median latency", "p90 latency"]


def test_where_one_name_differs_a_heading_has_them_all() -> None:
    found = [made(name, 1, metric=LATENCY, stat="p50", subject="") for name in ("none", "a")]
    other = [
        replace(t, run=replace(t.run, benchmark="/b", params="connections=30", tool="ab"))
        for t in found
    ]
    panels = timeline.data([*found, *other], [("none", "a")]).panels
    assert any(panel.heading.endswith(" · /b · connections=30 · ab") for panel in panels)


def test_runs_that_never_overlap_have_no_median_and_are_drawn_all_the_same() -> None:
    runs = [made("none", run, points=10) for run in (1, 2, 3)]
    apart = [replace(track, times=track.times + 100 * track.run.run) for track in runs]
    (panel,) = timeline.data(apart).panels
    assert [line.is_faint for line in panel.lines] == [True, True, True]
    draw_panel(panel, Figure().subplots())


def test_a_long_run_is_told_in_minutes() -> None:
    (panel,) = timeline.data([made("none", 1, length=1200.0)]).panels
    assert panel.x.label == "min since the run began"
    assert panel.window == (0.0, 20.0)


def test_names_beside_the_lines_stay_below_the_heading_and_apart() -> None:
    found = [made(name, 1) for name in ("none", *"abcd")]
    (panel,) = timeline.data(found, [("none", name) for name in "abcd"]).panels
    figure = Figure(figsize=(9.4, 3.1))
    axes = draw_panel(panel, figure.subplots())
    shown = sorted(text.get_position()[1] for text in axes.texts)
    height = axes.get_position().height * 3.1
    assert shown[-1] <= 1.0
    assert all((b - a) * height >= LABEL * 0.99 for a, b in pairwise(shown))


def test_what_is_drawn_is_told_in_words_and_as_a_table() -> None:
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
        told = [cell.value for cell in row[2:] if cell.value is not None]
        assert told[-2] <= min(told[1:4]) <= max(told[1:4]) <= told[-1]


def test_without_a_clock_there_is_none_and_the_error_says_what_to_record() -> None:
    material = bk.load(FIXTURES / "tracing-wrk").compare(baseline="none").material
    with pytest.raises(DataError, match=r"no timeline plot: .* runs\.json"):
        kinds.draw("timeline", material)
    with pytest.raises(DataError):
        kinds.draw("timeline", replace(material, observations=None))


def test_lowest_and_highest_hold_every_value_of_their_row() -> None:
    table = tabulate(timeline.data(compared().tracks, PAIR))
    assert len(table.rows) == 4
    for row in table.rows:
        *values, low, high = (float(cell.value or 0) for cell in row[2:])
        assert low <= min(values) <= max(values) <= high


def test_a_container_is_called_as_in_the_tables() -> None:
    container, other = (f"/docker/{digit * 64}" for digit in "ab")
    tracks = []
    for variant in ("none", "otlp"):
        for subject in (container, other):
            track = made(variant, 1, subject=subject)
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
    alone = timeline.data([made("none", 1)], pairs)
    assert len(alone.panels) == 1
    all_of_them = timeline.data([made(name, 1) for name in names], pairs)
    headings = [panel.heading for panel in all_of_them.panels]
    assert headings == ["cpu_usage · server · 1 of 2", "cpu_usage · server · 2 of 2"]
    rows = [(row[0].text, row[1].text) for row in tabulate(all_of_them).rows]
    assert len(set(rows)) == len(rows)
