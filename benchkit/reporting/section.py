"""The parts of a report: sections, and the plots in them."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

from benchkit.errors import Finding
from benchkit.tables.model import Table


@dataclass(frozen=True, slots=True, kw_only=True)
class Plot:
    """A figure that is drawn only when it is shown.

    Parameters
    ----------
    name : str
        Prefix of its ids.
    title, description : str
        The name, and a description in words.
    legend : str
        How to read it.
    svg : callable
        Draws it and returns an inline SVG element.
    table : Table or None
        The drawn numbers, if no other table of the report has them.
    """

    name: str
    title: str
    description: str
    legend: str
    svg: Callable[[], str]
    table: Table | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class Section:
    """One section.

    Parameters
    ----------
    id, title : str
        Stable anchor, and heading.
    text : tuple of str
        Paragraphs.
    tables : tuple of Table
        Always visible.
    folded : tuple of Table
        Folded.
    is_detail : bool
        Whether the whole section is folded if space is short.
    """

    id: str
    title: str
    text: tuple[str, ...] = ()
    plots: tuple[Plot, ...] = ()
    tables: tuple[Table, ...] = ()
    folded: tuple[Table, ...] = ()
    findings: tuple[Finding, ...] = ()
    is_detail: bool = False
