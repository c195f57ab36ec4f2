"""go test -bench: every capture, benchstat's centres, and whatever can happen to a log."""

from __future__ import annotations

import csv
import json
from collections import defaultdict
from datetime import UTC, datetime
from functools import cache
from pathlib import Path
from statistics import median

import pytest

from benchkit.errors import Diagnostic
from benchkit.parsers.base import Reading
from benchkit.parsers.gobench import LOG as FORMAT
from benchkit.parsers.gobench.failures import UNENDED
from benchkit.reading.source import Source

FIXTURES = Path(__file__).resolve().parents[2] / "fixtures"
REDIS, EDGE = FIXTURES / "redis-gobench", FIXTURES / "gobench-edge"

Parsed = tuple[list[Reading], list[Diagnostic]]


def parse(source: Source) -> Parsed:
    records = list(FORMAT.parse(source))
    readings = [record for record in records if isinstance(record, Reading)]
    return readings, [record for record in records if isinstance(record, Diagnostic)]


def parse_text(text: str | bytes) -> Parsed:
    data = text.encode() if isinstance(text, str) else text
    return parse(Source(None, "log.txt", data))


@cache
def parse_file(path: Path) -> Parsed:
    return parse(Source.load(path, path.name))


def values(reading: Reading) -> list[tuple[str, float]]:
    return [(row[1], row[3]) for row in reading.rows]


def list_messages(diagnostics: list[Diagnostic]) -> list[tuple[int, str]]:
    return [(problem.line, problem.what) for problem in diagnostics]


# --- real files -------------------------------------------------------------------------------

COUNTS = {
    "baseline.txt": 50,
    "disabled.txt": 50,
    "enabled.txt": 50,
    "interleaved/Baseline.txt": 50,
    "interleaved/OTel_Disabled.txt": 50,
    "interleaved/OTel_Enabled.txt": 50,
    "pinned/Baseline.txt": 50,
    "pinned/OTel_Disabled.txt": 50,
    "pinned/OTel_Enabled.txt": 50,
    "single/gobench-all-1.txt": 150,
    "single/gobench-copy-custom-metric.txt": 12,
    "single/gobench-cpu12-nobenchmem.txt": 20,
    "json/OTel_Enabled/gobench-json-1.json": 15,
}


@pytest.mark.parametrize(("name", "count"), COUNTS.items())
def test_every_capture_is_recognised_and_read_completely(name: str, count: int) -> None:
    readings, diagnostics = parse_file(REDIS / name)
    assert FORMAT.recognises(Source.load(REDIS / name).head())
    assert (len(readings), diagnostics) == (count, [])
    assert {reading.tool for reading in readings} == {"gobench"}
    assert {reading.status for reading in readings} == {"complete"}
    assert readings[0].env == {
        "goos": "linux",
        "goarch": "amd64",
        "pkg": "bench/redisbench",
        "cpu": "Intel(R) Xeon(R) Processor",
    }


def test_every_value_of_the_first_result_is_read() -> None:
    first = parse_file(REDIS / "pinned/Baseline.txt")[0][0]
    assert (first.benchmark, first.params) == ("Redis/Ping", {"gomaxprocs": "2"})
    assert (first.form, first.line, first.last_line, first.group) == ("text", 5, 5, "")
    assert (first.load_model, first.started_at, first.duration) == ("unknown", None, None)
    time, count = 75329 * 1e-9, 2595
    assert first.rows == [
        (None, "time_per_op", "sample", time, "s", count, None, 1e-9, "reported", 5),
        (None, "bytes_per_op", "sample", 216.0, "B", count, None, 1.0, "reported", 5),
        (None, "allocs_per_op", "sample", 6.0, "1", count, None, 1.0, "reported", 5),
    ]


def test_medians_equal_benchstat_centres_exactly() -> None:
    actual: dict[tuple[str, str], list[list[float]]] = {}
    for variant, name in enumerate(("Baseline", "OTel_Enabled")):
        for reading in parse_file(REDIS / f"pinned/{name}.txt")[0]:
            for metric, value in values(reading):
                actual.setdefault((metric, reading.benchmark), [[], []])[variant].append(value)
    names = {"sec/op": "time_per_op", "B/op": "bytes_per_op", "allocs/op": "allocs_per_op"}
    checked, metric = 0, ""
    lines = (REDIS / "benchstat/new-pinned-2file.csv").read_text().splitlines()
    for row in csv.reader(lines):
        if len(row) > 2 and row[1] in names:
            metric = names[row[1]]
        elif row and row[0].startswith("Redis/"):
            samples = actual[metric, row[0].removesuffix("-2")]
            assert [median(sample) for sample in samples] == [float(row[1]), float(row[3])]
            checked += 2
    assert checked == 30


