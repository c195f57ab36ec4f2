"""The cost that a variant adds to a request at a fixed rate: latencies and their differences."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from benchkit.comparison import REFUSED, Contrast
from benchkit.comparison.medians import AGAINST
from benchkit.comparison.model import (
    ALIGNED,
    HISTORY,
    RANK,
    SEQUENTIAL,
    SIGNED,
    SINGLE,
    WELCH,
    WITHIN,
)
from benchkit.derived.requests import HeldLoad
from benchkit.intervals import TOO_WIDE, is_wide_difference
from benchkit.schema import Side
from benchkit.tables.model import (
    Cell,
    Column,
    Table,
    amount,
    column,
    count,
    drop_empty,
    percent,
    scale_of,
)
from benchkit.tables.resources import MEDIANS, PLACE, fold_place, place_cells
from benchkit.tables.wording import (
    NOTHING,
    format_bare,
    write_change,
    write_interval,
    write_value,
)
from benchkit.units import Scale, common_scale, format_number, printable
from benchkit.verdict import INCONCLUSIVE, Verdict, Verdicts

#: Statistics shown for both sides; the largest has no meaningful difference.
_STATS = ("mean", "min", "p50", "p90", "p95", "p99", "max")
_UNCOMPARED = "max"
_RATE = Scale(1.0, "/s")
_METHODS = {
    RANK: "by ranks",
    WELCH: "by Welch's test",
    HISTORY: "by prediction from the side with more runs",
    ALIGNED: "by ranks aligned in blocks",
    SIGNED: "by signed ranks of pairs",
    SEQUENTIAL: "by the tests after each round of an early-stopping series",
}

_Latencies = Mapping[tuple[Side, str], Verdict]
#: A variant and its baseline.
_Pair = tuple[HeldLoad, HeldLoad]


def held_table(loads: Sequence[HeldLoad], verdicts: Verdicts) -> Table | None:
    """Build the table; None if no variant can be compared with its baseline at a fixed rate."""
    pairs, latencies = _pair_up(loads, verdicts), _latencies(verdicts)
    if not any((pair[1].side, stat) in latencies for pair in pairs for stat in _STATS):
        return None
    scales = {stat: _scale(stat, pairs, latencies) for stat in _STATS}
    rows = []
    for base, others in _by_baseline(pairs).items():
        rows.append(_values(base, others[0], latencies, scales, is_base=True))
        for other in others:
            rows.append(_values(other, other, latencies, scales, is_base=False))
            rows.append(_differences(other, latencies, scales))
    columns = (
        *(Column(key, key) for key in (*PLACE, "variant")),
        column("requests", "requests"),
        column("offered", "offered", _RATE),
        column("achieved", "achieved", _RATE),
        column("failed", "failed"),
        *(column(stat, stat, scales[stat]) for stat in _STATS),
        column("runs", "runs"),
    )
    confidence = format_bare(verdicts.comparisons.confidence)
    by = _list_methods(
        [latencies[key] for _, other in pairs for key in _keys(other) if key in latencies]
    )
    note = (
        f"Δ: the difference and its {confidence} interval over the runs{by}, for each column "
        "separately; max is not compared"
    )
    is_against = any(cell.notes for row in rows for cell in row)
    notes = (AGAINST,) if is_against else ()
    table = Table("Latency at a fixed rate", columns, tuple(rows), notes=notes, footer=(note,))
    return fold_place(drop_empty(table, (*PLACE, "offered", *_STATS)), MEDIANS)


def _keys(load: HeldLoad) -> list[tuple[Side, str]]:
    return [(load.side, stat) for stat in _STATS if stat != _UNCOMPARED]


def _list_methods(rows: Sequence[Verdict]) -> str:
    """Name the methods of the intervals: `` (by ranks; none with 1 run)``."""
    methods = dict.fromkeys(row.contrast.method for row in rows)
    names = [_METHODS[method] for method in methods if method in _METHODS]
    if SINGLE in methods or WITHIN in methods:
        names.append("none with 1 run")
    return f" ({'; '.join(names)})" if names else ""


def describe_held(loads: Sequence[HeldLoad], verdicts: Verdicts) -> tuple[str, ...]:
    """State how much each variant adds to the median request, and whether the load was reached."""
    latencies = _latencies(verdicts)
    lines = []
    pairs = _pair_up(loads, verdicts)
    most = max((other.runs for _, other in pairs), default=0)
    for base, other in pairs:
        row = latencies.get((other.side, "p50"))
        if row is not None and (other.runs > 1 or most == 1):
            lines.append(_describe(base, other, row, verdicts))
    return tuple(lines)


def _describe(base: HeldLoad, other: HeldLoad, row: Verdict, verdicts: Verdicts) -> str:
    c = row.contrast
    scale = common_scale([c.center_baseline, c.center_variant], "s")
    who = printable(" on ".join(name for name in (c.variant, c.benchmark) if name))
    sides = " → ".join(write_value(v, scale) for v in (c.center_baseline, c.center_variant))
    change = f"{write_change(c, verdicts.margin)} {write_interval(c, verdicts.margin)}"
    size, low, high = c.amount or (c.delta, None, None)
    interval = _write_ends(c, scale, low, high)
    request = f"the median request ({sides}, {change.rstrip(' –')})"
    if row.word == INCONCLUSIVE:
        estimate = f"{amount(size, scale, signed=True).text} {scale.label} {interval}".rstrip()
        moved = f": inconclusive; the estimate is {estimate} for {request}"
    else:
        size_ = f"{format_number(abs(size) / scale.factor)} {scale.label} {interval}".rstrip()
        moved = f" takes {size_} off {request}" if size < 0 else f" adds {size_} to {request}"
    return f"{who}{moved}, at {_say_load(base, other)}."


def _say_load(base: HeldLoad, other: HeldLoad) -> str:
    """State the load, and whether every run reached it."""
    rate = f"{format_number(other.offered or base.achieved)} requests/s"
    rates = f"{_write_rate(base)} and {_write_rate(other)} requests/s"
    if not base.is_alike(other):
        return f"{rates}: the loads differ, so the latencies are not comparable"
    missed = [load for load in (base, other) if not load.is_reached]
    if missed:
        slowest = ", ".join(
            f"{printable(load.side.variant)} {_write_lowest(load)}" for load in missed
        )
        return f"{rate}; not every run reached it ({slowest}): see B314"
    return f"{rate}; the load generator set this rate (achieved {rates}), so it is not a result"


def _write_rate(load: HeldLoad) -> str:
    return format_number(load.achieved, 4)


def _write_lowest(load: HeldLoad) -> str:
    return f"{format_number(load.lowest)}/s in its slowest run"


def _pair_up(loads: Sequence[HeldLoad], verdicts: Verdicts) -> list[_Pair]:
    """Pair each variant with its baseline, in the order of the pairs."""
    known = {load.side: load for load in loads}
    pairs = [
        (known[load.side._replace(variant=baseline)], load)
        for baseline, variant in verdicts.comparisons.pairs
        for load in loads
        if load.side.variant == variant and load.side._replace(variant=baseline) in known
    ]
    places = list(dict.fromkeys(load.side.workload for load in loads))
    return sorted(pairs, key=lambda pair: places.index(pair[1].side.workload))


def _by_baseline(pairs: Sequence[_Pair]) -> dict[HeldLoad, list[HeldLoad]]:
    by_baseline: dict[HeldLoad, list[HeldLoad]] = {}
    for base, other in pairs:
        by_baseline.setdefault(base, []).append(other)
    return by_baseline


def _latencies(verdicts: Verdicts) -> _Latencies:
    latencies: dict[tuple[Side, str], Verdict] = {}
    for row in verdicts.rows:
        c = row.contrast
        if c.metric == "latency" and not c.subject and c.stat in _STATS:
            latencies[c.side, c.stat] = row
    return latencies


def _scale(stat: str, pairs: Sequence[_Pair], latencies: _Latencies) -> Scale:
    rows = [latencies[other.side, stat] for _, other in pairs if (other.side, stat) in latencies]
    sides = [(r.contrast.center_baseline, r.contrast.center_variant) for r in rows]
    return scale_of([value for side in sides for value in side], "s")


def _values(
    load: HeldLoad,
    variant: HeldLoad,
    latencies: _Latencies,
    scales: Mapping[str, Scale],
    *,
    is_base: bool,
) -> tuple[Cell, ...]:
    """Write the values of one side; those of a baseline are in its variant's rows."""

    def read(stat: str) -> float | None:
        row = latencies.get((variant.side, stat))
        if row is None:
            return None
        return row.contrast.center_baseline if is_base else row.contrast.center_variant

    return (
        *place_cells(load.side),
        Cell(printable(load.side.variant)),
        count(load.requests),
        amount(load.offered, Scale(1.0, "")) if load.offered is not None else Cell(""),
        amount(load.achieved, Scale(1.0, ""), digits=4),
        percent(load.failed),
        *(_amount(read(stat), scales[stat]) for stat in _STATS),
        Cell(f"{load.runs}", load.runs),
    )


