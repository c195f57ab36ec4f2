"""JSON documents in a page, which are read like separate files.

Reports of unknown tools are named, because the rest of their page is read without them.
"""

from __future__ import annotations

import json
import re
from collections.abc import Iterable, Iterator, Sequence
from contextlib import suppress
from dataclasses import replace
from functools import partial
from itertools import pairwise
from typing import NamedTuple

from benchkit.errors import Diagnostic
from benchkit.parsers.base import Format, Head, Reading, Record, Source
from benchkit.parsers.unread import REPORTS
from benchkit.reading.signs import begins_json, find_signs
from benchkit.reading.source import LOG_BYTES, UnreadableError
from benchkit.regexes import regex

#: Maximum size of a page, as for headings, and of its documents in characters.
LARGEST = 8 << 20
#: Places where a document may begin; of lines that each hold one, the first represents all.
_BEGIN = regex(r"^[ \t>]{0,12}(?=[{\[])", re.MULTILINE)
#: The end of a truncated document.
_END = regex(r"^\s*?(?:```|~~~|$)", re.MULTILINE)
#: Maximum number of tables whose lines a warning shows.
_SHOWN = 3
_MEASURED = "give the output of the tool that measured them"
#: The line between the head and the rows of a Markdown table, and a time in one of its cells.
_RULE = regex(r"[ \t>]*+\|?[ \t]*+:?-++:?[ \t]*+(?:\|[ \t]*+:?-++:?[ \t]*+)++\|?[ \t]*+")
_TIME = regex(r"\d[\d.,]{0,20} ?(?:ns|[uµμ]s|ms|s)(?:/(?:op|iter))?")
#: Number of lines within which all words of a report appear.
_CLOSE = 30


class Embedded(NamedTuple):
    """A document in a page: its lines, its text, and the format that reads it."""

    line: int
    last_line: int
    text: str
    form: Format


def list_forms(source: Source, claims: Sequence[Format], formats: Sequence[Format]) -> list[Format]:
    """Return formats for the documents in a page, which read them like separate files.

    A text with blocks of other formats (``claims``) is a page only if it is small.
    """
    is_page = source.size <= (LARGEST if claims else LOG_BYTES)
    text = ""
    with suppress(UnreadableError):  # its parser will report this, too
        text = source.text() if is_page else ""
    documents = () if begins_json(text) else find_documents(text, formats)
    forms = {each.form.name: each.form for each in documents}
    return [
        replace(form, embeds=True, open_span=None, parse=partial(_parse, form))
        for form in forms.values()
    ]


def _parse(form: Format, source: Source) -> Iterator[Record]:
    """Yield the records of a format's documents in a page; their runs span all lines of each."""
    for each in find_documents(source.text(), (form,)):
        data = "\n" * (each.line - 1) + each.text + "\n"
        records = list(form.parse(Source(None, source.label, data.encode(errors="replace"))))
        runs = sorted((r for r in records if isinstance(r, Reading)), key=lambda run: run.line)
        starts = [each.line, *(run.line for run in runs[1:]), each.last_line + 1]
        for run, (start, behind) in zip(runs, pairwise(starts), strict=False):
            run.line, run.last_line = start, behind - 1
        yield from records


def list_reports(
    source: Source,
    claims: Sequence[Format],
    readings: Iterable[Reading],
    problems: Iterable[Diagnostic],
) -> list[Diagnostic]:
    """Return diagnostics for the tools whose reports in a page are not read by any format.

    Tables of times are reported, too, except for rows with a diagnostic.
    """
    is_page = source.size <= LARGEST and all(each.embeds for each in claims)
    text = source.text() if is_page else ""
    known = [each for each in REPORTS if all(word in text for word in each.words)]
    lines = text.split("\n") if known or "|" in text else []
    for run in readings if lines else ():
        end = max(run.line, run.last_line)
        lines[max(run.line - 1, 0) : end] = [""] * len(lines[max(run.line - 1, 0) : end])
    for number in {each.line for each in problems if 0 < each.line <= len(lines)}:
        lines[number - 1] = ""
    reports = {
        each.kind: (line, each.instead)
        for each in known
        if (line := _find_close(lines, each.words))
    }
    starts = [line for line, _ in reports.values()]
    tables = [x for x in _list_tables(lines) if not any(x[0] <= n <= x[1] for n in starts)]
    if tables:
        spans = ", ".join(f"{first} to {last}" for first, last in tables[:_SHOWN])
        more = f" and {len(tables) - _SHOWN} more" * (len(tables) > _SHOWN)
        kind = "tables of times" if len(tables) > 1 else "a table of times"
        reports[f"{kind} in lines {spans}{more}"] = tables[0][0], _MEASURED
    return [
        _warn(source, line, f"{kind}, which benchkit does not read", instead)
        for kind, (line, instead) in reports.items()
    ]


def _list_tables(lines: Sequence[str]) -> list[tuple[int, int]]:
    """Return the first and last lines of Markdown tables in which every row has a time."""
    tables = []
    for number, line in enumerate(lines):
        if number and "|" in lines[number - 1] and _RULE.fullmatch(line):
            end = number + 1
            while end < len(lines) and _has_time(lines[end]):
                end += 1
            if end > number + 2 and not (end < len(lines) and "|" in lines[end]):
                tables.append((number, end))
    return tables


def _has_time(row: str) -> bool:
    return "|" in row and any(_TIME.fullmatch(cell.strip(" \t*`")) for cell in row.split("|"))


def _find_close(lines: Sequence[str], words: Sequence[str]) -> int:
    """Return the number of the first line with all words close by; 0 if there is none."""
    last = dict.fromkeys(words, -_CLOSE)
    for number, line in enumerate(lines, 1):
        present = [word for word in words if word in line]
        last.update(dict.fromkeys(present, number))
        if present and (first := min(last.values())) > max(number - _CLOSE, 0):
            return first
    return 0


def _warn(source: Source, line: int, what: str, hint: str) -> Diagnostic:
    return Diagnostic(source.label, line, what, hint, "warning", is_remark=True)


def find_documents(text: str, formats: Sequence[Format]) -> Iterator[Embedded]:
    """Yield the JSON documents in a text that a format can read, in order."""
    owners = frozenset(each.name for each in formats if not each.embeds)
    decoder, scanned, end, last = json.JSONDecoder(), 0, 0, 0
    counted, line = 0, 1
    for begin in _BEGIN.finditer(text):
        start = begin.end()
        if start < end or scanned > LARGEST:
            continue
        line, counted = line + text.count("\n", counted, start), start
        is_next, last = line == last + 1, line
        if is_next:
            continue
        try:
            value, end = decoder.raw_decode(text, start)
        except json.JSONDecodeError as error:
            scanned += error.pos - start + 1
            behind = _END.search(text, start)
            end = behind.start() if behind else len(text)  # nested documents are part of a result
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
            yield Embedded(line, last, document, form)
