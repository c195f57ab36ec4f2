"""Conversion of a text exposition to a reading, its samples and diagnostics.

A family is known to be complete only when the next one begins.
"""

from __future__ import annotations

import math
from collections.abc import Iterator
from dataclasses import dataclass, field
from typing import NamedTuple

from benchkit.parsers.base import Diagnostic, Head, Reading, Record, Source
from benchkit.parsers.containers import name_left_out
from benchkit.parsers.counters import (
    Measure,
    add_up,
    histogram_of,
    is_partial,
    measure_of,
    place,
)
from benchkit.parsers.exposition.survey import Sample, Survey, Text
from benchkit.parsers.series import Gatherer
from benchkit.regexes import regex

_COMMENT = regex(r"# (?:HELP|TYPE|UNIT) [a-zA-Z_:][\w:.]*(?: |$)")
_SAMPLE = regex(r"[a-zA-Z_:][\w:.]*(?:\{.*\})? ++[-+\d.eEnNaAiIfF]++(?: -?[\d.]++)?+(?: # \{|$)")
_KNOWN = regex(r"(?:container|pod|node|machine|cadvisor|otelcol)_\w|\w*spans?_\w")
#: Number of lines at the top that must all have the format.
_LINES = 12


def recognises(head: Head) -> bool:
    """Return whether a source has this format, judging by its beginning."""
    if not head.is_start:
        return False
    lines = [line for line in head.text.split("\n", 4 * _LINES)[: 4 * _LINES] if line.strip()]
    if len(lines) > 1 and not head.text.endswith("\n"):
        lines = lines[:-1]  # it may be truncated
    lines = lines[:_LINES]
    samples = [line for line in lines if not line.startswith("#")]
    if not all(_SAMPLE.match(line.rstrip()) for line in samples):
        return False
    if samples and all(line.startswith("benchkit_") for line in samples):  # of a gate
        return False
    return any(map(_COMMENT.match, lines)) or any(map(_KNOWN.match, samples))


def parse(source: Source) -> Iterator[Record]:
    r"""Yield one reading, its samples, and diagnostics.

    Raises
    ------
    UnreadableError
        If gzip data is damaged; the records before have been yielded.

    Examples
    --------
    >>> text = b'container_memory_rss{id="/a"} 8192 1795224101622\n# EOF\n'
    >>> reading, samples = parse(Source(None, "metrics", text))
    >>> samples.subject, samples.values.tolist(), str(samples.times[0])
    ('/a', [8192.0], '2026-11-21T01:21:41.622000')
    """
    survey, text = Survey.of(Text(source)), Text(source)
    is_usage = survey.containers or survey.has_pods
    counted = "histograms" if survey.histograms and not survey.has_spans else "spans"
    tool, form = ("cadvisor", "metrics") if is_usage else ("prometheus", counted)
    reading = Reading(
        tool=tool, form=form, line=1, tool_version=survey.version, env=dict(survey.env)
    )
    family, yielded = _Family(Gatherer(reading), survey), False
    for event in text.events():
        if isinstance(event, Sample):
            family.take(event)
            reading.last_line = event.line
        else:
            family.end()
            for block in family.gatherer.full_blocks():
                if not yielded:
                    yield reading
                    yielded = True
                yield block
    family.stop()
    if not yielded and (family.gatherer.count or reading.rows):
        yield reading
        yielded = True
    yield from family.gatherer.blocks()
    if text.damaged is not None:
        raise text.damaged
    yield from _remarks(source.label, family, text, is_empty=not yielded)


class _Amount(NamedTuple):
    value: float
    line: int


