"""A plan: the variants to measure, their commands, the number of rounds and the order.

A session in rounds, with warm-ups and with commands before and after each run, is a file that can
be read, sent and repeated. E.g.

    rounds = 8
    order = "abba"
    pause = "5s"
    command = "wrk -c8 -t2 -d15 --latency http://127.0.0.1:8080/ping"
    warmup = "wrk -c8 -t2 -d5 http://127.0.0.1:8080/ping"
    serve = "./server --exporter {variant}"
    ready = "http://127.0.0.1:8080/ping"
    [variants.none]
    [variants.otlp]

A variant's table may have its own commands, its own ``ready``, and numbers: ``spans = 4`` is a
dose, and replaces ``{spans}`` in its commands.

The orders of variants within a round.
"""

from __future__ import annotations

import random
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from difflib import get_close_matches
from pathlib import Path
from typing import Any
from urllib.parse import urlsplit

from benchkit.capture.fields import NAME, Fields, fill, read_words
from benchkit.comparison.series import write_stopping
from benchkit.config.files import parse_toml, read_file, require_keys, write_key
from benchkit.errors import ConfigError
from benchkit.redaction import redact_label
from benchkit.regexes import regex
from benchkit.stats.spending import SequentialDesign
from benchkit.units import parse_duration

_COMMANDS = ("command", "warmup", "before", "after", "serve")
_OWN = (*_COMMANDS, "ready", "ready_timeout")
#: Schemes with which a service can be checked, and their ports.
_PORTS = {"http": 80, "https": 443}
_TOP = (
    *("rounds", "order", "seed", "pause", "pin", "quiet_before", "timeout", "benchmark"),
    *("variants", *_OWN),
)
#: Valid names of a variant's numbers, and keys that a misspelt one is compared with.
_NUMBER = regex(r"[A-Za-z][\w-]{0,39}")
_NUMERIC = ("rounds", "seed", "pause", "quiet_before", "timeout", "ready_timeout")
_RESERVED, _LARGEST = frozenset((*_TOP, NAME)), 1e15
#: Default limits in seconds for a command, and for a service to become ready.
TIMEOUT, _READY = 3600.0, 60.0
#: The criteria of a series, in addition to its design.
BASIS = ("margin", "confidence", "baseline", "metric")
ORDERS = ("abba", "rotate", "random")


@dataclass(frozen=True, slots=True, kw_only=True)
class Commands:
    """The commands of one variant.

    Parameters
    ----------
    command : tuple of str
        The run that is measured.
    warmup : tuple of str
        Run before each of them and kept as a warm-up; empty if there is none.
    before, after : tuple of str
        Run around them, and neither timed nor kept; empty if there is none.
    serve : tuple of str
        The measured service: runs as long as they do, and is then stopped; empty if none is
        started.
    ready : str
        A URL or ``host:port`` that answers as soon as the service can be measured.
    ready_timeout : float
        Time limit in seconds for its first answer.
    folder : Path, optional
        The working directory of the runs; that of this process by default.
    build : str
        The script that built the folder; empty if none did.
    commit : str
        The commit in the folder; a series with runs of a different one cannot be continued. Empty
        if any is allowed.
    numbers : mapping of str to float
        Those of the variant (``spans = 4``), by which it is a dose.
    """

    command: tuple[str, ...]
    warmup: tuple[str, ...] = ()
    before: tuple[str, ...] = ()
    after: tuple[str, ...] = ()
    serve: tuple[str, ...] = ()
    ready: str = ""
    ready_timeout: float = _READY
    folder: Path | None = None
    build: str = ""
    commit: str = ""
    numbers: Mapping[str, float] = field(default_factory=dict)


@dataclass(frozen=True, slots=True, kw_only=True)
class Stopping:
    """When a session stops by itself, as recorded in the sidecars of its runs.

    Parameters
    ----------
    margin, confidence : float
        The criteria for decided rows.
    baseline : str
        The variant with which the others are compared.
    metric : str
        The named primary metrics, separated by commas; empty if none was named.
    """

    design: SequentialDesign
    margin: float
    confidence: float
    baseline: str = ""
    metric: str = ""

    def state(self, number: int) -> dict[str, float | str]:
        """Return what the sidecar of a run of one round records."""
        by = {name: getattr(self, name) for name in BASIS if getattr(self, name)}
        return {**write_stopping(self.design, number), **by}


