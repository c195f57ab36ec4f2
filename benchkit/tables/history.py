"""A history in words and tables: changes of level, the newest commit, and every commit.

Who reads "since abc1234: +3.2 %" can look at that commit, and at those around it.
"""

from __future__ import annotations

import math
from collections import Counter
from collections.abc import Iterator
from datetime import datetime
from operator import itemgetter

from benchkit.comparison import HISTORY_RUNS
from benchkit.history.model import (
    BY_CHANCE,
    INSIDE,
    NO_BASELINE,
    NOT_JUDGED,
    NOT_MEASURED,
    OUTSIDE,
    Change,
    History,
    Latest,
    Newest,
    Point,
    Series,
)
from benchkit.history.naming import is_cost, name_commits, name_series, shorten, write_day
from benchkit.history.outcome import FAIL, PASS, UNDECIDED, Alarm, Outcome
from benchkit.intervals import format_interval
from benchkit.tables.model import Cell, Column, Table
from benchkit.tables.stub import NONE
from benchkit.tables.wording import NOTHING, write_value
from benchkit.units import common_scale, format_change, format_number, format_pvalue, printable

#: Most series whose commits are listed one by one.
LISTED = 4
#: Most series that the gate's sentence names.
_NAMED = 3
#: Fewest commits that can be followed.
_FEWEST = 2


def history_lines(history: History) -> tuple[str, ...]:
    """Say which levels changed and which newest commits lie outside, then what was left out."""
    open_changes = sum(len(series.open_changes) for series in history.series)
    outside = sum(series.newest.verdict == OUTSIDE for series in history.series)
    count = len(history.series)
    lines = [*_write_findings(history, "warning")]
    lines.append(
        f"{count} series: {open_changes} change{'' if open_changes == 1 else 's'} of level, "
        f"the newest commit outside in {outside}."
    )
    if all(len(series.measured) < _FEWEST for series in history.series):
        lines.append(
            "No series has two commits: runs of one series share group, variant, benchmark, params "
            "and machine, and these differ from commit to commit (see `benchkit runs`)."
        )
    lines += [text for _, text in sorted(_list_alarms(history), key=itemgetter(0), reverse=True)]
    lines += _tell_left_out(history)
    if len(history.listed) > LISTED:
        lines.append("--metric and --variant narrow it to the series whose commits are listed.")
    return tuple(lines)


def gate_line(outcome: Outcome) -> str:
    """Say what a history decides, and by which series."""
    clauses = [*_list_clauses(outcome)] or [_describe_pass(outcome)]
    marks = {FAIL: "✗", PASS: "✓"}
    text = "; ".join(clauses)
    return f"{marks.get(outcome.verdict, '?')} {text[0].upper()}{text[1:]}."


def _list_clauses(outcome: Outcome) -> Iterator[str]:
    """Yield a clause for each kind of event, the one that decides the exit code first."""
    if outcome.alarms:
        told = [describe_alarm(alarm) for alarm in outcome.alarms]
        more = f", and {len(told) - _NAMED} more" if len(told) > _NAMED else ""
        yield f"regression: {'; '.join(told[:_NAMED])}{more}"
    latest = outcome.history.latest or Latest()
    name = shorten(latest.commit)
    if latest.failed:
        yield f"{_count_of(latest.failed, 'run')} of {name} failed"
    if outcome.gone:
        names = [name_series(series) for series in outcome.gone]
        more = f" and {len(names) - _NAMED} more" if len(names) > _NAMED else ""
        yield f"gone at {name}: {', '.join(names[:_NAMED])}{more}"
    if latest.damaged:
        yield f"{_count_of(latest.damaged, 'file')} of {name} cannot be read"
    if not outcome.judged and latest.commit:
        yield f"nothing was measured at the newest commit, {name}"
    elif outcome.suspects:
        yield f"undecided: {len(outcome.suspects)} series are outside together, measure again"
    elif latest.is_failing:
        share = f"{100 * latest.failing:.3g}\N{NO-BREAK SPACE}%"
        yield f"undecided: {share} of the requests of {name} failed"
    elif latest.undated:
        undated = ", ".join(map(shorten, latest.undated))
        yield f"undecided: {undated} has no date and may be newer"
    elif outcome.verdict == UNDECIDED:
        yield f"undecided: no series of {name} has {HISTORY_RUNS} commits of one level before it"


