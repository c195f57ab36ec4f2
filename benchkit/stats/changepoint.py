"""Where the level of a series of runs changed, and by how much.

The place of a change is chosen by looking at the data, so a test at that place alone finds changes
in pure noise.
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from itertools import pairwise
from math import ceil, sqrt

import numpy as np
from numpy.typing import ArrayLike

from benchkit.stats.arrangements import (
    center_ranks,
    part_by_level,
    score_places,
    share_of_alike,
    share_of_orders,
)
from benchkit.stats.rank import hodges_lehmann
from benchkit.stats.sample import Estimate, FloatArray, check_fraction, read_sample

#: Minimum number of values on either side of a change.
SEGMENT = 5
#: Largest p-value of a change: one clean series in a hundred has a false change.
ALPHA = 0.01
#: Number of orders drawn in addition to the measured one.
PERMUTATIONS = 1999
#: Number of orders drawn to test whether neighbours are correlated.
_DRAFT = 499
#: Bias of the neighbours' correlation per removed level, in units of (1 + 3r)/n.
_BIAS = 1.5
#: Standard errors from which the correlation of neighbours counts as real: 5 %, one-sided.
_CHANCE = 1.645
#: Standard errors added to the correlation for one level, chosen by simulation.
_CAUTION = 0.75
#: The correlation is rounded up to a multiple of 1/40, so that series share drawn values.
_GRID = 40
#: Width of the long-tailed noise used to fit places, in median absolute deviations: 95 % as
#: efficient as least squares if the noise is normal (2.385 standard deviations).
_WIDTH = 2.385 * 1.4826
#: Share of the range below which noise is treated as rounding.
_ROUNDING = 1e-9
#: Maximum number of times that every place is fitted between its neighbours.
_PASSES = 5


@dataclass(frozen=True, slots=True)
class Split:
    """The place that splits a series best, whether or not it is a change.

    Parameters
    ----------
    index : int
        Index of the first value after the split.
    pvalue : float
        Share of random orders or series whose best place splits as well or better, 0 < pvalue <= 1.
    """

    index: int
    pvalue: float


@dataclass(frozen=True, slots=True)
class ChangePoint:
    """A step change.

    Parameters
    ----------
    index : int
        Index of the first value after the change.
    pvalue : float
        As in `Split`.
    effect : Estimate
        The segment after it compared with the one before.
    """

    index: int
    pvalue: float
    effect: Estimate


def find_split(
    values: ArrayLike,
    likeness: float = 0.0,
    smallest: int = SEGMENT,
    permutations: int = PERMUTATIONS,
    seed: int = 0,
) -> Split | None:
    """Find the best split of a series, and test it against all others.

    Parameters
    ----------
    values : array_like, shape (n,)
        One per commit, in order, finite.
    likeness : float
        Correlation of neighbours from `find_likeness`, 0 <= likeness < 1.
    smallest : int
        Minimum number of values on either side.
    permutations, seed : int
        Number and seed of the drawn orders or series.

    Returns
    -------
    Split or None
        None for fewer than ``2·smallest`` values, or if all are equal.

    Raises
    ------
    ValueError
        If a value is not finite, the likeness is out of range, or ``smallest`` or ``permutations``
        is below 1.

    Notes
    -----
    For every place k the rank sum of the first k values is standardised over all orders; the place
    with the largest absolute value is proposed (the test of Pettitt [1]_, standardised so that
    changes near an end count equally). p is the share of all orders whose largest absolute value is
    at least as large, which allows for having looked everywhere: counted for up to 16 values;
    otherwise (1 + these orders)/(1 + drawn). If neighbours are correlated, orders of so few values
    carry too little information: the variance between the two levels, as a share of the rest, is
    compared with that of drawn series of normal noise with the same first-order autoregression
    [2]_. Assumes that the noise keeps its character along the series. The place is a proposal: it
    often lies a value or two inside the longer side, and `find_changes` fits it by level. Smallest
    usable n: 10.

    References
    ----------
    .. [1] A. N. Pettitt, "A non-parametric approach to the change-point problem", J. R. Stat. Soc.
       C 28 (1979) 126-135.
    .. [2] J. Antoch, M. Hušková, Z. Prášková, "Effect of dependence on statistics for determination
       of change", J. Stat. Plan. Inference 60 (1997) 291-310.

    Examples
    --------
    >>> find_split([1.0, 1.2, 1.1, 1.3, 0.9, 2.0, 2.2, 2.1, 2.3, 1.9]).index
    5
    """
    sample = read_sample(values, "values", smallest=0)
    if min(smallest, permutations) < 1 or not 0 <= likeness < 1:
        msg = (
            "smallest and permutations must be at least 1, and likeness must be in [0, 1):  "
            f"{smallest, permutations, likeness}"
        )
        raise ValueError(msg)
    if sample.size < 2 * smallest or np.ptp(sample) == 0:
        return None
    if likeness:
        scaled = (sample - sample.min()) / np.ptp(sample)
        scores = part_by_level(scaled[np.newaxis], smallest)[0]
        best = float(scores.max())
        pvalue = share_of_alike(sample.size, likeness, best, smallest, permutations, seed)
    else:
        ranks = center_ranks(sample)
        scores = score_places(ranks[np.newaxis], smallest)[0]
        pvalue = share_of_orders(ranks, float(scores.max()), smallest, permutations, seed)
    return Split(smallest + int(np.argmax(scores)), pvalue)


def find_likeness(values: ArrayLike, smallest: int = SEGMENT, seed: int = 0) -> float:
    """Estimate an upper limit for the correlation of neighbours.

    Parameters
    ----------
    values : array_like, shape (n,)
        One per commit, in order, finite.
    smallest, seed : int
        As in `find_split`.

    Returns
    -------
    float
        The correlation of neighbours, at most 0.975; 0 if it does not exceed chance.

    Raises
    ------
    ValueError
        If a value is not finite.

    Notes
    -----
    Changes are searched for as if values were independent, so that a change is not taken for
    correlation. r is the autocorrelation at lag 1 of the ranks of the residuals, plus 1.5 (1 +
    3r)/n for each of the m removed levels, which corrects its bias. If r exceeds 1.645/√n, it is
    raised by 0.75 √(m (1 - r²)/n), since too small a correlation turns noise into changes, and
    rounded up to the next fortieth. Both factors are chosen by simulation.

    Examples
    --------
    >>> find_likeness([1.0, 2.0] * 10), find_likeness([1.0, 1.0, 1.0, 2.0, 2.0, 2.0] * 5)
    (0.0, 0.6)
    """
    sample = read_sample(values, "values", smallest=0)
    n, places = sample.size, sorted(_part(sample, 0.0, ALPHA, smallest, _DRAFT, seed))
    ends = [0, *places, n]
    parts = [sample[start:stop] for start, stop in pairwise(ends)]
    rest = center_ranks(np.concatenate([part - np.median(part) for part in parts])) if n else sample
    if not rest.any():
        return 0.0
    near = float(rest[1:] @ rest[:-1]) / float(rest @ rest)
    near = min(near + _BIAS * len(parts) * (1 + 3 * max(near, 0.0)) / n, 1.0)
    if near * sqrt(n) < _CHANCE:
        return 0.0
    near += _CAUTION * sqrt(len(parts) * (1 - near**2) / n)
    return min(ceil(_GRID * near), _GRID - 1) / _GRID


def find_changes(
    values: ArrayLike,
    bounds: tuple[float, float] = (0.0, 0.0),
    alpha: float = ALPHA,
    smallest: int = SEGMENT,
    confidence: float = 0.95,
    permutations: int = PERMUTATIONS,
    seed: int = 0,
) -> tuple[ChangePoint, ...]:
    """Find all step changes.

    Parameters
    ----------
    values : array_like, shape (n,)
        One per commit, in order, finite.
    bounds : tuple of float
        Changes whose estimate lies between these are ignored, in the unit of the values.
    alpha : float
        Largest p-value of a change, 0 < alpha < 1.
    smallest : int
        Minimum number of values on either side.
    confidence : float
        The confidence of the intervals, 0 < confidence < 1.
    permutations, seed : int
        As in `find_split`.

    Returns
    -------
    tuple of ChangePoint
        In order of place.

    Raises
    ------
    ValueError
        If a value is not finite, or a share is out of range.

    Notes
    -----
    `find_split` is applied to the whole series, then to both sides of its place [1]_, until no p is
    at most ``alpha``, with one correlation for all from `find_likeness`. Each place is then fitted
    between its neighbours until all are stable [2]_: it is the likeliest place between the medians
    of its two sides for Cauchy noise as wide as theirs, so that a single outlier does not attract
    it; p remains that of the test. A change whose estimate lies within the bounds is removed, and
    its two segments are joined. Effects are those of `estimate_change`. Intervals are not corrected
    for the choice of the place. Smallest usable n: 10.

    References
    ----------
    .. [1] L. Y. Vostrikova, "Detecting 'disorder' in multidimensional random processes", Soviet
       Math. Dokl. 24 (1981) 55-59 (binary segmentation).
    .. [2] J. Bai, "Estimating multiple breaks one at a time", Econometric Theory 13 (1997) 315-352.

    Examples
    --------
    >>> levels = [1.0, 1.2, 1.1, 1.3, 0.9, 1.15, 2.0, 2.2, 2.1, 2.3, 1.9, 2.15]
    >>> [(change.index, round(change.effect.value, 2)) for change in find_changes(levels)]
    [(6, 1.0)]
    """
    sample = read_sample(values, "values", smallest=0)
    check_fraction(alpha, "alpha")
    check_fraction(confidence, "confidence")
    low, high = bounds
    likeness = find_likeness(sample, smallest, seed)
    pvalues = _part(sample, likeness, alpha, smallest, permutations, seed)
    while True:
        pvalues = _fit_places(sample, pvalues, smallest)
        changes = _estimate(sample, pvalues, likeness, confidence)
        small = [change for change in changes if low < change.effect.value < high]
        if not small:
            return changes
        del pvalues[min(small, key=lambda change: abs(change.effect.value)).index]


def _part(
    sample: FloatArray, likeness: float, alpha: float, smallest: int, permutations: int, seed: int
) -> dict[int, float]:
    """Return the places that split the sample, each with its p-value."""
    places: dict[int, float] = {}
    waiting = [(0, sample.size)]
    while waiting:
        start, stop = waiting.pop()
        split = find_split(sample[start:stop], likeness, smallest, permutations, seed)
        if split and split.pvalue <= alpha:
            place = start + split.index
            places[place] = split.pvalue
            waiting += [(start, place), (place, stop)]
    return places


def _fit_places(sample: FloatArray, pvalues: dict[int, float], smallest: int) -> dict[int, float]:
    """Fit each place between its neighbours until all are stable."""
    proposed = sorted(pvalues)
    places = [0, *proposed, sample.size]
    for _ in range(_PASSES):
        earlier = list(places)
        for i in range(1, len(places) - 1):
            start, place, stop = places[i - 1 : i + 2]
            places[i] = start + _fit_place(sample[start:stop], place - start, smallest)
        if places == earlier:
            break
    return dict(zip(places[1:-1], map(pvalues.__getitem__, proposed), strict=True))


def _fit_place(part: FloatArray, place: int, smallest: int) -> int:
    """Return the likeliest end of the level before the place, assuming noise with long tails."""
    if np.median(part[:place]) == np.median(part[place:]):
        return place
    scaled = (part - part.min()) / np.ptp(part)
    levels = [float(np.median(side)) for side in np.split(scaled, [place])]
    rest = scaled - np.repeat(levels, [place, part.size - place])
    width = max(_WIDTH * float(np.median(np.abs(rest))), _ROUNDING)
    before, after = (np.log1p(((scaled - level) / width) ** 2) for level in levels)
    # rounded, so that ties do not depend on the unit of the values
    costs = np.cumsum(before - after)[smallest - 1 : part.size - smallest].round(9)
    return smallest + int(np.argmin(costs))


def estimate_change(
    before: ArrayLike, after: ArrayLike, likeness: float = 0.0, confidence: float = 0.95
) -> Estimate:
    """Estimate how much a level differs from the one before.

    Parameters
    ----------
    before, after : array_like, shapes (n,) and (m,)
        Two neighbouring segments.
    likeness : float
        The result of `find_likeness`.
    confidence : float
        The confidence of the interval, 0 < confidence < 1.

    Returns
    -------
    Estimate
        The estimate of `hodges_lehmann`, which assumes independent values. If neighbours correlate
        by r, its interval is widened by √((1 + r)/(1 - r)).

    Raises
    ------
    ValueError
        As for `hodges_lehmann`.

    Notes
    -----
    Not corrected for the choice of the place. Smallest usable n: 1 + 1, without an interval.

    References
    ----------
    J. L. Hodges and E. L. Lehmann, "Estimates of location based on rank tests", Ann. Math. Stat. 34
    (1963) 598-611.

    Examples
    --------
    >>> estimate_change([1.0, 1.1, 0.9, 1.0], [2.0, 2.1, 1.9, 2.0]).value
    1.0
    """
    effect = hodges_lehmann(before, after, confidence)
    if not likeness:
        return effect
    ends, wider = (effect.low, effect.high), sqrt((1 + likeness) / (1 - likeness))
    low, high = (effect.value + wider * (end - effect.value) for end in ends)
    note = f"neighbouring commits are correlated, so the interval is {wider:.1f} times as wide"
    return replace(effect, low=low, high=high, notes=(*effect.notes, note))


def _estimate(
    sample: FloatArray, pvalues: dict[int, float], likeness: float, confidence: float
) -> tuple[ChangePoint, ...]:
    places = sorted(pvalues)
    segments = [sample[start:stop] for start, stop in pairwise([0, *places, sample.size])]
    effects = (estimate_change(*sides, likeness, confidence) for sides in pairwise(segments))
    return tuple(
        ChangePoint(place, pvalues[place], effect)
        for place, effect in zip(places, effects, strict=True)
    )
