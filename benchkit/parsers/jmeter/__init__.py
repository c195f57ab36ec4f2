r"""JMeter's JTL, one line per sample, and the table of its aggregate report.

The beginning of a file, verbatim (JMeter 5.6, ``-l results.jtl``)::

    timeStamp,elapsed,label,responseCode,responseMessage,threadName,dataType,success,failureMessage,\
bytes,sentBytes,grpThreads,allThreads,URL,Latency,IdleTime,Connect
    1662749136019,170,get,200,OK,Thread Group 1-1,text,true,,1430,120,1,1,http://h/1.html,162,0,100

Meaning of the numbers: times are milliseconds. ``elapsed`` is the time of the whole request,
including failed ones; ``Latency`` is the time from its start to the first byte (phase ``wait``),
and ``Connect`` is part of that. The rate is JMeter's: samples over the time from the start of the
first to the end of the last. A header begins a run; with several labels, each also has separate
latencies with the label as subject. Rows of transaction controllers sum up other rows and count for
their label only. Threads wait for their responses, so the loop is closed; with open thread groups,
set the load model in ``run.toml``.

A file without a header has the default columns of a version if their number matches; any other is
rejected with the setting that adds one. In XML, the attributes of a sample are the same columns
(``t lt ct ts s lb rc rm by sby na``); elements inside a sample are part of it. The table of the
aggregate report (``Save Table Data``) has mean, percentiles and rate per label and in total, in
milliseconds and KiB/s; the statistics of the dashboard (``-e -o FOLDER``) have the same as JSON.

Times may also be dates (``2024/05/01 12:00:00.123``), which have no zone and count as UTC. If they
are whole seconds, the rate has a rounding step. In ``05/13/24`` a number above 12 is the day; if
the beginning of the file has none, the run has no rate and no start.

Without a column ``success``, requests count as failed if their response code is at least 400 or not
from HTTP.

Not recorded: the version, the command, timers. Not read: assertions, idle time, threads' names.
"""

from __future__ import annotations

import csv
import re
from collections.abc import Collection, Iterator, Mapping
from xml.parsers.expat import ErrorString, ExpatError

from benchkit.parsers.base import (
    Diagnostic,
    Form,
    Format,
    Head,
    Reading,
    Record,
    Source,
    Tool,
    late,
)
from benchkit.parsers.jmeter.markup import TRANSACTION, Rows
from benchkit.parsers.jmeter.pauses import Pauses
from benchkit.parsers.jmeter.starts import AMBIGUOUS, find_order, read_start
from benchkit.parsers.requestlog import RequestLog
from benchkit.reading.delimited import header_of, read_rows
from benchkit.reading.remarks import Remark
from benchkit.reading.source import UntilDamage
from benchkit.reading.urls import aim
from benchkit.regexes import regex

_NEEDED = {"timeStamp", "elapsed"}
#: Columns of which a JTL has at least one, besides times.
_USUAL = {"success", "responseCode", "label", "threadName"}
_DELIMITERS = ",;\t|"
_TIMED = regex(r"\d{10,13}[,;\t|]\d{1,9}[,;\t|]")
_JUDGED = regex(r"[,;\t|](?:true|false)[,;\t|]")
_XML = regex(r"<testResults\b")
_WHOLE = regex(r"\d{1,15}", re.ASCII)
_CODE = regex(r"\d{3}", re.ASCII)
_REFUSED = regex(r"[45]\d\d$|Non HTTP response code")
_TIMES = {"elapsed": "", "Latency": "wait", "Connect": "connect"}
_SIZES = {"bytes": "bytes_in", "sentBytes": "bytes_out"}
_NO_HEADER = Remark(
    "this JTL has no header, and its {count} columns match no default layout of JMeter",
    "run JMeter with -Jjmeter.save.saveservice.print_field_names=true, or add the header line",
    "error",
    is_remark=False,
)
_DEFAULTS = Remark(
    "this JTL has no header; its {count} columns are read as JMeter {version}'s defaults",
    "add the header line if you changed jmeter.save.saveservice.*",
    "note",
)
_UNJUDGED = Remark(
    "this JTL has no column success, so {reason}",
    "record it with -Jjmeter.save.saveservice.successful=true",
    "note",
)
_BY_CODE = "response codes tell which requests failed"
_BROKEN = Remark(
    "not valid XML from here on ({error}); everything before this point is kept",
    "use the file as JMeter wrote it",
    is_remark=False,
)
_FIRST = ("timeStamp", "elapsed", "label", "responseCode", "responseMessage", "threadName",
          "dataType", "success")  # fmt: skip
