"""Reading values: what is not asked for is not read, by the bounds of files and row groups."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from typing import TYPE_CHECKING

from benchkit.store.columns import plain, values_schema

if TYPE_CHECKING:
    import pyarrow as pa
    from deltalake import DeltaTable


def read_values(
    version: DeltaTable,
    *,
    raw: bool = False,
    metrics: Iterable[str] = (),
    pieces: Iterable[tuple[int, int]] | None = None,
) -> Iterator[pa.RecordBatch]:
    """Yield the values of a version batch by batch.

    Parameters
    ----------
    version : DeltaTable
    raw : bool
        Whether the raw samples come along with the values per run.
    metrics : iterable of str
        Only these; all if empty.
    pieces : iterable of (batch, piece), optional
        Only theirs.
    """
    clauses = [] if raw else ["NOT raw"]
    if names := [f"'{name}'" for name in (m.replace("'", "''") for m in metrics)]:
        clauses.append(f"metric IN ({', '.join(names)})")
    if pieces is not None:
        clauses.append(_where(pieces))
    where = f" WHERE {' AND '.join(clauses)}" if clauses else ""
    schema = values_schema()
    for table in _run(version, f"SELECT * FROM t{where}"):  # noqa: S608 - names are quoted
        yield from table.select(schema.names).cast(schema).to_batches()


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
