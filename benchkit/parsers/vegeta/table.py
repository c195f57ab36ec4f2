"""Vegeta's CSV, a block of lines at once.

In: a source. Out: `Results`, and one by one, as `records` reads them, the records with quotes and
those that are odd. Why: as in `columns`.
"""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np

from benchkit.parsers.octets import (
    Array,
    Lines,
    Octets,
    find_lines,
    find_separators,
    need_cleaning,
    read_integers,
    tell_apart,
)
from benchkit.parsers.source import Source, clean_lines, number_blocks
from benchkit.parsers.vegeta.columns import MOST, MOST_START, Results
from benchkit.parsers.vegeta.records import CsvReader, Flaw, Result

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
    for number, data in number_blocks(source.line_blocks()):
        block = Octets(data)
        lines = find_lines(block)
        results, good, columns = read_rows(block, lines, number)
        good[np.flatnonzero(good)[-1:]] = False  # it may be the last record of the file
        if _FEW * np.count_nonzero(~good) > len(good):
            good[:] = False
        rows, done = np.cumsum(good), 0
        for line in (*np.flatnonzero(~good).tolist(), len(good)):
            if line > done:
                yield from reader.close()
                reader.note_columns(columns)
                first = int(rows[done]) - 1
                yield results.pick(slice(first, first + line - done))
            if line < len(good):
                (text,) = clean_lines(block.text(int(lines.starts[line]), int(lines.ends[line])))
                yield from reader.take(number + line, text)
            done = line + 1
    yield from reader.end()


def read_rows(block: Octets, lines: Lines, number: int) -> tuple[Results, Array, int]:
    """Read lines without quotes that have as many columns as the first one.

    Returns
    -------
    results : Results
        Of the good lines.
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
        rows + number, start, code, latency, bytes_out, bytes_in, attack, url,
        [text.decode("utf-8", errors="replace") for text in attacks],
        [text.decode("utf-8", errors="replace") for text in urls],
    )  # fmt: skip
    return results, good, count - 4
