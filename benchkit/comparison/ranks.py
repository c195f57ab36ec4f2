"""The rank tests of all rows of a comparison, computed together.

One table of thousands of rows is tested in the time that a loop takes to start; every digit equals
that of the row alone.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Iterable, Iterator, Sequence
from typing import TypeAlias

import numpy as np

from benchkit.stats.rank import hodges_lehmann, mann_whitney
from benchkit.stats.rankrows import compare_rows
from benchkit.stats.sample import LARGEST, Estimate, FloatArray, TestResult
from benchkit.stats.spread import are_unequal

Results: TypeAlias = tuple[Estimate, TestResult]
#: Estimate and test at a given confidence.
Method: TypeAlias = Callable[[float], Results]
Side: TypeAlias = tuple[float, ...]

#: Minimum runs per side for the exact rank test and its interval; 2 or 3 runs use Welch's test.
RANK_RUNS = 4
#: Maximum number of values of both sides in one table.
_AT_ONCE = 1 << 20


def rank(x: Sequence[float], y: Sequence[float], confidence: float) -> Results:
    """Estimate and test a shift by ranks."""
    return hodges_lehmann(x, y, confidence), mann_whitney(x, y)


class Ranks:
    """Rank tests of many rows, on logarithms if all values of a row are positive.

    Parameters
    ----------
    sides : iterable of (tuple of float, tuple of float)
        Baseline and variant of each row, at least one run each. Rows whose values are all equal,
        and rows with values beyond 1e150 that are not all positive, are skipped.
    confidence : float
        The confidence of the interval; if it is 0.5 or less, no row is tested.
    """

    def __init__(self, sides: Iterable[tuple[Side, Side]], confidence: float) -> None:
        self._confidence = confidence
        self._known: dict[tuple[Side, Side], tuple[Estimate, Estimate, TestResult]] = {}
        self._unequal: dict[tuple[Side, Side], bool] = {}
        shapes: dict[tuple[int, int], list[tuple[Side, Side]]] = {}
        for x, y in sides if 2 * confidence > 1 else ():
            shapes.setdefault((len(x), len(y)), []).append((x, y))
        for shape, rows in shapes.items():
            for part in _cut(rows, max(_AT_ONCE // sum(shape), 1)):
                self._rank(part)

    def method(self, x: Sequence[float], y: Sequence[float]) -> Method | None:
        """Return a function that gives the results of a row at either of the two confidences.

        None if the row was not passed to the constructor.
        """
        known = self._known.get((tuple(x), tuple(y)))
        if known is None:
            return None
        outer, inner, test = known
        return lambda confidence: (outer if confidence == self._confidence else inner, test)

    def is_unequal(self, x: Sequence[float], y: Sequence[float]) -> bool | None:
        """Return whether the spreads are too unequal for ranks; None for an unknown row."""
        return self._unequal.get((tuple(x), tuple(y)))

    def _rank(self, rows: Sequence[tuple[Side, Side]]) -> None:
        both = np.array([(*x, *y) for x, y in rows])
        lowest, highest = both.min(axis=1), both.max(axis=1)
        is_usable = (lowest < highest) & ((lowest > 0) | (np.abs(both).max(axis=1) <= LARGEST))
        if not is_usable.any():
            return
        known = [rows[place] for place in np.flatnonzero(is_usable).tolist()]
        scaled, n = _scale(both[is_usable]), len(rows[0][0])
        x, y = scaled[:, :n], scaled[:, n:]
        results = compare_rows(x, y, self._confidence).results()
        self._known.update(zip(known, results, strict=True))
        if x.shape[1] == y.shape[1] >= RANK_RUNS:
            self._unequal.update(zip(known, are_unequal(x, y).tolist(), strict=True))


def _scale(values: FloatArray) -> FloatArray:
    """Return the values to rank: logarithms of the rows that have them, computed as `math` does."""
    is_positive = values.min(axis=1) > 0
    logs = list(map(math.log, values[is_positive].ravel().tolist()))
    values[is_positive] = np.reshape(logs, (-1, values.shape[1]))
    return values


def _cut(rows: Sequence[tuple[Side, Side]], length: int) -> Iterator[Sequence[tuple[Side, Side]]]:
    return (rows[start : start + length] for start in range(0, len(rows), length))
