"""What a chart of lines or dots shows, as data: panels, lines, axes.

Six kinds of figure differ in what they show and not in how lines, labels and axes are drawn;
tests look at this data.
"""

from __future__ import annotations

import math
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from typing import Literal, TypeVar

from benchkit.units import format_change, format_number

#: More lines than these cannot be told apart on one axis: the others get a panel of their own.
MOST_LINES = 5
#: More panels than these are not read: the first are drawn, the rest counted.
MOST_PANELS = 8

Kind = Literal["line", "steps", "dots", "level", "bound", "ring", "bar"]
Tick = tuple[float, str]
T = TypeVar("T")


@dataclass(frozen=True, slots=True, kw_only=True)
class Line:
    """One line, or one cloud of dots.

    Parameters
    ----------
    name : str
        What stands beside it; empty leaves it without a label.
    series : int
        Which colour and mark: 0 is the baseline's.
    x, y : tuple of float
    low, high : tuple of float
        Ends of the intervals of ``y``; empty where there are none.
    kind : {'line', 'steps', 'dots', 'level', 'bound', 'ring', 'bar'}
        ``level`` is a line across the others: a median. ``bound`` is what was not measured but
        cannot be exceeded, ``ring`` picks out a point of another line, ``bar`` is an interval by
        itself.
    is_faint : bool
        A single run behind the summary.
    labels : tuple of str
        What stands beside each point; empty leaves them bare.
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
        Chosen by the drawing where empty.
    is_logarithmic : bool
    is_whole : bool
        Whether it counts: its ticks are whole numbers.
    is_change : bool
        Whether its places are logarithms of variant / baseline.
    is_from_zero : bool
        Whether it begins at 0, where shares of the whole are read off it.
    """

    label: str
    ticks: tuple[Tick, ...] = ()
    is_logarithmic: bool = False
    is_whole: bool = False
    is_change: bool = False
    is_from_zero: bool = False

    def write(self, place: float) -> str:
        """Write a place on the axis as it reads in a table."""
        text = next((text for tick, text in self.ticks if tick == place), None)
        if self.is_change:
            return format_change(math.exp(place))
        return text or format_number(place, 1 if self.is_whole else 3)


@dataclass(frozen=True, slots=True, kw_only=True)
class Panel:
    """Lines that share two axes.

    Parameters
    ----------
    heading : str
    lines : tuple of Line
    x, y : Axis
    zero : float or None
        Where a line across marks no change.
    band : tuple of float
        A band across, (low, high): the margin. Empty without one.
    shade : tuple of (low, high)
        Stretches along x that are shaded: not measured.
    window : tuple of float
        Along x, (begin, end) of the run: what lies outside is shaded. Empty without a clock.
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
    """Panels, drawn one beside the other.

    Parameters
    ----------
    title : str
    panels : tuple of Panel
    left_out : int
        Panels that were not drawn.
    """

    title: str
    panels: tuple[Panel, ...]
    left_out: int = 0


def arrange(title: str, panels: Sequence[Panel]) -> Chart:
    """Put panels into a chart: as many as are read at one look, the rest counted."""
    left_out = max(len(panels) - MOST_PANELS, 0)
    return Chart(title=title, panels=tuple(panels[:MOST_PANELS]), left_out=left_out)


def part(variants: Sequence[T]) -> Iterable[Sequence[T]]:
    """Yield the variants in parts that fit on one axis beside their baseline.

    Examples
    --------
    >>> [len(some) for some in part(range(9))]
    [4, 4, 1]
    """
    most = MOST_LINES - 1
    for start in range(0, len(variants), most):
        yield variants[start : start + most]
