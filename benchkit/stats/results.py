"""The results that every statistical function returns: frozen, with notes, free of policy.

Evidence carries its own warnings, and never an alpha or a limit.
"""

from __future__ import annotations

from dataclasses import dataclass

#: A level times this is reached by a p-value that equals it, whatever 1 - 0.95 is in binary.
ROUNDING = 1 + 1e-9


@dataclass(frozen=True, slots=True)
class Estimate:
    """An estimate with its interval.

    Parameters
    ----------
    value, low, high : float
        In the unit of the data (or of its logarithms, where the caller took them). ``low`` and
        ``high`` are NaN where no interval exists, infinite where the level cannot be reached.
    confidence : float
        Of the interval, 0 < confidence < 1.
    method : str
        ``hodges-lehmann``, ``welch``, …
    notes : tuple of str
        What the reader has to know.
    """

    value: float
    low: float
    high: float
    confidence: float
    method: str
    notes: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class TestResult:
    """A test's outcome.

    Parameters
    ----------
    statistic : float
        As the method defines it.
    pvalue : float
        0 < pvalue <= 1.
    method : str
        ``mann-whitney exact``, ``welch``, …
    notes : tuple of str
        What the reader has to know.
    """

    __test__ = False  # not a test case, whatever pytest thinks of the name

    statistic: float
    pvalue: float
    method: str
    notes: tuple[str, ...] = ()
