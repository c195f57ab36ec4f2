"""What share of a run's requests failed.

Errors are fast or slow for reasons of their own; a rate or a latency of failing requests is no
cost and no gain of the variant.
"""

from __future__ import annotations

from statistics import median
from typing import TYPE_CHECKING

from benchkit.schema import Labels, Side, list_labels

if TYPE_CHECKING:
    from benchkit.schema import Observations

#: Bodies of another length than the first one's: usually a dynamic page, not a failure.
_NO_FAILURE = "length"


def share_failures(observations: Observations) -> dict[Side, float]:
    """Return the median over runs of the share of requests that failed.

    Returns
    -------
    dict of Side to float
        Sides of which no failure is told are left out. A tool's own ``error_rate`` counts where it
        has one; elsewhere failures by reason (lengths apart) over requests, at most 1.
    """
    rows = observations[observations["metric"].isin(["failures", "requests", "error_rate"])]
    runs: dict[Labels, dict[str, float]] = {}
    rest = (rows[name].tolist() for name in ("metric", "subject", "value"))
    for labels, metric, subject, value in zip(list_labels(rows), *rest, strict=True):
        counts = runs.setdefault(labels, {})
        about = subject if isinstance(subject, str) else ""
        if metric == "failures" and about and about != _NO_FAILURE:
            counts["failures"] = counts.get("failures", 0.0) + value
        elif metric != "failures" and not about:
            counts[metric] = value
    shares: dict[Side, list[float]] = {}
    for labels, counts in runs.items():
        share = _share(counts)
        if share is not None:
            shares.setdefault(labels.side, []).append(share)
    return {side: median(of_runs) for side, of_runs in shares.items()}


def _share(counts: dict[str, float]) -> float | None:
    if "error_rate" in counts:
        return counts["error_rate"]
    if "failures" not in counts:
        return None
    requests = counts.get("requests", 0.0)
    return min(counts["failures"] / requests, 1.0) if requests else 1.0
