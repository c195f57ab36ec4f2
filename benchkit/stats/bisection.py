"""The commit among many that changed a level, from noisy runs of a few of them.

Every build has a different memory layout, so two commits that should be equal differ by an offset
that no number of runs removes. The posterior over commits allows for it, and for drift between
rounds.
"""

from __future__ import annotations

from collections.abc import Collection, Sequence
from dataclasses import dataclass
from itertools import combinations
from math import ceil, log2, sqrt

import numpy as np
from numpy.typing import NDArray

from benchkit.stats.sample import FloatArray

IntArray = NDArray[np.int64]

#: Prior probabilities that the ends differ only as builds do, and of two changes.
_NO_CHANGE, _SEVERAL = 0.05, 0.05
#: Standard deviations of the offsets considered, as multiples of the noise of one run.
_OFFSETS = np.array([0.0, 0.25, 0.5, 1.0, 2.0])
#: Variances of the noise considered, as multiples of the estimate.
_NOISES = np.exp(np.linspace(-1.2, 1.2, 7))
#: Noise of metrics that do not vary, as a ratio.
_LEAST_NOISE = 1e-6
#: Maximum runs of one commit; beyond, no further runs of it are requested.
MOST_RUNS = 40
#: Minimum information, in bits, that a measurement must add to be worthwhile.
_LEAST_WORTH = 0.002


@dataclass(frozen=True, slots=True)
class CommitSearch:
    """The probability of each place of a change, given the runs.

    Parameters
    ----------
    commits : tuple of int
        The measured commits in ascending order; the first and the last are the ends.
    probabilities : tuple of float
        For each gap between them: the probability that the change, or the larger of two, came after
        the left commit of the gap and not after the right one.
    no_change : float
        Probability that the ends differ only as builds do.
    several : float
        Probability of two changes.
    levels, errors : tuple of float
        The level of each commit relative to the first one, and its standard error without offsets.
    runs : tuple of int
        The number of runs of each commit.
    noise, offset : float
        Standard deviations of one run, and of the builds' offsets.
    step, step_error : float
        The change at the most probable gap, and its standard error with offsets.

    Examples
    --------
    >>> runs = [(r, c, 0.05 * (c > 3) + 0.001 * (r * c % 3)) for r in range(6) for c in (0, 3, 8)]
    >>> found = find_commit(*(list(column) for column in zip(*runs)))
    >>> found.commits, found.range_of(0.9), round(found.step, 2)
    ((0, 3, 8), (4, 8), 0.05)
    """

    commits: tuple[int, ...]
    probabilities: tuple[float, ...]
    no_change: float
    several: float
    levels: tuple[float, ...]
    errors: tuple[float, ...]
    runs: tuple[int, ...]
    noise: float
    offset: float
    step: float
    step_error: float

    @property
    def best(self) -> int:
        """The most probable gap."""
        return int(np.argmax(self.probabilities))

    def range_of(self, probability: float) -> tuple[int, int]:
        """Return the first and last commit of the shortest range with this probability.

        If no range reaches the probability, the result is the whole range between the ends.
        """
        total = np.concatenate([[0.0], np.cumsum(self.probabilities)])
        ranges = [
            (self.commits[j] - self.commits[i], self.commits[i] + 1, self.commits[j])
            for i, j in combinations(range(len(self.commits)), 2)
            if total[j] - total[i] >= probability
        ]
        return min(ranges)[1:] if ranges else (self.commits[0] + 1, self.commits[-1])


