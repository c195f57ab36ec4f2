"""The course of a run: its raw samples in up to twenty stretches of time.

Warm-up, waves and the error of a single run are visible in stretches, which are summarised once, at
ingest. No comparison reads the samples again, and a run of any length takes bounded memory.

Also the summary of a run's raw samples: its percentiles, extremes, mean and spread.

It is computed once, at ingest, so that no comparison or report reads the samples again.

Also the statistic of a run, taken over each of several stretches of it.

The variation inside a run shows whether longer runs would help, and how precisely a single run is
known. Single requests depend on one another, long stretches hardly do.
"""

from __future__ import annotations

from collections.abc import Iterator
from datetime import UTC, datetime
from operator import itemgetter
from typing import TYPE_CHECKING

import numpy as np

from benchkit.parsers.base import Row, Samples
from benchkit.schema import Side
from benchkit.stats.quantiles import EXACT_VALUES, SKETCH_ERROR, Digest
from benchkit.stats.sample import FloatArray

if TYPE_CHECKING:
    import pandas as pd

    from benchkit.schema import Observations
    from benchkit.stats.sample import FloatArray


#: Prefix of the stats of a stretch, which describe a run and are not a value of it.
PREFIX = "stretch_"
#: Maximum and minimum number of stretches of a run, and the samples that each needs on average.
MOST, FEWEST, SAMPLES = 20, 5, 40
#: Minimum samples of a stretch beyond a reported quantile.
_BEYOND = 10
_LEVELS = {"p50": 0.5, "p90": 0.9, "p99": 0.99}
#: Minimum number of distinct times; with fewer, the clock of the source is too coarse for cutting
#: at arbitrary times.
_COARSE = 100
_SECOND = 1_000_000

#: stat -> level; reported only if at least one sample lies beyond it.
PERCENTILES = {
    "p50": 0.5,
    "p75": 0.75,
    "p90": 0.9,
    "p95": 0.95,
    "p99": 0.99,
    "p99.9": 0.999,
}
_Key = tuple[str | None, str, str]

#: Metrics per second, and the metric whose samples are counted for them.
COUNTED = {"request_rate": "latency", "iteration_rate": "iteration_time"}
_MICRO = 1e-6


def is_stretch(stats: pd.Series[str]) -> pd.Series[bool]:
    """Mark the rows about a stretch of a run, which are not a value of it."""
    return stats.isin([stat for stat in stats.unique() if stat.startswith(PREFIX)])


