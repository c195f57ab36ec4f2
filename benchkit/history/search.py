"""The search for step changes in many series, and what few commits cannot show.

In an exact series, all runs of the commits of a level have the same count, and another count ends
it.
"""

from __future__ import annotations

import math
from collections.abc import Collection, Iterator, Sequence
from itertools import pairwise
from statistics import median
from typing import NamedTuple

from benchkit.errors import Finding
from benchkit.history.model import INSIDE, NO_BASELINE, OUTSIDE, Change, Newest, Point
from benchkit.stats.changepoint import ALPHA, PERMUTATIONS, SEGMENT, find_likeness, find_split
from benchkit.stats.equivalence import reaches
from benchkit.stats.exact import exact_difference
from benchkit.stats.multiplicity import benjamini_hochberg

#: False discovery rate among the series that are reported as changed.
FALSE_SHARE = 0.05
#: Minimum number of commits on each side of a step change.
EACH_SIDE = SEGMENT
#: Maximum multiple of the existing commits in the search for a sufficient number.
_FARTHEST = 4
#: A distance between levels compared with which all noise is small.
_FAR = 10**9


class Search(NamedTuple):
    """The search of a series for a step change.

    Parameters
    ----------
    pvalue : float
        For the best split of any segment, corrected for all of them.
    commits, stretches : int
        The commits of its longest segment, and the number of segments.
    likeness : float
        How similar neighbours in that segment are.
    """

    pvalue: float
    commits: int
    stretches: int
    likeness: float


def search(stretches: Sequence[Sequence[float]], series: int, seed: int = 0) -> Search:
    """Search one of several series for a step change.

    Parameters
    ----------
    stretches : sequence of sequence of float
        The values between accepted changes; usually logarithms.
    """
    best, designs = 1.0, list[tuple[int, float]]()
    for part in stretches:
        likeness = find_likeness(part, seed=seed)
        split = find_split(part, likeness, seed=seed)
        if split and split.pvalue <= ALPHA and _count_orders(series) > PERMUTATIONS:
            split = find_split(part, likeness, permutations=_count_orders(series), seed=seed)
        best = min(best, split.pvalue if split else 1.0)
        designs.append((len(part), likeness))
    commits, likeness = max(designs, default=(0, 0.0))
    return Search(min(1.0, best * len(stretches)), commits, len(stretches), likeness)


def find_changed(searches: Sequence[Search]) -> list[bool]:
    """Return which series have a step change somewhere, over all of them.

    Returns
    -------
    list of bool
        Where p is at most 0.01 and, adjusted by Benjamini-Hochberg, at most 0.05.
    """
    adjusted = benjamini_hochberg([each.pvalue for each in searches]).tolist() if searches else ()
    return [
        each.pvalue <= ALPHA and q <= FALSE_SHARE
        for each, q in zip(searches, adjusted, strict=True)
    ]


def find_reach(search: Search, series: int, seed: int = 0) -> int | None:
    """Return how many commits a change needs on both sides to be significant in a single series.

    Parameters
    ----------
    search : Search
        Its number of commits and segments, and the similarity of neighbours.
    series : int
        Number of series that are searched together.

    Returns
    -------
    int or None
        None if not even two levels without noise can be distinguished.
    """
    middle = search.commits // 2
    if middle < SEGMENT or not _can_show(search, middle, series, seed):
        return None
    return next(n for n in range(SEGMENT, middle + 1) if _can_show(search, n, series, seed))


def _can_show(search: Search, before: int, series: int, seed: int) -> bool:
    """Return whether a change without any noise would be significant after that many commits."""
    # no other position separates these as well
    values = [*range(before), *range(_FAR + search.commits, _FAR + before, -1)]
    split = find_split(values, search.likeness, permutations=_count_orders(series), seed=seed)
    pvalue = split.pvalue * search.stretches if split else 1.0
    return pvalue <= ALPHA and pvalue * series <= FALSE_SHARE


def _count_orders(series: int) -> int:
    """Return how many orders are drawn, so the smallest p can pass among this number of series."""
    return max(PERMUTATIONS, math.ceil(series / ALPHA))


def report_reach(searches: Sequence[Search], seed: int) -> Iterator[Finding]:
    """Say which changes cannot be detected with few commits and many series, however large."""
    count = len(searches)
    designs = [search._replace(pvalue=1.0) for search in searches if search.commits > 1]
    reaches = {design: find_reach(design, count, seed) for design in dict.fromkeys(designs)}
    short = [design for design in designs if reaches[design] is None]
    if short:
        yield _report_short(short, count, seed)
    longest = max((each for each in reaches.values() if each), default=0)
    if longest > SEGMENT:
        yield Finding(
            code="B343",
            severity="info",
            message=f"{_write_among(count, count)}, a step change needs {longest} commits on "
            "each side",
            remedy="until then, benchkit judges only the newest commit",
            numbers={"series": count, "commits": longest},
        )


def _report_short(short: Sequence[Search], series: int, seed: int) -> Finding:
    """For series that cannot show a change, say how many commits they need."""
    most = max(short, key=lambda design: design.commits)
    needed = _find_fewest(most, series, seed)
    more = (
        (f"{needed} commits could show one")
        if needed
        else f"even {_FARTHEST * most.commits} commits could not"
    )
    fewer = ", or follow fewer series with --metric, --variant or --by" if series > 1 else ""
    return Finding(
        code="B343",
        severity="info",
        message=f"{most.commits} commits cannot show a step change "
        f"{_write_among(len(short), series).lower()}",
        remedy=more + fewer,
        numbers={"series": series, "short": len(short), "commits": most.commits},
    )


def _write_among(part: int, series: int) -> str:
    if series == 1:
        return "In one series"
    return f"Among {series} series" if part == series else f"In {part} of {series} series"


def _find_fewest(search: Search, series: int, seed: int) -> int | None:
    """Return the minimum number of commits in which a series like this can show a change."""
    fewest = max(search.commits, 2 * SEGMENT - 1) + 1
    for commits in range(fewest, _FARTHEST * fewest):
        if _can_show(search._replace(commits=commits), commits // 2, series, seed):
            return commits
    return None


#: Exact metrics count with any change, the others with one above the margin.
_ANY = frozenset({"allocs_per_op"})


def find_levels(
    commits: Sequence[Sequence[float]], metric: str, margin: float, bounds: Collection[int] = ()
) -> list[int]:
    """Return the starts of all levels after the first.

    Parameters
    ----------
    commits : sequence of sequence of float
        The values of each commit's runs, in order.
    margin : float
        The smallest change that matters, as a fraction.
    bounds : collection of int
        Where a level begins with any difference.

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
    """Return the change that starts each level."""
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
    """Compare the newest commit with its level, or with the one that it ended."""
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
