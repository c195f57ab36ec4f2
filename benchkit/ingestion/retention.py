"""Retention in a store: a prune drops old runs; `undo` restores them until a vacuum.

The ingest that `undo` reverted is named, so that it is not mistaken for a later one: an ingest that
reads nothing new commits nothing, so the last change may be older than it.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Sequence
from dataclasses import dataclass
from datetime import UTC, datetime
from shlex import quote
from typing import TYPE_CHECKING

from benchkit.errors import ConfigError
from benchkit.history.naming import read_branch
from benchkit.ingestion.addresses import name_path
from benchkit.ingestion.changes import count_runs, flag
from benchkit.ingestion.gone import SHOWN
from benchkit.ingestion.origins import match
from benchkit.ingestion.parts import Part
from benchkit.ingestion.rows import parts_table, read_parts
from benchkit.labels.declared import UnusableError, read_time
from benchkit.listing import list_first
from benchkit.schema import REFUSED_ROLES
from benchkit.store import Store
from benchkit.store.columns import began_at
from benchkit.store.log import PRUNE

if TYPE_CHECKING:
    import pyarrow as pa


@dataclass(frozen=True, slots=True)
class Pruned:
    """The numbers of dropped ingests and runs, and of old ingests that remain."""

    ingests: int = 0
    runs: int = 0
    kept: int = 0


def prune_ingests(store: Store, before: datetime, keep: int = 1) -> Pruned:
    """Drop the runs of ingests that began before a time, in one commit that `undo` can revert.

    An ingest is dropped with all of its runs, or stays. One of the ``keep`` newest ingests of a
    variant always stays, so that there is something to compare with.
    """
    pruned = Pruned()

    def build(stored: pa.Table | None) -> pa.Table:
        nonlocal pruned
        parts = read_parts(stored)
        old = {p.batch for p in parts if began_at(p.batch) < before.timestamp() * 1e6}
        dropped = old - _list_newest(parts, keep)
        gone = parts_table([part for part in parts if part.batch in dropped])
        pruned = Pruned(len(dropped), count_runs([gone]) if dropped else 0, len(old - dropped))
        return flag(gone, dropped=True)

    with store.locked():
        store.commit_pieces(build, PRUNE)
    return pruned


def _list_newest(parts: Sequence[Part], keep: int) -> set[int]:
    """Return the newest ingests of each variant of a group, ignoring commits in group names."""
    batches = defaultdict[tuple[str, str], set[int]](set)
    for part in parts:
        if part.role not in REFUSED_ROLES:
            group = part.group.removeprefix(part.env.get("commit", "")).removeprefix("/")
            batches[group, part.variant].add(part.batch)
    newest = (sorted(each, key=began_at)[-keep:] if keep else () for each in batches.values())
    return {batch for each in newest for batch in each}


def prune_commits(store: Store, keep: int, branch: str | None = None) -> list[str]:
    """Drop the runs of all but the newest commits, in one commit that `undo` can revert.

    Parameters
    ----------
    keep : int
        Number of commits of each branch that stay.
    branch : str, optional
        If set, only commits of this branch that belong to no other are dropped.

    Returns
    -------
    list of str
        The dropped commits, oldest first; commits without a date or start are never dropped.
    """
    dropped: list[str] = []
    only = None if branch is None else read_branch({"branch": branch})

    def build(stored: pa.Table | None) -> pa.Table:
        parts, dates = read_parts(stored), dict[str, datetime]()
        branches = defaultdict[str, set[str]](set)
        for part in parts:
            commit, date = part.env.get("commit"), _date(part)
            if commit and date:
                dates[commit] = min(date, dates.get(commit, date))
                branches[read_branch(part.env)].add(commit)
        order = sorted(dates, key=dates.__getitem__)
        kept = set[str]()
        for name, commits in branches.items():
            of_branch = [commit for commit in order if commit in commits]
            kept.update(of_branch[-keep:] if only in {None, name} else of_branch)
        dropped[:] = [commit for commit in order if commit not in kept]
        gone = [part for part in parts if part.env.get("commit") in dropped]
        return flag(parts_table(gone), dropped=True)

    with store.locked():
        store.commit_pieces(build, PRUNE)
    return dropped


def _date(part: Part) -> datetime | None:
    text = part.env.get("date")
    try:
        return read_time(text) if text else part.started_at
    except UnusableError:
        return part.started_at


def require_origin(rows: pa.Table, mine: str, named: str | None) -> None:
    """Refuse to undo an ingest of another CI job or machine, unless it is named.

    Parameters
    ----------
    rows : Table
        As returned by `Store.undo`.
    mine : str
        The origin of results that this process ingests.
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
    """Return the origins of an ingest; none if it was made on this machine outside CI."""
    held = added["origin"].unique().to_pylist() if "origin" in added.column_names else []
    return sorted(filter(None, held))


def describe_reverted(rows: pa.Table, before: pa.Table | None, left: pa.Table | None) -> str:
    """Describe the undone change: when it was made, from which paths, and its runs.

    Parameters
    ----------
    rows : Table
        As returned by `Store.undo`: pieces that the change added are dropped.
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
