"""go test -bench: recognition, and truncated, quoted or mangled logs that must not mislead."""

from __future__ import annotations

import gzip
import json
from functools import cache
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from benchkit.errors import Diagnostic
from benchkit.parsers.base import Reading
from benchkit.parsers.gobench import LOG as FORMAT
from benchkit.reading.source import Source, UnreadableError

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


def recognises(text: str | bytes) -> bool:
    data = text.encode() if isinstance(text, str) else text
    return FORMAT.recognises(Source(None, "log.txt", data).head())


@pytest.mark.parametrize(
    "text",
    [
        "These are notes about a benchmark. Requests/sec was about 1200 and Latency looked fine.",
        'package x\n\nimport "testing"\n\nfunc BenchmarkX(b *testing.B) {\n\tb.Loop()\n}\n',
        "goos: linux\n       │ a.txt │\n       │ sec/op │\nRedis/Ping-2   66.98µ ± 21%\n",
        "name    old time/op  new time/op  delta\nX-2   65.9µs ±26%   35.4µs ±34%  -46.29%\n",
        "benchmark  old ns/op  new ns/op  delta\nBenchmarkX-8     523   68.6   -86.88%\n",
        "| Name | ns/op | B/op |\n|---|---|---|\n| BenchmarkX-8 | 12 | 0 |\n",
        "| BenchmarkX-8 | 1,000 | 12 ns/op |\n| gin | 1000 | 12 ns/op |\n",
        "| BenchmarkX-8 | 1000 | 12 ns/op | 2x faster |\n",
        "Benchmarking host (be patient)\nBenchmark ran 100 times at 12 ns/op\n",
        '{"Action":"output","Package":"p","Test":"TestX","Output":"ok\\n"}\n',
        "",
    ],
)
def test_other_text_is_not_recognised(text: str) -> None:
    assert not recognises(text)
    assert parse_text(text)[0] == []


def test_values_wrapped_below_a_result_are_reported() -> None:
    """The bytes and allocations of a page were lost silently."""
    readings, problems = parse_text("BenchmarkX-4 2000 790 ns/op\n    0 B/op     14 allocs/op\n")
    assert [row[1] for row in readings[0].rows] == ["time_per_op"]
    assert [(each.line, "'0 B/op     14 allocs/op'" in each.what) for each in problems] == [
        (2, True)
    ]


def test_benchstat_csv_is_not_recognised() -> None:
    assert not recognises((REDIS / "benchstat/new-pinned-2file.csv").read_bytes())


@pytest.mark.parametrize(
    "text",
    [
        "BenchmarkX-8   \t100\t12 ns/op\n",
        "text\n> BenchmarkX 1 2 text-bytes\n",
        "BenchmarkX-8   \tlog\n     100\t        12 ns/op\n",
        "BenchmarkX-8   \t--- FAIL: BenchmarkX-8\n",
        '{"Time":"2026-11-21T00:00:00Z","Action":"run","Package":"p","Test":"BenchmarkX"}\n',
    ],
)
def test_log_is_recognised_wherever_its_results_are(text: str) -> None:
    assert recognises(text)


WHOLE = [
    EDGE / "crlf.txt",
    REDIS / "json/OTel_Enabled/gobench-json-1.json",
    REDIS / "single/gobench-copy-custom-metric.txt",
    EDGE / "synthetic-glued.txt",
    EDGE / "synthetic-malformed.txt",
    EDGE / "synthetic-page.md",
    EDGE / "synthetic-units.txt",
]


@given(st.sampled_from(WHOLE), st.data())
def test_truncated_file_yields_no_wrong_value(path: Path, data: st.DataObject) -> None:
    raw = path.read_bytes()
    size = data.draw(st.integers(0, len(raw)))
    whole = {row for reading in parse_file(path)[0] for row in reading.rows}
    readings, _ = parse_text(raw[:size])
    assert {row for reading in readings for row in reading.rows} <= whole


def test_unfinished_last_line_is_read_up_to_its_last_complete_unit() -> None:
    line = "BenchmarkX-8 10 120 ns/op 99 p99-ns\n"
    actual = {}
    for size in range(len(line) + 1):
        readings, diagnostics = parse_text(line + line[:size])
        actual[line[:size]] = len(readings[1].rows) if len(readings) > 1 else 0
        assert len(readings) > 1 or size <= 15 or diagnostics
    assert actual["BenchmarkX-8 10 12"] == 0
    assert actual["BenchmarkX-8 10 120 ns/o"] == 0
    assert actual["BenchmarkX-8 10 120 ns/op"] == 1
    assert actual["BenchmarkX-8 10 120 ns/op 99 p99"] == 1
    assert actual["BenchmarkX-8 10 120 ns/op 99 p99-ns"] == 2


@pytest.mark.parametrize(
    ("tail", "status"),
    [
        ("10 120 ns/op 99 p99-ns", "complete"),
        ("10 120 ns/op", "partial"),
        ("10 9 ns/op ", "partial"),
    ],
)
def test_run_on_a_truncated_line_is_partial(tail: str, status: str) -> None:
    readings, diagnostics = parse_text(f"BenchmarkX 10 120 ns/op 99 p99-ns\nBenchmarkY {tail}")
    assert readings[1].status == status
    assert bool(diagnostics) == (status == "partial")


