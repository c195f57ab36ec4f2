"""Users' regular expressions, none of which takes unlimited time on any name.

The number of steps of an expression follows from its shape and the length of a name: each repeat
that may end in several places multiplies it. Expressions with too many steps even for short names
are refused, none is tried on a name too long for it, and one that is slow on many names is stopped.
"""

from __future__ import annotations

import importlib
import re
from collections.abc import Callable
from dataclasses import dataclass
from functools import cached_property, lru_cache
from math import factorial, inf, log2, prod
from time import thread_time
from typing import Any, NoReturn, TypeVar

from benchkit.errors import ConfigError
from benchkit.regexes import compile_sound, regex

#: Limits for the length of an expression, and for the minimum repetitions of a part.
LONGEST = 1_000
#: Maximum number of steps for one name (at most a second), and the seconds for all slow names.
_STEPS, _SECONDS = 3e7, 5
#: Maximum number of places in a pattern that share a name's characters; the combinations explode
#: beyond.
_PLACES = 100
#: Seconds below which a name is not slow.
_QUICK = 1e-3
#: Name lengths that must be possible, and that are enough for anything.
_SHORTEST, _ENOUGH = 40, 1 << 16
_REMEDY = r"let each repeat keep what it took: (?:[a-z]++_)++ in place of (?:[a-z]+_)+"
#: The structure of a parsed expression is undocumented and untyped.
_Node = Any
Result = TypeVar("Result")
_Signs = frozenset[str]
_parser: _Node = importlib.import_module("re._parser")
_compiler: _Node = importlib.import_module("re._compiler")
_PROBES = (*map(chr, range(128)), "é", "Ω", "中", "٣", "\u00a0", "…")
_ANY: _Signs = frozenset(_PROBES)
_EMPTY: _Signs = frozenset()
#: Characters, also escaped ones, outside ASCII, which the probes do not cover.
_BEYOND = regex(r"\\(?:[uUNx0]|\d{3})|[^\x00-\x7f]")

#: Flags that change which characters a part matches, and where a text or a group sets them.
_WIDER = {"i": re.IGNORECASE, "s": re.DOTALL, "a": re.ASCII}
_SETS = regex(r"\(\?([a-zA-Z-]+)")


@dataclass(slots=True)
class Expression:
    """A regular expression that is tried on names up to a length that depends on its shape.

    Parameters
    ----------
    shown, where, remedy : str
        The user's text, the option or key of the settings, and the remedy if it is too slow.
    longest : int
        Maximum length of a name.
    spent : float
        Seconds that slow names have taken so far.
    """

    regex: re.Pattern[str]
    shown: str
    where: str
    remedy: str
    longest: int
    spent: float = 0.0

    def search(self, name: str) -> re.Match[str] | None:
        """Search for the expression anywhere in a name."""
        return self._try(name, self.regex.search)

    def fullmatch(self, name: str) -> re.Match[str] | None:
        """Match the expression against a whole name."""
        return self._try(name, self.regex.fullmatch)

    def replace(self, replacement: str, name: str, count: int) -> str:
        """Return a name with up to ``count`` matches replaced; 0 replaces all."""
        return self._try(name, lambda name: self.regex.sub(replacement, name, count=count))

    def _try(self, name: str, match: Callable[[str], Result]) -> Result:
        if len(name) > self.longest:
            self._refuse(
                f"may never finish on a name of {len(name):,} characters; this pattern allows "
                f"names of up to {self.longest:,}"
            )
        start = thread_time()
        result = match(name)
        self.spent += max(thread_time() - start - _QUICK, 0)
        if self.spent > _SECONDS:
            self._refuse(f"took {_SECONDS} s on names that are slow to match")
        return result

    def _refuse(self, problem: str) -> NoReturn:
        raise ConfigError(f"{self.where} {self.shown!r} {problem}", hint=self.remedy)


@lru_cache(maxsize=256)
def compile_expression(
    text: str, where: str, hint: str, flags: int = 0, *, shown: str = "", remedy: str = _REMEDY
) -> Expression:
    """Compile a regular expression, unless it is invalid, too long, or slow on short names.

    Parameters
    ----------
    text, where, hint : str
        The expression, its place, and how one is written.
    flags : int
        Those of `re.compile`.
    shown, remedy : str
        The user's text, if that is not a regular expression, and how to make it fast.

    Raises
    ------
    ConfigError
    """
    shown = shown or text
    if len(text) > LONGEST:
        msg = f"a pattern of {len(text):,} characters is longer than {LONGEST:,}"
        raise ConfigError(msg, where=where, hint=hint)
    try:
        longest = _Shape(text, flags).longest
        regex = compile_sound(text, flags)
    except (re.error, OverflowError) as error:
        problem = str(error) if isinstance(error, re.error) else "a repeat count is too large"
        raise ConfigError(f"{shown!r}: {problem}", where=where, hint=hint) from error
    except RecursionError:
        msg = "a pattern with too deeply nested groups"
        raise ConfigError(msg, where=where, hint=hint) from None
    if longest < _SHORTEST:
        msg = f"{shown!r} may never finish: its repeats or alternatives multiply"
        raise ConfigError(msg, where=where, hint=remedy)
    return Expression(regex, shown, where, remedy, longest)


