"""k6's raw points: ``--out json`` (NDJSON) and ``--out csv``, plain or gzipped.

Only raw points give every percentile and distribution; other metrics are totalled here.

``json`` (all versions; the keys of a line in any order)

    {"type":"Metric","data":{"name":"http_reqs","type":"counter",…},"metric":"http_reqs"}
    {"metric":"http_req_duration","type":"Point","data":{"time":"2026-11-20T23:55:22.393708531Z",…

``csv`` (from 0.2x on; the columns after the third are the enabled system tags)

    metric_name,timestamp,metric_value,check,error,error_code,expected_response,group,method,name,…
    http_req_duration,1795219047,4.610530,,,,true,,POST,POST /shorten,HTTP/1.1,…

Times are in ms. CSV timestamps are seconds unless K6_CSV_TIME_FORMAT is set; the number of digits
shows the unit. A second header, or a second declaration of a metric, begins another run. Points are
not strictly in order; the first and the last time give start and length, both slightly inaccurate
(the time of a point is the end of its request). If points are missing, the samples are kept, but no
totals are computed: they would not be those of the run.

Not recorded by the tool: the load model, the version and the length of the run; in CSV also the
kind of user-defined metrics (which are left out).
"""

from __future__ import annotations

import csv
import json
from abc import ABC, abstractmethod
from collections.abc import Callable, Iterator
from functools import partial
from typing import ClassVar, Self

from benchkit.parsers.base import Diagnostic, Head, Reading, Record, Source
from benchkit.parsers.k6 import columns
from benchkit.parsers.k6.columns import FIRST, HEADER, Block, Points
from benchkit.parsers.k6.points import Run
from benchkit.parsers.k6.words import complete
from benchkit.reading.cleaning import clean_lines
from benchkit.reading.damage import UntilDamage
from benchkit.reading.delimited import header_of, respelled
from benchkit.reading.spans import SECTION
from benchkit.regexes import regex

#: Bytes of a block; large, because each metric of a block costs a few calls.
BLOCK_BYTES = 4 << 20
_POINT = regex(r'^\{(?:(?!"type"\s*+:\s*+"(?:Metric|Point)")[^\n])*+"type"\s*:\s*"[^\n]*\}\s*$')
_DECODER = json.JSONDecoder(parse_float=str, parse_int=str)


def recognises(head: Head) -> bool:
    """Return whether a text begins with points (after a truncated first line) or the CSV header."""
    if not head.is_start or not head.text:
        return False
    lines = [line.strip() for line in head.text.lstrip().split("\n", 3)[:3]]
    return (
        lines[0].startswith(HEADER)
        or _begins_saved(lines[0])
        or any('"metric"' in line and '"data"' in line and _POINT.match(line) for line in lines)
    )


def parse(source: Source) -> Iterator[Record]:
    """Yield runs: the reading, then its samples; totals and fields are filled in at the end."""
    reader = _open(respelled(source) if _begins_saved(source.head().text) else source)
    records = UntilDamage(reader.read_lines())
    yield from records
    yield from reader.finish(is_damaged=records.damage is not None)
    records.raise_damage()


def open_reader(source: Source) -> _Reader | None:
    """Return a reader for a source's span; None for a table saved by a spreadsheet."""
    return None if _begins_saved(source.head().text) else _open(source)


def _begins_saved(text: str) -> bool:
    """Return whether a text begins with a table saved by a spreadsheet with other separators."""
    first = text.lstrip().partition("\n")[0]
    return not first.startswith(HEADER) and header_of(first)[:FIRST] == HEADER.split(",")


def _open(source: Source) -> _Reader:
    first = source.head().text.lstrip().partition("\n")[0].strip()
    return _Csv(source, first.split(",")) if first.startswith(HEADER) else _Json(source)


