"""What containers used under each variant, and who was at a limit."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence

from benchkit.comparison import Estimate
from benchkit.derived.containers import SERVICE
from benchkit.derived.costs import RequestCost
from benchkit.derived.usage import AT_LIMIT, Use
from benchkit.schema import Side
from benchkit.tables.amounts import amount, column, percent, scale_of
from benchkit.tables.model import Cell, Column, Table, drop_empty
from benchkit.tables.places import (
    MEDIANS,
    PLACE,
    Footnotes,
    change_cells,
    fold_place,
    judge_by_place,
    place_cells,
)
from benchkit.tables.requests import cost_table, describe_costs
from benchkit.units import Scale, printable
from benchkit.verdict import Verdicts

#: Metrics that these tables show, and others need not.
SHOWN = frozenset({"cpu_usage", "memory_working_set", "memory_usage", "cpu_per_span"})


def resource_tables(
    uses: Sequence[Use],
    costs: Sequence[RequestCost],
    verdicts: Verdicts,
    outside: Mapping[Side, Estimate],
) -> tuple[Table, ...]:
    """Build the table of CPU per request and the table of containers; none where nothing is known.

    Parameters
    ----------
    outside : mapping of place to Estimate
        As `estimate_outside` gives it.
    """
    variants = list(dict.fromkeys(name for pair in verdicts.comparisons.pairs for name in pair))
    shown = [use for use in uses if use.side.variant in variants]
    tables = [cost_table(costs, verdicts, outside)]
    if shown:
        tables.append(_containers(_order(shown, variants), verdicts))
    return tuple(table for table in tables if table is not None)


def describe_resources(
    uses: Sequence[Use], costs: Sequence[RequestCost], verdicts: Verdicts
) -> tuple[str, ...]:
    """Say what a request costs more, what runs beside the service, and who was at a limit."""
    lines = list(describe_costs(costs, verdicts))
    full = [use for use in uses if use.is_at_limit]
    if full:
        at_limit = ", ".join(f"{use.title} in {use.side.variant}" for use in full)
        lines.append(f"At the CPU limit (at least 95 % of it): {printable(at_limit)}.")
    elif uses and not any(use.limit for use in uses):
        lines.append(
            "No CPU limit is recorded, so it is unknown whether a container reached its limit."
        )
    return tuple(lines)


def _order(uses: Iterable[Use], variants: Sequence[str]) -> list[Use]:
    def rank(use: Use) -> tuple[object, ...]:
        place, number = use.side.workload, variants.index(use.side.variant)
        return place, use.role != SERVICE, use.container, number

    return sorted(uses, key=rank)


def _containers(uses: Sequence[Use], verdicts: Verdicts) -> Table:
    judged = judge_by_place(verdicts)
    memory = scale_of([use.memory for use in uses], "B")
    cores = Scale(1.0, "cores")
    base = {(use.side.workload, use.container, use.side.variant): use for use in uses}
    baseline_of = {variant: name for name, variant in verdicts.comparisons.pairs}
    notes = Footnotes()
    rows = []
    for use in uses:
        name = baseline_of.get(use.side.variant, "")
        under = base.get((use.side.workload, use.container, name))
        delta = use.cores - under.cores if under else None
        row = judged.get((use.side, use.container, "cpu_usage"))
        more = judged.get((use.side, use.container, "memory_working_set")) or judged.get(
            (use.side, use.container, "memory_usage")
        )
        mark = "!" if use.is_at_limit else ""
        limit = percent(use.share, (AT_LIMIT,))
        rows.append(
            (
                *place_cells(use.side),
                Cell(printable(use.title)),
                Cell(use.role),
                Cell(printable(use.side.variant)),
                amount(use.cores, cores),
                amount(delta, cores, signed=True),
                *change_cells(row, verdicts, notes),
                amount(use.largest, cores),
                Cell(limit.text if use.share else "", limit.value, mark),
                amount(use.memory, memory),
                change_cells(more, verdicts, notes)[0],
                Cell(f"{use.runs}", use.runs),
            )
        )
    columns = (
        *(Column(key, key) for key in (*PLACE, "container", "role", "variant")),
        column("cores", "CPU", cores),
        column("delta", "more", cores),
        column("change", "change"),
        Column("interval", "interval"),
        column("largest", "busiest step", cores),
        column("share", "of the limit"),
        column("memory", "memory", memory),
        column("growth", "change"),
        column("runs", "runs"),
    )
    table = Table("Containers", columns, tuple(rows), notes=notes.texts)
    caption = f"{MEDIANS}, from the start to the end of each run; secondary"
    return fold_place(drop_empty(table, (*PLACE, "role", "share")), caption)
