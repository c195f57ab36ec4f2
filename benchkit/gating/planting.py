"""A regression planted in a copy of the data: a gate that never fails is worth nothing."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import TYPE_CHECKING

from benchkit.gating.outcome import OVER, GateOutcome, RowOutcome, RuleOutcome
from benchkit.gating.wording import describe_blind, name_row

if TYPE_CHECKING:
    from benchkit.schema import Observations

_KEY = ("group", "benchmark", "params", "tool", "metric", "stat", "variant")


def plant(observations: Observations, rows: Sequence[RowOutcome]) -> Observations:
    """Return a copy in which every run of these rows costs more than the limit allows.

    Notes
    -----
    Where lower is better, all values of the variant are moved up to twice what the worst baseline
    run may cost; where higher is better, scaled down to half of it. A loss that the limit allows
    down to nothing cannot be planted and is left out.
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


def tell_unseen(rule: RuleOutcome, seen: GateOutcome) -> Iterator[str]:
    """Yield the rows of a rule in which the planted regression was not seen, with the reason."""
    if not rule.has_compared:
        yield describe_blind(rule)
    after = next(found for found in seen.rules if found.rule.name == rule.rule.name)
    for row in after.rows:
        if row.word != OVER:
            yield f"{name_row(row)}: {row.word}; {_why(row)}"


def _why(row: RowOutcome) -> str:
    if row.contrast.better == "higher" and _worst_allowed(row) <= 0:
        return f"the limit {row.rule.limit.text} allows any loss"
    return "; ".join(row.notes) or "no test"


def _worst_allowed(row: RowOutcome) -> float:
    """Return the worst value that no baseline run makes over the limit."""
    c, limit = row.contrast, row.rule.limit
    up = c.better != "higher"
    value = max(c.baseline_values) if up else min(c.baseline_values)
    if not limit.is_relative:
        return value + limit.value if up else value - limit.value
    if up:
        return value * (1 + limit.share)
    return value / limit.value if limit.kind == "factor" else value * (1 - limit.value)
