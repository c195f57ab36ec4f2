"""What could not be derived of some runs, and what to do about it."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence

from benchkit.derived.containers import SERVICE, list_declared, shorten
from benchkit.derived.record import Measured
from benchkit.errors import Finding
from benchkit.listing import list_names

#: Runs and containers that are named.
_SHOWN = 4


class Gaps:
    """What lacks of the resources of runs."""

    def __init__(self) -> None:
        self.without_window: list[Measured] = []
        self.without_samples: list[Measured] = []
        self.without_service: list[Measured] = []
        self.shared: list[Measured] = []
        self.with_service = 0
        self.covered: dict[str, float] = {}
        self._containers: dict[str, None] = {}
        self._misnamed: dict[str, list[str]] = {}

    def add_without_service(self, run: Measured, containers: Sequence[str]) -> None:
        """Add a run whose service cannot be told from its containers."""
        self.without_service.append(run)
        self._containers |= dict.fromkeys(containers)
        if name := run.env.get(f"container.{SERVICE}"):
            self._misnamed[name] = list_declared(containers, run.env)

    def findings(self) -> list[Finding]:
        """Return one finding per kind."""
        kinds = [
            self._window(), self._samples(), self._service(), self._part(), self._share()
        ]  # fmt: skip
        return [finding for finding in kinds if finding is not None]

    def _window(self) -> Finding | None:
        if not self.without_window:
            return None
        return Finding(
            code="B410",
            severity="warning",
            message=f"the start and end of {name_runs(self.without_window)} are unknown, so no "
            "container sample can be assigned to these runs, and there is no CPU per request",
            remedy="write start and end to run.toml or runs.json, or measure with `benchkit "
            "capture`",
            numbers={"runs": len(self.without_window)},
        )

    def _samples(self) -> Finding | None:
        if not self.without_samples:
            return None
        return Finding(
            code="B411",
            severity="warning",
            message="no container has two CPU samples between the start and end of "
            f"{name_runs(self.without_samples)}",
            remedy="sample at least once a second while the load runs, and check that both clocks "
            "agree",
            numbers={"runs": len(self.without_samples)},
        )

    def _service(self) -> Finding | None:
        if not self.without_service:
            return None
        listed = list_names([shorten(name) for name in self._containers], _SHOWN)
        why = f"benchkit cannot tell which container is the service: {listed}"
        for name, matching in self._misnamed.items():
            number = "more than one" if matching else "none"
            why = f"[containers] service = {name!r} matches {number} of the containers: {listed}"
        total = len(self.without_service) + self.with_service
        runs = name_runs(self.without_service)
        share = f" ({len(self.without_service)} of {total} runs)" if self.with_service else ""
        return Finding(
            code="B413",
            severity="warning",
            message=f"{why}; no CPU per request for {runs}{share}",
            remedy='add [containers] service = "NAME" to run.toml or benchkit.toml; if you use '
            "a store, ingest again",
            numbers={"runs": len(self.without_service), "containers": len(self._containers)},
        )

    def _part(self) -> Finding | None:
        if not self.covered:
            return None
        least = min(self.covered, key=lambda name: self.covered[name])
        return Finding(
            code="B414",
            severity="info",
            message="the CPU samples cover only part of some runs, as little as "
            f"{100 * self.covered[least]:.0f} % ({least}): {list_names(self.covered, _SHOWN)}",
            remedy="sample at least once a second from the start to the end of the load",
            numbers={"runs": len(self.covered), "least": self.covered[least]},
        )

    def _share(self) -> Finding | None:
        if not self.shared:
            return None
        return Finding(
            code="B419",
            severity="warning",
            message=f"several benchmarks share start and end in {name_runs(self.shared)}, so the "
            "CPU time cannot be divided among them, and there is no CPU per request",
            remedy="run one benchmark per command",
            numbers={"runs": len(self.shared)},
        )


def name_runs(runs: Sequence[Measured]) -> str:
    """Name runs, those of several benchmarks that share a name once."""
    names = Counter(run.name for run in runs)
    counted = (f"{name} ({n} benchmarks)" if n > 1 else name for name, n in names.items())
    return list_names(counted, _SHOWN)
