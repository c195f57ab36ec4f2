"""The beginning of a source, by which its format is recognised."""

from __future__ import annotations

import re
from collections.abc import Collection
from dataclasses import dataclass


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


def begins_table(head: Head, headers: Collection[str], row: re.Pattern[str]) -> bool:
    """Tell whether a source begins with one of the headers and goes on with a row under it."""
    first, _, rest = head.text.lstrip().partition("\n")
    if not head.is_start or first not in headers:
        return False
    second, newline, _ = rest.partition("\n")
    return not newline or row.fullmatch(second) is not None
