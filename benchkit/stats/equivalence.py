"""Margins, and equivalence within a margin: the smallest changes that matter.

"No difference was shown" is not "there is no difference"; only an interval within the margin shows
the latter.
"""

from __future__ import annotations

from math import copysign, inf, log1p

#: Tolerance with which a log ratio that equals the margin reaches it despite binary rounding.
_NEARLY = 1 - 1e-9


def margin_bounds(margin: float) -> tuple[float, float]:
    """Return 1 - margin and 1 + margin: the ratios from which a change matters.

    Parameters
    ----------
    margin : float
        A fraction, 0.03 for 3 %, finite and at least 0.

    Returns
    -------
    low, high : float
        0 for ``low`` from a margin of 100 % on: nothing falls by more than 100 %.

    Raises
    ------
    ValueError
        If the margin is negative or not finite.

    Notes
    -----
    Literal, whichever direction is better: 3 % of a rate is 0.97 of it, as 3 % of a time is 1.03 of
    it. The two bounds are not each other's reciprocals.

    Examples
    --------
    >>> margin_bounds(0.03)
    (0.97, 1.03)
    """
    if not 0 <= margin < inf:
        raise ValueError(f"margin must be positive and finite: {margin}")
    return max(1 - margin, 0.0), 1 + margin


def log_bounds(margin: float) -> tuple[float, float]:
    """Return the logarithms of `margin_bounds`; the lower is -inf from 100 % on.

    Parameters
    ----------
    margin : float
        A fraction, 0.03 for 3 %, finite and greater than 0.

    Raises
    ------
    ValueError
        If the margin is not positive or not finite.

    Examples
    --------
    >>> [round(bound, 6) for bound in log_bounds(0.03)]
    [-0.030459, 0.029559]
    """
    if not 0 < margin < inf:
        raise ValueError(f"margin must be positive and finite: {margin}")
    return (log1p(-margin) if margin < 1 else -inf), log1p(margin)


def log_sizes(change: float, margin: float = 0.0) -> tuple[float, float]:
    """Return the sizes of a change, and of the margin on its side, in logarithms.

    Parameters
    ----------
    change : float
        A fraction above -1: 0.06 for 6 % more, -0.06 for 6 % less; not 0.
    margin : float
        A fraction, at least 0.

    Returns
    -------
    size, reach : float
        Both positive; the margin may be 0.

    Raises
    ------
    ValueError
        If the change or the margin is out of range.

    Examples
    --------
    >>> [round(size, 4) for size in log_sizes(0.06, 0.03)]
    [0.0583, 0.0296]
    >>> [round(size, 4) for size in log_sizes(-0.06, 0.03)]
    [0.0619, 0.0305]
    """
    if not (-1 < change < inf and change and 0 <= margin < inf):
        raise ValueError(
            f"expected a change above -1 that is not 0 and a margin >= 0, got {change}, {margin}"
        )
    bound = copysign(margin, change)
    return abs(log1p(change)), abs(log1p(bound)) if bound > -1 else inf


def worsen(share: float, better: str) -> float:
    """Return the change for the worse of a size: a loss if higher is better, else an increase.

    A loss of 100 % has no logarithm: from 100 % on it is an increase, too.

    Examples
    --------
    >>> worsen(0.06, "lower"), worsen(0.06, "higher")
    (0.06, -0.06)
    """
    return copysign(share, -1 if better == "higher" and share < 1 else 1)


def reaches(log_ratio: float, margin: float) -> bool:
    """Return whether a change is at least as large as the margin, in either direction.

    Parameters
    ----------
    log_ratio : float
    margin : float
        A fraction, 0.03 for 3 %, finite and greater than 0.

    Returns
    -------
    bool
        False if the ratio is NaN.

    Raises
    ------
    ValueError
        If the margin is not positive or not finite.

    Examples
    --------
    >>> from math import log
    >>> reaches(log(1030) - log(1000), 0.03), reaches(log(97) - log(100), 0.03)
    (True, True)
    >>> reaches(log(1000) - log(1030), 0.03)
    False
    """
    low, high = log_bounds(margin)
    return log_ratio >= high * _NEARLY or log_ratio <= low * _NEARLY


def is_equivalent(low: float, high: float, margin: float) -> bool:
    """Return whether an interval of a log ratio lies strictly within 1 ± margin.

    Parameters
    ----------
    low, high : float
        Ends of the interval of the log ratio. Its confidence must be 1 - 2·alpha: 90 % for a
        test at 5 %.
    margin : float
        A fraction, 0.03 for 3 %.

    Returns
    -------
    bool
        False if an end is infinite or NaN: without an interval nothing is shown.

    Raises
    ------
    ValueError
        If the margin is not positive or not finite.

    Notes
    -----
    Two one-sided tests (TOST) at alpha, both of which reject exactly if the 1 - 2·alpha interval
    lies inside [1]_. Has the assumptions of the interval; smallest usable n with `hodges_lehmann`
    at 90 %: 3 + 3.

    References
    ----------
    .. [1] D. J. Schuirmann, "A comparison of the two one-sided tests procedure and the power
       approach", J. Pharmacokin. Biopharm. 15 (1987) 657-680.

    Examples
    --------
    >>> is_equivalent(-0.030, 0.021, margin=0.03), is_equivalent(-0.012, 0.030, margin=0.03)
    (True, False)
    """
    least, most = log_bounds(margin)
    return least * _NEARLY < low and high < most * _NEARLY
