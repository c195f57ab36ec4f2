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

What the numbers are: latencies are microseconds, of failed requests, too. The rate is the mean of
rates taken during the run, failed requests included; where requests failed, it is left out. The
throughput adds what was sent to what was received and is not kept. ``others`` are requests without
an answer, by reason below ``Errors``.

Not recorded: when it ran, the version; in text the exact duration and the bytes.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping
from operator import itemgetter
from typing import Any

from benchkit.parsers.base import Diagnostic, Form, Format, Head, Reading, Record, Source, Tool
from benchkit.parsers.documents import (
    Fact,
    add_fact,
    as_list,
    as_object,
    flatten,
    is_amount,
    line_of,
    read_documents,
)
from benchkit.parsers.urls import describe_url, path_of
from benchkit.reading import reports
from benchkit.reading.reasons import reason_of
from benchkit.reading.reports import UNANSWERED, Fields, Line, Remark, Value, decimal
from benchkit.regexes import regex
from benchkit.units import parse_time

_TABLE = regex(
    r"^[^\w\n]*+Statistics[ \t]++Avg[ \t]++Stdev[ \t]++Max\W{1,99}Reqs/sec\s", re.MULTILINE
)
_CODES = ("1xx", "2xx", "3xx", "4xx", "5xx")
_NUMBER = r"(\d{1,12}\.\d{2})"
_MAXIMUM = r"(\d{1,12}(?:\.\d{2})?)"
_TIME = r"(\d{1,9}\.\d{2}(?:us|ms|s|m|h))"
_COUNT = decimal(1.0)


def _describe(run: Reading, url: str, connections: int) -> None:
    run.target, run.env = path_of(url), describe_url(url)
    run.connections, run.params = connections, {"connections": str(connections)}


def _finish(
    run: Reading, failures: Mapping[str, tuple[float, int]], failed: float, label: str
) -> Iterator[Record]:
    """Yield a run of which ``failed`` requests had no answer, and failures by their reasons."""
    answered = sum(row[3] for row in run.rows if row[1] == "responses")
    for reason, (count, line) in failures.items():
        run.add("failures", "count", count, "1", line, subject=reason, origin="computed")
    if failed and not answered:
        run.status = "failed"
        run.rows = [row for row in run.rows if row[1] in {"duration", "failures"}]
    rates = [row for row in run.rows if row[1] == "request_rate"] if failed and answered else []
    run.rows = [row for row in run.rows if row not in rates]
    run.rows.sort(key=itemgetter(9))
    yield run
    if rates:
        yield _COUNTED.at(label, rates[0][9], rate=rates[0][3], failed=failed)
    if run.status == "failed":
        yield UNANSWERED.at(label, run.last_line, failed=failed)


def _fail(failures: dict[str, tuple[float, int]], reason: str, count: float, line: int) -> None:
    if count:
        failures[reason] = (failures.get(reason, (0.0, 0))[0] + count, line)


_COUNTED = Remark(
    "the rate of {rate:g}/s is left out: it counts {failed:g} requests without an answer, too",
    "compare the number of responses and the duration instead, or measure without failures",
)


