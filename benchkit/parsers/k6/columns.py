"""Points of ``--out json``, a block of lines at once.

A soak test writes gigabytes of lines that are all of one shape::

    {"metric":"NAME","type":"Point","data":{"time":"TIME","value":NUMBER,"tags":{TAGS}}}

The fixed text is compared as words; each name is decoded once per block, a time where it differs
from that of the line before, and what follows the number (the rest) once per distinct text. A line
that is not exactly so is no error: the plain decoder reads it. Here nothing is ever refused.
"""

from __future__ import annotations

import json
from collections.abc import Iterator
from dataclasses import dataclass
from itertools import pairwise
from typing import Any, NamedTuple

import numpy as np

from benchkit.parsers.numerals import Decimals, read_decimal, read_decimals
from benchkit.parsers.octets import Array, Octets, carry, find_lines, tell_apart
from benchkit.parsers.times import LONGEST, read_times

_OPEN = b'{"metric":"'
_BETWEEN = b'","type":"Point","data":{"time":"'
_VALUE = b'","value":'
#: Bytes in which a name, a time, a value ends.
_NAME, _TIME, _NUMBER = 32, 40, 24
#: Bytes of a block: a point takes many, and each metric of a block some calls.
BLOCK_BYTES = 4 << 20
#: If more than one line in so many is of another shape, all go to the plain decoder.
_FEW = 8
#: Shortest and longest rest that is understood once for all.
_SHORTEST, _LONGEST = 8, 512
#: Rests whose meaning is kept.
_MOST_RESTS = 1 << 16


@dataclass(frozen=True, slots=True)
class Points:
    """Points of one block in columns; rows are those of its lines that are ``good``.

    Parameters
    ----------
    names : list of str
        Each metric's name, by its number.
    metrics : ndarray of int64, shape (k,)
        Numbers of names.
    values : Decimals, shape (k,)
        As written.
    times : ndarray of int64, shape (k,)
        Microseconds since 1970, UTC.
    lines : ndarray of int64, shape (k,)
    urls : list of str
        Each request's URL, by its number.
    targets : ndarray of int64, shape (k,)
        Numbers of URLs.
    step : float
        What a time counts, in s.
    """

    names: list[str]
    metrics: Array
    values: Decimals
    times: Array
    lines: Array
    urls: list[str]
    targets: Array
    step: float = 1e-6

    def by_name(self) -> Iterator[tuple[str, Array]]:
        """Yield names and the rows of each, in the order in which they come first."""
        order = np.argsort(self.metrics.astype(np.int32), kind="stable")
        bounds = np.searchsorted(self.metrics[order], np.arange(len(self.names) + 1)).tolist()
        found = [
            (name, order[low:high])
            for name, (low, high) in zip(self.names, pairwise(bounds), strict=True)
            if low < high
        ]
        yield from sorted(found, key=lambda named: int(named[1][0]))

    def between(self, first: int, last: int) -> Points:
        """Return the points of the lines from ``first`` up to, not including, ``last``."""
        low, high = np.searchsorted(self.lines, (first, last))
        rows = slice(int(low), int(high))
        values = Decimals(self.values.digits[rows], self.values.places[rows])
        return Points(
            self.names, self.metrics[rows], values, self.times[rows], self.lines[rows],
            self.urls, self.targets[rows], self.step,
        )  # fmt: skip


class Block(NamedTuple):
    """Whole lines that were read: ``points``, whose lines count from 0, and the lines ``left``."""

    points: Points
    left: list[tuple[int, bytes]]
    size: int


