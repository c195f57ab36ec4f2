"""Values as Arrow batches, in the columns of the store.

Values reach a store or memory in the same way: in columns, whatever their number.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from itertools import chain
from typing import TYPE_CHECKING, Any

from benchkit.parsers.base import Repeats, Row, Samples
from benchkit.redaction import redact_label, redact_tags
from benchkit.redaction.marks import remember
from benchkit.store import values_schema

if TYPE_CHECKING:
    import pyarrow as pa


def row_batches(
    batch: int, rows: Sequence[tuple[int, list[Row] | pa.RecordBatch]]
) -> Iterator[pa.RecordBatch]:
    """Collect the rows of several pieces in batches, in order.

    Parameters
    ----------
    rows : sequence of (piece, rows)
        None is empty; the piece of a batch is that of its first run.
    """
    plain: list[tuple[int, list[Row]]] = []
    for piece, values in rows:
        if isinstance(values, list):
            plain.append((piece, values))
            continue
        if plain:
            yield row_batch(batch, plain)
            plain = []
        yield values
    if plain:
        yield row_batch(batch, plain)


def escape(text: str) -> str:
    """Escape a lone surrogate, which JSON can contain but a text cannot."""
    return text if text.isascii() else text.encode("utf-8", "backslashreplace").decode()


def _array(values: Sequence[Any], kind: pa.DataType) -> pa.Array:
    """Return values as a column; texts may come from any file."""
    import pyarrow as pa

    try:
        return pa.array(values, kind)
    except (OverflowError, pa.ArrowInvalid):  # integers that no float equals
        if not pa.types.is_floating(kind):
            raise
        return pa.array([value if value is None else float(value) for value in values], kind)
    except UnicodeEncodeError:
        return pa.array([value if value is None else escape(value) for value in values], kind)


def repeats_batch(batch: int, first: int, repeats: Repeats) -> pa.RecordBatch:
    """Collect runs in columns in one batch, texts as codes; ``first`` is the first run's piece."""
    import numpy as np
    import pyarrow as pa

    size, owners, kinds = len(repeats), repeats.owners, repeats.kinds.astype(np.int32)
    metrics, units = (list(map(_show_name, names)) for names in zip(*repeats.measures, strict=True))
    nothing = np.zeros(size, np.int32)

    def code(texts: Sequence[str], codes: np.ndarray) -> pa.Array:
        known = dict.fromkeys(texts)  # two kinds may share one metric
        places = {text: place for place, text in enumerate(known)}
        recoded = np.array([places[text] for text in texts], np.int32)[codes]
        return pa.DictionaryArray.from_arrays(recoded, _array(list(known), pa.string()), safe=False)

    columns = {
        "batch": pa.repeat(pa.scalar(batch, pa.int64()), size),
        "raw": pa.repeat(pa.scalar(False), size),
        "piece": pa.array(first + owners),
        "subject": pa.nulls(size, pa.dictionary(pa.int32(), pa.string())),
        "metric": code(metrics, kinds),
        "stat": code(["sample"], nothing),
        "value": pa.array(repeats.values),
        "unit": code(units, kinds),
        "n": pa.array(repeats.counts[owners]),
        "time": pa.nulls(size, values_schema().field("time").type),
        "resolution": pa.array(repeats.steps),
        "origin": code(["reported"], nothing),
        "line": pa.array(repeats.lines[owners]),
    }
    names = values_schema().names
    return pa.RecordBatch.from_arrays([columns[name] for name in names], names)


