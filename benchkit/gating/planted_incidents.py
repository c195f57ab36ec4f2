"""A crash, a lost benchmark and a damaged file, planted in copies of the data.

Each reaches the exit code in its own way, so each is tested.

A regression planted in a copy of the data: a gate that never fails is worthless.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import replace
from typing import TYPE_CHECKING, Protocol, TypeVar

from benchkit.codes import spell_out
from benchkit.gating.events import CRASH, DAMAGED, MISSING, NOT_COMPARED, Event
from benchkit.gating.outcome import OVER, GateOutcome, RowOutcome, RuleOutcome
from benchkit.gating.wording import describe_blind, name_row

if TYPE_CHECKING:
    from benchkit.comparison import Contrast
    from benchkit.schema import Observations, Runs

_KEY = ("group", "benchmark", "params", "tool", "metric", "stat", "variant")


class Results(Protocol):
    """The compared object."""

    @property
    def observations(self) -> Observations: ...  # noqa: D102
    @property
    def runs(self) -> Runs: ...  # noqa: D102


R = TypeVar("R", bound=Results)

#: A planted incident, and the events of which the gate has to report one.
INCIDENTS: dict[str, tuple[Event, ...]] = {
    CRASH.name: (CRASH,),
    DAMAGED.name: (DAMAGED,),
    MISSING.name: (MISSING, NOT_COMPARED),
}
_ROLES = {CRASH.name: "failed", DAMAGED.name: "damaged"}


def plant_incidents(results: R, row: Contrast) -> Iterator[tuple[str, R]]:
    """Yield each incident planted into the variant of a row, with the results.

    If one of several variants has a single benchmark, it is kept: without it, nothing shows that
    the variant was to be measured.
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
    """Return the gate's reaction to a planted incident: fail, warn or pass; empty without one."""
    actions = [each.action for each in outcome.select(*INCIDENTS[name])]
    action = next((word for word in ("fail", "warn", "pass") if word in actions), "")
    return action if action != "fail" or not outcome.has_passed else ""


def _add_run(runs: Runs, variant: str, role: str) -> Runs:
    import pandas as pd

    runs = spell_out(runs)  # role and remark are new values
    measured = runs[(runs["variant"] == variant) & (runs["role"] == "measured")]
    more = measured.tail(1).copy()
    more["role"], more["run"] = role, measured["run"].max() + 1
    more["remark"] = "planted by the self-test"
    planted = [[{"path": "planted", "sha256": ""}] for _ in range(len(more))]
    more["sources"] = pd.Series(planted, index=more.index, dtype=object)
    return pd.concat([runs, more.astype(runs.dtypes.to_dict())], ignore_index=True)


def plant(observations: Observations, rows: Sequence[RowOutcome]) -> Observations:
    """Return a copy in which every run of these rows costs more than the limit allows.

    Notes
    -----
    If lower is better, all values of the variant are raised to twice what the worst baseline run
    may cost; if higher is better, they are scaled down to half of it. If the limit allows a loss
    down to zero, nothing can be planted.
    """
    changed = observations.copy()
    subjects = changed["subject"].astype("str").fillna("")
    for row in rows:
        c = row.contrast
        here = subjects == c.subject
        for name in _KEY:
            here &= changed[name] == getattr(c, name)
        values = changed.loc[here, "value"]
        worst = _worst_allowed(row)
        if c.better == "higher":
            if worst > 0:
                changed.loc[here, "value"] = values * (worst / 2 / values.max())
        else:
            step = 2 * abs(worst) + 1e-9 + max(map(abs, c.baseline_values))
            changed.loc[here, "value"] = values - values.min() + worst + step
    return changed


def describe_missed(rule: RuleOutcome, seen: GateOutcome) -> Iterator[str]:
    """Yield the rows of a rule in which the planted regression was missed, with the reason."""
    if not rule.has_compared:
        yield describe_blind(rule)
    after = next(outcome for outcome in seen.rules if outcome.rule.name == rule.rule.name)
    for row in after.rows:
        if row.word != OVER:
            yield f"{name_row(row)}: {row.word}; {_why(row)}"


def _why(row: RowOutcome) -> str:
    if row.contrast.better == "higher" and _worst_allowed(row) <= 0:
        return f"the limit {row.rule.limit.text} allows any loss"
    return "; ".join(row.notes) or "no test"


def _worst_allowed(row: RowOutcome) -> float:
    """Return the worst value that is within the limit of every baseline run."""
    c, limit = row.contrast, row.rule.limit
    up = c.better != "higher"
    value = max(c.baseline_values) if up else min(c.baseline_values)
    if not limit.is_relative:
        return value + limit.value if up else value - limit.value
    if up:
        return value * (1 + limit.share)
    return value / limit.value if limit.kind == "factor" else value * (1 - limit.value)
