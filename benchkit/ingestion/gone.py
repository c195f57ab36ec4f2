"""Sources that are gone from a folder that is ingested again: their runs stay, and are named.

Files may be deleted once they are ingested, so that their runs count on, and a stored mark says so
wherever they are compared. Where other files of the same variant were measured again, two
measurements count as one, which is an error and fails the gate.
"""

from __future__ import annotations

import os
from collections import Counter
from collections.abc import Callable, Hashable, Iterable, Iterator, Sequence
from dataclasses import replace
from shlex import quote
from typing import TYPE_CHECKING, NamedTuple

from benchkit.errors import DataError, Finding
from benchkit.ingestion.addresses import name_path, show_path
from benchkit.ingestion.discovery import Discovery, Options
from benchkit.ingestion.frames import fill_texts
from benchkit.ingestion.identity import write_assigned
from benchkit.ingestion.origins import JUDGED
from benchkit.ingestion.parts import Part, show_label
from benchkit.labels.numbering import series_of
from benchkit.labels.tree import is_run, name_without_run

if TYPE_CHECKING:
    import pyarrow as pa

#: The finding on a variant of which two measurements count together.
MIXED = "B111"
#: Sources that are named; the rest are counted.
_SHOWN = 3


class Folder(NamedTuple):
    """A folder that an ingest reads: as the user names it, its path, and whose sources it holds."""

    name: str
    path: str
    origin: str
    assigned: str

    def holds(self, part: Part) -> bool:
        """Tell whether a part is of a source that was read from here, under the same labels."""
        is_inside = part.path.startswith(f"{self.path.rstrip('/')}/")
        return is_inside and (part.origin, part.assigned) == (self.origin, self.assigned)


class Folders:
    """The folders that an ingest reads, and the sources that are there."""

    def __init__(self, discovery: Discovery, options: Options) -> None:
        self._present = {source.address for source in discovery.found}
        self._folders = [
            Folder(
                name=name_path(sidecars.root),
                path=show_path(sidecars.root.resolve()),
                origin=options.origin or "",
                assigned=write_assigned(variant or options.variant, options.commit),
            )
            for variant, sidecars in discovery.roots
        ]

    def list_marked(
        self, stored: pa.Table | None, read: Callable[[pa.Array], list[Part]]
    ) -> Iterator[tuple[Part, bool]]:
        """Yield the stored parts whose sources are gone, or back, and whether that is news.

        Parameters
        ----------
        stored : Table or None
            The pieces in the store.
        read : callable
            Returns those at some places as parts.
        """
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
            for part in read(places.filter(chosen)):
                mark = (part.gone_from or folder.name) if self._is_gone(part.path) else ""
                yield replace(part, gone_from=mark), part.gone_from != mark

    def mark_anew(
        self, new: Sequence[Part], kept: Sequence[Part], superseded: Sequence[Part]
    ) -> None:
        """Mark settled parts in a folder where all earlier files of their rows are gone.

        Parameters
        ----------
        new : sequence of Part
        kept : sequence of Part
            The stored parts of the same series that no new one supersedes.
        superseded : sequence of Part
            The stored parts whose place new ones take: moved files are no new measurement.
        """
        known = {part.sha256 for part in superseded} | {part.path for part in superseded}
        for folder in self._folders:
            is_left: dict[tuple[str, ...], bool] = {}
            for part in filter(folder.holds, kept):
                row = _row_of(part)
                is_left[row] = is_left.get(row, False) or not part.gone_from
            for part in filter(folder.holds, new):
                is_new = known.isdisjoint((part.sha256, part.path))
                if is_new and is_left.get(_row_of(part)) is False:
                    part.renewed = part.batch

    def _is_gone(self, path: str) -> bool:
        if path in self._present and not os.path.islink(path):  # noqa: PTH114 - texts
            return False
        return not os.path.exists(path)  # noqa: PTH110 - texts


