"""The headings above each block of a text: what its author calls the results below them.

Markdown (``#``, underlined, bold lines, ``<summary>``, titles of fences and tabs), AsciiDoc,
reStructuredText, banners that scripts print (``=== nginx ===``, ``echo "nginx"``), and the caption
directly above a block count. Code fences, tables of contents, front matter, Prometheus comments and
prose are not headings.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Sequence
from typing import NamedTuple

__all__ = ["Above", "Block", "may_hold_headings", "read_headings"]


class Block(NamedTuple):
    """Where a parser found a result: its first and its last line, and the command that it shows."""

    first: int
    last: int
    command: str = ""


class Above(NamedTuple):
    """What stands above a block: headings by depth, the outermost first, and the lines close by.

    ``lines`` are the paragraph above a block, of whatever shape, and ``below`` is the one under it.
    """

    headings: dict[int, str]
    caption: str = ""
    lines: tuple[str, ...] = ()
    below: tuple[str, ...] = ()


#: Characters that underline or surround a heading, the outermost level first.
_ADORNMENTS = "#*=-~^\"'+.:<>_"
#: Depths below those of Markdown: banners by their character, bold lines.
_BANNER, _BOLD = 10, 30
#: Depths of what names one block alone: its tab or title, and the title of its fence.
_TAB, _TITLE = 40, 45
_LONGEST = 100
#: Lines of a code fence that may stand between a block and its caption.
_REACH = 40
#: Lines that may stand between a block and its paragraph, and that this one may have.
_CLOSE = 12
#: What may stand on both sides of a banner; blanks part it from the text.
_SIDES = "=*-~#+_<> \t"
#: What the line of a heading, or the line below it, begins with.
_SIGNS = frozenset("#*=-~^\"'+.:<>_")

_QUOTED = re.compile(r"\A {0,3}(?:> ?){1,9}")
_FENCE = re.compile(r"\A[ \t>]*+(`{3,}|~{3,})")
_NUMBER_SIGNS = re.compile(r"\A {0,3}(#{1,6})(?:[ \t]+|(?=[^\W_]))(\S.*)")
_TITLED = re.compile(r"[ \t{](?:title|caption|filename|name)=([\"'])(.+?)\1")
_ASCIIDOC = re.compile(r"\A(={2,6})[ \t]+(?!(?:RUN|PAUSE|CONT|NAME) )(\w.*)")
_TABBED = re.compile(r"\A[ \t]*+===[!+]?[ \t]+([\"'])(.+)\1[ \t]*\Z")
#: What stands between the title of a block in AsciiDoc and its text.
_ATTRIBUTES = re.compile(r"\A\[(?:(?:source|listing|literal|example)\b|[,%])[^\[\]]*\][ \t]*\Z")
_DELIMITER = re.compile(r"\A(?:-{4,}|\.{4,}|={4,})[ \t]*\Z")
_UNDERLINE = re.compile(r"\A[ \t]*+([#*=\-~^\"'+.:])\1{2,}+[ \t]*+")
_TAGGED = re.compile(r"<(h[1-6]|summary)\b[^<>]*>(.+?)</\1>", re.IGNORECASE)
_RESULT = re.compile(r"[\d., ]{1,20}(?:req|requests?|ops?|[mµnu]?s)(?:/s(?:ec)?)?\Z")
_COMMENT = re.compile(r"\A[ \t]*+(?:#++|//|;++)[ \t]*+(\w.*)")
_LISTED = re.compile(r"\A[ \t]*+(?:[-*+]|\d{1,2}[.)])[ \t]++(\S.*)")
_ENTRY = re.compile(r"\w[\w ./-]{0,30}[:=：] ?\S")
_PROMPT_ENDS = "$>%#+✗❯"
_PROMETHEUS = ("HELP ", "TYPE ", "UNIT ", "EOF")
_MARKUP = (
    (re.compile(r"!\[[^\[\]]*\]\([^()]*\)|<[^<>]+>"), ""),
    (re.compile(r"\[([^\[\]]*)\]\([^()]*\)"), r"\1"),
    (re.compile(r"[`*]|(?<![\w\\])__?|(?<!\\)__?(?!\w)|\\(?=[_*#])"), ""),
    (re.compile(r"\s+"), " "),
)


def may_hold_headings(lines: Iterable[str]) -> bool:
    """Tell quickly whether any line looks like a heading or like what underlines one.

    Examples
    --------
    >>> may_hold_headings(["goos: linux", "BenchmarkGet-2  100  12 ns/op", "PASS"])
    False
    """
    return any(
        line.lstrip()[:1] in _SIGNS or "echo " in line or _TITLED.search(line)
        for line in lines
        if line
    )


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


class _Page:
    """A text that is read from top to bottom, with the headings that hold at the current line."""

    def __init__(self, lines: Sequence[str], blocks: Sequence[Block]) -> None:
        self._lines = [_QUOTED.sub("", line) for line in lines]
        self._blocks = blocks
        self._taken = {number for block in blocks for number in range(block.first, block.last + 1)}
        self._fenced: set[int] = set()
        self._closing = self._find_closing()

    def read(self) -> list[Above]:
        """Return what stands above each block, in order."""
        current: dict[int, str] = {}
        result: list[Above] = []
        waiting = iter((*self._blocks, Block(len(self._lines) + 2, 0)))
        block = next(waiting)
        fence, matter = "", self._find_front_matter()
        title: dict[int, str] = {}
        for number, line in enumerate(self._lines, 1):
            while block.first == number:
                before = result[-1] if result else Above({})
                result.append(self._look_around(block, {**current, **title}, before))
                block = next(waiting)
            mark = _FENCE.match(line)
            if mark is not None and (not fence or mark[1].startswith(fence)):
                fence = "" if fence else mark[1]
                title = _read_fence_title(line) if fence else {}
                continue
            if fence:
                self._fenced.add(number)
            if number <= matter or number in self._taken or number in self._closing:
                continue
            heading = self._read_line(number, line, is_fenced=bool(fence))
            if heading is not None:
                depth, text = heading
                current = {level: name for level, name in current.items() if level < depth}
                current[depth] = text
        return result

    def _find_front_matter(self) -> int:
        """Return the last line of the block that Markdown pages begin with, 0 if there is none."""
        if not self._lines or self._lines[0].strip() != "---":
            return 0
        ends = (at for at, line in enumerate(self._lines[1:60], 2) if line.strip() == "---")
        return next(ends, 0)

    def _find_closing(self) -> set[int]:
        """Return the banners that end blocks, with the lines below them.

        One follows the last block, and none or another one stands above each other block.
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
        return number not in self._taken and _read_banner(self._line(number)) is not None

    def _line(self, number: int) -> str:
        return self._lines[number - 1] if 0 < number <= len(self._lines) else ""

    def _read_line(self, number: int, line: str, *, is_fenced: bool) -> tuple[int, str] | None:
        """Return depth and text of the heading that a line is, if it is one."""
        if len(line) > 2 * _LONGEST or not line.strip():
            return None
        titled = None if is_fenced else _read_titled(line, self._line(number + 1))
        if banner := _read_banner(line) or titled:
            return banner
        if underlined := self._read_underlined(number, line, is_fenced=is_fenced):
            return underlined
        if is_fenced:
            return None
        signs = _NUMBER_SIGNS.fullmatch(line.rstrip())
        if signs is not None:
            text = signs[2].rstrip("#").rstrip()
            return None if text.startswith(_PROMETHEUS) else _named(len(signs[1]), text)
        return _read_markup(line.strip())

    def _read_underlined(
        self, number: int, line: str, *, is_fenced: bool
    ) -> tuple[int, str] | None:
        """Read a line that the next one underlines, alone or with a line above it."""
        under = _UNDERLINE.fullmatch(self._line(number + 1))
        text, above = line.strip(), self._line(number - 1)
        if under is None or number + 1 in self._taken or len(text) > _LONGEST:
            return None
        if not re.search(r"\w", text) or text[0] in "|#" or _LISTED.match(line):
            return None
        mark, size = under[1], len(under[0].strip())
        over = _UNDERLINE.fullmatch(above)
        if over is not None and over[1] == mark:
            return _named(_BANNER + _ADORNMENTS.index(mark), text)
        starts = not above.strip() or number - 1 in self._taken or _FENCE.match(above) is not None
        if not starts or (size < len(text) - 2 and (is_fenced or mark not in "=-")):
            return None
        if text[-1] in ".;," or mark not in "=-~^\"'+#*":
            return None
        return _named(1 + max(_ADORNMENTS.index(mark) - 2, 0), text)

    def _look_around(self, block: Block, headings: dict[int, str], before: Above) -> Above:
        """Return what stands around a block; below another one it has the lines of that one."""
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
        """Return the lines closest to a block, None where there is another block instead."""
        kept: list[str] = []
        for number in numbers:
            line = self._line(number)
            if number in self._taken:
                return tuple(kept) or None
            if number in self._closing:
                break
            if self._read_line(number, line, is_fenced=number in self._fenced):
                break
            if not _is_fence(line) and re.search(r"\w", line) and not _shows(line.strip(), command):
                kept.append(line.strip())
            elif kept and not line.strip():
                break
        return tuple(kept)

    def _find_caption(self, block: Block, before: str) -> str:
        """Return the caption directly above a block or its command, empty if there is none.

        A block directly below another one has the caption of that one, ``before``. In a code fence
        other output may stand between.
        """
        for number in range(block.first - 1, max(block.first - _REACH, 0), -1):
            line = self._line(number)
            text = line.strip()
            if number in self._taken:
                return before
            if number in self._closing:
                break
            if self._read_line(number, line, is_fenced=number in self._fenced):
                break
            if not text or _is_fence(line) or _shows(text, block.command):
                continue
            is_fenced = number in self._fenced
            caption = _read_caption(line, is_fenced=is_fenced)
            if caption or not is_fenced:
                return caption
        return ""


