"""A crash, a lost benchmark and a damaged file planted in copies of the data.

Each has its road to the exit code, so that each is tried.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace
from typing import TYPE_CHECKING, Protocol, TypeVar

from benchkit.codes import spell_out
from benchkit.gating.events import CRASH, DAMAGED, MISSING, NOT_COMPARED, Event
from benchkit.gating.outcome import GateOutcome

if TYPE_CHECKING:
    from benchkit.comparison import Contrast
    from benchkit.schema import Observations, Runs


class Results(Protocol):
    """What is compared."""

    @property
    def observations(self) -> Observations: ...  # noqa: D102
    @property
    def runs(self) -> Runs: ...  # noqa: D102


R = TypeVar("R", bound=Results)

#: What is planted, and the events of which the gate has to tell one.
INCIDENTS: dict[str, tuple[Event, ...]] = {
    CRASH.name: (CRASH,),
    DAMAGED.name: (DAMAGED,),
    MISSING.name: (MISSING, NOT_COMPARED),
}
_ROLES = {CRASH.name: "failed", DAMAGED.name: "damaged"}


def plant_incidents(results: R, row: Contrast) -> Iterator[tuple[str, R]]:
    """Yield what is planted into the variant of a row, and the results with it.

    One of several variants that has a single benchmark loses none: without it, nothing tells that
    it was meant to be measured.
    """
    for name, role in _ROLES.items():
        yield name, replace(results, runs=_add_run(results.runs, row.variant, role))  # type: ignore[type-var]
    tables = (results.observations, results.runs)
    kept = [
        table[~((table["variant"] == row.variant) & (table["benchmark"] == row.benchmark))]
        for table in tables
    ]
    lost = replace(results, observations=kept[0], runs=kept[1])  # type: ignore[type-var]
    is_whole = (kept[1]["variant"] != row.variant).all()
    if not is_whole or kept[1]["variant"].nunique() == 1:
        yield MISSING.name, lost


def read_answer(name: str, outcome: GateOutcome) -> str:
    """Return what the gate makes of what was planted: fail, warn or pass; empty if nothing."""
    actions = [each.action for each in outcome.select(*INCIDENTS[name])]
    found = next((word for word in ("fail", "warn", "pass") if word in actions), "")
    return found if found != "fail" or not outcome.has_passed else ""


def _add_run(runs: Runs, variant: str, role: str) -> Runs:
    import pandas as pd

    runs = spell_out(runs)  # the role and the remark are new words
    own = runs[(runs["variant"] == variant) & (runs["role"] == "measured")]
    more = own.tail(1).copy()
    more["role"], more["run"] = role, own["run"].max() + 1
    more["remark"] = "planted by the self-test"
    planted = [[{"path": "planted", "sha256": ""}] for _ in range(len(more))]
    more["sources"] = pd.Series(planted, index=more.index, dtype=object)
    return pd.concat([runs, more.astype(runs.dtypes.to_dict())], ignore_index=True)
