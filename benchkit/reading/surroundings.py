"""The headings above each block of a text: the author's names for the results below them.

Markdown (``#``, underlined, bold lines, ``<summary>``, titles of fences and tabs), AsciiDoc,
reStructuredText, banners that scripts print (``=== nginx ===``, ``echo "nginx"``), and the caption
directly above a block count. Code fences, tables of contents, front matter, Prometheus comments and
prose are not headings.
"""

from __future__ import annotations

import re
from collections.abc import Container, Iterable, Iterator, Sequence
from typing import NamedTuple

from benchkit.reading.heading_lines import (
    FENCE,
    TITLED,
    clean,
    find_end,
    is_fence,
    plain_lines,
    read_banner,
    read_caption,
    read_fence_title,
    read_heading,
    shows,
)

__all__ = ["Above", "Block", "may_hold_headings", "read_headings", "read_scopes"]


class Block(NamedTuple):
    """The location of a parsed result: its first and its last line, and the displayed command."""

    first: int
    last: int
    command: str = ""


class Above(NamedTuple):
    """The context above a block: headings by depth, the outermost first, and the lines close by.

    ``lines`` are the paragraph above a block, of any shape, and ``below`` is the one under it.
    """

    headings: dict[int, str]
    caption: str = ""
    lines: tuple[str, ...] = ()
    below: tuple[str, ...] = ()


#: Maximum number of lines of a code fence between a block and its caption.
_REACH = 40
#: Maximum number of lines between a block and its paragraph, and of lines in the paragraph.
_CLOSE = 12
#: First characters of a heading's line, or of the line below it.
_SIGNS = frozenset("#*=-~^\"'+.:<>_")


def may_hold_headings(lines: Sequence[str]) -> bool:
    """Return quickly whether any line looks like a heading or like its underline.

    Examples
    --------
    >>> may_hold_headings(["goos: linux", "BenchmarkGet-2  100  12 ns/op", "PASS"])
    False
    """
    if not _SIGNS.isdisjoint([line.lstrip()[:1] for line in lines]):
        return True
    text = "\n".join(lines)
    may_be_titled = '="' in text or "='" in text  # a test ten times as fast
    may_be_textile = any(f"h{level}. " in text for level in range(1, 7))
    is_titled = may_be_titled and TITLED.search(text) is not None
    return "echo " in text or may_be_textile or is_titled


def read_headings(lines: Sequence[str], blocks: Iterable[Block]) -> list[Above]:
    """Return the headings above each block, in the order of ``blocks``.

    Parameters
    ----------
    lines : sequence of str
        All lines of the source, cleaned.
    blocks : iterable of Block
        Their lines count from 1.

    Examples
    --------
    >>> page = ["# GET", "", "```", "wrk …", "```", "# POST", "wrk …"]
    >>> [above.headings for above in read_headings(page, [Block(4, 4), Block(7, 7)])]
    [{1: 'GET'}, {1: 'POST'}]
    """
    placed = list(blocks)
    order = sorted(range(len(placed)), key=lambda place: placed[place].first)
    read = dict(zip(order, _Page(lines, [placed[place] for place in order]).read(), strict=True))
    return [read[place] for place in range(len(placed))]


def read_scopes(
    lines: Sequence[str], blocks: Iterable[Block], numbers: Sequence[int]
) -> list[dict[int, str]]:
    """Return the headings above some lines of a text that holds blocks.

    Examples
    --------
    >>> read_scopes(["# GET", "$ wrk …", "", "# POST", "wrk …"], [Block(5, 5)], [2, 5])
    [{1: 'GET'}, {1: 'POST'}]
    """
    page = _Page(lines, sorted(blocks))
    scopes = dict(page.walk(set(numbers)))
    return [scopes[number] for number in numbers]


