"""The two public frames, made from parts and values.

A raw folder in memory and a store result in exactly the same frames.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import replace
from operator import attrgetter
from typing import TYPE_CHECKING, Any

from benchkit import schema
from benchkit.codes import code, number_rows
from benchkit.derived.blocks import place_light, place_runs
from benchkit.derived.record import measures_load
from benchkit.errors import Diagnostic
from benchkit.ingestion.parts import Part
from benchkit.ingestion.roles import LISTED, are_named
from benchkit.ingestion.rows import load_entries, parts_table, read_parts, select_sharded
from benchkit.ingestion.sharded import (
    combine_facts,
    find_sharded,
    leave_out_summaries,
)
from benchkit.light import MOST, LightColumn, LightFrame, make_array
from benchkit.store.columns import plain

if TYPE_CHECKING:
    import numpy as np
    import pandas as pd
    import pyarrow as pa

    from benchkit.schema import Observations, Runs
    from benchkit.store import Store

#: Number of bits for the number of a piece.
_BITS = 48
_LABELS = schema.Side._fields
#: Text columns of a value itself.
_TEXTS = tuple(column.name for column in schema.VALUE_COLUMNS if column.dtype == "str")
_FACTS = schema.column_names(schema.FACTS)
_get_facts = attrgetter(*_FACTS)
#: Columns of parts that are joined to values, and columns that the table of runs shows.
_JOINED = ("batch", "piece", "number", "label", "role", *_LABELS)
_FILE = ("label", "sha256")
_SOURCE = (*_FILE, "is_exported")
_SHOWN = ("number", "run", "role", "origin", *_SOURCE, *_LABELS, *_FACTS)
_RUN_COLUMNS = tuple(column for column in schema.RUN_COLUMNS if column.type != "list")
#: Columns of the table of runs with other names in parts.
_STORED = {"run": "number", "declared_run": "run"}
_MAPS = tuple(column.name for column in schema.FACTS if column.type == "map")
#: Values of a fact that no form of the run states.
_UNKNOWN = (None, "", "unknown")


def _name_places(files: pd.Categorical, lines: np.ndarray) -> pd.Categorical:
    """Name the place of each value as ``path:line``; several values may share a line."""
    import numpy as np
    import pandas as pd
    import pyarrow as pa
    import pyarrow.compute as pc

    places, known = pd.factorize((files.codes.astype(np.int64) << _BITS) + lines)
    paths = pa.array(files.categories, pa.string()).take(pa.array(known >> _BITS))
    numbers = pa.array(known & ((1 << _BITS) - 1)).cast(pa.string())
    texts = pc.binary_join_element_wise(paths, numbers, ":").to_pandas()
    return pd.Categorical.from_codes(places, categories=pd.Index(texts, dtype="str"))


def observations(rows: pa.Table, values: pa.Table, roles: Sequence[str] = LISTED) -> Observations:
    """Join values with the labels of their runs.

    Parameters
    ----------
    rows : pyarrow.Table
        Numbered parts, as `parts_table` writes them.
    values : pyarrow.Table
        As `benchkit.store.values_schema`.
    roles : sequence of str
        Only runs with these roles are included; there is a column for them if they include roles
        other than measured runs and companions.
    """
    import numpy as np
    import pandas as pd
    import pyarrow as pa

    is_listed = code(rows["role"]).isin(list(roles))
    measured = rows.select(_JOINED)
    measured = measured if is_listed.all() else measured.filter(pa.array(is_listed))
    batches, known = pd.factorize(measured["batch"].to_numpy())
    keys = (batches << _BITS) + measured["piece"].to_numpy()
    order = np.argsort(keys)
    chosen = _locate(values, known, keys[order])
    is_owned = chosen >= 0
    if not is_owned.all():  # copying all columns takes as much memory as the table
        values, chosen = values.filter(pa.array(is_owned)), chosen[is_owned]
    at = order[chosen]
    columns: dict[str, Any] = {name: _code(measured[name]).take(at) for name in _LABELS}
    columns["run"] = measured["number"].to_numpy()[at].astype(np.int32)
    files = _code(measured["label"])
    columns["source"] = _name_places(files.take(at), values["line"].to_numpy())
    stored = {column.name: values[column.name] for column in schema.VALUE_COLUMNS}
    texts = {name: code(stored.pop(name)) for name in _TEXTS}
    numbers = pa.table(stored).to_pandas(types_mapper={pa.int64(): pd.Int64Dtype()}.get)
    columns |= {**texts, **numbers}
    if are_named(roles):
        columns["role"] = _code(measured["role"]).take(at)
    return schema.observations(columns)


def _join_light(rows: pa.Table, values: pa.Table) -> Observations:
    """Join a few values with the labels of their runs, one by one."""
    parts = zip(*(rows[name].to_pylist() for name in _JOINED), strict=True)
    owners = {(batch, piece): rest for batch, piece, *rest in parts if rest[2] in LISTED}
    keys = zip(values["batch"].to_pylist(), values["piece"].to_pylist(), strict=True)
    owned = [(place, owners[key]) for place, key in enumerate(keys) if key in owners]
    lines = values["line"].to_pylist()
    columns: dict[str, list[Any]] = {
        "run": [number for _, (number, *_) in owned],
        "source": [f"{label}:{lines[place]}" for place, (_, label, *_) in owned],
    }
    for at, name in enumerate(_LABELS, 3):
        columns[name] = [owner[at] for _, owner in owned]
    for column in schema.VALUE_COLUMNS:
        listed = values[column.name].to_pylist()
        columns[column.name] = [listed[place] for place, _ in owned]
    return _make_light(schema.COLUMNS, columns)  # type: ignore[return-value]


def make_light(
    rows: pa.Table, values: pa.Table, series: pa.Table
) -> tuple[Observations, Runs] | None:
    """Make light frames of a few runs, if nothing is derived from their values; otherwise None."""
    if len(series) or max(len(rows), len(values)) > MOST:
        return None
    measured, listed = _join_light(rows, values), runs(rows, light=True)
    return None if measures_load(measured, listed) else (measured, listed)


def _make_light(columns: Sequence[schema.Column], values: Mapping[str, list[Any]]) -> LightFrame:
    """Make a light frame from columns of values."""
    import numpy as np

    names = [column.name for column in columns]
    index = np.arange(len(values[names[0]]))
    types = {column.name: column.type for column in columns}
    made = {
        name: LightColumn(make_array(values[name], types[name]), index, types[name])
        for name in names
    }
    return LightFrame(made, index)


def _code(column: pa.ChunkedArray) -> pd.Categorical:
    """Return the texts of some rows as codes into the distinct ones."""
    import pyarrow as pa

    return code(column.cast(pa.string()))


def _locate(values: pa.Table, batches: np.ndarray, keys: np.ndarray) -> np.ndarray:
    """Return the position of each value's key among the sorted ``keys``, or -1."""
    import numpy as np
    import pandas as pd

    if not len(keys):
        return np.full(len(values), -1)
    number = pd.Index(batches).get_indexer(values["batch"].to_numpy())
    sought = (number << _BITS) + values["piece"].to_numpy()
    inside = np.minimum(np.searchsorted(keys, sought), len(keys) - 1)
    return np.where((number >= 0) & (keys[inside] == sought), inside, -1)


