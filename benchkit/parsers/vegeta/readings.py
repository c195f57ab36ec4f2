"""The common part of vegeta's reports: reading them, their first line, and the meaning of zeros.

A library user who prints metrics before closing them gets zeros, and a single request has no rate.
Both look like numbers but are not measurements.
"""

from __future__ import annotations

import re
from abc import ABC, abstractmethod
from collections.abc import Iterator
from datetime import UTC, datetime, timedelta
from typing import ClassVar

from benchkit.errors import Diagnostic
from benchkit.parsers.base import Reading, Row, find_command
from benchkit.reading.outcomes import UNANSWERED
from benchkit.reading.urls import describe_url, path_of
from benchkit.regexes import regex

TOOL = "vegeta"

_RATES = frozenset({"request_rate", "success_rate_per_second"})
#: The status that vegeta assigns to a request without a response.
_NO_ANSWER = "0"
#: Metrics that are kept when the rest is zero because it was never computed.
_SUMMED = frozenset({"requests", "responses"})
_RATE = regex(r"-rate[= ](\d{1,15})(?!\d)(?:/(\d{0,9})(ms|s|m|h))?")
_TARGET = regex(r"\b(?:GET|HEAD|POST|PUT|PATCH|DELETE|OPTIONS) (https?://[^\s\"'|\\]+)")
_SECONDS = {"ms": 0.001, "s": 1.0, "m": 60.0, "h": 3600.0}
#: Metric, stat, unit and subject by names in the text report.
MEASURES: dict[str, tuple[str, str, str, str | None]] = {
    "requests.total": ("requests", "count", "1", None),
    "requests.rate": ("request_rate", "mean", "1/s", None),
    "requests.throughput": ("success_rate_per_second", "mean", "1/s", None),
    "duration.total": ("duration", "total", "s", None),
    "duration.attack": ("duration", "total", "s", "attack"),
    "duration.wait": ("duration", "total", "s", "wait"),
    "latencies.min": ("latency", "min", "s", None),
    "latencies.mean": ("latency", "mean", "s", None),
    "latencies.max": ("latency", "max", "s", None),
    "bytes_in.total": ("bytes_in", "total", "B", None),
    "bytes_in.mean": ("bytes_in", "mean", "B", None),
    "bytes_out.total": ("bytes_out", "total", "B", None),
    "bytes_out.mean": ("bytes_out", "mean", "B", None),
    "success.ratio": ("error_rate", "mean", "1", None),
}


def measure_of(name: str) -> tuple[str, str, str, str | None] | None:
    """Return the entry of `MEASURES` for a name, or that of a percentile."""
    percent = name.removeprefix("latencies.")
    is_percentile = percent != name and percent.replace(".", "").isdigit()
    return ("latency", f"p{percent}", "s", None) if is_percentile else MEASURES.get(name)


class Block(ABC):
    """One report, read line by line until a line does not continue it.

    Parameters
    ----------
    label : str
        The source's name.
    line : int
        The first line.
    command : str
        The command on a line above, if there is one.
    """

    FORM: ClassVar[str]
    #: Pattern of a text that contains such a report.
    SIGNATURE: ClassVar[re.Pattern[str]]
    #: Whether its beginning is missing.
    is_tail = False

    def __init__(self, label: str, line: int, command: str) -> None:
        self.reading = begin(self.FORM, line, command)
        self._label = label

    @classmethod
    @abstractmethod
    def starts(cls, text: str) -> bool:
        """Return whether a report begins at this line."""

    @abstractmethod
    def feed(self, line: int, text: str, *, is_last: bool) -> bool:
        """Read a line, which may be a truncated last one; return False if it is of no report."""

    @abstractmethod
    def close(self) -> Iterator[Reading | Diagnostic]:
        """Yield the reading and its problems."""

    def put(self, name: str, value: float, line: int, resolution: float | None) -> None:
        """Add a value of one of the `MEASURES`."""
        metric, stat, unit, subject = measure_of(name) or ("", "", "", None)
        origin = "computed" if metric == "error_rate" else "reported"
        self.reading.add(
            metric, stat, value, unit, line, subject=subject, resolution=resolution, origin=origin
        )
        if (metric, subject) == ("duration", None):
            self.reading.duration = value

    def warn(self, what: str, hint: str, line: int = 0) -> Diagnostic:
        """Mark the reading as partial and return a warning, by default for its last line."""
        self.reading.status = "partial"
        return Diagnostic(self._label, line or self.reading.last_line, what, hint, "warning")


