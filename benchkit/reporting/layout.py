"""How a table stands on the page: cells in their columns, looks, and the keys they sort by.

A template places what it is given and decides nothing.
"""

from __future__ import annotations

from base64 import b64encode
from collections.abc import Sequence
from dataclasses import dataclass
from hashlib import sha256
from typing import TYPE_CHECKING

from benchkit.errors import Finding
from benchkit.tables.model import Cell, Column, Table
from benchkit.units import printable

if TYPE_CHECKING:
    from markupsafe import Markup

#: Rows up to which a folded table is printed.
_PRINTED = 40
#: Characters of an interval that stay in one line.
_WIDEST_INTERVAL = 20
_LOOKS = {"▲": "worse", "▼": "better", "=": "same", "≠": "changed", "~": "unknown"}


@dataclass(frozen=True, slots=True)
class Place:
    """A cell in its column, and whether it says the same again as the row above."""

    cell: Cell
    column: Column
    is_again: bool

    @property
    def text(self) -> str:
        """What it says; a mark stays with what is behind it, and an interval in one line."""
        label = self.cell.label
        if label.startswith(("[", "> ")) and len(label) <= _WIDEST_INTERVAL:
            return label.replace(" ", "\N{NO-BREAK SPACE}")
        return label.replace(" ", "\N{NO-BREAK SPACE}", 1) if self.cell.mark else label

    @property
    def look(self) -> str:
        """The classes of the cell."""
        names = (self.column.align, _LOOKS.get(self.cell.mark, ""), "again" * self.is_again)
        return " ".join(name for name in names if name)


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


def look_of(sentence: str) -> str:
    """Return the class of a sentence by its mark.

    Examples
    --------
    >>> look_of("▲ otlp is slower"), look_of("? too few runs"), look_of("Sweep of nginx")
    ('worse', '', 'unmarked')
    """
    return _LOOKS.get(sentence[:1], "unmarked" if sentence[:1].isalnum() else "")


def sort_key(place: Place) -> Markup:
    """Write the number behind a cell as an attribute, by which the page sorts its column."""
    from markupsafe import Markup

    value = place.cell.value
    return Markup("" if value is None else f' data-value="{value:.6g}"')  # noqa: S704 - a number


def is_long(table: Table) -> bool:
    """Tell whether a folded table stays folded on paper."""
    return len(table.rows) > _PRINTED


def gather(findings: Sequence[Finding]) -> list[list[Finding]]:
    """Put findings of one code side by side that ask for the same remedy."""
    found: dict[tuple[str, str, str], list[Finding]] = {}
    for each in findings:
        found.setdefault((each.severity, each.code, each.remedy), []).append(each)
    return list(found.values())


def mark_code(text: str) -> Markup:
    """Write a text with what stands between backticks as code.

    Examples
    --------
    >>> str(mark_code("see `benchkit runs` & <b>"))
    'see <code>benchkit runs</code> &amp; &lt;b&gt;'
    """
    from markupsafe import Markup, escape

    parts = [escape(part) for part in printable(text).split("`")]
    if len(parts) % 2 == 0:  # one that stands alone is a backtick
        return escape(printable(text))
    coded = (part if i % 2 == 0 else f"<code>{part}</code>" for i, part in enumerate(parts))
    return Markup("".join(coded))  # noqa: S704 - each part is escaped


def hash_script(script: str) -> str:
    """Return the source by which a page allows this script and no other.

    Examples
    --------
    >>> hash_script("alert(1)")
    'sha256-bhHHL3z2vDgxUt0W3dWQOrprscmda2Y5pLsLg4GF+pI='
    """
    digest = sha256(script.encode()).digest()
    return f"sha256-{b64encode(digest).decode()}"
