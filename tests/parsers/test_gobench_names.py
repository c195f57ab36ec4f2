"""Each output of go test decides which suffix of a Go benchmark's name is GOMAXPROCS."""

from __future__ import annotations

import pytest

from benchkit.parsers.base import Reading, Repeats
from benchkit.parsers.gobench import LOG as FORMAT
from benchkit.reading.source import Source


def parse(data: bytes) -> list[Reading]:
    records = FORMAT.parse(Source(None, "log.txt", data))
    return [record for record in records if isinstance(record, Reading)]


def test_names_without_results_do_not_decide_the_gomaxprocs_suffix() -> None:
    text = (
        b"BenchmarkGet  \t\n"
        b"BenchmarkGet-32  \t    1000\t      1200 ns/op\n"
        b"BenchmarkTransport/gzhttp-32  \t    1000\t      1100 ns/op\n"
    )
    readings = parse(text)
    assert [(r.benchmark, r.params) for r in readings] == [
        ("Get", {"gomaxprocs": "32"}),
        ("Transport/gzhttp", {"gomaxprocs": "32"}),
    ]


def test_incomplete_and_comparison_rows_do_not_decide_the_suffix() -> None:
    text = (
        b"BenchmarkTransport/gzhttp-32  \t    1000\t      1100 ns/op\n"
        b"BenchmarkGet       137.22 MB/s    3532 B/op    15 allocs/op\n"
        b"benchmark                old ns/op     new ns/op     delta\n"
        b"BenchmarkGet-32          51302         23679         -53.84%\n"
    )
    assert [(r.benchmark, r.params) for r in parse(text) if r.benchmark] == [
        ("Transport/gzhttp", {"gomaxprocs": "32"}),
    ]


@pytest.mark.parametrize("change", ["-53.84%", "+0.00%", "+Inf%", "NaN%", "8.53x"])
def test_row_of_benchcmp_is_ignored_without_a_diagnostic(change: str) -> None:
    result = "BenchmarkGet-32 \t    1000\t      1100 ns/op\n"
    head = "benchmark                old ns/op     new ns/op     delta\n"
    row = f"BenchmarkGet-32          51302         23679         {change}\n"
    for text in (result + head + row, f"{result}\n{head}\n{row}\n{row}"):
        assert len(list(FORMAT.parse(Source(None, "x", text.encode())))) == 1


_BARE = "goos: linux\n{first}BenchmarkA \t1000\t10 ns/op\nPASS\nok  \tb\t1s\n{between}"
_SUFFIXED = (
    "goos: linux\n{second}BenchmarkB/x-4 \t1000\t10 ns/op\nBenchmarkB/y-4 \t1000\t20 ns/op\nPASS\n"
)


@pytest.mark.parametrize(
    ("first", "between", "second", "benchmarks"),
    [
        ("", "", "", ["A", "B/x", "B/y"]),
        ("pkg: b\n", "", "pkg: b\n", ["A", "B/x", "B/y"]),  # the package was measured again
        ("pkg: b\n", "$ go test -bench . ./c\n", "pkg: c\n", ["A", "B/x", "B/y"]),
        ("pkg: b\n", "```\n\n```\n", "pkg: c\n", ["A", "B/x", "B/y"]),
        ("pkg: b\n", "", "pkg: c\n", ["A", "B/x-4", "B/y-4"]),  # one call for ./...
        ("BenchmarkB/x-4 \t1\t9 ns/op\n", "", "", ["B/x-4", "A", "B/x-4", "B/y-4"]),
    ],
)
def test_each_output_decides_which_suffix_is_gomaxprocs(
    first: str, between: str, second: str, benchmarks: list[str]
) -> None:
    text = _BARE.format(first=first, between=between) + _SUFFIXED.format(second=second)
    readings = parse(text.encode())
    assert [reading.benchmark for reading in readings] == benchmarks


def test_each_output_read_in_columns_decides_its_suffix() -> None:
    row = "Benchmark{name} \t1000\t10 ns/op\n"
    bare = "".join(row.format(name=f"A/{n % 9}x") for n in range(2000))
    suffixed = "".join(row.format(name=f"B/{n % 9}x-4") for n in range(2000))
    data = f"goos: linux\n{bare}PASS\ngoos: linux\n{suffixed}PASS\n".encode()
    tables = [each for each in FORMAT.parse(Source(None, "x", data)) if isinstance(each, Repeats)]
    named = [{table.readings[place].benchmark for place in table.codes} for table in tables]
    assert named == [{f"A/{n}x" for n in range(9)}, {f"B/{n}x" for n in range(9)}]
