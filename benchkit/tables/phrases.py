"""The small parts that clauses are made of: spans, names of rows, what is excluded.

A clause reads as one sentence whatever its rows.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import replace

from benchkit.comparison import DIRECTIONS, HISTORY, REFUSED, Contrast
from benchkit.tables.wording import FACTOR, name_variant, write_change, write_size
from benchkit.units import format_number, printable
from benchkit.verdict import Verdict, Verdicts, find_excluded, is_failing, write_excluded

#: More variants than this are counted, not listed.
LISTED = 4
#: Characters that the names of a few benchmarks may take together in a sentence.
_NAMES_WIDTH = 60


def name_cell(contrast: Contrast, rows: Sequence[Verdict]) -> str:
    """Name the benchmark of a row, and its level where the benchmark alone does not tell."""
    parts = [contrast.benchmark]
    if len({row.contrast.benchmark for row in rows}) < len(rows) or not contrast.benchmark:
        parts = [contrast.group, contrast.benchmark, contrast.params]
    return (
        printable(" ".join(part for part in parts if part))
        or f"{printable(contrast.tool)}, unnamed"
    )


def name_cells(rows: Sequence[Verdict], among: Sequence[Verdict]) -> str:
    """Name the benchmarks of a few rows, and count those of many: ``Get, Set``, ``12``."""
    names = ", ".join(name_cell(row.contrast, among) for row in rows)
    return names if len(rows) <= LISTED and len(names) <= _NAMES_WIDTH else str(len(rows))


def name_kind(rows: Sequence[Verdict]) -> str:
    """Say what the rows of one variant are: benchmarks, levels of one, or both."""
    if len({row.contrast.benchmark for row in rows}) == len(rows):
        return "benchmarks"
    return "levels" if len({row.contrast.params for row in rows}) == len(rows) else "rows"


def list_variants(rows: Sequence[Verdict], verdicts: Verdicts) -> str:
    """Join the names of the variants: ``otlp, zipkin and apm``."""
    names = [name_variant(row.contrast, verdicts) for row in rows]
    if len(names) > LISTED:
        return f"{len(names)} variants"
    return " and ".join([", ".join(names[:-1]), names[-1]]) if len(names) > 1 else names[0]


def write_span(rows: Sequence[Verdict], verdicts: Verdicts, *, signed: bool = False) -> str:
    """Write the smallest and the largest change: ``48.3 % to 60.4 %``, ``1.13× to 2.59×``.

    With signs, and changes both ways, the ends of all: ``−20.0 % to +30.0 %``.
    """
    rows = [row for row in rows if row.contrast.ratio is not None] or rows
    ordered = sorted(rows, key=lambda row: measure_size(row.contrast))
    if signed and len({row.contrast.delta > 0 for row in rows}) > 1:
        ordered = sorted(rows, key=lambda row: row.contrast.ratio or row.contrast.delta)
    ends = [row.contrast for row in (ordered[0], ordered[-1])]
    ratios = [contrast.ratio for contrast in ends if contrast.ratio is not None]
    if not signed and max(ratios, default=0.0) >= FACTOR and len(ratios) == len(ends):
        texts = [f"{format_number(ratio)}\N{MULTIPLICATION SIGN}" for ratio in ratios]
    else:
        write = write_change if signed else write_size
        texts = [write(contrast, verdicts.margin) for contrast in ends]
    return texts[0] if texts[0] == texts[1] else " to ".join(texts)


def measure_size(contrast: Contrast) -> float:
    """Return how far a change goes, either way."""
    ratio = contrast.ratio
    return max(ratio, 1 / ratio) if ratio else abs(contrast.delta)


def join_metric(rows: Sequence[Verdict], metric: str) -> str:
    """Join an amount to its metric: ``of request_rate``, ``more time_per_op``, ``the latency``."""
    sizes = [row.contrast.ratio for row in rows]
    if rows[0].contrast.method in DIRECTIONS:
        return f"of {metric}"
    if any(ratio is not None and ratio >= FACTOR for ratio in sizes):
        return f"the {metric}"
    more = rows[0].contrast.delta > 0
    if rows[0].contrast.better == "higher" and not more:
        return f"of {metric}"
    return f"{'more' if more else 'less'} {metric}"


def describe_all_excluded(rows: Sequence[Verdict], name: Callable[[Sequence[Verdict]], str]) -> str:
    """Say which loss is excluded in every row, and of which rows too little is known.

    Rows with a ratio, with a difference of one unit, with an interval too wide to read and without
    any are told apart, and named where there are several kinds.
    """
    kinds: dict[tuple[object, ...], list[Verdict]] = {}
    for row in rows:
        excluded = find_excluded(row.contrast)
        unit = "" if excluded is None or excluded.is_ratio else row.contrast.unit
        shape = (excluded.is_wide, excluded.is_ratio) if excluded else is_failing(row.contrast)
        kind = shape, unit
        kinds.setdefault(kind, []).append(row)
    told = [(_describe_kind(alike), alike) for alike in kinds.values()]
    if len(told) == 1:
        return told[0][0]
    return ", ".join(f"{text} on {name(alike)}" for text, alike in told)


def _describe_kind(rows: Sequence[Verdict]) -> str:
    """Say what rows whose intervals can be joined exclude: what each of them does."""
    known = [excluded for row in rows if (excluded := find_excluded(row.contrast))]
    if not known:
        return describe_few_runs(rows)
    first = rows[0].contrast
    joined = replace(
        known[0], low=min(each.low for each in known), high=max(each.high for each in known)
    )
    said = write_excluded(first, joined)
    return said if first.better == "none" or not joined.is_ratio else said.partition(", ")[0]


def describe_few_runs(rows: Sequence[Verdict]) -> str:
    """Say why nothing is excluded."""
    if all(is_failing(row.contrast) for row in rows):
        return "as too many requests failed"
    told = [row.contrast.notes[0] for row in rows if row.contrast.method in {HISTORY, REFUSED}]
    if len(told) == len(rows):
        return told[0] if len(set(told)) == 1 else "see the notes"
    counts = {n for row in rows for n in (row.contrast.n_baseline, row.contrast.n_variant)}
    n = min(counts)
    runs = f"{n} runs per side" if n != 1 else f"1 run {'per' if counts == {1} else 'on a'} side"
    return f"no interval from {runs}"


def describe_fewer_runs(rows: Sequence[Verdict], verdicts: Verdicts) -> str:
    """Name the rows that stand on fewer runs than others of the same benchmark and variant.

    E.g. ``(from 1 of 2 runs)``; empty where none does.
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
    return " and ".join(filter(None, (", ".join(unique[:-1]), unique[-1])))
