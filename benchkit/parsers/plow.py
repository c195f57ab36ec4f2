r"""plow's report, as text and as JSON: the summary of a run.

A report, verbatim (plow 1.4, ``-c 4 -d 1s --summary``; most of the histogram left out)::

    Benchmarking http://127.0.0.1:18291/list for 1s using 4 connection(s).

    Summary:
      Elapsed             1s
      Count            13096
        2xx            13096
      RPS          13095.164
      Concurrency          4
      Reads        1.511MB/s
      Writes       0.787MB/s

    Error:
      50  "dial tcp 127.0.0.1:18199: connect: connection refused"

    Statistics  Min   Mean   StdDev    Max
      Latency   46µs  300µs  917µs   50.715ms
      RPS        0      0      0        0

    Latency Percentile:
      P50     P75    P90    P95     P99     P99.9    P99.99
      248µs  305µs  366µs  426µs  1.642ms  9.003ms  50.715ms

    Latency Histogram:
      162µs     3886  29.67%

JSON has the same under the same names, times as texts. Without ``-i 0`` or ``--summary`` plow
prints a report five times a second; the last one counts. In text only that one has shares.

What the numbers are: latencies are of failed requests, too, cut to microseconds, and percentiles
are estimates. ``RPS`` is the count by the time, failed requests included: where there are any, the
rate is that of answered ones. ``Elapsed`` is cut to tenths of a second; the duration is computed
from count and rate. A MB is 1,048,576 bytes. Rates of seconds and the histogram are not kept.

Not recorded: when it ran, the version, ``--rate``; in JSON the target.
"""

from __future__ import annotations

import re
from bisect import bisect_left
from collections import defaultdict
from collections.abc import Iterator, Mapping, Sequence
from operator import itemgetter
from typing import Any

from benchkit.parsers.base import Diagnostic, Form, Format, Head, Reading, Record, Source, Tool
from benchkit.parsers.documents import as_object, is_amount, line_of, read_documents
from benchkit.parsers.urls import describe_url, path_of
from benchkit.reading import reports
from benchkit.reading.reasons import reason_of
from benchkit.reading.reports import UNANSWERED, Fields, Line, Remark, Value, decimal
from benchkit.regexes import regex
from benchkit.units import Quantity, parse_duration, read_number

_TABLE = regex(r"^[^\w\n]*+Statistics[ \t]++Min[ \t]++Mean[ \t]++StdDev[ \t]++Max\b", re.MULTILINE)
_TIME = r"(?:\d{1,6}h)?(?:\d{1,2}m)?\d{1,12}(?:\.\d{1,9})?(?:[mnµμ]?s)?"
_PLAIN = regex(r"[\d.]++(?:e-\d++)?+")
_QUOTED = regex(r'"([^"]*+)"')
_MIB = 1 << 20
#: Seconds between two reports of a run, at least.
_STEP = 0.05
_STATS = {"Min": "min", "Mean": "mean", "StdDev": "stdev", "Max": "max"}
_UNFINISHED = Remark(
    "plow printed this report before its run ended", "give its last report", is_remark=False
)
_SIZES = {"Reads": "bandwidth_in", "Writes": "bandwidth_out"}


def _read_time(text: str) -> Quantity:
    """Read a time; one without a unit (``--seconds``) is in seconds."""
    return parse_duration(f"{text}s" if _PLAIN.fullmatch(text) else text)


def _read_size(text: str) -> Quantity:
    return Quantity(read_number(text) * _MIB, 0.001 * _MIB)


def _finish(run: Reading, failures: Mapping[str, float], label: str) -> Iterator[Record]:
    """Yield a run, whose rate is that of answered requests, and what failed in it."""
    values = {row[1]: row for row in run.rows if row[0] is None and row[2] in {"mean", "count"}}
    answered = sum(row[3] for row in run.rows if row[1] == "responses")
    rate, requests = values["request_rate"], values["requests"]
    if rate[3]:
        run.duration = requests[3] / rate[3]
        run.add("duration", "total", run.duration, "s", rate[9], origin="computed")
    for reason, count in failures.items():
        run.add("failures", "count", count, "1", requests[9], subject=reason, origin="computed")
    if not answered:
        run.status = "failed"
        run.rows = [row for row in run.rows if row[1] in {"duration", "failures"}]
    elif answered < requests[3]:
        share = answered / requests[3]
        run.rows.remove(rate)
        run.add("request_rate", "mean", rate[3] * share, "1/s", rate[9], origin="computed")
    run.rows.sort(key=itemgetter(9))
    yield run
    if run.status == "failed":
        yield UNANSWERED.at(label, run.last_line, failed=requests[3])


