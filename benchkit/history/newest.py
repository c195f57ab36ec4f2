"""The newest commit: first the machine, then each series compared with its level."""

from __future__ import annotations

import math
from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass, replace
from datetime import datetime
from statistics import median

from benchkit.errors import Finding
from benchkit.history.model import (
    BY_CHANCE,
    HIDDEN,
    INSIDE,
    NO_BASELINE,
    NOT_MEASURED,
    OUTSIDE,
    WITHIN,
    Change,
    Newest,
    to_ratio,
)
from benchkit.history.naming import shorten, write_day
from benchkit.history.search import place_newest
from benchkit.history.tracks import Track
from benchkit.stats.equivalence import reaches
from benchkit.stats.multiplicity import benjamini_hochberg
from benchkit.stats.outliers import find_outliers
from benchkit.stats.prediction import HISTORY, predict, predictive_pvalue
from benchkit.stats.sample import ROUNDING

#: Minimum number of series that distinguish a machine from a change, and the share that must move.
SERIES, MOST = 4, 2 / 3
#: Series move together if each moves by half to twice as much as the median one.
_ALIKE = 2.0
#: 1 if more is worse.
_WORSE = {"lower": 1, "higher": -1}
#: Units of metrics that can be slow or fast.
_TIMES = frozenset({"s", "1/s", "B/s"})
#: From this size on, a change is written as a factor.
_FACTOR = 2.0


@dataclass(frozen=True, slots=True, kw_only=True)
class Level:
    """The commits of a series since its last change.

    Parameters
    ----------
    commits : sequence of str
        The newest is the last.
    numbers : sequence of float
        Logarithms of the measured values, or the values.
    worse : int
        1 if more is worse, -1 if less is, 0 if neither.
    is_difference : bool
        Whether the numbers are values, which have no ratio.
    """

    commits: Sequence[str]
    numbers: Sequence[float]
    worse: int
    is_difference: bool = False

    def without(self, commits: Collection[str]) -> Level:
        """Return the level without some earlier commits."""
        kept = [place for place, commit in enumerate(self.commits) if commit not in commits]
        return replace(
            self,
            commits=[self.commits[place] for place in kept],
            numbers=[self.numbers[place] for place in kept],
        )


@dataclass(frozen=True, slots=True)
class Shift:
    """A change that most series share.

    Parameters
    ----------
    low, high : float
        Logarithms of the smallest and the largest; positive is worse.
    alike : tuple of int
        The positions of the series that moved together.
    series : int
        Number of compared series.
    """

    low: float
    high: float
    alike: tuple[int, ...]
    series: int


def judge_tracks(
    tracks: Sequence[Track], changes: Sequence[Sequence[Change]], confidence: float, margin: float
) -> tuple[list[Newest], list[Finding]]:
    """Judge the newest commit of every track, and find what those of a machine share.

    Parameters
    ----------
    changes : sequence of sequence of Change
        Those of each track.
    confidence, margin : float
        As in `judge_newest`.
    """
    ends = {track.session: _end(track) for track in sorted(tracks, key=_end)}
    newest, levels = list[Newest](), dict[int, Level]()
    for place, (track, of_track) in enumerate(zip(tracks, changes, strict=True)):
        newest.append(Newest(NOT_MEASURED, commits=len(track.measured) - 1))
        if _end(track) != ends[track.session]:
            continue
        if track.is_exact:
            newest[place] = place_newest(track.measured, of_track)
        else:
            levels[place] = _cut_level(track, of_track)
    sessions = {
        session: [place for place in levels if tracks[place].session == session] for session in ends
    }
    findings = []
    for places in sessions.values():
        if far := find_far_commits([levels[place] for place in places], margin):
            findings.append(_report_far(far, tracks[places[0]]))
            levels |= {place: levels[place].without(far) for place in places}
    judged = judge_newest(list(levels.values()), confidence, margin)
    for place, one in zip(levels, judged, strict=True):
        newest[place] = one
    for places in sessions.values():
        shift = find_shift([levels[place] for place in places], confidence, margin)
        if shift is not None:
            shared = [places[n] for n in shift.alike]
            findings.insert(0, _report(shift, [tracks[place] for place in shared]))
            for place in shared:
                newest[place] = replace(newest[place], is_shared=True)
    return newest, findings


def judge_newest(levels: Sequence[Level], confidence: float, margin: float) -> list[Newest]:
    """Compare the newest commit of each level with the earlier ones.

    Parameters
    ----------
    confidence : float
        Of the intervals; one minus it is the false discovery rate among those outside.
    margin : float
        The smallest change that matters, as a fraction.

    Returns
    -------
    list of Newest
        Outside if it is outside the interval, the change reaches the margin, and q, the p adjusted
        over all levels (Benjamini-Hochberg), is at most one minus the confidence. A difference has
        no margin. Hidden if it would be outside, or next to equal commits, with the few outlying
        earlier commits moved in.
    """
    judged = _judge(levels, confidence, margin)
    drawn = [_draw_in(level, confidence) for level in levels]
    if not any(far for _, far in drawn):
        return judged
    again = _judge([level for level, _ in drawn], confidence, margin)
    return [
        replace(one, verdict=HIDDEN, outliers=far)
        if far and _is_hidden(one, other, margin)
        else one
        for one, other, (_, far) in zip(judged, again, drawn, strict=True)
    ]


