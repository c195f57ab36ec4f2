"""Latency, CPU and memory over the time of each run."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np

from benchkit.derived.containers import find_service
from benchkit.derived.record import Measured
from benchkit.derived.requests import read_usage
from benchkit.derived.sources import Series, Sources
from benchkit.derived.stretches import Batches
from benchkit.derived.usage import rate_steps

if TYPE_CHECKING:
    from benchkit.schema import Observations
    from benchkit.stats.sample import FloatArray

#: Number of points in a line.
MOST = 1000
LATENCY, CPU = "latency", "cpu_usage"
MEMORY = ("memory_working_set", "memory_usage")
_DRAWN = ("cpu_time", CPU, *MEMORY)
#: Statistics from the middle towards the tail.
STATS = ("p50", "p90", "p99")
#: Share of a run's length shown before its start (warm-up), and after its end.
_BEFORE, _AFTER = 0.5, 0.25
_FEWEST = 3  # points in a line


@dataclass(frozen=True, slots=True, kw_only=True)
class Track:
    """One quantity over the time of one run.

    Parameters
    ----------
    metric, stat, subject : str
        ``stat`` is empty except for latencies, ``subject`` except for containers.
    is_service : bool
        Whether it is about the container under load.
    times : ndarray of float, shape (n,)
        In s since the run started, in ascending order; negative before the start.
    values : ndarray of float, shape (n,)
        In base units.
    """

    run: Measured
    metric: str
    stat: str
    subject: str
    is_service: bool
    times: FloatArray
    values: FloatArray


def find_tracks(
    observations: Observations, measured: Sequence[Measured], series: Observations | None = None
) -> list[Track]:
    """Return the known quantities over the time of each run.

    Parameters
    ----------
    observations : Observations
        Stretches of latencies form a track, single values do not.
    series : Observations, optional
        Samples of containers over time.

    Returns
    -------
    list of Track
        Latencies at the middle of each stretch; CPU in cores between two readings of the counter;
        memory. Containers only if the run's start and end are known.
    """
    batches = Batches(observations)
    sources = None
    if series is not None:
        sources = Sources(series[series["metric"].isin(_DRAWN)], measured)
    cores = read_usage(observations) if sources else {}
    tracks: list[Track] = []
    for run in measured:
        tracks += _latencies(run, batches)
        if sources and run.window is not None:
            service = find_service(cores.get(run.key, {}), run.env)
            tracks += _resources(run, run.window, sources.of(run), service or "")
    return tracks


def _latencies(run: Measured, batches: Batches) -> Iterator[Track]:
    for stat in STATS:
        course = batches.course(run.side, LATENCY, stat).get(run.run)
        if course is None or len(course[0]) < _FEWEST:
            continue
        begins, values = course
        times = begins + np.median(np.diff(begins)) / 2 - _start(run, begins)
        yield _track(run, LATENCY, times, values, stat=stat)


def _start(run: Measured, begins: FloatArray) -> float:
    """Return when a run started: as recorded, unless its samples are from another time."""
    first = float(begins[0])
    if run.window is None or not run.window[0] <= first <= run.window[1]:
        return first
    return run.window[0]


def _resources(
    run: Measured,
    window: tuple[float, float],
    recorded: Mapping[tuple[str, str], Series],
    service: str,
) -> Iterator[Track]:
    start, end = window
    length = end - start
    seen = (start - _BEFORE * length, end + _AFTER * length)
    subjects = dict.fromkeys(subject for subject, _ in recorded)
    for subject in subjects:
        for metric, names in ((CPU, ("cpu_time", CPU)), (MEMORY[0], MEMORY)):
            series = next((recorded[subject, n] for n in names if (subject, n) in recorded), None)
            if series is None or not series.is_dated:
                continue
            times, values, _ = series.inside(seen)
            if series.stat == "counter" and len(times):
                times, values = rate_steps(times, values)
            if len(times) >= _FEWEST:
                yield _track(run, metric, times - start, values, subject=subject, service=service)


def _track(
    run: Measured,
    metric: str,
    times: FloatArray,
    values: FloatArray,
    *,
    stat: str = "",
    subject: str = "",
    service: str = "",
) -> Track:
    return Track(
        run=run,
        metric=metric,
        stat=stat,
        subject=subject,
        is_service=bool(subject) and subject == service,
        times=times,
        values=values,
    )


def center(tracks: Sequence[Track]) -> tuple[FloatArray, FloatArray]:
    """Return the median over runs, at times as far apart as the samples.

    Parameters
    ----------
    tracks : sequence of Track
        Tracks of one quantity, one per run.

    Returns
    -------
    tuple of ndarray, each of shape (n,)
        Times and values, n <= 1000; a single run is returned unchanged except for `thin`. Between
        two samples a run is interpolated linearly, and at least half of all runs must be observed.

    Examples
    --------
    >>> run = Measured(group="", variant="a", benchmark="", params="", run=1, tool="wrk",
    ...                window=None, duration=None)
    >>> runs = [_track(run, CPU, np.arange(3.0), np.full(3, level)) for level in (1.0, 2.0, 9.0)]
    >>> center(runs)
    (array([0., 1., 2.]), array([2., 2., 2.]))
    """
    if len(tracks) == 1:
        return thin(tracks[0].times, tracks[0].values)
    first = min(track.times[0] for track in tracks)
    last = max(track.times[-1] for track in tracks)
    step = float(np.median([np.median(np.diff(track.times)) for track in tracks]))
    times = np.linspace(first, last, min(round((last - first) / step) + 1, MOST))
    seen = np.array(
        [np.interp(times, t.times, t.values, left=np.nan, right=np.nan) for t in tracks]
    )
    is_known = (~np.isnan(seen)).sum(axis=0) * 2 >= len(tracks)
    return times[is_known], np.nanmedian(seen[:, is_known], axis=0)


def thin(times: FloatArray, values: FloatArray, most: int = MOST) -> tuple[FloatArray, FloatArray]:
    """Reduce a line to few points, including the highest and the lowest of each stretch.

    Parameters
    ----------
    times, values : ndarray of float, shape (n,)
        In ascending order of time.
    most : int
        Maximum number of points, at least 4.

    Examples
    --------
    >>> values = np.zeros(100_000)
    >>> values[[777, 50_001]] = 5.0, -1.0
    >>> times, kept = thin(np.arange(100_000.0), values, most=100)
    >>> len(times) <= 102, np.unique(kept).tolist(), times[[0, -1]].tolist()
    (True, [-1.0, 0.0, 5.0], [0.0, 99999.0])
    """
    size = len(times)
    if size <= most:
        return times, values
    edges = np.linspace(0, size, most // 2 + 1).astype(np.int64)
    places = {0, size - 1}
    for low, high in zip(edges[:-1].tolist(), edges[1:].tolist(), strict=True):
        part = values[low:high]
        places |= {low + int(part.argmin()), low + int(part.argmax())}
    kept = sorted(places)
    return times[kept], values[kept]