@dataclass(frozen=True, slots=True, kw_only=True)
class Plan:
    """A session.

    Parameters
    ----------
    variants : mapping of str to Commands
        A single one may have no name.
    rounds : int
        Runs of each variant.
    order : {'abba', 'rotate', 'random'}
    seed : int
        Of a random order.
    pause : float
        Seconds between runs.
    is_interleaved : bool
        Whether rounds and positions are recorded.
    is_pinned : bool
        Whether service and generator get separate cores.
    quiet : float
        Seconds for which the machine has to be quiet before each variant's turn.
    timeout : float
        Time limit of each command in seconds; 0 for none.
    stopping : Stopping, optional
        For a session that stops by itself; ``rounds`` is ignored then.
    """

    variants: Mapping[str, Commands]
    rounds: int = 1
    order: str = "abba"
    seed: int = 1
    pause: float = 0.0
    benchmark: str = ""
    is_interleaved: bool = True
    is_pinned: bool = False
    quiet: float = 0.0
    timeout: float = TIMEOUT
    stopping: Stopping | None = None


def read_plan(path: Path) -> Plan:
    """Read a plan.

    Raises
    ------
    ConfigError
        If it cannot be read, has an unknown key, or lacks a command.
    """
    try:
        table = parse_toml(read_file(path))
    except (OSError, UnicodeDecodeError) as error:
        reason = error.strerror if isinstance(error, OSError) else "not valid UTF-8"
        raise ConfigError(f"cannot be read: {reason}", where=str(path)) from error
    except ValueError as error:
        raise ConfigError(f"not valid TOML: {error}", where=str(path)) from error
    return parse_plan(table, where=str(path))


def parse_plan(table: Mapping[str, Any], *, where: str = "--plan") -> Plan:
    """Build a plan from a parsed table.

    Examples
    --------
    >>> plan = parse_plan({"command": "wrk http://{variant}/", "variants": {"a": {}, "b": {}}})
    >>> plan.variants["b"].command
    ('wrk', 'http://b/')
    """
    require_keys(table, _TOP, where)
    named = table.get("variants")
    if named and not isinstance(named, Mapping):
        hint = "write a table for each variant: [variants.NAME]"
        raise ConfigError(f"variants: expected tables, got {named!r}", where=where, hint=hint)
    if not named:
        raise ConfigError("no variants", where=where, hint="add [variants.NAME]")
    shared = {key: table[key] for key in _OWN if key in table}
    numbers = _read_numbers(named, where)
    known = {key for each in numbers.values() for key in each}
    variants = {}
    for name, entries in named.items():
        place = _place(name, where)
        for key in sorted(known.intersection(entries) - {*numbers[name]}):
            what = f"expected a number below {_LARGEST:g}, got {entries[key]!r}"
            raise ConfigError(what, where=f"{place} {key}")
        require_keys((key for key in entries if key not in numbers[name]), _OWN, place)
        fields = Fields(name, numbers[name], known)
        variants[name] = _commands({**shared, **entries}, fields, place)
    order = table.get("order", "abba")
    if order not in ORDERS:
        hint = f"use {', '.join(ORDERS)}"
        raise ConfigError(f"unknown value {order!r}", where=f"{where} order", hint=hint)
    benchmark = table.get("benchmark", "")
    if not isinstance(benchmark, str):
        raise ConfigError("not a string", where=f"{where} benchmark")
    is_pinned = table.get("pin", False)
    if not isinstance(is_pinned, bool):
        raise ConfigError("expected true or false", where=f"{where} pin")
    return Plan(
        variants=variants,
        rounds=_whole(table.get("rounds", 1), f"{where} rounds", least=1),
        order=order,
        seed=_whole(table.get("seed", 1), f"{where} seed", least=0),
        pause=read_seconds(table.get("pause", 0), f"{where} pause"),
        is_pinned=is_pinned,
        quiet=read_seconds(table.get("quiet_before", 0), f"{where} quiet_before"),
        timeout=read_seconds(table.get("timeout", TIMEOUT), f"{where} timeout"),
        benchmark=benchmark,
    )


def _read_numbers(named: Mapping[str, object], where: str) -> dict[str, dict[str, float]]:
    """Return the numbers of each variant; refuse an invalid name or table."""
    numbers: dict[str, dict[str, float]] = {}
    labels: dict[str, str] = {}
    for name, entries in named.items():
        place, label = _place(name, where), redact_label(name)
        if not label:
            raise ConfigError("the variant has no name", where=place, hint="use [variants.NAME]")
        if label in labels:
            what = f"{name!r} and {labels[label]!r} are the same name"
            raise ConfigError(what, where=place, hint="give each variant another name")
        if not isinstance(entries, Mapping):
            raise ConfigError("not a table", where=place, hint="use [variants.NAME]")
        labels[label] = name
        numbers[name] = {key: value for key, value in entries.items() if _is_number(key, value)}
    return numbers


