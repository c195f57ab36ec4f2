"""The two Delta tables of a store: append, replace a source, read, undo, keep tidy.

In: files of values and a table of pieces. Out: the same, filtered. Why: a commit spans one table.
Values are appended first, pieces replaced last; the pieces are the authority, so that values
without their piece are invisible, and the next ingest sweeps them.
"""

from __future__ import annotations

import math
import time
from collections.abc import Callable, Iterable, Iterator, Sequence
from contextlib import contextmanager, suppress
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import IO, TYPE_CHECKING

from benchkit.errors import StoreError
from benchkit.store.columns import PARTITION, values_schema
from benchkit.store.files import ValueFile, read_files, write_files

if TYPE_CHECKING:
    import pyarrow as pa
    from deltalake import DeltaTable, Schema

DEFAULT = ".benchkit"
_TRIES = 5
_DAY = 86_400_000_000
_HOUR = 3600
#: So many files smaller than this are put together.
_MANY_FILES = 64
_SMALL_FILE = 16 << 20


def new_batch() -> int:
    """Return the id of a new batch: microseconds since the epoch."""
    return time.time_ns() // 1000


def _lock(file: IO[str]) -> None:
    try:
        import fcntl
    except ImportError:  # where the system has none, Delta's own commits are the guard
        return
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

    def is_store(self) -> bool:
        """Whether this is a folder, or a place behind a URL, that holds a store."""
        if self._is_remote:
            return self._open("runs") is not None
        return (Path(self.url) / "runs" / "_delta_log").is_dir()

    @contextmanager
    def locked(self) -> Iterator[None]:
        """Keep other ingests of this machine out; they wait. A store behind a URL has no lock."""
        if self._is_remote:
            yield
            return
        self._prepare()
        with (Path(self.url) / ".lock").open("w") as lock:
            _lock(lock)
            yield

    def pieces(self) -> pa.Table | None:
        """Return the pieces of the last commit, or None if there is no store."""
        table = self._open("runs")
        return None if table is None else _query(table, "SELECT * FROM t")

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

        found = self.stream(raw=raw, metrics=metrics, pieces=pieces)
        return pa.Table.from_batches(found, values_schema())

    def stream(
        self,
        *,
        raw: bool = False,
        metrics: Iterable[str] = (),
        pieces: Iterable[tuple[int, int]] | None = None,
    ) -> Iterator[pa.RecordBatch]:
        """Yield the stored values batch by batch; parameters as in `values`."""
        table = self._open("values")
        if table is None:
            return
        clauses = [] if raw else ["NOT raw"]
        if names := [f"'{name}'" for name in (m.replace("'", "''") for m in metrics)]:
            clauses.append(f"metric IN ({', '.join(names)})")
        if pieces is not None:
            clauses.append(_where(pieces))
        where = f" WHERE {' AND '.join(clauses)}" if clauses else ""
        wanted = values_schema()
        for found in _run(table, f"SELECT * FROM t{where}"):  # noqa: S608 - names are quoted
            yield from found.select(wanted.names).cast(wanted).to_batches()

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
            yield Path(self._part("values"))
        except BaseException:
            self._tidy(f"{batch}-")
            raise

    def append(self, batches: Iterable[pa.RecordBatch]) -> None:
        """Append values; they stay invisible until `replace_pieces` names their pieces."""
        batch = new_batch()
        with self.staging(batch) as folder:
            self.add(write_files(folder, batch, batches))

    def add(self, files: Sequence[ValueFile]) -> None:
        """Commit files of values that lie in the store's folder; all of them, or none."""
        from deltalake import write_deltalake
        from deltalake.transaction import AddAction, create_table_with_add_actions

        if not files:
            return
        with _translated(self.url):
            if self._is_remote:
                write_deltalake(
                    self._part("values"), read_files(files), mode="append", partition_by=[PARTITION]
                )
                return
            actions = [
                AddAction(
                    path=f"{file.partition}/{file.path.name}",
                    size=file.size,
                    partition_values={PARTITION: str(file.is_raw).lower()},
                    modification_time=time.time_ns() // 1_000_000,
                    data_change=True,
                    stats=file.statistics(),
                )
                for file in files
            ]
            table, schema = self._open("values"), _delta_schema()
            if table is None:
                create_table_with_add_actions(
                    self._part("values"), schema, actions, partition_by=[PARTITION]
                )
            elif table.metadata().partition_columns != [PARTITION]:
                raise StoreError(
                    "the store is laid out as an earlier benchkit did it",
                    where=self.url,
                    hint="ingest into a new one with --store, or delete it and ingest again",
                )
            else:
                table.create_write_transaction(
                    [*actions], mode="append", schema=schema, partition_by=[PARTITION]
                )

    def replace_pieces(self, build: Callable[[pa.Table | None], pa.Table]) -> None:
        """Replace the table of pieces in one commit.

        Parameters
        ----------
        build : callable
            Gets the pieces as they are (None in a new store) and returns them as they shall be;
            called again if another writer came first.
        """
        from deltalake import write_deltalake
        from deltalake.exceptions import CommitFailedError

        self._prepare()
        for attempt in range(_TRIES):
            current = self._open("runs")
            wanted = build(None if current is None else _query(current, "SELECT * FROM t"))
            try:
                with _translated(self.url):
                    if current is None:  # so that the first ingest, too, can be taken back
                        write_deltalake(self._part("runs"), wanted.slice(0, 0))
                    write_deltalake(
                        self._part("runs"), wanted, mode="overwrite", schema_mode="overwrite"
                    )
            except (CommitFailedError, StoreError) as error:
                if attempt == _TRIES - 1:
                    raise StoreError(
                        "other writers kept coming first", where=self.url, hint="try again"
                    ) from error
            else:
                return

    def undo(self) -> None:
        """Take the last ingest back.

        Raises
        ------
        StoreError
            If there is no store, or nothing left that can be taken back.
        """
        table = self._open("runs")
        if table is None:
            raise StoreError(
                "there is no store here", where=self.url, hint="run `benchkit ingest` first"
            )
        last = table.history(1)[0]
        if last.get("operation") == "RESTORE" or table.version() == 0:
            raise StoreError(
                "nothing left to take back: only the last ingest can be undone, once",
                where=self.url,
                hint="delete the store to begin anew",
            )
        with _translated(self.url):
            table.restore(table.version() - 1)

    def sweep(self, batches: Iterable[int]) -> None:
        """Delete the values of every batch that is not among ``batches``.

        Behind a URL, where another machine may be writing, only those older than a day. Files
        that no table names any more, left by a crash or put together by `compact`, go after an
        hour, when nobody reads them any more.
        """
        table = self._open("values")
        if table is None:
            return
        stale = set(_query(table, "SELECT DISTINCT batch FROM t")["batch"].to_pylist())
        stale -= set(batches)
        if self._is_remote:
            stale = {batch for batch in stale if batch < new_batch() - _DAY}
        if stale:
            with _translated(self.url):
                table.delete(f"batch IN ({', '.join(str(batch) for batch in sorted(stale))})")
        if not self._is_remote:
            self._tidy("", older_than=time.time() - _HOUR)

    def compact(self) -> bool:
        """Put the many small files of many ingests together, once there are enough of them.

        Values keep their batches and pieces, so `undo` is not concerned; a crash leaves the
        table as it was. Return whether anything was done.
        """
        import pyarrow as pa
        from deltalake import WriterProperties

        table = self._open("values")
        if table is None:
            return False
        sizes = table.get_add_actions(flatten=True)
        small = sum(size < _SMALL_FILE for size in pa.table(sizes)["size_bytes"].to_pylist())
        if small < _MANY_FILES:
            return False
        with _translated(self.url):
            table.optimize.compact(
                target_size=_SMALL_FILE, writer_properties=WriterProperties(compression="ZSTD")
            )
        return True

    def _open(self, part: str) -> DeltaTable | None:
        from deltalake import DeltaTable
        from deltalake.exceptions import TableNotFoundError

        with _translated(self.url):
            try:
                return DeltaTable(self._part(part))
            except TableNotFoundError:
                return None

    def _tidy(self, prefix: str, older_than: float = math.inf) -> None:
        """Delete files of values that begin so and that the table does not name."""
        table = self._open("values")
        named = {Path(uri).name for uri in table.file_uris()} if table else set()
        for path in Path(self._part("values")).glob(f"{PARTITION}=*/{prefix}*.parquet"):
            with suppress(OSError):  # another reader's system may hold it; the next ingest tries
                if path.name not in named and path.stat().st_mtime < older_than:
                    path.unlink()

    def _part(self, part: str) -> str:
        return f"{self.url}/{part}"

    @property
    def _is_remote(self) -> bool:
        return "://" in self.url

    def _prepare(self) -> None:
        if self._is_remote:
            return
        folder = Path(self.url)
        try:
            folder.mkdir(parents=True, exist_ok=True)
        except OSError as error:
            raise StoreError(
                f"the store cannot be made: {error.strerror}",
                where=self.url,
                hint="name another with --store, or store= in Python",
            ) from error
        ignore = folder / ".gitignore"
        if not ignore.exists():
            ignore.write_text("*\n", encoding="utf-8")


