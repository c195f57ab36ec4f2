"""A history in words and tables: changes of level, the newest commit, and every commit.

In: `History`. Out: lines and `Table`s. Why: who reads "since abc1234: +3.2 %" can look at that
commit, and at those around it.
"""

from __future__ import annotations

import math
from collections.abc import Iterator
from datetime import datetime

from benchkit.history.model import Change, History, Newest, Point, Series
from benchkit.history.naming import is_cost, name_commits, name_series, shorten
from benchkit.stats.prediction import HISTORY
from benchkit.tables.model import Cell, Column, Table
from benchkit.tables.stub import NONE
from benchkit.tables.wording import NOTHING, write_value
from benchkit.units import (
    common_scale,
    format_change,
    format_interval,
    format_number,
    printable,
)

#: Most series whose commits are listed one by one.
LISTED = 4


def history_lines(history: History) -> tuple[str, ...]:
    """Say which levels changed and which newest commits lie outside, then what was left out.

    Parameters
    ----------
    history : History

    Returns
    -------
    tuple of str
    """
    open_changes = sum(not c.reason for series in history.series for c in series.changes)
    outside = sum(series.newest.verdict == "outside" for series in history.series)
    count = len(history.series)
    head = (
        f"{count} series: {open_changes} change{'' if open_changes == 1 else 's'} of level, "
        f"the newest commit outside in {outside}."
    )
    told = [f"{name_series(s)}: {write_change(s, c)}" for s in history.series for c in s.changes]
    told += [
        f"{name_series(s)}: {write_newest(s)}"
        for s in history.series
        if s.newest.verdict == "outside" and not s.newest.is_changed
    ]
    unjudged = [name_series(s) for s in history.series if s.unjudged]
    if unjudged:
        why = next(s.unjudged for s in history.series if s.unjudged)
        told.append(f"Not judged, for {why}: {', '.join(unjudged)}.")
    told += _tell_retests(history)
    if history.undated:
        names = ", ".join(shorten(commit, history.undated) for commit in history.undated)
        told.append(f"Left out, for they tell neither date nor start: {names}.")
    told += [f"Warning: {text}." for text in history.unmatched]
    if count > LISTED:
        told.append("--metric and --variant narrow it to the series whose commits are listed.")
    return (head, *told)


def history_tables(history: History) -> tuple[Table, ...]:
    """List the series; of few series also the commits.

    Parameters
    ----------
    history : History

    Returns
    -------
    tuple of Table
    """
    listed = history.series if len(history.series) <= LISTED else ()
    return (_series_table(history), *map(_commits_table, listed))


def _tell_retests(history: History) -> list[str]:
    """Say which commits to measure again, where something was found that nobody has accepted.

    A count that every run has in common is a fact, and needs no other run.
    """
    ordinary = (s for s in history.series if not any(c.is_exact for c in s.changes))
    pairs = dict.fromkeys(pair for series in ordinary for pair in _suspects(series))
    if not pairs:
        return []
    listed = ", ".join(f"{before} and {after}" for before, after in pairs)
    return [f"Found by looking everywhere; fresh runs decide: measure {listed} in turn, and gate."]


def _suspects(series: Series) -> Iterator[tuple[str, str]]:
    """Yield the newest change with the commit before it, and so the newest commit where outside."""
    commits = [point.commit for point in series.measured]
    newest = series.changes[-1:] if series.changes and not series.changes[-1].reason else ()
    found = [change.commit for change in newest]
    names = name_commits(series)
    if series.newest.verdict == "outside":
        found.append(commits[-1])
    for commit in found:
        yield names[commits[commits.index(commit) - 1]], names[commit]


def write_change(series: Series, change: Change) -> str:
    """Write ``since abc1234 (11 Nov 2026): +3.2 % [2.1, 4.3 %], 14 commits``."""
    times = f"{change.commits} commit{'' if change.commits == 1 else 's'}"
    size = f"{_mark(series, change)} {_write_size(series, change)}"
    why = f"; accepted: {printable(change.reason)}" if change.reason else ""
    name = name_commits(series)[change.commit]
    return f"since {name} ({write_day(change.time)}): {size}, {times}{why}"


