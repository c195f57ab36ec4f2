"""Blocks of AsciiDoc, between two lines that could also underline a heading."""

from __future__ import annotations

from benchkit.regexes import regex

__all__ = ["mark_blocks"]

#: A heading, but no state of a test in Go: its page has blocks of AsciiDoc; and one of Markdown.
_HEADING = regex(r"={1,6}[ \t]+(?!(?:RUN|CONT|NAME)  |PAUSE )\w")
_SECTION = regex(r"#{2,6}[ \t]+\S")
_FENCE = regex(r"[ \t>]*+`{3,}")
#: The first and the last line of a block; between those of `_LISTINGS`, text is code.
_DELIMITER = regex(r"-{4,}|\.{4,}|={4,}|\*{4,}|_{4,}")
_LISTINGS = "-."
#: Lines between the text above a block and the block.
_ATTRIBUTE = regex(r"\[[^\[\]]*\][ \t]*")
_TITLE = regex(r"\.(\w.*)")


def mark_blocks(lines: list[str]) -> None:
    """Write listings as fences of Markdown with their titles, and blank what delimits the rest.

    Examples
    --------
    >>> page = ["== gin", "", ".Cold", "----", "9000", "----"]
    >>> mark_blocks(page)
    >>> page[2:]
    ['', '```text title="Cold"', '9000', '```']
    """
    if not any(map(_is_heading, lines)):
        return
    closed = _find_closed(lines)
    listing, is_fenced = "", False
    open_titles: dict[str, str] = {}
    for at, line in enumerate(lines):
        delimiter = line.rstrip()
        if listing:
            if delimiter == listing:
                lines[at], listing = "```", ""
        elif _FENCE.match(line):
            is_fenced = not is_fenced
        elif is_fenced or not _DELIMITER.fullmatch(delimiter):
            continue
        elif delimiter in open_titles:
            del open_titles[delimiter]
            lines[at] = ""
        elif at in closed and (title := _take_title(lines, at)) is not None:
            inherited = next(reversed(open_titles.values()), "")
            if delimiter[0] in _LISTINGS or (title and _is_simple(lines, at)):
                listing = delimiter
                named = f' title="{title or inherited}"' if title or inherited else ""
                lines[at] = f"```text{named}"
            else:
                open_titles[delimiter] = title or inherited
                lines[at] = ""


def _is_heading(line: str) -> bool:
    return line.startswith("=") and _HEADING.match(line) is not None


def _find_closed(lines: list[str]) -> set[int]:
    """Return the delimiters whose next equal one may close a block.

    In a log with a rule below each heading, every rule follows a heading or a blank line.
    """
    closed, heading = set(), -1
    earlier: dict[str, int] = {}
    for at, line in enumerate(lines):
        delimiter = line.rstrip()
        if _is_heading(line) or _SECTION.match(line):
            heading = at
        elif _DELIMITER.fullmatch(delimiter):
            first = earlier.get(delimiter, at)
            is_rule = first < heading and (heading == at - 1 or not lines[at - 1].strip())
            if first < at and not is_rule:
                closed.add(first)
            earlier[delimiter] = at
    return closed


def _take_title(lines: list[str], at: int) -> str | None:
    """Blank the title above a block and return it; None if the line is no block's first one."""
    title = ""
    for above in range(at - 1, -1, -1):
        titled = _TITLE.fullmatch(lines[above].rstrip())
        if titled:
            title = titled[1].replace('"', "'")
            lines[above] = ""
        elif not _ATTRIBUTE.fullmatch(lines[above]):
            text, is_marked = lines[above].strip(), bool(title) or above < at - 1
            is_start = is_marked or text == "+" or (not text and lines[at + 1].strip())
            return title if is_start else None
    return title


def _is_simple(lines: list[str], at: int) -> bool:
    """Return whether a block contains no other block."""
    after = (lines[below].rstrip() for below in range(at + 1, len(lines)))
    edges = (line for line in after if _DELIMITER.fullmatch(line) or _FENCE.match(line))
    return next(edges, "") == lines[at].rstrip()
