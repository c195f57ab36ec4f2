"""The tables that autocannon prints, read line by line from a text."""

from __future__ import annotations

from collections.abc import Iterator
from functools import partial

from benchkit.parsers.autocannon import COUNTED_ONCE
from benchkit.parsers.base import Head, Record, Source
from benchkit.reading import reports
from benchkit.reading.cleaning import bare
from benchkit.reading.outcomes import UNANSWERED
from benchkit.reading.remarks import Remark
from benchkit.reading.reports import Fields, Line, Value, decimal
from benchkit.reading.urls import aim_by_command, describe_url, path_of
from benchkit.regexes import regex
from benchkit.units import Quantity, parse_bytes, parse_count, parse_time

_MARKED = regex(r"\D")
_LIMITED = regex(r"\s(?:-R|-r|--overallRate|--connectionRate)[ =]?\d")


def _read_grouped(text: str) -> Quantity:
    """Read a count with the marks of any language; three digits after a lone mark are thousands.

    autocannon prints rates in the language of the machine, rounded to two decimals.

    Examples
    --------
    >>> [_read_grouped(text).value for text in ("87,916.8", "87.916,8", "87.916", "705,3")]
    [87916.8, 87916.8, 87916.0, 705.3]
    """
    *whole, last = _MARKED.split(text)
    is_decimal = whole and (len(last) != 3 or len(set(_MARKED.findall(text))) > 1)
    return parse_count("".join([*whole, "." * bool(is_decimal), last]))


_BYTES = partial(parse_bytes, binary=False)
_MS = r"(\d{1,9}(?:\.\d{1,2})? ms)"
_FINE = r"(\d{1,9}(?:\.\d{1,9})?)"
#: Thousands may also be parted by blanks, and further digits in pairs (``12,34,567``).
_COUNT = (
    r"((?:\d{1,3}(?:[,.'’\u00a0\u202f ]\d{3}){1,5}|\d{1,2}(?:,\d\d){1,5},\d{3}|\d{1,16})"
    r"(?:[.,]\d{1,20})?)"
)
_SIZE = r"(\d{1,6}(?:\.\d{1,2})? [kMGT]?B)"
#: A bar of a printed table, or of a page in Markdown.
_BAR = r"\s*[│|]\s*"
#: Number of bars in a row of the tables.
_BARS = 9
_LATENCIES = tuple(
    Value("latency", stat, "s", parse_time)
    for stat in ("p2.5", "p50", "p97.5", "p99", "mean", "stdev", "max")
)
_OLD_LATENCIES = tuple(
    Value("latency", stat, "s", lambda text: parse_time(f"{text} ms"))
    for stat in ("mean", "stdev", "max")
)
_RATE, _FLOW = (
    Value("request_rate", "mean", "1/s", _read_grouped),
    Value("bandwidth_in", "mean", "B/s", _BYTES),
)


def _row(name: str, cells: str) -> str:
    """Return the pattern of a table row, whose outer bars may be missing."""
    return rf"(?:│\s*)?{name}{_BAR}{cells}(?:\s*[│|])?"


def _heads(first: str) -> str:
    """Return the pattern of the heads of a table, identified by its first column."""
    return rf"(?:│\s*)?Stat{_BAR}{first}{_BAR}.*"


def _high(name: str, cell: str) -> str:
    """Return the pattern of a row that captures average and spread, its fifth and sixth cells."""
    other = cell.replace("(", "(?:", 1)
    cells = [*[other] * 4, cell, cell, other]
    return _row(name, _BAR.join(cells))


_LATENCY_ROW = regex(rf"[│|]\s*Latency{_BAR}{_MS}|Latency \(ms\)\s+{_FINE}\s")


_APART = Remark(
    "this table of percentiles stands apart from its report and is not read",
    "give the whole output of the run",
    is_remark=False,
)


