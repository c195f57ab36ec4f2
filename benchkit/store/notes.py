"""Notes in the log of commits on each file of the log of runs, for a repair without the file.

They are part of the file's statistics, where checkpoints keep them and other readers ignore them.
"""

from __future__ import annotations

from collections.abc import Collection, Mapping
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    import pyarrow as pa

#: The effect of the file on earlier pieces, and the sources of its new ones.
CHANGES, SOURCES = "changes", "sources"
#: The columns that a note needs; there are 60, and the rows may be a million.
_READ = "label", "path", "dropped"
#: Maximum number of characters of a file's sources, which each reader of the store has to read.
_LONGEST = 1 << 13


def write_notes(rows: pa.Table, changes: Mapping[str, object]) -> dict[str, object]:
    """Return the notes on a file for the log of commits.

    Parameters
    ----------
    rows : Table
        The rows of the file.
    changes : mapping
        Their effect on earlier pieces.
    """
    import pyarrow.compute as pc

    kept = rows.select([name for name in _READ if name in rows.column_names])
    if "dropped" in kept.column_names:
        kept = kept.filter(pc.invert(kept["dropped"]))
    notes = {CHANGES: changes, SOURCES: _shorten(list_sources(kept))}
    return {name: note for name, note in notes.items() if note}


def list_sources(pieces: pa.Table) -> list[str]:
    """Return the sources of pieces, as the user knows them."""
    name = "label" if "label" in pieces.column_names else "path"
    if name not in pieces.column_names:
        return []
    return sorted(set(pieces[name].unique().to_pylist()) - {None})


def _shorten(sources: Collection[str]) -> list[str]:
    """Return the sources, or their folders if the sources are too long; nothing if both are."""
    folders = sorted({f"{source.rpartition('/')[0] or '.'}/" for source in sources})
    lists = ([*sources], folders)
    return next((names for names in lists if sum(map(len, names)) <= _LONGEST), [])
