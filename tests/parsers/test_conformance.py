"""Every parser on every fixture: formats exclude each other, and numbers are where rows say.

Every new parser has to pass these checks before its code is reviewed.

A file without results is in a folder called ``junk`` or matches a pattern in ``not_results`` of its
scenario's ``PROVENANCE.toml``.
"""

from __future__ import annotations

import gzip
import math
import re
import tomllib
from collections.abc import Callable, Iterator
from contextlib import suppress
from functools import cache
from pathlib import Path
from typing import Any, NamedTuple

import pytest
from stated import holds, numbers

import benchkit as bk
from benchkit.errors import Diagnostic, UnknownFormatError
from benchkit.metrics import VOCABULARY
from benchkit.parsers import registry
from benchkit.parsers.base import Format, Reading, Record, Samples, Tool
from benchkit.reading.source import Source, UnreadableError

FIXTURES = Path(__file__).resolve().parent.parent.parent / "fixtures"
#: Labels and provenance, which other modules read.
SIDECARS = {"PROVENANCE.toml", "run.toml", "runs.json", "benchkit.toml"}
BASE_UNITS = {"s", "B", "B/s", "1/s", "1", "cores"}
#: Formats with user-defined metrics.
CUSTOM = {
    "asv",
    "bencher",
    "benchstat",
    "benchstat_files",
    "github_action_benchmark",
    "github_action_benchmark_custom",
    "gobench",
    "k6",
    "k6_raw",
    "k6_summary",
} | {"jmh", "jmh_csv", "jmh_text"}
#: Metrics of every load tool, which the tools do not declare.
SHARED = {each.name for each in VOCABULARY.values() if each.source == "every load tool"}


class Measured(NamedTuple):
    """The part of a row that must not depend on what follows it in the source."""

    subject: str | None
    metric: str
    stat: str
    value: float
    unit: str
    resolution: float | None
    origin: str
    line: int

    def is_repeated_by(self, other: Measured) -> bool:
        """Return whether another line has this value, within rounding or 3 significant digits."""
        same = self[:3] == other[:3] and self.line != other.line
        blur = (self.resolution or 0) + abs(self.value) / 1000
        return same and abs(self.value - other.value) <= blur


def name_of(path: Path) -> str:
    return path.relative_to(FIXTURES).as_posix()


@cache
def provenance(scenario: Path) -> dict[str, Any]:
    path = scenario / "PROVENANCE.toml"
    return tomllib.loads(path.read_text(encoding="utf-8") if path.is_file() else "")


def scenario_of(path: Path) -> Path:
    return FIXTURES / path.relative_to(FIXTURES).parts[0]


def is_negative(path: Path) -> bool:
    inside = path.relative_to(FIXTURES)
    patterns = provenance(scenario_of(path)).get("not_results", [])
    return "junk" in inside.parts or any(map(inside.match, patterns))


def is_repeat(path: Path) -> bool:
    """Return whether a scenario has more runs of another one, whose files are checked there."""
    return "repeats" in provenance(scenario_of(path))


FILES = [
    path
    for path in sorted(FIXTURES.rglob("*"))
    if path.is_file()
    and path.name not in SIDECARS
    and not path.name.endswith(".run.toml")
    and not is_repeat(path)
]
NEGATIVE = [path for path in FILES if is_negative(path)]
POSITIVE = [path for path in FILES if path not in NEGATIVE]

each_result = pytest.mark.parametrize("path", POSITIVE, ids=name_of)
each_non_result = pytest.mark.parametrize("path", NEGATIVE, ids=name_of)


@cache
def claims(path: Path) -> tuple[Format, ...]:
    return registry.identify(Source.load(path, name_of(path)))


@cache
def content(path: Path) -> bytes:
    """Return a fixture's bytes, unpacked up to any damage."""
    blocks: list[bytes] = []
    with suppress(UnreadableError):
        blocks.extend(Source.load(path).blocks())
    return b"".join(blocks)


def parse(format_: Format, data: bytes) -> list[Record]:
    return list(format_.parse(Source(None, "memory", data)))


def rows(records: list[Record]) -> Iterator[Measured]:
    for record in records:
        if isinstance(record, Reading):
            for subject, metric, stat, value, unit, _n, _time, step, origin, line in record.rows:
                yield Measured(subject, metric, stat, value, unit, step, origin, line)
        elif isinstance(record, Samples):
            for value, line in zip(record.values.tolist(), record.lines.tolist(), strict=True):
                kind = (record.subject, record.metric, record.stat)
                yield Measured(*kind, value, record.unit, record.resolution, record.origin, line)


def run_contents(records: list[Record]) -> list[tuple[object, ...]]:
    """Return the contents of each run, without line numbers."""
    return [
        (
            run.tool,
            run.form,
            run.benchmark,
            run.target,
            run.params,
            run.status,
            run.duration,
            run.rows,
        )
        for run in records
        if isinstance(run, Reading)
    ]


def test_every_format_has_fixtures() -> None:
    claimed = {claim.name for path in POSITIVE for claim in claims(path)}
    missing = {known.name for known in registry.formats()} - claimed
    assert not missing, f"put results of {sorted(missing)} into a folder of fixtures/"


