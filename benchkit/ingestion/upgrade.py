"""Upgrade of stores from earlier builds: labels and file names by the rules of this build."""

from __future__ import annotations

from collections.abc import Collection
from typing import TYPE_CHECKING

from benchkit.ingestion.addresses import mask_address, name_path
from benchkit.ingestion.changes import flag
from benchkit.ingestion.rows import fill_texts, parts_table, read_parts
from benchkit.ingestion.sources import STDIN
from benchkit.labels.numbering import settle
from benchkit.redaction.marks import draw_key, use_key
from benchkit.store import Store
from benchkit.store.keys import keep_key, read_key

if TYPE_CHECKING:
    import pyarrow as pa


def settle_store(store: Store) -> None:
    """Settle all stored runs by the rules of this build, whichever build stored them."""
    use_key(read_key(store.url) or keep_key(store.url, draw_key()))
    store.commit_pieces(_settle_all, operation="upgrade")


def mask_addresses(store: Store, addresses: Collection[str]) -> None:
    """Mask secrets in stored paths, if an earlier build stored sources under these addresses."""
    import pyarrow as pa
    import pyarrow.compute as pc

    stored = store.pieces(["path"]) if addresses else None
    if stored is not None and len(stored):
        paths = fill_texts(stored, ["path"])["path"]
        if pc.any(pc.is_in(paths, pa.array(addresses, pa.string()))).as_py():
            settle_store(store)


def _settle_all(stored: pa.Table | None) -> pa.Table:
    """Settle all stored runs again, and return the rows that change.

    If there are none, nothing is committed, and the last ingest can still be undone.
    """
    before, parts = read_parts(stored), read_parts(stored)
    for part in parts:
        if not part.path.startswith(f"{STDIN}:"):
            part.path = mask_address(part.path)
        part.folder, part.leftover = name_path(part.folder), name_path(part.leftover)
    settle(parts)
    known = {(part.batch, part.piece): part for part in before}
    changed = [part for part in parts if part != known[part.batch, part.piece]]
    return flag(parts_table(changed), dropped=False)
