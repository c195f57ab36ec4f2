"""The report as one self-contained page: no network, no script, light, dark and print.

In: a `Report`. Out: HTML. Why: the file can be mailed, attached to a ticket and opened years later.
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import cache
from pathlib import Path
from typing import TYPE_CHECKING

from benchkit.plots import theme
from benchkit.report.model import Report
from benchkit.tables.model import Cell, Column, Table
from benchkit.units import printable

if TYPE_CHECKING:
    from jinja2 import Environment

_LOOKS = {"▲": "worse", "▼": "better", "=": "same", "≠": "changed", "~": "unknown"}


@dataclass(frozen=True, slots=True)
class Place:
    """A cell in its column, and whether it says the same again as the row above."""

    cell: Cell
    column: Column
    is_again: bool

    @property
    def look(self) -> str:
        """The classes of the cell."""
        names = (self.column.align, _LOOKS.get(self.cell.mark, ""), "again" * self.is_again)
        return " ".join(name for name in names if name)


def to_html(report: Report) -> str:
    """Write a report as a page.

    Parameters
    ----------
    report : Report

    Returns
    -------
    str
        One file: styles and figures inline, nothing fetched, nothing executed.
    """
    return _environment().get_template("page.html").render(report=report)


def to_fragment(report: Report) -> str:
    """Write verdict and tables as an element that a notebook can show.

    Parameters
    ----------
    report : Report
    """
    return _environment().get_template("fragment.html").render(report=report)


@cache
def _environment() -> Environment:
    from jinja2 import Environment, FileSystemLoader, StrictUndefined
    from markupsafe import Markup

    environment = Environment(
        loader=FileSystemLoader(Path(__file__).parent / "templates"),
        autoescape=True,
        undefined=StrictUndefined,
        trim_blocks=True,
        lstrip_blocks=True,
    )
    environment.filters |= {
        "visible": printable,
        "lay_out": lay_out,
        "look": lambda sentence: _LOOKS.get(sentence[:1], ""),
        "draw": lambda plot: Markup(plot.svg()),  # noqa: S704 - its texts are escaped by `to_svg`
    }
    environment.globals |= {
        "light": Markup(theme.declare(0)),  # noqa: S704 - constants
        "dark": Markup(theme.declare(1)),  # noqa: S704
    }
    return environment


def lay_out(table: Table) -> list[list[Place]]:
    """Put cells under their columns and mark labels that only repeat the row above."""
    labels = next(
        (i for i, column in enumerate(table.columns) if column.align == "right"), len(table.columns)
    )
    placed, above = [], None
    for row in table.rows:
        same = 0
        while above and same < labels and row[same].label == above[same].label:
            same += 1
        placed.append(
            [
                Place(cell, column, index < same < len(row))
                for index, (cell, column) in enumerate(zip(row, table.columns, strict=True))
            ]
        )
        above = row
    return placed
