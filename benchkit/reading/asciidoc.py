"""Blocks of AsciiDoc, between two lines that could also underline a heading."""

from __future__ import annotations

from benchkit.regexes import regex

__all__ = ["mark_blocks"]

#: A heading: its page has blocks of AsciiDoc.
_HEADING = regex(r"={1,6}[ \t]+\w")
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
    if not any(line.startswith("=") and _HEADING.match(line) for line in lines):
        return
    ends = {line.rstrip(): at for at, line in enumerate(lines)}
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
        elif ends[delimiter] > at and (title := _take_title(lines, at)) is not None:
            inherited = next(iter([*open_titles.values()][::-1]), "")
            if delimiter[0] in _LISTINGS:
                listing = delimiter
                named = f' title="{title or inherited}"' if title or inherited else ""
                lines[at] = f"```text{named}"
            else:
                open_titles[delimiter] = title or inherited
                lines[at] = ""


def _take_title(lines: list[str], at: int) -> str | None:
    """Blank the title above a block and return it; None if the line is no block's first one."""
    title = ""
    for above in range(at - 1, -1, -1):
        titled = _TITLE.fullmatch(lines[above].rstrip())
        if titled:
            title = titled[1].replace('"', "'")
            lines[above] = ""
        elif not _ATTRIBUTE.fullmatch(lines[above]):
            is_start = lines[above].strip() in ("", "+") or bool(title) or above < at - 1
            return title if is_start else None
    return title
