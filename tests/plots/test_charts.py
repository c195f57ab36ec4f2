"""The charts of a comparison: data, colours, and names that are only text."""

from __future__ import annotations

import json
import math
import re
from dataclasses import asdict, replace
from functools import cache
from itertools import pairwise
from pathlib import Path
from typing import TYPE_CHECKING
from xml.etree import ElementTree as ET

import pytest
from examples import tracing
from hypothesis import given
from hypothesis import strategies as st

import benchkit as bk
from benchkit.errors import DataError
from benchkit.plots import kinds, percentiles, runs, shift
from benchkit.plots.chart import MOST_LINES, MOST_PANELS, Chart, arrange, part
from benchkit.plots.grid import draw_chart
from benchkit.plots.labels import spread_labels
from benchkit.plots.svg import to_svg
from benchkit.plots.theme import PALETTE

if TYPE_CHECKING:
    from conftest import Golden

    from benchkit.api import Comparison

FIXTURES = Path(__file__).resolve().parents[2] / "fixtures"


@cache
def compared(name: str) -> Comparison:
    return bk.load(FIXTURES / name).compare(baseline="none")


def charts(comparison: Comparison) -> dict[str, Chart]:
    return {
        "percentiles": percentiles.data(comparison.verdicts),
        "shift": shift.data(comparison.verdicts),
        "runs": runs.data(comparison.verdicts, comparison.runs),
    }


@pytest.mark.parametrize("kind", ["percentiles", "shift", "runs"])
def test_drawn_data(kind: str, golden: Golden) -> None:
    chart = charts(compared("tracing-wrk"))[kind]
    text = json.dumps(asdict(chart), indent=1, ensure_ascii=False)
    golden.check(f"plots/{kind}-tracing.json", text + "\n")


def test_percentile_curve_joins_run_medians_in_the_unit_of_its_axis() -> None:
    comparison = compared("tracing-wrk")
    (panel,) = percentiles.data(comparison.verdicts).panels
    assert [text for _, text in panel.x.ticks] == ["p50", "p75", "p90", "p99"]
    otlp = next(line for line in panel.lines if line.name == "otlp")
    row = next(
        c
        for c in comparison.comparisons.contrasts
        if (c.variant, c.metric, c.stat) == ("otlp", "latency", "p99")
    )
    assert panel.y.label == "latency, µs"
    assert otlp.y[-1] == pytest.approx(row.center_variant * 1e6)
    assert sum(line.is_faint and line.series == otlp.series for line in panel.lines) == 8


def test_shift_shows_the_interval_of_the_table() -> None:
    comparison = compared("tracing-wrk")
    (panel,) = shift.data(comparison.verdicts).panels
    zipkin = next(line for line in panel.lines if line.name == "zipkin")
    row = next(
        c
        for c in comparison.comparisons.contrasts
        if (c.variant, c.metric, c.stat) == ("zipkin", "latency", "p50")
    )
    assert row.ratio_low is not None
    assert math.exp(zipkin.low[0]) == pytest.approx(row.ratio_low)


def test_runs_are_drawn_in_their_recorded_order() -> None:
    comparison = compared("tracing-wrk")
    (panel,) = runs.data(comparison.verdicts, comparison.runs).panels
    places = sorted(x for line in panel.lines if line.kind == "dots" for x in line.x)
    assert places == [float(n) for n in range(1, len(places) + 1)]
    assert "measured order" in panel.x.label


def test_runs_without_a_recorded_order_are_drawn_by_number() -> None:
    (panel,) = runs.data(tracing()).panels
    assert "not recorded" in panel.x.label


def test_single_runs_have_no_order_panel() -> None:
    first = tracing().rows[0].contrast
    single = replace(first, baseline_values=(1.0,), variant_values=(2.0,))
    verdicts = replace(
        tracing(),
        rows=(replace(tracing().rows[0], contrast=single),),
    )
    assert runs.data(verdicts).panels == ()


