"""What the container tests share: a fixture's records, and its values by subject and metric.

Each test says what it expects, not how to get at it.
"""

from __future__ import annotations

from collections import defaultdict
from dataclasses import dataclass, field
from pathlib import Path

from reading_formats import format_called

from benchkit.errors import Diagnostic
from benchkit.parsers import registry
from benchkit.parsers.base import Reading, Samples, Source

FIXTURES = Path(__file__).resolve().parent.parent / "fixtures"


@dataclass
class Told:
    """What a source tells."""

    readings: list[Reading] = field(default_factory=list)
    samples: list[Samples] = field(default_factory=list)
    said: list[Diagnostic] = field(default_factory=list)

    def values(self, metric: str) -> dict[str | None, list[float]]:
        """Return the samples of a metric by subject."""
        found: dict[str | None, list[float]] = defaultdict(list)
        for block in self.samples:
            if block.metric == metric:
                found[block.subject] += block.values.tolist()
        return dict(found)

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

    def says(self, words: str) -> bool:
        """Say whether a diagnostic holds some words."""
        return any(words in str(each) for each in self.said)


def tell(name: str, data: bytes | str) -> Told:
    """Read a content with the format of that name."""
    raw = data.encode() if isinstance(data, str) else data
    told = Told()
    for record in format_called(name).parse(Source(None, "memory", raw)):
        if isinstance(record, Reading):
            told.readings.append(record)
        elif isinstance(record, Samples):
            assert any(record.reading is reading for reading in told.readings)
            told.samples.append(record)
        elif isinstance(record, Diagnostic):
            told.said.append(record)
    return told


def tell_file(path: str) -> Told:
    """Read a fixture with the one format that claims it."""
    source = Source.load(FIXTURES / path)
    (claim,) = registry.identify(source)
    return tell(claim.name, b"".join(source.blocks()))
