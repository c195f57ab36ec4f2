"""Lines that a script of a load tool prints directly below each result, such as ``errors: 0``.

They are output, like the result, and name neither it nor the next one.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from itertools import pairwise

from benchkit.reading.captions import number_fences
from benchkit.reading.heading_lines import FENCE, shows
from benchkit.reading.surroundings import Block
from benchkit.regexes import regex

__all__ = ["list_tails"]

_NUMBER = regex(r"\d[\d.,:]*")


def list_tails(lines: Sequence[str], blocks: Sequence[Block]) -> list[range]:
    """Return the lines of each tail, by their numbers from 1.

    Below every result of a listing, the last one too, stand the same words, and only their numbers
    differ. A caption of one line could do that as well, unless a command was typed in the listing
    or a rule parts the line from the result.

    Examples
    --------
    >>> log = ["9000", "---", "errors: 0", "9100", "---", "errors: 2"]
    >>> list_tails(log, [Block(1, 1), Block(4, 4)])
    [range(2, 4), range(5, 7)]
    """
    tails: list[range] = []
    for listing in _list_listings(lines, blocks):
        found = [_find_tail(lines, *pair) for pair in pairwise([*listing, _after(lines)])]
        words = {frozenset(_drop_numbers(lines, tail)) for tail in found}
        is_same = len(found) > 1 and len(words) == 1 and any(words.pop())
        if is_same and all(map(_is_output, [lines] * len(found), listing, found)):
            tails += found
    return tails


def _after(lines: Sequence[str]) -> Block:
    return Block(len(lines) + 1, len(lines) + 1)


def _list_listings(lines: Sequence[str], blocks: Sequence[Block]) -> Iterator[list[Block]]:
    """Yield the results that no fence of code parts from each other."""
    fences = number_fences(lines)
    listing: list[Block] = []
    for block in sorted(blocks):
        if listing and fences[listing[-1].first] != fences[block.first]:
            yield listing
            listing = []
        listing.append(block)
    if listing:
        yield listing


def _find_tail(lines: Sequence[str], block: Block, below: Block) -> range:
    """Return the lines directly below a result, up to a blank one or the command of the next."""
    numbers = range(block.last + 1, below.first)
    ends = (number for number in numbers if _ends(lines[number - 1], below.command))
    return range(block.last + 1, next(ends, below.first))


def _ends(line: str, command: str) -> bool:
    return not line.strip() or FENCE.match(line) is not None or shows(line.strip(), command)


def _drop_numbers(lines: Sequence[str], tail: range) -> Iterator[str]:
    """Yield what lines say beside their numbers."""
    texts = (_NUMBER.sub("", lines[number - 1]) for number in tail)
    return (text for text in texts if re.search(r"\w", text))


def _is_output(lines: Sequence[str], block: Block, tail: range) -> bool:
    """Tell whether a tail is no single line that somebody may have written below a result."""
    first = lines[tail.start - 1]
    return len(tail) > 1 or bool(block.command) or not re.search(r"\w", first)
