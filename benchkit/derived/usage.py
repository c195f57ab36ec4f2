"""A counter or a gauge over the time of one run: mean, largest, how much was seen.

Cores are a difference of two counts over the time between them; resets and values that were
looked at twice must not change them.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np

if TYPE_CHECKING:
    from benchkit.stats.sample import FloatArray


@dataclass(frozen=True, slots=True)
class Usage:
    """What a series comes to in a window.

    Parameters
    ----------
    mean, largest : float
        In the unit, or in the unit per second for a counter.
    n : int
        Samples in the window.
    covered : float
        Seconds between the first and the last.
    increase : float
        Of a counter; 0 for a gauge.
    """

    mean: float
    largest: float
    n: int
    covered: float
    increase: float = 0.0


def cut(
    times: FloatArray, values: FloatArray, window: tuple[float, float] | None
) -> tuple[FloatArray, FloatArray]:
    """Keep what lies in a window, in the order of time, one value per time.

    Parameters
    ----------
    times, values : ndarray of float, shape (n,)
        Times in s.
    window : (start, end) or None
        Both ends included; None keeps everything.
    """
    order = np.argsort(times, kind="stable")
    times, values = times[order], values[order]
    first = np.concatenate(([True], np.diff(times) > 0)) if len(times) else np.zeros(0, bool)
    inside = first if window is None else first & (times >= window[0]) & (times <= window[1])
    return times[inside], values[inside]


def reduce_counter(times: FloatArray, values: FloatArray) -> Usage | None:
    """Return the rate of a counter.

    Parameters
    ----------
    times, values : ndarray of float, shape (n,)
        In increasing order of time, as `cut` returns them.

    Returns
    -------
    Usage or None
        None for fewer than two samples.

    Notes
    -----
    The mean is the increase from the first to the last sample over the time between them. Where the
    counter falls it was reset, and counts from 0 again. The largest is that of one step from a
    value to the next other value, so that a value that was scraped twice does not make the next
    step twice as steep.

    Examples
    --------
    >>> import numpy as np
    >>> usage = reduce_counter(np.array([0.0, 1.0, 2.0, 3.0]), np.array([7.0, 8.0, 0.5, 0.5]))
    >>> usage.mean, usage.largest, usage.increase
    (0.5, 1.0, 1.5)
    """
    if len(times) < 2:
        return None
    steps = _increases(values)
    covered, increase = float(times[-1] - times[0]), float(steps.sum())
    _, rates = rate_steps(times, values)
    largest = float(rates.max()) if len(rates) else 0.0
    return Usage(increase / covered, largest, len(times), covered, increase)


def rate_steps(times: FloatArray, values: FloatArray) -> tuple[FloatArray, FloatArray]:
    """Return the rate of a counter between a value and the next other value, and when.

    Parameters
    ----------
    times, values : ndarray of float, shape (n,)
        In increasing order of time, as `cut` returns them.

    Returns
    -------
    tuple of ndarray, each of shape (steps,)
        The middle of each step, and the rate in it.

    Examples
    --------
    >>> import numpy as np
    >>> rate_steps(np.array([0.0, 1.0, 2.0, 4.0]), np.array([7.0, 8.0, 8.0, 11.0]))
    (array([0.5, 2.5]), array([1., 1.]))
    """
    steps = _increases(values)
    moved = np.concatenate(([True], steps != 0))
    ends = times[moved]
    return (ends[1:] + ends[:-1]) / 2, steps[moved[1:]] / np.diff(ends)


def _increases(values: FloatArray) -> FloatArray:
    """Return by how much a counter grew; where it falls it was reset, and counts from 0 again."""
    steps = np.diff(values)
    return np.where(steps < 0, values[1:], steps)


def reduce_gauge(times: FloatArray, values: FloatArray) -> Usage | None:
    """Return the mean and the largest of what was seen; None where nothing was.

    Examples
    --------
    >>> import numpy as np
    >>> reduce_gauge(np.array([0.0, 1.0]), np.array([4.0, 6.0])).mean
    5.0
    """
    if not len(values):
        return None
    covered = float(times[-1] - times[0])
    return Usage(float(values.mean()), float(values.max()), len(values), covered)
