"""One metric over many commits: where its level changed, and whether the newest is outside."""

from __future__ import annotations

import math
from collections.abc import Iterator, Sequence
from itertools import pairwise
from statistics import median
from typing import TYPE_CHECKING

from benchkit.comparison.model import Plan
from benchkit.config.acceptance import Accepted
from benchkit.errors import DataError, Finding
from benchkit.history.model import Change, History, Series, to_ratio
from benchkit.history.naming import MAIN, follow_branch
from benchkit.history.newest import judge_tracks
from benchkit.history.search import find_changed, find_levels, list_changes, report_reach, search
from benchkit.history.tracks import Track, collect_tracks, name_left_out
from benchkit.history.trials import Trials, find_latest, find_mixed_jobs, read_trials
from benchkit.stats.changepoint import estimate_change, find_changes, find_likeness
from benchkit.stats.equivalence import log_bounds
from benchkit.units import printable

if TYPE_CHECKING:
    from benchkit.schema import Observations, Runs

#: The range of differences to ignore: only zero.
_NO_MARGIN = (math.nextafter(0.0, -1.0), math.nextafter(0.0, 1.0))


def trace(
    observations: Observations,
    runs: Runs,
    plan: Plan | None = None,
    margin: float = 0.03,
    accepted: Sequence[Accepted] = (),
    seed: int = 0,
    branch: str = MAIN,
    problems: Sequence[Finding] = (),
) -> History:
    """Follow the primary metrics over the commits; without any, the exact ones.

    Parameters
    ----------
    observations, runs : Observations, Runs
        Runs count if their ``env`` records a commit, ordered by its ``date``, else by their start.
    plan : Plan, optional
        Its primaries, if it names any, replace those of the tools; its confidence is used.
    margin : float
        The smallest step change that is reported, as a fraction.
    accepted : sequence of Accepted
        Intended changes: a new level begins there.
    seed : int
        For the randomly drawn orders.
    branch : str
        The branch whose commits are followed; runs without one belong to ``main``, and ``master``
        is a synonym of it.
    problems : sequence of Finding
        As in `find_latest`.

    Returns
    -------
    History
        A change is reported if `benchkit.stats.find_changes` detects it and, over all series, the
        adjusted p of its series (Benjamini-Hochberg) is at most 0.05; the newest commit is outside
        if `benchkit.history.newest.judge_newest` says so.

    Raises
    ------
    DataError
        If no run has a commit, no commit is on the branch or has a date, or none has a primary
        metric.
    """
    plan = plan or Plan()
    runs, others = follow_branch(runs, branch)
    tried = read_trials(runs)
    trials = tried.of_role("measured")
    tracks = list(collect_tracks(observations, runs, plan, trials))
    if not tracks:
        raise _explain_nothing(tried, trials)
    tested = [track for track in tracks if not track.is_exact]
    parts = [[track.numbers[a:b] for a, b in _stretches(track, accepted)] for track in tested]
    searches = [search(stretches, len(parts), seed) for stretches in parts]
    changed = dict(zip(map(id, tested), find_changed(searches), strict=True))
    changes = [
        _list_exact(track, accepted, margin)
        if track.is_exact
        else _list_changes(track, accepted, plan, margin, seed, looks=changed.get(id(track), False))
        for track in tracks
    ]
    newest, findings = judge_tracks(tracks, changes, plan.confidence, margin)
    findings += [*report_reach(searches, seed), *find_mixed_jobs(trials)]
    series = (
        Series(
            **track.names, machine=track.session[0], points=tuple(track.points),
            changes=tuple(of_track), newest=last, confidence=plan.confidence,
            is_exact=track.is_exact, is_difference=not (track.is_exact or track.is_positive),
        )
        for track, of_track, last in zip(tracks, changes, newest, strict=True)
    )  # fmt: skip
    unmatched = tuple(_name_unmatched(accepted, trials.present))
    latest = find_latest(observations, tried, problems)
    return History(
        tuple(series),
        tuple(tried.undated),
        unmatched,
        tuple(findings),
        latest,
        branch,
        others,
        tuple(name_left_out(trials, tracks, plan)),
    )


