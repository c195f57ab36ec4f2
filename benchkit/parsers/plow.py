r"""plow's report, as text and as JSON: the summary of a run.

A report, verbatim (plow 1.4, ``-c 4 -d 1s --summary``; most of the histogram omitted)::

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

JSON has the same values under the same names, with times as texts. Without ``-i 0`` or
``--summary``, plow prints a report five times a second; the last one counts. In text, the earlier
ones show the progress of a run with a limit (``100ms  |▆▆▆   |``); in newer versions only the last
one has shares.

Meaning of the numbers: latencies include failed requests and are truncated to microseconds;
percentiles are estimates. ``RPS`` is the count divided by the time, including failed requests: if
there are any, the rate is that of answered ones. ``Elapsed`` is truncated to tenths of a second;
the duration is computed from count and rate. A MB is 1,048,576 bytes. Rates per second and the
histogram are not kept.

Not recorded: the start of the run, the version, ``--rate``; in JSON also the target.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping, Sequence

from benchkit.parsers.base import Diagnostic, Form, Format, Record, Source, Tool
from benchkit.parsers.documents import read_leaves
from benchkit.parsers.leaves import Leaf, Path
from benchkit.reading import reports
from benchkit.reading.outcomes import LoadReport
from benchkit.reading.remarks import Remark
from benchkit.reading.reports import Fields, Line, Value, decimal
from benchkit.reading.signs import begins_object, holds
from benchkit.reading.urls import aim_by_command
from benchkit.regexes import regex
from benchkit.units import Quantity, parse_duration, read_number

_TABLE = regex(r"^[^\w\n]*+Statistics[ \t]++Min[ \t]++Mean[ \t]++StdDev[ \t]++Max\b", re.MULTILINE)
_TIME = r"(?:\d{1,6}h)?(?:\d{1,2}m)?\d{1,12}(?:\.\d{1,9})?(?:[mnµμ]?s)?"
_LEVEL = regex(r"P\d{1,2}(?:\.\d{1,5})?", re.ASCII)
_PLAIN = regex(r"[\d.]++(?:e-\d++)?+")
_MIB = 1 << 20
Leaves = Mapping[Path, Leaf]
#: Minimum number of seconds between two reports of a run.
_STEP = 0.05
_UNFINISHED = Remark(
    "plow printed this report before its run ended", "give its last report", is_remark=False
)
_HINT = "use the whole object that plow wrote"
_SIZES = {"Reads": "bandwidth_in", "Writes": "bandwidth_out"}
_COUNT = decimal(1.0)


def _read_time(text: str) -> Quantity:
    """Read a time; one without a unit (``--seconds``) is in seconds."""
    return parse_duration(f"{text}s" if _PLAIN.fullmatch(text) else text)


def _read_size(text: str) -> Quantity:
    return Quantity(read_number(text.removesuffix("MB/s")) * _MIB, 0.001 * _MIB)


_LATENCIES = {
    name: Value("latency", stat, "s", _read_time)
    for name, stat in {"Min": "min", "Mean": "mean", "StdDev": "stdev", "Max": "max"}.items()
}


def _percentile(name: str) -> Value:
    return Value("latency", name.lower(), "s", _read_time)


class Report(LoadReport):
    """A report while its lines are read."""

    TOOL = "plow"
    HELD = regex(r"\s--rate[ =]")
    NUMBERS = regex(
        r"\A(?:(?:Count|[1-5]xx|RPS|Concurrency|Reads|Writes|Latency)\s|P\d"
        r"|(?=.*\d[mnµμ]?s(?:\s|\Z))(?:\S*+(?<=[\dsmh])\s++){3,20}+\S++\Z)"
    )
    LINES = (
        Line("target", r"Benchmarking (\S+) (?:with|for|using) .{0,99}?(\d{1,9}) connection\(s\)\.",
             is_opening=True, start=r"Benchmarking \S+ (?:with|for|using) "),
        Line("summary", label="Summary", is_opening=True),
        Line("elapsed", rf"Elapsed\s+{_TIME}(?:\s+(\|.*)?.*)?", take="progress"),
        Line("Count", r"Count\s+(\d{1,15})(?:\s+(\|.*)?.*)?", is_proof=True,
             values=(Value("requests", "count", "1", _COUNT),), take="progress"),
        Line("code", r"([1-5]xx)\s+(\d{1,15})", is_repeated=True),
        Line("RPS", r"RPS\s+(\d{1,12}\.\d{3})", is_proof=True,
             values=(Value("request_rate", "mean", "1/s", decimal(0.001)),)),
        Line("Concurrency", r"Concurrency\s+(\d{1,9})", take="connections"),
        *(Line(name, rf"{name}\s+(\d{{1,12}}\.\d{{3}})MB/s", is_proof=True,
               values=(Value(metric, "mean", "B/s", _read_size),))
          for name, metric in _SIZES.items()),
        Line("errors", label="Error"),
        Line("error", r'(\d{1,15})\s+"(.{1,2000})"', under="errors", is_repeated=True,
             take="counted error", is_vague=True),
        Line("heads", r"Statistics\s+Min\s+Mean\s+StdDev\s+Max", is_proof=True),
        Line("latency", r"Latency" + rf"\s+({_TIME})" * 4, is_proof=True,
             values=tuple(_LATENCIES.values())),
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
        self.percentiles: list[str] = []
        self.is_followed = self.follows = self.is_on_its_way = False

    def _take_progress(self, _: Line, fields: Fields, _number: int) -> None:
        """Record the bar that shows the progress of a run."""
        self.is_on_its_way = self.is_on_its_way or (fields[-1] or "").startswith("|")

    def _take_percentiles(self, _: Line, fields: Fields, _number: int) -> None:
        self.percentiles = fields[0].split()

    def _take_percentile_times(self, _: Line, fields: Fields, number: int) -> None:
        times = fields[0].split()
        if len(times) != len(self.percentiles):  # it is unknown which percentile is missing
            self.damaged.append((number, fields[0]))
            return
        for name, time in zip(self.percentiles, times, strict=True):
            self.add(_percentile(name), time, number)

    def take_leaf(self, leaf: Leaf) -> None:
        """Add a value from JSON, which uses the names of the text."""
        text, at = leaf.content, leaf.line
        if text.startswith("-"):
            raise ValueError(text)
        match leaf.path:
            case ("Summary", "Counts", str(code)):
                self.accept(_LINES["code"], (code, text), at)
            case ("Summary", str(name)) if name in _LINES:
                self.accept(_LINES[name], (text.removesuffix("MB/s"),), at)
            case ("Error", str(error)):
                self.accept(_LINES["error"], (text, error), at)
            case ("Statistics", "Latency", str(name)) if name in _LATENCIES:
                self.add(_LATENCIES[name], text, at)
            case ("Percentiles", str(name)):
                if _LEVEL.fullmatch(name) is None:
                    raise ValueError(name)
                self.add(_percentile(name), text, at)

    def finish(self, label: str) -> Iterator[Record]:
        """Yield the reading of a final report, but nothing for one that another follows."""
        is_last = "share" in self.seen or not (self.is_followed or self.is_on_its_way)
        aim_by_command(self.reading)
        missing = self.missing()
        is_whole = not missing or ("latency" in self.seen and not self.follows)
        is_kept = is_last and is_whole and {"Count", "RPS"} <= self.seen
        if self.is_followed and not is_kept:
            return
        if missing or not is_kept:
            self.reading.status = "partial"
        if is_kept:
            yield from self.conclude(label)
        else:
            self.reading.rows = []
            yield self.reading
        if missing:
            yield self.incomplete(label, missing)
        elif not is_kept:
            yield _UNFINISHED.at(label, self.reading.last_line)

    def conclude(self, label: str) -> Iterator[Record]:
        """Yield the reading of a whole report, whose rate is that of answered requests."""
        run, rows = self.reading, {row[1]: row for row in self.reading.rows}
        rate, requests = rows["request_rate"], rows["requests"]
        if rate[3]:
            run.duration = requests[3] / rate[3]
            run.add("duration", "total", run.duration, "s", rate[9], origin="computed")
        if (answered := self.outcomes.answered) < requests[3]:
            share = answered / requests[3]
            run.rows.remove(rate)
            run.add("request_rate", "mean", rate[3] * share, "1/s", rate[9], origin="computed")
        yield from self.outcomes.conclude(label, failed=requests[3], is_failed=not answered)


_LINES = {line.name: line for line in Report.LINES}


class Reader(reports.Reader):
    """The open report."""

    KIND = Report
    FURNITURE = regex("@ ")

    def begin(self, number: int, line: Line, fields: Fields) -> bool:
        """Open a report; one directly after another belongs to the same run."""
        is_next = self.report is not None and line.name == "summary" and not self.report.strays
        earlier = self.report if is_next else None
        if earlier is not None:
            earlier.is_followed = "share" not in earlier.seen
        is_begun = super().begin(number, line, fields)
        if earlier is not None and earlier.is_followed:
            self.report.follows = True
            for name in ("target", "env", "connections", "params", "command", "load_model"):
                setattr(self.report.reading, name, getattr(earlier.reading, name))
        return is_begun


def _parse_json(source: Source) -> Iterator[Record]:
    r"""Yield the run of each document, unless a later document of the same run follows.

    Examples
    --------
    >>> text = b'{"Summary": {"Elapsed": "2s", "Count": 6, "Counts": {"2xx": 6}, "RPS": 3.0}}'
    >>> (run,) = _parse_json(Source(None, "a.json", text))
    >>> run.duration
    2.0
    """
    run: list[tuple[int, Leaves]] = []
    for line, leaves in read_leaves(source):
        if isinstance(leaves, Diagnostic):
            yield leaves
            run = []  # the damaged document may be its last report
            continue
        if not _is_next(run, leaves):
            yield from _read_last(source.label, run)
            run = []
        run.append((line, leaves))
    yield from _read_last(source.label, run)


def _is_next(run: Sequence[tuple[int, Leaves]], leaves: Leaves) -> bool:
    """Return whether a document belongs to the same run as the last ones: all counts continue."""
    try:
        times = [_measure(each) for _, each in run[-1:]] + [_measure(leaves)]
    except (ArithmeticError, KeyError, ValueError):
        return False
    if len(times) < 2:
        return True
    (time, count, least, most), (later, counted, lower, higher) = times
    is_step = later - time > _STEP or len(run) > 1
    return is_step and later > time and counted > count and lower <= least and higher >= most


def _measure(leaves: Leaves) -> tuple[float, float, float, float]:
    """Return time and count so far, and the extremes of latencies."""
    count, rate = (float(leaves["Summary", name].text) for name in ("Count", "RPS"))
    times = (leaves["Statistics", "Latency", name].content for name in ("Min", "Max"))
    least, most = (_read_time(time).value for time in times)
    return count / rate, count, least, most


def _read_last(label: str, run: Sequence[tuple[int, Leaves]]) -> Iterator[Record]:
    """Yield the run with these reports."""
    for line, leaves in run[-1:]:
        report = Report(line, None)
        report.reading.form = "json"
        for leaf in leaves.values():
            try:
                report.take_leaf(leaf)
            except ValueError:
                what = f"{leaf.content[:30]!r} is not an amount of {leaf.path[-1]}: left out"
                yield Diagnostic(label, leaf.line, what, _HINT, "warning")
        if {"Count", "RPS"} <= report.seen:
            yield from report.conclude(label)
        else:
            what = "a plow result needs the count of requests and their rate"
            yield Diagnostic(label, line, what, _HINT)


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
    recognises=holds(_TABLE),
    parse=Reader.parse,
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
    recognises=begins_object('"Summary":', '"Elapsed"', '"Percentiles"', '"RPS"'),
    parse=_parse_json,
    words=('"Percentiles"',),
)

TOOLS = (
    Tool(
        name="plow",
        formats=(TEXT, JSON),
        command="plow --summary -c 50 -d 30s URL 2>&1",
        role="load",
        metrics={"responses": "", "bandwidth_in": "", "bandwidth_out": ""},
        load_model="closed",
    ),
)