def _count_of(number: int, noun: str) -> str:
    return f"{number} {noun}{'' if number == 1 else 's'}"


def describe_alarm(alarm: Alarm) -> str:
    """Name a series with the change, or the place of its newest commit, that costs."""
    series, change = alarm.series, alarm.change
    told = write_change(series, change) if change else write_newest(series)
    return f"{name_series(series)}: {told}"


def _describe_pass(outcome: Outcome) -> str:
    latest = outcome.history.latest or Latest()
    since = f" and since {shorten(outcome.since)}" if outcome.since else ""
    return f"no regression at {shorten(latest.commit)}{since}: {outcome.judged} series measured"


def _write_findings(history: History, severity: str) -> Iterator[str]:
    for finding in history.findings:
        if finding.severity == severity:
            where = f"{finding.where}: " if finding.where and history.has_machines else ""
            mark = ";" if ":" in finding.message else ":"
            text = f"{finding.message}{mark} {finding.remedy}."
            yield printable(f"{where}{text[0].upper()}{text[1:]}")


def _list_accepted(history: History) -> Iterator[str]:
    """Yield which changes are accepted, and in how many series."""
    counts: Counter[str] = Counter()
    for series in history.series:
        for change in series.changes:
            if change.reason:
                name, day = name_commits(series)[change.commit], write_day(change.time)
                counts[f"since {name} ({day}): accepted: {printable(change.reason)}"] += 1
    yield from (f"{text}, in {count} series." for text, count in counts.items())


def _list_alarms(history: History) -> Iterator[tuple[datetime, str]]:
    """Yield the changes, and the newest commits outside that are not part of a common shift."""
    for series in history.series:
        name, newest = name_series(series), series.newest
        if history.has_machines:
            name = f"{name} on {printable(series.machine) or 'an unknown machine'}"
        for change in series.open_changes:
            yield change.time, f"{name}: {write_change(series, change)}"
        if newest.verdict == OUTSIDE and not (series.is_exact or newest.is_shared):
            yield series.measured[-1].time, f"{name}: {write_newest(series)}"


def _tell_left_out(history: History) -> Iterator[str]:
    """Say what is not judged, not measured or not listed, and which commits to measure again."""
    yield from _list_accepted(history)
    yield from _write_findings(history, "info")
    unjudged = [name_series(s) for s in history.series if s.unjudged]
    if unjudged:
        why = next(s.unjudged for s in history.series if s.unjudged)
        yield f"Not judged, for {why}: {', '.join(unjudged)}."
    ended = [s for s in history.series if s.newest.verdict == NOT_MEASURED]
    if ended:
        names = ", ".join(f"{name_series(s)} (last {_name_last(s)})" for s in ended)
        yield f"Not measured at the newest commit: {names}."
    if steady := len(history.series) - len(history.listed):
        yield f"Not listed, since nothing changed: {steady} series; --format json has all."
    yield from _tell_retests(history)
    if history.undated:
        names = ", ".join(shorten(commit, history.undated) for commit in history.undated)
        yield f"Left out, for they tell neither date nor start: {names}."
    yield from (f"Warning: {text}." for text in history.unmatched)


def _name_last(series: Series) -> str:
    last = series.measured[-1]
    return f"{name_commits(series)[last.commit]}, {write_day(last.time)}"


def _name_newest(series: Series) -> str:
    last = series.measured[-1]
    return f"newest {name_commits(series)[last.commit]} ({write_day(last.time)})"


def history_tables(history: History) -> tuple[Table, ...]:
    """List the series; of few series also the commits."""
    listed = history.listed if len(history.listed) <= LISTED else ()
    return (_series_table(history), *map(_commits_table, listed)) if history.listed else ()


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
    if series.newest.verdict == OUTSIDE:
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
    return f"{_name_newest(series)}: {_write_place(series)}"


