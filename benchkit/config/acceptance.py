"""Accepted regressions and removals of the gate: ``[[gate.accept]]``.

Changes that a project has accepted: ``[[history.accept]]``.
"""

from __future__ import annotations

import re
from collections.abc import Mapping
from dataclasses import dataclass, field
from datetime import date, datetime
from fnmatch import fnmatchcase

from benchkit.config.files import as_key, list_keys, read_shown, read_text, require_keys
from benchkit.errors import ConfigError
from benchkit.regexes import regex

_COMMIT = regex(r"[0-9a-f]+", re.IGNORECASE)
_EXAMPLE = 'use benchmark = "Ping" and until = 2026-12-31, or removed = "Ping"'

#: Minimum length of an abbreviated commit.
SHORTEST = 7


@dataclass(frozen=True, slots=True, kw_only=True)
class Acceptance:
    """A named regression, or a removed benchmark, that the gate lets pass.

    `removed` says whether the benchmark was removed instead of slower; in the file, it is its name.
    """

    benchmark: str = field(metadata=as_key("text", "the slower benchmark; may contain `*`"))
    removed: bool = field(
        default=False, metadata=as_key("text", "the removed benchmark; may contain `*`")
    )
    metric: str = field(
        default="", metadata=as_key("text", "`metric` or `metric.stat`; default: all")
    )
    until: date | str | None = field(
        default=None,
        metadata=as_key(
            "date", "the last day, or the commit that brings the regression into the baseline"
        ),
    )
    reason: str = field(default="", metadata=as_key("text", "why it is accepted"))

    def matches(self, benchmark: str, metric: str, stat: str) -> bool:
        """Return whether it names a benchmark and a metric of it.

        Examples
        --------
        >>> Acceptance(benchmark="Get*").matches("GetAll", "time_per_op", "sample")
        True
        """
        is_named = fnmatchcase(benchmark, self.benchmark) or benchmark == self.benchmark
        return is_named and self.metric in {"", metric, f"{metric}.{stat}"}

    @property
    def text(self) -> str:
        """Its end and its reason: ``until 2026-12-31: TLS by default``."""
        end = f"until {self.until}" if self.until else "permanently"
        return f"{end}: {self.reason}" if self.reason else end


def parse_acceptances(tables: object, where: str) -> tuple[Acceptance, ...]:
    """Read every ``[[gate.accept]]``.

    Raises
    ------
    ConfigError
        If a key is unknown, or the benchmark or the end of an acceptance is missing.

    Examples
    --------
    >>> parse_acceptances([{"removed": "Ping"}], "benchkit.toml")[0].removed
    True
    """
    if not isinstance(tables, list) or not all(isinstance(table, Mapping) for table in tables):
        hint = "use [[gate.accept]]"
        raise ConfigError("`gate.accept` is not a list of tables", where=where, hint=hint)
    return tuple(_parse(table, f"{where} [[gate.accept]] {n}") for n, table in enumerate(tables, 1))


def _parse(table: Mapping[str, object], where: str) -> Acceptance:
    require_keys(table, list_keys(Acceptance), where)
    is_removed = "removed" in table
    if is_removed == ("benchmark" in table):
        what = "give either benchmark or removed"
        raise ConfigError(what, where=where, hint=_EXAMPLE)
    until = _read_end(table["until"], where) if "until" in table else None
    if until is None and not is_removed:
        hint = 'add until = 2026-12-31, or until = "abc1234" for a commit'
        raise ConfigError(
            ("an accepted regression needs an end date or commit"), where=where, hint=hint
        )
    key = "removed" if is_removed else "benchmark"
    return Acceptance(
        benchmark=read_text(table[key], key, where),
        removed=is_removed,
        metric=read_text(table["metric"], "metric", where) if "metric" in table else "",
        until=until,
        reason=read_shown(table["reason"], "reason", where) if "reason" in table else "",
    )


def _read_end(value: object, where: str) -> date | str:
    if isinstance(value, datetime):
        return value.date()
    if isinstance(value, date):
        return value
    text = read_text(value, "until", where)
    try:
        return date.fromisoformat(text)
    except ValueError:
        pass
    if len(text) < SHORTEST or not _COMMIT.fullmatch(text):
        hint = f"use a date, 2026-12-31, or at least {SHORTEST} digits (0-9, a-f) of a commit"
        raise ConfigError(f"`until` is {text!r}", where=where, hint=hint)
    return text


@dataclass(frozen=True, slots=True)
class Accepted:
    """An intended step change."""

    commit: str = field(
        metadata=as_key("text", "first commit after the change; at least 7 characters")
    )
    reason: str = field(metadata=as_key("text", "why the change is intended"))

    def names(self, commit: str) -> bool:
        """Return whether this is its commit; either may be abbreviated.

        Examples
        --------
        >>> Accepted("abc1234", "TLS").names("abc1234ff0")
        True
        """
        short, long = sorted((self.commit, commit), key=len)
        return long.startswith(short)


def parse_accepted(tables: object, where: str) -> tuple[Accepted, ...]:
    """Read every ``[[history.accept]]``.

    Raises
    ------
    ConfigError
        If a key is unknown, or commit or reason is missing or too short.

    Examples
    --------
    >>> parse_accepted([{"commit": "abc1234", "reason": "TLS"}], "benchkit.toml")[0].reason
    'TLS'
    """
    if not isinstance(tables, list) or not all(isinstance(table, Mapping) for table in tables):
        hint = "use [[history.accept]]"
        raise ConfigError("`accept` is not a list of tables", where=where, hint=hint)
    return tuple(_parse_change(table, f"{where} {n}") for n, table in enumerate(tables, 1))


def _parse_change(table: Mapping[str, object], where: str) -> Accepted:
    require_keys(table, list_keys(Accepted), where)
    commit = read_text(table.get("commit"), "commit", where)
    if len(commit) < SHORTEST:
        hint = f"give at least {SHORTEST} characters of a commit"
        raise ConfigError(f"{commit!r} is not a commit", where=where, hint=hint)
    return Accepted(commit, read_shown(table.get("reason"), "reason", where))