def begin(form: str, line: int, command: str = "") -> Reading:
    """Return an empty reading, described by ``command`` if a line shows it."""
    reading = Reading(tool=TOOL, form=form, line=line, last_line=line, load_model="open")
    reading.command = find_command(command, TOOL)
    target = _TARGET.search(command)
    if target:
        reading.target = path_of(target[1])
        reading.env |= describe_url(target[1])
    rate = find_rate(command)
    if rate is not None:
        reading.target_rate = rate or None
        reading.load_model = "open" if rate else "closed"
    return reading


def find_rate(command: str) -> float | None:
    """Return the requests per second that a command requests; 0 means as many as possible."""
    rate = _RATE.search(command)
    if rate is None:
        return None
    return int(rate[1]) / (int(rate[2] or 1) * _SECONDS[rate[3] or "s"] or 1.0)


def time_of(microseconds: int | None) -> datetime | None:
    """Return a time since 1970, or None for Go's zero time."""
    if microseconds is None or microseconds < 0:
        return None
    return datetime(1970, 1, 1, tzinfo=UTC) + timedelta(microseconds=microseconds)


def finish(reading: Reading, label: str) -> Iterator[Diagnostic]:
    """Drop values that are not measurements; warn if metrics were printed before Close().

    If all requests took no time, ``Metrics.Close`` was never called: means, percentiles, rates and
    times are zero because they were not computed. An attack without length (one request) has no
    rate: vegeta prints the count instead.
    """
    known = {(row[1], row[2], row[0]): row[3] for row in reading.rows}
    requests = known.get(("requests", "count", None))
    is_instant = known.get(("duration", "total", "attack")) == 0
    if requests == 0:
        reading.status, reading.duration = "failed", None
        reading.rows = [row for row in reading.rows if row[1] == "requests"]
        return
    rate = known.get(("request_rate", "mean", None))
    # If the latencies were truncated, other zeros show that nothing was computed.
    is_unclosed = rate == 0 or (is_instant and (requests or 0) > 1)
    mean = known.get(("latency", "mean", None))
    if requests and (is_unclosed if mean is None else mean == 0):
        reading.rows = [row for row in reading.rows if _is_measured(row)]
        reading.duration, reading.status = None, "partial"
        yield Diagnostic(
            label,
            reading.line,
            "the metrics were printed before Close() computed them: the zeros are left out",
            "call Metrics.Close() before reporting, or ingest the raw results",
            "warning",
            is_remark=True,
        )
    if is_instant:
        reading.rows = [row for row in reading.rows if row[1] not in _RATES]
    yield from judge(reading, label)


def judge(reading: Reading, label: str) -> Iterator[Diagnostic]:
    """Mark a run as failed, with a diagnostic, if no request got a response."""
    codes = {row[0]: row[3] for row in reading.rows if row[1] == "responses" and row[3]}
    if codes.keys() == {_NO_ANSWER}:
        reading.status = "failed"
        yield UNANSWERED.at(label, reading.last_line, failed=codes[_NO_ANSWER])


def _is_measured(row: Row) -> bool:
    _, metric, stat, value, *_ = row
    if metric == "error_rate":
        return False
    return value != 0 or metric in _SUMMED or (metric.startswith("bytes") and stat == "total")