def test_variants_beyond_the_limit_of_an_axis_get_another_panel() -> None:
    assert [len(some) for some in part(range(9))] == [4, 4, 1]
    assert max(len(some) for some in part(range(9))) < MOST_LINES


def test_panels_beyond_the_limit_are_counted() -> None:
    (panel,) = charts(compared("tracing-wrk"))["shift"].panels
    chart = arrange("Many", [panel] * (MOST_PANELS + 3))
    assert len(chart.panels) == MOST_PANELS
    assert chart.left_out == 3


@given(st.lists(st.floats(-10, 10), max_size=8), st.floats(0.01, 2))
def test_labels_keep_distance_and_order(places: list[float], least: float) -> None:
    spread = spread_labels(places, least)
    order = sorted(range(len(places)), key=lambda i: (places[i], i))
    ends = [spread[i] for i in order]
    assert all(b - a >= least - 1e-6 for a, b in pairwise(ends))
    apart = [b - a >= least for a, b in pairwise(sorted(places))]
    if all(apart):
        assert spread == pytest.approx(places, abs=1e-8)


@pytest.mark.parametrize("kind", ["percentiles", "shift", "runs"])
def test_svg_is_well_formed_stable_and_in_the_colours_of_the_page(kind: str) -> None:
    chart = charts(compared("tracing-wrk"))[kind]
    text, again = (to_svg(draw_chart(chart), "t", "d", prefix=kind) for _ in range(2))
    assert text == again
    ET.fromstring(text)  # noqa: S314 - our own text
    assert "#0a0b" not in text
    assert "var(--bk-series1," in text
    assert not re.findall(r"(?:href|src)=\"(?!#)", text)


def test_ticks_with_overlapping_labels_are_unlabelled() -> None:
    (panel,) = charts(compared("tracing-wrk"))["percentiles"].panels
    ticks = (*panel.x.ticks, (percentiles.tail(0.8), "p80"))
    near = replace(panel, x=replace(panel.x, ticks=ticks))
    axes = draw_chart(arrange("Near", [near, near])).axes[0]
    assert [text.get_text() for text in axes.get_xticklabels()] == ["p50", "", "p80", "p90", "p99"]


def test_hostile_names_are_drawn_as_text() -> None:
    (panel,) = charts(compared("tracing-wrk"))["percentiles"].panels
    names = ["<script>x</script>", "$\\frac{", "a\x1b[2J", "é漢", "x" * 300]
    lines = tuple(replace(panel.lines[0], name=name) for name in names)
    chart = Chart(title="t", panels=(replace(panel, heading=names[0], lines=lines),))
    text = to_svg(draw_chart(chart), names[0], names[2], prefix="p")
    ET.fromstring(text)  # noqa: S314 - well-formed in spite of all
    assert "<script" not in text
    assert "\x1b" not in text


@pytest.mark.parametrize("form", ["svg", "png"])
@pytest.mark.parametrize("kind", ["forest", "percentiles", "shift", "runs"])
def test_standalone_file_has_plain_colours(kind: str, form: str, tmp_path: Path) -> None:
    comparison = compared("tracing-wrk")
    figure = kinds.draw(kind, comparison.material)
    first, second = tmp_path / f"a.{form}", tmp_path / f"b.{form}"
    for path in (first, second):
        kinds.save(figure, path, form)
    assert first.read_bytes() == second.read_bytes()
    if form == "svg":
        text = first.read_text(encoding="utf-8")
        assert "#0a0b" not in text
        assert "var(" not in text
        assert PALETTE["muted"][0] in text
    else:
        assert first.read_bytes().startswith(b"\x89PNG")


def test_figure_without_enough_data_is_refused() -> None:
    comparison = bk.load(FIXTURES / "redis-gobench" / "pinned").compare(baseline="Baseline")
    with pytest.raises(DataError, match="percentiles on both sides"):
        kinds.draw("percentiles", comparison.material)