def _place(name: str, where: str) -> str:
    return f"{where} [variants.{write_key(name)}]"


def _is_number(key: str, value: object) -> bool:
    """Return whether a key of a variant is one of its numbers rather than a misspelt setting."""
    return (
        isinstance(value, int | float)
        and not isinstance(value, bool)
        and abs(value) < _LARGEST
        and _NUMBER.fullmatch(key) is not None
        and key not in _RESERVED
        and not get_close_matches(key, _NUMERIC, cutoff=0.9)
    )


def _commands(table: Mapping[str, object], fields: Fields, where: str) -> Commands:
    if "command" not in table:
        raise ConfigError("no command", where=where, hint='add command = "…"')
    if "serve" in table and table.get("ready", "") == "":
        hint = (
            'add ready = "http://…" or "host:port", an address that answers as soon as the service '
            "is up"
        )
        raise ConfigError("`serve` needs the key `ready`", where=where, hint=hint)
    command, warmup, before, after, serve = (
        read_words(table[key], fields, f"{where} {key}") if key in table else ()
        for key in _COMMANDS
    )
    return Commands(
        command=command,
        warmup=warmup,
        before=before,
        after=after,
        serve=serve,
        ready=read_ready(table.get("ready", ""), fields, f"{where} ready"),
        ready_timeout=read_seconds(table.get("ready_timeout", _READY), f"{where} ready_timeout"),
        numbers=fields.numbers,
    )


def read_ready(value: object, fields: Fields, where: str) -> str:
    """Parse a URL or ``host:port`` that may contain fields of a variant."""
    text = fill(value, fields, where) if isinstance(value, str) else ""
    if value != "":
        try:
            split_address(text)
        except ValueError as error:
            hint = 'write "http://127.0.0.1:8080/" or "127.0.0.1:8080"'
            what = f"expected a URL or host:port, got {value!r}"
            raise ConfigError(what, where=where, hint=hint) from error
    return text


def split_address(ready: str) -> tuple[str, int]:
    """Return host and port of a URL or of ``host:port``; ValueError if it has none.

    Examples
    --------
    >>> split_address("https://h/up"), split_address("127.0.0.1:6379"), split_address("[::1]:80")
    (('h', 443), ('127.0.0.1', 6379), ('::1', 80))
    """
    parts = urlsplit(ready if "://" in ready else f"//{ready}")
    if parts.scheme not in {"", *_PORTS}:
        raise ValueError(ready)
    port = parts.port or _PORTS.get(parts.scheme)
    if not parts.hostname or not port:
        raise ValueError(ready)
    parts.hostname.encode("idna")
    return parts.hostname, port


def _whole(value: object, where: str, *, least: int) -> int:
    if not isinstance(value, int) or isinstance(value, bool) or value < least:
        raise ConfigError(
            f"expected a whole number of at least {least}, got {value!r}", where=where
        )
    return value


def read_seconds(value: object, where: str) -> float:
    """Parse a duration in seconds."""
    try:
        seconds = parse_duration(value).value if isinstance(value, str) else float(value)  # type: ignore[arg-type]
    except (TypeError, ValueError):
        seconds = -1.0
    if not 0 <= seconds < 1e6:
        raise ConfigError(
            f"expected a duration, got {value!r}", where=where, hint='write 5 or "5s"'
        )
    return seconds


def order_rounds(variants: Sequence[str], rounds: int, order: str, seed: int) -> list[list[str]]:
    """Return the variants of each round, in the order of measurement.

    Parameters
    ----------
    order : {'abba', 'rotate', 'random'}
        ``abba``: alternately forwards and backwards, so that a linear drift affects all equally
        after every second round. ``rotate``: each round begins one variant later, so that each is
        equally often in each position. ``random``: each round is shuffled separately.
    seed : int
        For the shuffling.

    Examples
    --------
    >>> order_rounds(["a", "b", "c"], 3, "abba", 1)
    [['a', 'b', 'c'], ['c', 'b', 'a'], ['a', 'b', 'c']]
    >>> order_rounds(["a", "b", "c"], 3, "rotate", 1)
    [['a', 'b', 'c'], ['b', 'c', 'a'], ['c', 'a', 'b']]
    """
    if order == "rotate":
        turns = (number % len(variants) for number in range(rounds))
        return [[*variants[turn:], *variants[:turn]] for turn in turns]
    if order == "abba":
        return [list(variants[:: -1 if number % 2 else 1]) for number in range(rounds)]
    shuffler = random.Random(seed)  # noqa: S311 - an order that can be repeated, no secret
    return [shuffler.sample(variants, len(variants)) for _ in range(rounds)]
