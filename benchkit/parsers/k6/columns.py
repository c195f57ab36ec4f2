"""Points of ``--out json`` and ``--out csv``, a block of lines at once.

A soak test writes gigabytes of lines that are all of one shape::

    {"metric":"NAME","type":"Point","data":{"time":"TIME","value":NUMBER,"tags":{TAGS}}}
    NAME,TIME,NUMBER,,,,true,,POST,POST /shorten,HTTP/1.1,…

Fixed texts or commas part the cells; from there on both are the same columns. Each name is decoded
once per block, a time where it differs from that of the line before, and the rest of a JSON line
once per distinct text. A line that is not exactly so is no error: the plain reader reads it. Here
nothing is ever refused.
"""

from __future__ import annotations

import json
from collections.abc import Iterator, Sequence
from functools import lru_cache
from typing import NamedTuple

import numpy as np

from benchkit.parsers.numerals import Decimals, read_decimal, read_decimals, read_integers
from benchkit.parsers.octets import (
    Array,
    Lines,
    Octets,
    carry,
    find_lines,
    find_separators,
    need_cleaning,
    tell_apart,
)
from benchkit.parsers.series import micros
from benchkit.parsers.times import read_times

#: What a CSV begins with, and how many columns these are.
HEADER, FIRST = "metric_name,timestamp,metric_value", 3
#: What stands before a JSON line's name, time and value, what ends each, and within how many bytes.
_CELLS = (
    (b'{"metric":"', ord('"'), 32),
    (b'","type":"Point","data":{"time":"', ord('"'), 40),
    (b'","value":', ord(","), 24),
)
#: Bytes of a value, less than; shortest and longest rest that is understood once for all.
_NUMBER = 24
_REST = (8, 512)
#: What else a point may hold, and what stands for its value: another one would take its place.
_KEYS, _MARK = {"value", "tags", "metadata"}, "0e-99"
_DECODER = json.JSONDecoder(parse_float=str, parse_int=str)
#: If more than one line in so many is of another shape, all go to the plain reader.
_FEW = 8
#: By its most digits, what an integer time counts: a factor and a divisor to µs, and its step in s.
_UNITS = ((11, 1_000_000, 1, 1.0), (14, 1_000, 1, 1e-3), (17, 1, 1, 1e-6), (19, 1, 1_000, 1e-6))

#: Where each cell of a column begins, and its length.
Cells = tuple[Array, Array]


class Points(NamedTuple):
    """Points of one block in columns, shape (k,), in the order of their lines.

    ``metrics`` and ``targets`` (the URLs of requests) are numbers of ``names`` and ``urls``;
    ``times`` are microseconds since 1970, UTC, that count ``step`` s; ``values`` are as written,
    ``thousandths`` of that, each rounded once.
    """

    names: list[str]
    urls: list[str]
    step: float
    lines: Array
    metrics: Array
    targets: Array
    times: Array
    values: Array
    thousandths: Array

    def by_name(self) -> Iterator[tuple[str, Array]]:
        """Yield names and the rows of each, in the order in which they come first."""
        rows = [np.flatnonzero(self.metrics == number) for number in range(len(self.names))]
        shown = (named for named in zip(self.names, rows, strict=True) if len(named[1]))
        yield from sorted(shown, key=lambda named: int(named[1][0]))

    def between(self, first: int, last: int) -> Points:
        """Return the points of the lines from ``first`` up to, not including, ``last``."""
        low, high = np.searchsorted(self.lines, (first, last)).tolist()
        return Points(*self[:3], *(column[low:high] for column in self[3:]))


class Block(NamedTuple):
    """Whole lines that were read: ``points``, whose lines count from 0, and the lines ``left``."""

    points: Points
    left: list[tuple[int, bytes]]
    data: bytes
    size: int

    def leave_all(self) -> Block:
        """Return the block with every line left to the plain reader."""
        lines = self.data.removesuffix(b"\n").split(b"\n")
        return self._replace(left=list(enumerate(lines)))


def read_json(data: bytes) -> Block:
    """Read whole lines of JSON, as `Source.line_blocks` gives them."""
    block = Octets(data)
    lines = find_lines(block)
    at, cells = lines.starts, list[Cells]()
    good = np.ones(len(at), dtype=bool)
    for text, end, limit in _CELLS:
        good &= block.holds(at, text)
        lengths = block.find_first(at + len(text), end, limit)
        good &= lengths < limit
        cells.append((at + len(text), lengths))
        at = at + len(text) + lengths
    sizes = lines.ends - at
    rows = np.flatnonzero(good & (sizes >= _REST[0]) & (sizes <= _REST[1]))
    return _read_points(data, block, lines, rows, cells, _read_rests(block, at[rows], sizes[rows]))


def read_csv(data: bytes, columns: Sequence[str]) -> Block:
    """Read whole lines under a header of such columns.

    What follows another header is left.
    """
    block = Octets(data)
    lines = find_lines(block)
    commas, good = find_separators(block, lines, ord(","), len(columns) - 1)
    good &= ~need_cleaning(block, lines, b'"') & (len(columns) > FIRST)
    is_break = need_cleaning(block, lines)
    is_break[1:] |= block.holds(lines.starts[1:], HEADER.encode())
    good &= np.cumsum(is_break) == 0
    rows = np.flatnonzero(good)
    edges = lines.starts - 1, *commas.T, lines.ends
    cells = [(edges[i] + 1, edges[i + 1] - edges[i] - 1) for i in range(FIRST)]
    urls, targets = [b""], np.zeros(len(rows), dtype=np.int64)
    if "url" in columns:
        before, end = (edges[columns.index("url") + i][rows] for i in (0, 1))
        urls, targets = tell_apart(block, before + 1, end - before - 1)
    texts = [url.decode("utf-8", errors="replace") for url in urls]
    return _read_points(data, block, lines, rows, cells, (texts, targets))


