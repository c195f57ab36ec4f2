"""Outputs of Go benchmarks in one file are repeats only if no text distinguishes them."""

from __future__ import annotations

from pathlib import Path

import pytest

import benchkit as bk

HEADERS = ("", "goos: linux\n", "goos: linux\npkg: p\n", "pkg: p\n")


def go(time: int = 10, header: str = "goos: linux\npkg: p\n", end: str = "") -> str:
    return f"{header}BenchmarkA-8 \t100\t{time} ns/op\nBenchmarkB-8 \t100\t{time} ns/op\n{end}"


def load(folder: Path, text: str, name: str = "bench.txt") -> bk.RunSet:
    (folder / name).write_text(text, encoding="utf-8")
    return bk.load(folder / name)


def list_runs(loaded: bk.RunSet) -> list[tuple[str, str, int]]:
    runs = loaded.runs[loaded.runs["role"] == "measured"]
    params = [
        ",".join(pair for pair in text.split(",") if not pair.startswith("gomaxprocs="))
        for text in runs["params"]
    ]
    return list(zip(runs["benchmark"], params, runs["run"], strict=True))


CAPTIONS = (
    ("Before:", "After:"),
    ("On my Intel laptop", "On the M1"),
    ("* from use2b", "* from usc"),
    ("1. master", "2. this branch"),
    ("Intel laptop:", "M1:"),
)


@pytest.mark.parametrize(("first", "second"), CAPTIONS)
@pytest.mark.parametrize("header", HEADERS)
@pytest.mark.parametrize("end", ["", "PASS\n", "PASS\nok  \tp\t1.2s\n"])
def test_line_above_go_results_separates_them(
    tmp_path: Path, first: str, second: str, header: str, end: str
) -> None:
    for fence in ("```\n", ""):
        blocks = [
            f"{caption}\n\n{fence}{go(time, header, end)}{fence}\n"
            for caption, time in ((first, 10), (second, 30))
        ]
        loaded = load(tmp_path, "".join(blocks), "bench.md")
        runs = list_runs(loaded)
        assert [number for *_, number in runs] == [1, 1, 1, 1], (fence, runs)
        assert "B109" in set(loaded.findings["code"])


def test_line_above_go_results_names_them(tmp_path: Path) -> None:
    text = f"Before:\n\n```\n{go(10)}```\n\nAfter:\n\n```\n{go(30)}```\n"
    names = [name for name, *_ in list_runs(load(tmp_path, text, "bench.md"))]
    assert names == ["Before / A", "Before / B", "After / A", "After / B"]


@pytest.mark.parametrize(
    "between",
    [
        "",
        "\n",
        "PASS\nok  \tp\t{time}.2s\n",
        "PASS\nok  \tp\t{time}.2s\n?   \tq\t[no test files]\nok  \tr\t0.0{time}s\n",
        "PASS\n\ngo: downloading example.com/m v1.0.{time}\n",
        "\nrun {time}\n\n",
    ],
)
def test_text_that_go_prints_between_outputs_leaves_repeats(tmp_path: Path, between: str) -> None:
    text = "".join(between.format(time=time) + go(time) for time in (1, 2, 3))
    numbers = [number for *_, number in list_runs(load(tmp_path, text + between.format(time=4)))]
    assert numbers == [1, 1, 2, 2, 3, 3]


def test_text_that_a_benchmark_prints_leaves_repeats(tmp_path: Path) -> None:
    lines = [f"\nseed: {seed}\n\nBenchmarkA-8 \t100\t{seed} ns/op\n" for seed in (3, 7, 9)]
    text = "goos: linux\npkg: p\n" + "".join(lines) + "PASS\n"
    assert list_runs(load(tmp_path, text)) == [("A", "", 1), ("A", "", 2), ("A", "", 3)]


@pytest.mark.parametrize("fact", ["goos", "goarch", "cpu", "toolchain"])
def test_go_results_of_different_machines_are_not_repeats(tmp_path: Path, fact: str) -> None:
    headers = [f"pkg: p\n{fact}: {value}\n" for value in ("one", "other")]
    loaded = load(tmp_path, "\n".join(go(10, header, "PASS\n") for header in headers))
    assert list_runs(loaded) == [
        ("A", f"{fact}=one", 1),
        ("B", f"{fact}=one", 1),
        ("A", f"{fact}=other", 1),
        ("B", f"{fact}=other", 1),
    ]
    assert "B109" in set(loaded.findings["code"])


@pytest.mark.parametrize(
    ("first", "second"),
    [
        ("$ go1.20.1 test -bench=.", "$ go1.22.1 test -bench=."),
        ("$ go test -bench=.", "$ gotip test -bench=."),
        ("$ GOGC=off go test -bench=.", "$ GOGC=100 go test -bench=."),
        ("$ GOEXPERIMENT=a go test -bench=.", "$ GOEXPERIMENT=b go test -bench=."),
        ("$ go test -bench=.", "$ env A='1 2' B=3 go test -bench=."),
        ("$ taskset -c 0 go test -bench=.", "$ taskset -c 0-3 go test -bench=."),
        ("$ ~/sdk/go1.20/bin/go test -bench=.", "$ ~/sdk/go1.22/bin/go test -bench=."),
    ],
)
@pytest.mark.parametrize("fence", ["```\n", ""])
def test_commands_with_another_toolchain_or_environment_are_distinct(
    tmp_path: Path, first: str, second: str, fence: str
) -> None:
    text = "\n".join(f"{fence}{command}\n{go()}{fence}" for command in (first, second))
    loaded = load(tmp_path, text)
    runs = list_runs(loaded)
    assert [number for *_, number in runs] == [1, 1, 1, 1]
    assert len({params for _, params, _ in runs}) == 2
    assert "B109" not in set(loaded.findings["code"])


@pytest.mark.parametrize(
    "between",
    ["```\n\nSlower:\n\n```\n", "PASS\nok  \texample.com/a\t1.2s\n", "$ go test -bench=. ./b\n"],
)
def test_header_applies_only_to_its_output(tmp_path: Path, between: str) -> None:
    header = "goos: linux\npkg: example.com/a\ncpu: Xeon\n"
    text = f"commit: abc\n```\n{header}BenchmarkGet \t100\t10 ns/op\n{between}"
    page = tmp_path / "bench.md"
    page.write_text(f"{text}BenchmarkPut \t100\t10 ns/op\n```\n", encoding="utf-8")
    first, second = bk.load(page).runs.sort_values("benchmark")["env"]
    assert first == {"commit": "abc", "goos": "linux", "pkg": "example.com/a", "cpu": "Xeon"}
    assert second == {"commit": "abc"}
