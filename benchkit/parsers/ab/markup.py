"""Lines of ab's report out of the HTML tables that ``-w`` writes, or out of plain text.

``ab -w`` has a table row where the text has a line, with attributes that the user chose; a reader
may also hold the whole table in one line.
"""

from __future__ import annotations

import re
from html import unescape

from benchkit.parsers.base import bare

_MARKUP = re.compile(r"</?(?:p|table|tr|t[dh]|br|i)\b", re.IGNORECASE)
_END = re.compile(r"</tr\s*>|<br\s*/?>", re.IGNORECASE)
_CELL = re.compile(r"<t[dh]\b", re.IGNORECASE)
_TAG = re.compile(r"<[^<>]*>")


def is_markup(text: str) -> bool:
    """Whether a line holds tags of the kind that ``ab -w`` writes."""
    return "<" in text and _MARKUP.search(text) is not None


def read_rows(text: str) -> list[str]:
    """Return the rows of a line of HTML, without tags; a row that is not closed is left out.

    Examples
    --------
    >>> read_rows("<tr ><th>Complete requests:</th><td>500</td></tr><tr ><th>Failed")
    ['Complete requests: 500']
    """
    *closed, rest = _END.split(text)
    if not _CELL.search(rest):
        closed.append(rest)
    plain = (" ".join(unescape(_TAG.sub(" ", row)).split()) for row in closed)
    return [line for line in map(bare, plain) if line]
