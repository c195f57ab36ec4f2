"""From the series of an answer to a reading, its samples, and what has to be said about them.

An answer holds parents, pods, CPUs and instances side by side, and a rate looks like any other
number.
"""

from __future__ import annotations

import math
import re
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, field, replace
from itertools import pairwise
from typing import NamedTuple

from benchkit.parsers.base import Diagnostic, Head, Reading, Record, Source
from benchkit.parsers.containers import name_left_out, nested
from benchkit.parsers.counters import Measure, Place, add_up, measure_of, place
from benchkit.parsers.documents import Part, read_around, read_documents, read_text
from benchkit.parsers.prometheus import grafana, promtool
from benchkit.parsers.prometheus.answers import read_answer
from benchkit.parsers.prometheus.model import Columns, Series
from benchkit.parsers.series import Gatherer

_UNNAMED = "query the metric itself, without a function over it, so that its name is kept"


_JSON = (
    re.compile(r'\{\s*"status"\s*:\s*"(?:success|error)"\s*,\s*"(?:data|errorType|isPartial)"'),
    re.compile(r'\{\s*"resultType"\s*:\s*"(?:matrix|vector|scalar|string|streams)"'),
    re.compile(
        r'\{\s*"result"\s*:\s*\[[\s\S]*"resultType"\s*:\s*"(?:matrix|vector|scalar|string)"'
    ),
    re.compile(r'\[\s*\{\s*"metric"\s*:\s*\{[^{}]*\}\s*,\s*"(?:values?|histograms?)"\s*:\s*\['),
)


def recognises(head: Head) -> bool:
    """Tell whether a source begins as this format does."""
    text = head.text.lstrip()
    if not head.is_start:
        return False
    if text.startswith(("{", "[")) and any(sign.match(text) for sign in _JSON):
        return True
    return promtool.recognises(text) or grafana.recognises(text)


def parse(source: Source) -> Iterator[Record]:
    """Yield one reading, its samples, and the diagnostics.

    Examples
    --------
    >>> metric = b'{"__name__":"container_memory_rss","id":"/a"}'
    >>> answer = b'[{"metric":' + metric + b',"value":[1795224103,"8"]}]'
    >>> reading, samples = parse(Source(None, "query.json", answer))
    >>> samples.subject, samples.values.tolist(), str(samples.times[0])
    ('/a', [8.0], '2026-11-21T01:21:43.000000')
    """
    form, found = _read(source)
    said = [each for each in found if isinstance(each, Diagnostic)]
    choice = _Choice()
    for each in found:
        if isinstance(each, Series):
            choice.take(each)
    reading = Reading(tool="prometheus", form=form, line=1)
    gatherer = Gatherer(reading)
    choice.gather(gatherer)
    if gatherer.count:
        reading.last_line = choice.last_line
        yield reading
        yield from gatherer.blocks()
    yield from choice.remarks(source.label, is_empty=not gatherer.count)
    yield from said


def _read(source: Source) -> tuple[str, list[Series | Diagnostic]]:
    start = source.head().text.lstrip()
    if start.startswith(("{", "[")) and not promtool.recognises(start):
        return "api", _read_in_columns(source) or _read_plainly(source)
    text = read_text(source)
    if isinstance(text, Diagnostic):
        return "", [text]
    form = promtool if promtool.recognises(start) else grafana
    return form.__name__.rpartition(".")[2], list(form.read_text(text, source.label))


def _read_plainly(source: Source) -> list[Series | Diagnostic]:
    found: list[Series | Diagnostic] = []
    for line, answer in read_documents(source):
        if isinstance(answer, Diagnostic):
            found.append(answer)
        else:
            found += read_answer(answer, source.label, line)
    return found


def _read_in_columns(source: Source) -> list[Series | Diagnostic]:
    """Read a large answer; nothing if it is not as Prometheus writes it."""
    from benchkit.parsers.prometheus.columns import find_values

    parts: list[Part] = []

    def find(data: bytes) -> list[Part]:
        parts.extend(find_values(data))
        return parts

    answers = read_around(source, find) or []
    found = [each for line, answer in answers for each in read_answer(answer, source.label, line)]
    used = sum(isinstance(each, Series) and each.columns is not None for each in found)
    return found if used == len(parts) else []


