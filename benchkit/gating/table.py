"""The rows of the gate as a table, the most urgent first."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

from benchkit.gating.outcome import NOT_SHOWN, OVER, WORDS, GateOutcome, RowOutcome
from benchkit.gating.wording import MARKS, mark_of, say, write_cost, write_cost_interval
from benchkit.metrics import display_name
from benchkit.tables.model import Cell, Column, Table, drop_empty, fold_constant
from benchkit.tables.wording import format_bare, write_amount, write_runs
from benchkit.units import printable

STUB = ("rule", "group", "benchmark", "params", "tool", "subject", "metric", "variant")
#: Rows that need a reader's attention.
PRESSING = (OVER, NOT_SHOWN)


def gate_table(outcome: GateOutcome, rows: Sequence[RowOutcome] | None = None) -> Table:
    """Build the table of the gate.

    Parameters
    ----------
    rows : sequence of RowOutcome, optional
        All of them by default.
    """
    chosen = list(outcome.rows if rows is None else rows)
    chosen.sort(key=lambda row: WORDS.index(row.word))
    notes: dict[str, int] = {}
    for row in chosen:
        for text in _notes(row):
            notes.setdefault(text, len(notes) + 1)
    table = Table(
        title="Gate",
        columns=_columns(outcome),
        rows=tuple(_row(row, notes) for row in chosen),
        notes=tuple(notes),
    )
    table, shared = fold_constant(drop_empty(table, (*STUB, "target", "needed")), set(STUB[1:-1]))
    return replace(table, caption="; ".join(shared))


def _notes(row: RowOutcome) -> tuple[str, ...]:
    return tuple(map(printable, row.notes)) if row.word in PRESSING else ()


def _columns(outcome: GateOutcome) -> tuple[Column, ...]:
    is_default = {rule.rule.is_default for rule in outcome.rules} == {True}
    inner = format_bare(1 - 2 * (1 - outcome.confidence))
    return (
        Column("rule", "gate"),
        *(Column(key, key) for key in STUB[1:]),
        Column("baseline", "base", align="right"),
        Column("value", "value", align="right"),
        Column("change", "change", align="right"),
        Column("interval", f"{inner} interval"),
        Column("target", "target", align="right"),
        Column("limit", "margin" if is_default else "limit", align="right"),
        Column("n", "runs", align="right"),
        Column("outcome", "outcome"),
        Column("needed", "runs needed", align="right"),
    )


def _row(row: RowOutcome, notes: dict[str, int]) -> tuple[Cell, ...]:
    c, rule = row.contrast, row.rule
    variant = f"{c.variant} vs. {c.baseline}"
    metric = display_name(c.metric, c.stat)
    names = (rule.name, c.group, c.benchmark, c.params, c.tool, c.container, metric, variant)
    numbers = tuple(notes[text] for text in _notes(row))
    return (
        *(Cell(printable(text)) for text in names),
        Cell(write_amount(c.center_baseline, c.unit), c.center_baseline),
        Cell(write_amount(c.center_variant, c.unit), c.center_variant),
        Cell(write_cost(row), row.evidence.value),
        Cell(write_cost_interval(row) or "–", row.evidence.low),
        Cell(rule.target.text if rule.target else ""),
        Cell(rule.limit.text),
        Cell(write_runs(c), c.n_variant),
        Cell(say(row), mark=MARKS[mark_of(row)], notes=numbers),
        Cell(f"{row.runs_needed}" if row.runs_needed else "", row.runs_needed),
    )
