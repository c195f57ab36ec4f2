"""How much a Parquet file may unpack to.

A store may come with a checkout, and a file of a few kilobytes may state rows without end.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    import pyarrow as pa
    import pyarrow.parquet as pq

#: What is wrong with such a file.
OUTSIZED = "unpacks to far more than a file of its size can contain"
#: Rows and bytes that any file may unpack to, and how many each of its bytes may.
_ROWS, _ROWS_A_BYTE = 1 << 20, 16
_BYTES, _BYTES_A_BYTE = 1 << 28, 1_000


class OutsizedError(OSError):
    """A file unpacks to far more than files of its size do."""


def open_parquet(file: pa.NativeFile, *, coded: bool = False) -> pq.ParquetFile:
    """Open a Parquet file, whose pages are verified as they are read.

    Parameters
    ----------
    file : NativeFile
    coded : bool
        Whether its rows get codes for texts, to be read with `read_rows`.

    Raises
    ------
    OutsizedError
        If it would unpack to far more than files of its size do, by what its end states.
    """
    import pyarrow as pa
    import pyarrow.parquet as pq

    parquet = pq.ParquetFile(file, page_checksum_verification=True)
    rows, size = parquet.metadata.num_rows, file.size()
    groups = [parquet.metadata.row_group(i) for i in range(parquet.metadata.num_row_groups)]
    most = max(_BYTES, _BYTES_A_BYTE * size)
    if rows > max(_ROWS, _ROWS_A_BYTE * size) or sum(g.total_byte_size for g in groups) > most:
        raise OutsizedError(f"it states {rows:,} rows in {size:,} bytes")
    if not coded:
        _require_texts(file, _measure_texts(file, parquet))
        return parquet
    texts = [field.name for field in parquet.schema_arrow if pa.types.is_string(field.type)]
    return pq.ParquetFile(
        file, metadata=parquet.metadata, read_dictionary=texts, page_checksum_verification=True
    )


def read_rows(
    file: pa.NativeFile, parquet: pq.ParquetFile, columns: Sequence[str] | None = None
) -> pa.Table:
    """Return the rows of a file that was opened ``coded``, where they do not unpack to too much.

    A text that is repeated without end takes no room as long as it is coded.
    """
    rows = parquet.read(columns, use_threads=False)  # with threads it takes four times the CPU
    if len(rows) * rows.nbytes > _BYTES:  # else no text, however often it is repeated, is too much
        _require_texts(file, (size for column in rows.columns for size in _measure_coded(column)))
    return rows


def _require_texts(file: pa.NativeFile, sizes: Iterable[int]) -> None:
    size = file.size()
    if sum(sizes) > max(_BYTES, _BYTES_A_BYTE * size):
        raise OutsizedError(f"it unpacks to far too much text for {size:,} bytes")


def _measure_texts(file: pa.NativeFile, parquet: pq.ParquetFile) -> Iterator[int]:
    """Yield the bytes that columns of texts unpack to, where one may be long and repeated."""
    import pyarrow.parquet as pq

    least = _BYTES // max(parquet.num_row_groups * len(parquet.schema.names), 1)
    for number in range(parquet.num_row_groups):
        group = parquet.metadata.row_group(number)
        for at in range(group.num_columns):
            column: Any = group.column(at)
            name = column.path_in_schema
            is_long = group.num_rows * column.total_uncompressed_size > least
            if column.physical_type != "BYTE_ARRAY" or not is_long or "." in name:
                continue
            coded = pq.ParquetFile(file, read_dictionary=[name])
            yield from _measure_coded(coded.read_row_group(number, [name])[name])


def _measure_coded(column: pa.ChunkedArray) -> Iterator[int]:
    """Yield the bytes that the codes of a column stand for."""
    import pyarrow as pa
    import pyarrow.compute as pc

    for chunk in column.chunks:
        if pa.types.is_dictionary(chunk.type):
            sizes = pc.binary_length(chunk.dictionary.cast(pa.binary()))
            yield pc.sum(sizes.cast(pa.int64()).take(chunk.indices)).as_py() or 0
