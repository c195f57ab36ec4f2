"""Sources that are gone from a folder that is ingested again: their runs stay, and are named.

Nothing tells a folder that grew from one that was measured anew with fewer files. The runs of the
missing files therefore count on, and a stored mark says so wherever they are compared.
"""

from __future__ import annotations

import os
from collections.abc import Iterator, Sequence
from dataclasses import replace
from shlex import quote
from typing import TYPE_CHECKING, NamedTuple

from benchkit.errors import Finding
from benchkit.ingestion.addresses import show_path
from benchkit.ingestion.discovery import Discovery, Options
from benchkit.ingestion.frames import fill_texts, read_parts
from benchkit.ingestion.identity import write_assigned
from benchkit.ingestion.parts import Part

if TYPE_CHECKING:
    import pyarrow as pa

#: Sources that are named; the rest are counted.
_SHOWN = 3


class Folder(NamedTuple):
    """A folder that an ingest reads: as the user names it, its path, and whose sources it holds."""

    name: str
    path: str
    origin: str
    assigned: str


class Folders:
    """The folders that an ingest reads, and the sources that are there.

    Parameters
    ----------
    discovery : Discovery
    options : Options
    """

    def __init__(self, discovery: Discovery, options: Options) -> None:
        self._present = {source.address for source in discovery.found}
        self._folders = [
            Folder(
                name=show_path(sidecars.root),
                path=show_path(sidecars.root.resolve()),
                origin=options.origin or "",
                assigned=write_assigned(variant or options.variant, options.commit),
            )
            for variant, sidecars in discovery.roots
        ]

    def list_marked(self, stored: pa.Table | None) -> Iterator[tuple[Part, bool]]:
        """Yield the stored parts whose sources are gone, or back, and whether that is news."""
        if stored is None or not len(stored):
            return
        import pyarrow as pa

        rows = fill_texts(stored, ["path", "gone_from"])
        for folder in self._folders:
            places = _list_places(stored, folder)
            near = rows.take(places).to_pydict()
            is_gone = [self._is_gone(path) for path in near["path"]]
            marks = zip(is_gone, near["gone_from"], strict=True)
            chosen = pa.array([gone or bool(mark) for gone, mark in marks], pa.bool_())
            parts = read_parts(stored.take(places.filter(chosen)))
            for part in parts:
                mark = (part.gone_from or folder.name) if self._is_gone(part.path) else ""
                yield replace(part, gone_from=mark), part.gone_from != mark

    def _is_gone(self, path: str) -> bool:
        return path not in self._present and not os.path.exists(path)  # noqa: PTH110 - texts


def _list_places(stored: pa.Table, folder: Folder) -> pa.Array:
    """Return the rows of the sources that were read from a folder, under the same labels."""
    import pyarrow.compute as pc

    rows = fill_texts(stored, ["origin", "assigned", "path", "role"])
    is_inside = pc.starts_with(rows["path"], f"{folder.path.rstrip('/')}/")
    for name, value in (("origin", folder.origin), ("assigned", folder.assigned)):
        is_inside = pc.and_(is_inside, pc.equal(rows[name], value))
    return pc.indices_nonzero(pc.and_(is_inside, pc.not_equal(rows["role"], "empty")))


def find_gone(parts: Sequence[Part]) -> Iterator[Finding]:
    """B110: runs whose sources were gone when their folder was ingested again."""
    folders: dict[tuple[str, str], dict[str, None]] = {}
    for part in parts:
        if part.gone_from:
            folders.setdefault((part.gone_from, part.assigned), {})[part.label] = None
    for (folder, assigned), labels in folders.items():
        listed = list(labels)
        more = f" and {len(listed) - _SHOWN} more" if len(listed) > _SHOWN else ""
        variant = assigned.partition("variant=")[2]
        source = quote(f"{variant}={folder}" if variant else folder)
        yield Finding(
            code="B110",
            severity="warning",
            where=folder,
            message="it was ingested again without these sources, and their runs still count: "
            f"{', '.join(listed[:_SHOWN])}{more}",
            remedy=f"run `benchkit ingest {source} --store NEW` for a store without them; to "
            "keep both apart, run `benchkit undo` right after that ingest, then "
            f"`benchkit ingest {source} --origin NAME`",
            numbers={"sources": len(listed)},
        )
