r"""Artillery's JSON report: the aggregate of a run.

A file of version 2 (``--output``; most left out), and the aggregate of version 1 below it::

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

What the numbers are: milliseconds, of answers of any status; percentiles come from a sketch with an
error of 1 %. Virtual users arrive at a rate of the script, so that the loop is open. The rate of
version 2 is of requests sent, a mean of periods in whole numbers, and is not kept.

Not recorded: the target, the version, the script. Not read: plug-ins' and users' own metrics,
times of other protocols, ``intermediate``.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from datetime import UTC, datetime
from operator import itemgetter

from benchkit.parsers.base import Diagnostic, Form, Format, Head, Reading, Record, Source, Tool
from benchkit.parsers.documents import Fact, add_fact, flatten, line_of, read_documents
from benchkit.reading.reports import UNANSWERED
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
_REASONS = {"ETIMEDOUT": "timeout", "ESOCKETTIMEDOUT": "timeout", "ECONNREFUSED": "connect",
            "ECONNRESET": "read", "ENOTFOUND": "dns"}  # fmt: skip


def _recognises(head: Head) -> bool:
    text = head.text.lstrip() if head.is_start else ""
    return re.match(r'\{\s*"aggregate"\s*:\s*\{', text) is not None


def _parse(source: Source) -> Iterator[Record]:
    r"""Yield the run of a report.

    Examples
    --------
    >>> text = b'{"aggregate": {"requestsCompleted": 9, "latency": {"median": 2, "p99": 12.5}}}'
    >>> (run,) = _parse(Source(None, "a.json", text))
    >>> [row[1:4] for row in run.rows]
    [('requests', 'count', 9.0), ('latency', 'p50', 0.002), ('latency', 'p99', 0.0125)]
    """
    for line, document in read_documents(source):
        if isinstance(document, Diagnostic):
            yield document
            continue
        aggregate = document.get("aggregate") if isinstance(document, dict) else None
        numbers = dict(flatten(aggregate))
        if not any(name in numbers for name in _FACTS) and not _errors(numbers):
            message = "the aggregate has no requests over HTTP"
            yield Diagnostic(source.label, line, message, "benchkit reads only HTTP times")
            continue
        yield from _read(source.label, numbers, line)


def _errors(numbers: dict[str, float]) -> dict[str, float]:
    found = ((_ERROR.fullmatch(name), value) for name, value in numbers.items())
    return {match[1]: value for match, value in found if match}


def _read(label: str, numbers: dict[str, float], line: int) -> Iterator[Record]:
    """Yield the run of an aggregate."""
    run = Reading(tool="artillery", form="json", line=line, load_model="open")
    for name, value in numbers.items():
        if fact := _find_fact(name):
            add_fact(run, fact, value, line)
    for reason, count in _errors(numbers).items():
        fact = Fact("failures", "count", subject=_REASONS.get(reason, "other"))
        add_fact(run, fact, count, line)
    begin, end = (numbers.get(f"{place}MetricAt", 0) for place in ("first", "last"))
    if 0 < begin < end < 1e13:
        run.started_at = datetime.fromtimestamp(begin / 1000, UTC)
        run.duration = (end - begin) / 1000
        at = line_of(end, line)
        run.add("duration", "total", run.duration, "s", at, origin="computed", resolution=1e-3)
    answered = sum(row[3] for row in run.rows if row[1] in {"requests", "responses"})
    if not answered:
        run.status = "failed"
        run.rows = [row for row in run.rows if row[1] in {"duration", "failures"}]
    run.rows.sort(key=itemgetter(9))
    run.last_line = max((row[9] for row in run.rows), default=line)
    yield run
    if not answered:
        yield UNANSWERED.at(label, run.last_line, failed=sum(_errors(numbers).values()))


def _find_fact(name: str) -> Fact | None:
    """Return the observation that the number of a name is.

    Examples
    --------
    >>> _find_fact("latency.p999").stat, _find_fact("codes.404").subject
    ('p99.9', '404')
    """
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

TOOLS = (
    Tool(
        name="artillery",
        formats=(JSON,),
        role="load",
        load_model="open",
        drops_timeouts=True,
        answered=("non2xx",),
    ),
)
