"""The number of runs needed, and what a number of runs can show.

"Inconclusive" must come with what to do about it.

Planning only: never the power of the test that was just made, which adds no information.
"""

from __future__ import annotations

from math import ceil, expm1, isfinite, log1p, sqrt
from statistics import NormalDist

from benchkit.stats.equivalence import log_bounds, log_sizes
from benchkit.stats.sample import check_fraction

#: Minimum number of runs to recommend: below, no rank test reaches 5 %.
FEWEST_RUNS = 4
#: Maximum number of runs to recommend; None is returned beyond.
MOST_RUNS = 1000
#: Largest logarithm that is a plausible size of an effect.
_LARGEST_LOG = 300.0


def runs_to_show_equivalence(
    half_width: float, n: float, margin: float, *, confidence: float = 0.95, power: float = 0.8
) -> int | None:
    """Estimate the runs per side that show equivalence, if there is truly no difference.

    Parameters
    ----------
    half_width : float
        Half the length of the interval of the log ratio, (high - low)/2, at ``confidence``.
    n : float
        Runs per side behind the interval; their harmonic mean if the sides differ.
    margin : float
        A fraction, 0.03 for 3 %.
    confidence : float
        The confidence of the interval. The two one-sided tests are made at 1 - confidence.
    power : float
        Desired probability of success.

    Returns
    -------
    int or None
        At least 4. None if the half-width is unknown (NaN, infinite) or more than 1000 runs would
        be needed. A number <= n means that n runs usually suffice and these did not.

    Raises
    ------
    ValueError
        If a parameter is out of range.

    Notes
    -----
    n·(half_width/target)², since intervals shrink with the square root of n. The target is the
    half-width at which the estimate (true value 0) stays within log(1 + margin), the nearer of the
    two bounds, by z_{confidence} standard errors with the desired power: target =
    z_{(1+confidence)/2}·log(1 + margin) / (z_{confidence} + z_{(1+power)/2}), 0.67·log(1 + margin)
    by default [1]_. Assumes roughly normal estimates, and that future runs vary as these did. With
    few runs the half-width is itself uncertain: read the answer as an order of magnitude. Smallest
    usable n: 2.

    References
    ----------
    .. [1] K. F. Phillips, "Power of the two one-sided tests procedure in bioequivalence",
       J. Pharmacokin. Biopharm. 18 (1990) 137-144.

    Examples
    --------
    >>> runs_to_show_equivalence(0.05, n=6, margin=0.03)
    39
    >>> runs_to_show_equivalence(float("inf"), n=3, margin=0.03) is None
    True
    """
    check_fraction(confidence, "confidence")
    check_fraction(power, "power")
    _, nearer = log_bounds(margin)
    distance = nearer / (_z(confidence) + _z((1 + power) / 2))
    return _scale_runs(half_width, n, distance * _z((1 + confidence) / 2))


def runs_to_show_effect(
    half_width: float,
    n: float,
    effect: float,
    margin: float,
    *,
    confidence: float = 0.95,
    power: float = 0.8,
) -> int | None:
    """Estimate the runs per side that show an effect of a given size.

    Parameters
    ----------
    half_width : float
        Half the length of the interval of the log ratio, (high - low)/2, at ``confidence``.
    n : float
        Runs per side behind the interval; their harmonic mean if the sides differ.
    effect : float
        The true effect as a fraction, 0.06 for 6 % more, -0.06 for 6 % less; usually twice the
        margin.
    margin : float
        A fraction: the estimate has to be at least this large, too.
    confidence : float
        The confidence of the interval; the test is made at 1 - confidence, two-sided.
    power : float
        Desired probability of success.

    Returns
    -------
    int or None
        At least 4. None if the half-width is unknown, more than 1000 runs would be needed, or the
        effect is not larger than the margin and so, with power above one half, never shown.

    Raises
    ------
    ValueError
        If a parameter is out of range.

    Notes
    -----
    n·(half_width/target)². An effect is shown if p <= 1 - confidence and the estimate reaches the
    margin. With d = abs(log(1 + effect)) and m the margin's bound on that side, the standard error
    must not exceed d/(z_{(1+confidence)/2} + z_{power}) for the first and (d - m)/z_{power} for the
    second; target is the smaller of the two times z_{(1+confidence)/2} (0.7·d by default, with
    twice the margin). Assumptions as in `runs_to_show_equivalence`. For one row, without adjustment
    for the family: see `runs_for_family`. Smallest usable n: 2.

    References
    ----------
    W. G. Cochran and G. M. Cox, Experimental Designs (1957), section 2.2.

    Examples
    --------
    >>> runs_to_show_effect(0.05, n=6, effect=0.06, margin=0.03)
    10
    >>> runs_to_show_effect(0.05, n=6, effect=0.03, margin=0.03) is None
    True
    """
    check_fraction(confidence, "confidence")
    check_fraction(power, "power")
    size, reach = log_sizes(effect, margin)
    beyond, quantile = size - reach, _z(power)
    if beyond <= 0:
        return None
    error = size / (_z((1 + confidence) / 2) + quantile)
    if quantile > 0:
        error = min(error, beyond / quantile)
    return _scale_runs(half_width, n, error * _z((1 + confidence) / 2))


