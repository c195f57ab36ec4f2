"""Pauses without any request: JMeter appends a run to an existing JTL, without a header.

The rate of a file with two runs would be that of neither, so it is omitted.
"""

from __future__ import annotations

from collections.abc import Iterator

from benchkit.parsers.base import Diagnostic
from benchkit.reading.remarks import Remark

#: In milliseconds; JMeter's start takes longer than this between two runs.
_SHORTEST = 1_000
#: Minimum number of requests per long pause; a test that waits between requests has fewer.
_REQUESTS = 30
_PAUSED = Remark(
    "no request ran for {seconds:.1f} s before this row (1 of {count} such pauses), so this run "
    "has no rate: perhaps JMeter appended a second run to this file",
    "write each run to a file of its own, or run JMeter with -f, which replaces the file",
)


class Pauses:
    """The times without a request, for samples in the order of their ends.

    Examples
    --------
    >>> pauses = Pauses()
    >>> for line in range(60):
    ...     pauses.add(line, line * 10 + (line >= 40) * 5_000, 10)
    >>> [each.line for each in pauses.judge("x.jtl")]
    [40]
    """

    def __init__(self) -> None:
        self._pauses: list[tuple[int, int, int]] = []  # start, end, and the line below
        self._later: list[tuple[int, int, int]] = []  # the same for rows above a step back in time
        self._next: tuple[int, int] | None = None  # when these begin, and on which line
        self._begin = self._end = self._first = self._count = 0

    def add(self, line: int, start: int, time: int) -> None:
        """Add a request; it shortens or removes a pause that it began in or before."""
        if self._count and start + time + _SHORTEST <= self._begin:
            self._step_back()
            self._next, self._end = (self._begin, self._first), 0
        if not self._end:
            self._begin, self._first = start, line
        pauses = self._pauses
        while pauses and start < pauses[-1][1]:
            begin, _, below = pauses.pop()
            if start - begin >= _SHORTEST:
                pauses.append((begin, start, below))
        if self._end and start - self._end >= _SHORTEST:
            pauses.append((self._end, start, line))
        self._begin, self._end = min(self._begin, start), max(self._end, start + time)
        self._count += 1

    def _step_back(self) -> None:
        """Keep the pauses so far, and the one before the rows above, which ran later."""
        if self._next and self._next[0] - self._end >= _SHORTEST:
            self._pauses.append((self._end, *self._next))
        self._later, self._pauses = self._later + self._pauses, []

    def judge(self, label: str) -> Iterator[Diagnostic]:
        """Report the first long pause if there are few of them and many requests."""
        self._step_back()
        longest = max((end - begin for begin, end, _ in self._later), default=0)
        long = [pause for pause in self._later if (pause[1] - pause[0]) * 10 >= longest]
        if long and len(long) * _REQUESTS <= self._count:
            begin, end, line = long[0]
            yield _PAUSED.at(label, line, seconds=(end - begin) / 1e3, count=len(long))
