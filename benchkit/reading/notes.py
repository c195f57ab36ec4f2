"""Notes that people write behind a result on its line: ``(after pool)``, ``# after pool``."""

from __future__ import annotations

from collections.abc import Sequence

from benchkit.reading.heading_lines import clean
from benchkit.regexes import regex

__all__ = ["split_note"]

_NOTE = regex(r"\((.*)\)|\[(.*)\]|(?:#+|/{2,}+|-{2,}+>?|<-+|←)(.*)")
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
        if words[place][0] in _BEGINNINGS and (note := _NOTE.fullmatch(" ".join(words[place:]))):
            return words[:place], clean(note[1] or note[2] or note[3] or "")
    return words, ""
