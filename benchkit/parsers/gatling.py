r"""Gatling's text simulation.log, one line per request, and its statistics in JSON.

The beginning of a log of the documented shape (Gatling 3.4 to 3.11, tabs shown as arrows)::

    RUN→computerdatabase.BasicSimulation→basicsimulation→1539600000000→ →3.9.5
    USER→Users→START→1539600000100
    REQUEST→→Search→1539600000110→1539600000152→OK→
    REQUEST→login→Form→1539600000160→1539600000201→KO→status.find.is(200), but actually found 500

and of ``js/global_stats.json``, ``js/stats.json`` and, as a script, ``js/stats.js``::

    {"name": "All Requests", "numberOfRequests": {"total": 13, "ok": 12, "ko": 1},
     "meanResponseTime": {"total": 40, "ok": 39, "ko": 52},
     "percentiles3": {"total": 80, "ok": 80, "ko": 52},
     "meanNumberOfRequestsPerSecond": {"total": 1.3, "ok": 1.2, "ko": 0.1}}

Meaning of the numbers: times are milliseconds and include requests of any status; for JSON, the
total of each statistic is used. The rate is that of requests between the start of the first and the
end of the last. ``percentiles1`` to ``4`` are p50, p75, p95 and p99 unless ``gatling.conf`` has
other levels, which the file does not show; with other levels, do not read these files. Both
injection models write the same log; set the load model in ``run.toml``.

Gatling 3.12 and later write the log in a binary form, which is not read: keep the report's JSON or
the printed report. Not recorded: the target, the injection, response codes. Not read: groups,
users.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import replace
from itertools import combinations

from benchkit.parsers.base import Form, Format, Head, Reading, Record, Source, Tool
from benchkit.parsers.documents import Document, Fact, read_objects
from benchkit.parsers.requestlog import RequestLog
from benchkit.reading.outcomes import ALL_FAILED
from benchkit.reading.remarks import Remark
from benchkit.reading.signs import begins_object
from benchkit.reading.source import UntilDamage
from benchkit.regexes import regex

_RUN = regex(r"(?:RUN\t|[\w.$]+\t[\w-]+\tRUN\t)")
#: Assertions of the simulation precede the run.
_OPENING = regex(rf"(?:ASSERTION\t[^\n]*+\n)*+{_RUN.pattern}")
#: A run also begins after the remainder of a truncated line of a log.
_BEGIN = regex(rf"^\s*+{_RUN.pattern}|RUN\t[\w.$]++\t[\w-]*+\t\d{{13}}\t", re.ASCII)
_VERSION = regex(r"\t(\d{1,4}\.\d[\w.-]{0,40})\s{0,9}$")
#: The cells before the name depend on the version; up to 2.x, two more times are in between.
_REQUEST = regex(r"(?a)(?<![^\t])([^\t]*+)\t(\d{13})\t(?:\d{13}\t\d{13}\t)?(\d{13})\t(OK|KO)(?!\S)")
_BINARY = regex(rb"\x00\x00\x00\x00[\x04-\x0f]3\.\d{1,3}\.")
_OF_BINARY = Remark(
    "a simulation.log of Gatling 3.12 or later is binary, which is not read",
    "give the report's js/global_stats.json, or measure with Gatling 3.11",
    "error",
    is_remark=False,
)


def _recognises(head: Head) -> bool:
    if not head.text:
        return head.is_start and _BINARY.match(head.data) is not None
    return head.is_start and _OPENING.match(head.text.lstrip()) is not None


def _parse(source: Source) -> Iterator[Record]:
    r"""Yield the run, then its samples in blocks.

    Raises
    ------
    UnreadableError
        If gzip data is damaged; the records before have been yielded.

    Examples
    --------
    >>> text = b"RUN\ta.B\tb\t1539600000000\t \t3.9.5\n"
    >>> text += b"REQUEST\t\tq\t1539600000100\t1539600000350\tOK\t \n"
    >>> run, samples = _parse(Source(None, "simulation.log", text))
    >>> run.tool_version, samples.values.tolist()
    ('3.9.5', [0.25])
    """
    if not source.head().text:
        yield _OF_BINARY.at(source.label, 0)
        return
    log: RequestLog | None = None
    lines = UntilDamage(source.ended_lines())
    for number, text, is_ended in lines:
        if "RUN\t" in text and (begin := _BEGIN.search(text)):
            if log:
                log.bad += [number] * (begin.start() > 0)  # in a log that was cut inside a line
                yield from log.end()
            log = _begin(source.label, number, text)
            yield log.run
        elif log is None or ("REQUEST\t" not in text and (is_ended or not text.strip())):
            continue
        elif not is_ended or (request := _read_request(text)) is None:
            log.bad.append(number)
        else:
            name, start, time, status = request
            if log.add(number, start, time, name, is_failed=status == "KO"):
                yield from log.flush()
    if log:
        yield from log.end()
    lines.raise_damage()


def _begin(label: str, line: int, text: str) -> RequestLog:
    """Return the empty log of a run that begins on a line."""
    version = _VERSION.search(text)
    run = Reading(
        tool="gatling", form="log", line=line, tool_version=version[1] if version else None
    )
    return RequestLog(label, "Gatling", run, origin="computed")


def _read_request(text: str) -> tuple[str, int, int, str] | None:
    r"""Return the name, start, time and status of a request; None if its line is damaged.

    Examples
    --------
    >>> _read_request("REQUEST\t\tq\t1539600000100\t1539600000350\tOK\t ")
    ('q', 1539600000100, 250, 'OK')
    """
    match = _REQUEST.search(text.partition("REQUEST\t")[2])
    if match is None or match[3] < match[2]:
        return None
    return match[1], int(match[2]), int(match[3]) - int(match[2]), match[4]


_FACTS = {
    "numberOfRequests.total": Fact("requests", "count"),
    "numberOfRequests.ko": Fact("failures", "count"),
    "minResponseTime.total": Fact("latency", "min", "s", exponent=-3, step=1e-3),
    "maxResponseTime.total": Fact("latency", "max", "s", exponent=-3, step=1e-3),
    "meanResponseTime.total": Fact("latency", "mean", "s", exponent=-3, step=1e-3),
    "standardDeviation.total": Fact("latency", "stdev", "s", exponent=-3, step=1e-3),
    "percentiles1.total": Fact("latency", "p50", "s", exponent=-3, step=1e-3),
    "percentiles2.total": Fact("latency", "p75", "s", exponent=-3, step=1e-3),
    "percentiles3.total": Fact("latency", "p95", "s", exponent=-3, step=1e-3),
    "percentiles4.total": Fact("latency", "p99", "s", exponent=-3, step=1e-3),
    "meanNumberOfRequestsPerSecond.total": Fact("request_rate", "mean", "1/s"),
}


#: ``js/stats.js`` assigns an object whose field ``stats`` is JSON, with its numbers as texts.
_SCRIPT = regex(r"\A\s{0,99}var stats = (?=\{)")
_QUOTED = regex(r'("(?:total|ok|ko)": )"(\d{1,15}(?:\.\d{1,9})?)"', re.ASCII)
_begins = begins_object('"numberOfRequests"', '"meanResponseTime"', '"percentiles1"')


def _recognises_json(head: Head) -> bool:
    return _begins(replace(head, text=_SCRIPT.sub("", head.text, count=1)))


def _unwrap(source: Source) -> Source:
    """Return the statistics of the whole run in a script, as a document with the same lines."""
    text = source.text() if _SCRIPT.match(source.head().text) else ""
    begin, end = text.find("stats: {"), text.find("contents: {")
    if not 0 <= begin < end:
        return source
    lines, stats = text.count("\n", 0, begin), text[begin:end].partition(" ")[2].rstrip(",\n ")
    document = "\n" * lines + _QUOTED.sub(r"\1\2", stats)
    return Source(None, source.label, document.encode())


def _parse_json(source: Source) -> Iterator[Record]:
    r"""Yield the run of a report's statistics.

    Examples
    --------
    >>> text = b'{"numberOfRequests": {"total": 3}, "percentiles1": {"total": 40}}'
    >>> (run,) = _parse_json(Source(None, "global_stats.json", text))
    >>> [row[1:4] for row in run.rows]
    [('requests', 'count', 3.0), ('latency', 'p50', 0.04)]
    """
    return read_objects(_unwrap(source), _read_json)


def _read_json(document: Document) -> Iterator[Record]:
    """Yield the run that a document describes."""
    fields = document.fields.get("stats", document.fields)
    stats = Document(document.label, fields, document.line, document)
    run = Reading(tool="gatling", form="json", line=document.line)
    stats.add_facts(run, _FACTS.get)
    if not (count := stats.numbers.get("numberOfRequests.total")):
        yield document.refuse("the report has no requests", "run the benchmark again")
        return
    run.line, run.last_line = run.rows[0][9], run.rows[-1][9]
    is_failed = stats.numbers.get("numberOfRequests.ko") == count
    run.status = "failed" if is_failed else "complete"
    yield run
    if is_failed:
        yield ALL_FAILED.at(document.label, run.last_line, count=float(count))


LOG = Format(
    name="gatling",
    tools=("gatling",),
    summary="Gatling's simulation.log: one line per request",
    forms=(
        Form(
            name="log",
            signature="RUN … then REQUEST … start end OK|KO, by tabs",
            versions="2.0 to 3.11, simulation.log",
            not_recorded="the target, the injection, response codes; not read: groups, logs of "
            "3.12 or later",
        ),
    ),
    recognises=_recognises,
    parse=_parse,
    words=("RUN\t",),
)

JSON = Format(
    name="gatling_json",
    tools=("gatling",),
    summary="the statistics of Gatling's report: a run",
    forms=(
        Form(
            name="json",
            signature='{"numberOfRequests": {"total": …}, "percentiles1": …}',
            versions="2.0 on, js/global_stats.json, js/stats.json or js/stats.js",
            not_recorded="when it ran, the target, the injection; not read: individual requests",
        ),
    ),
    recognises=_recognises_json,
    parse=_parse_json,
    words=('"numberOfRequests"',),
    repeating=tuple(combinations(("stats.js", "stats.json", "global_stats.json"), 2)),
)

TOOLS = (
    Tool(
        name="gatling",
        formats=(LOG, JSON),
        command="gatling.sh -s Simulation -rf results",
        role="load",
        metrics={"error_rate": ""},
    ),
)
