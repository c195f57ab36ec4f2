r"""fortio's JSON and its printed report: the summary of a run.

A file, verbatim (fortio 1.17, ``-json``; without the buckets of histograms and most other parts)::

    {"RunType": "HTTP", "StartTime": "2026-11-25T21:10:02.717782827Z", "RequestedQPS": "max",
     "ActualQPS": 21177.374162629538, "ActualDuration": 1000218433, "NumThreads": 4,
     "DurationHistogram": {"Count": 21182, "Min": 0.000037616, "Max": 0.013200508,
       "Avg": 0.00018873652450193616, "StdDev": 0.0004133430347105294,
       "Percentiles": [{"Percentile": 50, "Value": 0.0005257684360570936}]},
     "RetCodes": {"200": 21182}, "URL": "http://127.0.0.1:18191/list"}

Meaning of the numbers: times are seconds, except ``ActualDuration`` in nanoseconds, and include
failed requests. Percentiles are interpolated in a histogram whose buckets are as wide as ``-r`` (a
millisecond), so lower values are imprecise. The code ``-1``, or an error in its place (TCP, UDP,
gRPC), is a request without a response; if there are any, the rate, which counts them, is left out.
With ``-qps`` the load runs at a fixed rate. Text may also have the percentiles of pauses, of errors
and, since 1.38, of the times to connect; they are not kept.

Not recorded: the command; in text also the start of the run and the target. The line ``Starting at
max qps with 4 thread(s) …`` above the report shows whether the rate is fixed.
"""

from __future__ import annotations

import re
from collections.abc import Iterator

from benchkit.parsers.base import Form, Format, Head, Reading, Record, Source, Tool
from benchkit.parsers.documents import Document, Fact, add_fact, read_moment, read_objects
from benchkit.reading import reports
from benchkit.reading.outcomes import LoadReport, Outcomes, reason_of
from benchkit.reading.reports import Fields, Line, Value, decimal
from benchkit.reading.signs import begins_objects, holds
from benchkit.reading.urls import aim
from benchkit.regexes import regex
from benchkit.units import Quantity, parse_duration, parse_time, step

_FACTS = {
    "ActualQPS": Fact("request_rate", "mean", "1/s"),
    "ActualDuration": Fact("duration", "total", "s", exponent=-9),
    "DurationHistogram.Count": Fact("requests", "count"),
    "DurationHistogram.Min": Fact("latency", "min", "s"),
    "DurationHistogram.Max": Fact("latency", "max", "s"),
    "DurationHistogram.Avg": Fact("latency", "mean", "s"),
    "DurationHistogram.StdDev": Fact("latency", "stdev", "s"),
    "Sizes.Sum": Fact("bytes_in", "total", "B"),
    "Sizes.Avg": Fact("bytes_in", "mean", "B"),
}
_CODE = "RetCodes."
_LOST = "-1"
_COUNTING = {"request_rate", "requests"}
_RATE = regex(r"\d{1,9}(?:\.\d{1,9})?", re.ASCII)
#: The code of a response: of HTTP, of an echo over TCP or UDP, and of gRPC.
_ANSWER = regex(r"\d{1,3}|OK|(?:NOT_)?SERVING", re.ASCII)
#: Nighthawk's spelling of an integer in fortio's form.
_QUOTED_COUNT = regex(r'"Count"\s{0,9}:\s{0,9}"')

_begins = begins_objects('"RequestedQPS"', '"ActualQPS"', '"DurationHistogram"')


def _recognises(head: Head) -> bool:
    return _begins(head) and _QUOTED_COUNT.search(head.text) is None


def _parse(source: Source) -> Iterator[Record]:
    r"""Yield the run of each document.

    Examples
    --------
    >>> text = b'{"ActualQPS": 5.0, "DurationHistogram": {"Count": 9, "Avg": 0.5}, "RetCodes": {}}'
    >>> (run,) = _parse(Source(None, "a.json", text))
    >>> [row[1:4] for row in run.rows]
    [('request_rate', 'mean', 5.0), ('requests', 'count', 9.0), ('latency', 'mean', 0.5)]
    """
    return read_objects(source, _read, "Labels", "name")


