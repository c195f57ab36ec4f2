"""The records of a parser, until it ends or fails, without values that no measurement can have.

Every value of every parser is checked here, whether it comes as a row, as samples or as repeats. A
value must be a finite number. A value of a metric in the vocabulary (times, counts, rates, sizes)
must not be negative; user-defined metrics may be.
"""

from __future__ import annotations

from bisect import bisect
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import replace
from math import inf
from operator import itemgetter
from sys import float_info
from typing import TYPE_CHECKING

from benchkit.errors import DataError, Diagnostic
from benchkit.metrics import VOCABULARY
from benchkit.parsers.base import Format, Reading, Repeats, Row, Samples, Source
from benchkit.parsers.documents import TRUNCATED
from benchkit.reading.bounds import limit_runs
from benchkit.reading.damage import UnreadableError
from benchkit.reading.remarks import Loose
from benchkit.schema import FACTS

if TYPE_CHECKING:
    import numpy as np

#: Limit of counts: the table stores them as signed 64-bit integers.
COUNTS = 1 << 63
#: Largest finite number; larger integers cannot be stored in the table.
_LARGEST = float_info.max
#: Numeric facts, with their limits.
_LIMITS = {
    fact.name: _LARGEST if fact.type == "f64?" else COUNTS
    for fact in FACTS
    if fact.type in {"f64?", "i64?"}
}


class Soundness:
    """Checks the values of one source and records those that were left out."""

    def __init__(self) -> None:
        #: Line and value of the first left-out value, and the count, by metric, statistic and
        #: fault.
        self._left_out: dict[tuple[str, str, str], tuple[int, float, int]] = {}

    def check_record(self, record: Reading | Repeats | Samples) -> Reading | Repeats | Samples:
        """Return a record without unsound values; rows are checked when a reading is complete."""
        if isinstance(record, Samples):
            return self.check_samples(record)
        return self._check_repeats(record) if isinstance(record, Repeats) else record

    def check_samples(self, samples: Samples) -> Samples:
        """Return samples without unsound values."""
        good = _find_sound(samples.values, least=_least(samples.metric))
        if good is None:
            return samples
        bad = ~good
        for line, value in zip(samples.lines[bad], samples.values[bad], strict=True):
            self._leave_out(samples.metric, samples.stat, float(value), int(line))
        return replace(
            samples,
            values=samples.values[good],
            lines=samples.lines[good],
            times=None if samples.times is None else samples.times[good],
        )

    def check_reading(self, reading: Reading) -> None:
        """Remove the unsound rows and facts of a reading."""
        if not _are_plain(reading.rows) and not all(map(_is_sound, reading.rows)):
            rows, reading.rows = reading.rows, []
            for row in rows:
                _, metric, stat, value, *_, line = row
                if _least(metric) <= value <= _LARGEST and value >= -_LARGEST:
                    reading.rows.append(row if _is_sound(row) else _without_doubtful_facts(row))
                else:
                    self._leave_out(metric, stat, value, line)
        for name, limit in _LIMITS.items():
            number = getattr(reading, name)
            if number is not None and not 0 <= number < limit:
                setattr(reading, name, None)

    def join(self, other: Soundness) -> None:
        """Add the values left out from later lines."""
        for key, (line, value, count) in other._left_out.items():
            first, known, before = self._left_out.get(key, (line, value, 0))
            self._left_out[key] = first, known, before + count

    def diagnostics(self, label: str) -> Iterator[Diagnostic]:
        """Yield one diagnostic per metric, statistic and fault, at the line of the first value."""
        for (metric, stat, fault), (line, value, count) in self._left_out.items():
            rest = " and was left out"
            if count > 1:
                are = "are" if count > 2 else "is"
                rest = f", as {are} {count - 1} more of its values; they were left out"
            what = f"{metric} {stat} is {fault} ({value:g}){rest}"
            yield Diagnostic(label, line, what, "fix the file or measure again", "warning")

    def _check_repeats(self, repeats: Repeats) -> Repeats:
        import numpy as np

        limits = np.array([_least(metric) for metric, _ in repeats.measures])
        good = _find_sound(repeats.values, least=limits[repeats.kinds])
        if good is None:
            return repeats
        for place in np.flatnonzero(~good).tolist():
            metric, _ = repeats.measures[repeats.kinds[place]]
            line = int(repeats.lines[repeats.owners[place]])
            self._leave_out(metric, "sample", float(repeats.values[place]), line)
        names = "owners", "kinds", "values", "steps"
        return replace(repeats, **{name: getattr(repeats, name)[good] for name in names})

    def _leave_out(self, metric: str, stat: str, value: float, line: int) -> None:
        if abs(value) > _LARGEST:
            value = inf if value > 0 else -inf
        fault = "negative" if -inf < value < 0 else "not a finite number"
        first, known, count = self._left_out.get((metric, stat, fault), (line, value, 0))
        self._left_out[metric, stat, fault] = first, known, count + 1


def _least(metric: str) -> float:
    """Return the minimum value of a metric."""
    return 0.0 if metric in VOCABULARY else -inf


def _are_plain(rows: Sequence[Row]) -> bool:
    """Return whether all numbers are sound for any metric, as they nearly always are."""
    for _, _, _, value, _, n, _, resolution, _, _ in rows:
        if not (0 <= value <= _LARGEST and 0 <= (resolution or 0) <= _LARGEST
                and 0 <= (n or 0) < COUNTS):  # fmt: skip
            return False
    return True


def _is_sound(row: Row) -> bool:
    _, metric, _, value, _, n, _, resolution, _, _ = row
    if not (0 <= value <= _LARGEST or (metric not in VOCABULARY and abs(value) <= _LARGEST)):
        return False
    return (resolution is None or abs(resolution) <= _LARGEST) and (n is None or 0 <= n < COUNTS)


def _without_doubtful_facts(row: Row) -> Row:
    """Return a sound value without its impossible count and rounding step."""
    subject, metric, stat, value, unit, _, time, _, origin, line = row
    return subject, metric, stat, value, unit, None, time, None, origin, line


def _find_sound(values: np.ndarray, *, least: float | np.ndarray) -> np.ndarray | None:
    """Return which values are sound; None if all are."""
    import numpy as np

    if not len(values) or (values.min() >= 0 and values.max() < inf):
        return None
    good: np.ndarray = np.isfinite(values) & (values >= least)
    return None if good.all() else good


def parse_records(
    form: Format, source: Source, diagnostics: list[Diagnostic]
) -> Iterator[Reading | Repeats | Samples]:
    """Yield the records of a parser; collect its diagnostics, including its failure.

    Raises
    ------
    DataError
        If there are more runs and problems than a file of this size can contain.
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
    """Drop diagnostics of one format on lines that another format has read."""
    spans = sorted((reading.line, reading.last_line) for reading in readings)

    def is_read(line: int) -> bool:
        at = bisect(spans, line, key=itemgetter(0))
        return at > 0 and line <= spans[at - 1][1]

    return [each for each in diagnostics if not (isinstance(each, Loose) and is_read(each.line))]


def _name_tool(problem: Diagnostic, form: Format) -> Diagnostic:
    """Name the tool of truncated JSON; an exported table belongs to no tool."""
    if problem.what != TRUNCATED or not form.tools:
        return problem
    return replace(problem, what=f"JSON of {form.tools[0]}, {problem.what}")


def _last_line(record: Reading | Repeats | Samples | None) -> int:
    """Return the last line that was certainly read."""
    if record is None:
        return 0
    if isinstance(record, Repeats):
        return int(record.lines[-1])
    return (record if isinstance(record, Reading) else record.reading).last_line
