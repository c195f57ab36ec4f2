"""The small parts of clauses: ranges, names of rows, excluded changes.

A clause reads as one sentence whatever its rows.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence

from benchkit.comparison import HISTORY, REFUSED, Contrast
from benchkit.intervals import TOO_WIDE, is_wide
from benchkit.listing import list_names
from benchkit.tables.wording import (
    find_wording,
    is_more,
    name_metric,
    name_variant,
    write_change,
    write_share,
    write_size,
)
from benchkit.units import (
    FACTOR_DOWN,
    FACTOR_UP,
    format_number,
    format_percent,
    format_quantity,
    printable,
)
from benchkit.verdict import Verdict, Verdicts, find_excluded, is_failing

#: Maximum number of variants to list; more are counted.
LISTED = 4
#: Maximum number of characters for the names of a few benchmarks in a sentence.
_NAMES_WIDTH = 60


def name_cell(contrast: Contrast, rows: Sequence[Verdict]) -> str:
    """Name the benchmark of a row, with its level if the benchmark alone is ambiguous."""
    return _name_cell(contrast, is_distinct=_has_distinct_benchmarks(rows))


def name_cells(rows: Sequence[Verdict], among: Sequence[Verdict]) -> str:
    """List the benchmarks of a few rows, or count those of many: ``Get, Set``, ``12``."""
    if len(rows) > LISTED:
        return str(len(rows))
    is_distinct = _has_distinct_benchmarks(among)
    names = ", ".join(_name_cell(row.contrast, is_distinct=is_distinct) for row in rows)
    return names if len(names) <= _NAMES_WIDTH else str(len(rows))


def _has_distinct_benchmarks(rows: Sequence[Verdict]) -> bool:
    """Return whether each row has a different benchmark."""
    return len({row.contrast.benchmark for row in rows}) == len(rows)


def _name_cell(contrast: Contrast, *, is_distinct: bool) -> str:
    levels = [contrast.group, contrast.benchmark, contrast.params]
    parts = [contrast.benchmark] if is_distinct and contrast.benchmark else levels
    name = " ".join(part for part in parts if part)
    return printable(name) or f"{printable(contrast.tool)}, unnamed"


def name_kind(rows: Sequence[Verdict]) -> str:
    """Return what to call the rows of one variant: benchmarks, levels, or rows if both vary."""
    if _has_distinct_benchmarks(rows):
        return "benchmarks"
    return "levels" if len({row.contrast.params for row in rows}) == len(rows) else "rows"


def list_variants(rows: Sequence[Verdict], verdicts: Verdicts) -> str:
    """Join the names of the variants: ``otlp, zipkin and apm``."""
    names = [name_variant(row.contrast, verdicts) for row in rows]
    if len(names) > LISTED:
        return f"{len(names)} variants"
    return list_names(names)


def write_span(rows: Sequence[Verdict], verdicts: Verdicts, *, signed: bool = False) -> str:
    """Write the smallest and the largest change: ``48.3 % to 60.4 %``, ``1.13× to 2.59×``.

    With signs, or if changes go both ways, the ends of all: ``−20.0 % to +30.0 %``.
    """
    rows = [row for row in rows if row.contrast.ratio is not None] or rows
    ordered = sorted(rows, key=lambda row: measure_size(row.contrast))
    if signed and len({row.contrast.delta > 0 for row in rows}) > 1:
        ordered = sorted(rows, key=lambda row: row.contrast.ratio or row.contrast.delta)
    ends = [row.contrast for row in (ordered[0], ordered[-1])]
    factors = [] if signed else list_factors(ends)
    if factors:
        texts = [f"{format_number(factor)}\N{MULTIPLICATION SIGN}" for factor in factors]
    else:
        write = write_change if signed else write_size
        texts = [write(contrast, verdicts.margin) for contrast in ends]
    return texts[0] if texts[0] == texts[1] else " to ".join(texts)


def measure_size(contrast: Contrast) -> float:
    """Return the size of a change, in either direction."""
    ratio = contrast.ratio
    return max(ratio, 1 / ratio) if ratio else abs(contrast.delta)


def list_factors(contrasts: Sequence[Contrast]) -> list[float]:
    """Return the factors of a group of changes if at least one is written as a factor."""
    ratios = [c.ratio for c in contrasts if c.ratio]
    if len(ratios) < len(contrasts):
        return []
    if max(ratios) >= FACTOR_UP:
        return ratios
    return [1 / ratio for ratio in ratios] if min(ratios) <= FACTOR_DOWN else []


def describe_change(who: str, rows: Sequence[Verdict], verdicts: Verdicts) -> str:
    """Write a sentence for rows that change in one direction: variant, change, metric, baseline."""
    factors = list_factors([row.contrast for row in rows])
    return phrase_change(who, rows[0].contrast, write_span(rows, verdicts), bool(factors))


def phrase_change(who: str, contrast: Contrast, size: str, is_factor: bool) -> str:
    """Write the size of a change as text.

    ``otlp serves 13.1 % fewer requests/s than none``, ``v2 takes 2.10× to 3.40× the time per
    operation of v1``, ``v2 is 80.0× faster than v1 (time per operation)``, ``otlp serves 1/27.6 of
    the requests/s of none``.
    """
    says, metric, base = find_wording(contrast), name_metric(contrast), printable(contrast.baseline)
    if size.endswith("B"):  # example: 64 B more per operation
        metric = metric.removeprefix("bytes ")
    if size == "1":  # example: 1 more allocation per operation
        metric = metric.replace("allocations ", "allocation ", 1)
    if is_more(contrast):
        if is_factor:
            return f"{who} {says.verb} {size} the {metric} of {base}"
        return f"{who} {says.verb} {size} {says.more} {metric} than {base}"
    if is_factor and says.down == "faster":
        return f"{who} is {size} faster than {base} ({metric})"
    if is_factor:
        return f"{who} {says.verb} {write_share(contrast, size)} of the {metric} of {base}"
    return f"{who} {says.verb} {size} {says.less} {metric} than {base}"


def describe_all_excluded(rows: Sequence[Verdict], name: Callable[[Sequence[Verdict]], str]) -> str:
    """State the range of every undecided row's change, and the rows with too few runs for one.

    Rows with a ratio, with a difference in the same unit, with an interval too wide to read, and
    without an interval are described separately, and named if there are several kinds.
    """
    kinds: dict[tuple[object, ...], list[Verdict]] = {}
    for row in rows:
        excluded = find_excluded(row.contrast)
        unit = "" if excluded is None or excluded.is_ratio else row.contrast.unit
        shape = (excluded.is_wide, excluded.is_ratio) if excluded else is_failing(row.contrast)
        kind = shape, unit
        kinds.setdefault(kind, []).append(row)
    described = [(_describe_kind(alike), alike) for alike in kinds.values()]
    if len(described) == 1:
        return described[0][0]
    return "; ".join(f"{_name_part(name(alike))}: {text}" for text, alike in described)


def _name_part(name: str) -> str:
    """Name a few of the rows, or count them: ``Ping, Set``, ``5 of them``."""
    return f"{name} of them" if name.isdigit() else name


def _describe_kind(rows: Sequence[Verdict]) -> str:
    """State the range of change of a group of rows whose intervals can be joined."""
    known = [excluded for row in rows if (excluded := find_excluded(row.contrast))]
    if not known:
        return describe_few_runs(rows)
    low, high = min(each.low for each in known), max(each.high for each in known)
    if known[0].is_wide:
        return TOO_WIDE
    if known[0].is_ratio:
        ends = [format_percent(end - 1) for end in (low, high)]
        if is_wide(low, high):
            return TOO_WIDE
    else:
        unit = rows[0].contrast.unit
        ends = [format_quantity(end, unit) for end in (low, high)]
    return f"the change is between {ends[0]} and {ends[1]}"


def describe_few_runs(rows: Sequence[Verdict]) -> str:
    """Explain why no change is excluded."""
    if all(is_failing(row.contrast) for row in rows):
        is_bound = all(row.contrast.is_failed_bound for row in rows)
        return f"too many requests {'may have failed' if is_bound else 'failed'}"
    notes = [row.contrast.notes[0] for row in rows if row.contrast.method in {HISTORY, REFUSED}]
    if len(notes) == len(rows):
        return notes[0] if len(set(notes)) == 1 else "see the notes"
    counts = {n for row in rows for n in (row.contrast.n_baseline, row.contrast.n_variant)}
    n = min(counts)
    runs = f"{n} runs per side" if n != 1 else f"1 run {'per' if counts == {1} else 'on a'} side"
    return f"no interval with {runs}"


def describe_fewer_runs(rows: Sequence[Verdict], verdicts: Verdicts) -> str:
    """List the rows with fewer runs than others of the same benchmark and variant.

    E.g. ``(from 1 of 2 runs)``; empty if there are none.
    """
    fewer: dict[str, list[str]] = {}
    most_runs: dict[tuple[str, ...], tuple[int, int]] = {}
    for c in (row.contrast for row in verdicts.primary):
        before, after = most_runs.get(_name_sides(c), (0, 0))
        most_runs[_name_sides(c)] = max(before, c.n_baseline), max(after, c.n_variant)
    for c in (row.contrast for row in rows):
        before, after = most_runs[_name_sides(c)]
        counts = {c.baseline: (c.n_baseline, before), c.variant: (c.n_variant, after)}
        for side, (n, most) in counts.items():
            if n < most:
                fewer.setdefault(f"{n} of {most} runs", []).append(printable(side))
    listed = [f"{runs} of {_join(names)}" for runs, names in fewer.items()]
    return f"(from {', '.join(listed)})" if listed else ""


def _name_sides(contrast: Contrast) -> tuple[str, ...]:
    c = contrast
    return (c.group, c.benchmark, c.params, c.tool, c.baseline, c.variant)


def _join(names: Sequence[str]) -> str:
    unique = list(dict.fromkeys(names))
    if len(unique) > LISTED:
        return f"{len(unique)} variants"
    return list_names(unique)
