"""What the tests of benchstat ask of a source: its readings, their values, what was said."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from pathlib import Path

from benchkit.errors import Diagnostic
from benchkit.parsers import registry
from benchkit.parsers.base import Reading, Record
from benchkit.parsers.benchstat.tables import GEOMEANS
from benchkit.reading.source import Source

FIXTURES = Path(__file__).resolve().parent.parent / "fixtures"
REDIS, OWN, EDGE = FIXTURES / "redis-gobench", FIXTURES / "benchstat", FIXTURES / "benchstat/edge"

#: Variant, benchmark, metric, stat.
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
    found = [record for record in records(data) if isinstance(record, Reading)]
    assert all((run.role == "aggregate") == (run.benchmark == "geomean") for run in found)
    return [run for run in found if run.role == role]


def remarks(found: list[Record]) -> list[tuple[int, str]]:
    """Return line and text of what was said, but for what is said of every source."""
    said = [record for record in found if isinstance(record, Diagnostic)]
    general = [problem for problem in said if "summaries contain" in problem.what]
    assert [problem.severity for problem in general] == ["warning"]
    return [(problem.line, problem.what) for problem in said if problem not in general]


def values(found: list[Reading]) -> dict[Key, float]:
    """Return every value by what it is of; none may come twice."""
    told = [
        ((reading.variant, reading.benchmark, metric, stat), value)
        for reading in found
        for _, metric, stat, value, *_ in reading.rows
    ]
    assert len(dict(told)) == len(told)
    assert not any(key[1].startswith(GEOMEANS) for key, _ in told)
    return dict(told)


def centers(data: str | bytes | Path) -> dict[Key, float]:
    found = values(readings(data))
    return {key: value for key, value in found.items() if key[3] in {"mean", "median", "mode"}}


def sizes(found: list[Reading], metric: str) -> dict[tuple[str, str], int | None]:
    """Return the number of runs by variant and benchmark."""
    return {
        (reading.variant, reading.benchmark): row[5]
        for reading in found
        for row in reading.rows
        if row[1] == metric
    }