def test_custom_metrics_are_tidied_without_loss_of_precision() -> None:
    readings = parse_file(REDIS / "single/gobench-copy-custom-metric.txt")[0]
    assert readings[0].benchmark == "Copy/size=1024"
    rows = [(row[1], row[3], row[4], row[7]) for row in readings[0].rows]
    assert rows == [
        ("time_per_op", 8.829 * 1e-9, "s", 1e-12),
        ("processing_rate", 115975.31 * 1e6, "B/s", 1e4),
        ("copied/op", 1024.0, "1", 1.0),
        ("p99-sec", 99.50 * 1e-9, "s", 1e-11),
    ]


def test_names_without_a_suffix_next_to_suffixed_ones_ran_on_one_cpu() -> None:
    levels = defaultdict(list)
    for reading in parse_file(REDIS / "single/gobench-cpu12-nobenchmem.txt")[0]:
        levels[reading.benchmark].append(reading.params["gomaxprocs"])
    assert levels["Redis/Ping"] == ["1", "1", "2", "2"]
    assert len(levels) == 5


def test_failed_benchmarks_are_reported() -> None:
    path = REDIS / "single/gobench-fail.txt"
    readings, diagnostics = parse_file(path)
    assert FORMAT.recognises(Source.load(path).head())
    ((status, line, remark),) = [(r.status, r.line, r.remark) for r in readings]
    assert (status, line, remark) == ("failed", 5, "5: --- FAIL: BenchmarkRedis/Ping")
    assert list_messages(diagnostics)[:2] == [
        (5, "benchmark Redis/Ping failed, so it has no result"),
        (11, "benchmark Redis/Set failed, so it has no result"),
    ]
    assert {problem.severity for problem in diagnostics} == {"warning"}


def test_events_give_the_time_and_the_line_of_the_numbers() -> None:
    path = REDIS / "json/OTel_Enabled/gobench-json-1.json"
    third = parse_file(path)[0][2]
    assert (third.form, third.line, third.last_line) == ("json", 14, 15)
    assert third.started_at is None
    line = path.read_text().splitlines()[14]
    assert "64792 ns/op" in line
    time = datetime(2026, 11, 21, 0, 46, 0, 763520, tzinfo=UTC)
    row = third.rows[0]
    assert (row[3], row[5], row[6], row[9]) == (64792 * 1e-9, 3357, time, 15)


@pytest.mark.parametrize("name", ["crlf.txt", "utf8-bom.txt", "utf16le-bom.txt"])
def test_encodings_and_line_ends_do_not_change_the_result(name: str) -> None:
    plain = (EDGE / "crlf.txt").read_bytes().replace(b"\r\n", b"\n")
    assert parse_file(EDGE / name) == parse_text(plain)
    assert len(parse_text(plain)[0]) == 50


@pytest.mark.parametrize(
    ("name", "count", "problems"),
    [
        ("cut30.txt", 14, [(19, "benchmark Redis/Set-2: the source ends inside its result")]),
        ("cut70.txt", 35, [(1, UNENDED)]),
        (
            "cut30.json",
            2,
            [
                (16, "an event of go test -json is damaged or truncated"),
                (15, "benchmark Redis/Ping-2: no result follows the name"),
            ],
        ),
        ("cut70.json", 9, [(34, "an event of go test -json is damaged or truncated")]),
    ],
)
def test_truncated_files_are_reported(
    name: str, count: int, problems: list[tuple[int, str]]
) -> None:
    readings, diagnostics = parse_file(EDGE / name)
    assert FORMAT.recognises(Source.load(EDGE / name).head())
    assert (len(readings), list_messages(diagnostics)) == (count, problems)


# --- text around results ---------------------------------------------------------------------


def test_output_of_a_benchmark_may_precede_its_result() -> None:
    readings, diagnostics = parse_file(EDGE / "synthetic-glued.txt")
    actual = [(r.benchmark, r.line, r.last_line, r.rows[0][5], values(r)[0][1]) for r in readings]
    assert actual == [
        ("Quiet", 5, 5, 1000, 1200 * 1e-9),
        ("LogsBelow", 6, 8, 200, 34000 * 1e-9),
        ("LogsBeside", 9, 9, 300, 5600 * 1e-9),
        ("LogsBoth", 10, 11, 4000, 780 * 1e-9),
        ("Fast", 12, 13, 1000000000, 0.25 * 1e-9),
        ("After", 19, 19, 500, 2400 * 1e-9),
    ]
    assert list_messages(diagnostics) == [
        (14, "benchmark Joined-8: no result follows the name"),
        (16, "benchmark Broken-8 failed, so it has no result"),
        (18, "benchmark Lost-8: no result follows the name"),
    ]


