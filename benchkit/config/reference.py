"""All keys of ``benchkit.toml``, as a table for people and as a JSON schema for editors."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import MISSING, Field, fields
from typing import Any, NamedTuple

from benchkit.config import SCHEMA, SECTIONS, Settings
from benchkit.config.acceptance import Acceptance, Accepted
from benchkit.config.maps import MAP, TableMap
from benchkit.config.rules import RULE_HABITS, Habits, Rule

#: JSON types of values, by the kind of the key; other kinds are choices separated by ``|``.
KINDS: Mapping[str, dict[str, object]] = {
    "text": {"type": "string"},
    "texts": {"type": ["string", "array"]},
    "table": {"type": "object"},
    "tables": {"type": "array", "items": {"type": "object"}},
    "column": {"type": ["string", "object"]},
    "share": {"type": ["string", "number"], "examples": ["3%"]},
    "limit": {"type": ["string", "integer"], "examples": ["5%", "2pp", "1.1x", "0.5 ms", "+2"]},
    "date": {"type": "string", "format": "date"},
    "whole number": {"type": "integer", "minimum": 0},
    "true or false": {"type": "boolean"},
}
_Fields = dict[str, Field[Any]]


class Key(NamedTuple):
    """A key on the reference page; `default` is empty if it has none."""

    table: str
    name: str
    kind: str
    default: str
    meaning: str


def _select(settings: type, table: str = "") -> _Fields:
    every = (each for each in fields(settings) if "kind" in each.metadata)
    return {each.name: each for each in every if each.metadata["table"] == table}


def _list_tables() -> dict[str, _Fields]:
    habits = _select(Habits)
    return {
        **{f"[{name}]": _select(Settings, name) for name in ("project", "ingest", "stats")},
        "[policy]": habits,
        "[[gate]]": _select(Rule) | {name: habits[name] for name in RULE_HABITS},
        "[[gate.accept]]": _select(Acceptance),
        "[history]": _select(Settings, "history"),
        "[[history.accept]]": _select(Accepted),
        f"[[{MAP}]]": _select(TableMap),
    }


def list_settings() -> Iterator[Key]:
    """Yield every key, table by table.

    Examples
    --------
    >>> next(list_settings())
    Key(table='[project]', name='title', kind='text', default='', meaning='title of the report')
    """
    for table, keys in _list_tables().items():
        for name, key in keys.items():
            is_of_policy = table == "[[gate]]" and name in RULE_HABITS
            default = "as in [policy]" if is_of_policy else _show(key.default)
            yield Key(table, name, key.metadata["kind"], default, key.metadata["meaning"])


def _show(default: object) -> str:
    unset = default is MISSING or default is None or default is False or not str(default)
    unset = unset or (isinstance(default, tuple) and not any(default))
    return "" if unset else str(default)


def json_schema() -> dict[str, object]:
    """Return the JSON schema of the file, for completion and checks in editors."""
    tables = {name: _describe(keys) for name, keys in _list_tables().items()}
    gate, accept = tables["[[gate]]"], _list_of(tables["[[gate.accept]]"])
    gate["properties"] |= {"accept": accept}
    history = tables["[history]"]
    history["properties"] |= {"accept": _list_of(tables["[[history.accept]]"])}
    alone = {"type": "object", "properties": {"accept": accept}, "additionalProperties": False}
    known: dict[str, object] = {
        "schema": {"const": SCHEMA},
        **{name: tables[f"[{name}]"] for name in ("project", "ingest", "stats", "policy")},
        "history": history,
        "gate": {"anyOf": [_list_of(gate), alone]},
        MAP: _list_of(tables[f"[[{MAP}]]"]),
    }
    return {
        "$schema": "https://json-schema.org/draft/2020-12/schema",
        "type": "object",
        "properties": known | {name: {"type": "object"} for name in SECTIONS if name not in known},
        "additionalProperties": False,
    }


def _describe(keys: _Fields) -> dict[str, Any]:
    values = {
        name: {**_type(key.metadata["kind"]), "description": key.metadata["meaning"]}
        for name, key in keys.items()
    }
    return {"type": "object", "properties": values, "additionalProperties": False}


def _type(kind: str) -> Mapping[str, object]:
    return KINDS[kind] if kind in KINDS else {"enum": kind.split("|")}


def _list_of(table: Mapping[str, object]) -> dict[str, object]:
    return {"type": "array", "items": table}
