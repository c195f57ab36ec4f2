"""Settings from ``benchkit.toml`` or ``[tool.benchkit]``: immutable, with strictly checked keys."""

from __future__ import annotations

import os
from collections.abc import Mapping
from dataclasses import dataclass, field, fields, replace
from pathlib import Path
from typing import Any

from benchkit.config.acceptance import Accepted, parse_acceptances, parse_accepted
from benchkit.config.expressions import compile_expression
from benchkit.config.files import (
    as_key,
    list_keys,
    parse_toml,
    read_file,
    read_text,
    require_key,
    require_keys,
)
from benchkit.config.labels import FACTS, LABELS, NO_LABELS, LabelTables, select_labels
from benchkit.config.maps import MAP, TableMap, parse_maps
from benchkit.config.rules import Habits, Rule, parse_habits, parse_rules
from benchkit.errors import ConfigError
from benchkit.redaction import redact_message
from benchkit.regexes import regex

FILE = "benchkit.toml"
_PROJECT = "pyproject.toml"
_TABLE = "pyproject.toml [tool.benchkit]"
#: The default treatment of complete blocks: it is decided only here.
DEFAULT_BLOCKS = "never"
BLOCKS = ("auto", "never")
#: Methods of comparison: automatic, or one method wherever the runs allow it.
DEFAULT_METHOD = "auto"
METHODS = ("auto", "rank", "welch", "history")
_PERCENT = regex(r"((?:[0-9]++(?:\.[0-9]++)?|\.[0-9]++)(?:e[-+]?[0-9]++)?)\s*+(%?)")
#: Largest accepted share: a test at the level that remains beyond it would never decide.
_MOST = 0.999999


@dataclass(frozen=True, slots=True, kw_only=True)
class Settings:
    """The settings of a project; every command-line option overrides them.

    `source` is their file, `is_empty` whether it sets nothing, `unread` the settings next to it
    that are ignored.
    """

    title: str = field(default="", metadata=as_key("text", "title of the report", "project"))
    baseline: str | None = field(
        default=None,
        metadata=as_key("text", "the variant that the others are compared with", "project"),
    )
    layout: str | None = field(
        default=None,
        metadata=as_key("text", "path pattern of the raw files: `{variant}/{run}.txt`", "ingest"),
    )
    rename: tuple[str, ...] = field(
        default=(),
        metadata=as_key("texts", "`s#a#b#` for benchmark names, or pairs `[a, b]`", "ingest"),
    )
    exclude: tuple[str, ...] = field(
        default=(), metadata=as_key("texts", "glob patterns of files to skip", "ingest")
    )
    cluster: str = field(
        default="",
        metadata=as_key(
            "text", "Dask workers on this machine that read the results: `local:4`", "ingest"
        ),
    )
    split: tuple[str, bool] | tuple[()] = field(
        default=(),
        metadata=as_key(
            "table",
            "extracts variants from benchmark names: `pattern` has a group named `variant`; "
            "`lower = true` writes them in lower case",
            "ingest",
        ),
    )
    metrics: tuple[str, ...] = field(
        default=(),
        metadata=as_key("texts", "the primary metrics: `metric` or `metric.stat`", "stats"),
    )
    confidence: float = field(
        default=0.95, metadata=as_key("share", "confidence level of each interval", "stats")
    )
    margin: float = field(
        default=0.03, metadata=as_key("share", "the smallest change that matters", "stats")
    )
    blocks: str = field(
        default=DEFAULT_BLOCKS,
        metadata=as_key(
            "|".join(BLOCKS),
            "whether runs that were made in complete rounds (blocks) are compared within each "
            "round",
            "stats",
        ),
    )
    method: str = field(
        default=DEFAULT_METHOD,
        metadata=as_key(
            "|".join(METHODS), "preferred method for rows whose runs allow it", "stats"
        ),
    )
    seed: int = field(
        default=0,
        metadata=as_key("whole number", "seed of the random splits of `noise`", "stats"),
    )
    branch: str = field(
        default="main",
        metadata=as_key(
            "text", "the branch that `history` follows; `main` also means `master`", "history"
        ),
    )
    accept: tuple[Accepted, ...] = ()
    habits: Habits = field(default_factory=Habits)
    rules: tuple[Rule, ...] = ()
    labels: LabelTables = NO_LABELS
    maps: tuple[TableMap, ...] = ()
    source: str = field(default="", compare=False)
    is_empty: bool = field(default=False, compare=False)
    unread: str = field(default="", compare=False)


