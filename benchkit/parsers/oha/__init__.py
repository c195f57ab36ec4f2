r"""oha's JSON and text report: the summary of a run, one or many in a file.

A file, verbatim (oha 1.15, ``--output-format json``; newlines, histograms and most percentiles and
details omitted)::

    {"summary": {"successRate": 1.0, "total": 2.01126995, "slowest": 0.031320168,
      "fastest": 0.000171936, "average": 0.0028937246877282718,
      "requestsPerSec": 2726.6354772515742, "totalData": 27380, "sizePerRequest": 5,
      "sizePerSec": 13613.289454257496},
     "latencyPercentiles": {"p50": 0.001833016, "p99": 0.01512438, "p99.99": 0.031320168},
     "details": {"DNSDialup": {"average": 0.0012165768750000002, "fastest": 0.000204465,
      "slowest": 0.007709064}},
     "statusCodeDistribution": {"200": 5476},
     "errorDistribution": {"aborted due to deadline": 8}}

Meaning of the numbers: times are seconds and cover answered requests of any status; a percentile is
``sorted[floor(n*p/100)]``, counted from 0. ``requestsPerSec`` and ``successRate`` count a response
of any status as a success, and the rate also counts failed requests and those that the end of
``-z`` aborted: if there are any, the rate is computed from the answered ones. Requests that ``-z``
aborted are not failures; responses of 400 and above are. ``DNSDialup`` and ``DNSLookup`` cover new
connections only, ``firstByte`` (from 1.13 on) is measured from the start of a request. ``rps`` is
the rate between single responses and is not kept, nor are histograms and the percentiles of
``firstByte``; ``metrics`` repeats the summary.

The text has the same values with four decimals in varying units, and sizes with three digits::

    Summary:
      Success rate: 100.00%
      Total:        60003.8388 ms
      Requests/sec: 54538.6939

    Response time distribution:
      50.00% in 8.1712 ms
      99.90% in 38.3188 ms

    Status code distribution:
      [200] 3272093 responses

    Error distribution:
      [438] aborted due to deadline

Not recorded: the start of the run, the version, the target, ``-c``, ``-q`` (with which the loop is
not closed: set it in ``run.toml``), and the time of failed requests.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from operator import itemgetter

from benchkit.parsers.base import (
    Form,
    Format,
    Reading,
    Record,
    Source,
    Tool,
    late,
)
from benchkit.parsers.documents import Document, line_of, read_objects
from benchkit.reading.outcomes import UNANSWERED
from benchkit.reading.signs import begins_objects
from benchkit.regexes import regex

_SUMMARY = {
    "total": ("duration", "total", "s"),
    "average": ("latency", "mean", "s"),
    "fastest": ("latency", "min", "s"),
    "slowest": ("latency", "max", "s"),
    "totalData": ("bytes_in", "total", "B"),
    "sizePerRequest": ("bytes_in", "mean", "B"),
    "sizePerSec": ("bandwidth_in", "mean", "B/s"),
}
_PHASES = {"DNSDialup": "connect", "DNSLookup": "dns", "firstByte": "wait"}
_EXTREMES = {"average": "mean", "fastest": "min", "slowest": "max"}
_NEEDED = ("summary", "statusCodeDistribution", "errorDistribution")
_CUT_OFF = "aborted due to deadline"
_PERCENTILE = regex(r"p\d+(\.\d+)?")
_READ = regex(r"(?:summary|latencyPercentiles|\w+Distribution|details)\..*")


def _parse(source: Source) -> Iterator[Record]:
    r"""Yield a reading per run.

    Examples
    --------
    >>> text = (
    ...     b'{"summary": {"successRate": 1.0, "total": 2.0, "requestsPerSec": 3.5},'
    ...     b'"statusCodeDistribution": {"200": 6},'
    ...     b'"errorDistribution": {"aborted due to deadline": 1}}'
    ... )
    >>> (run,) = _parse(Source(None, "oha.json", text))
    >>> [row[1:4] for row in run.rows if row[1] in {"requests", "request_rate"}]
    [('requests', 'count', 6.0), ('request_rate', 'mean', 3.0)]
    """
    return read_objects(source, _read)


def _read(document: Document) -> Iterator[Record]:
    """Yield the run of a document, and diagnostics about it."""
    fields, line = document.fields, document.line
    summary, codes, errors = (_numbers(fields.get(name)) for name in _NEEDED)
    is_whole = all(isinstance(fields.get(name), dict) for name in _NEEDED)
    if not (is_whole and summary.get("total") and "requestsPerSec" in summary):
        message = f"an oha result needs {', '.join(_NEEDED)}, a duration and a rate"
        yield document.refuse(message, "use the whole file that oha wrote")
        return
    answered = sum(codes.values())
    if answered:  # otherwise oha writes null
        document.check(_READ.fullmatch)
    run = Reading(tool="oha", form="json", line=line, load_model="closed")
    run.duration = float(summary["total"])
    for name, row in _SUMMARY.items():
        if name in summary and (answered or row[0] == "duration"):
            _add(run, *row, summary[name], line)
    if answered:
        _add_answered(run, fields, codes, line)
    if answered and errors:  # oha's rate includes them
        at = line_of(summary["requestsPerSec"], line)
        run.add("request_rate", "mean", answered / run.duration, "1/s", at, origin="computed")
    elif answered:
        _add(run, "request_rate", "mean", "1/s", summary["requestsPerSec"], line)
    failures = {reason: count for reason, count in errors.items() if reason != _CUT_OFF}
    for reason, count in failures.items():
        _add(run, "failures", "count", "1", count, line, reason)
    run.rows.sort(key=itemgetter(9))
    run.last_line = max(row[9] for row in run.rows)
    run.status = "complete" if answered else "failed"
    yield run
    if not answered:
        yield UNANSWERED.at(document.label, run.last_line, failed=sum(failures.values()))


def _add_answered(
    run: Reading, fields: Mapping[str, object], codes: Mapping[str, float], line: int
) -> None:
    """Add counts, percentiles and phases of answered requests."""
    last = max(line_of(count, line) for count in codes.values())
    for code, count in codes.items():
        _add(run, "responses", "count", "1", count, line, code)
    answered, refused = sum(codes.values()), sum(codes[code] for code in codes if code >= "400")
    run.add("requests", "count", float(answered), "1", last, origin="computed")
    if refused:
        run.add("failures", "count", refused, "1", last, subject="non2xx", origin="computed")
    for name, time in _numbers(fields.get("latencyPercentiles")).items():
        if _PERCENTILE.fullmatch(name):
            _add(run, "latency", name, "s", time, line)
    details = fields.get("details")
    for name, subject in _PHASES.items():
        times = _numbers(details.get(name) if isinstance(details, dict) else None)
        if times.keys() >= _EXTREMES.keys():  # without a connection, the others are null
            for key, stat in _EXTREMES.items():
                _add(run, "phase_time", stat, "s", times[key], line, subject)


def _numbers(fields: object) -> dict[str, float]:
    """Return the numbers of an object that are possible in a measurement.

    Examples
    --------
    >>> _numbers({"average": 0.5, "fastest": None, "slowest": -1})
    {'average': 0.5}
    """
    pairs = fields.items() if isinstance(fields, dict) else ()
    return {
        name: value
        for name, value in pairs
        if isinstance(value, int | float) and not isinstance(value, bool) and 0 <= value < 1e300
    }


def _add(
    run: Reading,
    metric: str,
    stat: str,
    unit: str,
    value: float,
    line: int,
    subject: str | None = None,
) -> None:
    """Add a number from the file."""
    run.add(metric, stat, float(value), unit, line_of(value, line), subject=subject)


JSON = Format(
    name="oha",
    tools=("oha",),
    summary="oha's JSON: the summary of a run, one or many in a file",
    forms=(
        Form(
            name="json",
            signature='{"summary": {"successRate": …, "requestsPerSec": …}, …}',
            versions="0.5 on, -j or --output-format json",
            not_recorded="when it ran, the version, target, -c, -q, times of failed requests",
        ),
    ),
    recognises=begins_objects('"summary"', '"successRate"', '"requestsPerSec"'),
    parse=_parse,
    words=('"successRate"',),
)

TEXT = Format(
    name="oha_text",
    tools=("oha",),
    summary="text reports of oha: alone, many in a file, or pasted into other text",
    forms=(
        Form(
            name="text",
            signature="Summary: Success rate: … Total: … Requests/sec: … Status code distribution:",
            versions="0.1 on, without --output-format",
            not_recorded="when it ran, the version; target, -c and -q, unless the command is "
            "above the report; not read: the histogram",
        ),
    ),
    recognises=late("benchkit.parsers.oha.text:recognises"),
    parse=late("benchkit.parsers.oha.text:parse"),
    words=("Success rate:",),
    anchors=(("Success rate:", r"\s+\d"),),
    embeds=True,
)

TOOLS = (
    Tool(
        name="oha",
        formats=(JSON, TEXT),
        command="oha --output-format json -c 50 -z 30s URL",
        role="load",
        metrics={"phase_time": "", "responses": "", "bytes_in": "", "bandwidth_in": ""},
        load_model="closed",
        drops_timeouts=True,
        answered=("non2xx",),
    ),
)
