"""What a request costs the service: its CPU, what of it is in band, and what runs beside it.

In: `RequestCost`s, and the verdicts whose intervals belong to them. Out: a `Table` and a sentence.
Why: throughput hides the cost of a variant where something else sets the pace; CPU per request
does not.
"""

from __future__ import annotations

from collections.abc import Sequence

from benchkit.derived.costs import RequestCost
from benchkit.derived.record import Cell as Place
from benchkit.tables.amounts import amount, column, scale_of
from benchkit.tables.model import Cell, Column, Table, drop_empty
from benchkit.tables.places import (
    PLACE,
    change_cells,
    fold_place,
    judge_by_place,
    place_cells,
    shared_place,
)
from benchkit.units import Scale, format_quantity, printable
from benchkit.verdict import Verdicts

#: A cost, and that of its baseline; the baseline itself has none.
Pair = tuple[RequestCost, RequestCost | None]


def cost_table(costs: Sequence[RequestCost], verdicts: Verdicts) -> Table | None:
    """Build the table; None where no variant can be put beside its baseline."""
    paid = _pair_up(costs, verdicts)
    return _build(paid, verdicts) if len(paid) > 1 else None


def describe_costs(costs: Sequence[RequestCost], verdicts: Verdicts) -> tuple[str, ...]:
    """Say how much more CPU a request costs the service."""
    pairs = _pair_up(costs, verdicts)
    extras = [(cost.cell[1], cost.cpu - base.cpu) for cost, base in pairs if base is not None]
    if not extras:
        return ()
    told = ", ".join(f"{printable(name)} {_signed(extra)}" for name, extra in extras)
    return (f"CPU of the service per request, more than the baseline: {told}.",)


def _signed(seconds: float) -> str:
    text = format_quantity(seconds, "s")
    return f"+{text}" if seconds > 0 else text


def _pair_up(
    costs: Sequence[RequestCost], verdicts: Verdicts
) -> list[tuple[RequestCost, RequestCost | None]]:
    """Put each variant beside its baseline, baselines first and alone."""
    by_cell = {cost.cell: cost for cost in costs}
    paid: dict[Place, tuple[RequestCost, RequestCost | None]] = {}
    for baseline, variant in verdicts.comparisons.pairs:
        for cost in costs:
            group, name, *rest = cost.cell
            if name == baseline:
                paid.setdefault(cost.cell, (cost, None))
            elif name == variant:
                base = by_cell.get((group, baseline, rest[0], rest[1], rest[2]))
                if base is not None:
                    paid[cost.cell] = (cost, base)
    return sorted(paid.values(), key=lambda pair: (shared_place(pair[0].cell), pair[1] is not None))


def _build(paid: Sequence[Pair], verdicts: Verdicts) -> Table:
    judged = judge_by_place(verdicts)
    cpu = scale_of([cost.cpu for cost, _ in paid], "s")
    wait = scale_of([cost.latency for cost, _ in paid], "s")
    splits = [cost.split(base) if base else (None, None) for cost, base in paid]
    rows = []
    for (cost, base), (extra, inside) in zip(paid, splits, strict=True):
        row = judged.get((cost.cell, cost.service, "cpu_per_request"))
        outside = extra - inside if extra is not None and inside is not None else None
        per_span = extra / cost.per_request if extra is not None and cost.per_request else None
        rows.append(
            (
                *place_cells(cost.cell),
                Cell(printable(cost.cell[1])),
                amount(cost.rate, Scale(1.0, "")),
                amount(cost.latency, wait),
                amount(cost.cores, Scale(1.0, "cores")),
                amount(cost.cpu, cpu),
                amount(extra, cpu, signed=True),
                *change_cells(row if base else None, verdicts),
                amount(per_span, cpu, signed=True),
                amount(inside, cpu),
                amount(outside, cpu),
                amount(cost.beside, cpu),
            )
        )
    columns = (
        *(Column(key, key) for key in (*PLACE, "variant")),
        column("rate", "requests", Scale(1.0, "/s")),
        column("wait", "time per request", wait),
        column("cores", "service CPU", Scale(1.0, "cores")),
        column("cpu", "CPU per request", cpu),
        column("extra", "extra", cpu),
        column("change", "change"),
        Column("interval", "interval"),
        column("span", "extra per span", cpu),
        column("inside", "in band, at most", cpu),
        column("outside", "out of band, at least", cpu),
        column("beside", "collector, store", cpu),
    )
    note = (
        "in band is at most what requests became longer (closed loop: connections ÷ rate, queueing "
        "included); what they do not wait for is out of band"
    )
    table = Table("CPU per request of the service", columns, tuple(rows), footer=(note,))
    return fold_place(drop_empty(table, PLACE), "medians over runs")
