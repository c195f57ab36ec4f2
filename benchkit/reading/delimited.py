"""Tables with a header, row by row, with their line numbers.

A quoted cell may contain line ends. A row whose cells do not match the header, or without a line
end at the end of the file, is a diagnostic.
"""

from __future__ import annotations

import csv
import re
from collections.abc import Callable, Collection, Iterable, Iterator, Sequence
from contextlib import suppress
from dataclasses import dataclass
from io import StringIO

from benchkit.errors import Diagnostic
from benchkit.reading.signs import Head
from benchkit.reading.source import Source, UnreadableError, UntilDamage
from benchkit.redaction import show_part
from benchkit.regexes import regex

#: Beginnings of a cell that a spreadsheet, or the runner of a pipeline, executes.
_FORMULA = regex(r"['\"\s]*+(?:[=+@＝＋－＠-]|::)")
#: A number with a decimal comma.
_COMMA = regex(r"\A([+-]?\d+),(\d+(?:[eE][+-]?\d+)?)\Z")
#: Placeholders that tools write if they measured nothing.
_NO_NUMBER = ("-", "N/A", "None")
#: Maximum number of bad rows that are reported individually.
_MOST_NAMED = 20


@dataclass(slots=True)
class _Whole:
    """The lines with a line end; a last one without it may be truncated."""

    lines: Iterable[tuple[int, str, bool]]
    cut: int = 0

    def __iter__(self) -> Iterator[str]:
        for number, text, is_ended in self.lines:
            if is_ended:
                yield text + "\n"
            else:
                self.cut = number


def read_rows(
    source: Source,
    tool: str,
    needed: Sequence[str],
    delimiter: str = "",
    skip: int = 0,
    named: Sequence[str] = (),
    *,
    is_foreign: bool = False,
    may_be_short: Callable[[Sequence[str]], bool] = lambda _: False,
) -> Iterator[tuple[int, dict[str, str] | Diagnostic]]:
    r"""Yield (line, cells by column) for every row, and (line, Diagnostic) for a bad one.

    A header without the ``needed`` columns is refused. Without a ``delimiter``, the header
    determines it: a spreadsheet writes semicolons or tabs. ``skip`` lines precede the header. A
    file with ``named`` columns has no header. In a foreign table, columns without a name, or with
    the name of an earlier one, are called by their positions. Rows that ``may_be_short`` may lack
    their last cells.

    Raises
    ------
    UnreadableError
        If gzip is damaged; everything before the damage has been yielded.

    Examples
    --------
    >>> source = Source(None, "x.csv", b'a,b\n1,"2\n3"\n4,5\n')
    >>> list(read_rows(source, "the tool", ["a"]))
    [(2, {'a': '1', 'b': '2\n3'}), (4, {'a': '4', 'b': '5'})]
    """
    lines = UntilDamage(source.ended_lines())
    whole = _Whole(lines)
    hint = f"use the whole file that {tool} wrote"
    columns = list(named)
    delimiter = delimiter or find_delimiter("".join(source.head().text.split("\n", skip)[skip:]))
    reader, line, bad = csv.reader(whole, delimiter=delimiter, strict=True), 0, 0
    try:
        for cells in reader:
            line, here = reader.line_num, line + 1
            if here <= skip or not any(cells):
                continue
            if not columns:
                columns = [cell.strip() for cell in cells]
                columns = list(_name_places(columns)) if is_foreign else columns
                if missing := [name for name in needed if name not in columns]:
                    what = f"the header lacks {', '.join(missing)}"
                    yield here, Diagnostic(source.label, here, what, hint)
                    break
            elif _is_header_behind(cells, columns):
                what = "this row is cut, and the header of another table follows it on its line"
                yield here, Diagnostic(source.label, here, what, hint, "warning")
                yield here, dict(zip(columns, columns, strict=True))
            elif len(cells) == len(columns) or (len(cells) < len(columns) and may_be_short(cells)):
                yield here, dict(zip(columns, cells, strict=False))
            elif (bad := bad + 1) <= _MOST_NAMED:
                what = (
                    f"this row has {len(cells)} cells, but the header has {len(columns)}; the row "
                    "is left out"
                )
                yield here, Diagnostic(source.label, here, what, hint, "warning")
    except csv.Error as error:
        what = f"not valid CSV from here on ({error})"
        yield line + 1, Diagnostic(source.label, line + 1, what, hint)
    if bad > _MOST_NAMED:
        what = f"{bad - _MOST_NAMED:,} more rows have more or fewer cells than the header"
        yield line, Diagnostic(source.label, line, what, hint, "warning")
    if whole.cut:
        what = "the last row is left out: it has no line end, so it may be truncated"
        yield whole.cut, Diagnostic(source.label, whole.cut, what, hint, "warning")
    lines.raise_damage()


