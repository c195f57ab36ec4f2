"""Vegeta's CSV, a block of lines at once.

As in `columns`.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace
from typing import NamedTuple

import numpy as np

from benchkit.parsers.numerals import read_integers
from benchkit.parsers.octets import (
    Array,
    Lines,
    Octets,
    find_lines,
    find_separators,
    need_cleaning,
    tell_apart,
)
from benchkit.parsers.vegeta.columns import MOST, MOST_START, Results
from benchkit.parsers.vegeta.records import CsvReader, Flaw, Result
from benchkit.reading.cleaning import clean_lines
from benchkit.reading.source import Source

#: Most digits of start, code, latency, bytes out and bytes in; the start has all of them.
_DIGITS = (19, 5, 19, 19, 19)
_LIMITS = (MOST_START, 1 << 16, MOST, MOST, MOST)
#: Where attack and URL stand, by the number of commas: versions 8 and 12.8.
_PLACES = {8: (7, None), 11: (7, 10)}
#: If more than one line in so many is odd, all are read one by one.
_FEW = 8


def read_csv(source: Source) -> Iterator[Results | Result | Flaw]:
    """Yield the results of CSV: in columns where they are without quotes."""
    reader = CsvReader()
    number = 1
    for block in source.map(read_block, source.line_blocks()):
        rows, done = np.cumsum(block.good), 0
        for line, data in (*block.odd, (len(block.good), b"")):
            if line > done:
                yield from reader.close()
                reader.note_columns(block.columns)
                first = int(rows[done]) - 1
                results = block.results.pick(slice(first, first + line - done))
                yield replace(results, line=results.line + number)
            if line < len(block.good):
                (text,) = clean_lines(data)
                yield from reader.take(number + line, text)
            done = line + 1
        number += len(block.good)
    yield from reader.end()


class Block(NamedTuple):
    """Whole lines that were read: ``results``, whose lines count from 0, and the ``odd`` ones."""

    results: Results
    good: Array
    columns: int
    odd: list[tuple[int, bytes]]


def read_block(data: bytes) -> Block:
    """Read whole lines; the last one is odd, as it may be the last record of the file."""
    block = Octets(data)
    lines = find_lines(block)
    results, good, columns = read_rows(block, lines)
    good[np.flatnonzero(good)[-1:]] = False
    if _FEW * np.count_nonzero(~good) > len(good):
        good[:] = False
    odd = np.flatnonzero(~good).tolist()
    texts = (block.text(int(lines.starts[row]), int(lines.ends[row])) for row in odd)
    return Block(results, good, columns, list(zip(odd, texts, strict=True)))


def read_rows(block: Octets, lines: Lines) -> tuple[Results, Array, int]:
    """Read lines without quotes that have as many columns as the first one.

    Returns
    -------
    results : Results
        Of the good lines, which count from 0.
    good : ndarray of bool, shape (lines,)
        Not yet without those that only the place in the file makes special.
    columns : int
        After the first five.
    """
    first = block.text(int(lines.starts[0]), int(lines.ends[0]))
    count = first.count(b",")
    places = _PLACES.get(count)
    if places is None:
        count, places = 11, (7, 10)
    commas, good = find_separators(block, lines, ord(","), count)
    good &= ~need_cleaning(block, lines, b'\r\x1b"')
    starts, cells = lines.starts, []
    for column, (digits, limit) in enumerate(zip(_DIGITS, _LIMITS, strict=True)):
        sizes = np.where(good, commas[:, column] - starts, 0)
        values, told = read_integers(block, starts, sizes)
        good &= told & (values < limit) & (sizes <= digits)
        if column == 0:
            good &= (sizes == digits) & (values > 0)
        cells.append(values)
        starts = commas[:, column] + 1
    rows = np.flatnonzero(good)
    texts = []
    for place in places:
        if place is None:
            texts.append(([b""], np.zeros(len(rows), dtype=np.int64)))
        else:
            begins = commas[rows, place - 1] + 1
            texts.append(tell_apart(block, begins, commas[rows, place] - begins))
    (attacks, attack), (urls, url) = texts
    start, code, latency, bytes_out, bytes_in = (cell[rows] for cell in cells)
    results = Results(
        rows, start, code, latency, bytes_out, bytes_in, attack, url,
        [text.decode("utf-8", errors="replace") for text in attacks],
        [text.decode("utf-8", errors="replace") for text in urls],
    )  # fmt: skip
    return results, good, count - 4
