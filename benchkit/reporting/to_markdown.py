"""The report as Markdown for a pull request or a job summary.

The answer and the changed rows are visible at once, everything else is folded away.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from textwrap import shorten

from benchkit.reporting.markdown_text import escape, escape_lines, write_table
from benchkit.reporting.model import Report
from benchkit.reporting.section import Section
from benchkit.tables.model import Table
from benchkit.tables.overhead import changed_only

MARKER = "<!-- benchkit:overhead -->"
#: Bytes; a comment may have 65,536 characters.
MOST = 60_000
_TALL = 12  # maximum number of changed rows of a table that are always visible
_SHORT = 24  # maximum number of rows of a table that replaces its figure
_NAMED = 6  # maximum number of named parts that are left out
_LONGEST_NAME = 60


def to_markdown(report: Report, limit: int = MOST) -> str:
    """Write a report as Markdown.

    Parameters
    ----------
    limit : int
        Bytes; if the whole is longer, the longest parts are left out and named.
    """
    parts = list(_write(report))
    last = escape(" · ".join(filter(None, (report.generated_by, report.command))))
    left: list[str] = []
    while True:
        omitted = _name_left(left)
        kept = [
            *(part.text for part in parts),
            *([omitted] if omitted else []),
            f"<sub>{last}</sub>",
        ]
        text = "\n\n".join(kept) + "\n"
        spare = [part for part in parts if part.name]
        if len(text.encode()) <= limit or not spare:
            return text
        longest = max(spare, key=lambda part: (part.is_folded, len(part.text)))
        parts.remove(longest)
        left.append(longest.name)


def _name_left(names: Sequence[str]) -> str:
    """Name the parts that are left out, the longest first."""
    if not names:
        return ""
    shown = [escape(shorten(name, _LONGEST_NAME, placeholder="…")) for name in names[:_NAMED]]
    more = f" and {len(names) - _NAMED} more" if len(names) > _NAMED else ""
    return f"*Left out for length: {', '.join(shown)}{more}; the HTML page has everything.*"


@dataclass(frozen=True, slots=True)
class _Part:
    """A piece of the text; one with a name may be left out."""

    text: str
    name: str = ""

    @property
    def is_folded(self) -> bool:
        return self.text.startswith("<details>")


def _write(report: Report) -> Iterator[_Part]:
    yield _Part(MARKER)
    yield _Part(f"### {escape(report.sentence)}")
    yield _Part(escape(report.status))
    if report.bullets:
        yield _Part("\n".join(f"- {escape(bullet)}" for bullet in report.bullets))
    for section in report.sections:
        if section.id == "comparison":
            yield from _comparison(section)
    yield from _findings(report)
    details = [s for s in report.sections if s.id not in {"comparison", "findings", "overhead"}]
    for section in details:
        folded = "\n\n".join(_section(section))
        if folded:
            yield _Part(_fold(section.title, folded), section.title)


def _comparison(section: Section) -> Iterator[_Part]:
    if section.text:
        yield _Part(escape_lines(section.text), "names that only one side has")
    for table in section.tables:
        yield from _open_table(table)
    for table in section.folded:
        yield _folded_table(table)


def _open_table(table: Table) -> Iterator[_Part]:
    """Show the changed rows, and the whole table after them if there are others."""
    changed = changed_only(table)
    if changed == table and len(table.rows) <= _TALL:
        yield _Part(write_table(table), table.title)
        return
    count, total = len(changed.rows), len(table.rows)
    rows = tuple(tuple(replace(c, notes=()) for c in row) for row in changed.rows[:_TALL])
    if rows:  # the notes are below the whole table
        shown = replace(changed, rows=rows, notes=(), footer=())
        yield _Part(write_table(shown), table.title)
        more = f"{len(rows)} of {count} changed rows shown; " if count > len(rows) else ""
        shown_rows = f"{more}{count} of {total} rows changed"
    else:
        shown_rows = f"{table.title}: no row changed"
    yield _Part(
        escape(f"{shown_rows}; all {total} below." if total > 1 else f"{shown_rows}; it is below.")
    )
    yield _folded_table(table)


def _folded_table(table: Table) -> _Part:
    most = 150
    shown = replace(table, rows=table.rows[:most])
    text = write_table(shown)
    if len(table.rows) > most:
        text += f"\n\n{len(table.rows) - most} more rows left out."
    name = f"{table.title} ({len(table.rows)} row{'s' * (len(table.rows) != 1)})"
    return _Part(_fold(name, text), name)


def _findings(report: Report) -> Iterator[_Part]:
    if report.findings:
        lines = "\n".join(
            f"- {finding.severity}: {escape(str(finding))}" for finding in report.findings
        )
        name = f"Findings ({len(report.findings)})"
        yield _Part(_fold(name, lines), name)


def _section(section: Section) -> Iterator[str]:
    if section.text:
        yield escape_lines(section.text)
    drawn = [plot.table for plot in section.plots if plot.table]
    short = [table for table in drawn if len(table.rows) <= _SHORT]
    for table in (*short, *section.tables, *section.folded):
        shown = replace(table, rows=table.rows[:150])
        yield write_table(shown)
        if len(table.rows) > len(shown.rows):
            yield f"{len(table.rows) - len(shown.rows)} more rows left out."


def _fold(title: str, text: str) -> str:
    return f"<details><summary>{escape(title)}</summary>\n\n{text}\n\n</details>"
