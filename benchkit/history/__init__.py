"""One metric over many commits: where its level changed, and whether the newest lies outside.

In: observations of runs that tell their commit, and the runs. Out: `History`. Why: a change that is
too small for the gate of one commit shows in many.
"""

from __future__ import annotations

import math
from collections.abc import Iterator, Mapping, Sequence
from itertools import pairwise
from statistics import median
from typing import TYPE_CHECKING

from benchkit.comparison.model import Plan
from benchkit.config.accepted import Accepted
from benchkit.errors import DataError
from benchkit.history.exact import find_levels, list_changes, place_newest
from benchkit.history.model import Change, History, Newest, Series
from benchkit.history.tracks import Label, Run, Track, collect_tracks, date_commits, read_labels
from benchkit.stats.changepoint import (
    ALPHA,
    PERMUTATIONS,
    estimate_change,
    find_block,
    find_changes,
    find_split,
)
from benchkit.stats.equivalence import log_margin, reaches
from benchkit.stats.multiplicity import benjamini_hochberg
from benchkit.stats.prediction import HISTORY, compare_with_history
from benchkit.units import printable

if TYPE_CHECKING:
    from benchkit.schema import Observations, Runs

#: Logarithm beyond which a ratio is written as that.
_FARTHEST = 700.0


def trace(
    observations: Observations,
    runs: Runs,
    plan: Plan | None = None,
    margin: float = 0.03,
    accepted: Sequence[Accepted] = (),
    seed: int = 0,
) -> History:
    """Follow the primary metrics over the commits.

    Parameters
    ----------
    observations, runs : Observations, Runs
        Runs count whose ``env`` tells a commit, ordered by its ``date``, else by their start.
    plan : Plan, optional
        Its primaries, if it names any, in place of those of the tools; its confidence.
    margin : float
        The smallest change of level that is told, as a fraction.
    accepted : sequence of Accepted
        Changes that are meant: there a new level begins.
    seed : int
        Of the orders drawn by chance.

    Returns
    -------
    History
        A change is told where `benchkit.stats.find_changes` finds it and, over all series, the
        adjusted p of its series (Benjamini-Hochberg) is at most 0.01.

    Raises
    ------
    DataError
        If no run names its commit, no commit has a date, or none has a primary metric.
    """
    plan = plan or Plan()
    told = read_labels(runs)
    dates, undated = date_commits(told)
    tracks = list(collect_tracks(observations, runs, plan, told, dates))
    if not tracks:
        raise _explain_nothing(told, dates)
    tested = [track for track in tracks if track.is_positive and not track.is_exact]
    first = [_test(track, accepted, len(tested), seed) for track in tested]
    passed = {
        id(track)
        for track, p in zip(tested, benjamini_hochberg(first) if first else (), strict=True)
        if p <= ALPHA
    }
    series = [
        _judge(track, accepted, plan, margin)
        if track.is_exact or not track.is_positive
        else _analyse(track, accepted, plan, margin, seed, looks=id(track) in passed)
        for track in tracks
    ]
    return History(tuple(series), tuple(undated), tuple(_tell_unmatched(accepted, told)))


def _explain_nothing(told: Mapping[Run, Label], dates: Mapping[str, object]) -> DataError:
    """Return the error that says what is missing: commits, their dates, or a primary metric."""
    add = "benchkit history add PATH --commit SHA --date 2026-11-20T10:00:00Z"
    if not told:
        return DataError("no run names its commit", hint=add)
    commits = sorted({label.commit for label in told.values()})
    count = "1 commit" if len(commits) == 1 else f"{len(commits)} commits"
    if not dates:
        return DataError(f"none of {count} has a date, nor a run with a start", hint=add)
    what = f"the runs of {count} have no primary metric"
    return DataError(what, hint="name one with --metric; see `benchkit export`")


def _judge(track: Track, accepted: Sequence[Accepted], plan: Plan, margin: float) -> Series:
    """Follow exact counts; of other values with a 0 among them say why they are not judged."""
    points = track.measured
    reasons = {place: one.reason for place, one in track.bounds(accepted).items()}
    if track.is_exact:
        starts = find_levels(track.per_commit, track.names["metric"], margin, reasons)
        changes, unjudged = list_changes(points, starts, reasons), ""
        newest = place_newest(points, changes)
    else:
        changes, unjudged = [], "a value of 0 or below has no ratio"
        newest = Newest(math.nan, math.nan, math.nan, len(points) - 1)
    return Series(
        **track.names, machine=", ".join(track.machine.values()), points=tuple(track.points),
        changes=tuple(changes), newest=newest, confidence=plan.confidence, unjudged=unjudged,
    )  # fmt: skip


