"""The store: a table of values, and a log of the pieces of runs that they belong to.

A commit spans one table, so values are committed first and runs last. The log of runs is the
authority: values without a piece are invisible, and `tidy` deletes them once no writer can still
be about to commit their piece.
"""

from __future__ import annotations

import secrets
import time
from collections.abc import Callable, Iterable, Iterator, Sequence
from contextlib import contextmanager, suppress
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import IO, TYPE_CHECKING

from benchkit.errors import StoreError
from benchkit.store import log as log_of_runs
from benchkit.store.columns import PARTITION, values_schema
from benchkit.store.delta import ConflictError, Table, attempts, plain
from benchkit.store.files import DataFile, write_files, write_rows
from benchkit.store.tidying import MANY_FILES, MANY_ROWS, Tidied, tidy_values

if TYPE_CHECKING:
    import pyarrow as pa
    from deltalake import DeltaTable

DEFAULT = ".benchkit"
#: Random bits of a batch's id, below its time: two machines may begin in the same microsecond.
_RANDOM_BITS = 12


def new_batch() -> int:
    """Return the id of a new batch: microseconds since the epoch, then random bits."""
    return (time.time_ns() // 1000 << _RANDOM_BITS) + secrets.randbits(_RANDOM_BITS)


def _lock(file: IO[str]) -> None:
    try:
        import fcntl
    except ImportError:  # a courtesy: commits conflict without it, too
        return
    with suppress(OSError):  # as on some network file systems
        fcntl.flock(file, fcntl.LOCK_EX)


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

    def is_store(self) -> bool:
        """Whether this is a folder, or a place behind a URL, that holds a store."""
        if self._is_remote:
            return self._runs.open() is not None
        return (Path(self.url) / "runs" / "_delta_log").is_dir()

    @contextmanager
    def locked(self) -> Iterator[None]:
        """Let other ingests of this machine wait, which spares them conflicts."""
        if self._is_remote:
            yield
            return
        self._prepare()
        with (Path(self.url) / ".lock").open("w") as lock:
            _lock(lock)
            yield

    def pieces(self) -> pa.Table | None:
        """Return the pieces of runs as the last commit left them, or None if there is no store."""
        version = self._runs.open()
        return None if version is None else log_of_runs.current(self._read_log(version))

    def commit_pieces(
        self,
        build: Callable[[pa.Table | None], pa.Table],
        operation: str = log_of_runs.INGEST,
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

        Raises
        ------
        StoreError
            If other writers kept coming first, or the store cannot be read or written.
        """
        self._append(
            lambda log: build(None if log is None else log_of_runs.current(log)), operation
        )

    def undo(self) -> None:
        """Take the last ingest back, by a commit that appends the pieces as they were before it.

        Raises
        ------
        StoreError
            If there is no store, or nothing left that can be taken back.
        """
        self._append(self._build_undo, log_of_runs.UNDO)

    def _build_undo(self, log: pa.Table | None) -> pa.Table:
        if log is None:
            raise StoreError(
                "there is no store here", where=self.url, hint="run `benchkit ingest` first"
            )
        if log_of_runs.last_operation(log) != log_of_runs.INGEST:
            raise StoreError(
                "nothing left to take back: only the last ingest can be undone, once",
                where=self.url,
                hint="delete the store to begin anew",
            )
        return log_of_runs.undo_rows(log)

    def _append(self, build: Callable[[pa.Table | None], pa.Table], operation: str) -> None:
        self._prepare()
        written: list[DataFile] = []
        for _ in attempts(self.url):
            version = self._runs.open()
            if version is not None and self._has(version, written):
                return  # the answer to our commit was lost, and its repetition met itself
            log = None if version is None else self._read_log(version)
            rows = build(log)
            if not len(rows):
                return
            seq = 1 if version is None or log is None else self._next(version, log)
            rows = log_of_runs.add_log_columns(rows, seq, operation)
            try:
                if version is not None and self._runs.widen(version, rows.schema):
                    continue
                with self._writing(seq, rows) as file:
                    written.append(file)
                    self._runs.claim(version, rows.schema, [file])
            except ConflictError:
                continue
            return

    @staticmethod
    def _next(version: DeltaTable, log: pa.Table) -> int:
        """Return the sequence number of the next commit."""
        return max(version.version(), log_of_runs.last_seq(log)) + 1

    @contextmanager
    def _writing(self, seq: int, rows: pa.Table) -> Iterator[DataFile]:
        """Write rows of the log where their table lies; delete them if others came first."""
        with (
            TemporaryDirectory(prefix="benchkit-")
            if self._is_remote
            else _here(f"{self.url}/runs") as folder
        ):
            file = write_rows(Path(folder), seq, rows)
            self._runs.bring(file)
            try:
                yield file
            except ConflictError:
                if (version := self._runs.open()) is None or not self._has(version, [file]):
                    self._runs.drop(file)
                raise

    def _has(self, version: DeltaTable, files: Sequence[DataFile]) -> bool:
        """Whether a version holds one of these files."""
        names = {file.name for file in files}
        return bool(names) and any(f["path"] in names for f in self._runs.list_files(version))

    def _read_log(self, version: DeltaTable) -> pa.Table:
        return log_of_runs.complete(self._runs.read(version))

    def values(
        self,
        *,
        raw: bool = False,
        metrics: Iterable[str] = (),
        pieces: Iterable[tuple[int, int]] | None = None,
    ) -> pa.Table:
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
        self,
        *,
        raw: bool = False,
        metrics: Iterable[str] = (),
        pieces: Iterable[tuple[int, int]] | None = None,
    ) -> Iterator[pa.RecordBatch]:
        """Yield the stored values batch by batch; parameters as in `values`."""
        table = self._values.open()
        if table is None:
            return
        clauses = [] if raw else ["NOT raw"]
        if names := [f"'{name}'" for name in (m.replace("'", "''") for m in metrics)]:
            clauses.append(f"metric IN ({', '.join(names)})")
        if pieces is not None:
            clauses.append(_where(pieces))
        where = f" WHERE {' AND '.join(clauses)}" if clauses else ""
        schema = values_schema()
        for batch in _run(table, f"SELECT * FROM t{where}"):  # noqa: S608 - names are quoted
            yield from batch.select(schema.names).cast(schema).to_batches()

    @contextmanager
    def staging(self, batch: int) -> Iterator[Path]:
        """Give the folder in which files of values are written before `add` commits them.

        Parameters
        ----------
        batch : int
            What the files' names begin with; when anything fails, they are deleted.
        """
        if self._is_remote:
            with TemporaryDirectory(prefix="benchkit-") as folder:
                yield Path(folder)
            return
        self._prepare()
        try:
            yield Path(self._values.url)
        except BaseException:
            self._discard(f"{batch}-")
            raise

    def append(self, batches: Iterable[pa.RecordBatch]) -> None:
        """Append values; they stay invisible until `commit_pieces` names their pieces."""
        batch = new_batch()
        with self.staging(batch) as folder:
            self.add(write_files(folder, batch, batches))

    def add(self, files: Sequence[DataFile]) -> None:
        """Commit files of values that lie in the staging folder; all of them, or none."""
        if not files:
            return
        table = self._values.open()
        if table is not None and table.metadata().partition_columns != [PARTITION]:
            raise StoreError(
                "the store is laid out as an earlier benchkit did it",
                where=self.url,
                hint="ingest into a new one with --store, or delete it and ingest again",
            )
        for file in files:
            self._values.bring(file)
        self._values.append(values_schema(), files)

    def tidy(self, *, thoroughly: bool = False) -> Tidied:
        """Delete what no commit needs, and put small files together where there are many.

        What is listed, and what `undo` would bring back, is untouched; a crash leaves the tables as
        they were. Where another writer comes first, the next call does the rest.

        Parameters
        ----------
        thoroughly : bool
            Also where there is little to gain.
        """
        done = Tidied()
        version = self._runs.open()
        if version is None:
            return done
        log = self._read_log(version)
        with self.staging(new_batch()) as folder, suppress(ConflictError):
            tidy_values(self._values, log, folder, done, thoroughly=thoroughly)
        with suppress(ConflictError):
            self._tidy_log(version, log, done, thoroughly=thoroughly)
        if done.has_changed or thoroughly:
            for table in (self._runs, self._values):
                done.deleted += table.delete_unused()
        return done

    def _tidy_log(
        self, version: DeltaTable, log: pa.Table, done: Tidied, *, thoroughly: bool
    ) -> None:
        files = [file["path"] for file in self._runs.list_files(version)]
        rows = log_of_runs.needed(log)
        is_much = len(files) >= MANY_FILES or len(log) > 2 * len(rows) + MANY_ROWS
        if len(files) < 2 or not (is_much or thoroughly):
            return
        with self._writing(log_of_runs.last_seq(log), rows) as file:
            self._runs.claim(version, rows.schema, [file], files)
        done.rewritten += len(files)

    def _discard(self, prefix: str) -> None:
        """Delete files of values that begin so and were not committed."""
        table = self._values.open()
        named = {file["path"] for file in self._values.list_files(table)} if table else set()
        for path in Path(self._values.url).glob(f"{PARTITION}=*/{prefix}*.parquet"):
            with suppress(OSError):  # another reader's system may hold it; `tidy` tries again
                if f"{path.parent.name}/{path.name}" not in named:
                    path.unlink()

    @property
    def _is_remote(self) -> bool:
        return self._runs.is_remote

    def _prepare(self) -> None:
        if self._is_remote:
            return
        folder = Path(self.url)
        try:
            folder.mkdir(parents=True, exist_ok=True)
            ignore = folder / ".gitignore"
            if not ignore.exists():
                ignore.write_text("*\n", encoding="utf-8")
        except OSError as error:
            raise StoreError(
                f"the store cannot be made: {error.strerror}",
                where=self.url,
                hint="name another with --store, or store= in Python",
            ) from error


@contextmanager
def _here(folder: str) -> Iterator[str]:
    yield folder


def _where(pieces: Iterable[tuple[int, int]]) -> str:
    """Write a condition that holds for the values of these pieces."""
    grouped: dict[int, list[str]] = {}
    for batch, piece in pieces:
        grouped.setdefault(batch, []).append(str(piece))
    each = [f"batch = {batch} AND piece IN ({', '.join(ids)})" for batch, ids in grouped.items()]
    return f"({' OR '.join(each)})" if each else "FALSE"


def _run(table: DeltaTable, sql: str) -> Iterator[pa.Table]:
    """Run SQL over one table, called ``t``, and yield what it gives piece by piece."""
    import pyarrow as pa
    from deltalake import QueryBuilder

    reader = QueryBuilder().register("t", table).execute(sql)
    for batch in pa.RecordBatchReader.from_stream(reader):
        yield plain(pa.Table.from_batches([batch]))
