"""Distributions of raw samples: exact points, an exact tail, and results without samples."""

from __future__ import annotations

from functools import cache
from pathlib import Path

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

import benchkit as bk
from benchkit.api import Comparison
from benchkit.derived.distribution import FEWEST, MOST, find_distributions, thin
from benchkit.errors import DataError
from benchkit.plots import ecdf, kinds
from benchkit.plots.grid import draw_chart
from benchkit.plots.svg import to_svg

FIXTURES = Path(__file__).resolve().parents[2] / "fixtures"


@cache
def compared() -> Comparison:
    runs = bk.load(FIXTURES / "vegeta-single", samples=True)
    return runs.compare(baseline="no-agent")


@given(st.lists(st.floats(1e-6, 10), min_size=1, max_size=3000), st.integers(20, 200))
def test_thinned_curve_is_exact_at_its_points_and_close_between(
    values: list[float], most: int
) -> None:
    ordered = np.sort(np.array(values))
    curve = thin(ordered, most)
    n = len(values)
    assert len(curve.values) <= most
    ranks = np.round(np.array(curve.shares) * n).astype(int)
    assert ordered[ranks - 1].tolist() == list(curve.values)
    assert max(np.diff(ranks), default=0) <= max(2 * n / most + 2, 1)


@pytest.mark.parametrize("n", [MOST + 1, 20_000, 300_000])
def test_thinning_keeps_the_tail(n: int) -> None:
    ordered = np.sort(np.random.default_rng(7).lognormal(-6, 1, n))
    curve = thin(ordered)
    assert list(curve.values[-30:]) == ordered[-30:].tolist()
    assert curve.shares[-1] == 1.0
    for level in (0.5, 0.9, 0.99, 0.999):
        read = curve.values[int(np.searchsorted(curve.shares, level))]
        exact = ordered[int(np.ceil(level * n)) - 1]
        assert read == pytest.approx(exact, rel=0.02)


def test_line_of_each_variant_ends_at_its_largest_sample() -> None:
    frame = compared().observations
    assert frame is not None
    (panel,) = ecdf.data(find_distributions(frame), "no-agent").panels
    base, agent = panel.lines
    assert (base.name, base.series, agent.name, agent.series) == ("no-agent", 0, "agent", 1)
    assert (base.kind, base.y[-1], panel.x.is_logarithmic) == ("steps", 1.0, True)
    known = frame[frame["variant"].eq("agent") & frame["stat"].eq("sample")]
    scale = {"latency, µs": 1e6, "latency, ms": 1e3}[panel.x.label]
    assert agent.x[-1] == pytest.approx(known["value"].max() * scale)
    assert len(agent.x) <= MOST


def test_runs_are_thin_lines_behind_the_pooled_line() -> None:
    frame = compared().observations
    assert frame is not None
    rows = frame[frame["stat"].eq("sample") & frame["variant"].eq("agent")]
    halves = rows.assign(run=1 + np.arange(len(rows)) % 2)
    (distribution,) = find_distributions(halves)
    assert sorted(distribution.runs) == [1, 2]
    assert (
        distribution.pooled.n == sum(curve.n for curve in distribution.runs.values()) == len(rows)
    )
    lines = ecdf.data([distribution]).panels[0].lines
    assert [line.is_faint for line in lines] == [False, True, True]
    few = halves.head(FEWEST - 1)
    assert find_distributions(few) == []


def test_times_below_the_clock_step_are_drawn_at_the_left_edge() -> None:
    """Samples as ab writes them, in whole milliseconds: most requests to a fast server take 0."""
    frame = compared().observations
    assert frame is not None
    rows = frame[frame["stat"].eq("sample") & frame["variant"].eq("agent")].head(400)
    rounded = np.repeat([0.0, 0.001, 0.003, 0.02], [385, 3, 11, 1])
    (distribution,) = find_distributions(rows.assign(value=rounded))
    assert (
        distribution.pooled.n,
        distribution.pooled.values[0],
        distribution.pooled.shares[0],
    ) == (400, 0.0, 0.9625)
    assert thin(np.sort(np.tile(rounded, 100))).shares[0] == 0.9625
    (panel,) = ecdf.data([distribution]).panels
    (line,) = panel.lines
    assert (line.x[0], line.y[0], line.x[-1]) == (0.5, 0.9625, 20.0)
    assert panel.x.label == "latency, ms (< 1: shown as 0)"
    assert panel.x.ticks[:2] == ((0.5, "< 1"), (1.0, "1"))
    assert panel.y.is_from_zero
    assert find_distributions(rows.assign(value=0.0)) == []


def test_svg_is_reproducible() -> None:
    chart = kinds.collect("ecdf", compared().material)
    first, second = (to_svg(draw_chart(chart), "t", "d", prefix="e") for _ in range(2))
    assert first == second
    assert len(first) < 400_000


def test_missing_samples_are_refused_with_the_reason() -> None:
    comparison = bk.load(FIXTURES / "vegeta-single").compare(baseline="no-agent")
    with pytest.raises(DataError, match="no raw samples, only the tool's summaries"):
        comparison.plot.ecdf()
    assert "benchkit plot ecdf" in comparison.to_html()
