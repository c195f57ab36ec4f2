"""Counts that hardly vary: compared by their ranges, without a test.

Three runs of 12 allocations against three of 400 are a fact, but no test on 3 + 3 runs can reach 5
%.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import ArrayLike

from benchkit.stats.sample import FloatArray, middle, read_sample

#: Largest (max - min)/|median| of a side that still counts as exact.
LARGEST_VARIATION = 0.1
#: Minimum values per side from which ranges show how much a metric varies.
FEWEST_FOR_RANGES = 4


@dataclass(frozen=True, slots=True)
class ExactDifference:
    """Two exact sides and their difference.

    Parameters
    ----------
    baseline, variant : tuple of float
        Smallest and largest value of each side, in the unit of the data.
    difference : float
        Median of the variant minus median of the baseline; 0 if nothing changed.
    changed : bool
        Whether the sides differ; if not, all values are equal.
    """

    baseline: tuple[float, float]
    variant: tuple[float, float]
    difference: float
    changed: bool


def exact_difference(x: ArrayLike, y: ArrayLike) -> ExactDifference | None:
    """Compare two sides exactly, if possible.

    Parameters
    ----------
    x, y : array_like, shapes (n,) and (m,)
        Baseline and variant, finite, at least one value each.

    Returns
    -------
    ExactDifference or None
        ``changed`` if the ranges do not overlap and each side varies by at most 10 % of the
        absolute value of its median, and, with fewer than 4 values on a side that are not constant,
        the ranges lie further apart than these 10 %. Not ``changed`` if all values are identical.
        None otherwise: they are then ordinary values for an ordinary test.

    Raises
    ------
    ValueError
        If a side is empty or not finite.

    Notes
    -----
    Variation is ``(max - min) / |median|``; a side whose median is 0 must be constant. Assumes that
    the metric is a count that noise hardly affects: for timings this would not be evidence.
    Smallest usable n: 1.

    Examples
    --------
    >>> found = exact_difference([512, 512, 513], [2048, 2050, 2048])
    >>> found.baseline, found.variant, found.difference
    ((512.0, 513.0), (2048.0, 2050.0), 1536.0)
    >>> exact_difference([512, 512, 513], [513, 513, 513]) is None
    True
    """
    before, after = read_sample(x, "x"), read_sample(y, "y")
    baseline, variant = _range(before), _range(after)
    same = baseline == variant and baseline[0] == baseline[1]
    apart = baseline[1] < variant[0] or variant[1] < baseline[0]
    if not same and not (
        apart and is_steady(before) and is_steady(after) and _is_clear(before, after)
    ):
        return None
    difference = middle(np.sort(after)) - middle(np.sort(before))
    return ExactDifference(baseline, variant, difference, changed=not same)


def _range(sample: FloatArray) -> tuple[float, float]:
    return float(sample.min()), float(sample.max())


def _is_clear(before: FloatArray, after: FloatArray) -> bool:
    """Return whether a few values show that the sides lie further apart than they vary."""
    fewest = min(before.size, after.size)
    if fewest >= FEWEST_FOR_RANGES or (fewest > 1 and _is_constant(before, after)):
        return True
    ends = sorted((_range(before), _range(after)))
    gap = ends[1][0] - ends[0][1]
    return gap > LARGEST_VARIATION * float(np.median(np.abs([*ends[0], *ends[1]])))


def _is_constant(*samples: FloatArray) -> bool:
    return all(low == high for low, high in map(_range, samples))


def is_steady(values: ArrayLike) -> bool:
    """Return whether a side varies by at most 10 % of its median's size.

    Examples
    --------
    >>> is_steady([512, 512, 513]), is_steady([0, 0]), is_steady([0, 1])
    (True, True, False)
    """
    ordered = np.sort(read_sample(values, "values"))
    return float(ordered[-1] - ordered[0]) <= LARGEST_VARIATION * abs(middle(ordered))
