"""The ingest that `undo` took back, named so that it is not taken for a later one.

An ingest that reads nothing new commits nothing, so the last change may be older than it.
"""

from __future__ import annotations

from datetime import UTC, datetime
from typing import TYPE_CHECKING

from benchkit.ingestion.addresses import name_path
from benchkit.ingestion.changes import count_runs
from benchkit.ingestion.gone import SHOWN
from benchkit.store.columns import began_at

if TYPE_CHECKING:
    import pyarrow as pa


def describe_reverted(rows: pa.Table, left: pa.Table | None) -> str:
    """Say which change was undone: when it was made, from which paths, and its runs.

    Parameters
    ----------
    rows : Table
        As `Store.undo` returns them: the pieces that the change added are dropped.
    left : Table or None
        The pieces of the store after it.
    """
    added = rows.filter(rows["dropped"])
    remaining = _write_count(0 if left is None else count_runs([left]))
    if not len(added):
        return f"undid the last change, which added no runs; the store now holds {remaining}"
    began = datetime.fromtimestamp(began_at(max(added["batch"].to_pylist())) / 1e6, UTC)
    paths = list(dict.fromkeys(added["label"].to_pylist()))
    more = f" and {len(paths) - SHOWN} more" if len(paths) > SHOWN else ""
    names = ", ".join(map(name_path, paths[:SHOWN]))
    return (
        f"undid the ingest of {began:%Y-%m-%d %H:%M:%S} UTC: {_write_count(count_runs([added]))} "
        f"from {names}{more}; the store now holds {remaining}"
    )


def _write_count(runs: int) -> str:
    return "1 run" if runs == 1 else f"{runs} runs"
