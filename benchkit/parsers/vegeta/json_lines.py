"""Vegeta's JSON lines, a block of them at once.

As in `columns`. A line of version 12; 8 ends with the body, 5.9 with the error, and begins with
the code::

    {"attack":"A","seq":N,"code":N,"timestamp":"T","latency":N,"bytes_out":N,"bytes_in":N,
    "error":"E","body":"B","method":"M","url":"U","headers":{"K":["V",…],…}}

The quotes of a line, counted from its first one, say where each field stands; the text between
them is compared as words.
"""

from __future__ import annotations

import json
from collections.abc import Iterator
from dataclasses import replace
from typing import NamedTuple

import numpy as np

from benchkit.parsers.numerals import read_integers
from benchkit.parsers.octets import (
    FIRST,
    MARGIN,
    Array,
    Lines,
    Octets,
    find_lines,
    tell_apart,
    word_of,
)
from benchkit.parsers.times import read_nanoseconds
from benchkit.parsers.vegeta.columns import MOST, MOST_START, Results
from benchkit.parsers.vegeta.records import Flaw, Result, take_json
from benchkit.reading.cleaning import clean_lines
from benchkit.reading.source import Source

#: Quotes of ``"attack":"A","seq"``, and of all from the code to the error.
_NAMED, _FIXED = 6, 16
#: Quotes that are looked at, at most, from a line's first one on.
_MOST_QUOTES = 40
#: If more than one line in so many is odd, all are read one by one.
_FEW = 8
#: Bytes that may follow a backslash, and digits of ``\uXXXX``.
_ESCAPED, _HEX = (
    np.isin(np.arange(256), np.frombuffer(told, np.uint8))
    for told in (rb'"\/bfnrtu', b"0123456789abcdefABCDEF")
)
_THREE, _FOUR = FIRST[3], FIRST[4]


def read_json(source: Source) -> Iterator[Results | Result | Flaw]:
    """Yield the results of JSON lines: in columns where they are as vegeta writes them."""
    number = 1
    for block in source.map(read_block, source.line_blocks()):
        done, first = 0, 0
        for line, data in (*block.odd, (block.size, b"")):
            if line > done:
                results = block.results.pick(slice(first, first + line - done))
                yield replace(results, line=results.line + number)
                first += line - done
            if line < block.size:
                (text,) = clean_lines(data)
                yield from take_json(number + line, text)
            done = line + 1
        number += block.size


class Block(NamedTuple):
    """Whole lines that were read: ``results``, whose lines count from 0, and the ``odd`` ones."""

    results: Results
    odd: list[tuple[int, bytes]]
    size: int


def read_block(data: bytes) -> Block:
    """Read whole lines."""
    block = Octets(data)
    lines = find_lines(block)
    results, good = read_rows(block, lines)
    if _FEW * np.count_nonzero(~good) > len(good):
        good[:], results = False, results.pick(slice(0, 0))
    odd = np.flatnonzero(~good).tolist()
    texts = (block.text(int(lines.starts[row]), int(lines.ends[row])) for row in odd)
    return Block(results, list(zip(odd, texts, strict=True)), len(good))


def read_rows(block: Octets, lines: Lines) -> tuple[Results, Array]:
    """Read lines, which count from 0.

    Returns
    -------
    results : Results
        Of the good lines.
    good : ndarray of bool, shape (lines,)
    """
    quotes, good = find_quotes(block, lines)
    begins = np.searchsorted(quotes, lines.starts)
    ends = np.append(begins[1:], len(quotes))
    row = _Rows(block, np.append(quotes, np.full(_MOST_QUOTES, MARGIN)), good)
    attack, code = _read_attack(row, lines.starts, begins)
    row.require(ends - code >= _FIXED)
    row.expect(row.at(code), b'"code":')
    codes = row.number(code + 1, 1 << 16)
    row.expect(row.at(code + 2) - 1, b',"timestamp":"')
    start = row.at(code + 4) + 1
    times, told = read_nanoseconds(block, start, row.at(code + 5) - start)
    row.require(told & (times > 0) & (times < MOST_START))
    row.expect(row.at(code + 5), b'","latency":')
    latency = row.number(code + 7, MOST)
    row.expect(row.at(code + 8) - 1, b',"bytes_out":')
    bytes_out = row.number(code + 9, MOST)
    row.expect(row.at(code + 10) - 1, b',"bytes_in":')
    bytes_in = row.number(code + 11, MOST)
    row.expect(row.at(code + 12) - 1, b',"error":"')
    url = _read_tail(row, code + _FIXED, ends, lines.ends)
    rows = np.flatnonzero(good)
    attacks, urls = (
        _tell_apart(block, texts.starts[rows], texts.ends[rows]) for texts in (attack, url)
    )
    results = Results(
        rows, times[rows], codes[rows], latency[rows], bytes_out[rows], bytes_in[rows],
        attacks[1], urls[1], attacks[0], urls[0],
    )  # fmt: skip
    return results, good