def _explain_nothing(tried: Trials, trials: Trials) -> DataError:
    """Return the error that names what is missing: commits, their dates, or a primary metric."""
    add = "benchkit history add PATH --commit SHA --date 2026-11-20T10:00:00Z"
    if not tried.present:
        return DataError("no run has a commit", hint=add)
    if not trials.present:
        failed = sorted(tried.present)
        where = failed[0] if len(failed) == 1 else f"any of {len(failed)} commits"
        problem = f"nothing was measured at {printable(where)}"
        return DataError(problem, hint="see what failed with `benchkit runs`")
    commits = trials.present
    count = "1 commit" if len(commits) == 1 else f"{len(commits)} commits"
    if not trials.dates:
        return DataError(f"none of {count} has a date or a run with a recorded start", hint=add)
    problem = f"the runs of {count} have no primary metric"
    return DataError(problem, hint="name one with --metric; see `benchkit export`")


def _name_unmatched(accepted: Sequence[Accepted], commits: Sequence[str]) -> Iterator[str]:
    """Say which accepted changes match no commit, or more than one."""
    for one in accepted:
        named = [commit for commit in sorted(commits) if one.names(commit)]
        if len(named) != 1:
            problem = (
                f"matches {' and '.join(named)}" if named else "matches no commit of this history"
            )
            yield printable(f"[[history.accept]] {one.commit} ({one.reason}) {problem}")


def _stretches(track: Track, accepted: Sequence[Accepted]) -> list[tuple[int, int]]:
    """Return the segments between accepted changes: start and stop."""
    return list(pairwise([0, *track.bounds(accepted), len(track.measured)]))


def _list_exact(track: Track, accepted: Sequence[Accepted], margin: float) -> list[Change]:
    reasons = {place: one.reason for place, one in track.bounds(accepted).items()}
    starts = find_levels(track.per_commit, track.names["metric"], margin, reasons)
    return list_changes(track.measured, starts, reasons)


def _list_changes(
    track: Track,
    accepted: Sequence[Accepted],
    plan: Plan,
    margin: float,
    seed: int,
    *,
    looks: bool,
) -> list[Change]:
    """Return the accepted and detected changes of a series."""
    numbers, points = track.numbers, track.measured
    bounds = log_bounds(margin) if track.is_positive else _NO_MARGIN
    reasons = {place: one.reason for place, one in track.bounds(accepted).items()}
    pvalues = dict.fromkeys(reasons, math.nan)
    stretches = _stretches(track, accepted)
    for start, stop in stretches if looks else ():
        part = numbers[start:stop]
        for split in find_changes(part, bounds, confidence=plan.confidence, seed=seed):
            pvalues[start + split.index] = split.pvalue
    if not pvalues:
        return []
    likeness = max(find_likeness(numbers[start:stop], seed=seed) for start, stop in stretches)
    changes = []
    for before, place, after in _neighbours([0, *sorted(pvalues), len(numbers)]):
        sides = numbers[before:place], numbers[place:after]
        effect = estimate_change(*sides, likeness, plan.confidence)
        ratio, low, high, difference = math.nan, effect.low, effect.high, effect.value
        if track.is_positive:
            ratio, low, high = map(to_ratio, (effect.value, low, high))
            difference = math.nan
        change = Change(
            points[place].commit, points[place].time, ratio, low, high, pvalues[place],
            after - place, reasons.get(place, ""),
            median(p.value for p in points[before:place]),
            median(p.value for p in points[place:after]), difference=difference,
        )  # fmt: skip
        changes.append(change)
    return changes


def _neighbours(ends: Sequence[int]) -> Iterator[tuple[int, int, int]]:
    """Yield each inner boundary with its neighbours."""
    return zip(ends[:-2], ends[1:-1], ends[2:], strict=True)
