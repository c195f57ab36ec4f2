"""k6's raw points: ``--out json`` (NDJSON) and ``--out csv``, plain or gzipped.

Only raw points give every percentile and distributions; the rest is summed up here.

``json`` (all versions; the keys of a line in either order)

    {"type":"Metric","data":{"name":"http_reqs","type":"counter",…},"metric":"http_reqs"}
    {"metric":"http_req_duration","type":"Point","data":{"time":"2026-11-20T23:55:22.393708531Z",…

``csv`` (0.2x on; the columns after the third are the enabled system tags)

    metric_name,timestamp,metric_value,check,error,error_code,expected_response,group,method,name,…
    http_req_duration,1795219047,4.610530,,,,true,,POST,POST /shorten,HTTP/1.1,…

Times are in ms. Timestamps of the CSV are seconds unless K6_CSV_TIME_FORMAT said otherwise: the
digits tell. A second header, or a metric declared twice, begins another run. Points are not
strictly in order; the first and the last moment give start and length, both a little short of
the truth (a point's moment is the end of its request). Where points are missing, the samples are
kept, but no totals are computed: they would not be those of the run.

Not recorded by the tool: the load model, the version, the length of the run; in CSV what kind of
metric a user's own are (they are left out).
"""

from __future__ import annotations

import csv
import json
import re
from abc import ABC, abstractmethod
from collections.abc import Generator, Iterator
from dataclasses import replace
from functools import partial
from typing import Any

import numpy as np

from benchkit.parsers.base import Diagnostic, Head, Reading, Record, Source
from benchkit.parsers.k6.columns import BLOCK_BYTES, Points, read_block
from benchkit.parsers.k6.points import Gathering
from benchkit.parsers.k6.table import Rows, read_rows
from benchkit.parsers.k6.words import complete
from benchkit.reading.cleaning import clean_lines
from benchkit.reading.source import UntilDamage

_HEADER = "metric_name,timestamp,metric_value"
_HEADERS = re.compile(rb"(?m)^(metric_name,timestamp,metric_value.*\n?)")
#: If more than one row in so many is odd, all are read one by one.
_FEW = 8
_POINT = re.compile(r'^\{[^\n]*"type"\s*:\s*"(?:Metric|Point)"[^\n]*\}\s*$')
_DECODER = json.JSONDecoder(parse_float=str, parse_int=str)
#: Commas of a CSV line up to the end of its value.
_VALUE_COMMAS = 3
#: A quoted field may hold line breaks; more of them than this is damage.
_LONGEST_FIELD = 200


def recognises(head: Head) -> bool:
    """Whether the text begins with points (a cut first line is passed over) or the CSV header."""
    if not head.is_start or not head.text:
        return False
    lines = [line.strip() for line in head.text.lstrip().split("\n", 3)[:3]]
    if lines[0].startswith(_HEADER):
        return True
    return any(_POINT.match(line) and _holds_metric(line) for line in lines)


def _holds_metric(line: str) -> bool:
    return '"metric"' in line and '"data"' in line


def parse(source: Source) -> Iterator[Record]:
    """Yield runs: a reading before its samples, its totals and fields filled when it ends."""
    first = source.head().text.lstrip()
    reader = _Csv(source) if first.startswith(_HEADER) else _Json(source)
    yield from reader.read()


