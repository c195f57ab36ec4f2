"""The curve of a series in a row of a table: its commits across, its values up."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass

#: Size in pixels, and how far the curve stays from the edge.
WIDTH, HEIGHT, EDGE = 160, 28, 2


@dataclass(frozen=True, slots=True)
class Sparkline:
    """A path of SVG, and where levels begin, with the look of each."""

    path: str
    marks: tuple[tuple[float, str], ...]


def draw_sparkline(
    values: Sequence[float], start: int, size: int, marks: Sequence[tuple[int, str]]
) -> Sparkline:
    """Draw values, of which NaN is a gap; of many, the smallest and largest of each pixel.

    Parameters
    ----------
    start, size : int
        The place of the first among so many commits.
    marks : sequence of (int, str)
        Places among the commits where a level begins, with the look of each.

    Examples
    --------
    >>> draw_sparkline([1.0, 2.0, float("nan"), 1.0], 0, 4, [(1, "worse")])
    Sparkline(path='M2 26L54 2M158 26h1', marks=((54, 'worse'),))
    """
    known = [value for value in values if not math.isnan(value)]
    low, high = min(known), max(known)
    step = (WIDTH - 2 * EDGE) / max(size - 1, 1)

    def place(number: int) -> int:
        return round(EDGE + number * step)

    def rise(value: float) -> int:
        share = (value - low) / (high - low) if high > low else 0.5
        return round(HEIGHT - EDGE - share * (HEIGHT - 2 * EDGE))

    columns: dict[int, list[int] | None] = {}
    for number, value in enumerate(values):
        x = place(start + number)
        if not math.isnan(value):
            columns[x] = [*(columns.get(x) or ()), rise(value)]
        else:
            columns.setdefault(x, None)
    pieces: list[list[str]] = [[]]
    for x, heights in columns.items():
        if heights is None:
            pieces.append([])
        else:
            pieces[-1] += [f"{x} {y}" for y in dict.fromkeys((min(heights), max(heights)))]
    path = "".join(
        f"M{'L'.join(piece)}{'h1' if len(piece) == 1 else ''}" for piece in pieces if piece
    )
    return Sparkline(path, tuple((place(number), look) for number, look in marks))
