"""The names of Go benchmarks, and which ``-N`` at their end is GOMAXPROCS.

Go test appends ``-N`` unless N is 1, but ``/size-16`` ends in the same way; only the whole output
can distinguish the two.
"""

from __future__ import annotations

from collections.abc import Iterable

from benchkit.regexes import regex

_SUFFIX = regex(r"(.+)-([1-9][0-9]*)")


class Names:
    """The names of one output, which are split in the same way wherever they occur in it.

    A function's name has no ``-``, so the suffix of a name without ``/`` is always GOMAXPROCS. The
    suffix of a sub-benchmark is GOMAXPROCS if all names of the output share it, or if a function
    has it and no name is without one. After ``go test -cpu 1,N`` it is GOMAXPROCS on names that
    also occur without it. In all other cases it is part of the name.

    Parameters
    ----------
    names : iterable of str
        As in the output, without ``Benchmark``.

    Examples
    --------
    >>> Names(["Redis/Get-2", "Redis/Set-2"]).split("Redis/Get-2")
    ('Redis/Get', {'gomaxprocs': '2'})
    >>> Names(["Sort/n-10", "Sort/n-100"]).split("Sort/n-10")
    ('Sort/n-10', {})
    >>> Names(["Sort", "Sort-2"]).split("Sort")
    ('Sort', {'gomaxprocs': '1'})
    """

    def __init__(self, names: Iterable[str]) -> None:
        self._names = frozenset(names)
        split = {name: _cut(name) for name in self._names}
        self._bare = {name for name, (_, level) in split.items() if not level}
        self._levels = self._find_levels(split)
        self._cache: dict[str, tuple[str, str]] = {}

    def split(self, name: str) -> tuple[str, dict[str, str]]:
        """Return a name without its GOMAXPROCS, and a param for the latter."""
        parts = self._cache.get(name)
        if parts is None:
            parts = self._cache[name] = self._split(name)
        benchmark, level = parts
        return benchmark, {"gomaxprocs": level} if level else {}

    def _find_levels(self, split: dict[str, tuple[str, str]]) -> set[str]:
        levels = {level for _, level in split.values() if level}
        if self._bare:
            return {level for level in levels if self._is_repeated_at(level)}
        functions = {level for base, level in split.values() if "/" not in base}
        return levels if len(levels) == 1 else functions

    def _is_repeated_at(self, level: str) -> bool:
        """Return whether most names without a suffix also occur with this one."""
        twins = sum(f"{name}-{level}" in self._names for name in self._bare)
        return 2 * twins >= len(self._bare)

    def _split(self, name: str) -> tuple[str, str]:
        base, level = _cut(name)
        if level and "/" not in base:
            return base, level
        if level in self._levels and (not self._bare or base in self._names):
            return base, level
        return name, "1" if self._bare and self._levels else ""


def _cut(name: str) -> tuple[str, str]:
    match = _SUFFIX.fullmatch(name)
    return (match[1], match[2]) if match and match[2] != "1" else (name, "")
