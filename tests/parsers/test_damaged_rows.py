"""An unreadable row or cell of a known report is reported with its line; the rest is kept."""

from __future__ import annotations

from pathlib import Path

import pytest
from reading_formats import format_named

from benchkit.errors import Diagnostic
from benchkit.parsers.base import Reading, Source

FIXTURES = Path(__file__).resolve().parents[2] / "fixtures"
_MEAN = ",0.0035484072000000005,0.0024"
_ESTIMATES = "criterion/otlp/3/roots/slow/new/estimates.json"
_TABULAR = "google-benchmark-console-forms/tabular.txt"
_FULL = "benchmarkdotnet/synthetic-none.json"
_SORTS = "benchmarkdotnet-markdown/none/3/Sorts-report-github.md"
#: The format, a fixture, a text in it, and the damaged text that replaces it.
DAMAGED = (
    ("bombardier", "bombardier-forms/text-latencies.txt", "    50%   114.00us", "    50%   1x4us"),
    ("bombardier", "bombardier-forms/text-latencies.txt", "2xx - 26232", "2xx - 2x"),
    ("oha_text", "oha/text-ms.txt", "50.00% in 8.1712 ms", "50.00% in 8,1712 ms"),
    ("plow", "plow-forms/text-summary.txt", "248µs  305µs", "2x8µs  305µs"),
    ("plow", "plow-forms/text-summary.txt", "248µs  305µs", "       305µs"),
    ("redis_benchmark", "redis-benchmark-forms/text.txt", "0.495     3.711", "          3.711"),
    ("google_benchmark_console", _TABULAR, "       671.554M/s", "          "),
    ("plow", "plow-forms/text-summary.txt", "248µs  305µs", "µs  305µs"),
    ("wrk", "wrk2/synthetic-none-1.txt", "3.811     0.996875", "3,811     0.996875"),
    ("wrk", "wrk2/synthetic-none-1.txt", "3.811     0.996875", "3.811     0.9x"),
    ("hyperfine_text", "hyperfine/text-scan.txt", "[User: ", "[User: NaN"),
    ("bombardier_json", "bombardier/none-1.json", '"req2xx":27877', '"req2xx":NaN'),
    ("bombardier_json", "bombardier/none-1.json", '"req2xx":27877', f'"req2xx":{"9" * 400}'),
    ("oha", "oha/none-1.json", '"p50": 0.001833016', '"p50": -1e9'),
    ("autocannon", "autocannon/none-1.json", '"average":0.51', '"average":1e999'),
    ("autocannon", "autocannon/none-1.json", '"average":0.51', '"average":null'),
    ("bombardier_json", "bombardier/none-1.json", '"req2xx":27877', '"req2xx":"x"'),
    ("jmh", "jmh/none.json", "1.8391", "1,8391"),
    ("asv", "asv/none-1.json", "[[5.260001216811361e-07", "[[-5.2"),
    ("criterion", _ESTIMATES, '"lower_bound":483997', '"lower_bound":-483997'),
    ("hey", "hey/none-1.txt", "  50%% in 0", "  50%% in x"),
    ("locust", "locust/none-1_stats.csv", ",48,50,", ",,50,"),
    ("hyperfine_csv", "hyperfine/table-scan.csv", _MEAN, ",,0.0024"),
    ("locust", "locust/none-1_stats.csv", ",48,50,", ",4x8,50,"),
    ("jmeter_aggregate", "jmeter-forms/synthetic-table.csv", "list,120,12", "list,120,x12"),
    ("benchmarkdotnet", _FULL, "108645643.0", "NaN"),
    ("benchcmp", "benchcmp/all.txt", "38687         -42.26%", "38687         -%"),
    ("criterion_text", "criterion-text/none-1.txt", "[75.081 µs", "[75.0x µs"),
    ("pytest_benchmark_table", "pytest-benchmark-table/none-1.txt", " 811.0001 ", " 811.x001 "),
    ("pytest_benchmark_csv", "pytest-benchmark-table/table.csv", ",7.909984560", ",7.x09984560"),
    ("criterion_text", "criterion-forms/bencher.txt", " ns/iter", " /iter"),
    ("google_benchmark_console", "google-benchmark-console/none.txt", "  222 ns ", "  NaN ns "),
    ("google_benchmark_console", "google-benchmark-console/none.txt", "=667.17M/s", "=667.x/s"),
    ("google_benchmark_csv", "google-benchmark-forms/table.csv", "3.07029e+08", "3.07x"),
)
#: The format, a fixture, and the text within a row before which the file ends.
TRUNCATED = (
    ("redis_benchmark", "redis-benchmark/none-1.csv", '","'),
    ("hyperfine_text", "hyperfine/text-scan.txt", "ge (min … max):"),
    ("hyperfine_text", "hyperfine/text-scan.txt", " runs"),
    ("jmh_text", "jmh/text-otlp.txt", "s/op"),
    ("jmh_text", "jmh/text-otlp.txt", " avgt"),
    ("benchcmp", "benchcmp/all.txt", "+222.76%"),
    ("benchcmp", "benchcmp/all.txt", "chmark"),
    ("criterion_text", "criterion-text/none-1.txt", " µs 147.96"),
    ("criterion_text", "criterion-text/none-1.txt", "/s 919.26"),
    ("criterion_text", "criterion-forms/bencher.txt", "ns/iter"),
    ("google_benchmark_console", "google-benchmark-console/none.txt", "  281935"),
    ("benchmarkdotnet_markdown", _SORTS, "0.5525"),
    ("benchmarkdotnet_markdown", _SORTS, "erge     | 1000"),
    ("hyperfine_table", "hyperfine/table-scan.md", "./count.sh"),
    ("gatling", "gatling/none-1.log", "END"),
    ("pytest_benchmark_table", "pytest-benchmark-table/none-1.txt", " (2.28)"),
)


def split(name: str, text: str) -> tuple[set[tuple[object, ...]], list[Diagnostic]]:
    """Return the values with their benchmarks, and the diagnostics."""
    records = list(format_named(name).parse(Source(None, "x", text.encode())))
    runs = [each for each in records if isinstance(each, Reading)]
    values: set[tuple[object, ...]] = {
        (run.benchmark, *row[:4]) for run in runs for row in run.rows
    }
    return values, [each for each in records if isinstance(each, Diagnostic)]


@pytest.mark.parametrize(("name", "path", "intact", "damaged"), DAMAGED)
def test_damaged_cell_is_reported_and_the_rest_is_kept(
    name: str, path: str, intact: str, damaged: str
) -> None:
    text = (FIXTURES / path).read_text(encoding="utf-8")
    before, present, after = text.partition(intact)
    assert present
    expected, usual = split(name, text)
    values, problems = split(name, f"{before}{damaged}{after}")
    line = before.count("\n") + 1 + intact.count("\n")
    assert line in {each.line for each in problems if each not in usual}
    assert values < expected


@pytest.mark.parametrize(("name", "path", "rest"), TRUNCATED)
def test_truncation_within_a_row_is_reported(name: str, path: str, rest: str) -> None:
    before, present, _ = (FIXTURES / path).read_text(encoding="utf-8").rpartition(rest)
    assert present
    intact, _ = split(name, before.rpartition("\n")[0] + "\n")
    values, problems = split(name, before)
    assert values == intact
    assert before.count("\n") + 1 in {each.line for each in problems}