def _judge(levels: Sequence[Level], confidence: float, margin: float) -> list[Newest]:
    placed = [_place(level, confidence) for level in levels]
    adjusted = benjamini_hochberg([newest.pvalue for newest in placed]).tolist() if placed else ()
    return [
        replace(newest, qvalue=q, verdict=_decide(newest, q, confidence, margin))
        for newest, q in zip(placed, adjusted, strict=True)
    ]


def _is_hidden(newest: Newest, drawn: Newest, margin: float) -> bool:
    """Return whether a newest commit is inside only because of the outlying commits."""
    if newest.verdict not in {INSIDE, BY_CHANCE} or drawn.verdict not in {OUTSIDE, NO_BASELINE}:
        return False
    return math.isnan(newest.ratio) or reaches(math.log(newest.ratio), margin)


def _draw_in(level: Level, confidence: float) -> tuple[Level, tuple[str, ...]]:
    """Move the outlying commits of a level to the next nearest value; return it and them.

    If more are outlying than a range may leave out, and more than one, they belong to the level.
    """
    *before, last = level.numbers
    if len(before) < HISTORY:
        return level, ()
    middle, is_far = median(before), find_outliers(before).tolist()
    if sum(number == middle for number in before) > len(before) / 2:
        is_far = [number != middle for number in before]  # most are equal: there is no spread
    if not 0 < sum(is_far) <= max(1.0, (1 - confidence) * len(before) * ROUNDING):
        return level, ()
    near = [number for number, far in zip(before, is_far, strict=True) if not far]
    lowest, highest = min(near), max(near)
    drawn = [min(max(number, lowest), highest) for number in before]
    far = tuple(commit for commit, far in zip(level.commits, is_far, strict=False) if far)
    return replace(level, numbers=[*drawn, last]), far


def find_shift(levels: Sequence[Level], confidence: float, margin: float) -> Shift | None:
    """Find a shift that most series of one machine share at their newest commit.

    Parameters
    ----------
    levels : sequence of Level
        Those of one machine, with the same newest commit.
    confidence, margin : float
        As in `judge_newest`.

    Returns
    -------
    Shift or None
        None with fewer than 4 series that have 8 earlier commits and a direction; if their median
        moved less than the margin or is where its values at the earlier commits predict it; or if
        fewer than two thirds moved by half to twice as much as it.
    """
    moves = _measure_moves(levels)
    middles, newest = _find_middles(moves), levels[0].commits[-1] if levels else ""
    size = middles.pop(newest, 0.0)
    if len(moves) < SERIES or len(middles) < HISTORY or not reaches(size, margin):
        return None
    if not predictive_pvalue([*middles.values()], size) <= (1 - confidence) * ROUNDING:
        return None
    alike = {p: move[newest] for p, move in moves.items() if _is_alike(move[newest], size)}
    if len(alike) < MOST * len(moves):
        return None
    ends = sorted(alike.values(), key=abs)
    return Shift(ends[0], ends[-1], tuple(alike), len(moves))


def find_far_commits(levels: Sequence[Level], margin: float) -> tuple[str, ...]:
    """Find the earlier commits at which most series of one machine had moved together.

    Parameters
    ----------
    levels : sequence of Level
        As in `find_shift`.

    Returns
    -------
    tuple of str
        Commits at which the median of at least four series is an outlier among those of the other
        commits and reaches the margin, and two thirds moved by half to twice as much.
    """
    moves = _measure_moves(levels)
    middles = _find_middles(moves)
    middles.pop(levels[0].commits[-1] if levels else "", None)
    if len(moves) < SERIES or len(middles) < HISTORY:
        return ()
    far = []
    for (commit, size), is_far in zip(
        middles.items(), find_outliers([*middles.values()]), strict=True
    ):
        there = [move[commit] for move in moves.values() if commit in move]
        alike = sum(_is_alike(one, size) for one in there) if size else 0
        if is_far and reaches(size, margin) and alike >= MOST * len(there):
            far.append(commit)
    return tuple(far)


def _measure_moves(levels: Sequence[Level]) -> dict[int, dict[str, float]]:
    """Return the distance of each commit of a level from the median of the earlier ones."""
    moves = {}
    for place, level in enumerate(levels):
        if level.worse and not level.is_difference and len(level.numbers) > HISTORY:
            middle = median(level.numbers[:-1])
            pairs = zip(level.commits, level.numbers, strict=True)
            moves[place] = {commit: level.worse * (log - middle) for commit, log in pairs}
    return moves


