"""The samples of containers that belong to a run.

Several files may cover the same seconds (two cAdvisor APIs, a Prometheus over all runs); mixing
them would count a second twice.

Also which samples over time are assigned to runs.

Readers of samples keep these, and skip the millions of single requests.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, replace
from functools import lru_cache
from itertools import chain
from typing import TYPE_CHECKING, NamedTuple

import numpy as np

from benchkit.derived.record import Measured
from benchkit.derived.usage import cut
from benchkit.parsers import registry
from benchkit.schema import Trial

if TYPE_CHECKING:
    import numpy.typing as npt
    import pandas as pd

    from benchkit.schema import Observations
    from benchkit.stats.sample import FloatArray

_MICRO = 1e-6
#: Separator of the names that make up a benchmark.
_JOINT = " / "
#: Number of scrapes without a change after which a counter is idle rather than repeated.
_IDLE = 3

#: Metrics of containers: counters, and gauges.
USAGE = frozenset(
    {
        "cpu_time",
        "cpu_usage",
        "cpu_periods",
        "cpu_throttled_periods",
        "memory_working_set",
        "memory_usage",
        "network_in",
        "network_out",
        "disk_read",
        "disk_write",
    }
)

#: Counters of duration histograms: their buckets, their sum, their count.
HISTOGRAMS = ("observed_time_bucket", "observed_time_sum", "observed_time_count")
SERIES = USAGE | frozenset(HISTOGRAMS)


@dataclass(frozen=True, slots=True, kw_only=True)
class Series:
    """The samples of one container and metric in one file.

    Parameters
    ----------
    stat : {'counter', 'sample'}
    times : ndarray or None
        In s since 1970; None if unknown.
    lines : sequence of str
        ``path:line`` of each sample.
    benchmark, params : str
        Those of the runs that it belongs to; empty if it belongs to all runs next to it.
    """

    stat: str
    times: FloatArray | None
    values: FloatArray
    path: str
    lines: Sequence[str]
    benchmark: str = ""
    params: str = ""

    @property
    def is_dated(self) -> bool:
        """Whether the times are known."""
        return self.times is not None

    def inside(self, window: tuple[float, float] | None) -> tuple[FloatArray, FloatArray, str]:
        """Return times, values and the location of the first sample in a window.

        Samples without times belong to the whole run, whatever its window.
        """
        if self.times is None:
            places = np.arange(len(self.values), dtype=np.float64)
            return places, self.values, self.lines[0] if self.lines else ""
        times, values = cut(self.times, self.values, window)
        first = np.flatnonzero(self.times == times[0])[:1].tolist() if len(times) else []
        return times, values, self.lines[first[0]] if first else ""


class _Origin(NamedTuple):
    """The origin of a series."""

    group: str
    variant: str
    run: int
    benchmark: str
    params: str
    subject: str
    metric: str
    stat: str
    path: str

    @property
    def trial(self) -> Trial:
        return Trial(self.group, self.variant, self.run)


class Sources:
    """All samples, indexed by the run they belong to.

    Parameters
    ----------
    series : Observations
        Samples of containers; those without a subject are skipped.
    measured : sequence of Measured
        All runs.
    keeps_repeats : bool
        Whether repeats of a scrape are kept: counters that belong together then have the same
        times.

    Notes
    -----
    A run's files (same group, variant and number) take precedence over those that cover many runs
    (no number). Of several files, only the one with the most samples in the window counts. In a
    range query, a repeat of the last scrape of a counter is not a sample, as defined in `scrapes`.
    """

    def __init__(
        self, series: Observations, measured: Sequence[Measured], *, keeps_repeats: bool = False
    ) -> None:
        self._groups = {run.group for run in measured}
        self._variants = {(run.group, run.variant) for run in measured}
        self._placed: dict[Trial, dict[tuple[str, str], list[_Placed]]] = {}
        known = series[series["subject"].notna()]
        lines = np.array(known["source"].tolist(), dtype=object)
        values, times = known["value"].to_numpy(dtype=np.float64), _seconds(known)
        tools = known["tool"].tolist()
        named = {label for run in measured for label in _list_labels(run)}
        by_origin: dict[_Origin, Series] = {}
        ranges: dict[tuple[str, str], list[_Origin]] = {}
        for key, rows in _group(known, lines).items():
            is_named = (key.group, key.variant, key.benchmark, key.params) in named
            by_origin[key] = Series(
                stat=key.stat,
                times=None if np.isnan(times[rows]).any() else times[rows],
                values=values[rows],
                path=key.path,
                lines=lines[rows].tolist(),
                benchmark=key.benchmark if is_named else "",
                params=key.params if is_named else "",
            )
            is_thinned = not keeps_repeats and key.stat == "counter" and by_origin[key].is_dated
            if is_thinned and registry.tool(tools[rows[0]]).is_range:
                ranges.setdefault((key.path, key.subject.partition("@")[2]), []).append(key)
        for keys in ranges.values():
            scraped = _without_repeats([by_origin[key] for key in keys])
            by_origin.update(zip(keys, scraped, strict=True))
        for number, (key, each) in enumerate(by_origin.items()):
            of_trial = self._placed.setdefault(key.trial, {})
            placed = _Placed(number, (key.subject, key.metric), each)
            of_trial.setdefault((each.benchmark, each.params), []).append(placed)
        self._shared = [trial for trial in self._placed if trial.run == 0]

    def __bool__(self) -> bool:
        return bool(self._placed)

    def has_any(self, run: Measured) -> bool:
        """Return whether files of this run, or of many, have samples, inside its window or not."""
        return any(self._find(trial, run) for trial in (run.trial, *self._list_shared(run)))

    def of(self, run: Measured) -> dict[tuple[str, str], Series]:
        """Return the series of a run by container and metric; empty if there are none."""
        shared = [each for trial in self._list_shared(run) for each in self._find(trial, run)]
        return _choose(shared, run) | _choose(self._find(run.trial, run), run)

    def _find(self, trial: Trial, run: Measured) -> list[_Placed]:
        """Return the series of a trial that belong to a run next to it, in their order."""
        placed = self._placed.get(trial, {})
        names = {"", *_list_names(run)} if placed else ()
        labels = [(name, params) for name in names for params in {"", run.params}]
        return sorted(chain.from_iterable(placed.get(label, ()) for label in labels))

    def _list_shared(self, run: Measured) -> Iterator[Trial]:
        """Yield the trials of files without a number that also cover a run."""
        return (trial for trial in self._shared if self._covers(trial.group, trial.variant, run))

    def _covers(self, group: str, variant: str, run: Measured) -> bool:
        """Return whether a file without a number also covers a run."""
        if (group, variant) in self._variants:
            return (group, variant) == (run.group, run.variant)
        is_subgroup = group not in self._groups and group.rpartition("/")[0] == run.group
        return group == run.group or is_subgroup


class _Placed(NamedTuple):
    """A series, its number in the order of the files, and its container and metric."""

    number: int
    sensor: tuple[str, str]
    series: Series


def _choose(placed: Iterable[_Placed], run: Measured) -> dict[tuple[str, str], Series]:
    """Return the series of each container and metric with the most samples in the window."""
    best: dict[tuple[str, str], tuple[int, Series]] = {}
    for each in placed:
        count = len(each.series.inside(run.window)[0])
        if count > best.get(each.sensor, (0,))[0]:
            best[each.sensor] = count, each.series
    return {sensor: series for sensor, (_, series) in best.items()}


def _list_names(run: Measured) -> Iterator[str]:
    """Yield the benchmark of a run, and what it has in common with several benchmarks."""
    words = run.benchmark.split(_JOINT)
    return (_JOINT.join(words[:size]) for size in range(1, len(words) + 1))


def _list_labels(run: Measured) -> Iterator[tuple[str, str, str, str]]:
    """Yield the labels that files may have if they belong to runs of one or several benchmarks."""
    for name in _list_names(run):
        for params in {"", run.params}:
            yield run.group, run.variant, name, params


def _without_repeats(together: Sequence[Series]) -> list[Series]:
    """Keep only the real scrapes of counters that one Prometheus scraped from one place."""
    ordered = []
    for each in together:
        times, places = np.unique(np.asarray(each.times), return_index=True)
        ordered.append((times, each.values[places], places))
    interval = scrape_interval((times, values) for times, values, _ in ordered)
    left = []
    for each, (times, values, places) in zip(together, ordered, strict=True):
        kept = find_samples(times, values, interval)
        lines = [each.lines[place] for place in places[kept].tolist()]
        left.append(replace(each, times=times[kept], values=values[kept], lines=lines))
    return left


@lru_cache(maxsize=1 << 10)
def _folder_of(path: str) -> str:
    """Return the series that a file belongs to: snapshots in ``cadvisor-metrics-1/`` form one."""
    folder = path.rpartition("/")[0]
    name = folder.rpartition("/")[2]
    is_series = any(name.startswith(f"{tool}-") for tool in registry.snapshotting())
    return folder if is_series else path


def _group(rows: pd.DataFrame, lines: Iterable[str]) -> dict[_Origin, list[int]]:
    """Return which rows have the same labels and come from the same file, in their order.

    A frame for each of many small groups would take longer than all other steps.
    """
    paths = (_folder_of(line.rpartition(":")[0]) for line in lines)
    columns = (rows[name].tolist() for name in _Origin._fields[:-1])
    rows_of: dict[_Origin, list[int]] = {}
    for place, key in enumerate(map(_Origin._make, zip(*columns, paths, strict=True))):
        rows_of.setdefault(key, []).append(place)
    return rows_of


def _seconds(rows: pd.DataFrame) -> FloatArray:
    """Return the times in s since 1970, NaN if unknown."""
    times = rows["time"].to_numpy(dtype="datetime64[us]")
    seconds = times.astype(np.int64).astype(np.float64) * _MICRO
    return np.where(np.isnat(times), np.nan, seconds)


def scrape_interval(counters: Iterable[tuple[FloatArray, FloatArray]]) -> float:
    """Return the shortest time in s between two changes of any counter.

    Parameters
    ----------
    counters : iterable of (times, values)
        All counters that one Prometheus scraped from one place, each in ascending order of time.

    Returns
    -------
    float
        0 if no counter changes, infinite if none changes twice.

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
    """Return which steps of a range query are samples of a counter.

    Parameters
    ----------
    times, values : ndarray of float, shape (n,)
        In ascending order of time, n >= 1.
    interval : float
        The result of `scrape_interval`.

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
