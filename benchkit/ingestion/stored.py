"""The runs of a store in columns, with the labels that depend on all of them.

A history holds so many runs that one object per run would take most of its time.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from datetime import datetime
from typing import TYPE_CHECKING

import numpy as np

from benchkit.codes import code, number_rows
from benchkit.errors import DataError
from benchkit.ingestion.companions import place_companions
from benchkit.ingestion.origins import list_layers
from benchkit.ingestion.parts import Part
from benchkit.ingestion.rows import fill_rows, fill_texts, load_entries, parts_table, read_parts
from benchkit.ingestion.sharded import set_aside_incomplete
from benchkit.ingestion.sources import STDIN, Identity
from benchkit.labels.numbering import lead_by_package, part_packages
from benchkit.labels.sections import share_headings
from benchkit.labels.shards import SHARD
from benchkit.parsers import registry
from benchkit.schema import REFUSED_ROLES
from benchkit.store.columns import plain

if TYPE_CHECKING:
    import pandas as pd
    import pyarrow as pa

    from benchkit.store import Store


def list_parts(store: Store) -> list[Part]:
    """Return the parts of a store, with the labels that depend on all of them."""
    return read_stored(store)[0]


def read_stored(store: Store) -> tuple[list[Part], list[Part]]:
    """Return the parts of a store, and its entries on refused sources."""
    stored = read_parts(store.pieces())
    parts = [part for part in stored if part.role not in REFUSED_ROLES]
    _label(parts)
    return parts, [part for part in stored if part.role in REFUSED_ROLES]


def _label(parts: list[Part]) -> None:
    part_packages(parts)
    share_headings(parts)
    place_companions(parts)
    set_aside_incomplete(parts)


def read_rows(store: Store, commit: str = "") -> pa.Table:
    """Return the runs of a store in columns, with the labels that `list_parts` assigns.

    Parameters
    ----------
    store : Store
    commit : str
        Only its runs, with the labels that depend on them; all if empty.

    Raises
    ------
    DataError
        If the store is empty or does not exist.
    """
    import pyarrow as pa

    stored = _take_commit(store, commit) if commit else store.pieces()
    rows = fill_rows(parts_table([]) if stored is None else stored)
    rows = rows.filter(pa.array(~code(rows["role"]).isin(list(REFUSED_ROLES))))
    if not len(rows) and not commit:
        raise lack_runs(store)
    if _needs_parts(rows):
        _label(parts := read_parts(plain(rows)))
        return fill_rows(plain(parts_table(parts)))
    return _part_packages(rows)


def _take_commit(store: Store, commit: str) -> pa.Table | None:
    import pyarrow as pa

    stored = store.pieces(["env"])
    if stored is None or "env" not in stored.column_names:
        return stored
    coded = code(fill_texts(stored, ["env"])["env"])
    is_own = np.array(
        [bool(text) and load_entries(text).get("commit") == commit for text in coded.categories],
        dtype=bool,
    )
    return store.take(pa.array(np.flatnonzero(is_own[coded.codes])))


def lack_runs(store: Store) -> DataError:
    """Return the error that a store contains no runs."""
    return DataError(
        "the store is empty or does not exist",
        where=store.url,
        hint="run `benchkit ingest PATH` first, or give raw files",
    )


def _needs_parts(rows: pa.Table) -> bool:
    """Return whether labels depend on headings, container tables or several generators."""
    tools = map(registry.tool, rows["tool"].unique().to_pylist())
    return (
        any(map(load_entries, rows["headings"].unique().to_pylist()))
        or any(tool.role == "companion" and tool.has_snapshots for tool in tools)
        or any(SHARD in load_entries(text) for text in rows["env"].unique().to_pylist())
    )


def _part_packages(rows: pa.Table) -> pa.Table:
    """Add the Go package to the group if packages differ."""
    import pyarrow as pa

    if len(set(rows["pkg"].unique().to_pylist()) - {""}) < 2:
        return rows
    names = ("group", "pkg")
    frame = _code(rows, *names)
    numbers, firsts = number_rows(frame, names)
    pairs = zip(*(frame[name].iloc[firsts].tolist() for name in names), strict=True)
    groups = pa.array([lead_by_package(group, package) for group, package in pairs], pa.string())
    place = rows.column_names.index("group")
    return rows.set_column(place, "group", groups.take(pa.array(numbers)))


def list_row_layers(rows: pa.Table) -> Iterator[pa.Table]:
    """Yield all runs in layers, in which each side has at most one origin."""
    import pyarrow as pa

    names = ("assigned", "variant", "origin", "role")
    frame = _code(rows, *names)
    numbers, firsts = number_rows(frame, names)
    newest = np.zeros(len(firsts), dtype=np.int64)
    np.maximum.at(newest, numbers, rows["batch"].to_numpy())
    columns = (frame[name].iloc[firsts].tolist() for name in names)
    kinds = [
        Part(path="", piece=piece, batch=batch, **dict(zip(names, labels, strict=True)))
        for piece, (batch, *labels) in enumerate(zip(newest.tolist(), *columns, strict=True))
    ]
    for layer in list_layers(kinds):
        is_kept = np.zeros(len(kinds), dtype=bool)
        is_kept[[kind.piece for kind in layer]] = True
        yield rows if is_kept.all() else rows.filter(pa.array(is_kept[numbers]))


def list_apart(rows: pa.Table) -> list[Part]:
    """Return the runs of commits that several ingests read, or some of whose sources are gone."""
    import pyarrow as pa

    env = code(rows["env"])
    commits = code([load_entries(text).get("commit", "") for text in env.categories])
    frame = _code(rows, "origin").assign(
        commit=commits.take(env.codes), batch=rows["batch"].to_numpy()
    )
    of_commit, _ = number_rows(frame, ("origin", "commit"))
    _, firsts = number_rows(frame, ("origin", "commit", "batch"))
    is_apart = np.bincount(of_commit[firsts]) > 1
    is_apart[of_commit[np.flatnonzero(code(rows["gone_from"]) != "")]] = True
    chosen = is_apart[of_commit] & (frame["commit"] != "").to_numpy()
    return read_parts(plain(rows.filter(pa.array(chosen))))


def _code(rows: pa.Table, *names: str) -> pd.DataFrame:
    import pandas as pd

    return pd.DataFrame({name: code(rows[name]) for name in names})


def list_sources(
    stored: pa.Table | None, addresses: Iterable[str] | None = None
) -> dict[Identity, tuple[str, str]]:
    """Return the digest and the fingerprint of each stored source; empty if damaged.

    Parameters
    ----------
    addresses : iterable of str, optional
        The addresses of the sources to read; standard input gets its address after it was read.
    """
    if stored is None or not len(stored):
        return {}
    import pyarrow as pa
    import pyarrow.compute as pc

    rows = fill_texts(stored, [*Identity._fields, "sha256", "fingerprint", "role"])
    is_source = pc.invert(pc.is_in(rows["role"], pa.array(REFUSED_ROLES)))
    if addresses is not None:
        is_near = pc.is_in(rows["path"], pa.array(addresses, pa.string()))
        is_near = pc.or_(is_near, pc.starts_with(rows["path"], f"{STDIN}:"))
        is_source = pc.and_(is_source, is_near)
    rows = rows.filter(is_source)
    is_damaged = pc.equal(rows["role"], "damaged")
    damaged, whole = rows.filter(is_damaged), rows.filter(pc.invert(is_damaged))
    # Sources without runs are read, and refused, again.
    known = dict.fromkeys(_list_identities(damaged), ("", ""))
    contents = zip(whole["sha256"].to_pylist(), whole["fingerprint"].to_pylist(), strict=True)
    known |= zip(_list_identities(whole), contents, strict=True)
    return known


def list_contents(
    stored: pa.Table | None,
) -> Iterator[tuple[Identity, str, str, datetime | None]]:
    """Yield the undamaged stored sources, with digest, group and start time."""
    if stored is None or not len(stored):
        return
    import pyarrow as pa
    import pyarrow.compute as pc

    rows = fill_texts(stored, [*Identity._fields, "sha256", "group", "role"])
    rows = rows.append_column("started_at", stored["started_at"])
    rows = rows.filter(pc.invert(pc.is_in(rows["role"], pa.array(("damaged", *REFUSED_ROLES)))))
    facts = (rows[name].to_pylist() for name in ("sha256", "group", "started_at"))
    yield from zip(_list_identities(rows), *facts, strict=True)


def _list_identities(rows: pa.Table) -> Iterator[Identity]:
    return map(Identity, *(rows[name].to_pylist() for name in Identity._fields))