def find_commit(rounds: Sequence[int], commits: Sequence[int], values: FloatArray) -> CommitSearch:
    """Return the posterior over the places of a change.

    Parameters
    ----------
    rounds : sequence of int, shape (n,)
        The round of each run; both ends are in every round.
    commits : sequence of int, shape (n,)
        The position of its commit in the history.
    values : array, shape (n,)
        The logarithm of its value; finite.

    Returns
    -------
    CommitSearch

    Raises
    ------
    ValueError
        If there are fewer than two commits, or too few runs to estimate the noise.

    Notes
    -----
    A run is ``level(commit) + offset(commit) + drift(round) + noise``; levels are equal before and
    after the change. Rounds are removed by least squares. Given the variances of noise and offset,
    levels and steps are normal and integrate in closed form; the variances are summed over a grid.
    A step has mean 0 and the standard deviation of the difference between the ends. Before the
    runs, every commit is equally probable; two changes and no change have 5 % each. Smallest usable
    n: two rounds.

    Examples
    --------
    >>> runs = [(r, c, (0.05 if c > 3 else 0.0) + 0.001 * (r + c) % 0.003)
    ...         for r in range(6) for c in (0, 3, 4, 8)]
    >>> found = find_commit(*(list(column) for column in zip(*runs)))
    >>> found.range_of(0.99)
    (4, 4)
    """
    places, column = np.unique(np.asarray(commits), return_inverse=True)
    row = np.unique(np.asarray(rounds), return_inverse=True)[1]
    size = len(places)
    weights, level, residual, free = _fit(row, column, np.asarray(values, dtype=float), size)
    if size < 2 or free < 1:
        raise ValueError("at least two commits and two rounds are needed")
    basis = np.linalg.qr(np.column_stack([np.ones(size), np.eye(size)[:, 1:]]))[0][:, 1:]
    spread = np.linalg.inv(basis.T @ weights @ basis)
    steps = basis.T @ np.tril(np.ones((size, size)))[:, 1:]
    noise = max(residual / free, _LEAST_NOISE**2)
    scale = max((level[-1] - level[0]) ** 2, noise)
    prior = np.diff(places) / (places[-1] - places[0])
    model = _Model(basis.T @ level, steps, scale, prior)
    weighed = [
        model.weigh(variance, ratio, spread, residual, free)
        for variance in noise * _NOISES
        for ratio in _OFFSETS
    ]
    top = max(one.log for one in weighed)
    shares = np.array([np.exp(one.log - top) for one in weighed])
    shares /= shares.sum()
    best = int(np.argmax(np.sum([s * one.gaps for s, one in zip(shares, weighed, strict=True)], 0)))

    def mean(numbers: Sequence[float]) -> float:
        return float(shares @ np.array(numbers))

    step = mean([one.step[best] for one in weighed])
    return CommitSearch(
        commits=tuple(int(place) for place in places),
        probabilities=tuple(mean([one.gaps[gap] for one in weighed]) for gap in range(size - 1)),
        no_change=mean([one.no_change for one in weighed]),
        several=mean([one.several for one in weighed]),
        levels=tuple(float(each) for each in level - level[0]),
        errors=tuple(_errors(weights, noise)),
        runs=tuple(int(count) for count in np.bincount(column, minlength=size)),
        noise=sqrt(noise),
        offset=sqrt(noise * mean(list(np.tile(_OFFSETS**2, len(_NOISES))))),
        step=step,
        step_error=sqrt(mean([one.step_variance[best] for one in weighed])),
    )


def _fit(
    row: IntArray, column: IntArray, values: FloatArray, size: int
) -> tuple[FloatArray, FloatArray, float, int]:
    """Fit commits and rounds; return the commits' weights, levels, residual squares and freedom."""
    counts = np.zeros((size, int(row.max()) + 1))
    np.add.at(counts, (column, row), 1.0)
    each = counts.sum(0)
    weights: FloatArray = np.diag(counts.sum(1)) - (counts / each) @ counts.T
    centred: FloatArray = values - (np.bincount(row, values) / each)[row]
    level: FloatArray = np.linalg.pinv(weights) @ np.bincount(column, centred, size)
    rest = values - level[column]
    rest -= (np.bincount(row, rest) / each)[row]
    return weights, level, float(rest @ rest), len(values) - len(each) - size + 1


def _errors(weights: FloatArray, noise: float) -> FloatArray:
    """Return standard errors of the levels relative to the first one."""
    inverse = np.linalg.pinv(weights)
    variance = np.diag(inverse) + inverse[0, 0] - 2 * inverse[0]
    errors: FloatArray = np.sqrt(np.maximum(variance, 0.0) * noise)
    return errors


@dataclass(frozen=True, slots=True)
class _Weighed:
    """The likelihood of the runs, given the variances of noise and offsets."""

    log: float
    gaps: FloatArray
    no_change: float
    several: float
    step: FloatArray
    step_variance: FloatArray