#: JMeter's default columns, by their number.
_LAYOUTS = {
    17: ("5", (*_FIRST, "failureMessage", "bytes", "sentBytes", "grpThreads", "allThreads", "URL",
               "Latency", "IdleTime", "Connect")),
    16: ("4", (*_FIRST, "failureMessage", "bytes", "sentBytes", "grpThreads", "allThreads",
               "Latency", "IdleTime", "Connect")),
    15: ("3", (*_FIRST, "failureMessage", "bytes", "grpThreads", "allThreads", "Latency",
               "IdleTime", "Connect")),
    12: ("2.12", (*_FIRST, "bytes", "grpThreads", "allThreads", "Latency")),
    10: ("2.3", (*_FIRST, "bytes", "Latency")),
}  # fmt: skip
_OTHER = Remark(
    "the first line does not name the columns of a JTL",
    "use the file that JMeter wrote with -l",
    "error",
    is_remark=False,
)


def _recognises(head: Head) -> bool:
    if not head.is_start:
        return False
    first = head.text.lstrip().partition("\n")[0]
    columns = header_of(first.translate(dict.fromkeys(map(ord, _DELIMITERS), ",")))
    is_table = set(columns) >= _NEEDED and not _USUAL.isdisjoint(columns)
    return is_table or _is_headless(first) or _XML.search(head.text) is not None


def _is_headless(line: str) -> bool:
    return _TIMED.match(line) is not None and _JUDGED.search(line) is not None


def _parse(source: Source) -> Iterator[Record]:
    r"""Yield the run, its samples in blocks, and diagnostics about unreadable lines.

    Raises
    ------
    UnreadableError
        If gzip data is damaged; the records before have been yielded.

    Examples
    --------
    >>> text = b"timeStamp,elapsed,label,success\n1700000000000,250,a,true\n"
    >>> run, samples = _parse(Source(None, "x.jtl", text))
    >>> [row[1:4] for row in run.rows][:2], samples.values.tolist()
    ([('requests', 'count', 1.0), ('request_rate', 'mean', 4.0)], [0.25])
    """
    first = source.head().text.lstrip().partition("\n")[0]
    if _XML.search(source.head().text):
        yield from _parse_xml(source)
        return
    columns: tuple[str, ...] = ()
    if "elapsed" not in first:
        delimiter = next((each for each in _DELIMITERS if each in first), ",")
        cells = next(csv.reader([first], delimiter=delimiter), [])
        version, columns = _LAYOUTS.get(len(cells), ("", ()))
        named = dict(zip(columns, cells, strict=False))
        numbers = (named[name] for name in ("elapsed", "bytes", "Latency") if columns)
        is_default = bool(columns) and all(map(_WHOLE.fullmatch, numbers))
        remark = (_DEFAULTS if is_default else _NO_HEADER) if _is_headless(first) else _OTHER
        yield remark.at(source.label, 1, count=len(cells), version=version)
        if not is_default:
            return
    else:
        delimiter = next((each for each in _DELIMITERS if f"elapsed{each}" in first), ",")
    order = find_order(source.head().text)
    table = _Table(source.label, "jtl", order=order)
    yield from table.begin(columns or first)
    names: dict[str, str] = {}
    rows = read_rows(source, "JMeter", sorted(_NEEDED), delimiter, named=columns)
    for line, row in rows:
        if isinstance(row, Diagnostic):
            table.problems.append(row)
        elif "elapsed" in (texts := row.values()) and "timeStamp" in texts:  # another run's header
            yield from table.end()
            names, table = row, _Table(source.label, "jtl", line, order)
            yield from table.begin(texts)
        else:
            renamed = {names[name]: cell for name, cell in row.items()} if names else row
            if table.take(line, renamed):
                yield from table.flush()
    yield from table.end()


def _parse_xml(source: Source) -> Iterator[Record]:
    """Yield the run of an XML JTL, its samples, and diagnostics.

    Elements inside a sample (redirects, resources of a page) are part of it, unless it is a
    transaction.
    """
    table, rows = _Table(source.label, "xml"), Rows()
    yield table.run
    lines = UntilDamage(source.ended_lines())
    error: ExpatError | None = None
    for _, text, is_ended in lines:
        error = error or rows.feed(text + "\n" * is_ended)
        if rows.hand_to(table.take):
            yield from table.flush()
    error = error or rows.read(is_end=not lines.damage)
    rows.hand_to(table.take)
    if error is not None:
        table.problems.append(
            _BROKEN.at(source.label, error.lineno, error=ErrorString(error.code) or str(error))
        )
    yield from table.end()
    lines.raise_damage()