@pytest.mark.parametrize(
    "row",
    [
        "| BenchmarkX-8 | 1000 | 12 ns/op | 16 B/op | 1 allocs/op |",
        "| BenchmarkX-8 1000 12 ns/op 16 B/op 1 allocs/op |",
        "|`BenchmarkX-8`|**1000**|**12 ns/op**|16 B/op|1 allocs/op|",
        "BenchmarkX-8 | 1000 | 12 ns/op | 16 B/op | 1 allocs/op",
        "| `BenchmarkX-8   1000   12 ns/op   16 B/op   1 allocs/op` |",
    ],
)
def test_table_row_that_is_a_complete_result_is_read(row: str) -> None:
    head = "# Results\n\n| Benchmark | N | time | B | allocs |\n|---|--:|---|---|---|\n"
    text = f"{head}{row}\n{row.replace('X', 'Y')}\n"
    (reading, _), problems = parse_text(text)
    assert recognises(text)
    assert (reading.line, reading.benchmark) == (5, "X")
    assert [(each[1], each[3]) for each in reading.rows] == [
        ("time_per_op", 12 * 1e-9), ("bytes_per_op", 16.0), ("allocs_per_op", 1.0)
    ]  # fmt: skip
    assert problems == []


def test_unread_table_next_to_results_is_reported_once() -> None:
    rows = "|Name|ns/op|\n|---|---|\n|X|12|\n\n|X|12 ns/op|\n|Y|13 ns/op|\n"
    readings, problems = parse_text(f"{rows}\nBenchmarkX 10 12 ns/op\n")
    assert len(readings) == 1
    assert [(each.line, each.what) for each in problems] == [
        (line, "this table is not read: a row needs a name, iterations and values with units")
        for line in (1, 5)
    ]


def test_truncated_table_row_is_not_a_result() -> None:
    assert parse_text("text\n| BenchmarkX 10 120 ns/op")[0] == []
    assert len(parse_text("text\n| BenchmarkX 10 120 ns/op\n")[0]) == 1


def test_damaged_gzip_yields_its_complete_lines() -> None:
    raw = (REDIS / "pinned/Baseline.txt").read_bytes()
    source = Source(None, "log.txt.gz", gzip.compress(raw)[:-8])
    actual: list[object] = []
    with pytest.raises(UnreadableError, match="damaged or truncated"):
        actual.extend(FORMAT.parse(source))
    assert actual
    assert actual == parse_file(REDIS / "pinned/Baseline.txt")[0][: len(actual)]


def test_prose_about_units_is_not_metadata() -> None:
    readings, diagnostics = parse_text(
        "Unit tests take a while.\nUnit 12 a=b\nUnit x note=short\nBenchmarkX 1 2 x\n"
    )
    assert (readings[0].assume, readings[0].better, diagnostics) == ({}, {}, [])


def test_beginning_of_a_longer_unit_is_not_trusted() -> None:
    readings, _ = parse_text("BenchmarkX 1 120 B/op 3 B/operation\nBenchmarkX 1 7 B/op")
    assert [len(reading.rows) for reading in readings] == [2]


@given(
    st.sampled_from(["", "# ", "> ", "\t", "    ", "2026-11-21T10:00:00.5Z "]),
    st.sampled_from(["\n", "\r\n"]),
    st.sampled_from(["utf-8", "utf-8-sig", "utf-16"]),
)
def test_prefixes_line_ends_and_encodings_do_not_change_the_result(
    prefix: str, end: str, encoding: str
) -> None:
    lines = (REDIS / "pinned/Baseline.txt").read_text().splitlines()
    text = "".join(f"{prefix}{line}{end}" for line in lines)
    assert parse_text(text.encode(encoding)) == parse_file(REDIS / "pinned/Baseline.txt")


@given(
    st.text(alphabet=st.sampled_from('Benchmark-X8 \t\n.0123456789ns/opUit=:{}"|>'), max_size=200)
)
def test_arbitrary_text_never_raises(text: str) -> None:
    recognises(text)
    for reading in parse_text(text + "\nBenchmarkX 1 2 ns/op\n")[0]:
        assert reading.rows


#: Without the control characters that a source removes before parsing.
LOG = st.text(
    st.one_of(st.sampled_from("\n\t 0123456789"), st.characters(exclude_categories=["C"]))
)


@given(LOG, st.integers(1, 10**9), st.floats(0.001, 1e9))
def test_log_text_before_a_result_never_changes_it(log: str, count: int, time: float) -> None:
    number = f"{time:.4g}" if time < 1000 else f"{time:.0f}"
    glued = f"BenchmarkX-8   \t{log}{count:8d}\t{number:>10} ns/op\n"
    readings, diagnostics = parse_text(glued)
    if not log.strip():
        return
    for reading in readings:
        row = reading.rows[0]
        if "Benchmark" not in log:
            assert row[3] == float(number) * 1e-9
            assert row[5] == count or (count >= 10**7 and log[-1:].isdecimal())
    assert readings or diagnostics


