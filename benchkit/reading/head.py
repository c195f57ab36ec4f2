"""The beginning of a source, by which its format is recognised."""

from __future__ import annotations

import re
from collections.abc import Callable, Collection
from dataclasses import dataclass, replace

from benchkit.regexes import regex

_JSON = regex(
    r"\s*(?:\{(?![{%])|\[\s*(?:[\[{\"\]]|-?\d[\d.eE+-]{0,30}\s*[,\]]|true|false|null|\Z))"
)


@dataclass(frozen=True, slots=True)
class Head:
    """The beginning of a source, or a later window of it, to recognise a format by.

    Parameters
    ----------
    name : str
        The file's name, for messages; formats decide by content, never by name.
    data : bytes
        Decompressed.
    text : str
        Decoded and cleaned as `Source.lines` does; empty if the data is binary.
    is_start : bool
        Whether this is the beginning of the source.
    """

    name: str
    data: bytes
    text: str
    is_start: bool = True


def begins_json(text: str) -> bool:
    """Tell whether a text begins as JSON does; a page begins with links and templates, too.

    Examples
    --------
    >>> begins_json('[{"name": "k6"}]'), begins_json("[k6](https://k6.io) at work")
    (True, False)
    """
    return _JSON.match(text) is not None


def begins_table(head: Head, headers: Collection[str], row: re.Pattern[str]) -> bool:
    """Tell whether a source begins with one of the headers and goes on with a row under it."""
    first, _, rest = head.text.lstrip().partition("\n")
    if not head.is_start or first not in headers:
        return False
    second, newline, _ = rest.partition("\n")
    return not newline or row.fullmatch(second) is not None


def begins_object(*signs: str) -> Callable[[Head], bool]:
    """Return what tells whether a source begins with a JSON object that shows all of the signs.

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
    """Return the same of a source that begins with such an object or with a list of objects.

    Examples
    --------
    >>> recognises = begins_objects('"rate":', '"latency":')
    >>> recognises(Head("a.json", b"", '[{"latency": 3, "rate": 9}]'))
    True
    """
    is_object = begins_object(*signs)
    return lambda head: is_object(replace(head, text=head.text.lstrip().removeprefix("[")))


def holds(pattern: re.Pattern[str]) -> Callable[[Head], bool]:
    """Return what tells whether a text has a place that matches a pattern."""
    return lambda head: pattern.search(head.text) is not None
