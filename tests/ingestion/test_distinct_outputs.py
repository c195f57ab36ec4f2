"""Outputs of named benchmarks below plain lines are repeats only if no text distinguishes them."""

from __future__ import annotations

from pathlib import Path

import pytest

import benchkit as bk

TABLES = {
    "criterion": (
        "sort                    time:   [1.{n}421 ms 1.{n}540 ms 1.{n}667 ms]\n"
        "Found {n} outliers among 100 measurements (8.00%)\n"
        "uniq                    time:   [2.{n}421 ms 2.{n}540 ms 2.{n}667 ms]\n"
    ),
    "jmh": (
        "Benchmark   Mode  Cnt  Score   Error  Units\n"
        "Text.sort   avgt   10  {n}.543 ± 0.116  ns/op\n"
        "Text.uniq   avgt   10  {n}.743 ± 0.116  ns/op\n"
    ),
    "benchstat": (
        "name     old time/op  new time/op  delta\n"
        "Sort-8   1.{n}0ms ± 1%  1.10ms ± 2%  -8.33%  (p=0.000 n=10+10)\n"
    ),
    "google-benchmark": (
        "2026-11-0{n}T10:00:0{n}+01:00\nRunning ./bench\nRun on (8 X 24 MHz CPU s)\n"
        "CPU Caches:\n  L1 Data 64 KiB (x8)\n  L2 Unified 4096 KiB (x4)\n"
        "Load Average: {n}.38, 1.73, 1.70\n"
        "***WARNING*** CPU scaling is enabled, the benchmark may be noisy.\n"
        "---------------------------------------------\n"
        "Benchmark          Time       CPU   Iterations\n"
        "---------------------------------------------\n"
        "BM_sort       {n}.26 ns  0.266 ns   1000000000\n"
        "BM_uniq/8     {n}.59 ns   9.59 ns     69819729\n"
    ),
    "google-benchmark 1.0": (
        "Run on (1 X 2300 MHz CPU )\n2016-06-2{n} 19:34:24\n"
        "Benchmark              Time           CPU Iterations\n"
        "----------------------------------------------------\n"
        "BM_sort/32            1{n} ns         11 ns   79545455\n"
    ),
}
each_table = pytest.mark.parametrize("table", TABLES.values(), ids=TABLES)


def list_runs(folder: Path, *passages: str) -> list[tuple[str, int]]:
    path = folder / "bench.md"
    path.write_text("\n".join(passages), encoding="utf-8")
    runs = bk.load(path).runs
    return list(zip(runs["benchmark"], runs["run"], strict=True))


@each_table
@pytest.mark.parametrize("frame", ["{}", "```\n{}```\n", "# All\n\n```console\n{}\n```\n"])
@pytest.mark.parametrize(
    ("captions", "names"),
    [
        (("java 19", "java 20 patched"), ["java 19", "java 20 patched"]),
        (("on Linux", "on macOS"), ["on Linux", "on macOS"]),
        (("### JDK 8\n\n<!-- data -->", "### JDK 9\n\n<!-- data -->"), ["JDK 8", "JDK 9"]),
    ],
)
def test_plain_line_above_each_table_separates_them(
    table: str, frame: str, captions: tuple[str, str], names: list[str], tmp_path: Path
) -> None:
    page = "\n".join(f"{caption}\n{table.format(n=at)}" for at, caption in enumerate(captions, 2))
    runs = list_runs(tmp_path, frame.format(page))
    assert {number for _, number in runs} == {1}
    leads = list(dict.fromkeys(name.split(" / ")[0] for name, _ in runs))
    assert leads == names


@each_table
@pytest.mark.parametrize("frame", ["{}", "```\n{}```\n"])
@pytest.mark.parametrize("captions", [("", "", ""), ("Run 1", "Run 2", "Run 3")])
def test_tables_without_a_difference_are_repeats(
    table: str, frame: str, captions: tuple[str, ...], tmp_path: Path
) -> None:
    page = "\n".join(f"{caption}\n{table.format(n=at)}" for at, caption in enumerate(captions, 2))
    runs = list_runs(tmp_path, frame.format(page))
    assert {number for _, number in runs} == {1, 2, 3}
    assert not any(" / " in name for name, _ in runs)


