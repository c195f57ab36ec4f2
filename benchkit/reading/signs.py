"""By which words a format may be there: asked before the module that reads it is imported.

A sign is a necessary condition only; the format itself decides.
"""

from __future__ import annotations

import re
from functools import cache, lru_cache
from importlib import import_module

from benchkit.reading.head import Head
from benchkit.regexes import regex

_RARE = '_"[=#\t±<(VHPCAS:qvu.'


def _rare_character(word: str) -> str:
    """Return the character of a word that few texts have, to look for first."""
    return next((character for character in _RARE if character in word), "")


@cache
def _index(
    among: frozenset[str] | None,
) -> tuple[frozenset[str], dict[str, list[tuple[str, str]]], list[tuple[str, str]]]:
    """Return the formats without signs, and words and first characters of the others."""
    # Late, as formats read sources, and sources ask here which lines begin a report.
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
    """Return the words by which lines of formats are known, and what follows them, by name."""
    formats = import_module("benchkit.parsers.registry").formats()
    anchors = sorted((each.name, each.anchors) for each in formats if each.name in names)
    return tuple((name, word, regex(rest)) for name, of in anchors for word, rest in of)


def find_signs(head: Head, among: frozenset[str] | None = None) -> frozenset[str] | None:
    """Return the names of the formats whose signs are in a head; None where there is no text.

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


@lru_cache(maxsize=1)  # asked twice of each head: before prefixes are taken away, and after
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
    """Return the first character that is no blank; a line feed where there is none.

    Examples
    --------
    >>> first_visible(" {}")
    '{'
    """
    return text.lstrip("\ufeff \t\r\n")[:1] or "\n"
