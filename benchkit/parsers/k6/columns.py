"""Points of ``--out json`` and ``--out csv``, read a block of lines at a time.

A soak test writes gigabytes of lines with the same shape::

    {"metric":"NAME","type":"Point","data":{"time":"TIME","value":NUMBER,"tags":{TAGS}}}
    NAME,TIME,NUMBER,,,,true,,POST,POST /shorten,HTTP/1.1,…

Fixed texts or commas separate the cells, and from there on both formats are the same columns. Each
name is decoded once per block, a time only if it differs from that of the previous line, and the
rest of a JSON line once per distinct text. A line of any other shape is not an error: it is left to
the plain reader. Nothing is rejected here.
"""

from __future__ import annotations

import json
from collections.abc import Iterator, Sequence
from functools import cache, lru_cache
from typing import NamedTuple

import numpy as np

from benchkit.parsers import kernel
from benchkit.parsers.kernel import Array, Lines, shape_of
from benchkit.parsers.numerals import Decimals, read_decimal, read_integers
from benchkit.parsers.octets import MARGIN, Octets, carry, group_equal, need_cleaning
from benchkit.parsers.series import micros
from benchkit.parsers.times import read_times
from benchkit.reading.cleaning import decode

#: The first columns of every CSV header, and their number.
HEADER, FIRST = "metric_name,timestamp,metric_value", 3
#: A JSON line: its name, time and value, then the rest.
_JSON = shape_of(
    ("t", b'{"metric":"', b'"'),
    ("t", b'","type":"Point","data":{"time":"', b'"'),
    ("d", b'","value":', b","),
    ("t", b"", b"\n"),
)
#: Limit for the bytes of a value; shortest and longest rest of a line that is decoded and cached.
_NUMBER = 24
_REST = (8, 512)
#: Keys that a point's data may have, and a placeholder for its value, which a second value
#: replaces.
_KEYS, _MARK = {"value", "tags", "metadata"}, "0e-99"
_DECODER = json.JSONDecoder(parse_float=str, parse_int=str)
#: Maximum number of columns in a CSV header of k6.
_MOST_COLUMNS = 64
#: If more than one line in this many has another shape, all lines go to the plain reader.
_FEW = 8
#: Units of integer times: maximum digits, factor and divisor to get µs, and resolution in s.
_UNITS = ((11, 1_000_000, 1, 1.0), (14, 1_000, 1, 1e-3), (17, 1, 1, 1e-6), (19, 1, 1_000, 1e-6))


