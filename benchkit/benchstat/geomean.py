"""The last row: the geometric mean of each column.

Benchstat averages the ratios row by row, which is no ratio of its averages where the files hold
different benchmarks (benchtab/builder.go, summarizeCol).
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from math import isnan

from benchkit.benchstat.gomath import exp, log
from benchkit.benchstat.numbers import write_fixed

_DIFFERENT_SETS = "benchmark set differs from baseline; geomeans may not be comparable"


@dataclass(frozen=True, slots=True)
class ColumnSummary:
    """The geometric mean of a column.

    Parameters
    ----------
    mean, ratio : float, optional
        Of the centers, and of their ratios to the first column's; None where there is none.
    """

    mean: float | None
    ratio: float | None
    warnings: tuple[str, ...]

    def write_ratio(self) -> str:
        """Write the mean change, ``?`` where there is none."""
        if self.ratio is None:
            return "?"
        return write_fixed((self.ratio - 1) * 100, 2, signed=True) + "%"


def summarize_column(
    centers: Sequence[tuple[float, float | None]], *, paired: int | None
) -> ColumnSummary:
    """Summarize one column.

    Parameters
    ----------
    centers : sequence of (float, float or None)
        Of this column's cells, and of the first column's in the same row.
    paired : int, optional
        Cells of the first column; None if this is the first column.

    Examples
    --------
    >>> summary = summarize_column([(2.0, 1.0), (8.0, 4.0)], paired=2)
    >>> round(summary.mean, 9), round(summary.ratio, 9), summary.warnings
    (4.0, 2.0, ())
    """
    warnings = []
    ratios = [_divide(new, old) for new, old in centers if old is not None]
    if paired is not None and paired != len(ratios):
        warnings.append(_DIFFERENT_SETS)
    mean = _average([center for center, _ in centers])
    if mean is None:
        warnings.append("summaries must be >0 to compute geomean")
    if paired is None or None in ratios:
        return ColumnSummary(mean, None, tuple(warnings))
    ratio = _average([ratio for ratio in ratios if ratio is not None])
    if ratio is None:
        warnings.append("ratios must be >0 to compute geomean")
    return ColumnSummary(mean, ratio, tuple(warnings))


def _divide(new: float, old: float) -> float | None:
    """Return the ratio of two centers: 1 for equal ones, None for one to 0."""
    if new == old:
        return 1.0
    return new / old if old else None


def _average(values: Sequence[float]) -> float | None:
    """Return the geometric mean, summed up as go-moremath does; None if a value is not above 0."""
    if not values or not all(value > 0 for value in values):
        return None
    mean = 0.0
    for count, value in enumerate(values, start=1):
        mean += (log(value) - mean) / count
    return None if isnan(mean) else exp(mean)
