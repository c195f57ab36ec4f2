"""Equivalence: when an interval of a log ratio lies within a margin.

In: the two ends of an interval, and a margin as a fraction. Out: yes or no, or the log margin.
Why: "no difference was shown" is not "there is no difference"; only this says the second.
"""

from __future__ import annotations

from math import inf, log1p

#: A log ratio that equals the margin reaches it, whatever the logarithms are in binary.
_NEARLY = 1 - 1e-9


def log_margin(margin: float) -> float:
    """Return log(1 + margin): the margin on the scale of log ratios.

    Parameters
    ----------
    margin : float
        A fraction, 0.03 for 3 %, finite and greater than 0.

    Raises
    ------
    ValueError
        If the margin is not positive or not finite.

    Notes
    -----
    Both directions use the same log, so 3 % more and its mirror image 1/1.03 are treated alike:
    the verdict does not depend on which side is called the baseline.

    Examples
    --------
    >>> round(log_margin(0.03), 6)
    0.029559
    """
    if not 0 < margin < inf:
        raise ValueError(f"margin must be positive and finite: {margin}")
    return log1p(margin)


def reaches(log_ratio: float, margin: float) -> bool:
    """Tell whether a change is at least as large as the margin, either way.

    Parameters
    ----------
    log_ratio : float
    margin : float
        A fraction, 0.03 for 3 %, finite and greater than 0.

    Returns
    -------
    bool
        False where the ratio is NaN.

    Raises
    ------
    ValueError
        If the margin is not positive or not finite.

    Examples
    --------
    >>> from math import log
    >>> reaches(log(1030) - log(1000), 0.03), reaches(log(103) - log(100), 0.03)
    (True, True)
    """
    return abs(log_ratio) >= log_margin(margin) * _NEARLY


def is_equivalent(low: float, high: float, margin: float) -> bool:
    """Tell whether an interval of a log ratio lies strictly within ±log(1 + margin).

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
        False where an end is infinite or NaN: without an interval nothing is shown.

    Raises
    ------
    ValueError
        If the margin is not positive or not finite.

    Notes
    -----
    Two one-sided tests (TOST) at alpha, both of which reject exactly where the 1 - 2·alpha
    interval lies inside [1]_. Assumes what the interval assumes; smallest usable n with
    `hodges_lehmann` at 90 %: 3 + 3.

    References
    ----------
    .. [1] D. J. Schuirmann, "A comparison of the two one-sided tests procedure and the power
       approach", J. Pharmacokin. Biopharm. 15 (1987) 657-680.

    Examples
    --------
    >>> is_equivalent(-0.012, 0.021, margin=0.03), is_equivalent(-0.012, 0.031, margin=0.03)
    (True, False)
    """
    limit = log_margin(margin) * _NEARLY
    return -limit < low and high < limit
