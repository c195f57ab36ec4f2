"""Every parser on every fixture: the claims exclude each other, the numbers stand where rows say.

What holds for one parser has to hold for the next one, too, before anyone reads its code.

A file that holds no results lies in a folder called ``junk`` or is matched by a pattern in
``not_results`` of its scenario's ``PROVENANCE.toml``.
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
#: Labels and provenance, read by others.
SIDECARS = {"PROVENANCE.toml", "run.toml", "runs.json", "benchkit.toml"}
BASE_UNITS = {"s", "B", "B/s", "1/s", "1", "cores"}
#: Formats whose users name metrics of their own.
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
#: What every load tool gives, without declaring it.
SHARED = {each.name for each in VOCABULARY.values() if each.source == "every load tool"}


class Measured(NamedTuple):
    """One row, as far as it must not depend on what follows it in the source."""

    subject: str | None
    metric: str
    stat: str
    value: float
    unit: str
    resolution: float | None
    origin: str
    line: int

    def is_told_by(self, other: Measured) -> bool:
        """Whether another place tells the same, but for rounding and a histogram's three digits."""
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
    """Tell whether a scenario holds more runs of another one, whose files are checked there."""
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
each_junk = pytest.mark.parametrize("path", NEGATIVE, ids=name_of)


@cache
def claims(path: Path) -> tuple[Format, ...]:
    return registry.identify(Source.load(path, name_of(path)))


@cache
def content(path: Path) -> bytes:
    """Return a fixture's bytes, unpacked as far as they can be."""
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


def told(records: list[Record]) -> list[tuple[object, ...]]:
    """Return what the records say of each run, its place among other lines apart."""
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
    lacking = {known.name for known in registry.formats()} - claimed
    assert not lacking, f"put results of {sorted(lacking)} into a folder of fixtures/"


@each_result
def test_a_result_is_owned_and_every_number_stands_on_its_line(path: Path) -> None:
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
            check_word(row, claim.name)
            # A binary source counts records, which hold no digits.
            if is_text and not owners[0].is_export:  # it has the lines of what it exports
                check_line(row, lines, claim.name)


def check_records(records: list[Record], owners: tuple[Format, ...]) -> None:
    """Check that a result gives runs or says why not."""
    assert records
    sampled = [id(record.reading) for record in records if isinstance(record, Samples)]
    for record in records:
        assert isinstance(record, Reading | Samples | Diagnostic)
        if isinstance(record, Reading):
            assert any(record.tool in claim.tools or claim.is_export for claim in owners)
            assert record.rows or id(record) in sampled or record.status != "complete"


def check_word(row: Measured, name: str) -> None:
    """Check that a row is a word with a finite number in its unit."""
    assert math.isfinite(row.value)
    assert row.origin in {"reported", "computed"}
    word = VOCABULARY.get(row.metric)
    if word is None:
        assert name in CUSTOM
        return
    assert row.unit == word.unit
    assert row.unit in BASE_UNITS
    assert row.stat in word.stats or re.fullmatch(r"p\d+(\.\d+)?", row.stat)


def check_line(row: Measured, lines: list[str], form: str) -> None:
    """Check that the line of a row holds its number."""
    assert 1 <= row.line <= len(lines)
    if row.origin == "reported":
        line = lines[row.line - 1]
        assert holds(numbers(line, form), row.value), (row, line)


@each_junk
def test_what_is_no_result_is_no_run(path: Path) -> None:
    try:
        formats = registry.identify(Source.load(path))
    except (UnknownFormatError, UnreadableError):
        return
    records = [record for form in formats for record in form.parse(Source.load(path))]
    assert [type(record) for record in records] == [Diagnostic]  # a tool's, refused by its parser


def shift(prefix: str) -> Callable[[str], bytes]:
    return lambda text: "".join(prefix + line for line in text.splitlines(keepends=True)).encode()


