r"""Artillery's JSON report: the aggregate of a run.

A file of version 2 (``--output``; mostly shortened), and the aggregate of version 1 below it::

    {"aggregate": {"counters": {"vusers.created": 60, "http.requests": 120, "http.codes.200": 118,
        "http.responses": 118, "errors.ETIMEDOUT": 2},
       "rates": {"http.request_rate": 12},
       "firstMetricAt": 1638458160000, "lastMetricAt": 1638458170000,
       "summaries": {"http.response_time": {"min": 0, "max": 41, "count": 118, "median": 2,
         "p95": 6, "p99": 12.1, "p999": 40}}},
     "intermediate": []}

    {"aggregate": {"timestamp": "2020-11-20T10:00:00.000Z", "requestsCompleted": 118,
       "latency": {"min": 0.9, "max": 41.2, "median": 2, "p95": 6, "p99": 12.1},
       "rps": {"count": 120, "mean": 11.9}, "codes": {"200": 118}, "errors": {"ETIMEDOUT": 2}}}

Meaning of the numbers: times are milliseconds and include responses of any status; percentiles come
from a sketch with an error of 1 %. Virtual users arrive at a rate set in the script, so the load is
open. The rate in version 2 is that of sent requests, a mean over periods in whole numbers, and is
not kept.

The summary on the terminal has the same values, and neither when the run began nor how long it
took.

Not recorded: the target, the version, the script. Not read: metrics of plug-ins and users, times of
other protocols, ``intermediate``.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from datetime import UTC, datetime

from benchkit.parsers.base import Form, Format, Head, Reading, Record, Source, Tool, late
from benchkit.parsers.documents import Document, Fact, read_objects
from benchkit.reading.outcomes import Outcomes, reason_of
from benchkit.regexes import regex

_TIMES = r"(?:summaries\.http\.response_time|latency)"
_STATS = {"min": "min", "max": "max", "mean": "mean", "median": "p50"}
_PERCENTILE = regex(rf"{_TIMES}\.p(\d\d)(\d*)", re.ASCII)
_STAT = regex(rf"{_TIMES}\.(min|max|mean|median)")
_CODE = regex(r"(?:counters\.http\.)?codes\.(\d{3})", re.ASCII)
_ERROR = regex(r"(?:counters\.)?errors\.(.+)")
_FACTS = {
    "counters.http.responses": Fact("requests", "count"),
    "requestsCompleted": Fact("requests", "count"),
    "rps.mean": Fact("request_rate", "mean", "1/s"),
    "counters.http.downloaded_bytes": Fact("bytes_in", "total", "B"),
}


def _recognises(head: Head) -> bool:
    text = head.text.lstrip() if head.is_start else ""
    return re.match(r'\{\s*"(?:aggregate"\s*:\s*\{|intermediate"\s*:\s*\[)', text) is not None


def _parse(source: Source) -> Iterator[Record]:
    r"""Yield the run of a report.

    Examples
    --------
    >>> text = b'{"aggregate": {"requestsCompleted": 9, "latency": {"median": 2, "p99": 12.5}}}'
    >>> (run,) = _parse(Source(None, "a.json", text))
    >>> [row[1:4] for row in run.rows]
    [('requests', 'count', 9.0), ('latency', 'p50', 0.002), ('latency', 'p99', 0.0125)]
    """
    return read_objects(source, _read)


def _read(report: Document) -> Iterator[Record]:
    """Yield the run of an aggregate."""
    aggregate = Document(report.label, report.find("aggregate"), report.line, report)
    numbers = aggregate.numbers
    run = Reading(tool="artillery", form="json", line=report.line, load_model="open")
    outcomes = Outcomes(run)
    for name, count in numbers.items():
        if error := _ERROR.fullmatch(name):
            outcomes.fail(reason_of(error[1]), float(count), report.line_of(count))
    aggregate.add_facts(run, _find_fact)
    if not outcomes.unanswered and not _FACTS.keys() & map(_shorten, numbers):
        message = "the aggregate has no requests over HTTP"
        yield report.refuse(message, "benchkit reads only HTTP times")
        return
    begin, end = (numbers.get(f"{place}MetricAt", 0) for place in ("first", "last"))
    if 0 < begin < end < 1e13:
        run.started_at = datetime.fromtimestamp(begin / 1000, UTC)
        run.duration = (end - begin) / 1000
        at = report.line_of(end)
        run.add("duration", "total", run.duration, "s", at, origin="computed", resolution=1e-3)
    ended, lost = (numbers.get(f"counters.vusers.{how}", 0) for how in ("completed", "failed"))
    if lost and not ended:
        run.status = "failed"
        run.remark = f"{report.line_of(lost)}: all {lost:g} virtual users failed"
    is_answered = any(row[3] for row in run.rows if row[1] in {"requests", "responses"})
    yield from outcomes.conclude(report.label, is_failed=not is_answered)


def _shorten(name: str) -> str:
    """Return a number's name as of version 2.0.0; its previews add ``engine``."""
    return name.replace(".engine.http.", ".http.", 1)


def _find_fact(name: str) -> Fact | None:
    """Return the observation for a number's name.

    Examples
    --------
    >>> _find_fact("latency.p999").stat, _find_fact("codes.404").subject
    ('p99.9', '404')
    """
    name = _shorten(name)
    if percentile := _PERCENTILE.fullmatch(name):
        stat = f"p{percentile[1]}.{percentile[2]}" if percentile[2] else f"p{percentile[1]}"
        return None if stat == "p50" else Fact("latency", stat, "s", exponent=-3)
    if stat_of := _STAT.fullmatch(name):
        return Fact("latency", _STATS[stat_of[1]], "s", exponent=-3)
    if code := _CODE.fullmatch(name):
        return Fact("responses", "count", subject=code[1])
    return _FACTS.get(name)


JSON = Format(
    name="artillery",
    tools=("artillery",),
    summary="Artillery's JSON report: the aggregate of a run over HTTP",
    forms=(
        Form(
            name="json",
            signature='{"aggregate": {"counters": …, "summaries": …}, "intermediate": […]}',
            versions="1.5 on, artillery run --output FILE",
            not_recorded="the target, the version, the script; not read: intermediate",
        ),
    ),
    recognises=_recognises,
    parse=_parse,
    words=('"aggregate"',),
)

TEXT = Format(
    name="artillery_text",
    tools=("artillery",),
    summary="Artillery's summary on the terminal",
    forms=(
        Form(
            name="text",
            signature="Summary report @ … http.response_time: min: … max: … median: …",
            versions="1.5 on, what artillery run prints at the end",
            not_recorded="the target, the version, the script, when it began and how long it took",
        ),
    ),
    recognises=late("benchkit.parsers.artillery.text:recognises"),
    parse=late("benchkit.parsers.artillery.text:parse"),
    words=("Summary report @",),
    anchors=(("Summary report @ ", r"\d\d:\d\d:\d\d"),),
    embeds=True,
)

TOOLS = (
    Tool(
        name="artillery",
        formats=(JSON, TEXT),
        command="artillery run --output result.json script.yml",
        role="load",
        metrics={"responses": "", "bytes_in": ""},
        load_model="open",
        drops_timeouts=True,
        answered=("non2xx",),
    ),
)