#: The position of each setting in the file.
SECTIONS: Mapping[str, tuple[str, ...]] = {
    **{table: list_keys(Settings, table) for table in ("project", "ingest", "stats")},
    "history": (*list_keys(Settings, "history"), "accept"),
    "policy": (),
    "gate": (),
    MAP: (),
    **dict.fromkeys((LABELS, *FACTS), ()),
}
SCHEMA = 1


def load(folder: Path, file: Path | None = None) -> Settings:
    """Read the settings that apply to ``folder``; the defaults if there are none.

    Parameters
    ----------
    file : Path, optional
        Replaces those of the folder; in a ``pyproject.toml``, its ``[tool.benchkit]``.

    Raises
    ------
    ConfigError
        If the file is not TOML, or has an unknown key or a value of the wrong type.
    """
    if file is not None:
        return replace(_load_named(file), source=str(file))
    settings_file, project = folder / FILE, folder / _PROJECT
    if os.path.lexists(settings_file):  # what exists but is no file is an error
        unread = _TABLE if _has_table(project) else ""
        return replace(_load_file(settings_file), unread=unread)
    return (_load_project(project) if project.is_file() else None) or Settings()


def _load_named(file: Path) -> Settings:
    if not file.name:
        hint = "give the name of a file, or omit the option"
        raise ConfigError("no file is named", where="--policy", hint=hint)
    if file.name != _PROJECT:
        return _load_file(file)
    settings = _load_project(file)
    if settings is None:
        hint = "add [tool.benchkit], or use another file"
        raise ConfigError("no [tool.benchkit]", where=file.name, hint=hint)
    return settings


def _load_file(file: Path) -> Settings:
    text = _read(file)
    return _locate(parse(_parse_toml(text, file), where=file.name), file, text, ())


def _load_project(project: Path) -> Settings | None:
    """Return the settings in a ``pyproject.toml``; None if it has none."""
    text = _read(project)
    table = _select_table(text, project)
    if table is None:
        return None
    return _locate(parse(table, where=_TABLE), project, text, ("tool", "benchkit"))


def _locate(settings: Settings, file: Path, text: str, within: tuple[str, ...]) -> Settings:
    """Return the settings with the place of their labels."""
    labels = replace(settings.labels, path=str(file), text=text, within=within)
    return replace(settings, labels=labels)


def _select_table(text: str, project: Path) -> Mapping[str, object] | None:
    tool = _parse_toml(text, project).get("tool", {})
    return tool.get("benchkit") if isinstance(tool, Mapping) else None


def _has_table(project: Path) -> bool:
    """Return whether a ``pyproject.toml`` has settings that are ignored."""
    try:
        return project.is_file() and _select_table(_read(project), project) is not None
    except ConfigError:
        return False


def parse(table: Mapping[str, object], *, where: str = FILE) -> Settings:
    """Build settings from a parsed table.

    Examples
    --------
    >>> parse({"stats": {"margin": "5%"}}).margin
    0.05
    """
    fields: dict[str, object] = {}
    habits = Habits()
    for section, content in table.items():
        if section == "schema":
            if content != SCHEMA:
                raise ConfigError(f"unknown schema {content!r}", where=where, hint=f"use {SCHEMA}")
            continue
        known = require_key(section, SECTIONS, where)
        if section in {"gate", MAP}:
            continue
        if not isinstance(content, Mapping):
            raise ConfigError(f"{section} is not a table", where=where, hint=f"use [{section}]")
        if section == LABELS or section in FACTS:
            continue
        if section == "policy":
            habits = parse_habits(content, f"{where} [policy]")
            continue
        for key, value in content.items():
            require_key(key, known, f"{where} [{section}]")
            if key == "accept":
                fields[key] = parse_accepted(value, f"{where} [[history.accept]]")
                continue
            fields[key] = _convert(key, value, f"{where} [{section}]")
    gate = table.get("gate")
    if isinstance(gate, Mapping) and set(gate) == {"accept"}:  # [[gate.accept]] without a [[gate]]
        habits = replace(habits, accept=parse_acceptances(gate["accept"], where))
    elif "gate" in table:
        fields["rules"] = parse_rules(gate, habits, where)
    fields |= {"habits": habits, "labels": select_labels(table)}
    fields["maps"] = parse_maps(table.get(MAP, []), where)
    return Settings(**fields, source=where, is_empty=not table)  # type: ignore[arg-type]


def parse_fraction(text: str | float, *, where: str) -> float:
    """Read ``3%`` or ``0.03`` as a fraction greater than 0.

    Examples
    --------
    >>> parse_fraction("3%", where="--margin")
    0.03
    """
    match = _PERCENT.fullmatch(str(text).strip())
    value = float(match[1]) / (100 if match[2] else 1) if match else 0.0
    if not 0 < value <= _MOST:
        why = "above 0.999999" if _MOST < value < 1 else "not a share between 0 and 1"
        raise ConfigError(
            f"{text!r} is {why}",
            where=where,
            hint="use 3% or 0.03, 95% or 0.95",
        )
    return value


