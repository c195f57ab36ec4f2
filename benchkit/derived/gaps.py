"""What could not be derived of some runs, and what to do about it.

In: runs, as they are met. Out: findings. Why: a number that is missing without a word is taken for
one that was never asked for.
"""

from __future__ import annotations

from collections.abc import Sequence

from benchkit.derived.containers import shorten
from benchkit.derived.record import Measured
from benchkit.errors import Finding


class Gaps:
    """What lacks of the resources of runs."""

    def __init__(self) -> None:
        self.without_window: list[Measured] = []
        self.without_samples: list[Measured] = []
        self.without_service: dict[str, tuple[str, ...]] = {}
        self.misnamed: dict[str, None] = {}
        self.covered: dict[str, float] = {}

    def findings(self) -> list[Finding]:
        """Return one finding per kind."""
        told = [
            self._window(), self._samples(), self._service(), self._part()
        ]  # fmt: skip
        return [finding for finding in told if finding is not None]

    def _window(self) -> Finding | None:
        if not self.without_window:
            return None
        return Finding(
            code="B410",
            severity="warning",
            message=f"start and end are not known of {_list([r.name for r in self.without_window])}"
            ": the samples of containers cannot be cut to these runs, and no CPU per request is "
            "derived",
            remedy="write start and end into run.toml or runs.json, or measure with "
            "`benchkit capture`",
            numbers={"runs": len(self.without_window)},
        )

    def _samples(self) -> Finding | None:
        if not self.without_samples:
            return None
        return Finding(
            code="B411",
            severity="warning",
            message="fewer than two CPU samples of any container lie between start and end of "
            f"{_list([run.name for run in self.without_samples])}",
            remedy="sample at least once a second while the load runs, and check that both clocks "
            "agree",
            numbers={"runs": len(self.without_samples)},
        )

    def _service(self) -> Finding | None:
        if not self.without_service:
            return None
        names = dict.fromkeys(name for found in self.without_service.values() for name in found)
        listed = _list([shorten(name) for name in names])
        told = " or ".join(self.misnamed)
        why = f"which container is the service cannot be told: {listed}"
        if told:
            why = f"[containers] service = {told!r} names not one of the containers: {listed}"
        return Finding(
            code="B413",
            severity="warning",
            message=f"{why}; no CPU per request is derived",
            remedy='name it in run.toml or benchkit.toml: [containers] service = "NAME"',
            numbers={"runs": len(self.without_service), "containers": len(names)},
        )

    def _part(self) -> Finding | None:
        if not self.covered:
            return None
        least = min(self.covered, key=lambda name: self.covered[name])
        return Finding(
            code="B414",
            severity="info",
            message=f"the CPU samples cover a part of {_list(list(self.covered))}, at least "
            f"{self.covered[least]:.0%} ({least})",
            remedy="sample at least once a second from the start to the end of the load",
            numbers={"runs": len(self.covered), "least": self.covered[least]},
        )


def _list(names: Sequence[str], most: int = 4) -> str:
    more = f" and {len(names) - most} more" if len(names) > most else ""
    return ", ".join(names[:most]) + more
