r"""Vegeta's raw results: gob (`attack`), CSV and JSON lines (`encode`, formerly `dump`).

Raw results are the most precise of vegeta's forms. CSV of version 8 (see `lines` for the
others)::

    1795222069242054756,200,142728302,0,0,,,partial,99

Versions: gob 1-12, CSV 5.5-12 with 6, 7, 9 or 12 columns, JSON lines 5.5-12. Latencies include
those of failed requests, as vegeta's do. Totals are computed by its definitions: attack = latest -
earliest start, wait = last end - latest start, rate = requests / attack, throughput = successes /
(attack + wait), success = codes 200 to 399 (up to 5.4 vegeta itself counted 200 to 299). A cut
source gives its latencies, but no totals: they would not be those of the run. Not recorded: the
offered rate and the version; the URL in versions before 12.8.
"""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np

from benchkit.errors import Diagnostic
from benchkit.parsers.base import Head, Record, Source
from benchkit.parsers.vegeta.attack import BLOCK, Attack
from benchkit.parsers.vegeta.lines import CSV_START, read_csv, read_json
from benchkit.parsers.vegeta.readings import judge
from benchkit.parsers.vegeta.results import Flaw, Results
from benchkit.parsers.vegeta.streams import read_gob
from benchkit.reading.cleaning import encoding_of
from benchkit.reading.source import UntilDamage
from benchkit.regexes import regex

#: The name of the struct, or of the slice in versions before 5, in the first descriptor.
_GOB = regex(rb"\x03\x01\x01\x06Result\x01|\x02\x01\x01\x07Results\x01")
#: The same as a shell decodes and writes it; UTF-8 has no byte 255, as a gob does.
_REENCODED = regex(r"\x06Result\x01|\x07Results\x01")
_REFUSED = (
    "a shell rewrote vegeta's raw results as text, as PowerShell's `>` does, so they are lost",
    "write them with `vegeta attack -output=results.bin`, or with the `>` of cmd",
)
_JSON_KEYS = (
    regex(r'"timestamp"\s*:\s*"\d{4}-'),
    regex(r'"latency"\s*:\s*\d'),
    regex(r'"code"\s*:\s*\d'),
    regex(r'"bytes_in"\s*:\s*\d'),
)


def form_of(head: Head) -> str | None:
    """Return which form of raw results a source is in, if it is."""
    if not head.is_start:
        return None
    if _is_reencoded(head.data[:256]):
        return "re-encoded"
    if _GOB.search(head.data[:32]) and b"Latency" in head.data:
        return "gob"
    first = head.text.lstrip("\ufeff \t\n").partition("\n")[0]
    if CSV_START.match(first):
        return "csv"
    if first.startswith("{") and all(key.search(first) for key in _JSON_KEYS):
        return "ndjson"
    return None


def _is_reencoded(begin: bytes) -> bool:
    """Whether a gob begins here that went through a text."""
    encoding = encoding_of(begin)
    text = begin.decode(encoding, errors="replace")
    return (encoding != "utf-8" or b"\xff" not in begin) and bool(_REENCODED.search(text[:64]))


def recognises(head: Head) -> bool:
    """Whether a source is raw results."""
    return form_of(head) is not None


_Attacks = dict[tuple[int, str], Attack]  # by stream and name
_READERS = {"gob": read_gob, "csv": read_csv, "ndjson": read_json}


def parse(source: Source) -> Iterator[Record]:
    """Yield the attacks of a source, their latencies block by block, then their totals.

    Raises
    ------
    UnreadableError
        When damaged gzip is met; the latencies before it have been yielded.
    """
    form = form_of(source.head()) or "csv"
    if form == "re-encoded":
        yield Diagnostic(source.label, 0, *_REFUSED)
        return
    attacks: _Attacks = {}
    first: Flaw | None = None
    end: Flaw | None = None
    gaps = 0
    records = UntilDamage(_READERS[form](source))
    for record in records:
        end = record if isinstance(record, Flaw) else None
        if isinstance(record, Results):
            yield from _take(attacks, form, record)
        else:
            first, gaps = first or record, gaps + 1
    yield from _finish(source.label, attacks, is_cut=records.damage is not None or gaps > 0)
    records.raise_damage()
    if not attacks:
        first = first or Flaw(0, "contains no values")
        what = f"contains no readable result of vegeta: {first.reason}"
        yield Diagnostic(source.label, first.line, what, "copy the file again")
        return
    if end is not None:
        what = f"the results are truncated or damaged here: {end.reason}"
        hint = "the latencies up to here are kept, without totals; copy the file again"
        yield Diagnostic(source.label, end.line, what, hint, "warning")
        gaps -= 1
    if first is not None and gaps:
        more = f", nor are {gaps - 1} more entries" if gaps > 1 else ""
        what = f"not a result of vegeta: it {first.reason}{more}"
        hint = "ignored; there are no totals, because results may be missing"
        yield Diagnostic(source.label, first.line, what, hint, "warning")


def _take(attacks: dict[tuple[int, str], Attack], form: str, results: Results) -> Iterator[Record]:
    """Count results for their attacks, in the order in which those come first."""
    numbers, firsts = np.unique(results.attack, return_index=True)
    for row in np.sort(firsts).tolist():
        number = results.attack[row]
        part = results.pick(results.attack == number) if len(numbers) > 1 else results
        key = results.stream, results.attacks[int(number)]
        attack = attacks.get(key)
        if attack is None:
            attack = attacks[key] = Attack(form, part)
            yield attack.reading
        attack.extend(part)
        if attack.waiting >= BLOCK:
            yield attack.take()


def _finish(label: str, attacks: _Attacks, *, is_cut: bool) -> Iterator[Record]:
    streams = {stream for stream, _ in attacks}
    names = {name for _, name in attacks}
    for attack in attacks.values():
        if attack.waiting:
            yield attack.take()
        if len(names) > 1:
            attack.reading.variant = attack.name
        if is_cut:
            attack.reading.status = "partial"
        else:
            attack.total()
            yield from judge(attack.reading, label)
    if len(streams) > 1:
        what = f"the file contains {len(streams)} result files in a row: each one is a separate run"
        hint = "if they are one attack from several machines, combine them with vegeta report first"
        yield Diagnostic(label, 0, what, hint, "warning", is_remark=True)