class _Rows:
    """The lines of a block: fields by the numbers of quotes, and which lines are ``good``."""

    def __init__(self, block: Octets, quotes: Array, good: Array) -> None:
        self.block = block
        self.quotes = quotes
        self.good = good

    def at(self, numbers: Array) -> Array:
        """Return the places of quotes."""
        places: Array = self.quotes[numbers]
        return places

    def require(self, told: Array) -> None:
        """Keep the lines of which something is so."""
        np.logical_and(self.good, told, out=self.good)

    def expect(self, places: Array, text: bytes) -> None:
        """Keep the lines that hold a text."""
        self.require(self.block.holds(places, text))

    def number(self, name: Array, limit: int, where: Array | None = None) -> Array:
        """Read the numbers behind names that end with these quotes, up to the next name."""
        starts = self.at(name) + 2
        sizes = self.at(name + 1) - 1 - starts
        values, told = read_integers(self.block, starts, np.where(self.good, sizes, 0))
        told &= (values < limit) & ((sizes == 1) | (self.block.bytes[starts] != ord("0")))
        self.require(told if where is None else told | ~where)
        return values


def _read_attack(row: _Rows, starts: Array, begins: Array) -> tuple[Lines, Array]:
    """Return where the attack's name stands, and the number of the quote before ``code``."""
    named = row.block.holds(starts, b'{"attack":"')
    code = begins + np.where(named, _NAMED, 0)
    ends = row.at(begins + 3)
    row.require(~named | row.block.holds(ends, b'","seq":'))
    row.require(~named | (row.block.bytes[row.at(code) - 1] == ord(",")))
    row.number(begins + 5, 1 << 62, named)
    row.require(named | (row.block.holds(starts, b'{"') & (row.at(code) == starts + 1)))
    return Lines(np.where(named, row.at(begins + 2) + 1, ends), ends), code


def _read_tail(row: _Rows, body: Array, ends: Array, line_ends: Array) -> Lines:
    """Return where the URL stands; look at all that stands behind the error.

    Parameters
    ----------
    row : _Rows
    body : int64, shape (lines,)
        The number of the quote before ``body``.
    ends : int64, shape (lines,)
        The number of the first quote that is not of the line.
    line_ends : int64, shape (lines,)
    """
    block, error = row.block, row.at(body - 1)
    short = block.holds(error, b'"}') & (error + 2 == line_ends)
    row.require(short | block.holds(error, b'","body":'))
    name = row.at(body + 1)
    is_text = ~short & block.holds(name, b'":"')
    row.require(short | is_text | block.holds(name, b'":null'))
    after = np.where(is_text, row.at(body + 3) + 1, name + 6)
    short |= block.holds(after, b"}") & (after + 1 == line_ends)
    row.require(short | block.holds(after, b',"method":"'))
    method = body + np.where(short, 0, np.where(is_text, 4, 2))
    row.require(short | block.holds(row.at(method + 3), b'","url":"'))
    url = Lines(
        np.where(short, line_ends, row.at(method + 6) + 1),
        np.where(short, line_ends, row.at(method + 7)),
    )
    row.require(short | block.holds(url.ends, b'","headers":'))
    after = row.at(method + 9) + 2
    empty = short.copy()
    for text in (b"null}", b"{}}", b"[]}"):
        empty |= block.holds(after, text) & (after + len(text) == line_ends)
    row.require(empty | block.holds(after, b'{"'))
    full = np.flatnonzero(row.good & ~empty)
    first = method[full] + 10
    told = are_headers(block, row.quotes, first, ends[full] - first, line_ends[full])
    row.good[full] = told
    return url


def _tell_apart(block: Octets, starts: Array, ends: Array) -> tuple[list[str], Array]:
    """Return the different texts of a column, as JSON means them, and each cell's number."""
    texts, labels = tell_apart(block, starts, ends - starts)
    numbers: dict[str, int] = {}
    meant = []
    for text in texts:
        string = json.loads(f'"{text.decode("utf-8", errors="replace")}"')
        meant.append(numbers.setdefault(string, len(numbers)))
    return list(numbers), np.array(meant, dtype=np.int64)[labels]


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
