"""Salvage: making a store usable again without the files that cannot be read.

Nothing is guessed. Unreadable files are dropped, together with runs that lose all their values, and
the sources of every run that lost some are named, so that they can be ingested again.
"""

from __future__ import annotations

import functools
import json
import time
from collections import Counter
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from benchkit.errors import StoreError
from benchkit.redaction.marks import draw_key
from benchkit.store import entries
from benchkit.store import log as log_of_runs
from benchkit.store.columns import values_schema
from benchkit.store.conflicts import ConflictError, attempts
from benchkit.store.damage import MEASURED, Damage, Repaired, find_key_damage
from benchkit.store.files import RECORD, DataFile
from benchkit.store.keys import replace_key
from benchkit.store.log import log_schema
from benchkit.store.notes import CHANGES, SOURCES, list_sources, write_notes

if TYPE_CHECKING:
    import pyarrow as pa
    from pyarrow import fs

    from benchkit.store.delta import Table

_KEYS = ["batch", "piece"]
#: The message of `runs` and the gate for a run without values.
_LOST = "its values were lost with a damaged file of the store; ingest it again"


class Mending:
    """A repair of both tables (first the files, then, in a commit, the rows of runs) and the key.

    Parameters
    ----------
    runs, values : Table
    damage : sequence of Damage
        All damage of the store.
    """

    def __init__(self, runs: Table, values: Table, damage: Sequence[Damage]) -> None:
        self.damage = damage
        self._runs, self._values = runs, values
        self._of_runs = [one for one in damage if one.folder == runs.url]
        self._of_values = [one for one in damage if one.folder == values.url]
        self._nameless: list[Damage] = []
        self._sources: list[str] = []
        self._unknown = 0
        self._changes: list[tuple[int, Mapping[str, log_of_runs.Ranges]]] = []

    def mend_tables(self) -> None:
        """Make both tables readable; runs come first, because they decide which values count."""
        notes = _read_notes(self._runs, self._of_runs)
        self._changes = [
            (int(path.partition("-")[0]), changes)
            for path, noted in notes.items()
            if (changes := noted.get(CHANGES))
        ]
        self._nameless = [one for one in self._of_runs if not notes.get(one.path, {}).get(SOURCES)]
        self._sources = [name for noted in notes.values() for name in noted.get(SOURCES, ())]
        self._sources += [path for one in self._nameless for path in one.paths or ()]
        self._sources += mend_runs(self._runs, self._of_runs)
        mend_values(self._values, self._of_values, self._runs)

    def build_rows(self, log: pa.Table) -> pa.Table:
        """Return the rows that the log of runs lacks after the repair of its files."""
        sources, self._unknown = find_lost(self._runs, self._values, log, self._nameless)
        redone = log_of_runs.redo(log, self._changes)
        pieces = log_of_runs.current(log_of_runs.put_over(log, redone))
        built = repair_rows(pieces, self._values, self._of_values)
        self._sources += [*sources, *list_sources(built)]
        built = log_of_runs.replace_rows(redone, built)
        # At least one, because `undo` cannot restore what came before the damage.
        return built if len(built) else log_of_runs.unchanged_row(log)

    def mend_key(self, url: str, log: pa.Table | None) -> Repaired:
        """Set a new key if the store's key is damaged; return everything that was repaired."""
        of_key = tuple(find_key_damage(url, log))
        kept = replace_key(url, draw_key()) if of_key else ""
        sources = tuple(dict.fromkeys(self._sources))
        return Repaired((*self.damage, *of_key), sources, self._unknown, kept)


def mend_values(values: Table, damage: Sequence[Damage], runs: Table) -> None:
    """Drop the damaged files of values; if the log of commits is damaged, begin a new one.

    Rows that are in two files, because one was merged from others, are taken once. Values that no
    commit named have no run, and remain invisible.
    """
    if any(one.is_log for one in damage):
        version = runs.open()
        log = log_schema().empty_table() if version is None else runs.read(version)
        kept = list(_choose_values(values, log_of_runs.needed(log_of_runs.complete(log))))
        _put_log_aside(values)
        values.claim(None, values_schema(), kept)
    else:
        _drop(values, damage)


