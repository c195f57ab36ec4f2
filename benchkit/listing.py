"""Names in a text: ``none, otlp and zipkin``, or ``none, otlp and 3 more``, made harmless."""

from __future__ import annotations

from collections.abc import Iterable, Sequence

_SPACES = frozenset("\N{NARROW NO-BREAK SPACE}\N{NO-BREAK SPACE}\N{THIN SPACE}")


def list_names(names: Iterable[str], most: int = 0) -> str:
    """Join names as in a sentence; names beyond ``most`` are counted, unless it is 0.

    Examples
    --------
    >>> list_names(["none"]), list_names(["none", "otlp"]), list_names("abcde", 3)
    ('none', 'none and otlp', 'a, b, c and 2 more')
    """
    listed = list(names)
    rest = len(listed) - most
    if most and rest > 0:
        listed[most:] = [f"{rest} more"]
    *before, last = listed or [""]
    return f"{', '.join(before)} and {last}" if before else last


def list_first(names: Sequence[str], most: int) -> str:
    """Join the first names with commas, and count the others.

    Examples
    --------
    >>> list_first(["none", "otlp"], 3), list_first("abcde", 3)
    ('none, otlp', 'a, b, c and 2 more')
    """
    more = f" and {len(names) - most} more" if len(names) > most else ""
    return ", ".join(names[:most]) + more


def printable(text: str) -> str:
    r"""Write a name with control and direction characters escaped.

    Examples
    --------
    >>> printable("a\x1b[2Jb")
    'a\\x1b[2Jb'
    """
    if text.isprintable():
        return text
    return "".join(c if c.isprintable() or c in _SPACES else ascii(c)[1:-1] for c in text)
