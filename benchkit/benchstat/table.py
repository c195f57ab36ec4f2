"""The tables of one comparison: one for each key of the tables' projection and each unit.

The options of benchstat decide which results are in a table, and the order of rows and columns
(benchtab/builder.go).
"""

from __future__ import annotations

from collections.abc import Collection, Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from math import isnan

from benchkit.benchstat.gomath import ColumnSummary, summarize_column
from benchkit.benchstat.projections import Key, Part, make_projections, rank_observed
from benchkit.benchstat.reader import Result, UnitMetadata
from benchkit.benchstat.utest import (
    Comparison,
    Summary,
    compare_exact,
    compare_ranks,
    sort_values,
    summarize_exact,
    summarize_median,
)
from benchkit.errors import DataError

#: Row and column of a cell.
Place = tuple[Key, Key]


@dataclass(frozen=True, slots=True)
class Thresholds:
    """The levels of comparisons and of intervals."""

    alpha: float = 0.05
    confidence: float = 0.95


@dataclass(frozen=True, slots=True)
class Cell:
    """One row in one column: its summary, and its comparison with the first column.

    Parameters
    ----------
    warnings : tuple of str
        Those of the sample, then those of its summary.
    """

    summary: Summary
    warnings: tuple[str, ...] = ()
    baseline: Summary | None = None
    comparison: Comparison | None = None


@dataclass(frozen=True, slots=True)
class Table:
    """One table.

    Parameters
    ----------
    config : tuple of (name, value)
        The fields of the tables' projection; empty if the table has none.
    rows, columns : tuple of Key
        The first column is the baseline.
    levels : int
        Fields of a column's key.
    cells : mapping of (row, column) to Cell
    geomeans : tuple of ColumnSummary
        One for each column.
    """

    config: tuple[tuple[str, str], ...]
    unit: str
    rows: tuple[Key, ...]
    columns: tuple[Key, ...]
    levels: int
    cells: Mapping[Place, Cell]
    geomeans: tuple[ColumnSummary, ...]

    def write_changes(self, before: Table | None) -> list[str]:
        """Return the configuration lines that differ from those of the preceding table."""
        known = before.config if before else (None,) * len(self.config)
        pairs = zip(self.config, known, strict=True)
        return [f"{pair[0]}: {pair[1]}" for pair, previous in pairs if pair != previous]


@dataclass(slots=True)
class _Sample:
    """The values of a cell, and the residues of their results."""

    values: list[float] = field(default_factory=list)
    residues: set[Key] = field(default_factory=set)


def show_key(key: Key) -> str:
    """Write the values of a key that has any."""
    return " ".join(filter(None, key))


def locate(row: Key, column: Key, unit: str) -> str:
    """Name a cell in a message."""
    return f"{show_key(column)} {show_key(row)} ({unit})".strip()


def build_tables(
    results: Sequence[Result],
    groups: Sequence[Sequence[Part]],
    units: UnitMetadata,
    thresholds: Thresholds,
) -> list[Table]:
    """Group the results by the projections of tables, rows and columns, and compute every cell."""
    (table_by, row_by, column_by, _), residue_by = make_projections(groups, results)
    parts: dict[tuple[Key, str], dict[Place, _Sample]] = {}
    for result in results:
        key, residue = table_by.project(result), residue_by.project(result)
        place = row_by.project(result), column_by.project(result)
        for value, unit, _ in result.values:
            sample = parts.setdefault((key, unit), {}).setdefault(place, _Sample())
            sample.values.append(value)
            sample.residues.add(residue)
    rank_unit = rank_observed(value.unit for result in results for value in result.values)
    tables = []
    for key, unit in sorted(parts, key=lambda at: (table_by.rank(at[0]), rank_unit(at[1]))):
        samples = parts[key, unit]
        rows = sorted({row for row, _ in samples}, key=row_by.rank)
        columns = sorted({column for _, column in samples}, key=column_by.rank)
        warnings = {
            place: warn_of_residues(sample.residues, residue_by.names)
            for place, sample in samples.items()
        }
        values = {place: sort_values(sample.values) for place, sample in samples.items()}
        cells = build_cells(
            values, warnings, columns[0], unit, thresholds, exact=units.is_exact(unit)
        )
        tables.append(
            Table(
                config=tuple(zip(table_by.names, key, strict=True)),
                unit=unit,
                rows=tuple(rows),
                columns=tuple(columns),
                levels=len(column_by.fields),
                cells=cells,
                geomeans=tuple(average(cells, rows, columns[0], column) for column in columns),
            )
        )
    return tables


def warn_of_residues(residues: Collection[Key], names: Sequence[str]) -> tuple[str, ...]:
    """Name the ungrouped fields in which the results of one cell differ."""
    varying = [name for name, *held in zip(names, *residues, strict=True) if len(set(held)) > 1]
    return (f"benchmarks vary in {', '.join(varying)}",) if varying else ()


def build_cells(
    samples: Mapping[Place, Sequence[float]],
    warnings: Mapping[Place, tuple[str, ...]],
    first: Key,
    unit: str,
    thresholds: Thresholds,
    *,
    exact: bool,
) -> dict[Place, Cell]:
    """Summarize the cells of one table, and compare each row with the first column."""
    summaries = {
        place: summarize_exact(sample) if exact else summarize_median(sample, thresholds.confidence)
        for place, sample in samples.items()
    }
    cells = {}
    for (row, column), summary in summaries.items():
        place, base = (row, column), (row, first)
        remarks = (*warnings[place], *summary.warnings)
        if column == first or base not in samples:
            cells[place] = Cell(summary, remarks)
            continue
        where = locate(row, column, unit)
        compared = compare(samples[base], samples[place], where, thresholds.alpha, exact=exact)
        cells[place] = Cell(summary, remarks, summaries[base], compared)
    return cells


def average(
    cells: Mapping[Place, Cell], rows: Iterable[Key], first: Key, column: Key
) -> ColumnSummary:
    """Return the geometric means of one column."""
    centers = []
    for row in rows:
        cell = cells.get((row, column))
        if cell is not None:
            base = None if cell.baseline is None else cell.baseline.center
            centers.append((cell.summary.center, base))
    paired = None if column == first else sum(held == first for _, held in cells)
    return summarize_column(centers, paired=paired)


def compare(
    x: Sequence[float], y: Sequence[float], where: str, alpha: float, *, exact: bool
) -> Comparison:
    """Compare two cells; DataError for a NaN, on which benchstat never terminates."""
    if exact:
        return compare_exact(x, y)
    if any(map(isnan, (*x, *y))):
        raise DataError(
            "NaN cannot be compared: benchstat itself never finishes on it",
            where=where,
            hint="remove the line",
        )
    return compare_ranks(x, y, alpha)
