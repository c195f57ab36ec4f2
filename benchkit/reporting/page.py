"""The page as plain data: texts, tables and finished figures, without methods.

A template gets only this object, so it can read the report but not change anything.

What a notebook shows of loaded results.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING

from benchkit.errors import Finding
from benchkit.tables.model import Table

if TYPE_CHECKING:
    from benchkit.reporting.model import Report
    from benchkit.reporting.section import Plot, Section


@dataclass(frozen=True, slots=True, kw_only=True)
class Figure:
    """A `Plot` that has been drawn: ``svg`` is an inline element, its texts escaped."""

    name: str
    title: str
    description: str
    legend: str
    svg: str
    table: Table | None


@dataclass(frozen=True, slots=True, kw_only=True)
class PageSection:
    """A `Section` whose plots have been drawn."""

    id: str
    title: str
    text: tuple[str, ...]
    plots: tuple[Figure, ...]
    tables: tuple[Table, ...]
    folded: tuple[Table, ...]
    findings: tuple[Finding, ...]
    is_detail: bool


@dataclass(frozen=True, slots=True, kw_only=True)
class Page:
    """The parts of a `Report` that a page shows."""

    title: str
    sentence: str
    bullets: tuple[str, ...]
    status: str
    sections: tuple[PageSection, ...]
    findings: tuple[Finding, ...]
    generated_by: str
    command: str


def draw_page(report: Report) -> Page:
    """Draw the plots of a report, and keep the parts that a page shows."""
    return Page(
        title=report.title,
        sentence=report.sentence,
        bullets=report.bullets,
        status=report.status,
        sections=tuple(map(_draw_section, report.sections)),
        findings=_copy(report.findings),
        generated_by=report.generated_by,
        command=report.command,
    )


def _draw_section(section: Section) -> PageSection:
    return PageSection(
        id=section.id,
        title=section.title,
        text=section.text,
        plots=tuple(map(_draw, section.plots)),
        tables=section.tables,
        folded=section.folded,
        findings=_copy(section.findings),
        is_detail=section.is_detail,
    )


def _draw(plot: Plot) -> Figure:
    return Figure(
        name=plot.name,
        title=plot.title,
        description=plot.description,
        legend=plot.legend,
        svg=plot.svg(),
        table=plot.table,
    )


def _copy(findings: tuple[Finding, ...]) -> tuple[Finding, ...]:
    """Return findings whose numbers can be sent to another process."""
    return tuple(replace(finding, numbers=dict(finding.numbers)) for finding in findings)


@dataclass(frozen=True, slots=True, kw_only=True)
class Card:
    """The data for the template.

    Parameters
    ----------
    lines : sequence of str
        Below the table.
    """

    sentence: str
    table: Table
    lines: Sequence[str] = ()
