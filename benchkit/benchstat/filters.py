"""Filters: the measurements of the results to use (benchproc/filter.go, parse/filter.go).

::

    /format:json goos:linux .unit:(ns/op OR B/op) -.name:/Slow$/

Values of keys: parts of a benchmark's name, its file, its configuration (benchproc/extract.go).

::

    Encode/format=json-48    .name Encode, /format json, /gomaxprocs 48
"""

from __future__ import annotations

from collections.abc import Callable, Collection
from dataclasses import replace
from functools import lru_cache

from benchkit.benchstat.reader import Measurement, Result
from benchkit.benchstat.tokens import Token, Tokenizer, matches, quote
from benchkit.regexes import regex

#: Returns whether one measurement of a result is used.
Filter = Callable[[Result, Measurement], bool]

#: Returns the value of one key, empty if the result lacks it.
Extractor = Callable[[Result], str]
_GOMAXPROCS = "/gomaxprocs"
_SUFFIX = regex(r"-[0-9]+\Z")


def parse_filter(query: str) -> Filter:
    """Return the filter that an expression describes; ExpressionError if it is invalid.

    Examples
    --------
    >>> result = Result("a.txt", (), "Encode/format=json", (Measurement(1.0, "B/op"),))
    >>> [
    ...     parse_filter(query)(result, result.values[0])
    ...     for query in ("*", "/format:json -.unit:ns/op", ".name:(/^D/ OR Copy)")
    ... ]
    [True, True, False]
    """
    tokens = Tokenizer(query)
    parsed = _parse_either(tokens)
    tokens.finish()
    return parsed


def apply_filter(chosen: Filter, result: Result) -> Result | None:
    """Return a result with the used measurements, or None if there are none."""
    kept = tuple(value for value in result.values if chosen(result, value))
    if len(kept) == len(result.values):
        return result
    return replace(result, values=kept) if kept else None


def match_all(filters: list[Filter]) -> Filter:
    """Return the conjunction of ``filters``."""
    return lambda result, value: all(each(result, value) for each in filters)


def _match_any(filters: list[Filter]) -> Filter:
    return lambda result, value: any(each(result, value) for each in filters)


def _parse_either(tokens: Tokenizer) -> Filter:
    terms = [_parse_every(tokens)]
    while tokens.peek().kind == "OR":
        tokens.take()
        terms.append(_parse_every(tokens))
    return _match_any(terms) if len(terms) > 1 else terms[0]


def _parse_every(tokens: Tokenizer) -> Filter:
    terms = [_parse_term(tokens)]
    while (token := tokens.peek()).kind not in {")", "OR", ""}:
        if token.kind == "AND":
            tokens.take()
        elif token.kind in {"(", "-", "*", "word"}:
            terms.append(_parse_term(tokens))
        else:
            raise tokens.refuse(f"unexpected {quote(token.text)}")
    return match_all(terms) if len(terms) > 1 else terms[0]


def _parse_term(tokens: Tokenizer) -> Filter:
    token = tokens.peek()
    if token.kind not in {"(", "-", "*", "word"}:
        raise tokens.refuse("expected key:value or subexpression")
    tokens.take()
    if token.kind == "(":
        inner = _parse_either(tokens)
        if tokens.peek().kind != ")":
            raise tokens.refuse('missing ")"')
        tokens.take()
        return inner
    if token.kind == "-":
        negated = _parse_term(tokens)
        return lambda result, value: not negated(result, value)
    if token.kind == "*":
        return match_all([])
    return _parse_values(tokens, token)


def _parse_values(tokens: Tokenizer, key: Token) -> Filter:
    """Read ``:value`` or ``:(value OR value)`` after a key."""
    if tokens.take().kind != ":":
        raise tokens.refuse("expected key:value", key.at)
    value = tokens.take(value=True)
    if value.kind in {"word", "regexp"}:
        return _match_value(tokens, key, value)
    if value.kind != "(":
        raise tokens.refuse("expected key:value", key.at)
    terms = []
    while True:
        if tokens.peek(value=True).kind not in {"word", "regexp"}:
            raise tokens.refuse("expected value")
        terms.append(_match_value(tokens, key, tokens.take(value=True)))
        separator = tokens.peek(value=True)
        if separator.kind not in {")", "OR"}:
            raise tokens.refuse("value list must be separated by OR", separator.at)
        tokens.take()
        if separator.kind == ")":
            return _match_any(terms)


def _match_value(tokens: Tokenizer, key: Token, value: Token) -> Filter:
    expected = value.text

    def holds(text: str) -> bool:
        return matches(expected, text) if value.kind == "regexp" else text == expected

    if key.text == ".unit":
        return lambda _, measured: (
            holds(measured.unit) or (bool(measured.printed_unit) and holds(measured.printed_unit))
        )
    if key.text == ".config":
        tokens.postpone(".config is only allowed in projections", key.at)
    elif not key.text:
        tokens.postpone("key must not be empty", key.at)
    extract = find_extractor(key.text)
    return lambda result, _: holds(extract(result))


def find_extractor(key: str) -> Extractor:
    """Return a function that reads a key.

    Examples
    --------
    >>> result = Result("a.txt", (("goos", "linux"),), "Encode/format=json-48", ())
    >>> [find_extractor(key)(result) for key in (".name", "/format", "/gomaxprocs", "goos", "pkg")]
    ['Encode', 'json', '48', 'linux', '']
    """
    if key == ".name":
        return lambda result: split_name(result.name)[0]
    if key == ".fullname":
        return lambda result: result.name
    if key == ".file":
        return lambda result: result.label
    if key.startswith("/"):
        return lambda result: _find_part(result.name, key)
    return lambda result: next((value for name, value in result.config if name == key), "")


@lru_cache(maxsize=65536)
def split_name(name: str) -> tuple[str, tuple[str, ...]]:
    """Return the base and the parts of a name: ``/key=value``, ``/text``, and finally ``-8``.

    Examples
    --------
    >>> split_name("Encode/format=json/fast-48"), split_name("A-")
    (('Encode', ('/format=json', '/fast', '-48')), ('A-', ()))
    """
    suffix = _SUFFIX.search(name)
    end = suffix.start() if suffix else len(name)
    base, *parts = name[:end].split("/")
    return base, (*(f"/{part}" for part in parts), *([name[end:]] if suffix else []))


def strip_name(name: str, keys: Collection[str]) -> str:
    """Return a name without the parts that ``keys`` name; ``.name`` makes its base ``*``.

    Examples
    --------
    >>> strip_name("Encode/format=json-48", {"/format", "/gomaxprocs"})
    'Encode'
    """
    base, parts = split_name(name)
    prefixes = tuple(f"{key}=" for key in keys if key.startswith("/"))
    kept = [
        part
        for part in parts
        if not part.startswith(prefixes) and not (part[0] == "-" and _GOMAXPROCS in keys)
    ]
    return ("*" if ".name" in keys else base) + "".join(kept)


def _find_part(name: str, key: str) -> str:
    _, parts = split_name(name)
    if key == _GOMAXPROCS and parts and parts[-1][0] == "-":
        return parts[-1][1:]
    prefix = f"{key}="
    return next((part.removeprefix(prefix) for part in parts if part.startswith(prefix)), "")
