"""The drawing of a `Chart`: panels side by side, lines labelled at their ends.

A label next to its line replaces a legend, and colour is never the only cue: every series also has
a mark and a dash.
"""

from __future__ import annotations

import math
from collections.abc import Iterator, Sequence
from dataclasses import replace
from operator import attrgetter
from typing import TYPE_CHECKING

from benchkit.plots import theme
from benchkit.plots.chart import Axis, Chart, Line, Panel, digits_of, write_tick
from benchkit.plots.labels import CHARACTER, LONGEST, label_lines, label_points, plain, thin_ticks

if TYPE_CHECKING:
    from matplotlib.axes import Axes
    from matplotlib.figure import Figure
    from matplotlib.ticker import Formatter

_WIDTH, _PANEL = 9.4, 3.1  # inches: the page, the height of a panel
_MARKS = ("o", "s", "^", "D", "v")
_DASHES = ("-", "-", (0, (5, 1.5)), (0, (3, 1, 1, 1)), (0, (1, 1)))
_FAINT, _RIBBON, _BOUND = 0.28, 0.16, 0.8
_BOLD = 0.088  # inches per bold character at 9 points, generously
_LABELS_WIDTH = 0.7  # inches above the labels of lines
_HEADROOM = 1.06  # so that a ring at the top is complete
_XY = (attrgetter("x"), attrgetter("y"))
_TICKS = 6  # at most, plus one
_STEPS = (1, 2, 5, 10)  # of a decade, between two of them
_MARKED = 40  # maximum number of points that are marked individually


