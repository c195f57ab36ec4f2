"""What containers used, and what a request costs the service: two tables and their sentences.

In: `Use`s, `RequestCost`s, and the verdicts whose intervals belong to them. Out: `Table`s and
sentences. Why: what the service pays, what runs beside it and what requests wait for stand apart.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence

from benchkit.derived.containers import shorten
from benchkit.derived.costs import RequestCost
from benchkit.derived.record import Cell as Place
from benchkit.derived.uses import AT_LIMIT, Use
from benchkit.tables.amounts import amount, column, percent, scale_of
from benchkit.tables.model import Cell, Column, Table, drop_empty, fold_constant
from benchkit.tables.wording import MARKS, NOTHING, write_change, write_interval
from benchkit.units import Scale, format_quantity, printable
from benchkit.verdict import Verdict, Verdicts

_STUB = ("group", "benchmark", "params", "tool")
#: Metrics that these tables show, and others need not.
SHOWN = frozenset({"cpu_usage", "memory_working_set", "memory_usage", "cpu_per_span"})

_Judged = Mapping[tuple[Place, str, str], Verdict]


def resource_tables(
    uses: Sequence[Use], costs: Sequence[RequestCost], verdicts: Verdicts
) -> tuple[Table, ...]:
    """Build the table of CPU per request and the table of containers; none where nothing is known.

    Parameters
    ----------
    uses : sequence of Use
    costs : sequence of RequestCost
    verdicts : Verdicts
    """
    judged = _judge(verdicts)
    variants = list(dict.fromkeys(name for pair in verdicts.comparisons.pairs for name in pair))
    shown = [use for use in uses if use.cell[1] in variants]
    paid = _pair_up([cost for cost in costs if cost.cell[1] in variants], verdicts)
    tables = [_costs(paid, judged, verdicts)] if len(paid) > 1 else []
    if shown:
        tables.append(_containers(_order(shown, variants), judged, verdicts))
    return tuple(tables)


def describe_resources(
    uses: Sequence[Use], costs: Sequence[RequestCost], verdicts: Verdicts
) -> tuple[str, ...]:
    """Say what a request costs more, what runs beside the service, and who was at a limit."""
    paid = _pair_up(costs, verdicts)
    lines = []
    extras = [(c.cell[1], c.cpu - base.cpu) for c, base in paid if base is not None]
    if extras:
        told = ", ".join(f"{printable(name)} {_signed(extra)}" for name, extra in extras)
        lines.append(f"CPU of the service per request, more than the baseline: {told}.")
    full = [use for use in uses if use.is_at_limit]
    if full:
        told = ", ".join(f"{shorten(use.container)} in {use.cell[1]}" for use in full)
        lines.append(f"At the CPU limit (95 % of it or more): {printable(told)}.")
    elif uses and not any(use.limit for use in uses):
        lines.append(
            "No CPU limit is recorded, so that whether a container was at its limit is not known."
        )
    return tuple(lines)


def _signed(seconds: float) -> str:
    text = format_quantity(seconds, "s")
    return f"+{text}" if seconds > 0 else text


def _judge(verdicts: Verdicts) -> dict[tuple[Place, str, str], Verdict]:
    found = {}
    for row in verdicts.rows:
        c = row.contrast
        if c.stat == "mean" and c.subject:
            place = (c.group, c.variant, c.benchmark, c.params, c.tool)
            found[place, c.subject, c.metric] = row
    return found


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
    return sorted(paid.values(), key=lambda pair: (_apart(pair[0].cell), pair[1] is not None))


def _apart(cell: Place) -> tuple[str, ...]:
    """Return what a variant shares with those it is compared with."""
    return (cell[0], *cell[2:])


def _order(uses: Iterable[Use], variants: Sequence[str]) -> list[Use]:
    return sorted(
        uses,
        key=lambda use: (
            _apart(use.cell), use.role != "service", use.container, variants.index(use.cell[1])
        ),
    )  # fmt: skip


def _costs(
    paid: Sequence[tuple[RequestCost, RequestCost | None]], judged: _Judged, verdicts: Verdicts
) -> Table:
    cpu = scale_of([cost.cpu for cost, _ in paid], "s")
    wait = scale_of([cost.latency for cost, _ in paid], "s")
    splits = [cost.split(base) if base else (None, None) for cost, base in paid]
    rows = []
    for (cost, base), (extra, inside) in zip(paid, splits, strict=True):
        row = next(
            (
                r
                for (cell, _, m), r in judged.items()
                if (cell, m) == (cost.cell, "cpu_per_request")
            ),
            None,
        )
        outside = extra - inside if extra is not None and inside is not None else None
        per_span = extra / cost.per_request if extra is not None and cost.per_request else None
        rows.append(
            (
                *_stub(cost.cell),
                Cell(printable(cost.cell[1])),
                amount(cost.rate, Scale(1.0, "")),
                amount(cost.latency, wait),
                amount(cost.cores, Scale(1.0, "cores")),
                amount(cost.cpu, cpu),
                amount(extra, cpu, signed=True),
                *_change(row if base else None, verdicts),
                amount(per_span, cpu, signed=True),
                amount(inside, cpu),
                amount(outside, cpu),
                amount(cost.beside, cpu),
            )
        )
    columns = (
        *(Column(key, key) for key in (*_STUB, "variant")),
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
    return _fold(drop_empty(table, _STUB), "medians over runs")


def _containers(uses: Sequence[Use], judged: _Judged, verdicts: Verdicts) -> Table:
    memory = scale_of([use.memory for use in uses], "B")
    cores = Scale(1.0, "cores")
    base = {(_apart(use.cell), use.container, use.cell[1]): use for use in uses}
    baseline_of = {variant: name for name, variant in verdicts.comparisons.pairs}
    rows = []
    for use in uses:
        name = baseline_of.get(use.cell[1], "")
        under = base.get((_apart(use.cell), use.container, name))
        delta = use.cores - under.cores if under else None
        row = judged.get((use.cell, use.container, "cpu_usage"))
        more = judged.get((use.cell, use.container, "memory_working_set")) or judged.get(
            (use.cell, use.container, "memory_usage")
        )
        mark = "!" if use.is_at_limit else ""
        limit = percent(use.share, (AT_LIMIT,))
        rows.append(
            (
                *_stub(use.cell),
                Cell(printable(shorten(use.container))),
                Cell(use.role),
                Cell(printable(use.cell[1])),
                amount(use.cores, cores),
                amount(delta, cores, signed=True),
                *_change(row, verdicts),
                amount(use.largest, cores),
                Cell(limit.text if use.share else "", limit.value, mark),
                amount(use.memory, memory),
                _change(more, verdicts)[0],
                Cell(f"{use.runs}", use.runs),
            )
        )
    columns = (
        *(Column(key, key) for key in (*_STUB, "container", "role", "variant")),
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
    table = drop_empty(Table("Containers", columns, tuple(rows)), (*_STUB, "role", "share"))
    told = "medians over runs, cut to each run's start and end; exploratory"
    return _fold(table, told)


def _stub(cell: Place) -> tuple[Cell, ...]:
    return tuple(Cell(printable(text)) for text in _apart(cell))


def _change(row: Verdict | None, verdicts: Verdicts) -> tuple[Cell, Cell]:
    if row is None:
        return Cell(NOTHING), Cell(NOTHING)
    c = row.contrast
    mark = MARKS[row.word] if row.word in {"regression", "improvement"} else ""
    change = write_change(c, verdicts.margin)
    return Cell(change, c.ratio, mark), Cell(write_interval(c, verdicts.margin), c.ratio_low)


def _fold(table: Table, told: str) -> Table:
    folded, said = fold_constant(table, _STUB)
    caption = "; ".join((*said, told))
    return Table(folded.title, folded.columns, folded.rows, folded.notes, caption, folded.footer)