class _Page:
    """A text read from top to bottom, with the headings in effect at the current line."""

    def __init__(self, lines: Sequence[str], blocks: Sequence[Block]) -> None:
        self._lines = plain_lines(lines)
        self._blocks = blocks
        self._taken = {number for block in blocks for number in range(block.first, block.last + 1)}
        self._fenced: set[int] = set()
        self._closing = self._find_closing()

    def read(self) -> list[Above]:
        """Return the lines above each block, in order."""
        result: list[Above] = []
        places = {block.first for block in self._blocks}
        waiting = iter((*self._blocks, Block(len(self._lines) + 2, 0)))
        block = next(waiting)
        for number, headings in self.walk(places):
            while block.first == number:
                before = result[-1] if result else Above({})
                result.append(self._look_around(block, headings, before))
                block = next(waiting)
        return result

    def walk(self, places: Container[int]) -> Iterator[tuple[int, dict[int, str]]]:
        """Read from top to bottom; yield some of the lines, with the headings above them."""
        current: dict[int, str] = {}
        fence, matter = "", self._find_front_matter()
        title: dict[int, str] = {}
        outside, is_listing = current, False
        for number, line in enumerate(self._lines, 1):
            if number in places:
                yield number, {**current, **title}
            mark = FENCE.match(line)
            if mark is not None and (not fence or mark[1].startswith(fence)):
                fence = "" if fence else mark[1]
                title = read_fence_title(line) if fence else {}
                if fence:
                    outside, is_listing = current, False
                elif is_listing:
                    current = outside
                continue
            if fence:
                self._fenced.add(number)
            if number <= matter or number in self._taken or number in self._closing:
                continue
            if not fence and (end := find_end(line)):
                current = {level: name for level, name in current.items() if level < end}
            heading = self._read(number, is_fenced=bool(fence))
            if heading is not None:
                depth, text = heading
                current = {level: name for level, name in current.items() if level < depth}
                current[depth] = text
            else:
                is_listing |= re.search(r"\w", line) is not None

    def _find_front_matter(self) -> int:
        """Return the last line of the block at the start of Markdown pages, 0 if there is none."""
        if not self._lines or self._lines[0].strip() != "---":
            return 0
        ends = (at for at, line in enumerate(self._lines[1:60], 2) if line.strip() == "---")
        return next(ends, 0)

    def _find_closing(self) -> set[int]:
        """Return the banners that end blocks, with the lines below them.

        One follows the last block, and none or another one is above each other block.
        """
        if not self._blocks or not self._is_banner(self._next_line(self._blocks[-1].last)):
            return set()
        starts = [0, *(self._next_line(block.last) for block in self._blocks)]
        is_headed = [
            any(self._is_banner(number) for number in range(start + 1, block.first))
            for start, block in zip(starts, self._blocks, strict=False)
        ]
        if any(is_headed) and not all(is_headed):
            return set()
        closing: set[int] = set()
        for banner in filter(self._is_banner, starts):
            number = banner
            while self._line(number).strip() and number not in self._taken:
                closing.add(number)
                number += 1
                if self._is_banner(number):
                    break
        return closing

    def _next_line(self, last: int) -> int:
        """Return the line close below a block that is not empty, 0 if there is none."""
        after = range(last + 1, last + _CLOSE)
        return next((number for number in after if self._line(number).strip()), 0)

    def _is_banner(self, number: int) -> bool:
        return number not in self._taken and read_banner(self._line(number)) is not None

    def _line(self, number: int) -> str:
        return self._lines[number - 1] if 0 < number <= len(self._lines) else ""

    def _read(self, number: int, *, is_fenced: bool) -> tuple[int, str] | None:
        return read_heading(self._lines, number, self._taken, is_fenced=is_fenced)

    def _look_around(self, block: Block, headings: dict[int, str], before: Above) -> Above:
        """Return the context of a block; a block below another one shares that one's lines."""
        above = range(block.first - 1, max(block.first - _CLOSE, 0), -1)
        lines = self._list_paragraph(above, block.command)
        is_next = lines is None and headings == before.headings
        return Above(
            headings,
            self._find_caption(block, before.caption),
            before.lines if is_next else (lines or ())[::-1],
            self._list_paragraph(range(block.last + 1, block.last + _CLOSE), "") or (),
        )

    def _list_paragraph(self, numbers: Iterable[int], command: str) -> tuple[str, ...] | None:
        """Return the lines closest to a block, None if there is another block instead."""
        kept: list[str] = []
        for number in numbers:
            line = self._line(number)
            if number in self._taken:
                return tuple(kept) or None
            if number in self._closing:
                break
            if self._read(number, is_fenced=number in self._fenced):
                break
            text = "" if is_fence(line) or shows(line.strip(), command) else clean(line)
            if re.search(r"\w", text):
                kept.append(text)
            elif kept and not line.strip():
                break
        return tuple(kept)

    def _find_caption(self, block: Block, before: str) -> str:
        """Return the caption directly above a block or its command, empty if there is none.

        A block directly below another one has the caption of that one, ``before``. In a code fence
        other output may lie between.
        """
        for number in range(block.first - 1, max(block.first - _REACH, 0), -1):
            line = self._line(number)
            text = line.strip()
            if number in self._taken:
                return before
            if number in self._closing:
                break
            if self._read(number, is_fenced=number in self._fenced):
                break
            if not re.search(r"\w", text) or is_fence(line) or shows(text, block.command):
                continue
            is_fenced = number in self._fenced
            caption = read_caption(line, is_fenced=is_fenced)
            if caption or not is_fenced:
                return caption
        return ""