@each_result
def test_each_result_has_one_format_and_each_number_is_on_its_line(path: Path) -> None:
    owners = claims(path)
    assert len(owners) == 1 or all(claim.embeds for claim in owners)
    records = {claim.name: parse(claim, content(path)) for claim in owners}
    check_records([each for some in records.values() for each in some], owners)
    lines = [line for _, line in Source(None, "memory", content(path)).lines()]
    is_text = bool(Source(None, "memory", content(path)).head().text)
    for claim in owners:
        metrics = SHARED.union(*(registry.tool(name).metrics for name in claim.tools))
        measured = {row.metric for row in rows(records[claim.name])} & VOCABULARY.keys()
        assert claim.is_export or measured <= metrics, measured - metrics
        for row in rows(records[claim.name]):
            check_metric(row, claim.name)
            # A binary source counts records, which contain no digits.
            if is_text and not owners[0].is_export:  # it has its results' lines
                check_line(row, lines, claim.name)


def check_records(records: list[Record], owners: tuple[Format, ...]) -> None:
    """Check that a result yields runs or a reason why not."""
    assert records
    sampled = [id(record.reading) for record in records if isinstance(record, Samples)]
    for record in records:
        assert isinstance(record, Reading | Samples | Diagnostic)
        if isinstance(record, Reading):
            assert any(record.tool in claim.tools or claim.is_export for claim in owners)
            assert record.rows or id(record) in sampled or record.status != "complete"


def check_metric(row: Measured, name: str) -> None:
    """Check that a row has a known metric with a finite number in its unit."""
    assert math.isfinite(row.value)
    assert row.origin in {"reported", "computed"}
    known_metric = VOCABULARY.get(row.metric)
    if known_metric is None:
        assert name in CUSTOM
        return
    assert row.unit == known_metric.unit
    assert row.unit in BASE_UNITS
    assert row.stat in known_metric.stats or re.fullmatch(r"p\d+(\.\d+)?", row.stat)


def check_line(row: Measured, lines: list[str], form: str) -> None:
    """Check that the line of a row contains its number."""
    assert 1 <= row.line <= len(lines)
    if row.origin == "reported":
        line = lines[row.line - 1]
        assert holds(numbers(line, form), row.value), (row, line)


@each_non_result
def test_file_without_results_is_not_a_run(path: Path) -> None:
    try:
        formats = registry.identify(Source.load(path))
    except (UnknownFormatError, UnreadableError):
        return
    records = [record for form in formats for record in form.parse(Source.load(path))]
    assert [type(record) for record in records] == [Diagnostic]  # refused by the tool's parser


def shift(prefix: str) -> Callable[[str], bytes]:
    return lambda text: "".join(prefix + line for line in text.splitlines(keepends=True)).encode()


DISGUISES: dict[str, Callable[[str], bytes]] = {
    "CRLF": lambda text: text.replace("\n", "\r\n").encode(),
    "BOM": lambda text: text.encode("utf-8-sig"),
    "UTF-16": lambda text: text.encode("utf-16"),
    "gzip": lambda text: gzip.compress(text.encode()),
    "colour": lambda text: text.replace("\n", "\x1b[0m\n").encode(),
}
PASTED: dict[str, Callable[[str], bytes]] = {
    "comment": shift("# "),
    "quotation": shift("> "),
    "tab": shift("\t"),
}


@each_result
def test_encodings_and_line_ends_do_not_change_the_result(path: Path) -> None:
    text = Source(None, "memory", content(path)).text()
    for claim in claims(path) if text else ():
        plain = run_contents(parse(claim, text.encode()))
        for name, disguise in DISGUISES.items():
            assert claim in registry.identify(Source(None, "memory", disguise(text))), name
            assert run_contents(parse(claim, disguise(text))) == plain, name


@each_result
def test_report_behind_line_prefixes_is_read_unchanged(path: Path) -> None:
    """A real report is complete; a synthetic page may lose blocks, but gains no number."""
    text = Source(None, "memory", content(path)).text()
    for claim in claims(path):
        if not claim.embeds or text.lstrip().startswith("{"):
            continue
        plain = parse(claim, text.encode())
        for name, paste in PASTED.items():
            pasted = paste(text)
            if path.name.startswith("synthetic-"):
                assert set(rows(parse(claim, pasted))) <= set(rows(plain)), name
            elif any(rows(plain)):
                assert claim in registry.identify(Source(None, "memory", pasted)), name
                assert run_contents(parse(claim, pasted)) == run_contents(plain), name


