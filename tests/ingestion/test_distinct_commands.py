"""Results with one name under different commands are different tests, whatever the tool."""

from __future__ import annotations

from pathlib import Path

import pytest

import benchkit as bk

CRITERION = "parse                   time:   [{}.175 µs {}.195 µs {}.217 µs]"
JMH = """Benchmark                 Mode  Cnt  Score   Error  Units
BenchmarkTest.benchmark1  avgt   10  {}.724 ± 0.206  us/op"""
HYPERFINE = """Benchmark 1: ./prog input.txt
  Time (mean ± σ):     1{}7.9 ms ±   4.4 ms    [User: 161.4 ms, System: 3.7 ms]
  Range (min … max):   1{}4.4 ms … 1{}9.6 ms    10 runs"""
REDIS = "SET: 9064{}.88 requests per second"
GO = "BenchmarkParse-8   \t    5031\t     9{}327 ns/op"


def list_runs(folder: Path, report: str, commands: list[str]) -> list[tuple[str, int]]:
    """Return the `command` param and number of each run of a page with one fence per command."""
    fences = [
        f"```\n{command}{report.replace('{}', str(number))}\n```\n"
        for number, command in enumerate(commands, 1)
    ]
    (folder / "page.md").write_text("\n".join(["# Parse", *fences]), encoding="utf-8")
    runs = bk.load(str(folder / "page.md")).runs
    commands = [params.partition("command=")[2].partition(",")[0] for params in runs["params"]]
    return list(zip(commands, runs["run"], strict=True))


@pytest.mark.parametrize(
    ("report", "one", "other", "difference"),
    [
        (CRITERION, "cargo bench", "cargo bench --features simd", "--features simd"),
        (JMH, "java -jar b.jar", "java -XX:+UseZGC -jar b.jar", "-XX:+UseZGC"),
        (HYPERFINE, "hyperfine ./prog", "OMP_NUM_THREADS=8 hyperfine ./prog", "OMP_NUM_THREADS=8"),
        (REDIS, "redis-benchmark -t set -q", "redis-benchmark -t set -q -k 0", "-k 0"),
        (GO, "go test -bench .", "GOGC=off go test -bench .", "GOGC=off"),
    ],
)
def test_results_under_different_commands_are_not_repeats(
    tmp_path: Path, report: str, one: str, other: str, difference: str
) -> None:
    for prompt in ("$ ", "user@host:~/x$ "):
        typed = [f"{prompt}{one}\n", f"{prompt}{other}\n"]
        assert list_runs(tmp_path, report, typed) == [("", 1), (difference, 1)]
        assert [run for _, run in list_runs(tmp_path, report, [typed[0]] * 2)] == [1, 2]


def test_command_that_only_shows_a_result_is_not_its_command(tmp_path: Path) -> None:
    shown = ["$ cat one.txt\n", "$ cat two.txt\n"]
    assert list_runs(tmp_path, CRITERION, shown) == [("", 1), ("", 2)]
