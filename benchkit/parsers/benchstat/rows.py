"""Rows of a table in a text: which cell stands in which column.

A benchmark that a column lacks leaves a blank, so the place on the line tells the column; where
every column is filled, their order does, whatever an editor did to the blanks.
"""

from __future__ import annotations

from bisect import bisect_right
from collections.abc import Callable

from benchkit.parsers.base import strip_prefix
from benchkit.parsers.benchstat.cells import CELL, Comparison, read_cell, read_comparison
from benchkit.parsers.benchstat.tables import Row, Table
from benchkit.redaction import show_part
from benchkit.regexes import regex

_NAME = regex(r"\S+")

Report = Callable[[int, str, str], None]


def read_row(table: Table, number: int, text: str, report: Report) -> Row | None:
    """Read a line as a row; None if it is none, or cut, or if its columns do not line up."""
    name, rest = _split(table, text)
    matches = list(CELL.finditer(text, rest))
    if not matches or CELL.sub("", text[rest:]).strip():
        return None
    places = _place(table, text, [match.start() for match in matches])
    if places is None:
        return None
    row = Row(name, number, table.config)
    for place, match in zip(places, matches, strict=True):
        cell = read_cell(match["center"], match["spread"], table.heading, match["marks"])
        if cell is not None:
            row.cells[place] = cell
        elif match["spread"] is None:
            return None
        else:
            center = show_part(match["center"])
            report(number, f"{name}: {center} is not a finite {table.heading.text}", "")
    for place, match in zip(places, matches, strict=True):
        compare(table, row, place, read_comparison(match["note"]), report)
    return row


def is_row(line: str) -> bool:
    """Tell a row of a table by itself: a name, and cells of which one has a spread.

    Examples
    --------
    >>> is_row("Load/reads=99%-8   8.35ns ± 7%"), is_row("took 8.35 s ± 7 %")
    (True, False)
    """
    _, _, cells = line.partition(" ")
    return "±" in cells and not CELL.sub("", cells).strip()


def compare(
    table: Table, row: Row, place: int, comparison: Comparison | None, report: Report
) -> None:
    """Take over what a comparison says of the runs; say so if it cannot be true."""
    if comparison is None:
        return
    row.compare(place, comparison)
    if comparison.pvalue:
        table.is_tested = True
    else:
        table.is_exact = not table.is_old
    fault = comparison.find_fault()
    if fault:
        row.faults[place] = f"{table.heading.text}: {fault}"
        hint = (
            "compare the raw runs: another test was used, the table was edited, or benchstat has "
            "a bug"
        )
        report(row.line, f"{row.name}, {table.heading.text}: {fault}", hint)


def _split(table: Table, text: str) -> tuple[str, int]:
    """Return the name of a row, and where its cells may begin."""
    if not table.is_old:
        return strip_prefix(text[: table.starts[0]]).strip(), table.starts[0]
    match = _NAME.search(text, len(text) - len(strip_prefix(text)))
    return (match[0], match.end()) if match else ("", len(text))


def _place(table: Table, text: str, found: list[int]) -> list[int] | None:
    """Return the columns of the cells that begin at ``found``; None if they cannot be told."""
    aligned = all(not text[start - 1 : start].strip() for start in table.starts)
    if len(found) == len(table.columns) and (aligned or table.is_old):
        return list(range(len(found)))
    if not aligned or not table.starts:
        return None
    places = [bisect_right(table.starts, start) - 1 for start in found]
    return places if min(places) >= 0 and len(set(places)) == len(places) else None
