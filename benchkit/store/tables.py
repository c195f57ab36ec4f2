"""The store: a table of values, and a log of the pieces of runs that own them.

A commit spans one table, so values are committed first and runs last. The log of runs is the
authority: values without a piece are invisible; `tidy` deletes them once no writer needs them.

Writers of one machine wait for each other by a lock, whose file reserves some disk space.

On a full disk, an operation that frees space has to write first, to record in the log which files
are no longer needed. It uses the space that the lock file reserves.
"""

from __future__ import annotations

import os
from collections.abc import Callable, Iterable, Iterator, Sequence
from contextlib import contextmanager, nullcontext, suppress
from dataclasses import replace
from functools import partial
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import IO, TYPE_CHECKING

from benchkit.errors import StoreError
from benchkit.store import damage, entries, salvage
from benchkit.store import log as log_of_runs
from benchkit.store.columns import PARTITION, new_batch, values_schema
from benchkit.store.confines import DEFAULT, require_place
from benchkit.store.conflicts import ConflictError, import_quietly, translated
from benchkit.store.damage import Damage, Repaired
from benchkit.store.delta import Table
from benchkit.store.files import DataFile, is_about_space, make_folder, writing
from benchkit.store.run_log import RunLog, open_table
from benchkit.store.tidying import Tidied, tidy_values
from benchkit.store.values import read_values

if TYPE_CHECKING:
    import pyarrow as pa
    from deltalake import DeltaTable


#: Reserved bytes: several times the amount that an ordinary `undo` and the deletion of files write.
ROOM = 1 << 16
#: Bytes per block in the file status.
_BLOCK = 512