def _count_failures(codes: Mapping[str, float], errors: Mapping[str, float]) -> dict[str, float]:
    """Return how many requests failed, by reason."""
    counts = {"non2xx": sum(count for code, count in codes.items() if code in {"4xx", "5xx"})}
    for error, count in errors.items():
        counts[reason_of(error)] = counts.get(reason_of(error), 0) + count
    return {reason: count for reason, count in counts.items() if count}


class Report(reports.Report):
    """A report whose lines are still coming in."""

    TOOL = "plow"
    LINES = (
        Line("target", r"Benchmarking (\S+) (?:with|for|using) .{0,99}?(\d{1,9}) connection\(s\)\.",
             is_opening=True),
        Line("summary", label="Summary", is_opening=True),
        Line("elapsed", rf"Elapsed\s+{_TIME}(?:\s.*)?"),
        Line("count", r"Count\s+(\d{1,15})(?:\s.*)?", is_proof=True,
             values=(Value("requests", "count", "1", decimal(1.0)),)),
        Line("code", r"([1-5]xx)\s+(\d{1,15})", is_repeated=True),
        Line("rate", r"RPS\s+(\d{1,12}\.\d{3})", is_proof=True,
             values=(Value("request_rate", "mean", "1/s", decimal(0.001)),)),
        Line("concurrency", r"Concurrency\s+(\d{1,9})"),
        *(Line(name, rf"{name}\s+(\d{{1,12}}\.\d{{3}})MB/s", is_proof=True,
               values=(Value(metric, "mean", "B/s", _read_size),))
          for name, metric in _SIZES.items()),
        Line("errors", label="Error"),
        Line("error", r'(\d{1,15})\s+"(.{1,2000})"', under="errors", is_repeated=True,
             is_vague=True),
        Line("heads", r"Statistics\s+Min\s+Mean\s+StdDev\s+Max", is_proof=True),
        Line("latency", r"Latency" + rf"\s+({_TIME})" * 4, is_proof=True,
             values=tuple(Value("latency", stat, "s", _read_time) for stat in _STATS.values())),
        Line("rates", r"RPS(?:\s+\d[\d.]*){4}"),
        Line("percentile heads", label="Latency Percentile"),
        Line("percentiles", r"(P\d[\d.]*(?:\s+P\d[\d.]*){0,20})"),
        Line("percentile times", rf"({_TIME}(?:\s+{_TIME}){{0,20}})", under="percentiles"),
        Line("histogram", label="Latency Histogram", needed="Latency Histogram"),
        Line("share", rf"{_TIME}\s+\d{{1,15}}\s+\d{{1,3}}\.\d\d%", under="histogram",
             is_repeated=True),
        Line("bar", rf"{_TIME}\s+\d{{1,15}}\s*■*", under="histogram", is_repeated=True),
    )  # fmt: skip

    def __init__(self, line: int, command: str | None) -> None:
        super().__init__(line, command)
        is_held = re.search(r"\s--rate[ =]", command or "")
        self.reading.load_model = "open" if is_held else "closed"
        self.codes: dict[str, float] = {}
        self.errors: dict[str, float] = {}
        self.percentiles: list[str] = []
        self.is_followed = False

    def _take_target(self, _: Line, fields: Fields, _number: int) -> None:
        self.reading.target, self.reading.env = path_of(fields[0]), describe_url(fields[0])
        self._take_concurrency(_, fields[1:], _number)

    def _take_concurrency(self, _: Line, fields: Fields, _number: int) -> None:
        self.reading.connections = int(fields[0])
        self.reading.params = {"connections": fields[0]}

    def _take_code(self, _: Line, fields: Fields, number: int) -> None:
        self.codes[fields[0]] = float(fields[1])
        self.reading.add("responses", "count", float(fields[1]), "1", number, subject=fields[0])

    def _take_error(self, _: Line, fields: Fields, _number: int) -> None:
        self.errors[fields[1]] = float(fields[0])

    def _take_percentiles(self, _: Line, fields: Fields, _number: int) -> None:
        self.percentiles = fields[0].lower().split()

    def _take_percentile_times(self, _: Line, fields: Fields, number: int) -> None:
        for stat, time in zip(self.percentiles, fields[0].split(), strict=False):
            self.add(Value("latency", stat, "s", _read_time), time, number)

    def finish(self, label: str) -> Iterator[Record]:
        """Yield the reading of a last report; one that another follows is only on its way."""
        if "share" in self.seen and {"count", "rate"} <= self.seen:
            yield from _finish(self.reading, _count_failures(self.codes, self.errors), label)
        elif not self.is_followed:
            self.reading.status, self.reading.rows = "partial", []
            yield self.reading
            missing, early = self.missing(), _UNFINISHED.at(label, self.reading.last_line)
            yield self.incomplete(label, missing) if missing else early


