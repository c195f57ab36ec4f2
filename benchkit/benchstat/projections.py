"""Projections: the keys of tables, rows and columns, and their order.

``.config,/size@num`` is a list of keys, each with the order of its values (benchproc/projection.go,
sort.go, parse/projection.go). Keys that a projection names are removed from ``.config`` and
``.fullname`` of all of them; keys outside all projections are the residue.
"""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterable, Sequence
from dataclasses import dataclass
from math import isnan

from benchkit.benchstat.filters import Extractor, Filter, find_extractor, strip_name
from benchkit.benchstat.numbers import parse_float
from benchkit.benchstat.reader import Result
from benchkit.benchstat.tokens import Token, Tokenizer, quote
from benchkit.regexes import regex

#: The values of a projection's fields for one result.
Key = tuple[str, ...]
#: The rank of a value among those of its field; text decides between equal ranks.
Rank = tuple[float, ...]
_ORDERS = {"first", "alpha", "num", "fixed"}
_NUMBER = regex(r"([+-]?[0-9.]+)([kKMGTPEZY]?)(i?)[bB]?")
_PREFIXES = "KMGTPEZY"


@dataclass(frozen=True, slots=True)
class Part:
    """One key of a projection.

    Parameters
    ----------
    key, order : str
        ``order`` is first, alpha, num or fixed.
    fixed : tuple of str
        The values in their fixed order; all others are filtered out.
    """

    key: str
    order: str = "first"
    fixed: tuple[str, ...] = ()

    @property
    def filter(self) -> Filter | None:
        """The filter that a fixed order implies; it uses the whole ``.fullname``."""
        if self.order != "fixed":
            return None
        extract = find_extractor(self.key)
        return lambda result, _: extract(result) in self.fixed


@dataclass(frozen=True, slots=True)
class Field:
    """One key, a function that reads it from a result, and the ranking of its values."""

    name: str
    extract: Extractor
    rank: Callable[[str], Rank]


class Projection:
    """Fields in order: builds the key of a result, and sorts keys."""

    def __init__(self, fields: Iterable[Field]) -> None:
        self.fields = tuple(fields)
        self.names = tuple(field.name for field in self.fields)

    def project(self, result: Result) -> Key:
        """Return the values of the fields."""
        return tuple(field.extract(result) for field in self.fields)

    def rank(self, key: Key) -> tuple[tuple[Rank, str], ...]:
        """Return the sort key of keys."""
        return tuple(
            (field.rank(value), value) for field, value in zip(self.fields, key, strict=True)
        )


def parse_projection(query: str) -> list[Part]:
    """Parse an expression; ExpressionError names the problem.

    Examples
    --------
    >>> [(part.key, part.order, part.fixed) for part in parse_projection("goos /size@(1 2)")]
    [('goos', 'first', ()), ('/size', 'fixed', ('1', '2'))]
    """
    tokens = Tokenizer(query)
    read: list[tuple[Token, int, Part]] = []
    while (token := tokens.peek()).kind:
        if token.kind == "," and read:
            tokens.take()
        read.append(_parse_part(tokens))
    for key, order_at, part in read:
        _check(tokens, key, order_at, part)
    return [part for *_, part in read]


def make_projections(
    groups: Sequence[Sequence[Part]], results: Sequence[Result]
) -> tuple[list[Projection], Projection]:
    """Return a projection for each group of parts, and that of the residue.

    Parameters
    ----------
    groups : sequence of sequence of Part
        For tables, rows, columns and ignored keys.
    results : sequence of Result
        All that pass the filter: the rank of a value is that of its first observation.
    """
    keys = {part.key for group in groups for part in group}
    rest = [Part(key) for key in (".config", ".fullname") if key not in keys]
    made = [
        Projection(field for part in group for field in _make_fields(part, keys, results))
        for group in (*groups, rest)
    ]
    return made[:-1], made[-1]


def rank_observed(values: Iterable[str]) -> Callable[[str], Rank]:
    """Return the ranks of values in the order of first observation."""
    places = {value: (at,) for at, value in enumerate(dict.fromkeys(values))}
    return places.__getitem__


def rank_number(text: str) -> Rank:
    """Rank numbers (including ``2k`` and ``1Ki``) before NaN, and NaN before other texts.

    Examples
    --------
    >>> sorted(["b", "1Ki", "1k", "512", "a"], key=rank_number)
    ['512', '1k', '1Ki', 'b', 'a']
    """
    try:
        value = _parse_number(text)
    except ValueError:
        return (1, 0, 0)
    return (0, 1, 0) if isnan(value) else (0, 0, value)


def _parse_number(text: str) -> float:
    try:
        return parse_float(text)
    except ValueError:
        suffixed = _NUMBER.fullmatch(text)
        if suffixed is None or (suffixed[3] and not suffixed[2]):
            raise
    base = 1024.0 if suffixed[3] else 1000.0
    power = _PREFIXES.index(suffixed[2].upper()) + 1 if suffixed[2] else 0
    return parse_float(suffixed[1]) * base**power


def _parse_part(tokens: Tokenizer) -> tuple[Token, int, Part]:
    """Parse one key with its order; return it with its token and the position of its order."""
    key = tokens.peek()
    if key.kind != "word":
        raise tokens.refuse("expected key")
    tokens.take()
    if tokens.peek().kind != "@":
        return key, key.at + len(key.text), Part(key.text)
    tokens.take()
    order = tokens.peek()
    if order.kind == "word":
        tokens.take()
        return key, order.at, Part(key.text, order.text)
    if order.kind != "(":
        raise tokens.refuse("expected named sort order or parenthesized list")
    tokens.take()
    fixed = []
    while tokens.peek().kind == "word":
        fixed.append(tokens.take().text)
    if tokens.peek().kind != ")":
        raise tokens.refuse("missing )")
    if not fixed:
        raise tokens.refuse("nothing to match")
    tokens.take()
    return key, order.at, Part(key.text, "fixed", tuple(fixed))


def _check(tokens: Tokenizer, key: Token, order_at: int, part: Part) -> None:
    """Refuse keys that benchproc does not project."""
    if part.order not in _ORDERS:
        raise tokens.refuse(f"unknown order {quote(part.order)}", order_at)
    if part.key == ".config" and part.order == "fixed":
        raise tokens.refuse("fixed order not allowed for .config", order_at)
    if part.key == ".unit":
        raise tokens.refuse(".unit is only allowed in filters", key.at)
    if not part.key:
        raise tokens.refuse("key must not be empty", key.at)


def _make_fields(part: Part, keys: Collection[str], results: Sequence[Result]) -> Iterable[Field]:
    if part.key == ".config":
        # benchproc keeps no order of observation for configuration keys: text decides.
        rank = rank_number if part.order == "num" else _rank_alike
        names = dict.fromkeys(key for result in results for key, _ in result.config)
        return [Field(key, find_extractor(key), rank) for key in names if key not in keys]
    extract = _strip_names(keys) if part.key == ".fullname" else find_extractor(part.key)
    return [Field(part.key, extract, _find_rank(part, map(extract, results)))]


def _strip_names(keys: Collection[str]) -> Extractor:
    """Return a function that reads ``.fullname`` without the parts that other keys read."""
    return lambda result: strip_name(result.name, keys)


def _find_rank(part: Part, values: Iterable[str]) -> Callable[[str], Rank]:
    if part.order == "fixed":
        places = {value: (at,) for at, value in enumerate(part.fixed)}
        return lambda value: places.get(value, (0,))
    if part.order == "first":
        return rank_observed(values)
    return rank_number if part.order == "num" else _rank_alike


def _rank_alike(_: str) -> Rank:
    return ()
