"""The tables of one comparison: one for each configuration and unit.

In: results in the order of the files. Out: tables with summarized, compared cells and a last row
of geometric means. Why: which results meet in a table, and in which order rows and columns stand,
is benchstat's default projection (table=.config, row=.fullname, col=.file).

The order is that of first observation in the whole input, except that the values of configuration
keys sort as text: benchproc/projection.go keeps an order for top-level fields only.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from math import isnan

from benchkit.benchstat.files import Read
from benchkit.benchstat.geomean import ColumnSummary, summarize_column
from benchkit.benchstat.reader import Result
from benchkit.benchstat.sample import Summary, sort_values, summarize_exact, summarize_median
from benchkit.benchstat.utest import Comparison, compare_exact, compare_ranks
from benchkit.errors import DataError

#: Row and column of a cell.
Place = tuple[str, str]


@dataclass(frozen=True, slots=True)
class Cell:
    """One benchmark in one file: its summary, and how it compares with the first column's."""

    summary: Summary
    baseline: Summary | None = None
    comparison: Comparison | None = None


@dataclass(frozen=True, slots=True)
class Table:
    """One table.

    Parameters
    ----------
    config : mapping of str to str
        Every configuration key of the input; empty where the table has none.
    unit : str
    rows, columns : tuple of str
        Names and labels; the first column is the baseline.
    cells : mapping of (row, column) to Cell
    geomeans : tuple of ColumnSummary
        One for each column.
    """

    config: Mapping[str, str]
    unit: str
    rows: tuple[str, ...]
    columns: tuple[str, ...]
    cells: Mapping[Place, Cell]
    geomeans: tuple[ColumnSummary, ...]


@dataclass(frozen=True, slots=True)
class Order:
    """What is seen in the input, in the order of first observation."""

    keys: tuple[str, ...]
    units: tuple[str, ...]
    rows: tuple[str, ...]
    columns: tuple[str, ...]


def build_tables(read: Read, confidence: float) -> list[Table]:
    """Part the results by configuration and unit, and compute every cell."""
    parts: dict[tuple[frozenset[tuple[str, str]], str], dict[Place, list[float]]] = {}
    for result in read.results:
        for value, unit in result.values:
            part = parts.setdefault((frozenset(result.config), unit), {})
            part.setdefault((result.name, result.label), []).append(value)
    order = observe(read.results)
    tables = []
    for (pairs, unit), values in parts.items():
        config = dict.fromkeys(order.keys, "") | dict(pairs)
        samples = {place: sort_values(sample) for place, sample in values.items()}
        exact = read.units.is_exact(unit)
        tables.append(build_table(config, unit, order, samples, confidence, exact=exact))
    units = {unit: at for at, unit in enumerate(order.units)}
    return sorted(tables, key=lambda table: (*table.config.values(), units[table.unit]))


def observe(results: Sequence[Result]) -> Order:
    """Return keys, units, rows and columns in the order in which they are first seen."""
    return Order(
        _distinct(key for result in results for key, _ in result.config),
        _distinct(unit for result in results for _, unit in result.values),
        _distinct(result.name for result in results),
        _distinct(result.label for result in results),
    )


def build_table(
    config: Mapping[str, str],
    unit: str,
    order: Order,
    samples: Mapping[Place, Sequence[float]],
    confidence: float,
    *,
    exact: bool,
) -> Table:
    """Summarize and compare the cells of one table, each row against the table's first column."""
    held_rows, held_columns = map(set, zip(*samples, strict=True))
    rows = tuple(name for name in order.rows if name in held_rows)
    columns = tuple(label for label in order.columns if label in held_columns)
    summaries = {
        place: summarize_exact(sample) if exact else summarize_median(sample, confidence)
        for place, sample in samples.items()
    }
    cells = {}
    for place, summary in summaries.items():
        first = (place[0], columns[0])
        if place == first or first not in samples:
            cells[place] = Cell(summary)
            continue
        where = f"{place[1]} {place[0]} ({unit})"
        compared = compare(samples[first], samples[place], where, exact=exact)
        cells[place] = Cell(summary, summaries[first], compared)
    geomeans = tuple(average(cells, rows, columns[0], column) for column in columns)
    return Table(config, unit, rows, columns, cells, geomeans)


def average(
    cells: Mapping[Place, Cell], rows: Sequence[str], first: str, column: str
) -> ColumnSummary:
    """Return the geometric means of one column."""
    centers = []
    for row in rows:
        cell = cells.get((row, column))
        if cell is not None:
            base = None if cell.baseline is None else cell.baseline.center
            centers.append((cell.summary.center, base))
    paired = None if column == first else sum((row, first) in cells for row in rows)
    return summarize_column(centers, paired=paired)


def compare(x: Sequence[float], y: Sequence[float], where: str, *, exact: bool) -> Comparison:
    """Compare two cells; DataError on a NaN, on which benchstat never ends."""
    if exact:
        return compare_exact(x, y)
    if any(map(isnan, (*x, *y))):
        raise DataError(
            "NaN cannot be compared: benchstat never ends on it",
            where=where,
            hint="take the line out",
        )
    return compare_ranks(x, y)


def _distinct(names: Iterable[str]) -> tuple[str, ...]:
    return tuple(dict.fromkeys(names))
