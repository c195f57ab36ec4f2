"""Helpers of the container tests: the records of a fixture, and its values by metric and subject.

They keep the tests to their expectations.
"""

from __future__ import annotations

from collections import defaultdict
from dataclasses import dataclass, field
from pathlib import Path

from reading_formats import format_named

from benchkit.errors import Diagnostic
from benchkit.parsers import registry
from benchkit.parsers.base import Reading, Samples, Source

FIXTURES = Path(__file__).resolve().parent.parent / "fixtures"


@dataclass
class Parsed:
    """The records of a source."""

    readings: list[Reading] = field(default_factory=list)
    samples: list[Samples] = field(default_factory=list)
    diagnostics: list[Diagnostic] = field(default_factory=list)

    def values(self, metric: str) -> dict[str | None, list[float]]:
        """Return the samples of a metric by subject."""
        values: dict[str | None, list[float]] = defaultdict(list)
        for block in self.samples:
            if block.metric == metric:
                values[block.subject] += block.values.tolist()
        return dict(values)

    def times(self, metric: str, subject: str | None) -> list[str]:
        """Return the times of a series as texts."""
        blocks = [b for b in self.samples if (b.metric, b.subject) == (metric, subject)]
        return [str(time) for b in blocks if b.times is not None for time in b.times]

    def rows(self, metric: str) -> dict[str | None, float]:
        """Return the rows of a metric by subject."""
        rows = (row for reading in self.readings for row in reading.rows)
        return {row[0]: row[3] for row in rows if row[1] == metric}

    def subjects(self) -> set[str | None]:
        """Return the subjects of all samples."""
        return {block.subject for block in self.samples}

    def reports(self, text: str) -> bool:
        """Return whether a diagnostic contains a text."""
        return any(text in str(each) for each in self.diagnostics)


def parse(name: str, data: bytes | str) -> Parsed:
    """Parse a text with the format of that name."""
    raw = data.encode() if isinstance(data, str) else data
    parsed = Parsed()
    for record in format_named(name).parse(Source(None, "memory", raw)):
        if isinstance(record, Reading):
            parsed.readings.append(record)
        elif isinstance(record, Samples):
            assert any(record.reading is reading for reading in parsed.readings)
            parsed.samples.append(record)
        elif isinstance(record, Diagnostic):
            parsed.diagnostics.append(record)
    return parsed


def parse_fixture(path: str) -> Parsed:
    """Parse a fixture with the one format that claims it."""
    source = Source.load(FIXTURES / path)
    (claim,) = registry.identify(source)
    return parse(claim.name, b"".join(source.blocks()))
