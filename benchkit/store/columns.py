"""The columns of stored values, and their layout in Parquet.

Writers and readers of values share these definitions; the layout was chosen by measurement.

zstd, with times, lines and pieces as differences, takes far less space than Parquet's defaults with
snappy. A row group of a single metric lets readers skip all others by their statistics. Values are
not split byte by byte, because Spark's vectorised reader cannot read that; pages carry checksums.
"""

from __future__ import annotations

import secrets
import time
from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

from benchkit import schema

if TYPE_CHECKING:
    import pyarrow as pa
    from deltalake import DeltaTable

#: Rows in a row group of samples: two or three hundred thousand requests make a few groups.
GROUP_ROWS = 1 << 17
#: Number of rows that determine how the columns of a group are written.
_LOOKED_AT = 1 << 12
#: Maximum number of rows of a file that is small with any compression.
_FEW = 100
#: Columns that are never null in a sample.
_ALWAYS = frozenset({"batch", "piece", "metric", "stat", "value", "unit", "origin", "line"})
#: Columns whose bounds let readers skip row groups; bounds of all take a third longer to write.
_PASSED_BY = ("batch", "piece", "metric")
#: The partition column of values: samples are separate, so that no report opens their files.
PARTITION = "raw"


#: Random bits of a batch's id, below its time: two machines may begin in the same microsecond.
_RANDOM_BITS = 12
#: Ids above this have random bits; lower ones, from earlier builds, are only the time.
_WITH_RANDOM_BITS = 1 << 60


def new_batch() -> int:
    """Return the id of a new batch: microseconds since the epoch, then random bits."""
    return (time.time_ns() // 1000 << _RANDOM_BITS) + secrets.randbits(_RANDOM_BITS)


def began_at(batch: int) -> int:
    """Return the start time of a batch, in microseconds since the epoch."""
    return batch >> _RANDOM_BITS if batch > _WITH_RANDOM_BITS else batch


def values_schema() -> pa.Schema:
    """Return the columns of the values: one row per measured value."""
    import pyarrow as pa

    types = schema.arrow_types()
    return pa.schema(
        [
            ("batch", pa.int64()),
            ("raw", pa.bool_()),
            ("piece", pa.int64()),
            *((column.name, types[column.type]) for column in schema.VALUE_COLUMNS),
            ("line", pa.int64()),
        ]
    )


def file_schema(*, is_raw: bool) -> pa.Schema:
    """Return the columns of a file of values: without the partition column, and with coded texts.

    Columns that every sample fills are marked as not nullable, which spares Parquet a check of each
    row.
    """
    import pyarrow as pa

    coded = pa.dictionary(pa.int32(), pa.string())
    fields = [
        field.with_type(coded) if field.type == pa.string() else field
        for field in values_schema()
        if field.name != PARTITION
    ]
    if is_raw:
        fields = [field.with_nullable(field.name not in _ALWAYS) for field in fields]
    return pa.schema(fields)


def parquet_settings(first: pa.Table, *, is_raw: bool) -> dict[str, Any]:
    """Return the settings of a `pyarrow.parquet.ParquetWriter` for values, given the first ones.

    Hardly any two runs have the same value, so values per run are written without a dictionary. For
    samples, the first rows decide, because dictionary look-ups take ten times as long as writing.
    Unordered times with few distinct values, such as whole seconds, are smaller in a dictionary.
    """
    differences, plain = ["time", "line", "piece", "n"], [] if is_raw else ["value"]
    if is_raw:
        begin = first.slice(0, _LOOKED_AT)
        if 2 * len(begin["value"].unique()) > len(begin):
            plain.append("value")
        times = begin["time"].cast("int64").drop_null().to_numpy()
        if (times[1:] < times[:-1]).any() and 4 * len(begin["time"].unique()) < len(begin):
            differences.remove("time")
    settings = _settings(first.column_names, differences, _PASSED_BY, plain)
    return settings if is_raw else settings | {"compression": _choose_compression(first)}


def log_settings(rows: pa.Table) -> dict[str, Any]:
    """Return the settings of a `pyarrow.parquet.ParquetWriter` for a file of runs."""
    differences, bounded = ("index", "line", "piece", "number"), ("seq", "batch", "path")
    settings = _settings(rows.column_names, differences, bounded, _find_unlike(rows))
    return settings | {"compression": _choose_compression(rows)}


def _find_unlike(rows: pa.Table) -> list[str]:
    """Return the columns whose texts are hardly repeated, for example paths and digests.

    Reading these from a dictionary takes three times as long as reading the texts.
    """
    import pyarrow as pa

    few = len(rows) <= _FEW
    texts = [] if few else [f.name for f in plain(rows.slice(0, 0)).schema if f.type == pa.string()]
    columns = ((name, plain(rows.select([name]))[name]) for name in texts)
    return [name for name, texts in columns if _measure(texts) < 2 * _measure(texts.unique())]


def _measure(texts: pa.ChunkedArray | pa.Array) -> int:
    import pyarrow.compute as pc

    return pc.sum(pc.binary_length(texts)).as_py() or 0


def _choose_compression(rows: pa.Table) -> str:
    """Return the compression: small output for many rows, fast reading for a few.

    zstd takes 50 µs to start on a column, and a file of runs has sixty of them.
    """
    return "snappy" if len(rows) <= _FEW else "zstd"


def _settings(
    columns: Sequence[str], differences: Sequence[str], bounded: Sequence[str],
    plain: Sequence[str] = (),
) -> dict[str, Any]:  # fmt: skip
    """Return settings for columns: those written as differences, with bounds, or plainly."""
    encodings = {name: "DELTA_BINARY_PACKED" for name in differences if name in columns}
    encodings |= dict.fromkeys(plain, "PLAIN")
    return {
        "compression": "zstd",
        "use_dictionary": [name for name in columns if name not in encodings],
        "column_encoding": encodings,
        "write_statistics": [name for name in bounded if name in columns],
        "write_page_checksum": True,
        "store_schema": False,  # readers of the file get texts, not codes
    }


def plain(table: pa.Table) -> pa.Table:
    """Return a table with strings instead of string views and codes."""
    import pyarrow as pa

    def kind(of: pa.DataType) -> pa.DataType:
        is_text = pa.types.is_string_view(of) or pa.types.is_dictionary(of)
        return pa.string() if is_text else of

    schema = pa.schema([field.with_type(kind(field.type)) for field in table.schema])
    return table if schema == table.schema else table.cast(schema)


def code_texts(table: pa.Table) -> pa.Table:
    """Return a table with codes instead of strings."""
    import pyarrow as pa

    is_text = [pa.types.is_string(field.type) for field in table.schema]
    columns = zip(table.columns, is_text, strict=True)
    coded = [column.dictionary_encode() if text else column for column, text in columns]
    return pa.table(coded, table.column_names)


def fits(schema: pa.Schema, version: DeltaTable) -> bool:
    """Return whether the columns of a file can belong to its table."""
    import pyarrow as pa

    stated = plain(pa.schema(version.schema()).empty_table()).schema
    if not {*schema.names} <= {*stated.names}:  # unknown column, so another is missing
        return False
    flat = [
        pa.schema([field for field in each if not pa.types.is_nested(field.type)])
        for each in (stated, plain(schema.empty_table()).schema)
    ]
    try:
        pa.unify_schemas(flat, promote_options="permissive")
    except pa.ArrowException:
        return False
    return True
