"""Where one call of benchstat ends and the next begins, and what is to be said of a source.

A page may hold the output of several calls; the tables of one belong together, those of two are
two runs.
"""

from __future__ import annotations

from collections.abc import Iterator

from benchkit.errors import Diagnostic
from benchkit.parsers.base import Record, Status
from benchkit.parsers.benchstat.tables import Document, Table

_LOSSY = (
    "benchstat's summaries contain medians or means but no individual runs, so nothing can be "
    "tested"
)
_RAW = "ingest the raw `go test -bench` files to compare"


class Calls:
    """Collects the tables of a source, call by call.

    Parameters
    ----------
    label : str
        How diagnostics name the source.
    """

    def __init__(self, label: str) -> None:
        self.label = label
        self._document = Document(label)
        self._numbers: dict[frozenset[str], int] = {}
        self._problems: list[Diagnostic] = []
        self._ready: list[Record] = []
        self._first = 0  # the line of the first table

    def report(self, line: int, what: str, hint: str = "") -> None:
        """Note a problem; what is around it is kept."""
        hint = hint or "everything else is kept; use the output as benchstat printed it"
        self._problems.append(Diagnostic(self.label, line, what, hint, "warning"))

    @property
    def is_open(self) -> bool:
        """Whether a call has begun that has not been ended."""
        return bool(self._document.tables)

    def repeats(self, table: Table) -> bool:
        """Tell whether a table is of another call than the last ones."""
        return self._document.repeats(table)

    def add(self, table: Table) -> None:
        """Take a table that has been read to its end."""
        if not table.rows:
            return
        if self._document.repeats(table):
            self.end()
        self._first = self._first or table.line
        self._document.add(table)

    def end(self, status: Status = "complete") -> None:
        """End a call; its readings are then ready.

        Calls of the same columns repeat each other, so that they have one number.
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
        """End the last call and say what holds for the whole source.

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
