"""Names in a sentence: ``none, otlp and zipkin``, or ``none, otlp and 3 more``."""

from __future__ import annotations

from collections.abc import Iterable, Sequence


def list_names(names: Iterable[str], most: int = 0) -> str:
    """Join names as a sentence does; those beyond ``most`` are counted, if it is not 0.

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
    """Join the first names by commas, and count the others.

    Examples
    --------
    >>> list_first(["none", "otlp"], 3), list_first("abcde", 3)
    ('none, otlp', 'a, b, c and 2 more')
    """
    more = f" and {len(names) - most} more" if len(names) > most else ""
    return ", ".join(names[:most]) + more
