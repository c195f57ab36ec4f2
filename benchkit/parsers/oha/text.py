"""The reports of oha in a text, line by line.

They look very similar to hey's. Times have varying units, sizes have three digits, and the rate
counts requests that failed or that the end of ``-z`` aborted, as in JSON.
"""

from __future__ import annotations

from collections.abc import Iterator
from functools import partial
from operator import itemgetter

from benchkit.parsers.base import Head, Record, Source
from benchkit.reading import reports
from benchkit.reading.outcomes import UNANSWERED
from benchkit.reading.reports import Fields, Line, Value, decimal
from benchkit.reading.urls import aim_by_command
from benchkit.regexes import regex
from benchkit.units import Quantity, parse_bytes, parse_time

#: Names of units that only oha uses.
_UNITS = {"sec": "s", "secs": "s", "min": "m", "hr": "h"}
_UNIT = r"(?:ns|[uµ]?s|ms|(?:10 )?(?:secs?|min)|hr)"
_WALL = rf"(\d{{1,12}}\.\d{{1,4}} {_UNIT})"
_TIME = rf"(\d{{1,12}}\.\d{{1,4}} {_UNIT}|NaN {_UNIT})"
_SIZE = r"(\d{1,15}(?:\.\d{1,2})?(?: (?:[KMGT]iB|B))?)"
_THREE = r",\s+".join([_TIME] * 3)
_STATS = {"Slowest": "max", "Fastest": "min", "Average": "mean"}
_PHASES = {"DNS+dialup": "connect", "DNS-lookup": "dns"}
_PARTS = ("2xx only", "3xx only", "4xx + 5xx only")
_CUT_OFF = "aborted due to deadline"
_COUNT = decimal(1.0)
_TOTAL, _MEAN = (
    Value("bytes_in", stat, "B", partial(parse_bytes, binary=True)) for stat in ("total", "mean")
)
_FLOW = Value("bandwidth_in", "mean", "B/s", partial(parse_bytes, binary=True))
_LIMITED = regex(r"\s(?:-q|--burst-rate)[ =]?\d")
_SIGN = regex(
    r"Success rate:[ \t]++\d[\d.]*+%?+[^\w\n]*+\n(?:[^\w\n]*+\n)*+"
    r"[ \t#>|*/]*+(?:- ++)?+[ \t#>|*/]*+Total:[ \t]++\d+\.\d+ "
)


def read_time(text: str) -> Quantity:
    """Read a time with its unit.

    Examples
    --------
    >>> read_time("25.5000 ms").value, read_time("0.0179 10 sec").value
    (0.0255, 0.179)
    """
    number, _, unit = text.partition(" ")
    tens = "e1" if unit.startswith("10 ") else ""
    unit = unit.removeprefix("10 ")
    return parse_time(f"{number}{tens}{_UNITS.get(unit, unit)}")


def recognises(head: Head) -> bool:
    """Return whether a text has the head of an oha report."""
    return "Success rate:" in head.text and _SIGN.search(head.text) is not None


