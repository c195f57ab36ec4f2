"""A history that decides: whether the newest commit, or a change since a commit, costs."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from datetime import datetime

from benchkit.errors import ConfigError, ExitCode
from benchkit.history.model import (
    NO_BASELINE,
    NOT_JUDGED,
    NOT_MEASURED,
    OUTSIDE,
    Change,
    History,
    Series,
)
from benchkit.history.naming import is_cost, resolve

PASS, FAIL, UNDECIDED = "pass", "fail", "undecided"


@dataclass(frozen=True, slots=True)
class Alarm:
    """A series that costs more: at a change of its level, or at the newest commit."""

    series: Series
    change: Change | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class Outcome:
    """What a history decides.

    Parameters
    ----------
    verdict : str
        ``pass``, ``fail`` or ``undecided``.
    exit_code : int
        0, 1 over a regression, 3 where a series is gone, 4 undecided.
    alarms : tuple of Alarm
    suspects : tuple of Series
        Outside at the newest commit, as most series of their machine are.
    gone : tuple of Series
        Measured at the commit before the newest, and not there.
    since : str
        The commit after which changes count; empty where only the newest commit does.
    history : History
    """

    verdict: str
    exit_code: int
    alarms: tuple[Alarm, ...]
    suspects: tuple[Series, ...]
    gone: tuple[Series, ...]
    since: str
    history: History


def decide(history: History, since: str = "") -> Outcome:
    """Decide as `benchkit gate` does for two commits.

    Parameters
    ----------
    history : History
    since : str
        A commit of the history, or its beginning: unaccepted changes after it count, too.

    Raises
    ------
    ConfigError
        If ``since`` is no commit of the history.
    """
    since, begun = _find_commit(history, since)
    alarms = tuple(_list_alarms(history, begun))
    outside = [s for s in history.series if s.newest.verdict == OUTSIDE and is_worse(s)]
    suspects = tuple(series for series in outside if series.newest.is_shared)
    gone = tuple(_list_gone(history))
    unjudged = {NO_BASELINE, NOT_JUDGED, NOT_MEASURED}
    is_blind = all(series.newest.verdict in unjudged for series in history.series)
    code = ExitCode.DONE
    if alarms:
        code = ExitCode.REGRESSION
    elif gone:
        code = ExitCode.DATA
    elif suspects or is_blind:
        code = ExitCode.INCONCLUSIVE
    verdicts = {ExitCode.DONE: PASS, ExitCode.INCONCLUSIVE: UNDECIDED}
    return Outcome(
        verdict=verdicts.get(code, FAIL), exit_code=int(code), alarms=alarms, suspects=suspects,
        gone=gone, since=since, history=history,
    )  # fmt: skip


def is_worse(series: Series) -> bool:
    """Tell whether the newest commit lies on the side where it costs."""
    if series.is_exact and series.changes:
        return bool(is_cost(series, series.changes[-1]))
    if series.better not in {"lower", "higher"}:
        return False
    return (series.newest.ratio > 1) == (series.better == "lower")


def _find_commit(history: History, since: str) -> tuple[str, int]:
    """Return the commit in full with its place in the order of all commits."""
    order = _order_commits(history)
    if not since:
        return "", len(order)
    found = resolve(since, order, where="--since")
    if found not in order:
        hint = "name one that `benchkit history show` lists"
        raise ConfigError(f"{since!r} is no commit of this history", where="--since", hint=hint)
    return found, order[found]


def _order_commits(history: History) -> dict[str, int]:
    times = {point.commit: point.time for series in history.series for point in series.points}
    ordered = sorted(times, key=lambda commit: (times[commit], commit))
    return {commit: place for place, commit in enumerate(ordered)}


def _list_alarms(history: History, begun: int) -> Iterator[Alarm]:
    order = _order_commits(history)
    for series in history.series:
        after = [change for change in series.open_changes if order[change.commit] > begun]
        costs = [change for change in after if is_cost(series, change)]
        if costs:
            yield Alarm(series, costs[-1])
        elif series.newest.verdict == OUTSIDE and is_worse(series) and not series.newest.is_shared:
            yield Alarm(series)


def _list_gone(history: History) -> Iterator[Series]:
    """Yield what the commit before the newest measured, on a machine, and the newest did not."""
    ends: dict[tuple[str, ...], list[tuple[datetime, str]]] = {}
    for series in history.series:
        measured = {(point.time, point.commit) for point in series.measured}
        known = ends.setdefault(_session(series), [])
        known[:] = sorted({*known, *measured})[-2:]
    for series in history.series:
        last = (series.measured[-1].time, series.measured[-1].commit)
        if series.newest.verdict == NOT_MEASURED and last in ends[_session(series)]:
            yield series


def _session(series: Series) -> tuple[str, ...]:
    return series.machine, series.variant, series.tool
