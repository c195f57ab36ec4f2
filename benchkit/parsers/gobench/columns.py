r"""Result lines, read a block at a time.

A log of many repeats has the same line a hundred thousand times. Here, a result is a line in ASCII
as go test writes it: a name, a tab, the iterations, and then, each after a tab, numbers without
sign or exponent that a blank separates from their units::

    BenchmarkRedis/Ping-2  	    2595	     75329 ns/op	     216 B/op	       6 allocs/op
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, replace

import numpy as np

from benchkit.parsers.gobench.units import REST_INITIALS, Unit, read_unit
from benchkit.parsers.numerals import read_decimals, read_integers
from benchkit.parsers.octets import (
    Array,
    Lines,
    Octets,
    find_lines,
    group_equal,
)

_START = b"Benchmark"
#: Minimum number of consecutive results for a table.
_FEW = 32
#: Bytes of a line that is read in columns; without the bar, which may end a table cell.
_PLAIN = bytes({9, 10, *range(32, 127)} - {ord("|")})
_LONGEST_NAME, _LONGEST_NUMBER, _LONGEST_UNIT = 256, 18, 64
#: Bytes after the start of a number within which its unit has to begin.
_REACH = 24
_INT64_DIGITS = 18
#: One more than the maximum number of decimal places.
_PLACES = 10
_TAB, _BLANK = ord("\t"), ord(" ")
_RESTS = np.array(sorted(map(ord, REST_INITIALS)), dtype=np.uint8)


@dataclass(frozen=True, slots=True)
class Table:
    """A table of consecutive results.

    Parameters
    ----------
    names : list of str
        The distinct names of its block, without ``Benchmark``.
    units : list of Unit
        The distinct units; ``written`` has each as it is in the source.
    written : list of str
    codes, counts : ndarray of int64, shape (results,)
        The index of its name, and its iterations.
    sizes : ndarray of int64, shape (results,)
        The number of its measures.
    shapes : ndarray of int64, shape (measures,)
        The index of its unit times ten, plus the number of decimal places.
    values : ndarray of float64, shape (measures,)
        In base units.
    first : int
        The line of the first result.
    """

    names: list[str]
    units: list[Unit]
    written: list[str]
    codes: Array
    counts: Array
    sizes: Array
    shapes: Array
    values: Array
    first: int = 0

    def cut(self, start: int, end: int, number: int) -> Table:
        """Return consecutive results, the first on line ``number``, in smaller types."""
        first, last = self.sizes[:start].sum(), self.sizes[:end].sum()
        return replace(
            self,
            codes=self.codes[start:end].astype(np.int32),
            counts=self.counts[start:end],
            sizes=self.sizes[start:end].astype(np.int32),
            shapes=self.shapes[first:last].astype(np.int32),
            values=self.values[first:last],
            first=number,
        )

    def list_names(self) -> list[str]:
        """Return the names of the table's results."""
        return [self.names[place] for place in np.flatnonzero(np.bincount(self.codes)).tolist()]

    @property
    def lines(self) -> Array:
        """Return the line of each result."""
        return np.arange(self.first, self.first + len(self.codes))

    @property
    def owners(self) -> Array:
        """Return the result of each measure."""
        return np.repeat(np.arange(len(self.sizes)), self.sizes)

    @property
    def kinds(self) -> Array:
        """Return the index of each measure's unit."""
        return self.shapes // _PLACES

    @property
    def steps(self) -> Array:
        """Return the rounding step of each measure, in its base unit."""
        steps = [unit.step(places) for unit in self.units for places in range(_PLACES)]
        return np.array(steps).take(self.shapes)

    def layouts(self) -> set[tuple[str, ...]]:
        """Return the distinct sequences of units on a line."""
        starts = np.cumsum(self.sizes) - self.sizes
        places = np.arange(len(self.shapes)) - np.repeat(starts, self.sizes)
        keys = np.add.reduceat((self.kinds + 1) * _mix(places), starts)
        _, rows = np.unique(keys, return_index=True)
        ends = starts + self.sizes
        return {
            tuple(self.written[kind] for kind in self.kinds[starts[row] : ends[row]].tolist())
            for row in rows.tolist()
        }


def part(number: int, data: bytes) -> Iterator[Table | tuple[int, bytes]]:
    """Split lines into tables and the lines between, each with the number of its first line.

    Parameters
    ----------
    number : int
        The number of the first line.
    data : bytes
        A block of `Source.line_blocks`.
    """
    if data.count(b"\n" + _START) < _FEW:
        yield number, data
        return
    block = Octets(data)
    lines = find_lines(block)
    good, table = _read(block, lines)
    edges = np.flatnonzero(np.diff(good, prepend=False, append=False))
    place = 0  # the first line not yet yielded
    ordinal = np.concatenate(([0], np.cumsum(good)))
    for start, end in edges.reshape(-1, 2).tolist():
        if end - start < _FEW:
            continue
        if start > place:
            yield number + place, block.text(int(lines.starts[place]), int(lines.starts[start]))
        yield table.cut(int(ordinal[start]), int(ordinal[end]), number + start)
        place = end
    if place < len(good):
        yield number + place, block.text(int(lines.starts[place]), block.end)


