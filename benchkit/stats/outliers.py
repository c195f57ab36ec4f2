"""Values far from the rest of their side.

A run that was starved or interrupted has to be named; whether it counts is for a person.
"""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
from numpy.typing import ArrayLike, NDArray

from benchkit.stats.sample import middles, read_sample

#: Beyond this modified z-score a value lies far from the rest.
FAR = 3.5
#: Fewest values of which one can be called far: of 4 the two in the middle decide alone.
SMALLEST = 5
#: Makes the median absolute deviation of normal values their standard deviation.
_NORMAL = 0.6745


def find_outliers(x: ArrayLike) -> NDArray[np.bool_]:
    """Mark the values that lie far from the median.

    Parameters
    ----------
    x : array_like, shape (n,)
        Finite, at least one value.

    Returns
    -------
    ndarray of bool, shape (n,)
        All False for fewer than 5 values, and where the median absolute deviation is 0.

    Raises
    ------
    ValueError
        If x is empty or not finite.

    Notes
    -----
    ``|0.6745 (x - median) / MAD| > 3.5`` [1]_. Assumes that most values come from one roughly
    symmetric distribution. Of few values it marks many: of 5 normal ones some in 21 % of samples,
    of 8 in 14 %, of 12 in 12 %. So it names, and nothing more. Smallest usable n: 5.

    References
    ----------
    .. [1] B. Iglewicz and D. C. Hoaglin, How to Detect and Handle Outliers (1993), section 3.

    Examples
    --------
    >>> find_outliers([10.0, 10.2, 9.9, 10.1, 4.1, 10.3]).tolist()
    [False, False, False, False, True, False]
    """
    return find_outliers_of_each([x])[0]


def find_outliers_of_each(samples: Sequence[ArrayLike]) -> list[NDArray[np.bool_]]:
    """Mark the values of each of many samples that lie far from its median."""
    read = [read_sample(x, "x") for x in samples]
    far = [np.zeros(sample.size, dtype=np.bool_) for sample in read]
    sizes: dict[int, list[int]] = {}
    for at, sample in enumerate(read):
        sizes.setdefault(sample.size, []).append(at)
    for size, places in sizes.items():
        rows = np.stack([read[at] for at in places])
        away = np.abs(rows - middles(np.sort(rows, axis=1))[:, None])
        spread = middles(np.sort(away, axis=1))[:, None]
        is_far = (size >= SMALLEST) & (spread > 0) & (_NORMAL * away > FAR * spread)
        for at, marks in zip(places, is_far, strict=True):
            far[at] = marks
    return far
