"""The parts of the verdict sentence: one clause per metric and verdict, or per variant.

The sentence takes as many as it can carry, and the bullets the others.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass

from benchkit.comparison import DIRECTIONS, Contrast
from benchkit.tables.phrases import (
    LISTED,
    describe_all_excluded,
    describe_fewer_runs,
    join_metric,
    list_variants,
    measure_size,
    name_cell,
    name_cells,
    name_kind,
    write_span,
)
from benchkit.tables.wording import (
    format_bare,
    name_metric,
    name_variant,
    write_change,
    write_loss_interval,
    write_size,
)
from benchkit.verdict import (
    CHANGED,
    EQUIVALENT,
    IMPROVEMENT,
    INCONCLUSIVE,
    REGRESSION,
    UNCHANGED,
    Verdict,
    Verdicts,
)

_RANK = (REGRESSION, IMPROVEMENT, CHANGED, INCONCLUSIVE, EQUIVALENT, UNCHANGED)


@dataclass(frozen=True, slots=True)
class Clause:
    """A part of the sentence: its text, what it is about, and its verdict."""

    text: str
    metric: str
    word: str
    is_single: bool = False
    variant: str = ""


def write_clauses(verdicts: Verdicts) -> tuple[Clause, ...]:
    """Write the clauses of every primary metric, in the order of the data."""
    metrics: dict[str, list[Verdict]] = {}
    for row in verdicts.primary:
        metrics.setdefault(name_metric(row.contrast), []).append(row)
    clauses: list[Clause] = []
    for metric, rows in metrics.items():
        is_one = len({_cell(row.contrast) for row in rows}) == 1
        write = _across_variants if is_one else _across_cells
        clauses += write(metric, rows, verdicts)
    return tuple(clauses)


def _cell(contrast: Contrast) -> tuple[str, ...]:
    return contrast.workload


def _across_variants(metric: str, rows: Sequence[Verdict], verdicts: Verdicts) -> list[Clause]:
    """One benchmark: a clause per verdict that lists the variants."""
    writers: dict[str, Callable[[Sequence[Verdict], str, Verdicts], str]] = {
        EQUIVALENT: _say_equivalent,
        UNCHANGED: _say_equivalent,
        INCONCLUSIVE: _say_unknown,
    }
    clauses: list[Clause] = []
    for word in _RANK:
        for single in (True, False):
            found = [
                row
                for row in rows
                if row.word == word and (row.contrast.method in DIRECTIONS) is single
            ]
            if found:
                write = _say_single if single else writers.get(word, _say_changes)
                text = _add_runs(write(found, "" if clauses else metric, verdicts), found, verdicts)
                clauses.append(Clause(text, metric, word, single))
    return clauses


def _say_changes(rows: Sequence[Verdict], metric: str, verdicts: Verdicts) -> str:
    about = metric or name_metric(rows[0].contrast)
    if rows[0].word == CHANGED:
        return f"{about} changes: {_list_changes(rows, '', verdicts)}"
    verb = "cost" if rows[0].word == REGRESSION else "gain"
    if len(rows) > LISTED:
        span = write_span(rows, verdicts)
        return f"{len(rows)} variants {verb} {span} {join_metric(rows, about)}"
    first, *others = rows
    who, size = name_variant(first.contrast, verdicts), _write_size(first, verdicts)
    interval = write_loss_interval(first.contrast)
    said = f"{who} {verb}s {size} {join_metric([first], about)} {interval}".rstrip()
    listed = (f"{name_variant(r.contrast, verdicts)} {_write_size(r, verdicts)}" for r in others)
    return ", ".join([said, *listed])


def _write_size(row: Verdict, verdicts: Verdicts) -> str:
    return write_size(row.contrast, verdicts.margin)


def _list_changes(rows: Sequence[Verdict], what: str, verdicts: Verdicts) -> str:
    """Write signed changes, what they are changes of after the first."""
    margin = verdicts.margin
    said = [
        f"{name_variant(r.contrast, verdicts)} {write_change(r.contrast, margin)}" for r in rows
    ]
    return ", ".join([f"{said[0]} {what}".rstrip(), *said[1:]])


def _say_equivalent(rows: Sequence[Verdict], metric: str, verdicts: Verdicts) -> str:
    what = f" in {metric}" if metric else ""
    within = format_bare(verdicts.margin)
    each = "each " if len(rows) > 1 else ""
    who = list_variants(rows, verdicts)
    return f"{who}: no practical difference{what} ({each}within ±{within})"


def _say_unknown(rows: Sequence[Verdict], metric: str, verdicts: Verdicts) -> str:
    what = (
        f"{metric} of {list_variants(rows, verdicts)}" if metric else list_variants(rows, verdicts)
    )
    changes = ""
    if len(rows) == 1:
        changes = f" ({write_change(rows[0].contrast, verdicts.margin)})"
    excluded = describe_all_excluded(rows, lambda some: list_variants(some, verdicts))
    return f"{what} not shown{changes}, {excluded}"


def _say_single(rows: Sequence[Verdict], metric: str, verdicts: Verdicts) -> str:
    note = rows[0].contrast.notes[0] if rows[0].contrast.notes else "direction only"
    what = join_metric(rows, metric) if metric else ""
    if len(rows) > LISTED:
        span = write_span(rows, verdicts, signed=True)
        return f"{list_variants(rows, verdicts)}: {span} {what}, {note}"
    return f"{_list_changes(rows, what, verdicts)}, {note}"


def _across_cells(metric: str, rows: Sequence[Verdict], verdicts: Verdicts) -> list[Clause]:
    """Many benchmarks: a clause per variant that counts them."""
    by_variant: dict[str, list[Verdict]] = {}
    for row in rows:
        by_variant.setdefault(name_variant(row.contrast, verdicts), []).append(row)
    return [
        _count_cells(who, metric, found, verdicts)
        for who, found in sorted(by_variant.items(), key=lambda item: _rank_cells(item[1]))
    ]


def _rank_cells(rows: Sequence[Verdict]) -> tuple[int, int]:
    """Put the gravest verdict first, and of two variants the one that has it more often."""
    lead = _best_rank(rows)
    return lead, -sum(row.word == _RANK[lead] for row in rows)


def _best_rank(rows: Sequence[Verdict]) -> int:
    return min(_RANK.index(row.word) for row in rows)


def _count_cells(who: str, metric: str, rows: Sequence[Verdict], verdicts: Verdicts) -> Clause:
    lead = _RANK[_best_rank(rows)]
    found = [row for row in rows if row.word == lead]
    if len(found) < len(rows):
        count = f"{len(found)} of {len(rows)}"
    else:
        count = "both" if len(rows) == 2 else f"all {len(rows)}"
    where = f"on {count} {name_kind(rows)}"
    if lead in {EQUIVALENT, UNCHANGED} and 1 < len(found) < len(rows):
        where = f"{where}, each by itself"
    said = _say_cells(who, metric, found, where, verdicts)
    rest = _count_rest(rows, lead)
    is_single = all(row.contrast.method in DIRECTIONS for row in found)
    said = _add_runs(said, found, verdicts)
    return Clause(f"{said}; {rest}" if rest else said, metric, lead, is_single, who)


def _add_runs(text: str, rows: Sequence[Verdict], verdicts: Verdicts) -> str:
    """Add the runs that the rows stand on where others of the same benchmark stand on more."""
    return f"{text} {describe_fewer_runs(rows, verdicts)}".rstrip()


def _say_cells(
    who: str, metric: str, rows: Sequence[Verdict], where: str, verdicts: Verdicts
) -> str:
    lead = rows[0].word
    signed = write_span(rows, verdicts, signed=True)
    if all(row.contrast.method in DIRECTIONS for row in rows):
        return f"{who}: {signed} {join_metric(rows, metric)} {where}, {rows[0].contrast.notes[0]}"
    if lead in {EQUIVALENT, UNCHANGED}:
        within = format_bare(verdicts.margin)
        said = "all at once " if len(rows) > 1 else ""
        return f"{who}: no practical difference in {metric} {where} ({said}within ±{within})"
    if lead == INCONCLUSIVE:
        excluded = describe_all_excluded(rows, lambda some: name_cells(some, rows))
        return f"{metric} of {who} not shown {where}: {excluded}"
    if lead == CHANGED:
        return f"{who} changes {metric} by {signed} {where}"
    verb = "costs" if lead == REGRESSION else "gains"
    said = f"{who} {verb} {write_span(rows, verdicts)} {join_metric(rows, metric)}"
    interval = f" {write_loss_interval(rows[0].contrast)}".rstrip() if len(rows) == 1 else ""
    return f"{said}{interval} {where}{_largest(rows, verdicts)}"


def _count_rest(rows: Sequence[Verdict], lead: str) -> str:
    says = {
        IMPROVEMENT: "gains on {}",
        CHANGED: "changes {}",
        INCONCLUSIVE: "not shown on {}",
        EQUIVALENT: "no practical difference on {}",
        UNCHANGED: "no practical difference on {}",
    }
    found = {word: [row for row in rows if row.word == word] for word in says if word != lead}
    told = (
        (word, says[word].format(name_cells(few, rows)), len(few)) for word, few in found.items()
    )
    each = " (each by itself)"
    return ", ".join(
        f"{text}{each if n > 1 and word in {EQUIVALENT, UNCHANGED} else ''}"
        for word, text, n in told
        if n
    )


def _largest(rows: Sequence[Verdict], verdicts: Verdicts) -> str:
    sized = [row for row in rows if row.contrast.ratio is not None]
    if len(rows) == 1:
        return f" ({name_cell(rows[0].contrast, rows)})"
    if not sized:
        return ""
    far = max(sized, key=lambda row: measure_size(row.contrast))
    change = write_change(far.contrast, verdicts.margin)
    return f" (largest: {name_cell(far.contrast, rows)} {change})"
