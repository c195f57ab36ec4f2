"""Conversion of Go benchmark results (name, iteration count and measurements) to readings.

A source may end inside its last line, and half a number or unit is not a result.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, field
from math import isfinite
from typing import TYPE_CHECKING, NamedTuple

from benchkit.errors import Diagnostic
from benchkit.parsers.base import Reading, Repeats
from benchkit.parsers.gobench.failures import LOST, Failure
from benchkit.parsers.gobench.lines import Line
from benchkit.parsers.gobench.survey import Stream, Survey, Waiting
from benchkit.parsers.gobench.units import STANDARD, Unit, read_unit
from benchkit.reading.cleaning import split_note
from benchkit.redaction import show_part
from benchkit.regexes import regex

if TYPE_CHECKING:
    from benchkit.parsers.gobench.columns import Table

_INT64_DIGITS = 18
_NUMBER = regex(r"[+-]?(?:[0-9]+(?:\.([0-9]*))?|\.([0-9]+))(?:[eE]([+-]?[0-9]{1,3}))?")
_NOT_FINITE = regex(r"[+-]?(?:nan|inf|infinity)", re.IGNORECASE)


class Measure(NamedTuple):
    """One value in its base unit, with the rounding step of its text."""

    unit: Unit
    value: float
    step: float


@dataclass(slots=True)
class Measures:
    """The content of a result line.

    Parameters
    ----------
    found : list of Measure
    not_finite : list of str
        Infinite and undefined numbers, with their units: ``NaN p99-ns``.
    problem : str
        Why the rest of the line could not be read; empty if it was read.
    """

    found: list[Measure] = field(default_factory=list)
    not_finite: list[str] = field(default_factory=list)
    problem: str = ""


class Results:
    """A converter of results to readings.

    Parameters
    ----------
    known : Survey
        The survey of the whole source.
    report : callable
        Takes a line number and a description of the loss.
    """

    def __init__(self, known: Survey, report: Callable[[int, str], None]) -> None:
        self._known = known
        self._report = report
        self._layouts: set[tuple[str, ...]] = set()
        self._shared: dict[tuple[str, tuple[object, ...]], Reading] = {}
        self._failed: set[int] = set()

    def read(
        self, line: Line, stream: Stream, waiting: Waiting, count: str, words: Sequence[str]
    ) -> Reading | None:
        """Return the reading of a result.

        Without a measurement it returns None and sets ``waiting.problem`` to the reason, unless
        that has been reported already.
        """
        if len(count) > _INT64_DIGITS:
            waiting.problem = "the iteration count is too large to be true"
            return None
        words, note = split_note(words)
        kept = words if line.closed or note else self._trust(words, line.text)
        measures = read_measures(kept)
        cut = not (line.closed or note) and (len(kept) < len(words) or self._lacks_some(kept))
        if cut:
            measures.problem = "the source ends inside its result"
        if cut or measures.found or measures.not_finite:
            self._report_losses(line.number, waiting.name, measures)
        else:
            waiting.problem = measures.problem
        if not measures.found:
            return None
        if not measures.problem:
            self._layouts.add(tuple(words[1::2]))
        reading = self._fill(line, stream, waiting, int(count), measures)
        reading.note = note
        return reading

    def _fill(
        self, line: Line, stream: Stream, waiting: Waiting, count: int, measures: Measures
    ) -> Reading:
        number, time = line.number, line.time
        reading = self._begin(stream, waiting.name, waiting.first)
        reading.last_line = number
        if reading.status != "failed":
            reading.status = "partial" if measures.problem else "complete"
        reading.rows = [
            (None, unit.metric, "sample", value, unit.base, count, time, step, "reported", number)
            for unit, value, step in measures.found
        ]
        return reading

    def read_table(self, table: Table, stream: Stream) -> Repeats:
        """Return the runs in a table of whole results."""
        self._layouts |= table.layouts()
        names = self._known.outputs.names_at(table.first)
        context = (
            self._known.failures.find(stream.package, table.first),
            names,
            stream.command,
            *stream.env.items(),
        )
        readings = []
        for name in table.names:
            known = self._shared.get((name, context))
            if known is None:
                known = self._begin(stream, name, table.first)
                self._shared[name, context] = known
            readings.append(known)
        return Repeats(
            readings=readings,
            codes=table.codes,
            lines=table.lines,
            counts=table.counts,
            measures=[(unit.metric, unit.base) for unit in table.units],
            owners=table.owners,
            kinds=table.kinds,
            values=table.values,
            steps=table.steps,
        )

    def _begin(self, stream: Stream, name: str, line: int) -> Reading:
        """Return the reading of a result without its measurements."""
        benchmark, params = self._known.outputs.names_at(line).split(name)
        failure = self._known.failures.find(stream.package, line)
        if failure >= 0:
            self._failed.add(failure)
        return Reading(
            status="complete" if failure < 0 else "failed",
            remark="" if failure < 0 else _explain(self._known.failures.runs[failure]),
            tool="gobench",
            form=stream.form,
            line=line,
            last_line=line,
            benchmark=benchmark,
            params=params,
            command=stream.command,
            env=dict(stream.env),
            assume=self._known.metadata.assume,
            better=self._known.metadata.better,
        )

    def list_failures(self, label: str) -> Iterator[Reading | Diagnostic]:
        """Yield a warning for each failed run, and a reading for each one without results."""
        for place, failure in enumerate(self._known.failures.runs):
            what = f"the run failed: {failure.reason}"
            hint = "its results are kept but not compared; fix the benchmark and measure again"
            if not failure.reason.startswith(LOST):  # reported by its reader
                yield Diagnostic(label, failure.line, what, hint, "warning", is_remark=True)
            if place not in self._failed:
                yield Reading(
                    tool="gobench", form="json" if failure.package else "text",
                    line=failure.line, last_line=failure.line, status="failed",
                    remark=_explain(failure),
                    env={"pkg": failure.package} if failure.package else {},
                )  # fmt: skip

    def _report_losses(self, number: int, name: str, measures: Measures) -> None:
        for text in measures.not_finite:
            self._report(number, f"benchmark {name}: {text} is not a finite number")
        if measures.problem:
            self._report(number, f"benchmark {name}: {measures.problem}")

    def _trust(self, words: Sequence[str], text: str) -> Sequence[str]:
        """Return the words of an unfinished line that cannot be truncated."""
        if len(words) % 2:
            return words[:-1]
        whole = not words or text[-1:].isspace() or self._is_whole(words[-1])
        return words if whole else words[:-2]

    def _is_whole(self, unit: str) -> bool:
        """Return whether a unit is known and is not the beginning of another."""
        known = STANDARD.union(*self._layouts)
        return unit in known and not any(
            other != unit and other.startswith(unit) for other in known
        )

    def _lacks_some(self, words: Sequence[str]) -> bool:
        """Return whether earlier results continued after the words that this one ends with."""
        units = tuple(words[1::2])
        if units in self._layouts:
            return False
        return not units or any(layout[: len(units)] == units for layout in self._layouts)


def _explain(failure: Failure) -> str:
    return f"{failure.line}: {failure.reason}"


def read_measures(words: Sequence[str]) -> Measures:
    """Read numbers and units in turn, up to the first word that is neither.

    Examples
    --------
    >>> [(m.unit.metric, m.value) for m in read_measures(["2.5", "MB/s", "64", "B/op"]).found]
    [('processing_rate', 2500000.0), ('bytes_per_op', 64.0)]
    """
    measures = Measures()
    if not words:
        measures.problem = "no measurement follows the iteration count"
    for place in range(0, len(words), 2):
        number = words[place]
        decimals = _count_decimals(number)
        if decimals is None and _NOT_FINITE.fullmatch(number) is None:
            measures.problem = f"expected a number, got {show_part(number, 40)}"
            break
        if place + 1 == len(words):
            measures.problem = f"the number {number[:40]} has no unit"
            break
        unit = read_unit(words[place + 1])
        if unit is None:
            measures.problem = f"expected a unit, got {show_part(words[place + 1], 40)}"
            break
        value = float(number) * unit.factor
        if decimals is not None and isfinite(value):
            measures.found.append(Measure(unit, value, unit.step(decimals)))
        else:
            measures.not_finite.append(f"{number} {words[place + 1]}")
    return measures


def _count_decimals(number: str) -> int | None:
    """Return the decimals of a number minus its exponent; None if it is not a number."""
    if number.isascii() and number.isdecimal():
        return 0
    match = _NUMBER.fullmatch(number)
    return len(match[1] or match[2] or "") - int(match[3] or 0) if match else None
