"""Reports that tools print as text: line patterns to values, located among other lines.

Reports of all tools appear one below the other, below shell prompts, between other text, and with
their heads or tails cut off. A number is only read from a whole line; a cut or changed line does
not match and is not guessed. Foreign lines may appear inside a report (a log, a warning, a prompt):
it continues with the next line, unless a heading or a command separates the two.
"""

from __future__ import annotations

import re
from abc import ABC, abstractmethod
from collections.abc import Callable, Iterator
from dataclasses import dataclass, field
from typing import Any, ClassVar, NamedTuple

from benchkit.errors import Diagnostic
from benchkit.reading.cleaning import bare, drop_notes, find_command
from benchkit.reading.heading_lines import begins_section
from benchkit.reading.records import Reading, Record
from benchkit.reading.remarks import (
    ABSENT,
    APART,
    LOOSE,
    SCANTY,
    Loose,
    list_lines,
    report_damaged,
    report_incomplete,
    with_article,
)
from benchkit.reading.source import Source, UntilDamage
from benchkit.redaction import show_part
from benchkit.regexes import regex
from benchkit.units import Quantity, read_number

Fields = tuple[str, ...]
#: A line and its fields; None for the fields if the line is known but its value is damaged.
Event = tuple["Line", Fields | None]
_LOG_PREFIX = regex(r"(?:\d{4}-\d\d-\d\dT\S+|[\w.-]+\s+\|)(?:\s+|$)")
#: A command with a URL, then a line of its output; arguments are a tool and that line.
CALLED = r"(?>(?:[^\n]*?[ \t/$#>%])??{} ++)(?=[^\n]*://)[^\n]*+\n(?:[^\n]*+\n){{0,3}}?[ \t>|]*+{}"
#: Maximum number of lines between two of one part of a report, such as a histogram.
_CLOSE = 40
#: A last line without its end, directly below rows, that may be cut: not a prompt.
IS_CUT = regex(r"[\w\"].*(?<![$#>%])\Z")
#: Maximum number of foreign lines above a line that looks damaged.
_FEW_STRAYS = 1


class Value(NamedTuple):
    """The observation for a field of a line, and the conversion to its base unit."""

    metric: str
    stat: str
    unit: str
    read: Callable[[str], Quantity]
    subject: str | None = None


@dataclass(frozen=True, slots=True)
class Line:
    """One line of a report.

    Lines with one ``name`` are alternatives in one place; ``_take_NAME`` of the report (or of
    ``take``, if several places share one) processes its fields. The ``pattern`` matches the text
    after the ``label`` and its colon, or the whole line. ``values`` are the observations of the
    fields.
    """

    name: str
    pattern: str = ""
    label: str = ""
    values: tuple[Value, ...] = ()
    take: str = ""
    under: str = ""  # the place required for it to belong to the report
    needed: str = ""  # how a diagnostic names what a report without it is missing
    is_proof: bool = False  # whether no other tool prints it
    is_repeated: bool = False  # whether it may occur several times
    is_opening: bool = False  # whether a report without its head may begin here
    is_vague: bool = False  # whether foreign lines look like it: only directly below its report
    start: str = ""  # part by which an opening line is recognised if the rest is altered
    expression: re.Pattern[str] = field(init=False)

    def __post_init__(self) -> None:
        """Prepare the pattern."""
        object.__setattr__(self, "expression", regex(self.pattern, re.ASCII))


#: A line with numbers that cannot be read.
UNREADABLE = Line("unreadable")


