"""The strings of JSON lines, as far as it matters that they are strings.

A body or a header of any length is passed over from quote to quote, and never copied.
"""

from __future__ import annotations

import numpy as np

from benchkit.parsers.octets import FIRST, MARGIN, Array, Lines, Octets, word_of

#: Bytes that may follow a backslash, and digits of ``\uXXXX``.
_ESCAPED, _HEX = (
    np.isin(np.arange(256), np.frombuffer(told, np.uint8))
    for told in (rb'"\/bfnrtu', b"0123456789abcdefABCDEF")
)
_THREE, _FOUR = FIRST[3], FIRST[4]


def find_quotes(block: Octets, lines: Lines) -> tuple[Array, Array]:
    """Find the quotes that begin and end strings.

    Returns
    -------
    places : int64, shape (k,)
    good : bool, shape (lines,)
        Which lines hold no control character and only such escapes as JSON knows.
    """
    good = np.ones(len(lines.starts), dtype=bool)
    marks = block.bytes == ord('"')
    text = block.bytes[MARGIN : block.end]
    controls = text < ord(" ")
    if np.count_nonzero(controls) > np.count_nonzero(lines.ends < block.end):
        odd = np.flatnonzero(controls & (text != ord("\n"))) + MARGIN
        good[np.searchsorted(lines.ends, odd)] = False
    if b"\\" in block.data:
        places = _find_escaped(block)
        letters = block.bytes[places]
        flawed = ~_ESCAPED[letters]
        long = np.flatnonzero(letters == ord("u"))
        for digit in range(1, 5):
            flawed[long] |= ~_HEX[block.bytes[places[long] + digit]]
        rows = np.searchsorted(lines.ends, places[flawed])
        good[np.minimum(rows, len(good) - 1)] = False
        marks[places[letters == ord('"')]] = False
    return np.flatnonzero(marks), good


def _find_escaped(block: Octets) -> Array:
    """Return the places behind those backslashes that are not escaped themselves."""
    slashes = block.find_all(ord("\\"))
    numbers = np.arange(len(slashes))
    begins = np.ones(len(slashes), dtype=bool)
    begins[1:] = np.diff(slashes) > 1
    runs = np.maximum.accumulate(np.where(begins, numbers, 0))
    places: Array = slashes[(numbers - runs) % 2 == 0] + 1
    return places


def are_headers(block: Octets, quotes: Array, firsts: Array, counts: Array, ends: Array) -> Array:
    """Tell which rows end in an object of lists of strings, and the brace around it.

    Parameters
    ----------
    block : Octets
    quotes : int64, shape (k,)
    firsts, counts : int64, shape (rows,)
        The first of the quotes inside the object, and how many there are.
    ends : int64, shape (rows,)
        Where the line ends.

    Returns
    -------
    ndarray of bool, shape (rows,)
    """
    good: Array = (counts >= 4) & (counts % 2 == 0)
    rows = np.flatnonzero(good)
    if not len(rows):
        return good
    sizes = counts[rows] // 2
    behind = np.cumsum(sizes)
    begins = behind - sizes
    closing = np.repeat(firsts[rows] + 1 - 2 * begins, sizes) + 2 * np.arange(behind[-1])
    words = block.word(quotes[closing])
    is_key = words & _FOUR == word_of(b'":["')
    before_key = words & _FOUR == word_of(b'"],"')
    fits = is_key | before_key | (words & _THREE == word_of(b'","'))
    fits[behind - 1] = words[behind - 1] & _FOUR == word_of(b'"]}}')
    fits[behind - 1] &= quotes[closing[behind - 1]] + 4 == ends[rows]
    expected = np.ones(len(words), dtype=bool)
    expected[1:] = before_key[:-1]
    expected[begins] = True
    fits &= is_key == expected
    good[rows] = np.logical_and.reduceat(fits, begins)
    return good