def _find_middles(moves: Mapping[int, Mapping[str, float]]) -> dict[str, float]:
    """Return the median move of every commit that at least half of the series have."""
    at: dict[str, list[float]] = {}
    for series in moves.values():
        for commit, move in series.items():
            at.setdefault(commit, []).append(move)
    return {commit: median(those) for commit, those in at.items() if 2 * len(those) >= len(moves)}


def _is_alike(move: float, size: float) -> bool:
    return 1 / _ALIKE <= move / size <= _ALIKE


def _place(level: Level, confidence: float) -> Newest:
    """Compare the last commit of a level with the prediction from those before it."""
    *before, last = level.numbers
    if not before:
        return Newest(NO_BASELINE)
    newest = Newest(NO_BASELINE, commits=len(before))
    away = last - median(before)
    ends, pvalue = (math.nan, math.nan), math.nan
    if {*before} == {last} and len(before) >= HISTORY:
        ends, pvalue = (0.0, 0.0), 1.0
    elif len(before) >= HISTORY:
        predicted = predict(before, [last], confidence)
        # the interval contains 0 if the newest is inside: convert it to where the next one would be
        ends = (predicted.value - predicted.high, predicted.value - predicted.low)
        pvalue = math.nan if math.isnan(predicted.low) else predictive_pvalue(before, last)
    newest = replace(newest, pvalue=pvalue)
    if level.is_difference:
        return replace(newest, difference=away, low=ends[0], high=ends[1])
    low, high = map(to_ratio, ends)
    return replace(newest, ratio=to_ratio(away), low=low, high=high)


def _decide(newest: Newest, qvalue: float, confidence: float, margin: float) -> str:
    if math.isnan(newest.low):
        return NO_BASELINE
    is_difference = math.isnan(newest.ratio)
    if newest.low <= (newest.difference if is_difference else newest.ratio) <= newest.high:
        return INSIDE
    if not (is_difference or reaches(math.log(newest.ratio), margin)):
        return WITHIN
    return OUTSIDE if qvalue <= (1 - confidence) * ROUNDING else BY_CHANCE


def _end(track: Track) -> tuple[datetime, str]:
    """Return the sort key of tracks, by their newest commits."""
    return track.points[-1].time, track.points[-1].commit


def _cut_level(track: Track, changes: Sequence[Change]) -> Level:
    size = changes[-1].commits if changes else len(track.measured)
    commits = [point.commit for point in track.measured[-size:]]
    worse = _WORSE.get(track.names["better"], 0)
    return Level(
        commits=commits, numbers=track.numbers[-size:], worse=worse,
        is_difference=not track.is_positive,
    )  # fmt: skip


def _report(shift: Shift, tracks: Sequence[Track]) -> Finding:
    """Say how many series moved together, and that the machine is the first suspect."""
    points = tracks[0].points
    *_, before, last = (shorten(point.commit, [p.commit for p in points]) for point in points)
    is_time = all(track.names["unit"] in _TIMES for track in tracks)
    count, machine = len(shift.alike), tracks[0].session[0]
    return Finding(
        code="B341",
        severity="warning",
        where=machine,
        message=f"{count} of {shift.series} series are {_write_sizes(shift, is_time=is_time)} "
        f"at {last} ({write_day(points[-1].time)})",
        remedy=f"suspect the machine first: measure {before} and {last} alternately on it",
        numbers={"series": shift.series, "alike": count, "low": shift.low, "high": shift.high},
    )


def _report_far(far: Sequence[str], track: Track) -> Finding:
    """Say at which earlier commits the machine was slow or fast, so predictions ignore them."""
    commits = [point.commit for point in track.points]
    names = ", ".join(shorten(commit, commits) for commit in far)
    return Finding(
        code="B341",
        severity="info",
        where=track.session[0],
        message=f"most series moved together at {names}, so predictions ignore "
        f"{'these commits' if len(far) > 1 else 'this commit'}",
        remedy="to include a commit, measure it again",
        numbers={"commits": len(far)},
    )


def _write_sizes(shift: Shift, *, is_time: bool) -> str:
    """Write ``8–12 % slower``, or ``2.1 to 2.4 times as slow``."""
    low, high = (math.exp(abs(end)) for end in (shift.low, shift.high))
    if high >= _FACTOR:
        words = ("as slow", "as fast") if is_time else ("worse", "better")
        return f"{low:.1f} to {high:.1f} times {words[shift.low < 0]}"
    if shift.low < 0:
        low, high = 2 - 1 / low, 2 - 1 / high
    texts = dict.fromkeys(f"{100 * (end - 1):.0f}" for end in (low, high))
    words = ("slower", "faster") if is_time else ("worse", "better")
    return f"{'–'.join(texts)}\N{NO-BREAK SPACE}% {words[shift.low < 0]}"
