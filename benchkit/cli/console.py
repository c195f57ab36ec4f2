"""Tables and sentences in a terminal: coloured on a screen, plain when piped.

Files get no colour codes, narrow or old screens stay readable, and no name in the data can control
the terminal.
"""

from __future__ import annotations

import os
import shutil
import sys
import textwrap
from collections.abc import Iterator, Mapping, Sequence
from typing import TYPE_CHECKING, TextIO

from benchkit.tables.model import GAP, align_columns, disarm, measure
from benchkit.units import printable

if TYPE_CHECKING:
    from benchkit.errors import Finding
    from benchkit.gating.result import GateResult
    from benchkit.schema import Runs
    from benchkit.tables.derived import Part
    from benchkit.tables.model import Cell, Table
    from benchkit.verdict import Verdicts

_STYLES = {
    "▲": "dark_orange3",
    "▼": "dodger_blue2",
    "=": "dim",
    "~": "dim",
    "≠": "bold",
    "✗": "bold dark_orange3",
    "△": "gold3",
    "?": "bold",
    "✓": "dodger_blue2",
}
_ASCII: dict[str, str | int | None] = {
    "▲": "^",
    "▼": "v",
    "≠": "!=",
    "✓": "ok",
    "✗": "FAIL",
    "△": "ok?",
    "“": '"',
    "”": '"',
    "−": "-",
    "–": "-",
    "±": "+/-",
    "×": "x",
    "÷": "/",
    "≤": "<=",
    "→": "->",
    "…": "...",
    "·": "-",
    "µ": "u",
    "\N{NARROW NO-BREAK SPACE}": " ",
    "\N{NO-BREAK SPACE}": " ",
}


def print_table(table: Table, file: TextIO, width: int | None = None) -> None:
    """Print a table.

    Parameters
    ----------
    file : TextIO
        Colours are used if it is a terminal and ``NO_COLOR`` is not set.
    width : int, optional
        Columns of the screen; by default those of the terminal, unlimited for a file.
    """
    file.write(_render(table, file, width) + "\n")


def render_table(table: Table, *, markdown: bool = False, to_file: bool = False) -> str:
    """Write a table as Markdown, or as `print_table` would print it on stdout.

    Parameters
    ----------
    to_file : bool
        Whether the text is for a file instead of stdout.
    """
    if markdown:
        from benchkit.reporting.markdown_text import write_table

        return write_table(table)
    return _render(table, None if to_file else sys.stdout)


def render_tables(
    lines: Sequence[str], tables: Sequence[Table], *, markdown: bool = False, to_file: bool = False
) -> str:
    """Write tables, and sentences whose first one is bold on a screen.

    Parameters
    ----------
    markdown, to_file : bool
        As in `render_table`.
    """
    if markdown:
        from benchkit.reporting.markdown_text import escape_lines

        printed = escape_lines(lines)
    else:
        printed = _paint(lines, None if to_file else sys.stdout)
    shown = [render_table(table, markdown=markdown, to_file=to_file) for table in tables]
    return "\n\n".join([printed, *shown]) + "\n"


def render_texts(texts: Sequence[str], *, to_file: bool = False) -> str:
    """Write texts of several lines, separated by blank lines, the first line in bold.

    Parameters
    ----------
    to_file : bool
        Whether they are for a file instead of stdout.
    """
    file = None if to_file else sys.stdout
    head, *below = [text.split("\n") for text in texts]
    shown = ["\n".join(plain(line, file) for line in lines) for lines in below]
    return "\n\n".join([_paint(head, file), *shown]) + "\n"


def render_comparison(
    verdicts: Verdicts,
    findings: Sequence[Finding] = (),
    *,
    runs: Runs | None = None,
    by: str = "",
    to_file: bool = False,
    parts: Mapping[str, Part] | None = None,
    every: bool = False,
) -> str:
    """Write the verdict, its context, the tables, what was not compared, and the findings.

    Parameters
    ----------
    runs : Runs, optional
        The measured runs, for the line with the machine and the days.
    by : str
        A column or param: one table for each of its values.
    to_file : bool
        Whether the text is for a file instead of stdout.
    parts : mapping of str to Part, optional
        Shown between the primary metrics and the others.
    every : bool
        Whether to show all secondary rows, however many.
    """
    from benchkit.reporting.head import write_lines
    from benchkit.tables.derived import shown_apart
    from benchkit.tables.findings import summarise_findings
    from benchkit.tables.folding import MOST
    from benchkit.tables.overhead import describe_one_sided, exploratory_tables, primary_tables

    file = None if to_file else sys.stdout
    side_parts = parts or {}
    blocks = [_paint(write_lines(verdicts, runs, side_parts, findings), file)]
    shown = primary_tables(verdicts, by, tips=False)
    blocks += [_render(table, file) for table in shown]
    for part in side_parts.values():
        blocks += [_render(table, file) for table in part.tables]
        if part.tables and part.lines:
            blocks[-1] += "\n" + "\n".join(wrap(line, file) for line in part.lines)
    others = exploratory_tables(verdicts, by, shown_apart(side_parts), None if every else MOST)
    blocks += [_render(table, file) for table in others]
    rest = [*describe_one_sided(verdicts), *summarise_findings(findings)]
    if rest:
        blocks.append("\n".join(wrap(line, file) for line in rest))
    return "\n\n".join(blocks) + "\n"