class Points(NamedTuple):
    """Points of one block in columns of shape (k,), in the order of their lines.

    ``metrics`` and ``targets`` (the URLs of requests) are indices into ``names`` and ``urls``;
    ``times`` are microseconds since 1970 (UTC) with a resolution of ``step`` s; ``values`` are as
    written and ``thousandths`` are those divided by 1,000, each rounded once.
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
        """Yield each name with its rows, in the order of first appearance."""
        rows = [np.flatnonzero(self.metrics == number) for number in range(len(self.names))]
        shown = (named for named in zip(self.names, rows, strict=True) if len(named[1]))
        yield from sorted(shown, key=lambda named: int(named[1][0]))

    def between(self, first: int, last: int) -> Points:
        """Return the points of the lines from ``first`` up to but not including ``last``."""
        low, high = np.searchsorted(self.lines, (first, last)).tolist()
        return Points(*self[:3], *(column[low:high] for column in self[3:]))


class Block(NamedTuple):
    """Whole lines after reading: ``points``, with lines counted from 0, and the unread lines."""

    points: Points
    left: list[tuple[int, bytes]]
    data: bytes
    size: int

    def leave_all(self) -> Block:
        """Return the block with all lines left to the plain reader."""
        lines = self.data.removesuffix(b"\n").split(b"\n")
        return self._replace(left=list(enumerate(lines)))


def read_json(data: bytes) -> Block:
    """Read whole lines of JSON, as returned by `Source.line_blocks`."""
    if not kernel.compiled:
        return _leave(data)
    block = Octets(data)
    lines = kernel.read_lines(block.data, MARGIN, block.end, _JSON, FIRST + 1, b"")
    good = lines.good & (lines.more[FIRST] >= _REST[0]) & (lines.more[FIRST] <= _REST[1])
    places, sizes = (_pick(column, good) for column in (lines.numbers[FIRST], lines.more[FIRST]))
    return _read_points(data, block, lines, good, _read_rests(block, places, sizes))


def read_csv(data: bytes, columns: Sequence[str]) -> Block:
    """Read whole lines below a header with these columns.

    Lines below a second header are left to the plain reader.
    """
    if not kernel.compiled or not FIRST < len(columns) <= _MOST_COLUMNS:
        return _leave(data)
    block = Octets(data)
    lines = kernel.read_lines(block.data, MARGIN, block.end, *_shape_csv(tuple(columns)), b'"')
    is_break = need_cleaning(block, lines)
    is_break[1:] |= block.holds(lines.starts[1:], HEADER.encode())
    good = lines.good & (np.cumsum(is_break) == 0)
    urls, targets = [b""], np.zeros(np.count_nonzero(good), dtype=np.int64)
    if "url" in columns[FIRST:]:
        places, sizes = (_pick(column[FIRST], good) for column in (lines.numbers, lines.more))
        urls, targets = group_equal(block, places, sizes)
    texts = [*map(decode, urls)]
    return _read_points(data, block, lines, good, (texts, targets))


@cache
def _shape_csv(columns: tuple[str, ...]) -> tuple[bytes, int]:
    """Return the shape of a CSV line, and the number of cells that are kept."""
    has_url = "url" in columns[FIRST:]
    place = columns.index("url", FIRST) if has_url else -1
    kinds = ["t", "t", "d", *("t" if i == place else "-" for i in range(FIRST, len(columns)))]
    cells = ((kind, b"," if i else b"", b",") for i, kind in enumerate(kinds))
    return shape_of(*cells), FIRST + has_url


def _leave(data: bytes) -> Block:
    """Leave all lines to the plain reader."""
    nothing = np.empty(0, dtype=np.int64)
    points = Points([], [], 1.0, nothing, nothing, nothing, nothing, nothing, nothing)
    return Block(points, [], data, data.count(b"\n") + (not data.endswith(b"\n"))).leave_all()


def _pick(column: Array, rows: Array) -> Array:
    """Return the cells of some rows, without a copy if that is every row."""
    return column if rows.all() else column[rows]


def _read_points(
    data: bytes, block: Octets, lines: Lines, good: Array, urls: tuple[list[str], Array]
) -> Block:
    """Read names, times and values of good lines; ``urls`` are the URLs and an index per line."""
    texts, targets = urls
    numbers, more = (
        [_pick(each, good) for each in of[:FIRST]] for of in (lines.numbers, lines.more)
    )
    name, time, value = zip(numbers, more, strict=True)
    names, metrics = _read_names(block, *name)
    times, is_time, step = _read_times(block, *time)
    values, is_value = _read_values(block, *value)
    fits = (metrics >= 0) & (targets >= 0) & is_time & is_value
    columns = np.flatnonzero(good), metrics, targets, times, values.scaled(0), values.scaled(-3)
    points = Points(names, texts, step, *(_pick(column, fits) for column in columns))
    odd = np.ones(len(lines.starts), dtype=bool)
    odd[points.lines] = False
    left = np.flatnonzero(odd).tolist()
    plain = block.texts(lines.starts[left], lines.ends[left])
    points_block = Block(points, list(zip(left, plain, strict=True)), data, len(odd))
    return points_block.leave_all() if _FEW * len(left) > len(odd) else points_block


def _read_names(block: Octets, starts: Array, lengths: Array) -> tuple[list[str], Array]:
    """Return the names of metrics, and each line's index among them (-1 if unreadable)."""
    texts, labels = group_equal(block, starts, lengths)
    names = [text.decode("ascii", errors="ignore") for text in texts]
    for number, (text, name) in enumerate(zip(texts, names, strict=True)):
        is_plain = name.isprintable() and "\\" not in name and len(name) == len(text)
        if not is_plain or not name:
            labels[labels == number] = -1
    return names, labels


def _read_times(block: Octets, starts: Array, lengths: Array) -> tuple[Array, Array, float]:
    """Return times, a mask of the readable ones and their resolution; repeats are read once.

    Integers are read only if they have the most common number of digits.
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
    """Read a point's time; return microseconds since 1970 (UTC) and the resolution in s.

    The time is RFC 3339 with any zone, or an integer whose number of digits shows its unit (s, ms,
    µs, ns).

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


def _read_values(block: Octets, digits: Array, places: Array) -> tuple[Decimals, Array]:
    """Return values and a mask of the readable ones; unusual decimals are read from their text."""
    values, good = Decimals(digits, places), places >= 0
    for row in np.flatnonzero(~good).tolist():
        start, end = int(digits[row]), int(digits[row] - places[row])
        number = read_decimal(block.text(start, end)) if end - start < _NUMBER else None
        good[row] = number is not None
        digits[row], places[row] = number or (0, 0)
    return values, good


def _read_rests(block: Octets, starts: Array, sizes: Array) -> tuple[list[str], Array]:
    """Return URLs, and each line's index among them (-1 if its rest has another shape)."""
    changed = ~block.repeats(starts, sizes)
    numbers: dict[str | None, int] = {None: -1}
    rests = block.texts(starts[changed], (starts + sizes)[changed])
    indices = [numbers.setdefault(_understand(rest), len(numbers) - 1) for rest in rests]
    urls = [url for url in numbers if url is not None]
    return urls, np.array(indices, dtype=np.int64)[carry(changed)]


@lru_cache(maxsize=1 << 16)
def _understand(rest: bytes) -> str | None:
    """Return the URL in the rest of a line, or None if k6 does not write such a rest."""
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
