"""Runs at several levels of load: the gain of each level over the first and the previous one."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from statistics import median
from typing import TYPE_CHECKING

from benchkit.derived.containers import read_positive
from benchkit.derived.record import Measured, keep_measured, list_measured
from benchkit.derived.requests import request_rates
from benchkit.regexes import regex
from benchkit.schema import Labels, Side, list_labels

if TYPE_CHECKING:
    from benchkit.schema import Observations, Runs

CONNECTIONS, RATE = "connections", "rate"
#: Minimum number of levels; fewer are a comparison, not a sweep.
FEWEST = 3
#: Metrics that report a rate, or from which it follows; one is necessary for a sweep.
_RATED = ("request_rate", "requests")

#: Statistics of a run's whole latency, not of a part of it.
_STAT = regex(r"mean|stdev|min|max|median|p\d+(\.\d+)?")
_SAME = {"median": "p50", "p50": "median"}


@dataclass(frozen=True, slots=True, kw_only=True)
class Level:
    """One level: medians over its runs.

    Parameters
    ----------
    size : float
        Connections, or offered requests per second.
    rate : float
        Requests per second.
    latency : mapping of str to float
        By stat, in s.
    steps : mapping of str to float
        The coarsest rounding step of each stat among the runs, in s; stats that no source rounds
        are not included.
    """

    size: float
    runs: int
    rate: float
    latency: Mapping[str, float]
    steps: Mapping[str, float] = field(default_factory=dict)

    def get_latency(self, stat: str) -> float | None:
        """Return a latency in s, with either name of the median; None if not recorded."""
        return self.latency.get(stat, self.latency.get(_SAME.get(stat, "")))


@dataclass(frozen=True, slots=True, kw_only=True)
class Sweep:
    """The levels of one variant, benchmark and tool, in ascending order.

    Parameters
    ----------
    group, variant, benchmark, params, tool : str
        ``params`` without the level.
    by : {'connections', 'rate'}
    """

    group: str
    variant: str
    benchmark: str
    params: str
    tool: str
    by: str
    levels: tuple[Level, ...]

    @property
    def sizes(self) -> list[float]:
        """The levels."""
        return [level.size for level in self.levels]

    @property
    def rates(self) -> list[float]:
        """Requests per second at each level."""
        return [level.rate for level in self.levels]

    @property
    def best(self) -> Level:
        """The level with the highest rate."""
        return max(self.levels, key=lambda level: level.rate)

    def wait(self, level: Level) -> float | None:
        """Return connections over rate: the mean time of a request in a closed loop, in s."""
        return level.size / level.rate if self.by == CONNECTIONS else None

    def speed_up(self, level: Level) -> float:
        """Return the rate over that of the lowest level."""
        return level.rate / self.levels[0].rate

    def efficiency(self, level: Level) -> float:
        """Return the speed-up divided by the increase in offered load."""
        return self.speed_up(level) / (level.size / self.levels[0].size)

    def share(self, level: Level) -> float:
        """Return the rate as a share of the best."""
        return level.rate / self.best.rate

    def gain(self, index: int) -> float | None:
        """Return the relative gain over the previous level; None for the lowest."""
        if index == 0:
            return None
        return self.levels[index].rate / self.levels[index - 1].rate - 1

    def gap(self, size: float) -> tuple[float, float] | None:
        """Return the levels around a size that was not measured; None if it was."""
        sizes = self.sizes
        if size in sizes:
            return None
        below = max((s for s in sizes if s < size), default=None)
        above = min((s for s in sizes if s > size), default=None)
        return (below, above) if below is not None and above is not None else None


def list_sweeps(observations: Observations, runs: Runs) -> list[Sweep]:
    """Return the sweeps with three levels or more.

    Notes
    -----
    The level is ``connections`` or ``rate`` of the params; otherwise the connections that the tool
    reports in a closed loop, or its target rate in an open loop.
    """
    if not observations["metric"].isin(_RATED).any():
        return []
    measured = list_measured(runs)
    rates = request_rates(observations, measured)
    latencies = _latencies(observations)
    stated = _stated_levels(runs)
    places: dict[tuple[Side, str], dict[float, list[Measured]]] = {}
    for run in measured:
        level = _level(run, stated)
        if level is not None and rates.get(run.key, 0) > 0:
            by, size, rest = level
            place = run.side._replace(params=rest), by
            places.setdefault(place, {}).setdefault(size, []).append(run)
    return [
        Sweep(
            **side._asdict(),
            by=by,
            levels=tuple(_measure(s, levels[s], rates, latencies) for s in sorted(levels)),
        )
        for (side, by), levels in places.items()
        if len(levels) >= FEWEST
    ]


def is_only_swept(observations: Observations, runs: Runs) -> bool:
    """Return whether there are levels of load, but nothing that two variants have in common."""
    measured = keep_measured(runs)
    sides = measured[list(Side._fields)].drop_duplicates()
    is_common = sides.drop(columns="variant").duplicated().any()
    return not is_common and bool(list_sweeps(observations, runs))


def _level(
    run: Measured, stated: Mapping[Labels, tuple[str, float]]
) -> tuple[str, float, str] | None:
    parts = dict(part.split("=", 1) for part in run.params.split(",") if "=" in part)
    for by in (CONNECTIONS, RATE):
        size = read_positive(parts.get(by, ""))
        if size is not None:
            rest = ",".join(f"{key}={value}" for key, value in parts.items() if key != by)
            return by, size, rest
    known = stated.get(run.key)
    return (*known, run.params) if known else None


def _stated_levels(runs: Runs) -> dict[Labels, tuple[str, float]]:
    levels = {}
    for model, name, by in (("closed", "connections", CONNECTIONS), ("open", "target_rate", RATE)):
        known = runs[runs["load_model"].eq(model) & runs[name].notna()]
        for labels, size in zip(list_labels(known), known[name].tolist(), strict=True):
            if size > 0:
                levels[labels] = (by, float(size))
    return levels


#: Value and rounding step in s, by stat.
_Latencies = dict[str, tuple[float, float]]


def _latencies(observations: Observations) -> dict[Labels, _Latencies]:
    """Return the latencies of each run; of several sources, the one with the finest step."""
    stats = observations["stat"].drop_duplicates().tolist()
    known = [stat for stat in stats if _STAT.fullmatch(stat)]
    rows = observations["metric"].eq("latency") & observations["stat"].isin(known)
    latencies = observations[rows & observations["subject"].isna()]
    by_run: dict[Labels, _Latencies] = {}
    rest = (latencies[name].tolist() for name in ("stat", "value", "resolution"))
    for labels, stat, value, resolution in zip(list_labels(latencies), *rest, strict=True):
        step = resolution if resolution > 0 else 0.0
        of_run = by_run.setdefault(labels, {})
        if stat not in of_run or step <= of_run[stat][1]:
            of_run[stat] = value, step
    return by_run


def _measure(
    size: float,
    runs: Sequence[Measured],
    rates: Mapping[Labels, float],
    latencies: Mapping[Labels, _Latencies],
) -> Level:
    by_stat: dict[str, list[tuple[float, float]]] = {}
    for run in runs:
        for stat, one in latencies.get(run.key, {}).items():
            by_stat.setdefault(stat, []).append(one)
    steps = {stat: max(step for _, step in values) for stat, values in by_stat.items()}
    return Level(
        size=size,
        runs=len(runs),
        rate=median(rates[run.key] for run in runs),
        latency={stat: median(value for value, _ in values) for stat, values in by_stat.items()},
        steps={stat: step for stat, step in steps.items() if step},
    )
