"""A counter or a gauge over the time of one run: mean, largest, and coverage.

Cores are the difference of two counts over the time between them; resets and values that were
scraped twice must not change them.

Also the resource use of the containers of a variant.

The costs of the service and of what runs next to it are separate, and a container at its limit
determines the pace.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from collections.abc import Set as AbstractSet
from dataclasses import dataclass
from statistics import median
from typing import TYPE_CHECKING

import numpy as np

from benchkit.derived.containers import SERVICE, entitle, find_service, role_of
from benchkit.derived.record import Measured
from benchkit.derived.requests import read_usage
from benchkit.schema import Labels, Side

if TYPE_CHECKING:
    from benchkit.schema import Observations
    from benchkit.stats.sample import FloatArray


#: Minimum share of its limit at which a container counts as being at its limit.
AT_LIMIT = 0.95

#: Minimum share of a run's time that samples must cover to describe the whole run.
COVERED = 0.75
#: Length of a short run in s, and how far outside it a sample may represent its start or end, in s.
_SHORT, _NEAR = 1.0, 0.5


@dataclass(frozen=True, slots=True)
class Usage:
    """The summary of a series in a window.

    Parameters
    ----------
    mean, largest : float
        In the unit, or in the unit per second for a counter.
    n : int
        Samples in the window.
    covered : float
        Seconds between the first and the last sample.
    increase : float
        The increase of a counter; 0 for a gauge.
    """

    mean: float
    largest: float
    n: int
    covered: float
    increase: float = 0.0


def cut(
    times: FloatArray, values: FloatArray, window: tuple[float, float] | None
) -> tuple[FloatArray, FloatArray]:
    """Return the samples in a window, in order of time, one value per time.

    Parameters
    ----------
    times, values : ndarray of float, shape (n,)
        Times in s.
    window : (start, end) or None
        Both ends included; None keeps everything.
    """
    order = np.argsort(times, kind="stable")
    times, values = times[order], values[order]
    first = np.concatenate(([True], np.diff(times) > 0)) if len(times) else np.zeros(0, bool)
    inside = first if window is None else first & (times >= window[0]) & (times <= window[1])
    return times[inside], values[inside]


def cut_whole(
    times: FloatArray, values: FloatArray, window: tuple[float, float]
) -> tuple[FloatArray, FloatArray]:
    """Return the samples in a window, and next to a short window that they cover only in part.

    The samples before and after count as those at its ends: a service uses almost nothing around a
    run.

    Examples
    --------
    >>> import numpy as np
    >>> times, values = np.array([0.0, 9.9, 10.2, 10.32]), np.array([1.0, 1.0, 3.0, 4.0])
    >>> [column.tolist() for column in cut_whole(times, values, (10.0, 10.3))]
    [[10.0, 10.2, 10.3], [1.0, 3.0, 4.0]]
    """
    start, end = window
    kept = cut(times, values, window)
    is_covered = len(kept[0]) > 1 and kept[0][-1] - kept[0][0] >= COVERED * (end - start)
    if is_covered or end - start > _SHORT:
        return kept
    wide, around = cut(times, values, (start - _NEAR, end + _NEAR))
    first = max(int(np.searchsorted(wide, start, side="right")) - 1, 0)
    last = int(np.searchsorted(wide, end)) + 1
    return np.clip(wide[first:last], start, end), around[first:last]


def reduce_counter(times: FloatArray, values: FloatArray) -> Usage | None:
    """Return the rate of a counter.

    Parameters
    ----------
    times, values : ndarray of float, shape (n,)
        In ascending order of time, as returned by `cut`.

    Returns
    -------
    Usage or None
        None for fewer than two samples.

    Notes
    -----
    The mean is the increase from the first to the last sample over the time between them. If the
    counter falls, it was reset, and counts from 0 again. The largest is the rate of a step from a
    value to the next different value, so that a value that was scraped twice does not double the
    rate of the next step.

    Examples
    --------
    >>> import numpy as np
    >>> usage = reduce_counter(np.array([0.0, 1.0, 2.0, 3.0]), np.array([7.0, 8.0, 0.5, 0.5]))
    >>> usage.mean, usage.largest, usage.increase
    (0.5, 1.0, 1.5)
    """
    if len(times) < 2:
        return None
    steps = _increases(values)
    covered, increase = float(times[-1] - times[0]), float(steps.sum())
    _, rates = rate_steps(times, values)
    largest = float(rates.max()) if len(rates) else 0.0
    return Usage(increase / covered, largest, len(times), covered, increase)


def rate_steps(times: FloatArray, values: FloatArray) -> tuple[FloatArray, FloatArray]:
    """Return the rate of a counter between a value and the next different value, and when.

    Parameters
    ----------
    times, values : ndarray of float, shape (n,)
        In ascending order of time, as returned by `cut`.

    Returns
    -------
    tuple of ndarray, each of shape (steps,)
        The middle of each step, and the rate in it.

    Examples
    --------
    >>> import numpy as np
    >>> rate_steps(np.array([0.0, 1.0, 2.0, 4.0]), np.array([7.0, 8.0, 8.0, 11.0]))
    (array([0.5, 2.5]), array([1., 1.]))
    """
    steps = _increases(values)
    moved = np.concatenate(([True], steps != 0))
    ends = times[moved]
    return (ends[1:] + ends[:-1]) / 2, steps[moved[1:]] / np.diff(ends)


def _increases(values: FloatArray) -> FloatArray:
    """Return the increase of a counter; if it falls, it was reset, and counts from 0 again."""
    steps = np.diff(values)
    return np.where(steps < 0, values[1:], steps)


def reduce_gauge(times: FloatArray, values: FloatArray) -> Usage | None:
    """Return the mean and the largest observed value; None without any.

    Examples
    --------
    >>> import numpy as np
    >>> reduce_gauge(np.array([0.0, 1.0]), np.array([4.0, 6.0])).mean
    5.0
    """
    if not len(values):
        return None
    covered = float(times[-1] - times[0])
    return Usage(float(values.mean()), float(values.max()), len(values), covered)


@dataclass(frozen=True, slots=True, kw_only=True)
class Use:
    """Resource use of one container under one variant: medians over runs.

    Parameters
    ----------
    container, title, role : str
        As in the table; display name; role.
    cores, largest : float
        CPU: mean over the run, and in its busiest step.
    memory, limit : float or None
        Working set in B; the CPU limit in cores.
    """

    side: Side
    container: str
    title: str
    role: str
    cores: float
    largest: float
    memory: float | None
    limit: float | None
    runs: int

    @property
    def share(self) -> float | None:
        """Mean CPU divided by the limit."""
        return self.cores / self.limit if self.limit else None

    @property
    def is_at_limit(self) -> bool:
        """Whether it used 95 % of its limit or more."""
        return self.share is not None and self.share >= AT_LIMIT


def list_uses(observations: Observations, measured: Sequence[Measured]) -> list[Use]:
    """Return the containers of each variant, the service first."""
    cores = read_usage(observations)
    if not cores:
        return []
    largest = read_usage(observations, stat="max")
    memory = read_usage(observations, "memory_usage") | read_usage(
        observations, "memory_working_set"
    )
    limits = read_usage(observations, "cpu_limit", "value")
    runs_by_container: dict[tuple[Side, str], list[Measured]] = {}
    for run in measured:
        for container in cores.get(run.key, {}):
            runs_by_container.setdefault((run.side, container), []).append(run)
    uses = []
    for (side, container), runs in runs_by_container.items():
        services = {find_service(cores[run.key], run.env) for run in runs}
        uses.append(
            Use(
                side=side,
                container=container,
                title=entitle(container, runs[0].env),
                role=_role_of(container, runs[0], services),
                cores=_center(cores, runs, container) or 0.0,
                largest=_center(largest, runs, container) or 0.0,
                memory=_center(memory, runs, container),
                limit=_center(limits, runs, container),
                runs=len(runs),
            )
        )
    return sorted(uses, key=lambda use: (use.side, use.role != SERVICE))


def _role_of(container: str, run: Measured, services: AbstractSet[str | None]) -> str:
    """Return a container's role; if a service is chosen, a name alone makes no other one."""
    if container in services:
        return SERVICE
    role = role_of(container, run.env)
    return "" if role == SERVICE and services != {None} else role


def _center(
    values: Mapping[Labels, Mapping[str, float]], runs: Sequence[Measured], container: str
) -> float | None:
    known = [values[r.key][container] for r in runs if container in values.get(r.key, {})]
    return median(known) if known else None
