"""Conversion of docker stats frames to readings.

A table may be part of other text, and its refreshes are not separate runs.
"""

from __future__ import annotations

import re
from collections.abc import Iterator

from benchkit.parsers.base import Diagnostic, Head, Reading, Record, Source, strip_prefix
from benchkit.parsers.dockerstats import api, table
from benchkit.parsers.documents import read_documents
from benchkit.parsers.series import Gatherer, micros
from benchkit.reading.signs import begins_json
from benchkit.regexes import regex

_TOOL = "docker-stats"


_JSON_LINE = regex(r'^[ \t]*+\{.*"CPUPerc"\s*+:\s*+"', re.MULTILINE)
_API = (regex(r'"cpu_stats"\s*:\s*\{'), regex(r'"(?:read|memory_stats)"\s*:'))


def recognises(head: Head) -> bool:
    """Return whether a source begins like this format."""
    text = head.text
    if "CPU %" in text and any(
        table.is_header(line) for line in text.split("\n") if "CPU %" in line
    ):
        return True
    if '"CPUPerc"' in text and _JSON_LINE.search(text):
        return True
    return begins_json(text) and all(sign.search(text) for sign in _API)


def parse(source: Source) -> Iterator[Record]:
    r"""Yield readings, their samples, and diagnostics.

    Examples
    --------
    >>> text = b"NAME   CPU %   MEM USAGE / LIMIT\nredis  12.50%  1.5MiB / 1GiB\n"
    >>> reading, cpu, memory = parse(Source(None, "stats.txt", text))
    >>> cpu.subject, cpu.values.tolist(), memory.values.tolist()
    ('redis', [0.125], [1572864.0])
    """
    start = source.head().text
    if begins_json(start) and '"cpu_stats"' in start:
        yield from _answers(source)
    else:
        yield from _frames(source)


def _frames(source: Source) -> Iterator[Record]:
    header: list[str] = []
    head = 0
    current: Gatherer | None = None
    is_empty = True
    for number, line in source.lines():
        cells = _cells(line, header)
        if cells is not None:
            values = list(table.read_cells(cells)) if table.subject_of(cells) else []
            if values and current is None:
                current, is_empty = _begin(line, head or number), False
                yield current.reading
            if current is not None and values:
                subject, current.reading.last_line = table.subject_of(cells), number
                for measure, quantity in values:
                    value, step = quantity.value, quantity.resolution
                    current.add(measure, subject, value, time=None, line=number, resolution=step)
                yield from current.full_blocks()
        elif table.is_header(line):
            header, head = table.read_header(line), number
        elif line.strip():  # other text ends the table
            yield from current.blocks() if current else ()
            header, head, current = [], 0, None
    yield from current.blocks() if current else ()
    if is_empty:
        what = "the docker stats table has no row with numbers"
        yield Diagnostic(source.label, 0, what, "start the containers first")


def _begin(line: str, number: int) -> Gatherer:
    form = "json" if strip_prefix(line).startswith("{") else "table"
    return Gatherer(Reading(tool=_TOOL, form=form, line=number, last_line=number))


def _cells(line: str, header: list[str]) -> dict[str, str] | None:
    """Return a row's cells; None for any other line."""
    bare = strip_prefix(line)
    if bare.startswith("{"):
        return table.read_json(bare)
    cells = table.split(line)
    if not header or table.is_header(line) or len(cells) < 2:
        return None
    return dict(zip(header, cells, strict=False)) if _fits(header, cells) else None


def _fits(header: list[str], cells: list[str]) -> bool:
    """Return whether a row matches its header; a truncated row may miss its last cells."""
    at = header.index("CPU %")
    return len(cells) <= len(header) and (
        len(cells) <= at or cells[at] == "--" or cells[at].rstrip("%").replace(".", "").isdigit()
    )


def _answers(source: Source) -> Iterator[Record]:
    reading = Reading(tool=_TOOL, form="api", line=1)
    gatherer = Gatherer(reading)
    problems: list[Diagnostic] = []
    for line, document in read_documents(source):
        for answer in document if isinstance(document, list) else [document]:
            if isinstance(answer, Diagnostic):
                problems.append(answer)
            elif api.is_answer(answer):
                time, subject = micros(answer.get("read")), api.subject_of(answer)
                for measure, value, at, origin in api.read_answer(answer, line):
                    gatherer.add(measure, subject or None, value, time=time, line=at, origin=origin)
                    reading.last_line = max(at, reading.last_line)
    if gatherer.count:
        yield reading
        yield from gatherer.blocks()
    elif not problems:
        problems.append(
            Diagnostic(
                source.label,
                0,
                "the response contains no usage",
                "check that the container is running",
            )
        )
    yield from problems
