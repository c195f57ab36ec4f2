"""The iterations that k6 dropped, where it says nothing of them because there were none.

K6 leaves ``dropped_iterations`` out when nothing was dropped; compared over the other runs alone,
the best runs would be left out.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

from benchkit.derived.record import Measured
from benchkit.errors import Finding
from benchkit.schema import Labels, list_labels

if TYPE_CHECKING:
    from benchkit.schema import Observations

_DROPPED, _RATE = "dropped_iterations", "dropped_iterations_per_second"
#: What only a summary, or raw points to their end, tell of the iterations: the console does not.
_COUNT, _TIME, _DONE_RATE = "iterations", "iteration_time", "iteration_rate"


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
