"""Helpers of the tests of wrk: a source's runs, their values, and its diagnostics."""

from __future__ import annotations

from pathlib import Path

import pytest

from benchkit.errors import Diagnostic
from benchkit.parsers.base import Reading, Record
from benchkit.parsers.wrk import TEXT as FORMAT
from benchkit.reading.source import Source

FIXTURES = Path(__file__).resolve().parent.parent / "fixtures"
TRACING, EDGE = FIXTURES / "tracing-wrk", FIXTURES / "wrk-edge"
WHOLE = TRACING / "none/wrk-1.txt"
WRK2 = EDGE / "synthetic-wrk2-uncorrected.txt"

Key = tuple[str, str]


def records(data: bytes | Path) -> list[Record]:
    if isinstance(data, Path):
        data = data.read_bytes()
    return list(FORMAT.parse(Source(None, "wrk.txt", data)))


def readings(data: bytes | Path) -> list[Reading]:
    return [record for record in records(data) if isinstance(record, Reading)]


def remarks(data: bytes | Path) -> list[Diagnostic]:
    return [record for record in records(data) if isinstance(record, Diagnostic)]


def only(data: bytes | Path) -> Reading:
    (reading,) = readings(data)
    return reading


def values(reading: Reading) -> dict[Key, float]:
    """Return values by (metric or metric/subject, stat); duplicates are an error."""
    by_key = {
        (f"{metric}/{subject}" if subject else metric, stat): value
        for subject, metric, stat, value, *_ in reading.rows
    }
    assert len(by_key) == len(reading.rows)
    return by_key


def claimed(data: bytes | Path) -> bool:
    if isinstance(data, Path):
        data = data.read_bytes()
    return FORMAT.recognises(Source(None, "wrk.txt", data).head())


def near(expected: dict[Key, float]) -> object:
    return pytest.approx(expected, rel=1e-12, abs=0)


def run_contents(data: bytes | Path) -> list[tuple[object, ...]]:
    """Return the contents of the runs, without fields that lines above may make more precise."""
    return [
        (run.tool, run.target, tuple(run.params.items()), run.status, run.command, tuple(run.rows))
        for run in readings(data)
    ]
