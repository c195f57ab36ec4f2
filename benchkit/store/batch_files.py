"""Batches of values as files: those of several sources share one, in row groups by metric."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from itertools import groupby
from pathlib import Path
from typing import TYPE_CHECKING

from benchkit.store.columns import GROUP_ROWS, file_schema
from benchkit.store.files import DataFile, FileWriter

if TYPE_CHECKING:
    import pyarrow as pa

#: Minimum number of samples for a metric to get a separate row group, which takes 2.5 kB; smaller
#: groups would be larger and slower to read separately.
ALONE = 1 << 11


def write_files(folder: Path, batch: int, batches: Iterable[pa.RecordBatch]) -> list[DataFile]:
    """Write batches of values per run and of samples, each kind to one file.

    Parameters
    ----------
    folder, batch
        As in `FileWriter`.
    batches : iterable of RecordBatch
        Each with values per run or with samples; samples are sorted by metric.
    """
    writers: dict[bool, BatchWriter] = {}
    try:
        for batch_rows in batches:
            if len(batch_rows):
                is_raw = batch_rows["raw"][0].as_py()
                if is_raw not in writers:
                    writers[is_raw] = BatchWriter(folder, batch, is_raw=is_raw)
                writers[is_raw].take(batch_rows)
        return [writer.close() for writer in writers.values()]
    except BaseException:
        for writer in writers.values():
            writer.drop()
        raise


class BatchWriter:
    """Writes batches to one file, in row groups as they fill up.

    Parameters
    ----------
    folder, batch, is_raw
        As in `FileWriter`.
    """

    def __init__(self, folder: Path, batch: int, *, is_raw: bool) -> None:
        self._writer = FileWriter(folder, batch, is_raw=is_raw)
        self._is_raw, self._schema = is_raw, file_schema(is_raw=is_raw)
        self._held: list[pa.RecordBatch] = []
        self._rows = 0

    def take(self, batch: pa.RecordBatch) -> None:
        """Add the next rows."""
        self._held.append(batch)
        self._rows += len(batch)
        if self._rows >= GROUP_ROWS:
            self._write()

    def close(self) -> DataFile:
        """Write the remaining rows and close the file."""
        if self._held:
            self._write()
        return self._writer.close()

    def drop(self) -> None:
        """Discard the file."""
        self._writer.drop()

    def _write(self) -> None:
        import pyarrow as pa

        alike = [[*same] for _, same in groupby(self._held, lambda batch: batch.schema)]
        tables = (pa.Table.from_batches(same).select(self._schema.names) for same in alike)
        table = pa.concat_tables([each.cast(self._schema) for each in tables])
        self._held, self._rows = [], 0
        for group in part_by_metric(table) if self._is_raw else [table]:
            self._writer.write(group.unify_dictionaries())


def part_by_metric(rows: pa.Table) -> Iterator[pa.Table]:
    """Yield samples as row groups: one per metric with many samples, and one for the others."""
    import pyarrow as pa
    import pyarrow.compute as pc

    rows = rows.take(pc.sort_indices(rows["metric"].cast(pa.string())))
    start = end = 0
    for count in rows["metric"].cast(pa.string()).value_counts().field("counts").to_pylist():
        if count >= ALONE:
            if start < end:
                yield rows.slice(start, end - start)
            yield rows.slice(end, count)
            start = end + count
        end += count
    if start < end:
        yield rows.slice(start)