def test_table_whose_first_benchmark_is_new_is_one_table(tmp_path: Path) -> None:
    head = "Benchmark   Mode  Cnt  Score   Error  Units\n"
    row = "Text.{}   avgt   10  {}.543 ± 0.116  ns/op\n"
    first, second = (
        head + "".join(row.format(name, at) for name in names)
        for at, names in ((2, ("sort", "uniq")), (3, ("comm", "sort", "uniq")))
    )
    runs = list_runs(tmp_path, f"java 19\n{first}\njava 20\n{second}")
    assert [name for name, _ in runs] == [
        "java 19 / Text.sort",
        "java 19 / Text.uniq",
        "Text.comm",
        "java 20 / Text.sort",
        "java 20 / Text.uniq",
    ]


CARGO = """$ cargo bench
{build}    Finished `bench` profile [optimized] target(s) in {n}.02s
     Running benches/text.rs (target/release/deps/text-1f0a9c2b7d{n})
Gnuplot not found, using plotters backend
Benchmarking sort: Warming up for 3.0000 s
Benchmarking sort: Collecting 100 samples in estimated 5.0{n}48 s (2.{n}M iterations)
sort                    time:   [1.{n}421 ms 1.{n}540 ms 1.{n}667 ms]
{change}Found {n} outliers among 100 measurements (8.00%)
  {n} (2.00%) low mild

"""
CHANGE = """                        change: [-0.{n}% -0.3% -0.1%] (p = 0.0{n} < 0.05)
                        Change within noise threshold.
"""
JMH = """$ java -jar target/benchmarks.jar
# JMH version: 1.36
# VM version: JDK {jdk}, OpenJDK 64-Bit Server VM, {jdk}+12
# Warmup: 1 iterations, 10 s each
# Benchmark: org.sample.Text.sort

# Run progress: {n}.00% complete, ETA 00:0{n}:40
# Fork: 1 of 1
# Warmup Iteration   1: 4243{n}.146 ops/s
Iteration   1: 4249{n}.138 ops/s

Result "org.sample.Text.sort":
  4244{n}.743 ±(99.9%) 12{n}.2 ops/s [Average]
  (min, avg, max) = (4244{n}.743, 4244{n}.9, 4249{n}.138), stdev = 10{n}.2

# Run complete. Total time: 00:0{n}:40

REMEMBER: The numbers below are just data.

Benchmark   Mode  Cnt  Score   Error  Units
Text.sort   thrpt   10  4244{n}.743 ± 0.116  ops/s

"""


def test_text_of_cargo_and_criterion_is_not_a_caption(tmp_path: Path) -> None:
    build = "   Compiling text v0.1.0 (/home/u/text)\n"
    outputs = [CARGO.format(n=1, build=build, change="")]
    outputs += [CARGO.format(n=at, build="", change=CHANGE.format(n=at)) for at in (2, 3)]
    assert list_runs(tmp_path, *outputs) == [("sort", 1), ("sort", 2), ("sort", 3)]


def test_text_of_the_jmh_log_is_not_a_caption(tmp_path: Path) -> None:
    outputs = [JMH.format(n=at, jdk="17.0.1") for at in (1, 2, 3)]
    assert list_runs(tmp_path, *outputs) == [("Text.sort", 1), ("Text.sort", 2), ("Text.sort", 3)]


def test_logs_of_two_jvms_are_not_repeats(tmp_path: Path) -> None:
    runs = list_runs(tmp_path, JMH.format(n=1, jdk="11.0.2"), JMH.format(n=2, jdk="17.0.1"))
    assert [number for _, number in runs] == [1, 1]


@pytest.mark.parametrize(
    "line",
    [
        "# JMH blackhole mode: full blackhole + dont-inline hint",
        "# JMH 1.12 (released 53 days ago)",
        "# JMH 1.12 (released 255 days ago, please consider updating!)",
        "# Detecting actual CPU count: 4 detected",
    ],
)
def test_log_lines_of_other_jmh_versions_name_no_benchmark(line: str, tmp_path: Path) -> None:
    for name, text in (("one", f"{line}\n{TABLES['jmh']}"), ("two", TABLES["jmh"])):
        (tmp_path / f"{name}.log").write_text(text.format(n=2), encoding="utf-8")
    runs = bk.load(tmp_path).runs
    assert set(runs["benchmark"]) == {"Text.sort", "Text.uniq"}


def test_caption_may_begin_with_the_word_benchmark(tmp_path: Path) -> None:
    block = "```\n$ redis-benchmark -n 1000 -q\nSET: {}419.85 requests per second\n```\n"
    page = f"Benchmark with it:\n\n{block.format(4)}", f"Benchmark without it:\n\n{block.format(9)}"
    assert list_runs(tmp_path, *page) == [
        ("Benchmark with it / SET", 1), ("Benchmark without it / SET", 1)
    ]  # fmt: skip
