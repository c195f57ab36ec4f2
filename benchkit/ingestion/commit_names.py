"""The commits of a store: each has one name there, of whatever length it was given."""

from __future__ import annotations

from collections.abc import Collection
from typing import TYPE_CHECKING

from benchkit.ingestion.rows import fill_texts, load_entries
from benchkit.schema import REFUSED_ROLES

if TYPE_CHECKING:
    import pyarrow as pa

    from benchkit.store import Store

#: The columns of stored pieces that name their commits.
_COLUMNS = ("env", "role")


class RenamedError(Exception):
    """Another writer stored the commit under another name meanwhile."""


def list_commits(store: Store) -> dict[str, set[str]]:
    """Return the commits that the runs of a store record, with the dates recorded of each."""
    return _read_commits(store.pieces(_COLUMNS))


def resolve_commit(commit: str, known: Collection[str]) -> str:
    """Return the name of a commit among those that are known."""
    from benchkit.history.naming import resolve  # no other ingest needs numpy so early

    return resolve(commit, known)


def require_commit(commit: str, stored: pa.Table | None) -> None:
    """Raise `RenamedError` if stored pieces name a commit otherwise."""
    if commit and resolve_commit(commit, _read_commits(stored)) != commit:
        raise RenamedError


def _read_commits(stored: pa.Table | None) -> dict[str, set[str]]:
    import pyarrow as pa
    import pyarrow.compute as pc

    if stored is None or not len(stored):
        return {}
    rows = fill_texts(stored, [*_COLUMNS])
    is_refused = pc.is_in(rows["role"], pa.array(REFUSED_ROLES))
    if pc.any(is_refused).as_py():  # else it would copy all
        rows = rows.filter(pc.invert(is_refused))
    commits: dict[str, set[str]] = {}
    for env in map(load_entries, filter(None, rows["env"].unique().to_pylist())):
        if commit := env.get("commit"):
            commits.setdefault(commit, set()).update(filter(None, [env.get("date")]))
    return commits