def name_damaged(
    source: Source, line: int, column: str, cell: str, tool: str
) -> Iterator[Diagnostic]:
    """Yield a diagnostic for a cell without a number; none if nothing was measured."""
    if cell.strip() not in _NO_NUMBER:
        what = f"{column} is {show_part(cell)}, which is not a number; it is left out"
        hint = f"use the whole file that {tool} wrote"
        yield Diagnostic(source.label, line, what, hint, "warning")


def _is_header_behind(cells: Sequence[str], columns: Sequence[str]) -> bool:
    """Return whether a header follows an incomplete row: two files were concatenated."""
    rest = len(columns) - 1
    is_header = 0 < rest < len(cells) and cells[-rest:] == columns[1:]
    first = cells[-rest - 1] if is_header else ""
    return first.endswith(columns[0]) and (first != columns[0] or len(cells) > rest + 1)


def _name_places(columns: Sequence[str]) -> Iterator[str]:
    """Yield distinct names for the columns.

    Examples
    --------
    >>> list(_name_places(["", "time", "", "time"]))
    ['column 1', 'time', 'column 3', 'time (column 4)']
    """
    known: set[str] = set()
    for place, name in enumerate(columns, 1):
        if not name:
            yield f"column {place}"
        else:
            yield f"{name} (column {place})" if name in known else name
        known.add(name)


def quote_formulas(text: str) -> str:
    """Return a cell that no spreadsheet or pipeline executes, even if split at semicolons.

    Examples
    --------
    >>> quote_formulas("=1+1"), quote_formulas("a;=1+1"), quote_formulas("it's 1+1; 2")
    ("'=1+1", "a;'=1+1", "it's 1+1; 2")
    """
    return ";".join(f"'{part}" if _FORMULA.match(part) else part for part in text.split(";"))


def unquote_formulas(cell: str) -> str:
    """Return the text from which `quote_formulas` made a cell.

    Examples
    --------
    >>> unquote_formulas("'=1+1"), unquote_formulas("a;'=1+1"), unquote_formulas("'a'")
    ('=1+1', 'a;=1+1', "'a'")
    """
    parts = cell.split(";")
    is_quoted = (part[:1] == "'" and _FORMULA.match(part, 1) for part in parts)
    return ";".join(
        part[1:] if quoted else part for part, quoted in zip(parts, is_quoted, strict=True)
    )


def find_delimiter(text: str) -> str:
    r"""Return the delimiter of the columns in the first line of a text.

    Examples
    --------
    >>> find_delimiter('Method;"Mean [ns]";Error\nQuick;1,5;0,1')
    ';'
    """
    return max(",;\t", key=text.lstrip().partition("\n")[0].count)


def begins_table(
    head: Head, headers: Collection[str], row: re.Pattern[str], delimiter: str = ","
) -> bool:
    """Return whether a source begins with one of the headers, followed by a row."""
    first, newline, rest = head.text.lstrip().partition("\n")
    second, ended, _ = rest.partition("\n")
    lines = _respell(f"{first}{newline}{second}", delimiter).split("\n")
    if not head.is_start or lines[0] not in headers:
        return False
    return not ended or row.fullmatch(lines[1]) is not None


def respelled(source: Source, delimiter: str = ",") -> Source:
    r"""Return a table as its tool writes it, if a spreadsheet saved it with other separators.

    Examples
    --------
    >>> respelled(Source(None, "x.csv", b"a;b\n1,5;it, too\n")).text()
    'a,b\n1.5,"it, too"\n'
    """
    present = delimiter
    with suppress(UnreadableError):  # its reader gets the same error
        present = find_delimiter(source.head().text)
    if present == delimiter:
        return source
    return Source(None, source.label, _respell(source.text(), delimiter).encode())


def _respell(text: str, delimiter: str) -> str:
    """Return a table with decimal points in its numbers, and this delimiter."""
    present = find_delimiter(text)
    if present == delimiter:
        return text
    table = StringIO()
    writer = csv.writer(table, delimiter=delimiter, lineterminator="\n")
    with suppress(csv.Error):  # the rest is damaged
        for row in csv.reader(text.splitlines(keepends=True), delimiter=present):
            writer.writerow([_COMMA.sub(r"\1.\2", cell) for cell in row])
    return table.getvalue() if text.endswith("\n") else table.getvalue().removesuffix("\n")


def header_of(text: str) -> list[str]:
    r"""Return the columns in the first line of a text; empty if it is not a header.

    Examples
    --------
    >>> header_of('"Benchmark";"Mode"\nx;y')
    ['Benchmark', 'Mode']
    """
    first = text.lstrip().partition("\n")[0]
    try:
        cells = next(csv.reader([first], delimiter=find_delimiter(first), strict=True), [])
        return [cell.strip() for cell in cells]
    except csv.Error:
        return []
