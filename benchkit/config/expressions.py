"""Regular expressions that users write, none of which takes time without end on any name."""

from __future__ import annotations

import importlib
import re
from math import inf, prod
from typing import Any

from benchkit.errors import ConfigError

#: Characters of an expression.
LONGEST = 1_000
#: Ways in which an expression may try to match: five repeats of any length, or 16 optional parts.
_WAYS = 100_000
#: Ways that a repeat of any length counts for.
_REPEAT = 10
#: The shape of a parsed expression is documented nowhere and has no types.
_Node = Any
_parser: _Node = importlib.import_module("re._parser")


def compile_expression(text: str, where: str, hint: str, flags: int = 0) -> re.Pattern[str]:
    """Compile a regular expression, unless it is wrong, too long or slow on some name.

    Raises
    ------
    ConfigError
    """
    if len(text) > LONGEST:
        msg = f"a pattern of {len(text):,} characters is longer than {LONGEST:,}"
        raise ConfigError(msg, where=where, hint=hint)
    try:
        ways = _count_ways(_parser.parse(text, flags))
        expression = re.compile(text, flags)
    except (re.error, OverflowError) as error:
        raise ConfigError(f"{text!r}: {error}", where=where, hint=hint) from error
    except RecursionError:
        msg = "a pattern whose groups are nested too deep"
        raise ConfigError(msg, where=where, hint=hint) from None
    if ways > _WAYS:
        msg = f"{text!r} may take time without end: its repeats or alternatives multiply"
        remedy = r"let each repeat keep what it took: (?:[a-z]++_)++ in place of (?:[a-z]+_)+"
        raise ConfigError(msg, where=where, hint=remedy)
    return expression


def _count_ways(items: _Node) -> float:
    """Return in how many ways a sequence may match, infinite where they grow with the text."""
    return prod(_count(str(kind), value) for kind, value in items)


def _count(kind: str, value: _Node) -> float:
    match kind:
        case "MAX_REPEAT" | "MIN_REPEAT":
            low, high, body = value
            inside = _count_ways(body)
            times = min(int(high) - int(low) + 1, _REPEAT)
            ways = inf if inside > 1 and high > 1 else inside * times
        case "BRANCH" | "GROUPREF_EXISTS":
            branches = value[1] if kind == "BRANCH" else value[1:]
            ways = sum(_count_ways(branch or ()) for branch in branches)
        case "SUBPATTERN":
            ways = _count_ways(value[-1])
        case "ASSERT" | "ASSERT_NOT" | "ATOMIC_GROUP" | "POSSESSIVE_REPEAT":
            inside = _count_ways(value if kind == "ATOMIC_GROUP" else value[-1])
            ways = 1 if inside <= _WAYS else inf  # what has matched is not tried in another way
        case _:
            ways = 1
    return ways
