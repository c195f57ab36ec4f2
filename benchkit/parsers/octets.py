"""Whole columns of text, looked at eight bytes at a time, from any place of a block.

In: the bytes of a block, and the places where a column's cells stand. Out: arrays: where a byte
comes next, what number the digits are, which cells hold the same text. Why: a bulk reader makes no
Python object per row; a cell that is not of the simplest form is marked, for the plain reader.

Words are little-endian: the first byte of a text is the lowest of its word.
"""

from __future__ import annotations

import re
from typing import NamedTuple

import numpy as np

Array = np.ndarray

#: Bytes of zeros around a block, so that what stands before or behind a cell can be looked at.
MARGIN = 64
_AFTER = 1024
_ONES, _HIGHS = np.uint64(0x0101_0101_0101_0101), np.uint64(0x8080_8080_8080_8080)
_ZEROS, _BEYOND_NINE = np.uint64(0x3030_3030_3030_3030), np.uint64(0x7676_7676_7676_7676)
#: Masks of the first k bytes of a word, and of the last k.
FIRST = np.array([(1 << 8 * k) - 1 for k in range(9)], dtype=np.uint64)
LAST = ~FIRST[::-1]
#: Odd factors without a pattern, to tell texts apart by.
_FACTORS = np.random.default_rng(5).integers(1 << 62, 1 << 63, 64, dtype=np.uint64) | np.uint64(1)
_TENS = 10.0 ** np.arange(23)


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
        return np.flatnonzero(self.bytes == byte)

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
        return equals(self.take(places, -(-len(text) // 8) * 8), text)

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
        hits = (differs - _ONES) & ~differs & _HIGHS
        before = np.bitwise_count((hits - np.uint64(1)) & ~hits).astype(np.int64) >> 3
        np.copyto(places, before + 8 * column, where=hits != 0)
    return places


def read_digits(words: Array, counts: Array) -> tuple[Array, Array]:
    """Read the last ``counts`` bytes, 0 to 8, of each word as decimal digits.

    Returns
    -------
    tuple of (int64, bool), shape (k,)
        The numbers, and whether all those bytes are digits; none at all are 0.

    Examples
    --------
    >>> read_digits(Octets(b"latency=42").word(np.array([MARGIN + 2])), np.array([2]))
    (array([42]), array([ True]))
    """
    keep = LAST[counts]
    digits = ((words & keep) | (_ZEROS & ~keep)) ^ _ZEROS
    good = ((digits + _BEYOND_NINE) | digits) & _HIGHS == 0
    for mask, factor, shift in (
        (0x0F0F_0F0F_0F0F_0F0F, (10 << 8) + 1, 8),
        (0x00FF_00FF_00FF_00FF, (100 << 16) + 1, 16),
        (0x0000_FFFF_0000_FFFF, (10_000 << 32) + 1, 32),
    ):
        digits = ((digits & np.uint64(mask)) * np.uint64(factor)) >> np.uint64(shift)
    return digits.astype(np.int64), good


def read_integers(block: Octets, starts: Array, lengths: Array) -> tuple[Array, Array]:
    """Read integers without sign, of 1 to 19 digits, leading zeros allowed.

    Returns
    -------
    tuple of (int64, bool), shape (k,)
        The numbers, and which cells are such numbers below 2**63.
    """
    good = (lengths >= 1) & (lengths <= 19)
    lengths = np.clip(lengths, 0, 19)
    ends = starts + lengths
    numbers, told = read_digits(block.word(ends - 8), np.minimum(lengths, 8))
    good &= told
    for skipped in (8, 16):
        if int(lengths.max(initial=0)) <= skipped:
            break
        counts = np.clip(lengths - skipped, 0, 8)
        more, told = read_digits(block.word(ends - skipped - 8), counts)
        good &= told & ((more < 922) | (skipped == 8))
        numbers = numbers + np.where(good, more, 0) * 10**skipped
    return numbers, good


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


class Decimals(NamedTuple):
    """Decimal numbers as they are written: ``digits`` (int64) / 10 ** ``places`` (int64)."""

    digits: Array
    places: Array

    def pick(self, rows: Array) -> Decimals:
        """Return some of them."""
        return Decimals(self.digits[rows], self.places[rows])

    def scaled(self, exponent: int) -> Array:
        """Return them times ten to ``exponent`` (-6 to 0), rounded once: float64.

        Both operands of the division are exact, so that the quotient is the double nearest to the
        decimal text, as Python's ``float`` reads it.
        """
        quotient: Array = self.digits / _TENS[self.places - exponent]
        return quotient


def read_decimals(block: Octets, starts: Array, lengths: Array) -> tuple[Decimals, Array]:
    """Read numbers without sign or exponent, of at most 8 digits on either side of the point.

    Parameters
    ----------
    block : Octets
    starts, lengths : int64, shape (k,)
        Where each number stands.

    Returns
    -------
    tuple of (Decimals, bool), shape (k,)
        The numbers, and which of them are of that form, of JSON's grammar and below 2**53.
    """
    words = block.take(starts, 24)
    points = np.minimum(find(words, ord(".")), lengths)
    places = np.maximum(lengths - points - 1, 0)
    good = (points >= 1) & (points <= 8) & (places <= 8) & (points + 1 != lengths)
    whole, whole_good = read_digits(block.word(starts + points - 8), np.clip(points, 0, 8))
    clipped = np.clip(places, 0, 8)
    part, part_good = read_digits(block.word(starts + lengths - 8), clipped)
    first = words[:, 0] & np.uint64(0xFF)
    good &= whole_good & part_good & ((points == 1) | (first != ord("0")))
    digits = whole * _POWERS[clipped] + part
    return Decimals(digits, clipped), good & (digits < 1 << 53)


def read_decimal(text: bytes) -> tuple[int, int] | None:
    """Read any number of JSON's grammar as (digits, places), if those say it exactly.

    Examples
    --------
    >>> read_decimal(b"-1.5e-05"), read_decimal(b"1e3"), read_decimal(b"-0"), read_decimal(b"01")
    ((-15, 6), (1000, 0), None, None)
    """
    match = _NUMBER.fullmatch(text)
    if match is None:
        return None
    sign, whole, part, power = match.groups(default=b"")
    places = len(part) - int(power or 0)
    if not -_MOST_PLACES <= places <= _MOST_PLACES:
        return None
    digits = int(whole + part) * 10 ** max(-places, 0)
    if digits >= 1 << 53 or (sign and not digits):
        return None
    return -digits if sign else digits, max(places, 0)


_NUMBER = re.compile(rb"(-?)(0|[1-9]\d{0,15})(?:\.(\d{1,15}))?(?:[eE]([+-]?\d{1,2}))?")
_MOST_PLACES = 16
_POWERS = 10 ** np.arange(9, dtype=np.int64)


def tell_apart(block: Octets, starts: Array, sizes: Array) -> tuple[list[bytes], Array]:
    """Return the different texts of a column, and each cell's number among them.

    Python looks once at each text where they are few and short, else at every cell.
    """
    if not len(starts):
        return [], np.empty(0, dtype=np.int64)
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
