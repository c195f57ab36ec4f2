"""One Delta table of a store: its files, and commits that claim the next version.

In delta-rs, two blind appends from one stale version both succeed. A claim therefore allows no
retries: it writes the next entry of the log only if nobody else has, on file systems and object
stores alike, and so conflicts with every commit since the version that was read.
"""

from __future__ import annotations

import os
import time
from collections.abc import Collection, Iterable, Iterator, Sequence
from contextlib import contextmanager, suppress
from functools import cached_property, partial
from pathlib import Path
from typing import TYPE_CHECKING, Any

from benchkit.errors import StoreError
from benchkit.reading.bounds import OUTSIZED
from benchkit.store import entries
from benchkit.store.confines import explain_misstated, require_files
from benchkit.store.conflicts import ConflictError, attempts, translated
from benchkit.store.files import DataFile, damaged, is_file_of_store
from benchkit.store.reader import Reader

if TYPE_CHECKING:
    import numpy as np
    import pyarrow as pa
    from deltalake import CommitProperties, DeltaTable, Schema
    from deltalake.transaction import AddAction
    from pyarrow import fs

#: Hours after which no reader needs a removed file, and no writer an uncommitted one.
_REMOVED_HOURS, _ORPHAN_HOURS = 1, 24
#: Log entries are kept while a writer may still build on an earlier version, which it tries for
#: minutes; opening a table lists all of them. Checkpoints name removed files until they are
#: deleted.
_SETTINGS = {
    "delta.logRetentionDuration": "interval 1 hours",
    "delta.deletedFileRetentionDuration": f"interval {2 * _REMOVED_HOURS} hours",
    "delta.checkpointInterval": "20",
}
_BLOCK = 8 << 20  # number of bytes copied at a time


