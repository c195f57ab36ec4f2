"""The values of a range, read a series at a time.

A day at one value per second takes tens of megabytes, nearly all of them pairs of one shape::

    "values":[[1795224103.302,"467.677489547"],[1795224104,"NaN"],…]

Times have ten digits and optionally a fraction of up to three; values have only characters of a
float. A series with any other pair is left to the plain decoder as a whole.
"""

from __future__ import annotations

import math
from collections.abc import Iterator, Sequence
from functools import reduce
from typing import NamedTuple

import numpy as np

from benchkit.parsers.documents import Part
from benchkit.parsers.numerals import read_digits, read_integers
from benchkit.parsers.octets import MARGIN, Array, Octets
from benchkit.parsers.prometheus.model import Columns, Series

_NAME, _OPEN, _CLOSE = b'"values":', b'"values":[[', b'"]]'
#: Bytes of pairs that are read at once.
_BATCH = 1 << 20
#: Minimum number of bytes of pairs for reading in columns.
_FEW = 1 << 10
_ALLOWED = b'0123456789.+-eE[],"NaInf'
_WHOLE, _MOST_TIME = 10, 14


class _Span(NamedTuple):
    """The indices of a series' pairs without the outer brackets, and their line."""

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
    at = data.find(_OPEN)
    while at >= 0:
        start, following = at + len(_OPEN) - 1, data.find(_OPEN, at + 1)
        end = data.find(_CLOSE, start, following if following >= 0 else len(data)) + 2
        if end - start > _FEW:
            line, counted = line + data.count(b"\n", counted, start), start
            yield _Span(start, end, line)
        at = following


def _read(data: bytes, spans: Sequence[_Span]) -> Iterator[Part]:
    """Read the pairs of some series at once, or one by one if any has another shape."""
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
        lines = np.full(int(np.count_nonzero(finite)), span.line)
        known = Columns(times[first:last][finite], values[first:last][finite], lines)
        series = Series({}, strange=len(finite) - len(lines), known=known)
        yield Part(span.start - 1, span.end + 1, series)
        first = last


def _read_pairs(text: bytes) -> tuple[Array, Array] | None:
    """Return times in µs and values of ``[T,"V"],[T,"V"]``, or None for anything else."""
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
    """Return times in µs, rounded like floats of them; None if one has another shape."""
    sizes = ends - starts
    broken = sizes > _WHOLE
    places = np.where(broken, sizes - _WHOLE - 1, 0)
    good = (sizes >= _WHOLE) & (sizes <= _MOST_TIME) & (block.bytes[starts] != ord("0"))
    good &= ~broken | ((block.bytes[starts + _WHOLE] == ord(".")) & (places > 0))
    seconds, valid = read_integers(block, starts, np.full(len(starts), _WHOLE))
    good &= valid
    part, valid = read_digits(block.word(ends - 8), np.clip(places, 0, 3))
    if not (good & valid).all():
        return None
    if not broken.any():
        return seconds * 1_000_000
    exact = (seconds * 1000 + part * 10 ** (3 - places)) / 1000.0  # as float() reads the text
    rounded: Array = np.where(broken, np.rint(exact * 1e6).astype(np.int64), seconds * 1_000_000)
    return rounded


def _read_floats(text: bytes, starts: Array, ends: Array) -> Array | None:
    """Return the numbers in a text, exact to the last bit; None if one is not a number."""
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


def add_up_series(parts: Sequence[Columns]) -> tuple[Columns, int]:
    """Sum a container's parts at the times that all have; count the times that only some have."""
    if len(parts) == 1:
        return parts[0], 0
    latest = [_keep_last(part) for part in parts]
    times, left_out = latest[0].times, 0
    if not all(np.array_equal(part.times, times) for part in latest[1:]):
        clocks = [part.times for part in latest]
        times = reduce(np.intersect1d, clocks)
        left_out = len(np.unique(np.concatenate(clocks))) - len(times)
        rows = [np.searchsorted(each, times) for each in clocks]
        latest = [Columns(*(c[row] for c in p)) for p, row in zip(latest, rows, strict=True)]
    cells = zip(*(part.values.tolist() for part in latest), strict=True)
    values = np.fromiter(map(math.fsum, cells), np.float64, len(times))
    return Columns(times, values, latest[-1].lines), left_out


def _keep_last(columns: Columns) -> Columns:
    """Sort values by time; for equal times, keep the last."""
    if (np.diff(columns.times) > 0).all():
        return columns
    times, places = np.unique(columns.times[::-1], return_index=True)
    return Columns(times, columns.values[::-1][places], columns.lines[::-1][places])


def join_lives(lives: Sequence[Columns], *, is_counter: bool) -> Columns:
    """Return values of the newest id at each time, or the sum of counters.

    A counter grows by the growth of each of several counters, starting at the first value of the
    first id. One that falls was reset and counts from 0; its count before its first observation is
    not added.

    Examples
    --------
    >>> old, new = (Columns(np.array(t), np.array(v), np.array(t)) for t, v in (
    ...     ([0, 1, 2], [100.0, 101.0, 101.0]), ([1, 2], [7.0, 9.0])
    ... ))
    >>> join_lives([new, old], is_counter=True).values.tolist()
    [100.0, 101.0, 103.0]
    >>> join_lives([new, old], is_counter=False).values.tolist()
    [100.0, 7.0, 9.0]
    """
    if len(lives) == 1:
        return lives[0]
    ordered = (np.argsort(life.times, kind="stable") for life in lives)
    known = [Columns(*(c[o] for c in life)) for life, o in zip(lives, ordered, strict=True)]
    known = sorted((life for life in known if len(life.times)), key=lambda life: int(life.times[0]))
    if not known:
        return lives[0]
    together = Columns(*map(np.concatenate, zip(*known, strict=True)))
    newest = _keep_last(together)
    if not is_counter:
        return newest
    steps = []
    for life in known:
        grown = np.diff(life.values, prepend=life.values[0])
        steps.append(np.where(grown < 0, life.values, grown))
    grown = np.bincount(np.searchsorted(newest.times, together.times), np.concatenate(steps))
    totals = np.cumsum(np.concatenate(([known[0].values[0]], grown)))
    return newest._replace(values=totals[1:])
