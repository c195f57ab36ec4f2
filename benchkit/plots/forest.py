"""The forest plot: the cost of each variant, with its interval, its runs and the margin.

The layout of the forest plot: labels on the left, axis in the middle, numbers on the right.

Positions are computed in inches from the texts, so nothing overlaps, whatever the names.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from typing import TYPE_CHECKING

from benchkit.comparison import margin_bounds
from benchkit.plots import theme
from benchkit.plots.chart import Tick, ratio_ticks, write_percent
from benchkit.plots.rows import MOST_ROWS, Forest, Row, data, describe, name_axis
from benchkit.plots.tips import Tip, place_tips
from benchkit.units import format_change
from benchkit.verdict import (
    CHANGED,
    EQUIVALENT,
    IMPROVEMENT,
    INCONCLUSIVE,
    REGRESSION,
    UNCHANGED,
)

if TYPE_CHECKING:
    from matplotlib.axes import Axes
    from matplotlib.figure import Figure

    from benchkit.plots.tips import Tip
    from benchkit.verdict import Verdicts

__all__ = ["MOST_ROWS", "Forest", "Row", "data", "describe", "draw", "draw_on", "list_tips"]
_WIDTH, _LINE, _HEAD = 9.4, 0.30, 0.34  # inches
_TOP, _BOTTOM = 0.04, 0.48
_CHARACTER = 0.078  # inches per character at 9 points, generously
_NUMBERS = 2.5  # inches for estimate and interval
_BOLD = 1.15  # times as wide
_LONGEST = 40  # characters of a label
_AWAY = 0.075  # distance of runs from their row in inches
#: verdict -> colour, mark: as in the tables, so colour is never the only cue
_LOOK = {
    REGRESSION: ("worse", "▲"),
    IMPROVEMENT: ("better", "▼"),
    EQUIVALENT: ("same", "="),
    UNCHANGED: ("same", "="),
    CHANGED: ("same", "≠"),
    INCONCLUSIVE: ("same", "~"),
}


def draw(verdicts: Verdicts) -> Figure:
    """Draw the forest plot.

    Returns
    -------
    Figure
        In the theme's colours, for `benchkit.plots.svg.to_svg`.
    """
    return draw_forest(data(verdicts))


def draw_on(verdicts: Verdicts, axes: Axes) -> Axes:
    """Draw the forest plot on given axes, with names and estimates as tick labels."""
    return draw_forest_on(data(verdicts), axes)


def list_tips(verdicts: Verdicts, figure: Figure) -> list[Tip]:
    """Return the page's tooltips for the marks of a drawn forest plot."""
    forest = data(verdicts)
    return list_forest_tips(forest, figure.axes[0]) if forest.rows else []


def draw_forest(forest: Forest) -> Figure:
    """Draw the rows of a forest plot, or an empty figure if there are none."""
    from matplotlib.figure import Figure

    with theme.applied():
        headings = list(dict.fromkeys(row.heading for row in forest.rows))
        body = _LINE * len(forest.rows) + _HEAD * len(headings)
        height = body + _TOP + _BOTTOM
        figure = Figure(figsize=(_WIDTH, height))
        widths = [len(row.label) for row in forest.rows]
        widths += [math.ceil(_BOLD * len(heading)) for heading in headings]
        left = 0.2 + _CHARACTER * min(max(widths, default=0), _LONGEST)
        axes = figure.add_axes(
            (left / _WIDTH, _BOTTOM / height, 1 - (left + _NUMBERS) / _WIDTH, body / height)
        )
        _set_axis(axes, forest, body)
        _draw_rows(axes, forest)
        return figure


def draw_forest_on(forest: Forest, axes: Axes) -> Axes:
    """Draw the rows on given axes: names and estimates are the tick labels."""
    headings = dict.fromkeys(row.heading for row in forest.rows)
    _set_axis(axes, forest, _LINE * len(forest.rows) + _HEAD * len(headings))
    y, heading = 0.0, None
    places: list[tuple[float, str]] = []
    for row in forest.rows:
        if row.heading != heading:
            heading = row.heading
            y += _HEAD
            places.append((y - _HEAD / 2, f"{_shorten(heading)} ({row.better} is better)"))
        y += _LINE
        _draw_marks(axes, forest, row, y - _LINE / 2)
        text = " ".join((_shorten(row.label), _LOOK[row.word][1], row.texts[0]))
        places.append((y - _LINE / 2, text))
    axes.set_yticks([place for place, _ in places], [_plain(text) for _, text in places])
    axes.tick_params(axis="y", colors=theme.color("ink"), length=0, labelsize=8)
    for label in axes.get_yticklabels():
        label.set_parse_math(False)
    return axes


def _set_axis(axes: Axes, forest: Forest, body: float) -> None:
    low, high = _limits(forest)
    axes.set_xlim(low, high)
    axes.set_ylim(body, 0)
    axes.set_yticks([])
    axes.patch.set_alpha(0)
    for name, spine in axes.spines.items():
        spine.set_visible(name == "bottom")
        spine.set_color(theme.color("rule"))
    band = [_place(forest, edge) for edge in margin_bounds(forest.margin)]
    axes.axvspan(band[0], band[1], color=theme.color("band"), lw=0, zorder=0)
    axes.axvline(0, color=theme.color("muted"), lw=1, zorder=1)
    ticks = _ticks(axes, forest, low, high)
    axes.set_xticks([place for place, _ in ticks])
    axes.set_xticklabels([text for _, text in ticks])
    axes.tick_params(axis="x", colors=theme.color("muted"), length=3, labelsize=8)
    axes.set_xlabel(
        _plain(name_axis(forest)), color=theme.color("muted"), fontsize=8, parse_math=False
    )