class _Table(RequestLog):
    """The rows of a JTL."""

    def __init__(self, label: str, form: str, line: int = 1, order: str = "") -> None:
        run = Reading(tool="jmeter", form=form, line=line, load_model="closed")
        super().__init__(label, "JMeter", run)
        self.order = order
        if order == "unknown":
            self.untimed = AMBIGUOUS
        self.urls: set[str] = set()
        self.pauses = Pauses()

    def begin(self, columns: Collection[str]) -> Iterator[Record]:
        """Yield the run, preceded by diagnostics about missing columns."""
        if "success" not in columns:
            self.judges = "responseCode" in columns
            reason = _BY_CODE if self.judges else "it cannot be told which requests failed"
            yield _UNJUDGED.at(self.label, self.run.line, reason=reason)
        yield self.run

    def take(self, line: int, row: Mapping[str, str]) -> bool:
        """Add a row; return whether the block is full."""
        times = {name: row[name] for name in _TIMES if row.get(name)}
        sizes = {name: row[name] for name in (*_SIZES, "allThreads") if row.get(name)}
        is_valid = all(map(_WHOLE.fullmatch, (*times.values(), *sizes.values())))
        is_failed = _judge(row)
        if not is_valid or "elapsed" not in times or is_failed is None:
            self.bad.append(line)
            return False
        start, tick = read_start(row["timeStamp"], self.order)
        self.tick = max(self.tick, tick)
        is_sum = row.get("responseMessage", "").startswith(TRANSACTION)
        time = int(times.pop("elapsed"))
        if not is_sum:
            self._count(row, sizes)
            self.pauses.add(line, start, time)
        return self.add(
            line, start, time, row.get("label", ""),
            is_failed=is_failed, is_sum=is_sum,
            phases={_TIMES[column]: int(part) for column, part in times.items()},
        )  # fmt: skip

    def _count(self, row: Mapping[str, str], sizes: Mapping[str, str]) -> None:
        """Count the bytes that a request sent and received."""
        for column, metric in _SIZES.items():
            if column in sizes:
                self.sizes[metric] += int(sizes[column])
        self.codes[code if _CODE.fullmatch(code := row.get("responseCode", "")) else ""] += 1
        self.run.connections = max(self.run.connections or 0, int(sizes.get("allThreads", 0)))
        if len(self.urls) <= 1 and row.get("URL", "null") not in {"", "null"}:
            self.urls.add(row["URL"])

    def finish(self) -> Iterator[Diagnostic]:
        """Complete the run, and yield diagnostics about it."""
        run = self.run
        run.connections = run.connections or None
        if len(self.urls) == 1:
            (url,) = self.urls
            aim(run, url)
        paused = list(self.pauses.judge(self.label)) if self.is_timed else []
        self.has_rate = not paused
        yield from super().finish()
        yield from paused


def _judge(row: Mapping[str, str]) -> bool | None:
    """Return whether a request failed; None if the row should show it but does not."""
    if "success" in row:
        return {"true": False, "false": True}.get(row["success"])
    return _REFUSED.match(row.get("responseCode", "")) is not None


JTL = Format(
    name="jmeter",
    tools=("jmeter",),
    summary="JMeter's JTL: one line per sample",
    forms=(
        Form(
            name="jtl",
            signature="timeStamp,elapsed,label,responseCode,…,success,…",
            versions="2.0 on, -l, as CSV with any columns below a header, or in XML",
            not_recorded="the version, timers; not read: assertions, idle time, resources",
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
    recognises=late("benchkit.parsers.jmeter.aggregate:recognises"),
    parse=late("benchkit.parsers.jmeter.aggregate:parse"),
    words=(
        "# Samples",
        "aggregate_report_count",
        "# Muestras",
        "# Echantillons",
        "# Amostras",
        "Anz. der Proben",
    ),
)

DASHBOARD = Format(
    name="jmeter_dashboard",
    tools=("jmeter",),
    summary="the statistics of JMeter's dashboard",
    forms=(
        Form(
            name="dashboard",
            signature='{"Total": {"transaction": …, "sampleCount": …, "pct1ResTime": …}}',
            versions="5 on, statistics.json of -e -o FOLDER, where there is no JTL next to it",
            not_recorded="when it ran, the number of threads, status codes, which percentiles",
        ),
    ),
    recognises=late("benchkit.parsers.jmeter.dashboard:recognises"),
    parse=late("benchkit.parsers.jmeter.dashboard:parse"),
    words=('"sampleCount"',),
    repeating=tuple(
        ("statistics.json", f"{folder}*.{ending}")
        for folder in ("", "../")
        for ending in ("jtl", "csv")
    ),
)

TOOLS = (
    Tool(
        name="jmeter",
        formats=(JTL, AGGREGATE, DASHBOARD),
        command="jmeter -n -t plan.jmx -l result.jtl",
        role="load",
        metrics={
            "phase_time": "",
            "responses": "",
            "error_rate": "",
            "bytes_in": "",
            "bytes_out": "",
            "bandwidth_in": "",
            "bandwidth_out": "",
        },
        load_model="closed",
    ),
)