def _join(lives: list[list[Series]], measure: Measure) -> Columns | None:
    """Return the values of a container, if those of all its ids were read in columns."""
    if any(series.columns is None for parts in lives for series in parts):
        return None
    from benchkit.parsers.prometheus.columns import add_columns, join_columns

    known = [columns for parts in lives if (columns := add_columns(parts)) is not None]
    if len(known) < len(lives):
        return None
    if len(known) == 1:
        return known[0]
    return join_columns(known, is_counter=measure.stat == "counter")


@dataclass(slots=True)
class _Choice:
    """The series that are read, and why others are not."""

    known: list[tuple[Measure, Place, Series]] = field(default_factory=list)
    unnamed: int = 0
    unknown: set[str] = field(default_factory=set)
    pauses: int = 0
    strange: int = 0
    unequal: int = 0
    undated: set[str] = field(default_factory=set)
    repeated: frozenset[str] = frozenset()
    last_line: int = 1

    def take(self, series: Series) -> None:
        """Take a series, if its name tells what it measures."""
        name = series.labels.get("__name__", "")
        measure = measure_of(name)
        if measure is None:
            self.unnamed += not name
            if name:
                self.unknown.add(name)
            return
        found = place(measure, series.labels)
        if found is None:
            self.pauses += 1
            return
        self.strange += series.strange
        if measure.is_span:
            measure = replace(measure, stat="counter")
        self.known.append((measure, found, series))

    def gather(self, gatherer: Gatherer) -> None:
        """Add the values of the series to a reading, the parts of a container summed."""
        self.repeated = nested(found.container for _, found, _ in self.known if found.container)
        groups: dict[tuple[Measure, str | None], dict[str, dict[str, dict[str, Series]]]] = {}
        for measure, found, series in self.known:
            if found.container is not None and found.container.key in self.repeated:
                continue
            instance = series.labels.get("instance", "")
            key = found.container.key if found.container else series.labels.get("id", "")
            own = groups.setdefault((measure, found.subject), {}).setdefault(instance, {})
            own.setdefault(key, {}).setdefault(found.part, series)
        for (measure, subject), instances in groups.items():
            for instance, lives in instances.items():
                name = f"{subject or ''}@{instance}" if len(instances) > 1 else subject
                self._add(gatherer, measure, name, [add_up(measure, p) for p in lives.values()])

    def _add(
        self,
        gatherer: Gatherer,
        measure: Measure,
        subject: str | None,
        lives: list[list[Series]],
    ) -> None:
        points: Iterable[Point] = ()
        origin = "computed" if len(lives) > 1 or len(lives[0]) > 1 else "reported"
        columns = _join(lives, measure)
        if columns is not None:
            gatherer.extend(
                measure, subject, columns.values, columns.times, columns.line, origin=origin
            )
            if len(columns.times):
                self.last_line = max(self.last_line, columns.line)
            return
        lives = [[series.spread() for series in parts] for parts in lives]
        if len(lives) > 1:
            if any(None in series.times for parts in lives for series in parts):
                self.undated.add(subject or "")
                return
            join = join_counters if measure.stat == "counter" else join_looks
            points = join([list(self._sum(parts)) for parts in lives])
        else:
            points = self._sum(lives[0])
        for time, value, line in points:
            gatherer.add(measure, subject, value, time=time, line=line, origin=origin)
            self.last_line = max(self.last_line, line)

    def _sum(self, parts: list[Series]) -> Iterator[Point]:
        """Yield the values of one container, its parts summed at the times that all have."""
        if len(parts) == 1:
            yield from map(Point, parts[0].times, parts[0].values, parts[0].lines)
            return
        tables = [
            dict(zip(p.times, zip(p.values, p.lines, strict=True), strict=True)) for p in parts
        ]
        shared = [time for time in tables[0] if time and all(time in table for table in tables)]
        self.unequal += len({time for table in tables for time in table}) - len(shared)
        for time in shared:
            value = math.fsum(table[time][0] for table in tables)
            yield Point(time, value, tables[-1][time][1])

    def remarks(self, label: str, *, is_empty: bool) -> Iterator[Diagnostic]:
        """Yield what was left out, and why."""
        loss = "error" if is_empty else "warning"
        if self.unnamed:
            what = f"{self.unnamed} series have no metric name (the result of a function, or a "
            what += "legend): their unit is unknown, and they are left out"
            yield Diagnostic(label, 0, what, _UNNAMED, loss, is_remark=True)
        if self.unknown:
            names = ", ".join(sorted(self.unknown)[:3]) + (", …" if len(self.unknown) > 3 else "")
            what = f"the unit of {names} is not known, and its series are left out"
            yield Diagnostic(
                label, 0, what, "query usage of containers or counts of spans", loss, is_remark=True
            )
        for count, what in (
            (self.strange, "values are no finite numbers and are left out"),
            (self.unequal, "times at which not all parts of a container are told are left out"),
        ):
            if count:
                yield Diagnostic(label, 0, f"{count} {what}", severity="warning", is_remark=True)
        for subject in sorted(self.undated):
            what = f"{subject} was made anew: which of its counters comes first is unknown without "
            what += "times, and it is left out"
            yield Diagnostic(label, 0, what, "export with epoch times", "warning", is_remark=True)
        yield from name_left_out(label, sorted(self.repeated), self.pauses, "series")


