"""How a run went: its raw samples in up to twenty stretches of time.

Warm-up, waves and the error of a single run are seen from stretches, which are summed up once, at
ingest; no comparison reads the samples again, and a run of any length takes bounded memory.
"""

from __future__ import annotations

from collections.abc import Iterator
from datetime import UTC, datetime
from typing import TYPE_CHECKING

import numpy as np

from benchkit.parsers.base import Row
from benchkit.stats.quantiles import EXACT_VALUES
from benchkit.stats.sample import FloatArray

if TYPE_CHECKING:
    import pandas as pd

#: What the stats of a stretch begin with: they describe a run, and are no value of it.
PREFIX = "stretch_"
#: Most and fewest stretches of a run, and the samples that each needs on average.
MOST, FEWEST, SAMPLES = 20, 5, 40
#: Samples of a stretch beyond a quantile that is given.
_BEYOND = 10
_LEVELS = {"p50": 0.5, "p90": 0.9, "p99": 0.99}
#: With fewer distinct times the clock of the source is too coarse to be cut anywhere.
_COARSE = 100
_SECOND = 1_000_000


def is_stretch(stats: pd.Series[str]) -> pd.Series[bool]:
    """Mark the rows that tell a stretch of a run, and no value of it."""
    return stats.isin([stat for stat in stats.unique() if stat.startswith(PREFIX)])


class Stretches:
    """The samples of one metric of one run, with their times.

    Parameters
    ----------
    most : int
        Samples that are kept; of more, every second one, every fourth one, and so on.
    """

    def __init__(self, *, most: int = EXACT_VALUES) -> None:
        self._most, self._stride, self._kept, self._seen = most, 1, 0, 0
        self._blocks: list[tuple[np.ndarray, np.ndarray]] = []

    def add(self, times: np.ndarray, values: np.ndarray) -> None:
        """Take a block of samples: times as datetime64[us], values finite."""
        first = -self._seen % self._stride
        self._seen += len(values)
        block = times[first :: self._stride], values[first :: self._stride]
        self._blocks.append(block)
        self._kept += len(block[1])
        while self._kept > self._most:
            self._stride *= 2
            self._blocks = [(np.concatenate(t)[::2], np.concatenate(v)[::2])
                            for t, v in [zip(*self._blocks, strict=True)]]  # fmt: skip
            self._kept = len(self._blocks[0][1])

    def rows(self, metric: str, unit: str, resolution: float | None, line: int) -> Iterator[Row]:
        """Yield mean and quantiles of each stretch; ``n`` counts its samples, ``time`` begins it.

        Nothing where fewer than 5 stretches of 40 samples can be made.
        """
        if self._kept < FEWEST * SAMPLES:
            return
        times, values = (np.concatenate(part) for part in zip(*self._blocks, strict=True))
        times = times.astype("datetime64[us]").astype(np.int64)
        if np.any(times[1:] < times[:-1]):
            order = np.argsort(times, kind="stable")
            times, values = times[order], values[order]
        for start, part in _cut(times, values):
            at = datetime.fromtimestamp(start / _SECOND, UTC)
            n = len(part) * self._stride
            for stat, value in _measure(part):
                yield (
                    None, metric, PREFIX + stat, value, unit, n, at, resolution, "computed", line
                )  # fmt: skip


def _cut(times: np.ndarray, values: FloatArray) -> Iterator[tuple[int, FloatArray]]:
    """Cut sorted samples into stretches of equal time: start in µs, values."""
    steps = np.unique(times[:: max(len(times) // 4096, 1)])
    if len(steps) < _COARSE:
        edges = _cut_steps(np.unique(times), len(times))
    else:
        count = min(MOST, len(times) // SAMPLES)
        edges = np.linspace(times[0], times[-1] + 1, count + 1)
    if len(edges) <= FEWEST:
        return
    places = np.searchsorted(times, edges)
    for start, low, high in zip(edges[:-1], places[:-1], places[1:], strict=True):
        if high > low:
            yield int(start), values[low:high]


def _cut_steps(steps: np.ndarray, samples: int) -> np.ndarray:
    """Cut at steps of a coarse clock, without the first and the last, which are not whole."""
    whole = steps[1:]
    fewest = -(-SAMPLES * len(steps) // samples)  # steps that hold samples enough
    size = max(-(-(len(whole) - 1) // MOST), fewest)
    return whole[::size]


def _measure(part: FloatArray) -> Iterator[tuple[str, float]]:
    yield "mean", float(part.mean())
    levels = {stat: q for stat, q in _LEVELS.items() if len(part) * (1 - q) >= _BEYOND}
    if levels:
        found = np.quantile(part, list(levels.values()))
        yield from zip(levels, found.tolist(), strict=True)