def truncation_points(size: int, most: int) -> range:
    """Return evenly spaced places to truncate, fewer in larger files, never all at line ends."""
    points = max(5, min(most, 1_000_000 // (size + 1)))
    return range(1, size, max(1, size // points) | 1)


class Untruncated(NamedTuple):
    """An untruncated source: its rows, and the lines of runs that summarise other lines."""

    rows: frozenset[Measured]
    sampled: frozenset[int]


def read_untruncated(claim: Format, data: bytes) -> Untruncated:
    records = parse(claim, data)
    sampled = {record.reading.line for record in records if isinstance(record, Samples)}
    sampled |= {each.line for each in records if isinstance(each, Reading) and is_cumulative(each)}
    return Untruncated(frozenset(rows(records)), frozenset(sampled))


def is_cumulative(run: Reading) -> bool:
    """Return whether each row has the totals so far, so truncation leaves an earlier history."""
    return run.form == "history"


def list_wrong_rows(records: list[Record], full: Untruncated) -> list[Measured]:
    """Return the rows missing from the untruncated source, there or more precisely elsewhere.

    Values computed from raw samples are ignored: truncation leaves fewer of them.
    """
    unexpected = {
        row
        for record in records
        for row in rows([record])
        if row.origin == "reported" or not is_sampled(record, full)
    } - full.rows
    return [
        row
        for row in unexpected
        if not any(map(row.is_repeated_by, full.rows)) and not is_part_of_sum(row, full)
    ]


def is_part_of_sum(row: Measured, full: Untruncated) -> bool:
    """Return whether a count, or a launch's median, covers only some lines of a truncated list."""
    similar = [other for other in full.rows if other[:3] == row[:3]]
    return row.origin == "computed" and (
        (row.stat == "count" and any(row.value < other.value for other in similar))
        or (row.stat == "median" and any(row.line == other.line for other in similar))
    )


def is_sampled(record: Record, full: Untruncated) -> bool:
    return isinstance(record, Reading) and record.line in full.sampled


def check_truncated(claim: Format, data: bytes, full: Untruncated, place: int) -> None:
    wrong = list_wrong_rows(parse(claim, data[:place]), full)
    assert not wrong, f"cut at byte {place}: {data[:place][-60:]!r}"


@each_result
def test_truncated_file_yields_no_wrong_number(path: Path) -> None:
    data, packed = content(path), gzip.compress(content(path))
    for claim in claims(path):
        full = read_untruncated(claim, data)
        for place in truncation_points(len(data), most=40):
            check_truncated(claim, data, full, place)
        for place in truncation_points(len(packed), most=5):
            check_damaged_gzip(claim, packed[: max(place, 2)], full)


def check_damaged_gzip(claim: Format, packed: bytes, full: Untruncated) -> None:
    records: list[Record] = []
    with pytest.raises(UnreadableError, match="damaged or truncated"):
        records.extend(claim.parse(Source(None, "memory", packed)))
    assert not list_wrong_rows(records, full)


@cache
def smallest(known: Format) -> bytes:
    """Return the smallest result of a format that has values."""
    results = [path for path in POSITIVE if known in claims(path)]
    with_rows = [path for path in results if any(rows(parse(known, content(path))))]
    return min((content(path) for path in with_rows), key=len)


@pytest.mark.parametrize("known", registry.formats(), ids=lambda known: known.name)
@pytest.mark.parametrize("number", ["\N{FULLWIDTH DIGIT ONE}2", "NaN"])
def test_invalid_number_never_raises(known: Format, number: str) -> None:
    data = smallest(known)
    places = list(re.finditer(rb"\d+", data))
    for match in places[:: 1 + len(places) // 200]:
        mutant = data[: match.start()] + number.encode() + data[match.end() :]
        with suppress(UnreadableError):
            assert all(math.isfinite(row.value) for row in rows(parse(known, mutant)))


@pytest.mark.parametrize("known", registry.formats(), ids=lambda known: known.name)
def test_truncation_at_nearly_any_byte_yields_no_wrong_number(known: Format) -> None:
    data = smallest(known)
    full = read_untruncated(known, data)
    for place in range(1, len(data), 1 + len(data) // 1000):
        check_truncated(known, data, full, place)


MEASURING = [each for each in registry.all_tools() if each.role not in {"companion", "summary"}]
#: Labels of two variants, unless they are none and otlp in a scenario of the tool's name.
PAIRS = {
    "wrk": ("tracing-wrk", "none", "otlp"),
    "redis_benchmark": ("redis-benchmark", "none", "aof"),
    "k6": ("shorturl-k6", "baseline", "otel"),
    "gobench": ("redis-gobench/interleaved", "Baseline", "OTel_Enabled"),
    "benchcmp": ("benchcmp", "old", "new"),
}


@pytest.mark.parametrize("tool", MEASURING, ids=lambda tool: tool.name)
def test_fixtures_of_two_variants_compare_with_a_verdict(tool: Tool, tmp_path: Path) -> None:
    scenario, *pair = PAIRS.get(tool.name, (tool.name, "none", "otlp"))
    runs = bk.load(FIXTURES / scenario).where(role="measured", tool=tool.name)
    baseline, variant = (name if name in runs.variants else f"synthetic-{name}" for name in pair)
    comparison = runs.compare(baseline=baseline, variant=variant)
    verdict_words = {row.word for row in comparison.verdicts.primary}
    assert verdict_words - {"inconclusive"}, f"add runs to fixtures/{scenario}: 5 of each variant"
    page = bk.report(comparison, tmp_path / "report.md").read_text(encoding="utf-8")
    assert comparison.verdict in page
    assert bk.gate(comparison, {}).outcome.rows
