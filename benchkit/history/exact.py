"""Exact series: a level is what every run of its commits counted, and another count ends it."""

from __future__ import annotations

import math
from collections.abc import Collection, Sequence
from itertools import pairwise
from statistics import median

from benchkit.history.model import INSIDE, NO_BASELINE, OUTSIDE, Change, Newest, Point
from benchkit.stats.equivalence import reaches
from benchkit.stats.exact import exact_difference

#: Exact metrics of which any change counts; of the others one beyond the margin.
_ANY = frozenset({"allocs_per_op"})


def find_levels(
    commits: Sequence[Sequence[float]], metric: str, margin: float, bounds: Collection[int] = ()
) -> list[int]:
    """Return where levels begin after the first.

    Parameters
    ----------
    commits : sequence of sequence of float
        The values of each commit's runs, in order.
    margin : float
        The smallest change that matters, as a fraction.
    bounds : collection of int
        Where a level begins at any difference.

    Examples
    --------
    >>> find_levels([[12, 12], [12, 12], [13, 13], [13]], "allocs_per_op", 0.03)
    [2]
    >>> find_levels([[0], [0], [64]], "bytes_per_op", 0.03)
    [2]
    """
    starts: list[int] = []
    level: list[float] = []
    for place, values in enumerate(commits):
        is_moved = bool(level) and place in bounds and median(level) != median(values)
        if is_moved or _is_other(level, values, metric, margin):
            starts.append(place)
            level = []
        level += values
    return starts


def list_changes(
    points: Sequence[Point], starts: Sequence[int], reasons: dict[int, str]
) -> list[Change]:
    """Return the change that begins each level."""
    ends = [0, *starts, len(points)]
    changes = []
    for start, (low, high) in zip(starts, pairwise(ends[1:]), strict=True):
        first = ends[ends.index(low) - 1]
        before, after = _middle(points[first:start]), _middle(points[low:high])
        ratio = after / before if min(before, after) > 0 else math.nan
        changes.append(
            Change(
                points[start].commit, points[start].time, ratio, ratio, ratio, math.nan,
                high - low, reasons.get(start, ""), before, after, is_exact=True,
            )
        )  # fmt: skip
    return changes


def place_newest(points: Sequence[Point], changes: Sequence[Change]) -> Newest:
    """Put the newest commit beside those of its level, or of the one that it ended."""
    last = changes[-1] if changes else None
    if last is not None and last.commits == 1 and not last.reason:
        length = changes[-2].commits if len(changes) > 1 else len(points) - 1
        return Newest(OUTSIDE, last.ratio, commits=length)
    earlier = (last.commits if last else len(points)) - 1
    return Newest(INSIDE, 1.0, 1.0, 1.0, earlier) if earlier else Newest(NO_BASELINE)


def _middle(points: Sequence[Point]) -> float:
    return median(point.value for point in points)


def _is_other(level: Sequence[float], values: Sequence[float], metric: str, margin: float) -> bool:
    if not level or (min(level) <= max(values) and min(values) <= max(level)):
        return False
    is_constant = min(level) == max(level) and min(values) == max(values)
    if not is_constant:
        difference = exact_difference(level, values)
        if difference is None or not difference.changed:
            return False
    before, after = median(level), median(values)
    if metric in _ANY or min(before, after) <= 0:
        return True
    return reaches(math.log(after / before), margin)
