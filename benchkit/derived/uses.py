"""What the containers of a variant used, side by side.

What the service pays and what runs beside it are two costs, and a container at its limit sets the
pace.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from collections.abc import Set as AbstractSet
from dataclasses import dataclass
from statistics import median
from typing import TYPE_CHECKING

from benchkit.derived.containers import SERVICE, entitle, find_service, role_of
from benchkit.derived.record import Measured
from benchkit.derived.requests import read_usage
from benchkit.schema import Labels, Side

if TYPE_CHECKING:
    from benchkit.schema import Observations

#: From this share of its limit on a container is said to be at it.
AT_LIMIT = 0.95


@dataclass(frozen=True, slots=True, kw_only=True)
class Use:
    """What one container used under one variant: medians over runs.

    Parameters
    ----------
    container, title, role : str
        As in the table; as people call it; what it does.
    cores, largest : float
        CPU: mean over the run, and of its busiest step.
    memory, limit : float or None
        Working set in B; the CPU limit in cores.
    """

    side: Side
    container: str
    title: str
    role: str
    cores: float
    largest: float
    memory: float | None
    limit: float | None
    runs: int

    @property
    def share(self) -> float | None:
        """Mean CPU over the limit."""
        return self.cores / self.limit if self.limit else None

    @property
    def is_at_limit(self) -> bool:
        """Whether it used 95 % of its limit or more."""
        return self.share is not None and self.share >= AT_LIMIT


def list_uses(observations: Observations, measured: Sequence[Measured]) -> list[Use]:
    """Return the containers of each variant, the service first."""
    cores = read_usage(observations)
    if not cores:
        return []
    largest = read_usage(observations, stat="max")
    memory = read_usage(observations, "memory_usage") | read_usage(
        observations, "memory_working_set"
    )
    limits = read_usage(observations, "cpu_limit", "value")
    found: dict[tuple[Side, str], list[Measured]] = {}
    for run in measured:
        for container in cores.get(run.key, {}):
            found.setdefault((run.side, container), []).append(run)
    uses = []
    for (side, container), runs in found.items():
        services = {find_service(cores[run.key], run.env) for run in runs}
        uses.append(
            Use(
                side=side,
                container=container,
                title=entitle(container, runs[0].env),
                role=_role_of(container, runs[0], services),
                cores=_center(cores, runs, container) or 0.0,
                largest=_center(largest, runs, container) or 0.0,
                memory=_center(memory, runs, container),
                limit=_center(limits, runs, container),
                runs=len(runs),
            )
        )
    return sorted(uses, key=lambda use: (use.side, use.role != SERVICE))


def _role_of(container: str, run: Measured, services: AbstractSet[str | None]) -> str:
    """Return what a container does; one whose name alone says service is none beside the chosen."""
    if container in services:
        return SERVICE
    role = role_of(container, run.env)
    return "" if role == SERVICE and services != {None} else role


def _center(
    values: Mapping[Labels, Mapping[str, float]], runs: Sequence[Measured], container: str
) -> float | None:
    known = [values[r.key][container] for r in runs if container in values.get(r.key, {})]
    return median(known) if known else None