class Report(ABC):
    """One report whose lines are still arriving; one subclass per tool."""

    TOOL: ClassVar[str]
    #: In the order in which they are printed.
    LINES: ClassVar[tuple[Line, ...]] = ()
    #: Beginnings of number lines without a label: if their form is unknown, they are damaged.
    NUMBERS: ClassVar[re.Pattern[str]] = regex("$^")
    _labelled: ClassVar[dict[str, list[Line]]]
    _bare: ClassVar[list[Line]]
    _started: ClassVar[list[tuple[re.Pattern[str], Line]]]
    ranks: ClassVar[dict[str, int]]
    _takers: ClassVar[dict[str, Callable[[Any, Line, Fields, int], None]]]

    def __init_subclass__(cls) -> None:
        """Sort the lines by how they are recognised."""
        cls._labelled = {}
        for line in cls.LINES:
            cls._labelled.setdefault(line.label, []).append(line)
        cls._bare = cls._labelled.pop("", [])
        cls._started = [(regex(line.start), line) for line in cls.LINES if line.start]
        cls.ranks = {name: rank for rank, name in enumerate({x.name: 0 for x in cls.LINES})}
        takers = (
            (line.name, f"_take_{line.take or line.name}".replace(" ", "_")) for line in cls.LINES
        )
        cls._takers = {name: getattr(cls, take) for name, take in takers if hasattr(cls, take)}

    def __init__(self, line: int, command: str | None) -> None:
        self.reading = Reading(tool=self.TOOL, form="text", line=line, command=command)
        self.rank = -1
        self.seen: set[str] = set()
        self.proofs: set[str] = set()
        self.strays = 0  # foreign lines since the last line
        self.is_parted = False  # whether a heading is among them
        self.altered = ""  # the opening line, if it is altered
        self.damaged: list[tuple[int, str]] = []  # lines from which no value is read

    @classmethod
    def read_line(cls, text: str) -> Event | None:
        """Return the line that matches a text, with its fields; None if it belongs to no report."""
        (label, colon, value), lines = text.partition(":"), cls._bare
        if colon and label in cls._labelled:
            lines, text = cls._labelled[label], value.strip()
        for line in lines:
            match = line.expression.fullmatch(text)
            if match is not None:
                return line, match.groups()
        if lines is not cls._bare:
            return lines[0], None
        is_damaged = (*cls._started, (cls.NUMBERS, UNREADABLE))
        return next(((line, None) for start, line in is_damaged if start.match(text)), None)

    @property
    def is_proven(self) -> bool:
        """Whether at least two lines have arrived that only this tool prints."""
        return len(self.proofs) > 1

    def expects(self, line: Line) -> bool:
        """Whether a line may come next."""
        if line is UNREADABLE:
            is_next = self.LINES[-1].is_repeated or self.rank + 1 < len(self.ranks)
            return is_next and self.strays <= _FEW_STRAYS
        if line.under and line.under not in self.seen:
            return False
        rank = self.ranks[line.name]
        return rank > self.rank or (rank == self.rank and line.is_repeated)

    def resumes(self, line: Line, _: Fields) -> bool:
        """Whether a line continues the report below foreign lines: none is left out."""
        ranks, rank = self.ranks, self.ranks[line.name]
        certain = (ranks[each.name] for each in self.LINES if each.needed or each.is_proof)
        is_next = not any(self.rank < each < rank for each in certain)
        return is_next and not (self.is_parted or line.is_vague)

    def interrupt(self, text: str) -> None:
        """Record a line that does not belong to the report."""
        self.strays += 1
        self.is_parted |= begins_section(text)

    def take(self, line: Line, fields: Fields, number: int) -> bool:
        """Add a line; False if it cannot follow the lines so far."""
        is_next = self.expects(line) and (not self.strays or self.resumes(line, fields))
        if is_next:
            self.accept(line, fields, number)
        return is_next

    def accept(self, line: Line, fields: Fields, number: int) -> None:
        """Add a line that follows the lines so far."""
        self.strays, self.is_parted = 0, False
        self.rank = self.ranks[line.name]
        if line.is_proof:
            self.proofs.add(line.name)
        self.reading.last_line = number
        for value, text in zip(line.values, fields, strict=False):
            if text is not None:
                self.add(value, text, number)
        self.seen.add(line.name)
        if taker := self._takers.get(line.name):
            taker(self, line, fields, number)

    def add(self, value: Value, text: str, number: int) -> None:
        """Add the observations of a field."""
        metric, stat, unit, read, subject = value
        quantity = read(text)
        self.reading.add(metric, stat, quantity.value, unit, number, subject=subject,
                         resolution=quantity.resolution)  # fmt: skip
        if metric == "duration" and subject is None:
            self.reading.duration = quantity.value

    def missing(self) -> list[str]:
        """List the lines of a complete report that this one is missing."""
        return [x.needed for x in self.LINES if x.needed and x.name not in self.seen]

    def incomplete(self, label: str, missing: list[str]) -> Diagnostic:
        """Return the diagnostics of a report with missing lines."""
        return report_incomplete(self.reading, label, list_lines(missing))

    @abstractmethod
    def finish(self, label: str) -> Iterator[Record]:
        """Yield the reading and its diagnostics."""