class Point(NamedTuple):
    """A value, when it was told (µs since 1970), and in which line."""

    time: int | None
    value: float
    line: int


def join_counters(lives: Sequence[Sequence[Point]]) -> Iterator[Point]:
    """Yield a counter that grows by what each of several counters grows by.

    Parameters
    ----------
    lives : sequence of sequence of Point
        One per id; times are known.

    Returns
    -------
    iterator of Point
        In the order of time, from the first value of the first id on. A counter that falls was
        reset, and counts from 0; what one counted before it is first seen is not added.

    Examples
    --------
    >>> old = [Point(0, 100.0, 1), Point(1, 101.0, 1), Point(2, 101.0, 1)]
    >>> new = [Point(1, 7.0, 2), Point(2, 9.0, 2)]
    >>> [(time, value) for time, value, _ in join_counters([old, new])]
    [(0, 100.0), (1, 101.0), (2, 103.0)]
    """
    known = _in_order(lives)
    if not known:
        return
    steps: dict[int, tuple[float, int]] = {}
    for points in known:
        steps.setdefault(_time(points[0]), (0.0, points[0].line))
        for before, after in pairwise(points):
            grown = after.value - before.value
            grown = after.value if grown < 0 else grown
            sofar = steps.get(_time(after), (0.0, after.line))[0]
            steps[_time(after)] = (sofar + grown, after.line)
    total = known[0][0].value
    for time, (grown, line) in sorted(steps.items()):
        total += grown
        yield Point(time, total, line)


def join_looks(lives: Sequence[Sequence[Point]]) -> Iterator[Point]:
    """Yield what was seen of the newest id that tells of each time.

    Examples
    --------
    >>> old, new = [Point(0, 8.0, 1), Point(1, 8.0, 1)], [Point(1, 3.0, 2)]
    >>> [(time, value) for time, value, _ in join_looks([new, old])]
    [(0, 8.0), (1, 3.0)]
    """
    newest = {_time(point): point for points in _in_order(lives) for point in points}
    yield from (point for _, point in sorted(newest.items()))


def _in_order(lives: Iterable[Sequence[Point]]) -> list[list[Point]]:
    """Return the ids by when they are first seen, and their values by time."""
    known = [sorted(points, key=_time) for points in lives if points]
    return sorted(known, key=lambda points: _time(points[0]))


def _time(point: Point) -> int:
    return point.time or 0
