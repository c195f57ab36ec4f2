"""Text and tables that Markdown shows literally, whatever their names.

A benchmark called ``<script>`` or ``a|b`` is a name, not code or a new column, and ``@somebody`` is
not notified.
"""

from __future__ import annotations

from collections.abc import Iterable

from benchkit.regexes import regex
from benchkit.tables.model import Cell, Table
from benchkit.units import SERVICE_COMMAND, printable

_LONGEST = 400
_ENTITIES = str.maketrans(
    {"&": "&amp;", "<": "&lt;", ">": "&gt;", "|": "\\|", "`": "\\`", "*": "\\*", "\\": "\\\\"}
)
_REFERENCE = regex(
    r"@(?=\w)|#(?=\d)|(?<=\w):(?=//)|(?<=www)\."  # people, issues, addresses
    rf"|^:(?=:)|{SERVICE_COMMAND}"  # commands in the log of a pipeline
    r"|(?<=\])(?=[(\[:])|^(?=(?:[#+-]|\d+[.)]) )"  # links, headings, lists
    r"|[~$](?=\S)"  # strikethrough, formulas
)
_CALLS = {"@": "&#64;", "#": "&#35;", ":": "&#58;", ".": "&#46;", "": "\\"}
_CALLS |= {"~": "&#126;", "$": "&#36;"}
_UNDERSCORE = regex(r"(?<!\w)_|_(?!\w)")


def escape(text: str, longest: int = _LONGEST) -> str:
    r"""Write a text without effect in Markdown or HTML, cut if it is too long.

    Examples
    --------
    >>> escape("<b>|request_rate")
    '&lt;b&gt;\\|request_rate'
    """
    shown = printable(text)
    if len(shown) > longest:
        shown = f"{shown[:longest]}…"
    shown = shown.translate(_ENTITIES)
    shown = _UNDERSCORE.sub(r"\\_", shown)
    return _REFERENCE.sub(lambda match: _CALLS[match[0]], shown)


def escape_lines(lines: Iterable[str]) -> str:
    """Write paragraphs, each cut if it is too long to be read."""
    return "\n\n".join(escape(line) for line in lines)


def write_table(table: Table) -> str:
    """Write a table as a pipe table, its caption above, its footer and notes below."""
    parts = []
    if table.title or table.caption:
        parts.append(f"**{escape(table.title)}** {escape(table.caption)}".strip())
    if table.rows:
        parts.append("\n".join(_lines(table)))
    parts += [escape(line) for line in table.footer]
    notes = [f"<sup>{number}</sup> {escape(note)}" for number, note in enumerate(table.notes, 1)]
    if notes:
        parts.append("<br>\n".join(notes))
    return "\n\n".join(parts)


def _lines(table: Table) -> Iterable[str]:
    yield _join(escape(column.title) for column in table.columns)
    yield _join("--:" if column.align == "right" else ":--" for column in table.columns)
    for row in table.rows:
        yield _join(_cell(cell) for cell in row)


def _cell(cell: Cell) -> str:
    notes = f"<sup>{', '.join(map(str, cell.notes))}</sup>" if cell.notes else ""
    return f"{cell.mark} {escape(cell.text)}".strip() + notes


def _join(texts: Iterable[str]) -> str:
    return f"| {' | '.join(texts)} |"