class Report(reports.Report):
    """A report whose lines are still coming in."""

    TOOL = "bombardier"
    LINES = (
        Line("target", r"Bombarding (\S+) (?:for \S+|with \d+ requests?(?:\(s\))?)"
             r" using (\d{1,9}) connections?(?:\(s\))?", is_opening=True),
        Line("heads", r"Statistics\s+Avg\s+Stdev\s+Max", is_opening=True),
        Line("rate", rf"Reqs/sec\s+{_NUMBER}\s+{_NUMBER}\s+{_MAXIMUM}", is_proof=True,
             values=(Value("request_rate", "mean", "1/s", decimal(0.01)),), needed="Reqs/sec"),
        Line("latency", rf"Latency\s+{_TIME}\s+{_TIME}\s+{_TIME}", is_proof=True,
             values=tuple(Value("latency", stat, "s", parse_time)
                          for stat in ("mean", "stdev", "max")), needed="Latency"),
        Line("distribution", r"Latency Distribution"),
        Line("percentile", rf"(\d{{1,2}}(?:\.\d{{1,3}})?)%\s+{_TIME}", under="distribution",
             is_repeated=True),
        Line("code heads", label="HTTP codes", needed="HTTP codes"),
        Line("codes", ", ".join(rf"{code} - (\d{{1,15}})" for code in _CODES), is_proof=True,
             values=tuple(Value("responses", "count", "1", _COUNT, code) for code in _CODES)),
        Line("others", r"others - (\d{1,15})", needed="others"),
        Line("errors", label="Errors"),
        Line("error", r"(\S.{0,999}) - (\d{1,15})", under="errors", is_repeated=True,
             is_vague=True),
        Line("throughput", r"\d{1,9}\.\d{2}[KMGTP]?B?/s", "Throughput", needed="Throughput"),
    )  # fmt: skip

    def __init__(self, line: int, command: str | None) -> None:
        super().__init__(line, command)
        held = re.search(r"\s(?:-r|--rate)[ =]?(\d{1,15})\b", command or "")
        self.reading.load_model = "open" if held else "closed"
        self.reading.target_rate = float(held[1]) if held else None
        self.failures: dict[str, tuple[float, int]] = {}
        self.others = (0.0, 0)

    def _take_target(self, _: Line, fields: Fields, _number: int) -> None:
        _describe(self.reading, fields[0], int(fields[1]))

    def _take_percentile(self, _: Line, fields: Fields, number: int) -> None:
        self.add(Value("latency", f"p{fields[0]}", "s", parse_time), fields[1], number)

    def _take_codes(self, _: Line, fields: Fields, number: int) -> None:
        counts = dict(zip(_CODES, map(float, fields), strict=True))
        total = sum(counts.values())
        self.reading.add("requests", "count", total, "1", number, origin="computed")
        _fail(self.failures, "non2xx", counts["4xx"] + counts["5xx"], number)

    def _take_others(self, _: Line, fields: Fields, number: int) -> None:
        self.others = (float(fields[0]), number)

    def _take_error(self, _: Line, fields: Fields, number: int) -> None:
        _fail(self.failures, reason_of(fields[0]), float(fields[1]), number)

    def finish(self, label: str) -> Iterator[Record]:
        """Yield the reading and what has to be known about it."""
        named = sum(count for reason, (count, _) in self.failures.items() if reason != "non2xx")
        if "throughput" in self.seen:  # no reason is missing
            _fail(self.failures, "other", self.others[0] - named, self.others[1])
        if missing := self.missing():
            self.reading.status = "partial"
            if "others" not in self.seen:  # perhaps no request was answered
                self.reading.rows = []
        yield from _finish(self.reading, self.failures, self.others[0], label)
        if missing:
            yield self.incomplete(label, missing)


class Reader(reports.Reader):
    """The report that is open."""

    NAMES = EXECUTABLES = "bombardier"
    KIND = Report
    FURNITURE = regex(r"\d+ / \d+|\[[=>-]|(?:\d+m)?\d+s$|Done!")

    @staticmethod
    def may_be_cut(text: str) -> bool:
        """Whether a cut may have shortened a line unnoticed: a count."""
        return text.rstrip()[-1:].isdigit()


def _recognises(head: Head) -> bool:
    return _TABLE.search(head.text) is not None


def _parse(source: Source) -> Iterator[Record]:
    """Yield the reports of a text."""
    return reports.read_reports(source, Reader)


