"""Operations on many cells of a block at once, compiled if possible.

One pass over a block replaces many. The kernel is compiled when benchkit is installed, if a C
compiler is available. Without it, Python processes one cell after the other, which only takes
longer.
"""

from __future__ import annotations

from itertools import pairwise
from typing import TYPE_CHECKING, NamedTuple

import numpy as np

from benchkit.regexes import regex

if TYPE_CHECKING:
    from types import ModuleType

Array = np.ndarray
_DECIMAL = regex(rb"(0|[1-9]\d{0,7})(?:\.(\d{1,8}))?")

try:
    from benchkit.parsers import _kernel
except ImportError:  # no compiler, or its run failed
    compiled: ModuleType | None = None
else:
    compiled = _kernel


def keep_memory() -> None:
    """Keep the memory for blocks of a large source between blocks, up to 64 MiB."""
    if compiled:
        _kernel.keep_memory()


def find_all(data: bytes, byte: int) -> Array:
    """Return the indices of a byte, shape (k,)."""
    if not compiled:
        return np.flatnonzero(np.frombuffer(data, np.uint8) == byte)
    places = np.empty(_kernel.count(data, byte), dtype=np.int64)
    _kernel.find_all(data, byte, places)
    return places


def find_first(data: bytes, starts: Array, byte: int, limit: int) -> Array:
    """Return the distance from each start to the next such byte, or ``limit``."""
    lengths = np.empty(len(starts), dtype=np.int64)
    if compiled:
        _kernel.find_first(data, _places(starts), byte, limit, lengths)
    else:
        lengths[:] = [data.find(byte, start, start + limit) for start in starts.tolist()]
        lengths = np.where(lengths < 0, limit, lengths - starts)
    return lengths


class Lines(NamedTuple):
    """Lines with a shape: where each begins and ends, its cells by column, and which ones match.

    ``numbers`` and ``more`` have the shape (kept cells, k); for a line that is not ``good``, their
    content is undefined.
    """

    starts: Array
    ends: Array
    numbers: Array
    more: Array
    good: Array


def shape_of(*cells: tuple[str, bytes, bytes]) -> bytes:
    """Encode a line's shape for the kernel, from each cell's kind, the text before it and its end.

    Kinds are ``i`` (a number and its count of digits), ``d`` (digits and places of a decimal, or
    index and negated size if it is not one), ``t`` (index and size of a text), and ``-`` (not
    kept).
    """
    return b"".join(kind.encode() + end + bytes([len(text)]) + text for kind, text, end in cells)


def read_lines(
    data: bytes, first: int, end: int, shape: bytes, kept: int, marks: bytes = b"\r\x1b"
) -> Lines:
    """Read the lines between two indices; one that contains a byte of ``marks`` is not good."""
    most = _kernel.count(data, ord("\n")) + 1
    starts, ends = np.empty(most, dtype=np.int64), np.empty(most, dtype=np.int64)
    numbers, more = (np.empty((kept, most), dtype=np.int64) for _ in range(2))
    good = np.empty(most, dtype=bool)
    size = _kernel.read_lines(data, first, end, shape, starts, ends, numbers, more, good)
    lines = Lines(starts[:size], ends[:size], numbers[:, :size], more[:, :size], good[:size])
    for mark in marks:
        if data.find(mark, first, end) >= 0:
            places = find_all(data, mark)
            places = places[(places >= first) & (places < end)]
            lines.good[np.searchsorted(lines.ends, places)] = False
    return lines


def holds(data: bytes, starts: Array, text: bytes) -> Array:
    """Return at which starts ``text`` occurs: bool, shape (k,)."""
    good = np.empty(len(starts), dtype=bool)
    if compiled:
        _kernel.holds(data, _places(starts), text, good)
    else:
        good[:] = [data.startswith(text, start) for start in starts.tolist()]
    return good


