r"""bombardier's report, as text and as JSON: the summary of a run.

A report, verbatim (bombardier 1.2.6, ``-c 4 -d 2s -l``)::

    Bombarding http://127.0.0.1:18191/list for 2s using 4 connection(s)
    Statistics        Avg      Stdev        Max
      Reqs/sec     27065.29    2329.03   32991.47
      Latency      146.35us   221.49us     8.15ms
      Latency Distribution
         50%   115.00us
         99%   686.00us
      HTTP codes:
        1xx - 0, 2xx - 54134, 3xx - 0, 4xx - 0, 5xx - 0
        others - 0
      Errors:
        dial tcp 127.0.0.1:18199: connect: connection refused - 50
      Throughput:     5.01MB/s

Meaning of the numbers: latencies are microseconds and include failed requests. The rate is the mean
of rates measured during the run, including failed requests; if requests failed, it is left out. The
throughput is the sum of sent and received data and is not kept. Nor are the percentiles of answered
requests that some versions print in addition to those of all. ``others`` are requests without a
response, listed by reason below ``Errors``.

Not recorded: the start of the run, the version; in text also the exact duration and the bytes.
"""

from __future__ import annotations

import re
from collections.abc import Iterator

from benchkit.parsers.base import Form, Format, Reading, Record, Source, Tool
from benchkit.parsers.documents import Document, Fact, as_object, read_objects
from benchkit.reading import reports
from benchkit.reading.outcomes import LoadReport, Outcomes, reason_of
from benchkit.reading.reports import Fields, Line, Value, decimal
from benchkit.reading.signs import begins_objects, holds
from benchkit.reading.urls import aim, aim_by_command
from benchkit.regexes import regex
from benchkit.units import parse_time

_TABLE = regex(
    r"^[^\w\n]*+Statistics[ \t]++Avg[ \t]++Stdev[ \t]++Max\W{1,99}Reqs/sec\s", re.MULTILINE
)
#: The dash as bombardier prints it, or as pages typeset it.
_DASH = " [-–—] "
_CODES = ("1xx", "2xx", "3xx", "4xx", "5xx")
_NUMBER = r"(\d{1,12}\.\d{2})"
_MAXIMUM = r"(\d{1,12}(?:\.\d{2})?)"
_TIME = r"(\d{1,9}\.\d{2}(?:us|ms|s|m|h))"


class Report(LoadReport):
    """A report while its lines are read."""

    TOOL = "bombardier"
    HELD = regex(r"\s(?:-r|--rate)[ =]?(\d{1,15})\b")
    NUMBERS = regex(r"\A(?:(?:Reqs/sec|Latency|others|\S+%)\s|.*\b[1-5]xx - )")
    LINES = (
        Line("target", r"Bombarding (\S+) (?:for \S+|with \d+ requests?(?:\(s\))?)"
             r" using (\d{1,9}) connections?(?:\(s\))?", is_opening=True,
             start=r"Bombarding \S+ (?:for|with) "),
        Line("heads", r"Statistics\s+Avg\s+Stdev\s+Max", is_opening=True),
        Line("rate", rf"Reqs/sec\s+{_NUMBER}\s+{_NUMBER}\s+{_MAXIMUM}", is_proof=True,
             values=(Value("request_rate", "mean", "1/s", decimal(0.01)),), needed="Reqs/sec"),
        Line("latency", rf"Latency\s+{_TIME}\s+{_TIME}\s+{_TIME}", is_proof=True,
             values=tuple(Value("latency", stat, "s", parse_time)
                          for stat in ("mean", "stdev", "max")), needed="Latency"),
        Line("distribution", r"Latency Distribution(?: \(Total\))?"),
        Line("percentile", rf"(\d{{1,2}}(?:\.\d{{1,3}})?)%\s+{_TIME}", under="distribution",
             is_repeated=True),
        Line("answered", r"Latency Distribution \(2xx\)"),
        Line("answered percentile", rf"\d{{1,2}}(?:\.\d{{1,3}})?%\s+{_TIME}", under="answered",
             is_repeated=True),
        Line("code heads", label="HTTP codes"),
        Line("codes", ", ".join(rf"{code}{_DASH}(\d{{1,15}})" for code in _CODES), is_proof=True,
             needed="HTTP codes"),
        Line("others", rf"others{_DASH}(\d{{1,15}})", needed="others"),
        Line("errors", label="Errors"),
        Line("error", rf"((?![1-5]xx{_DASH})\S.{{0,999}}){_DASH}(\d{{1,15}})", under="errors",
             is_repeated=True,
             is_vague=True),
        Line("throughput", r"\d{1,9}\.\d{2}[KMGTP]?B?/s", "Throughput", needed="Throughput"),
    )  # fmt: skip

    def __init__(self, line: int, command: str | None) -> None:
        super().__init__(line, command)
        self.others = (0.0, 0)

    def _take_codes(self, _: Line, fields: Fields, number: int) -> None:
        for code, count in zip(_CODES, fields, strict=True):
            self.outcomes.answer(code, float(count), number)
        total = self.outcomes.answered
        self.reading.add("requests", "count", total, "1", number, origin="computed")

    def _take_others(self, _: Line, fields: Fields, number: int) -> None:
        self.others = (float(fields[0]), number)

    def finish(self, label: str) -> Iterator[Record]:
        """Yield the reading and diagnostics about it."""
        aim_by_command(self.reading)
        others, at = self.others
        if "throughput" in self.seen:  # all reasons are listed
            self.outcomes.fail("other", others - self.outcomes.unanswered, at)
        if missing := self.missing():
            self.reading.status = "partial"
            if "others" not in self.seen:  # perhaps no request got a response
                self.reading.rows = []
        yield from self.outcomes.conclude(label, failed=others, counting={"request_rate"})
        if missing:
            yield self.incomplete(label, missing)


