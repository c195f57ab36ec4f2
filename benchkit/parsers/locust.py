r"""Locust's table of requests, as ``--csv`` writes it, and its history: one run.

A file, verbatim (Locust 2.47, ``--csv none-1``, ``none-1_stats.csv``; percentiles omitted)::

    Type,Name,Request Count,Failure Count,Median Response Time,Average Response Time,\
Min Response Time,Max Response Time,Average Content Size,Requests/s,Failures/s,50%,66%,99.9%,100%
    GET,/list,78,0,53,54.14018771798277,10.448771000483248,154.48669200031873,50.0,38.9,0.0,53,56,150,150
    ,Aggregated,99,0,53,55.391917555581784,10.448771000483248,154.48669200031873,50.0,49.4,0.0,53,56,150,150

Meaning of the numbers: times are milliseconds and include failed requests; percentiles are rounded
to two digits (and whole milliseconds). The rate is that of all requests, including failed ones. The
row ``Aggregated`` is the run; the others have the request's type and name as their subject. Users
wait for their responses, so the loop is closed.

The history is cumulative: its last row has the totals of the run. Its percentiles cover only the
last seconds and are not read. The rate, exact to a second, is that from the last row without a
request to the first row with all of them; where totals fall, as after ``--reset-stats``, the run
begins again. Where the table exists, the history is skipped, as failures and exceptions are.

Not recorded: in the table, the start of the run and the number of users; the version, waiting
times, status codes.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass, field
from datetime import UTC, datetime

from benchkit.parsers.base import Diagnostic, Form, Format, Head, Reading, Record, Source, Tool
from benchkit.reading.delimited import header_of, name_damaged, read_rows
from benchkit.reading.outcomes import ALL_FAILED
from benchkit.reading.remarks import Remark
from benchkit.regexes import regex
from benchkit.units import scale

#: Metric, stat, unit, power of ten and rounding step, by the names in new and old versions.
_KINDS = {
    "Request Count": ("requests", "count", "1", 0, None),
    "# requests": ("requests", "count", "1", 0, None),
    "Failure Count": ("failures", "count", "1", 0, None),
    "# failures": ("failures", "count", "1", 0, None),
    "Average Response Time": ("latency", "mean", "s", -3, None),
    "Average response time": ("latency", "mean", "s", -3, None),
    "Min Response Time": ("latency", "min", "s", -3, None),
    "Min response time": ("latency", "min", "s", -3, None),
    "Max Response Time": ("latency", "max", "s", -3, None),
    "Max response time": ("latency", "max", "s", -3, None),
    "Median response time": ("latency", "p50", "s", -3, 1e-3),
    "Average Content Size": ("bytes_in", "mean", "B", 0, None),
    "Requests/s": ("request_rate", "mean", "1/s", 0, None),
}
_PERCENTILE = regex(r"(\d{1,2}(?:\.\d{1,4})?)%", re.ASCII)
_NUMBER = regex(r"\d{1,15}(?:\.\d{1,18})?(?:e-\d{1,2})?", re.ASCII)
_WHOLE = regex(r"\d{1,12}", re.ASCII)
_TOTALS = {"Aggregated", "Total"}
#: Columns of the history, with the names of the same columns in the table.
_HISTORY = {
    **{f"Total {name}": name for name in _KINDS if name.endswith(("Count", "Time", "Size"))},
    "Total Median Response Time": "Median response time",
}
_NEEDED_OF_HISTORY = ("Timestamp", "Type", "Name", "Total Request Count")
_NEEDED = ("requests", "request_rate")
_INCOMPLETE = Remark(
    "the table has no row Aggregated with a count and a rate of requests",
    "use the whole _stats.csv that Locust wrote",
    is_remark=False,
)


def _recognises(head: Head) -> bool:
    columns = header_of(head.text) if head.is_start else []
    is_named = columns[:2] in (["Type", "Name"], ["Method", "Name"])
    return is_named and "Requests/s" in columns and columns[2] in _KINDS


def _parse(source: Source) -> Iterator[Record]:
    r"""Yield the run of each table, and diagnostics about it.

    Examples
    --------
    >>> text = b"Type,Name,Request Count,Requests/s,99%\n,Aggregated,8,4.0,250\n"
    >>> (run,) = _parse(Source(None, "x_stats.csv", text))
    >>> [row[1:4] for row in run.rows][1:]
    [('request_rate', 'mean', 4.0), ('latency', 'p99', 0.25)]
    """
    begin, rows = 1, list[tuple[int, dict[str, str] | Diagnostic]]()
    for line, row in read_rows(source, "Locust", ("Name", "Requests/s")):
        if isinstance(row, Diagnostic) or row["Requests/s"] != "Requests/s":
            rows.append((line, row))
        else:  # the header of another run
            yield from _read_run(source, begin, rows)
            begin, rows = line, []
    yield from _read_run(source, begin, rows)


def _read_run(
    source: Source, begin: int, rows: list[tuple[int, dict[str, str] | Diagnostic]]
) -> Iterator[Record]:
    """Yield the run of the rows below a header, and diagnostics about it."""
    label, run = source.label, Reading(tool="locust", form="csv", line=begin, load_model="closed")
    totals: dict[str, float] = {}
    damaged: list[Diagnostic] = []
    for line, row in rows:
        if isinstance(row, Diagnostic):
            run.status = "partial"
            yield row
            continue
        type_, name, *_ = row.values()
        is_total = _is_total(type_, name)
        if is_total and totals:
            yield Diagnostic(label, line, f"a second row {name} is left out", "split the file")
            continue
        run.last_line = line
        before = len(run.rows)
        for column, cell in row.items():
            subject = None if is_total else f"{type_} {name}".strip()
            if not _add(run, column, cell, line, subject):
                damaged += name_damaged(source, line, column, cell, "Locust")
        amounts = {each[1]: each[3] for each in run.rows[before:] if each[1] != "latency"}
        if amounts.get("failures", 0) >= amounts.get("requests", 1):  # nothing was measured
            run.rows[before:] = [each for each in run.rows[before:] if each[1] == "failures"]
        totals = amounts if is_total else totals
    if not all(name in totals for name in _NEEDED):
        run.status = "partial" if run.rows else "failed"
        yield _INCOMPLETE.at(label, run.last_line)
    elif totals.get("failures", 0) >= totals["requests"]:
        run.status = "failed"
        yield ALL_FAILED.at(label, run.last_line, count=totals["requests"])
    if run.rows or run.status == "failed":
        yield run
    yield from damaged


def _recognises_history(head: Head) -> bool:
    return head.is_start and {*_NEEDED_OF_HISTORY} <= {*header_of(head.text)}


def _parse_history(source: Source) -> Iterator[Record]:
    r"""Yield the run of each history, and diagnostics about it.

    Examples
    --------
    >>> text = b"Timestamp,User Count,Type,Name,Total Request Count\n"
    >>> text += b"1700000000,4,,Aggregated,0\n1700000002,4,,Aggregated,90\n"
    >>> (run,) = _parse_history(Source(None, "x_stats_history.csv", text))
    >>> [row[1:4] for row in run.rows], run.duration
    ([('requests', 'count', 90.0), ('request_rate', 'mean', 45.0)], 2.0)
    """
    history = _History(source)
    for line, row in read_rows(source, "Locust", _NEEDED_OF_HISTORY):
        if isinstance(row, Diagnostic):
            history.damaged.append((line, row))
        elif row["Timestamp"] == "Timestamp":  # the header of another run
            yield from history.finish()
            history = _History(source, line)
        else:
            history.take(line, row)
    yield from history.finish()


@dataclass
class _History:
    """The last totals of a run, and the number of requests over time."""

    source: Source
    begin: int = 1
    users: int = 0
    counts: list[tuple[int, int]] = field(default_factory=list)
    last: dict[tuple[str, str], tuple[int, dict[str, str]]] = field(default_factory=dict)
    damaged: list[tuple[int, dict[str, str] | Diagnostic]] = field(default_factory=list)

    def take(self, line: int, row: dict[str, str]) -> None:
        """Add a row; falling totals begin another run."""
        cells = row["Timestamp"], row["Total Request Count"]
        if not all(map(_WHOLE.fullmatch, cells)):
            what, hint = "this row has no valid time or count and is left out", "use the whole file"
            self.damaged.append((line, Diagnostic(self.source.label, line, what, hint)))
            return
        time, count = map(int, cells)
        if _is_total(row["Type"], row["Name"]):
            if self.counts and count < self.counts[-1][1]:
                self.counts, self.last = [], {}
            self.counts.append((time, count))
            if _WHOLE.fullmatch(users := row.get("User Count", "")):
                self.users = max(self.users, int(users))
        self.last[row["Type"], row["Name"]] = line, row

    def finish(self) -> Iterator[Record]:
        """Yield the run, reading the last rows as its table."""
        begin, _ = max((c for c in self.counts if not c[1]), default=(self.counts or [(0, 0)])[0])
        before, total = dict(self.counts).get(begin, 0), self.counts[-1][1] if self.counts else 0
        length = next((time for time, count in self.counts if count == total), begin) - begin
        rows = [*self.damaged]
        for (kind, name), (line, row) in self.last.items():
            cells = {new: row[old] for old, new in _HISTORY.items() if old in row}
            if length > 0 and _is_total(kind, name):
                cells["Requests/s"] = f"{(total - before) / length:.9f}"
            rows.append((line, {"Type": kind, "Name": name, **cells}))
        for record in _read_run(self.source, self.begin, rows):
            if isinstance(record, Reading):
                self._complete(record, begin, length)
            yield record

    def _complete(self, run: Reading, begin: int, length: int) -> None:
        """Add the start and the step of the rate; every number is a total up to the last row."""
        run.form, run.connections = "history", self.users or None
        run.rows = [(*row[:8], "computed", row[9]) for row in run.rows]
        if length > 0:
            run.started_at, run.duration = datetime.fromtimestamp(begin, UTC), float(length)
            run.rows = [
                (*row[:7], row[3] / length, *row[8:]) if row[1] == "request_rate" else row
                for row in run.rows
            ]


def _is_total(kind: str, name: str) -> bool:
    return not kind.strip("None") and name in _TOTALS


def _add(run: Reading, column: str, cell: str, line: int, subject: str | None) -> bool:
    """Add a cell of a known column; return False if it is not a number."""
    if percentile := _PERCENTILE.fullmatch(column):
        metric, stat, unit, exponent = "latency", f"p{percentile[1]}", "s", -3
        resolution: float | None = 1e-3
    elif column in _KINDS:
        metric, stat, unit, exponent, resolution = _KINDS[column]
    else:
        return True
    cell = cell.replace(",", ".")  # from a spreadsheet; Locust does not group digits
    if _NUMBER.fullmatch(cell) is None:
        return False
    value = scale(cell, exponent)
    run.add(metric, stat, value, unit, line, subject=subject, resolution=resolution)
    return True


CSV = Format(
    name="locust",
    tools=("locust",),
    summary="Locust's table of requests",
    forms=(
        Form(
            name="csv",
            signature="Type,Name,Request Count,Failure Count,…,Requests/s,…",
            versions="0.8 on, --csv NAME: NAME_stats.csv",
            not_recorded="when it ran, the version, users, status codes",
        ),
    ),
    recognises=_recognises,
    parse=_parse,
    words=("Requests/s",),
    repeating=(
        ("*_stats_history.csv", "*_stats.csv"),
        ("*_failures.csv", "*_stats.csv"),
        ("*_exceptions.csv", "*_stats.csv"),
    ),
)

HISTORY = Format(
    name="locust_history",
    tools=("locust",),
    summary="Locust's history of the totals of a run",
    forms=(
        Form(
            name="history",
            signature="Timestamp,User Count,Type,Name,…,Total Request Count,…",
            versions="1.0 on, --csv NAME: NAME_stats_history.csv, where there is no NAME_stats.csv",
            not_recorded="the version, status codes, percentiles of the whole run",
        ),
    ),
    recognises=_recognises_history,
    parse=_parse_history,
    words=("Total Request Count",),
)

TOOLS = (
    Tool(
        name="locust",
        formats=(CSV, HISTORY),
        command="locust --headless --csv result -u 50 -t 30s",
        role="load",
        metrics={"bytes_in": ""},
        load_model="closed",
    ),
)