def drop_unsound(rows: pa.Table, values: pa.Table) -> tuple[pa.Table, list[Diagnostic]]:
    """Leave out stored values that are not finite numbers, and name their sources."""
    import pyarrow as pa
    import pyarrow.compute as pc

    is_finite = pc.is_finite(values["value"])
    if pc.all(is_finite).as_py() is not False:
        return values, []
    unsound = values.filter(pc.invert(is_finite))
    place = unsound.column_names.index("value")
    named = unsound.set_column(place, "value", pa.nulls(len(unsound), pa.float64()).fill_null(0))
    left_out = observations(rows, named)
    diagnostics = [
        Diagnostic(
            *_split_place(source),
            f"{metric} {stat} is stored as a number that is not finite and was left out",
            "ingest the file again, or remove it from the store",
            "warning",
        )
        for source, metric, stat in zip(
            left_out["source"], left_out["metric"], left_out["stat"], strict=True
        )
    ]
    return values.filter(is_finite), diagnostics


def _split_place(source: str) -> tuple[str, int]:
    path, _, line = source.rpartition(":")
    return path, int(line)


def stream_observations(
    store: Store,
    rows: pa.Table,
    metrics: Sequence[str] = (),
    roles: Sequence[str] = (),
) -> Iterator[Observations]:
    """Yield the observations of stored runs, including samples, in frames of bounded size.

    If several generators made a run, each one yields its samples, but no summary.
    """
    import pyarrow as pa

    sharded = {piece for run in find_sharded(select_sharded(rows)) for piece in run.of_piece}
    for batch in store.stream(raw=True, metrics=metrics):
        values, _ = drop_unsound(rows, pa.Table.from_batches([batch]))
        values = leave_out_summaries(values, sharded) if sharded else values
        frame = observations(rows, values, roles or LISTED)
        if len(frame):
            yield frame


def runs(rows: pa.Table, *, light: bool = False) -> Runs:
    """Make one row per run; several parts (forms) of one run complete each other.

    Parameters
    ----------
    rows : pyarrow.Table
        Numbered parts, as `parts_table` writes them.
    """
    import numpy as np
    import pyarrow as pa

    numbers, firsts = _number_runs(rows, light=light)
    several = np.flatnonzero(np.bincount(numbers) > 1)
    shown = rows.select(_SHOWN)
    sources = _list_sources(shown.take(firsts), light=light)
    if len(several):
        chosen = np.flatnonzero(np.isin(numbers, several))
        forms: dict[int, list[Part]] = {}
        parts = read_parts(plain(rows.take(chosen)))
        for number, part in zip(numbers[chosen].tolist(), parts, strict=True):
            forms.setdefault(number, []).append(part)
        for number, same in forms.items():
            sources[number] = [
                _name_source(part.label, part.sha256, part.is_exported) for part in same
            ]
        joined = parts_table([*map(_join_forms, forms.values())]).select(_SHOWN)
        firsts[[*forms]] = len(rows) + np.arange(len(forms))
        shown = pa.concat_tables([plain(shown), plain(joined)])
    shown = shown.take(firsts)
    if light:
        return place_light(_make_light(schema.RUN_COLUMNS, _list_columns(shown, sources)))
    columns = {column.name: _read_column(shown, column) for column in _RUN_COLUMNS}
    return place_runs(schema.runs({**columns, "sources": sources}))