def _ticks(axes: Axes, forest: Forest, low: float, high: float) -> Sequence[Tick]:
    if not forest.is_logarithmic:
        places = [float(place) for place in axes.get_xticks() if low <= place <= high]
        return [(place, write_percent(place)) for place in places]
    return ratio_ticks(low, high)


def _limits(forest: Forest) -> tuple[float, float]:
    places = [_place(forest, p) for row in forest.rows for p in row.positions if p > 0]
    edges = [1.6 * _place(forest, edge) for edge in margin_bounds(forest.margin)]
    low, high = min([edges[0], *places]), max([edges[1], *places])
    pad = 0.04 * (high - low)
    return low - pad, high + pad


def _place(forest: Forest, ratio: float) -> float:
    return math.log(ratio) if forest.is_logarithmic else ratio - 1


def _draw_rows(axes: Axes, forest: Forest) -> None:
    y, heading, direction = 0.0, None, ""
    for row in forest.rows:
        if row.heading != heading:
            heading = row.heading
            y += _HEAD
            shown = _shorten(heading, math.floor(_LONGEST / _BOLD))
            _write(axes, shown, y - 0.10, weight="bold", name="ink")
            if row.better not in {"none", direction}:
                direction = row.better if forest.metric else ""
                _write(axes, f"{row.better} is better", y - 0.10, at=0.12, name="muted")
        y += _LINE
        _draw_row(axes, forest, row, y - _LINE / 2)


def list_forest_tips(forest: Forest, axes: Axes) -> list[Tip]:
    """Return the page's tooltips for each estimate and run."""
    texts: list[tuple[float, float, str]] = []
    y, heading = 0.0, None
    for row in forest.rows:
        y += _LINE + (_HEAD if row.heading != heading else 0)
        heading, middle = row.heading, y - _LINE / 2
        for runs, side, away in (
            (row.baseline_runs, "baseline", _AWAY),
            (row.runs, row.label, -_AWAY),
        ):
            texts += [
                (_place(forest, run), middle + away, f"{side}, one run: {format_change(run)}")
                for run in runs
                if run > 0
            ]
        tip = f"{row.heading}, {row.label}: {' '.join(row.texts).strip()}"
        texts.append((_place(forest, row.ratio), middle, tip))
    return list(place_tips(axes, texts))


def _draw_row(axes: Axes, forest: Forest, row: Row, y: float) -> None:
    look, mark = _LOOK[row.word]
    _draw_marks(axes, forest, row, y)
    _write(axes, _shorten(row.label), y + 0.045, name="ink")
    estimate, interval = row.texts
    _write(axes, mark, y + 0.045, at=0.12, name=look)
    _write(axes, estimate, y + 0.045, at=0.94, align="right", name=look)
    _write(axes, interval, y + 0.045, at=1.02, name="muted")


def _draw_marks(axes: Axes, forest: Forest, row: Row, y: float) -> None:
    """Draw runs, interval and estimate of a row."""
    ink = theme.color(_LOOK[row.word][0])

    def place(ratios: tuple[float, ...]) -> list[float]:
        return [_place(forest, ratio) for ratio in ratios if ratio > 0]

    base, runs = place(row.baseline_runs), place(row.runs)
    below, above = y + _AWAY, y - _AWAY
    axes.plot(
        base,
        [below] * len(base),
        "o",
        ms=2.6,
        mew=0,
        alpha=0.5,
        color=theme.color("muted"),
        zorder=2,
    )
    axes.plot(runs, [above] * len(runs), "o", ms=2.6, mew=0, alpha=0.55, color=ink, zorder=2)
    if row.low is not None and row.high is not None:
        axes.plot(place((row.low, row.high)), [y, y], lw=1.8, color=ink, zorder=3)
    is_solid = row.low is not None
    face = ink if is_solid else theme.color("paper")
    middle = place((row.ratio,))
    axes.plot(middle, [y], "D", ms=5.5, mew=1.2, mfc=face, mec=ink, zorder=4)


def _write(
    axes: Axes,
    text: str,
    y: float,
    *,
    name: str,
    at: float | None = None,
    align: str = "left",
    weight: str = "normal",
) -> None:
    """Write a text: in the left margin, or ``at`` inches right of the axis."""
    from matplotlib.transforms import ScaledTranslation, blended_transform_factory

    figure = axes.figure
    edge = 0.0 if at is None else 1.0
    inches = 0.01 - axes.get_position().x0 * _WIDTH if at is None else at
    shift = ScaledTranslation(inches, 0, figure.dpi_scale_trans)
    axes.text(
        edge,
        y,
        _plain(text),
        transform=blended_transform_factory(axes.transAxes, axes.transData) + shift,
        ha=align,
        va="baseline",
        color=theme.color(name),
        fontweight=weight,
        parse_math=False,
    )


def _shorten(text: str, most: int = _LONGEST) -> str:
    return text if len(text) <= most else f"…{text[1 - most :]}"


def _plain(text: str) -> str:
    """Replace spaces that the drawing font lacks."""
    return text.replace("\N{NARROW NO-BREAK SPACE}", "\N{NO-BREAK SPACE}")
