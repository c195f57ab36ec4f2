"""How a `Chart` is drawn: panels side by side, lines labelled where they end.

In: a `Chart`. Out: a matplotlib `Figure`, or the `Axes` of one's own. Why: a label beside its line
needs no legend to look up, and colour never stands alone: every series has a mark and a dash too.
"""

from __future__ import annotations

import math
from typing import TYPE_CHECKING

from benchkit.plots import theme
from benchkit.plots.chart import Axis, Chart, Line, Panel
from benchkit.plots.ticks import write_tick
from benchkit.units import printable

if TYPE_CHECKING:
    from matplotlib.axes import Axes
    from matplotlib.figure import Figure

_WIDTH, _PANEL = 9.4, 3.1  # inches: the page, the height of a panel
_MARKS = ("o", "s", "^", "D", "v")
_DASHES = ("-", "-", (0, (5, 1.5)), (0, (3, 1, 1, 1)), (0, (1, 1)))
_CHARACTER = 0.074  # inches of a character at 8 points, generously
_LONGEST = 24  # characters of a label
_LABEL = 0.17  # inches between the labels of two lines
_FAINT, _RIBBON = 0.28, 0.16
_MARKED = 40  # points up to which each is marked


def draw_chart(chart: Chart) -> Figure:
    """Draw every panel, two in a row where there are several."""
    from matplotlib.figure import Figure

    columns = min(len(chart.panels), 2) or 1
    rows = math.ceil(len(chart.panels) / columns) or 1
    with theme.applied():
        figure = Figure(figsize=(_WIDTH, _PANEL * rows))
        for place, panel in enumerate(chart.panels):
            _draw_in(figure, panel, place // columns, place % columns, (rows, columns))
        return figure


def draw_panel(panel: Panel, axes: Axes) -> Axes:
    """Draw one panel on axes of one's own; nothing but these axes is changed."""
    _set_axes(axes, panel)
    axes.set_title(
        _plain(panel.heading),
        loc="left",
        color=theme.color("ink"),
        fontsize=9,
        fontweight="bold",
        parse_math=False,
    )
    for line in panel.lines:
        _draw_line(axes, line)
    _label_lines(axes, panel)
    return axes


def _draw_in(figure: Figure, panel: Panel, row: int, column: int, shape: tuple[int, int]) -> None:
    rows, columns = shape
    names = [line.name for line in panel.lines]
    left, bottom, top = 0.78, 0.52, 0.34
    right = 0.16 + _CHARACTER * min(max(map(len, names), default=0), _LONGEST)
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
    axes.set_xlabel(_plain(panel.x.label), color=theme.color("muted"), fontsize=8, parse_math=False)
    axes.set_ylabel(_plain(panel.y.label), color=theme.color("muted"), fontsize=8, parse_math=False)
    _set_ticks(axes, panel)


def _set_ticks(axes: Axes, panel: Panel) -> None:
    from matplotlib.ticker import FuncFormatter, MaxNLocator, NullFormatter, NullLocator

    sides: tuple[tuple[str, Axis], ...] = (("x", panel.x), ("y", panel.y))
    for name, axis in sides:
        drawn = axes.xaxis if name == "x" else axes.yaxis
        drawn.set_major_formatter(FuncFormatter(lambda value, _: _plain(write_tick(value))))
        if axis.is_whole:
            drawn.set_major_locator(MaxNLocator(integer=True))
        drawn.set_minor_formatter(NullFormatter())
        if axis.ticks:
            drawn.set_ticks([place for place, _ in axis.ticks])
            drawn.set_ticklabels([_plain(text) for _, text in axis.ticks])
            drawn.set_minor_locator(NullLocator())


def _draw_line(axes: Axes, line: Line) -> None:
    ink = theme.color(f"series{line.series}")
    if line.kind == "level":
        axes.plot(line.x, line.y, "-", lw=1.6, color=ink, zorder=3, solid_capstyle="butt")
        return
    if line.kind == "dots":
        axes.plot(line.x, line.y, _MARKS[line.series], ms=4, mew=0, color=ink, alpha=0.8, zorder=3)
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


def _label_lines(axes: Axes, panel: Panel) -> None:
    """Write each name where its line ends, moved apart where ends meet."""
    from matplotlib.transforms import ScaledTranslation, blended_transform_factory

    named = [line for line in panel.lines if line.name and line.x]
    figure = axes.figure
    height = axes.get_position().height * figure.get_figure(root=True).get_size_inches()[1]
    axes.autoscale_view()
    ends = {}
    for line in named:
        place = axes.transData.transform((line.x[-1], line.y[-1]))
        ends[line.name] = float(axes.transAxes.inverted().transform(place)[1]) * height
    shift = ScaledTranslation(0.1, 0, figure.dpi_scale_trans)
    for line, at in zip(named, spread_labels([ends[line.name] for line in named]), strict=True):
        axes.text(
            1,
            at / height,
            _plain(shorten_label(line.name)),
            transform=blended_transform_factory(axes.transAxes, axes.transAxes) + shift,
            va="center",
            fontsize=8,
            color=theme.color(f"series{line.series}"),
            parse_math=False,
        )


def spread_labels(places: list[float], least: float = _LABEL) -> list[float]:
    """Move places apart until neighbours keep ``least``, in their order, and as little as can be.

    Examples
    --------
    >>> spread_labels([0.0, 0.1, 3.0], least=0.5)
    [-0.2, 0.3, 3.0]
    """
    groups = [[place, [index]] for index, place in sorted(enumerate(places), key=lambda p: p[1])]
    merged: list[tuple[float, list[int]]] = []
    for middle, members in groups:
        merged.append((middle, members))  # type: ignore[arg-type]
        while len(merged) > 1 and _meet(merged[-2], merged[-1], least):
            (low, left), (high, right) = merged[-2:]
            both = left + right
            merged[-2:] = [((low * len(left) + high * len(right)) / len(both), both)]
    found = [0.0] * len(places)
    for middle, members in merged:
        for step, index in enumerate(members):
            found[index] = round(middle + (step - (len(members) - 1) / 2) * least, 9)
    return found


def _meet(below: tuple[float, list[int]], above: tuple[float, list[int]], least: float) -> bool:
    room = (len(below[1]) + len(above[1])) / 2 * least
    return above[0] - below[0] < room


def shorten_label(text: str) -> str:
    """Keep the end of a name that is too long, where names differ."""
    return text if len(text) <= _LONGEST else f"…{text[1 - _LONGEST :]}"


def _plain(text: str) -> str:
    """Replace what the drawing font lacks, and characters that are not to be seen."""
    return printable(text).replace("\N{NARROW NO-BREAK SPACE}", "\N{NO-BREAK SPACE}")
