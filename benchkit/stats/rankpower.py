"""The power of the rank test for a row, and drawn p-values for many rows."""

from __future__ import annotations

from dataclasses import dataclass
from functools import lru_cache
from math import sqrt
from statistics import NormalDist

import numpy as np
from numpy.typing import ArrayLike, NDArray

from benchkit.stats.ranksum import is_countable, untied_cdf
from benchkit.stats.sample import ROUNDING, FloatArray

#: Maximum number of sessions to draw.
_SESSIONS = 12_000
#: Maximum runs per side at which all rows together are counted.
_COUNTED_RUNS = 100
#: Number of values drawn for a rank test, and the minimum number of sessions: this keeps a plan
#: fast.
_PAIRS, _NORMAL = (3_000_000, 800), (2_500_000, 10)
#: Correlation above which two values count as one.
_SAME = 0.9999


@dataclass(frozen=True, slots=True)
class NormalRanks:
    """The rank test with U taken as normal; `most` is the largest U of the other side."""

    n: int
    most: int

    def power(self, shift: float, reach: float) -> float:
        """Return it for a change and a margin, both in standard deviations of a run."""
        u = _find_moments(self.n, shift, reach)
        test = float((u.mean[0] - self.n**2 + self.most + 0.5) / u.sd[0])
        if not reach:
            return NormalDist().cdf(test)
        estimate = float((u.mean[1] - self.n**2 / 2) / u.sd[1])
        if u.correlation > _SAME:
            return NormalDist().cdf(min(test, estimate))
        return float(_bivariate(test, estimate, float(u.correlation)))


def draw_runs(n: int, sessions: int, rng: np.random.Generator) -> FloatArray:
    """Draw sessions of n + n runs whose differences of means are evenly spaced normal quantiles."""
    return _spread_evenly(rng.standard_normal((sessions, 2 * n)))


def _spread_evenly(runs: FloatArray) -> FloatArray:
    """Shift the second sides so that the differences of means are evenly spaced quantiles."""
    from scipy.special import ndtri

    sessions, n = len(runs), runs.shape[1] // 2
    differences = runs[:, n:].mean(axis=1) - runs[:, :n].mean(axis=1)
    even = np.empty(sessions)
    even[np.argsort(differences)] = ndtri((np.arange(sessions) + 0.5) / sessions) * sqrt(2 / n)
    runs[:, n:] += (even - differences)[:, None]
    return runs


