"""The single entry point of numbers into statistical functions.

A NaN in a rank test results in a wrong p-value (or an endless loop elsewhere), so it is refused
here.

The results that every statistical function returns: frozen, with notes, free of policy.

Evidence carries its own warnings, and never an alpha or a limit.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TypeAlias

import numpy as np
from numpy.typing import ArrayLike, NDArray

FloatArray: TypeAlias = NDArray[np.float64]

#: Largest accepted size of a value: squares and differences of larger ones would leave float64.
LARGEST = 1e150

#: Factor on a level, so that a p-value that equals it reaches it despite the binary 1 - 0.95.
ROUNDING = 1 + 1e-9


def read_sample(values: ArrayLike, name: str, *, smallest: int = 1) -> FloatArray:
    """Return the values as a checked array.

    Parameters
    ----------
    values : array_like, shape (n,)
        One number per run.
    name : str
        The parameter's name, for the error.
    smallest : int
        Minimum number of values.

    Raises
    ------
    ValueError
        If the values are not one-dimensional, too few, not finite, or beyond 1e150 in absolute
        value.

    Examples
    --------
    >>> read_sample([1, 2.5], "x")
    array([1. , 2.5])
    """
    sample = np.asarray(values, dtype=np.float64)
    if sample.ndim != 1:
        raise ValueError(f"{name} must have one dimension, got {sample.ndim}")
    if sample.size < smallest:
        raise ValueError(f"{name} must have at least {smallest} values, got {sample.size}")
    usable = np.abs(sample) <= LARGEST
    if not usable.all():
        raise ValueError(f"{name} must be finite and within ±{LARGEST:g}: {sample[~usable][0]}")
    return sample


def middle(ordered: FloatArray) -> float:
    """Return the median of values in ascending order, 20 times as fast as ``np.median``.

    Examples
    --------
    >>> middle(np.array([1.0, 2.0, 4.0])), middle(np.array([1.0, 2.0]))
    (2.0, 1.5)
    """
    half = ordered.size // 2
    if ordered.size % 2:
        return float(ordered[half])
    return float((ordered[half - 1] + ordered[half]) / 2)


def middles(ordered: FloatArray) -> FloatArray:
    """Return the median of each row of values in ascending order.

    Examples
    --------
    >>> middles(np.array([[1.0, 2.0, 4.0], [1.0, 3.0, 4.0]])).tolist()
    [2.0, 3.0]
    """
    half = ordered.shape[1] // 2
    if ordered.shape[1] % 2:
        return ordered[:, half]
    between: FloatArray = (ordered[:, half - 1] + ordered[:, half]) / 2
    return between


def check_fraction(value: float, name: str) -> None:
    """Raise ValueError unless 0 < value < 1.

    Examples
    --------
    >>> check_fraction(95, "confidence")
    Traceback (most recent call last):
    ValueError: confidence must be between 0 and 1: 95
    """
    if not 0 < value < 1:
        raise ValueError(f"{name} must be between 0 and 1: {value}")


@dataclass(frozen=True, slots=True)
class Estimate:
    """An estimate with its interval.

    Parameters
    ----------
    value, low, high : float
        In the unit of the data (or of its logarithms, if the caller took them). ``low`` and
        ``high`` are NaN if no interval exists, infinite if the level cannot be reached.
    confidence : float
        The confidence of the interval, 0 < confidence < 1.
    method : str
        ``hodges-lehmann``, ``welch``, …
    notes : tuple of str
        Notes that the reader needs.
    """

    value: float
    low: float
    high: float
    confidence: float
    method: str
    notes: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class TestResult:
    """The result of a test.

    Parameters
    ----------
    statistic : float
        As the method defines it.
    pvalue : float
        0 < pvalue <= 1.
    method : str
        ``mann-whitney exact``, ``welch``, …
    notes : tuple of str
        Notes that the reader needs.
    """

    __test__ = False  # not a test case, despite its name

    statistic: float
    pvalue: float
    method: str
    notes: tuple[str, ...] = ()


def measure_variance(sample: FloatArray) -> float:
    """Return the sample variance; for a constant sample exactly 0."""
    return float(np.var(sample - sample[0], ddof=1))
