"""The keys of a sidecar, and the functions that read it.

A misspelt key that is silently ignored results in a wrong label. Example:

    variant = "otlp"
    run = 1
    shard = 2
    benchmark = "/ping/GRM"
    position = 7
    start = 2026-11-20T10:00:12Z
    end = 2026-11-20T10:00:42Z
    [load]
    model = "closed"
    connections = 8
    [params]
    payload = "1k"
    [spans]
    per_request = 3
    [limits]
    server = {cpu = 2.0, memory = "4GiB"}
    [containers]
    service = "server"
    [env]
    commit = "c861e65"
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, fields, replace
from datetime import date, datetime, time
from functools import lru_cache
from typing import Any, get_args

from benchkit.config.files import parse_toml
from benchkit.errors import Diagnostic
from benchkit.labels.declared import (
    MOST,
    Checked,
    UnusableError,
    check_containers,
    check_limits,
    check_spans,
    check_texts,
    count,
    one_of,
    read_code,
    read_command,
    read_rate,
    read_seconds,
    read_table,
    read_text,
    read_time,
    read_whole,
    suggest,
)
from benchkit.regexes import regex
from benchkit.schema import FACTS, ROLES, RUN_COLUMNS, TYPES, Column, LoadModel, RunFacts, means


@dataclass(slots=True, kw_only=True)
class Sidecar(RunFacts):
    """The labels and facts recorded next to a raw file; unknown ones are None or empty."""

    variant: str | None = None
    benchmark: str | None = None
    group: str | None = None
    role: str | None = None
    run: int | None = None
    shard: int | None = field(
        default=None, metadata=means("number of the generator, if a run has several generators")
    )
    ended_at: datetime | None = field(
        default=None, metadata=means("end of the measured part; determines the duration")
    )
    tool: str | None = None
    exit_code: int | None = field(
        default=None, metadata=means("exit code of the command; non-zero marks the run as failed")
    )
    params: dict[str, str] = field(
        default_factory=dict, metadata=means('the level of the workload: payload = "1k"')
    )
    spans: dict[str, Any] = field(
        default_factory=dict,
        metadata=means("counts of spans: per_request, created, saved, dropped"),
    )
    limits: dict[str, Any] = field(
        default_factory=dict, metadata=means("limits by container: server = {cpu = 2.0}")
    )
    containers: dict[str, Any] = field(
        default_factory=dict,
        metadata=means('containers by role: server or collector, for example service = "server"'),
    )
    plan: dict[str, str] = field(
        default_factory=dict,
        metadata=means("what else the plan of capture says: warmup, before, after, serve, …"),
    )
    #: The problem that leaves it unknown whether the runs succeeded, with its place.
    damage: str | None = None

    def over(self, lower: Sidecar) -> Sidecar:
        """Return these labels, completed by those of ``lower``."""
        merged = Sidecar()
        for entry in _FIELDS:
            mine, its = getattr(self, entry.name), getattr(lower, entry.name)
            if isinstance(mine, dict):
                setattr(merged, entry.name, its | mine)
            else:
                setattr(merged, entry.name, its if mine == entry.default else mine)
        if self.duration is None and (self.started_at or self.ended_at):
            merged.duration = None
            merged.fill_duration()
        return merged

    def fill_duration(self) -> None:
        """Derive the duration from start and end if it is not set."""
        if self.duration is None and self.started_at and self.ended_at:
            self.duration = (self.ended_at - self.started_at).total_seconds()


_FIELDS = fields(Sidecar)
_EMPTY = Sidecar()


#: The consequence if it is unknown whether a run failed.
DAMAGED = "its runs count as damaged"
#: Letters of the keys that record whether a run failed.
_OUTCOMES = frozenset({"role", "exitcode", "exit"})


def find_damage(problems: Sequence[Diagnostic]) -> str | None:
    """Return the problem that leaves it unknown whether the runs succeeded, if any."""
    damages = [str(problem) for problem in problems if problem.what.endswith(DAMAGED)]
    return damages[-1] if damages else None


def mark_unreadable(problem: Diagnostic) -> Sidecar:
    """Return the labels of an unreadable sidecar, which might record that its runs failed."""
    return Sidecar(damage=str(problem))


def read_sidecar(text: str, path: str) -> tuple[Sidecar, list[Diagnostic]]:
    """Read a sidecar; invalid entries are reported and left out.

    Parameters
    ----------
    text : str
        TOML.
    path : str
        The path in diagnostics.
    """
    try:
        data = parse_toml(text.removeprefix("\ufeff"))
    except ValueError as error:
        at = re.search(r"line (\d+)", str(error))
        what = f"not valid TOML ({error}); all its labels are ignored, and {DAMAGED}"
        problem = Diagnostic(path, int(at[1]) if at else 0, what, severity="warning")
        return mark_unreadable(problem), [problem]
    return read_keys(data, path, text)


def read_keys(
    data: Mapping[str, Any], path: str, text: str = "", *, within: tuple[str, ...] = ()
) -> tuple[Sidecar, list[Diagnostic]]:
    """Read the keys of a parsed sidecar.

    Parameters
    ----------
    path, text : str
        The path and the content of the file, for the places of diagnostics.
    within : tuple of str
        The table of the file that contains the keys.
    """
    sidecar, at = Sidecar(), _Place(path, text, within)
    load = data.get("load", {})
    if not isinstance(load, Mapping):
        load = {"load": load}
    top = {key: value for key, value in data.items() if key != "load"}
    problems = _fill(sidecar, top, TOP, at) + _fill(sidecar, load, LOAD, at.of("load"))
    problems += _check_tables(sidecar, at) + _check_times(sidecar, at)
    sidecar.damage = find_damage(problems)
    return sidecar, problems


@dataclass(frozen=True, slots=True)
class _Place:
    """A file, and the table in it that contains the keys."""

    path: str
    text: str
    within: tuple[str, ...]

    def of(self, table: str) -> _Place:
        return _Place(self.path, self.text, (*self.within, table))

    def warn(self, keys: tuple[str, ...], what: str, hint: str = "") -> Diagnostic:
        """Return a diagnostic about one key, with its line."""
        line = find_line(self.text, (*self.within, *keys))
        return Diagnostic(self.path, line, what, hint, "warning")


_FEWER = "keep only the labels that distinguish the runs"
#: Facts that only a result records, and the damage.
_UNSTATED = {"corrected", "units", "remark", "damage"}
_SHARED = {column.name: {"meaning": column.meaning} for column in RUN_COLUMNS}
#: The fields that a sidecar may set.
KEYS = tuple(
    Column(f.name, TYPES.get(str(f.type), "map"), **(f.metadata or _SHARED[f.name]))
    for f in (*_FIELDS[len(FACTS) :], *_FIELDS[: len(FACTS)])
    if f.name not in _UNSTATED
)
#: Reader of a fact's value, by its unit or else its type.
_BY_KIND: dict[str, Callable[[Any], Any]] = {
    "s": read_seconds,
    "1/s": read_rate,
    "time?": read_time,
    "i64?": read_whole,
    "str?": read_text,
    "str": read_text,
    "map": read_table,
}
#: Reader of each field's value.
_READERS: dict[str, Callable[[Any], Any]] = {
    **{key.name: _BY_KIND[key.unit or key.type] for key in KEYS},
    "load_model": one_of(*get_args(LoadModel)),
    "command": read_command,
    "role": one_of(*ROLES),
    "exit_code": read_code,
}
#: Fields by key, at the top level of a sidecar and in its table ``[load]``.
TOP = {
    **{name: name for name in _READERS},
    "scenario": "benchmark",
    "repeat": "run",
    "start": "started_at",
    "end": "ended_at",
    "argv": "command",
    "exit": "exit_code",
    "environment": "env",
}
LOAD = {
    **{name: name for name in ("tool", "connections", "target_rate", "duration")},
    "version": "tool_version",
    "model": "load_model",
    "rate": "target_rate",
}

#: JSON types of values, by the type of the key.
_JSON: dict[str, dict[str, object]] = {
    "str": {"type": "string"},
    "str?": {"type": ["string", "number", "array"]},
    "i64?": {"type": ["integer", "string"]},
    "f64?": {"type": ["number", "string"]},
    "time?": {"type": ["string", "number"], "format": "date-time"},
    "map": {"type": "object"},
}


def json_schema() -> dict[str, object]:
    """Return the JSON schema of a sidecar, with which editors complete and check its keys."""
    values = {key.name: _JSON[key.type] | {"description": key.meaning} for key in KEYS}
    top, load = ({name: values[field] for name, field in keys.items()} for keys in (TOP, LOAD))
    top["load"] = {"type": "object", "properties": load, "additionalProperties": False}
    return {
        "$schema": "https://json-schema.org/draft/2020-12/schema",
        "type": "object",
        "properties": top,
        "additionalProperties": False,
    }


#: How the entries of each table are checked, one by one.
_CHECKS: dict[str, Callable[[Mapping[str, Any]], Checked]] = {
    **{key.name: check_texts for key in KEYS if key.type == "map"},
    "spans": check_spans,
    "limits": check_limits,
    "containers": check_containers,
}


def _fill(
    sidecar: Sidecar, data: Mapping[str, Any], known: Mapping[str, str], at: _Place
) -> list[Diagnostic]:
    """Set the fields that the keys name; report invalid keys."""
    if len(data) > MOST:
        what = f"{count(data)}; all of them are ignored{_judge(data)}"
        return [replace(at.warn((), what, _FEWER), severity="error")]
    problems = []
    for key, value in data.items():
        if key not in known:
            what = f"the unknown key {key!r} is ignored{_judge({key: value})}"
            problems.append(at.warn((key,), what, suggest(key, known)))
            continue
        if isinstance(value, Mapping) and len(value) > MOST:
            what = f"[{key}] has {count(value)}; all of them are ignored"
            problems.append(replace(at.warn((key,), what, _FEWER), severity="error"))
            continue
        try:
            _set(sidecar, known[key], _READERS[known[key]](value))
        except ValueError as error:
            shown = str(value) if isinstance(value, date | time) else repr(value)
            what = f"{key} = {shown} is ignored: {error}{_judge({key: value})}"
            problems.append(at.warn((key,), what))
    return problems


def _set(sidecar: Sidecar, field: str, value: object) -> None:
    """Set a field; several keys of one field must not have distinct values."""
    if getattr(sidecar, field) not in (getattr(_EMPTY, field), value):
        raise UnusableError(f"another key says {getattr(sidecar, field)!r}")
    setattr(sidecar, field, value)


def _judge(ignored: Mapping[str, Any]) -> str:
    """Describe the consequence if ignored keys, or keys in them, may record that a run failed."""
    within = (key for value in ignored.values() if isinstance(value, Mapping) for key in value)
    letters = ("".join(filter(str.isalpha, key)).lower() for key in (*ignored, *within))
    return "" if _OUTCOMES.isdisjoint(letters) else f"; {DAMAGED}"


def _check_tables(sidecar: Sidecar, at: _Place) -> list[Diagnostic]:
    """Keep the valid entries of the tables of spans, limits and containers."""
    problems = []
    for name, check in _CHECKS.items():
        kept, unused = check(getattr(sidecar, name))
        setattr(sidecar, name, kept)
        problems += [at.of(name).warn(u.keys, f"[{name}] {u.what}", u.hint) for u in unused]
    return problems


def _check_times(sidecar: Sidecar, at: _Place) -> list[Diagnostic]:
    """Drop both times if the end is before the start; otherwise set the duration from them."""
    if sidecar.started_at and sidecar.ended_at and sidecar.ended_at < sidecar.started_at:
        sidecar.started_at = sidecar.ended_at = None
        return [at.warn(("end",), "the end is before the start; both are ignored")]
    sidecar.fill_duration()
    return []


_TABLE = regex(r"\s*\[\[?([^\[\]]+)\]")
_KEY = regex(r"""\s*+((?:"[^"]*"|'[^']*'|[A-Za-z0-9_.\s-]++)++)=""")
_NAME = regex(r""""[^"]*"|'[^']*'|[^.\s]+""")


