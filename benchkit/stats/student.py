"""Student's t: its quantile and its tail, for single numbers.

Comparing a few files needs only these two functions of scipy.special, and importing that takes half
as long again as importing pandas.
"""

from __future__ import annotations

from functools import lru_cache
from math import exp, inf, isfinite, lgamma, log, log1p, pi, sqrt
from statistics import NormalDist

_TINY = 1e-300


@lru_cache(1 << 12)  # the rows of a family share a few degrees of freedom
def t_quantile(freedom: float, probability: float) -> float:
    """Return t with P(T <= t) = probability for T of Student's distribution.

    Parameters
    ----------
    freedom : float
        Degrees of freedom, positive; whole numbers are not required.
    probability : float
        In (0, 1).

    Raises
    ------
    ValueError
        If a parameter is out of range.

    Notes
    -----
    Newton's steps on the distribution function, by the continued fraction of the incomplete beta
    integral (DLMF 8.17.22), starting from the expansion of Abramowitz & Stegun 26.7.5. Equals
    ``scipy.special.stdtrit`` to ten digits up to 10,000 degrees of freedom. Smallest usable
    freedom: 1.

    Examples
    --------
    >>> round(t_quantile(8, 0.975), 4)
    2.306
    """
    _check_freedom(freedom)
    if not 0 < probability < 1:
        raise ValueError(f"a probability lies between 0 and 1: {probability}")
    if probability < 0.5:
        return -t_quantile(freedom, 1 - probability)
    tail = 1 - probability
    z = NormalDist().inv_cdf(probability)
    t = z + (z**3 + z) / (4 * freedom)
    for _ in range(100):  # on logarithms, on which the tail is concave and a step falls short
        reached = t_tail(freedom, t)
        step = log(reached / tail) * reached / _density(freedom, t)
        t = max(t + step, 0.0)
        if abs(step) <= 1e-14 * (1 + t):
            break
    return t


def t_tail(freedom: float, t: float) -> float:
    """Return P(T > t) for T of Student's distribution and t >= 0.

    Parameters
    ----------
    freedom : float
        Degrees of freedom, positive; whole numbers are not required.
    t : float
        Not negative.

    Returns
    -------
    float
        In [0, 0.5].

    Raises
    ------
    ValueError
        If a parameter is out of range.

    Notes
    -----
    Half the incomplete beta ratio at freedom/(freedom + t²), Abramowitz & Stegun 26.7.1. Equals
    ``scipy.special.stdtr(freedom, -t)`` to eleven digits up to 10,000 degrees of freedom. Smallest
    usable freedom: 1.

    Examples
    --------
    >>> round(t_tail(8, 2.306), 4)
    0.025
    """
    _check_freedom(freedom)
    if not t >= 0:
        raise ValueError(f"t must not be negative: {t}")
    a, ratio = freedom / 2, t * t / freedom
    if ratio == 0:
        return 0.5
    if ratio == inf:
        return 0.0
    x, rest = 1 / (1 + ratio), ratio / (1 + ratio)  # 1 - x would lose the digits of a small t
    scale = lgamma(a + 0.5) - lgamma(a) - lgamma(0.5)
    front = exp(scale - a * log1p(ratio) + 0.5 * log(rest))
    if x < (a + 1) / (a + 2.5):
        return front * _fraction(a, 0.5, x) / a / 2
    return 0.5 - front * _fraction(0.5, a, rest)


def _density(freedom: float, t: float) -> float:
    scale = lgamma((freedom + 1) / 2) - lgamma(freedom / 2)
    return exp(scale - (freedom + 1) / 2 * log1p(t * t / freedom)) / sqrt(freedom * pi)


def _check_freedom(freedom: float) -> None:
    if not (freedom > 0 and isfinite(freedom)):
        raise ValueError(f"degrees of freedom must be positive: {freedom}")


def _fraction(a: float, b: float, x: float) -> float:
    """Return the continued fraction of the incomplete beta ratio, by Lentz's method."""
    c, d = 1.0, 1 - (a + b) * x / (a + 1)
    d = 1 / (d if abs(d) > _TINY else _TINY)
    value = d
    for m in range(1, 2000):
        even = m * (b - m) * x / ((a + 2 * m - 1) * (a + 2 * m))
        odd = -(a + m) * (a + b + m) * x / ((a + 2 * m) * (a + 2 * m + 1))
        for part in (even, odd):
            d, c = 1 + part * d, 1 + part / c
            d = 1 / (d if abs(d) > _TINY else _TINY)
            c = c if abs(c) > _TINY else _TINY
            value *= c * d
        if abs(c * d - 1) < 1e-15:
            break
    return value
