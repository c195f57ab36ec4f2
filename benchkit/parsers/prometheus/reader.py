"""Conversion of an answer's series to a reading, its samples and diagnostics.

An answer mixes parents, pods, CPUs and instances, and a rate looks like any other number.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, field, replace

from benchkit.parsers.base import Diagnostic, Head, Reading, Record, Source
from benchkit.parsers.containers import name_left_out, nested
from benchkit.parsers.counters import Measure, Place, add_up, at_instance, measure_of, place
from benchkit.parsers.documents import Part, read_around, read_documents, read_text
from benchkit.parsers.prometheus import grafana, promtool
from benchkit.parsers.prometheus.answers import UNNAMED, read_answer
from benchkit.parsers.prometheus.columns import add_up_series, find_values, join_lives
from benchkit.parsers.prometheus.model import Series
from benchkit.parsers.series import Gatherer
from benchkit.regexes import regex

_JSON = (
    regex(r'\{\s*"status"\s*:\s*"(?:success|error)"\s*,\s*"(?:data|errorType|isPartial)"'),
    regex(r'\{\s*"resultType"\s*:\s*"(?:matrix|vector|scalar|string|streams)"'),
    regex(r'\{\s*"result"\s*:\s*\[[\s\S]*"resultType"\s*:\s*"(?:matrix|vector|scalar|string)"'),
    regex(r'\[\s*\{\s*"metric"\s*:\s*\{[^{}]*\}\s*,\s*"(?:values?|histograms?)"\s*:\s*\['),
)


def recognises(head: Head) -> bool:
    """Return whether a source begins like this format."""
    text = head.text.lstrip()
    if not head.is_start:
        return False
    if any(sign.match(text) for sign in _JSON):
        return True
    return promtool.recognises(text) or grafana.recognises(text)


def parse(source: Source) -> Iterator[Record]:
    """Yield one reading, its samples, and diagnostics.

    Examples
    --------
    >>> metric = b'{"__name__":"container_memory_rss","id":"/a"}'
    >>> answer = b'[{"metric":' + metric + b',"value":[1795224103,"8"]}]'
    >>> reading, samples = parse(Source(None, "query.json", answer))
    >>> samples.subject, samples.values.tolist(), str(samples.times[0])
    ('/a', [8.0], '2026-11-21T01:21:43.000000')
    """
    form, answers = _read(source)
    problems = [each for each in answers if isinstance(each, Diagnostic)]
    choice = _Choice()
    for each in answers:
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
    yield from problems


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
    answers: list[Series | Diagnostic] = []
    for line, answer in read_documents(source):
        if isinstance(answer, Diagnostic):
            answers.append(answer)
        else:
            answers += read_answer(answer, source.label, line)
    return answers


def _read_in_columns(source: Source) -> list[Series | Diagnostic]:
    """Read a large answer; return an empty list if Prometheus does not write it like that."""
    parts: list[Part] = []

    def find(data: bytes) -> list[Part]:
        parts.extend(find_values(data))
        return parts

    answers = read_around(source, find) or []
    series = [each for line, answer in answers for each in read_answer(answer, source.label, line)]
    used = sum(isinstance(each, Series) and each.known is not None for each in series)
    return series if used == len(parts) else []


@dataclass(slots=True)
class _Choice:
    """The series to read, and the reasons for leaving out others."""

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
        """Add a series, if its name shows what it measures."""
        name = series.labels.get("__name__", "")
        measure = measure_of(name)
        if measure is None:
            self.unnamed += not name
            if name:
                self.unknown.add(name)
            return
        spot = place(measure, series.labels)
        if spot is None:
            self.pauses += 1
            return
        self.strange += series.strange
        if measure.is_span:
            measure = replace(measure, stat="counter")
        self.known.append((measure, spot, series))

    def gather(self, gatherer: Gatherer) -> None:
        """Add the values of the series to a reading, with the parts of a container summed."""
        self.repeated = nested(spot.container for _, spot, _ in self.known if spot.container)
        groups: dict[tuple[Measure, str | None], dict[str, dict[str, dict[str, Series]]]] = {}
        for measure, spot, series in self.known:
            if spot.container is not None and spot.container.key in self.repeated:
                continue
            instance = series.labels.get("instance", "")
            key = spot.container.key if spot.container else series.labels.get("id", "")
            by_container = groups.setdefault((measure, spot.subject), {}).setdefault(instance, {})
            by_container.setdefault(key, {}).setdefault(spot.part, series)
        for (measure, subject), instances in groups.items():
            for instance, lives in instances.items():
                name = at_instance(subject, instance) if len(instances) > 1 else subject
                self._add(gatherer, measure, name, [add_up(measure, p) for p in lives.values()])

    def _add(
        self, gatherer: Gatherer, measure: Measure, subject: str | None, lives: list[list[Series]]
    ) -> None:
        parts = [series for life in lives for series in life]
        is_sum = len(parts) > 1 or parts[0].is_computed
        origin = "computed" if is_sum else "reported"
        columns = [[series.columns() for series in life] for life in lives]
        known = [[each for each in life if each is not None] for life in columns]
        if known == columns:
            sums = [add_up_series(life) for life in known]
            self.unequal += sum(unequal for _, unequal in sums)
            is_counter = measure.stat == "counter"
            times, values, at = join_lives([life for life, _ in sums], is_counter=is_counter)
            gatherer.extend(measure, subject, values, times, at, origin=origin)
            self.last_line = int(at.max(initial=self.last_line))
        elif len(lives) > 1:
            self.undated.add(subject or "")
        elif len(parts) > 1:
            self.unequal += len({time for part in parts for time, *_ in part.points})
        else:
            for time, value, line in parts[0].points:
                gatherer.add(measure, subject, value, time=time, line=line)
                self.last_line = max(self.last_line, line)

    def remarks(self, label: str, *, is_empty: bool) -> Iterator[Diagnostic]:
        """Yield diagnostics for everything left out, with the reasons."""
        loss = "error" if is_empty else "warning"
        if self.unnamed:
            what = f"left out, because the unit is unknown: {self.unnamed} series without a metric "
            what += "name (a function returned them, or a legend replaces the name)"
            yield Diagnostic(label, 0, what, UNNAMED, loss, is_remark=True)
        if self.unknown:
            names = ", ".join(sorted(self.unknown)[:3]) + (", …" if len(self.unknown) > 3 else "")
            what = f"the unit of {names} is unknown, so its series are left out"
            hint = "query container usage, span counts or histograms of seconds"
            yield Diagnostic(label, 0, what, hint, loss, is_remark=True)
        part = "at which some part of a container has no value"
        for count, one, many in (
            (
                self.strange,
                "value that is not a finite number is",
                "values that are not finite numbers are",
            ),
            (self.unequal, f"point in time {part} is", f"points in time {part} are"),
        ):
            if count:
                what = f"{count} {one if count == 1 else many} left out"
                yield Diagnostic(label, 0, what, severity="warning", is_remark=True)
        for subject in sorted(self.undated):
            what = f"{subject} was recreated, and the order of its counters is unknown without "
            what += "times, so it is left out"
            yield Diagnostic(label, 0, what, "export with epoch times", "warning", is_remark=True)
        yield from name_left_out(label, sorted(self.repeated), self.pauses, "series")
