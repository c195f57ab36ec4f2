"""Captions below the results that they name, moved above them if a page shows this pattern.

If it is unclear whether the text between two results names the upper or the lower one, a number
replaces it: the results stay separate, and neither gets a wrong name.

Lines that a script for a load tool prints directly below each result, such as ``errors: 0``.

They are output, like the result, and name neither this result nor the next one.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Iterator, Sequence
from itertools import pairwise
from typing import Literal, NamedTuple

from benchkit.reading.heading_lines import (
    BOLD,
    FENCE,
    clean,
    is_fence,
    plain_lines,
    read_heading,
    shows,
)
from benchkit.reading.passages import NUMBERED
from benchkit.reading.surroundings import Block
from benchkit.regexes import regex

__all__ = ["Page", "list_tails", "number_fences", "place_captions"]

_NUMBER = regex(r"\d[\d.,:]*")
Side = Literal["above", "below", "unclear"]

#: Phrases that introduce the result below, such as the options of a command.
_POINTS_DOWN = regex(r"[:：]\Z|[↓⬇]|\b(?:below|following|next)\b|\w --?[a-z]", re.IGNORECASE)
_POINTS_UP = regex(r"[↑⬆]|\babove\b", re.IGNORECASE)
#: A prompt, a comment or a list item, which appear above what they describe.
_LEADS = regex(r"(?:[$❯➜%#>/;-]|\*|\d{1,2}[.)])\s|[\w.@~:/\\-]{1,40}[$#>%] ?\S")
_KINDS = {
    "numbered": regex(r"\W*+(?:figure|fig\.?|table|listing|output|chart|image) ?\d", re.IGNORECASE),
    "bold": regex(r"(?:\*\*.*\*\*(?: ?\([^()]*\))?|__.*__|<(?:b|strong)>.*)\Z"),
    "italic": regex(r"(?:\*.*\*|_.*_|<(?:i|em)>.*)\Z"),
    "tagged": regex(r"<"),
}
_STOPS = (".", "!", "?", "。")
#: Maximum number of lines between a result and its captions.
_REACH = 40


class Page(NamedTuple):
    """The lines of a text with captions above their results, and the new place of each line."""

    lines: list[str]
    numbers: list[int]

    def move(self, block: Block) -> Block:
        """Return the new place of a block."""
        return block._replace(first=self.numbers[block.first], last=self.numbers[block.last])


class _Paragraph(NamedTuple):
    """Lines of text between results; blank lines separate it from the upper or the lower one."""

    first: int
    last: int
    text: str
    up: int
    down: int
    is_lead: bool

    @property
    def points_down(self) -> bool:
        """Whether its words introduce what follows."""
        return _POINTS_DOWN.search(self.text) is not None

    @property
    def side(self) -> Side:
        """Whether it is above or below what it names, judged by its text alone."""
        if self.is_lead or self.points_down or _LEADS.match(self.text):
            return "above"
        if self.up != self.down:
            return "below" if self.up < self.down else "above"
        return "below" if _POINTS_UP.search(self.text) else "unclear"

    @property
    def kind(self) -> str:
        """Its shape: the common feature of the captions of one page."""
        plain = "sentence" if self.text.endswith(_STOPS) else "phrase"
        return next((name for name, kind in _KINDS.items() if kind.match(self.text)), plain)


class _Gap(NamedTuple):
    """The text between two results, before the first or after the last."""

    upper: list[_Paragraph]
    lower: list[_Paragraph]
    is_headed: bool


def place_captions(
    lines: Sequence[str], blocks: Iterable[Block], is_name: Callable[[str], bool]
) -> Page:
    """Move captions above the results that they name.

    Parameters
    ----------
    lines : sequence of str
        All lines of the source, cleaned.
    blocks : iterable of Block
        Its results.
    is_name : callable
        Whether a line contains more than the number of the next run.
    """
    text = plain_lines(lines)
    placed = sorted(blocks)
    moved: dict[int, list[str]] = {}
    if len(placed) > 1:
        reader = _Reader(text, placed, is_name)
        for group, inner in reader.list_groups():
            reader.settle(group, inner, moved)
    return _arrange(text, moved)


def _arrange(text: Sequence[str], moved: dict[int, list[str]]) -> Page:
    placed: list[str] = []
    numbers = [0]
    for number, line in enumerate(text, 1):
        placed += moved.get(number, ())
        placed.append(line)
        numbers.append(len(placed))
    return Page(placed, numbers)


class _Reader:
    """The text between the results of a page."""

    def __init__(
        self, text: list[str], blocks: Sequence[Block], is_name: Callable[[str], bool]
    ) -> None:
        self._text = text
        self._is_name = is_name
        self._blocks = blocks
        self._taken = {number for block in blocks for number in range(block.first, block.last + 1)}
        self._fences = number_fences(text)
        ends = [(0, blocks[0].first), *((a.last, b.first) for a, b in pairwise(blocks))]
        ends.append((blocks[-1].last, len(text) + 1))
        commands = [*(block.command for block in blocks), ""]
        self._gaps = [
            self._read_gap(upper, lower, command)
            for (upper, lower), command in zip(ends, commands, strict=True)
        ]

    def list_groups(self) -> Iterator[tuple[list[tuple[int, int]], list[_Paragraph]]]:
        """Yield results separated only by single paragraphs, as ranges of blocks, with these."""
        group, inner = [(0, 0)], list[_Paragraph]()
        for at in range(1, len(self._blocks) + 1):
            gap = self._gaps[at]
            if at == len(self._blocks) or gap.is_headed or len(gap.upper) > 1:
                if inner:
                    yield group, inner
                group, inner = [(at, at)], []
            elif gap.upper:
                inner.append(gap.upper[0])
                group.append((at, at))
            else:
                group[-1] = (group[-1][0], at)

    def settle(
        self,
        group: Sequence[tuple[int, int]],
        inner: Sequence[_Paragraph],
        moved: dict[int, list[str]],
    ) -> None:
        """Move the captions of a group to their places."""
        over = self._gaps[group[0][0]].lower[-1:]
        under = self._gaps[group[-1][1] + 1].upper[:1]
        under = [caption for caption in under if not caption.points_down]
        side = _judge(inner, over, under)
        is_first, is_last = group[0][0] == 0, group[-1][1] + 1 == len(self._blocks)
        if side == "unclear" and is_first and not is_last and _are_names(over, inner):
            return  # below, the first one would name nothing, and the last one has a result, too
        if side == "below":
            for at, (first, _) in enumerate(group):
                named = (*inner, *under)[at : at + 1]
                lines = self._take(named[0]) if named else [NUMBERED.format(at + 1)]
                moved[self._find_start(first)] = [*lines, ""]
        elif side == "unclear":
            for at, caption in enumerate((*over, *inner), 2 - len(over)):
                self._take(caption)
                self._text[caption.first - 1] = NUMBERED.format(at)

    def _take(self, caption: _Paragraph) -> list[str]:
        kept = self._text[caption.first - 1 : caption.last]
        self._text[caption.first - 1 : caption.last] = [""] * len(kept)
        return [line.strip() for line in kept]

    def _find_start(self, at: int) -> int:
        """Return the first line of a block, including its command and its fence."""
        block = self._blocks[at]
        number = block.first
        for above in range(block.first - 1, 0, -1):
            line = self._text[above - 1]
            if above in self._taken or not self._is_passed(line, block.command):
                break
            number = above
            if FENCE.match(line):
                break
        return number

    def _is_passed(self, line: str, command: str) -> bool:
        """Return whether a line is not text: blank, a fence, tags or the command of a block."""
        is_blank = not re.search(r"\w", line)
        return is_blank or is_fence(line) or shows(line.strip(), command)

    def _read_gap(self, upper: int, lower: int, command: str) -> _Gap:
        if lower - upper > 2 * _REACH:
            start = self._read_gap(upper, upper + _REACH, "")
            end = self._read_gap(lower - _REACH, lower, command)
            return _Gap(start.upper, end.lower, is_headed=True)
        paragraphs: list[list[_Paragraph]] = [[]]
        for first, last in self._list_paragraphs(upper, lower, command):
            if self._is_headed(first, last):
                paragraphs.append([])
            else:
                self._keep(paragraphs[-1], first, last, (upper, lower))
        return _Gap(paragraphs[0], paragraphs[-1], len(paragraphs) > 1)

    def _keep(self, kept: list[_Paragraph], first: int, last: int, ends: tuple[int, int]) -> None:
        """Keep a paragraph, unless it is the rest of a listing."""
        upper, lower = ends
        fence = self._fences[first]
        fences = self._fences[upper], self._fences[min(lower, len(self._text))]
        if fence and fence == fences[0] != fences[1]:
            return
        up = sum(map(_parts, self._text[upper : first - 1]))
        down = sum(map(_parts, self._text[last : lower - 1]))
        is_lead = bool(fence) and fence != fences[0]
        text = " ".join(map(str.strip, self._text[first - 1 : last]))
        kept.append(_Paragraph(first, last, text, up, down, is_lead))

    def _list_paragraphs(self, upper: int, lower: int, command: str) -> Iterator[tuple[int, int]]:
        first = 0
        for number in range(upper + 1, lower + 1):
            line = self._text[number - 1] if number < lower else ""
            is_text = not self._is_passed(line, command) and self._is_name(clean(line))
            if is_text and self._is_headed(number, number):
                if first:
                    yield first, number - 1
                yield number, number
                first = 0
            elif is_text:
                first = first or number
            elif first:
                yield first, number - 1
                first = 0

    def _is_headed(self, first: int, last: int) -> bool:
        """Return whether a line is a heading; bold lines may also be captions."""
        if first != last:
            return False
        is_fenced = self._fences[first] > 0
        heading = read_heading(self._text, first, self._taken, is_fenced=is_fenced)
        return heading is not None and heading[0] != BOLD


def _parts(line: str) -> bool:
    """Return whether a line is blank or a rule."""
    return not re.search(r"\w", line) and not is_fence(line)


def _judge(
    inner: Sequence[_Paragraph], over: Sequence[_Paragraph], under: Sequence[_Paragraph]
) -> Side:
    """Decide by the captions' text, and by whether both ends of a group have one."""
    sides = {caption.side for caption in inner}
    if "above" in sides:
        return "above"
    kinds = {caption.kind for caption in inner}
    is_over, is_under = ({caption.kind for caption in end} == kinds for end in (over, under))
    if is_over != is_under:
        return "above" if is_over else "below"
    if sides == {"below"}:
        return "below"
    return "above" if over and not under else "unclear"


