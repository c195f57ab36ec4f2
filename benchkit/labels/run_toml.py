"""The keys of a sidecar, and how one is read.

A misspelt key that is passed over in silence is a wrong label. E.g.

    variant = "otlp"
    run = 1
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
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field, fields
from datetime import datetime
from typing import Any

from benchkit.config.files import parse_toml
from benchkit.errors import Diagnostic
from benchkit.labels.declared import (
    Checked,
    check_containers,
    check_limits,
    check_spans,
    suggest,
)
from benchkit.labels.key_lines import find_line
from benchkit.labels.values import (
    one_of,
    read_code,
    read_command,
    read_rate,
    read_seconds,
    read_table,
    read_text,
    read_texts,
    read_time,
    read_whole,
)
from benchkit.schema import ROLES

_TABLES = ("params", "env", "spans", "limits", "containers")


@dataclass(slots=True, kw_only=True)
class Sidecar:
    """What lies beside a raw file says of its runs; what it does not say is None or empty.

    Parameters
    ----------
    variant, benchmark, group, role : str or None
    run, block, position : int or None
        The run's number, the round it belongs to and its place in it.
    started_at, ended_at : datetime or None
        Of the measured part, with their zone.
    duration : float or None
        In s; of start and end where it is not told itself.
    load_model : str or None
        ``open``, ``closed`` or ``unknown``.
    connections : int or None
    target_rate : float or None
        Requests per second asked for.
    tool, tool_version, command : str or None
    exit_code : int or None
    params, env : dict of str to str
        The level of the workload; what is known of the machine.
    spans, limits, containers : dict
        As written in the sidecar: ``per_request = 4``; ``server = {cpu = 2.0, memory = "4GiB"}``;
        ``service = "server"``.
    """

    variant: str | None = None
    benchmark: str | None = None
    group: str | None = None
    role: str | None = None
    run: int | None = None
    block: int | None = None
    position: int | None = None
    started_at: datetime | None = None
    ended_at: datetime | None = None
    duration: float | None = None
    load_model: str | None = None
    connections: int | None = None
    target_rate: float | None = None
    tool: str | None = None
    tool_version: str | None = None
    command: str | None = None
    exit_code: int | None = None
    params: dict[str, str] = field(default_factory=dict)
    env: dict[str, str] = field(default_factory=dict)
    spans: dict[str, Any] = field(default_factory=dict)
    limits: dict[str, Any] = field(default_factory=dict)
    containers: dict[str, Any] = field(default_factory=dict)

    def over(self, lower: Sidecar) -> Sidecar:
        """Return these labels where they are told, and those of ``lower`` where they are not."""
        merged = Sidecar()
        for name in _NAMES:
            mine, its = getattr(self, name), getattr(lower, name)
            if name in _TABLES:
                setattr(merged, name, its | mine)
            else:
                setattr(merged, name, its if mine is None else mine)
        if self.duration is None and (self.started_at or self.ended_at):
            merged.duration = None
            merged.fill_duration()
        return merged

    def fill_duration(self) -> None:
        """Take the duration from start and end where it is not told itself."""
        if self.duration is None and self.started_at and self.ended_at:
            self.duration = (self.ended_at - self.started_at).total_seconds()


_NAMES = tuple(entry.name for entry in fields(Sidecar))


def read_sidecar(text: str, path: str) -> tuple[Sidecar, list[Diagnostic]]:
    """Read a sidecar; what cannot be used is told and left out.

    Parameters
    ----------
    text : str
        TOML.
    path : str
        How diagnostics name it.
    """
    try:
        data = parse_toml(text.removeprefix("\ufeff"))
    except ValueError as error:
        at = re.search(r"line (\d+)", str(error))
        what = f"not valid TOML ({error}); none of its labels are used"
        return Sidecar(), [Diagnostic(path, int(at[1]) if at else 0, what, severity="warning")]
    return read_keys(data, path, text)


def read_keys(
    data: Mapping[str, Any], path: str, text: str = "", *, within: tuple[str, ...] = ()
) -> tuple[Sidecar, list[Diagnostic]]:
    """Read the keys of a sidecar that is already parsed.

    Parameters
    ----------
    data : mapping
    path, text : str
        Of the file, for the places of diagnostics.
    within : tuple of str
        The table of the file that the keys are in.
    """
    found, at = Sidecar(), _Place(path, text, within)
    load = data.get("load", {})
    if not isinstance(load, Mapping):
        load = {"load": load}
    top = {key: value for key, value in data.items() if key != "load"}
    problems = _fill(found, top, _TOP, at) + _fill(found, load, _LOAD, at.of("load"))
    problems += _check_tables(found, at) + _check_times(found, at)
    return found, problems


@dataclass(frozen=True, slots=True)
class _Place:
    """A file, and the table in it that keys are of."""

    path: str
    text: str
    within: tuple[str, ...]

    def of(self, table: str) -> _Place:
        return _Place(self.path, self.text, (*self.within, table))

    def warn(self, keys: tuple[str, ...], what: str, hint: str = "") -> Diagnostic:
        """Return a diagnostic about one key, with its line."""
        line = find_line(self.text, (*self.within, *keys))
        return Diagnostic(self.path, line, what, hint, "warning")


_LOAD: dict[str, tuple[str, Callable[[Any], Any]]] = {
    "tool": ("tool", read_text),
    "version": ("tool_version", read_text),
    "model": ("load_model", one_of("open", "closed", "unknown")),
    "connections": ("connections", read_whole),
    "rate": ("target_rate", read_rate),
    "target_rate": ("target_rate", read_rate),
    "duration": ("duration", read_seconds),
}
_TOP: dict[str, tuple[str, Callable[[Any], Any]]] = {
    "variant": ("variant", read_text),
    "benchmark": ("benchmark", read_text),
    "scenario": ("benchmark", read_text),
    "group": ("group", read_text),
    "role": ("role", one_of(*ROLES)),
    "run": ("run", read_whole),
    "repeat": ("run", read_whole),
    "block": ("block", read_whole),
    "position": ("position", read_whole),
    "start": ("started_at", read_time),
    "started_at": ("started_at", read_time),
    "end": ("ended_at", read_time),
    "ended_at": ("ended_at", read_time),
    "duration": ("duration", read_seconds),
    "load_model": ("load_model", one_of("open", "closed", "unknown")),
    "connections": ("connections", read_whole),
    "target_rate": ("target_rate", read_rate),
    "tool": ("tool", read_text),
    "tool_version": ("tool_version", read_text),
    "command": ("command", read_command),
    "argv": ("command", read_command),
    "exit": ("exit_code", read_code),
    "exit_code": ("exit_code", read_code),
    "params": ("params", read_texts),
    "env": ("env", read_texts),
    "environment": ("env", read_texts),
    "spans": ("spans", read_table),
    "limits": ("limits", read_table),
    "containers": ("containers", read_table),
}


#: Tables whose entries are checked one by one.
_CHECKS: dict[str, Callable[[Mapping[str, Any]], Checked]] = {
    "spans": check_spans,
    "limits": check_limits,
    "containers": check_containers,
}


def _fill(
    found: Sidecar,
    data: Mapping[str, Any],
    known: Mapping[str, tuple[str, Callable[[Any], Any]]],
    at: _Place,
) -> list[Diagnostic]:
    """Set the fields that the keys tell; say which keys cannot be used."""
    problems = []
    for key, value in data.items():
        if key not in known:
            what = f"the key {key!r} is not known and is not used"
            problems.append(at.warn((key,), what, suggest(key, known)))
            continue
        name, convert = known[key]
        try:
            setattr(found, name, convert(value))
        except ValueError as error:
            problems.append(at.warn((key,), f"{key} = {value!r} is not used: {error}"))
    return problems


def _check_tables(found: Sidecar, at: _Place) -> list[Diagnostic]:
    """Keep what can be used of the tables about spans, limits and containers."""
    problems = []
    for name, check in _CHECKS.items():
        kept, unused = check(getattr(found, name))
        setattr(found, name, kept)
        problems += [at.of(name).warn(u.keys, f"[{name}] {u.what}", u.hint) for u in unused]
    return problems


def _check_times(found: Sidecar, at: _Place) -> list[Diagnostic]:
    """Drop an end before the start; fill the duration where both are told."""
    if found.started_at and found.ended_at and found.ended_at < found.started_at:
        found.started_at = found.ended_at = None
        return [at.warn(("end",), "the end is before the start; neither is used")]
    found.fill_duration()
    return []
