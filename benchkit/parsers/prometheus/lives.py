"""One container under one name, made anew under another id.

Prometheus repeats the last value of a container that is gone for minutes, beside the counter of
the one that took its place; a difference of the two is no use of CPU.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from itertools import pairwise
from typing import NamedTuple


class Point(NamedTuple):
    """A value, when it was told (µs since 1970), and in which line."""

    time: int | None
    value: float
    line: int


def join_counters(lives: Sequence[Sequence[Point]]) -> Iterator[Point]:
    """Yield a counter that grows by what each of several counters grows by.

    Parameters
    ----------
    lives : sequence of sequence of Point
        One per id; times are known.

    Returns
    -------
    iterator of Point
        In the order of time, from the first value of the first id on. A counter that falls was
        reset, and counts from 0; what one counted before it is first seen is not added.

    Examples
    --------
    >>> old = [Point(0, 100.0, 1), Point(1, 101.0, 1), Point(2, 101.0, 1)]
    >>> new = [Point(1, 7.0, 2), Point(2, 9.0, 2)]
    >>> [(time, value) for time, value, _ in join_counters([old, new])]
    [(0, 100.0), (1, 101.0), (2, 103.0)]
    """
    known = _in_order(lives)
    if not known:
        return
    steps: dict[int, tuple[float, int]] = {}
    for points in known:
        steps.setdefault(_time(points[0]), (0.0, points[0].line))
        for before, after in pairwise(points):
            grown = after.value - before.value
            grown = after.value if grown < 0 else grown
            sofar = steps.get(_time(after), (0.0, after.line))[0]
            steps[_time(after)] = (sofar + grown, after.line)
    total = known[0][0].value
    for time, (grown, line) in sorted(steps.items()):
        total += grown
        yield Point(time, total, line)


def join_looks(lives: Sequence[Sequence[Point]]) -> Iterator[Point]:
    """Yield what was seen of the newest id that tells of each time.

    Examples
    --------
    >>> old, new = [Point(0, 8.0, 1), Point(1, 8.0, 1)], [Point(1, 3.0, 2)]
    >>> [(time, value) for time, value, _ in join_looks([new, old])]
    [(0, 8.0), (1, 3.0)]
    """
    newest = {_time(point): point for points in _in_order(lives) for point in points}
    yield from (point for _, point in sorted(newest.items()))


def _in_order(lives: Iterable[Sequence[Point]]) -> list[list[Point]]:
    """Return the ids by when they are first seen, and their values by time."""
    known = [sorted(points, key=_time) for points in lives if points]
    return sorted(known, key=lambda points: _time(points[0]))


def _time(point: Point) -> int:
    return point.time or 0
