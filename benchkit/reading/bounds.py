"""Limits on the unpacked size of a packed file or an archive.

Also limits on the unpacked size of a Parquet file.

A store may come with a checkout, and a file of a few kilobytes may claim endless rows.
"""

from __future__ import annotations

import errno
import gzip
import io
from collections.abc import Iterable, Iterator, Sequence
from typing import IO, TYPE_CHECKING, Any

from benchkit.errors import ConfigError, DataError
from benchkit.units import parse_bytes

if TYPE_CHECKING:
    import pyarrow as pa
    import pyarrow.parquet as pq


#: The option that sets a limit other than `LARGEST`.
OPTION = "--max-unpacked"
#: Maximum unpacked bytes of a file or an archive.
LARGEST = 4 << 30
#: Maximum number of files and folders in an archive, and of members in a gzip stream.
MEMBERS = 100_000
#: Maximum bytes of names and similar fields in the headers of a gzip stream, and per additional
#: member.
_HEADERS, _HEADER = 1 << 16, 300
#: Maximum unpacked bytes per packed byte; benchmark output reaches a few tens.
_RATIO = 250
#: Number of bytes below which the ratio does not matter.
_SMALL = 1 << 20
#: Maximum number of runs and faults in a file; each is an object of kilobytes.
RUNS = 250_000
#: Maximum number of metrics and subjects of a run, each of which is an object, even with few
#: values.
SERIES = 250_000
#: Maximum characters in the names of a document's fields, each with those of its enclosing objects.
NAMES = 1 << 27
#: Minimum packed bytes per run beyond the first `_FEW`: even a single measured number takes more.
_FEW, _RUN_BYTES = 10_000, 4

#: Description of a file that exceeds the limit.
OUTSIZED = "unpacks to far more than a file of its size can contain"
#: Rows and bytes that any file may unpack to, and the number per byte of its size.
_ROWS, _ROWS_A_BYTE = 1 << 20, 16
_BYTES, _BYTES_A_BYTE = 1 << 28, 1_000


def parse_limit(text: str) -> int:
    """Parse the size that `OPTION` sets."""
    try:
        return int(parse_bytes(text, binary=True).value)
    except (ValueError, OverflowError):
        hint = f"use a number of bytes: {OPTION} 8GiB"
        raise ConfigError(f"{text!r} is not a size", where=OPTION, hint=hint) from None


def explain_excess(size: int, packed: int, limit: int) -> str:
    """Return why packed bytes may not unpack to this many bytes; empty if they may.

    Examples
    --------
    >>> explain_excess(2000, 100, 1000), explain_excess(1 << 30, 100, LARGEST)
    ('it unpacks to more than 1,000 bytes', 'it unpacks to more than 250 times its size')
    """
    if size > limit:
        return f"it unpacks to more than {limit:,} bytes"
    if size > max(_SMALL, _RATIO * packed):
        return f"it unpacks to more than {_RATIO} times its size"
    return ""