class _Model:
    """The contrasts of the levels, and their expected values for each place of a change."""

    def __init__(
        self, contrasts: FloatArray, steps: FloatArray, scale: float, prior: FloatArray
    ) -> None:
        self._contrasts, self._steps = contrasts, steps
        self._scale, self._prior = scale, prior
        pairs = list(combinations(range(len(prior)), 2))
        self._first, self._second = np.array(pairs, dtype=int).reshape(-1, 2).T
        both = prior[self._first] * prior[self._second]
        several = _SEVERAL if pairs else 0.0
        self._both = several * both / both.sum() if pairs else both
        self._one = (1 - _NO_CHANGE - several) * prior

    def weigh(
        self, variance: float, ratio: float, spread: FloatArray, residual: float, free: int
    ) -> _Weighed:
        """Integrate levels and steps; ``ratio`` is the offsets' deviation relative to the noise."""
        scale, first, second = self._scale, self._first, self._second
        inverse = np.linalg.inv(variance * (spread + ratio**2 * np.eye(len(spread))))
        base = -free / 2 * np.log(variance) - residual / (2 * variance)
        base += (np.linalg.slogdet(inverse)[1] - self._contrasts @ inverse @ self._contrasts) / 2
        gram = self._steps.T @ inverse @ self._steps
        pull = self._steps.T @ inverse @ self._contrasts
        weight = np.diag(gram) + 1 / scale
        one = (pull**2 / weight - np.log(scale * weight)) / 2
        across = gram[first, second]
        area = weight[first] * weight[second] - across**2
        left = (weight[second] * pull[first] - across * pull[second]) / area
        right = (weight[first] * pull[second] - across * pull[first]) / area
        two = (pull[first] * left + pull[second] * right - np.log(scale**2 * area)) / 2
        top = max(0.0, one.max(), two.max(initial=0.0))
        gaps, both = np.exp(one - top) * self._one, np.exp(two - top) * self._both
        np.add.at(gaps, np.where(np.abs(left) >= np.abs(right), first, second), both)
        none = np.exp(-top) * _NO_CHANGE
        total = gaps.sum() + none
        return _Weighed(
            log=float(base + top + np.log(total)),
            gaps=gaps / total,
            no_change=none / total,
            several=both.sum() / total,
            step=pull / weight,
            step_variance=1 / weight,
        )


def choose_commit(
    search: CommitSearch, unusable: Collection[int] = (), most_runs: int = MOST_RUNS
) -> int | None:
    """Return the commit whose runs would narrow the place down most; None if none would.

    Parameters
    ----------
    search : CommitSearch
    unusable : collection of int
        Commits that cannot be built or run.
    most_runs : int
        A commit with this number of runs is not measured again.

    Notes
    -----
    The value of a commit is the entropy, in bits, of the answer to whether the change lies at or
    before it; for a measured commit, the part of it by which more runs would reduce the variance.

    Examples
    --------
    >>> runs = [(r, c, 0.05 * (c > 3) + 0.001 * (r * c % 3)) for r in range(6) for c in (0, 8)]
    >>> choose_commit(find_commit(*(list(column) for column in zip(*runs))))
    4
    """
    total = sum(search.probabilities)
    worth: list[tuple[float, int]] = []
    before = 0.0
    for gap, share in enumerate(search.probabilities):
        left, right = search.commits[gap : gap + 2]
        for commit in range(left + 1, right):
            if commit not in unusable:
                part = before + share * (commit - left) / (right - left)
                worth.append((_entropy(part / total), commit))
        before += share
        is_open = right != search.commits[-1] and right not in unusable
        if is_open and search.runs[gap + 1] < most_runs:
            runs = search.runs[gap + 1]
            now = search.offset**2 + 1.5 * search.noise**2 / runs
            then = search.offset**2 + 1.5 * search.noise**2 / (runs + 4)
            worth.append((_entropy(before / total) * (1 - then / now), right))
    best = max(worth, key=lambda one: one[0], default=(0.0, 0))
    return best[1] if best[0] > _LEAST_WORTH else None


def forecast_commits(search: CommitSearch, runs: int) -> int:
    """Return the approximate number of commits still to be measured, at least 1.

    Parameters
    ----------
    search : CommitSearch
    runs : int
        The number of runs per commit.

    Notes
    -----
    The missing bits of the answer divided by the bits that one commit adds. A commit shows its side
    of the change like a noisy channel, which errs as often as the noise of its runs and the offset
    of its build exceed half of the step.

    Examples
    --------
    >>> made = [(r, c, 0.05 * (c > 3) + 0.001 * (r * c % 3)) for r in range(6) for c in (0, 8)]
    >>> forecast_commits(find_commit(*(list(column) for column in zip(*made))), 6)
    3
    """
    from scipy.special import ndtr

    total = sum(search.probabilities)
    sizes = np.diff(search.commits)
    bits = sum(
        share / total * log2(total / share * size)
        for share, size in zip(search.probabilities, sizes.tolist(), strict=True)
        if share > 0
    )
    error = sqrt(search.offset**2 + 1.5 * search.noise**2 / runs)
    wrong = float(ndtr(-abs(search.step) / (2 * error)))
    return max(1, ceil(min(bits / max(1 - _entropy(wrong), 1e-9), 1e9)))


def _entropy(share: float) -> float:
    if not 0.0 < share < 1.0:
        return 0.0
    return -share * log2(share) - (1 - share) * log2(1 - share)
