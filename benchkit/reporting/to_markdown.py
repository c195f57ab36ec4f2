"""The report as Markdown for a pull request or a job summary.

In: a `Report`. Out: text that GitHub and GitLab render, at most 60 kB. Why: the answer and the
rows that changed stand above the fold, everything else one click away.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace

from benchkit.reporting.markdown_text import escape, escape_lines, write_table
from benchkit.reporting.model import Report
from benchkit.reporting.section import Section
from benchkit.tables.model import Table
from benchkit.tables.overhead import changed_only

MARKER = "<!-- benchkit:overhead -->"
#: Bytes; a comment may have 65,536 characters.
MOST = 60_000
_TALL = 12  # rows of a table that stay above the fold without a choice
_SHORT = 24  # rows up to which a table stands for its figure, which Markdown does not show
_RESERVE = 200


def to_markdown(report: Report, limit: int = MOST) -> str:
    """Write a report as Markdown.

    Parameters
    ----------
    report : Report
    limit : int
        Bytes; what does not fit is left out, and the text says so.

    Returns
    -------
    str
    """
    parts = list(_write(report))
    kept: list[str] = []
    room = limit - _RESERVE
    for index, part in enumerate(parts):
        room -= len(part.encode()) + 2
        if room < 0:
            left = len(parts) - index
            kept.append(f"*{left} more part{'s' * (left > 1)} left out: too long for a comment.*")
            break
        kept.append(part)
    return "\n\n".join(kept) + "\n"


def _write(report: Report) -> Iterator[str]:
    yield MARKER
    yield f"### {escape(report.sentence)}"
    if report.bullets:
        yield "\n".join(f"- {escape(bullet)}" for bullet in report.bullets)
    yield escape(report.status)
    for section in report.sections:
        if section.id == "comparison":
            yield from _comparison(section)
    yield from _findings(report)
    details = [s for s in report.sections if s.id not in {"comparison", "findings", "overhead"}]
    for section in details:
        folded = "\n\n".join(_section(section))
        if folded:
            yield _fold(section.title, folded)
    yield f"<sub>{escape(' · '.join(filter(None, (report.generated_by, report.command))))}</sub>"


def _comparison(section: Section) -> Iterator[str]:
    yield from (escape(line) for line in section.text)
    for table in section.tables:
        yield from _open_table(table)
    for table in section.folded:
        yield from _folded_table(table)


def _open_table(table: Table) -> Iterator[str]:
    """Show a short table whole, of a long one the rows that changed."""
    changed = changed_only(table)
    if len(table.rows) <= _TALL:
        yield write_table(table)
        return
    if changed.rows:
        head = replace(changed, rows=changed.rows[:_TALL])
        yield write_table(replace(head, notes=(), caption=""))
        more = f"{len(head.rows)} of {len(changed.rows)} changed rows shown; "
    else:
        more = "no row changed; "
    yield escape(f"{more}all {len(table.rows)} rows below.")
    yield from _folded_table(table)


def _folded_table(table: Table) -> Iterator[str]:
    most = 150
    shown = replace(table, rows=table.rows[:most])
    text = write_table(shown)
    if len(table.rows) > most:
        text += f"\n\n{len(table.rows) - most} more rows left out."
    rows = f"{len(table.rows)} row{'s' * (len(table.rows) != 1)}"
    yield _fold(f"{table.title} ({rows})", text)


def _findings(report: Report) -> Iterator[str]:
    if report.findings:
        lines = "\n".join(
            f"- {finding.severity}: {escape(str(finding))}" for finding in report.findings
        )
        yield _fold(f"Findings ({len(report.findings)})", lines)


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
