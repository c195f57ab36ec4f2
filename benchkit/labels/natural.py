"""The order in which people expect names: wrk-2 before wrk-10.

The walk, the numbering and every list of runs must agree on one order that does not depend on the
file system.
"""

from __future__ import annotations

from functools import lru_cache

from benchkit.regexes import regex

_DIGITS = regex(r"([0-9]+)")
#: So many digits any number of 64 bits has; one with more is a name.
DIGITS = 18

#: Text and numbers in turn, and the name itself to tell ``01`` from ``1``.
NameKey = tuple[tuple[str | int, ...], str]


def path_key(path: str) -> tuple[NameKey, ...]:
    """Return the key of a posix path: its components, each in natural order.

    Examples
    --------
    >>> sorted(["none/wrk-10.txt", "none/wrk-2.txt"], key=path_key)
    ['none/wrk-2.txt', 'none/wrk-10.txt']
    """
    return tuple(map(name_key, path.split("/")))


@lru_cache(maxsize=1 << 15)
def name_key(name: str) -> NameKey:
    """Return the key of one name."""
    parts = _DIGITS.split(name)
    return tuple(int(part) if at % 2 else part for at, part in enumerate(parts)), name
