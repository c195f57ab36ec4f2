"""Values as Arrow batches, in the columns of the store.

In: the rows and samples that parsers give. Out: record batches. Why: values go to a store or into
memory by the same road, in columns, whatever their number.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING

from benchkit.parsers.base import Row, Samples
from benchkit.store import values_schema

if TYPE_CHECKING:
    import pyarrow as pa


def row_batch(batch: int, rows: Sequence[tuple[int, list[Row]]]) -> pa.RecordBatch:
    """Put the rows of several pieces into one batch.

    Parameters
    ----------
    batch : int
    rows : sequence of (piece, rows)
        At least one row in all.
    """
    import numpy as np
    import pyarrow as pa

    wanted = values_schema()
    pieces = np.repeat([piece for piece, _ in rows], [len(part) for _, part in rows])
    told = zip(*(row for _, part in rows for row in part), strict=True)
    columns = [
        pa.repeat(pa.scalar(batch, pa.int64()), len(pieces)),
        pa.repeat(pa.scalar(False), len(pieces)),
        pa.array(pieces, pa.int64()),
        *(pa.array(c, field.type) for c, field in zip(told, list(wanted)[3:], strict=True)),
    ]
    return pa.RecordBatch.from_arrays(columns, schema=wanted)


def sample_batch(batch: int, piece: int, samples: Samples) -> pa.RecordBatch:
    """Put a block of raw samples of one piece into a batch."""
    import pyarrow as pa

    size = len(samples.values)
    constant = {
        "batch": batch,
        "raw": True,
        "piece": piece,
        "subject": samples.subject,
        "metric": samples.metric,
        "stat": samples.stat,
        "unit": samples.unit,
        "n": None,
        "resolution": samples.resolution,
        "origin": samples.origin,
    }
    wanted = values_schema()
    arrays = []
    for column in wanted:
        if column.name == "value":
            arrays.append(pa.array(samples.values, pa.float64()))
        elif column.name == "line":
            arrays.append(pa.array(samples.lines, pa.int64()))
        elif column.name == "time":
            times = samples.times
            arrays.append(
                pa.nulls(size, column.type)
                if times is None
                else pa.array(times.astype("datetime64[us]")).cast(column.type)
            )
        else:
            arrays.append(pa.repeat(pa.scalar(constant[column.name], column.type), size))
    return pa.RecordBatch.from_arrays(arrays, schema=wanted)
