"""JMH's profilers: each value next to a score is a metric with the profiler's name."""

from __future__ import annotations

import pytest

from benchkit.parsers.base import Format, Reading, Source
from benchkit.parsers.jmh import CSV, JSON, TEXT

HEAD = "Benchmark  Mode  Cnt  Score  Error  Units\n"
SCORE = "Sort.ints                         avgt  15  160.544 ± 5.133  ns/op\n"
PROFILED = {
    "CPI            avgt    3     0.413            clks/insn": ("CPI", "mean", 0.413, "1"),
    "L1-loads:u     avgt    3    12.500            #/op": ("L1-loads:u", "mean", 12.5, "1"),
    "·gc.alloc.rate avgt   15  1373.036 ± 41.148   MB/sec": (
        "gc.alloc.rate",
        "mean",
        1373.036 * 2**20,
        "B/s",
    ),
    "·gc.alloc.rate.norm  avgt   15  24.000 ± 0.001  B/op": ("bytes_per_op", "mean", 24.0, "B"),
    "·gc.churn.G1.norm  avgt   15  25.500 ± 0.001  B/op": ("gc.churn.G1.norm", "mean", 25.5, "B"),
    "gc.count       avgt   15   123.000            counts": ("gc.count", "count", 123.0, "1"),
    "gc.count       avgt   15       ≈ 0            counts": ("gc.count", "count", 0.0, "1"),
    "gc.time        avgt   15    78.000            ms": ("gc.time", "total", 0.078, "s"),
    "failures       avgt   15     7.000            #": ("jmh.failures", "count", 7.0, "1"),
}


def read(form: Format, text: str) -> list[Reading]:
    records = list(form.parse(Source(None, "x", text.encode())))
    assert all(isinstance(each, Reading) for each in records)
    return [each for each in records if isinstance(each, Reading)]


@pytest.mark.parametrize("head", [HEAD, ""])
@pytest.mark.parametrize(("line", "row"), PROFILED.items())
def test_profiler_row_is_a_metric(head: str, line: str, row: tuple[str, str, float, str]) -> None:
    (run,) = read(TEXT, f"{head}{SCORE}Sort.ints:{line}\n")
    metric, stat, value, unit = row
    profiled = run.rows[1]
    assert (profiled[0], *profiled[1:3], profiled[4]) == (None, metric, stat, unit)
    assert profiled[3] == pytest.approx(value, rel=1e-12)


def test_profiler_text_is_not_a_metric() -> None:
    (run,) = read(TEXT, f"{HEAD}{SCORE}Sort.ints:·asm  avgt  NaN  ---\n")
    assert [row[1] for row in run.rows] == ["time_per_op"]


def test_csv_rows_and_json_iterations_are_the_same_metrics() -> None:
    csv = (
        '"Benchmark","Mode","Threads","Samples","Score","Score Error (99.9%)","Unit"\n'
        '"a.Sort.ints","avgt",1,15,160.5,5.1,"ns/op"\n'
        '"a.Sort.ints:gc.count","avgt",1,15,9.0,NaN,"counts"\n'
        '"a.Sort.ints:CPI","avgt",1,3,0.4,NaN,"clks/insn"\n'
    )
    json = (
        '[{"benchmark": "a.Sort.ints", "mode": "avgt", "primaryMetric": {"scoreUnit": "ns/op", '
        '"rawData": [[160, 161]]}, "secondaryMetrics": {'
        '"·gc.count": {"scoreUnit": "counts", "rawData": [[4, 5]]},'
        '"·CPI": {"scoreUnit": "clks/insn", "rawData": [[0.3, 0.5]]}}}]'
    )
    for form, text in ((CSV, csv), (JSON, json)):
        (run,) = read(form, text)
        assert [(row[1], row[3]) for row in run.rows[1:]] == [("gc.count", 9.0), ("CPI", 0.4)]
