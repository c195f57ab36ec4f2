"""Resource use of containers under each variant, and the containers that reached a limit.

Also the cost of a request to the service: its CPU, how much of it delays the request, and the rest.

Parts shared by the tables of resources: the place of a row, and its judged change.

Rows of containers and rows of requests are matched and named the same way.
"""

from __future__ import annotations

import math
from collections.abc import Iterable, Mapping, Sequence

from benchkit.comparison import Estimate
from benchkit.derived.containers import SERVICE
from benchkit.derived.costs import RequestCost
from benchkit.derived.usage import AT_LIMIT, Use
from benchkit.intervals import TOO_WIDE, is_wide
from benchkit.schema import Side, Workload
from benchkit.tables.model import (
    Cell,
    Column,
    Table,
    amount,
    column,
    drop_empty,
    fold_constant,
    percent,
    scale_of,
)
from benchkit.tables.phrases import describe_few_runs
from benchkit.tables.wording import MARKS, NOTHING, format_bare, write_change, write_interval
from benchkit.units import Scale, format_number, format_quantity, printable
from benchkit.verdict import IMPROVEMENT, INCONCLUSIVE, REGRESSION, Verdict, Verdicts

#: Metrics that these tables show, so that others can omit them.
SHOWN = frozenset({"cpu_usage", "memory_working_set", "memory_usage", "cpu_per_span"})

#: A cost and that of its baseline; None for the baseline itself.
Pair = tuple[RequestCost, RequestCost | None]
PLACE = Workload._fields
#: Note on columns of medians.
MEDIANS = "medians over runs, each column separately (they need not add up)"