class Reader(reports.Reader):
    """The report that is open."""

    NAMES = EXECUTABLES = "plow"
    KIND = Report
    FURNITURE = regex("@ ")

    def begin(self, number: int, line: Line, fields: Fields) -> bool:
        """Open a report; one that follows another at once is of the same run."""
        is_next = self.report is not None and line.name == "summary" and not self.report.strays
        earlier = self.report if is_next else None
        if earlier is not None:
            earlier.is_followed = "share" not in earlier.seen
        is_begun = super().begin(number, line, fields)
        if earlier is not None and earlier.is_followed:
            for name in ("target", "env", "connections", "params", "command", "load_model"):
                setattr(self.report.reading, name, getattr(earlier.reading, name))
        return is_begun

    @staticmethod
    def may_be_cut(text: str) -> bool:
        """Tell that a cut matters nowhere: without its end a report is not read."""
        return text.rstrip()[-1:].isdigit()


def _recognises(head: Head) -> bool:
    return _TABLE.search(head.text) is not None


def _parse(source: Source) -> Iterator[Record]:
    """Yield the reports of a text."""
    return reports.read_reports(source, Reader)


def _recognises_json(head: Head) -> bool:
    signs = ('"Summary":', '"Elapsed"', '"Percentiles"', '"RPS"')
    is_document = head.is_start and head.text.lstrip().startswith("{")
    return is_document and all(sign in head.text for sign in signs)


def _parse_json(source: Source) -> Iterator[Record]:
    r"""Yield the run of each document that no later one of the same run follows.

    Examples
    --------
    >>> text = b'{"Summary": {"Elapsed": "2s", "Count": 6, "Counts": {"2xx": 6}, "RPS": 3.0}}'
    >>> (run,) = _parse_json(Source(None, "a.json", text))
    >>> run.duration
    2.0
    """
    run: list[tuple[int, dict[str, Any]]] = []
    places = _Places(source.text())
    for line, document in read_documents(source):
        if isinstance(document, Diagnostic):
            yield document
            run = []  # the damaged one may be its last report
            continue
        fields = document if isinstance(document, dict) else {}
        if not _is_next(run, fields):
            yield from _read_last(source, run, places)
            run = []
        run.append((line, fields))
    yield from _read_last(source, run, places)


def _is_next(run: Sequence[tuple[int, dict[str, Any]]], document: dict[str, Any]) -> bool:
    """Whether a document is of the same run as the last ones: all that is counted goes on."""
    try:
        times = [_measure(each) for _, each in run[-1:]] + [_measure(document)]
    except (ArithmeticError, KeyError, TypeError, ValueError):
        return False
    if len(times) < 2:
        return True
    (time, count, least, most), (later, counted, lower, higher) = times
    is_step = later - time > _STEP or len(run) > 1
    return is_step and later > time and counted > count and lower <= least and higher >= most


def _measure(document: dict[str, Any]) -> tuple[float, float, float, float]:
    """Return time and count so far, and the extremes of latencies."""
    summary, latency = document["Summary"], document["Statistics"]["Latency"]
    extremes = [_read_time(str(latency[name])).value for name in ("Min", "Max")]
    return summary["Count"] / summary["RPS"], summary["Count"], *extremes


def _read_last(
    source: Source, run: Sequence[tuple[int, dict[str, Any]]], places: _Places
) -> Iterator[Record]:
    """Yield the run of which these are the reports."""
    if not run:
        return
    line, document = run[-1]
    summary = document.get("Summary")
    fields = summary if isinstance(summary, dict) else {}
    if not all(is_amount(fields.get(name)) for name in ("Count", "RPS")):
        what = "a plow result needs the count of requests and their rate"
        yield Diagnostic(source.label, line, what, "use the whole object that plow wrote")
        return
    yield from _read(source, document, fields, line, places)


