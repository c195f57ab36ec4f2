"""How often something happens, with the interval that a count allows.

None in five is not never.
"""

from __future__ import annotations

from benchkit.stats.results import Estimate
from benchkit.stats.sample import check_fraction


def estimate_rate(times: float, trials: float, confidence: float = 0.95) -> Estimate:
    """Estimate a rate from a count.

    Parameters
    ----------
    times, trials : float
        0 <= times <= trials, trials > 0. They need not be whole: trials that share data count less.
    confidence : float
        Of the interval.

    Returns
    -------
    Estimate

    Raises
    ------
    ValueError
        If a parameter is out of range.

    Notes
    -----
    Clopper and Pearson: quantiles of beta distributions [1]_; covers at least as often as stated.
    Assumes independent trials. Smallest usable n: 1, where the interval is almost everything.

    References
    ----------
    .. [1] C. J. Clopper and E. S. Pearson, "The use of confidence or fiducial limits illustrated in
       the case of the binomial", Biometrika 26 (1934) 404-413.

    Examples
    --------
    >>> rate = estimate_rate(0, 5)
    >>> rate.value, rate.low, round(rate.high, 3)
    (0.0, 0.0, 0.522)
    """
    check_fraction(confidence, "confidence")
    if not (trials > 0 and 0 <= times <= trials):
        raise ValueError(f"expected 0 <= times <= trials and trials > 0, got {times}, {trials}")
    from scipy.special import betaincinv

    tail = (1 - confidence) / 2
    low = float(betaincinv(times, trials - times + 1, tail)) if times else 0.0
    high = float(betaincinv(times + 1, trials - times, 1 - tail)) if times < trials else 1.0
    return Estimate(times / trials, low, high, confidence, "clopper-pearson")