class Report(reports.Report):
    """A report while its tables are read."""

    TOOL = "autocannon"
    LINES = (
        Line("target", r"Running \d[\d.]{0,11}(?:s| requests) test @ (\S+)"
             r"(?: with (\d{1,9}) connections)?", is_opening=True,
             start=r"Running \d\S*(?: requests)? test "),
        Line("connections", r"(\d{1,9}) connections?(?: with (\d{1,9}) pipelining factor)?"),
        Line("workers", r"(\d{1,9}) workers?"),
        Line("heads", _heads(r"2\.5%") + r"|Stat\s+Avg\s+Stdev\s+Max",
             is_opening=True),
        Line("latency", _row("Latency", _BAR.join([_MS] * 7)), values=_LATENCIES, is_proof=True,
             needed="Latency"),
        Line("latency", rf"Latency \(ms\)\s+{_FINE}\s+{_FINE}\s+{_FINE}", values=_OLD_LATENCIES,
             is_proof=True),
        Line("high heads", _heads("1%")),
        Line("rate", _high("Req/Sec", _COUNT), values=(_RATE,), is_proof=True, needed="Req/Sec"),
        Line("rate", rf"Req/Sec\s+{_FINE}\s+[\d.]+\s+[\d.]+", values=(_RATE,), is_proof=True),
        Line("flow", _high("Bytes/Sec", _SIZE), values=(_FLOW,), is_proof=True),
        Line("flow", rf"Bytes/Sec\s+{_SIZE}\s+[\d.]+ \w?B\s+[\d.]+ \w?B", values=(_FLOW,),
             is_proof=True),
        Line("code heads", _row("Code", "Count")),
        Line("code", _row(r"(\d{3})", r"(\d{1,15})"), under="code heads", is_repeated=True),
        Line("sampling", r"Req/Bytes counts sampled .*"),
        Line("samples", r"(\d{1,9})", "of samples"),  # its # is taken as the mark of a comment
        Line("percentiles", _row("Percentile", r"Latency \(ms\)")),
        Line("percentile", _row(r"(\d{1,2}(?:\.\d{1,3})?)", r"(\d{1,9})"), under="percentiles",
             is_repeated=True),
        Line("answers", r"(\d{1,15}) 2xx responses, (\d{1,15}) non 2xx responses"),
        Line("total", rf"(\d{{1,12}}k?) requests in (\d{{1,9}}(?:\.\d{{1,2}})?)s, {_SIZE} read",
             needed="requests in"),
        Line("errors", r"(\d{1,12}k?) errors \((\d{1,12}k?) timeouts\)"),
        Line("mismatches", r"(\d{1,12}k?) requests with mismatched body"),
        Line("resets", r"request pipeline was reset .*"),
    )  # fmt: skip

    def __init__(self, line: int, command: str | None) -> None:
        super().__init__(line, command)
        is_held = _LIMITED.search(command or "")
        self.reading.load_model = "open" if is_held else "closed"
        self.is_single = False

    @property
    def is_proven(self) -> bool:
        """Return whether the latency row, unique to autocannon, or two other lines were read."""
        return "latency" in self.proofs or super().is_proven

    def _take_target(self, _: Line, fields: Fields, _number: int) -> None:
        self.reading.target, self.reading.env = path_of(fields[0]), describe_url(fields[0])
        if fields[1]:
            self.reading.connect(int(fields[1]))

    def _take_connections(self, _: Line, fields: Fields, _number: int) -> None:
        self.reading.connect(int(fields[0]))
        if fields[1]:
            self.reading.params["pipelining"] = fields[1]

    def _take_workers(self, _: Line, fields: Fields, _number: int) -> None:
        self.reading.params["workers"] = fields[0]

    def _take_rate(self, _: Line, fields: Fields, _number: int) -> None:
        self.is_single = fields[1:] == ("0",)  # no spread, unless more counts are reported below

    def _take_samples(self, _: Line, fields: Fields, _number: int) -> None:
        self.is_single = int(fields[0]) <= int(self.reading.params.get("workers", "1"))

    def _take_code(self, _: Line, fields: Fields, number: int) -> None:
        code, count = fields
        self.add(Value("responses", "count", "1", decimal(1.0), code), count, number)

    def _take_percentile(self, _: Line, fields: Fields, number: int) -> None:
        percent, time = fields
        if (stat := f"p{percent}") not in {row[2] for row in self.reading.rows}:
            self.add(Value("latency", stat, "s", parse_time), f"{time} ms", number)

    def _take_answers(self, _: Line, fields: Fields, number: int) -> None:
        self.reading.add(
            "requests", "count", float(sum(map(int, fields))), "1", number, origin="computed"
        )
        self._fail("non2xx", fields[1], number)

    def _take_total(self, _: Line, fields: Fields, number: int) -> None:
        self.add(Value("duration", "total", "s", decimal(0.01)), fields[1], number)
        self.add(Value("bytes_in", "total", "B", _BYTES), fields[2], number)

    def _take_errors(self, _: Line, fields: Fields, number: int) -> None:
        errors, timeouts = map(parse_count, fields)
        self._fail("timeout", fields[1], number)
        if errors.value > timeouts.value:
            self.reading.add(
                "failures", "count", errors.value - timeouts.value, "1", number,
                subject="connect", resolution=errors.resolution, origin="computed",
            )  # fmt: skip

    def _take_mismatches(self, _: Line, fields: Fields, number: int) -> None:
        self._fail("mismatch", fields[0], number)

    def _fail(self, reason: str, count: str, number: int) -> None:
        if count != "0":
            self.add(Value("failures", "count", "1", parse_count, reason), count, number)

    def finish(self, label: str) -> Iterator[Record]:
        """Yield the reading and diagnostics about it."""
        reading, missing, rows = self.reading, self.missing(), self.reading.rows
        aim_by_command(reading)
        is_empty = not missing and not any(row[1] == "request_rate" and row[3] for row in rows)
        reading.status = "failed" if is_empty else "partial" if missing else "complete"
        if is_empty:
            reading.rows = [row for row in rows if row[1] in {"duration", "failures"}]
        elif missing and ("latency", "max", 0.0) in {row[1:4] for row in rows}:
            reading.rows = []  # perhaps no request got a response
        elif self.is_single:
            reading.rows = [row for row in rows if row[1] not in {"request_rate", "bandwidth_in"}]
        yield reading
        end = reading.last_line
        if is_empty:
            failed = sum(row[3] for row in rows if row[1] == "failures")
            yield UNANSWERED.at(label, end, failed=failed)
        elif missing:
            yield self.incomplete(label, missing)
        elif self.is_single:
            yield COUNTED_ONCE.at(label, end)