class Reader:
    """The open report, the command above it, and the completed records."""

    KIND: ClassVar[type[Report]]
    #: The tool's display name, and a pattern of its executables if they have other names.
    NAMES: ClassVar[str] = ""
    EXECUTABLES: ClassVar[str] = ""
    #: Lines that may appear inside a report although they contain nothing to keep.
    FURNITURE: ClassVar[re.Pattern[str]]
    #: Signs that a line above a report is a command rather than prose about the tool.
    ARGUMENTS: ClassVar[re.Pattern[str]] = regex(r"\s-[a-zA-Z]|://")
    #: Whether single lines are recognised after a log's prefix.
    IS_LOGGED: ClassVar[bool] = False
    #: Whether nothing marks the end of a report.
    IS_LIST: ClassVar[bool] = False

    def __init__(self, label: str) -> None:
        self.label = label
        self.records: list[Record] = []
        self.command: str | None = None
        self.report: Any = None
        self.has_reports = False
        self.text = ""  # the current line, with its surroundings
        self.is_called = False  # whether the line above is a command of the tool
        self.parts: list[Diagnostic] = []  # remarks on parts of reports next to complete ones
        self.last_part = -_CLOSE  # the last line of the last one

    @classmethod
    def parse(cls, source: Source) -> Iterator[Record]:
        """Yield the reports of a source, each followed by its diagnostics.

        Raises
        ------
        UnreadableError
            If gzip is damaged; everything before the damage has been yielded.
        """
        reader, is_empty = cls(source.label), True
        lines = UntilDamage(source.ended_lines())
        for number, text, is_ended in lines:
            if is_ended or not cls.may_be_cut(text):
                reader.feed(number, text)
            else:
                reader.leave_cut(number, text)
            if reader.records:
                is_empty = False
                yield from reader.records
                reader.records.clear()
        reader.end()
        yield from reader.records
        lines.raise_damage()
        if is_empty and not reader.records:
            yield ABSENT.at(source.label, 0, names=cls.NAMES or cls.KIND.TOOL)

    @staticmethod
    def may_be_cut(text: str) -> bool:
        """Return whether a cut may have shortened a line unnoticed: one that ends in a number."""
        return text.rstrip()[-1:].isdigit()

    def leave_cut(self, number: int, text: str) -> None:
        """Drop a last line without a line end, and report it if it is part of a report."""
        report, line = self.report, bare(text)
        is_whole = report is not None and (self.IS_LIST or not report.missing())
        if is_whole and report.is_proven and not report.strays:
            event = self.KIND.read_line(line)
            is_row = self.IS_LIST and IS_CUT.match(line) is not None
            if event[0].is_opening or report.expects(event[0]) if event else is_row:
                self._report_altered(number, line)

    def feed(self, number: int, text: str) -> None:
        """Process a line of the source."""
        self.text = text
        if line := bare(text):
            self.read(number, line)

    def read(self, number: int, line: str) -> None:
        """Process a line without its surroundings."""
        event = self.KIND.read_line(line)
        if event is None and self.IS_LOGGED and (prefix := _LOG_PREFIX.match(line)):
            line = line[prefix.end() :]
            event = self.KIND.read_line(line) if line else None
        if event is None or event[1] is None or event[0].is_vague:
            event = self._read_noted(line, event)
        if event is None:
            self.skip(line)
        else:
            self.take(number, line, *event)

    def _read_noted(self, line: str, event: Event | None) -> Event | None:
        """Return the line before a note; in a long log only one that may begin a report."""
        is_near = self.report is not None and self.report.strays < _CLOSE
        if event is None and not (is_near or line[:1].isupper()):
            return None
        noted = filter(None, map(self.KIND.read_line, drop_notes(line)))
        is_sure = (each for each in noted if each[1] is not None and not each[0].is_vague)
        return next(is_sure, event)

    def take(self, number: int, text: str, line: Line, fields: Fields | None) -> bool:
        """Process a line of a report, which may begin another one; False if it belongs to none."""
        report = self.report
        if fields is None:
            if line.start:
                self._begin_altered(number, text, line)
            elif report is not None and report.is_proven and report.expects(line):
                self._report_altered(number, text)
            return False
        is_taken = report is not None and report.take(line, fields, number)
        is_taken = is_taken or self.begin(number, line, fields)
        if not is_taken and report is not None and report.is_proven and report.expects(line):
            self._leave_out(number, text)
        elif not is_taken and (line.values or line.needed or line.is_proof):
            self.pass_over(number, line)
        return is_taken

    def _begin_altered(self, number: int, text: str, line: Line) -> None:
        self.close()
        self.report = self.KIND(number, self.command)
        self.report.rank, self.report.altered = self.report.ranks[line.name], text

    def _report_altered(self, number: int, text: str) -> None:
        self.records.append(report_damaged(self.KIND.TOOL, self.label, number, text))

    def _leave_out(self, number: int, text: str) -> None:
        """Report that the first line below foreign lines is not read, and end the report."""
        report = self.report
        words = {"tool": report.TOOL, "first": report.reading.line, "text": show_part(text)}
        remark = APART.at(self.label, number, last=report.reading.last_line, **words)
        self.close()
        self.records.append(remark)

    def pass_over(self, number: int, _: Line | None) -> None:
        """Report that the first line below a command is not read, and other lines at the end."""
        a_tool = with_article(self.KIND.TOOL)
        if self.is_called and self.report is None:
            self.records.append(SCANTY.at(self.label, number, a_tool=a_tool))
        elif number > self.last_part + _CLOSE:
            what = LOOSE.what.format(a_tool=a_tool)
            self.parts.append(Loose(self.label, number, what, LOOSE.hint, LOOSE.severity))
        self.last_part, self.is_called = number, False

    def begin(self, number: int, line: Line, fields: Fields) -> bool:
        """Open a report at a line, if one can begin there."""
        if line.is_opening:
            self.close()
            self.report = self.KIND(number, self.command)
            self.report.take(line, fields, number)
        return line.is_opening

    def skip(self, line: str) -> None:
        """Skip a line outside of a report; it may be a command, which ends the report."""
        if (command := self.find_call(line)) is not None:
            self.close()
        elif self.report is not None and not self.FURNITURE.match(line):
            self.report.interrupt(self.text)
        self.is_called = command is not None
        self.command = command or self.command

    def find_call(self, line: str) -> str | None:
        """Return the command line that a line shows, if any."""
        is_named = self.KIND.TOOL.rpartition("_")[2] in line  # redis-benchmark, valkey-benchmark
        command = find_command(line, self.EXECUTABLES or self.KIND.TOOL) if is_named else None
        return command if command and self.ARGUMENTS.search(command) else None

    def close(self) -> None:
        """Close the open report."""
        report, self.report = self.report, None
        if report is not None and report.is_proven:
            self.records.extend(report.finish(self.label))
            self.records += (report_damaged(report.TOOL, self.label, *x) for x in report.damaged)
            self.command, self.has_reports, self.is_called = None, True, False
            reading = report.reading
            if report.altered and not (reading.target and reading.connections):
                self._report_altered(reading.line, report.altered)
        elif report is not None and report.proofs:
            self.pass_over(report.reading.line, None)

    def end(self) -> None:
        """End the source, and report parts of reports next to complete ones."""
        self.close()
        if self.has_reports:
            self.records += self.parts


def decimal(resolution: float) -> Callable[[str], Quantity]:
    """Return a function that parses a number, printed in steps of ``resolution``, to base units."""
    return lambda text: Quantity(read_number(text), resolution)
