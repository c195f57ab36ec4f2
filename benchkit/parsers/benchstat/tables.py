"""The tables of one benchstat call, and the readings that they form together.

Time, bytes and allocations of the same runs are in three tables, and every form of both tools is
converted to the same tables.

A source may have several calls.

A page may hold the output of several calls; the tables of one call belong together, those of two
calls are two runs.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from math import isfinite

from benchkit.errors import Diagnostic
from benchkit.parsers.base import Reading, Record, Status
from benchkit.parsers.benchstat.amounts import Amount, Cell, Comparison, Heading, read_amount
from benchkit.parsers.gobench.names import Names

#: Names of the geomean rows, the new tool's first.
GEOMEANS = ("geomean", "[Geo mean]")
GEOMEAN = GEOMEANS[0]
_OLD = "old-"
Config = dict[str, str]
#: Configuration, column name, index among the columns of that name, benchmark.
Key = tuple[frozenset[tuple[str, str]], str, int, str]
_LOSSY = (
    "benchstat's summaries contain medians or means but no individual runs, so nothing can be "
    "tested"
)
_RAW = "ingest the raw `go test -bench` files to compare"


@dataclass(slots=True)
class Row:
    """One benchmark with its cells by column index.

    Parameters
    ----------
    config : dict of str to str
        The configuration that applies to it.
    cells : dict of int to Cell
    faults : dict of int to str
        Impossible facts about a comparison with the first column.
    """

    name: str
    line: int
    config: Config
    cells: dict[int, Cell] = field(default_factory=dict)
    faults: dict[int, str] = field(default_factory=dict)

    def list_faults(self, cell: Cell) -> list[str]:
        """Return the problems of the comparison next to a cell."""
        return [fault for place, fault in self.faults.items() if self.cells.get(place) is cell]

    def compare(self, place: int, comparison: Comparison | None) -> None:
        """Set the numbers of runs from a comparison with the first column."""
        if comparison is not None:
            for column, size in zip((0, place), comparison.sizes, strict=True):
                if column in self.cells:
                    self.cells[column].n = size


@dataclass(slots=True)
class Table:
    """A table for one unit in one call of benchstat.

    Parameters
    ----------
    form : str
        ``text``, ``csv``, ``old-text``, ``old-csv``, ``old-html``.
    columns : tuple of str
        As printed, without ``.txt``.
    line : int
        The line where it begins.
    config : dict of str to str
    starts : tuple of int
        The indices in a line where the columns begin, if these identify them.
    geomeans : list of Row
        The row of geomeans, if there is one.
    is_exact, is_tested : bool
        Whether the unit is known to be declared exact, so that a centre is the most frequent value,
        or known not to be, because it has p-values.
    is_cut : bool
        Whether the source may end inside it.
    """

    form: str
    heading: Heading
    columns: tuple[str, ...]
    line: int
    config: Config = field(default_factory=dict)
    starts: tuple[int, ...] = ()
    rows: list[Row] = field(default_factory=list)
    geomeans: list[Row] = field(default_factory=list)
    is_exact: bool = False
    is_tested: bool = False
    is_cut: bool = False

    def add_geomean(self, line: int, texts: Mapping[int, str]) -> None:
        """Add the row of geomeans, which covers all groups in the old tool."""
        row = Row(GEOMEAN, line, {} if self.is_old else self.config)
        for place, text in texts.items():
            amount = read_amount(text, self.heading)
            if amount is not None and place < len(self.columns):
                row.cells[place] = Cell(amount.value, self.step_of(amount), None)
        self.geomeans.append(row)

    @property
    def is_old(self) -> bool:
        """Return whether the table comes from the tool before 2023."""
        return self.form.startswith(_OLD)

    @property
    def is_apart(self) -> bool:
        """Return whether it has the zeros that the new tool lists apart from their table."""
        return not self.is_old and self.heading.unit.exponent != 0

    def columns_of(self, row: Row) -> Iterator[tuple[Key, Cell]]:
        """Yield the cells of a row with their keys."""
        for place, cell in sorted(row.cells.items()):
            label = self.columns[place]
            rank = self.columns[:place].count(label)
            yield (frozenset(row.config.items()), label, rank, row.name), cell

    def step_of(self, amount: Amount) -> float | None:
        """Return the rounding step of an amount; the csv of the new tool has none."""
        return None if self.form == "csv" else amount.step

    def stat_of(self, cell: Cell) -> str:
        """Return the statistic of a centre: the old tool's mean, the new one's median or mode.

        It is empty if truncation leaves that open. In a text, a footnote marks a centre that is a
        mode; in csv only missing p-values show that the unit is exact.
        """
        if self.is_old:
            return "mean"
        marked = cell.marked if self.form == "text" else bool(cell.share)
        if cell.share is None or not marked:
            return "median"
        if self.is_exact:
            return "mode"
        return "" if self.is_cut and not self.is_tested else "median"


#: The key in a run's environment for comparisons that cannot be true.
FAULT = "benchstat.fault"
#: The key for the number of the call in its source, from the second call on.
TABLE = "table"
Place = tuple[Table, Row, Cell]


class Document:
    """The tables of one call, in their original order.

    Parameters
    ----------
    label : str
        The source's name in diagnostics.
    number : int
        The number of the call among those with other columns in its source, from 1.
    """

    def __init__(self, label: str) -> None:
        self._label = label
        self.number = 1
        self.tables: list[Table] = []

    def repeats(self, table: Table) -> bool:
        """Return whether a table repeats another one, and therefore belongs to another call."""
        return any(
            table.form != known.form
            or (
                table.heading.text == known.heading.text
                and table.config == known.config
                and not set(table.columns).isdisjoint(known.columns)
            )
            for known in self.tables
        )

    def add(self, table: Table) -> None:
        """Add a table."""
        self.tables.append(table)

    def read(self, status: Status) -> Iterator[Reading | Diagnostic]:
        """Yield the readings and the diagnostics about them."""
        for table in self.tables[-1:]:
            table.is_cut = status == "partial"
        per_op = {each.heading.unit.metric for each in self.tables if not each.heading.alone}
        for table in self.tables:
            alone = table.heading.alone
            if alone and table.heading.unit.metric in per_op:
                table.heading = table.heading._replace(unit=alone)
        places_by_key: dict[Key, list[Place]] = {}
        for table in self.tables:
            for row in (*table.rows, *table.geomeans):
                for key, cell in table.columns_of(row):
                    places_by_key.setdefault(key, []).append((table, row, cell))
        names = Names({key[3] for key in places_by_key} - {GEOMEAN})
        for key, places in places_by_key.items():
            kept: dict[str, Place] = {}
            for place in places:
                if place[0].is_apart:
                    yield self._report_ambiguous(place)
                elif kept.setdefault(place[0].heading.unit.metric, place) is not place:
                    yield self._report_repeated(place)
            if kept:
                reading = _make_reading(key, list(kept.values()), names, status)
                reading.env |= {TABLE: str(self.number)} if self.number > 1 else {}
                yield reading

    def _report_ambiguous(self, place: Place) -> Diagnostic:
        what = (
            f"{place[1].name}: benchstat lists runs with a value of 0 in a separate table "
            f"({place[0].heading.text}), so its medians cover only the other runs; this 0 is left "
            "out"
        )
        hint = "ingest the raw `go test -bench` files, where zeros count"
        return Diagnostic(self._label, place[1].line, what, hint, "warning", is_remark=True)

    def _report_repeated(self, place: Place) -> Diagnostic:
        metric = place[0].heading.unit.metric
        what = f"{place[1].name}: this table repeats {metric}; the first one counts"
        hint = "ingest the raw `go test -bench` files"
        return Diagnostic(self._label, place[1].line, what, hint, "warning", is_remark=True)


def _make_reading(key: Key, places: list[Place], names: Names, status: Status) -> Reading:
    config, label, _, name = key
    benchmark, params = (name, {}) if name == GEOMEAN else names.split(name)
    lines = [cell.line or row.line for _, row, cell in places]
    reading = Reading(
        tool="benchstat",
        form=places[0][0].form,
        line=min(lines),
        last_line=max(lines),
        benchmark=benchmark,
        variant=label,
        params=params,
        status=status,
        role="aggregate" if name == GEOMEAN else "",
        env={**dict(sorted(config)), "lossy": "benchstat summary"},
    )
    faults = [fault for _, row, cell in places for fault in row.list_faults(cell)]
    if faults:
        reading.env[FAULT] = "; ".join(faults)
    for table, row, cell in places:
        _add_rows(reading, table, row, cell)
    return reading


def _add_rows(reading: Reading, table: Table, row: Row, cell: Cell) -> None:
    """Add a centre as printed, and the values that follow from its ``±``."""
    unit = table.heading.unit
    stat = GEOMEAN if row.name == GEOMEAN else table.stat_of(cell)
    metric, base, center = unit.metric, unit.base, cell.center
    line = cell.line or row.line
    if not stat:
        return
    reading.add(metric, stat, center, base, line, n=cell.n, resolution=cell.step)
    if cell.share is None or stat == "mode" or center < 0:
        return
    half = center * cell.share
    ends = {"max_deviation": half} if table.is_old else _find_ends(center, half)
    step = center / 100  # a whole per cent
    for end, value in ends.items():
        if isfinite(value):
            reading.add(
                metric, end, value, base, line, n=cell.n, resolution=step, origin="computed"
            )


def _find_ends(center: float, half: float) -> dict[str, float]:
    ends = {"ci_low": center - half, "ci_high": center + half}
    return ends if half <= center else {"ci_high": ends["ci_high"]}


class Calls:
    """A collector of the tables in a source, by call.

    Parameters
    ----------
    label : str
        The source's name in diagnostics.
    """

    def __init__(self, label: str) -> None:
        self.label = label
        self._document = Document(label)
        self._numbers: dict[frozenset[str], int] = {}
        self._problems: list[Diagnostic] = []
        self._ready: list[Record] = []
        self._first = 0  # the line of the first table

    def report(self, line: int, what: str, hint: str = "", *, is_remark: bool = False) -> None:
        """Record a problem; everything around it is kept."""
        hint = hint or "everything else is kept; use the output as benchstat printed it"
        noted = Diagnostic(self.label, line, what, hint, "warning", is_remark=is_remark)
        self._problems.append(noted)

    @property
    def is_open(self) -> bool:
        """Return whether a call has begun and not ended."""
        return bool(self._document.tables)

    def repeats(self, table: Table) -> bool:
        """Return whether a table belongs to another call than the last ones."""
        return self._document.repeats(table)

    def add(self, table: Table) -> None:
        """Add a completely read table."""
        if not table.rows:
            return
        if self._document.repeats(table):
            self.end()
        self._first = self._first or table.line
        self._document.add(table)

    def end(self, status: Status = "complete") -> None:
        """End a call; its readings are then ready.

        Calls with the same columns are repeats, so they share a number.
        """
        columns = frozenset(name for table in self._document.tables for name in table.columns)
        if columns:
            self._document.number = self._numbers.setdefault(columns, len(self._numbers) + 1)
        self._ready += self._document.read(status)
        self._document = Document(self.label)

    def take(self) -> Iterator[Record]:
        """Yield the records that are ready."""
        ready, self._ready = self._ready + self._problems, []
        self._problems = []
        yield from ready

    def close(self, *, is_cut: bool) -> Iterator[Record]:
        """End the last call, and report on the whole source.

        Parameters
        ----------
        is_cut : bool
            Whether the source ends inside a table.
        """
        if is_cut and self.is_open:
            line = self._document.tables[-1].line
            what = "the source ends inside this benchstat output; the part up to there is kept"
            self.report(line, what, "give the whole output of benchstat")
        self.end("partial" if is_cut else "complete")
        yield from self.take()
        if self._first:
            yield Diagnostic(self.label, self._first, _LOSSY, _RAW, "warning", is_remark=True)
        else:
            what = "no benchstat table with a complete row"
            yield Diagnostic(self.label, 0, what, "give the whole output of benchstat")