def repeats(data: bytes, starts: Array, sizes: Array) -> Array:
    """Return which cells repeat the text of the previous cell: bool, shape (k,)."""
    good = np.zeros(len(starts), dtype=bool)
    if compiled:
        _kernel.repeats(data, _places(starts), _places(sizes), good)
    else:
        good[1:] = [one == other for one, other in pairwise(_cells(data, starts, sizes))]
    return good


def group_equal(data: bytes, starts: Array, sizes: Array) -> tuple[Array, Array]:
    """Encode texts as codes; return each cell's code, and the first row of each code."""
    labels = np.empty(len(starts), dtype=np.int64)
    if compiled:
        firsts = _kernel.group_equal(data, _places(starts), _places(sizes), labels)
        return labels, np.frombuffer(firsts, dtype=np.int64)
    numbers: dict[bytes, int] = {}
    labels[:] = [numbers.setdefault(c, len(numbers)) for c in _cells(data, starts, sizes)]
    return labels, np.unique(labels, return_index=True)[1]


def read_integers(data: bytes, starts: Array, lengths: Array) -> tuple[Array, Array]:
    """Read integers; other cells are 0 and not good."""
    numbers, good = np.empty(len(starts), dtype=np.int64), np.empty(len(starts), dtype=bool)
    _kernel.read_integers(data, _places(starts), _places(lengths), numbers, good)
    return numbers, good


def read_decimals(data: bytes, starts: Array, lengths: Array) -> tuple[Array, Array, Array]:
    """Read decimals as digits and places; other cells are 0 and not good."""
    digits, places = (np.zeros(len(starts), dtype=np.int64) for _ in range(2))
    good = np.zeros(len(starts), dtype=bool)
    if compiled:
        _kernel.read_decimals(data, _places(starts), _places(lengths), digits, places, good)
        return digits, places, good
    for row, match in enumerate(map(_DECIMAL.fullmatch, _cells(data, starts, lengths))):
        whole, part = match.groups(b"") if match else (b"", b"")
        if match and int(whole + part) < 1 << 53:
            digits[row], places[row], good[row] = int(whole + part), len(part), True
    return digits, places, good


def find_messages(
    data: bytes, place: int, end: int, prefix: bytes, most: int
) -> tuple[Array, Array]:
    """Find up to ``most`` consecutive gob messages that begin with ``prefix``.

    Returns
    -------
    tuple of int64, shape (k,)
        The indices after the prefix, and the ends.
    """
    places, ends = np.empty(most, dtype=np.int64), np.empty(most, dtype=np.int64)
    count = _kernel.find_messages(data, place, end, prefix, places, ends)
    return places[:count], ends[:count]


def read_structs(
    data: bytes, places: Array, ends: Array, shapes: str, most: int
) -> tuple[Array, Array, Array]:
    """Read values of one gob struct, with at most ``most`` elements in a map or list.

    Parameters
    ----------
    shapes : str
        A letter per field: ``n`` for a number, ``h`` for headers, which are skipped, ``b`` for a
        blob.

    Returns
    -------
    tuple of (uint64, int64), each of shape (fields, k), and bool, shape (k,)
        Numbers and 1, or indices and sizes of blobs, or 0 without a value; and a mask of the values
        that were read to their end.
    """
    numbers = np.zeros((len(shapes), len(places)), dtype=np.uint64)
    more = np.zeros((len(shapes), len(places)), dtype=np.int64)
    good = np.empty(len(places), dtype=bool)
    _kernel.read_structs(data, _places(places), _places(ends), shapes, most, numbers, more, good)
    return numbers, more, good


def _cells(data: bytes, starts: Array, sizes: Array) -> list[bytes]:
    """Return the texts of cells."""
    spans = zip(starts.tolist(), (starts + sizes).tolist(), strict=True)
    return [data[start:end] for start, end in spans]


def _places(array: Array) -> Array:
    """Return an array in the kernel's type."""
    return np.ascontiguousarray(array, dtype=np.int64)
