"""Fences with results of one benchmark are repeats only if no text distinguishes them."""

from __future__ import annotations

from pathlib import Path

import pytest

import benchkit as bk

RESULTS = {
    "bencher": "test sort ... bench:      3{n},481 ns/iter (+/- 5,315)\n",
    "criterion": (
        "sort                    time:   [1.{n}421 ms 1.{n}540 ms 1.{n}667 ms]\n"
        "Found {n} outliers among 100 measurements (8.00%)\n"
    ),
    "hyperfine": (
        "Benchmark 1: sort\n"
        "  Time (mean ± σ):      4{n}.4 ms ±   1.4 ms    [User: 1.3 ms, System: 3.9 ms]\n"
        "  Range (min … max):    4{n}.0 ms …  4{n}.9 ms    100 runs\n"
    ),
    "jmh": (
        "Benchmark   Mode  Cnt  Score   Error  Units\n"
        "Sort.sort   avgt   10  {n}.543 ± 0.116  ns/op\n"
    ),
}
each_tool = pytest.mark.parametrize("result", RESULTS.values(), ids=RESULTS)


def list_runs(folder: Path, result: str, *captions: str) -> list[tuple[str, int]]:
    path = folder / "bench.md"
    fences = (f"```\n{result.format(n=at)}```\n" for at in range(2, 2 + len(captions)))
    pairs = zip(captions, fences, strict=True)
    text = "\n".join(f"{caption}\n\n{fence}" for caption, fence in pairs)
    path.write_text(text, encoding="utf-8")
    runs = bk.load(path).runs
    return list(zip(runs["benchmark"], runs["run"], strict=True))


@each_tool
@pytest.mark.parametrize(
    ("first", "second"),
    [
        ("Before:", "After:"),
        ("Before (with `cargo bench`):", "After (with `cargo bench`):"),
        ("- from use2b", "- from usc"),
        ("Measured on a laptop\nwith VM version: JDK 8:", "Measured on a laptop\nwith JDK 11:"),
    ],
)
def test_line_above_a_fence_separates_its_results(
    tmp_path: Path, result: str, first: str, second: str
) -> None:
    runs = list_runs(tmp_path, result, first, second)
    assert [number for _, number in runs] == [1, 1], runs
    assert runs[0] != runs[1]


@each_tool
@pytest.mark.parametrize("captions", [("", ""), ("Run 1:", "Run 2:"), ("As follows:",) * 2])
def test_fences_without_a_difference_are_repeats(
    tmp_path: Path, result: str, captions: tuple[str, str]
) -> None:
    runs = list_runs(tmp_path, result, *captions)
    assert [number for _, number in runs] == [1, 2], runs
    assert len({name for name, _ in runs}) == 1


def test_line_above_a_fence_is_not_added_to_distinct_names(tmp_path: Path) -> None:
    first, second = (RESULTS["hyperfine"].replace("sort", name) for name in ("fd", "find"))
    path = tmp_path / "bench.md"
    page = f"Let's start with find:\n```\n{second}```\nThe same for fd:\n```\n{first}```\n"
    path.write_text(page.replace("{n}", "1"), encoding="utf-8")
    assert list(bk.load(path).runs["benchmark"]) == ["find", "fd"]


SECOND = RESULTS["hyperfine"].replace("1: sort", "2: uniq")
SUMMARY = "\nSummary\n  sort ran\n    1.{n} ± 0.1{n} times faster than uniq\n"
OUTPUTS = {
    "one": RESULTS["hyperfine"],
    "two": RESULTS["hyperfine"] + "\n" + SECOND,
    "summary": RESULTS["hyperfine"] + "\n" + SECOND + SUMMARY,
    "warning": RESULTS["hyperfine"] + "\n  Warning: Statistical outliers were detected.\n",
}


@pytest.mark.parametrize("output", OUTPUTS.values(), ids=OUTPUTS)
@pytest.mark.parametrize(
    ("captions", "runs"),
    [
        (("old build", "new build"), [1, 1]),
        (("old build:", "new build:"), [1, 1]),
        (("$ git checkout main", "$ git checkout pr"), [1, 1]),
        (("", "", ""), [1, 2, 3]),
        (("Run 1", "Run 2", "Run 3"), [1, 2, 3]),
        (("$ hyperfine sort uniq",) * 3, [1, 2, 3]),
        (("2026-11-26 10:00:00", "2026-11-26 10:05:00"), [1, 2]),
    ],
)
def test_plain_line_above_hyperfine_output_separates_its_results(
    output: str, captions: tuple[str, ...], runs: list[int], tmp_path: Path
) -> None:
    """Hyperfine numbers its commands from 1 in each output."""
    path = tmp_path / "log.txt"
    texts = (output.format(n=at) for at in range(2, 2 + len(captions)))
    path.write_text("\n".join(f"{c}\n\n{t}" for c, t in zip(captions, texts, strict=True)))
    frame = bk.load(path).runs
    numbers = frame[frame["benchmark"].str.contains("sort")]["run"]
    assert list(numbers) == runs
    assert len(frame) == len(runs) * output.count("Benchmark")