def read_block(data: bytes) -> Block:
    """Read whole lines, as `Source.line_blocks` gives them."""
    block = Octets(data)
    starts, ends = find_lines(block)
    good = block.holds(starts, _OPEN)
    rows = np.flatnonzero(good)
    names, metrics, lengths = _read_names(block, starts[rows] + len(_OPEN))
    at = starts[rows] + len(_OPEN) + lengths
    fits = (metrics >= 0) & block.holds(at, _BETWEEN)
    at += len(_BETWEEN)
    times, lengths, told = _read_times(block, at)
    at += lengths
    fits &= told & block.holds(at, _VALUE)
    at += len(_VALUE)
    lengths = block.find_first(at, ord(","), _NUMBER)
    fits &= lengths < _NUMBER
    values, told = read_decimals(block, at, lengths)
    for row in np.flatnonzero(fits & ~told).tolist():
        number = read_decimal(block.text(int(at[row]), int(at[row] + lengths[row])))
        if number is not None:
            told[row], values.digits[row], values.places[row] = True, *number
    at += lengths
    fits &= told & (at < ends[rows])
    urls, targets = _read_rests(block, at, ends[rows], fits)
    fits &= targets >= 0
    good[rows] = fits
    points = Points(
        names, metrics[fits], values.pick(fits), times[fits], rows[fits], urls, targets[fits]
    )
    if _FEW * np.count_nonzero(~good) > len(good):
        good[:], points = False, points.between(0, 0)
    left = [
        (line, block.text(int(starts[line]), int(ends[line])))
        for line in np.flatnonzero(~good).tolist()
    ]
    return Block(points, left, len(good))


def _read_names(block: Octets, starts: Array) -> tuple[list[str], Array, Array]:
    """Return the names of metrics, each line's number among them or -1, and their lengths."""
    lengths = block.find_first(starts, ord('"'), _NAME)
    texts, labels = tell_apart(block, starts, lengths)
    names = []
    for number, text in enumerate(texts):
        name = text.decode("ascii", errors="ignore")
        is_plain = name.isprintable() and "\\" not in name and len(name) == len(text)
        if not is_plain or not 0 < len(name) < _NAME:
            labels[labels == number] = -1
        names.append(name)
    return names, labels, lengths


def _read_times(block: Octets, starts: Array) -> tuple[Array, Array, Array]:
    """Return times, their lengths and which could be read; the line before often has the same."""
    if not len(starts):
        return starts, starts, np.empty(0, dtype=bool)
    lengths = np.minimum(block.find_first(starts, ord('"'), _TIME), LONGEST + 1)
    changed = ~block.repeats(starts, lengths)
    times, good = read_times(block, starts[changed], lengths[changed])
    place = carry(changed)
    return times[place], lengths, good[place]


def _read_rests(
    block: Octets, starts: Array, ends: Array, wanted: Array
) -> tuple[list[str], Array]:
    """Return URLs, and each line's number among them or -1 if its rest is not of the shape."""
    targets = np.full(len(starts), -1, dtype=np.int64)
    numbers: dict[str, int] = {}
    meant: dict[bytes, int] = {}
    sizes = ends - starts
    rows = np.flatnonzero(wanted & (sizes >= _SHORTEST) & (sizes <= _LONGEST))
    changed = ~block.repeats(starts[rows], sizes[rows])
    told = rows[changed]
    rests = block.texts(starts[told], ends[told])
    for rest in dict.fromkeys(rests):
        url = _understand(rest)
        meant[rest] = -1 if url is None else numbers.setdefault(url, len(numbers))
    found = np.array([meant[rest] for rest in rests], dtype=np.int64)
    targets[rows] = found[carry(changed)]
    return list(numbers), targets


_UNDERSTOOD: dict[bytes, str | None] = {}


def _understand(rest: bytes) -> str | None:
    """Return the URL that the rest of a line tells, or None if it is not as k6 writes it."""
    try:
        return _UNDERSTOOD[rest]
    except KeyError:
        if len(_UNDERSTOOD) >= _MOST_RESTS:
            _UNDERSTOOD.clear()
        url = _UNDERSTOOD[rest] = _decode(rest)
        return url


def _decode(rest: bytes) -> str | None:
    rest = rest.rstrip(b"\r")
    if b"\r" in rest:
        return None
    try:
        record = _DECODER.decode('{"data":{"value":0' + rest.decode("utf-8"))
    except (ValueError, RecursionError):
        return None
    data, tags = record["data"], None
    if isinstance(data, dict):
        tags = data.get("tags") or {}
    if len(record) > 1 or not isinstance(tags, dict) or not data.keys() <= _KEYS:
        return None
    return str(tags.get("url", ""))


def _unique(pairs: list[tuple[str, Any]]) -> dict[str, Any]:
    """Make an object; a name told twice is left to the plain decoder."""
    found = dict(pairs)
    if len(found) != len(pairs):
        raise ValueError("a name twice")
    return found


_KEYS = {"value", "tags", "metadata"}
_DECODER = json.JSONDecoder(object_pairs_hook=_unique, parse_float=str, parse_int=str)