def detectable_effect(
    half_width: float, margin: float, *, confidence: float = 0.95, power: float = 0.8
) -> float | None:
    """Estimate the smallest increase that runs like those of an interval can show.

    Parameters
    ----------
    half_width : float
        Half the length of the interval of the log ratio, (high - low)/2, at ``confidence``.
    margin : float
        A fraction that the estimate has to reach, too; 0 for the test alone.
    confidence : float
        The confidence of the interval; the test is made at 1 - confidence, two-sided.
    power : float
        Desired probability of success.

    Returns
    -------
    float or None
        A fraction, 0.06 for +6 %; a decrease by 6 % is larger as a ratio and shown as well. None if
        the half-width is not finite.

    Raises
    ------
    ValueError
        If a parameter is out of range.

    Notes
    -----
    `runs_to_show_effect` solved for the effect: with e = half_width/z_{(1+confidence)/2} the
    standard error, exp(max((z_{(1+confidence)/2} + z_{power})·e, log(1 + margin) + z_{power}·e))
    - 1. It depends only on the width of the interval, not on its place, so it is not an "observed
    power". Assumptions as in `runs_to_show_equivalence`; for one row, without adjustment for the
    family. Smallest usable n: 2.

    References
    ----------
    W. G. Cochran and G. M. Cox, Experimental Designs (1957), section 2.2.

    Examples
    --------
    >>> round(detectable_effect(0.05, 0.03), 4), round(detectable_effect(0.001, 0.03), 4)
    (0.0741, 0.0304)
    """
    check_fraction(confidence, "confidence")
    check_fraction(power, "power")
    if half_width < 0 or margin < 0:
        raise ValueError(f"half_width and margin must be >= 0: {half_width}, {margin}")
    size = detectable_shift(half_width, log1p(margin), confidence=confidence, power=power)
    return expm1(size) if size < _LARGEST_LOG else None


def detectable_shift(
    half_width: float, margin: float, *, confidence: float = 0.95, power: float = 0.8
) -> float:
    """Estimate the smallest difference that runs like those of an interval can show.

    Parameters
    ----------
    half_width, margin : float
        As in `detectable_effect`, both in the unit of the interval.
    confidence, power : float
        As in `detectable_effect`.

    Returns
    -------
    float
        In the unit of the interval.

    Notes
    -----
    `detectable_effect` without its logarithms; it has the same formula, assumptions, source and
    smallest usable n.

    Examples
    --------
    >>> round(detectable_shift(1.0, 0.0), 2), round(detectable_shift(0.001, 1.0), 2)
    (1.43, 1.0)
    """
    critical, quantile = _z((1 + confidence) / 2), _z(power)
    error = half_width / critical
    return max((critical + quantile) * error, margin + quantile * error)


def _z(probability: float) -> float:
    return NormalDist().inv_cdf(probability)


def _scale_runs(half_width: float, n: float, target: float) -> int | None:
    """Return n·(half_width/target)² as runs, None if that is too many to recommend."""
    if not n >= 2 or half_width < 0:
        raise ValueError(f"expected n >= 2 and half_width >= 0, got {n}, {half_width}")
    if not isfinite(half_width):
        return None
    ratio = half_width / target
    if ratio > sqrt(MOST_RUNS / n):
        return None
    return max(FEWEST_RUNS, ceil(n * ratio**2))