def _is_fence(line: str) -> bool:
    """Tell whether a line begins or ends a block of code, or says how it is shown."""
    return _FENCE.match(line) is not None or _ATTRIBUTES.match(line) is not None


def _shows(text: str, command: str) -> bool:
    """Tell whether a line shows a command, or part of one that goes over several lines."""
    return bool(command) and (command[:40] in text or text.endswith("\\"))


def _read_titled(line: str, below: str) -> tuple[int, str] | None:
    """Read a heading or the title of a block in AsciiDoc, or the tab of a page of MkDocs."""
    if tab := _TABBED.match(line):
        return _named(_TAB, tab[2])
    if heading := _ASCIIDOC.match(line):
        return _named(len(heading[1]), heading[2].rstrip("= \t"))
    is_above_block = _ATTRIBUTES.match(below) or _DELIMITER.match(below)
    return _named(_TAB, line[1:]) if re.match(r"\.\w", line) and is_above_block else None


def _read_fence_title(line: str) -> dict[int, str]:
    titled = _TITLED.search(line)
    return {_TITLE: _clean(titled[2])} if titled else {}


def _read_markup(text: str) -> tuple[int, str] | None:
    """Read a heading in HTML, or a line that is all bold."""
    tagged = _TAGGED.match(text.removeprefix("<details>").lstrip())
    if tagged is not None:
        is_summary = tagged[1].lower() == "summary"
        return _named(_BANNER - 1 if is_summary else int(tagged[1][1]), tagged[2])
    bold = text.rstrip(":： ")
    mark = bold[:2]
    if mark not in ("**", "__") or not bold.endswith(mark) or mark in bold[2:-2]:
        return None
    return None if _RESULT.match(bold[2:-2]) else _named(_BOLD, bold[2:-2])