def test_output_of_a_benchmark_is_not_configuration() -> None:
    readings, _ = parse_text(
        "pkg: a\nBenchmarkX-8   \t\nredis: pool is full\n     100\t        12 ns/op\n"
    )
    assert [reading.env for reading in readings] == [{"pkg": "a"}]


def test_numbers_printed_by_a_benchmark_are_not_a_result() -> None:
    readings, diagnostics = parse_text(
        "BenchmarkX-8   \t20 1.5 MB\n     100\t        12 ns/op\n"
        "BenchmarkY-8   \t5 7 x     100\t        13 ns/op\n"
        "BenchmarkZ-8\t100 14 ns/op\n"
    )
    actual = [(r.benchmark, r.rows[0][5], values(r)) for r in readings]
    assert actual == [
        ("X", 100, [("time_per_op", 12 * 1e-9)]),
        ("Y", 100, [("time_per_op", 13 * 1e-9)]),
        ("Z", 100, [("time_per_op", 14 * 1e-9)]),
    ]
    assert diagnostics == []


def test_result_belongs_to_the_nearest_name() -> None:
    readings, diagnostics = parse_text(
        "BenchmarkA-8 \tBenchmarkB-8 \t     100\t        12 ns/op\n"
        "good byeBenchmarkC-8 \t     100\t        13 ns/op\n"
    )
    assert [(r.benchmark, r.rows[0][3]) for r in readings] == [
        ("B", 12 * 1e-9),
        ("C", 13 * 1e-9),
    ]
    assert list_messages(diagnostics) == [(1, "benchmark A-8: no result follows the name")]


def test_result_with_an_ambiguous_name_is_not_read() -> None:
    readings, diagnostics = parse_text(
        "BenchmarkA-8 \tlog\ntextBenchmarkB-8 \tlog\n     100\t        12 ns/op\n"
    )
    assert readings == []
    assert list_messages(diagnostics) == [
        (1, "benchmark A-8: no result follows the name"),
        (3, "a result without a benchmark name"),
    ]


def test_page_is_read_through_quotes_and_tables_of_results() -> None:
    readings, diagnostics = parse_file(EDGE / "synthetic-page.md")
    assert [(each.line, each.severity) for each in diagnostics] == [(5, "warning")]
    actual = [(reading.line, reading.rows[0][3]) for reading in readings]
    assert actual == [
        (7, 12 * 1e-9),
        (8, 12 * 1e-9),
        (22, 12.5 * 1e-9),
        (23, 13.5 * 1e-9),
        (24, 14.5 * 1e-9),
        (25, 15.5 * 1e-9),
        (26, 16.5 * 1e-9),
    ]
    assert readings[2].env == {
        "goos": "darwin",
        "goarch": "arm64",
        "pkg": "example.org/page",
        "cpu": "Apple M1",
    }
    assert readings[2].command == "go test -run '^$' -bench=Parse ./..."


def test_damaged_lines_are_reported_and_the_rest_is_kept() -> None:
    readings, diagnostics = parse_file(EDGE / "synthetic-malformed.txt")
    actual = {(r.line, r.benchmark, r.status): [value for _, value in values(r)] for r in readings}
    assert actual == {
        (1, "Good", "complete"): [100 * 1e-9, 8],
        (6, "NoUnit", "partial"): [100 * 1e-9],
        (7, "Half", "partial"): [100 * 1e-9],
        (9, "NaN", "complete"): [100 * 1e-9, 3],
        (10, "Twice", "complete"): [100 * 1e-9, 7, 9],
        (11, "Zero", "complete"): [0, 0, 0],
        (12, "Percent", "complete"): [100 * 1e-9, 12.5],
        (17, "Good", "complete"): [110 * 1e-9, 8],
    }
    assert list_messages(diagnostics) == [
        (2, "benchmark NoCount: expected a number of iterations, got 'ns/op'"),
        (3, "benchmark NoCount: the number of iterations is missing before '12.5 ns/op'"),
        (4, "benchmark NoMeasurement: no measurement follows the iteration count"),
        (5, "benchmark NoNumber: expected a number, got 'fast'"),
        (6, "benchmark NoUnit: the number 8 has no unit"),
        (7, "benchmark Half: expected a number, got 'many'"),
        (8, "benchmark Huge: the iteration count is too large to be true"),
        (9, "benchmark NaN: NaN p99-ns is not a finite number"),
        (9, "benchmark NaN: +Inf ratio is not a finite number"),
        (13, "benchmark Compared-8: expected a unit, got '-86.88%'"),
        (14, "benchmark Grouped: expected a number, got '1_000'"),
    ]


