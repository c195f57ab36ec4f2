"""Speed of the statistics compared with the functions they replace: part of `nox -s bench`.

Nobody uses an exact test that takes seconds, and people wait for comparisons of thousands of
benchmarks.

The two sides of each goal are timed in turn, in one process; the median counts. Caches of earlier
rounds are emptied.
"""

from __future__ import annotations

import time
from collections.abc import Callable
from importlib import import_module
from importlib.util import find_spec
from statistics import median

import numpy as np
import scipy.stats
from goals import Goal, judge
from numpy.typing import NDArray

from benchkit.stats import compare_rows, holm, mann_whitney
from benchkit.stats.ranksum import tied_tails

FloatArray = NDArray[np.float64]
ROWS, RUNS = 2000 * 3, 10
#: Rows with ties on which ours is timed; the peer takes seconds for one.
TIED_ROWS = 200


def measure_engine(rounds: int) -> list[Goal]:
    """Time the statistics and compare them with their goals."""
    rng = np.random.default_rng(1)
    typical = rng.lognormal(8, 2, (ROWS, 1))
    values = typical * np.exp(rng.normal(0, 0.03, (ROWS, 2 * RUNS)))
    return [
        *_time_two_levels(rng, rounds),
        *_time_ties(rng),
        _time_rows("no ties", values, rounds, 2.0),
        _time_rows("5 digits, some ties", _round(values, 5), rounds, None),
        _time_rows("4 digits, half the rows tied", _round(values, 4), rounds, None),
    ]


def _time_ties(rng: np.random.Generator) -> list[Goal]:
    """Compare with scipy's exact permutation test, which counts the same splits one by one."""
    tables = rng.integers(0, 12, (TIED_ROWS, 2, RUNS)).astype(float)
    x, y = tables[0]
    start = time.perf_counter()
    peer = scipy.stats.mannwhitneyu(y, x, method=scipy.stats.PermutationMethod(n_resamples=10**9))
    theirs = time.perf_counter() - start
    _require(abs(mann_whitney(x, y).pvalue / float(peer.pvalue) - 1) < 1e-12, "p-values differ")

    def one_by_one() -> None:
        for before, after in tables:
            mann_whitney(before, after)

    def together() -> None:
        compare_rows(tables[:, 0], tables[:, 1])

    name = "exact Mann-Whitney, ties, 10 + 10, {} / scipy's permutations"
    return [
        judge(name.format(how), _time(run) / TIED_ROWS, theirs, 1 / 1000)
        for how, run in (("row by row", one_by_one), ("of 200 rows at once", together))
    ]


def _time_rows(name: str, values: FloatArray, rounds: int, limit: float | None) -> Goal:
    """Compare with a loop that only sorts each row."""

    def sort() -> None:
        for row in values:
            np.sort(row)

    def compare() -> None:
        logs = np.log(values)
        holm(compare_rows(logs[:, :RUNS], logs[:, RUNS:]).pvalue)

    times = [(_time(compare), _time(sort)) for _ in range(rounds)]
    ours, theirs = (median(side) for side in zip(*times, strict=True))
    return judge(f"compare 2,000 x 3 rows at once, {name} / sort each", ours, theirs, limit)


def _time_two_levels(rng: np.random.Generator, rounds: int) -> list[Goal]:
    """Compare with one sort of all samples; skipped if the package has no such interval."""
    if find_spec("benchkit.stats.twolevel") is None:
        return []
    interval = import_module("benchkit.stats.twolevel").compare_two_level
    runs = rng.lognormal(-5, 0.4, (2 * RUNS, 100_000))

    def compare() -> None:
        interval(runs[:RUNS], runs[RUNS:], (0.5, 0.99))

    def sort() -> None:
        np.sort(runs, axis=None)

    times = [(_time(compare), _time(sort)) for _ in range(rounds)]
    ours, theirs = (median(side) for side in zip(*times, strict=True))
    name = "two-level interval of p50 and p99, 2 x 10 runs x 100 k / sort all samples"
    return [judge(name, ours, theirs, 3.0)]


def _time(run: Callable[[], None]) -> float:
    tied_tails.cache_clear()
    start = time.perf_counter()
    run()
    return time.perf_counter() - start


def _round(values: FloatArray, digits: int) -> FloatArray:
    step = 10.0 ** (np.floor(np.log10(values)) - digits + 1)
    rounded: FloatArray = np.round(values / step) * step
    return rounded


def _require(truth: object, name: str) -> None:
    if not truth:
        raise SystemExit(name)
