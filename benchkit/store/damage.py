"""Damage: files of a store that are missing or cannot be read, and how a store goes on without.

Nothing is guessed: what cannot be read is dropped with the runs that lose all their values, and the
sources of every run that lost some are named, to be ingested again.
"""

from __future__ import annotations

import json
import time
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from itertools import pairwise
from typing import TYPE_CHECKING, Any

from benchkit.errors import StoreError
from benchkit.store.delta import REMEDY, Table
from benchkit.store.files import DataFile

if TYPE_CHECKING:
    import pyarrow as pa

_LOG = "_delta_log"


@dataclass(frozen=True, slots=True, kw_only=True)
class Damage:
    """One file of a store that is missing or cannot be read.

    Parameters
    ----------
    table : Table
    path : str
        Within the table.
    problem : str
    batches, pieces, paths : tuple of (least, greatest), optional
        Those of its rows, as the log of commits has them.
    """

    table: Table
    path: str
    problem: str
    batches: tuple[int, int] | None = None
    pieces: tuple[int, int] | None = None
    paths: tuple[str, str] | None = None

    @property
    def where(self) -> str:
        """The whole path."""
        return f"{self.table.url}/{self.path}"

    @property
    def is_log(self) -> bool:
        """Whether it is a file of the log of commits, without which the table cannot be opened."""
        return self.path.startswith(_LOG)

    @property
    def message(self) -> str:
        """What is wrong, with the batches that are concerned."""
        if self.batches is None:
            return self.problem
        first, last = self.batches
        of = f"batch {first}" if first == last else f"batches {first} to {last}"
        return f"{self.problem} ({of})"

    def error(self) -> StoreError:
        """Return the error of a command that needed the file."""
        what = f"a file of the store is damaged: {self.message}"
        return StoreError(what, where=self.where, hint=REMEDY)


@dataclass(frozen=True, slots=True)
class Repaired:
    """What a repair dropped, and the sources to ingest again."""

    damage: tuple[Damage, ...]
    sources: tuple[str, ...]


def find_damage(table: Table, *, thoroughly: bool = True) -> Iterator[Damage]:
    """Yield the damaged files of a table.

    Parameters
    ----------
    table : Table
    thoroughly : bool
        Whether every page is read and its checksum verified, or the end of each file alone.
    """
    broken = list(_check_log(table))
    yield from broken
    version = None if broken else table.open()
    if version is None:
        return
    for file in table.list_files(version):
        if problem := _check_file(table, file, thoroughly=thoroughly):
            yield Damage(
                table=table,
                path=file["path"],
                problem=problem,
                batches=_bounds(file, "batch"),
                pieces=_bounds(file, "piece"),
                paths=_bounds(file, "path"),
            )


def _bounds(file: dict[str, Any], column: str) -> Any:  # noqa: ANN401 - as the column
    low, high = file.get(f"min.{column}"), file.get(f"max.{column}")
    return None if low is None or high is None else (low, high)


def _check_file(table: Table, file: dict[str, Any], *, thoroughly: bool) -> str:
    """Return what is wrong with a file of a table; empty if nothing is."""
    import pyarrow as pa
    import pyarrow.parquet as pq

    try:
        with table.filesystem.open_input_file(file["path"]) as opened:
            if (size := opened.size()) != file["size_bytes"]:
                return f"{size} bytes in place of {file['size_bytes']}"
            parquet = pq.ParquetFile(opened, page_checksum_verification=True)
            if thoroughly:
                for _ in parquet.iter_batches():
                    pass
    except FileNotFoundError:
        return "missing"
    except (OSError, pa.ArrowException):
        return "cannot be read"
    return ""


def _check_log(table: Table) -> Iterator[Damage]:
    """Yield the files of the log of commits that cannot be read; gaps where a commit is missing."""
    names = _list_log(table)
    if not names:
        return
    broken = [name for name in names if not _is_sound(table, f"{_LOG}/{name}")]
    for name in broken:
        yield Damage(table=table, path=f"{_LOG}/{name}", problem="cannot be read")
    if broken:
        return
    versions = sorted(int(name[:20]) for name in names if name.endswith(".json"))
    for earlier, later in pairwise(versions):
        for gap in range(earlier + 1, later):
            yield Damage(table=table, path=f"{_LOG}/{gap:020}.json", problem="missing")
    try:
        version = table.open()
    except StoreError as error:
        yield Damage(table=table, path=_LOG, problem=f"cannot be read: {error.what}")
    else:
        if version is None:
            yield Damage(table=table, path=_LOG, problem="its first commit is missing")


def _list_log(table: Table) -> list[str]:
    """Return the names of commits and checkpoints."""
    from pyarrow import fs

    found = table.filesystem.get_file_info(fs.FileSelector(_LOG, allow_not_found=True))
    names = (info.path.rpartition("/")[2] for info in found)
    return sorted(name for name in names if name[:20].isdecimal())