class _Reader(ABC):
    """The common part of both formats: where runs begin and end, and lines that cannot be read."""

    FORM: ClassVar[str]

    def __init__(self, source: Source, read_block: Callable[[bytes], Block]) -> None:
        self.source = source
        self.records: list[Record] = []
        self.run: Run | None = None
        self.line = self.first_bad = self.last_bad = self.bad = self.short = 0
        self.runs = 0
        self._read_block = read_block
        if source.span is not None and source.span.start:
            self.line = source.span.lines
            self.begin()

    @property
    def reading(self) -> Reading | None:
        """Return the run if it is the only one."""
        return self.run.reading if self.run and self.runs == 1 and self.run.is_begun else None

    def read_lines(self) -> Iterator[Record]:
        """Read lines of the usual shape in columns, and the others one by one."""
        blocks = self.source.map(self._read_block, self.source.line_blocks(BLOCK_BYTES))
        for number, block in enumerate(blocks, 1):
            self.take_block(block)
            if self.run and number % (SECTION // BLOCK_BYTES) == 0:
                self.records += self.run.give(is_last=True)
            yield from self.records
            self.records.clear()
        if self.run and self.source.span:
            yield from self.run.give(is_last=True)

    def finish(self, *, is_damaged: bool = False) -> Iterator[Record]:
        """Yield the records that are complete only at the end."""
        self.end(is_last=True, is_damaged=is_damaged)
        yield from self.records

    def join(self, other: Self) -> bool:
        """Append what another reader read from later lines; return whether the run continues."""
        if self.run is None or other.run is None or self.runs > 1 or other.runs > 1:
            return False
        self.line = other.line
        self.bad += other.bad
        self.first_bad = self.first_bad or other.first_bad
        self.last_bad, self.short = other.last_bad or self.last_bad, other.short or self.short
        return self.run.join(other.run)

    def take_block(self, block: Block) -> None:
        """Process the next lines."""
        before, done = self.line + 1, 0
        for line, data in block.left:
            if done < line:
                self.take_points(block.points.between(done, line), before)
            self.line, done = before + line, line + 1
            (text,) = clean_lines(data)
            if text.strip():
                self.take(text)
        self.take_points(block.points.between(done, block.size), before)
        self.line = before + block.size - 1
        if self.run:
            self.records += self.run.give()

    def take_points(self, points: Points, before: int) -> None:
        """Process points whose lines count from ``before``."""
        if len(points.lines):
            self.line = before + int(points.lines[0])
            run = self.run or self.begin()
            self.records += run.extend(points._replace(lines=points.lines + before))

    @abstractmethod
    def take(self, text: str) -> None:
        """Read one line."""

    def refuse(self) -> None:
        """Count a line that is not a point."""
        self.first_bad = self.first_bad or self.line
        self.last_bad = self.line
        self.bad += 1

    def begin(self) -> Run:
        """End the previous run, if any, and begin one on the current line."""
        if self.run is not None:
            self.end()
        self.runs += 1
        self.run = Run(Reading(tool="k6", form=self.FORM, line=self.line, last_line=self.line))
        return self.run

    def end(self, *, is_last: bool = False, is_damaged: bool = False) -> None:
        """End the current run: record its last samples, then its problems."""
        run, self.run = self.run, None
        is_cut = is_last and 0 < self.last_bad == self.line
        is_short = 0 < self.short == self.line
        if run is not None and run.is_begun:
            is_whole = not (self.bad or is_damaged or is_short)
            run.reading.status = "complete" if is_whole else "partial"
            self.records += run.close(is_whole=is_whole)
            self.records += complete(run.reading, self.source.label)
            if run.unknown:
                names = ", ".join(sorted(run.unknown))
                what = f"the type of the metrics {names} is unknown; left out"
                hint = "to include them, use --out json or the text summary"
                self.warn(run.reading.line, what, hint, is_remark=True)
        elif is_last and not self.bad and not is_damaged:
            what, hint = (
                "k6's raw output without any data point",
                "check that the run ended normally",
            )
            self.records.append(Diagnostic(self.source.label, 0, what, hint))
        if is_cut or is_short:
            end = "and left out" if is_cut else "after its value, which is kept"
            what = f"the {'last ' * is_cut}line is truncated {end}"
            self.warn(self.line, what, "the samples are kept; a killed run leaves a truncated file")
        if self.bad > is_cut:
            count = self.bad - is_cut
            lines = f"{count} lines from here on are" if count > 1 else "the line is"
            what = f"{lines} not data point{'s' * (count > 1)} of k6, and left out"
            self.warn(self.first_bad, what, "check the first of these lines")
        self.first_bad = self.last_bad = self.bad = self.short = 0

    def warn(self, line: int, what: str, hint: str, *, is_remark: bool = False) -> None:
        """Report a problem of a line, or of the run that begins on it."""
        label = self.source.label
        self.records.append(Diagnostic(label, line, what, hint, "warning", is_remark=is_remark))


class _Json(_Reader):
    """Lines of ``--out json``."""

    FORM = "json"

    def __init__(self, source: Source) -> None:
        super().__init__(source, columns.read_json)
        if self.run and source.span:
            for line in clean_lines(source.span.before):
                self.take(line)
            self.run.declared_before = self.run.declared.copy()
            self.first_bad = self.last_bad = self.bad = 0

    def take(self, text: str) -> None:
        match _decode(text):
            case {"type": "Metric", "metric": str(name), "data": {**data}}:
                run = self.run
                if run is None or name in run.declared:
                    run = self.begin()
                run.declare(name, str(data.get("type")), str(data.get("contains")))
            case {
                "type": "Point",
                "metric": str(name),
                "data": {"time": str(time), "value": str(value), **data},
            }:
                tags = data.get("tags")
                url = tags.get("url", "") if isinstance(tags, dict) else ""
                try:
                    (self.run or self.begin()).add(name, value, time, self.line, str(url))
                except ValueError:
                    self.refuse()
            case _:
                self.refuse()


def _decode(text: str) -> object:
    """Return the content of a line, None if it is damaged."""
    try:
        return _DECODER.decode(text.strip())
    except (ValueError, RecursionError):
        return None


class _Csv(_Reader):
    """Lines of ``--out csv``."""

    FORM = "csv"

    def __init__(self, source: Source, names: list[str]) -> None:
        super().__init__(source, partial(columns.read_csv, columns=names))
        self.first = self.names = names
        self.is_open = False  # whether a quoted field continues on the next line

    def join(self, other: Self) -> bool:
        """Append what another reader read, unless a quoted field continues into it."""
        is_open, self.is_open = self.is_open, other.is_open
        return not is_open and super().join(other)

    def take_block(self, block: Block) -> None:
        super().take_block(block if self.names == self.first else block.leave_all())

    def take_points(self, points: Points, before: int) -> None:
        super().take_points(points, before)
        self.is_open &= not len(points.lines)

    def take(self, text: str) -> None:
        if text.startswith(HEADER):
            self.begin()
            self.names, self.is_open = text.strip().split(","), False
            return
        size, commas, is_odd = len(self.names) - 1, text.count(","), text.count('"') % 2 == 1
        is_point = commas >= (size if self.is_open else FIRST) and self.add(
            text, has_url=commas >= size and not is_odd
        )
        if not is_point and not self.is_open:
            self.refuse()
        self.is_open = is_odd if is_point else self.is_open and not is_odd
        if self.is_open or (is_point and commas < size):
            self.short = self.line

    def add(self, text: str, *, has_url: bool) -> bool:
        """Add the point of a row; the comma after the value shows that the value is complete."""
        name, time, value, rest = text.split(",", FIRST)
        has_url = has_url and name == "http_reqs" and "url" in self.names
        try:
            url = next(csv.reader([rest]))[self.names.index("url") - FIRST] if has_url else None
            (self.run or self.begin()).add(name, value, time, self.line, url)
        except (ValueError, IndexError, csv.Error):
            return False
        return True
