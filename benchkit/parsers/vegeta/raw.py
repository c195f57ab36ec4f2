r"""Vegeta's raw results: gob (`attack`), CSV and JSON lines (`encode`, formerly `dump`).

Raw results are vegeta's most precise form. CSV of version 8 (see `lines` for the others)::

    1795222069242054756,200,142728302,0,0,,,partial,99

Versions: gob 1-12, CSV 5.5-12 with 6, 7, 9 or 12 columns, JSON lines 5.5-12. Latencies include
those of failed requests, as in vegeta. Totals follow vegeta's definitions: attack = latest -
earliest start, wait = last end - latest start, rate = requests / attack, throughput = successes /
(attack + wait), success = codes 200 to 399 (up to 5.4 vegeta itself counted 200 to 299). A
truncated source gives its latencies, but no totals: they would not be those of the run. Not
recorded: the offered rate and the version; the URL in versions before 12.8.

Each attack is totalled from its raw results exactly as in vegeta's report.

Counts and rates equal the JSON report of the same run to the last digit only if they are defined
and divided in the same way.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Mapping
from itertools import pairwise
from typing import Self

import numpy as np

from benchkit.errors import Diagnostic
from benchkit.parsers.base import Head, Reading, Record, Samples, Source
from benchkit.parsers.octets import Array
from benchkit.parsers.vegeta.lines import CSV_START, read_csv, read_json
from benchkit.parsers.vegeta.readings import begin, judge, time_of
from benchkit.parsers.vegeta.results import Flaw, Results
from benchkit.parsers.vegeta.streams import read_gob
from benchkit.reading.cleaning import decode, encoding_of
from benchkit.reading.damage import UntilDamage
from benchkit.reading.source import LINE_BLOCK
from benchkit.reading.spans import SECTION
from benchkit.reading.urls import host_of, path_of
from benchkit.regexes import regex

#: Number of latencies per block of samples.
BLOCK = 1 << 16


class Attack:
    """The totals of one attack, and its latencies not yet yielded."""

    def __init__(self, form: str, results: Results) -> None:
        url = results.urls[int(results.url[0])]
        self.name = results.attacks[int(results.attack[0])]
        self.reading = begin(form, int(results.line[0]))
        self.reading.target = path_of(url)
        if url:
            self.reading.env["host"] = host_of(url)
        self._columns: list[tuple[Array, Array, Array]] = []
        self.waiting = 0
        self._codes: Counter[int] = Counter()
        self._bytes_in = self._bytes_out = 0
        self._earliest = self._latest = self._end = int(results.start[0])
        self._last = -1

    @property
    def is_whole(self) -> bool:
        """Return whether all requests up to the highest number are present, so a 0 starts anew."""
        return 1 < self._codes.total() == self._last + 1

    def extend(self, results: Results) -> None:
        """Add results."""
        self._columns.append((results.latency, results.start, results.line))
        self.waiting += len(results)
        for code, times in zip(*np.unique(results.code, return_counts=True), strict=True):
            self._codes[int(code)] += int(times)
        self._last = max(self._last, int(results.seq.max()))
        self._bytes_in += _total(results.bytes_in)
        self._bytes_out += _total(results.bytes_out)
        self._earliest = min(self._earliest, int(results.start.min()))
        self._latest = max(self._latest, int(results.start.max()))
        self._end = max(self._end, int((results.start + results.latency).max()))
        target = self.reading.target
        urls = np.unique(results.url).tolist() if target else ()
        if any(path_of(results.urls[number]) != target for number in urls):
            self.reading.target = ""

    def join(self, other: Attack) -> None:
        """Add the results that another attack object counted after these."""
        self._codes.update(other._codes)
        self._bytes_in += other._bytes_in
        self._bytes_out += other._bytes_out
        self._earliest = min(self._earliest, other._earliest)
        self._latest, self._end = max(self._latest, other._latest), max(self._end, other._end)
        self.reading.last_line = other.reading.last_line
        if other.reading.target != self.reading.target:
            self.reading.target = ""

    def take(self) -> Samples:
        """Return the collected latencies and clear them."""
        latencies, starts, lines = (np.concatenate(c) for c in zip(*self._columns, strict=True))
        self._columns, self.waiting = [], 0
        self.reading.last_line = int(lines[-1])
        return Samples(
            reading=self.reading,
            metric="latency",
            unit="s",
            values=latencies / 1e9,
            lines=lines,
            times=(starts // 1000).astype("datetime64[us]"),
            resolution=1e-9,
        )

    def total(self) -> None:
        """Add the totals that vegeta's report would show."""
        attack, wait = self._latest - self._earliest, self._end - self._latest
        requests = self._codes.total()
        successes = sum(count for code, count in self._codes.items() if 200 <= code < 400)
        reading = self.reading
        reading.started_at = time_of(self._earliest // 1000)
        reading.duration = (attack + wait) / 1e9
        rows: list[tuple[str, str, float, str, str | None]] = [
            ("requests", "count", requests, "1", None),
            *(("responses", "count", n, "1", str(code)) for code, n in sorted(self._codes.items())),
            ("error_rate", "mean", 1.0 - successes / requests, "1", None),
            ("bytes_in", "total", self._bytes_in, "B", None),
            ("bytes_in", "mean", self._bytes_in / requests, "B", None),
            ("bytes_out", "total", self._bytes_out, "B", None),
            ("bytes_out", "mean", self._bytes_out / requests, "B", None),
            ("duration", "total", reading.duration, "s", None),
            ("duration", "total", attack / 1e9, "s", "attack"),
            ("duration", "total", wait / 1e9, "s", "wait"),
        ]
        if attack:
            throughput = successes / _seconds(attack + wait)
            rows.append(("request_rate", "mean", requests / _seconds(attack), "1/s", None))
            rows.append(("success_rate_per_second", "mean", throughput, "1/s", None))
        for metric, stat, value, unit, subject in rows:
            resolution = 1e-9 if unit == "s" else None
            reading.add(
                metric, stat, float(value), unit, reading.line,
                subject=subject, resolution=resolution, origin="computed",
            )  # fmt: skip


def _total(numbers: Array) -> int:
    """Return the exact sum of non-negative numbers of any size."""
    return (int((numbers >> 32).sum()) << 32) + int((numbers & 0xFFFFFFFF).sum())


def _seconds(nanoseconds: int) -> float:
    """Return seconds rounded like Go's ``Duration.Seconds``, for the same quotients as vegeta."""
    return nanoseconds // 10**9 + (nanoseconds % 10**9) / 1e9


#: The struct's name in the first descriptor, or the slice's name in versions before 5.
_GOB = regex(rb"\x03\x01\x01\x06Result\x01|\x02\x01\x01\x07Results\x01")
#: The same after a shell decoded and rewrote it; a gob has the byte 255, UTF-8 does not.
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
    """Return the form of raw results in a source, None for any other source."""
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
    """Return whether a gob begins here that was re-encoded as text."""
    encoding = encoding_of(begin)
    text = decode(begin, encoding)
    return (encoding != "utf-8" or b"\xff" not in begin) and bool(_REENCODED.search(text[:64]))


def recognises(head: Head) -> bool:
    """Return whether a source has raw results."""
    return form_of(head) is not None


def parse(source: Source) -> Iterator[Record]:
    """Yield the attacks of a source, their latencies block by block, then their totals.

    Raises
    ------
    UnreadableError
        If gzip data is damaged; the latencies before have been yielded.
    """
    form = form_of(source.head()) or "csv"
    if form == "re-encoded":
        yield Diagnostic(source.label, 0, *_REFUSED)
        return
    reader = _Reader(source, form)
    records = UntilDamage(reader.read_lines())
    yield from records
    yield from reader.finish(is_damaged=records.damage is not None)
    records.raise_damage()


def open_reader(source: Source) -> _Reader | None:
    """Return a reader for a source's span; None for any form but text."""
    form = form_of(source.head())
    return _Reader(source, form) if form in {"csv", "ndjson"} else None


class _Reader:
    """The attacks in a source or in its span."""

    def __init__(self, source: Source, form: str) -> None:
        self.source, self._form = source, form
        self._attacks: dict[tuple[int, str], Attack] = {}  # by stream and name
        self._first: Flaw | None = None
        self._end: Flaw | None = None  # the last record, if it is not a result
        self._gaps = 0
        self._pasted: Counter[str] = Counter()  # attacks after the first one, by name
        self._begins_anew = False

    @property
    def reading(self) -> Reading | None:
        """Return the attack if it is the only one."""
        attacks = list(self._attacks.values())
        return attacks[0].reading if len(attacks) == 1 else None

    def read_lines(self) -> Iterator[Record]:
        """Yield the attacks and their latencies."""
        if self._form == "gob":
            for record in read_gob(self.source):
                yield from self._take(record)
            return
        read = read_csv if self._form == "csv" else read_json
        for number, records in enumerate(read(self.source), 1):
            for record in records:
                yield from self._take(record)
            if number % (SECTION // LINE_BLOCK) == 0:
                yield from self._give()
        if self.source.span:
            yield from self._give()

    def join(self, other: Self) -> bool:
        """Append what another reader read from later results; return whether the attack goes on."""
        is_one = len(self._attacks) == 1 and self._attacks.keys() == other._attacks.keys()
        if not is_one or other._begins_anew:
            return False
        for attack, behind in zip(self._attacks.values(), other._attacks.values(), strict=True):
            attack.join(behind)
        self._first, self._end = self._first or other._first, other._end
        self._gaps += other._gaps
        return True

    def finish(self, *, is_damaged: bool = False) -> Iterator[Record]:
        """Yield the remaining latencies, the totals and the problems."""
        yield from self._give()
        attacks, first, end, gaps = self._attacks, self._first, self._end, self._gaps
        label = self.source.label
        yield from _complete(label, attacks, is_cut=is_damaged or gaps > 0)
        if is_damaged:
            return
        if not attacks:
            first = first or Flaw(0, "contains no values")
            what = f"contains no readable result of vegeta: {first.reason}"
            yield Diagnostic(label, first.line, what, "copy the file again")
            return
        if end is not None:
            what = f"the results are truncated or damaged here: {end.reason}"
            hint = "the latencies up to here are kept, without totals; copy the file again"
            yield Diagnostic(label, end.line, what, hint, "warning")
            gaps -= 1
        if first is not None and gaps:
            more = f", nor are {gaps - 1} more entries" if gaps > 1 else ""
            what = f"not a result of vegeta: it {first.reason}{more}"
            hint = "ignored; there are no totals, because results may be missing"
            yield Diagnostic(label, first.line, what, hint, "warning")

    def _take(self, record: Results | Flaw) -> Iterator[Record]:
        """Count results per attack, in the order of first appearance."""
        self._end = record if isinstance(record, Flaw) else None
        if isinstance(record, Flaw):
            self._first, self._gaps = self._first or record, self._gaps + 1
            return
        numbers, firsts = np.unique(record.attack, return_index=True)
        for row in np.sort(firsts).tolist():
            number = record.attack[row]
            part = record.pick(record.attack == number) if len(numbers) > 1 else record
            yield from self._take_attack(record.attacks[int(number)], part)

    def _take_attack(self, name: str, results: Results) -> Iterator[Record]:
        """Count results of one name; if their numbers restart at 0, another attack was pasted."""
        begins = np.flatnonzero(results.seq == 0).tolist()
        self._begins_anew |= bool(begins and self.source.span and self.source.span.start)
        for first, behind in pairwise([0, *(row for row in begins if row), len(results)]):
            part = results.pick(slice(first, behind)) if begins else results
            attack = self._attacks.get((results.stream + self._pasted[name], name))
            if attack is not None and part.seq[0] == 0 and attack.is_whole:
                self._pasted[name] += 1
                attack = None
            if attack is None:
                attack = Attack(self._form, part)
                self._attacks[results.stream + self._pasted[name], name] = attack
                yield attack.reading
            attack.extend(part)
            if attack.waiting >= BLOCK:
                yield attack.take()

    def _give(self) -> Iterator[Record]:
        """Yield the remaining latencies."""
        for attack in self._attacks.values():
            if attack.waiting:
                yield attack.take()


def _complete(
    label: str, attacks: Mapping[tuple[int, str], Attack], *, is_cut: bool
) -> Iterator[Record]:
    """Add totals, or mark the attacks as partial."""
    streams = {stream for stream, _ in attacks}
    names = {name for _, name in attacks}
    for attack in attacks.values():
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
