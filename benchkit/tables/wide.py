"""The table that authors of benchmarks publish: a row per variant, a column per metric."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace

from benchkit.comparison.medians import AGAINST, APART
from benchkit.derived.amounts import MACHINE_SHARE, PUBLISHED, Amount, Amounts, Published
from benchkit.derived.amounts import Cell as Labels
from benchkit.metrics import display_name
from benchkit.tables.model import (
    Cell,
    Column,
    Table,
    column,
    drop_empty,
    fold_constant,
    percent,
    scale_of,
)
from benchkit.tables.resources import Footnotes
from benchkit.tables.wording import MARKS, NOTHING, format_bare, write_change
from benchkit.units import Scale, format_number, printable
from benchkit.verdict import IMPROVEMENT, REGRESSION, Verdict, Verdicts

#: Metrics whose header is their unit.
_NAMED_BY_UNIT = ("request_rate", "bytes_per_op")
_STUB = ("group", "benchmark", "params", "tool")
Changes = Mapping[tuple[Labels, str, str, str, str], Verdict]


def wide_table(amounts: Amounts, verdicts: Verdicts) -> Table:
    """Build the table: each value with its spread and its change from the baseline."""
    amounts, columns = _count_files(amounts, verdicts), _list_columns(amounts)
    scales = {
        each: Scale(0.01, "%")
        if each is MACHINE_SHARE
        else Scale(1.0, "")
        if each.metric in _NAMED_BY_UNIT
        else scale_of([row[each].center for row in amounts.values() if each in row], unit)
        for each, unit in columns.items()
    }
    changes = _list_changes(verdicts)
    rows, apart = [], Footnotes()
    for labels, variant in _arrange(amounts, verdicts):
        row = amounts[labels, variant]
        runs = max(amount.runs for amount in row.values())
        place = labels, variant
        cells = [
            _write(row.get(each), runs, scales[each], changes, place, verdicts.margin, apart)
            for each in columns
        ]
        stub = (*map(printable, labels), printable(variant))
        rows.append((*map(Cell, stub), *cells, Cell(f"{runs}", runs)))
    heads = (
        *(Column(name, name) for name in (*_STUB, "variant")),
        *(column(_name(each), _head(each), scales[each]) for each in columns),
        Column("runs", "runs", align="right"),
    )
    table = drop_empty(Table("Variants and metrics", heads, tuple(rows)), _STUB)
    table, shared = fold_constant(table, _STUB)
    confidence = format_bare(verdicts.comparisons.confidence)
    notes = f"±: half the {confidence} interval of the mean over runs; in brackets: the change"
    caption = "; ".join((*shared, notes))
    return Table(table.title, table.columns, table.rows, apart.texts, caption)


def list_wide(amounts: Amounts, verdicts: Verdicts) -> tuple[list[str], list[list[object]]]:
    """Return the header and the rows as numbers: base units, spread and change as fractions."""
    amounts, columns = _count_files(amounts, verdicts), _list_columns(amounts)
    changes = _list_changes(verdicts)
    names = [*_STUB, "variant", "runs"]
    for each in columns:
        names += [_name(each), *(f"{_name(each)}_{of}" for of in ("spread", "change", "runs"))]
    rows: list[list[object]] = []
    for labels, variant in _arrange(amounts, verdicts):
        row = amounts[labels, variant]
        values: list[object] = [*labels, variant, max(amount.runs for amount in row.values())]
        for each in columns:
            amount = row.get(each)
            verdict = _find(amount, changes, labels, variant)
            ratio = verdict.contrast.ratio if verdict else None
            values += [
                amount.center if amount else None,
                _spread(amount),
                None if ratio is None else ratio - 1,
                amount.runs if amount else None,
            ]
        rows.append(values)
    return names, rows


def _count_files(amounts: Amounts, verdicts: Verdicts) -> Amounts:
    """Return amounts as their rows compare them if each file counts as one run (B218)."""
    joined = {}
    for c in (row.contrast for row in verdicts.rows if any(row.contrast.repeats)):
        labels = Labels(c.group, c.benchmark, c.params, c.tool)
        about = c.metric, c.stat, c.subject
        spreads = c.spread_baseline, c.spread_variant
        centers = c.center_baseline, c.center_variant
        runs = c.n_baseline, c.n_variant
        for side in zip((c.baseline, c.variant), centers, spreads, runs, strict=True):
            joined[labels, side[0], *about] = side[1:]

    def join(labels: Labels, variant: str, amount: Amount) -> Amount:
        known = joined.get((labels, variant, amount.metric, amount.stat, amount.subject))
        if known is None:
            return amount
        center, spread, runs = known
        return replace(
            amount, center=center, runs=runs, reach=None if spread is None else spread * center
        )

    return (
        {
            (labels, variant): {each: join(labels, variant, amount) for each, amount in row.items()}
            for (labels, variant), row in amounts.items()
        }
        if joined
        else amounts
    )


def _list_columns(amounts: Amounts) -> dict[Published, str]:
    """Return the metrics of any variant, with their units."""
    units = {each: amount.unit for row in amounts.values() for each, amount in row.items()}
    return {each: units[each] for each in PUBLISHED if each in units}


def _list_changes(verdicts: Verdicts) -> Changes:
    changes: dict[tuple[Labels, str, str, str, str], Verdict] = {}
    for row in verdicts.rows:
        c = row.contrast
        labels = Labels(c.group, c.benchmark, c.params, c.tool)
        changes.setdefault((labels, c.variant, c.metric, c.stat, c.subject), row)
    return changes


def _arrange(amounts: Amounts, verdicts: Verdicts) -> list[tuple[Labels, str]]:
    """Return the rows, with the baseline of each benchmark first."""
    pairs = verdicts.comparisons.pairs
    order = {name: at for at, name in enumerate([*(b for b, _ in pairs), *(v for _, v in pairs)])}
    cells = {labels: at for at, labels in enumerate(dict.fromkeys(cell for cell, _ in amounts))}
    first = {base for base, _ in pairs}
    return sorted(
        (key for key in amounts if not pairs or key[1] in order),
        key=lambda key: (cells[key[0]], key[1] not in first, order.get(key[1], 0)),
    )


def _find(amount: Amount | None, changes: Changes, labels: Labels, variant: str) -> Verdict | None:
    if amount is None:
        return None
    return changes.get((labels, variant, amount.metric, amount.stat, amount.subject))


def _write(
    amount: Amount | None,
    runs: int,
    scale: Scale,
    changes: Changes,
    place: tuple[Labels, str],
    margin: float,
    apart: Footnotes,
) -> Cell:
    """Write a value with its spread and its change: ``9173 ± 1.9 % (−13.1 %)``.

    Footnotes mark a value from fewer runs than its row, and a change that is not the ratio of the
    two values.
    """
    if amount is None:
        return Cell(NOTHING)
    text = format_number(amount.center / scale.factor)
    share = _spread(amount)
    if share is not None:
        spread = f" ±\N{NO-BREAK SPACE}{percent(share).text}"
        text += spread if share < 1 else " (too noisy to tell)"
    few = [f"from {amount.runs} of {runs} runs"] if amount.runs < runs else []
    verdict = _find(amount, changes, *place)
    if verdict is None:
        return Cell(text, amount.center, notes=apart.number(few))
    mark = MARKS[verdict.word] if verdict.word in {REGRESSION, IMPROVEMENT} else ""
    change = write_change(verdict.contrast, margin)
    notes = (note for note in verdict.contrast.notes if note.startswith((AGAINST, APART)))
    return Cell(f"{text} ({change})", amount.center, mark, apart.number((*few, *notes)))


def _spread(amount: Amount | None) -> float | None:
    if amount is None or amount.reach is None or amount.center <= 0:
        return None
    return amount.reach / amount.center


def _name(each: Published) -> str:
    return f"{each.metric}.{each.stats[0]}"


def _head(each: Published) -> str:
    return display_name("latency", each.stats[0]) if each.metric == "latency" else each.header
