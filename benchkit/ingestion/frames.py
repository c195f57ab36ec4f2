"""From parts and values to the two public frames.

A raw folder in memory and a store give the very same frames.
"""

from __future__ import annotations

import json
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import MISSING, Field, fields
from functools import lru_cache
from operator import attrgetter
from typing import TYPE_CHECKING, Any

from benchkit import schema
from benchkit.codes import code
from benchkit.derived.blocks import find_blocks
from benchkit.errors import Diagnostic
from benchkit.ingestion.companions import place_companions
from benchkit.ingestion.parts import Part
from benchkit.ingestion.roles import LISTED, are_named
from benchkit.ingestion.sharded import (
    combine_facts,
    find_sharded,
    leave_out_summaries,
    set_aside_incomplete,
)
from benchkit.labels.numbering import part_packages
from benchkit.labels.sections import share_headings

if TYPE_CHECKING:
    import numpy as np
    import pandas as pd
    import pyarrow as pa

    from benchkit.schema import Observations, Runs
    from benchkit.store import Store

_TYPES = {
    field.name: schema.TYPES[str(field.type)] for field in fields(Part) if field.name != "places"
}
_JSON = frozenset(name for name, type_ in _TYPES.items() if type_ == "map")
#: Bits of a piece's number.
_BITS = 48
_LABELS = schema.Side._fields
#: Texts of a value, by themselves.
_TEXTS = tuple(column.name for column in schema.VALUE_COLUMNS if column.dtype == "str")
_FACTS = schema.column_names(schema.FACTS)
_get_facts = attrgetter(*_FACTS)
_MAPS = tuple(column.name for column in schema.FACTS if column.type == "map")
#: What a fact is while no form of the run states it.
_UNKNOWN = (None, "", "unknown")


def parts_table(parts: Sequence[Part]) -> pa.Table:
    """Write parts as a table for the store: a row for each run, texts as codes."""
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
    nothing = pa.array(np.zeros(len(take), np.int32))  # shared by the columns of one text
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
    """Write entries that many runs share; hardly any run has its own."""
    return json.dumps(dict(entries))


def read_parts(table: pa.Table | None) -> list[Part]:
    """Read the parts back from the store's table, as they were stored."""
    if table is None:
        return []
    stored = [field for field in fields(Part) if field.name in table.column_names]
    names = [field.name for field in stored]
    columns = [_list_values(table[field.name], field) for field in stored]
    return [Part(**dict(zip(names, row, strict=True))) for row in zip(*columns, strict=True)]


def _list_values(column: pa.ChunkedArray, field: Field[Any]) -> list[Any]:
    """Return the values of a field, equal texts as one object; null is as if nothing was stored."""
    import pyarrow as pa

    default = None if field.default is MISSING else field.default
    if not pa.types.is_string(column.type):
        values = column.to_pylist()
        return [default if value is None else value for value in values]
    coded = column.combine_chunks().dictionary_encode()
    codes = coded.indices.fill_null(len(coded.dictionary)).to_pylist()
    texts = [*coded.dictionary.to_pylist(), "{}" if field.name in _JSON else default]
    if field.name in _JSON:
        return [_read_json(texts[code]) for code in codes]
    return [texts[code] for code in codes]


def fill_texts(stored: pa.Table, names: list[str]) -> pa.Table:
    """Return text columns of a store, empty where a store from before them has none."""
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
def _load_json(text: str) -> dict[str, str]:
    entries: dict[str, str] = json.loads(text)  # the store has refused what is none
    return entries


def _read_json(text: str) -> dict[str, str]:
    """Read entries that many runs share; each gets a copy."""
    return _load_json(text).copy()


def list_parts(store: Store) -> list[Part]:
    """Return the parts of a store with the labels that follow from the whole of it."""
    return list_stored(store)[0]


