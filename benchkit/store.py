"""The store: two Delta tables, one for values and one for the pieces of runs they belong to.

In: record batches of values and a table of pieces. Out: the same, filtered.
Why: atomic commits, crash safety, time travel and many readers, none of it written by us.

A commit spans one table. Values are appended first, pieces replaced last; the pieces are the
authority, so that values without their piece are invisible, and the next ingest sweeps them.
"""

from __future__ import annotations

import time
from collections.abc import Callable, Iterable, Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import IO, TYPE_CHECKING

from benchkit.errors import StoreError

if TYPE_CHECKING:
    import pyarrow as pa
    from deltalake import DeltaTable

DEFAULT = ".benchkit"
_TRIES = 5
_DAY = 86_400_000_000


def new_batch() -> int:
    """Return the id of a new batch: microseconds since the epoch."""
    return time.time_ns() // 1000


def _lock(file: IO[str]) -> None:
    try:
        import fcntl
    except ImportError:  # where the system has none, Delta's own commits are the guard
        return
    fcntl.flock(file, fcntl.LOCK_EX)


def values_schema() -> pa.Schema:
    """Return the columns of the values: one row per measured value."""
    import pyarrow as pa

    return pa.schema(
        [
            ("batch", pa.int64()),
            ("raw", pa.bool_()),
            ("piece", pa.int64()),
            ("subject", pa.string()),
            ("metric", pa.string()),
            ("stat", pa.string()),
            ("value", pa.float64()),
            ("unit", pa.string()),
            ("n", pa.int64()),
            ("time", pa.timestamp("us", "UTC")),
            ("resolution", pa.float64()),
            ("origin", pa.string()),
            ("line", pa.int64()),
        ]
    )


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
        """Whether this is a folder that holds a store."""
        return not self._is_remote and (Path(self.url) / "runs" / "_delta_log").is_dir()

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

    def values(self, *, raw: bool = False, metrics: Iterable[str] = ()) -> pa.Table:
        """Return the stored values.

        Parameters
        ----------
        raw : bool
            Whether the raw samples come along with the values per run.
        metrics : iterable of str
            Only these; all if empty.
        """
        import pyarrow as pa

        return pa.Table.from_batches(self.stream(raw=raw, metrics=metrics), values_schema())

    def samples(self, metrics: Iterable[str]) -> pa.Table:
        """Return the raw samples of some metrics, and none of their values per run."""
        import pyarrow.compute as pc

        found = self.values(raw=True, metrics=metrics)
        raw: pa.Table = found.filter(pc.field("raw"))
        return raw

    def stream(self, *, raw: bool = False, metrics: Iterable[str] = ()) -> Iterator[pa.RecordBatch]:
        """Yield the stored values batch by batch; parameters as in `values`."""
        table = self._open("values")
        if table is None:
            return
        clauses = [] if raw else ["NOT raw"]
        if names := [f"'{name}'" for name in (m.replace("'", "''") for m in metrics)]:
            clauses.append(f"metric IN ({', '.join(names)})")
        where = f" WHERE {' AND '.join(clauses)}" if clauses else ""
        wanted = values_schema()
        for found in _run(table, f"SELECT * FROM t{where}"):  # noqa: S608 - names are quoted
            yield from found.select(wanted.names).cast(wanted).to_batches()

    def append(self, batches: Iterable[pa.RecordBatch]) -> None:
        """Append values; they stay invisible until `replace_pieces` names their pieces."""
        import pyarrow as pa
        from deltalake import write_deltalake

        reader = pa.RecordBatchReader.from_batches(values_schema(), batches)
        self._prepare()
        with _translated(self.url):
            write_deltalake(
                self._part("values"), reader, mode="append", partition_by=["batch", "raw"]
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

        Behind a URL, where another machine may be writing, only those older than a day.
        """
        table = self._open("values")
        if table is None:
            return
        stale = {int(p["batch"]) for p in table.partitions()} - set(batches)
        if self._is_remote:
            stale = {batch for batch in stale if batch < new_batch() - _DAY}
        if stale:
            with _translated(self.url):
                table.delete(f"batch IN ({', '.join(str(batch) for batch in sorted(stale))})")

    def _open(self, part: str) -> DeltaTable | None:
        from deltalake import DeltaTable
        from deltalake.exceptions import TableNotFoundError

        with _translated(self.url):
            try:
                return DeltaTable(self._part(part))
            except TableNotFoundError:
                return None

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
                hint="name another with --store",
            ) from error
        ignore = folder / ".gitignore"
        if not ignore.exists():
            ignore.write_text("*\n", encoding="utf-8")


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
