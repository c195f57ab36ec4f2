"""What the log of commits notes of a file of the log of runs, for a repair that has lost the file.

It stands among the statistics of the file, where checkpoints keep it and other readers pass over
it.
"""

from __future__ import annotations

from collections.abc import Collection, Mapping
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    import pyarrow as pa

#: What the file does to earlier pieces, and the sources of its own.
CHANGES, SOURCES = "changes", "sources"
#: The columns that a note needs; there are 60, and the rows may be a million.
_READ = "label", "path", "dropped"
#: Characters of the sources of one file: each reader of the store reads them.
_LONGEST = 1 << 13


def write_notes(rows: pa.Table, changes: Mapping[str, object]) -> dict[str, object]:
    """Return what the log of commits notes of a file.

    Parameters
    ----------
    rows : Table
        Of the file.
    changes : mapping
        What they do to earlier pieces.
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
    """Return sources, or their folders where they are too long; nothing where these are, too."""
    folders = sorted({f"{source.rpartition('/')[0] or '.'}/" for source in sources})
    lists = ([*sources], folders)
    return next((names for names in lists if sum(map(len, names)) <= _LONGEST), [])
