"""Remarks on reports in addition to their numbers."""

from __future__ import annotations

from typing import NamedTuple

from benchkit.errors import Diagnostic
from benchkit.reading.records import Reading
from benchkit.redaction import show_part


def with_article(tool: str) -> str:
    """Return the name of a tool with its article.

    Examples
    --------
    >>> with_article("oha"), with_article("wrk"), with_article("Artillery")
    ('an oha', 'a wrk', 'an Artillery')
    """
    return f"{'an' if tool[0] in 'aeiouAEIOU' else 'a'} {tool}"


class Loose(Diagnostic):
    """A remark on a line outside of a tool's reports, unless it is in another tool's report."""


class Remark(NamedTuple):
    """A remark on a report in addition to its numbers, with placeholders for values."""

    what: str
    hint: str
    severity: str = "warning"
    is_remark: bool = True

    def at(self, label: str, line: int, **values: object) -> Diagnostic:
        """Return the diagnostic for a line."""
        what, hint = self.what.format(**values), self.hint.format(**values)
        return Diagnostic(label, line, what, hint, self.severity, self.is_remark)


DAMAGED = Remark(
    "this line of {a_tool} report is truncated or altered and is ignored: {text}",
    "use the output as {tool} printed it",
    is_remark=False,
)
ABSENT = Remark(
    "no complete report of {names} here",
    "use the complete output of the run",
    "error",
    is_remark=False,
)
#: Remarks common to request tools: a report without its end, and a run without an answer.
INCOMPLETE = Remark(
    "this {tool} report lacks its {lines}; the rest is kept as a partial run",
    "use the complete output, or repeat the run",
    is_remark=False,
)
#: A report of which nothing can be kept.
NOTHING_KEPT = Remark(
    "this {tool} report lacks its {lines}, so nothing of it is kept: no request was "
    "answered, or these lines were left out or altered",
    "use the complete output, or repeat the run",
    is_remark=False,
)
#: Text below a command in place of a report.
SCANTY = Remark(
    "this part of {a_tool} report is too short to be read",
    "use the complete output of the run",
    is_remark=False,
)
#: Lines of a tool outside of all of its reports.
LOOSE = Remark(
    "this part of {a_tool} report is ignored, because the report is not complete",
    "give the whole output of that run",
    is_remark=False,
)
#: A line that by its place belongs to a report, but cannot be attributed after other lines.
APART = Remark(
    "this line may be of the {tool} report in lines {first} to {last}, but other text stands "
    "between, so it is not read: {text}",
    "use the output as {tool} printed it",
    is_remark=False,
)


def report_damaged(tool: str, label: str, line: int, text: str) -> Diagnostic:
    """Return the diagnostic for an unreadable line of a report or table."""
    return DAMAGED.at(label, line, a_tool=with_article(tool), tool=tool, text=show_part(text))


def report_incomplete(reading: Reading, label: str, lines: str, tool: str = "") -> Diagnostic:
    """Return the diagnostic for a report with missing lines, and for the part that is kept."""
    remark = INCOMPLETE if reading.rows else NOTHING_KEPT
    return remark.at(label, reading.last_line, tool=tool or reading.tool, lines=lines)


def list_lines(missing: list[str]) -> str:
    """List lines in a sentence."""
    return ", ".join(f"`{name}`" for name in missing) + " line" + "s" * (len(missing) > 1)