def find_line(text: str, keys: Sequence[str]) -> int:
    r"""Return the line, from 1, that names the most specific part of a key; 0 if none does.

    Parameters
    ----------
    keys : sequence of str
        ``("limits", "server", "cpu")``; for a key in an inline table, its line is that of the
        table.

    Examples
    --------
    >>> text = '[limits]\nserver = {cpu = -2}\nnginx.cpu = 1\n'
    >>> find_line(text, ("limits", "server", "cpu")), find_line(text, ("limits", "nginx", "cpu"))
    (2, 3)
    >>> find_line(text, ("limits", "redis")), find_line(text, ("spans",))
    (1, 0)
    """
    lines = _index(text)
    prefixes = (tuple(keys[:count]) for count in range(len(keys), 0, -1))
    return next((lines[prefix] for prefix in prefixes if prefix in lines), 0)


@lru_cache(maxsize=2)
def _index(text: str) -> dict[tuple[str, ...], int]:
    """Return the first line of each key; each text is searched only once for all diagnostics."""
    lines: dict[tuple[str, ...], int] = {}
    for number, keys in _list_keys(text):
        lines.setdefault(keys, number)
    return lines


def _list_keys(text: str) -> Iterator[tuple[int, tuple[str, ...]]]:
    """Yield each line that names a table or a key, with its keys, outermost first."""
    table: tuple[str, ...] = ()
    for number, line in enumerate(text.splitlines(), 1):
        if match := _TABLE.match(line):
            table = _split(match[1])
            yield number, table
        elif match := _KEY.match(line):
            yield number, (*table, *_split(match[1]))


def _split(dotted: str) -> tuple[str, ...]:
    return tuple(name.strip("\"'") for name in _NAME.findall(dotted))
