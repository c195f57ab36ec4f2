"""The formats that can be read, one row per form.

A user whose file is refused looks here first.
"""

from __future__ import annotations

from collections.abc import Iterable

from benchkit.parsers.base import Format
from benchkit.tables.model import Cell, Column, Table


def formats_table(formats: Iterable[Format]) -> Table:
    """List every form of every format."""
    columns = (
        Column("format", "format"),
        Column("form", "form"),
        Column("versions", "versions"),
        Column("signature", "recognised by"),
        Column("not_recorded", "not recorded"),
    )
    rows = tuple(
        tuple(map(Cell, (one.name, form.name, form.versions, form.signature, form.not_recorded)))
        for one in formats
        for form in one.forms
    )
    return Table("Formats", columns, rows)
