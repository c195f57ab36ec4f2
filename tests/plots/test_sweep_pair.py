"""The two panels of a sweep: the data at each level, and texts that never overlap."""

from __future__ import annotations

import json
from dataclasses import asdict, replace
from functools import cache
from itertools import combinations, pairwise
from pathlib import Path
from typing import TYPE_CHECKING

import pytest
from matplotlib.backends.backend_agg import FigureCanvasAgg

import benchkit as bk
from benchkit.derived.saturation import Saturation, find_saturations, parse_rule
from benchkit.plots import kinds, sweep
from benchkit.plots.grid import draw_chart
from benchkit.plots.svg import to_svg

if TYPE_CHECKING:
    from conftest import Golden

NGINX = Path(__file__).resolve().parents[2] / "fixtures" / "nginx-ab" / "nginx"


@cache
def saturation(rule: str = "share:0.9") -> Saturation:
    runs = bk.load(NGINX)
    saturations = find_saturations(runs.observations, runs.runs, parse_rule(rule))
    (selected,) = [each for each in saturations if each.sweep.tool == "ab"]
    return selected


def test_drawn_data(golden: Golden) -> None:
    text = json.dumps(asdict(sweep.data([saturation()])), indent=1, ensure_ascii=False)
    golden.check("plots/sweep-nginx.json", text + "\n")


def test_rate_is_drawn_by_level_with_knee_and_unmeasured_levels() -> None:
    rate, _ = sweep.data([saturation()]).panels
    line, bound, ring = rate.lines
    assert line.x == (1.0, 20.0, 30.0, 50.0, 100.0)
    assert line.y == tuple(saturation().sweep.rates)
    assert (ring.x, ring.y) == ((50.0,), (line.y[3],))
    assert rate.shade == ((1.0, 20.0),)
    assert bound.y[0] == pytest.approx(line.y[0])
    assert bound.y[-1] == max(line.y)
    assert all(after >= before for before, after in pairwise(bound.y))


def test_first_and_best_rate_lie_within_the_bounds() -> None:
    levels, possible = saturation().bounds
    assert max(possible) == saturation().sweep.best.rate
    slope = saturation().sweep.rates[0] / saturation().sweep.sizes[0]
    assert all(y <= slope * x * (1 + 1e-9) for x, y in zip(levels, possible, strict=True))


def test_latency_is_drawn_by_rate_with_the_level_at_each_point() -> None:
    rate, latency = sweep.data([saturation()]).panels
    (line,) = latency.lines
    assert line.x == rate.lines[0].y
    assert line.labels == ("1", "20", "30", "50", "100")
    assert latency.y.label == "latency, ms"
    assert line.y[0] == pytest.approx(saturation().sweep.levels[0].latency["p99"] * 1e3)


def test_rule_without_a_tested_level_has_no_ring() -> None:
    rate, _ = sweep.data([saturation("usl")]).panels
    assert [line.kind for line in rate.lines] == ["line", "bound"]


def test_offered_rates_have_no_bounds() -> None:
    offered = replace(saturation(), sweep=replace(saturation().sweep, by="rate"))
    rate, _ = sweep.data([offered]).panels
    assert [line.kind for line in rate.lines] == ["line", "ring"]
    assert (rate.shade, rate.x.label) == ((), "offered, /s")


def test_no_second_panel_without_a_latency_at_every_level() -> None:
    first, *rest = saturation().sweep.levels
    levels = (replace(first, latency={}), *rest)
    chart = sweep.data([replace(saturation(), sweep=replace(saturation().sweep, levels=levels))])
    assert [panel.heading for panel in chart.panels] == ["rate"]


def test_at_most_five_variants_share_axes_with_the_baseline_on_each() -> None:
    several = [
        replace(saturation(), sweep=replace(saturation().sweep, variant=f"v{n}")) for n in range(7)
    ]
    rates = sweep.data(several, baseline="v0").panels[::2]
    named = [[(line.name, line.series) for line in panel.lines if line.name] for panel in rates]
    assert named == [
        [("v0", 0), ("v1", 1), ("v2", 2), ("v3", 3), ("v4", 4)],
        [("v0", 0), ("v5", 1), ("v6", 2)],
    ]


def test_texts_of_a_panel_do_not_overlap() -> None:
    figure = draw_chart(sweep.data([saturation()]))
    FigureCanvasAgg(figure).draw()  # type: ignore[no-untyped-call]
    for axes in figure.axes:
        boxes = [text.get_window_extent() for text in axes.texts]
        assert not any(a.overlaps(b) for a, b in combinations(boxes, 2))


def test_svg_is_reproducible() -> None:
    comparison = bk.load(NGINX).compare()
    chart = kinds.collect("sweep", comparison.material)
    first, second = (to_svg(draw_chart(chart), "t", "d", prefix="s") for _ in range(2))
    assert first == second


def test_notebook_and_report_show_the_sweep() -> None:
    comparison = bk.load(NGINX).compare()
    assert len(comparison.plot.sweep().axes) == 4
    page = comparison.to_html()
    assert "Ring: the knee by share:0.9." in page
    assert 'id="sweep-pair-title"' in page
    assert 'id="comparison"' not in page
    assert "No comparison:" in page
