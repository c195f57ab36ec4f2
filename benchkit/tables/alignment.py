"""Texts in columns, as wide as a screen shows them.

A table printed in a notebook's terminal stands as it does on the command line, and wide letters
and accents shift no column.
"""

from __future__ import annotations

import unicodedata
from collections.abc import Iterable, Iterator, Sequence
from functools import lru_cache

GAP = 2


def align_columns(
    heads: Sequence[str], rows: Iterable[Sequence[str]], sides: Sequence[str]
) -> Iterator[str]:
    r"""Yield a line of heads and one for each row.

    Parameters
    ----------
    rows : iterable of sequence of str
        One text per head.
    sides : sequence of {'left', 'right'}

    Examples
    --------
    >>> sides = ["left", "right"]
    >>> print("\n".join(align_columns(["run", "µs"], [["1", "9.5"], ["2", "10.5"]], sides)))
    run    µs
    1     9.5
    2    10.5
    """
    lines = [heads, *rows]
    widths = measure_columns(lines)
    for texts in lines:
        padded = map(_pad, texts, widths, sides)
        yield (" " * GAP).join(padded).rstrip()


def measure_columns(lines: Sequence[Sequence[str]]) -> list[int]:
    """Return how many columns of a screen the widest text of each place takes."""
    return [max(map(measure, texts)) for texts in zip(*lines, strict=True)]


def measure(text: str) -> int:
    """Return how many columns of a screen a text takes.

    Examples
    --------
    >>> measure("a"), measure("漢")
    (1, 2)
    """
    return len(text) if text.isascii() else sum(map(_measure_character, text))


@lru_cache(maxsize=1 << 12)
def _measure_character(character: str) -> int:
    is_wide = unicodedata.east_asian_width(character) in "WF"
    return 1 + is_wide - (unicodedata.combining(character) > 0)


def _pad(text: str, width: int, side: str) -> str:
    space = " " * (width - measure(text))
    return f"{space}{text}" if side == "right" else f"{text}{space}"
