"""JSON documents that stand in a page, where the formats that own whole sources do not read them.

They are named, because the rest of their page is read without them.
"""

from __future__ import annotations

import json
import re
from collections.abc import Iterator, Sequence
from typing import NamedTuple

from benchkit.errors import Diagnostic
from benchkit.parsers.base import Format, Head, Source
from benchkit.reading.signs import find_signs
from benchkit.regexes import regex

#: A larger text is no page; after so many characters no more documents are looked for.
LARGEST, _MOST = 1 << 20, 4 << 20
#: Where a document may begin; of lines that each hold one, the first stands for all.
_BEGIN = regex(r"^[ \t>]{0,12}(?=[{\[])", re.MULTILINE)
_HINT = "put the JSON in a file of its own"


class Embedded(NamedTuple):
    """A document in a page: its line, and the format that reads it alone."""

    line: int
    form: Format


def list_documents(
    source: Source, claims: Sequence[Format], formats: Sequence[Format]
) -> list[Diagnostic]:
    """Say which documents of all the formats stand among blocks of those that claim a page."""
    is_page = source.size <= LARGEST and all(each.embeds for each in claims)
    text = source.text() if is_page else ""
    return [
        Diagnostic(
            source.label,
            each.line,
            f"JSON that looks like {each.form.name} is not read within other text",
            _HINT,
            "warning",
            is_remark=True,
        )
        for each in find_documents(text, formats)
    ]


def find_documents(text: str, formats: Sequence[Format]) -> Iterator[Embedded]:
    """Yield the JSON documents in a text that a format owns, in their order."""
    owners = frozenset(each.name for each in formats if not each.embeds)
    decoder, scanned, end, last = json.JSONDecoder(), 0, 0, 0
    counted, line = 0, 1
    for begin in _BEGIN.finditer(text):
        start = begin.end()
        if start < end or scanned > _MOST:
            continue
        line, counted = line + text.count("\n", counted, start), start
        is_next, last = line == last + 1, line
        if is_next:
            continue
        try:
            value, end = decoder.raw_decode(text, start)
        except json.JSONDecodeError as error:
            scanned += error.pos - start + 1
            continue
        except RecursionError:
            return
        scanned += end - start
        document = text[start:end]
        last = line + document.count("\n")
        head = Head("", document.encode(errors="replace"), document)
        signs = find_signs(head, owners) if value and isinstance(value, dict | list) else ()
        form = next((f for f in formats if f.name in (signs or ()) and f.claims(head)), None)
        if form is not None:
            yield Embedded(line, form)