class Store:
    """A place where ingested results are kept.

    Parameters
    ----------
    url : str
        A folder, or any URL that delta-rs supports (``s3://…``).
    """

    def __init__(self, url: str = DEFAULT) -> None:
        self.url = url.rstrip("/")
        self._runs = Table(f"{self.url}/runs")
        self._values = Table(f"{self.url}/values", [PARTITION])
        self.is_remote = self._runs.is_remote
        if self.is_remote:
            import_quietly()
        self._log = RunLog(self.url, self._runs, self._values)

    def is_store(self) -> bool:
        """Return whether there is a store, or the remains of one."""
        folder = Path(self.url)
        if not self.is_remote and not any((folder / n).is_dir() for n in ("runs", "values")):
            return False
        with translated(self.url):
            return (folder / "runs" / entries.FOLDER).exists() or self._log.has_remains()

    @contextmanager
    def locked(self, *, frees: bool = True) -> Iterator[None]:
        """Make other local writers wait; operations that free space get the reserved space."""
        self._prepare()
        with nullcontext() if self.is_remote else lock(Path(self.url), uses_room=frees):
            yield

    def pieces(self, columns: Sequence[str] | None = None) -> pa.Table | None:
        """Return all or some columns of the current pieces; None before the first commit."""
        if (version := self._log.open()) is None:
            return None
        return self._log.find_current(self._log.read(version, columns))

    def take(self, places: pa.Array) -> pa.Table:
        """Return all columns of pieces, by their positions among those that were read last."""
        return self._log.take(places)

    def holds_marks(self) -> bool:
        """Return whether a stored name contains a keyed mark in place of a secret."""
        return self._log.holds_marks()

    def commit_pieces(
        self,
        build: Callable[[pa.Table | None], pa.Table],
        operation: str = log_of_runs.INGEST,
        columns: Sequence[str] | None = None,
    ) -> None:
        """Append pieces of runs in a commit that conflicts with any other since they were read.

        Parameters
        ----------
        build : callable
            Receives the current pieces (None in a new store) and returns the rows that change them:
            new pieces, pieces with other labels, and pieces whose column ``dropped`` is true. It is
            called again if another writer came first; without rows nothing is committed.
        operation : str
            The name of the commit in the log.
        columns : sequence of str, optional
            As in `pieces`; ``build`` may `take` others.

        Raises
        ------
        StoreError
            If other writers repeatedly came first, or the store cannot be read or written.
        """
        self._prepare()
        self._log.append(lambda log: build(self._log.find_current(log)), operation, columns)

    def undo(self, require: Callable[[pa.Table], None] = lambda _: None) -> pa.Table:
        """Revert the last ingest; return its earlier pieces, with new ones marked as dropped.

        Parameters
        ----------
        require : callable
            Receives the rows of an ingest before they are committed, and raises an error to keep
            the ingest.
        """

        def build(log: pa.Table) -> pa.Table:
            rows = log_of_runs.undo_rows(self.url, log)
            if log_of_runs.last_operation(log) == log_of_runs.INGEST:
                require(rows)
            return rows

        self._prepare()
        return self._log.append(build, log_of_runs.UNDO)

    def values(
        self, *, raw: bool = False, metrics: Iterable[str] = (),
        pieces: Iterable[tuple[int, int]] | None = None,
    ) -> pa.Table:  # fmt: skip
        """Return the stored values.

        Parameters
        ----------
        raw : bool
            Whether to include the raw samples.
        metrics : iterable of str
            Only these; all if empty.
        pieces : iterable of (batch, piece), optional
            Only the values of these pieces; separate ones are not read.
        """
        import pyarrow as pa

        batches = self.stream(raw=raw, metrics=metrics, pieces=pieces)
        return pa.Table.from_batches(batches, values_schema())

    def stream(
        self, *, raw: bool = False, metrics: Iterable[str] = (),
        pieces: Iterable[tuple[int, int]] | None = None,
    ) -> Iterator[pa.RecordBatch]:  # fmt: skip
        """Yield the stored values batch by batch; the parameters are those of `values`."""
        if (table := self._open_values()) is not None:
            with self._explaining():
                stale = damage.find_missing(self._values, table, raw=raw)
                for one in () if self.is_remote else stale:
                    raise one.error()
                filesystem, files = self._values.filesystem, self._values.list_files(table)
                yield from read_values(filesystem, files, raw=raw, metrics=metrics, pieces=pieces)

    def _open_values(self) -> DeltaTable | None:
        """Open the values; refuse them if commits that the log of runs refers to are missing."""
        for is_anew in (False, True):  # superseded values may be deleted meanwhile
            # First, because another writer may add values meanwhile.
            log, pieces = self._log.read_pieces(is_anew=is_anew)
            table = open_table(self.url, self._values)
            lost = list(damage.find_lost_commits(log, pieces, self._values, table))
            if not lost:
                return table
        raise lost[0].error()

    def require_values(self) -> None:
        """Refuse a store that lost files of values; files are only checked, not read in full."""
        if (version := self._open_values()) is not None:
            for one in damage.find_missing(self._values, version):
                raise one.error()

    @contextmanager
    def _explaining(self) -> Iterator[None]:
        """Turn errors in reading values into one that names the damaged file."""
        import pyarrow as pa
        from deltalake.exceptions import DeltaError

        try:
            yield
        except (OSError, UnicodeError, pa.ArrowException, DeltaError) as error:
            for thoroughly in (False, True):
                for one in damage.find_damage(self._values, thoroughly=thoroughly):
                    raise one.error() from error
            with translated(self._values.url):
                raise DeltaError(str(error)) from error

    @contextmanager
    def staging(self, batch: int) -> Iterator[Path]:
        """Provide the folder in which files of values are written before `add` commits them.

        Parameters
        ----------
        batch : int
            The beginning of the files' names; if anything fails, these files are deleted.
        """
        if self.is_remote:
            with TemporaryDirectory(prefix="benchkit-") as folder:
                yield Path(folder)
            return
        self._prepare()
        self._log.begin()
        try:
            yield Path(self._values.url)
        except BaseException:
            self._values.discard(f"{batch}-")
            raise

    def add(self, files: Sequence[DataFile]) -> None:
        """Commit files of values from the staging folder; all of them, or none."""
        if not files:
            return
        table = self._open_values()
        if table is not None and table.metadata().partition_columns != [PARTITION]:
            raise StoreError(
                "the store has the layout of an earlier benchkit", where=self.url,
                hint="ingest into a new store with --store, or delete this one and ingest again",
            )  # fmt: skip
        self._log.begin()
        self._values.append(values_schema(), [self.bring(file) for file in files])

    def bring(self, file: DataFile) -> DataFile:
        """Copy a local file of values to the store, if the store is remote."""
        if not self.is_remote or file.is_placed:
            return file
        self._log.begin()  # files without a log of runs indicate a store that lost it
        self._values.bring(file)
        return replace(file, is_placed=True)

    def check(self) -> list[Damage]:
        """Return the files that are missing or cannot be read, after reading every page."""
        damages = damage.list_damage(self._runs, self._values, self._log.read_pieces)
        return [
            *damages,
            *damage.find_key_damage(self.url, None if damages else self._log.read_last()),
        ]

    def repair(self) -> Repaired:
        """Drop unreadable files, and the runs that lost all their values with them.

        Runs that may have lost some values stay; the next ingest reads their sources again.
        """
        damages = damage.list_damage(self._runs, self._values, self._log.read_pieces)
        mending = salvage.Mending(self._runs, self._values, damages)
        if mending.damage:
            mending.mend_tables()
            self._log.forget()
            self._log.append(mending.build_rows, "repair")
        return mending.mend_key(self.url, self._log.read_last())

    def tidy(self, *, thoroughly: bool = False, rewrite: bool = False) -> Tidied:
        """Delete files that no commit needs, and merge small files if there are many.

        Listed runs, and those that `undo` would restore, are never affected; a crash leaves the
        tables unchanged. If another writer comes first, the next call does the rest.

        ``thoroughly`` includes pruned runs and small gains; ``rewrite`` includes files of older
        builds.
        """
        done, version = Tidied(), self._log.open()
        if version is None:
            return done
        self._open_values()
        if thoroughly:
            self.require_values()
            self._delete_unused(done)  # first, to make room for writing
        try:
            if thoroughly and not rewrite:
                self._log.append(log_of_runs.end_prune, log_of_runs.VACUUM)
                version = self._log.open() or version
            self._merge(version, done, thoroughly=thoroughly, rewrite=rewrite)
        except StoreError as error:
            done.is_full = is_about_space(error)
            if rewrite or not (done.is_full and (done.dropped or done.deleted)):
                raise
        for table in (self._runs, self._values) if rewrite else ():
            table.configure()
        if done.has_changed:
            self._delete_unused(done)
        return done

    def _merge(self, version: DeltaTable, done: Tidied, **how: bool) -> None:
        read = partial(self._log.read, version, ())  # the keys show which rows are needed
        with self.staging(new_batch()) as folder, suppress(ConflictError):
            tidy_values(self._values, read, folder, done, **how)
        with suppress(ConflictError):
            done.rewritten += self._log.merge(version, thoroughly=how["thoroughly"])

    def _delete_unused(self, done: Tidied) -> None:
        done.deleted += self._runs.delete_unused() + self._values.delete_unused()

    def _prepare(self) -> None:
        require_place(self.url)
        if not self.is_remote:
            make_folder(Path(self.url))


