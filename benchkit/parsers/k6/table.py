"""Points of ``--out csv``, a block of lines at once.

As in `columns`; here a point is a row without quotes, of as many columns as the header has, whose
time is an integer of as many digits as that of most rows::

    http_req_duration,1795219047,4.610530,,,,true,,POST,POST /shorten,HTTP/1.1,…
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import NamedTuple

import numpy as np

from benchkit.parsers.k6.columns import Points
from benchkit.parsers.numerals import read_decimals, read_integers
from benchkit.parsers.octets import (
    Array,
    Lines,
    Octets,
    find_lines,
    find_separators,
    need_cleaning,
    tell_apart,
)

_FIRST = 3  # name, time, value
_LONGEST = 18  # bytes of a value
#: Microseconds in what a time counts, and what it counts in s, by its most digits.
_UNITS = ((11, 1_000_000, 1, 1.0), (14, 1_000, 1, 1e-3), (17, 1, 1, 1e-6), (19, 1, 1_000, 1e-6))


class Rows(NamedTuple):
    """Rows of one block: ``points``, whose lines count from 0, and which lines they are of."""

    points: Points
    good: Array
    block: Octets
    lines: Lines

    def text(self, line: int) -> bytes:
        """Return a line without its end."""
        return self.block.text(int(self.lines.starts[line]), int(self.lines.ends[line]))

    def after(self, line: int) -> bytes:
        """Return all from a line on."""
        if line >= len(self.good):
            return b""
        return self.block.text(int(self.lines.starts[line]), self.block.end)


def read_rows(data: bytes, columns: Sequence[str]) -> Rows:
    """Read whole lines that stand under a header of such columns."""
    block = Octets(data)
    lines = find_lines(block)
    commas, good = find_separators(block, lines, ord(","), len(columns) - 1)
    good &= ~need_cleaning(block, lines, b'\r\x1b"')
    if len(columns) <= _FIRST:
        good[:] = False
    lengths = commas[:, 1] - commas[:, 0] - 1
    usual = np.bincount(np.clip(lengths[good], 0, 20)).argmax() if good.any() else 0
    good &= (lengths == usual) & (commas[:, 0] > lines.starts)
    factor, divisor, step = next((unit[1:] for unit in _UNITS if usual <= unit[0]), (1, 1, 1e-6))
    times, told = read_integers(block, commas[:, 0] + 1, np.where(good, lengths, 0))
    good &= told
    lengths = commas[:, 2] - commas[:, 1] - 1
    good &= lengths < _LONGEST
    values, told = read_decimals(block, commas[:, 1] + 1, np.where(good, lengths, 0))
    good &= told
    rows = np.flatnonzero(good)
    starts = lines.starts[rows]
    names, metrics = tell_apart(block, starts, commas[rows, 0] - starts)
    urls, targets = [b""], np.zeros(len(rows), dtype=np.int64)
    if "url" in columns and b"http_reqs" in names:
        asked = np.flatnonzero(metrics == names.index(b"http_reqs"))
        place, own = list(columns).index("url"), rows[asked]
        starts = commas[own, place - 1] + 1
        ends = commas[own, place] if place < len(columns) - 1 else lines.ends[own]
        urls, targets[asked] = tell_apart(block, starts, ends - starts)
    points = Points(
        [_decode(name) for name in names],
        metrics,
        values.pick(rows),
        times[rows] * factor // divisor,
        rows,
        [_decode(url) for url in urls],
        targets,
        step,
    )
    return Rows(points, good, block, lines)


def _decode(text: bytes) -> str:
    return text.decode("utf-8", errors="replace")
