"""Characters that pages write as HTML entities."""

from __future__ import annotations

from collections.abc import Iterator
from html import unescape

from benchkit.regexes import regex

#: A character as an HTML entity; ``&copy=1`` in a URL is not one.
_NAMES = r"&(?:#\d{1,7}|#[xX][\da-fA-F]{1,6}|[a-zA-Z][a-zA-Z\d]{1,31});"
_ENTITY, _CODED = regex(_NAMES), regex(_NAMES.encode())


def holds_entities(data: bytes) -> bool:
    """Return whether a page has preformatted text and entities."""
    return b"&" in data and b"<pre" in data.lower() and _CODED.search(data) is not None


def decode_entities(text: str) -> str:
    """Return a text of a page with its entities replaced by characters.

    Examples
    --------
    >>> decode_entities("nginx &amp; &lt;b&gt; /a?b&copy=1")
    'nginx & <b> /a?b&copy=1'
    >>> decode_entities("&#10;Document Path:  /")  # a line break, on a line of its own already
    'Document Path:  /'
    """
    return _ENTITY.sub(lambda entity: unescape(entity[0]).strip("\r\n"), text)


def decode_preformatted(lines: Iterator[tuple[str, bool]]) -> Iterator[tuple[str, bool]]:
    """Yield lines, and whether they have an end, with entities replaced in preformatted ones."""
    is_within = False
    for line, is_ended in lines:
        tags = line.lower() if "<" in line else ""
        is_within |= "<pre" in tags
        yield decode_entities(line) if is_within else line, is_ended
        is_within &= "</pre" not in tags
