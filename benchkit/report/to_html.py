"""The report as one self-contained page: no network, light, dark and print, script for comfort.

In: a `Report`. Out: HTML. Why: the file can be mailed, attached to a ticket and opened years later.
"""

from __future__ import annotations

from base64 import b64encode
from dataclasses import dataclass
from functools import cache
from hashlib import sha256
from pathlib import Path
from typing import TYPE_CHECKING

from benchkit.plots import theme
from benchkit.report.model import Report
from benchkit.tables.model import Cell, Column, Table
from benchkit.units import printable

if TYPE_CHECKING:
    from jinja2 import Environment
    from markupsafe import Markup

_TEMPLATES = Path(__file__).parent / "templates"
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
        One file: styles, figures and one script inline, nothing fetched; it reads as well without
        the script, and no other can run.
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
        loader=FileSystemLoader(_TEMPLATES),
        autoescape=True,
        undefined=StrictUndefined,
        trim_blocks=True,
        lstrip_blocks=True,
    )
    script = (_TEMPLATES / "page.js").read_text(encoding="utf-8")
    environment.filters |= {
        "visible": printable,
        "lay_out": lay_out,
        "look": lambda sentence: _LOOKS.get(sentence[:1], ""),
        "sort_key": sort_key,
        "draw": lambda plot: Markup(plot.svg()),  # noqa: S704 - its texts are escaped by `to_svg`
    }
    environment.globals |= {
        "light": Markup(theme.declare(0)),  # noqa: S704 - constants
        "dark": Markup(theme.declare(1)),  # noqa: S704
        "script": Markup(script),  # noqa: S704 - our own
        "script_hash": hash_script(script),
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


def sort_key(place: Place) -> Markup:
    """Write the number behind a cell as an attribute, by which the page sorts its column."""
    from markupsafe import Markup

    value = place.cell.value
    return Markup("" if value is None else f' data-value="{value:.6g}"')  # noqa: S704 - a number


def hash_script(script: str) -> str:
    """Return the source by which a page allows this script and no other.

    Examples
    --------
    >>> hash_script("alert(1)")
    'sha256-bhHHL3z2vDgxUt0W3dWQOrprscmda2Y5pLsLg4GF+pI='
    """
    digest = sha256(script.encode()).digest()
    return f"sha256-{b64encode(digest).decode()}"
