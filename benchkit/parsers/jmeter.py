r"""JMeter's JTL, one line per sample, and the table of its aggregate report.

The beginning of a file, verbatim (JMeter 5.6, ``-l results.jtl``)::

    timeStamp,elapsed,label,responseCode,responseMessage,threadName,dataType,success,failureMessage,\
bytes,sentBytes,grpThreads,allThreads,URL,Latency,IdleTime,Connect
    1662749136019,170,get,200,OK,Thread Group 1-1,text,true,,1430,120,1,1,http://h/1.html,162,0,100

What the numbers are: milliseconds. ``elapsed`` is the whole request, failed ones included;
``Latency`` runs from its start to the first byte (phase ``wait``), ``Connect`` is part of it.
The rate is JMeter's: samples over the time from the start of the first to the end of the last. A
file is one run; with several labels each also has latencies of its own, its subject the label.
Rows of transaction controllers sum up other rows and count for their label only. Threads wait
for their answers, so the loop is closed; with open thread groups say so in ``run.toml``.

A file without a header does not say what its columns are, and one in XML is not read: both are
refused with the setting that changes it. The aggregate report's table (``Save Table Data``) has
mean, percentiles and rate of each label and in total, in milliseconds and KiB/s.

Not recorded: the version, the command, timers. Not read: assertions, idle time, threads' names.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterator
from dataclasses import dataclass, field
from datetime import UTC, datetime

from benchkit.parsers.base import (
    Diagnostic,
    Form,
    Format,
    Head,
    Reading,
    Record,
    Samples,
    Source,
    Tool,
)
from benchkit.parsers.urls import describe_url, path_of
from benchkit.reading.delimited import header_of, read_rows
from benchkit.reading.reports import Remark
from benchkit.regexes import regex
from benchkit.units import scale, step

_NEEDED = {"timeStamp", "elapsed", "success"}
_TIMED = regex(r"\d{10,13}[,;\t]\d{1,9}[,;\t]")
_JUDGED = regex(r"[,;\t](?:true|false)[,;\t]")
_XML = regex(r"<testResults\b")
_WHOLE = regex(r"\d{1,15}", re.ASCII)
_CODE = regex(r"\d{3}", re.ASCII)
#: What JMeter writes as the message of a transaction controller.
_TRANSACTION = "Number of samples in transaction"
_BLOCK = 1 << 16
_MOST_LABELS = 100
#: Milliseconds since 1970: of September 2001 and of 2286.
_EARLIEST, _LATEST = 10**12, 10**13
_TIMES = {"elapsed": None, "Latency": "wait", "Connect": "connect"}
_NO_HEADER = Remark(
    "this JTL has no header, so it is unknown what its columns are",
    "run JMeter with -Jjmeter.save.saveservice.print_field_names=true, or put the header above",
    "error",
    is_remark=False,
)
_IN_XML = Remark(
    "this JTL is XML, which is not read",
    "run JMeter with -Jjmeter.save.saveservice.output_format=csv",
    "error",
    is_remark=False,
)
_OTHER = Remark(
    "the first line does not name the columns of a JTL",
    "use the file that JMeter wrote with -l",
    "error",
    is_remark=False,
)
_UNTIMED = Remark(
    "the times of samples are not in milliseconds since 1970, so this run has no rate",
    "run JMeter with -Jjmeter.save.saveservice.timestamp_format=ms",
)
_BAD = Remark(
    "this row (1 of {count}) has no valid time, size or success and was left out",
    "use the file as JMeter wrote it",
    is_remark=False,
)
_EMPTY = Remark(
    "the file has no samples, so this run measured nothing",
    "check that the test plan ran, and run again",
)
_NO_TOTAL = Remark(
    "the table has no row TOTAL, so its rows are of single labels only",
    "save the whole table",
    is_remark=False,
)
_TWICE = Remark(
    "the label {name!r} stands here for a second time; this row is left out",
    "save each report to a file of its own",
    is_remark=False,
)
_CUT_LABELS = Remark(
    "more than {most} labels: those after the first {most} have no latencies of their own",
    "give requests that belong together one name",
)


def _recognises(head: Head) -> bool:
    if not head.is_start:
        return False
    first = head.text.lstrip().partition("\n")[0]
    is_table = set(header_of(first.replace(";", ",").replace("\t", ","))) >= _NEEDED
    return is_table or _is_headless(first) or _XML.search(head.text) is not None


def _is_headless(line: str) -> bool:
    return _TIMED.match(line) is not None and _JUDGED.search(line) is not None


def _parse(source: Source) -> Iterator[Record]:
    r"""Yield the run, then its samples in blocks, then what could not be read.

    Raises
    ------
    UnreadableError
        At damaged gzip; what stood before it has been yielded.

    Examples
    --------
    >>> text = b"timeStamp,elapsed,label,success\n1700000000000,250,a,true\n"
    >>> run, samples = _parse(Source(None, "x.jtl", text))
    >>> [row[1:4] for row in run.rows][:2], samples.values.tolist()
    ([('requests', 'count', 1.0), ('request_rate', 'mean', 4.0)], [0.25])
    """
    first = source.head().text.lstrip().partition("\n")[0]
    if "elapsed" not in first:
        is_xml = _XML.search(source.head().text) is not None
        remark = _IN_XML if is_xml else _NO_HEADER if _is_headless(first) else _OTHER
        yield remark.at(source.label, 1)
        return
    delimiter = next((each for each in ",;\t" if f"elapsed{each}" in first), ",")
    table = _Table(source.label)
    yield table.run
    for line, row in read_rows(source, "JMeter", sorted(_NEEDED), delimiter):
        if isinstance(row, Diagnostic):
            table.problems.append(row)
        elif table.take(line, row):
            yield from table.flush()
    yield from table.flush()
    yield from table.finish()


@dataclass(slots=True)
class _Series:
    """Times of the block that is being read."""

    times: list[int] = field(default_factory=list)
    starts: list[int] = field(default_factory=list)
    lines: list[int] = field(default_factory=list)


class _Table:
    """The rows of the block that is being read, and what is known of the run."""

    def __init__(self, label: str) -> None:
        self.label = label
        self.run = Reading(tool="jmeter", form="jtl", line=1, load_model="closed")
        self.problems: list[Diagnostic] = []
        self.series: dict[tuple[str, str | None], _Series] = {}
        self.names: dict[str, None] = {}
        self.codes: Counter[str] = Counter()
        self.counts: Counter[str] = Counter()
        self.urls: set[str] = set()
        self.span = (1 << 62, 0)
        self.bad: list[int] = []
        self.has: set[str] = set()
        self.waiting = 0
        self.is_split: bool | None = None
        self.is_cut = False

    def take(self, line: int, row: dict[str, str]) -> bool:
        """Take a row; whether the block is full."""
        times = {name: row[name] for name in _TIMES if row.get(name)}
        sizes = {name: row[name] for name in ("bytes", "sentBytes", "allThreads") if row.get(name)}
        is_valid = all(map(_WHOLE.fullmatch, (*times.values(), *sizes.values())))
        if not is_valid or "elapsed" not in times or row["success"] not in {"true", "false"}:
            self.bad.append(line)
            return False
        self.run.last_line = line
        self.waiting += 1
        start = int(row["timeStamp"]) if _WHOLE.fullmatch(row["timeStamp"]) else 0
        name = row.get("label", "")
        if len(self.names) < _MOST_LABELS:
            self.names.setdefault(name)
        if name in self.names:
            self._add(("latency", name), line, start, times["elapsed"])
        else:
            self.is_cut = True
        if row.get("responseMessage", "").startswith(_TRANSACTION):
            return self.waiting >= _BLOCK
        for column, phase in _TIMES.items():
            if column in times:
                key = ("phase_time", phase) if phase else ("latency", None)
                self._add(key, line, start, times[column])
        self._count(row, sizes, start, int(times["elapsed"]))
        return self.waiting >= _BLOCK

    def _add(self, key: tuple[str, str | None], line: int, start: int, time: str) -> None:
        series = self.series.setdefault(key, _Series())
        series.times.append(int(time))
        series.starts.append(start)
        series.lines.append(line)

    def _count(self, row: dict[str, str], sizes: dict[str, str], start: int, time: int) -> None:
        """Count a request."""
        self.counts["requests"] += 1
        self.counts["failures"] += row["success"] == "false"
        self.counts["bytes_in"] += int(sizes.get("bytes", 0))
        self.counts["bytes_out"] += int(sizes.get("sentBytes", 0))
        self.has |= sizes.keys()
        self.codes[code if _CODE.fullmatch(code := row.get("responseCode", "")) else ""] += 1
        self.span = min(self.span[0], start), max(self.span[1], start + time)
        self.run.connections = max(self.run.connections or 0, int(sizes.get("allThreads", 0)))
        if len(self.urls) <= 1 and row.get("URL", "null") != "null":
            self.urls.add(row["URL"])

    def flush(self) -> Iterator[Samples]:
        """Yield the samples so far."""
        import numpy as np

        if self.is_split is None:
            self.is_split = len(self.names) > 1
        for (metric, subject), series in self.series.items():
            if subject in self.names and metric == "latency" and not self.is_split:
                continue
            starts = np.array(series.starts, dtype=np.int64)
            yield Samples(
                reading=self.run, metric=metric, unit="s", subject=subject, resolution=1e-3,
                values=np.array(series.times, dtype=np.float64) / 1e3,
                lines=np.array(series.lines, dtype=np.int64),
                times=starts.astype("datetime64[ms]").astype("datetime64[us]")
                if self.is_timed and starts.all() else None,
            )  # fmt: skip
        self.series, self.waiting = {}, 0

    @property
    def is_timed(self) -> bool:
        """Whether every sample so far says when it began."""
        return _EARLIEST < self.span[0] <= self.span[1] < _LATEST

    def finish(self) -> Iterator[Diagnostic]:
        """Complete the run, and yield what is to be said about it."""
        run, counts, at = self.run, self.counts, self.run.last_line
        run.connections = run.connections or None
        if len(self.urls) == 1:
            (url,) = self.urls
            run.target, run.env = path_of(url), describe_url(url)
        if total := counts["requests"]:
            self._sum_up(float(total), at)
        else:
            run.status = "failed"
            yield _EMPTY.at(self.label, at)
        if total and not self.is_timed:
            yield _UNTIMED.at(self.label, at)
        if self.is_cut:
            yield _CUT_LABELS.at(self.label, at, most=_MOST_LABELS)
        if self.bad:
            yield _BAD.at(self.label, self.bad[0], count=len(self.bad))
        if self.bad or self.problems:
            run.status = "partial" if total else "failed"
        yield from self.problems

    def _sum_up(self, total: float, at: int) -> None:
        """Add what the rows come to."""
        run, counts = self.run, self.counts
        rows: list[tuple[str, str, float, str, str | None]]
        rows = [("requests", "count", total, "1", None)]
        if self.is_timed and (length := (self.span[1] - self.span[0]) / 1e3):
            run.started_at = datetime.fromtimestamp(self.span[0] / 1e3, UTC)
            run.duration = length
            rows.append(("request_rate", "mean", total / length, "1/s", None))
            rows.append(("duration", "total", length, "s", None))
        for metric, column in (("bytes_in", "bytes"), ("bytes_out", "sentBytes")):
            if column in self.has:
                rows.append((metric, "total", float(counts[metric]), "B", None))
        rows.append(("failures", "count", float(counts["failures"]), "1", None))
        rows.append(("error_rate", "mean", counts["failures"] / total, "1", None))
        for code, count in sorted(self.codes.items()):
            rows += [("responses", "count", float(count), "1", code)] * bool(code)
        for metric, stat, value, unit, subject in rows:
            run.add(metric, stat, value, unit, at, subject=subject, origin="computed")


_NUMBER = regex(r"\d{0,12}(?:[.,]\d{1,9})?", re.ASCII)
#: The aggregate report's columns, by both of their names, with their exponent of ten.
_COLUMNS = {
    ("# Samples", "aggregate_report_count"): ("requests", "count", "1", 0),
    ("Average", "average"): ("latency", "mean", "s", -3),
    ("Median", "aggregate_report_median"): ("latency", "p50", "s", -3),
    ("90% Line", "aggregate_report_90%_line"): ("latency", "p90", "s", -3),
    ("95% Line", "aggregate_report_95%_line"): ("latency", "p95", "s", -3),
    ("99% Line", "aggregate_report_99%_line"): ("latency", "p99", "s", -3),
    ("Min", "aggregate_report_min"): ("latency", "min", "s", -3),
    ("Max", "aggregate_report_max"): ("latency", "max", "s", -3),
    ("Std. Dev.", "aggregate_report_stddev"): ("latency", "stdev", "s", -3),
    ("Error %", "aggregate_report_error%"): ("error_rate", "mean", "1", -2),
    ("Throughput", "aggregate_report_rate"): ("request_rate", "mean", "1/s", 0),
    ("Received KB/sec", "aggregate_report_bandwidth"): ("bandwidth_in", "mean", "B/s", 0),
    ("Sent KB/sec", "aggregate_report_sent"): ("bandwidth_out", "mean", "B/s", 0),
}
_KINDS = {name: kind for names, kind in _COLUMNS.items() for name in names}


def _recognises_aggregate(head: Head) -> bool:
    columns = header_of(head.text) if head.is_start else []
    return columns[:1] in (["Label"], ["sampler_label"]) and columns[1:2] in (
        ["# Samples"],
        ["aggregate_report_count"],
    )


def _parse_aggregate(source: Source) -> Iterator[Record]:
    """Yield the run of a table."""
    run = Reading(tool="jmeter", form="aggregate", line=1, load_model="closed")
    labels: set[str] = set()
    for line, row in read_rows(source, "JMeter", ()):
        if isinstance(row, Diagnostic):
            run.status = "partial"
            yield row
            continue
        first, *cells = row.items()
        if first[1] in labels:
            yield _TWICE.at(source.label, line, name=first[1][:60])
            continue
        labels.add(first[1])
        run.last_line = line
        for column, cell in cells:
            _add_cell(run, column, cell, line, None if first[1] == "TOTAL" else first[1])
    if not any(row[0] is None for row in run.rows):
        run.status = "partial" if run.rows else "failed"
        yield _NO_TOTAL.at(source.label, run.last_line)
    if run.rows:
        yield run


def _add_cell(run: Reading, column: str, cell: str, line: int, subject: str | None) -> None:
    """Add a cell, if it is a number of a known column."""
    text = cell.strip().removesuffix("%").removesuffix("/sec").replace(",", ".")
    if column not in _KINDS or not text or _NUMBER.fullmatch(text) is None:
        return
    metric, stat, unit, exponent = _KINDS[column]
    factor = 1024.0 if unit == "B/s" else 1.0
    run.add(
        metric, stat, scale(text, exponent) * factor, unit, line,
        subject=subject, resolution=step(text, exponent) * factor,
    )  # fmt: skip


JTL = Format(
    name="jmeter",
    tools=("jmeter",),
    summary="JMeter's JTL: one line per sample",
    forms=(
        Form(
            name="jtl",
            signature="timeStamp,elapsed,label,responseCode,…,success,…",
            versions="2.0 on, -l, as CSV with a header and any columns",
            not_recorded="the version, timers; not read: assertions, idle time, XML",
        ),
    ),
    recognises=_recognises,
    parse=_parse,
    words=("elapsed", "true", "false", "<testResults"),
)

AGGREGATE = Format(
    name="jmeter_aggregate",
    tools=("jmeter",),
    summary="the table of JMeter's aggregate report",
    forms=(
        Form(
            name="aggregate",
            signature="Label,# Samples,Average,Median,90% Line,…,Error %,Throughput",
            versions="2.3 on, Save Table Data, or the plug-in AggregateReport",
            not_recorded="when it ran, the number of threads, status codes",
        ),
    ),
    recognises=_recognises_aggregate,
    parse=_parse_aggregate,
    words=("# Samples", "aggregate_report_count"),
)

TOOLS = (Tool(name="jmeter", formats=(JTL, AGGREGATE), role="load", load_model="closed"),)
