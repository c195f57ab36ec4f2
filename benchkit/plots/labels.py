"""Texts inside a panel: names at the ends of lines, and labels of points."""

from __future__ import annotations

import math
from collections.abc import Iterator, Sequence
from itertools import chain, pairwise
from typing import TYPE_CHECKING

from benchkit.plots import theme
from benchkit.plots.chart import Line, Panel, Tick
from benchkit.units import printable

if TYPE_CHECKING:
    from matplotlib.axes import Axes

CHARACTER = 0.074  # inches per character at 8 points, generously
LONGEST = 24  # maximum length of a label
LABEL = 0.17  # inches between the labels of two lines
#: The position of a label, in inches from its point: right, up, and horizontal alignment.
_NEXT = (
    (0.0, 0.11, "center"),
    (0.08, 0.0, "left"),
    (-0.08, 0.0, "right"),
    (0.0, -0.12, "center"),
    (-0.06, 0.1, "right"),
    (0.06, -0.11, "left"),
    (0.06, 0.1, "left"),
    (-0.06, -0.11, "right"),
)
#: The same for a ringed point.
_AROUND = tuple((2 * right, 1.7 * up, align) for right, up, align in _NEXT)
_STROKE = 0.04  # inches between two boxes along a line
_ALIGNED = {"center": 0.5, "left": 0.0, "right": 1.0}
_Box = tuple[float, float, float, float]


def label_lines(axes: Axes, panel: Panel) -> None:
    """Write each name at the end of its line, moved apart if ends are close."""
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
    spread = keep_below(spread_labels([ends[line.name] for line in named]), height)
    for line, at in zip(named, spread, strict=True):
        axes.text(
            1,
            at / height,
            plain(shorten_label(line.name)),
            transform=blended_transform_factory(axes.transAxes, axes.transAxes) + shift,
            va="center",
            fontsize=8,
            color=theme.color(f"series{line.series}"),
            parse_math=False,
        )


def thin_ticks(axes: Axes, ticks: Sequence[Tick]) -> None:
    """Omit tick labels along x that would overlap; the last one is always written."""
    dpi = axes.figure.get_figure(root=True).dpi
    axes.autoscale_view()
    shown, edge = [], float("inf")
    for place, text in reversed(ticks):
        middle = float(axes.transData.transform((place, axes.get_ylim()[0]))[0]) / dpi
        half = CHARACTER * (len(text) + 1) / 2
        is_free = middle + half <= edge
        shown.append(plain(text) if is_free else "")
        edge = middle - half if is_free else edge
    axes.set_xticks([place for place, _ in ticks], shown[::-1])


def label_points(axes: Axes, panel: Panel) -> None:
    """Write the labels of points if there is room: the ends of each line first."""
    from matplotlib.transforms import ScaledTranslation

    figure = axes.figure
    labelled = [line for line in panel.lines if line.labels]
    points = {(line, i): pair for line in labelled for i, pair in enumerate(_places(axes, line))}
    dots = [pair for line in panel.lines if line.kind == "dots" for pair in _places(axes, line)]
    taken: list[_Box] = [
        (x - 0.03, y - 0.03, x + 0.03, y + 0.03) for x, y in (*points.values(), *dots)
    ]
    for line in (line for line in panel.lines if line.kind == "bar"):
        ends = _places(axes, line, line.low), _places(axes, line, line.high)
        taken += [
            (x - 0.06, low, x + 0.06, high) for (x, low), (_, high) in zip(*ends, strict=True)
        ]
    strokes = [
        box for line in labelled if line.kind == "line" for box in _strokes(_places(axes, line))
    ]
    for line in labelled:
        last = len(line.x) - 1
        for i in dict.fromkeys(chain((0, last), range(last))):
            around = _AROUND if line.kind == "ring" else _NEXT
            place, text = points[line, i], line.labels[i]
            spot = _find_room(place, text, taken + strokes, around)
            spot = spot or _find_room(place, text, taken, around)
            if spot is None:
                continue
            (right, up, align), box = spot
            taken.append(box)
            axes.text(
                line.x[i],
                line.y[i],
                plain(line.labels[i]),
                transform=axes.transData + ScaledTranslation(right, up, figure.dpi_scale_trans),
                ha=align,
                va="center",
                fontsize=7.5,
                color=theme.color(f"series{line.series}"),
                parse_math=False,
            )


def _strokes(places: Sequence[tuple[float, float]]) -> Iterator[_Box]:
    """Yield small boxes along a line, which labels should avoid."""
    for (x, y), (to_x, to_y) in pairwise(places):
        steps = max(round(math.hypot(to_x - x, to_y - y) / _STROKE), 1)
        for step in range(1, steps):
            at_x, at_y = x + (to_x - x) * step / steps, y + (to_y - y) * step / steps
            yield at_x - 0.005, at_y - 0.005, at_x + 0.005, at_y + 0.005


def _places(axes: Axes, line: Line, y: Sequence[float] = ()) -> list[tuple[float, float]]:
    """Return the positions of a line's points, or of others above and below them, in inches."""
    dpi = axes.figure.get_figure(root=True).dpi
    pairs = (axes.transData.transform(pair) / dpi for pair in zip(line.x, y or line.y, strict=True))
    return [(float(x), float(y)) for x, y in pairs]


def _find_room(
    point: Sequence[float],
    text: str,
    taken: Sequence[_Box],
    around: Sequence[tuple[float, float, str]],
) -> tuple[tuple[float, float, str], _Box] | None:
    width, height = CHARACTER * len(text), 0.12
    for right, up, align in around:
        left = point[0] + right - _ALIGNED[align] * width
        low = point[1] + up - height / 2
        box = (left, low, left + width, low + height)
        if not any(_overlap(box, other) for other in taken):
            return (right, up, align), box
    return None


def _overlap(a: _Box, b: _Box) -> bool:
    return a[0] < b[2] and b[0] < a[2] and a[1] < b[3] and b[1] < a[3]


def spread_labels(places: list[float], least: float = LABEL) -> list[float]:
    """Move positions apart by at least ``least``, in order, and as little as possible.

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
    spread = [0.0] * len(places)
    for middle, members in merged:
        for step, index in enumerate(members):
            spread[index] = round(middle + (step - (len(members) - 1) / 2) * least, 9)
    return spread


def keep_below(places: Sequence[float], highest: float, least: float = LABEL) -> list[float]:
    """Move positions down that are above the axes, and those that they would overlap.

    Examples
    --------
    >>> keep_below([0.5, 2.5, 2.0], highest=2.0, least=0.5)
    [0.5, 2.0, 1.5]
    """
    lowered, room = list(places), highest
    for index in sorted(range(len(lowered)), key=lambda index: -lowered[index]):
        lowered[index] = min(lowered[index], room)
        room = lowered[index] - least
    return lowered


def _meet(below: tuple[float, list[int]], above: tuple[float, list[int]], least: float) -> bool:
    room = (len(below[1]) + len(above[1])) / 2 * least
    return above[0] - below[0] < room


def shorten_label(text: str) -> str:
    """Keep the end of a name that is too long, because names differ there."""
    return text if len(text) <= LONGEST else f"…{text[1 - LONGEST :]}"


def plain(text: str) -> str:
    """Replace characters that the drawing font lacks, and invisible ones."""
    return printable(text).replace("\N{NARROW NO-BREAK SPACE}", "\N{NO-BREAK SPACE}")
