"""Heads of tables in a text (bars in the new tool, words in the old one) and their rows.

The new tool's columns begin at the bars ``│`` of its head, counted in characters, not bytes.

Each cell of a row has to be assigned to a column.

A benchmark that is missing from a column leaves a blank, so the position on the line identifies the
column. If every column is filled, the order does, however an editor changed the blanks.
"""

from __future__ import annotations

from bisect import bisect_right
from collections.abc import Iterable
from typing import Protocol

from benchkit.parsers.base import strip_prefix
from benchkit.parsers.benchstat.amounts import (
    CELL,
    Comparison,
    read_cell,
    read_comparison,
    read_heading,
    read_old_heading,
)
from benchkit.parsers.benchstat.tables import Config, Row, Table
from benchkit.redaction import show_part
from benchkit.regexes import regex

BAR = "│"
#: ``old`` and ``new``, or the names that a user wrote instead.
_OLD_TWO = regex(r"name\s+(\S+) (\S+)\s+(\S+) (\S+)\s+delta")
_OLD_ONE = regex(r"name\s+(\S+)")
_OLD_MANY = regex(r"name \\ (\S+)\s\s+(?=\S)")
_COLUMN = regex(r"\S+(?: \S+)*")
_CONFIG = regex(r"([a-z][^\s:A-Z]*+):(?: ++(.*))?")
_GROUP = regex(r"[a-z][^\s:A-Z]*:\S+(?: [a-z][^\s:A-Z]*:\S+)*")
_NAME = regex(r"\S+")
#: A value in the row of geomeans; the changes next to it have a per cent sign or a leading sign.
_GEOMEAN = regex(r"(?<!\S)\d[^\s%]*(?!\S)")


class Report(Protocol):
    """A function that records a problem of a line; a remark means that no value is lost."""

    def __call__(self, line: int, what: str, hint: str = "", *, is_remark: bool = False) -> None:
        """Record a problem of a line."""


def is_barred(text: str) -> bool:
    """Return whether a line is in the head of a new table: bars, and nothing before the first."""
    first, bar, rest = text.rstrip().partition(BAR)
    return bool(bar) and rest.endswith(BAR) and not strip_prefix(first).strip()


def open_table(lines: list[tuple[int, str]], config: Config) -> Table | None:
    """Read the head of a table of the new tool: one or more lines of labels, one line of units.

    The last line of labels shows where the columns begin. The bars in the line of units do not:
    ``vs base`` shifts them to the right above a column without a comparison.
    """
    if len(lines) < 2:
        return None
    *labels, (_, units) = lines
    starts = [place + 1 for place, char in enumerate(labels[-1][1]) if char == BAR][:-1]
    heading = read_heading(units.split(BAR)[1].strip())
    if heading is None or units.count(BAR) != len(starts) + 1:
        return None
    columns = tuple(join_label(_find_label(text, start) for _, text in labels) for start in starts)
    return Table("text", heading, columns, lines[0][0], config, tuple(starts))


def join_label(parts: Iterable[str]) -> str:
    """Return the name of a column with one or more labels: ``old.txt 1`` is ``old 1``."""
    return " ".join(part.removesuffix(".txt") for part in parts if part)


def _find_label(text: str, start: int) -> str:
    """Return the label above a column; one label may span several columns."""
    left = text.rfind(BAR, 0, start)
    right = text.find(BAR, start)
    return text[left + 1 : right if right >= 0 else None].strip()


def open_old_table(number: int, text: str) -> Table | None:
    """Read the head of a table of the old tool for one, two or more files."""
    bare = strip_prefix(text).rstrip()
    two = _OLD_TWO.fullmatch(bare)
    if two is not None:
        return _make_old(number, two[2], (two[1], two[3])) if two[2] == two[4] else None
    many = _OLD_MANY.match(bare)
    if many is not None:
        shift = len(text.rstrip()) - len(bare)
        columns = list(_COLUMN.finditer(bare, many.end()))
        starts = tuple(shift + column.start() for column in columns)
        return _make_old(
            number, many[1], tuple(join_label([column[0]]) for column in columns), starts
        )
    one = _OLD_ONE.fullmatch(bare)
    return _make_old(number, one[1], ("",)) if one else None


def _make_old(
    number: int, metric: str, columns: tuple[str, ...], starts: tuple[int, ...] = ()
) -> Table | None:
    heading = read_old_heading(metric, scaled=True)
    return Table("old-text", heading, columns, number, {}, starts) if heading else None


def split_config(line: str) -> tuple[str, str] | None:
    """Split a line ``key: value`` that the new tool prints above its tables."""
    match = _CONFIG.fullmatch(line)
    return (match[1], (match[2] or "").strip()) if match else None


def split_group(line: str) -> Config | None:
    """Split a row of the old tool that names a group of benchmarks.

    Examples
    --------
    >>> split_group("pkg:hash/crc32 goos:darwin"), split_group("Encode/a:b-8")
    ({'pkg': 'hash/crc32', 'goos': 'darwin'}, None)
    """
    if _GROUP.fullmatch(line) is None:
        return None
    pairs = (word.partition(":") for word in line.split())
    return {key: value for key, _, value in pairs}


def change_config(config: Config, changes: Config) -> Config:
    """Return a configuration with changes; an empty value removes a key."""
    merged = {**config, **changes}
    return {key: value for key, value in merged.items() if value}


def read_row(table: Table, number: int, text: str, report: Report) -> Row | None:
    """Read a line as a row; return None for other, truncated and misaligned lines."""
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


def read_geomean(table: Table, number: int, text: str) -> None:
    """Read the row of geomeans; a column may have no value there."""
    matches = list(_GEOMEAN.finditer(text, len(text) - len(strip_prefix(text))))
    places = _place(table, text, [match.start() for match in matches]) if matches else None
    texts = (match[0] for match in matches)
    table.add_geomean(number, dict(zip(places or (), texts, strict=False)))


def is_row(line: str) -> bool:
    """Return whether a line alone looks like a row: a name, and cells, one of them with a spread.

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
    """Apply the numbers of runs from a comparison; report an impossible p-value."""
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
        what = f"{row.name}, {table.heading.text}: {fault}"
        report(row.line, what, hint, is_remark=True)


def _split(table: Table, text: str) -> tuple[str, int]:
    """Return the name of a row, and the index where its cells may begin."""
    if not table.is_old:
        return strip_prefix(text[: table.starts[0]]).strip(), table.starts[0]
    match = _NAME.search(text, len(text) - len(strip_prefix(text)))
    return (match[0], match.end()) if match else ("", len(text))


def _place(table: Table, text: str, begins: list[int]) -> list[int] | None:
    """Return the columns of the cells that begin at ``begins``; None if they are ambiguous."""
    aligned = all(not text[start - 1 : start].strip() for start in table.starts)
    if len(begins) == len(table.columns) and (aligned or table.is_old):
        return list(range(len(begins)))
    if not aligned or not table.starts:
        return None
    places = [bisect_right(table.starts, start) - 1 for start in begins]
    return places if min(places) >= 0 and len(set(places)) == len(places) else None
