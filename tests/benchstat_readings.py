"""Helpers of the tests of benchstat: a source's readings, their values, and its diagnostics."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from pathlib import Path

from benchkit.errors import Diagnostic
from benchkit.parsers import registry
from benchkit.parsers.base import Reading, Record
from benchkit.parsers.benchstat.tables import GEOMEANS
from benchkit.reading.source import Source

FIXTURES = Path(__file__).resolve().parent.parent / "fixtures"
REDIS, BENCHSTAT, EDGE = (
    FIXTURES / "redis-gobench",
    FIXTURES / "benchstat",
    FIXTURES / "benchstat/edge",
)

#: Variant, benchmark, metric and stat.
Key = tuple[str, str, str, str]


def as_source(data: str | bytes | Path) -> Source:
    if isinstance(data, Path):
        data = data.read_bytes()
    return Source(None, "out.txt", data.encode() if isinstance(data, str) else data)


def records(data: str | bytes | Path) -> list[Record]:
    (format_,) = registry.identify(as_source(data))
    return parsed(format_.parse, data)


def parsed(parse: Callable[[Source], Iterator[Record]], data: str | bytes | Path) -> list[Record]:
    return list(parse(as_source(data)))


def readings(data: str | bytes | Path, role: str = "") -> list[Reading]:
    runs = [record for record in records(data) if isinstance(record, Reading)]
    assert all((run.role == "aggregate") == (run.benchmark == "geomean") for run in runs)
    return [run for run in runs if run.role == role]


def remarks(parsed: list[Record]) -> list[tuple[int, str]]:
    """Return line and text of the diagnostics, without the one of every source."""
    problems = [record for record in parsed if isinstance(record, Diagnostic)]
    general = [problem for problem in problems if "summaries contain" in problem.what]
    assert [problem.severity for problem in general] == ["warning"]
    return [(problem.line, problem.what) for problem in problems if problem not in general]


def values(runs: list[Reading]) -> dict[Key, float]:
    """Return every value by its key; duplicates are an error."""
    pairs = [
        ((reading.variant, reading.benchmark, metric, stat), value)
        for reading in runs
        for _, metric, stat, value, *_ in reading.rows
    ]
    assert len(dict(pairs)) == len(pairs)
    assert not any(key[1].startswith(GEOMEANS) for key, _ in pairs)
    return dict(pairs)


def centers(data: str | bytes | Path) -> dict[Key, float]:
    every = values(readings(data))
    return {key: value for key, value in every.items() if key[3] in {"mean", "median", "mode"}}


def sizes(runs: list[Reading], metric: str) -> dict[tuple[str, str], int | None]:
    """Return the number of runs by variant and benchmark."""
    return {
        (reading.variant, reading.benchmark): row[5]
        for reading in runs
        for row in reading.rows
        if row[1] == metric
    }