def _convert(key: str, value: object, where: str) -> object:
    if key in {"margin", "confidence"}:
        if isinstance(value, (str, int, float)) and not isinstance(value, bool):
            return parse_fraction(value, where=f"{where} {key}")
        raise ConfigError(f"{key} is not a number", where=where, hint="use 3% or 0.03")
    if key == "seed":
        if isinstance(value, int) and not isinstance(value, bool) and value >= 0:
            return value
        raise ConfigError(f"expected a whole number as seed, got {value!r}", where=where)
    if key == "split":
        return _read_split(value, f"{where} split")
    if key == "rename":
        return _read_renames(value, where)
    default = next(known.default for known in fields(Settings) if known.name == key)
    if isinstance(default, tuple):
        if isinstance(value, list) and all(isinstance(item, str) for item in value):
            return tuple(value)
        raise ConfigError(f"{key} is not a list of strings", where=where, hint=f'use {key} = ["…"]')
    if not isinstance(value, str):
        raise ConfigError(f"{key} is not a string", where=where, hint=f'use {key} = "…"')
    known = {"blocks": BLOCKS, "method": METHODS}.get(key)
    if known and value not in known:
        hint = f"use {', '.join(known)}"
        raise ConfigError(f"unknown value {value!r}", where=f"{where} {key}", hint=hint)
    return redact_message(value) if key == "title" else value


def _read_renames(value: object, where: str) -> tuple[str, ...]:
    """Parse sed-like rules; a pair (pattern, replacement) is a rule that replaces all matches."""
    if not isinstance(value, list):
        hint = 'use rename = ["s#a#b#"] or [["a", "b"]]'
        raise ConfigError("rename is not a list of strings", where=where, hint=hint)
    return tuple(_write_rename(item, where) for item in value)


def _write_rename(item: object, where: str) -> str:
    if isinstance(item, str):
        return item
    if isinstance(item, list) and len(item) == 2 and all(isinstance(part, str) for part in item):
        mark = next((c for c in "#|,;!@~" if c not in item[0] + item[1]), "#")
        return "s" + mark + mark.join(part.replace(mark, f"\\{mark}") for part in item) + mark + "g"
    hint = 'use "s#a#b#" or ["a", "b"]'
    raise ConfigError(f"{item!r} is not a rename rule", where=f"{where} rename", hint=hint)


def _read_split(value: object, where: str) -> tuple[str, bool]:
    """Return the pattern that extracts the variant from a benchmark's name."""
    hint = r"write split = {pattern = 'OTel_(?P<variant>\w+)', lower = true}"
    if not isinstance(value, Mapping):
        raise ConfigError("split is not a table", where=where, hint=hint)
    require_keys(value, ("pattern", "lower"), where)
    pattern, lower = read_text(value.get("pattern"), "pattern", where), value.get("lower", False)
    if not isinstance(lower, bool):
        raise ConfigError("lower must be true or false", where=where, hint=hint)
    _check_split(pattern, where, hint)
    return pattern, lower


def parse_split(pattern: str | None) -> tuple[str, bool] | tuple[()]:
    """Return the rule of ``--split``.

    Raises
    ------
    ConfigError
        If it is not a regular expression with a group ``variant``.
    """
    if pattern is None:
        return ()
    _check_split(pattern, "--split", r"write --split 'OTel_(?P<variant>\w+)'")
    return pattern, False


def _check_split(pattern: str, where: str, hint: str) -> None:
    groups = compile_expression(pattern, where, hint).regex.groupindex
    if "variant" not in groups:
        raise ConfigError(f"{pattern!r} has no group named variant", where=where, hint=hint)
    if unknown := sorted(groups.keys() - {"variant"}):
        what = f"{pattern!r} has the unknown group {unknown[0]!r}; `variant` is the only known one"
        raise ConfigError(what, where=where, hint=f"write (?:…) in place of (?P<{unknown[0]}>…)")


def _read(path: Path) -> str:
    try:
        return read_file(path)
    except (OSError, ValueError) as error:
        is_text = not isinstance(error, UnicodeDecodeError)
        unfit = "no file can have this name" if is_text else "not valid UTF-8"
        reason = error.strerror if isinstance(error, OSError) else unfit
        raise ConfigError(f"cannot be read: {reason}", where=path.name) from error


def _parse_toml(text: str, path: Path) -> dict[str, Any]:
    try:
        return parse_toml(text)
    except ValueError as error:
        raise ConfigError(
            f"not valid TOML: {error}", where=path.name, hint="fix the file"
        ) from error
