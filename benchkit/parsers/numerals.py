"""Columns of numbers in a text.

The approach is that of `octets`; a cell of any other form is left to the plain reader.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from benchkit.parsers import kernel
from benchkit.parsers.octets import HIGHS, LAST, Array, Octets
from benchkit.regexes import regex

_ZEROS, _BEYOND_NINE = np.uint64(0x3030_3030_3030_3030), np.uint64(0x7676_7676_7676_7676)
_TENS = 10.0 ** np.arange(23)


def read_digits(words: Array, counts: Array) -> tuple[Array, Array]:
    """Read the last ``counts`` bytes, 0 to 8, of each word as decimal digits.

    Returns
    -------
    tuple of (int64, bool), shape (k,)
        The numbers, and whether all those bytes are digits; a number without bytes is 0.

    Examples
    --------
    >>> from benchkit.parsers.octets import MARGIN
    >>> read_digits(Octets(b"latency=42").word(np.array([MARGIN + 2])), np.array([2]))
    (array([42]), array([ True]))
    """
    keep = LAST[counts]
    digits = ((words & keep) | (_ZEROS & ~keep)) ^ _ZEROS
    good = ((digits + _BEYOND_NINE) | digits) & HIGHS == 0
    for mask, factor, shift in (
        (0x0F0F_0F0F_0F0F_0F0F, (10 << 8) + 1, 8),
        (0x00FF_00FF_00FF_00FF, (100 << 16) + 1, 16),
        (0x0000_FFFF_0000_FFFF, (10_000 << 32) + 1, 32),
    ):
        digits = ((digits & np.uint64(mask)) * np.uint64(factor)) >> np.uint64(shift)
    return digits.astype(np.int64), good


def read_integers(block: Octets, starts: Array, lengths: Array) -> tuple[Array, Array]:
    """Read unsigned integers of 1 to 19 digits; leading zeros are allowed.

    Returns
    -------
    tuple of (int64, bool), shape (k,)
        The numbers, and a mask of valid ones below 2**63; others are undefined.
    """
    if kernel.compiled:
        return kernel.read_integers(block.data, starts, lengths)
    good = (lengths >= 1) & (lengths <= 19)
    lengths = np.clip(lengths, 0, 19)
    ends = starts + lengths
    numbers, is_read = read_digits(block.word(ends - 8), np.minimum(lengths, 8))
    good &= is_read
    for skipped in (8, 16):
        if int(lengths.max(initial=0)) <= skipped:
            break
        counts = np.clip(lengths - skipped, 0, 8)
        more, is_read = read_digits(block.word(ends - skipped - 8), counts)
        good &= is_read & ((more < 922) | (skipped == 8))
        numbers = numbers + np.where(good, more, 0) * 10**skipped
    return numbers, good


class Decimals(NamedTuple):
    """Decimal numbers as written: ``digits`` (int64) / 10 ** ``places`` (int64)."""

    digits: Array
    places: Array

    def pick(self, rows: Array) -> Decimals:
        """Return the numbers in some rows."""
        return Decimals(self.digits[rows], self.places[rows])

    def scaled(self, exponent: int) -> Array:
        """Return the numbers times ten to ``exponent`` (-6 to 0), rounded once: float64.

        Both operands of the division are exact, so the quotient is the double nearest to the
        decimal text, as in Python's ``float``.
        """
        quotient: Array = self.digits / _TENS[self.places - exponent]
        return quotient


def read_decimals(block: Octets, starts: Array, lengths: Array) -> tuple[Decimals, Array]:
    """Read numbers without sign or exponent, with at most 8 digits on either side of the point.

    Parameters
    ----------
    starts, lengths : int64, shape (k,)
        The index and the length of each number.

    Returns
    -------
    tuple of (Decimals, bool), shape (k,)
        The numbers, and a mask of those in that form that are JSON numbers with digits below 2**53.
    """
    digits, places, good = kernel.read_decimals(block.data, starts, lengths)
    return Decimals(digits, places), good


def read_decimal(text: bytes) -> tuple[int, int] | None:
    """Read any number of JSON's grammar as (digits, places), if these represent it exactly.

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


_NUMBER = regex(rb"(-?)(0|[1-9]\d{0,15})(?:\.(\d{1,15}))?(?:[eE]([+-]?\d{1,2}))?")
_MOST_PLACES = 16