class _Reader(ABC):
    """What both spellings share: runs that begin and end, and lines that cannot be read."""

    form = ""

    def __init__(self, source: Source) -> None:
        self.source = source
        self.run: Gathering | None = None
        self.line = 0
        self.first_bad = self.last_bad = self.bad = self.short = 0
        self.is_damaged = False

    def read(self) -> Iterator[Record]:
        """Yield everything that the source holds; damage is raised when all else is told."""
        records = UntilDamage(self.take_all())
        yield from records
        self.is_damaged = records.damage is not None
        yield from self.flush()
        yield from self.end(at_end=True)
        records.raise_damage()

    @abstractmethod
    def take_all(self) -> Iterator[Record]:
        """Read all lines."""

    @abstractmethod
    def take(self, text: str) -> Iterator[Record]:
        """Read one line."""

    def take_points(self, points: Points, before: int) -> Iterator[Record]:
        """Take in points whose lines count from ``before``."""
        if not len(points.lines):
            return
        self.line = before + int(points.lines[0])
        run = self.run or (yield from self.begin())
        started = run.started
        given = run.extend(replace(points, lines=points.lines + before))
        if run.started and not started:
            yield run.reading
        yield from given

    def flush(self) -> Iterator[Record]:
        """Give up on a record that was still open."""
        return iter(())

    def refuse(self, line: int) -> None:
        """Note a line that is no point."""
        self.first_bad = self.first_bad or line
        self.last_bad = line
        self.bad += 1

    def begin(self) -> Generator[Record, None, Gathering]:
        """End the run before, if any, and begin one on the current line."""
        if self.run is not None:
            yield from self.end()
        reading = Reading(tool="k6", form=self.form, line=self.line, last_line=self.line)
        self.run = Gathering(reading)
        return self.run

    def point(
        self, run: Gathering, name: str, value: str, time: str, line: int
    ) -> Iterator[Record]:
        """Take in a point; the first of a run announces it."""
        started = run.started
        block = run.add(name, value, time, line)
        if run.started and not started:
            yield run.reading
        if block is not None:
            yield block

    def end(self, *, at_end: bool = False) -> Iterator[Record]:
        """End the current run: its last samples, then what was wrong with it."""
        run, self.run = self.run, None
        cut = at_end and self.last_bad == self.line > 0
        if run is not None and run.started:
            is_whole = not (self.bad or self.is_damaged or (at_end and self.short == self.line))
            run.reading.status = "complete" if is_whole else "partial"
            yield from run.close(is_whole=is_whole)
            yield from complete(run.reading, self.source.label)
            yield from self.name_unknown(run)
        elif at_end and not self.bad and not self.is_damaged:
            what = "k6's raw output without a single point"
            yield Diagnostic(self.source.label, 0, what, "see that the run has ended well")
        yield from self.name_bad(cut=cut)

    def name_unknown(self, run: Gathering) -> Iterator[Record]:
        """Say which metrics were left out."""
        if run.unknown:
            names = ", ".join(sorted(run.unknown))
            what = f"nothing tells of which kind the metrics {names} are; left out"
            hint = "give --out json or the text summary for them"
            yield Diagnostic(
                self.source.label, run.reading.line, what, hint, "warning", is_remark=True
            )

    def name_bad(self, *, cut: bool) -> Iterator[Record]:
        """Say which lines were left out."""
        label, hint = self.source.label, "the samples are kept; a killed run leaves a cut file"
        if cut:
            yield Diagnostic(label, self.line, "the last line is cut and left out", hint, "warning")
        if self.short == self.line and not cut:
            what = "the line is cut behind its value, which is kept"
            yield Diagnostic(label, self.line, what, hint, "warning")
        if self.bad > cut:
            count = self.bad - cut
            lines = f"{count} lines from here on are" if count > 1 else "the line is"
            what = f"{lines} no point{'s' if count > 1 else ''} of k6 and left out"
            yield Diagnostic(label, self.first_bad, what, "see the first of them", "warning")
        self.first_bad = self.last_bad = self.bad = self.short = 0


class _Json(_Reader):
    """Lines of ``--out json``."""

    form = "json"

    def take_all(self) -> Iterator[Record]:
        """Read all lines: those of the usual shape in columns, the others one by one."""
        before = 1
        for block in self.source.map(read_block, self.source.line_blocks(BLOCK_BYTES)):
            points, done = block.points, 0
            for line, data in block.left:
                yield from self.take_points(points.between(done, line), before)
                self.line, done = before + line, line + 1
                (text,) = clean_lines(data)
                if text.strip():
                    yield from self.take(text)
            yield from self.take_points(points.between(done, block.size), before)
            before += block.size
            self.line = before - 1

    def take(self, text: str) -> Iterator[Record]:
        record = _decode(text)
        if record is None:
            self.refuse(self.line)
            return
        name, data, declares = record
        run = self.run
        if run is None or (declares and name in run.declared):
            run = yield from self.begin()
        if declares:
            run.declare(name, str(data.get("type")), str(data.get("contains")))
            return
        try:
            yield from self.point(run, name, data["value"], data["time"], self.line)
            if name == "http_reqs":
                run.visit(str((data.get("tags") or {}).get("url", "")))
        except (ValueError, KeyError, TypeError, AttributeError):
            self.refuse(self.line)