def _read(document: Document) -> Iterator[Record]:
    """Yield the run that a document describes."""
    if "runner_results" in document.fields:  # from Meshery
        for result in document.find_all("runner_results"):
            yield from _read(result)
        return
    numbers = document.numbers
    if not {"ActualQPS", "DurationHistogram.Count"} <= numbers.keys():
        yield document.refuse("a fortio result needs ActualQPS and DurationHistogram")
        return
    run = Reading(tool="fortio", form="json", line=document.line, load_model="closed")
    _describe(run, document)
    document.add_facts(run, _FACTS.get)
    document.check(lambda name: name.startswith(_CODE))
    outcomes = Outcomes(run)
    for name, count in numbers.items():
        if name.startswith(_CODE):
            code, at = name.removeprefix(_CODE), document.line_of(count)
            _add_code(outcomes, code, float(count), at)
    for entry in document.find_all("DurationHistogram", "Percentiles"):
        level, seconds = (entry.numbers.get(name) for name in ("Percentile", "Value"))
        if level is not None and seconds is not None and level < 100:
            add_fact(run, Fact("latency", f"p{level:g}", "s"), seconds, document.line)
        entry.check({"Percentile", "Value"}.__contains__)
    yield from outcomes.conclude(document.label, counting=_COUNTING)


def _describe(run: Reading, document: Document) -> None:
    """Set the target, the time and the size of the load."""
    if url := document.find_text("URL"):
        aim(run, url)
    if "NumThreads" in document.numbers:
        run.connect(int(document.numbers["NumThreads"]))
    if "ActualDuration" in document.numbers:
        run.duration = document.numbers["ActualDuration"] / 1e9
    if _RATE.fullmatch(requested := document.find_text("RequestedQPS")):
        run.load_model, run.target_rate = "open", float(requested)
    run.started_at = read_moment(document.find("StartTime"))


def _add_code(outcomes: Outcomes, code: str, count: float, line: int) -> None:
    """Add the count of a code; an error may replace the code."""
    if _ANSWER.fullmatch(code):
        outcomes.answer(code, count, line)
    else:
        outcomes.fail("connect" if code == _LOST else reason_of(code), count, line)


_SECONDS = r"(\d{1,9}(?:\.\d{1,12})?(?:e-\d\d)?)"
_AMOUNT = r"(\d{1,18}(?:\.\d{1,12})?(?:e\+\d\d)?)"
_COUNT = decimal(1.0)
_DURATION = r"(?:\d{1,9}(?:\.\d{1,9})?(?:ns|us|µs|μs|ms|s|m|h)){1,3}"


def _read_number(text: str) -> Quantity:
    """Read a number as Go prints it (``3.7616e-05``)."""
    return Quantity(float(text), step(text))


def _latency(stat: str) -> Value:
    return Value("latency", stat, "s", _read_number)


class Report(LoadReport):
    """A report while its lines are read."""

    TOOL = "fortio"
    read_time = staticmethod(_read_number)
    LINES = (
        Line("begin", r"Starting at (max|\d\S{0,20}) qps with (\d{1,9}) thread\(s\) .*",
             is_opening=True),
        Line("end", rf"Ended after ({_DURATION}) : (\d{{1,15}}) calls\. "
             r"qps=(\d{1,15}(?:\.\d{1,9})?(?:e\+\d\d)?)", is_opening=True, is_proof=True, values=(
                 Value("duration", "total", "s", parse_duration),
                 Value("requests", "count", "1", _COUNT),
                 Value("request_rate", "mean", "1/s", _read_number)), needed="Ended after"),
        Line("sleep", r".*", "Sleep times "),
        Line("times", rf"count \d+ avg {_SECONDS} \+/- {_SECONDS} min {_SECONDS} max {_SECONDS}"
             r" sum \S+", "Aggregated Function Time ", is_opening=True, is_proof=True,
             values=tuple(map(_latency, ("mean", "stdev", "min", "max"))),
             needed="Aggregated Function Time"),
        Line("target", rf"(?:# )?target (\d{{1,2}}(?:\.\d{{1,4}})?)% {_SECONDS}",
             is_opening=True, is_repeated=True, take="percentile"),
        Line("errors", r"Error cases .*"),
        Line("code", r"(?:Code|tcp|udp|Health|Ping) +(\S.{0,300}?) : (\d{1,15})(?: \([\d.]+ %\))?",
             is_opening=True, is_proof=True, is_repeated=True),
        Line("headers", r".*", "Response Header Sizes "),
        Line("sizes", rf"count \d+ avg {_AMOUNT} \+/- .* sum {_AMOUNT}",
             "Response Body/Total Sizes ", values=(
                 Value("bytes_in", "mean", "B", _read_number),
                 Value("bytes_in", "total", "B", _read_number))),
        Line("done", r"All done (\d{1,15}) calls(?: \(plus \d+ warmup\) (\d{1,12}\.\d{1,9}) ms avg"
             r", (\d{1,12}\.\d{1,9}) qps)?.*", needed="All done", is_proof=True),
    )  # fmt: skip

    def _take_begin(self, _: Line, fields: Fields, _number: int) -> None:
        rate, threads = fields
        self.reading.connect(int(threads))
        self.reading.load_model = "closed" if rate == "max" else "open"
        self.reading.target_rate = None if rate == "max" else float(rate)

    def _take_code(self, _: Line, fields: Fields, number: int) -> None:
        _add_code(self.outcomes, fields[0], float(fields[1]), number)

    def _take_done(self, _: Line, fields: Fields, number: int) -> None:
        """Fill in from the last line, with fewer digits, what a missing head would show."""
        requests, milliseconds, rate = fields
        if "end" not in self.seen and rate is not None:
            self.add(Value("requests", "count", "1", _COUNT), requests, number)
            self.add(Value("request_rate", "mean", "1/s", _read_number), rate, number)
        if "times" not in self.seen and milliseconds is not None:
            self.add(Value("latency", "mean", "s", parse_time), f"{milliseconds}ms", number)

    def finish(self, label: str) -> Iterator[Record]:
        """Yield the reading and diagnostics about it."""
        run, missing = self.reading, self.missing()
        if missing or "code" not in self.seen:
            run.status = "partial"
        if not {"code", "done"} <= self.seen:  # perhaps no request got a response
            run.rows = [row for row in run.rows if row[1] == "duration"]
        yield from self.outcomes.conclude(label, counting=_COUNTING)
        if missing:
            yield self.incomplete(label, missing)


