"""Changes that a project has accepted: ``[[history.accept]]``."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field

from benchkit.config.keys import as_key, list_keys, read_shown, read_text, require_keys
from benchkit.errors import ConfigError

#: Fewest characters of a commit that name it.
SHORTEST = 7


@dataclass(frozen=True, slots=True)
class Accepted:
    """A step change that is meant."""

    commit: str = field(
        metadata=as_key("text", "first commit after the change; at least 7 characters")
    )
    reason: str = field(metadata=as_key("text", "why the change is intended"))

    def names(self, commit: str) -> bool:
        """Tell whether it is this commit, however many characters either shows.

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
        If a key is not known, or commit or reason is missing or too short.

    Examples
    --------
    >>> parse_accepted([{"commit": "abc1234", "reason": "TLS"}], "benchkit.toml")[0].reason
    'TLS'
    """
    if not isinstance(tables, list) or not all(isinstance(table, Mapping) for table in tables):
        hint = "use [[history.accept]]"
        raise ConfigError("`accept` is not a list of tables", where=where, hint=hint)
    return tuple(_parse(table, f"{where} {n}") for n, table in enumerate(tables, 1))


def _parse(table: Mapping[str, object], where: str) -> Accepted:
    require_keys(table, list_keys(Accepted), where)
    commit = read_text(table.get("commit"), "commit", where)
    if len(commit) < SHORTEST:
        hint = f"give at least {SHORTEST} characters of a commit"
        raise ConfigError(f"{commit!r} is not a commit", where=where, hint=hint)
    return Accepted(commit, read_shown(table.get("reason"), "reason", where))
