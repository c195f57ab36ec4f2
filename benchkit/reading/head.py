"""The beginning of a source, by which its format is recognised."""

from __future__ import annotations

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
