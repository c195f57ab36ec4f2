"""The number of requests of a run, their rate, and the resource use of containers meanwhile.

All values per request are divided by these; if a run has several forms, the most precise counts.

The iterations that k6 dropped, if it omits them because there were none.

K6 omits ``dropped_iterations`` if nothing was dropped. A comparison of the other runs alone would
leave out the best runs.

Also the result of a fixed-rate load: requests, target and achieved rate, and failures.
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


#: Maximum relative difference of two rates over the same time with rounded durations.
_ROUNDED = 0.005
_DROPPED, _RATE = "dropped_iterations", "dropped_iterations_per_second"
#: Iteration metrics found only in a summary or in complete raw points, not in console output.
_COUNT, _TIME, _DONE_RATE = "iterations", "iteration_time", "iteration_rate"

#: Maximum relative difference between rates of the same load.
_SAME = 0.01


def request_counts(observations: Observations) -> dict[Labels, float]:
    """Return the requests of each run, by `Measured.key`."""
    return _most_precise(observations, "requests", "count")


def request_rates(observations: Observations, measured: Iterable[Measured]) -> dict[Labels, float]:
    """Return the requests per second of each run, by `Measured.key`.

    The tool's rate, else requests over duration.
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
    """Return the requests per second over the whole time of each run, by `Measured.key`.

    The tool's rate may be the sending rate, which vegeta divides by the time without the wait for
    the last responses. If both agree, the tool's rate is rounded less.
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
    """Return the resource use of containers in each run: `Measured.key` -> container -> value."""
    used: dict[Labels, dict[str, float]] = {}
    rows = _rows(observations, metric, stat, ("subject", "value"), apart=True)
    for labels, container, value in rows:
        used.setdefault(labels, {})[str(container)] = value
    return used


def _most_precise(observations: Observations, metric: str, stat: str) -> dict[Labels, float]:
    best: dict[Labels, tuple[tuple[float, bool], float]] = {}
    names = ("value", "resolution", "origin")
    for key, value, resolution, origin in _rows(observations, metric, stat, names):
        step = resolution if resolution > 0 else 0.0  # NaN (unknown) means not rounded
        precision = (step, origin != "computed")
        if key not in best or precision < best[key][0]:
            best[key] = (precision, value)
    return {key: value for key, (_, value) in best.items()}


def _rows(
    observations: Observations, metric: str, stat: str, names: Sequence[str], *, apart: bool = False
) -> Iterable[tuple[Any, ...]]:
    """Return labels and values of one metric, of the load or of what ran next to it."""
    is_meant = observations["metric"].eq(metric) & observations["stat"].eq(stat)
    if not is_meant.any():  # true for most metrics of most tools
        return ()
    is_meant &= observations["subject"].notna() == apart
    rows = observations.loc[is_meant, [*Labels._fields, *names]]
    return zip(list_labels(rows), *(rows[name].tolist() for name in names), strict=True)


def derive_dropped(
    observations: Observations, measured: Sequence[Measured], _: Observations
) -> tuple[list[dict[str, Any]], list[Finding]]:
    """Return 0 dropped iterations for complete k6 reports without that metric.

    Returns
    -------
    tuple of (rows, findings)
        There are never any findings.

    Notes
    -----
    Only if another run of the same group, benchmark and params, of any variant, has the number:
    executors other than those with an arrival rate drop nothing and never report it.
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
    """Return the iteration metrics that each k6 run reports for the whole run."""
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
        Target rate in requests per second; None if the tool does not report it.
    achieved, lowest : float
        Requests per second, and those of the slowest run.
    failed : float or None
        The share of failed requests over all runs; None if no run reports failures.
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
        """Whether every run came within 1 % of the target rate, if that is known."""
        return self.offered is None or self.lowest >= self.offered * (1 - _SAME)

    def is_alike(self, other: HeldLoad) -> bool:
        """Whether two variants had the same load within 1 %."""
        return abs(self.achieved / other.achieved - 1) <= _SAME


def list_held(
    observations: Observations, measured: Sequence[Measured], runs: Runs
) -> list[HeldLoad]:
    """Return the load of each variant measured in an open loop."""
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
    """Return the target rate of each open-loop run."""
    held = runs[runs["load_model"].eq("open") & runs["role"].eq("measured")]
    rates = (rate if rate > 0 else None for rate in held["target_rate"].tolist())
    return dict(zip(list_labels(held), rates, strict=True))


def _median(by_run: Mapping[Labels, float | None], keys: Sequence[Labels]) -> float | None:
    known = [value for key in keys if (value := by_run.get(key)) is not None]
    return median(known) if known else None
