"""Values far from the rest of their side.

A run that was starved or interrupted has to be named; whether it counts is for a person.
"""

from __future__ import annotations

import numpy as np
from numpy.typing import ArrayLike, NDArray

from benchkit.stats.sample import middle, read_sample

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
    sample = read_sample(x, "x")
    away = np.abs(sample - middle(np.sort(sample)))
    spread = middle(np.sort(away))
    if sample.size < SMALLEST or spread == 0:
        return np.zeros(sample.size, dtype=np.bool_)
    far: NDArray[np.bool_] = _NORMAL * away > FAR * spread
    return far