def list_stored(store: Store) -> tuple[list[Part], list[Part]]:
    """Return the parts of a store, and what it remembers of refused sources."""
    stored = read_parts(store.pieces())
    parts = [part for part in stored if part.role not in schema.REFUSED_ROLES]
    part_packages(parts)
    share_headings(parts)
    place_companions(parts)
    set_aside_incomplete(parts)
    return parts, [part for part in stored if part.role in schema.REFUSED_ROLES]


def _name_places(files: pd.Categorical, lines: np.ndarray) -> pd.Categorical:
    """Name where values stand, ``path:line``; several may stand in one line."""
    import numpy as np
    import pandas as pd
    import pyarrow as pa
    import pyarrow.compute as pc

    places, known = pd.factorize((files.codes.astype(np.int64) << _BITS) + lines)
    paths = pa.array(files.categories, pa.string()).take(pa.array(known >> _BITS))
    numbers = pa.array(known & ((1 << _BITS) - 1)).cast(pa.string())
    texts = pc.binary_join_element_wise(paths, numbers, ":").to_pandas()
    return pd.Categorical.from_codes(places, categories=pd.Index(texts, dtype="str"))


def observations(
    parts: Sequence[Part], values: pa.Table, roles: Sequence[str] = LISTED
) -> Observations:
    """Join values with the labels of their parts.

    Parameters
    ----------
    parts : sequence of Part
        Numbered.
    values : pyarrow.Table
        As `benchkit.store.values_schema`.
    roles : sequence of str
        Only runs of these roles take part; they are named where others than measured runs and
        companions do.
    """
    import numpy as np
    import pandas as pd
    import pyarrow as pa

    measured = [part for part in parts if part.role in roles]
    batches = {batch: i for i, batch in enumerate(dict.fromkeys(part.batch for part in measured))}
    owners, pieces, numbers = _list_runs(measured)
    keys = np.array([batches[p.batch] << _BITS for p in measured], dtype=np.int64)[owners] + pieces
    order = np.argsort(keys)
    chosen = _locate(values, batches, keys[order])
    is_owned = chosen >= 0
    if not is_owned.all():  # a copy of all columns is as large as the table
        values, chosen = values.filter(pa.array(is_owned)), chosen[is_owned]
    index = order[chosen]
    at = owners[index]
    columns: dict[str, Any] = {
        name: code([getattr(part, name) for part in measured]).take(at) for name in _LABELS
    }
    columns["run"] = numbers[index].astype(np.int32)
    files = code([part.label for part in measured])
    columns["source"] = _name_places(files.take(at), values["line"].to_numpy())
    stored = {column.name: values[column.name] for column in schema.VALUE_COLUMNS}
    texts = {name: code(stored.pop(name)) for name in _TEXTS}
    numbers = pa.table(stored).to_pandas(types_mapper={pa.int64(): pd.Int64Dtype()}.get)
    columns |= {**texts, **numbers}
    if are_named(roles):
        columns["role"] = code([part.role for part in measured]).take(at)
    return schema.observations(columns)


def drop_unsound(parts: Sequence[Part], values: pa.Table) -> tuple[pa.Table, list[Diagnostic]]:
    """Leave out the values of a store that are no finite numbers, and name their sources."""
    import pyarrow as pa
    import pyarrow.compute as pc

    is_finite = pc.is_finite(values["value"])
    if pc.all(is_finite).as_py() is not False:
        return values, []
    unsound = values.filter(pc.invert(is_finite))
    place = unsound.column_names.index("value")
    named = unsound.set_column(place, "value", pa.nulls(len(unsound), pa.float64()).fill_null(0))
    rows = observations(parts, named)
    diagnostics = [
        Diagnostic(
            *_split_place(source),
            f"{metric} {stat} is stored as a number that is not finite and was left out",
            "ingest the file again, or remove it from the store",
            "warning",
        )
        for source, metric, stat in zip(rows["source"], rows["metric"], rows["stat"], strict=True)
    ]
    return values.filter(is_finite), diagnostics


