"""Vegeta's raw results, many at once and in any encoding.

A twenty-minute attack leaves millions of results. Creating a Python object for each would take
longer than vegeta's own report.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from functools import reduce
from operator import and_
from typing import Any, NamedTuple

import numpy as np

from benchkit.parsers.octets import Array

#: Number of single results that are combined at a time.
_TOGETHER = 1 << 12
#: Limits of start (up to 2116), code, latency, bytes out and bytes in; sums of two cannot overflow.
_BOUNDS = ((1, 1 << 62), (0, 1 << 16), *3 * ((0, 1 << 61),))


class Result(NamedTuple):
    """One request.

    ``start`` is ns since 1970, ``latency`` is in ns; ``line`` is the ordinal in a binary source;
    ``stream`` distinguishes concatenated streams; ``seq`` is the request's number in its attack, -1
    if it is not recorded.
    """

    line: int
    start: int
    code: int
    latency: int
    bytes_out: int
    bytes_in: int
    attack: str = ""
    url: str = ""
    stream: int = 0
    seq: int = -1

    def checked(self) -> Result | None:
        """Return the result, or None if its numbers are impossible."""
        return self if are_possible(self[1:6]) else None


class Flaw(NamedTuple):
    """A place with content that is not a result, and a description of it."""

    line: int
    reason: str


class Results:
    """Results of one stream in columns; fields as in `Result`, int64, shape (k,).

    ``attack`` and ``url`` are indices into ``attacks`` and ``urls``.
    """

    def __init__(
        self, columns: Iterable[Array], texts: Iterable[list[str]], stream: int = 0
    ) -> None:
        self._columns = tuple(columns)
        self.line, self.start, self.code, self.latency, *rest = self._columns
        self.bytes_out, self.bytes_in, self.attack, self.url, self.seq = rest
        self.attacks, self.urls = texts
        self.stream = stream

    def __len__(self) -> int:
        """Return the number of results."""
        return len(self.line)

    def pick(self, rows: Array | slice) -> Results:
        """Return the results in some rows."""
        columns = (column[rows] for column in self._columns)
        return Results(columns, (self.attacks, self.urls), self.stream)


def are_possible(numbers: Iterable[Any]) -> Array:
    """Return which numbers are possible as start, code, latency, bytes out and in of a result."""
    fit = [
        (number >= least) & (number < end)
        for number, (least, end) in zip(numbers, _BOUNDS, strict=True)
    ]
    possible: Array = reduce(and_, fit)
    return possible


def gather(records: Iterable[Result | Results | Flaw]) -> Iterator[Results | Flaw]:
    """Combine single results into columns, in the same order."""
    held: list[Result] = []
    for record in records:
        is_next = isinstance(record, Result) and (not held or record.stream == held[0].stream)
        if held and (not is_next or len(held) == _TOGETHER):
            yield _put_together(held)
            held = []
        if isinstance(record, Result):
            held.append(record)
        else:
            yield record
    if held:
        yield _put_together(held)


def _put_together(results: list[Result]) -> Results:
    *numbers, attack, url, (stream, *_), seqs = zip(*results, strict=True)
    texts = []
    for column in (attack, url):
        places = {text: place for place, text in enumerate(dict.fromkeys(column))}
        numbers.append(tuple(places[text] for text in column))
        texts.append(list(places))
    return Results(np.array([*numbers, seqs], dtype=np.int64), texts, stream)