def _number_runs(rows: pa.Table, *, light: bool) -> tuple[np.ndarray, np.ndarray]:
    """Return a number for the run of each row, and the first row of each run.

    A damaged source counts as a separate run.
    """
    names = (*_LABELS, "role", "origin", "number", "path")
    if light:
        lists = {name: rows[name].to_pylist() for name in names}
        roles = zip(lists["path"], lists["role"], strict=True)
        lists["path"] = [path if role == "damaged" else "" for path, role in roles]
        lists["number"] = [*map(str, lists["number"])]
        return _make_light([schema.Column(n, "str", "") for n in names], lists).number_rows(names)
    import pandas as pd

    frame = pd.DataFrame({name: code(rows[name]) for name in (*_LABELS, "role", "origin")})
    is_damaged = frame["role"] == "damaged"
    frame = frame.assign(number=rows["number"].to_numpy(), path=code(rows["path"]))
    frame["path"] = frame["path"].where(is_damaged)
    return number_rows(frame, names)


def _list_columns(rows: pa.Table, sources: np.ndarray) -> dict[str, list[Any]]:
    """Return the columns of the table of runs; runs with equal facts share one object."""
    columns: dict[str, list[Any]] = {"sources": sources.tolist()}
    for column in _RUN_COLUMNS:
        values = rows[_STORED.get(column.name, column.name)].to_pylist()
        if column.type == "map":
            shared = {text: load_entries(text).copy() for text in dict.fromkeys(values)}
            values = [shared[text] for text in values]
        columns[column.name] = [v or None for v in values] if column.name == "remark" else values
    return columns


def _read_column(rows: pa.Table, column: schema.Column) -> object:
    """Return a column of the table of runs."""
    import pandas as pd
    import pyarrow as pa
    import pyarrow.compute as pc

    stored = rows[_STORED.get(column.name, column.name)]
    if column.type == "map":
        return _share_maps(stored)
    if column.name == "remark":
        texts = stored.cast(pa.string())
        stored = pc.if_else(pc.equal(texts, ""), None, texts)
    if column.dtype == "str":
        return _code(stored)
    return stored.to_pandas(types_mapper={pa.int64(): pd.Int64Dtype()}.get)


def _share_maps(stored: pa.ChunkedArray) -> np.ndarray:
    """Return the facts of each run; runs with equal facts share one object."""
    import numpy as np

    coded = _code(stored)
    maps = np.empty(len(coded.categories), dtype=object)
    for place, text in enumerate(coded.categories):
        maps[place] = load_entries(text).copy()
    shared: np.ndarray = maps[coded.codes]
    return shared


def _list_sources(rows: pa.Table, *, light: bool) -> np.ndarray:
    """Return the only source of each run; runs of one source share it."""
    import numpy as np

    if light:
        found = np.empty(len(rows), dtype=object)
        each = zip(*(rows[name].to_pylist() for name in _SOURCE), strict=True)
        for place, source in enumerate(each):
            found[place] = [_name_source(*source)]
        return found
    import pandas as pd

    coded = {name: code(rows[name]) for name in _FILE}
    frame = pd.DataFrame(coded | {"is_exported": rows["is_exported"].to_numpy()})
    numbers, firsts = number_rows(frame, _SOURCE)
    sources = np.empty(len(firsts), dtype=object)
    columns = (frame[name].iloc[firsts].tolist() for name in _SOURCE)
    for place, source in enumerate(zip(*columns, strict=True)):
        sources[place] = [_name_source(*source)]
    shared: np.ndarray = sources[numbers]
    return shared


def _name_source(label: str, digest: str, is_exported: int) -> dict[str, str]:
    """Return a source; an export names the files of its runs but has a digest of itself only."""
    return {"path": label, "sha256": "" if is_exported else digest}


def _join_forms(same: Sequence[Part]) -> Part:
    """Return the first form of a run, completed by facts that only other forms know."""
    facts: dict[str, Any] = dict(zip(_FACTS, _get_facts(same[0]), strict=True))
    facts |= {name: dict(facts[name]) for name in _MAPS}
    for part in same[1:]:
        facts |= {name: getattr(part, name) for name in _FACTS if facts[name] in _UNKNOWN}
        for name in _MAPS:
            facts[name].update(getattr(part, name))
    return replace(same[0], **combine_facts(facts, same))
