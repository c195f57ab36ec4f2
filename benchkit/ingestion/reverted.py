"""The ingest that `undo` took back, named so that it is not taken for a later one.

An ingest that reads nothing new commits nothing, so the last change may be older than it.
"""

from __future__ import annotations

from datetime import UTC, datetime
from shlex import quote
from typing import TYPE_CHECKING

from benchkit.errors import ConfigError
from benchkit.ingestion.addresses import name_path
from benchkit.ingestion.changes import count_runs
from benchkit.ingestion.gone import SHOWN
from benchkit.ingestion.origins import match
from benchkit.listing import list_first
from benchkit.store.columns import began_at

if TYPE_CHECKING:
    import pyarrow as pa


def require_origin(rows: pa.Table, mine: str, named: str | None) -> None:
    """Refuse to take back an ingest that another CI job or machine made, unless it is named.

    Parameters
    ----------
    rows : Table
        As `Store.undo` returns them.
    mine : str
        The origin of what this process ingests.
    named : str, optional
        The origin that the user names, or its beginning.

    Raises
    ------
    ConfigError
    """
    origins = _list_origins(rows)
    is_meant = mine in origins if named is None else match(named, origins)
    if origins and not is_meant:
        reason = f"not of {named!r}" if named else f"not of this {'CI job' if mine else 'machine'}"
        raise ConfigError(
            f"nothing was undone: the last ingest is of origin {origins[0]!r}, {reason}",
            where="undo",
            hint=f"to undo it all the same, run `benchkit undo --origin {quote(origins[0])}`",
        )


def _list_origins(added: pa.Table) -> list[str]:
    """Return the origins of an ingest, unless it was made on this machine, outside of CI."""
    held = added["origin"].unique().to_pylist() if "origin" in added.column_names else []
    return sorted(filter(None, held))


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
        of = list_first(_list_origins(rows), SHOWN)
        of = f" of origin {of}" if of else ""
        change = f"which dropped {_write_count(back)}{of}" if back > 0 else "which added no runs"
        return f"undid the last change, {change}; the store now holds {remaining}"
    began = datetime.fromtimestamp(began_at(max(added["batch"].to_pylist())) / 1e6, UTC)
    paths = list(dict.fromkeys(added["label"].to_pylist()))
    names = list_first([name_path(path) for path in paths], SHOWN)
    by = "".join(f" by {origin}" for origin in _list_origins(added))
    return (
        f"undid the ingest of {began:%Y-%m-%d %H:%M:%S} UTC{by}: "
        f"{_write_count(count_runs([added]))} from {names}; the store now holds {remaining}"
    )


def _count(pieces: pa.Table | None) -> int:
    return 0 if pieces is None else count_runs([pieces])


def _write_count(runs: int) -> str:
    return "1 run" if runs == 1 else f"{runs} runs"