class Reader(reports.Reader):
    """The open report."""

    KIND = Report
    FURNITURE = regex(r"\d+ / \d+|\[[=>-]|(?:\d+m)?\d+s$|Done!")


#: Observations for the numbers of a document.
_FACTS = {
    "result.bytesRead": Fact("bytes_in", "total", "B"),
    "result.bytesWritten": Fact("bytes_out", "total", "B"),
    "result.timeTakenSeconds": Fact("duration", "total", "s"),
    "result.latency.mean": Fact("latency", "mean", "s", exponent=-6),
    "result.latency.stddev": Fact("latency", "stdev", "s", exponent=-6),
    "result.latency.max": Fact("latency", "max", "s", exponent=-6),
    "result.rps.mean": Fact("request_rate", "mean", "1/s"),
}
_COUNT = regex(r"result\.(?:req\dxx|others)|spec\.numberOfConnections")
_PERCENTILE = regex(r"result\.latency\.percentiles\.(\d{1,2}(?:\.\d{1,3})?)", re.ASCII)


def _parse_json(source: Source) -> Iterator[Record]:
    r"""Yield the run of each document.

    Examples
    --------
    >>> text = b'{"spec": {}, "result": {"req2xx": 6, "latency": {"mean": 150.5}}}'
    >>> (run,) = _parse_json(Source(None, "a.json", text))
    >>> [row[1:4] for row in run.rows][::2]
    [('latency', 'mean', 0.0001505), ('requests', 'count', 6.0)]
    """
    return read_objects(source, _read)


def _read(document: Document) -> Iterator[Record]:
    """Yield the run that a document describes."""
    numbers, result = document.numbers, as_object(document.find("result"))
    counts = {code: numbers[name] for code in _CODES if (name := f"result.req{code}") in numbers}
    if not counts:
        yield document.refuse("a bombardier result needs counts of responses")
        return
    run = Reading(tool="bombardier", form="json", line=document.line, load_model="closed")
    if url := document.find_text("spec", "url"):
        aim(run, url)
    if connections := numbers.get("spec.numberOfConnections"):
        run.connect(int(connections))
    if rate := numbers.get("spec.rate"):
        run.load_model, run.target_rate = "open", float(rate)
    run.duration = numbers.get("result.timeTakenSeconds")
    document.add_facts(run, _find_fact)
    document.check(_COUNT.fullmatch)
    outcomes = Outcomes(run)
    for code, count in counts.items():
        outcomes.answer(code, float(count), document.line_of(count))
    if all(f"result.req{code}" in numbers for code in _CODES if f"req{code}" in result):
        at = max(map(document.line_of, counts.values()))
        run.add("requests", "count", outcomes.answered, "1", at, origin="computed")
    for error in document.find_all("result", "errors"):
        count = error.numbers.get("count", 0.0)
        reason = reason_of(error.find_text("description"))
        outcomes.fail(reason, float(count), document.line_of(count))
    failed = numbers.get("result.others", 0)
    yield from outcomes.conclude(document.label, failed=failed, counting={"request_rate"})


def _find_fact(name: str) -> Fact | None:
    if percentile := _PERCENTILE.fullmatch(name):
        return Fact("latency", f"p{percentile[1]}", "s", exponent=-6, step=1e-6)
    return _FACTS.get(name)


TEXT = Format(
    name="bombardier",
    tools=("bombardier",),
    summary="bombardier's report, alone, many in a file, or among other text",
    forms=(
        Form(
            name="text",
            signature="Statistics Avg Stdev Max, Reqs/sec …, Latency …, HTTP codes: …",
            versions="1.0 on",
            not_recorded="when it ran, the version, the duration; percentiles without -l",
        ),
    ),
    recognises=holds(_TABLE),
    parse=Reader.parse,
    words=("Reqs/sec",),
    anchors=(("Bombarding ", r"\S+ (?:for|with) \S+(?: \S+)? using \d"),),
    embeds=True,
)

JSON = Format(
    name="bombardier_json",
    tools=("bombardier",),
    summary="bombardier's JSON: the summary of a run, one or many in a file",
    forms=(
        Form(
            name="json",
            signature='{"spec": {"numberOfConnections": …}, "result": {"timeTakenSeconds": …}}',
            versions="1.2 on, -o json -p result",
            not_recorded="when it ran, the version; percentiles without -l",
        ),
    ),
    recognises=begins_objects('"spec":', '"numberOfConnections"', '"timeTakenSeconds"'),
    parse=_parse_json,
    words=('"numberOfConnections"',),
)

TOOLS = (
    Tool(
        name="bombardier",
        formats=(TEXT, JSON),
        command="bombardier -l -p result -o json -c 50 -d 30s URL",
        role="load",
        metrics={"responses": "", "bytes_in": "", "bytes_out": ""},
        load_model="closed",
        answered=("non2xx",),
    ),
)