def _list_places(stored: pa.Table, folder: Folder) -> pa.Array:
    """Return the rows of the sources that were read from a folder, under the same labels."""
    import pyarrow.compute as pc

    rows = fill_texts(stored, ["origin", "assigned", "path", "role"])
    is_inside = pc.starts_with(rows["path"], f"{folder.path.rstrip('/')}/")
    for name, value in (("origin", folder.origin), ("assigned", folder.assigned)):
        is_inside = pc.and_(is_inside, pc.equal(rows[name], value))
    return pc.indices_nonzero(pc.and_(is_inside, pc.not_equal(rows["role"], "empty")))


def mark_renewed(new: Sequence[Part], superseded: Sequence[Part]) -> None:
    """Mark the new parts whose source held another measurement when it was last ingested.

    Parameters
    ----------
    new : sequence of Part
    superseded : sequence of Part
        The stored parts whose place they take; what replaces a torn file completes it.
    """
    whole = [part for part in superseded if part.role not in {"damaged", "empty"}]
    places = {(part.origin, part.path) for part in whole}
    contents = {(part.origin, part.sha256): part.renewed for part in whole}
    for part in new:
        content = part.origin, part.sha256
        is_other = (part.origin, part.path) in places and content not in contents
        part.renewed = part.batch if is_other else contents.get(content, 0)


def find_gone(parts: Sequence[Part], renewed: Sequence[Part]) -> Iterator[Finding]:
    """B110: runs whose sources were gone when their folder was ingested again; B111: beside new.

    Parameters
    ----------
    parts : sequence of Part
    renewed : sequence of Part
        Those whose series may have been measured again.
    """
    latest: dict[tuple[str, ...], int] = {}
    for part in renewed:
        series = _series_of(part)
        latest[series] = max(latest.get(series, 0), part.renewed)
    folders: dict[tuple[str, str, str], list[Part]] = {}
    for part in parts:
        if part.gone_from:
            is_mixed = part.batch < latest.get(_series_of(part), 0)
            key = part.gone_from, part.assigned, part.variant if is_mixed else ""
            folders.setdefault(key, []).append(part)
    for (folder, assigned, variant), gone in folders.items():
        near = set(map(_series_of, gone))
        anew = [part for part in renewed if part.renewed and _series_of(part) in near]
        labels = list(dict.fromkeys(part.label for part in gone))
        yield _describe(folder, assigned, variant, labels, (_count(gone), _count(anew)))


def find_pooled(parts: Sequence[Part]) -> Iterator[Finding]:
    """B111: runs that were read by themselves count as one variant, and together would not.

    These are runs of several folders of one parent, which as one tree are groups or variants unless
    they count runs, and labelled files whose names two variants share, which are benchmarks.
    """
    measured = [part for part in parts if part.role == "measured"]
    for (parent, variant), folders in _list_pooled_folders(measured).items():
        label = f"{name_path(list(folders)[-1])}={parent}/{name_path(list(folders)[-1])}"
        yield _describe_pooled(
            variant,
            f"folders of {parent}",
            folders,
            f"read {quote(parent)} as one PATH, or label each folder, {quote(label)}",
        )
    for variant, files in _list_pooled_files(measured).items():
        remedy = "ingest the files of a variant in one command, or each with --benchmark NAME"
        yield _describe_pooled(variant, "names of files", files, remedy)


def _describe_pooled(variant: str, what: str, names: Iterable[str], remedy: str) -> Finding:
    shown = [name_path(name) for name in names]
    more = f" and {len(shown) - _SHOWN} more" if len(shown) > _SHOWN else ""
    return Finding(
        code=MIXED,
        severity="error",
        where=variant,
        message=f"runs of {len(shown)} {what} count together: {', '.join(shown[:_SHOWN])}{more}",
        remedy=f"{remedy}; a store that holds them needs `--store NEW`",
        numbers={"pooled": len(shown)},
    )


def _list_pooled_folders(measured: Sequence[Part]) -> dict[tuple[str, str], dict[str, None]]:
    roots = [_find_root(part) for part in measured]
    rows: dict[tuple[str, Hashable], dict[str, None]] = {}
    pooled: dict[tuple[str, str], dict[str, None]] = {}
    if len(set(roots)) < 2:
        return pooled
    for part, root in zip(measured, roots, strict=True):
        parent, _, name = root.rpartition("/")
        if _is_named_by_path(part, root) and not is_run(name):
            row = rows.setdefault((parent, _row_of(part)), {})
            row[name] = None
            if len(row) > 1:
                pooled.setdefault((name_path(parent), part.variant), {}).update(row)
    return pooled


