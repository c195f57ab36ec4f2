"""Results at a glance: the variants, their runs and tools, and what to do next."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Sequence
from typing import TYPE_CHECKING

from benchkit.derived.record import keep_measured
from benchkit.errors import BaselineError, Finding
from benchkit.selection import choose_baseline
from benchkit.tables.findings import count_findings
from benchkit.tables.model import Cell, Column, Table, drop_empty
from benchkit.units import format_quantity, group_digits, printable

if TYPE_CHECKING:
    import pandas as pd

    from benchkit.schema import Runs

#: Maximum number of names to list; the rest is counted.
_LISTED = 6


def summarise_runs(runs: Runs, findings: Sequence[Finding] | None, first: str | None = None) -> str:
    """Summarise the loaded results in a few sentences.

    Parameters
    ----------
    findings : sequence of Finding or None
        None if the audit did not run.
    first : str, optional
        The baseline, if it cannot be inferred from the names.

    Returns
    -------
    str
        Variants with their measured runs, tools, findings, and the next step.
    """
    measured = keep_measured(runs)
    counts = Counter(measured["variant"].tolist())
    listed = _enumerate([f"{_name(name)} {group_digits(str(n))}" for name, n in counts.items()])
    tools = _enumerate(map(printable, dict.fromkeys(measured["tool"].tolist())))
    sentences = [
        f"{_count(len(counts), 'variant')} with {_count(len(measured), 'measured run')}"
        + (f" of {tools}: {listed}." if counts else "."),
        _write_findings(findings),
        f"Next: {_suggest(list(counts), first)}",
    ]
    return " ".join(filter(None, sentences))


def _write_findings(findings: Sequence[Finding] | None) -> str:
    if findings is None:
        return ""
    return f"Findings: {count_findings(findings)}." if findings else "No findings."


def overview_table(runs: Runs) -> Table:
    """List the variants: measured runs, others by role, tools, benchmarks, load and duration."""
    columns = (
        Column("group", "group"),
        Column("variant", "variant"),
        Column("runs", "measured runs", align="right"),
        Column("others", "not compared"),
        Column("tools", "tool"),
        Column("benchmarks", "benchmark"),
        Column("load", "load"),
        Column("duration", "each run", align="right"),
    )
    by_variant = runs.groupby(["group", "variant"], sort=False)
    rows = tuple(_row(of) for _, of in by_variant)
    return drop_empty(Table("Runs", columns, rows), ("group", "others", "load", "duration"))


def _row(runs: pd.DataFrame) -> tuple[Cell, ...]:
    measured = keep_measured(runs)
    others = Counter(runs[runs["role"] != "measured"]["role"].tolist())
    load = [name for name in _unique(measured, "load_model") if name != "unknown"]
    return (
        Cell(printable(_unique(runs, "group")[0])),
        Cell(_name(_unique(runs, "variant")[0])),
        Cell(group_digits(str(len(measured))), float(len(measured))),
        Cell(", ".join(f"{group_digits(str(n))} {role}" for role, n in others.items())),
        Cell(_enumerate(map(printable, _unique(measured, "tool")))),
        Cell(_enumerate(map(printable, _unique(measured, "benchmark")), "benchmarks")),
        Cell(f"{' and '.join(load)} loop" if load else ""),
        _describe_lengths([length for length in measured["duration"].tolist() if length > 0]),
    )


def _describe_lengths(lengths: Sequence[float]) -> Cell:
    if not lengths:
        return Cell("")
    low, high = (format_quantity(end, "s") for end in (min(lengths), max(lengths)))
    return Cell(low if low == high else f"{low} to {high}", max(lengths))


def _suggest(variants: Sequence[str], first: str | None) -> str:
    if len(variants) < 2:
        return ".runs, .observations, .findings"
    try:
        return f".compare(baseline={choose_baseline(variants, first=first)!r})"
    except BaselineError:
        return ".compare(baseline=…)"


def _unique(runs: pd.DataFrame, column: str) -> list[str]:
    return list(dict.fromkeys(runs[column].tolist()))


def _name(variant: str) -> str:
    return printable(variant) or "(no name)"


def _enumerate(names: Iterable[str], noun: str = "in all") -> str:
    listed = [name for name in names if name]
    if len(listed) <= _LISTED:
        return ", ".join(listed)
    return f"{', '.join(listed[: _LISTED - 1])}, … ({len(listed)} {noun})"


def _count(number: int, noun: str) -> str:
    return f"{group_digits(str(number))} {noun}{'' if number == 1 else 's'}"