def number_fences(text: Sequence[str]) -> list[int]:
    """Return for each line, from 1, the number of its code fence, 0 outside of fences."""
    numbers, fence, count = [0], "", 0
    for line in text:
        mark = FENCE.match(line)
        if mark is not None and (not fence or mark[1].startswith(fence)):
            fence = "" if fence else mark[1]
            count += bool(fence)
            numbers.append(0)
        else:
            numbers.append(count if fence else 0)
    return numbers


def _are_names(over: Sequence[_Paragraph], inner: Sequence[_Paragraph]) -> bool:
    """Return whether bold lines are above all results of a group."""
    return bool(over) and {caption.kind for caption in (*over, *inner)} == {"bold"}


def list_tails(lines: Sequence[str], blocks: Sequence[Block]) -> list[range]:
    """Return the lines of each tail, by their numbers from 1.

    The same words, with different numbers, must follow every result of a listing, including the
    last. A caption of one line could do that as well, unless a command was typed in the listing or
    a rule separates the line from the result.

    Examples
    --------
    >>> log = ["9000", "---", "errors: 0", "9100", "---", "errors: 2"]
    >>> list_tails(log, [Block(1, 1), Block(4, 4)])
    [range(2, 4), range(5, 7)]
    """
    tails: list[range] = []
    for listing in _list_listings(lines, blocks):
        candidates = [_find_tail(lines, *pair) for pair in pairwise([*listing, _after(lines)])]
        words = {frozenset(_drop_numbers(lines, tail)) for tail in candidates}
        is_same = len(candidates) > 1 and len(words) == 1 and any(words.pop())
        if is_same and all(map(_is_output, [lines] * len(candidates), listing, candidates)):
            tails += candidates
    return tails


def _after(lines: Sequence[str]) -> Block:
    return Block(len(lines) + 1, len(lines) + 1)


def _list_listings(lines: Sequence[str], blocks: Sequence[Block]) -> Iterator[list[Block]]:
    """Yield the groups of results that no code fence separates."""
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
    """Yield lines without their numbers."""
    texts = (_NUMBER.sub("", lines[number - 1]) for number in tail)
    return (text for text in texts if re.search(r"\w", text))


def _is_output(lines: Sequence[str], block: Block, tail: range) -> bool:
    """Return whether a tail is not just one line that somebody may have written below a result."""
    first = lines[tail.start - 1]
    return len(tail) > 1 or bool(block.command) or not re.search(r"\w", first)
