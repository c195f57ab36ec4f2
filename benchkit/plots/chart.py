"""A chart of lines or dots as data: panels, lines, axes.

Six kinds of figure differ in their content, not in how lines, labels and axes are drawn; tests
inspect this data.

Positions and texts of an axis's ticks.

Readers compare with round numbers in the units of the tables: 1-2-5 on a logarithmic axis, and per
cent on an axis of changes.
"""

from __future__ import annotations

import math
import re
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from itertools import pairwise
from typing import Literal, TypeVar

from benchkit.units import format_change, format_number, format_percent

#: Maximum number of distinguishable lines on one axis: the others get their own panel.
MOST_LINES = 5
#: Maximum number of panels that are drawn; the rest are counted.
MOST_PANELS = 8
Kind = Literal["line", "steps", "dots", "level", "bound", "ring", "bar"]
Tick = tuple[float, str]
T = TypeVar("T")

#: The number of ticks whose texts do not overlap.
_MOST = 8
_SMALL = (0.001, 0.01, 0.02, 0.05, 0.1, 0.2, 0.3, 0.4, 0.5, 0.6, 0.7, 0.8, 0.9)
_LARGE = (1.1, 1.25, 1.5, 1.75, 2, 3, 4, 5, 10, 20, 50, 100, 1000, 10000)
#: Tick positions within a decade, the first suitable ones: 1-2-5, or more or fewer if necessary.
_STEPS = ((1, 2, 5), (1, 2, 3, 4, 5, 6, 8), (1,))
_FEWEST = 3


@dataclass(frozen=True, slots=True, kw_only=True)
class Line:
    """One line, or one cloud of dots.

    Parameters
    ----------
    name : str
        The label next to it; empty for none.
    series : int
        The index of its colour and mark: 0 is the baseline's.
    x, y : tuple of float
    low, high : tuple of float
        Ends of the intervals of ``y``; empty if there are none.
    kind : {'line', 'steps', 'dots', 'level', 'bound', 'ring', 'bar'}
        ``level`` is a line across the others: a median. ``bound`` was not measured but cannot be
        exceeded, ``ring`` marks a point of another line, ``bar`` is an interval by itself.
    is_faint : bool
        Whether it is a single run behind the summary.
    labels : tuple of str
        The label next to each point; empty for none.
    """

    name: str
    series: int
    x: tuple[float, ...]
    y: tuple[float, ...]
    low: tuple[float, ...] = ()
    high: tuple[float, ...] = ()
    kind: Kind = "line"
    is_faint: bool = False
    labels: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True, kw_only=True)
class Axis:
    """One axis.

    Parameters
    ----------
    label : str
    ticks : tuple of (place, text)
        Chosen by the drawing if empty.
    is_logarithmic : bool
    is_whole : bool
        Whether it counts, so its ticks are whole numbers.
    is_change : bool
        Whether its positions are logarithms of variant / baseline.
    is_from_zero : bool
        Whether it begins at 0, so that shares of the whole can be read.
    """

    label: str
    ticks: tuple[Tick, ...] = ()
    is_logarithmic: bool = False
    is_whole: bool = False
    is_change: bool = False
    is_from_zero: bool = False

    def write(self, place: float) -> str:
        """Write a position on the axis as in a table."""
        text = next((text for tick, text in self.ticks if tick == place), None)
        if self.is_change:
            return format_change(math.exp(place))
        return text or format_number(place, 1 if self.is_whole else 3)


@dataclass(frozen=True, slots=True, kw_only=True)
class Panel:
    """Lines on the same two axes.

    Parameters
    ----------
    heading : str
    lines : tuple of Line
    x, y : Axis
    zero : float or None
        The position of a line that marks no change.
    band : tuple of float
        A band across, (low, high): the margin. Empty without one.
    shade : tuple of (low, high)
        Shaded segments along x: not measured.
    window : tuple of float
        Along x, (begin, end) of the run: the rest is shaded. Empty without a clock.
    """

    heading: str
    lines: tuple[Line, ...]
    x: Axis
    y: Axis
    zero: float | None = None
    band: tuple[float, ...] = ()
    shade: tuple[tuple[float, float], ...] = ()
    window: tuple[float, ...] = ()


@dataclass(frozen=True, slots=True, kw_only=True)
class Chart:
    """Panels, drawn side by side.

    Parameters
    ----------
    title : str
    panels : tuple of Panel
    left_out : int
        Number of panels that were not drawn.
    """

    title: str
    panels: tuple[Panel, ...]
    left_out: int = 0


