"""The values of a range, a series at once.

A day at one value a second is tens of megabytes, nearly all of them pairs of one shape::

    "values":[[1795224103.302,"467.677489547"],[1795224104,"NaN"],…]

Times are of ten digits and perhaps a fraction of up to three; values of what a float is written
with. Pairs of which one is not so are left to the plain decoder, all of them.
"""

from __future__ import annotations

import math
from collections.abc import Iterator, Sequence
from typing import NamedTuple

import numpy as np

from benchkit.parsers.documents import Part
from benchkit.parsers.numerals import read_digits, read_integers
from benchkit.parsers.octets import MARGIN, Array, Octets
from benchkit.parsers.prometheus.model import Columns, Series

_NAME, _OPEN, _CLOSE = b'"values":', b'"values":[[', b'"]]'
#: Bytes of pairs that are read at once.
_BATCH = 1 << 20
#: Bytes of pairs that are too few for it.
_FEW = 1 << 10
_ALLOWED = b'0123456789.+-eE[],"NaInf'
_WHOLE, _MOST_TIME = 10, 14


class _Span(NamedTuple):
    """Where the pairs of a series stand, without the brackets around all, and in which line."""

    start: int
    end: int
    line: int


def find_values(data: bytes) -> Iterator[Part]:
    """Yield the values of series that can be read in columns."""
    batch: list[_Span] = []
    for span in _find_spans(data):
        batch.append(span)
        if span.end - batch[0].start >= _BATCH:
            yield from _read(data, batch)
            batch = []
    yield from _read(data, batch)


def _find_spans(data: bytes) -> Iterator[_Span]:
    line, counted = 1, 0
    found = data.find(_OPEN)
    while found >= 0:
        start, following = found + len(_OPEN) - 1, data.find(_OPEN, found + 1)
        end = data.find(_CLOSE, start, following if following >= 0 else len(data)) + 2
        if end - start > _FEW:
            line, counted = line + data.count(b"\n", counted, start), start
            yield _Span(start, end, line)
        found = following


def _read(data: bytes, spans: Sequence[_Span]) -> Iterator[Part]:
    """Read the pairs of some series at once; one by one if any of them is of another shape."""
    if not spans:
        return
    read = _read_pairs(b",".join(data[span.start : span.end] for span in spans))
    if read is None:
        for span in spans if len(spans) > 1 else ():
            yield from _read(data, [span])
        return
    times, values = read
    first = 0
    for span in spans:
        last = first + data.count(b",", span.start, span.end) // 2 + 1
        finite = np.isfinite(values[first:last])
        columns = Columns(
            times[first:last][finite],
            values[first:last][finite],
            int(np.count_nonzero(~finite)),
            span.line,
        )
        yield Part(span.start - 1, span.end + 1, columns)
        first = last


def _read_pairs(text: bytes) -> tuple[Array, Array] | None:
    """Return times in µs and values of ``[T,"V"],[T,"V"]``, or None if there is anything else."""
    if text.translate(None, _ALLOWED):
        return None
    block = Octets(text)
    commas = block.find_all(ord(","))
    inner, between = commas[::2], commas[1::2]
    if len(inner) != len(between) + 1 or not text.startswith(b"[") or not text.endswith(b'"]'):
        return None
    if not block.holds(between - 2, b'"],[').all() or (block.bytes[inner + 1] != ord('"')).any():
        return None
    times = _read_times(block, np.concatenate(([MARGIN + 1], between + 2)), inner)
    if times is None:
        return None
    starts, ends = inner + (2 - MARGIN), np.append(between - 2, block.end - 2) - MARGIN
    if (starts > ends).any():  # a single quote cannot open and close
        return None
    values = _read_floats(text, starts, ends)
    return None if values is None else (times, values)