@contextmanager
def lock(folder: Path, *, uses_room: bool) -> Iterator[None]:
    """Wait for the other writers of a store, if the file system supports locks.

    Parameters
    ----------
    folder : Path
    uses_room : bool
        Whether the reserved space is free in the meantime.
    """
    with writing(folder):
        file = _open(folder / ".lock")
    with file:
        wait_for_others(file)
        if uses_room:
            file.truncate(0)
        try:
            yield
        finally:
            _keep_room(file)


def wait_for_others(file: IO[str]) -> None:
    """Lock a file, if the file system supports it; this spares local writers conflicts."""
    try:
        import fcntl
    except ImportError:  # a courtesy: commits also conflict without it
        return
    with suppress(OSError):  # for example, on some network file systems
        fcntl.flock(file, fcntl.LOCK_EX)


def _open(path: Path) -> IO[str]:
    """Open the lock file without following links."""
    flags = os.O_RDWR | os.O_CREAT | getattr(os, "O_NOFOLLOW", 0)
    return os.fdopen(os.open(path, flags, 0o666), "r+")


def _keep_room(file: IO[str]) -> None:
    """Reserve the disk space again, unless there is too little."""
    allocate = getattr(os, "posix_fallocate", None)  # not on every platform
    if allocate is None or os.fstat(file.fileno()).st_blocks * _BLOCK >= ROOM:
        return
    try:
        allocate(file.fileno(), 0, ROOM)
    except OSError:
        with suppress(OSError):
            file.truncate(0)
