"""Whole columns of text, processed eight bytes at a time from any index of a block.

A bulk reader creates no Python object per row; a line that is not in the simplest form is marked
for the plain reader.

Words are little-endian: the first byte of a text is the lowest byte of its word.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from benchkit.parsers import kernel

Array = np.ndarray

#: Number of zero bytes around a block, so that bytes before or after a cell can be read.
MARGIN = 64
_AFTER = 1024
HIGHS = np.uint64(0x8080_8080_8080_8080)
ONES = np.uint64(0x0101_0101_0101_0101)
#: Masks of the last k bytes of a word.
LAST = ~np.array([(1 << 8 * k) - 1 for k in range(8, -1, -1)], dtype=np.uint64)


class Octets:
    """A block of bytes between margins of zeros.

    Parameters
    ----------
    data : bytes
        The block; indices count from `MARGIN`, its beginning, to ``end``.
    """

    def __init__(self, data: bytes) -> None:
        self.data = b"".join((bytes(MARGIN), data, bytes(_AFTER)))
        self.bytes = np.frombuffer(self.data, np.uint8)
        self.end = MARGIN + len(data)

    def find_all(self, byte: int) -> Array:
        """Return the indices of a byte, shape (k,)."""
        return kernel.find_all(self.data, byte)

    def find_first(self, starts: Array, byte: int, limit: int) -> Array:
        """Return the distance from each start to the next such byte, at most ``limit`` (8 * n)."""
        return kernel.find_first(self.data, starts, byte, limit)

    def take(self, places: Array, width: int = 8) -> Array:
        """Return the words that begin at ``places``: uint64, shape (k, width / 8)."""
        size = len(self.data) - width + 1
        cells: Array = np.ndarray((size,), f"V{width}", self.data, strides=(1,))
        words: Array = cells[places].view("<u8").reshape(-1, width // 8)
        return words

    def word(self, places: Array) -> Array:
        """Return the word that begins at each index: uint64, shape (k,)."""
        return self.take(places)[:, 0]

    def holds(self, places: Array, text: bytes) -> Array:
        """Return at which places ``text`` occurs: bool, shape (k,)."""
        return kernel.holds(self.data, places, text)

    def skip(self, starts: Array, byte: int) -> Array:
        """Return the first index of another byte from each start on: int64, shape (k,)."""
        places, left = starts.astype(np.int64), np.arange(len(starts))
        while len(left):
            words = self.word(places[left]) ^ (ONES * np.uint64(byte))
            below = (words & -words) - np.uint64(1)  # the bits below the first difference
            counts = (((below & HIGHS) >> np.uint64(7)) * ONES >> np.uint64(56)).astype(np.int64)
            places[left] += counts
            left = left[counts == 8]
        return places

    def repeats(self, starts: Array, sizes: Array) -> Array:
        """Return which cells repeat the text of the previous cell: bool, shape (k,)."""
        return kernel.repeats(self.data, starts, sizes)

    def text(self, start: int, end: int) -> bytes:
        """Return the bytes between two indices."""
        return self.data[start:end]

    def texts(self, starts: Array, ends: Array) -> list[bytes]:
        """Return the bytes between each pair of indices."""
        data = self.data
        spans = zip(starts.tolist(), ends.tolist(), strict=True)
        return [data[start:end] for start, end in spans]


class Lines(NamedTuple):
    """The lines of a block: the indices of their beginnings and newlines."""

    starts: Array
    ends: Array


def find_lines(block: Octets) -> Lines:
    """Find the lines of a block; the last one may have no newline."""
    ends = block.find_all(ord("\n"))
    if not block.data.endswith(b"\n", 0, block.end):
        ends = np.append(ends, block.end)
    return Lines(np.concatenate(([MARGIN], ends[:-1] + 1)), ends)


def need_cleaning(block: Octets, lines: Lines | kernel.Lines, marks: bytes = b"\r\x1b") -> Array:
    """Return which lines contain rare bytes: by default, those that `Source` removes."""
    is_rare = np.zeros(len(lines.starts), dtype=bool)
    for byte in marks:
        if bytes([byte]) in block.data:
            is_rare[np.searchsorted(lines.ends, block.find_all(byte))] = True
    return is_rare


def group_equal(block: Octets, starts: Array, sizes: Array) -> tuple[list[bytes], Array]:
    """Encode a column's texts; return the distinct texts, and each cell's code."""
    if not len(starts):
        return [], np.empty(0, dtype=np.int64)
    labels, rows = kernel.group_equal(block.data, starts, sizes)
    return block.texts(starts[rows], starts[rows] + sizes[rows]), labels


def change(words: Array) -> Array:
    """Return which rows of words differ from the previous row; the first one does."""
    changed = np.ones(len(words), dtype=bool)
    changed[1:] = (words[1:] != words[:-1]).any(axis=1)
    return changed


def carry(changed: Array) -> Array:
    """Return for each row the index, among the changed rows, of the last one up to it."""
    return np.cumsum(changed) - 1
