"""Which order statistic ab prints as a percentile: one rule in its text, another in its CSV.

In: how many requests were sampled, and a percentage. Out: the index (from 0) into the sorted
times. Why: a percentile computed from ab's samples equals ab's own only by ab's own rule.
"""

from __future__ import annotations

#: Of the ``50% …`` lines of the report.
TEXT_RULE = "sorted[floor(n*p/100)]"
#: Of ``-e``; its row 0 is the least time, its row 100 the greatest.
CSV_RULE = "sorted[floor(0.5 + n*p/100)]"


def text_index(n: int, percent: int) -> int:
    """Return which of ``n`` sorted times the report prints; 100 is the last.

    Examples
    --------
    >>> text_index(3000, 50), text_index(3000, 100)
    (1500, 2999)
    """
    return min(n * percent // 100, n - 1)


def csv_index(n: int, percent: int) -> int:
    """Return which of ``n`` sorted times ``-e`` prints; 0 is the first, 100 the last.

    Examples
    --------
    >>> csv_index(150, 99), csv_index(150, 0), csv_index(150, 100)
    (149, 0, 149)
    """
    return min((n * percent + 50) // 100, n - 1) if percent else 0
