"""The store: a table of values, and a log of the pieces of runs that they belong to.

A commit spans one table, so values are committed first and runs last. The log of runs is the
authority: values without a piece are invisible; `tidy` deletes them once no writer needs them.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from contextlib import contextmanager, nullcontext, suppress
from dataclasses import replace
from functools import partial
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import TYPE_CHECKING

from benchkit.errors import StoreError
from benchkit.store import damage, entries, salvage
from benchkit.store import log as log_of_runs
from benchkit.store.columns import PARTITION, new_batch, plain, values_schema
from benchkit.store.confines import DEFAULT, require_place
from benchkit.store.conflicts import ConflictError, attempts, translated
from benchkit.store.damage import Damage, Repaired
from benchkit.store.delta import Table
from benchkit.store.files import DataFile, is_about_space, make_folder, write_rows
from benchkit.store.locks import lock
from benchkit.store.log import log_schema
from benchkit.store.tidying import MANY_COMMITS, MANY_ROWS, Tidied, tidy_values
from benchkit.store.values import read_values

if TYPE_CHECKING:
    import pyarrow as pa
    from deltalake import DeltaTable


class Store:
    """A place where ingested results are kept.

    Parameters
    ----------
    url : str
        A folder, or any URL that delta-rs writes (``s3://…``).
    """

    def __init__(self, url: str = DEFAULT) -> None:
        self.url = url.rstrip("/")
        self._runs = Table(f"{self.url}/runs")
        self._values = Table(f"{self.url}/values", [PARTITION])
        self.is_remote = self._runs.is_remote
        self._last: tuple[tuple[object, ...], pa.Table] | None = None
        self._version: DeltaTable | None = None

    def is_store(self) -> bool:
        """Whether a store lies here, or what is left of one."""
        folder = Path(self.url)
        if not self.is_remote and not any((folder / n).is_dir() for n in ("runs", "values")):
            return False
        with translated(self.url):
            return (folder / "runs" / entries.FOLDER).exists() or self._has_remains()

    @contextmanager
    def locked(self, *, frees: bool = True) -> Iterator[None]:
        """Let other writers of this machine wait; what frees space has room on a full disk."""
        self._prepare()
        with nullcontext() if self.is_remote else lock(Path(self.url), uses_room=frees):
            yield

    def pieces(self, columns: Sequence[str] | None = None) -> pa.Table | None:
        """Return pieces as the last commit left them, all columns or some; None before any."""
        if (version := self._open_runs()) is None:
            return None
        return log_of_runs.current_or_none(self._read_log(version, columns))

    def take(self, places: pa.Array) -> pa.Table:
        """Return all columns of pieces, by their places among those that were read last."""
        assert self._version is not None  # noqa: S101 - places are those of a version
        return log_of_runs.current(self._read_log(self._version)).take(places)

    def commit_pieces(
        self,
        build: Callable[[pa.Table | None], pa.Table],
        operation: str = log_of_runs.INGEST,
        columns: Sequence[str] | None = None,
    ) -> None:
        """Append pieces of runs in one commit, which conflicts with any other since they were read.

        Parameters
        ----------
        build : callable
            Gets the pieces as they are (None in a new store) and returns the rows that change
            them: new pieces, pieces with other labels, and pieces whose column ``dropped`` is
            true. Called again if another writer came first; without a row nothing is committed.
        operation : str
            What the commit is called in the log.
        columns : sequence of str, optional
            As `pieces` takes them; ``build`` may `take` others.

        Raises
        ------
        StoreError
            If other writers kept coming first, or the store cannot be read or written.
        """
        self._append(lambda log: build(log_of_runs.current_or_none(log)), operation, columns)

    def undo(self) -> pa.Table:
        """Take the last ingest back; return its pieces as they were before, new ones dropped."""
        return self._append(partial(log_of_runs.undo_rows, self.url), log_of_runs.UNDO)

    def _append(
        self, build: Callable[[pa.Table], pa.Table], operation: str,
        columns: Sequence[str] | None = None,
    ) -> pa.Table:  # fmt: skip
        self._prepare()
        written: list[DataFile] = []
        rows = log_schema().empty_table()
        for _ in attempts(self.url):
            version = self._open_runs()
            if version is not None and self._has(version, written):
                break  # the answer to our commit was lost, and its repetition met itself
            log = self._read_log(version, columns) if version else log_schema().empty_table()
            rows = build(log)
            if not len(rows):
                break
            if version is None:
                self._begin()
                continue
            seq = max(version.version(), log_of_runs.last_seq(log)) + 1
            values = self._open(self._values)
            state = -1 if values is None else values.version()
            rows = log_of_runs.add_log_columns(rows, seq, operation, state)
            schema = plain(rows.schema.empty_table()).schema
            try:
                self._runs.widen(version, schema)  # which conflicts, too, with any other commit
                changes = log_of_runs.list_changes(log, rows)
                with self._writing(seq, rows, version, changes) as file:
                    written.append(file)
                    self._runs.claim(version, schema, [file])
            except ConflictError:
                continue
            break
        return rows

    def _begin(self) -> None:
        """Begin the log of runs before any file is written: files without it are what is left."""
        if self._open_runs() is None:
            with suppress(ConflictError):
                self._runs.claim(None, log_schema(), [])

    def _open_runs(self) -> DeltaTable | None:
        """Open the log of runs; refuse files of a store that lost it."""
        version = self._open(self._runs)
        if version is None and self._has_remains():
            version = self._open(self._runs)  # which another writer began meanwhile
            if version is None:
                raise damage.lose_log(self._runs).error()
        for one in damage.find_lost_runs(self._runs, version):
            raise one.error()
        return version

    def _has_remains(self) -> bool:
        return self._runs.has_remains() or self._values.has_remains()

    @contextmanager
    def _writing(
        self, seq: int, rows: pa.Table, base: DeltaTable,
        changes: Mapping[str, log_of_runs.Ranges] | None = None, *, is_joined: bool = False,
    ) -> Iterator[DataFile]:  # fmt: skip
        """Write rows of the log where their table lies; delete them if others came first."""
        files = [] if is_joined else [file["path"] for file in self._runs.list_files(base)]
        record = {"base": base.version(), "files": files, "is_joined": is_joined}
        with (
            TemporaryDirectory(prefix="benchkit-")
            if self.is_remote
            else nullcontext(f"{self.url}/runs") as folder
        ):
            file = write_rows(Path(folder), seq, rows, record, changes or {})
            self._runs.bring(file)
            try:
                yield file
            except ConflictError:
                if (version := self._open(self._runs)) is None or not self._has(version, [file]):
                    self._runs.drop(file)
                raise

    def _has(self, version: DeltaTable, files: Sequence[DataFile]) -> bool:
        """Whether a version holds one of these files."""
        names = {file.name for file in files}
        return bool(names) and any(f["path"] in names for f in self._runs.list_files(version))

    def _read_log(self, version: DeltaTable, columns: Sequence[str] | None = None) -> pa.Table:
        """Return the log of a version, a small one with all columns, kept until another is read."""
        if sum(file["size_bytes"] for file in self._runs.list_files(version)) < log_of_runs.SMALL:
            columns = None
        names = None if columns is None else (*log_of_runs.KEYS, *columns)
        key = str(version.metadata().id), version.version(), names
        if self._last is None or self._last[0] != key:
            self._last = key, log_of_runs.complete(self._runs.read(version, names))
        self._version = version
        return self._last[1]

    def values(
        self, *, raw: bool = False, metrics: Iterable[str] = (),
        pieces: Iterable[tuple[int, int]] | None = None,
    ) -> pa.Table:  # fmt: skip
        """Return the stored values.

        Parameters
        ----------
        raw : bool
            Whether the raw samples come along with the values per run.
        metrics : iterable of str
            Only these; all if empty.
        pieces : iterable of (batch, piece), optional
            Only theirs; what lies apart from them is not read.
        """
        import pyarrow as pa

        batches = self.stream(raw=raw, metrics=metrics, pieces=pieces)
        return pa.Table.from_batches(batches, values_schema())

    def stream(
        self, *, raw: bool = False, metrics: Iterable[str] = (),
        pieces: Iterable[tuple[int, int]] | None = None,
    ) -> Iterator[pa.RecordBatch]:  # fmt: skip
        """Yield the stored values batch by batch; parameters as in `values`."""
        if (table := self._open_values()) is not None:
            with self._explaining():
                stale = damage.find_missing(self._values, table, raw=raw)
                for one in () if self.is_remote else stale:
                    raise one.error()
                filesystem, files = self._values.filesystem, self._values.list_files(table)
                yield from read_values(filesystem, files, raw=raw, metrics=metrics, pieces=pieces)

    def _open_values(self) -> DeltaTable | None:
        """Open the values; refuse them where commits are missing that the log of runs knows of."""
        for is_anew in (False, True):  # the values of superseded runs may be gone meanwhile
            log = self._log(is_anew=is_anew)  # first, for another writer may add values meanwhile
            table = self._open(self._values)
            lost = list(damage.find_lost_commits(log, self._values, table))
            if not lost:
                return table
        raise lost[0].error()

    def require_values(self) -> None:
        """Refuse a store that lost files of values; what lies there is listed and not read."""
        if (version := self._open_values()) is not None:
            for one in damage.find_missing(self._values, version):
                raise one.error()

    def _log(self, *, is_anew: bool = False) -> pa.Table | None:
        """Return the log that was last read, or the present one."""
        if is_anew and (version := self._open_runs()) is not None:
            return log_of_runs.complete(self._runs.read(version))
        if self._last is None:
            self.pieces()
        return self._last and self._last[1]

    def _open(self, table: Table) -> DeltaTable | None:
        """Open a table; where that fails, name the damaged file."""
        require_place(self.url)
        table.require_folder()
        try:
            with translated(self.url):
                return table.open()
        except StoreError as error:
            with suppress(OSError):  # of what cannot be reached, no file is damaged
                for one in damage.find_damage(table, thoroughly=False):
                    raise one.error() from error
            raise

    @contextmanager
    def _explaining(self) -> Iterator[None]:
        """Turn what goes wrong while values are read into an error that names the damaged file."""
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
        """Give the folder in which files of values are written before `add` commits them.

        Parameters
        ----------
        batch : int
            What the files' names begin with; when anything fails, they are deleted.
        """
        if self.is_remote:
            with TemporaryDirectory(prefix="benchkit-") as folder:
                yield Path(folder)
            return
        self._prepare()
        self._begin()
        try:
            yield Path(self._values.url)
        except BaseException:
            self._values.discard(f"{batch}-")
            raise

    def add(self, files: Sequence[DataFile]) -> None:
        """Commit files of values that lie in the staging folder; all of them, or none."""
        if not files:
            return
        table = self._open_values()
        if table is not None and table.metadata().partition_columns != [PARTITION]:
            raise StoreError(
                "the store has the layout of an earlier benchkit", where=self.url,
                hint="ingest into a new store with --store, or delete this one and ingest again",
            )  # fmt: skip
        self._begin()
        self._values.append(values_schema(), [self.bring(file) for file in files])

    def bring(self, file: DataFile) -> DataFile:
        """Copy a file of values that was written on this machine to a store elsewhere."""
        if not self.is_remote or file.is_placed:
            return file
        self._begin()  # files without a log of runs are a store that lost it
        self._values.bring(file)
        return replace(file, is_placed=True)

    def check(self) -> list[Damage]:
        """Return the files that are missing or cannot be read; every page is read."""
        found = damage.list_damage(self._runs, self._values, self._log)
        return [*found, *damage.find_key_damage(self.url, None if found else self._log())]

    def repair(self) -> Repaired:
        """Drop what cannot be read, and the runs that lost all their values with it.

        Runs that may have lost some values stay; the next ingest reads their sources again.
        """
        found = damage.list_damage(self._runs, self._values, self._log)
        mending = salvage.Mending(self._runs, self._values, found)
        if mending.damage:
            mending.mend_tables()
            self._last = None
            self._append(mending.build_rows, "repair")
        return mending.mend_key(self.url, self._log())

    def tidy(self, *, thoroughly: bool = False, rewrite: bool = False) -> Tidied:
        """Delete what no commit needs, and put small files together where there are many.

        What is listed, and what `undo` would bring back, is untouched; a crash leaves the tables as
        they were. Where another writer comes first, the next call does the rest.

        ``thoroughly`` also what was pruned or gains little; ``rewrite`` also files of older builds.
        """
        done, version = Tidied(), self._open_runs()
        if version is None:
            return done
        self._open_values()
        if thoroughly:
            self.require_values()
            self._delete_unused(done)  # first, which may make the room that writing needs
        try:
            if thoroughly and not rewrite:
                self._append(log_of_runs.end_prune, log_of_runs.VACUUM)
                version = self._open_runs() or version
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
        read = partial(self._read_log, version, ())  # by whose keys alone rows are needed or not
        with self.staging(new_batch()) as folder, suppress(ConflictError):
            tidy_values(self._values, read, folder, done, **how)
        with suppress(ConflictError):
            done.rewritten += self._tidy_log(version, thoroughly=how["thoroughly"])

    def _delete_unused(self, done: Tidied) -> None:
        done.deleted += self._runs.delete_unused() + self._values.delete_unused()

    def _tidy_log(self, version: DeltaTable, *, thoroughly: bool) -> int:
        if len(files := self._runs.list_files(version)) < 2:
            return 0
        spare = log_of_runs.count_spare(log := self._read_log(version, ()))
        if spare <= MANY_ROWS and len(files) < MANY_COMMITS and not thoroughly:
            return 0
        seq, rows = log_of_runs.last_seq(log), log_of_runs.needed(self._read_log(version))
        with self._writing(seq, rows, version, is_joined=True) as file:
            self._runs.claim(version, rows.schema, [file], [one["path"] for one in files])
        return len(files)

    def _prepare(self) -> None:
        require_place(self.url)
        if not self.is_remote:
            make_folder(Path(self.url))
