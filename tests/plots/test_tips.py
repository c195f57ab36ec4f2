"""Marks of a chart show their exact values on request, at their places."""

from __future__ import annotations

import math
import re

import pytest

import benchkit as bk
from benchkit.plots import forest
from benchkit.plots.chart import Axis, Chart, Line, Panel
from benchkit.plots.grid import draw_chart
from benchkit.plots.svg import to_svg
from benchkit.plots.tips import list_tips

PERCENTILES = Axis(label="percentile", ticks=((0.5, "p50"), (0.9, "p90")))
LATENCY = Axis(label="latency, ms", is_logarithmic=True)


def list_texts(line: Line, x: Axis, y: Axis) -> list[str]:
    panel = Panel(heading="", lines=(line,), x=x, y=y)
    chart = Chart(title="", panels=(panel,))
    return [tip.text for tip in list_tips(chart, draw_chart(chart).axes)]


@pytest.mark.parametrize(
    ("line", "x", "y", "texts"),
    [
        (
            Line(name="otlp", series=1, x=(0.5, 0.9), y=(1.23456, 2)),
            PERCENTILES,
            LATENCY,
            ["otlp, p50: 1.2346 ms", "otlp, p90: 2.0000 ms"],
        ),
        (
            Line(
                name="otlp", series=1, x=(0.5,), y=(math.log(1.2),),
                low=(math.log(1.1),), high=(math.log(1.3),),
            ),
            PERCENTILES,
            Axis(label="change", is_change=True),
            ["otlp, p50: +20.0 % [+10.0, +30.0 %]"],
        ),
        (
            Line(name="otlp", series=1, x=(1, 4), y=(9000.0, 9000.0), kind="level"),
            Axis(label="run, in measured order", is_whole=True),
            Axis(label="request_rate, 1/s"),
            ["otlp, median: 9000.0/s"],
        ),
        (
            Line(name="otlp", series=1, x=(4.25,), y=(0.5,), is_faint=True),
            PERCENTILES,
            LATENCY,
            [],
        ),
    ],
    ids=["percentiles", "changes", "medians", "individual runs"],
)  # fmt: skip
def test_points_show_their_values(line: Line, x: Axis, y: Axis, texts: list[str]) -> None:
    assert [text.replace("\N{NO-BREAK SPACE}", " ") for text in list_texts(line, x, y)] == texts


def test_tip_lies_on_its_mark_and_contains_no_markup() -> None:
    line = Line(name="<b>", series=1, x=(0.0, 1.0), y=(0.0, 1.0), kind="dots")
    panel = Panel(heading="", lines=(line,), x=Axis(label="s"), y=Axis(label="cores"))
    chart = Chart(title="", panels=(panel,))
    figure = draw_chart(chart)
    svg = to_svg(figure, "", "", tips=list_tips(chart, figure.axes))
    drawn = [(float(x), float(y)) for x, y in re.findall(r'<use [^>]*x="([^"]+)" y="([^"]+)"', svg)]
    for x, y in re.findall(r'<circle cx="([^"]+)" cy="([^"]+)"', svg):
        assert (float(x), float(y)) in [pytest.approx(place, abs=0.2) for place in drawn]
    assert "<title>&lt;b&gt;, 1.00 s: 1.0000</title>" in svg


def test_estimate_shows_its_interval() -> None:
    comparison = bk.load("fixtures/tracing-wrk").compare(baseline="none", variant="otlp")
    figure = forest.draw(comparison.verdicts)
    texts = [tip.text for tip in forest.list_tips(comparison.verdicts, figure)]
    assert len(texts) == 17
    assert texts[-1].replace("\N{NO-BREAK SPACE}", " ") == (
        "requests/s, otlp: −13.1 % [−14.8, −11.1 %]"
    )
