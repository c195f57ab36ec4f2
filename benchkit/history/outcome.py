"""The verdict of a history: whether the newest commit, or a change since a commit, costs."""

from __future__ import annotations

from collections.abc import Collection, Iterable, Iterator, Mapping
from dataclasses import dataclass
from datetime import UTC, datetime, timedelta
from types import MappingProxyType

from benchkit.errors import ConfigError, ExitCode
from benchkit.history.model import (
    HIDDEN,
    NO_BASELINE,
    NOT_MEASURED,
    OUTSIDE,
    Change,
    History,
    Latest,
    Series,
)
from benchkit.history.naming import Recorded, is_cost, resolve

PASS, FAIL, UNDECIDED = "pass", "fail", "undecided"
#: Tolerance for the clock that dated a commit.
_SKEW = timedelta(days=1)
_UNJUDGED = {NO_BASELINE, NOT_MEASURED}


@dataclass(frozen=True, slots=True)
class Alarm:
    """A series that costs more: since a step change, or at the newest commit."""

    series: Series
    change: Change | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class Outcome:
    """The verdict of a history.

    Parameters
    ----------
    verdict : str
        ``pass``, ``fail`` or ``undecided``.
    exit_code : int
        0, 1 for a regression or a failed run, 3 if a series is gone, a file is damaged or two
        measurements count as one, 4 if undecided.
    suspects : tuple of Series
        Outside at the newest commit, like most series of their machine.
    hidden : tuple of Series
        Worse at the newest commit than at all others except an outlier, which widens the
        prediction.
    gone : tuple of Series
        Measured at the commit before the newest, and missing there.
    since : str
        The commit after which changes count; empty if only the newest commit counts.
    judged : int
        Number of series that the newest commit measured.
    passed_over : Recorded or None
        The commit of this CI job, if another one was judged.
    future : datetime or None
        The date of the newest commit, if it is in the future.
    unlike : tuple of str
        Why the newest commit is not comparable with those before it.
    """

    verdict: str
    exit_code: int
    alarms: tuple[Alarm, ...]
    suspects: tuple[Series, ...]
    hidden: tuple[Series, ...]
    gone: tuple[Series, ...]
    since: str
    history: History
    judged: int
    passed_over: Recorded | None = None
    future: datetime | None = None
    unlike: tuple[str, ...] = ()


def is_future(time: datetime) -> bool:
    """Return whether a date is in the future, by more than clocks differ."""
    return time.timestamp() > (datetime.now(UTC) + _SKEW).timestamp()


def decide(
    history: History, since: str = "", job: Recorded | None = None,
    unlike: Mapping[int, str] = MappingProxyType({}), losses: Iterable[str] = (),
) -> Outcome:  # fmt: skip
    """Decide like `benchkit gate` does for two commits.

    Parameters
    ----------
    since : str
        A commit of the history, or its abbreviation: unaccepted changes after it count, too.
    job : Recorded, optional
        The commit of this CI job: the pass of another one says nothing about it.
    unlike : mapping of int to str
        Why series, by position, cannot be judged at the newest commit.
    losses : iterable of str
        What the newest commit measured less often than the one before.

    Raises
    ------
    ConfigError
        If ``since`` is not a commit of the history.
    """
    since, begun = _find_commit(history, since)
    latest = history.latest or Latest()
    newest = [series for series in history.series if _ends_at(series, latest.commit)]
    alarms = tuple(_list_alarms(history, latest.commit, begun, unlike))
    suspects = tuple(s for s in newest if s.newest.is_shared and _is_worse(s))
    hidden = tuple(s for s in newest if s.newest.verdict == HIDDEN and is_cost(s, s.newest))
    gone = tuple(_list_gone(history, latest.commit))
    tested = [series for series in newest if not series.is_exact] or newest
    times = [series.measured[-1].time for series in newest]
    future = next(filter(is_future, times), None)
    is_other = job and job.commit not in {latest.commit, *latest.undated}
    reasons = tuple(dict.fromkeys((*unlike.values(), *losses)))
    is_doubtful = latest.is_failing or latest.undated or is_other or future or reasons
    is_blind = all(series.newest.verdict in _UNJUDGED for series in tested)
    if alarms or latest.failed:
        code = ExitCode.REGRESSION
    elif gone or latest.damaged or latest.mixed or not newest:
        code = ExitCode.DATA
    elif suspects or hidden or is_blind or is_doubtful:
        code = ExitCode.INCONCLUSIVE
    else:
        code = ExitCode.DONE
    verdicts = {ExitCode.DONE: PASS, ExitCode.INCONCLUSIVE: UNDECIDED}
    return Outcome(
        verdict=verdicts.get(code, FAIL), exit_code=int(code), alarms=alarms, suspects=suspects,
        hidden=hidden, gone=gone, since=since, history=history, judged=len(newest),
        passed_over=job if is_other else None, future=future, unlike=reasons,
    )  # fmt: skip


def _ends_at(series: Series, commit: str) -> bool:
    return series.measured[-1].commit == commit


def _is_worse(series: Series) -> bool:
    """Return whether the newest commit is outside, on the side where it costs."""
    if series.newest.verdict != OUTSIDE:
        return False
    if series.is_exact and series.changes:
        return bool(is_cost(series, series.changes[-1]))
    return bool(is_cost(series, series.newest))


def _find_commit(history: History, since: str) -> tuple[str, int]:
    """Return the full commit with its position among all commits."""
    order = _order_commits(history)
    if not since:
        return "", len(order)
    commit = resolve(since, order, where="--since")
    if commit not in order:
        hint = "list the series with `benchkit history show`"
        raise ConfigError(f"{since!r} is not a commit of this history", where="--since", hint=hint)
    return commit, order[commit]


def _order_commits(history: History) -> dict[str, int]:
    times = {point.commit: point.time for series in history.series for point in series.points}
    ordered = sorted(times, key=lambda commit: (times[commit], commit))
    return {commit: place for place, commit in enumerate(ordered)}


def _list_alarms(
    history: History, newest: str, begun: int, unlike: Collection[int]
) -> Iterator[Alarm]:
    order = _order_commits(history)
    for place, series in enumerate(history.series):
        after = [change for change in series.open_changes if order[change.commit] > begun]
        costs = [change for change in after if is_cost(series, change)]
        if costs:
            yield Alarm(series, costs[-1])
        elif place in unlike or series.newest.is_shared:
            continue
        elif _ends_at(series, newest) and _is_worse(series):
            yield Alarm(series)


def _list_gone(history: History, newest: str) -> Iterator[Series]:
    """Yield what the commit before the newest measured on a machine and the newest did not.

    Nothing is missing on a machine on which the newest commit was not measured.
    """
    ends: dict[str, list[str]] = {}
    order = _order_commits(history)
    for series in history.series:
        measured = {point.commit for point in series.measured}
        known = {*ends.get(series.machine, ()), *measured}
        ends[series.machine] = sorted(known, key=order.__getitem__)[-2:]
    for series in history.series:
        *before, last = ends[series.machine]
        if last == newest and series.measured[-1].commit in before:
            yield series
