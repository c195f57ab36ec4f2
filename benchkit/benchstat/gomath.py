"""Logarithm, exponential and binomial coefficient, equal to Go's on x86-64 in every digit.

Neither Go's nor C's functions are correctly rounded, and a CSV shows every digit of a geometric
mean. The steps are those of Go's ``math/log_amd64.s``, ``exp_amd64.s`` (the branch of processors
with a fused multiply-add), ``lgamma.go``, and of go-moremath's ``mathx/choose.go``.

The last row: the geometric mean of each column.

Benchstat averages the ratios row by row, which differs from the ratio of its averages if the files
contain different benchmarks (benchtab/builder.go, summarizeCol).
"""

from __future__ import annotations

import struct
from collections.abc import Sequence
from dataclasses import dataclass
from fractions import Fraction
from functools import lru_cache
from math import comb, factorial, inf, isfinite, isnan, ldexp, nan, sqrt

from benchkit.benchstat.numbers import write_fixed

_LN2_HIGH, _LN2_LOW = 6.93147180369123816490e-01, 1.90821492927058770002e-10
_LOG_EVEN = (3.999999999940941908e-01, 2.222219843214978396e-01, 1.531383769920937332e-01)
_LOG_ODD = (
    6.666666666666735130e-01,
    2.857142874366239149e-01,
    1.818357216161805012e-01,
    1.479819860510658591e-01,
)
_EXP_LN2_HIGH = 0.69314718055966295651160180568695068359375
_EXP_LN2_LOW = 0.28235290563031577122588448175013436025525412068e-12
_LOG2_E = 1.4426950408889634073599246810018920
#: 1/8!, 1/7!, …, 1/2! and 1: Taylor's series of (exp(x) - 1) / x.
_EXP_SERIES = tuple(1 / factorial(n) for n in range(8, 0, -1))
_EXP_OVERFLOW = 7.09782712893384e02
_STIRLING = (
    4.18938533204672725052e-01,
    8.33333333333329678849e-02,
    -2.77777777728775536470e-03,
    7.93650558643019558500e-04,
    -5.95187557450339963135e-04,
    8.36339918996282139126e-04,
    -1.63092934096575273989e-03,
)
#: The largest n for which a binomial coefficient is a quotient of integers.
_EXACT_UP_TO = 20
_DIFFERENT_SETS = "benchmark set differs from baseline; geomeans may not be comparable"


def log(x: float) -> float:
    """Return the natural logarithm.

    Examples
    --------
    >>> log(10.0), log(0.0), log(-1.0)
    (2.302585092994046, -inf, nan)
    """
    if x == 0:
        return -inf
    if x < 0:
        return nan
    if not isfinite(x):
        return x
    # The bits, not frexp: the assembler treats a denormal number like a normal one.
    bits = struct.unpack("<Q", struct.pack("<d", x))[0]
    fraction: float = struct.unpack("<d", struct.pack("<Q", bits & (1 << 52) - 1 | 1022 << 52))[0]
    k = float((bits >> 52) - 1022)
    if fraction < sqrt(2) / 2:
        fraction, k = 2 * fraction, k - 1
    f = fraction - 1
    s = f / (2 + f)
    square = s * s
    fourth = square * square
    rest = square * _polynomial(_LOG_ODD, fourth) + fourth * _polynomial(_LOG_EVEN, fourth)
    half = 0.5 * f * f
    return k * _LN2_HIGH - ((half - (s * (half + rest) + k * _LN2_LOW)) - f)


def exp(x: float) -> float:
    """Return the exponential.

    Examples
    --------
    >>> exp(1.0), exp(-1000.0), exp(1000.0)
    (2.718281828459045, 0.0, inf)
    """
    if not isfinite(x):
        return 0.0 if x == -inf else x
    if x > _EXP_OVERFLOW:
        return inf
    if x < -_EXP_OVERFLOW * 2:
        return 0.0
    power = round(_LOG2_E * x)
    if power >= 1024:  # the assembler refuses what a smaller fraction would allow
        return inf
    x = _fused(-_EXP_LN2_HIGH, power, x)
    x = _fused(-_EXP_LN2_LOW, power, x) * 0.0625
    series = _EXP_SERIES[0]
    for term in _EXP_SERIES[1:]:
        series = _fused(series, x, term)
    x *= series  # exp(x) - 1, of a sixteenth: squared four times
    for _ in range(3):
        x *= x + 2
    return ldexp(_fused(x, x + 2, 1.0), power)


@lru_cache(maxsize=4096)
def choose(n: int, k: int) -> float:
    """Return the binomial coefficient, by logarithms of factorials above 20.

    Examples
    --------
    >>> choose(20, 10), choose(30, 15)
    (184756.0, 155117520.0000016)
    """
    if n <= _EXACT_UP_TO or k in {0, n}:
        return float(comb(n, k))
    return exp(log_factorial(n) - log_factorial(k) - log_factorial(n - k))


def log_factorial(n: int) -> float:
    """Return the logarithm of n!, as Lgamma(n + 1) computes it.

    Examples
    --------
    >>> log_factorial(1), log_factorial(10)
    (0.0, 15.104412573075518)
    """
    x = float(n + 1)
    if x < 8:
        return log(float(factorial(n)))
    inverse = 1 / x
    series = _STIRLING[0] + inverse * _polynomial(_STIRLING[1:], inverse * inverse)
    return (x - 0.5) * (log(x) - 1) + series


def _polynomial(coefficients: tuple[float, ...], x: float) -> float:
    """Evaluate by Horner's rule, the coefficient of the lowest power first."""
    total = coefficients[-1]
    for coefficient in coefficients[-2::-1]:
        total = coefficient + x * total
    return total


def _fused(a: float, b: float, c: float) -> float:
    """Return a·b + c rounded once."""
    return float(Fraction(a) * Fraction(b) + Fraction(c))


@dataclass(frozen=True, slots=True)
class ColumnSummary:
    """The geometric mean of a column.

    Parameters
    ----------
    mean, ratio : float, optional
        Of the centers, and of their ratios to the first column's; None if undefined.
    """

    mean: float | None
    ratio: float | None
    warnings: tuple[str, ...]

    def write_ratio(self) -> str:
        """Write the mean change, or ``?`` if there is none."""
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
        For this column's cells, and for the first column's in the same row.
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
    """Return the ratio of two centers: 1 if they are equal, None if the second is 0."""
    if new == old:
        return 1.0
    return new / old if old else None


def _average(values: Sequence[float]) -> float | None:
    """Return the geometric mean, summed like go-moremath; None if a value is not positive."""
    if not values or not all(value > 0 for value in values):
        return None
    mean = 0.0
    for count, value in enumerate(values, start=1):
        mean += (log(value) - mean) / count
    return None if isnan(mean) else exp(mean)
