"""The report as data: its content and order, independent of HTML or Markdown.

Every output shows the same report; a section is added here and in one builder, and every renderer
shows it.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING

from benchkit.derived.timeline import Track
from benchkit.errors import Diagnostic, Finding
from benchkit.redaction import redact_message
from benchkit.reporting.head import write_status
from benchkit.reporting.section import Section
from benchkit.reporting.sections import write_sections
from benchkit.tables.derived import Part, follow, lead
from benchkit.verdict import Verdicts

if TYPE_CHECKING:
    from benchkit.derived.amounts import Amounts
    from benchkit.schema import Runs

TITLE = "Benchmark comparison"


@dataclass(frozen=True, slots=True, kw_only=True)
class Report:
    """Everything a renderer needs.

    Parameters
    ----------
    sentence : str
        The verdict; begins with its mark.
    status : str
        Runs, tools and findings in one line.
    verdicts : Verdicts
        For JSON and CSV.
    parts : mapping of str to Part
        For JSON and CSV, too.
    generated_by, command : str
        Version and command line; empty where unknown.
    """

    title: str
    sentence: str
    bullets: tuple[str, ...]
    status: str
    sections: tuple[Section, ...]
    findings: tuple[Finding, ...]
    verdicts: Verdicts
    parts: Mapping[str, Part]
    generated_by: str
    command: str


def build(
    verdicts: Verdicts,
    runs: Runs | None = None,
    findings: Sequence[Finding] = (),
    *,
    title: str = "",
    command: str = "",
    version: str = "",
    sources: Sequence[tuple[str, str]] | None = None,
    parts: Mapping[str, Part] | None = None,
    tracks: Sequence[Track] = (),
    diagnostics: Sequence[Diagnostic] = (),
    amounts: Amounts | None = None,
) -> Report:
    """Build the report.

    Parameters
    ----------
    runs : Runs, optional
        Without them, the sections on runs, environment and data are left out.
    title, command, version : str
        Passed in, never looked up: the same input gives the same report.
    sources : sequence of (path, sha256), optional
        Those of the runs by default.
    parts : mapping of str to Part, optional
        The sections on load, resources and spans.
    tracks : sequence of Track
        Values over the course of each run.
    diagnostics : sequence of Diagnostic
        Problems with sources.
    amounts : Amounts, optional
        The section on variants: one row per variant, one column per metric.
    """
    return Report(
        title=redact_message(title) or TITLE,
        sentence=lead(verdicts, parts or {}, findings),
        bullets=follow(verdicts, parts or {}),
        status=write_status(verdicts, runs, findings, parts or {}),
        sections=write_sections(
            verdicts, runs, findings, sources, parts or {}, tracks, diagnostics, amounts
        ),
        findings=tuple(findings),
        verdicts=verdicts,
        parts=parts or {},
        generated_by=f"benchkit {version}".strip(),
        command=command,
    )
