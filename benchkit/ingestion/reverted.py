"""The ingest that `undo` took back, named so that it is not taken for a later one.

An ingest that reads nothing new commits nothing, so the last change may be older than it.
"""

from __future__ import annotations

from datetime import UTC, datetime
from typing import TYPE_CHECKING

from benchkit.ingestion.addresses import name_path
from benchkit.ingestion.changes import count_runs
from benchkit.ingestion.gone import SHOWN
from benchkit.listing import list_first
from benchkit.store.columns import began_at

if TYPE_CHECKING:
    import pyarrow as pa


def describe_reverted(rows: pa.Table, before: pa.Table | None, left: pa.Table | None) -> str:
    """Say which change was undone: when it was made, from which paths, and its runs.

    Parameters
    ----------
    rows : Table
        As `Store.undo` returns them: the pieces that the change added are dropped.
    before, left : Table or None
        The pieces of the store before and after it.
    """
    added = rows.filter(rows["dropped"])
    runs = _count(left)
    remaining = _write_count(runs)
    if not len(added):
        back = runs - _count(before)
        change = f"which dropped {_write_count(back)}" if back > 0 else "which added no runs"
        return f"undid the last change, {change}; the store now holds {remaining}"
    began = datetime.fromtimestamp(began_at(max(added["batch"].to_pylist())) / 1e6, UTC)
    paths = list(dict.fromkeys(added["label"].to_pylist()))
    names = list_first([name_path(path) for path in paths], SHOWN)
    return (
        f"undid the ingest of {began:%Y-%m-%d %H:%M:%S} UTC: {_write_count(count_runs([added]))} "
        f"from {names}; the store now holds {remaining}"
    )


def _count(pieces: pa.Table | None) -> int:
    return 0 if pieces is None else count_runs([pieces])


def _write_count(runs: int) -> str:
    return "1 run" if runs == 1 else f"{runs} runs"
