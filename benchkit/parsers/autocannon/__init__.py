r"""autocannon's JSON and printed tables: the summary of a run.

A file, verbatim (autocannon 9, ``-j``; most percentiles left out)::

    {"url":"http://127.0.0.1:18181/","connections":10,"sampleInt":1000,"pipelining":1,"workers":0,
     "duration":3.02,"samples":3,"start":"2026-11-23T18:55:52.971Z",
     "finish":"2026-11-23T18:55:55.986Z","errors":0,"timeouts":0,"mismatches":0,"non2xx":0,
     "statusCodeStats":{"200":{"count":33949}},
     "latency":{"average":0.51,"stddev":1.49,"min":1,"max":40,"p50":0,"p99_9":11},
     "requests":{"average":11316.67,"stddev":2562.04,"min":7708,"total":33949,"sent":33959},
     "throughput":{"average":1448533.34,"total":4345472}}

Meaning of the numbers: latencies are whole milliseconds and include responses of any status. Their
mean is rounded up to a hundredth, and ``min`` skips zeros, so it is kept only if no percentile is
below it. ``requests`` counts responses of any status. Its average (the rate) and its other
statistics come from counts taken every ``sampleInt`` milliseconds, and so do those of
``throughput``, of which only average and total are kept. With a single count (``-a``), or one per
worker, the average is not a rate and is left out. ``errors`` includes the timeouts, whose requests
are in no latency. With ``-R``, latencies are corrected for coordinated omission.

The tables have the same content with fewer percentiles; the count of requests below them is that of
sent ones, to the nearest thousand, and is not kept.

Not recorded: the version; ``-R`` and ``-r`` (with which the loop is not closed: set it in
``run.toml``), unless a command line is above the tables; in text also the start of the run.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from operator import itemgetter

from benchkit.parsers.base import (
    Form,
    Format,
    Head,
    Reading,
    Record,
    Source,
    Tool,
    late,
)
from benchkit.parsers.documents import Document, Fact, add_fact, read_moment, read_objects
from benchkit.reading.outcomes import UNANSWERED
from benchkit.reading.remarks import Remark
from benchkit.reading.signs import begins_objects
from benchkit.reading.urls import describe_url, path_of
from benchkit.regexes import regex

#: The beginning in any version; versions before 4 did not name the interval.
_BEGINS = (
    begins_objects('"connections"', '"sampleInt"'),
    begins_objects('"connections"', '"pipelining"', '"non2xx"'),
)
_FACTS = {
    "duration": Fact("duration", "total", "s", step=0.01),
    "timeouts": Fact("failures", "count", subject="timeout"),
    "non2xx": Fact("failures", "count", subject="non2xx"),
    "mismatches": Fact("failures", "count", subject="mismatch"),
    "requests.average": Fact("request_rate", "mean", "1/s", step=0.01),
    "requests.total": Fact("requests", "count"),
    "throughput.average": Fact("bandwidth_in", "mean", "B/s", step=0.01),
    "throughput.total": Fact("bytes_in", "total", "B"),
    "latency.average": Fact("latency", "mean", "s", exponent=-3, step=1e-5),
    "latency.stddev": Fact("latency", "stdev", "s", exponent=-3, step=1e-5),
    "latency.min": Fact("latency", "min", "s", exponent=-3),
    "latency.max": Fact("latency", "max", "s", exponent=-3),
}
#: p97_5, or p999 of versions before 4.
_PERCENTILE = regex(r"latency\.p(\d{1,2})_?(\d{0,3})", re.ASCII)
_CODE = regex(r"statusCodeStats\.(\d{3})\.count", re.ASCII)
COUNTED_ONCE = Remark(
    "autocannon took only one sample of the request count, so this run has no rate",
    "run for several seconds: -d 10",
)


def _recognises(head: Head) -> bool:
    return any(begins(head) for begins in _BEGINS)


def _parse(source: Source) -> Iterator[Record]:
    r"""Yield a reading per run.

    Examples
    --------
    >>> text = (
    ...     b'{"url": "http://h/a", "connections": 10, "duration": 2.0, "errors": 3,'
    ...     b'"timeouts": 1, "requests": {"average": 3.0, "total": 6}, "latency": {"p97_5": 8}}'
    ... )
    >>> (run,) = _parse(Source(None, "a.json", text))
    >>> [(row[0], row[3]) for row in run.rows if row[1] in {"latency", "failures"}]
    [('timeout', 1.0), (None, 0.008), ('connect', 2.0)]
    """
    return read_objects(source, _read_kept, "title")


def _read_kept(document: Document) -> Iterator[Record]:
    """Yield the run of a document, or the runs that autocannon-ci stores in one."""
    if "runs" not in document.fields:
        yield from _read(document)
    for kept in document.find_all("runs"):
        for result in kept.find_all("results"):
            for record in _read(result):
                if isinstance(record, Reading):
                    record.headings = (kept.find_text("path"), result.find_text("title"))
                yield record


def _read(document: Document) -> Iterator[Record]:
    """Yield the run of a document, and diagnostics about it."""
    numbers, line = document.numbers, document.line
    if not numbers.get("duration") or not {"requests.average", "requests.total"} <= numbers.keys():
        message = "an autocannon result needs a duration, and the average and total of its requests"
        yield document.refuse(message, "use the whole object that autocannon -j wrote")
        return
    run = Reading(tool="autocannon", form="json", line=line, load_model="closed")
    run.duration = float(numbers["duration"])
    _describe(run, document)
    document.check(_find_fact)
    answered = numbers["requests.total"]
    if is_single := 0 < numbers.get("samples", 0) <= max(numbers.get("workers", 0), 1):
        del numbers["requests.average"]
        numbers.pop("throughput.average", None)
    percentiles = [value for name, value in numbers.items() if _PERCENTILE.fullmatch(name)]
    if min(percentiles, default=0) < numbers.get("latency.min", 0):
        del numbers["latency.min"]
    for name, value in numbers.items():
        fact = _find_fact(name)
        is_measured = answered or (fact and fact.metric in {"duration", "failures"})
        if fact and is_measured and (value or fact.metric not in {"failures", "responses"}):
            add_fact(run, fact, value, line)
    errors = numbers.get("errors", 0)
    if errors > (timeouts := numbers.get("timeouts", 0)):
        at, failed = document.line_of(errors), float(errors - timeouts)
        run.add("failures", "count", failed, "1", at, subject="connect", origin="computed")
    run.rows.sort(key=itemgetter(9))
    run.last_line = run.rows[-1][9]
    run.status = "complete" if answered else "failed"
    yield run
    if not answered:
        yield UNANSWERED.at(document.label, run.last_line, failed=errors)
    elif is_single:
        yield COUNTED_ONCE.at(document.label, run.last_line)


def _find_fact(name: str) -> Fact | None:
    """Return the observation for a number's name.

    Examples
    --------
    >>> _find_fact("latency.p99_9").stat, _find_fact("latency.p999").stat
    ('p99.9', 'p99.9')
    """
    if percentile := _PERCENTILE.fullmatch(name):
        whole, decimals = percentile.groups()
        stat = f"p{whole}.{decimals}" if decimals else f"p{whole}"
        return Fact("latency", stat, "s", exponent=-3, step=1e-3)
    if code := _CODE.fullmatch(name):
        return Fact("responses", "count", subject=code[1])
    return _FACTS.get(name)


def _describe(run: Reading, document: Document) -> None:
    """Set the target, the time and the size of the load."""
    if url := document.find_text("url"):
        run.target, run.env = path_of(url), describe_url(url)
    if title := document.find_text("title"):
        run.env["title"] = title
    for name in ("connections", "pipelining", "workers"):
        value = document.find(name)
        if not isinstance(value, int) or isinstance(value, bool) or value < 0:
            continue
        if value > 1 or name == "connections":
            run.params[name] = str(value)
    if "connections" in run.params:
        run.connections = int(run.params["connections"])
    run.started_at = read_moment(document.find("start"))


JSON = Format(
    name="autocannon",
    tools=("autocannon",),
    summary="autocannon's JSON: the summary of a run, one or many in a file",
    forms=(
        Form(
            name="json",
            signature='{"url": …, "connections": …, "sampleInt": …, "latency": {…}, …}',
            versions="1.0 on, -j",
            not_recorded="the version, -R, -d and -a",
        ),
    ),
    recognises=_recognises,
    parse=_parse,
    words=('"connections"',),
)

TEXT = Format(
    name="autocannon_text",
    tools=("autocannon",),
    summary="the tables that autocannon prints, alone, many in a file, or among other text",
    forms=(
        Form(
            name="text",
            signature="Running … test @ … │ Latency │ … │ Req/Sec │ … requests in …, … read",
            versions="3.0 on, without -j",
            not_recorded="when it ran, the version; the exact count of requests",
        ),
    ),
    recognises=late("benchkit.parsers.autocannon.tables:recognises"),
    parse=late("benchkit.parsers.autocannon.tables:parse"),
    words=("Latency",),
    anchors=(
        ("Running ", r"\d[\d.]*(?:s| requests) test @ \S"),
        ("Req/Bytes counts sampled", r"\s+(?:once|every)"),
    ),
    embeds=True,
)

TOOLS = (
    Tool(
        name="autocannon",
        formats=(JSON, TEXT),
        command="autocannon --json -c 50 -d 30 URL",
        role="load",
        metrics={"responses": "", "bytes_in": "", "bandwidth_in": ""},
        load_model="closed",
        drops_timeouts=True,
        answered=("non2xx", "mismatch"),
    ),
)
