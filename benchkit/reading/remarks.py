"""What can be said about reports beside their numbers."""

from __future__ import annotations

from typing import NamedTuple

from benchkit.errors import Diagnostic
from benchkit.reading.records import Reading
from benchkit.redaction import show_part


def with_article(tool: str) -> str:
    """Return the name of a tool behind its article.

    Examples
    --------
    >>> with_article("oha"), with_article("wrk"), with_article("Artillery")
    ('an oha', 'a wrk', 'an Artillery')
    """
    return f"{'an' if tool[0] in 'aeiouAEIOU' else 'a'} {tool}"


class Loose(Diagnostic):
    """What is said of a line outside of a tool's reports, unless another tool's report has it."""


class Remark(NamedTuple):
    """What can be said about a report beside its numbers, with places for values."""

    what: str
    hint: str
    severity: str = "warning"
    is_remark: bool = True

    def at(self, label: str, line: int, **values: object) -> Diagnostic:
        """Say it of a line."""
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
#: What tools of requests have in common: a report without its end, and a run without an answer.
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
#: What stands below a command in place of a report.
SCANTY = Remark(
    "this part of {a_tool} report is too short to be read",
    "use the complete output of the run",
    is_remark=False,
)
#: Lines of a tool that stand in none of its reports.
LOOSE = Remark(
    "this part of {a_tool} report is ignored, because the report is not complete",
    "give the whole output of that run",
    is_remark=False,
)
#: What is of a report by its place, below lines after which it cannot be known to be.
APART = Remark(
    "this line may be of the {tool} report in lines {first} to {last}, but other text stands "
    "between, so it is not read: {text}",
    "use the output as {tool} printed it",
    is_remark=False,
)


def report_damaged(tool: str, label: str, line: int, text: str) -> Diagnostic:
    """Return what is to be said of a line of a report or table that cannot be read."""
    return DAMAGED.at(label, line, a_tool=with_article(tool), tool=tool, text=show_part(text))


def report_incomplete(reading: Reading, label: str, lines: str, tool: str = "") -> Diagnostic:
    """Return what is to be said of a report that lacks lines, and of what is kept of it."""
    remark = INCOMPLETE if reading.rows else NOTHING_KEPT
    return remark.at(label, reading.last_line, tool=tool or reading.tool, lines=lines)


def list_lines(missing: list[str]) -> str:
    """Name lines in a sentence."""
    return ", ".join(f"`{name}`" for name in missing) + " line" + "s" * (len(missing) > 1)
