"""What a series and a commit are called, in tables and in figures.

In: `Series`, a commit. Out: texts. Why: who looks from a figure into the table finds the same
names.
"""

from __future__ import annotations

from benchkit.history.model import Change, Series
from benchkit.metrics import label
from benchkit.units import printable

#: Characters of a commit that are shown.
_SHORT = 7


def name_series(series: Series) -> str:
    """Name what a series is about."""
    texts = (
        label(series.metric, series.stat), series.variant, series.group, series.benchmark,
        series.params, series.subject,
    )  # fmt: skip
    return printable(" · ".join(text for text in texts if text))


def shorten(commit: str) -> str:
    """Write a commit as it is shown.

    Examples
    --------
    >>> shorten("c861e65f00d1")
    'c861e65'
    """
    return printable(commit[:_SHORT])


def is_cost(series: Series, change: Change) -> bool | None:
    """Tell whether a change is for the worse; None where no direction is better."""
    if series.better not in {"lower", "higher"}:
        return None
    return (change.ratio > 1) == (series.better == "lower")
