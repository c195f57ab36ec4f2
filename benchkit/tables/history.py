"""A history as sentences and tables: step changes, the newest commit, and every commit."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Iterator, Sequence
from datetime import datetime
from operator import itemgetter
from shlex import quote

from benchkit.comparison import HISTORY_RUNS
from benchkit.history.model import (
    NOT_MEASURED,
    OUTSIDE,
    History,
    Latest,
    Point,
    Series,
)
from benchkit.history.naming import (
    name_commit,
    name_commits,
    name_series,
    read_branch,
    shorten,
    write_day,
)
from benchkit.history.outcome import FAIL, PASS, UNDECIDED, Alarm, Outcome
from benchkit.history.search import EACH_SIDE
from benchkit.listing import list_first
from benchkit.tables.model import Cell, Column, Table
from benchkit.tables.series import (
    count_commits,
    describe_change,
    name_change,
    name_newest,
    write_change,
    write_newest,
    write_place,
)
from benchkit.tables.stub import NONE
from benchkit.tables.wording import NOTHING, count_of
from benchkit.units import common_scale, format_number, printable

#: Maximum number of series whose commits are listed individually.
LISTED = 4
#: Maximum number of series that the gate's sentence names.
_NAMED = 3
#: Minimum number of commits for a history.
_FEWEST = 2


def history_lines(history: History) -> tuple[str, ...]:
    """Report changed levels and outlying newest commits, then what was left out."""
    lines = [*_write_findings(history, "warning"), write_headline(history)]
    commits = {point.commit for series in history.series for point in series.measured}
    if len(commits) > 1 and all(len(series.measured) < _FEWEST for series in history.series):
        lines.append(
            "No series has two commits. A series contains the runs of one group, variant, "
            "benchmark, level and machine, and here every commit differs from the others in "
            "at least one of these (see `benchkit runs`)."
        )
    alarms = sorted(_list_alarms(history), key=itemgetter(0), reverse=True)
    lines += _join_places([alarm for _, *alarm in alarms])
    if steady := len(history.series) - len(history.listed):
        lines.append(
            f"Not listed: {steady} series without a change; --format json has all of them."
        )
    lines += _report_left_out(history)
    if len(history.listed) > LISTED:
        lines.append("Select some with --metric and --variant to list their commits.")
    return tuple(lines)


def write_headline(history: History) -> str:
    """Count the series, the step changes and the newest commits outside their prediction."""
    changes = sum(len(series.open_changes) for series in history.series)
    outside = sum(series.newest.verdict == OUTSIDE for series in history.series)
    none = f"no step change (one needs {EACH_SIDE} commits on each side)"
    steps = count_of(changes, "step change") if changes else none
    return (
        f"{len(history.series)} series: {steps}; the newest commit is outside the expected range "
        f"in {outside or 'no'} series."
    )


def write_notes(history: History) -> tuple[str, ...]:
    """Report what holds for all series: the machine, what is left out, and what to do."""
    return (*_write_findings(history, "warning"), *_report_left_out(history))


def gate_line(outcome: Outcome) -> str:
    """State the decision of a history, and the series behind it."""
    clauses = [*_list_clauses(outcome)] or [_describe_pass(outcome)]
    marks = {FAIL: "✗", PASS: "✓"}
    text = "; ".join(clauses)
    return f"{marks.get(outcome.verdict, '?')} {text[0].upper()}{text[1:]}."


def _list_clauses(outcome: Outcome) -> Iterator[str]:
    """Yield a clause for each kind of event, starting with the one that decides the exit code."""
    if outcome.alarms:
        alarms = _join_places([_split_alarm(alarm) for alarm in outcome.alarms])
        more = f"; and {len(alarms) - _NAMED} more" if len(alarms) > _NAMED else ""
        yield f"regression: {'; '.join(alarms[:_NAMED])}{more}"
    latest = outcome.history.latest or Latest()
    name = shorten(latest.commit)
    if latest.failed:
        more = f" and {len(latest.reasons) - 1} more" if len(latest.reasons) > 1 else ""
        why = printable(f": {latest.reasons[0]}{more}") if latest.reasons else ""
        yield f"{count_of(latest.failed, 'run')} of {name} failed{why}"
    if outcome.gone:
        names = [name_series(series) for series in outcome.gone]
        yield f"missing at {name}: {list_first(names, _NAMED)}"
    if latest.damaged:
        yield f"{count_of(latest.damaged, 'file')} of {name} cannot be read"
    for reason in latest.mixed:
        yield printable(f"two measurements of {name} count as one: {reason}")
    if not outcome.judged and latest.commit:
        yield f"nothing was measured at the newest commit, {name}"
    else:
        yield from _list_doubts(outcome, latest, name)


def _list_doubts(outcome: Outcome, latest: Latest, name: str) -> Iterator[str]:
    """Yield the reason why the newest commit cannot be judged, if there is one."""
    if outcome.suspects:
        together = f"{len(outcome.suspects)} series got worse together at {name}"
        yield f"undecided: {together}, which points to the machine; measure again"
    elif outcome.hidden:
        yield f"undecided: {'; '.join(_name_hidden(outcome.hidden))}"
    elif latest.is_failing:
        share = f"{latest.failing.bound}{100 * latest.failing.value:.3g}\N{NO-BREAK SPACE}%"
        yield f"undecided: {share} of the requests of {name} failed"
    elif outcome.unlike:
        more = f" and {len(outcome.unlike) - 1} more" if len(outcome.unlike) > 1 else ""
        yield printable(f"undecided: {outcome.unlike[0]}{more}")
    elif latest.undated:
        undated = ", ".join(map(shorten, latest.undated))
        yield f"undecided: {undated} has no date and may be newer"
    elif outcome.passed_over or outcome.future:
        yield printable(f"undecided: {_describe_order(outcome, name)}")
    elif outcome.verdict == UNDECIDED:
        few = f"fewer than {HISTORY_RUNS} commits since its last step change"
        yield f"undecided: before {name}, every series whose values vary has {few}"


def _describe_order(outcome: Outcome, newest: str) -> str:
    """Explain why the newest commit by date may not be the commit that the job tests."""
    date = f"{write_day(outcome.future)}, which is in the future" if outcome.future else ""
    job, branch = outcome.passed_over, read_branch({"branch": outcome.history.branch})
    if job is None:
        return f"the date of {newest} is {date}; add the commit again with its real --date"
    if branch not in job.branches:
        actual = min(job.branches)
        why = f"it is on branch {actual}, not {branch}; to judge it, use --branch {quote(actual)}"
    elif date:
        why = f"{newest} is newer by its date, {date}; add {newest} again with its real --date"
    else:
        why = f"{newest} is newer by its date"
    return f"{shorten(job.commit)}, the commit of this CI job, was not judged, because {why}"


def _name_hidden(hidden: Sequence[Series]) -> list[str]:
    """Name the series that are worse than all commits but an outlier, and what to measure again."""
    names = _join_places([(name_series(s), name_newest(s), write_place(s)) for s in hidden])
    again = dict.fromkeys(c for s in hidden for c in (*s.newest.outliers, s.measured[-1].commit))
    more = [f"and {len(names) - _NAMED} more"] * (len(names) > _NAMED)
    return [*names[:_NAMED], *more, f"measure {', '.join(map(shorten, again))} again"]


def describe_alarm(alarm: Alarm) -> str:
    """Describe a costly change of a series, or the costly place of its newest commit."""
    name, place, text = _split_alarm(alarm)
    return f"{name}: {place}: {text}"


def _split_alarm(alarm: Alarm) -> tuple[str, str, str]:
    """Return the series, the commit, and the event."""
    series, change = alarm.series, alarm.change
    if change:
        return name_series(series), name_change(series, change), describe_change(series, change)
    return name_series(series), name_newest(series), write_place(series)


def _join_places(alarms: Iterable[Sequence[str]]) -> list[str]:
    """Write a line for each series; join series with the same commit, and name the first."""
    places: dict[str, list[tuple[str, str]]] = {}
    for name, place, text in alarms:
        places.setdefault(place, []).append((name, text))
    lines = []
    for place, texts in places.items():
        if len(texts) <= _NAMED:
            lines += [f"{name}: {place}: {text}" for name, text in texts]
            continue
        named = "; ".join(f"{name}: {text}" for name, text in texts[:_NAMED])
        lines.append(f"{place}, {len(texts)} series: {named}; and {len(texts) - _NAMED} more")
    return lines


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
    """Yield the accepted changes, and the number of series of each."""
    counts: Counter[str] = Counter()
    for series in history.series:
        for change in series.changes:
            if change.reason:
                name, day = name_commit(series, change.commit), write_day(change.time)
                counts[f"since {name} ({day}): accepted: {printable(change.reason)}"] += 1
    yield from (f"{text}, in {count} series." for text, count in counts.items())


def _list_alarms(history: History) -> Iterator[tuple[datetime, str, str, str]]:
    """Yield the changes, and the outlying newest commits that are not part of a common shift."""
    for series in history.series:
        name, newest = name_series(series), series.newest
        if history.has_machines:
            name = f"{name} on {printable(series.machine) or 'an unknown machine'}"
        for change in series.open_changes:
            yield change.time, name, name_change(series, change), describe_change(series, change)
        if newest.verdict == OUTSIDE and not (series.is_exact or newest.is_shared):
            yield series.measured[-1].time, name, name_newest(series), write_place(series)


def _report_left_out(history: History) -> Iterator[str]:
    """Report what is not judged, not measured or not listed, and which commits to measure again."""
    yield from _list_accepted(history)
    yield from _write_findings(history, "info")
    if different := [name_series(s) for s in history.series if s.is_difference]:
        names = ", ".join(different)
        yield f"Compared by difference, because some values are 0 or negative: {names}."
    yield from (f"Not followed: {printable(text)}." for text in history.left_out)
    yield from _report_unmeasured(history)
    ended = [s for s in history.series if s.newest.verdict == NOT_MEASURED]
    if ended:
        names = ", ".join(f"{name_series(s)} (last {_name_last(s)})" for s in ended)
        yield f"Not measured at the newest commit: {names}."
    yield from _report_retests(history)
    if history.undated:
        names = ", ".join(shorten(commit, history.undated) for commit in history.undated)
        why = "neither their date nor the start of a run is recorded"
        yield f"Commits left out, because {why}: {names}."
    if history.others:
        others = (f"{name} ({count_commits(count)})" for name, count in history.others.items())
        why = f"as only branch {history.branch} is followed"
        yield printable(f"Left out, {why}: {', '.join(others)}.")
    yield from (f"Warning: {text}." for text in history.unmatched)


def _report_unmeasured(history: History) -> Iterator[str]:
    """State that nothing was measured at the newest commit, and what happened to its runs."""
    latest = history.latest or Latest()
    measured = {series.measured[-1].commit for series in history.series}
    if latest.commit and latest.commit not in measured:
        counts = [(latest.failed, "run", "failed"), (latest.damaged, "file", "cannot be read")]
        listed = [f"{count_of(number, noun)} {fate}" for number, noun, fate in counts if number]
        why = f": {', '.join(listed)}" if listed else ""
        yield f"Nothing was measured at the newest commit, {shorten(latest.commit)}{why}."


def _name_last(series: Series) -> str:
    last = series.measured[-1]
    return f"{name_commit(series, last.commit)}, {write_day(last.time)}"


def history_tables(history: History) -> tuple[Table, ...]:
    """List the series; with few series, list the commits too."""
    listed = history.listed if len(history.listed) <= LISTED else ()
    return (_series_table(history), *map(_commits_table, listed)) if history.listed else ()


def _report_retests(history: History) -> list[str]:
    """Name the commits to measure again, if something was detected that nobody has accepted.

    A count that is the same in every run is exact, and needs no other run.
    """
    ordinary = (s for s in history.series if not any(c.is_exact for c in s.changes))
    pairs = dict.fromkeys(pair for series in ordinary for pair in _suspects(series))
    if not pairs:
        return []
    listed = ", ".join(f"{before} and {after}" for before, after in pairs)
    advice = f"measure {listed} alternately, and run `benchkit gate` on the new runs."
    why = "These commits were picked from many by a search, so some may stand out only by chance."
    return [f"{why} Confirm them: {advice}"]


def _suspects(series: Series) -> Iterator[tuple[str, str]]:
    """Yield the newest change and an outlying newest commit, each with the commit before it."""
    commits = [point.commit for point in series.measured]
    newest = series.changes[-1:] if series.changes and not series.changes[-1].reason else ()
    suspects = [change.commit for change in newest]
    if series.newest.verdict == OUTSIDE:
        suspects.append(commits[-1])
    for commit in suspects:
        before = commits[commits.index(commit) - 1]
        yield name_commit(series, before), name_commit(series, commit)


def _series_table(history: History) -> Table:
    machines = dict.fromkeys(series.machine for series in history.listed)
    newest = {name_newest(series) for series in history.listed}
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
        Cell(write_newest(series) if dates else write_place(series), series.newest.ratio),
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
            Column("change", "step change"),
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
    return (f"{gaps} commits were not measured here and are left out",) if gaps else ()