def render_gate(result: GateResult, *, to_file: bool = False) -> str:
    """Write the outcome of a gate: the sentence, what was not compared, the rows, the findings.

    Parameters
    ----------
    to_file : bool
        Whether the text is for a file instead of stdout.
    """
    from benchkit.gating.table import gate_table
    from benchkit.gating.wording import describe_notes
    from benchkit.tables.findings import summarise_findings

    unseen = result.self_test.unseen if result.self_test else describe_notes(result.outcome)
    origin = [f"policy: {result.policy}"] if result.policy else []
    lines = [result.sentence, *(f"  {text}" for text in (*unseen, *origin))]
    shown = [] if result.self_test or not result.outcome.rows else [gate_table(result.outcome)]
    text = render_tables(lines, shown, to_file=to_file)
    if result.self_test is None and result.findings:
        file = None if to_file else sys.stdout
        summary = summarise_findings(result.findings, len(result.findings))
        text += "\n" + "\n".join(wrap(line, file) for line in summary) + "\n"
    return text


def plain(text: str, file: TextIO | None = None) -> str:
    r"""Write a text that cannot control the terminal.

    Parameters
    ----------
    file : TextIO, optional
        The output: characters that its encoding lacks are written in ASCII. UTF-8 by default.

    Examples
    --------
    >>> plain("a\x1b[2Jb")
    'a\\x1b[2Jb'
    """
    shown = disarm(printable(text))
    encoding = getattr(file, "encoding", None) or "utf-8"
    try:
        shown.encode(encoding)
    except (UnicodeEncodeError, LookupError):
        spelled = shown.translate(str.maketrans(_ASCII))
        return spelled.encode("ascii", "backslashreplace").decode()
    return shown


def wrap(text: str, file: TextIO | None = None, width: int | None = None) -> str:
    r"""Write a line like `plain`, wrapped between words at the width of the screen.

    Parameters
    ----------
    file : TextIO, optional
        The output; without a screen, the width is unlimited.
    width : int, optional
        Columns; by default those of the screen.

    Examples
    --------
    >>> wrap("  none of these is the cost of complete tracing", width=30).split("\n")
    ['  none of these is the cost of', '  complete tracing']
    """
    shown = plain(text, file)
    if width is None and file is not None and file.isatty():
        width = shutil.get_terminal_size().columns
    if width is None or measure(shown) <= width:
        return shown
    indent = " " * (len(shown) - len(shown.lstrip(" ")))
    broken = textwrap.wrap(
        shown, width, subsequent_indent=indent, break_long_words=False, break_on_hyphens=False
    )
    return "\n".join(broken)


def is_screen(file: TextIO | None) -> bool:
    """Return whether colours are wanted."""
    return file is not None and file.isatty() and not os.environ.get("NO_COLOR")


def _render(table: Table, file: TextIO | None, width: int | None = None) -> str:
    on_screen = file is not None and file.isatty()
    if width is None and on_screen:
        width = shutil.get_terminal_size().columns
    hidden: Sequence[str] = ()
    headings: Mapping[int, str] = {}
    shown = [table]
    if width is not None:
        from benchkit.cli.narrow import fit

        shape = fit(table, width, lambda cell: _text(cell, file))
        shown, hidden, headings = [shape.table, *shape.further], shape.hidden, shape.headings
    body: list[str] = []
    for part in shown:
        head, *rows = _color(part, file, width) if is_screen(file) else _lay_out(part, file)
        body += ["", head] if body else [head]
        for at, row in enumerate(rows):
            body += [wrap(headings[at], file, width), row] if at in headings else [row]
    notes = [f"{n}  {note}" for n, note in enumerate(table.notes, 1)]
    below = [*table.footer, *notes]
    if hidden:
        below.append(f"narrow screen: hiding {', '.join(hidden)}")
    above = [line for line in (table.title, table.caption) if line]
    wrapped = [[wrap(line, file, width) for line in lines] for lines in (above, below)]
    return "\n".join([*wrapped[0], *body, *wrapped[1]])


def _text(cell: Cell, file: TextIO | None) -> str:
    notes = f" ({', '.join(map(str, cell.notes))})" if cell.notes else ""
    return plain(cell.label, file) + notes


def _texts(table: Table, file: TextIO | None) -> Iterator[list[str]]:
    yield [plain(column.title, file) for column in table.columns]
    for row in table.rows:
        yield [_text(cell, file) for cell in row]


def _lay_out(table: Table, file: TextIO | None) -> Iterator[str]:
    heads, *rows = _texts(table, file)
    return align_columns(heads, rows, [column.align for column in table.columns])


def _color(table: Table, file: TextIO | None, width: int | None) -> list[str]:
    from rich.table import Table as Grid
    from rich.text import Text

    grid = Grid(box=None, padding=(0, GAP, 0, 0), pad_edge=False, header_style="dim")
    for column in table.columns:
        grid.add_column(
            Text(plain(column.title, file)), justify=column.align, overflow="fold", no_wrap=False
        )
    for row in table.rows:
        grid.add_row(*(Text(_text(cell, file), style=_STYLES.get(cell.mark, "")) for cell in row))
    return _print_rich(grid, width).split("\n")


def _paint(lines: Sequence[str], file: TextIO | None) -> str:
    shown = [wrap(line, file) for line in lines]
    if not is_screen(file):
        return "\n".join(shown)
    from rich.text import Text

    first = Text(shown[0], style="bold")
    first.stylize(_STYLES.get(lines[0][:1], ""), 0, 1)
    return _print_rich(Text("\n").join([first, *map(Text, shown[1:])]), None)


def _print_rich(renderable: object, width: int | None) -> str:
    from io import StringIO

    from rich.console import Console

    sink = StringIO()
    columns = width or shutil.get_terminal_size().columns
    console = Console(file=sink, force_terminal=True, width=columns, legacy_windows=False)
    console.print(renderable, highlight=False, markup=False)
    return "\n".join(line.rstrip() for line in sink.getvalue().rstrip("\n").split("\n"))