class _Shape:
    """A parsed expression, and its number of steps."""

    def __init__(self, text: str, flags: int) -> None:
        self._tree = _parser.parse(text, flags)
        self._is_plain = _BEYOND.search(text) is None
        flags |= self._tree.state.flags
        self._flags = [0]
        inside = "".join(_SETS.findall(text))
        for name, flag in _WIDER.items():
            if name in inside:  # possibly of a group: count the characters with and without it
                self._flags += [each | flag for each in self._flags]
            elif flags & flag:
                self._flags = [each | flag for each in self._flags]
        self._known: dict[str, _Signs] = {}

    @cached_property
    def longest(self) -> int:
        """The length of the longest name that takes no more than `_STEPS`."""
        low, high = 0, _ENOUGH
        while low < high:
            middle = (low + high + 1) // 2
            low, high = (middle, high) if self._takes(middle) <= _STEPS else (low, middle - 1)
        return low

    def _takes(self, length: int) -> float:
        """Return the number of steps for a name; places of one text are in order."""
        steps, twice = self._count(length), self._count(2 * length)
        places = round(log2(twice / steps)) if twice < inf else _PLACES + 1
        return steps / factorial(places) if places <= _PLACES else inf

    def _count(self, length: int) -> float:
        first = str(self._tree[0][1]) if len(self._tree) and str(self._tree[0][0]) == "AT" else ""
        is_anchored = first.startswith("AT_BEGINNING") and not self._tree.state.flags & re.MULTILINE
        starts = 1 if is_anchored else length
        scanned = length if _repeats(self._tree) else 1
        return starts * scanned * self._ways(self._tree, _EMPTY, length)

    def _ways(self, items: _Node, after: _Signs, length: int) -> float:
        """Return the number of ways in which a sequence can match before certain characters."""
        ways: list[float] = []
        for kind, value in reversed(list(items)):
            ways.append(self._ways_of(str(kind), value, after, length))
            after = self._begin_of(kind, value, after)
        return prod(ways)

    def _ways_of(self, kind: str, value: _Node, after: _Signs, length: int) -> float:
        ways = 1.0
        match kind:
            case "MAX_REPEAT" | "MIN_REPEAT" | "POSSESSIVE_REPEAT":
                ways = self._ways_of_repeat(kind, value, after, length)
            case "BRANCH" | "GROUPREF_EXISTS":
                ways = sum(self._ways(each, after, length) for each in _list_branches(kind, value))
            case "SUBPATTERN" | "ATOMIC_GROUP":
                ways = self._ways(value[-1] if kind == "SUBPATTERN" else value, after, length)
            case "ASSERT" | "ASSERT_NOT":
                scanned = length if _repeats(value[-1]) else 1
                ways = self._ways(value[-1], _EMPTY, length) * scanned
        return ways

    def _ways_of_repeat(self, kind: str, value: _Node, after: _Signs, length: int) -> float:
        low, high, body = value
        first = self._begin(body, after)
        inside = self._ways(body, first | after if high > 1 else after, length)
        if low > LONGEST:
            return inf
        if kind == "POSSESSIVE_REPEAT":  # a match is not tried in another way
            return inside
        if inside > 1 and high > 1:
            return inf
        is_open = not first.isdisjoint(after)
        return inside * (min(int(high) - int(low) + 1, length) if is_open else 1)

    def _begin(self, items: _Node, after: _Signs) -> _Signs:
        """Return the characters that may begin a sequence or, if it may be empty, follow it."""
        for kind, value in reversed(list(items)):
            after = self._begin_of(kind, value, after)
        return after

    def _begin_of(self, kind: _Node, value: _Node, after: _Signs) -> _Signs:
        match str(kind):
            case "MAX_REPEAT" | "MIN_REPEAT" | "POSSESSIVE_REPEAT":
                low, _, body = value
                signs = self._begin(body, after) | (_EMPTY if low else after)
            case "BRANCH" | "GROUPREF_EXISTS":
                branches = _list_branches(str(kind), value)
                signs = _EMPTY.union(*(self._begin(each, after) for each in branches))
            case "SUBPATTERN" | "ATOMIC_GROUP":
                signs = self._begin(value[-1] if str(kind) == "SUBPATTERN" else value, after)
            case "AT":
                signs = frozenset("\n") if str(value).startswith("AT_END") else after
            case "ASSERT" | "ASSERT_NOT":
                signs = after
            case "GROUPREF":
                signs = _ANY
            case _:
                signs = self._list_signs(kind, value) if self._is_plain else _ANY
        return signs

    def _list_signs(self, kind: _Node, value: _Node) -> _Signs:
        """Return the characters that one part matches."""
        key = f"{kind} {value}"
        if key not in self._known:
            node = _parser.SubPattern(self._tree.state, [(kind, value)])
            regexes = [_compiler.compile(node, flags) for flags in self._flags]
            self._known[key] = frozenset(
                sign for sign in _PROBES if any(regex.match(sign) for regex in regexes)
            )
        return self._known[key]


def _repeats(tree: _Node) -> bool:
    """Return whether one try may take as many steps as the name is long; a reference may, too."""
    shape = repr(tree)
    return "REPEAT" in shape or "GROUPREF" in shape


def _list_branches(kind: str, value: _Node) -> list[_Node]:
    return [branch or () for branch in (value[1] if kind == "BRANCH" else value[1:])]