class Table:
    """One Delta table.

    Parameters
    ----------
    url : str
        A folder, or any URL that delta-rs supports.
    partitions : sequence of str
        The partition columns.
    """

    def __init__(self, url: str, partitions: Sequence[str] = ()) -> None:
        self.url = url
        self.name = url.rpartition("/")[2]
        self.is_remote = "://" in url
        self._partitions = list(partitions)
        self.reader = Reader(url, lambda: self.filesystem)
        self._opened: tuple[entries.State, DeltaTable | None] | None = None
        self._files: tuple[DeltaTable, int, list[dict[str, Any]]] | None = None

    @cached_property
    def filesystem(self) -> fs.FileSystem:
        """The file system of its files, for pyarrow; paths are relative to the table."""
        from pyarrow import fs

        if not self.is_remote:
            return fs.SubTreeFileSystem(self.url, fs.LocalFileSystem())
        from deltalake.fs import DeltaStorageHandler

        with translated(self.url):
            return fs.PyFileSystem(DeltaStorageHandler(self.url))

    def open(self) -> DeltaTable | None:
        """Return the newest version, or None if there is no table.

        Raises
        ------
        StoreError
            If its log of commits is damaged. An object store writes an entry completely or not at
            all, so every entry is verified only on a file system.
        """
        log = entries.list_state(self.filesystem)  # first, because other writers continue meanwhile
        if not log or self._opened is None or self._opened[0] != log:
            self._opened = log, self._open_anew()
        return self._opened[1]

    def _open_anew(self) -> DeltaTable | None:
        from deltalake import DeltaTable
        from deltalake.exceptions import TableNotFoundError

        if not self.is_remote:
            require_files(Path(self.url))
            if path := entries.find_outsized(self.filesystem):  # before delta-rs reads it
                raise damaged(f"{self.url}/{path}", OUTSIZED)
        with translated(self.url):
            newest = self.read_newest()  # first, because other writers continue meanwhile
            try:
                opened = DeltaTable(self.url)
            except TableNotFoundError:
                if newest >= 0:
                    missing = f"{self.url}/{entries.path_of(newest)}"
                    raise damaged(missing, FileNotFoundError()) from None
                if not self.is_remote and entries.list_logs(self.filesystem)[1:]:
                    raise damaged(f"{self.url}/{entries.FOLDER}", FileNotFoundError()) from None
                return None
        if not self.is_remote:
            read = entries.list_read(self.filesystem, opened.version())
            for path, problem in entries.find_unsound(self.filesystem, self.url, read):
                raise damaged(f"{self.url}/{path}", problem)
        if newest > opened.version():
            raise damaged(f"{self.url}/{entries.path_of(newest)}", FileNotFoundError())
        paths = self._paths(opened)
        if path := entries.find_stale(self.filesystem, opened.version(), paths):
            raise damaged(f"{self.url}/{path}", "has another version")
        if problem := explain_misstated(self.name, paths, opened.schema()):
            raise damaged(f"{self.url}/{entries.FOLDER}", problem)
        return opened

    def read_newest(self, folder: str = entries.FOLDER) -> int:
        """Return the newest version that a log is known to have had, or -1."""
        from deltalake.exceptions import TableNotFoundError

        try:
            return entries.read_newest(self.filesystem, folder)
        except TableNotFoundError:  # a URL of a folder that does not exist
            return -1
        except OSError:
            if self.is_remote:
                raise
            return -1

    def _note_newest(self, version: int) -> None:
        """Note that the log has a version, so that a missing entry is detected.

        A writer that is killed earlier, or meets another, leaves a lower number, which is also
        valid.
        """
        from deltalake.exceptions import DeltaError

        name, text = f"{entries.FOLDER}/{entries.NEWEST}", str(version).encode()
        with suppress(OSError, DeltaError):  # the commit is valid without it
            if version <= self.read_newest():
                return
            if self.is_remote:
                self._put(name, [text])
            else:
                written = Path(self.url, f"{name}.{os.getpid()}")
                written.write_bytes(text)
                written.replace(Path(self.url, name))

    def require_folder(self) -> None:
        """Refuse a file in place of the folder of the table or of its log."""
        for place in () if self.is_remote else (Path(self.url), Path(self.url) / entries.FOLDER):
            if place.is_file():
                raise StoreError(
                    "a file is where the store needs a folder",
                    where=str(place),
                    hint="move it away, or use another store with --store",
                )

    def claim(
        self, version: DeltaTable | None, schema: pa.Schema | Schema, add: Sequence[DataFile],
        remove: Sequence[str] = (),
    ) -> None:  # fmt: skip
        """Commit files as the version after ``version``.

        Parameters
        ----------
        version : DeltaTable or None
            The version that was read; None if there was no table.
        schema : Schema
            The schema of the table.
        add : sequence of DataFile
        remove : sequence of str
            Paths of files whose rows are in the added ones, or no longer needed.

        Raises
        ------
        ConflictError
            If another writer has committed since.
        """
        from deltalake import Schema as DeltaSchema
        from deltalake.exceptions import DeltaError
        from deltalake.transaction import RemoveAction, create_table_with_add_actions

        added = [file.action() for file in add]
        if version is None:
            with translated(self.url):
                try:
                    create_table_with_add_actions(
                        self.url, DeltaSchema.from_arrow(schema), added,
                        partition_by=self._partitions, configuration=_SETTINGS,
                        commit_properties=self._properties(None, added, remove),
                    )  # fmt: skip
                except DeltaError as error:
                    if self.open() is None:
                        raise
                    raise ConflictError from error
            self._note_newest(0)
            return
        now = time.time_ns() // 1_000_000
        removed = [RemoveAction(path, False, now) for path in remove]
        with self._committing(version, added, remove) as properties:
            version.create_write_transaction(
                [*added, *removed], "append", schema, self._partitions,
                commit_properties=properties,
            )  # fmt: skip

    def _properties(
        self, before: DeltaTable | None, added: Sequence[AddAction], removed: Sequence[str]
    ) -> CommitProperties:
        from deltalake import CommitProperties

        version, paths = (before.version() + 1, self._paths(before)) if before else (0, [])
        stated = entries.state(self.name, version, paths, added, removed)
        return CommitProperties(custom_metadata=stated, max_commit_retries=0)

    @contextmanager
    def _committing(
        self, version: DeltaTable, added: Sequence[AddAction] = (), removed: Sequence[str] = ()
    ) -> Iterator[CommitProperties]:
        """Let the caller commit the version after this one; raise `ConflictError` on conflicts."""
        from deltalake.exceptions import CommitFailedError, DeltaError

        before = version.version()
        with translated(self.url):
            try:
                yield self._properties(version, added, removed)
            except CommitFailedError as error:
                raise ConflictError from error
            except DeltaError as error:  # for example, if the competing entry cannot be read yet
                later = self.open()
                if later is None or later.version() == before:
                    raise
                raise ConflictError from error
        self._note_newest(before + 1)

    def append(self, schema: pa.Schema, files: Sequence[DataFile]) -> None:
        """Commit files that contradict nothing; other writers may come first."""
        for _ in attempts(self.url):
            with suppress(ConflictError):
                self.claim(self.open(), schema, files)
                return

    def widen(self, version: DeltaTable, schema: pa.Schema) -> None:
        """Add columns that the table lacks in a separate commit, and update the version to it."""
        from deltalake import Field, Schema

        known = {field.name for field in version.schema().fields}
        missing = [f for f in Schema.from_arrow(schema).fields if f.name not in known]
        if not missing:
            return
        fields = [Field(field.name, field.type, nullable=True) for field in missing]
        with self._committing(version) as properties:
            version.alter.add_columns(fields, commit_properties=properties)

    def configure(self) -> None:
        """Update the settings of a table from an earlier build, unless another writer is first."""
        version = self.open()
        if version is None or version.metadata().configuration.items() >= _SETTINGS.items():
            return
        with suppress(ConflictError), self._committing(version) as properties:
            version.alter.set_table_properties(_SETTINGS, commit_properties=properties)

    def list_files(self, version: DeltaTable) -> list[dict[str, Any]]:
        """Return path, size and bounds of each file of a version."""
        import pyarrow as pa

        number = version.version()
        if not self._files or self._files[0] is not version or self._files[1] != number:
            with translated(self.url):
                listed = pa.table(version.get_add_actions(flatten=True)).to_pylist()
            self._files = version, number, listed
        return self._files[2]

    def _paths(self, version: DeltaTable) -> list[str]:
        return [file["path"] for file in self.list_files(version)]

    def list_data(self) -> list[fs.FileInfo]:
        """Return the Parquet files in the table's folder, committed or not."""
        infos = entries.list_folder(self.filesystem, "", recursive=True)
        outside = (info for info in infos if not info.path.startswith(entries.FOLDER))
        return [info for info in outside if info.extension == "parquet"]

    def has_remains(self) -> bool:
        """Return whether the folder contains files of a table, with or without a log."""
        from deltalake.exceptions import TableNotFoundError

        try:
            names, data = entries.list_names(self.filesystem), self.list_data()
        except StoreError as error:
            if isinstance(error.__cause__, TableNotFoundError):  # an address without content
                return False
            raise
        return bool(names) or any(is_file_of_store(info.path) for info in data)

    def read(
        self, version: DeltaTable, columns: Sequence[str] | None = None,
        paths: Collection[str] | None = None,
    ) -> pa.Table:  # fmt: skip
        """Return the rows of a version, those of the oldest file first.

        Parameters
        ----------
        version : DeltaTable
        columns : sequence of str, optional
            All columns by default.
        paths : collection of str, optional
            The files to read, by default all.
        """
        files = self.list_files(version)[::-1]
        return self.reader.read_files(files, columns, version, paths)

    def take(self, version: DeltaTable, places: np.ndarray) -> pa.Table:
        """Return rows of a version with all columns, by their positions in the result of `read`."""
        return self.reader.take_rows(self.list_files(version)[::-1], places, version)

    def bring(self, file: DataFile) -> None:
        """Copy a local file to the table, if the table is remote."""
        if self.is_remote:
            with translated(self.url), file.path.open("rb") as source:
                self._put(file.name, iter(partial(source.read, _BLOCK), b""))

    def _put(self, name: str, blocks: Iterable[bytes]) -> None:
        """Write an object of a remote table."""
        from deltalake.fs import DeltaStorageHandler

        # The raw stream, because it takes bytes: through pyarrow's it would be passed buffers.
        target = DeltaStorageHandler(self.url)._handler.open_output_stream(name, None)
        for block in blocks:
            target.write(block)
        target.close()  # type: ignore[attr-defined]

    def delete_unused(self) -> int:
        """Delete files that no reader or writer can need any more; return how many.

        Removed files are deleted after an hour, files that were never committed after a day.
        """
        version = self.open()
        if version is None:
            return 0
        with translated(self.url):
            unused = {
                *version.vacuum(_REMOVED_HOURS, enforce_retention_duration=False),
                *version.vacuum(_ORPHAN_HOURS, enforce_retention_duration=False, full=True),
            }
            # While the log lasts, it also names files that are already deleted.
            there = {info.path for info in self.list_data()} & unused if unused else set()
            for path in there:
                with suppress(FileNotFoundError):
                    self.filesystem.delete_file(path)
        return len(there)

    def discard(self, prefix: str) -> None:
        """Delete uncommitted files of a local table whose names begin with ``prefix``."""
        version = self.open()
        named = {file["path"] for file in self.list_files(version)} if version else set()
        for path in Path(self.url).rglob(f"{prefix}*.parquet"):
            with suppress(OSError):  # a reader may have it open; `tidy` tries again
                if path.relative_to(self.url).as_posix() not in named:
                    path.unlink()

    def drop(self, file: DataFile) -> None:
        """Delete a file that was never committed."""
        with translated(self.url):
            self.filesystem.delete_file(file.name)
