"""Reading of values, skipping files and row groups by their bounds.

pyarrow reads the values and verifies the checksum of each page; the reader of delta-rs would end
the process at a damaged page.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from functools import reduce
from operator import and_, or_
from typing import TYPE_CHECKING, Any

from benchkit.store.columns import PARTITION, values_schema
from benchkit.store.contents import has_all_values, require_sound
from benchkit.store.files import is_raw

if TYPE_CHECKING:
    import pyarrow as pa
    from pyarrow import dataset as ds
    from pyarrow import fs

#: Columns whose bounds a file's commit states.
_BOUNDED = ("batch", "piece")


def read_values(
    filesystem: fs.FileSystem,
    files: Iterable[Mapping[str, Any]],
    *,
    raw: bool = False,
    metrics: Iterable[str] = (),
    pieces: Iterable[tuple[int, int]] | None = None,
) -> Iterator[pa.RecordBatch]:
    """Yield values batch by batch.

    Parameters
    ----------
    filesystem : FileSystem
        The file system of the table.
    files : iterable of mapping
        The files of a version, as listed by delta-rs.
    raw : bool
        Whether to include the raw samples.
    metrics : iterable of str
        Only these; all if empty.
    pieces : iterable of (batch, piece), optional
        Only the values of these pieces.
    """
    import pyarrow as pa
    from pyarrow import dataset as ds

    schema, condition = values_schema(), _condition(list(metrics), pieces)
    coded, names = _code_texts(schema)
    layout = ds.ParquetFileFormat(
        read_options=ds.ParquetReadOptions(dictionary_columns=names),
        default_fragment_scan_options=ds.ParquetFragmentScanOptions(
            page_checksum_verification=True
        ),
    )
    fragments = [
        layout.make_fragment(file["path"], filesystem, _bounds(file))
        for file in files
        if raw or not is_raw(file)
    ]
    dataset = ds.FileSystemDataset(fragments, coded, layout, filesystem)
    scanned = dataset.to_batches(filter=condition, batch_readahead=1, fragment_readahead=2)
    for batch in scanned:
        require_sound(batch)
        if not has_all_values(batch):
            raise pa.ArrowInvalid("a value lacks its metric, statistic or unit")
        if batch.num_rows:
            yield batch.cast(schema)


def _code_texts(schema: pa.Schema) -> tuple[pa.Schema, list[str]]:
    """Return the columns with texts as codes, which is faster to read, and the coded columns.

    Metrics remain texts: row groups cannot be skipped by bounds of codes.
    """
    import pyarrow as pa

    text = pa.string()
    names = [field.name for field in schema if field.type == text and field.name != "metric"]
    code = pa.dictionary(pa.int32(), text)
    fields = [field.with_type(code if field.name in names else field.type) for field in schema]
    return pa.schema(fields), names


def _bounds(file: Mapping[str, Any]) -> ds.Expression:
    """Return the condition that every value of a file fulfils."""
    import pyarrow.compute as pc

    holds = pc.field(PARTITION) == pc.scalar(is_raw(file))
    for name in _BOUNDED:
        low, high = file.get(f"min.{name}"), file.get(f"max.{name}")
        if low is not None and high is not None:
            holds &= (pc.field(name) >= low) & (pc.field(name) <= high)
    return holds


def _condition(
    metrics: Sequence[str], pieces: Iterable[tuple[int, int]] | None
) -> ds.Expression | None:
    """Return the condition for values of these metrics and pieces."""
    import pyarrow.compute as pc

    conditions = [pc.field("metric").isin(metrics)] if metrics else []
    if pieces is not None:
        grouped: dict[int, list[int]] = {}
        for batch, piece in pieces:
            grouped.setdefault(batch, []).append(piece)
        each = [
            (pc.field("batch") == batch) & pc.field("piece").isin(ids)
            for batch, ids in grouped.items()
        ]
        conditions.append(reduce(or_, each, pc.scalar(False)))
    return reduce(and_, conditions) if conditions else None