def _read(block: Octets, lines: Lines) -> tuple[Array, Table]:
    """Return which lines are results in columns, and a table of those results."""
    tabs = block.find_all(_TAB)
    firsts = np.searchsorted(tabs, lines.starts)
    lasts = np.append(firsts[1:], len(tabs))
    good = _may_be_read(block, lines) & (lasts - firsts >= 2)
    rows = np.flatnonzero(good)
    valid, starts, sizes = _find_names(block, lines.starts[rows], tabs[firsts[rows]])
    good[rows] = valid
    rows, starts, sizes = rows[valid], starts[valid], sizes[valid]
    first, end = block.skip(tabs[firsts[rows]] + 1, _BLANK), tabs[firsts[rows] + 1]
    counts, valid = read_integers(block, first, end - first)
    valid &= end - first <= _INT64_DIGITS
    good[rows] = valid
    rows, starts, sizes, counts = rows[valid], starts[valid], sizes[valid], counts[valid]
    held = lasts[rows] - firsts[rows] - 1
    owners = np.repeat(np.arange(len(rows)), held)
    fields = np.arange(len(owners)) + np.repeat(firsts[rows] + 1 - (np.cumsum(held) - held), held)
    ends = np.minimum(np.append(tabs, block.end)[fields + 1], lines.ends[rows][owners])
    valid, measures = _read_measures(block, block.skip(tabs[fields] + 1, _BLANK), ends)
    names, codes = group_equal(block, starts, sizes)
    units, written, shapes, values = measures
    if not valid.all():
        kept = np.bincount(owners[~valid], minlength=len(rows)) == 0
        good[rows] = kept
        codes, counts, held = codes[kept], counts[kept], held[kept]
        shapes, values = shapes[kept[owners]], values[kept[owners]]
    labels = b"\n".join(names).decode().split("\n") if names else []
    return good, Table(labels, units, written, codes, counts, held, shapes, values)


def _may_be_read(block: Octets, lines: Lines) -> Array:
    """Return which lines begin like results, have a newline and are plain ASCII.

    A line may continue on the next one, which then begins like the rest of a unit.
    """
    is_result = block.holds(lines.starts, _START)
    good = is_result & (lines.ends < block.end)
    initials = block.bytes[lines.starts[1:]]
    good[:-1] &= is_result[1:] | ~np.isin(initials, _RESTS)
    if block.text(int(lines.starts[0]), block.end).translate(None, _PLAIN):
        is_odd = np.ones(256, dtype=bool)
        is_odd[list(_PLAIN)] = False
        odd = int(lines.starts[0]) + np.flatnonzero(
            is_odd[block.bytes[lines.starts[0] : block.end]]
        )
        good[np.searchsorted(lines.ends, odd)] = False
    return good


def _find_names(block: Octets, starts: Array, tabs: Array) -> tuple[Array, Array, Array]:
    """Find names, which end at the first tab or at the blanks before it."""
    starts = starts + len(_START)
    ends = np.minimum(starts + block.find_first(starts, _BLANK, _LONGEST_NAME), tabs)
    initials = block.bytes[starts]
    good = (initials < ord("a")) | (initials > ord("z"))
    good &= (ends > starts) & (block.skip(ends, _BLANK) == tabs)
    return good, starts, ends - starts


def _read_measures(
    block: Octets, starts: Array, ends: Array
) -> tuple[Array, tuple[list[Unit], list[str], Array, Array]]:
    """Read numbers, and the units after a blank."""
    parting = starts + block.find_first(starts, _BLANK, _REACH)
    good = (parting > starts) & (parting - starts <= _LONGEST_NUMBER)
    good &= (ends - parting > 1) & (ends - parting - 1 <= _LONGEST_UNIT)
    numbers, valid = read_decimals(block, starts, np.where(good, parting - starts, 0))
    good &= valid
    texts, kinds = group_equal(block, parting + 1, np.where(good, ends - parting - 1, 0))
    written = [text.decode() for text in texts]
    by_text = [None if " " in text or "`" in text else read_unit(text) for text in written]
    known = np.array([unit is not None for unit in by_text], dtype=bool)
    units = [unit or _NONE for unit in by_text]
    factors = np.array([unit.factor for unit in units])
    good &= known[kinds]
    with np.errstate(over="ignore"):
        values = numbers.scaled(0) * factors[kinds]
    good &= np.isfinite(values)
    return good, (units, written, _PLACES * kinds + numbers.places, values)


_NONE = Unit("", "", 1.0, 0)


def _mix(places: Array) -> Array:
    """Return a factor for each position on a line, so that sums distinguish orders."""
    factors: Array = (2 * places + 1).astype(np.int64) * 0x9E3779B97F4A7
    return factors