def _split_place(source: str) -> tuple[str, int]:
    path, _, line = source.rpartition(":")
    return path, int(line)


def stream_observations(
    store: Store,
    parts: Sequence[Part],
    metrics: Sequence[str] = (),
    roles: Sequence[str] = (),
) -> Iterator[Observations]:
    """Yield the observations of parts of a store, samples included, in frames of bounded size.

    Of a run that several generators made together, each one gives its samples and no summary.
    """
    import pyarrow as pa

    sharded = {piece for run in find_sharded(parts) for piece in run.of_piece}
    for batch in store.stream(raw=True, metrics=metrics):
        values, _ = drop_unsound(parts, pa.Table.from_batches([batch]))
        values = leave_out_summaries(values, sharded) if sharded else values
        frame = observations(parts, values, roles or LISTED)
        if len(frame):
            yield frame


def _list_runs(parts: Sequence[Part]) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    """Return for each run of the parts the place of its part, its piece and its number."""
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


def _locate(values: pa.Table, batches: dict[int, int], keys: np.ndarray) -> np.ndarray:
    """Return for each value the place of its key among the sorted ``keys``, or -1."""
    import numpy as np

    batch = values["batch"].to_numpy()
    number = np.full(len(batch), -1, dtype=np.int64)
    for name, place in batches.items():
        number[batch == name] = place
    sought = (number << _BITS) + values["piece"].to_numpy()
    place = np.searchsorted(keys, sought)
    inside = np.minimum(place, max(len(keys) - 1, 0))
    if not len(keys):
        return np.full(len(sought), -1)
    return np.where((number >= 0) & (keys[inside] == sought), inside, -1)


def runs(parts: Sequence[Part]) -> Runs:
    """Make one row per run; several parts (forms) of one run complete each other."""
    grouped: dict[tuple[Any, ...], list[Part]] = {}
    for part in parts:
        alone = part.path if part.role == "damaged" else ""
        grouped.setdefault((part.labels, part.role, part.origin, alone), []).append(part)
    forms = [*grouped.values()]
    del grouped
    facts: dict[str, Any] = _list_facts(forms)
    texts = [column.name for column in schema.RUN_COLUMNS if column.dtype == "str"]
    facts |= {name: code(facts[name]) for name in texts}
    return _repeat(schema.runs(facts), [same[0] for same in forms])


def _list_facts(runs: Sequence[Sequence[Part]]) -> dict[str, list[Any]]:
    """Return the columns of the table of runs, each of which has one part or more."""
    rows = [_run(same) for same in runs]
    # Of the order of several runs of one source two tell as much as all.
    counts = [1 if same[0].places is None else 2 for same in runs]
    find_blocks([row for row, n in zip(rows, counts, strict=True) for _ in range(n)])
    return {name: [row[name] for row in rows] for name in schema.column_names(schema.RUN_COLUMNS)}


def _repeat(frame: Runs, parts: Sequence[Part]) -> Runs:
    """Repeat the row of a part for each of its runs, in the order of the source."""
    if all(part.places is None for part in parts):
        return frame
    owners, pieces, numbers = _list_runs(parts)
    order = pieces.argsort()
    repeated = frame.take(owners[order]).reset_index(drop=True)
    repeated["run"] = numbers[order].astype("int32")
    return repeated


def _run(same: Sequence[Part]) -> dict[str, Any]:
    first = same[0]
    row: dict[str, Any] = first.labels._asdict()
    row |= {"role": first.role, "origin": first.origin, "declared_run": first.run}
    row |= zip(_FACTS, _get_facts(first), strict=True)
    row |= {name: dict(row[name]) for name in _MAPS}
    for part in same[1:]:
        row |= {name: getattr(part, name) for name in _FACTS if row[name] in _UNKNOWN}
        for name in _MAPS:
            row[name].update(getattr(part, name))
    row["remark"] = row["remark"] or None
    row["sources"] = [{"path": part.label, "sha256": part.sha256} for part in same]
    return combine_facts(row, same)
