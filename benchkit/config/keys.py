"""Keys of a configuration file: known ones, or an error that names the nearest."""

from __future__ import annotations

import difflib
from collections.abc import Iterable, Mapping
from dataclasses import fields
from typing import TypeVar

from benchkit.errors import ConfigError
from benchkit.redaction import redact_message

Value = TypeVar("Value")


def as_key(kind: str, meaning: str, table: str = "") -> dict[str, str]:
    """Return the metadata of a field that is a key of the settings.

    Parameters
    ----------
    kind : str
        Of the value: a name of `benchkit.config.reference.KINDS`, or words apart by ``|``.
    meaning : str
        As the reference page and an editor show it.
    table : str, optional
        The table of the file that it stands in, where one dataclass holds several.
    """
    return {"kind": kind, "meaning": meaning, "table": table}


def list_keys(settings: type, table: str = "") -> tuple[str, ...]:
    """Return the keys that a dataclass declares for a table."""
    declared = (each for each in fields(settings) if "kind" in each.metadata)
    return tuple(each.name for each in declared if each.metadata["table"] == table)


def require_key(
    key: str, known: Mapping[str, tuple[str, ...]] | tuple[str, ...], where: str
) -> tuple[str, ...]:
    """Return what belongs to ``key``, or say which known key it is nearest to."""
    if key in known:
        return known[key] if isinstance(known, Mapping) else known
    raise unknown("key", key, known, where)


def require_keys(table: Iterable[str], known: tuple[str, ...], where: str) -> None:
    """Refuse a table with a key that is not known."""
    for key in table:
        require_key(key, known, where)


def unknown(kind: str, name: str, known: Iterable[str], where: str) -> ConfigError:
    """Return the error that names what was meant, or all that there is."""
    names = list(known)
    near = difflib.get_close_matches(name, names, n=1)
    suggestion = f"did you mean {near[0]!r}?" if near else f"known: {', '.join(names)}"
    return ConfigError(f"unknown {kind} {name!r}", where=where, hint=suggestion)


def read_text(value: object, key: str, where: str) -> str:
    """Return a text, or refuse anything else."""
    if isinstance(value, str) and value:
        return value
    what = "is empty" if value == "" else "is not a string"
    raise ConfigError(f"{key} {what}", where=where, hint=f'use {key} = "…"')


def read_shown(value: object, key: str, where: str) -> str:
    """Return a text that reports show, without the secrets in it."""
    return redact_message(read_text(value, key, where))


def read_texts(value: object, key: str, where: str) -> tuple[str, ...]:
    """Return one text or a list of them as a tuple."""
    if isinstance(value, str) and value:
        return (value,)
    if isinstance(value, list) and value and all(isinstance(item, str) for item in value):
        return tuple(value)
    raise ConfigError(f"{key} is not a list of strings", where=where, hint=f'use {key} = ["…"]')