def _decode(text: str) -> tuple[str, dict[str, Any], bool] | None:
    """Return metric, data and whether it is declared, None for a line that is no k6 record."""
    try:
        record = _DECODER.decode(text.strip())
    except (ValueError, RecursionError):
        return None
    if not isinstance(record, dict):
        return None
    name, data, kind = record.get("metric"), record.get("data"), record.get("type")
    if not isinstance(name, str) or not isinstance(data, dict) or kind not in {"Metric", "Point"}:
        return None
    return name, data, kind == "Metric"


class _Csv(_Reader):
    """Lines of ``--out csv``."""

    form = "csv"

    def __init__(self, source: Source) -> None:
        super().__init__(source)
        self.columns: list[str] = []
        self.open: list[tuple[int, str]] = []

    def take_all(self) -> Iterator[Record]:
        """Read all lines: under a header in columns where they are rows without quotes."""
        before = 1
        columns = self.source.head().text.lstrip().partition("\n")[0].strip().split(",")
        read = partial(read_rows, columns=columns)
        for rows in self.source.map(read, self.source.line_blocks()):
            data = rows.after(0)
            if self.columns == columns and _HEADER.encode() not in data:
                before += yield from self.take_rows(rows, before)
                continue
            for part in filter(None, _HEADERS.split(data)):
                before += yield from self.take_part(part, before)

    def take_part(self, data: bytes, before: int) -> Generator[Record, None, int]:
        """Read lines between two headers, or a header; return how many they are."""
        if self.run is None or data.startswith(_HEADER.encode()):
            return (yield from self.take_lines(clean_lines(data), before))
        return (yield from self.take_rows(read_rows(data, self.columns), before))

    def take_rows(self, rows: Rows, before: int) -> Generator[Record, None, int]:
        """Take in lines under a header; return how many they are."""
        points, done, size = rows.points, 0, len(rows.good)
        if _FEW * np.count_nonzero(~rows.good) > size:
            return (yield from self.take_lines(clean_lines(rows.after(0)), before))
        columns = self.columns
        for turn in (*np.flatnonzero(~rows.good).tolist(), size):
            while done < turn and self.open:
                yield from self.take_lines(clean_lines(rows.text(done)), before + done)
                done += 1
            if done < turn:
                self.short = 0
                yield from self.take_points(points.between(done, turn), before)
            if done <= turn < size:
                yield from self.take_lines(clean_lines(rows.text(turn)), before + turn)
            done = max(done, turn + 1)
            if self.columns is not columns:  # the odd one was a header
                yield from self.take_part(rows.after(done), before + done)
                return size
        self.line = before + size - 1
        return size

    def take_lines(self, lines: list[str], number: int) -> Generator[Record, None, int]:
        """Read lines one by one; ``number`` is that of the first. Return how many they are."""
        for self.line, text in enumerate(lines, number):
            if text.strip():
                yield from self.take(text)
        return len(lines)

    def take(self, text: str) -> Iterator[Record]:
        if text.startswith(_HEADER):
            yield from self.flush()
            yield from self.begin()
            self.columns = text.strip().split(",")
        elif self.open or text.count('"') % 2:
            yield from self.join(text)
        else:
            yield from self.row(text, self.line)

    def join(self, text: str) -> Iterator[Record]:
        """Collect the lines of a record with a line break in a quoted field."""
        self.open.append((self.line, text))
        if len(self.open) > _LONGEST_FIELD:
            yield from self.flush()
        elif text.count('"') % 2 and len(self.open) > 1:
            whole, line = "\n".join(text for _, text in self.open), self.open[0][0]
            if len(_split(whole)) == len(self.columns):
                self.open = []
                yield from self.row(whole, line)
            else:
                yield from self.flush()

    def flush(self) -> Iterator[Record]:
        """Read an open record's lines one by one after all."""
        lines, self.open = self.open, []
        for line, text in lines:
            yield from self.row(text, line)

    def row(self, text: str, line: int) -> Iterator[Record]:
        """Read one record; a comma after the value shows that the value is whole."""
        if self.run is None or text.count(",") < _VALUE_COMMAS:
            self.refuse(line)
            return
        whole = text.count(",") >= len(self.columns) - 1
        self.short = 0 if whole else line
        name, time, value, rest = text.split(",", 3)
        try:
            yield from self.point(self.run, name, value, time, line)
            if whole and name == "http_reqs" and "url" in self.columns:
                self.run.visit(_split(rest)[self.columns.index("url") - 3])
        except (ValueError, IndexError):
            self.refuse(line)


def _split(text: str) -> list[str]:
    try:
        return next(csv.reader([text]), [])
    except csv.Error:
        return []
