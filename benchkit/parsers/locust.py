r"""Locust's table of requests, as ``--csv`` writes it: one run.

A file, verbatim (Locust 2.47, ``--csv none-1``, ``none-1_stats.csv``; percentiles left out)::

    Type,Name,Request Count,Failure Count,Median Response Time,Average Response Time,\
Min Response Time,Max Response Time,Average Content Size,Requests/s,Failures/s,50%,66%,99.9%,100%
    GET,/list,78,0,53,54.14018771798277,10.448771000483248,154.48669200031873,50.0,38.9,0.0,53,56,150,150
    ,Aggregated,99,0,53,55.391917555581784,10.448771000483248,154.48669200031873,50.0,49.4,0.0,53,56,150,150

What the numbers are: times are milliseconds, of failed requests, too; percentiles are rounded to
two digits (and whole milliseconds). The rate is of all requests, failed ones included. The row
``Aggregated`` is the run; the others have the request's type and name as their subject. Users wait
for their answers, so the loop is closed. The history, failures and exceptions beside it are not
read.

Not recorded: when it ran, the version, the number of users, waiting times, status codes.
"""

from __future__ import annotations

import re
from collections.abc import Iterator

from benchkit.parsers.base import Diagnostic, Form, Format, Head, Reading, Record, Source, Tool
from benchkit.reading.delimited import header_of, name_damaged, read_rows
from benchkit.reading.outcomes import ALL_FAILED
from benchkit.reading.remarks import Remark
from benchkit.regexes import regex
from benchkit.units import scale

#: Metric, stat, unit, exponent of ten and rounding step, by the names of new and old versions.
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
_TOTALS = {"Aggregated", "Total"}
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
    r"""Yield the run of each table, and what has to be known about it.

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
    """Yield the run of the rows below a header, and what has to be known about it."""
    label, run = source.label, Reading(tool="locust", form="csv", line=begin, load_model="closed")
    totals: dict[str, float] = {}
    damaged: list[Diagnostic] = []
    for line, row in rows:
        if isinstance(row, Diagnostic):
            run.status = "partial"
            yield row
            continue
        type_, name, *_ = row.values()
        is_total = not type_.strip("None") and name in _TOTALS
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
        if amounts.get("failures", 0) >= amounts.get("requests", 1):  # it measured nothing
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


def _add(run: Reading, column: str, cell: str, line: int, subject: str | None) -> bool:
    """Add a cell of a known column; False if it is not a number."""
    if percentile := _PERCENTILE.fullmatch(column):
        metric, stat, unit, exponent = "latency", f"p{percentile[1]}", "s", -3
        resolution: float | None = 1e-3
    elif column in _KINDS:
        metric, stat, unit, exponent, resolution = _KINDS[column]
    else:
        return True
    cell = cell.replace(",", ".")  # of a spreadsheet; Locust groups no digits
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
            not_recorded="when it ran, the version, users, status codes; not read: the history",
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

TOOLS = (
    Tool(
        name="locust",
        formats=(CSV,),
        command="locust --headless --csv result -u 50 -t 30s",
        role="load",
        metrics={"bytes_in": ""},
        load_model="closed",
    ),
)
