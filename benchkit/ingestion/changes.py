"""The rows by which an ingest changes a store: new runs, relabelled runs, dropped runs.

Only the series that an ingest touches are settled again. All other runs keep their rows, so a small
ingest costs little however much is stored.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Callable, Collection, Iterable, Sequence
from dataclasses import replace
from datetime import datetime
from pathlib import Path
from typing import TYPE_CHECKING

from benchkit.derived.record import began_alike
from benchkit.errors import Diagnostic, Finding
from benchkit.ingestion.addresses import PACKED, is_gone
from benchkit.ingestion.copies import Copy, leave_out, settle_originals
from benchkit.ingestion.gone import Folders, mark_renewed
from benchkit.ingestion.parts import Part
from benchkit.ingestion.pieces import single_out_shared
from benchkit.ingestion.places import has_additions
from benchkit.ingestion.pooled import find_pooled, find_twice, join_read
from benchkit.ingestion.relabelled import describe_relabelled, keep_commits
from benchkit.ingestion.rows import fill_texts, parts_table, read_parts
from benchkit.ingestion.sources import Identity, holds, unpacked
from benchkit.labels.numbering import Series, leave_package, note_alone, series_of
from benchkit.schema import LOST_ROLES, REFUSED_ROLES, Side
from benchkit.store.columns import plain

if TYPE_CHECKING:
    import pyarrow as pa

    from benchkit.store import Store

#: Columns that rows of one run share, besides the number.
_RUN = ("origin", *Side._fields, "role", "pkg")
#: Columns that an ingest reads of every stored run; it reads all columns of the runs it touches.
COLUMNS = (
    *_RUN, "number", *Identity._fields[1:], "sha256", "fingerprint", "started_at", "gone_from",
    "renewed",
)  # fmt: skip
#: Columns that determine the series of a stored run.
_SERIES = ("origin", "group", "pkg", *Series._fields[2:])


class Change:
    """The rows that add new runs to a store.

    Parameters
    ----------
    stored : Table or None
        The pieces in the store, with at least `COLUMNS`.
    new : sequence of Part
        The runs that were read.
    folders : Folders
        The folders that were read.
    refused : sequence of Part
        The sources without a result.

    Attributes
    ----------
    new : list of Part
        The runs that were read, settled; one part per run if another source may describe it.
    notes : list of Diagnostic
        A note for every run whose declared number is taken, or may be part of a name.
    superseded : int
        Number of stored runs that new ones replace.
    gone : list of Part
        Stored runs whose sources are gone from these folders.
    replaced : int
        Number of superseded runs whose source held another measurement.
    has_marks : bool
        Whether any of them is gone, or back, since the last ingest.
    pooled : list of Finding
        Findings on runs that are pooled with the new ones, or are the same, and should not be.
    copies : list of Copy
        Sources that are left out because all of their runs appear in others.
    """

    def __init__(
        self,
        store: Store,
        stored: pa.Table | None,
        new: Sequence[Part],
        folders: Folders,
        refused: Sequence[Part] = (),
    ) -> None:
        self.notes: list[Diagnostic] = []
        self.pooled: list[Finding] = []
        self.copies: list[Copy] = []
        self.superseded = self.replaced = 0
        self.new = list(new)
        self._store, self._read, self._folders = store, new, folders
        marked = list(folders.list_marked(stored, new, self._take))
        self.gone = [part for part, _ in marked if part.gone_from]
        before, now = map(_memories, (self._list_seen(stored, REFUSED_ROLES), refused))
        self._refused = refused
        self.has_marks = any(is_news for _, is_news in marked) or before != now
        self.has_marks |= any(is_gone(part.path) for part in self._list_seen(stored, ["empty"]))
        self._after = [] if stored is None or not stored.num_columns else [stored]

    def build(self, stored: pa.Table | None) -> pa.Table:
        """Return the rows that change the store; called again if the stored rows have changed."""
        import pyarrow as pa

        if stored is None or not len(stored):
            self._settle([], [])
            self.pooled = [*find_pooled(self.new), *find_twice(self.new)]
            self.superseded = 0
            rows = parts_table([*self.new, *self._list_refused()])
            self._after = [rows]
            return flag(rows, dropped=False)
        near, superseded = self._find_superseded(stored)
        mark_renewed(self._read, superseded)
        renewed = {(part.path, part.variant) for part in self._read if part.renewed == part.batch}
        touched = {series_of(part) for part in (*self._read, *superseded)}
        neighbours = self._take_runs(_locate_series(stored, touched))
        gone = {_key(part) for part in superseded}
        kept = [part for part in neighbours if _key(part) not in gone]
        before = {_key(part): _labels(part) for part in kept}
        kept, copied = self._settle(kept, superseded)
        superseded += copied
        gone |= set(map(_key, copied))
        join_read(kept, self.new, superseded, self._folders.present)
        same = [part for part in near if _key(part) not in gone]
        settled = [*kept, *self.new]
        others = self._take_others(stored, touched) if has_additions(settled) else []
        self.pooled = [*find_pooled(settled, others), *find_twice([*same, *self.new])]
        self._folders.mark_anew(self.new, kept, superseded)
        changed = {_key(part): part for part in kept if _labels(part) != before[_key(part)]}
        lost: list[Part] = []
        self.gone, before_marks = [], {_key(part): part for part in kept}
        marked = [*self._folders.list_marked(stored, self.new, self._take)]
        held = {part.path for part, _ in marked if part.role != "damaged"}
        for part, is_news in marked:
            if (key := _key(part)) in gone:
                continue
            if part.gone_from and part.role == "damaged" and part.path not in held:
                lost.append(part)  # a damaged file that was removed leaves no valid run
                continue
            self.gone += [part] if part.gone_from else []
            if is_news:
                changed[key] = replace(before_marks.get(key, part), gone_from=part.gone_from)
        forgotten, remembered = self._renew_memories(stored)
        lost += forgotten
        gone |= set(map(_key, lost))
        added = [*self.new, *remembered]
        tables = [*changed.values()], added, [*superseded, *lost]
        rows, new, dropped = map(parts_table, tables)
        self.superseded = count_runs([dropped])
        contents = {part.sha256 for part in self._read}  # under another name
        replaced = [
            part
            for part in superseded
            if (part.path, part.variant) in renewed and part.sha256 not in contents
        ]
        self.replaced = count_runs([parts_table(replaced)])
        self._after = [_without(stored, {*gone, *changed}), rows, new]
        flagged = (flag(rows, dropped=False), flag(new, dropped=False))
        return pa.concat_tables([*flagged, flag(dropped, dropped=True)])

    def _settle(
        self, kept: list[Part], superseded: Sequence[Part]
    ) -> tuple[list[Part], list[Part]]:
        """Settle new runs with their stored neighbours; return these, and the copies among them."""
        self.new = single_out_shared(self._read, kept)
        unchanged = [*keep_commits(self.new, superseded)]
        self.notes, self.copies = settle_originals(self.new, kept)
        self.new = leave_out(self.new, self.copies)
        originals = leave_out(kept, self.copies)
        self.notes += note_alone(originals, self.new)
        self.notes += [*unchanged, *describe_relabelled(self.new, superseded)]
        still = set(map(_key, originals))
        return originals, [part for part in kept if _key(part) not in still]

    def _find_superseded(self, stored: pa.Table) -> tuple[list[Part], list[Part]]:
        """Return the stored runs near the new ones, and those superseded by a new run or a copy."""
        copies = [part for part in self._refused if part.role == "duplicate"]
        near = self._take_runs(_locate_sources(stored, [*self._read, *copies]))
        return near, [*filter(_supersedes(self._read, copies), near)]

    def _renew_memories(self, stored: pa.Table) -> tuple[list[Part], list[Part]]:
        """Return the entries on refused sources to drop, and the new ones in place of them."""
        forgotten, refused = self._list_seen(stored, REFUSED_ROLES), self._list_refused()
        return (forgotten, refused) if _memories(forgotten) != _memories(refused) else ([], [])

    def _list_refused(self) -> list[Part]:
        """Return the entries to store for refused sources and copies."""
        return [*self._refused, *(copy.remember() for copy in self.copies)]

    def _take(self, places: pa.Array) -> list[Part]:
        return read_parts(self._store.take(places)) if len(places) else []

    def _take_runs(self, places: pa.Array) -> list[Part]:
        """Return stored parts, except entries on refused sources."""
        return [part for part in self._take(places) if part.role not in REFUSED_ROLES]

    def _list_seen(self, stored: pa.Table | None, roles: Sequence[str]) -> list[Part]:
        """Return the stored entries on sources without runs that were read again."""
        if stored is None or not len(stored):
            return []
        import pyarrow as pa
        import pyarrow.compute as pc

        known = fill_texts(stored, ["role"])["role"]
        parts = self._take(pc.indices_nonzero(pc.is_in(known, pa.array(roles))))
        return [part for part in parts if self._folders.has_read(part)]

    def _take_others(self, stored: pa.Table, touched: set[Series]) -> list[Part]:
        """Return the runs of other variants that may be compared with some series."""
        return self._take_runs(_locate_series(stored, touched, of_others=True))

    def list_renewed(self) -> list[Part]:
        """Return the runs whose sources hold a new measurement, after the change."""
        import pyarrow.compute as pc

        tables = [table for table in self._after if "renewed" in table.column_names]
        renewed = [table.filter(pc.greater(table["renewed"], 0)) for table in tables]
        return [part for table in renewed for part in read_parts(table)]

    def count_runs(self) -> int:
        """Count the runs in the store after the change, excluding companions."""
        return count_runs(self._after)


def count_runs(tables: Sequence[pa.Table]) -> int:
    """Count the runs in the rows of some tables."""
    import pyarrow as pa
    import pyarrow.compute as pc

    tables = [table for table in tables if len(table)]
    names = [name for name in _RUN if all(name in table.column_names for table in tables)]
    if not tables:  # avoids importing `group_by`
        return 0
    selected = [table.select([*names, "number"]) for table in tables]
    if any(table.schema != selected[0].schema for table in selected):  # stored tables have texts
        selected = [*map(plain, selected)]
    runs = pa.concat_tables(selected).unify_dictionaries()
    is_none = pc.is_in(runs["role"], pa.array(["companion", *LOST_ROLES]))
    if pc.any(is_none).as_py():  # avoids copying all rows
        runs = runs.filter(pc.invert(is_none))
    distinctive = [name for name in names if len(pc.unique(runs[name])) > 1]
    series = runs.group_by(distinctive or names[:1], use_threads=False)
    counts = series.aggregate([("number", "count_distinct")])["number_count_distinct"]
    return pc.sum(counts).as_py() or 0


def _locate_sources(stored: pa.Table, new: Sequence[Part]) -> pa.Array:
    """Return the positions of the sources of new parts, of moved copies and of empty folders.

    All CI jobs have their results at the same path, so most of a store may belong to other origins.
    """
    import pyarrow as pa
    import pyarrow.compute as pc

    named = {unpacked(part.path) for part in new}
    paths = pa.array({*named, *(f"{path}{PACKED}" for path in named)}, pa.string())
    contents = pa.array({part.sha256 for part in new}, pa.string())
    origins = pa.array({part.origin for part in new}, pa.string())
    rows = fill_texts(stored, ["origin", "path", "sha256", "role"])
    is_near = pc.or_(pc.is_in(rows["path"], paths), pc.is_in(rows["sha256"], contents))
    is_near = pc.and_(is_near, pc.is_in(rows["origin"], origins))
    return pc.indices_nonzero(pc.or_(is_near, pc.equal(rows["role"], "empty")))


def _supersedes(new: Sequence[Part], copies: Sequence[Part]) -> Callable[[Part], bool]:
    identities = {part.identity for part in (*new, *copies)}
    labels = {_source_labels(part) for part in new}
    moved = defaultdict[tuple[str, str, str], set[datetime | None]](set)
    for part in new:
        moved[part.origin, part.assigned, part.sha256].add(part.started_at)
    packed = {(part.origin, part.assigned, unpacked(part.path)) for part in new}
    held = {(part.origin, part.path) for part in new if part.role not in LOST_ROLES}

    def is_superseded(part: Part) -> bool:
        if part.identity in identities or _source_labels(part) in labels:
            return True
        if part.role == "empty":  # valid until results lie there
            inside = (path for origin, path in held if origin == part.origin)
            return is_gone(part.path) or any(
                f"{path}/".startswith(f"{part.path}/") for path in inside
            )
        if began_alike(moved[part.origin, part.assigned, part.sha256], {part.started_at}):
            return Path(part.path).is_absolute() and not holds(part.path, part.sha256)
        place = part.origin, part.assigned, unpacked(part.path)
        return place in packed and is_gone(part.path)

    return is_superseded


def _source_labels(part: Part) -> tuple[str, str, str, str]:
    """Return the labels that make a file count once, whether from the path or the command line."""
    return part.origin, part.path, part.variant, part.env.get("commit", "")


def _locate_series(
    stored: pa.Table, touched: Collection[Series], *, of_others: bool = False
) -> pa.Array:
    """Return the positions of some series, or of their other variants.

    Rows that cannot match are filtered out before any series object is made.
    """
    import numpy as np
    import pyarrow as pa
    import pyarrow.compute as pc

    rows = fill_texts(stored, list(_SERIES)).append_column("row", pa.array(np.arange(len(stored))))
    for name in ("origin", "tool") if of_others else ("origin", "variant"):
        texts = pa.array({getattr(each, name) for each in touched}, pa.string())
        is_near = pc.is_in(rows[name], texts)
        if not pc.all(is_near).as_py():  # avoids copying all rows
            rows = rows.filter(is_near)
    if not len(rows):
        return rows["row"].combine_chunks()
    near = {each._replace(variant="") for each in touched}

    def is_chosen(series: Series) -> bool:
        is_touched = series in touched
        return is_touched != of_others and series._replace(variant="") in near

    series = rows.group_by(list(_SERIES), use_threads=False).aggregate([("row", "list")])
    labels = zip(*(series[name].to_pylist() for name in _SERIES), strict=True)
    chosen = [
        is_chosen(Series(origin, leave_package(group, pkg), *rest))
        for origin, group, pkg, *rest in labels
    ]
    places = series.filter(pa.array(chosen, pa.bool_()))["row_list"].combine_chunks().flatten()
    return places.sort()


def _key(part: Part) -> tuple[int, int]:
    return part.batch, part.piece


def _memories(refused: Iterable[Part]) -> set[tuple[Identity, str, str, str | None]]:
    """Return the entries on refused sources, without the time at which they were read."""
    return {(part.identity, part.role, part.variant, part.remark) for part in refused}


def _labels(part: Part) -> tuple[object, ...]:
    """Return the labels that an ingest of other sources may change, including `joined`."""
    declared = part.declared_benchmark, part.declared_params
    return part.benchmark, part.params, part.number, *declared, part.joined


def _without(stored: pa.Table, pieces: set[tuple[int, int]]) -> pa.Table:
    import pyarrow as pa

    if not pieces:
        return stored
    batches, numbers = zip(*pieces, strict=True)
    gone = pa.table({"batch": pa.array(batches), "piece": pa.array(numbers)})
    return stored.join(gone, ["batch", "piece"], join_type="left anti")


def flag(rows: pa.Table, *, dropped: bool) -> pa.Table:
    """Return rows of pieces in the form that a commit takes: present or dropped."""
    import pyarrow as pa

    return rows.append_column("dropped", pa.repeat(dropped, len(rows)))
