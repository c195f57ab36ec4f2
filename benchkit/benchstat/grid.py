"""Cells laid out in columns for a fixed-width font (texttab/table.go)."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, field

#: Pads a text to a width.
Align = Callable[[str, int], str]


def left(text: str, _: int) -> str:
    """Leave a text as it is: nothing is padded on the right."""
    return text


def right(text: str, width: int) -> str:
    """Pad on the left; on the right if the width is negative, as Go's ``%*s`` does."""
    return text.rjust(width) if width >= 0 else text.ljust(-width)


def center(text: str, width: int) -> str:
    """Pad on the left by half of the space."""
    return right("", int((width - len(text)) / 2)) + text


@dataclass(frozen=True, slots=True)
class GridCell:
    """A text across one or more columns, behind a margin of its first column."""

    row: int
    column: int
    span: int
    text: str
    margin: str
    align: Align


@dataclass(slots=True)
class Grid:
    """Cells in the order in which they are put, and the columns that never grow."""

    cells: list[GridCell] = field(default_factory=list)
    narrow: set[int] = field(default_factory=set)
    row: int = -1
    column: int = 0

    def start_row(self) -> None:
        """Go to the next row."""
        self.row, self.column = self.row + 1, 0

    def put(
        self, text: str, align: Align = left, *, span: int = 1, margin: str | None = None
    ) -> None:
        """Put a cell at the current place and go past it."""
        if margin is None:
            margin = " " if self.column and text else ""
        self.cells.append(GridCell(self.row, self.column, span, text, margin, align))
        self.column += span

    def lay_out(self) -> str:
        """Return the lines; nothing stands behind the last cell of each."""
        columns = max((cell.column + cell.span for cell in self.cells), default=0)
        margins = [0] * columns
        for cell in self.cells:
            margins[cell.column] = max(margins[cell.column], len(cell.margin))
        starts = [0]
        for width in self._find_widths(margins):
            starts.append(starts[-1] + width)
        rows, ends = [""] * (self.row + 1), [0] * (self.row + 1)
        for cell in self.cells:
            if not cell.text.strip() and not cell.margin.strip():
                continue
            start, margin = starts[cell.column], margins[cell.column]
            text = cell.align(cell.text, starts[cell.column + cell.span] - start - margin)
            # Behind a cell too long for its columns the gap is negative, and padded all the same.
            gap = right("", start - ends[cell.row])
            rows[cell.row] += gap + cell.margin.rjust(margin) + text
            ends[cell.row] = start + margin + len(text)
        return "".join(f"{row}\n" for row in rows)

    def _find_widths(self, margins: Sequence[int]) -> list[int]:
        """Return the width of each column with its margin, narrow spans first."""
        widths = [0] * len(margins)
        for cell in sorted(self.cells, key=lambda cell: cell.span):
            width = len(cell.text) + margins[cell.column]
            if cell.span == 1:
                widths[cell.column] = max(widths[cell.column], width)
                continue
            spanned = range(cell.column, cell.column + cell.span)
            if sum(widths[at] for at in spanned) < width:
                width -= sum(widths[at] for at in spanned if at in self.narrow)
                _widen(widths, [at for at in spanned if at not in self.narrow], width)
        return widths


def _widen(widths: list[int], columns: list[int], width: int) -> None:
    """Widen columns evenly until they hold a width; wider ones first keep what they have."""
    columns.sort(key=lambda at: -widths[at])
    for rest, at in zip(range(len(columns), 0, -1), columns, strict=True):
        widths[at] = max(widths[at], -(-width // rest))
        width -= widths[at]
