"""Sources that are gone from a folder when it is ingested again: their runs stay, and are named.

Files may be deleted after an ingest: their runs still count, and a stored mark reports it wherever
they are compared. If other files of the same variant were measured again, two measurements count as
one, which is an error and fails the gate.
"""

from __future__ import annotations

import os
import re
from collections import Counter
from collections.abc import Callable, Collection, Iterable, Iterator, Mapping, Sequence
from dataclasses import replace
from functools import cache
from shlex import quote
from typing import TYPE_CHECKING, NamedTuple

from benchkit.errors import Finding, OutdatedError, UnmeasuredError
from benchkit.ingestion.addresses import locate, name_address, name_path
from benchkit.ingestion.discovery import Discovery, Options
from benchkit.ingestion.origins import JUDGED
from benchkit.ingestion.parts import Part, show_label
from benchkit.ingestion.rows import fill_texts
from benchkit.ingestion.sources import digest_unpacked, unpacked, write_assigned
from benchkit.labels.numbering import Series, leave_package, series_of
from benchkit.listing import list_first
from benchkit.schema import LOST_ROLES, REFUSED_ROLES

if TYPE_CHECKING:
    import pyarrow as pa

#: The finding on a variant with two measurements that count together.
MIXED = "B111"
#: Maximum number of sources that are named; the rest are counted.
SHOWN = 3


class Folder(NamedTuple):
    """A folder that an ingest reads, as a whole or only the named files in it.

    ``name`` is the user's, without files; ``origin`` and ``assigned`` are those of its sources.
    """

    name: str
    path: str
    origin: str
    assigned: str
    is_whole: bool

    def select(self, groups: Mapping[str, Sequence[Part]]) -> Iterator[Part]:
        """Yield the parts whose sources lie in this folder; ``groups`` are parts by folder."""
        for folder, parts in groups.items() if self.is_whole else ():
            if f"{folder}/".startswith(f"{self.path}/"):
                yield from parts
        if not self.is_whole:
            yield from groups.get(self.path, ())


class Folders:
    """The folders that an ingest reads, and the sources that are present.

    Other files next to a named one may not be meant, so they count as gone only if the same side
    was measured again from there.
    """

    def __init__(self, discovery: Discovery, options: Options) -> None:
        self.present = {source.address for source in discovery.found}
        origin = options.origin or ""
        self._folders = [
            Folder(
                name=name_path(sidecars.root),
                path=name_address(sidecars.root.resolve()).rstrip("/"),
                origin=origin,
                assigned=write_assigned(variant or options.variant, options.commit),
                is_whole=True,
            )
            for variant, sidecars in discovery.roots
        ]
        # The address of a file that needs a query is no other's when the query changes.
        copies = [(label, copy) for label, copy in discovery.copies if not copy.query]
        self._copies = [copy for _, copy in copies]
        self._folders += [
            Folder(
                name=name_path(copy.name),
                path=name_address(copy.name),
                origin=origin,
                assigned=write_assigned(label or options.variant, options.commit),
                is_whole=True,
            )
            for label, copy in copies
            if copy.path.is_dir()
        ]
        walked = {id(sidecars) for _, sidecars in discovery.roots}
        named = {
            (os.path.dirname(source.address).rstrip("/"), source.assigned): source.label  # noqa: PTH120 - texts
            for source in discovery.found
            if source.path and source.address.startswith("/") and id(source.sidecars) not in walked
        }
        self._folders += [
            Folder(os.path.dirname(label) or ".", path, origin, assigned, is_whole=False)  # noqa: PTH120 - texts
            for (path, assigned), label in named.items()
        ]

    def list_marked(
        self, stored: pa.Table | None, new: Sequence[Part], read: Callable[[pa.Array], list[Part]]
    ) -> Iterator[tuple[Part, bool]]:
        """Yield the stored parts whose sources are gone, or back, and whether their mark changes.

        Parameters
        ----------
        stored : Table or None
            The pieces in the store.
        new : sequence of Part
            The parts that were read.
        read : callable
            Returns the pieces at some positions as parts.
        """
        if stored is None or not len(stored):
            return
        import pyarrow as pa

        rows = fill_texts(stored, ["origin", "assigned", "variant", "path", "gone_from", "role"])
        groups = _group_by_folder(new)
        emptied = [part for part in new if part.role == "empty"]
        latest = _find_latest((series_of(part), part.renewed) for part in new)
        latest = _find_latest([*latest.items(), *_list_renewed(stored)])
        seen: set[tuple[int, int]] = set()
        for folder in self._folders:
            if not (folder.is_whole or latest):
                continue
            series = set(map(series_of, folder.select(groups)))
            variants = {each.variant for each in series} | {part.variant for part in emptied}
            places = _list_places(rows, folder, variants)
            near = rows.select(["path", "gone_from"]).take(places).to_pydict()
            is_gone = [self._is_gone(path) for path in near["path"]]
            marks = zip(is_gone, near["gone_from"], strict=True)
            chosen = pa.array([gone or bool(mark) for gone, mark in marks], pa.bool_())
            for part in read(places.filter(chosen)):
                is_alike = part.assigned == folder.assigned or series_of(part) in series
                is_alike = is_alike or any(_is_within(part, place) for place in emptied)
                is_stale = part.gone_from or part.batch < latest.get(series_of(part), 0)
                key = part.batch, part.piece
                if key not in seen and is_alike and (folder.is_whole or is_stale):
                    seen.add(key)
                    mark = (part.gone_from or folder.name) if self._is_gone(part.path) else ""
                    yield replace(part, gone_from=mark), part.gone_from != mark

    def has_read(self, part: Part) -> bool:
        """Return whether a stored source, or the folder that held it, was read again."""
        is_inside = any(
            part.origin == folder.origin and part.path.startswith(f"{folder.path}/")
            for folder in self._folders
            if folder.is_whole
        )
        return is_inside or part.path in self.present

    def mark_anew(
        self, new: Sequence[Part], kept: Sequence[Part], superseded: Sequence[Part]
    ) -> None:
        """Mark settled parts in a folder where all earlier files of their rows are gone.

        A single named file may be one of many that are each deleted after their ingest.

        Parameters
        ----------
        kept : sequence of Part
            The stored parts of the same series that no new one supersedes.
        superseded : sequence of Part
            The stored parts that new ones replace: moved files are not a new measurement.
        """
        known = {part.sha256 for part in superseded} | {unpacked(part.path) for part in superseded}
        contents = {part.sha256 for part in new}
        unchanged = [part for part in superseded if part.sha256 in contents]
        groups, earlier = _group_by_folder(new), _group_by_folder([*kept, *unchanged])
        for folder in self._folders:
            is_left: dict[tuple[str, ...], bool] = {}
            for part in folder.select(earlier):
                row = row_of(part)
                is_there = part.sha256 in contents or not self._is_gone(part.path)
                is_left[row] = is_left.get(row, False) or is_there
            fresh: dict[tuple[str, ...], list[Part]] = {}
            for part in folder.select(groups):
                if is_left.get(row_of(part)) is False:
                    fresh.setdefault(row_of(part), []).append(part)
            for parts in fresh.values():
                is_alone = len({part.path for part in parts}) == 1
                for part in parts if folder.is_whole or not is_alone else ():
                    if known.isdisjoint((part.sha256, unpacked(part.path))):
                        part.renewed = part.batch

    def _is_gone(self, path: str) -> bool:
        copied = (copy.locate(path) for copy in self._copies)
        place = next(filter(None, copied), "") or locate(path)
        if path in self.present and not os.path.islink(place):  # noqa: PTH114 - texts
            return False
        return not os.path.exists(place)  # noqa: PTH110 - texts


