"""Settings from ``benchkit.toml`` or ``[tool.benchkit]``: frozen, and strict about their keys.

In: a TOML file in the working folder. Out: `Settings`. Why: a misspelt key that is silently
ignored is a gate that never fails.
"""

from __future__ import annotations

import difflib
import re
import tomllib
from collections.abc import Mapping
from dataclasses import dataclass, fields
from pathlib import Path
from typing import Any

from benchkit.errors import ConfigError

FILE = "benchkit.toml"
#: What is done with complete blocks unless the user says otherwise: the only place that decides.
DEFAULT_BLOCKS = "auto"
BLOCKS = ("auto", "never")
#: How a row is compared: as its runs allow, or by one method wherever they allow that.
DEFAULT_METHOD = "auto"
METHODS = ("auto", "rank", "welch", "history")
_PERCENT = re.compile(r"\s*([0-9]*\.?[0-9]+)\s*(%?)\s*")


@dataclass(frozen=True, slots=True, kw_only=True)
class Settings:
    """What a project decides once; every command-line option stands above it.

    Parameters
    ----------
    title : str
        Of the report.
    baseline : str or None
        Which variant the others are compared with.
    metrics : tuple of str
        The primaries, ``metric`` or ``metric.stat``.
    layout : str or None
        Path pattern of the raw files.
    rename : tuple of str
        ``s#a#b#`` expressions for benchmark names.
    exclude : tuple of str
        Glob patterns of files to pass over.
    confidence : float
        Of each interval.
    margin : float
        The smallest change that matters, as a fraction.
    blocks : {'auto', 'never'}
        Whether variants that were measured in complete blocks are compared block by block.
    method : {'auto', 'rank', 'welch', 'history'}
        How rows are compared wherever their runs allow it.
    """

    title: str = ""
    baseline: str | None = None
    metrics: tuple[str, ...] = ()
    layout: str | None = None
    rename: tuple[str, ...] = ()
    exclude: tuple[str, ...] = ()
    confidence: float = 0.95
    margin: float = 0.03
    blocks: str = DEFAULT_BLOCKS
    method: str = DEFAULT_METHOD


#: Where each setting stands in the file.
SECTIONS: Mapping[str, tuple[str, ...]] = {
    "project": ("title", "baseline"),
    "ingest": ("layout", "rename", "exclude"),
    "stats": ("metrics", "confidence", "margin", "blocks", "method"),
}
SCHEMA = 1


def load(folder: Path) -> Settings:
    """Read the settings that hold in ``folder``; the defaults if there are none.

    Raises
    ------
    ConfigError
        If the file is no TOML, has an unknown key, or a value of the wrong type.
    """
    own = folder / FILE
    if own.is_file():
        return parse(_read(own), where=FILE)
    project = folder / "pyproject.toml"
    if project.is_file():
        table = _read(project).get("tool", {}).get("benchkit")
        if table is not None:
            return parse(table, where="pyproject.toml [tool.benchkit]")
    return Settings()


def parse(table: Mapping[str, object], *, where: str = FILE) -> Settings:
    """Make settings of a parsed table.

    Examples
    --------
    >>> parse({"stats": {"margin": "5%"}}).margin
    0.05
    """
    given: dict[str, object] = {}
    for section, content in table.items():
        if section == "schema":
            if content != SCHEMA:
                raise ConfigError(
                    f"schema {content!r} is not known", where=where, hint=f"use {SCHEMA}"
                )
            continue
        known = require_key(section, SECTIONS, where)
        if not isinstance(content, Mapping):
            raise ConfigError(f"{section} is not a table", where=where, hint=f"write [{section}]")
        for key, value in content.items():
            require_key(key, known, f"{where} [{section}]")
            given[key] = _convert(key, value, f"{where} [{section}]")
    return Settings(**given)  # type: ignore[arg-type]


def require_key(
    key: str, known: Mapping[str, tuple[str, ...]] | tuple[str, ...], where: str
) -> tuple[str, ...]:
    """Return what belongs to ``key``, or say which known key it is nearest to."""
    if key in known:
        return known[key] if isinstance(known, Mapping) else known
    near = difflib.get_close_matches(key, list(known), n=1)
    suggestion = f"did you mean {near[0]!r}?" if near else f"the keys are {', '.join(known)}"
    raise ConfigError(f"unknown key {key!r}", where=where, hint=suggestion)


def parse_fraction(text: str | float, *, where: str) -> float:
    """Read ``3%`` or ``0.03`` as a fraction greater than 0.

    Examples
    --------
    >>> parse_fraction("3%", where="--margin")
    0.03
    """
    match = _PERCENT.fullmatch(str(text))
    value = float(match[1]) / (100 if match[2] else 1) if match else 0.0
    if not 0 < value < 1:
        raise ConfigError(
            f"{text!r} is not a share between 0 and 1",
            where=where,
            hint="write 3% or 0.03, 95% or 0.95",
        )
    return value


def _convert(key: str, value: object, where: str) -> object:
    if key in {"margin", "confidence"}:
        if isinstance(value, (str, int, float)) and not isinstance(value, bool):
            return parse_fraction(value, where=f"{where} {key}")
        raise ConfigError(f"{key} is not a number", where=where, hint="write 3% or 0.03")
    default = next(field.default for field in fields(Settings) if field.name == key)
    if isinstance(default, tuple):
        if isinstance(value, list) and all(isinstance(item, str) for item in value):
            return tuple(value)
        raise ConfigError(f"{key} is not a list of texts", where=where, hint=f'write {key} = ["…"]')
    if not isinstance(value, str):
        raise ConfigError(f"{key} is not a text", where=where, hint=f'write {key} = "…"')
    known = {"blocks": BLOCKS, "method": METHODS}.get(key)
    if known and value not in known:
        hint = f"use {', '.join(known)}"
        raise ConfigError(f"{value!r} is not known here", where=f"{where} {key}", hint=hint)
    return value


def _read(path: Path) -> dict[str, Any]:
    try:
        return tomllib.loads(path.read_text(encoding="utf-8"))
    except tomllib.TOMLDecodeError as error:
        raise ConfigError(
            f"not valid TOML: {error}", where=path.name, hint="mend the file"
        ) from error
    except (OSError, UnicodeDecodeError) as error:
        raise ConfigError(f"cannot be read: {error}", where=path.name) from error