def _write_size(series: Series, change: Change) -> str:
    """Write ``+3.2 % [2.1, 4.3 %]``; of exact counts ``+8.3 % (12 → 13)``."""
    if not change.is_exact:
        return f"{format_change(change.ratio)} {_interval(change)}"
    ends = (change.before, change.after)
    scale, step = common_scale(ends, series.unit), float(all(map(float.is_integer, ends)))
    levels = " → ".join(write_value(end, scale, step if end else 0.0) for end in ends)
    return levels if math.isnan(change.ratio) else f"{format_change(change.ratio)} ({levels})"


def write_newest(series: Series) -> str:
    """Say whether the newest commit lies where those before it predict."""
    newest, point = series.newest, series.measured[-1]
    name = f"newest {name_commits(series)[point.commit]} ({write_day(point.time)})"
    if series.unjudged:
        return f"{name}: not judged, {series.unjudged}"
    if newest.is_changed is not None:
        return f"{name}: {_write_exact(series)}"
    if newest.verdict == "no baseline":
        few = f"{_count(newest)} of the same level before it; {HISTORY} predict"
        equal = f"more than half of the {_count(newest)} of the same level before it are equal"
        return f"{name}: no baseline, {few if newest.commits < HISTORY else equal}"
    where = format_interval(newest.low, newest.high, ratio=newest.ratio)
    return f"{name}: {newest.verdict}, {format_change(newest.ratio)} beside {where}"


def _write_exact(series: Series) -> str:
    newest = series.newest
    others = f"the {newest.commits} commits before it"
    if newest.commits == 1:
        others = "the commit before it"
    if not newest.is_changed:
        return f"inside, as {others}"
    return f"outside, {_write_size(series, series.changes[-1])} beside {others}"


def write_day(time: datetime) -> str:
    """Write a day as people do.

    Examples
    --------
    >>> write_day(datetime(2026, 11, 1))
    '1 Nov 2026'
    """
    return f"{time.day} {time:%b %Y}"


def _count(newest: Newest) -> str:
    return f"{newest.commits} commit{'' if newest.commits == 1 else 's'}"


def _mark(series: Series, change: Change) -> str:
    return {True: "▲ costs", False: "▼ gains", None: "≠"}[is_cost(series, change)]


def _interval(change: Change) -> str:
    if not (math.isfinite(change.low) and change.low > 0 and change.high < 1e6):
        return "[no interval: too few commits]"
    return format_interval(change.low, change.high, ratio=change.ratio)


def _series_table(history: History) -> Table:
    confidence = history.series[0].confidence
    rows = []
    for series in history.series:
        last = series.changes[-1] if series.changes else None
        rows.append(
            (
                Cell(name_series(series)),
                Cell(printable(series.machine) or NOTHING),
                Cell(f"{len(series.measured)}", len(series.measured)),
                Cell(f"{len(series.changes)}", len(series.changes)),
                Cell(write_change(series, last), last.ratio) if last else NONE,
                Cell(write_newest(series), series.newest.ratio),
            )
        )
    return Table(
        title="History",
        columns=(
            Column("series", "series"),
            Column("machine", "machine"),
            Column("commits", "commits", align="right"),
            Column("changes", "changes", align="right"),
            Column("last", "last change"),
            Column("newest", "newest commit"),
        ),
        rows=tuple(rows),
        caption=f"one series per machine; intervals at {100 * confidence:g} %",
    )


def _commits_table(series: Series) -> Table:
    scale = common_scale([point.value for point in series.measured], series.unit)
    starts = {change.commit: change for change in series.changes}
    names = name_commits(series)
    return Table(
        title=name_series(series),
        columns=(
            Column("commit", "commit"),
            Column("date", "date"),
            Column("runs", "runs", align="right"),
            Column("value", "median", scale.label, align="right"),
            Column("change", "change of level"),
        ),
        rows=tuple(
            (
                Cell(names[point.commit]),
                Cell(f"{point.time:%Y-%m-%d %H:%M}"),
                Cell(f"{point.runs}", point.runs),
                _value(point, scale.factor),
                Cell(write_change(series, starts[point.commit]))
                if point.commit in starts
                else Cell(""),
            )
            for point in series.points
        ),
        footer=(write_newest(series), *_gaps(series)),
    )


def _value(point: Point, factor: float) -> Cell:
    return Cell(format_number(point.value / factor, 4), point.value) if point.runs else NONE


def _gaps(series: Series) -> tuple[str, ...]:
    gaps = len(series.points) - len(series.measured)
    return (f"{gaps} commits were not measured here: gaps, not filled",) if gaps else ()