def row_batch(batch: int, rows: Sequence[tuple[int, list[Row]]]) -> pa.RecordBatch:
    """Collect the rows of several pieces in one batch.

    Parameters
    ----------
    rows : sequence of (piece, rows)
        At least one row in all.
    """
    import numpy as np
    import pyarrow as pa

    schema = values_schema()
    pieces = np.repeat([piece for piece, _ in rows], [len(part) for _, part in rows])
    each = chain.from_iterable(part for _, part in rows)
    subjects, metrics, stats, values, units, *others = zip(*each, strict=True)
    fields = (
        [subject and _show_subject(subject) for subject in subjects],
        *(list(map(_show_name, metrics)), stats, values, list(map(_show_name, units)), *others),
    )
    columns = [
        pa.repeat(pa.scalar(batch, pa.int64()), len(pieces)),
        pa.repeat(pa.scalar(False), len(pieces)),
        pa.array(pieces, pa.int64()),
        *(_array(column, kind) for column, kind in zip(fields, schema.types[3:], strict=True)),
    ]
    return pa.RecordBatch.from_arrays(columns, schema=schema)


_show_subject = remember(redact_tags)
#: The name of a metric or a unit, which may come from a file.
_show_name = remember(redact_label)


def sample_table(batch: int, blocks: Sequence[tuple[int, Samples]]) -> pa.Table:
    """Collect blocks of raw samples in one table, ordered by piece and subject.

    Parameters
    ----------
    blocks : sequence of (piece, samples)
        At least one; blocks of a piece and subject stay in order.
    """
    import numpy as np
    import pyarrow as pa

    ordered = sorted(blocks, key=lambda block: (block[0], block[1].subject or ""))
    parts = [samples for _, samples in ordered]
    sizes = [len(samples.values) for samples in parts]
    size = sum(sizes)
    columns = {
        "batch": pa.repeat(pa.scalar(batch, pa.int64()), size),
        "raw": pa.repeat(pa.scalar(True), size),
        "piece": pa.array(np.repeat([piece for piece, _ in ordered], sizes), pa.int64()),
        "value": pa.array(np.concatenate([s.values for s in parts]), pa.float64()),
        "n": pa.nulls(size, pa.int64()),
        "time": _times(parts),
        "resolution": _spread(
            [s.resolution for s in parts], sizes, pa.float64()
        ).dictionary_decode(),
        "line": pa.array(np.concatenate([s.lines for s in parts]), pa.int64()),
    }
    subjects = [samples.subject and _show_subject(samples.subject) for samples in parts]
    columns["subject"] = _spread(subjects, sizes, pa.string())
    for name in ("metric", "unit"):
        names = [_show_name(getattr(samples, name)) for samples in parts]
        columns[name] = _spread(names, sizes, pa.string())
    for name in ("stat", "origin"):
        columns[name] = _spread([getattr(s, name) for s in parts], sizes, pa.string())
    return pa.table([columns[name] for name in values_schema().names], values_schema().names)


def _spread(items: Sequence[object], sizes: Sequence[int], kind: pa.DataType) -> pa.Array:
    """Repeat an item of each block for all of its rows, as codes."""
    import numpy as np
    import pyarrow as pa

    if len(set(items)) == 1:
        if items[0] is None:
            return pa.nulls(sum(sizes), pa.dictionary(pa.int32(), kind))
        places, values = np.zeros(sum(sizes), np.int32), _array(items[:1], kind)
        return pa.DictionaryArray.from_arrays(places, values, safe=False)
    known = dict.fromkeys(value for value in items if value is not None)
    codes = {value: code for code, value in enumerate(known)}
    each = np.repeat([codes.get(value, -1) for value in items], sizes)
    mask = each < 0
    places = pa.array(each.astype(np.int32), mask=mask if mask.any() else None)
    return pa.DictionaryArray.from_arrays(places, _array(list(codes), kind), safe=False)


def _times(parts: Sequence[Samples]) -> pa.Array:
    import numpy as np
    import pyarrow as pa

    kind = values_schema().field("time").type
    if all(samples.times is None for samples in parts):
        return pa.nulls(sum(len(samples.values) for samples in parts), kind)
    known = [
        np.full(len(s.values), "NaT", "datetime64[us]")
        if s.times is None
        else s.times.astype("datetime64[us]")
        for s in parts
    ]
    return pa.array(np.concatenate(known)).cast(kind)
