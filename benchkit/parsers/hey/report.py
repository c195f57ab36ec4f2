"""The reports of hey in a text, line by line.

Some of hey's numbers are correct only in the context of others (a rate that counts failures,
extremes of a phase that are those of the whole request). oha's report looks very similar.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from operator import itemgetter

from benchkit.parsers.base import Head, Record, Source
from benchkit.reading import reports
from benchkit.reading.outcomes import UNANSWERED, reason_of
from benchkit.reading.remarks import Remark
from benchkit.reading.reports import Fields, Line, Value, decimal
from benchkit.reading.urls import aim_by_command
from benchkit.regexes import regex

#: The number of responses that hey's histogram and percentiles cover.
_KEPT = 1_000_000
_WALL = r"(\d{1,9}\.\d{4}) secs"
_SECONDS = r"(\d{1,9}\.\d{4}|NaN) secs"
_BYTES = r"(\d{1,18}) bytes"
_THREE = r",\s+".join([_SECONDS] * 3)
_STATS = {"Slowest": "max", "Fastest": "min", "Average": "mean"}
_PHASES = {
    "DNS+dialup": "connect",
    "DNS-lookup": "dns",
    "req write": "send",
    "resp wait": "wait",
    "resp read": "receive",
}
_TIME, _COUNT = decimal(1e-4), decimal(1.0)
_DURATION = Value("duration", "total", "s", _TIME)
_TOTAL, _MEAN = (Value("bytes_in", stat, "B", _COUNT) for stat in ("total", "mean"))
_START = r"[ \t#>|*/]*+(?:- ++)?+[ \t#>|*/]*+"
_SIGNS = (
    (
        "Summary:",
        regex(
            rf"^{_START}Summary:[^\w\n]*+\n(?:[^\w\n]*+\n)*+{_START}Total:\s+\d+\.\d{{4}} secs",
            re.MULTILINE,
        ),
    ),
    (
        "Slowest:",
        regex(
            rf"(?:\A|^(?![^\n]*Success rate:)[^\n]*+\n){_START}Total:\s++\d+\.\d{{4}} secs"
            rf"[^\w\n]*+\n{_START}Slowest:\s++\d+\.\d{{4}} secs",
            re.MULTILINE,
        ),
    ),
    ("resp wait:", regex(rf"^{_START}resp wait:\s++(?:\d+\.\d{{4}}|NaN) secs,", re.MULTILINE)),
)
_UNDEFINED = Remark(
    "this line{more} of a hey report has NaN as a time and is ignored",
    "use the output as hey printed it",
    is_remark=False,
)
_FAILURES = Remark(
    "{failed} requests failed and {answered} were answered; hey's rate may include the failed "
    "requests, but its times do not",
    "compare rates only of runs without failures",
)


def recognises(head: Head) -> bool:
    """Return whether a text has the head of a hey report, or its details."""
    return any(word in head.text and sign.search(head.text) for word, sign in _SIGNS)


class Report(reports.Report):
    """A report while its lines are read."""

    TOOL = "hey"
    NUMBERS = regex(r"\A(?:[^\s%]*%{1,2} in |\d\S* in |\[\S*\]\s\S+ responses)")
    LINES = (
        Line("summary", label="Summary", is_opening=True),
        Line("Total", _WALL, "Total", (_DURATION,), is_proof=True, needed="Total",
             is_opening=True),
        Line("Slowest", _SECONDS, "Slowest", take="whole", is_proof=True),
        Line("Fastest", _SECONDS, "Fastest", take="whole", is_proof=True),
        Line("Average", _SECONDS, "Average", take="whole", is_proof=True, needed="Average"),
        Line("rate", r"(\d{1,15}\.\d{4})", "Requests/sec", needed="Requests/sec"),
        Line("data", _BYTES, "Total data", (_TOTAL,)),
        Line("size", _BYTES, "Size/request", (_MEAN,)),
        Line("histogram", label="Response time histogram", is_opening=True),
        Line("bucket", r"\d+\.\d{3} \[(\d{1,15})\](?:\s*\|.*)?", under="histogram",
             is_repeated=True),
        Line("distribution", label="Latency distribution", is_opening=True,
             needed="Latency distribution"),
        Line("percent", r"(\d{1,2})%{1,2} in (\d{1,9}\.\d{4}) secs", under="distribution",
             is_repeated=True, is_proof=True),
        Line("details", label="Details (average, fastest, slowest)", is_opening=True),
        *(Line(name, _THREE, name, take="phase", under="details", is_proof=name != "DNS-lookup")
          for name in _PHASES),
        Line("codes", label="Status code distribution", needed="Status code distribution"),
        Line("code", r"\[(\d{3})\]\s+(\d{1,15}) responses", under="codes", is_repeated=True),
        Line("errors", label="Error distribution"),
        Line("error", r"\[(\d{1,15})\]\s+(\S.*)", under="errors", is_repeated=True,
             is_vague=True),
        Line("other", r".*", "Success rate"),
    )  # fmt: skip

    def __init__(self, line: int, command: str | None) -> None:
        super().__init__(line, command)
        self.reading.load_model = "closed"
        self.percent = 0
        self.undefined: list[int] = []  # the lines of times that are NaN
        self.whole: dict[str, str] = {}
        self.rate: tuple[str, int] | None = None
        self.sampled = self.answered = self.code_line = 0
        self.failures: dict[str, tuple[int, int]] = {}
        aim_by_command(self.reading)

    def _take_whole(self, line: Line, fields: Fields, number: int) -> None:
        stat = _STATS[line.label]
        self.whole[stat] = fields[0]
        if fields[0] == "NaN":
            self.undefined.append(number)
        else:
            self.add(Value("latency", stat, "s", _TIME), fields[0], number)

    def _take_rate(self, _: Line, fields: Fields, number: int) -> None:
        self.rate = (fields[0], number)

    def _take_bucket(self, _: Line, fields: Fields, _number: int) -> None:
        self.sampled += int(fields[0])

    def _take_percent(self, _: Line, fields: Fields, number: int) -> None:
        percent = int(fields[0])
        if percent > self.percent:  # `0% in 0.0000 secs` replaces an unknown one
            self.percent = percent
            self.add(Value("latency", f"p{percent}", "s", _TIME), fields[1], number)

    def _take_phase(self, line: Line, fields: Fields, number: int) -> None:
        if "NaN" in fields:
            self.undefined.append(number)
            return
        stats = ["mean"]
        # Some versions print the extremes of the whole request as those of DNS+dialup.
        known = {"min", "max"} <= self.whole.keys()
        is_whole = fields[1:] == (self.whole.get("min"), self.whole.get("max"))
        if line.name != "DNS+dialup" or (known and not is_whole):
            stats += ["min", "max"]
        for stat, text in zip(stats, fields, strict=False):
            value = Value("phase_time", stat, "s", _TIME, _PHASES[line.name])
            self.add(value, text, number)

    def _take_code(self, _: Line, fields: Fields, number: int) -> None:
        self.answered += int(fields[1])
        self.code_line = number
        self.add(Value("responses", "count", "1", _COUNT, fields[0]), fields[1], number)

    def _take_error(self, _: Line, fields: Fields, number: int) -> None:
        reason = reason_of(fields[1])
        known, _line = self.failures.get(reason, (0, 0))
        self.failures[reason] = (known + int(fields[0]), number)

    def finish(self, label: str) -> Iterator[Record]:
        """Yield the reading and diagnostics about it."""
        reading, end = self.reading, self.reading.last_line
        is_timed = any(row[1] == "latency" and row[3] for row in reading.rows)
        is_empty = "codes" in self.seen and not is_timed  # users omit the codes, too
        is_failed = not self.answered and (bool(self.undefined) or is_empty)
        if is_failed:
            reading.rows = [row for row in reading.rows if row[1] == "duration"]
        elif "Average" not in self.seen:  # if it is NaN, the others are not times
            reading.rows = [row for row in reading.rows if row[2] not in {"min", "max"}]
        if self.rate is not None and not is_failed:
            self.add(Value("request_rate", "mean", "1/s", _TIME), *self.rate)
        missing = self.missing()
        if not missing and min(self.answered, _KEPT) != self.sampled:
            missing = ["Status code distribution (in full)"]
        self._add_counts(is_whole=not missing)
        reading.rows.sort(key=itemgetter(9))
        reading.status = "failed" if is_failed else "partial" if missing else "complete"
        yield reading
        failed = sum(count for count, _ in self.failures.values())
        if is_failed:
            yield UNANSWERED.at(label, end, failed=failed)
        elif missing:
            yield self.incomplete(label, missing)
        if self.undefined and not is_failed:
            more = f", and {len(self.undefined) - 1} more" if len(self.undefined) > 1 else ""
            yield _UNDEFINED.at(label, self.undefined[0], more=more)
        if failed and not is_failed:
            yield _FAILURES.at(label, end, failed=failed, answered=self.answered)

    def _add_counts(self, *, is_whole: bool) -> None:
        """Add sums that hey does not print."""
        add = self.reading.add
        if is_whole and self.answered:
            answered = float(self.answered)
            add("requests", "count", answered, "1", self.code_line, origin="computed")
        for reason, (count, line) in self.failures.items():
            add("failures", "count", float(count), "1", line, subject=reason, origin="computed")


class Reader(reports.Reader):
    """The open report; reports of oha may appear in between."""

    NAMES = EXECUTABLES = "hey"
    KIND = Report
    FURNITURE = regex(r"Note:|Size/|Total ")

    def __init__(self, label: str) -> None:
        super().__init__(label)
        self.is_others = self.is_others_head = False

    @staticmethod
    def may_be_cut(text: str) -> bool:
        """Return whether a cut may have shortened a line unnoticed, such as a long error."""
        return not text.rstrip().endswith(("secs", "bytes", "responses"))

    def take(self, number: int, text: str, line: Line, fields: Fields | None) -> bool:
        """Process a line of a report, or record that it is from oha."""
        if line.name != "other":
            return super().take(number, text, line, fields)
        self.close()
        self.is_others = self.is_others_head = True
        return False

    def pass_over(self, number: int, line: Line | None) -> None:
        """Skip lines of oha."""
        if not self.is_others:
            super().pass_over(number, line)

    def begin(self, number: int, line: Line, fields: Fields) -> bool:
        """Open a report at one of its headings."""
        is_head = line.name == "summary" or (line.name == "Total" and not self.is_others_head)
        self.is_others = self.is_others and not is_head
        self.is_others_head = self.is_others_head and line.name != "Total"
        return not self.is_others and super().begin(number, line, fields)


def parse(source: Source) -> Iterator[Record]:
    """Yield the reports of a source, each followed by diagnostics about it."""
    return Reader.parse(source)
