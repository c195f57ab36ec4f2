"""The outcome of the requests of a run: answered, or failed for a reason.

Also the reasons of failed requests, by the phrases that tools print.
"""

from __future__ import annotations

import re
from collections.abc import Collection, Iterator
from operator import itemgetter
from typing import ClassVar

from benchkit.reading.records import Reading, Record
from benchkit.reading.remarks import Remark
from benchkit.reading.reports import Fields, Line, Report, Value, decimal
from benchkit.reading.urls import aim
from benchkit.units import Quantity, parse_time

UNANSWERED = Remark(
    "no request was answered ({failed:g} failed), so this run has no result",
    "check that the server answers, and run again",
)
#: Remark for tools that do not report which of the failed requests were answered.
ALL_FAILED = Remark(
    "all {count:g} requests failed, so this run has no result",
    "check that the server answers, and run again",
)
_COUNTED = Remark(
    "the rate of {rate:g}/s is left out: it counts {failed:g} requests without an answer, too",
    "compare the number of responses and the duration instead, or measure without failures",
)
#: Metrics of a run without any answer.
_OF_FAILURES = {"duration", "failures"}
#: The reason of failed requests that had an answer.
_REFUSED = "non2xx"
__all__ = ["reason_of"]

#: Reasons of failed requests, by phrases that programs print.
_REASONS = (
    ("timeout", ("timeout", "deadline exceeded", "timed out", "timedout")),
    ("dns", ("no such host", "lookup ", "enotfound")),
    ("tls", ("x509:", "tls:", "certificate")),
    ("connect", ("dial ", "connection refused", "connect:", "econnrefused")),
    ("write", ("write:", "broken pipe")),
    ("read", ("read:", "eof", "reset by peer", "server closed", "malformed", "econnreset")),
)


class Outcomes:
    """The answers of a run by status code, and its failures by reason."""

    def __init__(self, run: Reading) -> None:
        self.run = run
        self.answered = 0.0
        self._failures: dict[str, tuple[float, int]] = {}

    def answer(self, code: str, count: float, line: int) -> None:
        """Add answers; those with 400 and above are also failures."""
        self.run.add("responses", "count", count, "1", line, subject=code)
        self.answered += count
        if code[0] in "45":
            self.fail(_REFUSED, count, line)

    def fail(self, reason: str, count: float, line: int) -> None:
        """Add failures, if there are any."""
        if count:
            self._failures[reason] = (self._failures.get(reason, (0.0, 0))[0] + count, line)

    @property
    def unanswered(self) -> float:
        """The number of requests that failed without an answer."""
        counts = self._failures.items()
        return sum(count for reason, (count, _) in counts if reason != _REFUSED)

    def conclude(
        self,
        label: str,
        *,
        failed: float | None = None,
        is_failed: bool | None = None,
        counting: Collection[str] = (),
    ) -> Iterator[Record]:
        """Yield the run; without any answer, it only contains its duration and its failures.

        Parameters
        ----------
        label : str
            Name of the source.
        failed : float, optional
            The number of requests without an answer, if not all of them have a reason.
        is_failed : bool, optional
            Whether no request was answered, if status codes do not show it.
        counting : collection of str
            Metrics that also count requests without an answer: omitted if there are any.
        """
        run, failed = self.run, self.unanswered if failed is None else failed
        is_failed = failed > 0 and not self.answered if is_failed is None else is_failed
        for reason, (count, line) in self._failures.items():
            run.add("failures", "count", count, "1", line, subject=reason, origin="computed")
        if is_failed:
            run.status, counting = "failed", {row[1] for row in run.rows} - _OF_FAILURES
        wrong = [row for row in run.rows if row[1] in counting] if failed or is_failed else []
        run.rows = sorted((row for row in run.rows if row not in wrong), key=itemgetter(9))
        run.last_line = max(run.line, run.last_line, *(row[9] for row in run.rows[-1:]))
        yield run
        if is_failed:
            yield UNANSWERED.at(label, run.last_line, failed=failed)
            return
        for row in wrong:
            if row[1] == "request_rate":
                yield _COUNTED.at(label, row[9], rate=row[3], failed=failed)


def _read_count(text: str) -> float:
    """Parse a count, which in JSON may be a value other than a number."""
    return decimal(1.0)(text).value


class LoadReport(Report):
    """A report of requests whose lines are still arriving."""

    #: Pattern of the option that sets a fixed rate, which makes the loop open, and of the rate.
    HELD: ClassVar[re.Pattern[str] | None] = None

    def __init__(self, line: int, command: str | None) -> None:
        super().__init__(line, command)
        if self.HELD is not None:
            held = self.HELD.search(command or "")
            self.reading.load_model = "open" if held else "closed"
            self.reading.target_rate = float(held[1]) if held and held.lastindex else None
        self.outcomes = Outcomes(self.reading)

    def _take_target(self, _: Line, fields: Fields, _number: int) -> None:
        aim(self.reading, fields[0])
        self._take_connections(_, fields[1:], _number)

    def _take_connections(self, _: Line, fields: Fields, _number: int) -> None:
        self.reading.connect(int(fields[0]))

    @staticmethod
    def read_time(text: str) -> Quantity:
        """Parse a time in the format of the tool."""
        return parse_time(text)

    def _take_percentile(self, _: Line, fields: Fields, number: int) -> None:
        self.add(Value("latency", f"p{fields[0]}", "s", self.read_time), fields[1], number)

    def _take_code(self, _: Line, fields: Fields, number: int) -> None:
        self.outcomes.answer(fields[0], _read_count(fields[1]), number)

    def _take_counted_error(self, _: Line, fields: Fields, number: int) -> None:
        self.outcomes.fail(reason_of(fields[1]), _read_count(fields[0]), number)

    def _take_error(self, _: Line, fields: Fields, number: int) -> None:
        self.outcomes.fail(reason_of(fields[0]), _read_count(fields[1]), number)


def reason_of(error: str) -> str:
    """Return the reason of an error; ``other`` if unknown.

    Examples
    --------
    >>> reason_of('Get "http://h:1/": dial tcp 127.0.0.1:1: connect: connection refused')
    'connect'
    >>> reason_of("Get http://h/: EOF"), reason_of("ETIMEDOUT")
    ('read', 'timeout')
    """
    text = error.lower()
    return next((word for word, signs in _REASONS if any(sign in text for sign in signs)), "other")
