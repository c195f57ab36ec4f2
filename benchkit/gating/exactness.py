"""Metrics that are equal in every run: what counts as worse, and which rows got worse."""

from __future__ import annotations

from benchkit.comparison import EXACT, Contrast, Dropped
from benchkit.gating.outcome import OVER, GateOutcome
from benchkit.metrics import VOCABULARY
from benchkit.tables.wording import name_metric, write_amount
from benchkit.units import printable
from benchkit.verdict import REGRESSION, Verdicts

#: Maximum number of rows of a metric that are named; the rest are counted.
_SHOWN = 6


def is_exact(row: Contrast | Dropped) -> bool:
    """Return whether a row has a directed metric that is equal in every run."""
    known = VOCABULARY.get(row.metric)
    if isinstance(row, Contrast) and (row.method == EXACT or known is None):
        return row.method == EXACT and row.better in {"lower", "higher"}
    return known is not None and known.assume == "exact"


def is_worse(contrast: Contrast) -> bool:
    """Return whether allocations grew at all: one more per operation matters."""
    is_counted = contrast.metric == "allocs_per_op" and contrast.method == EXACT
    return is_counted and contrast.delta > 0


def list_worse(verdicts: Verdicts) -> tuple[Contrast, ...]:
    """Return the exact rows that got worse, whether or not a rule covers them."""
    return tuple(
        verdict.contrast
        for verdict in verdicts.rows
        if verdict.contrast.method == EXACT
        and is_exact(verdict.contrast)
        and (verdict.word == REGRESSION or is_worse(verdict.contrast))
    )


def describe_worse(outcome: GateOutcome) -> str:
    """Name every exact row that got worse and is not accepted; empty if the lead names it."""
    held = {id(row.contrast): row for row in outcome.rows}
    rows = [c for c in outcome.worse if not (id(c) in held and held[id(c)].accepted)]
    over = [row for row in outcome.rows if row.word == OVER and not row.accepted]
    if not rows or (len(rows) == 1 and [row.contrast for row in over] == rows):
        return ""
    metrics: dict[str, list[Contrast]] = {}
    for c in rows:
        metrics.setdefault(
            f"{'more' if c.better == 'lower' else 'less'} {name_metric(c)}", []
        ).append(c)
    several = len({(c.baseline, c.variant) for c in rows}) > 1
    listed = [f"{name} {_list(own, several=several)}" for name, own in metrics.items()]
    return printable(f"exact metrics are worse: {', '.join(listed)}")


def _list(rows: list[Contrast], *, several: bool) -> str:
    texts = []
    for c in rows[:_SHOWN]:
        ends = (write_amount(value, c.unit) for value in (c.center_baseline, c.center_variant))
        place = " ".join(filter(None, (c.group, c.benchmark)))
        whose = f" of {c.variant}" if several else ""
        texts.append(f"{f'on {place}' if place else ''}{whose} ({' to '.join(ends)})".strip())
    more = len(rows) - _SHOWN
    listed = [*texts, *([f"{more} more"] if more > 0 else [])]
    return f"{', '.join(listed[:-1])} and {listed[-1]}" if len(listed) > 1 else listed[0]
