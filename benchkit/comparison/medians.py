"""Notes for changes that the displayed medians of the two sides seem to contradict.

A change by ranks, or by means of logarithms, is not the ratio of the two medians that a reader
sees.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from statistics import median

from benchkit.units import format_change

#: Note on a change whose sign is opposite to that of the displayed medians.
AGAINST = (
    "the medians differ in the opposite direction to the change; the change is not their ratio"
)
#: Smallest difference between changes that is visible in the output.
_VISIBLE = 0.001
#: Prefix of a note that states how much the medians differ.
APART = "the medians differ by"
#: Largest distance of the medians' ratio from the estimate.
_APART = math.log(1.2)
#: Largest logarithm of a ratio that fits float64.
_LARGEST_LOG = 690.0


def note_medians(x: Sequence[float], y: Sequence[float], ratio: float | None) -> tuple[str, ...]:
    """Return a note if the medians differ in the opposite direction, or far from the estimate.

    Parameters
    ----------
    x, y : sequence of float
        The runs of the baseline and of the variant; at least one each.
    ratio : float or None
        The ratio of the variant to the baseline, as estimated from all runs.

    Examples
    --------
    >>> note_medians([10.0, 11.0, 30.0], [12.0, 12.0, 13.0], 0.88)[0]
    'the medians differ in the opposite direction to the change; the change is not their ratio'
    >>> note_medians([10.0, 11.0, 30.0], [12.0, 12.0, 13.0], 1.09)
    ()
    """
    before, after = median(x), median(y)
    if ratio is None or min(ratio, before, after) <= 0:
        return ()
    estimated, seen = math.log(ratio), math.log(after) - math.log(before)
    if estimated * seen < 0 and abs(estimated - seen) >= _VISIBLE:
        return (AGAINST,)
    if abs(estimated - seen) > _APART:
        plain = format_change(math.exp(min(seen, _LARGEST_LOG)))
        return (f"{APART} {plain}; the change is not their ratio, and the runs vary widely",)
    return ()