class Reader(reports.Reader):
    """The open run."""

    NAMES = EXECUTABLES = "autocannon"
    KIND = Report
    FURNITURE = regex(r"[┌├└]|[-:| ]+$")

    def __init__(self, label: str) -> None:
        super().__init__(label)
        self.held = 0, ""  # line and beginning of a wrapped row

    def feed(self, number: int, text: str) -> None:
        """Read a line of the source, joined to the beginning of a wrapped row."""
        first, held = self.held
        self.held = 0, ""
        if held and f"{held}{text}".count("│") == _BARS and text.rstrip().endswith("│"):
            number, text = first, f"{held}{text}"
        elif text.lstrip().startswith("│") and text.count("│") < _BARS:
            self.held = (0, "") if Report.read_line(bare(text)) else (number, text)
        super().feed(number, text)

    @staticmethod
    def may_be_cut(text: str) -> bool:
        """Return whether a cut may have shortened a line unnoticed."""
        return not text.rstrip().endswith(("│", "|", "read", ")", "┐", "┤", "┘"))

    def take(self, number: int, text: str, line: Line, fields: Fields | None) -> bool:
        """Process a line of a report; percentiles outside any report are recorded as ignored."""
        is_taken = super().take(number, text, line, fields)
        if line.name == "percentiles" and not is_taken:
            self.close()
            self.records.append(_APART.at(self.label, number))
        return is_taken


def recognises(head: Head) -> bool:
    """Return whether a text has the latency row of an autocannon report."""
    return _LATENCY_ROW.search(head.text) is not None


def parse(source: Source) -> Iterator[Record]:
    """Yield the reports of a text."""
    return Reader.parse(source)
