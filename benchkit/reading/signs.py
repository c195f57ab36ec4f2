"""Words that indicate a format, searched before the module that reads it is imported.

A sign is only a necessary condition; the format itself decides.

Also the beginning of a source, by which its format is recognised.
"""

from __future__ import annotations

import re
from collections.abc import Callable
from dataclasses import dataclass, replace
from functools import cache, lru_cache
from importlib import import_module

from benchkit.regexes import regex

_RARE = '_"[=#\t±<(VHPCAS:qvu.'
_JSON = regex(
    r"\s*(?:\{(?![{%])|\[\s*(?:[\[{\"\]]|-?\d[\d.eE+-]{0,30}\s*[,\]]|true|false|null|\Z))"
)


def _rare_character(word: str) -> str:
    """Return the character of a word that occurs in the fewest texts, to search for first."""
    return next((character for character in _RARE if character in word), "")


@cache
def _index(
    among: frozenset[str] | None,
) -> tuple[frozenset[str], dict[str, list[tuple[str, str]]], list[tuple[str, str]]]:
    """Return the formats without signs, and words and first characters of the others."""
    # Imported late, since formats read sources, and sources ask here which lines begin a report.
    formats = import_module("benchkit.parsers.registry").load_all()[1]
    if among is not None:
        formats = [each for each in formats if each.name in among]
    words: dict[str, list[tuple[str, str]]] = {}
    for each in formats:
        for word in each.words:
            words.setdefault(_rare_character(word), []).append((word, each.name))
    starts = [(first, each.name) for each in formats for first in each.starts]
    plain = (each.name for each in formats if not each.words and not each.starts)
    return frozenset(plain), words, starts


@cache
def list_anchors(names: frozenset[str]) -> tuple[tuple[str, str, re.Pattern[str]], ...]:
    """Return the words by which lines of formats are recognised, and what follows them, by name."""
    formats = import_module("benchkit.parsers.registry").formats()
    anchors = sorted((each.name, each.anchors) for each in formats if each.name in names)
    return tuple((name, word, regex(rest)) for name, of in anchors for word, rest in of)


@cache
def _list_words_of_blocks() -> tuple[str, ...]:
    formats = import_module("benchkit.parsers.registry").formats()
    return tuple(word for each in formats if each.embeds for word in each.words)


def may_hold_blocks(text: str) -> bool:
    """Return quickly whether a text may contain results among other text.

    Examples
    --------
    >>> may_hold_blocks("put time:   [1.0 ms 1.1 ms 1.2 ms]"), may_hold_blocks("id;size")
    (True, False)
    """
    return any(word in text for word in _list_words_of_blocks())


def find_signs(head: Head, among: frozenset[str] | None = None) -> frozenset[str] | None:
    """Return the names of the formats whose signs are in a head; None if there is no text.

    Parameters
    ----------
    among : frozenset of str, optional
        The formats that matter; all by default.

    Examples
    --------
    >>> sorted(find_signs(Head("x", b"", "BenchmarkPing 1 5 ns/op")))
    ['gobench']
    """
    return signs_in(head.text, among) if head.text else None


@lru_cache(maxsize=1)  # called twice per head: before prefixes are removed, and after
def signs_in(text: str, among: frozenset[str] | None) -> frozenset[str]:
    """Return the names of the formats whose signs are in a text, and of those without signs."""
    plain, by_character, starts = _index(among)
    first = first_visible(text)
    named = {name for start, name in starts if start == first}
    for character, words in by_character.items():
        if character in text:
            for word, name in words:
                if word in text:
                    named.add(name)
    return plain | named


def first_visible(text: str) -> str:
    """Return the first character that is not blank; a line feed if there is none.

    Examples
    --------
    >>> first_visible(" {}")
    '{'
    """
    return text.lstrip("\ufeff \t\r\n")[:1] or "\n"


@dataclass(frozen=True, slots=True)
class Head:
    """The beginning of a source, or a later window of it, for recognising a format.

    Parameters
    ----------
    name : str
        The file's name, for messages; formats decide by content, never by name.
    data : bytes
        The decompressed bytes.
    text : str
        Decoded and cleaned as in `Source.lines`; empty if the data is binary.
    is_start : bool
        Whether this is the beginning of the source.
    """

    name: str
    data: bytes
    text: str
    is_start: bool = True


def begins_json(text: str) -> bool:
    """Return whether a text begins as JSON; a page also begins with links and templates.

    Examples
    --------
    >>> begins_json('[{"name": "k6"}]'), begins_json("[k6](https://k6.io) at work")
    (True, False)
    """
    return _JSON.match(text) is not None


def begins_object(*signs: str) -> Callable[[Head], bool]:
    """Return a function testing whether a source begins with a JSON object with all of the signs.

    Examples
    --------
    >>> recognises = begins_object('"rate":', '"latency":')
    >>> recognises(Head("a.json", b"", '{"latency": 3, "rate": 9}'))
    True
    """

    def recognises(head: Head) -> bool:
        is_object = head.is_start and head.text.lstrip().startswith("{")
        return is_object and all(sign in head.text for sign in signs)

    return recognises


def begins_objects(*signs: str) -> Callable[[Head], bool]:
    """Return the same for a source that begins with one or with a list of objects.

    Examples
    --------
    >>> recognises = begins_objects('"rate":', '"latency":')
    >>> recognises(Head("a.json", b"", '[{"latency": 3, "rate": 9}]'))
    True
    """
    is_object = begins_object(*signs)
    return lambda head: is_object(replace(head, text=head.text.lstrip().removeprefix("[")))


def holds(pattern: re.Pattern[str]) -> Callable[[Head], bool]:
    """Return a function testing whether a text has a place that matches a pattern."""
    return lambda head: pattern.search(head.text) is not None