def _tell_unmatched(accepted: Sequence[Accepted], told: Mapping[Run, Label]) -> Iterator[str]:
    """Say which accepted changes name none of the commits, or more than one."""
    commits = sorted({label.commit for label in told.values()})
    for one in accepted:
        named = [commit for commit in commits if one.names(commit)]
        if len(named) != 1:
            which = f"names {' and '.join(named)}" if named else "names none of the commits here"
            yield printable(f"[[history.accept]] {one.commit} ({one.reason}) {which}")


def _stretches(track: Track, accepted: Sequence[Accepted]) -> list[tuple[int, int]]:
    """Return what lies between accepted changes: start and stop."""
    return list(pairwise([0, *track.bounds(accepted), len(track.logs)]))


def _test(track: Track, accepted: Sequence[Accepted], tracks: int, seed: int) -> float:
    """Return the p of the best split of any stretch, all of them paid for."""
    logs, stretches = track.logs, _stretches(track, accepted)
    best = 1.0
    for start, stop in stretches:
        part = logs[start:stop]
        block = find_block(part, seed=seed)
        split = find_split(part, block, seed=seed)
        # the smallest p must be able to pass beside so many series
        if split and split.pvalue <= ALPHA and (more := math.ceil(tracks / ALPHA)) > PERMUTATIONS:
            split = find_split(part, block, permutations=more, seed=seed)
        best = min(best, split.pvalue if split else 1.0)
    return min(1.0, best * len(stretches))


def _analyse(
    track: Track,
    accepted: Sequence[Accepted],
    plan: Plan,
    margin: float,
    seed: int,
    *,
    looks: bool,
) -> Series:
    logs, confidence = track.logs, plan.confidence
    points = track.measured
    reasons = {place: one.reason for place, one in track.bounds(accepted).items()}
    pvalues = dict.fromkeys(reasons, math.nan)
    stretches = _stretches(track, accepted)
    for start, stop in stretches if looks else ():
        part = logs[start:stop]
        for found in find_changes(part, log_margin(margin), confidence=confidence, seed=seed):
            pvalues[start + found.index] = found.pvalue
    block = max(
        find_block(logs[start:stop], seed=seed) for start, stop in _stretches(track, accepted)
    )
    changes = []
    for before, place, after in _neighbours([0, *sorted(pvalues), len(logs)]):
        effect = estimate_change(logs[before:place], logs[place:after], block, confidence)
        ratio, low, high = (
            math.exp(min(end, _FARTHEST)) for end in (effect.value, effect.low, effect.high)
        )
        change = Change(
            points[place].commit, points[place].time, ratio, low, high, pvalues[place],
            after - place, reasons.get(place, ""),
            median(p.value for p in points[before:place]),
            median(p.value for p in points[place:after]),
        )  # fmt: skip
        changes.append(change)
    newest = _place_newest(logs[max(pvalues, default=0) :], confidence, margin)
    return Series(
        **track.names, machine=", ".join(track.machine.values()), points=tuple(track.points),
        changes=tuple(changes), newest=newest, confidence=confidence,
    )  # fmt: skip


def _neighbours(ends: Sequence[int]) -> Iterator[tuple[int, int, int]]:
    """Yield each inner end between those beside it."""
    return zip(ends[:-2], ends[1:-1], ends[2:], strict=True)


def _place_newest(level: Sequence[float], confidence: float, margin: float) -> Newest:
    """Put the last of a level beside what those before it predict."""
    *before, last = level
    if not before:
        return Newest(math.nan, math.nan, math.nan, 0)
    ratio = math.exp(last - median(before))
    if len(before) < HISTORY:
        return Newest(ratio, math.nan, math.nan, len(before))
    found, _ = compare_with_history(before, [last], confidence)
    # the interval holds 0 where the newest lies inside: turned to where one more would lie
    low, high = (math.exp(found.value - end) for end in (found.high, found.low))
    is_small = not reaches(last - median(before), margin)
    return Newest(ratio, low, high, len(before), is_small)
