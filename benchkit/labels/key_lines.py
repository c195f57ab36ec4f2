"""On which line of a TOML file a key stands.

The standard reader tells values without places, and a message about a value has to say where it
is.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from functools import lru_cache

from benchkit.regexes import regex

_TABLE = regex(r"\s*\[\[?([^\[\]]+)\]")
_KEY = regex(r"""\s*+((?:"[^"]*"|'[^']*'|[A-Za-z0-9_.\s-]++)++)=""")
_NAME = regex(r""""[^"]*"|'[^']*'|[^.\s]+""")


def find_line(text: str, keys: Sequence[str]) -> int:
    r"""Return the line, counted from 1, that tells most of a key; 0 where none does.

    Parameters
    ----------
    keys : sequence of str
        ``("limits", "server", "cpu")``; of an inline table the line of the table.

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
    """Return the first line of each key; a text is searched once for all that is said of it."""
    lines: dict[tuple[str, ...], int] = {}
    for number, keys in _list_keys(text):
        lines.setdefault(keys, number)
    return lines


def _list_keys(text: str) -> Iterator[tuple[int, tuple[str, ...]]]:
    """Yield each line that names a table or a key, with its keys from the outermost on."""
    table: tuple[str, ...] = ()
    for number, line in enumerate(text.splitlines(), 1):
        if found := _TABLE.match(line):
            table = _split(found[1])
            yield number, table
        elif found := _KEY.match(line):
            yield number, (*table, *_split(found[1]))


def _split(dotted: str) -> tuple[str, ...]:
    return tuple(name.strip("\"'") for name in _NAME.findall(dotted))
