"""What a held load came to: requests, the rate that was set and reached, and failures."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from statistics import median
from typing import TYPE_CHECKING

from benchkit.derived.failures import share_failures
from benchkit.derived.record import Measured
from benchkit.derived.requests import request_counts, request_rates
from benchkit.schema import Labels, Side, list_labels

if TYPE_CHECKING:
    from benchkit.schema import Observations, Runs

#: Rates within this share of each other are the same load.
_SAME = 0.01


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