def _list_pooled_files(measured: Sequence[Part]) -> dict[str, dict[str, None]]:
    """Return the names of labelled files that were ingested apart and are of one row."""
    rows: dict[Hashable, dict[str, dict[str, set[int]]]] = {}
    for part in measured:
        if "variant=" in part.assigned:
            row = series_of(part)._replace(variant=""), part.benchmark, part.params
            names = rows.setdefault(row, {}).setdefault(part.variant, {})
            names.setdefault(name_without_run(part.path), set()).add(part.batch)
    pooled: dict[str, dict[str, None]] = {}
    for sides in rows.values():
        for variant, names in sides.items():
            others = (other for name, other in sides.items() if name != variant)
            is_apart = len(names) > 1 and not set.intersection(*names.values())
            if is_apart and any(len(names.keys() & other.keys()) > 1 for other in others):
                pooled.setdefault(variant, {}).update(dict.fromkeys(names))
    return pooled


def _find_root(part: Part) -> str:
    """Return the folder that was named, or that of the file that was."""
    folder = os.path.dirname(part.path)  # noqa: PTH120 - texts
    return folder.removesuffix(f"/{part.folder}") if part.folder else folder


def _is_named_by_path(part: Part, root: str) -> bool:
    """Tell whether a part has its variant from its path below the folder that was named."""
    inner = part.path.removeprefix(root).split("/")
    return "variant=" not in part.assigned and any(n.startswith(part.variant) for n in inner)


def list_stale(parts: Sequence[Part]) -> dict[str, DataError]:
    """Return the variants of which all files are gone, and why no gate judges them.

    Where nothing else is left of what was ingested, the files were deleted, not replaced.
    """
    judged = [part for part in parts if part.role in JUDGED]
    gone = {part.variant: part for part in judged if part.gone_from}
    left = [part for part in judged if not part.gone_from]
    for part in left:
        gone.pop(part.variant, None)
    places = {(part.origin, part.assigned) for part in left}
    return {
        variant: DataError(
            f"{part.gone_from} was ingested again without the files of {variant}",
            hint=f"measure {variant} again",
        )
        for variant, part in gone.items()
        if (part.origin, part.assigned) in places
    }


def _series_of(part: Part) -> tuple[str, ...]:
    return *series_of(part), part.assigned


def _row_of(part: Part) -> tuple[str, ...]:
    return *_series_of(part), part.benchmark, part.params


def _count(parts: Sequence[Part]) -> int:
    """Count the runs of the row that has the most."""
    rows: Counter[tuple[str, ...]] = Counter()
    for part in parts:
        rows[_row_of(part)] += 1 if part.places is None else len(part.places.lines)
    return max(rows.values(), default=0)


def _describe(
    folder: str, assigned: str, variant: str, labels: Sequence[str], runs: tuple[int, int]
) -> Finding:
    """Describe the sources that are gone; those of a ``variant`` count beside new ones."""
    more = f" and {len(labels) - _SHOWN} more" if len(labels) > _SHOWN else ""
    listed = f"{', '.join(labels[:_SHOWN])}{more}"
    label = show_label(assigned.partition("variant=")[2])
    source = quote(f"{label}={folder}" if label else folder)
    remedy = f"run `benchkit ingest {source} --store NEW` for a store without them"
    if variant:
        return Finding(
            code=MIXED,
            severity="error",
            where=variant,
            message=f"{folder} was measured again without {listed}: {runs[0]} earlier and "
            f"{runs[1]} new runs count together",
            remedy=f"{remedy}, or see `benchkit explain {MIXED}`",
            numbers={"sources": len(labels)},
        )
    return Finding(
        code="B110",
        severity="warning",
        where=folder,
        message="it was ingested again without these sources, and their runs still count: "
        f"{listed}",
        remedy=f"{remedy}; to keep both apart, run `benchkit undo` right after that ingest, then "
        f"`benchkit ingest {source} --origin NAME`",
        numbers={"sources": len(labels)},
    )