class Report(reports.Report):
    """A report while its lines are read."""

    TOOL = "oha"
    NUMBERS = regex(r"\A(?:[^\s%]*% in |\d\S* in |\[\S*\] \S+ responses)")
    LINES = (
        Line("summary", label="Summary", is_opening=True),
        Line("success", r"\d{1,3}\.\d+%?|NaN%?", "Success rate", is_proof=True,
             is_opening=True),
        Line("total", _WALL, "Total", (Value("duration", "total", "s", read_time),),
             is_proof=True, needed="Total"),
        *(Line(name, _TIME, name, take="whole", needed=name) for name in _STATS),
        Line("rate", r"(\d{1,15}\.\d{4})", "Requests/sec", needed="Requests/sec"),
        Line("data", _SIZE, "Total data", (_TOTAL,)),
        Line("size", _SIZE + "|None", "Size/request", (_MEAN,)),
        Line("flow", _SIZE + "|None", "Size/sec", (_FLOW,)),
        Line("histogram", label="Response time histogram"),
        Line("bucket", rf"\d+\.\d+(?: {_UNIT})? \[(\d{{1,15}})\](?:\s*\|.*)?", under="histogram",
             is_repeated=True),
        Line("distribution", label="Response time distribution",
             needed="Response time distribution"),
        Line("distribution", label="Latency distribution"),  # in early versions
        Line("percent", rf"(\d{{1,2}}(?:\.\d\d)?)% in {_TIME}", under="distribution",
             is_repeated=True, is_proof=True),
        *(Line("part", label=f"Response time {kind} ({part})", is_repeated=True)
          for part in _PARTS for kind in ("histogram", "distribution")),
        Line("details", label="Details (average, fastest, slowest)"),
        *(Line(name, _THREE, name, take="phase", under="details") for name in _PHASES),
        Line("codes", label="Status code distribution", needed="Status code distribution"),
        Line("code", r"\[(\d{3})\] (\d{1,15}) responses", under="codes", is_repeated=True),
        Line("errors", label="Error distribution"),
        Line("error", r"\[(\d{1,15})\] (\S.*)", under="errors", is_repeated=True,
             is_vague=True),
    )  # fmt: skip

    def __init__(self, line: int, command: str | None) -> None:
        super().__init__(line, command)
        self.reading.load_model = "open" if _LIMITED.search(command or "") else "closed"
        self.rate = ("", 0)
        self.duration = ""
        self.answered = self.refused = self.sampled = self.code_line = 0
        self.failures: dict[str, tuple[int, int]] = {}
        aim_by_command(self.reading)

    @property
    def is_proven(self) -> bool:
        """Return whether it has content that the reports of hey lack."""
        return "success" in self.seen and super().is_proven

    def _take_whole(self, line: Line, fields: Fields, number: int) -> None:
        self._add_time("latency", _STATS[line.name], fields[0], number)

    def _take_total(self, _: Line, fields: Fields, _number: int) -> None:
        self.duration = fields[0]

    def _take_rate(self, _: Line, fields: Fields, number: int) -> None:
        self.rate = (fields[0], number)

    def _take_bucket(self, _: Line, fields: Fields, _number: int) -> None:
        self.sampled += int(fields[0])

    def _take_percent(self, _: Line, fields: Fields, number: int) -> None:
        self._add_time("latency", f"p{float(fields[0]):g}", fields[1], number)

    def _take_phase(self, line: Line, fields: Fields, number: int) -> None:
        for stat, text in zip(("mean", "min", "max"), fields, strict=True):
            self._add_time("phase_time", stat, text, number, _PHASES[line.name])

    def _take_code(self, _: Line, fields: Fields, number: int) -> None:
        code, count = fields
        self.answered += int(count)
        self.refused += int(count) if code >= "400" else 0
        self.code_line = number
        self.add(Value("responses", "count", "1", _COUNT, code), count, number)

    def _take_error(self, _: Line, fields: Fields, number: int) -> None:
        count, reason = fields
        if reason != _CUT_OFF:
            known, _line = self.failures.get(reason, (0, 0))
            self.failures[reason] = (known + int(count), number)

    def _add_time(
        self, metric: str, stat: str, text: str, number: int, subject: str | None = None
    ) -> None:
        if not text.startswith("NaN"):
            self.add(Value(metric, stat, "s", read_time, subject), text, number)

    def finish(self, label: str) -> Iterator[Record]:
        """Yield the reading and diagnostics about it."""
        reading, end = self.reading, self.reading.last_line
        missing = self.missing()
        if not missing and "bucket" in self.seen and self.sampled != self.answered:
            missing = ["Status code distribution (in full)"]
        is_failed = not missing and not self.answered
        if is_failed:
            reading.rows = [row for row in reading.rows if row[1] == "duration"]
        elif not missing:
            self._add_counts()
        for reason, (count, line) in self.failures.items():
            reading.add("failures", "count", float(count), "1", line, subject=reason)
        reading.rows.sort(key=itemgetter(9))
        reading.status = "failed" if is_failed else "partial" if missing else "complete"
        yield reading
        if is_failed:
            failed = sum(count for count, _ in self.failures.values())
            yield UNANSWERED.at(label, end, failed=failed)
        elif missing:
            yield self.incomplete(label, missing)

    def _add_counts(self) -> None:
        """Add the counts of answered requests, and their rate."""
        add, line = self.reading.add, self.code_line
        add("requests", "count", float(self.answered), "1", line, origin="computed")
        if self.refused:
            refused = float(self.refused)
            add("failures", "count", refused, "1", line, subject="non2xx", origin="computed")
        duration = read_time(self.duration)
        rate, place = self.rate
        ended = float(rate) * duration.value
        blur = 1 + float(rate) * (duration.resolution or 0)
        if not ended or abs(ended - self.answered) <= blur:
            self.add(Value("request_rate", "mean", "1/s", decimal(1e-4)), rate, place)
        else:
            computed = self.answered / duration.value
            add("request_rate", "mean", computed, "1/s", place, origin="computed")


class Reader(reports.Reader):
    """The open report."""

    NAMES = EXECUTABLES = "oha"
    KIND = Report
    FURNITURE = regex(r"Note:|First byte")

    @staticmethod
    def may_be_cut(text: str) -> bool:
        """Return whether a cut may have shortened a line unnoticed: a long error or a unit."""
        return not text.rstrip().endswith("responses")


def parse(source: Source) -> Iterator[Record]:
    """Yield the reports of a source, each followed by diagnostics about it."""
    return Reader.parse(source)