#: The numbers of a document that are observations.
_FACTS = {
    "result.bytesRead": Fact("bytes_in", "total", "B"),
    "result.bytesWritten": Fact("bytes_out", "total", "B"),
    "result.timeTakenSeconds": Fact("duration", "total", "s"),
    "result.latency.mean": Fact("latency", "mean", "s", exponent=-6),
    "result.latency.stddev": Fact("latency", "stdev", "s", exponent=-6),
    "result.latency.max": Fact("latency", "max", "s", exponent=-6),
    "result.rps.mean": Fact("request_rate", "mean", "1/s"),
    **{f"result.req{code}": Fact("responses", "count", "1", code) for code in _CODES},
}
_PERCENTILE = regex(r"result\.latency\.percentiles\.(\d{1,2}(?:\.\d{1,3})?)", re.ASCII)


def _recognises_json(head: Head) -> bool:
    signs = ('"spec":', '"numberOfConnections"', '"timeTakenSeconds"')
    return head.text.lstrip()[:1] == "{" and all(sign in head.text for sign in signs)


def _parse_json(source: Source) -> Iterator[Record]:
    r"""Yield the run of each document.

    Examples
    --------
    >>> text = b'{"spec": {}, "result": {"req2xx": 6, "latency": {"mean": 150.5}}}'
    >>> (run,) = _parse_json(Source(None, "a.json", text))
    >>> [row[1:4] for row in run.rows][1:]
    [('latency', 'mean', 0.0001505), ('requests', 'count', 6.0)]
    """
    for line, document in read_documents(source):
        if isinstance(document, Diagnostic):
            yield document
            continue
        numbers = dict(flatten(document))
        if any(f"result.req{code}" in numbers for code in _CODES):
            yield from _read(source.label, document, numbers, line)
        else:
            message = "a bombardier result needs counts of responses"
            yield Diagnostic(source.label, line, message, "use the whole object that it wrote")


def _read(
    label: str, document: Mapping[str, Any], numbers: Mapping[str, float], line: int
) -> Iterator[Record]:
    """Yield the run that a document describes."""
    run = Reading(tool="bombardier", form="json", line=line, last_line=line, load_model="closed")
    url, connections = (
        as_object(document.get("spec")).get("url"),
        numbers.get("spec.numberOfConnections", 0),
    )
    if isinstance(url, str):
        _describe(run, url, int(connections))
    if rate := numbers.get("spec.rate"):
        run.load_model, run.target_rate = "open", float(rate)
    run.duration = numbers.get("result.timeTakenSeconds")
    for name, value in numbers.items():
        if percentile := _PERCENTILE.fullmatch(name):
            fact = Fact("latency", f"p{percentile[1]}", "s", exponent=-6, step=1e-6)
            add_fact(run, fact, value, line)
        elif name in _FACTS:
            add_fact(run, _FACTS[name], value, line)
    counts = {row[0]: (row[3], row[9]) for row in run.rows if row[1] == "responses"}
    answered, at = sum(count for count, _ in counts.values()), max(at for _, at in counts.values())
    run.add("requests", "count", answered, "1", at, origin="computed")
    failures: dict[str, tuple[float, int]] = {}
    for code in ("4xx", "5xx"):
        _fail(failures, "non2xx", *counts.get(code, (0.0, at)))
    for error in map(as_object, as_list(as_object(document.get("result")).get("errors"))):
        if is_amount(count := error.get("count")):
            reason = reason_of(str(error.get("description")))
            _fail(failures, reason, float(count), line_of(count, line))
    run.last_line = max(row[9] for row in run.rows)
    yield from _finish(run, failures, numbers.get("result.others", 0), label)


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
    recognises=_recognises,
    parse=_parse,
    words=("Reqs/sec",),
    anchors=(("Bombarding ", r"\S+ (?:for|with) \S+.* using \d"),),
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
    recognises=_recognises_json,
    parse=_parse_json,
    words=('"numberOfConnections"',),
)

TOOLS = (
    Tool(
        name="bombardier",
        formats=(TEXT, JSON),
        role="load",
        load_model="closed",
        answered=("non2xx",),
    ),
)