class _Places:
    """The lines of every quoted word of a text: the decoder gives texts no lines."""

    def __init__(self, text: str) -> None:
        self._lines = defaultdict[str, list[int]](list)
        for number, line in enumerate(text.split("\n"), 1):
            for word in _QUOTED.findall(line):
                self._lines[word].append(number)

    def find(self, word: str, start: int, text: object = None) -> int | None:
        """Return the first line from ``start`` on that holds a word, and its text if there is one.

        Of a name that stands twice in one object, the last text counts.
        """
        lines = self._lines.get(word, [])
        lines, texts = lines[bisect_left(lines, start) :], self._lines.get(str(text), [])
        whole = (at for at in lines if texts[(place := bisect_left(texts, at)) : place + 1] == [at])
        return next(whole, lines[0] if lines else None)


def _read(
    source: Source,
    document: Mapping[str, Any],
    summary: Mapping[str, Any],
    line: int,
    places: _Places,
) -> Iterator[Record]:
    """Yield the run that a document describes."""
    run = Reading(tool="plow", form="json", line=line, last_line=line, load_model="closed")

    def find(key: str, start: int, text: object = None) -> int:
        return places.find(key, start, text) or line

    problems: list[Diagnostic] = []

    def add(value: Value, text: object, at: int) -> None:
        try:
            quantity = value.read(str(text).removesuffix("MB/s"))
        except ValueError:
            what = f"{str(text)[:30]!r} is not an amount of {value.metric} {value.stat}: left out"
            hint = "use the whole object that plow wrote"
            problems.append(Diagnostic(source.label, at, what, hint, "warning"))
        else:
            run.add(*value[:2], quantity.value, value.unit, at, resolution=quantity.resolution)
            run.last_line = max(run.last_line, at)

    run.add("requests", "count", summary["Count"], "1", line_of(summary["Count"], line))
    run.add("request_rate", "mean", summary["RPS"], "1/s", line_of(summary["RPS"], line))
    codes, errors = (_numbers(part) for part in (summary.get("Counts"), document.get("Error")))
    for code, count in codes.items():
        run.add("responses", "count", count, "1", line_of(count, line), subject=code)
    if is_amount(connections := summary.get("Concurrency")):
        run.connections = int(connections)
        run.params = {"connections": str(int(connections))}
    for name, metric in _SIZES.items():
        if name in summary:
            add(Value(metric, "mean", "B/s", _read_size), summary[name], find(name, line))
    at = find("Latency", line)
    for name, stat in _STATS.items():
        if name in (latency := as_object(as_object(document.get("Statistics")).get("Latency"))):
            at = find(name, at, latency[name])
            add(Value("latency", stat, "s", _read_time), latency[name], at)
    at = find("Percentiles", line)
    for name, text in as_object(document.get("Percentiles")).items():
        add(Value("latency", name.lower(), "s", _read_time), text, find(name, at, text))
    yield from problems
    yield from _finish(run, _count_failures(codes, errors), source.label)


def _numbers(value: object) -> dict[str, float]:
    return {name: count for name, count in as_object(value).items() if is_amount(count)}


TEXT = Format(
    name="plow",
    tools=("plow",),
    summary="plow's report, alone, many in a file, or among other text",
    forms=(
        Form(
            name="text",
            signature="Statistics Min Mean StdDev Max … Latency Percentile: … Latency Histogram:",
            versions="1.0 on",
            not_recorded="when it ran, the version, --rate; the target, if standard error is "
            "missing",
        ),
    ),
    recognises=_recognises,
    parse=_parse,
    words=("StdDev",),
    anchors=(("Benchmarking ", r"\S+ .*\d connection\(s\)\."),),
    embeds=True,
)

JSON = Format(
    name="plow_json",
    tools=("plow",),
    summary="plow's JSON: the summary of a run, one or many in a file",
    forms=(
        Form(
            name="json",
            signature='{"Summary": {"Elapsed": …, "RPS": …}, "Percentiles": {"P50": …}}',
            versions="1.2 on, --json",
            not_recorded="when it ran, the version, the target, --rate",
        ),
    ),
    recognises=_recognises_json,
    parse=_parse_json,
    words=('"Percentiles"',),
)

TOOLS = (Tool(name="plow", formats=(TEXT, JSON), role="load", load_model="closed"),)