def _read_points(
    data: bytes,
    block: Octets,
    lines: Lines,
    rows: Array,
    cells: Sequence[Cells],
    urls: tuple[list[str], Array],
) -> Block:
    """Read names, times and values of those lines; ``urls`` and each line's number are known."""
    texts, targets = urls
    name, time, value = ((starts[rows], lengths[rows]) for starts, lengths in cells)
    names, metrics = _read_names(block, *name)
    times, is_time, step = _read_times(block, *time)
    values, is_value = _read_values(block, *value)
    fits = (metrics >= 0) & (targets >= 0) & is_time & is_value
    columns = (rows, metrics, targets, times, values.scaled(0), values.scaled(-3))
    points = Points(names, texts, step, *(column[fits] for column in columns))
    odd = np.ones(len(lines.starts), dtype=bool)
    odd[points.lines] = False
    left = np.flatnonzero(odd).tolist()
    plain = block.texts(lines.starts[left], lines.ends[left])
    found = Block(points, list(zip(left, plain, strict=True)), data, len(odd))
    return found.leave_all() if _FEW * len(left) > len(odd) else found


def _read_names(block: Octets, starts: Array, lengths: Array) -> tuple[list[str], Array]:
    """Return the names of metrics, and each line's number among them or -1."""
    texts, labels = tell_apart(block, starts, lengths)
    names = [text.decode("ascii", errors="ignore") for text in texts]
    for number, (text, name) in enumerate(zip(texts, names, strict=True)):
        is_plain = name.isprintable() and "\\" not in name and len(name) == len(text)
        if not is_plain or not name:
            labels[labels == number] = -1
    return names, labels


def _read_times(block: Octets, starts: Array, lengths: Array) -> tuple[Array, Array, float]:
    """Return times, which could be read, and what they count; the line before often has the same.

    Integers are read where they have as many digits as most.
    """
    usual = int(np.bincount(np.minimum(lengths, 99)).argmax()) if len(lengths) else 0
    for digits, factor, divisor, step in _UNITS:
        if usual <= digits:
            times, good = read_integers(block, starts, lengths)
            return times * factor // divisor, good & (lengths == usual), step
    changed = ~block.repeats(starts, lengths)
    times, good = read_times(block, starts[changed], lengths[changed])
    place = carry(changed)
    return times[place], good[place], 1e-6


@lru_cache(maxsize=1024)
def read_time(text: str) -> tuple[int, float]:
    """Read a point's time into microseconds since 1970, UTC; return these and what it counts, in s.

    RFC 3339 with any zone, or an integer whose digits tell its unit (s, ms, µs, ns).

    Raises
    ------
    ValueError
        If it is neither.

    Examples
    --------
    >>> read_time("1595325560"), read_time("2020-07-21T12:59:20.5+03:00")
    ((1595325560000000, 1.0), (1595325560500000, 1e-06))
    """
    if text.isdecimal():
        for digits, factor, divisor, step in _UNITS:
            if len(text) <= digits:
                return int(text) * factor // divisor, step
    time = micros(text)
    if time is None:
        msg = f"{text} is not a time with a time zone"
        raise ValueError(msg)
    return time, 1e-6


def _read_values(block: Octets, starts: Array, lengths: Array) -> tuple[Decimals, Array]:
    values, good = read_decimals(block, starts, lengths)
    for row in np.flatnonzero(~good & (lengths < _NUMBER)).tolist():
        number = read_decimal(block.text(int(starts[row]), int(starts[row] + lengths[row])))
        if number is not None:
            good[row], values.digits[row], values.places[row] = True, *number
    return values, good


def _read_rests(block: Octets, starts: Array, sizes: Array) -> tuple[list[str], Array]:
    """Return URLs, and each line's number among them or -1 if its rest is not of the shape."""
    changed = ~block.repeats(starts, sizes)
    numbers: dict[str | None, int] = {None: -1}
    rests = block.texts(starts[changed], (starts + sizes)[changed])
    found = [numbers.setdefault(_understand(rest), len(numbers) - 1) for rest in rests]
    urls = [url for url in numbers if url is not None]
    return urls, np.array(found, dtype=np.int64)[carry(changed)]


@lru_cache(maxsize=1 << 16)
def _understand(rest: bytes) -> str | None:
    """Return the URL that the rest of a line tells, or None if it is not as k6 writes it."""
    if b"\r" in rest.rstrip(b"\r"):
        return None
    try:
        record = _DECODER.decode('{"data":{"value":' + _MARK + rest.decode("utf-8"))
    except (ValueError, RecursionError):
        return None
    data = record["data"]
    is_usual = len(record) == 1 and isinstance(data, dict) and data.get("value") == _MARK
    tags = (data.get("tags") or {}) if is_usual and data.keys() <= _KEYS else None
    return str(tags.get("url", "")) if isinstance(tags, dict) else None
