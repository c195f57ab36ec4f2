"""Parts as rows of the store's table of runs, and back.

The frames of many runs are made from columns; labelling uses parts.
"""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from dataclasses import MISSING, Field, fields
from functools import lru_cache
from operator import attrgetter
from typing import TYPE_CHECKING, Any

from benchkit import schema
from benchkit.codes import code
from benchkit.ingestion.parts import Part
from benchkit.labels.shards import SHARD
from benchkit.store.columns import plain

if TYPE_CHECKING:
    import numpy as np
    import pyarrow as pa

_TYPES = {
    field.name: schema.TYPES[str(field.type)] for field in fields(Part) if field.name != "places"
}
_JSON = frozenset(name for name, type_ in _TYPES.items() if type_ == "map")


def parts_table(parts: Sequence[Part]) -> pa.Table:
    """Write parts as a table for the store: one row per run, texts as codes."""
    import pyarrow as pa

    types = schema.arrow_types() | {"map": pa.string()}
    values = zip(*map(attrgetter(*_TYPES), parts), strict=True)
    columns: dict[str, Sequence[Any]] = dict.fromkeys(_TYPES, ())
    columns |= zip(_TYPES, values, strict=bool(parts))
    for name in _JSON:
        columns[name] = [_write_json(tuple(value.items())) for value in columns[name]]
    arrays = {name: pa.array(columns[name], types[type_]) for name, type_ in _TYPES.items()}
    coded = {
        name: array.dictionary_encode() if pa.types.is_string(array.type) else array
        for name, array in arrays.items()
    }
    is_spread = any(part.places is not None for part in parts)
    return pa.table(_spread(coded, parts) if is_spread else coded)


def _spread(columns: Mapping[str, pa.Array], parts: Sequence[Part]) -> dict[str, pa.Array]:
    """Repeat the row of each part for all of its runs, in the order of their pieces."""
    import numpy as np
    import pyarrow as pa

    owners, pieces, numbers = _list_runs(parts)
    lines = [[part.line] if part.places is None else part.places.lines for part in parts]
    of_each = {
        "index": np.concatenate([part.indices for part in parts]),
        "line": np.concatenate(lines),
        "content": np.concatenate([part.contents for part in parts]),
        "piece": pieces,
        "number": numbers,
    }
    order = pieces.argsort(kind="stable")
    take = pa.array(owners[order], pa.int32())
    nothing = pa.array(np.zeros(len(take), np.int32))  # shared by all columns with a single text
    nulls = {column.type: pa.nulls(len(take), column.type) for column in columns.values()}

    def spread(column: pa.Array) -> pa.Array:
        if column.null_count == len(column):
            return nulls[column.type]
        is_text = pa.types.is_dictionary(column.type) and not column.null_count
        if is_text and len(column.dictionary) == 1:
            return pa.DictionaryArray.from_arrays(nothing, column.dictionary)
        return column.take(take)

    return {
        name: pa.array(of_each[name][order]) if name in of_each else spread(column)
        for name, column in columns.items()
    }


@lru_cache(maxsize=1 << 10)
def _write_json(entries: tuple[tuple[str, str], ...]) -> str:
    """Write entries, which many runs share."""
    return json.dumps(dict(entries))


def read_parts(table: pa.Table | None) -> list[Part]:
    """Read parts from the store's table, as they were stored."""
    if table is None:
        return []
    stored = [field for field in fields(Part) if field.name in table.column_names]
    names = [field.name for field in stored]
    columns = [_list_values(table[field.name], field) for field in stored]
    return [Part(**dict(zip(names, row, strict=True))) for row in zip(*columns, strict=True)]


def _list_values(column: pa.ChunkedArray, field: Field[Any]) -> list[Any]:
    """Return the values of a field, equal texts as one object; null becomes the default."""
    import pyarrow as pa

    default = _find_default(field)
    if not pa.types.is_string(column.type):
        values = column.to_pylist()
        return [default if value is None else value for value in values]
    coded = column.combine_chunks().dictionary_encode()
    codes = coded.indices.fill_null(len(coded.dictionary)).to_pylist()
    texts = [*coded.dictionary.to_pylist(), default]
    if field.name in _JSON:
        return [_read_json(texts[code]) for code in codes]
    return [texts[code] for code in codes]


def fill_rows(stored: pa.Table) -> pa.Table:
    """Return all columns of parts; null becomes the default."""
    import pyarrow as pa
    import pyarrow.compute as pc

    types = schema.arrow_types() | {"map": pa.string()}
    columns: dict[str, pa.ChunkedArray] = {}
    for field in (field for field in fields(Part) if field.name in _TYPES):
        kind, default = types[_TYPES[field.name]], _find_default(field)
        if field.name in stored.column_names:
            column = stored[field.name]
        else:
            column = pa.chunked_array([pa.nulls(len(stored), kind)])
        is_filled = default is not None and column.null_count
        columns[field.name] = pc.fill_null(column, default) if is_filled else column
    return pa.table(columns)


def _find_default(field: Field[Any]) -> str | int | None:
    """Return the value that replaces null in a stored field."""
    if field.name in _JSON:
        return "{}"
    return None if field.default is MISSING else field.default


def fill_texts(stored: pa.Table, names: list[str]) -> pa.Table:
    """Return text columns of a store; those that an older store lacks are empty."""
    import pyarrow as pa
    import pyarrow.compute as pc

    return pa.table(
        {
            name: pc.fill_null(stored[name], "")
            if name in stored.column_names
            else pa.repeat("", len(stored))
            for name in names
        }
    )


@lru_cache(maxsize=1 << 10)
def load_entries(text: str) -> dict[str, str]:
    """Read entries that many runs share, as one object."""
    entries: dict[str, str] = json.loads(text)  # the store has already refused invalid ones
    return entries


def _read_json(text: str) -> dict[str, str]:
    """Read entries that many runs share, as a separate copy."""
    return load_entries(text).copy()


def _list_runs(parts: Sequence[Part]) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    """Return for each run of the parts the position of its part, its piece and its number."""
    import numpy as np

    sizes = [part.size for part in parts]
    owners = np.repeat(np.arange(len(parts)), sizes)
    pieces = np.array([part.piece for part in parts], dtype=np.int64)[owners]
    numbers = np.array([part.number for part in parts], dtype=np.int64)[owners]
    for part, size, end in zip(parts, sizes, np.cumsum(sizes).tolist(), strict=True):
        if part.places is not None:
            pieces[end - size : end] = part.piece - part.index + part.places.indices
            if part.places.numbers is not None:
                numbers[end - size : end] = part.places.numbers
    return owners, pieces, numbers


def select_sharded(rows: pa.Table) -> list[Part]:
    """Return the parts that record which generator of a run made them."""
    import numpy as np
    import pyarrow as pa

    coded = code(rows["env"])
    is_of_shard = np.array([SHARD in load_entries(text) for text in coded.categories], dtype=bool)
    return read_parts(plain(rows.filter(pa.array(is_of_shard[coded.codes]))))