def _group_by_folder(parts: Sequence[Part]) -> dict[str, list[Part]]:
    groups: dict[str, list[Part]] = {}
    for part in parts:
        groups.setdefault(part.path.rpartition("/")[0], []).append(part)
    return groups


def _is_within(part: Part, place: Part) -> bool:
    """Return whether a part is from a variant's folder that no longer holds a result."""
    is_inside = part.path.startswith(f"{place.path}/")
    return is_inside and (part.group, part.variant) == (place.group, place.variant)


def _list_renewed(stored: pa.Table) -> Iterator[tuple[Series, int]]:
    """Yield the series of stored sources that hold a new measurement."""
    import pyarrow.compute as pc

    if "renewed" in stored.column_names:
        stored = stored.filter(pc.greater(stored["renewed"], 0))
        rows = fill_texts(stored, ["origin", "group", "pkg", *Series._fields[2:]])
        labels = zip(*(column.to_pylist() for column in rows.columns), strict=True)
        for batch, (origin, group, pkg, *rest) in zip(
            stored["renewed"].to_pylist(), labels, strict=True
        ):
            yield Series(origin, leave_package(group, pkg), *rest), batch


def _list_places(rows: pa.Table, folder: Folder, variants: Collection[str]) -> pa.Array:
    """Return the positions of sources in a folder, by their labels or variants."""
    import pyarrow as pa
    import pyarrow.compute as pc

    is_inside = pc.starts_with(rows["path"], f"{folder.path}/")
    if not folder.is_whole:
        is_deeper = pc.match_substring_regex(rows["path"], f"^{re.escape(folder.path)}/.*/")
        is_inside = pc.and_not(is_inside, is_deeper)
    is_inside = pc.and_(is_inside, pc.equal(rows["origin"], folder.origin))
    is_alike = pc.is_in(rows["variant"], pa.array(variants, pa.string()))
    is_alike = pc.or_(is_alike, pc.equal(rows["assigned"], folder.assigned))
    is_source = pc.invert(pc.is_in(rows["role"], pa.array(("empty", *REFUSED_ROLES))))
    return pc.indices_nonzero(pc.and_(pc.and_(is_inside, is_alike), is_source))


