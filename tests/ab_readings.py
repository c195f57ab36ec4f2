"""Helpers of the tests of ab and hey: a source's runs, their values, and its diagnostics."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest
from reading_formats import format_named

from benchkit.errors import Diagnostic
from benchkit.parsers import registry
from benchkit.parsers.base import Reading, Record, Samples
from benchkit.reading.source import Source, UnreadableError

FIXTURES = Path(__file__).resolve().parent.parent / "fixtures"
NGINX, LIMITS, EDGE = (
    FIXTURES / "nginx-ab/nginx",
    FIXTURES / "nginx-ab/edge",
    FIXTURES / "ab-edge",
)

Key = tuple[str | None, str, str]


def records(data: bytes | Path, name: str = "ab") -> list[Record]:
    if isinstance(data, Path):
        data = data.read_bytes()
    return list(format_named(name).parse(Source(None, "run.txt", data)))


def readings(data: bytes | Path, name: str = "ab") -> list[Reading]:
    return [record for record in records(data, name) if isinstance(record, Reading)]


def remarks(data: bytes | Path, name: str = "ab") -> list[Diagnostic]:
    return [record for record in records(data, name) if isinstance(record, Diagnostic)]


def only(data: bytes | Path, name: str = "ab") -> Reading:
    (reading,) = readings(data, name)
    return reading


def records_before_damage(packed: bytes, name: str) -> list[Record]:
    """Return what a damaged gzip gives before it ends in an error."""
    parsed: list[Record] = []
    with pytest.raises(UnreadableError, match="damaged or truncated"):
        parsed.extend(format_named(name).parse(Source(None, "run.gz", packed)))
    return parsed


def samples(data: bytes | Path, name: str) -> dict[str | None, np.ndarray]:
    """Return the samples by subject; those of the latency have the key None."""
    blocks: dict[str | None, list[np.ndarray]] = {}
    for record in records(data, name):
        if isinstance(record, Samples):
            blocks.setdefault(record.subject, []).append(record.values)
    return {subject: np.concatenate(parts) for subject, parts in blocks.items()}


def values(reading: Reading) -> dict[Key, float]:
    """Return the values by (subject, metric, stat); duplicates are an error."""
    by_key = {row[:3]: row[3] for row in reading.rows}
    assert len(by_key) == len(reading.rows)
    return by_key


def latency(reading: Reading) -> dict[str, float]:
    """Return the latencies by stat."""
    return {row[2]: row[3] for row in reading.rows if row[1] == "latency"}


def phase(reading: Reading, subject: str) -> dict[str, float]:
    """Return the times of a phase by stat."""
    return {row[2]: row[3] for row in reading.rows if row[:2] == (subject, "phase_time")}


def claimed(data: bytes | Path) -> list[str]:
    """Return the names of the formats that claim a source."""
    if isinstance(data, Path):
        data = data.read_bytes()
    return [form.name for form in registry.identify(Source(None, "run.txt", data))]


def near(expected: object) -> object:
    return pytest.approx(expected, rel=1e-12, abs=0)