@dataclass(slots=True)
class _Family:
    """The current metric, and the parts of it that are left out."""

    gatherer: Gatherer
    survey: Survey
    name: str = ""
    measure: Measure | None = None
    groups: dict[tuple[str | None, int | None], dict[str, _Amount]] = field(default_factory=dict)
    strange: int = 0
    withheld: int = 0
    ended_in: str = ""

    def take(self, sample: Sample) -> None:
        """Add a sample of the family."""
        self.name, self.measure = sample.name, measure_of(sample.name)
        if self.measure and self.measure.is_histogram:
            self._take_of_histogram(self.measure, sample)
            return
        spot = place(self.measure, sample.labels) if self.measure else None
        if spot is None or (spot.container and spot.container.key in self.survey.repeated):
            return
        if not math.isfinite(sample.value):
            self.strange += 1
        elif spot.container and spot.container.key in self.survey.open:
            self.withheld += 1
            self.ended_in = sample.name
        else:
            parts = self.groups.setdefault((spot.subject, sample.time), {})
            parts.setdefault(spot.part, _Amount(sample.value, sample.line))

    def _take_of_histogram(self, measure: Measure, sample: Sample) -> None:
        """Add a counter of a histogram, but not that of a summary, which has no buckets."""
        if histogram_of(sample.name) not in self.survey.histograms:
            return
        if not math.isfinite(sample.value):
            self.strange += 1
        elif spot := place(measure, {**sample.labels, "__name__": sample.name}):
            parts = self.groups.setdefault((spot.subject, sample.time), {})
            parts.setdefault(spot.part, _Amount(sample.value, sample.line))

    def end(self) -> None:
        """Pass on the values of the family, which is complete."""
        measure, groups = self.measure, self.groups
        self.measure, self.groups = None, {}
        for (subject, time), parts in groups.items():
            if measure is not None:
                self._emit(measure, subject, time, add_up(measure, parts))

    def stop(self) -> None:
        """End the last family: drop values that may lack a part."""
        measure = self.measure
        if measure is not None:
            for key, parts in list(self.groups.items()):
                if all(is_partial(measure, part) for part in parts):
                    self.withheld += len(self.groups.pop(key))
                    self.ended_in = self.name
        self.end()

    def _emit(
        self, measure: Measure, subject: str | None, time: int | None, parts: list[_Amount]
    ) -> None:
        value = parts[0].value if len(parts) == 1 else math.fsum(part.value for part in parts)
        origin, line = "reported" if len(parts) == 1 else "computed", parts[-1].line
        if measure.is_span:
            if measure.stage and not value:
                return  # a stage that lost or sent nothing has no value
            self.gatherer.reading.add(
                measure.metric, "count", value, measure.unit, line, subject=subject, origin=origin
            )
        else:
            self.gatherer.add(measure, subject, value, time=time, line=line, origin=origin)


def _remarks(label: str, family: _Family, text: Text, *, is_empty: bool) -> Iterator[Diagnostic]:
    survey = family.survey
    if text.unreadable:
        what = "this line is not a sample and is left out"
        if (count := len(text.unreadable)) > 1:
            what = f"{count} lines, of which this is the first, are not samples and are left out"
        yield Diagnostic(label, text.unreadable[0], what, "take a new snapshot", "warning")
    if family.strange:
        what = f"{family.strange} values are NaN or infinite and are left out"
        yield Diagnostic(label, 0, what, severity="warning", is_remark=True)
    if family.withheld:
        what = f"the text ends inside {family.ended_in}: {family.withheld} values are left out, "
        what += "because they may be incomplete, or be those of a parent cgroup"
        yield Diagnostic(
            label, 0, what, "if the text is complete, add a last line # EOF", "warning"
        )
    yield from name_left_out(label, sorted(survey.repeated), survey.pauses, "values")
    if is_empty:
        yield _empty(label, survey)


def _empty(label: str, survey: Survey) -> Diagnostic:
    cores = survey.env.get("machine.cores")
    if cores:
        what = f"describes a machine with {cores} CPUs, but no container's usage"
        return Diagnostic(label, 0, what, "scrape /metrics of cAdvisor", "note")
    what = "contains no known container usage, span count or histogram of seconds"
    return Diagnostic(label, 0, what, "list the names with `benchkit explain exposition`")
