"""HTML pages whose file joins lines that a browser shows one below the other."""

from __future__ import annotations

from collections.abc import Iterator

from benchkit.regexes import regex

__all__ = ["begins_page", "joins_lines", "split_lines"]

#: The beginnings of HTML pages, in lower case.
_BEGINNINGS = ("<!doctype html", "<html")
#: Elements on lines of their own: with their content, or with content on other lines.
_WHOLE = b"h[1-6]|pre|summary|title"
_PARTED = (
    b"article|aside|blockquote|body|dd|details|div|dl|dt|figcaption|figure|footer|head|header|hr|"
    b"html|li|main|nav|ol|p|script|section|style|table|tbody|td|th|thead|tr|ul"
)
_BEFORE = regex(rb"(?i)(?=<(?:(?:%b)|/?(?:%b))[\s>])" % (_WHOLE, _PARTED))
_AFTER = regex(rb"(?i)(<br ?/?>|</(?:%b)\s{0,9}>|</?(?:%b)(?:\s[^<>]*)?>)" % (_WHOLE, _PARTED))
_LISTING = regex(r"(?i)</?pre\b[^<>]*>")
_BR = regex(r"(?i)<br ?/?>")
_TAG = regex(r"<[^<>]*>")
#: Minimum number of lines that breaks join: fewer are no report.
_JOINED = 6


def begins_page(text: str) -> bool:
    """Return whether a text begins as an HTML page.

    Examples
    --------
    >>> begins_page("<!DOCTYPE html>"), begins_page("<jtl>")
    (True, False)
    """
    return text.lstrip()[:15].lower().startswith(_BEGINNINGS)


def joins_lines(text: str) -> bool:
    r"""Return whether a line of a page contains lines of a listing, and others besides.

    Examples
    --------
    >>> joins_lines("<h2>gin</h2><pre>BenchmarkA-8  100  9 ns/op\n</pre>")
    True
    >>> joins_lines("<h2>gin</h2>\n<pre>BenchmarkA-8  100  9 ns/op\n</pre>")
    False
    """
    lines = [line for line in text.split("\n") if "<" in line]
    return any(
        _count(_LISTING.split(line)) > 1 or _count(_BR.split(line)) >= _JOINED for line in lines
    )


def _count(parts: list[str]) -> int:
    """Return the number of parts with visible text."""
    return sum(bool(_TAG.sub("", part).strip()) for part in parts) if len(parts) > 1 else 0


def split_lines(blocks: Iterator[bytes]) -> Iterator[bytes]:
    r"""Yield a page with a line for each one that a browser shows.

    Examples
    --------
    >>> list(split_lines(iter([b"<h2>gin</h2><pre>one\ntwo</pre><p>"])))
    [b'<h2>gin</h2>\n<pre>one\n', b'two</pre>\n<p>']
    """
    rest = b""
    for block in blocks:
        *lines, rest = (rest + block).split(b"\n")
        for line in lines:
            yield _split(line) + b"\n"
    yield _split(rest)


def _split(line: bytes) -> bytes:
    if b"<" not in line:
        return line
    parts = _BEFORE.sub(b"\n", _AFTER.sub(rb"\1\n", line)).split(b"\n")
    return b"\n".join(part for part in parts if part.strip())
