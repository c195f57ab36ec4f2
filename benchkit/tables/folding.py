"""Which exploratory rows a terminal shows: a screen or two, and a count of the rest."""

from __future__ import annotations

from collections.abc import Sequence

from benchkit.comparison import DIRECTIONS
from benchkit.verdict import CHANGED, IMPROVEMENT, REGRESSION, Verdict

#: Maximum number of rows that people read; the rest is folded.
MOST = 40
_SHOWN = frozenset({REGRESSION, IMPROVEMENT, CHANGED})


def fold_rows(rows: Sequence[Verdict], most: int = MOST) -> tuple[list[Verdict], str]:
    """Return the rows to show, in their order, and a line about the rest.

    Parameters
    ----------
    most : int
        Maximum number of rows to show.

    Notes
    -----
    Rows that changed come first, then rows with an interval, then directions, and last the rows of
    a tag, phase or container; each group keeps its order.
    """
    if len(rows) <= most:
        return list(rows), ""
    ranked = sorted(range(len(rows)), key=lambda index: (_rank(rows[index]), index))
    kept = [index for index in ranked if _rank(rows[index]) <= _OWN][:most]
    if not kept:
        kept = ranked[:most]
    chosen = set(kept)
    left = [row for index, row in enumerate(rows) if index not in chosen]
    return [rows[index] for index in sorted(chosen)], _describe(left)


#: Largest rank at which a row is worth a line.
_OWN = 1


def _rank(row: Verdict) -> int:
    if row.word in _SHOWN:
        return 0
    is_known = row.contrast.method not in DIRECTIONS
    return (1 if is_known else 2) if not row.contrast.subject else 3


def _describe(left: Sequence[Verdict]) -> str:
    """Count the folded rows by the reason for folding them."""
    moved = sum(row.word in _SHOWN for row in left)
    parts = sum(bool(row.contrast.subject) and row.word not in _SHOWN for row in left)
    single = sum(_rank(row) == _OWN + 1 for row in left)
    rest = len(left) - moved - parts - single
    kinds = (
        (moved, "that change"),
        (parts, "rows of tags, phases or containers without a change"),
        (single, "of individual runs"),
        (rest, "other rows without a change"),
    )
    counts = ", ".join(f"{count} {what}" for count, what in kinds if count)
    return (
        f"{len(left)} rows are hidden: {counts}; show them with --all, or all numbers with "
        "--format csv"
    )