def draw_chart(chart: Chart) -> Figure:
    """Draw every panel, two per row if there are several."""
    from matplotlib.figure import Figure

    columns = min(len(chart.panels), 2) or 1
    rows = math.ceil(len(chart.panels) / columns) or 1
    with theme.applied():
        figure = Figure(figsize=(_WIDTH, _PANEL * rows))
        for place, panel in enumerate(chart.panels):
            _draw_in(figure, panel, place // columns, place % columns, (rows, columns))
        return figure


def draw_panel(panel: Panel, axes: Axes) -> Axes:
    """Draw one panel on given axes; only these axes are changed."""
    _set_axes(axes, panel)
    axes.set_title(
        plain(_fit(panel.heading, axes)),
        loc="left",
        y=1.0,  # its usual position; nothing is measured to find it
        color=theme.color("ink"),
        fontsize=9,
        fontweight="bold",
        parse_math=False,
    )
    for line in _join_faint(panel.lines):
        _draw_line(axes, line)
    if panel.y.is_from_zero:
        axes.set_ylim(0, axes.get_ylim()[1] * _HEADROOM)
    if panel.window:
        _shade_outside(axes, panel)
    if panel.x.ticks:
        thin_ticks(axes, sorted(panel.x.ticks))
    label_lines(axes, panel)
    label_points(axes, panel)
    return axes


def _join_faint(lines: Sequence[Line]) -> Iterator[Line]:
    """Yield the faint lines of a series as one line with gaps: many runs become a single stroke."""
    joined: dict[tuple[int, str], list[Line]] = {}
    for line in lines:
        if line.is_faint and not line.low:
            joined.setdefault((line.series, line.kind), []).append(line)
        else:
            yield line
    for same in joined.values():
        x, y = ([v for line in same for v in (*values(line), math.nan)] for values in _XY)
        yield replace(same[0], x=tuple(x), y=tuple(y))


def _fit(heading: str, axes: Axes) -> str:
    """Omit the middle of a heading that is wider than its panel and the labels next to it."""
    width = axes.get_position().width * axes.figure.get_figure(root=True).get_size_inches()[0]
    most = max(math.floor((width + _LABELS_WIDTH) / _BOLD), 12)
    if len(heading) <= most:
        return heading
    return f"{heading[: most // 2]}…{heading[len(heading) + 1 - most + most // 2 :]}"


def _draw_in(figure: Figure, panel: Panel, row: int, column: int, shape: tuple[int, int]) -> None:
    rows, columns = shape
    names = [line.name for line in panel.lines]
    left, bottom, top = 0.78, 0.52, 0.34
    right = 0.16 + CHARACTER * min(max(map(len, names), default=0), LONGEST)
    width, height = _WIDTH / columns, _PANEL * rows
    place = (
        (column * width + left) / _WIDTH,
        ((rows - 1 - row) * _PANEL + bottom) / height,
        (width - left - right) / _WIDTH,
        (_PANEL - bottom - top) / height,
    )
    draw_panel(panel, figure.add_axes(place))


def _set_axes(axes: Axes, panel: Panel) -> None:
    axes.patch.set_alpha(0)
    for name, spine in axes.spines.items():
        spine.set_visible(name in {"left", "bottom"})
        spine.set_color(theme.color("rule"))
    for low, high in panel.shade:
        axes.axvspan(low, high, color=theme.color("band"), lw=0, zorder=0)
    if panel.band:
        axes.axhspan(*panel.band, color=theme.color("band"), lw=0, zorder=0)
    if panel.zero is not None:
        axes.axhline(panel.zero, color=theme.color("muted"), lw=1, zorder=1)
    axes.set_xscale("log" if panel.x.is_logarithmic else "linear")
    axes.set_yscale("log" if panel.y.is_logarithmic else "linear")
    axes.tick_params(colors=theme.color("muted"), length=3, labelsize=8, which="both")
    axes.set_xlabel(plain(panel.x.label), color=theme.color("muted"), fontsize=8, parse_math=False)
    axes.set_ylabel(plain(panel.y.label), color=theme.color("muted"), fontsize=8, parse_math=False)
    _set_ticks(axes, panel)


def _shade_outside(axes: Axes, panel: Panel) -> None:
    """Shade the time before and after the run, if the axis includes it."""
    begin, end = panel.window
    places = [x for line in panel.lines for x in line.x]
    low, high = axes.get_xlim()
    for edge, far, is_seen in (
        (begin, low, min(places) < begin),
        (end, high, max(places) > end),
    ):
        if is_seen:
            axes.axvspan(edge, far, color=theme.color("band"), lw=0, zorder=0)
            axes.axvline(edge, color=theme.color("rule"), lw=1, zorder=1)
    axes.set_xlim(low, high)


def _set_ticks(axes: Axes, panel: Panel) -> None:
    from matplotlib.ticker import MaxNLocator, NullFormatter, NullLocator

    sides: tuple[tuple[str, Axis], ...] = (("x", panel.x), ("y", panel.y))
    for name, axis in sides:
        drawn = axes.xaxis if name == "x" else axes.yaxis
        drawn.set_major_formatter(_tick_writer())
        if not axis.is_logarithmic:
            drawn.set_major_locator(MaxNLocator(nbins=_TICKS, steps=_STEPS, integer=axis.is_whole))
        drawn.set_minor_formatter(NullFormatter())
        if axis.ticks:
            drawn.set_ticks([place for place, _ in axis.ticks])
            drawn.set_ticklabels([plain(text) for _, text in axis.ticks])
            drawn.set_minor_locator(NullLocator())


def _tick_writer() -> Formatter:
    """Return a function that writes ticks with enough digits to distinguish neighbours."""
    from matplotlib.ticker import Formatter

    class Writer(Formatter):
        def __call__(self, x: float, pos: int | None = None) -> str:  # noqa: ARG002 - as it is called
            return plain(write_tick(x))

        def format_ticks(self, values: Sequence[float]) -> list[str]:
            digits = digits_of(values)
            return [plain(write_tick(value, digits)) for value in values]

    return Writer()


def _draw_line(axes: Axes, line: Line) -> None:
    ink = theme.color(f"series{line.series}")
    if line.kind == "level":
        axes.plot(line.x, line.y, "-", lw=1.6, color=ink, zorder=3, solid_capstyle="butt")
        return
    if line.kind == "dots":
        axes.plot(line.x, line.y, _MARKS[line.series], ms=4, mew=0, color=ink, alpha=0.8, zorder=3)
        return
    if line.kind == "bound":
        axes.plot(line.x, line.y, ":", lw=1.2, color=ink, alpha=_BOUND, zorder=2)
        return
    if line.kind == "ring":
        axes.plot(line.x, line.y, "o", ms=11, mew=1.4, mfc="none", color=ink, zorder=4)
        return
    if line.kind == "bar":
        ends = [[y - low for y, low in zip(line.y, line.low, strict=True)],
                [high - y for y, high in zip(line.y, line.high, strict=True)]]  # fmt: skip
        axes.errorbar(line.x, line.y, ends, fmt="none", ecolor=ink, elinewidth=1.2, capsize=4)
        return
    if line.low:
        axes.fill_between(line.x, line.low, line.high, color=ink, alpha=_RIBBON, lw=0, zorder=2)
    marked = not line.is_faint and line.kind == "line" and len(line.x) <= _MARKED
    axes.plot(
        line.x,
        line.y,
        linestyle=_DASHES[line.series],
        drawstyle="steps-post" if line.kind == "steps" else "default",
        marker=_MARKS[line.series] if marked else "",
        ms=4,
        mew=0,
        lw=0.8 if line.is_faint else 1.6,
        alpha=_FAINT if line.is_faint else 1,
        color=ink,
        zorder=2 if line.is_faint else 3,
    )