def mend_runs(runs: Table, damage: Sequence[Damage]) -> list[str]:
    """Drop the damaged files of runs; if the log of commits is damaged, begin a new one.

    Returns
    -------
    list of str
        The sources of left-out rows, which nothing readable shows to be committed.
    """
    import pyarrow as pa

    if not any(one.is_log for one in damage):
        _drop(runs, damage)
        return []
    kept, left_out = _choose_runs(runs)
    _put_log_aside(runs)
    schemas = [one.rows.schema.remove_metadata() for one in kept] or [log_schema()]
    keys = [log_of_runs.complete(one.rows).select(log_of_runs.KEYS) for one in kept]
    log = pa.concat_tables([log_schema().empty_table(), *keys])
    files = []
    for one, rows in zip(kept, keys, strict=True):
        notes = write_notes(one.rows, log_of_runs.list_changes(log, rows))
        files.append(DataFile.existing(one.path, one.size, one.rows.select(_KEYS), notes))
    runs.claim(None, pa.unify_schemas(schemas), files)
    return [source for one in left_out for source in list_sources(one.rows)]


def _read_notes(runs: Table, damage: Sequence[Damage]) -> dict[str, dict[str, Any]]:
    """Return the notes of the log of commits on damaged files of runs, by path."""
    lost = {one.path for one in damage}
    stated = _list_committed(runs).items() if lost else ()
    return {path: json.loads(text) for path, text in stated if path in lost}


def _drop(table: Table, damage: Sequence[Damage]) -> None:
    """Commit a table without its damaged files."""
    for _ in attempts(table.url):
        version = table.open() if damage else None
        if version is None:
            return
        with suppress(ConflictError):
            table.claim(version, version.schema(), [], [one.path for one in damage])
            return


def _put_log_aside(table: Table) -> None:
    aside = f"{entries.FOLDER}.damaged-{time.time_ns()}"
    for name in _list_all(table, entries.FOLDER):
        table.filesystem.create_dir(aside)
        table.filesystem.move(f"{entries.FOLDER}/{name}", f"{aside}/{name}")


def _list_all(table: Table, folder: str) -> list[str]:
    infos = entries.list_folder(table.filesystem, folder)
    return sorted(info.path.rpartition("/")[2] for info in infos)


def _choose_values(values: Table, rows: pa.Table) -> Iterator[DataFile]:
    """Yield the readable files, except those whose rows are all in other ones.

    A merged file contains all rows of its parts that ``rows``, the needed ones of the log of runs,
    or later ones name. So one of any two files contains the other's rows, or they share none.
    """
    needed = _list_keys(rows)
    readable = []
    for info in values.list_data():
        with suppress(StoreError):
            held = values.reader.read_file(info.path, _KEYS)
            kind = info.path.rpartition("/")[0]
            readable.append((info, held, {(kind, *key) for key in _list_keys(held)}))
    covered: set[tuple[str, int, int]] = set()

    def is_needed(key: tuple[str, int, int]) -> bool:
        return key[1:] in needed

    for info, held, keys in sorted(readable, key=lambda each: -sum(map(is_needed, each[2]))):
        if keys.isdisjoint(covered) or not set(filter(is_needed, keys)) <= covered:
            covered |= keys
            yield DataFile.existing(info.path, info.size, held)


def _list_keys(rows: pa.Table) -> set[tuple[int, int]]:
    """Return batch and piece of each run in some rows."""
    pairs = rows.group_by(_KEYS).aggregate([]).to_pydict()
    return set(zip(pairs["batch"], pairs["piece"], strict=True))