def _is_sound(table: Table, path: str) -> bool:
    import pyarrow as pa
    import pyarrow.parquet as pq

    try:
        with table.filesystem.open_input_file(path) as file:
            if path.endswith(".parquet"):
                pq.ParquetFile(file).read()
                return True
            lines = file.read().splitlines()
    except (OSError, pa.ArrowException):
        return False
    try:
        return bool(lines) and all(isinstance(json.loads(line), dict) for line in lines)
    except ValueError:
        return False


def drop_damage(table: Table, schema: pa.Schema | None, damage: Sequence[Damage]) -> None:
    """Commit a table without its damaged files; where its log is damaged, write it anew.

    Raises
    ------
    ConflictError
        If another writer came first; nothing was changed.
    """
    if any(one.is_log for one in damage):
        _write_log_anew(table, schema)
    elif damage and (version := table.open()) is not None:
        table.claim(version, version.schema(), [], [one.path for one in damage])


def _write_log_anew(table: Table, schema: pa.Schema | None) -> None:
    """Put the log of commits aside, and begin another with the files that can be read.

    Rows that lie in two files, because one was put together from others, are taken once; rows of
    the log of runs may be there twice.
    """
    import pyarrow as pa
    from pyarrow import fs

    kept = list(_choose_files(table))
    aside = f"{_LOG}.damaged-{time.time_ns()}"
    for info in table.filesystem.get_file_info(fs.FileSelector(_LOG, allow_not_found=True)):
        name = info.path.rpartition("/")[2]
        table.filesystem.create_dir(aside)
        table.filesystem.move(f"{_LOG}/{name}", f"{aside}/{name}")
    if schema is None:
        schema = pa.unify_schemas([table.read_file(file.name).schema for file in kept])
    table.claim(None, schema, kept)


def _choose_files(table: Table) -> Iterator[DataFile]:
    """Yield the files that can be read, the newest first, but for those that these make up for."""
    from pyarrow import fs

    infos = table.filesystem.get_file_info(fs.FileSelector("", recursive=True))
    files = [i for i in infos if i.extension == "parquet" and not i.path.startswith(_LOG)]
    covered: set[tuple[str, int, int]] = set()
    for info in sorted(files, key=lambda info: info.mtime_ns or 0, reverse=True):
        folder = info.path.rpartition("/")[0]
        try:
            rows = table.read_file(info.path, ["batch", "piece"])
        except StoreError:
            continue
        pairs = rows.group_by(["batch", "piece"]).aggregate([]).to_pydict()
        own = {(folder, *pair) for pair in zip(pairs["batch"], pairs["piece"], strict=True)}
        if not own or (folder and own <= covered):
            continue
        covered |= own
        yield DataFile.existing(info.path, info.size, rows)


def list_values(values: Table) -> pa.Table:
    """Return batch and piece of all runs that have values."""
    import pyarrow as pa

    keys = ["batch", "piece"]
    listed = [pa.table({name: pa.array([], pa.int64()) for name in keys})]
    if (version := values.open()) is not None:
        for file in values.list_files(version):
            rows = values.read_file(file["path"], keys)
            listed.append(rows.group_by(keys).aggregate([]))
    return pa.concat_tables(listed, promote_options="permissive")


def touch(pieces: pa.Table, damage: Sequence[Damage]) -> pa.Table:
    """Return the pieces some of whose values may have lain in damaged files."""
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
    """Return the rows after which every run has values again: the others are dropped.

    A run that may have lost some of its values loses its fingerprint, so that the next ingest of
    its source reads it again.
    """
    import pyarrow as pa
    import pyarrow.compute as pc

    keys = ["batch", "piece"]
    is_bare = pa.array([False] * len(pieces), pa.bool_())
    if "role" in pieces.column_names:
        is_bare = pc.invert(pc.is_in(pieces["role"], pa.array(["measured", "companion"])))
    lost = pieces.filter(pc.invert(is_bare)).join(list_values(values), keys, join_type="left anti")
    kept = pieces.join(lost.select(keys), keys, join_type="left anti")
    changed = touch(kept, damage)
    if "fingerprint" in changed.column_names:
        place = changed.column_names.index("fingerprint")
        changed = changed.set_column(
            place, "fingerprint", pa.array([""] * len(changed), pa.string())
        )
    flagged = [
        rows.append_column("dropped", pa.array([dropped] * len(rows), pa.bool_()))
        for rows, dropped in ((changed, False), (lost, True))
    ]
    return pa.concat_tables(flagged, promote_options="permissive")


def list_sources(pieces: pa.Table) -> list[str]:
    """Return the sources of pieces, as the user knows them."""
    name = "label" if "label" in pieces.column_names else "path"
    return sorted(set(pieces[name].to_pylist()) - {None}) if name in pieces.column_names else []
