"""What share of a run's requests failed.

Errors are fast or slow for reasons of their own; a rate or a latency of failing requests is no
cost and no gain of the variant.
"""

from __future__ import annotations

from statistics import median
from typing import TYPE_CHECKING

from benchkit.derived.requests import request_counts
from benchkit.schema import Labels, Side, list_labels

if TYPE_CHECKING:
    from benchkit.schema import Observations

#: Bodies of another length than the first one's: usually a dynamic page, not a failure.
_NO_FAILURE = "length"


def share_failures(observations: Observations) -> dict[Side, float]:
    """Return the median over runs of the share of requests that failed.

    Sides whose runs report neither failures nor their share are left out.
    """
    shares: dict[Side, list[float]] = {}
    for labels, share in failure_shares(observations).items():
        shares.setdefault(labels.side, []).append(share)
    return {side: median(of_runs) for side, of_runs in shares.items()}


def failure_counts(observations: Observations) -> dict[Labels, float]:
    """Return the failed requests of each run, by `Measured.key`."""
    requests = request_counts(observations)
    return {
        labels: float(round(share * requests[labels]))
        for labels, share in failure_shares(observations).items()
        if labels in requests
    }


def failure_shares(observations: Observations) -> dict[Labels, float]:
    """Return the share of each run's requests that failed, by `Measured.key`.

    A tool's own ``error_rate`` counts where it has one, by the tool's own total where it has that,
    too, as the rate may be rounded; elsewhere failures by reason (lengths apart) over requests,
    at most 1.
    """
    rows = observations[observations["metric"].isin(["failures", "requests", "error_rate"])]
    runs: dict[Labels, dict[str, float]] = {}
    rest = (rows[name].tolist() for name in ("metric", "subject", "value"))
    for labels, metric, subject, value in zip(list_labels(rows), *rest, strict=True):
        counts = runs.setdefault(labels, {})
        about = subject if isinstance(subject, str) else ""
        if metric == "failures" and about and about != _NO_FAILURE:
            counts["failures"] = counts.get("failures", 0.0) + value
        elif not about:
            counts["total" if metric == "failures" else metric] = value
    shares = ((labels, _share(counts)) for labels, counts in runs.items())
    return {labels: share for labels, share in shares if share is not None}


def _share(counts: dict[str, float]) -> float | None:
    requests, rate = counts.get("requests", 0.0), counts.get("error_rate")
    count = counts.get("failures" if rate is None else "total")
    if count is None or (rate is not None and not requests):
        return rate
    return min(count / requests, 1.0) if requests else 1.0
