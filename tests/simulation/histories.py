"""Histories of many series: false alarms at the newest commit, and about earlier changes.

The rate of false alarms among a number of series, and how often the machine is named, is measured
through the functions that `history show` calls.
"""

from __future__ import annotations

import zlib
from collections.abc import Sequence
from dataclasses import asdict, dataclass, replace
from math import log1p, sqrt

import numpy as np

from benchkit.history.model import OUTSIDE
from benchkit.history.newest import Level, find_far_commits, find_shift, judge_newest
from benchkit.history.search import find_changed, search
from benchkit.stats.changepoint import find_changes
from simulation.trials import CONFIDENCE, MARGIN
from simulation.worlds import SPREAD, FloatArray, follow

#: Commits before the newest, and those in which changes are searched.
EARLIER, POINTS = 20, 50
#: Divisor of the number of sessions, by number of series.
_FEWER = {1: 1, 4: 1, 20: 4, 200: 20}


@dataclass(frozen=True)
class Newest:
    """Series of one machine, some of which move at the newest commit.

    Parameters
    ----------
    series : int
    common : float
        Share of the variance of a run that all series have in common.
    runs : int
        A commit is the median of so many.
    is_slow : bool
        Whether one run in ten is 20 % slow.
    is_far : bool
        Whether all series were 10 % slow at one earlier commit.
    moved, shift : float
        Share of the series that move, and by how much.
    """

    series: int
    common: float = 0.0
    runs: int = 1
    is_slow: bool = False
    is_far: bool = False
    moved: float = 0.0
    shift: float = 0.1


@dataclass(frozen=True)
class Steady:
    """Series without changes, whose neighbouring commits have a given correlation."""

    series: int
    correlation: float


#: What moves: nothing, a tenth of the series, a third, all, all by less.
MOVES = ((0.0, 0.1), (0.1, 0.1), (1 / 3, 0.1), (1.0, 0.1), (1.0, 0.05))


KINDS = (
    Newest(1),
    Newest(4),
    *(Newest(n, common) for n in (20, 200) for common in (0.0, 0.5)),
    *(Newest(20, runs=runs, is_slow=True) for runs in (1, 5)),
    Newest(20, is_far=True),
)


def list_newest() -> tuple[Newest, ...]:
    """Return the settings of the newest commit: every kind of series with every move."""
    return tuple(
        replace(kind, moved=moved, shift=shift)
        for kind in KINDS
        for moved, shift in MOVES
        if moved in {0.0, 1.0} or kind.series >= 20
    )


def list_steady() -> tuple[Steady, ...]:
    """Return the settings of changes before the newest commit."""
    return tuple(Steady(n, correlation) for n in (1, 20) for correlation in (0.0, 0.5))


def try_newest(setting: Newest, sessions: int) -> dict[str, object]:
    """Return how often series are outside, rightly or not, and how often the machine is named."""
    generator = _seed(setting)
    count = max(sessions // _FEWER[setting.series], 1)
    moved = round(setting.moved * setting.series)
    any_alarm = false = right = named = 0.0
    for _ in range(count):
        levels = _draw_levels(setting, moved, generator)
        verdicts = judge_newest(levels, CONFIDENCE, MARGIN)
        outside = [one.verdict == OUTSIDE for one in verdicts]
        any_alarm += any(outside)
        false += sum(outside[moved:]) / max(sum(outside), 1)
        right += sum(outside[:moved]) / max(moved, 1)
        named += find_shift(levels, CONFIDENCE, MARGIN) is not None
    shares = {"any": any_alarm, "false": false, "found": right, "named": named}
    return {**asdict(setting), "sessions": count, **_average(shares, count)}


def try_steady(setting: Steady, sessions: int) -> dict[str, object]:
    """Return the false changes per 100 commits of a series, and the share of histories with one."""
    generator = _seed(setting)
    count = max(sessions // _FEWER[setting.series] // 4, 1)
    alarms = any_alarm = 0
    for _ in range(count):
        noise = generator.standard_normal((setting.series, POINTS))
        series = (SPREAD * follow(noise, setting.correlation)).tolist()
        changed = find_changed([search([logs], setting.series) for logs in series])
        changes = sum(
            len(find_changes(logs)) for logs, one in zip(series, changed, strict=True) if one
        )
        alarms += changes
        any_alarm += changes > 0
    per_100 = 100 * alarms / (count * setting.series * POINTS)
    shares = _average({"any": any_alarm}, count)
    return {**asdict(setting), "sessions": count, "per_100": round(per_100, 5), **shares}


def _average(sums: dict[str, float], count: int) -> dict[str, float]:
    return {name: round(total / count, 5) for name, total in sums.items()}


def _seed(setting: Newest | Steady) -> np.random.Generator:
    return np.random.default_rng(zlib.crc32(repr(setting).encode()))


def _draw_levels(setting: Newest, moved: int, generator: np.random.Generator) -> Sequence[Level]:
    shape = (setting.series, setting.runs, EARLIER + 1)
    values: FloatArray = sqrt(1 - setting.common) * generator.standard_normal(shape)
    values += sqrt(setting.common) * generator.standard_normal(shape[1:])
    values *= SPREAD
    if setting.is_slow:
        values += log1p(0.2) * (generator.random(shape) < 0.1)
    logs = np.median(values, axis=1)
    logs[:moved, -1] += log1p(setting.shift)
    if setting.is_far:
        logs[:, EARLIER // 2] += log1p(0.1)
    commits = [str(commit) for commit in range(EARLIER + 1)]
    levels = [Level(commits=commits, numbers=row, worse=1) for row in logs.tolist()]
    far = find_far_commits(levels, MARGIN)
    return [level.without(far) for level in levels]
