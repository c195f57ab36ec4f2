"""How many requests a run made, how many a second, and what containers used meanwhile.

Everything per request divides by these, and of several forms of a run the most precise counts.

The iterations that k6 dropped, where it says nothing of them because there were none.

K6 leaves ``dropped_iterations`` out when nothing was dropped; compared over the other runs alone,
the best runs would be left out.

What a held load came to: requests, the rate that was set and reached, and failures.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from statistics import median
from typing import TYPE_CHECKING, Any

from benchkit.derived.failures import share_failures
from benchkit.derived.record import Measured
from benchkit.errors import Finding
from benchkit.schema import Labels, Side, list_labels

if TYPE_CHECKING:
    from benchkit.schema import Observations, Runs


#: Two rates this share apart, as rounded durations make them, are of the same time.
_ROUNDED = 0.005
_DROPPED, _RATE = "dropped_iterations", "dropped_iterations_per_second"
#: What only a summary, or raw points to their end, tell of the iterations: the console does not.
_COUNT, _TIME, _DONE_RATE = "iterations", "iteration_time", "iteration_rate"

#: Rates within this share of each other are the same load.
_SAME = 0.01


def request_counts(observations: Observations) -> dict[Labels, float]:
    """Return the requests of each run, by `Measured.key`."""
    return _most_precise(observations, "requests", "count")


def request_rates(observations: Observations, measured: Iterable[Measured]) -> dict[Labels, float]:
    """Return the requests per second of each run, by `Measured.key`.

    The tool's own rate, else requests over duration.
    """
    rates = _most_precise(observations, "request_rate", "mean")
    counts = request_counts(observations)
    for run in measured:
        if run.duration and run.key not in rates and run.key in counts:
            rates[run.key] = counts[run.key] / run.duration
    return rates


def completion_rates(
    observations: Observations, measured: Sequence[Measured]
) -> dict[Labels, float]:
    """Return the requests per second of the whole time of each run, by `Measured.key`.

    The tool's own rate may be that of sending, which vegeta divides by the time without the wait
    for the last responses. Where both agree, the tool's own is rounded less.
    """
    rates, counts = request_rates(observations, measured), request_counts(observations)
    for run in measured:
        if run.duration and counts.get(run.key) and run.key in rates:
            rate = counts[run.key] / run.duration
            if abs(rates[run.key] / rate - 1) > _ROUNDED:
                rates[run.key] = rate
    return rates


def mean_latencies(observations: Observations) -> dict[Labels, float]:
    """Return the mean latency of each run in s, by `Measured.key`."""
    return _most_precise(observations, "latency", "mean")


def read_usage(
    observations: Observations, metric: str = "cpu_usage", stat: str = "mean"
) -> dict[Labels, dict[str, float]]:
    """Return what containers used in each run: `Measured.key` -> container -> value."""
    used: dict[Labels, dict[str, float]] = {}
    rows = _rows(observations, metric, stat, ("subject", "value"), apart=True)
    for labels, container, value in rows:
        used.setdefault(labels, {})[str(container)] = value
    return used


def _most_precise(observations: Observations, metric: str, stat: str) -> dict[Labels, float]:
    best: dict[Labels, tuple[tuple[float, bool], float]] = {}
    names = ("value", "resolution", "origin")
    for key, value, resolution, origin in _rows(observations, metric, stat, names):
        step = resolution if resolution > 0 else 0.0  # unknown is NaN: not rounded
        precision = (step, origin != "computed")
        if key not in best or precision < best[key][0]:
            best[key] = (precision, value)
    return {key: value for key, (_, value) in best.items()}


def _rows(
    observations: Observations, metric: str, stat: str, names: Sequence[str], *, apart: bool = False
) -> Iterable[tuple[Any, ...]]:
    """Return labels and values of one figure: of the load, or of what ran beside it."""
    is_meant = observations["metric"].eq(metric) & observations["stat"].eq(stat)
    if not is_meant.any():  # as for most figures of most tools
        return ()
    is_meant &= observations["subject"].notna() == apart
    rows = observations.loc[is_meant, [*Labels._fields, *names]]
    return zip(list_labels(rows), *(rows[name].tolist() for name in names), strict=True)


def derive_dropped(
    observations: Observations, measured: Sequence[Measured], _: Observations
) -> tuple[list[dict[str, Any]], list[Finding]]:
    """Return 0 dropped iterations for whole k6 reports that tell none.

    Returns
    -------
    tuple of (rows, findings)
        No finding is ever told.

    Notes
    -----
    Only where another run of the same group, benchmark and params, of any variant, has the number:
    executors other than those of an arrival rate drop nothing and never tell it.
    """
    reported = _read(observations)
    dropping = {run.side.workload for run in measured if _DROPPED in reported.get(run.key, ())}
    rows = []
    for run in measured:
        known = reported.get(run.key, set())
        if run.side.workload not in dropping or run.env.get("report") == "cut" or _DROPPED in known:
            continue
        if {_COUNT, _TIME} <= known:
            rows.append(run.row(_DROPPED, "count", 0.0))
            if _DONE_RATE in known:
                rows.append(run.row(_RATE, "mean", 0.0) | {"unit": "1/s"})
    return rows, []


def _read(observations: Observations) -> dict[Labels, set[str]]:
    """Return the metrics about the iterations of whole runs that each k6 run reports."""
    if not observations["metric"].eq(_DROPPED).any():
        return {}
    rows = observations["metric"].isin((_DROPPED, _COUNT, _TIME, _DONE_RATE))
    rows &= observations["subject"].isna()
    summed = observations[rows & observations["stat"].ne("sample")]
    reported: dict[Labels, set[str]] = {}
    for labels, metric in zip(list_labels(summed), summed["metric"].tolist(), strict=True):
        reported.setdefault(labels, set()).add(metric)
    return reported


@dataclass(frozen=True, slots=True, kw_only=True)
class HeldLoad:
    """The load of one variant at a fixed rate: medians over runs.

    Parameters
    ----------
    offered : float or None
        Requests per second that were asked for; None where the tool does not tell.
    achieved, lowest : float
        Requests per second, and those of the slowest run.
    failed : float or None
        The share of the requests of all runs; None where no run reports failures.
    """

    side: Side
    runs: int
    offered: float | None
    achieved: float
    lowest: float
    requests: float | None
    failed: float | None

    @property
    def is_reached(self) -> bool:
        """Whether every run came within 1 % of the rate that was asked for, where that is told."""
        return self.offered is None or self.lowest >= self.offered * (1 - _SAME)

    def is_alike(self, other: HeldLoad) -> bool:
        """Whether two variants had the same load, but for 1 %."""
        return abs(self.achieved / other.achieved - 1) <= _SAME


def list_held(
    observations: Observations, measured: Sequence[Measured], runs: Runs
) -> list[HeldLoad]:
    """Return the load of each variant that was measured in an open loop."""
    offered = _offered(runs)
    if not offered:
        return []
    rates = request_rates(observations, measured)
    counts, failed = request_counts(observations), share_failures(observations)
    places: dict[Side, list[Labels]] = {}
    for run in measured:
        if run.key in offered and rates.get(run.key, 0.0) > 0:
            places.setdefault(run.side, []).append(run.key)
    return [
        HeldLoad(
            side=side,
            runs=len(keys),
            offered=_median(offered, keys),
            achieved=median(rates[key] for key in keys),
            lowest=min(rates[key] for key in keys),
            requests=_median(counts, keys),
            failed=failed[side].value if side in failed else None,
        )
        for side, keys in places.items()
    ]


def _offered(runs: Runs) -> dict[Labels, float | None]:
    """Return the rate that each run of an open loop was asked for."""
    held = runs[runs["load_model"].eq("open") & runs["role"].eq("measured")]
    rates = (rate if rate > 0 else None for rate in held["target_rate"].tolist())
    return dict(zip(list_labels(held), rates, strict=True))


def _median(by_run: Mapping[Labels, float | None], keys: Sequence[Labels]) -> float | None:
    known = [value for key in keys if (value := by_run.get(key)) is not None]
    return median(known) if known else None
