"""Many benchmarks together: one change over all of them, with the interval that the runs allow.

Single rows may be undecided although all rows together are decided; and benchmarks that one process
measured together vary together, so runs are what counts.
"""

from __future__ import annotations

from dataclasses import replace

import numpy as np
from numpy.typing import ArrayLike

from benchkit.stats.location import paired_t, welch
from benchkit.stats.sample import LARGEST, Estimate, FloatArray


def compare_together(
    x: ArrayLike, y: ArrayLike, confidence: float = 0.95, *, is_paired: bool = False
) -> Estimate:
    """Estimate the mean change over many benchmarks.

    Parameters
    ----------
    x, y : array_like, shapes (b, n) and (b, m)
        Logarithms of baseline and variant, one row per benchmark, one column per run.
    confidence : float
        The confidence of the interval, 0 < confidence < 1.
    is_paired : bool
        Whether column i of both sides forms a pair, as in rounds.

    Returns
    -------
    Estimate
        Estimate of the mean log ratio: its exponential is the geometric mean of the ratios. ``low``
        and ``high`` are NaN, with a note, if no run differs from the others of its side.

    Raises
    ------
    ValueError
        If the sides differ in rows, have fewer than 2 columns, a value is not finite, or the
        confidence is out of range.

    Notes
    -----
    Each run is represented by its mean over the benchmarks; these means are compared by `welch`, by
    its fewest degrees of freedom if 2 runs are compared with more, and pairs by `paired_t`. Rows
    may vary together and unequally: only runs must be independent, and their means nearly normal.
    The interval is about these b benchmarks, as if no others existed. Smallest usable n: 2 + 2,
    with a very wide interval.

    Examples
    --------
    >>> x = np.log([[100.0, 102.0, 101.0], [50.0, 51.0, 50.0]])
    >>> y = np.log([[110.0, 111.0, 112.0], [57.0, 56.0, 58.0]])
    >>> together = compare_together(x, y)
    >>> np.exp([together.value, together.low, together.high]).round(3).tolist()
    [1.116, 1.088, 1.144]
    """
    before, after = _average(x, "x"), _average(y, "y")
    if len(np.asarray(x)) != len(np.asarray(y)):
        raise ValueError("both sides need one row per benchmark")
    if is_paired:
        estimate, _ = paired_t(before, after, confidence)
    else:
        fewest, most = sorted((before.size, after.size))
        least = fewest == 2 < most
        estimate, _ = welch(before, after, confidence, least_freedom=least)
    return replace(estimate, method="geometric mean")


def _average(values: ArrayLike, name: str) -> FloatArray:
    """Return the mean of each column."""
    table = np.asarray(values, dtype=np.float64)
    if table.ndim != 2 or not len(table) or table.shape[1] < 2:
        raise ValueError(f"{name} must be a table with at least 2 columns, got {table.shape}")
    if not (np.abs(table) <= LARGEST).all():
        raise ValueError(f"{name} must be finite and within ±{LARGEST:g}")
    means: FloatArray = table.mean(axis=0)
    return means
