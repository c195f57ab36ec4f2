"""Tooltips of a page: the exact value under the pointer, without a script."""

from __future__ import annotations

import math
from collections.abc import Iterable, Iterator, Sequence
from html import escape
from typing import TYPE_CHECKING, NamedTuple

from benchkit.intervals import format_interval
from benchkit.plots.chart import Axis, Chart, Line, Panel
from benchkit.units import format_change, format_number, printable

if TYPE_CHECKING:
    from matplotlib.axes import Axes

#: Maximum number of points of a line with tooltips, and the digits of their values.
_POINTS, _DIGITS = 60, 5
#: Distance from the pointer, in points.
_REACH = 5


class Tip(NamedTuple):
    """A text and its position: points from the left and bottom edges of the figure."""

    x: float
    y: float
    text: str


def list_tips(chart: Chart, axes: Sequence[Axes]) -> list[Tip]:
    """Return a tooltip for each point of the labelled lines, by their axes."""
    return [
        tip
        for panel, drawn in zip(chart.panels, axes, strict=True)
        for line in panel.lines
        for tip in place_tips(drawn, _describe_line(panel, line))
    ]


def place_tips(axes: Axes, texts: Iterable[tuple[float, float, str]]) -> Iterator[Tip]:
    """Yield tooltips at positions on the axes' scales."""
    axes.get_xlim(), axes.get_ylim()  # this fixes the scales
    figure = axes.get_figure(root=True)
    scale = 72 / figure.dpi if figure else 1.0
    for x, y, text in texts:
        left, bottom = axes.transData.transform((x, y))
        yield Tip(float(left) * scale, float(bottom) * scale, text)


def write_tips(tips: Sequence[Tip], height: float) -> str:
    """Write tooltips as elements of an SVG with this height in points.

    Examples
    --------
    >>> write_tips([Tip(3, 4, "otlp: 5 ms")], 10).partition("<circle ")[2]
    'cx="3" cy="6" r="5"><title>otlp: 5 ms</title></circle></g>'
    """
    if not tips:
        return ""
    marks = "".join(
        f'<circle cx="{tip.x:.4g}" cy="{height - tip.y:.4g}" r="{_REACH}">'
        f"<title>{escape(printable(tip.text))}</title></circle>"
        for tip in tips
    )
    return f'<g fill="none" pointer-events="all">{marks}</g>'


def _describe_line(panel: Panel, line: Line) -> Iterator[tuple[float, float, str]]:
    if line.is_faint or line.kind in {"bound", "bar"} or len(line.x) > _POINTS:
        return
    names = (each.name for each in panel.lines if each.name and each.series == line.series)
    name = line.name or next(names, "")
    points = range(len(line.x)) if line.kind != "level" else range(len(line.x) - 1, len(line.x))
    for at in points:
        x, y = line.x[at], line.y[at]
        if math.isfinite(x) and math.isfinite(y):
            place = "median" if line.kind == "level" else _write_place(panel.x, x)
            yield x, y, f"{name}, {place}: {_write_value(panel.y, line, at)}"


def _write_place(axis: Axis, place: float) -> str:
    """Write the position of a point: ``p90``, ``run 3``, ``4.2 s since the run began``."""
    text = next((text for tick, text in axis.ticks if tick == place), None)
    if text is not None:
        return text
    if axis.is_whole:
        return f"{axis.label.partition(',')[0].partition(' (')[0]} {format_number(place, 1)}"
    return f"{format_number(place)} {axis.label}"


def _write_value(axis: Axis, line: Line, at: int) -> str:
    if axis.is_change:
        change = math.exp(line.y[at])
        if not line.low:
            return format_change(change)
        ends = math.exp(line.low[at]), math.exp(line.high[at])
        return f"{format_change(change)} {format_interval(*ends, ratio=change)}"
    unit = axis.label.rpartition(", ")[2] if ", " in axis.label else ""
    value = format_number(line.y[at], _DIGITS)
    return f"{value}/s" if unit == "1/s" else f"{value} {unit}".strip()
