"""Runs at several levels of load: what each level gains over the first and the one before.

In: observations and runs. Out: `Sweep`s of three levels or more. Why: "more connections give more
requests" is seen at a glance, what they cost and where it ends is arithmetic.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from statistics import median
from typing import TYPE_CHECKING

from benchkit.derived.record import Measured, list_measured
from benchkit.derived.requests import Key, request_rates

if TYPE_CHECKING:
    from benchkit.schema import Observations, Runs

CONNECTIONS, RATE = "connections", "rate"
#: Fewer are a comparison, not a sweep.
FEWEST = 3

_STATS = ("mean", "stdev", "max", "median", "p50", "p90", "p95", "p99")


@dataclass(frozen=True, slots=True, kw_only=True)
class Level:
    """One level: medians over its runs.

    Parameters
    ----------
    size : float
        Connections, or requests per second that were offered.
    runs : int
    rate : float
        Requests per second.
    latency : mapping of str to float
        By stat, in s.
    """

    size: float
    runs: int
    rate: float
    latency: Mapping[str, float]


@dataclass(frozen=True, slots=True, kw_only=True)
class Sweep:
    """The levels of one variant, benchmark and tool, from the lowest on.

    Parameters
    ----------
    group, variant, benchmark, params, tool : str
        ``params`` without the level.
    by : {'connections', 'rate'}
    levels : tuple of Level
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
        """Requests per second at each."""
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
        """Return the speed-up over how much more was offered."""
        return self.speed_up(level) / (level.size / self.levels[0].size)

    def share(self, level: Level) -> float:
        """Return the rate over the best."""
        return level.rate / self.best.rate

    def gain(self, index: int) -> float | None:
        """Return the relative gain over the level before; None for the lowest."""
        if index == 0:
            return None
        return self.levels[index].rate / self.levels[index - 1].rate - 1

    def gap(self, size: float) -> tuple[float, float] | None:
        """Return the two levels between which a size was not measured; None where it was."""
        sizes = self.sizes
        if size in sizes:
            return None
        below = max((s for s in sizes if s < size), default=None)
        above = min((s for s in sizes if s > size), default=None)
        return (below, above) if below is not None and above is not None else None


_Place = tuple[str, str, str, str, str, str]


def list_sweeps(observations: Observations, runs: Runs) -> list[Sweep]:
    """Return the sweeps of three levels or more.

    Parameters
    ----------
    observations, runs : Observations, Runs

    Notes
    -----
    The level is ``connections`` or ``rate`` of the params; else what the tool tells of its
    connections in a closed loop, or of its target rate in an open one.
    """
    measured = list_measured(runs)
    rates = request_rates(observations, measured)
    latencies = _latencies(observations)
    told = _told_levels(runs)
    places: dict[_Place, dict[float, list[Measured]]] = {}
    for run in measured:
        level = _level(run, told)
        if level is not None and rates.get(run.key, 0) > 0:
            by, size, rest = level
            place = (run.group, run.variant, run.benchmark, rest, run.tool, by)
            places.setdefault(place, {}).setdefault(size, []).append(run)
    return [
        _sweep(place, tuple(_measure(s, levels[s], rates, latencies) for s in sorted(levels)))
        for place, levels in places.items()
        if len(levels) >= FEWEST
    ]


def is_only_swept(observations: Observations, runs: Runs) -> bool:
    """Tell whether there are levels of load, and nothing that two variants have in common."""
    measured = runs[runs["role"] == "measured"]
    cells = measured[["group", "variant", "benchmark", "params", "tool"]].drop_duplicates()
    is_common = cells.drop(columns="variant").duplicated().any()
    return not is_common and bool(list_sweeps(observations, runs))


def _sweep(place: _Place, levels: tuple[Level, ...]) -> Sweep:
    names = ("group", "variant", "benchmark", "params", "tool", "by")
    return Sweep(**dict(zip(names, place, strict=True)), levels=levels)


def _level(run: Measured, told: Mapping[Key, tuple[str, float]]) -> tuple[str, float, str] | None:
    parts = dict(part.split("=", 1) for part in run.params.split(",") if "=" in part)
    for by in (CONNECTIONS, RATE):
        size = _number(parts.get(by, ""))
        if size is not None:
            rest = ",".join(f"{key}={value}" for key, value in parts.items() if key != by)
            return by, size, rest
    known = told.get(run.key)
    return (*known, run.params) if known else None


def _number(text: str) -> float | None:
    try:
        found = float(text)
    except ValueError:
        return None
    return found if 0 < found < float("inf") else None


def _told_levels(runs: Runs) -> dict[Key, tuple[str, float]]:
    columns = ("group", "variant", "benchmark", "params", "run", "tool")
    found = {}
    for model, name, by in (("closed", "connections", CONNECTIONS), ("open", "target_rate", RATE)):
        known = runs[runs["load_model"].eq(model) & runs[name].notna()]
        keys = zip(*(known[column].astype(str).tolist() for column in columns), strict=True)
        for key, size in zip(keys, known[name].tolist(), strict=True):
            if size > 0:
                found[key] = (by, float(size))
    return found


def _latencies(observations: Observations) -> dict[Key, dict[str, float]]:
    rows = observations["metric"].eq("latency") & observations["stat"].isin(_STATS)
    wanted = observations[rows & observations["subject"].isna()]
    columns = ("group", "variant", "benchmark", "params", "run", "tool")
    keys = zip(*(wanted[name].astype(str).tolist() for name in columns), strict=True)
    found: dict[Key, dict[str, float]] = {}
    best: dict[tuple[Key, str], float] = {}
    rest = (wanted[name].tolist() for name in ("stat", "value", "resolution"))
    for key, stat, value, resolution in zip(keys, *rest, strict=True):
        step = resolution if resolution > 0 else 0.0
        if step <= best.get((key, stat), float("inf")):
            best[key, stat] = step
            found.setdefault(key, {})[stat] = value
    return found


def _measure(
    size: float,
    runs: Sequence[Measured],
    rates: Mapping[Key, float],
    latencies: Mapping[Key, Mapping[str, float]],
) -> Level:
    told = [latencies.get(run.key, {}) for run in runs]
    known = {stat: [each[stat] for each in told if stat in each] for stat in _STATS}
    return Level(
        size=size,
        runs=len(runs),
        rate=median(rates[run.key] for run in runs),
        latency={stat: median(values) for stat, values in known.items() if values},
    )
