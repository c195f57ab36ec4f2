"""One metric over many commits: its levels, their changes, and where the newest should be."""

from __future__ import annotations

import math
from collections.abc import Iterator, Sequence
from itertools import pairwise
from statistics import median
from typing import TYPE_CHECKING

from benchkit.history.model import OUTSIDE, Change, History, Point, Series
from benchkit.history.naming import is_cost, name_commits, name_series
from benchkit.plots import theme
from benchkit.plots.chart import Axis, Chart, Line, Panel, arrange
from benchkit.plots.grid import draw_chart
from benchkit.plots.places import name_values
from benchkit.units import Scale, common_scale, format_change, format_quantity

if TYPE_CHECKING:
    from matplotlib.figure import Figure

#: Whether a change is for the worse -> its colour: as in the forest plot, costs are orange and
#: gains blue.
_SERIES = {True: 2, False: 1, None: 3}
_Placed = Sequence[tuple[int, Point]]


def data(history: History) -> Chart:
    """Collect a panel for each series.

    Returns
    -------
    Chart
        A dot is the median of a commit's runs, a horizontal line the median of a level; every
        second level is shaded, and a ring marks its beginning. The bar is the prediction for the
        newest commit from those of its level. A commit without a measurement is a gap.
    """
    return arrange("History", [_panel(series) for series in history.listed or history.series])


def draw(chart: Chart) -> Figure:
    """Draw it in plain colours, as a separate file."""
    with theme.plain():
        return draw_chart(chart)


def _panel(series: Series) -> Panel:
    scale = common_scale([point.value for point in series.measured], series.unit)
    placed = [(place, point) for place, point in enumerate(series.points) if point.runs]
    at = {point.commit: place for place, point in placed}
    starts = [placed[0][0], *(at[change.commit] for change in series.changes)]
    bounds = [*starts, len(series.points)]
    levels = [[p for p in placed if low <= p[0] < high] for low, high in pairwise(bounds)]
    lines = [_dots(placed, scale), *(_level(level, scale) for level in levels)]
    lines += [
        _ring(series, change, levels[i + 1], scale) for i, change in enumerate(series.changes)
    ]
    names = name_commits(series)
    ticks = {place: names[series.points[place].commit] for place in (*starts, placed[-1][0])}
    shaded = [(low - 0.5, high - 0.5) for low, high in pairwise(bounds)]
    return Panel(
        heading=name_series(series),
        lines=(*lines, *_predicted(series, levels[-1], scale)),
        x=Axis(label="commit", ticks=tuple((float(place), text) for place, text in ticks.items())),
        y=Axis(label=name_values(series.metric, scale)),
        shade=tuple(shaded[1::2]),
    )


def _dots(placed: _Placed, scale: Scale) -> Line:
    x, y = zip(
        *((float(place), point.value / scale.factor) for place, point in placed), strict=True
    )
    return Line(name="", series=0, x=x, y=y, kind="dots")


def _level(level: _Placed, scale: Scale) -> Line:
    middle = median(point.value for _, point in level) / scale.factor
    ends = (level[0][0] - 0.4, level[-1][0] + 0.4)
    return Line(name="", series=0, x=ends, y=(middle, middle), kind="level")


def _ring(series: Series, change: Change, level: _Placed, scale: Scale) -> Line:
    place, point = level[0]
    is_relative = not math.isnan(change.ratio)
    size = (
        format_change(change.ratio) if is_relative else format_quantity(change.after, series.unit)
    )
    text = size + (" accepted" if change.reason else "")
    colour = 0 if change.reason else _SERIES[is_cost(series, change)]
    return Line(
        name="", series=colour, x=(float(place),), y=(point.value / scale.factor,),
        kind="ring", labels=(text,),
    )  # fmt: skip


def _predicted(series: Series, level: _Placed, scale: Scale) -> Iterator[Line]:
    """Yield the interval that the level predicts for the newest commit, if it predicts one."""
    newest = series.newest
    if series.is_exact or not newest.low <= newest.high:
        return
    place, point = level[-1]
    middle = point.value / newest.ratio
    ends = [middle * end for end in (newest.low, newest.high)]
    if series.is_difference:
        middle = point.value - newest.difference
        ends = [middle + end for end in (newest.low, newest.high)]
    low, high = (end / scale.factor for end in ends)
    yield Line(
        name=f"newest {newest.verdict}", series=2 if newest.verdict == OUTSIDE else 0,
        x=(float(place),), y=(middle / scale.factor,), low=(low,), high=(high,), kind="bar",
    )  # fmt: skip
