"""The statistics of JMeter's dashboard: mean, percentiles and rate of each label, as JSON."""

from __future__ import annotations

from collections.abc import Iterator

from benchkit.parsers.base import Head, Reading, Record, Source
from benchkit.parsers.documents import Document, Fact, add_fact, read_objects
from benchkit.reading.outcomes import ALL_FAILED
from benchkit.reading.remarks import Remark

_TOTAL = "Total"
_NAMELESS = "no label"
_SIGNS = ('"sampleCount"', '"pct1ResTime"')
_NO_TOTAL = Remark(
    "the statistics have no entry Total, so they have no values for the whole run",
    "use the file as JMeter wrote it",
    is_remark=False,
)
_DEFAULTS = Remark(
    "percentiles 1 to 3 are read as JMeter's defaults: p90, p95 and p99",
    "give the JTL instead if you changed aggregate_rpt_pct1, 2 or 3",
    "note",
)
_FACTS = {
    "sampleCount": Fact("requests", "count"),
    "errorCount": Fact("failures", "count"),
    "errorPct": Fact("error_rate", "mean", exponent=-2),
    "meanResTime": Fact("latency", "mean", "s", exponent=-3),
    "medianResTime": Fact("latency", "p50", "s", exponent=-3),
    "minResTime": Fact("latency", "min", "s", exponent=-3),
    "maxResTime": Fact("latency", "max", "s", exponent=-3),
    "pct1ResTime": Fact("latency", "p90", "s", exponent=-3),
    "pct2ResTime": Fact("latency", "p95", "s", exponent=-3),
    "pct3ResTime": Fact("latency", "p99", "s", exponent=-3),
    "throughput": Fact("request_rate", "mean", "1/s"),
    "receivedKBytesPerSec": Fact("bandwidth_in", "mean", "B/s"),
    "sentKBytesPerSec": Fact("bandwidth_out", "mean", "B/s"),
}


def recognises(head: Head) -> bool:
    """Return whether a source begins with the statistics of a label."""
    is_document = head.is_start and head.text.lstrip().startswith("{")
    return is_document and all(sign in head.text for sign in _SIGNS)


def parse(source: Source) -> Iterator[Record]:
    r"""Yield the run of a dashboard.

    Examples
    --------
    >>> text = b'{"Total": {"sampleCount": 4, "meanResTime": 12.5, "pct1ResTime": 20}}'
    >>> run, _ = parse(Source(None, "statistics.json", text))
    >>> [row[1:4] for row in run.rows]
    [('requests', 'count', 4.0), ('latency', 'mean', 0.0125), ('latency', 'p90', 0.02)]
    """
    return read_objects(source, _read)


def _read(document: Document) -> Iterator[Record]:
    """Yield the run with the statistics of all labels."""
    run = Reading(tool="jmeter", form="dashboard", line=document.line, load_model="closed")
    for label, fields in document.fields.items():
        statistics = Document(document.label, fields, document.line, document)
        subject = None if label == _TOTAL else label or _NAMELESS
        for name, value in statistics.numbers.items():
            if fact := _FACTS.get(name):
                line, factor = statistics.line_of(value), 1024 if fact.unit == "B/s" else 1
                add_fact(run, fact._replace(subject=subject), value * factor, line)
        statistics.check(_FACTS.get)
    if not run.rows:
        yield document.refuse("the statistics have no numbers")
        return
    run.line, run.last_line = run.rows[0][9], run.rows[-1][9]
    totals = {row[1]: row[3] for row in run.rows if row[0] is None}
    if not totals:
        run.status = "partial"
        yield _NO_TOTAL.at(document.label, run.last_line)
    if 0 < totals.get("requests", 0) == totals.get("failures"):
        run.status = "failed"
        yield ALL_FAILED.at(document.label, run.last_line, count=totals["requests"])
    yield run
    yield _DEFAULTS.at(document.label, run.line)