def count_sessions(work: tuple[int, int], statistics: int) -> int:
    """Return the affordable number of sessions with this number of statistics each."""
    most, fewest = work
    return min(max(most // statistics, fewest), _SESSIONS)


def least_by_ranks(runs: FloatArray, most: int) -> tuple[FloatArray, FloatArray]:
    """Return the shift from which U passes, and the Hodges-Lehmann estimate."""
    n = runs.shape[1] // 2
    differences = (runs[:, n:, None] - runs[:, None, :n]).reshape(len(runs), n * n)
    estimate = np.median(differences, axis=1)
    if most < 0:
        return np.full(len(runs), np.inf), estimate
    return -np.partition(differences, most, axis=1)[:, most], estimate


def count_below(n: int, level: float) -> int:
    """Return the largest U of the lower side with which n + n runs reject; -1 for none."""
    if is_countable(n, n, tied=False):
        return int(np.searchsorted(untied_cdf(n, n), level / 2 * ROUNDING, side="right")) - 1
    far = NormalDist().inv_cdf(1 - level / 2) * sqrt(n * n * (2 * n + 1) / 12)
    return max(int(n * n / 2 - 0.5 - far), -1)


@dataclass(frozen=True, slots=True)
class _Moments:
    """Means and standard deviations of U at 0 and at the margin, and their correlation."""

    mean: tuple[FloatArray, FloatArray]
    sd: tuple[FloatArray, FloatArray]
    correlation: FloatArray


def _find_moments(n: int, shift: ArrayLike, reach: ArrayLike) -> _Moments:
    from scipy.special import ndtr

    at = [(np.asarray(shift) - far) / sqrt(2) for far in (0.0, np.asarray(reach))]
    p = [ndtr(h) for h in at]

    def vary(i: int, j: int) -> FloatArray:
        both = np.minimum(p[i], p[j]) - p[i] * p[j]
        shared = _bivariate(at[i], at[j], 0.5) - p[i] * p[j]
        covariance: FloatArray = n * n * both + 2 * n * n * (n - 1) * shared
        return np.maximum(covariance, 1e-300)

    first, second = np.sqrt(vary(0, 0)), np.sqrt(vary(1, 1))
    return _Moments(
        mean=(n * n * p[0], n * n * p[1]),
        sd=(first, second),
        correlation=np.clip(vary(0, 1) / (first * second), 0.0, 1.0),
    )


@lru_cache(maxsize=1)
def _nodes() -> tuple[FloatArray, FloatArray]:
    nodes, weights = np.polynomial.legendre.leggauss(40)
    return nodes, weights


def _bivariate(h: ArrayLike, k: ArrayLike, correlation: float) -> FloatArray:
    """Return P(X <= h, Y <= k) of standard normal X and Y, by Plackett's integral."""
    from scipy.special import ndtr

    nodes, weights = _nodes()
    half = np.arcsin(correlation) / 2
    angle = half * (nodes + 1)
    x, y = np.clip(h, -40, 40)[..., None], np.clip(k, -40, 40)[..., None]
    exponent = (x * x + y * y - 2 * x * y * np.sin(angle)) / (2 * np.cos(angle) ** 2)
    chance: FloatArray = ndtr(x[..., 0]) * ndtr(y[..., 0])
    chance += half / (2 * np.pi) * (np.exp(-exponent) @ weights)
    return chance


def rank_sessions(before: FloatArray, after: FloatArray) -> tuple[FloatArray, FloatArray]:
    """Return the p-values and the Hodges-Lehmann estimates of all rows of all sessions."""
    n = before.shape[2]
    differences = (after[..., :, None] - before[..., None, :]).reshape(*before.shape[:2], n * n)
    below = (differences < 0).sum(axis=2)
    return _find_pvalues(n, below), np.median(differences, axis=2)


def split_variants(rows: int, variants: int) -> list[slice]:
    """Return the slice of each variant's rows; a benchmark has the same place in each."""
    size = max(rows // variants, 1)
    return [slice(start, min(start + size, rows)) for start in range(0, rows, size)]


def draw_ranks(
    n: int, shift: FloatArray, reach: FloatArray, variants: int, rng: np.random.Generator
) -> tuple[FloatArray, NDArray[np.bool_]]:
    """Draw p-values of the rank test, and whether the estimate reaches the margin.

    Shape (sessions, rows), for changes and margins in standard deviations of a run.
    """
    draw = _count_ranks if n <= _COUNTED_RUNS else _draw_normal
    return draw(n, shift, reach, split_variants(shift.size, variants), rng)


def _count_ranks(
    n: int, shift: FloatArray, reach: FloatArray, blocks: list[slice], rng: np.random.Generator
) -> tuple[FloatArray, NDArray[np.bool_]]:
    """Draw all benchmarks from the same simulated sessions, each in a different order."""
    sessions = count_sessions(_PAIRS, n * n)
    size = max(block.stop - block.start for block in blocks)
    order = rng.permuted(np.tile(np.arange(sessions)[:, None], size), axis=0)
    runs = draw_runs(n, sessions, rng)
    pvalues, reaches = [], []
    for block in blocks:
        differences = (runs[:, n:, None] - runs[:, None, :n]).reshape(sessions, n * n)
        differences.sort(axis=1)
        below = np.array([np.searchsorted(each, -shift[block]) for each in differences])
        middle = (differences[:, (n * n - 1) // 2] + differences[:, n * n // 2]) / 2
        places = order[:, : below.shape[1]]
        pvalues.append(_find_pvalues(n, np.take_along_axis(below, places, axis=0)))
        reaches.append(middle[places] + shift[block] >= reach[block])
        runs[:, n:] = rng.standard_normal((sessions, n))  # the next variant of the same baseline
        runs = _spread_evenly(runs)
    return np.concatenate(pvalues, axis=1), np.concatenate(reaches, axis=1)


def _find_pvalues(n: int, below: NDArray[np.int64]) -> FloatArray:
    """Return the p-value of each U of the lower side, as in `mann_whitney` without ties."""
    from scipy.special import ndtr

    least = np.minimum(below, n * n - below)
    if is_countable(n, n, tied=False):
        pvalue: FloatArray = 2 * untied_cdf(n, n)[least]
        return np.minimum(pvalue, 1.0)
    return 2 * np.asarray(ndtr((least + 0.5 - n * n / 2) / sqrt(n * n * (2 * n + 1) / 12)))


def _draw_normal(
    n: int, shift: FloatArray, reach: FloatArray, blocks: list[slice], rng: np.random.Generator
) -> tuple[FloatArray, NDArray[np.bool_]]:
    """Draw with U taken as normal; half its variance is that of the common baseline."""
    sessions = count_sessions(_NORMAL, shift.size)
    u = _find_moments(n, shift, reach)
    z, independent = rng.standard_normal((2, sessions, shift.size))
    common = rng.standard_normal(z[:, blocks[0]].shape)
    for block in blocks if len(blocks) > 1 else ():
        z[:, block] = (z[:, block] + common[:, : block.stop - block.start]) / sqrt(2)
    below = np.clip(np.rint(n * n - u.mean[0] - u.sd[0] * z), 0, n * n)
    second = u.correlation * z + np.sqrt(1 - u.correlation**2) * independent
    pvalue = _find_pvalues(n, below.astype(np.int64))
    return pvalue, u.mean[1] + u.sd[1] * second >= n * n / 2