def _read_times(block: Octets, starts: Array, ends: Array) -> Array | None:
    """Return times in µs, rounded as a float of them is; None if one is of another shape."""
    sizes = ends - starts
    broken = sizes > _WHOLE
    places = np.where(broken, sizes - _WHOLE - 1, 0)
    good = (sizes >= _WHOLE) & (sizes <= _MOST_TIME) & (block.bytes[starts] != ord("0"))
    good &= ~broken | ((block.bytes[starts + _WHOLE] == ord(".")) & (places > 0))
    seconds, told = read_integers(block, starts, np.full(len(starts), _WHOLE))
    good &= told
    part, told = read_digits(block.word(ends - 8), np.clip(places, 0, 3))
    if not (good & told).all():
        return None
    if not broken.any():
        return seconds * 1_000_000
    exact = (seconds * 1000 + part * 10 ** (3 - places)) / 1000.0  # as float() reads the text
    rounded: Array = np.where(broken, np.rint(exact * 1e6).astype(np.int64), seconds * 1_000_000)
    return rounded


def _read_floats(text: bytes, starts: Array, ends: Array) -> Array | None:
    """Return the numbers that stand in a text, to the last bit; None if one is no number."""
    import pyarrow as pa
    import pyarrow.compute as pc

    places = np.empty(2 * len(starts), dtype=np.int32)
    places[::2], places[1::2] = starts, ends
    every_other = np.full(len(starts) // 4 + 1, 0b0101_0101, dtype=np.uint8)
    cells = pa.StringArray.from_buffers(
        len(places) - 1, pa.py_buffer(places), pa.py_buffer(text), pa.py_buffer(every_other)
    )
    try:
        numbers = pc.cast(cells, pa.float64())
    except pa.ArrowInvalid:
        return None
    values: Array = np.frombuffer(numbers.buffers()[1], np.float64, len(places) - 1)[::2]
    return values


def add_columns(parts: Sequence[Series]) -> Columns | None:
    """Return the values of one container, its parts summed; None unless all tell the same times."""
    columns = [part.columns for part in parts if part.columns is not None]
    if len(columns) < len(parts):
        return None
    if len(columns) == 1:
        return columns[0]
    times = columns[0].times
    is_in_order = bool((np.diff(times) > 0).all())
    if not is_in_order or not all(np.array_equal(each.times, times) for each in columns[1:]):
        return None
    cells = zip(*(each.values.tolist() for each in columns), strict=True)
    values = np.fromiter(map(math.fsum, cells), np.float64, len(times))
    return Columns(times, values, 0, columns[-1].line)


def join_columns(lives: Sequence[Columns], *, is_counter: bool) -> Columns | None:
    """Return what `lives` yields of counters, or of looks; None if it stands in several lines.

    Examples
    --------
    >>> old, new = Columns(np.array([0, 1]), np.array([5.0, 6.0]), 0, 1), Columns(
    ...     np.array([1, 2]), np.array([7.0, 9.0]), 0, 1
    ... )
    >>> join_columns([new, old], is_counter=True).values.tolist()
    [5.0, 6.0, 8.0]
    """
    if len({each.line for each in lives}) > 1:
        return None
    known = []
    for each in lives:
        order = np.argsort(each.times, kind="stable")
        if len(order):
            known.append((each.times[order], each.values[order]))
    known.sort(key=lambda life: int(life[0][0]))
    if not known:
        return lives[0]
    told, seen = (np.concatenate(column) for column in zip(*known, strict=True))
    if not is_counter:
        times, newest = np.unique(told[::-1], return_index=True)
        return Columns(times, seen[::-1][newest], 0, lives[0].line)
    steps = []
    for _, values in known:
        grown = np.diff(values, prepend=values[0])
        steps.append(np.where(grown < 0, values, grown))
    times, places = np.unique(told, return_inverse=True)
    grown = np.bincount(places, weights=np.concatenate(steps))
    totals = np.cumsum(np.concatenate(([known[0][1][0]], grown)))
    return Columns(times, totals[1:], 0, lives[0].line)
