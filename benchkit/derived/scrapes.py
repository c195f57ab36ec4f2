"""Which steps of a range answer are samples, and which repeat the last scrape.

Prometheus repeats a value until the next scrape; a repeat at either end of a run adds time in
which nothing was counted.

A step counts where the value is another than at the step before. It counts as well where the value
has stood still for longer than three scrape intervals, as the container is idle then; so do all
steps of a counter that never moves. Where nothing is repeated, every step counts.
"""

from __future__ import annotations

from collections.abc import Iterable
from typing import TYPE_CHECKING

import numpy as np

if TYPE_CHECKING:
    import numpy.typing as npt

    from benchkit.stats.sample import FloatArray

#: Scrapes without a change after which a counter stands still, and is not merely repeated.
_IDLE = 3


def scrape_interval(counters: Iterable[tuple[FloatArray, FloatArray]]) -> float:
    """Return the shortest time in s between two changes of any counter.

    Parameters
    ----------
    counters : iterable of (times, values)
        All that one Prometheus scraped from one place, each in increasing order of time.

    Returns
    -------
    float
        0 where no counter changes, infinite where none changes twice.

    Examples
    --------
    >>> scrape_interval([(np.arange(6.0), np.array([1.0, 1, 2, 2, 2, 3]))])
    3.0
    """
    changes = [times[1:][np.diff(values) != 0] for times, values in counters]
    if not any(len(times) for times in changes):
        return 0.0
    return min((float(np.diff(times).min()) for times in changes if len(times) > 1), default=np.inf)


def find_samples(times: FloatArray, values: FloatArray, interval: float) -> npt.NDArray[np.bool_]:
    """Tell which steps of a range answer are samples of a counter.

    Parameters
    ----------
    times, values : ndarray of float, shape (n,)
        In increasing order of time, n >= 1.
    interval : float
        As `scrape_interval` tells it.

    Examples
    --------
    >>> find_samples(np.arange(6.0), np.array([1.0, 1, 2, 2, 2, 3]), 3).tolist()
    [False, False, True, False, False, True]
    """
    changed = np.concatenate(([False], np.diff(values) != 0))
    if not changed.any():
        return np.full(len(times), len(times) < 2 or bool(times[-1] - times[0] > interval))
    if changed[1:].all():
        return np.ones(len(times), bool)
    since = np.maximum.accumulate(np.where(changed, times, times[0]))
    return changed | (times - since > _IDLE * interval)
