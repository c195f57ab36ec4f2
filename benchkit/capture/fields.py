"""The words of a plan's commands, with fields for the name and the numbers of a variant."""

from __future__ import annotations

import re
import shlex
from collections.abc import Collection, Mapping
from dataclasses import dataclass, field
from difflib import get_close_matches
from itertools import accumulate

from benchkit.errors import ConfigError
from benchkit.regexes import regex

#: The field for the variant's name.
NAME, _FIELD = "variant", "{variant}"
#: Characters that make a text a shell script instead of a command with arguments.
_SHELL = regex(r"[|&;<>()$`\\*?\[\]#~\n]")
#: A word in braces that only a plan fills in.
_BRACED = regex(r"(?<![\w$%{])\{([\w -]{1,40})\}(?!\})")
#: The beginning of a script up to which all quotes are closed, and what quotes do not protect.
_CLOSED = regex(r"(?:[^'\"\\]|\\.|'[^']*+'|\"(?:[^\"\\]|\\.)*+\")*+", re.DOTALL)
_ENCLOSING = regex(r"`|<<")
#: Names that are harmless inside quotes.
_HARMLESS = regex(r"[\w@%+=:,./ -]+")


@dataclass(frozen=True, slots=True)
class Fields:
    """The values for a variant's fields: its name and its numbers.

    Parameters
    ----------
    known : collection of str
        The numbers that any variant of the plan has.
    """

    variant: str
    numbers: Mapping[str, float] = field(default_factory=dict)
    known: Collection[str] = ()


def read_words(value: object, fields: Fields, where: str) -> tuple[str, ...]:
    """Return the words of a command; a text with shell characters is a script."""
    if isinstance(value, list) and value and all(isinstance(word, str) for word in value):
        return tuple(fill(word, fields, where) for word in value)
    if not isinstance(value, str) or not value.strip():
        raise ConfigError("not a command", where=where, hint='write "wrk …" or ["wrk", "…"]')
    if _SHELL.search(value):
        script = _fill_numbers(value, fields, where)
        return ("sh", "-c", _fill_script(script, fields.variant, where))
    try:
        return tuple(fill(word, fields, where) for word in shlex.split(value))
    except ValueError as error:
        raise ConfigError(f"not a command: {error}", where=where) from error


def fill(text: str, fields: Fields, where: str) -> str:
    """Fill in a variant's name and numbers.

    Examples
    --------
    >>> fill("a {variant} ${variants} -n {spans}", Fields("v1", {"spans": 4}), "")
    'a v1 ${variants} -n 4'
    """
    return _fill_numbers(text, fields, where).replace(_FIELD, fields.variant)


def _fill_numbers(text: str, fields: Fields, where: str) -> str:
    """Fill in numbers; refuse a field that is misspelt or has no number."""
    for name in {*_BRACED.findall(text)} - {NAME, *fields.numbers}:
        if name in fields.known:
            hint = f"add {name} = NUMBER to the variant"
            raise ConfigError(f"no number for {{{name}}}", where=where, hint=hint)
        word = name.strip().lower()
        near = get_close_matches(word, [NAME], cutoff=0.75)
        if near := near or get_close_matches(word, fields.known, cutoff=0.85):
            hint = f"did you mean {{{near[0]}}}?"
            raise ConfigError(f"unknown placeholder {{{name}}}", where=where, hint=hint)
    return _BRACED.sub(lambda match: f"{fields.numbers.get(match[1], match[0])}", text)


def _fill_script(script: str, variant: str, where: str) -> str:
    """Fill a variant's name into a shell script as one quoted word.

    Examples
    --------
    >>> _fill_script("a {variant} | b '{variant}'", "v1", "")
    "a v1 | b 'v1'"
    >>> _fill_script("a {variant} | b", "x; y", "")
    "a 'x; y' | b"
    """
    parts = script.split(_FIELD)
    filled = parts[0]
    for before, after in zip(accumulate(parts), parts[1:], strict=False):
        is_bare = not _ENCLOSING.search(script) and _CLOSED.fullmatch(before) is not None
        if not is_bare and not _HARMLESS.fullmatch(variant):
            raise ConfigError(
                f"the name {variant!r} cannot be inside quotes",
                where=where,
                hint=f"write {_FIELD} without quotes; benchkit adds them",
            )
        filled += (shlex.quote(variant) if is_bare else variant) + after
    return filled