def resource_tables(
    uses: Sequence[Use],
    costs: Sequence[RequestCost],
    verdicts: Verdicts,
    outside: Mapping[Side, Estimate],
) -> tuple[Table, ...]:
    """Build the table of CPU per request and the table of containers; empty if neither is known.

    Parameters
    ----------
    outside : mapping of place to Estimate
        The result of `estimate_outside`.
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
    """State the extra cost of a request, what runs besides the service, and who reached a limit."""
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


def cost_table(
    costs: Sequence[RequestCost], verdicts: Verdicts, outside: Mapping[Side, Estimate]
) -> Table | None:
    """Build the table; None if no variant can be compared with its baseline."""
    paid = _pair_up(costs, verdicts)
    return _build(paid, verdicts, outside) if len(paid) > 1 else None


def describe_costs(costs: Sequence[RequestCost], verdicts: Verdicts) -> tuple[str, ...]:
    """State the change in CPU per request of the service, and its precision."""
    judged = judge_by_place(verdicts)
    by_baseline: dict[str, list[str]] = {}
    for cost, base in _pair_up(costs, verdicts):
        if base is not None:
            row = judged.get((cost.side, cost.service, "cpu_per_request"))
            text = f"{printable(cost.side.variant)} {_describe(cost.cpu - base.cpu, row, verdicts)}"
            by_baseline.setdefault(base.side.variant, []).append(text)
    return tuple(
        f"CPU of the service per request, compared with {printable(name)}: {', '.join(texts)}."
        for name, texts in by_baseline.items()
    )


def _describe(extra: float, row: Verdict | None, verdicts: Verdicts) -> str:
    """Write a difference with its interval: ``14.6 µs more (+17.3 % [+14.8, +19.7 %])``."""
    size = f"{format_quantity(abs(extra), 's')} {'less' if extra < 0 else 'more'}"
    if row is None:
        return size
    if row.contrast.ratio_low is None:
        return f"{size} ({describe_few_runs([row])})"
    change = write_change(row.contrast, verdicts.margin)
    interval = f"{change} {write_interval(row.contrast, verdicts.margin)}"
    if row.word != INCONCLUSIVE:
        return f"{size} ({interval})"
    low, high = row.contrast.ratio_low, row.contrast.ratio_high
    is_open = high is None or low <= 1 <= high
    return f"inconclusive ({interval})" if is_open else f"{size}, but inconclusive ({interval})"


def _pair_up(
    costs: Sequence[RequestCost], verdicts: Verdicts
) -> list[tuple[RequestCost, RequestCost | None]]:
    """Pair each variant with its baseline; baselines come first, without one."""
    by_side = {cost.side: cost for cost in costs}
    paid: dict[Side, tuple[RequestCost, RequestCost | None]] = {}
    for baseline, variant in verdicts.comparisons.pairs:
        for cost in costs:
            if cost.side.variant == baseline:
                paid.setdefault(cost.side, (cost, None))
            elif cost.side.variant == variant:
                base = by_side.get(cost.side._replace(variant=baseline))
                if base is not None:
                    paid[cost.side] = (cost, base)
    return sorted(paid.values(), key=lambda pair: (pair[0].side.workload, pair[1] is not None))


def _build(paid: Sequence[Pair], verdicts: Verdicts, outside: Mapping[Side, Estimate]) -> Table:
    judged = judge_by_place(verdicts)
    cpu = scale_of([cost.cpu for cost, _ in paid], "s")
    wait = scale_of([cost.latency for cost, _ in paid], "s")
    confidence = format_bare(verdicts.comparisons.confidence)
    notes = Footnotes()
    rows = []
    for cost, base in paid:
        extra, inside = cost.split(base) if base else (None, None)
        row = judged.get((cost.side, cost.service, "cpu_per_request"))
        beyond = extra - inside if extra is not None and inside is not None else None
        per_span = extra / cost.per_request if extra is not None and cost.per_request else None
        rows.append(
            (
                *place_cells(cost.side),
                Cell(printable(cost.side.variant)),
                amount(cost.rate, Scale(1.0, "")),
                amount(cost.latency, wait),
                amount(cost.cores, Scale(1.0, "cores")),
                amount(cost.cpu, cpu),
                amount(extra, cpu, signed=True),
                *change_cells(row if base else None, verdicts, notes),
                amount(per_span, cpu, signed=True),
                amount(inside, cpu),
                amount(beyond, cpu),
                _write_outside(cost, base, row, outside.get(cost.side), cpu),
                amount(cost.backend, cpu),
                Cell(f"{cost.runs}" if cost.runs == cost.of else f"{cost.runs} of {cost.of}"),
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
        column("inside", "delays the request, at most", cpu),
        column("outside", "in the background, at least", cpu),
        Column("known", f"{confidence} interval", cpu.label),
        column("beside", "collector, store", cpu),
        column("runs", "runs"),
    )
    table = Table(
        title="CPU per request of the service",
        columns=columns,
        rows=tuple(rows),
        notes=notes.texts,
        footer=(_IN_BAND, _OUT_OF_BAND),
    )
    return fold_place(drop_empty(table, PLACE), MEDIANS)


_IN_BAND = (
    "delays the request: at most the increase in time per request (closed loop: connections ÷ "
    "rate, with queueing); in the background: CPU time for which no request waits"
)
_OUT_OF_BAND = (
    "“in the background” is the extra CPU time minus the extra time per request; if its interval "
    "includes 0, all of the extra CPU time may delay requests"
)


def _write_outside(
    cost: RequestCost,
    base: RequestCost | None,
    row: Verdict | None,
    estimate: Estimate | None,
    scale: Scale,
) -> Cell:
    """Write the interval of the minimum CPU out of band: from nothing to all of the extra CPU."""
    if base is None or row is None or cost.split(base)[1] is None:
        return Cell(NOTHING)
    if estimate is None:
        is_single = 1 in {row.contrast.n_baseline, row.contrast.n_variant}
        return Cell("none: 1 run on a side" if is_single else NOTHING)
    if not math.isfinite(estimate.low) or not math.isfinite(estimate.high):
        return Cell(NOTHING)
    most = base.cpu * ((row.contrast.ratio_high or math.inf) - 1)
    low, high = (min(max(end, 0.0), max(most, 0.0)) for end in (estimate.low, estimate.high))
    first, last = (format_number(end / scale.factor) for end in (low, high))
    if not low:
        return Cell(f"at most {last}" if high else "0", low)
    return Cell(TOO_WIDE if is_wide(low, high) else f"[{first}, {last}]", low)


def judge_by_place(verdicts: Verdicts) -> dict[tuple[Side, str, str], Verdict]:
    """Return the verdicts on means of containers, by row and variant."""
    verdicts_by_place = {}
    for row in verdicts.rows:
        c = row.contrast
        if c.stat == "mean" and c.subject:
            verdicts_by_place[c.side, c.subject, c.metric] = row
    return verdicts_by_place


def place_cells(side: Side) -> tuple[Cell, ...]:
    """Return the cells of a row's labels, except the variant."""
    return tuple(Cell(printable(text)) for text in side.workload)


class Footnotes:
    """The notes of a table, each once, in the order in which cells refer to them."""

    def __init__(self) -> None:
        self._numbers: dict[str, int] = {}

    def number(self, notes: Iterable[str]) -> tuple[int, ...]:
        """Return the numbers with which a cell refers to notes."""
        texts = map(printable, notes)
        return tuple(self._numbers.setdefault(note, len(self._numbers) + 1) for note in texts)

    @property
    def texts(self) -> tuple[str, ...]:
        """The notes, numbered from 1."""
        return tuple(self._numbers)


def change_cells(row: Verdict | None, verdicts: Verdicts, notes: Footnotes) -> tuple[Cell, Cell]:
    """Write a change and its interval; dashes if nothing was compared.

    The change refers to a note about its method, unless the method is the usual one.
    """
    if row is None:
        return Cell(NOTHING), Cell(NOTHING)
    c = row.contrast
    mark = MARKS[row.word] if row.word in {REGRESSION, IMPROVEMENT} else ""
    change = Cell(write_change(c, verdicts.margin), c.ratio, mark, notes.number(c.notes))
    return change, Cell(write_interval(c, verdicts.margin), c.ratio_low)


def fold_place(table: Table, caption: str) -> Table:
    """State in the caption what all rows share."""
    folded, shared = fold_constant(table, PLACE)
    caption = "; ".join((*shared, caption))
    return Table(folded.title, folded.columns, folded.rows, folded.notes, caption, folded.footer)