def test_zero_is_tidied_like_any_other_value() -> None:
    zero = next(r for r in parse_file(EDGE / "synthetic-malformed.txt")[0] if r.line == 11)
    assert [row[1] for row in zero.rows] == ["time_per_op", "processing_rate", "p50-sec"]


def test_number_too_large_for_its_unit_is_skipped() -> None:
    readings, diagnostics = parse_text("BenchmarkX 1 1e308 MB/s 5 ns/op\n")
    assert values(readings[0]) == [("time_per_op", 5e-9)]
    assert list_messages(diagnostics) == [(1, "benchmark X: 1e308 MB/s is not a finite number")]


def test_unit_lines_apply_to_the_whole_file_and_the_first_one_wins() -> None:
    readings, diagnostics = parse_file(EDGE / "synthetic-units.txt")
    for reading in readings:
        assert reading.assume == {
            "text-bytes": "exact",
            "hit-ratio": "nothing",
            "time_per_op": "exact",
        }
        assert reading.better == {"p99-sec": "lower", "hit-ratio": "higher"}
    assert [reading.env for reading in readings] == [{}, {"note": "after"}, {}]
    assert [row[4] for row in readings[0].rows] == ["B", "s", "1"]
    assert list_messages(diagnostics) == [
        (6, "'assume=nothing' contradicts assume=exact on an earlier line"),
        (7, "better='faster' is not higher or lower"),
        (8, "'exact' does not have the form key=value"),
    ]


def test_alternating_packages_are_kept_apart() -> None:
    readings, diagnostics = parse_file(EDGE / "synthetic-packages.json")
    actual = [(r.benchmark, r.env["pkg"], r.line, r.last_line, r.rows[0][5]) for r in readings]
    assert actual == [
        ("Encode", "example.org/a", 4, 7, 100),
        ("Decode", "example.org/b", 6, 9, 200),
        ("Decode", "example.org/b", 11, 11, 300),
    ]
    assert [reading.env.get("goos") for reading in readings] == ["linux", None, None]
    assert [reading.status for reading in readings] == ["complete", "failed", "failed"]
    first, second, third = (reading.rows[0][6] for reading in readings)
    assert first == datetime(2026, 11, 21, 10, 0, 3, tzinfo=UTC)
    assert second == datetime(2026, 11, 21, 9, 0, 4, tzinfo=UTC)
    assert third is None
    assert list_messages(diagnostics) == [
        (10, "an event of go test -json is damaged or truncated"),
        (12, "benchmark Close failed, so it has no result"),
    ]


@pytest.mark.parametrize(
    "event",
    [
        '{"Action":"output"}',
        '{"Action":"output","Output":12}',
        '{"Action":"output","Package":null,"Output":"BenchmarkX \\t 1\\t 2 ns/op\\n"}',
        '{"Action":"output","Output":"\\ud800BenchmarkX \\t 1\\t 2 ns/op\\n"}',
        '{"Action":' + "[" * 5000,
    ],
)
def test_malformed_events_do_not_stop_reading(event: str) -> None:
    readings, _ = parse_text(event + "\nBenchmarkLast 1 3 ns/op\n")
    assert readings[-1].benchmark == "Last"
    for reading in readings:
        reading.benchmark.encode()


def test_configuration_lasts_until_it_changes() -> None:
    readings, _ = parse_text(
        "pkg: a\nbranch: main\nBenchmarkX 1 2 ns/op\nPASS\nok  \ta\t1s\n"
        "testing: warning: nothing to run\nWarning: upper case\nno:blank\n"
        "pkg: b\nbranch:\nBenchmarkX 1 3 ns/op\n"
    )
    assert [reading.env for reading in readings] == [{"pkg": "a", "branch": "main"}, {"pkg": "b"}]
    assert {reading.group for reading in readings} == {""}


def test_events_and_their_plain_text_agree() -> None:
    path = REDIS / "json/OTel_Enabled/gobench-json-1.json"
    events = [json.loads(line) for line in path.read_text().splitlines()]
    plain = parse_text("".join(event.get("Output", "") for event in events))[0]
    assert [(r.benchmark, r.params, values(r)) for r in plain] == [
        (r.benchmark, r.params, values(r)) for r in parse_file(path)[0]
    ]
