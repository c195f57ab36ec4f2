"""What a notebook shows of results that were loaded."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from benchkit.tables.model import Table


@dataclass(frozen=True, slots=True, kw_only=True)
class Card:
    """What the template sees.

    Parameters
    ----------
    lines : sequence of str
        Below the table.
    """

    sentence: str
    table: Table
    lines: Sequence[str] = ()