@dataclass(frozen=True, slots=True, kw_only=True)
class _Rows:
    """A readable file of the log of runs.

    Parameters
    ----------
    path, size
    rows : Table
    seq : int
        The last commit before it or in it.
    base : int or None
        The version on which its commit builds; None in a file from an earlier build.
    files : frozenset of str
        The files that are valid in addition to it.
    is_joined : bool
        Whether it repeats committed rows, as merged files do.
    """

    path: str
    size: int
    rows: pa.Table
    seq: int
    base: int | None
    files: frozenset[str]
    is_joined: bool

    @classmethod
    def read(cls, runs: Table, info: fs.FileInfo) -> _Rows:
        import pyarrow.compute as pc
        import pyarrow.parquet as pq

        rows = runs.reader.read_file(info.path)
        with runs.filesystem.open_input_file(info.path) as file:
            metadata = pq.read_schema(file).metadata or {}
        record = json.loads(metadata.get(RECORD, b"{}"))
        seq = pc.max(rows["seq"]).as_py() if "seq" in rows.column_names else 0
        seq = record.get("seq", seq)
        return cls(
            path=info.path,
            size=info.size,
            rows=rows,
            seq=seq or 0,
            base=record.get("base"),
            files=frozenset(record.get("files", ())),
            is_joined=record.get("is_joined", False),
        )


def _choose_runs(runs: Table) -> tuple[list[_Rows], list[_Rows]]:
    """Return the files of the last state known to be committed, and newer ones.

    A file is known to be committed if a readable entry names it, or another file as its base, or if
    it is the only one that builds on the version before a damaged entry.
    """
    readable = []
    for info in runs.list_data():
        try:
            readable.append(_Rows.read(runs, info))
        except StoreError:
            continue
    known = set(_list_committed(runs)).union(*(one.files for one in readable))
    rivals = Counter(one.base for one in readable)
    is_damaged = _recall_entries(runs)

    def is_committed(one: _Rows) -> bool:
        if one.base is None or one.is_joined or one.path in known:
            return True
        return is_damaged(one.base + 1) and rivals[one.base] == 1

    committed = sorted(filter(is_committed, readable), key=lambda one: (one.seq, one.is_joined))
    if not committed:
        return [], readable
    last = committed[-1]
    newer = [one for one in readable if one.seq >= last.seq and one not in committed]
    if last.base is None:
        return committed, newer
    return [one for one in committed if one is last or one.path in last.files], newer


def _recall_entries(runs: Table) -> Callable[[int], bool]:
    """Return a function for whether a version's entry is lost, reading logs put aside as well."""
    files, folders = runs.filesystem, [entries.FOLDER]
    if entries.path_of(0).rpartition("/")[2] not in entries.list_names(files):
        folders += entries.list_logs(files)[-1:]
    newest = max(runs.read_newest(folder) for folder in folders)
    paths = [f"{folder}/{name}" for folder in folders for name in entries.list_names(files, folder)]
    newest = max([newest, *map(entries.version_of, paths)])
    if newest < 0:
        return lambda _: True  # the whole log is lost, and its length is unknown
    sound = set(paths) - {path for path, _ in entries.find_unsound(files, runs.url, paths)}
    kept = set(map(entries.version_of, sound))
    return lambda version: version <= newest and version not in kept


def _list_committed(runs: Table) -> dict[str, str]:
    """Return files and statistics in readable entries, including those of logs put aside."""
    return {
        path: statistics
        for folder in entries.list_logs(runs.filesystem)
        for name in entries.list_names(runs.filesystem, folder)
        for path, statistics in entries.list_added(runs.filesystem, f"{folder}/{name}").items()
    }


