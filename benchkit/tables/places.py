"""What the tables of resources share: where a row belongs, and the change that was judged.

A container's row and a request's row are found and named alike.
"""

from __future__ import annotations

from collections.abc import Iterable

from benchkit.schema import Side, Workload
from benchkit.tables.model import Cell, Table, fold_constant
from benchkit.tables.wording import MARKS, NOTHING, write_change, write_interval
from benchkit.units import printable
from benchkit.verdict import IMPROVEMENT, REGRESSION, Verdict, Verdicts

PLACE = Workload._fields
#: What columns of medians have to say of themselves.
MEDIANS = "medians over runs, each column separately (they need not add up)"


def judge_by_place(verdicts: Verdicts) -> dict[tuple[Side, str, str], Verdict]:
    """Return the verdicts on means of containers, by the variant's place."""
    found = {}
    for row in verdicts.rows:
        c = row.contrast
        if c.stat == "mean" and c.subject:
            found[c.side, c.subject, c.metric] = row
    return found


def place_cells(side: Side) -> tuple[Cell, ...]:
    """Return the cells of a row's labels, its variant apart."""
    return tuple(Cell(printable(text)) for text in side.workload)


class Footnotes:
    """Notes of a table, each once, in the order in which cells refer to them."""

    def __init__(self) -> None:
        self._numbers: dict[str, int] = {}

    def number(self, notes: Iterable[str]) -> tuple[int, ...]:
        """Return the numbers by which a cell refers to notes."""
        texts = map(printable, notes)
        return tuple(self._numbers.setdefault(note, len(self._numbers) + 1) for note in texts)

    @property
    def texts(self) -> tuple[str, ...]:
        """The notes, the first numbered 1."""
        return tuple(self._numbers)


def change_cells(row: Verdict | None, verdicts: Verdicts, notes: Footnotes) -> tuple[Cell, Cell]:
    """Write a change and its interval; dashes where nothing was compared.

    The change refers to how it was found, where that is not the usual way.
    """
    if row is None:
        return Cell(NOTHING), Cell(NOTHING)
    c = row.contrast
    mark = MARKS[row.word] if row.word in {REGRESSION, IMPROVEMENT} else ""
    change = Cell(write_change(c, verdicts.margin), c.ratio, mark, notes.number(c.notes))
    return change, Cell(write_interval(c, verdicts.margin), c.ratio_low)


def fold_place(table: Table, caption: str) -> Table:
    """Say in the caption what all rows share."""
    folded, shared = fold_constant(table, PLACE)
    caption = "; ".join((*shared, caption))
    return Table(folded.title, folded.columns, folded.rows, folded.notes, caption, folded.footer)
