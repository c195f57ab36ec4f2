"""The names of Go benchmarks: which ``-N`` at their end is GOMAXPROCS, and which is not.

Go test appends ``-N`` unless N is 1, but ``/size-16`` ends that way too; only the whole output can
tell them apart.
"""

from __future__ import annotations

from collections.abc import Iterable

from benchkit.regexes import regex

_SUFFIX = regex(r"(.+)-([1-9][0-9]*)")


class Names:
    """The names of one output, split alike wherever they occur in it.

    A function's name holds no ``-``, so a suffix of a name without ``/`` is always GOMAXPROCS.
    That of a sub-benchmark is, where all names of the output share it, or where a function has it
    and no name goes without; and where ``go test -cpu 1,N`` ran, it is on those names that stand
    there without it, too. Everything else is part of the name.

    Parameters
    ----------
    names : iterable of str
        As in the output, ``Benchmark`` dropped.

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
        """Return a name without its GOMAXPROCS, and the params that tell it."""
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
        """Tell whether most names without a suffix are there with this one, too."""
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
