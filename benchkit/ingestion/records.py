"""What a parser yields, until it ends or fails."""

from __future__ import annotations

from bisect import bisect
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import replace
from operator import itemgetter

from benchkit.errors import DataError, Diagnostic
from benchkit.parsers.base import Format, Reading, Repeats, Samples, Source
from benchkit.parsers.documents import TRUNCATED
from benchkit.reading.bounds import limit_runs
from benchkit.reading.damage import UnreadableError
from benchkit.reading.remarks import Loose


def parse_records(
    form: Format, source: Source, diagnostics: list[Diagnostic]
) -> Iterator[Reading | Repeats | Samples]:
    """Yield what a parser reads; its diagnostics, and its own failure, are put aside.

    Raises
    ------
    DataError
        If there are more runs and faults than a file of this size can tell.
    """
    last: Reading | Repeats | Samples | None = None
    most, count = limit_runs(source.size), 0
    try:
        for record in form.parse(source):
            count += isinstance(record, Reading | Diagnostic)
            if count > most:
                what = (
                    f"this file of {source.size:,} bytes contains more than {most:,} runs and "
                    "problems"
                )
                raise DataError(what, where=source.label, hint="split it into several files")
            if isinstance(record, Diagnostic):
                diagnostics.append(_name_tool(record, form))
                continue
            last = record
            yield record
    except UnreadableError as error:
        diagnostics.append(
            Diagnostic(
                source.label,
                _last_line(last),
                f"{error}; everything before it was read",
                "write the file again",
                "warning",
            )
        )


def leave_out_loose(
    diagnostics: Sequence[Diagnostic], readings: Iterable[Reading]
) -> list[Diagnostic]:
    """Leave out what one format says of lines of a report that another one has read."""
    spans = sorted((reading.line, reading.last_line) for reading in readings)

    def is_read(line: int) -> bool:
        at = bisect(spans, line, key=itemgetter(0))
        return at > 0 and line <= spans[at - 1][1]

    return [each for each in diagnostics if not (isinstance(each, Loose) and is_read(each.line))]


def _name_tool(problem: Diagnostic, form: Format) -> Diagnostic:
    """Say whose JSON it is that has no end; an exported table is of no tool."""
    if problem.what != TRUNCATED or not form.tools:
        return problem
    return replace(problem, what=f"JSON of {form.tools[0]}, {problem.what}")


def _last_line(record: Reading | Repeats | Samples | None) -> int:
    """Return the line up to which a source was surely read."""
    if record is None:
        return 0
    if isinstance(record, Repeats):
        return int(record.lines[-1])
    return (record if isinstance(record, Reading) else record.reading).last_line