def _read_banner(line: str) -> tuple[int, str] | None:
    """Read ``=== nginx ===``, also where a shell shows the ``echo`` that prints it."""
    echoed = _read_echo(line)
    text = (echoed or line).strip()
    inner = text.strip(_SIDES)
    left, _, right = text.partition(inner) if inner else ("", "", "")
    is_arrow = (left.strip(), right.strip()) == ("==>", "<==")
    if is_arrow or (len(left.strip()) > 2 < len(right.strip()) and left[0] == left[1] == left[2]):
        return _named(_BANNER + _SIDES.index(left[0]), inner)
    return _named(_BANNER, echoed) if echoed else None


def _read_echo(line: str) -> str:
    """Return the text that a shown ``echo`` prints, empty if the line is something else."""
    prompt, word, rest = line.partition("echo ")
    text = rest.strip()
    mark = text[:1]
    if not word or (prompt.strip() and prompt.rstrip()[-1] not in _PROMPT_ENDS):
        return ""
    inner = text[1:-1]
    is_quoted = mark in ("'", '"') and text[-1:] == mark and len(text) > 2
    return inner if is_quoted and not set(inner) & set("\"'|<>") else ""


def _read_caption(line: str, *, is_fenced: bool) -> str:
    """Read a comment in a code fence, an item of a list, ``name: value``, or ``as follows:``."""
    comment = _COMMENT.fullmatch(line) if is_fenced else None
    listed = _LISTED.fullmatch(line)
    text = comment[1] if comment else listed[1] if listed else line.strip()
    is_caption = comment or listed or text.endswith((":", "：")) or _ENTRY.match(text)
    cleaned = _clean(text) if is_caption and len(text) <= _LONGEST else ""
    return cleaned if re.search(r"\w", cleaned) else ""


def _named(depth: int, text: str) -> tuple[int, str] | None:
    cleaned = _clean(text)
    return (depth, cleaned) if re.search(r"\w", cleaned) and len(cleaned) <= _LONGEST else None


def _clean(text: str) -> str:
    """Drop Markdown from a heading."""
    for pattern, replacement in _MARKUP:
        text = pattern.sub(replacement, text)
    return text.strip(" :：")
