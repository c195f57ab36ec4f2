"""The cost of a request to the service, and the part of it that the request waits for."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from statistics import median
from typing import TYPE_CHECKING

from benchkit.derived.containers import BACKEND, role_of
from benchkit.derived.record import Measured
from benchkit.derived.requests import completion_rates, mean_latencies, read_usage, request_rates
from benchkit.schema import Labels, Side, list_labels

if TYPE_CHECKING:
    from benchkit.schema import Observations, Runs


@dataclass(frozen=True, slots=True, kw_only=True)
class RequestCost:
    """CPU of one request of a variant: medians over runs.

    Parameters
    ----------
    service : str
        The service's container.
    cores, rate : float
        Cores of the service; requests per second.
    cpu : float
        CPU of the service per request, in s.
    latency : float or None
        Mean time of a request in s: connections over rate in a closed loop, else as reported.
    backend : float or None
        CPU of collectors and stores of spans per request, in s.
    per_request : float or None
        Spans per request.
    runs, of : int
        The number of runs behind the medians, and of measured runs.
    surplus : mapping of int to float
        CPU per request minus its latency, in s, by run; empty if a latency is unknown.
    """

    side: Side
    service: str
    cores: float
    rate: float
    cpu: float
    latency: float | None
    backend: float | None
    per_request: float | None
    runs: int = 1
    of: int = 1
    surplus: Mapping[int, float] = field(default_factory=dict)

    def split(self, base: RequestCost) -> tuple[float, float | None]:
        """Return the extra CPU per request, and the maximum of it that can be in band.

        Parameters
        ----------
        base : RequestCost
            The cost of the baseline.

        Returns
        -------
        tuple of (extra, in band)
            In s. CPU that a request does not wait for is out of band; in band is at most the
            increase in latency. None if a latency is unknown, or if there is no extra CPU.
        """
        extra = self.cpu - base.cpu
        if self.latency is None or base.latency is None or extra <= 0:
            return extra, None
        return extra, min(max(self.latency - base.latency, 0.0), extra)


def list_costs(
    observations: Observations, measured: Sequence[Measured], runs: Runs
) -> list[RequestCost]:
    """Return the CPU per request of each variant with a known service."""
    cpu = read_usage(observations, "cpu_per_request")
    if not cpu:
        return []
    cores = read_usage(observations)
    rates = completion_rates(observations, measured)
    waits = _latencies(observations, measured, request_rates(observations, measured), runs)
    spans = _spans(observations, measured, rates)
    by_side: dict[Side, list[RequestCost]] = {}
    for run in measured:
        for service, value in cpu.get(run.key, {}).items():
            used, rate = cores[run.key], rates[run.key]
            backends = [c for name, c in used.items() if role_of(name, run.env) in BACKEND]
            one = RequestCost(
                side=run.side,
                service=service,
                cores=used[service],
                rate=rate,
                cpu=value,
                latency=waits.get(run.key),
                backend=sum(backends) / rate if backends else None,
                per_request=spans.get(run.key),
                surplus={run.run: value - waits[run.key]} if run.key in waits else {},
            )
            by_side.setdefault(run.side, []).append(one)
    sizes = Counter(run.side for run in measured)
    return [_center(side, rows, sizes[side]) for side, rows in by_side.items()]


def _center(side: Side, rows: Sequence[RequestCost], of: int) -> RequestCost:
    return RequestCost(
        side=side,
        service=rows[0].service,
        cores=median(row.cores for row in rows),
        rate=median(row.rate for row in rows),
        cpu=median(row.cpu for row in rows),
        latency=_median(row.latency for row in rows),
        backend=_median(row.backend for row in rows),
        per_request=_median(row.per_request for row in rows),
        runs=len(rows),
        of=of,
        surplus=_join([row.surplus for row in rows]),
    )


def _join(values: Sequence[Mapping[int, float]]) -> dict[int, float]:
    """Merge the values of all runs, if each run has one."""
    return {run: value for each in values for run, value in each.items()} if all(values) else {}


def _median(values: Iterable[float | None]) -> float | None:
    known = [value for value in values if value is not None]
    return median(known) if known else None


def _spans(
    observations: Observations, measured: Sequence[Measured], rates: Mapping[Labels, float]
) -> dict[Labels, float]:
    """Return spans per request, from the largest account of each run."""
    expected = read_usage(observations, "spans_expected", "count")
    per_request = {}
    for run in measured:
        if run.key in expected and run.duration and rates.get(run.key):
            requests = rates[run.key] * run.duration
            per_request[run.key] = float(round(max(expected[run.key].values()) / requests))
    return per_request


def _latencies(
    observations: Observations,
    measured: Sequence[Measured],
    rates: Mapping[Labels, float],
    runs: Runs,
) -> dict[Labels, float]:
    closed = runs[runs["load_model"].eq("closed") & runs["connections"].notna()]
    connections = dict(zip(list_labels(closed), closed["connections"].tolist(), strict=True))
    latencies = mean_latencies(observations)
    for run in measured:
        if run.key in connections and rates.get(run.key):
            latencies[run.key] = connections[run.key] / rates[run.key]
    return latencies