def _write_place(series: Series) -> str:
    newest = series.newest
    if series.is_exact and newest.verdict in {INSIDE, OUTSIDE}:
        others = f"the {_count(newest)} before it" if newest.commits > 1 else "the commit before it"
        if newest.verdict == INSIDE:
            return f"{INSIDE}, as {others}"
        return f"{OUTSIDE}, {_write_size(series, series.changes[-1])} beside {others}"
    if newest.verdict in {NOT_JUDGED, NOT_MEASURED, NO_BASELINE}:
        return _write_unplaced(series)
    where = format_interval(newest.low, newest.high, ratio=newest.ratio)
    size = f"{format_change(newest.ratio)} beside {where}"
    if newest.verdict == BY_CHANCE:
        return f"{size}, as one of so many series is by chance (q {_write_q(newest)})"
    q = f" (q {_write_q(newest)})" if newest.verdict == OUTSIDE else ""
    return f"{newest.verdict}, {size}{q}"


def _write_unplaced(series: Series) -> str:
    newest, commits = series.newest, _count(series.newest)
    if newest.verdict == NOT_MEASURED:
        return "no newer one was measured here"
    if newest.verdict == NOT_JUDGED:
        return f"{NOT_JUDGED}, {series.unjudged}"
    if newest.commits < HISTORY_RUNS:
        return f"{NO_BASELINE}, {commits} of the same level before it; {HISTORY_RUNS} predict"
    size = format_change(newest.ratio)
    return f"{NO_BASELINE}, {size} beside {commits} of the same level that are all equal"


def _write_q(newest: Newest) -> str:
    text = format_pvalue(newest.qvalue)
    return text if text.startswith("<") else f"= {text}"


def _count(newest: Newest) -> str:
    return f"{newest.commits} commit{'' if newest.commits == 1 else 's'}"


def _mark(series: Series, change: Change) -> str:
    if change.reason and change.low <= 1 <= change.high:
        return "~"
    return {True: "▲ worse", False: "▼ better", None: "≠"}[is_cost(series, change)]


def _interval(change: Change) -> str:
    if not (math.isfinite(change.low) and change.low > 0 and change.high < 1e6):
        return "[no interval: too few commits]"
    return format_interval(change.low, change.high, ratio=change.ratio)


def _series_table(history: History) -> Table:
    machines = dict.fromkeys(series.machine for series in history.listed)
    newest = {_name_newest(series) for series in history.listed}
    names, dates = len(machines) > 1, len(newest) > 1
    columns = [
        Column("series", "series"),
        Column("commits", "commits", align="right"),
        Column("changes", "changes", align="right"),
        Column("last", "last change"),
        Column("newest", newest.pop() if len(newest) == 1 else "newest commit"),
    ]
    if names:
        columns.insert(1, Column("machine", "machine"))
    captions = [
        "one series per machine"
        if names or not any(machines)
        else f"machine: {printable(next(iter(machines)))}",
        f"intervals at {100 * history.series[0].confidence:g} %",
        "q: p adjusted over all series (Benjamini–Hochberg)",
    ]
    return Table(
        title="History",
        columns=tuple(columns),
        rows=tuple(_series_row(series, names=names, dates=dates) for series in history.listed),
        caption="; ".join(captions),
    )


def _series_row(series: Series, *, names: bool, dates: bool) -> tuple[Cell, ...]:
    last = series.changes[-1] if series.changes else None
    return (
        Cell(name_series(series)),
        *([Cell(printable(series.machine) or NOTHING)] if names else []),
        Cell(f"{len(series.measured)}", len(series.measured)),
        Cell(f"{len(series.changes)}", len(series.changes)),
        Cell(write_change(series, last), last.ratio) if last else NONE,
        Cell(write_newest(series) if dates else _write_place(series), series.newest.ratio),
    )


def _commits_table(series: Series) -> Table:
    scale = common_scale([point.value for point in series.measured], series.unit)
    starts = {change.commit: change for change in series.changes}
    digits = 0 if all((p.value / scale.factor).is_integer() for p in series.measured) else 4
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
                _value(point, scale.factor, digits),
                Cell(write_change(series, starts[point.commit]))
                if point.commit in starts
                else Cell(""),
            )
            for point in series.points
        ),
        footer=(write_newest(series), *_gaps(series)),
    )


def _value(point: Point, factor: float, digits: int) -> Cell:
    if not point.runs:
        return NONE
    value = point.value / factor
    return Cell(format_number(value, digits) if digits else f"{value:.0f}", point.value)


def _gaps(series: Series) -> tuple[str, ...]:
    gaps = len(series.points) - len(series.measured)
    return (f"{gaps} commits were not measured here: gaps, not filled",) if gaps else ()