DRESSES: dict[str, Callable[[str], bytes]] = {
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
def test_dress_changes_nothing(path: Path) -> None:
    text = Source(None, "memory", content(path)).text()
    for claim in claims(path) if text else ():
        plain = told(parse(claim, text.encode()))
        for name, dress in DRESSES.items():
            assert claim in registry.identify(Source(None, "memory", dress(text))), name
            assert told(parse(claim, dress(text))) == plain, name


@each_result
def test_a_report_pasted_among_other_text_stays_what_it_is(path: Path) -> None:
    """A real report stays whole; a synthetic page may lose blocks, and gains no number."""
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
                assert told(parse(claim, pasted)) == told(plain), name


def cuts(size: int, most: int) -> range:
    """Return evenly spaced places to cut, fewer in larger files, never all at line ends."""
    wanted = max(5, min(most, 1_000_000 // (size + 1)))
    return range(1, size, max(1, size // wanted) | 1)


class Whole(NamedTuple):
    """What a source tells uncut: its rows, and where runs begin that sum up others."""

    rows: frozenset[Measured]
    sampled: frozenset[int]


def read_whole(claim: Format, data: bytes) -> Whole:
    records = parse(claim, data)
    sampled = {record.reading.line for record in records if isinstance(record, Samples)}
    sampled |= {each.line for each in records if isinstance(each, Reading) and counts_on(each)}
    return Whole(frozenset(rows(records)), frozenset(sampled))


def counts_on(run: Reading) -> bool:
    """Whether each row has the totals so far: a cut between two ends an earlier history."""
    return run.form == "history"


def invented(records: list[Record], whole: Whole) -> list[Measured]:
    """Return the rows that the whole source does not have, there or more precisely elsewhere.

    What is computed over raw samples is not looked at: a cut between two sums up fewer of them.
    """
    strange = {
        row
        for record in records
        for row in rows([record])
        if row.origin == "reported" or not is_sampled(record, whole)
    } - whole.rows
    return [
        row
        for row in strange
        if not any(map(row.is_told_by, whole.rows)) and not is_part_of_sum(row, whole)
    ]


def is_part_of_sum(row: Measured, whole: Whole) -> bool:
    """Whether a count, or a launch's median, is of fewer lines: where a list ends is not seen."""
    alike = [other for other in whole.rows if other[:3] == row[:3]]
    return row.origin == "computed" and (
        (row.stat == "count" and any(row.value < other.value for other in alike))
        or (row.stat == "median" and any(row.line == other.line for other in alike))
    )


def is_sampled(record: Record, whole: Whole) -> bool:
    return isinstance(record, Reading) and record.line in whole.sampled


def check_cut(claim: Format, data: bytes, whole: Whole, place: int) -> None:
    found = invented(parse(claim, data[:place]), whole)
    assert not found, f"cut at byte {place}: {data[:place][-60:]!r}"


@each_result
def test_a_cut_file_gives_no_number_that_the_whole_does_not(path: Path) -> None:
    data, packed = content(path), gzip.compress(content(path))
    for claim in claims(path):
        whole = read_whole(claim, data)
        for place in cuts(len(data), most=40):
            check_cut(claim, data, whole, place)
        for place in cuts(len(packed), most=5):
            check_damaged_gzip(claim, packed[: max(place, 2)], whole)


def check_damaged_gzip(claim: Format, packed: bytes, whole: Whole) -> None:
    records: list[Record] = []
    with pytest.raises(UnreadableError, match="damaged or truncated"):
        records.extend(claim.parse(Source(None, "memory", packed)))
    assert not invented(records, whole)


@cache
def smallest(known: Format) -> bytes:
    """Return the smallest result of a format that has values."""
    results = [path for path in POSITIVE if known in claims(path)]
    with_rows = [path for path in results if any(rows(parse(known, content(path))))]
    return min((content(path) for path in with_rows), key=len)


@pytest.mark.parametrize("known", registry.formats(), ids=lambda known: known.name)
@pytest.mark.parametrize("number", ["\N{FULLWIDTH DIGIT ONE}2", "NaN"])
def test_what_is_no_number_costs_no_file(known: Format, number: str) -> None:
    data = smallest(known)
    places = list(re.finditer(rb"\d+", data))
    for match in places[:: 1 + len(places) // 200]:
        mutant = data[: match.start()] + number.encode() + data[match.end() :]
        with suppress(UnreadableError):
            assert all(math.isfinite(row.value) for row in rows(parse(known, mutant)))


@pytest.mark.parametrize("known", registry.formats(), ids=lambda known: known.name)
def test_a_cut_at_nearly_any_byte_gives_no_number_that_the_whole_does_not(known: Format) -> None:
    data = smallest(known)
    whole = read_whole(known, data)
    for place in range(1, len(data), 1 + len(data) // 1000):
        check_cut(known, data, whole, place)


MEASURING = [each for each in registry.all_tools() if each.role not in {"companion", "summary"}]
#: Where the runs of two variants lie, if not as none and otlp in a scenario of the tool's name.
PAIRS = {
    "wrk": ("tracing-wrk", "none", "otlp"),
    "redis_benchmark": ("redis-benchmark", "none", "aof"),
    "k6": ("shorturl-k6", "baseline", "otel"),
    "gobench": ("redis-gobench/interleaved", "Baseline", "OTel_Enabled"),
    "benchcmp": ("benchcmp", "old", "new"),
}


@pytest.mark.parametrize("tool", MEASURING, ids=lambda tool: tool.name)
def test_two_fixtures_of_two_variants_compare_with_a_verdict(tool: Tool, tmp_path: Path) -> None:
    scenario, *pair = PAIRS.get(tool.name, (tool.name, "none", "otlp"))
    runs = bk.load(FIXTURES / scenario).where(role="measured", tool=tool.name)
    baseline, variant = (name if name in runs.variants else f"synthetic-{name}" for name in pair)
    comparison = runs.compare(baseline=baseline, variant=variant)
    words = {row.word for row in comparison.verdicts.primary}
    assert words - {"inconclusive"}, f"add runs to fixtures/{scenario}: 5 of each variant"
    page = bk.report(comparison, tmp_path / "report.md").read_text(encoding="utf-8")
    assert comparison.verdict in page
    assert bk.gate(comparison, {}).outcome.rows