def _amount(value: float | None, scale: Scale) -> Cell:
    return Cell("") if value is None else amount(value, scale)


def _differences(
    load: HeldLoad, latencies: _Latencies, scales: Mapping[str, Scale]
) -> tuple[Cell, ...]:
    cells = []
    for stat in _STATS:
        row = latencies.get((load.side, stat))
        cells.append(Cell("") if row is None else _difference(row.contrast, scales[stat]))
    named = Cell(f"Δ {printable(load.side.variant)}")
    return (*place_cells(load.side), named, *[Cell("")] * 4, *cells, Cell(""))


def _difference(contrast: Contrast, scale: Scale) -> Cell:
    if contrast.stat == _UNCOMPARED or contrast.method == REFUSED:
        return Cell(NOTHING)
    if contrast.amount is None:
        return amount(contrast.delta, scale, signed=True)
    value, low, high = contrast.amount
    size, ends = amount(value, scale, signed=True).text, _write_ends(contrast, scale, low, high)
    text = f"{size} {ends}".rstrip()
    return Cell(text, value, notes=(1,) if value * contrast.delta < 0 else ())


def _write_ends(contrast: Contrast, scale: Scale, low: float | None, high: float | None) -> str:
    """Write the ends of an interval; empty without one."""
    if low is None or high is None:
        return ""
    if is_wide_difference(low, high, contrast.center_baseline):
        return f"({TOO_WIDE})"
    ends = (amount(end, scale, signed=True).text for end in (low, high))
    return f"[{', '.join(ends)}]"
