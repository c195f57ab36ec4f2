"""What share of a run's requests failed.

Errors are fast or slow for reasons of their own; a rate or a latency of failing requests is no
cost and no gain of the variant.
"""

from __future__ import annotations

from statistics import median
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from benchkit.schema import Observations

#: group, variant, benchmark, params, tool
Place = tuple[str, str, str, str, str]

#: Bodies of another length than the first one's: usually a dynamic page, not a failure.
_NO_FAILURE = "length"


def share_failures(observations: Observations) -> dict[Place, float]:
    """Return the median over runs of the share of requests that failed.

    Returns
    -------
    dict of (group, variant, benchmark, params, tool) to float
        Places in which no failure is told are left out. A tool's own ``error_rate`` counts where it
        has one; elsewhere failures by reason (lengths apart) over requests, at most 1.
    """
    wanted = observations[observations["metric"].isin(["failures", "requests", "error_rate"])]
    names = ("group", "variant", "benchmark", "params", "tool", "run")
    runs: dict[tuple[Any, ...], dict[str, float]] = {}
    keys = zip(*(wanted[name].tolist() for name in names), strict=True)
    rest = (wanted[name].tolist() for name in ("metric", "subject", "value"))
    for key, metric, subject, value in zip(keys, *rest, strict=True):
        told = runs.setdefault(key, {})
        about = subject if isinstance(subject, str) else ""
        if metric == "failures" and about and about != _NO_FAILURE:
            told["failures"] = told.get("failures", 0.0) + value
        elif metric != "failures" and not about:
            told[metric] = value
    shares: dict[Place, list[float]] = {}
    for key, told in runs.items():
        share = _share(told)
        if share is not None:
            group, variant, benchmark, params, tool, _ = key
            shares.setdefault((group, variant, benchmark, params, tool), []).append(share)
    return {place: median(found) for place, found in shares.items()}


def _share(told: dict[str, float]) -> float | None:
    if "error_rate" in told:
        return told["error_rate"]
    if "failures" not in told:
        return None
    requests = told.get("requests", 0.0)
    return min(told["failures"] / requests, 1.0) if requests else 1.0