def find_lost(
    runs: Table, values: Table, log: pa.Table, damage: Sequence[Damage]
) -> tuple[list[str], int]:
    """Return the sources of runs in damaged files, and the number of runs of unknown source.

    A run is lost if it has values but no row. Its source is known if another readable file still
    has a row of it, even if no commit needs that file any more.
    """
    import pyarrow as pa
    import pyarrow.compute as pc

    if not damage:
        return [], 0
    lost = list_values(values)
    if "batch" in log.column_names:
        lost = lost.join(log.select(_KEYS), _KEYS, join_type="left anti")
    if not any(one.batches is None for one in damage):
        inside = [
            pc.and_(pc.greater_equal(lost["batch"], low), pc.less_equal(lost["batch"], high))
            for low, high in (one.batches for one in damage if one.batches)
        ]
        lost = lost.filter(functools.reduce(pc.or_, inside))
    known = []
    for info in runs.list_data():
        with suppress(StoreError):
            rows = runs.reader.read_file(info.path)
            if set(_KEYS) <= set(rows.column_names):
                known.append(rows.join(lost, _KEYS, join_type="left semi"))
    if known:
        rows = pa.concat_tables(known, promote_options="permissive")
        lost = lost.join(rows.select(_KEYS), _KEYS, join_type="left anti")
        sources = list_sources(rows)
    else:
        sources = []
    ends = {path for one in damage for path in one.paths or ()}
    is_one_source = all(one.paths and one.paths[0] == one.paths[1] for one in damage)
    return sources, 0 if is_one_source else max(0, len(lost) - len(ends))


def list_values(values: Table) -> pa.Table:
    """Return batch and piece of all runs that have values."""
    import pyarrow as pa

    keys = ["batch", "piece"]
    listed = [pa.table({name: pa.array([], pa.int64()) for name in keys})]
    if (version := values.open()) is not None:
        for file in values.list_files(version):
            rows = values.reader.read_file(file["path"], keys)
            listed.append(rows.group_by(keys).aggregate([]))
    return pa.concat_tables(listed, promote_options="permissive")


def touch(pieces: pa.Table, damage: Sequence[Damage]) -> pa.Table:
    """Return the pieces that may have had values in damaged files."""
    import pyarrow as pa
    import pyarrow.compute as pc

    is_touched = pa.array([False] * len(pieces), pa.bool_())
    for one in damage:
        if one.batches is None or one.pieces is None:
            continue
        is_inside = pa.array([True] * len(pieces), pa.bool_())
        for name, (low, high) in (("batch", one.batches), ("piece", one.pieces)):
            is_inside = pc.and_(is_inside, pc.greater_equal(pieces[name], low))
            is_inside = pc.and_(is_inside, pc.less_equal(pieces[name], high))
        is_touched = pc.or_(is_touched, is_inside)
    return pieces.filter(is_touched)


def repair_rows(pieces: pa.Table, values: Table, damage: Sequence[Damage]) -> pa.Table:
    """Return rows that mark as damaged all measured runs without values.

    These runs, and runs that may have lost some values, lose their fingerprints, so that the next
    ingest of their sources reads them again.
    """
    import pyarrow as pa
    import pyarrow.compute as pc

    keys = ["batch", "piece"]
    is_bare = pa.array([False] * len(pieces), pa.bool_())
    if "role" in pieces.column_names:
        is_bare = pc.invert(pc.is_in(pieces["role"], pa.array(MEASURED)))
    lost = pieces.filter(pc.invert(is_bare)).join(list_values(values), keys, join_type="left anti")
    kept = pieces.join(lost.select(keys), keys, join_type="left anti")
    new: dict[str, str | pa.ChunkedArray] = {"role": "damaged", "remark": _LOST, "fingerprint": ""}
    if names := [name for name in ("label", "path") if name in lost.column_names]:
        labels = lost[names[0]].cast(pa.string())
        new["remark"] = pc.binary_join_element_wise(labels, _LOST, ": ")
    changed = _write(touch(kept, damage), {"fingerprint": ""})
    return pa.concat_tables([changed, _write(lost, new)], promote_options="permissive")


def _write(rows: pa.Table, texts: Mapping[str, str | pa.ChunkedArray]) -> pa.Table:
    """Return rows with new texts, one for all or one for each, which remain in the log."""
    import pyarrow as pa

    for name in texts.keys() & {*rows.column_names}:
        text = texts[name]
        column = pa.repeat(text, len(rows)) if isinstance(text, str) else text
        rows = rows.set_column(rows.column_names.index(name), name, column)
    return rows.append_column("dropped", pa.array([False] * len(rows), pa.bool_()))