class Stretches:
    """The samples of one metric of one run, with their times.

    Parameters
    ----------
    most : int
        Number of samples that are kept; if there are more, every second one of each block, every
        fourth one, and so on.
    """

    def __init__(self, *, most: int = EXACT_VALUES) -> None:
        self._most, self._stride, self._kept = most, 1, 0
        self._blocks: list[tuple[np.ndarray, np.ndarray]] = []
        self._sizes: list[int] = []  # of the blocks before thinning

    def add(self, times: np.ndarray, values: np.ndarray) -> None:
        """Add a block of samples: times as datetime64[us], finite values."""
        self._sizes.append(len(values))
        self._take(times, values, self._stride)

    def condense(self, part: float) -> None:
        """Thin the samples if the whole, of which they are a part, is too large to keep."""
        self._thin_to(4 * part * self._most)

    def join(self, other: Stretches) -> None:
        """Add the blocks that another object collected, with the result that `add` would have."""
        while self._stride < other._stride:
            self._thin()
        self._sizes += other._sizes
        for times, values in other._blocks:
            self._take(times, values, self._stride // other._stride)

    @property
    def is_sound(self) -> bool:
        """Whether no more samples were dropped than if one object had collected all."""
        step = self._stride // 2
        return not step or sum(-(-size // step) for size in self._sizes) > self._most

    def _take(self, times: np.ndarray, values: np.ndarray, step: int) -> None:
        block = _thin(times, step), _thin(values, step)
        self._blocks.append(block)
        self._kept += len(block[1])
        self._thin_to(self._most)

    def _thin_to(self, most: float) -> None:
        """Drop samples until at most ``most`` remain, or one of each block."""
        while self._kept > max(most, len(self._blocks)):
            self._thin()

    def _thin(self) -> None:
        """Drop every second sample."""
        self._stride *= 2
        self._blocks = [(_thin(times, 2), _thin(values, 2)) for times, values in self._blocks]
        self._kept = sum(len(values) for _, values in self._blocks)

    def rows(self, metric: str, unit: str, resolution: float | None, line: int) -> Iterator[Row]:
        """Yield mean and quantiles of each stretch; ``n`` is its sample count, ``time`` its start.

        Nothing if fewer than 5 stretches of 40 samples are possible.
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


def _thin(column: np.ndarray, step: int) -> np.ndarray:
    """Return every ``step``-th item; a view would keep all of them in memory."""
    return column[::step].copy() if step > 1 else column


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
    """Cut at the steps of a coarse clock, without the incomplete first and last ones."""
    whole = steps[1:]
    fewest = -(-SAMPLES * len(steps) // samples)  # steps with enough samples
    size = max(-(-(len(whole) - 1) // MOST), fewest)
    return whole[::size]


def _measure(part: FloatArray) -> Iterator[tuple[str, float]]:
    yield "mean", float(part.mean())
    levels = {stat: q for stat, q in _LEVELS.items() if len(part) * (1 - q) >= _BEYOND}
    if levels:
        quantiles = np.quantile(part, list(levels.values()))
        yield from zip(levels, quantiles.tolist(), strict=True)


class Summary:
    """The samples of one run, as they arrive.

    Parameters
    ----------
    rule : str
        The tool's quantile rule, as in `benchkit.stats.quantiles.quantile`.
    """

    def __init__(self, rule: str) -> None:
        self._rule = rule
        self._digests: dict[_Key, tuple[Digest, int, float | None]] = {}
        self._stretches: dict[_Key, Stretches] = {}

    def add(self, samples: Samples) -> None:
        """Add a block; counters are not samples and are skipped."""
        if samples.stat != "sample" or not len(samples.values):
            return
        key = (samples.subject, samples.metric, samples.unit)
        first = (Digest(self._rule), int(samples.lines[0]), samples.resolution)
        self._digests.setdefault(key, first)[0].add(samples.values)
        if samples.times is not None and samples.subject is None and samples.unit == "s":
            self._stretches.setdefault(key, Stretches()).add(samples.times, samples.values)

    def condense(self, part: float) -> None:
        """Reduce the data to transfer; ``part`` is about the share of the run's samples."""
        for each in self._list_sums():
            each.condense(part)

    def join(self, other: Summary) -> None:
        """Append the samples that another object collected."""
        for key, digest in other._digests.items():
            if key in self._digests:
                self._digests[key][0].join(digest[0])
            else:
                self._digests[key] = digest
        for key, stretches in other._stretches.items():
            if key in self._stretches:
                self._stretches[key].join(stretches)
            else:
                self._stretches[key] = stretches

    @property
    def is_sound(self) -> bool:
        """Whether the result equals that of one object that collected all samples."""
        return all(each.is_sound for each in self._list_sums())

    def _list_sums(self) -> list[Digest | Stretches]:
        return [*(digest for digest, *_ in self._digests.values()), *self._stretches.values()]

    def rows(self) -> Iterator[Row]:
        """Yield the statistics; ``line`` is that of the first sample, ``n`` their number.

        Their resolution is that of the samples; a quantile from a sketch has the sketch's error.
        All requests of a run are also summarised in stretches of time.
        """
        for (subject, metric, unit), (digest, line, step) in self._digests.items():
            for stat, value, error in summarise(digest):
                levels = step if error is None else max(error, step or 0.0)
                yield (
                    subject, metric, stat, value, unit, digest.count, None, levels, "computed", line
                )  # fmt: skip
        for key, stretches in self._stretches.items():
            _, line, step = self._digests[key]
            yield from stretches.rows(key[1], key[2], step, line)


def summarise(digest: Digest) -> Iterator[tuple[str, float, float | None]]:
    """Yield the statistics of samples: (stat, value, error of a sketch or None)."""
    yield "mean", digest.mean, None
    if digest.count > 1:
        yield "stdev", digest.stdev, None
    yield "min", digest.minimum, None
    yield "max", digest.maximum, None
    levels = {stat: q for stat, q in PERCENTILES.items() if digest.count * (1 - q) >= 1}
    for stat, value in zip(levels, digest.quantiles(list(levels.values())).tolist(), strict=True):
        yield stat, value, None if digest.is_exact else 2 * SKETCH_ERROR * value


class Batches:
    """Stretches by run, in order of time.

    Parameters
    ----------
    observations : Observations
        Rows that are not stretches are skipped; of several sources of a run, the one with the most
        samples counts.
    """

    def __init__(self, observations: Observations) -> None:
        rows = observations[is_stretch(observations["stat"])]
        names = [*Side._fields, "metric"]
        self._runs: dict[tuple[Side, str], dict[int, _Run]] = {}
        if rows.empty:
            return
        rows = rows.sort_values("time", kind="stable")
        file = rows["source"].str.rpartition(":")[0].rename("file")
        values, counts, begins = _columns(rows)
        batches: dict[tuple[str, ...], _Run] = {}
        grouped = rows.groupby([*names, "run", file, "stat"], sort=False).indices
        for labels, places in grouped.items():
            *key, stat = (str(part) for part in labels)  # type: ignore[attr-defined]
            batch = batches.setdefault(tuple(key), {})
            batch[stat.removeprefix(PREFIX)] = values[places]
            if stat == f"{PREFIX}mean":
                batch |= {"count": counts[places], "begin": begins[places]}
        for (*text, number, _), batch in sorted(batches.items(), key=itemgetter(0)):
            runs = self._runs.setdefault((Side(*text[:-1]), text[-1]), {})
            known = runs.get(int(number))
            if known is None or batch["count"].sum() > known["count"].sum():
                runs[int(number)] = _keep_whole(batch)

    def __bool__(self) -> bool:
        """Whether any run has stretches."""
        return bool(self._runs)

    def take(self, side: Side, metric: str, stat: str) -> dict[int, FloatArray]:
        """Return a statistic of each stretch, by run.

        Parameters
        ----------
        metric : str
            For a metric per second, the metric whose samples are counted is used.
        stat : str
            ``mean``, ``median`` or a percentile.

        Returns
        -------
        dict of run to ndarray, each of shape (5 to 20,)
            All greater than 0; without the runs whose stretches have too few samples; empty for
            other stats.
        """
        if counted := COUNTED.get(metric):
            metric, stat = counted, "count" if stat == "mean" else ""
        level = "p50" if stat == "median" else stat
        taken = {run: of.get(level) for run, of in self._runs.get((side, metric), {}).items()}
        return {
            run: values
            for run, values in taken.items()
            if values is not None and len(values) >= FEWEST and values.min() > 0
        }

    def course(
        self, side: Side, metric: str, stat: str
    ) -> dict[int, tuple[FloatArray, FloatArray]]:
        """Return the starts of the stretches and a statistic of each, by run.

        Parameters
        ----------
        stat : str
            ``mean`` or a percentile.

        Returns
        -------
        dict of run to (begins, values)
            Starts in s since 1970; without the runs in which a stretch has too few samples.
        """
        runs = self._runs.get((side, metric), {}).items()
        return {run: (of["begin"], of[stat]) for run, of in runs if stat in of}


#: Stat -> one value per stretch, and ``count``, the samples of each, and ``begin``.
_Run = dict[str, "FloatArray"]


def _columns(rows: pd.DataFrame) -> tuple[FloatArray, FloatArray, FloatArray]:
    micros = rows["time"].to_numpy(dtype="datetime64[us]").astype(np.int64)
    values, counts = (rows[name].to_numpy(dtype=np.float64) for name in ("value", "n"))
    return values, counts, micros.astype(np.float64) * _MICRO


def _keep_whole(run: _Run) -> _Run:
    """Drop the stats for which a stretch has too few samples."""
    size = len(run["count"])
    return {stat: values for stat, values in run.items() if len(values) == size}
