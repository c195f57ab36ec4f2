"""promtool's text output of a query.

Promtool is the usual way to query from a shell, and this text is its default output.
"""

from __future__ import annotations

from collections.abc import Iterator

from benchkit.errors import Diagnostic
from benchkit.parsers.prometheus.model import Series, cut_short, read_selector
from benchkit.regexes import regex

_HEAD = regex(r"(\S.*?|) =>(?: (\S+) @\[(\d{1,11}(?:\.\d+)?)\])?\s*$")
_VALUE = regex(r"(\S+) @\[(\d{1,11}(?:\.\d+)?)\]\s*$")
_SCALAR = regex(r"scalar: (\S+) @\[[\d.]+\]\s*$")


def recognises(text: str) -> bool:
    """Return whether a text begins with a series or a scalar in promtool's format."""
    first, second, *_ = [*text.split("\n", 2), ""]
    head = _HEAD.match(first)
    if head is not None and not head[2]:
        return read_selector(head[1]) is not None and not (second and not _VALUE.match(second))
    return head is not None or _SCALAR.match(first) is not None


def read_text(text: str, label: str) -> Iterator[Series | Diagnostic]:
    """Yield the series of promtool's output, and diagnostics."""
    if not text.endswith("\n"):
        yield cut_short(label, text)
        return
    current: Series | None = None
    unread: list[int] = []
    for number, line in enumerate(text.split("\n"), 1):
        head, value = _HEAD.match(line), _VALUE.match(line)
        if head is not None:
            if current is not None:
                yield current
            labels = read_selector(head[1]) if head[1] else {}
            current = Series({} if labels is None else labels)
            if head[2]:
                current.add(_micros(head[3]), head[2], number)
        elif _SCALAR.match(line):
            what = "a scalar has no name, so its unit is unknown"
            yield Diagnostic(label, number, what, "query the metric itself")
        elif value is not None and current is not None:
            current.add(_micros(value[2]), value[1], number)
        elif line.strip():
            unread.append(number)
    if current is not None:
        yield current
    if unread:
        what = "this line is truncated or does not come from promtool"
        if (count := len(unread)) > 1:
            what = f"{count} lines, of which this is the first, are truncated or do not come from "
            what += "promtool"
        yield Diagnostic(label, unread[0], what, "get the output again", "warning")


def _micros(seconds: str) -> int:
    whole, _, fraction = seconds.partition(".")
    return int(whole) * 1_000_000 + int(f"{fraction:0<6}"[:6])
