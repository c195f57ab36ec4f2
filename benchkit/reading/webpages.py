"""HTML pages whose file joins lines that a browser shows one below the other."""

from __future__ import annotations

from collections.abc import Iterator

from benchkit.regexes import regex

__all__ = ["begins_page", "begins_part", "joins_lines", "split_lines"]

#: Elements on lines of their own: with their content, or with content on other lines.
_WHOLE = b"h[1-6]|pre|summary|title"
_PARTED = (
    b"article|aside|blockquote|body|dd|details|div|dl|dt|figcaption|figure|footer|head|header|hr|"
    b"html|li|main|nav|ol|p|script|section|style|ul"
)
#: Parts of tables, which may be the results themselves.
_CELLS = b"table|tbody|td|th|thead|tr"
#: The beginning of an HTML page, and of a part of one; other documents are XML.
_PAGE = regex(r"(?i)\s*+(?:<\?xml[^<>]*>\s*+)?<(?:!doctype html|html)\b")
_PART = regex(
    rb"(?i)(?:\xef\xbb\xbf)?\s*+<(?:!--|(?:%b|%b|%b|a|b|br|center|code|em|i|img|samp|span|strong|tt)[\s/>])"
    % (_WHOLE, _PARTED, _CELLS)
)
_BEFORE = regex(rb"(?i)(?=<(?:(?:%b)|/?(?:%b|%b))[\s>])" % (_WHOLE, _PARTED, _CELLS))
_AFTER = regex(
    rb"(?i)(<br ?/?>|</(?:%b)\s{0,9}>|</?(?:%b|%b)(?:\s[^<>]*)?>)" % (_WHOLE, _PARTED, _CELLS)
)
#: The edge of a line in a browser.
_EDGE = regex(rb"(?i)<br ?/?>|</?(?:%b|%b)(?:\s[^<>]*)?>" % (_WHOLE, _PARTED))
#: A tag, or a colour of a terminal.
_TAG = regex(rb"<[^<>]*>|\x1b\[[0-9;]*m")
_DIGIT = regex(rb"\d")
#: A tag that ends on a later line, within the value of an attribute.
_OPEN = regex(rb'(?i)<[a-z][^<>]*="[^"<>]*\Z')
#: Marks in a listing: line numbers, links to them and tags that highlight words.
MARK = regex(
    r"<span class=[\"']?(?:linenos?|ln)\b[^<>]{0,200}> *\d{1,6} *</span>"
    r"|<a(?: (?:(?:class|id|name)=\"?|href=\"?#)[\w.:-]{1,200}\"?){1,4}></a>"
    r"|</?span(?: [^<>]{0,500})?>"
)


def begins_page(text: str) -> bool:
    """Return whether a text begins as an HTML page.

    Examples
    --------
    >>> begins_page("<!DOCTYPE html>"), begins_page("<jtl>")
    (True, False)
    """
    return _PAGE.match(text) is not None


def begins_part(data: bytes) -> bool:
    r"""Return whether data begin as a part of an HTML page, and are not Markdown.

    Examples
    --------
    >>> begins_part(b"<p>gin"), begins_part(b"<p>gin\n```\n9\n```"), begins_part(b"<jtl>")
    (True, False, False)
    """
    return _PART.match(data) is not None and b"\n```" not in data


def joins_lines(data: bytes) -> bool:
    r"""Return whether a line of a page shows a result and other lines, or a tag holds results.

    Examples
    --------
    >>> joins_lines(b"<h2>gin</h2><pre>BenchmarkA-8  100  9 ns/op\n</pre>")
    True
    >>> joins_lines(b"<h2>gin</h2>\n<pre>BenchmarkA-8  100  9 ns/op\n</pre>")
    False
    """
    return any(map(_is_joined, data.split(b"\n")))


def _is_joined(line: bytes) -> bool:
    if b"<" not in line:
        return False
    if _OPEN.search(line):
        return True
    parts = [_TAG.sub(b"", part).strip() for part in _EDGE.split(line)]
    shown = [part for part in parts if part]
    return len(shown) > 1 and any(map(_DIGIT.search, shown))


def split_lines(blocks: Iterator[bytes]) -> Iterator[bytes]:
    r"""Yield a page with a line for each one that a browser shows.

    Examples
    --------
    >>> list(split_lines(iter([b"<h2>gin</h2><pre>one\ntwo</pre><p>"])))
    [b'<h2>gin</h2>\n<pre>one\n', b'two</pre>\n<p>']
    """
    rest, is_open = b"", False
    for block in blocks:
        *lines, rest = (rest + block).split(b"\n")
        for line in lines:
            shown, is_open = _show(line, is_open=is_open)
            yield shown + b"\n"
    yield _show(rest, is_open=is_open)[0]


def _show(line: bytes, *, is_open: bool) -> tuple[bytes, bool]:
    """Return what a line shows, and whether a tag goes on after it."""
    if is_open and b"<" not in line.partition(b'"')[0]:
        if b'"' not in line:
            return b"", True
        line = b"<" + line.partition(b'"')[2]
    opened = _OPEN.search(line) if b"<" in line else None
    return _split(line[: opened.start()] if opened else line), opened is not None


def _split(line: bytes) -> bytes:
    if b"<" not in line:
        return line
    parts = _BEFORE.sub(b"\n", _AFTER.sub(rb"\1\n", line)).split(b"\n")
    return b"\n".join(part for part in parts if part.strip())