def _find_latest(renewed: Iterable[tuple[Series, int]]) -> dict[Series, int]:
    """Return the batch in which each series was last measured again, if it was."""
    latest: dict[Series, int] = {}
    for series, batch in renewed:
        if batch > latest.get(series, 0):
            latest[series] = batch
    return latest


def mark_renewed(new: Sequence[Part], superseded: Sequence[Part]) -> None:
    """Mark the new parts whose source held another measurement at its last ingest.

    Parameters
    ----------
    superseded : sequence of Part
        The stored parts that they replace; the replacement of a truncated file completes it.
    """
    whole = [part for part in superseded if part.role not in LOST_ROLES]
    places = {(part.origin, unpacked(part.path)) for part in whole}
    contents = {(part.origin, part.sha256): part.renewed for part in whole}
    digest = cache(digest_unpacked)
    for part in new:
        content = part.origin, part.sha256
        is_known_place = (part.origin, unpacked(part.path)) in places
        if is_known_place and content not in contents:  # it may have been packed since
            content = part.origin, digest(part.path)
        is_other = is_known_place and content not in contents
        part.renewed = part.batch if is_other else contents.get(content, 0)


def find_gone(parts: Sequence[Part], renewed: Sequence[Part]) -> Iterator[Finding]:
    """B110: runs whose sources are gone from a folder ingested again; B111: if there are new ones.

    Parameters
    ----------
    renewed : sequence of Part
        Parts whose series may have been measured again.
    """
    latest = _find_latest((series_of(part), part.renewed) for part in renewed)
    folders: dict[tuple[str, str, str], list[Part]] = {}
    for part in parts:
        if part.gone_from:
            is_mixed = part.batch < latest.get(series_of(part), 0)
            key = part.gone_from, part.assigned, part.variant if is_mixed else ""
            folders.setdefault(key, []).append(part)
    for (folder, assigned, variant), gone in folders.items():
        near = set(map(series_of, gone))
        anew = [part for part in renewed if part.renewed and not part.gone_from]
        anew = [part for part in anew if series_of(part) in near]
        labels = list(dict.fromkeys(part.label for part in gone))
        yield _describe(folder, assigned, variant, labels, (_count(gone), _count(anew)))


def list_stale(parts: Sequence[Part]) -> dict[str, UnmeasuredError]:
    """Return the variants whose files are all gone, with the reason why no gate judges them.

    If no other file of the ingest is left, the files were deleted, not replaced. Files that are
    left may have been measured again since; then a baseline that is gone is outdated.
    """
    judged = [part for part in parts if part.role in JUDGED]
    gone = {part.variant: part for part in judged if part.gone_from}
    left = [part for part in judged if not part.gone_from]
    for part in left:
        gone.pop(part.variant, None)
    latest: dict[str, int] = {}
    for part in left:
        latest[part.origin] = max(part.renewed, latest.get(part.origin, 0))
    return {
        variant: (OutdatedError if part.batch < latest[part.origin] else UnmeasuredError)(
            f"{part.gone_from} was ingested again without the files of '{variant}'",
            hint=f"measure '{variant}' again",
        )
        for variant, part in gone.items()
        if part.origin in latest
    }


def row_of(part: Part) -> tuple[str, ...]:
    """Return the key shared by runs that count as repeats of each other."""
    return *series_of(part), part.benchmark, part.params


def _count(parts: Sequence[Part]) -> int:
    """Count the runs of the largest row."""
    rows: Counter[tuple[str, ...]] = Counter()
    for part in parts:
        rows[row_of(part)] += 1 if part.places is None else len(part.places.lines)
    return max(rows.values(), default=0)


def _describe(
    folder: str, assigned: str, variant: str, labels: Sequence[str], runs: tuple[int, int]
) -> Finding:
    """Describe the sources that are gone; with a ``variant``, they count together with new ones."""
    listed = list_first(labels, SHOWN)
    label = show_label(assigned.partition("variant=")[2])
    source = quote(f"{label}={folder}" if label else folder)
    remedy = f"for a store without them, run `benchkit ingest {source} --store NEW`"
    if variant:
        return Finding(
            code=MIXED,
            severity="error",
            where=variant,
            message=f"the folder {folder} has new results and no longer contains {listed}, so "
            f"{runs[0]} earlier and {runs[1]} new runs count together",
            remedy=f"{remedy}, or see `benchkit explain {MIXED}`",
            numbers={"sources": len(labels)},
        )
    return Finding(
        code="B110",
        severity="warning",
        where=folder,
        message="files have been missing since the folder was ingested again, but their runs "
        f"still count: {listed}",
        remedy=f"{remedy}; to keep the earlier and the new measurement apart, run `benchkit "
        f"undo` if that ingest was the last one, then `benchkit ingest {source} --origin NAME`",
        numbers={"sources": len(labels)},
    )
