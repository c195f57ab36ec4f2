"""What is asked of many cells of a block at once, compiled where it could be.

One pass over a block in place of many; it is compiled when benchkit is installed, if a C compiler
is at hand. Without it Python looks at cell after cell, and nothing but time is lost.
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
except ImportError:  # no compiler, or one that failed
    compiled: ModuleType | None = None
else:
    compiled = _kernel


def keep_memory() -> None:
    """Let what the blocks of a large source need be kept between them, up to 64 MiB."""
    if compiled:
        _kernel.keep_memory()


def find_all(data: bytes, byte: int) -> Array:
    """Return the places of a byte, shape (k,)."""
    if not compiled:
        return np.flatnonzero(np.frombuffer(data, np.uint8) == byte)
    places = np.empty(_kernel.count(data, byte), dtype=np.int64)
    _kernel.find_all(data, byte, places)
    return places


def find_first(data: bytes, starts: Array, byte: int, limit: int) -> Array:
    """Return how far behind each start a byte comes first, or ``limit``."""
    lengths = np.empty(len(starts), dtype=np.int64)
    if compiled:
        _kernel.find_first(data, _places(starts), byte, limit, lengths)
    else:
        lengths[:] = [data.find(byte, start, start + limit) for start in starts.tolist()]
        lengths = np.where(lengths < 0, limit, lengths - starts)
    return lengths


class Lines(NamedTuple):
    """Lines of a shape: where each begins and ends, its cells by column, and which are of it.

    ``numbers`` and ``more`` are of shape (cells that are kept, k); of a line that is not ``good``
    they hold anything.
    """

    starts: Array
    ends: Array
    numbers: Array
    more: Array
    good: Array


def shape_of(*cells: tuple[str, bytes, bytes]) -> bytes:
    """Write the shape of a line as the kernel reads it: of each cell kind, text before it, end.

    Kinds are ``i`` a number and how many digits it has, ``d`` digits and places of a decimal, or
    place and minus the size where it is none, ``t`` place and size of a text, ``-`` nothing.
    """
    return b"".join(kind.encode() + end + bytes([len(text)]) + text for kind, text, end in cells)


def read_lines(
    data: bytes, first: int, end: int, shape: bytes, kept: int, marks: bytes = b"\r\x1b"
) -> Lines:
    """Read the lines between two places; one with a rare byte, one of ``marks``, is not good."""
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
    """Tell where ``text`` stands: bool, shape (k,)."""
    good = np.empty(len(starts), dtype=bool)
    if compiled:
        _kernel.holds(data, _places(starts), text, good)
    else:
        good[:] = [data.startswith(text, start) for start in starts.tolist()]
    return good


def repeats(data: bytes, starts: Array, sizes: Array) -> Array:
    """Tell which cells hold the text of the cell before: bool, shape (k,)."""
    good = np.zeros(len(starts), dtype=bool)
    if compiled:
        _kernel.repeats(data, _places(starts), _places(sizes), good)
    else:
        good[1:] = [one == other for one, other in pairwise(_cells(data, starts, sizes))]
    return good


def tell_apart(data: bytes, starts: Array, sizes: Array) -> tuple[Array, Array]:
    """Tell texts apart; return each cell's number, and the first row of each number."""
    labels = np.empty(len(starts), dtype=np.int64)
    if compiled:
        firsts = _kernel.tell_apart(data, _places(starts), _places(sizes), labels)
        return labels, np.frombuffer(firsts, dtype=np.int64)
    numbers: dict[bytes, int] = {}
    labels[:] = [numbers.setdefault(c, len(numbers)) for c in _cells(data, starts, sizes)]
    return labels, np.unique(labels, return_index=True)[1]


def read_integers(data: bytes, starts: Array, lengths: Array) -> tuple[Array, Array]:
    """Read integers; cells that are none are 0 and not good."""
    numbers, good = np.empty(len(starts), dtype=np.int64), np.empty(len(starts), dtype=bool)
    _kernel.read_integers(data, _places(starts), _places(lengths), numbers, good)
    return numbers, good


def read_decimals(data: bytes, starts: Array, lengths: Array) -> tuple[Array, Array, Array]:
    """Read decimals as digits and places; cells that are none are 0 and not good."""
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
    """Find up to ``most`` messages of gob that follow each other, and begin with ``prefix``.

    Returns
    -------
    tuple of int64, shape (k,)
        Where each goes on behind the prefix, and where it ends.
    """
    places, ends = np.empty(most, dtype=np.int64), np.empty(most, dtype=np.int64)
    count = _kernel.find_messages(data, place, end, prefix, places, ends)
    return places[:count], ends[:count]


def read_structs(
    data: bytes, places: Array, ends: Array, shapes: str, most: int
) -> tuple[Array, Array, Array]:
    """Read values of one struct of gob, of at most ``most`` elements in a map or list.

    Parameters
    ----------
    shapes : str
        A letter for each field: ``n`` a number, ``h`` headers, which are passed over, ``b`` a blob.

    Returns
    -------
    tuple of (uint64, int64), each of shape (fields, k), and bool, shape (k,)
        Numbers and 1, or where blobs begin and their sizes; 0 where there is none. Which values
        were read to their ends.
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
    """Return an array as the kernel reads it."""
    return np.ascontiguousarray(array, dtype=np.int64)
