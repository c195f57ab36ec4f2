"""benchstat's csv and html: the same tables as in its texts, in files of their own.

Csv of the new tool holds the medians in full, equal to those of the raw runs to the last bit.

New csv, verbatim (``benchstat -format csv``; warnings such as ``B6: …`` go to standard error, and
are passed over where they stand in the file)::

    goos: linux
    goarch: amd64
    pkg: bench/redisbench
    cpu: Intel(R) Xeon(R) Processor
    ,baseline.txt,,enabled.txt,,,
    ,sec/op,CI,sec/op,CI,vs base,P
    Redis/Ping-2,6.697850000000002e-05,21%,3.6144500000000006e-05,31%,-46.04%,p=0.000 n=10
    geomean,5.788872410340955e-05,,4.4230140089144944e-05,,-23.59%,

Old csv, verbatim (``benchstat -csv``; ``-norange`` leaves out the columns ``±``)::

    name,old time/op (ns/op),±,new time/op (ns/op),±,delta,±
    Redis/Ping-2,6.58508E+04,26%,3.53713E+04,34%,-46.29%,(p=0.000 n=10+9)

Old html, verbatim (``benchstat -html``)::

    <table class='benchstat oldnew'>
    <tr class='configs'><th><th>baseline.txt<th>enabled.txt
    <tbody>
    <tr><th><th colspan='2' class='metric'>time/op<th>delta
    <tr class='better'><td>Redis/Ping-2<td>65.9µs ±26%<td>35.4µs ±34%<td class='delta'>−46.29%<td …

What the numbers are, and what is not recorded, is as in the texts. The new csv has no rounding
step; the old one has six digits. In a new csv of one column nothing tells that a unit is exact: a
mode passes for a median there.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence

from benchkit.errors import Diagnostic
from benchkit.parsers.base import Head, Record, Source
from benchkit.parsers.benchstat.calls import Calls
from benchkit.parsers.benchstat.pages import Page
from benchkit.parsers.benchstat.sheets import Sheet
from benchkit.reading.source import UntilDamage
from benchkit.regexes import regex

#: A summary is small; what is larger is something else.
MAX_BYTES = 64 << 20

_PAGE = regex(r"<table[^<>]{0,200}?\sclass=['\"]?benchstat\b", re.IGNORECASE)
_CONFIG = r"(?:\"?[a-z][^\s:A-Z]*:[^\n]*\n|[A-Z]+\d+: [^\n]*\n|[ \t]*\n)*"
_NEW = regex(rf"{_CONFIG}(?:,[^\n]*\n)+?,(?:\"[^\"\n]*\"|[^,\n]+),CI[,\n]")
_OLD = regex(
    r"\s*\"?name(?: \\ (?=[^\n,]+ \().*?\)\"?,|,(?=[^\n,]+ \()[^\n,]++(?<=\))(?:,±)?[,\n])"
)

#: Number, text, and whether a line end follows.
Line = tuple[int, str, bool]


def recognises(head: Head) -> bool:
    """Whether a file begins as a csv of benchstat does, or is its page."""
    if not head.is_start:
        return False
    text = head.text
    is_page = text.lstrip().startswith("<") and _PAGE.search(text)
    return bool(is_page or _NEW.match(text) or _OLD.match(text))


def parse(source: Source) -> Iterator[Record]:
    """Yield the readings of a csv or a page, and what is to be said of them.

    Raises
    ------
    UnreadableError
        At damaged gzip; what stood before it has been yielded.
    """
    if source.size > MAX_BYTES:
        what = f"the file has {source.size >> 20} MiB, far more than any benchstat summary"
        yield Diagnostic(source.label, 0, what, "use the file that benchstat wrote")
        return
    calls, lines = Calls(source.label), UntilDamage(source.ended_lines())
    held = list(lines)
    is_page = any(_PAGE.search(text) for _, text, _ in held)
    is_cut = (_read_page if is_page else _read_sheet)(calls, held)
    yield from calls.close(is_cut=is_cut or lines.damage is not None)
    lines.raise_damage()


def _read_page(calls: Calls, lines: Sequence[Line]) -> bool:
    """Read a page; tell whether it ends before its table does."""
    page = Page(calls.report, calls.add)
    page.feed("\n".join(text for _, text, _ in lines))
    page.end()
    return not any("</table>" in text for _, text, _ in lines)


def _read_sheet(calls: Calls, lines: Sequence[Line]) -> bool:
    """Read a csv; tell whether its last line is cut."""
    sheet = Sheet(calls.report, calls.add)
    for number, text, closed in lines:
        sheet.feed(number, text, closed=closed)
    sheet.end()
    return sheet.is_cut
