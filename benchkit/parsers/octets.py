"""Whole columns of text, looked at eight bytes at a time, from any place of a block.

A bulk reader makes no Python object per row; a line that is not of the simplest form is marked,
for the plain reader.

Words are little-endian: the first byte of a text is the lowest of its word.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from benchkit.parsers import kernel

Array = np.ndarray

#: Bytes of zeros around a block, so that what stands before or behind a cell can be looked at.
MARGIN = 64
_AFTER = 1024
_ONES, HIGHS = np.uint64(0x0101_0101_0101_0101), np.uint64(0x8080_8080_8080_8080)
#: Masks of the first k bytes of a word, and of the last k.
FIRST = np.array([(1 << 8 * k) - 1 for k in range(9)], dtype=np.uint64)
LAST = ~FIRST[::-1]
#: Lengths of texts that are compared together.
_WIDTHS = ((-1, 8), (8, 64), (64, 128), (128, 192), (192, 256), (256, 512))
#: Odd factors without a pattern, to tell texts apart by.
_FACTORS = np.random.default_rng(5).integers(1 << 62, 1 << 63, 64, dtype=np.uint64) | np.uint64(1)


class Octets:
    """A block of bytes between margins of zeros.

    Parameters
    ----------
    data : bytes
        Places count from `MARGIN`, where it begins, to ``end``.
    """

    def __init__(self, data: bytes) -> None:
        self.data = b"".join((bytes(MARGIN), data, bytes(_AFTER)))
        self.bytes = np.frombuffer(self.data, np.uint8)
        self.end = MARGIN + len(data)

    def find_all(self, byte: int) -> Array:
        """Return the places of a byte, shape (k,)."""
        if kernel.compiled:
            return kernel.find_all(self.data, byte)
        return np.flatnonzero(self.bytes == byte)

    def find_first(self, starts: Array, byte: int, limit: int) -> Array:
        """Return how far behind each start a byte comes first, or ``limit``, a multiple of 8."""
        if kernel.compiled:
            return kernel.find_first(self.data, starts, byte, limit)
        return find(self.take(starts, limit), byte)

    def take(self, places: Array, width: int = 8) -> Array:
        """Return the words that begin at ``places``: uint64, shape (k, width / 8)."""
        size = len(self.data) - width + 1
        cells: Array = np.ndarray((size,), f"V{width}", self.data, strides=(1,))
        found: Array = cells[places].view("<u8").reshape(-1, width // 8)
        return found

    def word(self, places: Array) -> Array:
        """Return the word that begins at each place: uint64, shape (k,)."""
        return self.take(places)[:, 0]

    def holds(self, places: Array, text: bytes) -> Array:
        """Tell where ``text`` stands: bool, shape (k,)."""
        if kernel.compiled:
            return kernel.holds(self.data, places, text)
        return equals(self.take(places, -(-len(text) // 8) * 8), text)

    def repeats(self, starts: Array, sizes: Array) -> Array:
        """Tell which cells hold the text of the cell before: bool, shape (k,)."""
        if kernel.compiled:
            return kernel.repeats(self.data, starts, sizes)
        found = np.zeros(len(starts), dtype=bool)
        for low, width in _WIDTHS:
            rows = np.flatnonzero((sizes > low) & (sizes <= width))
            if len(rows):
                self._repeat(rows, starts[rows], sizes[rows], width, found)
        for row in np.flatnonzero(sizes[1:] > _WIDTHS[-1][1]) + 1:
            one, other = self.texts(starts[row - 1 : row + 1], (starts + sizes)[row - 1 : row + 1])
            found[row] = one == other
        return found

    def _repeat(self, rows: Array, starts: Array, sizes: Array, width: int, found: Array) -> None:
        """Mark those that repeat the cell before, of cells of about as many bytes."""
        words, last = self.take(starts, width), self.word(starts + sizes - 8)
        inside = np.arange(width // 8) < (sizes // 8)[:, np.newaxis]
        if width == _WIDTHS[0][1]:
            words[:, 0] &= FIRST[sizes]
            last, inside[:] = words[:, 0], True
        same = (np.diff(rows) == 1) & (np.diff(sizes) == 0) & (last[1:] == last[:-1])
        found[rows[1:]] = same & ~((words[1:] != words[:-1]) & inside[1:]).any(axis=1)

    def text(self, start: int, end: int) -> bytes:
        """Return the bytes between two places."""
        return self.data[start:end]

    def texts(self, starts: Array, ends: Array) -> list[bytes]:
        """Return the bytes between each two places."""
        data = self.data
        spans = zip(starts.tolist(), ends.tolist(), strict=True)
        return [data[start:end] for start, end in spans]


def word_of(text: bytes) -> np.uint64:
    """Return up to eight bytes as a word."""
    return np.uint64(int.from_bytes(text, "little"))


def equals(words: Array, text: bytes) -> Array:
    """Tell which rows of words, shape (k, m), begin with a text of at most 8 m bytes.

    Examples
    --------
    >>> block = Octets(b"GET /, PUT /")
    >>> equals(block.take(np.array([MARGIN, MARGIN + 7])), b"GET").tolist()
    [True, False]
    """
    found = np.ones(len(words), dtype=bool)
    for start in range(0, len(text), 8):
        part = text[start : start + 8]
        found &= words[:, start // 8] & FIRST[len(part)] == word_of(part)
    return found


def find(words: Array, byte: int) -> Array:
    """Return where a byte comes first in each row of words, or 8 m if it does not.

    Examples
    --------
    >>> find(Octets(b"12.5 7").take(np.array([MARGIN, MARGIN + 5])), ord(".")).tolist()
    [2, 8]
    """
    size, count = words.shape
    places = np.full(size, 8 * count, dtype=np.int64)
    pattern = np.uint64(byte) * _ONES
    for column in reversed(range(count)):
        differs = words[:, column] ^ pattern
        hits = (differs - _ONES) & ~differs & HIGHS
        before = np.bitwise_count((hits - np.uint64(1)) & ~hits).astype(np.int64) >> 3
        np.copyto(places, before + 8 * column, where=hits != 0)
    return places


class Lines(NamedTuple):
    """The lines of a block: where each begins, and where its line end is."""

    starts: Array
    ends: Array


def find_lines(block: Octets) -> Lines:
    """Find the lines of a block; the last one may have no line end."""
    ends = block.find_all(ord("\n"))
    if not block.data.endswith(b"\n", 0, block.end):
        ends = np.append(ends, block.end)
    return Lines(np.concatenate(([MARGIN], ends[:-1] + 1)), ends)


def find_separators(block: Octets, lines: Lines, byte: int, count: int) -> tuple[Array, Array]:
    """Find a separator that stands ``count`` times in each line.

    Returns
    -------
    places : int64, shape (lines, count)
        Of lines with as many; of others nothing holds.
    good : bool, shape (lines,)
    """
    if kernel.compiled:
        return kernel.find_separators(block.data, lines.starts, lines.ends, byte, count)
    places = block.find_all(byte)
    size = len(lines.starts)
    if len(places) == count * size:
        table = places.reshape(size, count)
        good = (table[:, 0] >= lines.starts) & (table[:, -1] < lines.ends)
        if good.all():
            return table, good
    first = np.searchsorted(places, lines.starts)
    good = np.searchsorted(places, lines.ends) - first == count
    rows = np.where(good, first, 0)[:, np.newaxis] + np.arange(count)
    padded = np.append(places, np.full(count, MARGIN))
    return padded[rows], good


def need_cleaning(block: Octets, lines: Lines, marks: bytes = b"\r\x1b") -> Array:
    """Tell which lines hold one of some rare bytes: by default those that `Source` cleans away."""
    found = np.zeros(len(lines.starts), dtype=bool)
    for byte in marks:
        if bytes([byte]) in block.data:
            found[np.searchsorted(lines.ends, block.find_all(byte))] = True
    return found


def tell_apart(block: Octets, starts: Array, sizes: Array) -> tuple[list[bytes], Array]:
    """Return the different texts of a column, and each cell's number among them.

    Where numpy does it, Python looks once at each text if they are few and short, else at all.
    """
    if not len(starts):
        return [], np.empty(0, dtype=np.int64)
    if kernel.compiled:
        labels, rows = kernel.tell_apart(block.data, starts, sizes)
        return block.texts(starts[rows], starts[rows] + sizes[rows]), labels
    longest = int(sizes.max())
    labels, firsts = np.full(len(starts), -1, dtype=np.int64), list[int]()
    if longest <= _LONGEST_LABEL:
        words = block.take(starts, max(8, -(-longest // 8) * 8))
        labels, firsts = label(words, sizes, _MOST_LABELS)
    rows = np.array(firsts, dtype=np.int64)
    numbers: dict[bytes, int] = {}
    for text in block.texts(starts[rows], starts[rows] + sizes[rows]):
        numbers.setdefault(text, len(numbers))
    left = np.flatnonzero(labels < 0)
    if len(left):
        texts = block.texts(starts[left], starts[left] + sizes[left])
        labels[left] = [numbers.setdefault(text, len(numbers)) for text in texts]
    return list(numbers), labels


_LONGEST_LABEL = 256
_MOST_LABELS = 64


def label(words: Array, sizes: Array, limit: int) -> tuple[Array, list[int]]:
    """Give equal texts the same small number.

    Parameters
    ----------
    words : uint64, shape (k, m)
        The texts' words; what is beyond a text is cleared.
    sizes : int64, shape (k,)
        Bytes of each text, at most 8 m.
    limit : int
        How many different texts are told apart.

    Returns
    -------
    labels : int64, shape (k,)
        -1 for texts beyond the limit.
    firsts : list of int
        A row of each label.
    """
    keys = sizes.astype(np.uint64) * _FACTORS[-1]
    for column in range(words.shape[1]):
        words[:, column] &= FIRST[np.clip(sizes - 8 * column, 0, 8)]
        keys += words[:, column] * _FACTORS[column]
    labels = np.full(len(words), -1, dtype=np.int64)
    firsts: list[int] = []
    left = np.arange(len(words))
    while len(left) and len(firsts) < limit:
        first = int(left[0])
        same = keys == keys[first]
        labels[same] = len(firsts)
        firsts.append(first)
        left = left[~same[left]]
    if firsts:
        known = np.array(firsts, dtype=np.int64)[labels]
        differs = (words != words[known]).any(axis=1) | (sizes != sizes[known])
        labels[differs] = -1
    return labels, firsts


def change(words: Array) -> Array:
    """Tell which rows of words differ from the row before; the first one does."""
    changed = np.ones(len(words), dtype=bool)
    changed[1:] = (words[1:] != words[:-1]).any(axis=1)
    return changed


def carry(changed: Array) -> Array:
    """Return for each row the place, among the changed rows, of the last one up to it."""
    return np.cumsum(changed) - 1
