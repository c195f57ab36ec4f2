"""The parts of the verdict sentence: one clause per metric and verdict, or per variant.

The sentence contains as many as fit; the rest become bullets.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass

from benchkit.comparison import DIRECTIONS, Contrast
from benchkit.intervals import is_wide
from benchkit.tables.phrases import (
    LISTED,
    describe_all_excluded,
    describe_change,
    describe_fewer_runs,
    list_factors,
    list_variants,
    measure_size,
    name_cell,
    name_cells,
    name_kind,
    write_span,
)
from benchkit.tables.wording import (
    NOTHING,
    WORDS,
    find_wording,
    format_bare,
    is_more,
    name_metric,
    name_variant,
    write_change,
    write_share,
    write_size,
    write_sureness,
)
from benchkit.units import printable
from benchkit.verdict import (
    CHANGED,
    EQUIVALENT,
    IMPROVEMENT,
    INCONCLUSIVE,
    REGRESSION,
    UNCHANGED,
    Verdict,
    Verdicts,
    is_failing,
)

_RANK = (REGRESSION, IMPROVEMENT, CHANGED, INCONCLUSIVE, EQUIVALENT, UNCHANGED)


@dataclass(frozen=True, slots=True)
class Clause:
    """A part of the sentence: its text, its subject and its verdict."""

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
    """One benchmark: a clause per verdict, which lists the variants."""
    writers: dict[str, Callable[[Sequence[Verdict], str, Verdicts], str]] = {
        EQUIVALENT: _say_equivalent,
        UNCHANGED: _say_equivalent,
        INCONCLUSIVE: _say_unknown,
    }
    clauses: list[Clause] = []
    kinds: dict[tuple[int, bool, bool], list[Verdict]] = {}
    for row in rows:
        is_single = row.contrast.method in DIRECTIONS
        is_up = row.word == CHANGED and is_more(row.contrast)
        kinds.setdefault((_RANK.index(row.word), not is_single, is_up), []).append(row)
    for (rank, has_interval, _), group in sorted(kinds.items()):
        write = writers.get(_RANK[rank], _say_changes) if has_interval else _say_single
        text = _add_runs(write(group, "" if clauses else metric, verdicts), group, verdicts)
        clauses.append(Clause(text, metric, _RANK[rank], not has_interval))
    return clauses


def _say_changes(rows: Sequence[Verdict], _metric: str, verdicts: Verdicts) -> str:
    if len(rows) > LISTED:
        return describe_change(f"each of {len(rows)} variants", rows, verdicts)
    first, *others = sorted(rows, key=lambda row: -measure_size(row.contrast))
    phrase = describe_change(printable(first.contrast.variant), [first], verdicts)
    text = f"{phrase} {write_sureness(first.contrast)}".rstrip()
    return ", ".join([text, *(_write_other(row, first, verdicts) for row in others)])


def _write_other(row: Verdict, first: Verdict, verdicts: Verdicts) -> str:
    """Write a variant that follows another one whose clause states the metric and baseline."""
    c, who = row.contrast, name_variant(row.contrast, verdicts)
    is_alike = is_more(c) == is_more(first.contrast)
    if is_alike and bool(list_factors([c])) == bool(list_factors([first.contrast])):
        return f"{who} {write_share(c, write_size(c, verdicts.margin))}"
    return f"{who} {write_change(c, verdicts.margin)}"


def _list_changes(rows: Sequence[Verdict], what: str, verdicts: Verdicts) -> str:
    """Write signed changes; the metric and baseline follow the first one."""
    margin = verdicts.margin
    phrase = [
        f"{name_variant(r.contrast, verdicts)} {write_change(r.contrast, margin)}" for r in rows
    ]
    return ", ".join([f"{phrase[0]} {what}".rstrip(), *phrase[1:]])


def _say_equivalent(rows: Sequence[Verdict], metric: str, verdicts: Verdicts) -> str:
    within = format_bare(verdicts.margin)
    each = "each " if len(rows) > 1 else ""
    return f"{_say_same(list_variants(rows, verdicts), rows, metric)} ({each}within ±{within})"


def _say_same(who: str, rows: Sequence[Verdict], metric: str) -> str:
    """State that rows do not differ; name metric and baseline unless an earlier clause did."""
    what = f" from {_name_base(rows)} in {metric}" if metric else ""
    return f"{who}: no meaningful difference{what}"


def _name_base(rows: Sequence[Verdict]) -> str:
    """Return the common baseline of rows, or "their baselines" if they have several."""
    names = {row.contrast.baseline for row in rows}
    return printable(names.pop()) if len(names) == 1 else "their baselines"


def _say_unknown(rows: Sequence[Verdict], metric: str, verdicts: Verdicts) -> str:
    phrase = f"{list_variants(rows, verdicts)}: inconclusive{f' in {metric}' if metric else ''}"
    if len(rows) == 1:
        return _say_estimate(phrase, rows[0], verdicts)
    return f"{phrase} ({describe_all_excluded(rows, lambda some: list_variants(some, verdicts))})"


def _say_estimate(phrase: str, row: Verdict, verdicts: Verdicts) -> str:
    """Add the estimate of one undecided row: ``…, +9.9 % against none (95 % CI …)``."""
    c = row.contrast
    sure, change = write_sureness(c, signed=True), write_change(c, verdicts.margin)
    if change == NOTHING or not sure or is_failing(c) or is_wide(*_ends(c)):
        return f"{phrase} ({describe_all_excluded([row], lambda _: '')})"
    return f"{phrase}, {change} vs. {printable(c.baseline)} {sure}"


def _ends(contrast: Contrast) -> tuple[float, float]:
    return contrast.ratio_low or 0.0, contrast.ratio_high or 0.0


def _say_single(rows: Sequence[Verdict], metric: str, verdicts: Verdicts) -> str:
    note = rows[0].contrast.notes[0] if rows[0].contrast.notes else "direction only"
    what = f"{metric} vs. {_name_base(rows)}" if metric else ""
    if len(rows) > LISTED:
        span = write_span(rows, verdicts, signed=True)
        return f"{list_variants(rows, verdicts)}: {f'{span} {what}'.rstrip()}, {note}"
    return f"{_list_changes(rows, what, verdicts)}, {note}"


def _across_cells(metric: str, rows: Sequence[Verdict], verdicts: Verdicts) -> list[Clause]:
    """Many benchmarks: a clause per variant that counts them."""
    by_variant: dict[str, list[Verdict]] = {}
    for row in rows:
        by_variant.setdefault(name_variant(row.contrast, verdicts), []).append(row)
    return [
        _count_cells(who, metric, group, verdicts)
        for who, group in sorted(by_variant.items(), key=lambda item: _rank_cells(item[1]))
    ]


def _rank_cells(rows: Sequence[Verdict]) -> tuple[int, float, int]:
    """Sort by severity of the verdict, then by size of the change, then by number of rows."""
    lead = _best_rank(rows)
    sizes = [measure_size(row.contrast) for row in rows if row.word == _RANK[lead]]
    return lead, -max(sizes), -len(sizes)


def _best_rank(rows: Sequence[Verdict]) -> int:
    return min(_RANK.index(row.word) for row in rows)


def _count_cells(who: str, metric: str, rows: Sequence[Verdict], verdicts: Verdicts) -> Clause:
    lead = _RANK[_best_rank(rows)]
    leading = [row for row in rows if row.word == lead]
    if len(leading) < len(rows):
        count = f"{len(leading)} of {len(rows)}"
    else:
        count = "both" if len(rows) == 2 else f"all {len(rows)}"
    where = f"on {count} {name_kind(rows)}"
    if lead in {EQUIVALENT, UNCHANGED} and 1 < len(leading) < len(rows):
        where = f"{where}, each judged separately"
    phrase = _say_cells(who, metric, leading, where, verdicts)
    rest = _count_rest(rows, lead)
    is_single = all(row.contrast.method in DIRECTIONS for row in leading)
    phrase = _add_runs(phrase, leading, verdicts)
    return Clause(f"{phrase}; {rest}" if rest else phrase, metric, lead, is_single, who)


def _add_runs(text: str, rows: Sequence[Verdict], verdicts: Verdicts) -> str:
    """Add the number of runs if other rows of the same benchmark have more."""
    return f"{text} {describe_fewer_runs(rows, verdicts)}".rstrip()


def _say_cells(
    who: str, metric: str, rows: Sequence[Verdict], where: str, verdicts: Verdicts
) -> str:
    lead = rows[0].word
    if all(row.contrast.method in DIRECTIONS for row in rows):
        signed, note = write_span(rows, verdicts, signed=True), rows[0].contrast.notes[0]
        return f"{who}: {signed} {metric} vs. {_name_base(rows)} {where}, {note}"
    if lead in {EQUIVALENT, UNCHANGED}:
        every = "all " if len(rows) > 1 else ""
        same = _say_same(who, rows, metric)
        return f"{same} {where} ({every}within ±{format_bare(verdicts.margin)})"
    if lead == INCONCLUSIVE:
        phrase = f"{who}: inconclusive in {metric} {where}"
        if len(rows) == 1:
            return _say_estimate(phrase, rows[0], verdicts)
        return f"{phrase} ({describe_all_excluded(rows, lambda some: name_cells(some, rows))})"
    if len({is_more(row.contrast) for row in rows}) > 1:
        signed = write_span(rows, verdicts, signed=True)
        return f"{who} changes {metric} by {signed} vs. {_name_base(rows)} {where}"
    phrase = describe_change(printable(rows[0].contrast.variant), rows, verdicts)
    sure = f" {write_sureness(rows[0].contrast)}".rstrip() if len(rows) == 1 else ""
    return f"{phrase}{sure} {where}{_largest(rows, verdicts)}"


def _count_rest(rows: Sequence[Verdict], lead: str) -> str:
    by_word = {word: [row for row in rows if row.word == word] for word in _RANK if word != lead}
    groups = []
    for word, few in by_word.items():
        alone = (
            " (each judged separately)" if word in {EQUIVALENT, UNCHANGED} and len(few) > 1 else ""
        )
        if few:
            groups.append(f"{_name_rest(word, few)} on {name_cells(few, rows)}{alone}")
    return ", ".join(groups)


def _name_rest(word: str, rows: Sequence[Verdict]) -> str:
    """Describe the later rows of a variant in a word or two."""
    if word in WORDS:
        return WORDS[word]
    c = rows[0].contrast
    if len({is_more(row.contrast) for row in rows}) > 1:
        return "changed"
    wording = find_wording(c)
    return wording.up if is_more(c) else wording.down


def _largest(rows: Sequence[Verdict], verdicts: Verdicts) -> str:
    sized = [row for row in rows if row.contrast.ratio is not None]
    if len(rows) == 1:
        return f" ({name_cell(rows[0].contrast, rows)})"
    if not sized:
        return ""
    far = max(sized, key=lambda row: measure_size(row.contrast))
    change = write_change(far.contrast, verdicts.margin)
    return f" (largest: {name_cell(far.contrast, rows)} {change})"
