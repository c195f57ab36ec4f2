"""Valid content of a store: columns of the types that benchkit writes, in their ranges.

A store may come with a checkout, whose author may have put content into its files that no ingest
writes, and made its log of commits match.
"""

from __future__ import annotations

import json
from functools import cache
from typing import TYPE_CHECKING, get_args

from benchkit.schema import FACTS, REFUSED_ROLES, ROLES, VALUE_COLUMNS, LoadModel, arrow_types
from benchkit.store.columns import values_schema
from benchkit.store.log import log_schema

if TYPE_CHECKING:
    import pyarrow as pa

#: Columns of runs other than facts, by type; `benchkit.ingestion` defines their names.
_TEXTS = (
    *("path", "origin", "sha256", "format", "tool", "form", "group", "variant", "benchmark"),
    *("target", "params", "role", "folder", "leftover", "pkg", "status", "headings", "caption"),
    *("lines", "shown_command", "split_by", "declared_benchmark", "declared_params", "assigned"),
    *("label", "fingerprint", "gone_from"),
)
_WHOLE_NUMBERS = (
    *("index", "run", "requests", "number", "line", "renewed", "joined"),
    "is_exported",
)
#: Whole numbers of any size and sign.
_DIGESTS = ("content",)
_NUMBERS = ("attack_rate", "request_size", "response_size")
#: Texts that are JSON objects with string values.
_ENTRIES = ("headings", *(fact.name for fact in FACTS if fact.type == "map"))
#: Columns that are null in no row; columns of later builds are null in earlier rows.
_KEYS = ("batch", "piece", "path", "group", "variant", "benchmark", "tool")
#: The allowed words of a column.
_WORDS = {"role": (*ROLES, *REFUSED_ROLES), "load_model": get_args(LoadModel)}
#: Limits of numbers that count rows; other whole numbers have 64 bits, and are at least -1.
_LIMITS = {
    "piece": 1 << 48,
    "number": 1 << 31,
    **dict.fromkeys(("seq", "values_version", "index", "line"), 1 << 53),
}
#: Microseconds since 1970 of the years 1 and 10000.
_FIRST, _LAST = -62_135_596_800_000_000, 253_402_300_800_000_000


class UnsoundError(OSError):
    """Rows contain something that benchkit never writes."""


@cache
def stored_types() -> dict[str, pa.DataType]:
    """Return the type of each column of runs and values."""
    import pyarrow as pa

    types = arrow_types() | {"map": pa.string()}
    return {
        **{fact.name: types[fact.type] for fact in FACTS},
        **dict.fromkeys(_TEXTS, pa.string()),
        **dict.fromkeys((*_WHOLE_NUMBERS, *_DIGESTS), pa.int64()),
        **dict.fromkeys(_NUMBERS, pa.float64()),
        **{field.name: field.type for each in (values_schema(), log_schema()) for field in each},
    }


def require_types(schema: pa.Schema) -> None:
    """Refuse columns of types that benchkit does not write.

    Raises
    ------
    UnsoundError
    """
    for field in schema:
        known = stored_types().get(field.name)
        if known is not None and _kind(field.type) != _kind(known):
            raise UnsoundError(f"has {_kind(field.type)} in the column {field.name}")


def require_sound(rows: pa.Table | pa.RecordBatch) -> None:
    """Refuse wrong types, numbers out of range, missing keys and unreadable labels.

    Raises
    ------
    UnsoundError
    """
    import pyarrow as pa

    require_types(rows.schema)
    for field, column in zip(rows.schema, rows.columns, strict=True):
        name, kind = field.name, stored_types().get(field.name)
        if kind is None:
            continue
        if name in _KEYS and column.null_count:
            raise UnsoundError(f"lacks the {name} of a row")
        if name not in _DIGESTS and (pa.types.is_integer(kind) or pa.types.is_timestamp(kind)):
            _require_range(name, column)
        elif name in _ENTRIES:
            for text in column.unique().to_pylist():
                if read_entries(text or "{}") is None:
                    raise UnsoundError(f"has unreadable labels of a run: {text[:40]!r}")
        elif name in _WORDS:
            strange = set(column.unique().to_pylist()) - {None, *_WORDS[name]}
            for word in sorted(strange)[:1]:
                raise UnsoundError(f"has the unknown {name} {word[:40]!r}")


def has_all_values(part: pa.Table | pa.RecordBatch) -> bool:
    """Return whether no column that every value fills contains nulls; rows of runs always pass."""
    if "metric" not in part.schema.names:
        return True
    names = {column.name for column in VALUE_COLUMNS if not column.nullable}
    return not any(part[name].null_count for name in names & set(part.schema.names))


def read_entries(text: str) -> dict[str, str] | None:
    """Read a JSON object with string values; return None for any other text."""
    try:
        entries = json.loads(text)
    except (ValueError, RecursionError):
        return None
    is_sound = isinstance(entries, dict) and all(isinstance(v, str) for v in entries.values())
    return entries if is_sound else None


def _require_range(name: str, column: pa.Array | pa.ChunkedArray) -> None:
    import pyarrow as pa
    import pyarrow.compute as pc

    low, high = -1, _LIMITS.get(name, 1 << 63)
    if pa.types.is_timestamp(column.type):
        low, high = _FIRST, _LAST
        column = column.cast(pa.timestamp("us", column.type.tz))
    least, greatest = pc.min_max(column.cast(pa.int64())).as_py().values()
    if least is not None and not low <= least <= greatest < high:
        number = least if least < low else greatest
        raise UnsoundError(f"has the impossible {name} {number}")


def _kind(of: pa.DataType) -> str:
    """Return the name of a type for messages."""
    import pyarrow as pa

    if pa.types.is_dictionary(of):
        return _kind(of.value_type)
    if pa.types.is_string(of) or pa.types.is_large_string(of) or pa.types.is_string_view(of):
        return "texts"
    if pa.types.is_signed_integer(of):
        return "whole numbers"
    if pa.types.is_timestamp(of):
        return "times" if of.tz else "times without a zone"
    names = {pa.float64(): "numbers", pa.float32(): "numbers", pa.null(): "nothing"}
    return names.get(of, f"values of type {of}")