def arrange(title: str, panels: Sequence[Panel]) -> Chart:
    """Collect panels into a chart: as many as readers can take in, the rest counted."""
    left_out = max(len(panels) - MOST_PANELS, 0)
    return Chart(title=title, panels=tuple(panels[:MOST_PANELS]), left_out=left_out)


def part(variants: Sequence[T]) -> Iterable[Sequence[T]]:
    """Yield the variants in groups that fit on one axis together with their baseline.

    Examples
    --------
    >>> [len(some) for some in part(range(9))]
    [4, 4, 1]
    """
    most = MOST_LINES - 1
    for start in range(0, len(variants), most):
        yield variants[start : start + most]


def ratio_ticks(low: float, high: float) -> tuple[Tick, ...]:
    r"""Return ticks for an axis of logarithms of ratios, as signed changes.

    Examples
    --------
    >>> [text.replace("\xa0", " ") for _, text in ratio_ticks(-0.2, 2.5)]
    ['0', '+50 %', '3×', '5×', '10×']
    """
    ticks = [(0.0, "0")]
    for ratios in (_SMALL[::-1], _LARGE):
        last = 0.0
        for place, ratio in ((math.log(ratio), ratio) for ratio in ratios):
            if low <= place <= high and abs(place - last) >= (high - low) / _MOST:
                ticks.append((place, shorten(format_change(ratio))))
                last = place
    return tuple(ticks)


def write_percent(change: float) -> str:
    """Write a tick of a linear axis of changes: ``−15 %``, ``0``."""
    return "0" if round(change, 9) == 0 else shorten(format_percent(change))


def shorten(text: str) -> str:
    """Remove trailing zeros: ``−15 %``, ``2×``."""
    return re.sub(r"\.0+(?=\D|$)", "", text)


def write_tick(value: float, digits: int = 3) -> str:
    """Write a tick of a linear axis of values: ``0.5``, ``25``.

    Examples
    --------
    >>> write_tick(25.0), write_tick(0.5)
    ('25', '0.5')
    """
    text = format_number(value, digits)
    return text.rstrip("0").rstrip(".") if "." in text else text


def digits_of(places: Sequence[float]) -> int:
    """Return how many significant digits distinguish ticks, at least 3.

    Examples
    --------
    >>> digits_of([0.0, 10.0, 20.0]), digits_of([150.5, 151.0, 151.5])
    (3, 4)
    """
    steps = [abs(b - a) for a, b in pairwise(places)]
    largest, least = max(map(abs, places), default=0.0), min(steps, default=0.0)
    if not (largest > 0 and least > 0):
        return 3
    return max(3, math.floor(math.log10(largest)) - math.floor(math.log10(least * 1.0001)) + 1)


def log_ticks(values: Iterable[float]) -> tuple[Tick, ...]:
    """Return 1-2-5 ticks for a logarithmic axis with these values; even ones if its ends are close.

    Examples
    --------
    >>> [text for _, text in log_ticks([0.3, 40])]
    ['0.5', '1', '2', '5', '10', '20']
    >>> [text for _, text in log_ticks([120, 290])]
    ['150', '200', '250']
    """
    positive = [value for value in values if value > 0]
    if not positive:
        return ()
    low, high = min(positive), max(positive)
    powers = range(math.floor(math.log10(low)), math.ceil(math.log10(high)) + 1)
    for steps in _STEPS:
        inside = [s * 10.0**power for power in powers for s in steps]
        inside = [place for place in inside if low <= place <= high]
        if _FEWEST <= len(inside) <= _MOST:
            return tuple((place, write_tick(place)) for place in inside)
    return _even_ticks(low, high)


def _even_ticks(low: float, high: float) -> tuple[Tick, ...]:
    """Return equidistant ticks, for ends too close for powers of ten."""
    if not high > low:
        return ((low, write_tick(low)),)
    decade = 10.0 ** math.floor(math.log10(high - low))
    for step in (decade * part for part in (1, 0.5, 0.2, 0.1)):
        inside = [step * n for n in range(math.ceil(low / step), math.floor(high / step) + 1)]
        if len(inside) >= _FEWEST:
            break
    digits = digits_of(inside)
    return tuple((place, write_tick(place, digits)) for place in inside)
