"""Notes that people write behind a result on its line: ``(after pool)``, ``# after pool``."""

from __future__ import annotations

from collections.abc import Sequence

from benchkit.reading.heading_lines import clean
from benchkit.regexes import regex

__all__ = ["NOTE", "read_note", "split_note"]

#: A note, behind the blank that parts it from the result.
NOTE = r"(?:\(.*\)|\[.*\]|(?:#++|/{2,}|-{2,}>?|<-++|←).*)"
_NOTE = regex(r"\((.*)\)|\[(.*)\]|(?:#++|/{2,}+|-{2,}+>?|<-++|←)(.*)")
_BEGINNINGS = frozenset("([#/-<←")


def split_note(words: Sequence[str]) -> tuple[Sequence[str], str]:
    """Split measurements, each a number and a unit, from the note behind them.

    Examples
    --------
    >>> split_note(["25", "ns/op", "(after", "pool)"])
    (['25', 'ns/op'], 'after pool')
    >>> split_note(["25", "ns/op", "(nil)", "64", "B/op"])
    (['25', 'ns/op', '(nil)', '64', 'B/op'], '')
    """
    for place in range(2, len(words), 2):
        rest = " ".join(words[place:]) if words[place][0] in _BEGINNINGS else ""
        if _NOTE.fullmatch(rest):
            return words[:place], read_note(rest)
    return words, ""


def read_note(text: str) -> str:
    """Return what a note says, empty if a text is none.

    Examples
    --------
    >>> read_note("(after pool)"), read_note("--- 4.2x slower"), read_note("10 ns/op")
    ('after pool', '4.2x slower', '')
    """
    note = _NOTE.fullmatch(text)
    return clean(note[1] or note[2] or note[3] or "") if note else ""