@pytest.mark.parametrize("ending", ["<br>", " <br />", "\\", "  "])
def test_line_breaks_of_a_page_are_not_units(ending: str) -> None:
    lines = [f"Benchmark{name}-8  100  12 ns/op  6 allocs/op{ending}" for name in "AB"]
    actual, problems = parse_text("\n".join([*lines, ""]))
    assert problems == []
    assert {row[1] for reading in actual for row in reading.rows} == {
        "time_per_op",
        "allocs_per_op",
    }


def test_typo_in_a_standard_unit_is_not_a_metric() -> None:
    actual, problems = parse_text(
        "Benchmark_TwoTrySends-4             \t50000000\t        22.3 ns/op\n"
        "Benchmark_OneSelectWithTwoCases-4   \t10000000\t       203 ns/opp\n"
    )
    assert [row[1] for reading in actual for row in reading.rows] == ["time_per_op"]
    ((line, text),) = [(problem.line, problem.what) for problem in problems]
    assert line == 2
    assert "OneSelectWithTwoCases-4: expected a unit, got 'ns/opp'" in text


def test_html_tags_are_not_units() -> None:
    actual, problems = parse_text("BenchmarkA-8  100  12 ns/op  6 allocs/op</td>\n")
    assert [row[1] for row in actual[0].rows] == ["time_per_op"]
    assert "expected a unit" in problems[0].what


@pytest.mark.parametrize("offset", range(1, 4))
def test_unit_wrapped_by_a_terminal_is_rejoined(offset: int) -> None:
    whole = "BenchmarkA-8 \t100\t12.5 ns/op\t33254.75 MB/s\t 6 B/op\n"
    place = whole.index("MB/s") + offset
    (actual,), problems = parse_text(f"{whole[:place]}\n{whole[place:]}")
    assert problems == []
    assert {row[1]: row[3] for row in actual.rows} == {
        "time_per_op": 12.5 * (1 / 1e9),
        "processing_rate": 33254.75e6,
        "bytes_per_op": 6.0,
    }


def test_results_separated_by_blanks_are_kept_behind_a_prefix() -> None:
    lines = [
        f"BenchmarkOp{i} {' ' * (i % 3)}100 {12 + i} ns/op {i} B/op {i % 2} allocs/op"
        for i in range(12)
    ]
    text = "\n".join(f"2024-05-01T10:00:{i:02d}.5Z 01O {line}" for i, line in enumerate(lines))
    actual, problems = parse_text(f"{text}\n")
    assert len(actual) == 12
    assert all(len(reading.rows) == 3 for reading in actual)
    assert problems == []


@pytest.mark.parametrize("blank", ["    ", " \t "])
def test_missing_iteration_count_is_reported(blank: str) -> None:
    text = f"BenchmarkX-16{blank}32393 ns/op\nBenchmarkY-16\t100\t3200 ns/op\n"
    readings, diagnostics = parse_text(text)
    assert [reading.benchmark for reading in readings] == ["Y"]
    expected = "benchmark X-16: the number of iterations is missing before '32393 ns/op'"
    assert [(problem.line, problem.what) for problem in diagnostics] == [(1, expected)]


@pytest.mark.parametrize("opening", ["PASS", "=== RUN   BenchmarkB", "ok  \tp\t6.3s", "FAIL\tp"])
def test_event_without_a_line_end_ends_before_the_next_go_test_line(opening: str) -> None:
    texts = ["BenchmarkA-2 \t 5 \t 7 ns/op\t 3 B/op\t 2 allocs/op", f"{opening}\n", "PASS\n"]
    events = [json.dumps({"Action": "output", "Package": "p", "Output": text}) for text in texts]
    ((reading,), _) = parse_text("\n".join(events) + "\n")
    assert {(row[1], row[9]) for row in reading.rows} == {
        ("time_per_op", 1),
        ("bytes_per_op", 1),
        ("allocs_per_op", 1),
    }


def test_result_with_a_damaged_line_end_ends_before_the_next_result() -> None:
    texts = ["BenchmarkA-2 \t 5\t 62 ns/op\t 4 B/opn", "BenchmarkA-2 \t 8\t 51 ns/op\t 3 B/op\n"]
    events = [json.dumps({"Action": "output", "Package": "p", "Output": text}) for text in texts]
    readings, _ = parse_text("\n".join(events) + "\n")
    times = {row[3]: row[9] for run in readings for row in run.rows if row[1] == "time_per_op"}
    assert times == {6.2e-8: 1, 5.1e-8: 2}


def test_output_interrupted_by_a_damaged_event_is_not_joined() -> None:
    texts = ["BenchmarkA-2 \t 10\t 299 ns/op\t 42", None, "BenchmarkA-2 \t 20\t 512 ns/op\n"]
    events = [
        json.dumps({"Action": "output", "Package": "p", "Output": text}) if text else '{"Time":"20'
        for text in texts
    ]
    readings, _ = parse_text("\n".join(events))
    times = {row[3]: row[9] for run in readings for row in run.rows if row[1] == "time_per_op"}
    assert times == {2.99e-7: 1, 5.12e-7: 3}