def _where(pieces: Iterable[tuple[int, int]]) -> str:
    """Write a condition that holds for the values of these pieces."""
    grouped: dict[int, list[str]] = {}
    for batch, piece in pieces:
        grouped.setdefault(batch, []).append(str(piece))
    told = [f"batch = {batch} AND piece IN ({', '.join(own)})" for batch, own in grouped.items()]
    return f"({' OR '.join(told)})" if told else "FALSE"


def _delta_schema() -> Schema:
    from deltalake import Schema

    return Schema.from_arrow(values_schema())


def _query(table: DeltaTable, sql: str) -> pa.Table:
    """Run SQL over one table, called ``t``; string views become strings."""
    import pyarrow as pa

    found = list(_run(table, sql))
    return pa.concat_tables(found) if found else pa.table({})


def _run(table: DeltaTable, sql: str) -> Iterator[pa.Table]:
    """Run SQL over one table, called ``t``, and yield what it gives piece by piece."""
    import pyarrow as pa
    from deltalake import QueryBuilder

    reader = QueryBuilder().register("t", table).execute(sql)
    for batch in pa.RecordBatchReader.from_stream(reader):
        yield _plain(pa.Table.from_batches([batch]))


def _plain(found: pa.Table) -> pa.Table:
    """Turn string views into strings."""
    import pyarrow as pa

    fields = [
        pa.field(f.name, pa.string() if pa.types.is_string_view(f.type) else f.type)
        for f in found.schema
    ]
    return found.cast(pa.schema(fields))


class _translated:  # noqa: N801 - reads as a statement
    """Turn what delta-rs raises into a `StoreError`."""

    def __init__(self, url: str) -> None:
        self._url = url

    def __enter__(self) -> None:
        return None

    def __exit__(self, kind: object, error: BaseException | None, trace: object) -> None:
        from deltalake.exceptions import CommitFailedError, DeltaError, TableNotFoundError

        if isinstance(error, (TableNotFoundError, CommitFailedError)):
            return
        if isinstance(error, (DeltaError, OSError)):
            first = str(error).split("\n", 1)[0]
            raise StoreError(
                f"the store failed: {first}",
                where=self._url,
                hint="nothing was changed; see the cause",
            ) from error