#: The head of a histogram, whose percentiles follow below its buckets.
_HISTOGRAM = regex(r"(?:Aggregated (Function)|[A-Z])[\w/() ]{4,60} : (?:count \d|no data)")


class Reader(reports.Reader):
    """The open report."""

    KIND = Report
    FURNITURE = regex(
        r"range, mid|target \d|< \d|Aggregated Sleep|WARNING \d"
        r"|(?:>=? ?|= )?(?<![\d.e-])[\d.e-]++ <=? |Sockets used|Jitter|Uniform"
        r"|Run (?:at|type)|IP addresses|Connection time|Successfully|\d\d:\d\d:\d\d "
        r"|(?<![\d.])[\d.]++:\d++: \d"
        r"|\[|Nocatchup|Total "
    )

    def __init__(self, label: str) -> None:
        super().__init__(label)
        self.is_time = True  # whether percentiles are of requests' times

    def read(self, number: int, line: str) -> None:
        """Process a line; percentiles of errors, connections and pauses are skipped."""
        if histogram := _HISTOGRAM.match(line):
            self.is_time = histogram[1] is not None
        elif line.startswith("All done "):
            self.is_time = True
        if self.is_time or not line.startswith("target "):
            super().read(number, line)


_END = regex(
    r"^[^\w\n]*+(?:Ended after \S{2,30} : \d{1,15} calls\. qps=|All done \d{1,15} calls \(plus )",
    re.MULTILINE,
)

JSON = Format(
    name="fortio",
    tools=("fortio",),
    summary="fortio's JSON: the summary of a run, one or many in a file",
    forms=(
        Form(
            name="json",
            signature='{"RequestedQPS": …, "ActualQPS": …, "DurationHistogram": …}',
            versions="1.0 on, -json or -a",
            not_recorded="the command; not read: buckets, sizes of headers",
        ),
    ),
    recognises=_recognises,
    parse=_parse,
    words=('"RequestedQPS"',),
)

TEXT = Format(
    name="fortio_text",
    tools=("fortio",),
    summary="fortio's report, alone, many in a file, or among other text",
    forms=(
        Form(
            name="text",
            signature="Ended after … : … calls. qps=… Aggregated Function Time : count …",
            versions="1.0 on",
            not_recorded="when it ran, the target; threads and the rate, unless `Starting at` is "
            "above",
        ),
    ),
    recognises=holds(_END),
    parse=Reader.parse,
    words=("Ended after", "All done"),
    anchors=(("Ended after ", r"\S+ : \d"), ("All done ", r"\d")),
    embeds=True,
)

TOOLS = (
    Tool(
        name="fortio",
        formats=(JSON, TEXT),
        command="fortio load -json result.json -c 50 -qps 0 -t 30s URL",
        role="load",
        metrics={"responses": "", "bytes_in": ""},
        answered=("non2xx",),
        quantile_error=0.01,
        quantile_note="fortio interpolates percentiles in a histogram and prints fewer digits",
    ),
)