def limit_runs(size: int) -> int:
    """Return the maximum runs and faults of a file of this size, perhaps packed.

    Examples
    --------
    >>> limit_runs(4_800), limit_runs(400_000), limit_runs(1 << 30)
    (10000, 100000, 250000)
    """
    return min(RUNS, max(_FEW, size // _RUN_BYTES))


class CrowdedError(DataError):
    """A run or document has too many names; ``line`` is the first that exceeds the limit."""

    line = 0


def require_few(count: int, line: int) -> None:
    """Reject a run with more than `SERIES` metrics and subjects, counted up to a line."""
    if count > SERIES:
        error = CrowdedError(
            f"more than {SERIES:,} metrics and subjects in one run",
            hint="remove labels that differ for each request, or split the file",
        )
        error.line = line
        raise error


def require_short(size: int, line: int = 0) -> None:
    """Reject a document whose names exceed `NAMES` characters in total, counted up to a line."""
    if size > NAMES:
        error = CrowdedError(
            f"the names of its nested fields come to more than {NAMES:,} characters",
            hint="shorten the names of the objects that hold many fields, or nest them less",
        )
        error.line = line
        raise error


class _Members(gzip._GzipReader):
    """The content of a gzip stream; each member takes time even if it is empty.

    So does each byte of the names in its headers.
    """

    _members = 0
    _header_bytes = _HEADERS

    def _init_read(self) -> None:
        self._members += 1
        self._header_bytes += _HEADER
        if self._members > MEMBERS:
            raise OSError(errno.EFBIG, f"it has more than {MEMBERS:,} members")
        super()._init_read()  # type: ignore[misc]

    def _read_gzip_header(self) -> bool:
        reader: Any = self
        file = reader._fp
        reader._fp = _Header(self, file)
        try:
            return bool(super()._read_gzip_header())  # type: ignore[misc]
        finally:
            reader._fp = file


class _Header:
    """The header of a member, in which names and comments can have any length."""

    def __init__(self, members: _Members, file: IO[bytes]) -> None:
        self._members, self._file = members, file

    def read(self, size: int) -> bytes:
        self._members._header_bytes -= size
        if self._members._header_bytes < 0:
            raise gzip.BadGzipFile("a name in its header is too long")
        return self._file.read(size)


def open_gzip(raw: IO[bytes]) -> io.BufferedReader:
    """Open the content of a gzip stream of at most `MEMBERS` members."""
    return io.BufferedReader(_Members(raw))


class OutsizedError(OSError):
    """A file unpacks to far more than is plausible for its size."""


def open_parquet(file: pa.NativeFile, *, coded: bool = False) -> pq.ParquetFile:
    """Open a Parquet file, whose pages are verified as they are read.

    Parameters
    ----------
    file : NativeFile
    coded : bool
        Whether texts are read as codes, for `read_rows`.

    Raises
    ------
    OutsizedError
        If, by the metadata at its end, it would unpack to far more than is plausible for its size.
    """
    import pyarrow as pa
    import pyarrow.parquet as pq

    parquet = pq.ParquetFile(file, page_checksum_verification=True)
    rows, size = parquet.metadata.num_rows, file.size()
    groups = [parquet.metadata.row_group(i) for i in range(parquet.metadata.num_row_groups)]
    unpacked = sum(group.total_byte_size for group in groups)
    if rows > max(_ROWS, _ROWS_A_BYTE * size) or unpacked > _limit(file):
        raise OutsizedError(f"it states {rows:,} rows in {size:,} bytes")
    if not coded:
        _require_texts(file, _measure_texts(file, parquet))
        return parquet
    whole = _find_whole(groups)
    texts = [
        field.name
        for field in parquet.schema_arrow
        if pa.types.is_string(field.type) and field.name not in whole
    ]
    return pq.ParquetFile(
        file, metadata=parquet.metadata, read_dictionary=texts, page_checksum_verification=True
    )


def _find_whole(groups: Sequence[pq.RowGroupMetaData]) -> set[str]:
    """Return the columns without a dictionary: values written once take no more space to read."""
    columns = [group.column(at) for group in groups for at in range(group.num_columns)]
    coded = {one.path_in_schema for one in columns if any("DICT" in each for each in one.encodings)}
    return {one.path_in_schema for one in columns} - coded


def read_rows(
    file: pa.NativeFile, parquet: pq.ParquetFile, columns: Sequence[str] | None = None
) -> pa.Table:
    """Return the rows of a file that was opened ``coded``, if they do not unpack to too much.

    A text repeated endlessly takes no space while it is coded.
    """
    rows = parquet.read(columns, use_threads=False)  # threads take four times the CPU
    # No text, however often it is repeated, is too large if all texts together are short.
    is_long = len(rows) * rows.nbytes > _BYTES
    if is_long and len(rows) * sum(map(_find_longest, rows.columns)) > _BYTES:
        _require_texts(file, (size for column in rows.columns for size in _measure_coded(column)))
    return rows


def _limit(file: pa.NativeFile) -> int:
    """Return the number of bytes that a file may unpack to."""
    size: int = file.size()
    return max(_BYTES, _BYTES_A_BYTE * size)


def _require_texts(file: pa.NativeFile, sizes: Iterable[int]) -> None:
    if sum(sizes) > _limit(file):
        raise OutsizedError(f"it unpacks to far too much text for {file.size():,} bytes")


def _measure_texts(file: pa.NativeFile, parquet: pq.ParquetFile) -> Iterator[int]:
    """Yield the unpacked bytes of text columns, in which a long text may be repeated."""
    import pyarrow.parquet as pq

    columns = parquet.num_row_groups * len(parquet.schema.names)
    least = _limit(file) // max(columns, 1)
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
    """Yield the bytes that the codes of a column represent."""
    import pyarrow as pa
    import pyarrow.compute as pc

    for chunk in column.chunks:
        if pa.types.is_dictionary(chunk.type):
            sizes = pc.binary_length(chunk.dictionary.cast(pa.binary()))
            yield pc.sum(sizes.cast(pa.int64()).take(chunk.indices)).as_py() or 0


def _find_longest(column: pa.ChunkedArray) -> int:
    """Return the length in bytes of the longest text that a code of a column represents."""
    import pyarrow as pa
    import pyarrow.compute as pc

    codes = [chunk for chunk in column.chunks if pa.types.is_dictionary(chunk.type)]
    sizes = [pc.binary_length(chunk.dictionary.cast(pa.binary())) for chunk in codes]
    return max((pc.max(size).as_py() or 0 for size in sizes), default=0)
