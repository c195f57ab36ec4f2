"""Ordinary folders are read as their authors intend, label by label and as a whole."""

from __future__ import annotations

import json
import re
import zlib
from collections import Counter
from collections.abc import Callable, Iterator
from pathlib import Path

import gated
import pytest

import benchkit as bk
from benchkit.cli import run

_WRK = """\
Running 10s test @ http://127.0.0.1:8080/ping
  2 threads and 8 connections
  Thread Stats   Avg      Stdev     Max   +/- Stdev
    Latency     1.00ms  500.00us  12.00ms   90.00%
    Req/Sec     4.00k   200.00     5.00k    77.00%
  80000 requests in 10.00s, 20.00MB read
Requests/sec:   8000.00
Transfer/sec:      2.00MB
"""
_VEGETA = """\
Requests      [total, rate, throughput]         300, 100.33, 100.30
Duration      [total, attack, wait]             2.991s, 2.99s, 1.058ms
Latencies     [min, mean, 50, 90, 95, 99, max]  400us, {mean}ms, 1ms, 1.2ms, 2ms, 4ms, 6ms
Bytes In      [total, mean]                     9000, 30.00
Bytes Out     [total, mean]                     0, 0.00
Success       [ratio]                           100.00%
Status Codes  [code:count]                      200:300
Error Set:
"""
VEGETA_JSON = {
    "latencies": {"mean": 1e6, "50th": 1e6, "95th": 2e6, "99th": 4e6, "max": 6e6, "min": 4e5},
    "bytes_in": {"total": 9000, "mean": 30},
    "bytes_out": {"total": 0, "mean": 0},
    "duration": 2990000000,
    "wait": 1058000,
    "requests": 300,
    "rate": 100.33,
    "throughput": 100.3,
    "success": 1,
    "status_codes": {"200": 300},
    "errors": [],
}


def number_path(path: Path) -> float:
    """Return a number near 1 that is unique to a path."""
    return 1 + zlib.crc32(str(path).encode()) % 9973 / 1e6


def write_go(path: Path, cost: float = 0.0) -> None:
    gated.write_runs(
        path, seed=zlib.crc32(str(path).encode()), cost=cost, runs=6, benchmarks=("Run",)
    )


def write_go_of_package(path: Path, cost: float = 0.0) -> None:
    write_go(path, cost)
    path.write_text(path.read_text().replace("example.com/redis", f"example.com/{path.stem}"))


def write_hyperfine(path: Path, cost: float = 0.0) -> None:
    path.parent.mkdir(parents=True, exist_ok=True)
    times = [number_path(path) * (1 + cost) * (1 + at / 1000) for at in range(10)]
    path.write_text(json.dumps({"results": [{"command": "build", "times": times}]}))


def write_wrk(path: Path, cost: float = 0.0) -> None:
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text(_WRK.replace("8000.00", f"{8000 * number_path(path) / (1 + cost):.2f}"))


def write_vegeta(path: Path, cost: float = 0.0) -> None:
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text(_VEGETA.format(mean=number_path(path) + cost))


def expand(pattern: str) -> Iterator[str]:
    """Yield the expansions of a pattern with braces, ``{a,b}-{1..3}.txt``."""
    match = re.search(r"\{([^{}]*)\}", pattern)
    if match is None:
        yield pattern
        return
    first, dots, last = match[1].partition("..")
    words = map(str, range(int(first), int(last) + 1)) if dots else match[1].split(",")
    for word in words:
        yield from expand(pattern[: match.start()] + word + pattern[match.end() :])


WRITERS: dict[str, Callable[[Path], None]] = {
    "go": write_go,
    "package": write_go_of_package,
    "hyperfine": write_hyperfine,
    "wrk": write_wrk,
    "vegeta": write_vegeta,
}
#: For each layout: the tool, the files in each variant's folder, and the rows with their runs.
LAYOUTS: dict[str, tuple[str, str, str]] = {
    "a file": ("go", "bench.txt", "Run 6"),
    "numbered files": ("wrk", "wrk-{1..3}.txt", "/ping 3"),
    "numbers alone": ("wrk", "{1..3}.txt", "/ping 3"),
    "numbers at the end of a word": ("wrk", "out{1..3}.txt", "/ping 3"),
    "numbers at the end of a tool": ("hyperfine", "hyperfine{1..2}.json", "build 20"),
    "days": ("wrk", "2026-11-{10..12}.txt", "/ping 3"),
    "days in names": ("wrk", "result-2026-11-{10..12}.txt", "/ping 3"),
    "folders of runs": ("go", "run{1..2}/bench.txt", "Run 12"),
    "benchmarks": ("hyperfine", "{small,large}.json", "small / build 10, large / build 10"),
    "Go benchmarks": ("go", "{small,large}.txt", "small / Run 6, large / Run 6"),
    "endpoints": ("wrk", "{get,post}.txt", "get 1, post 1"),
    "runs of endpoints": ("wrk", "{get,post}-{1..3}.txt", "get 3, post 3"),
    "runs of endpoints, underlined": ("wrk", "{get,post}_{1..3}.log", "get 3, post 3"),
    "runs of attacks": ("vegeta", "{get,post}-{1..3}.txt", "get 3, post 3"),
    "runs of a tool's endpoints": ("wrk", "wrk-{get,post}-{1..3}.txt", "get 3, post 3"),
    "runs of Go benchmarks": ("go", "{small,large}-{1..2}.txt", "small / Run 12, large / Run 12"),
    "days of endpoints": ("wrk", "{get,post}-202611{10..12}.txt", "get 3, post 3"),
    "benchmarks in days": ("go", "2026-11-{10..11}/{a,b}.txt", "a / Run 12, b / Run 12"),
    "tools lead": ("go", "gobench-{small,large}.txt", "small / Run 6, large / Run 6"),
    "versions": ("hyperfine", "node-{18,20}.json", "node-18 / build 10, node-20 / build 10"),
    "numbers that do not count": ("hyperfine", "{18,20}.json", "18 / build 10, 20 / build 10"),
    "a matrix in names": ("go", "{linux,mac}-go1.{21,22}.txt", ""),
    "connections": ("wrk", "c{8,64}-{1..2}.txt", "c8 2, c64 2"),
    "shards of packages": (
        "package", "shard-{1..2}.txt", "example.com/shard-1: Run 6, example.com/shard-2: Run 6",
    ),
    "packages": ("package", "{json,xml}.txt", "example.com/json: Run 6, example.com/xml: Run 6"),
}  # fmt: skip
MATRIX = ", ".join(f"{system}-go1.{go} / Run 6" for system in ("linux", "mac") for go in (21, 22))


def list_rows(paths: list[str]) -> dict[str, Counter[str]]:
    """Return the rows of each variant, with the number of runs of each."""
    runs = bk.load(*paths).runs
    rows: dict[str, Counter[str]] = {}
    for row in runs[runs["role"] == "measured"].itertuples():
        name = ": ".join(filter(None, (str(row.group), str(row.benchmark))))
        rows.setdefault(str(row.variant), Counter())[name] += 1
    return rows


@pytest.mark.parametrize("road", ["label", "folder"])
@pytest.mark.parametrize("name", LAYOUTS)
def test_layout_is_read_the_same_by_label_and_as_a_folder(
    name: str, road: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    tool, files, rows = LAYOUTS[name]
    monkeypatch.chdir(tmp_path)
    for path in expand(f"{{old,new}}/{files}"):
        WRITERS[tool](Path(path))
    words = (row.rpartition(" ") for row in (rows or MATRIX).split(", "))
    expected = Counter({benchmark: int(runs) for benchmark, _, runs in words})
    rows_read = list_rows(["old=old", "new=new"] if road == "label" else ["."])
    assert rows_read == {"old": expected, "new": expected}


@pytest.mark.parametrize("road", ["label", "folder"])
@pytest.mark.parametrize(
    ("write", "ending"), [(write_go, "txt"), (write_hyperfine, "json")], ids=["go", "hyperfine"]
)
def test_regression_in_one_of_two_files_fails_the_gate(
    write: Callable[[Path, float], None],
    ending: str,
    road: str,
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
    capsys: pytest.CaptureFixture[str],
) -> None:
    monkeypatch.chdir(tmp_path)
    for path in expand(f"{{old,new}}/{{small,large}}.{ending}"):
        write(Path(path), 0.2 if path.startswith("new/large") else 0.0)
    paths = ["old=old", "new=new"] if road == "label" else ["."]
    assert run(["gate", *paths, "--baseline", "old", "--quiet"]) == 1
    assert "large / " in capsys.readouterr().out


@pytest.mark.parametrize("files", ["{get,post}-{1..2}.txt", "wrk-{get,post}-{1..2}.txt"])
@pytest.mark.parametrize("road", ["labels", "option"])
def test_files_named_under_one_variant_are_benchmarks(
    files: str, road: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    for path in expand(f"{{old,new}}/{files}"):
        write_wrk(Path(path))
    paths = [f"{path.partition('/')[0]}={path}" for path in expand(f"{{old,new}}/{files}")]
    if road == "option":
        for variant in ("old", "new"):
            named = list(expand(f"{variant}/{files}"))
            assert run(["ingest", "--variant", variant, *named, "--quiet"]) == 0
        paths = [".benchkit"]
    expected = Counter({"get": 2, "post": 2})
    assert list_rows(paths) == {"old": expected, "new": expected}


def test_command_line_variant_applies_to_files_with_different_names(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    for variant in ("old", "new"):
        files = list(expand(f"{variant}/hyperfine-{{small,large}}.json"))
        for path in files:
            write_hyperfine(Path(path))
        assert run(["ingest", "--variant", variant, *files, "--quiet"]) == 0
    expected = Counter({"small / build": 10, "large / build": 10})
    assert list_rows([".benchkit"]) == {"old": expected, "new": expected}


def test_labelled_files_with_names_unique_to_their_label_are_repeats(tmp_path: Path) -> None:
    paths = []
    for variant, names in {"old": ("monday", "tuesday"), "new": ("friday", "sunday")}.items():
        for name in names:
            write_wrk(tmp_path / f"{name}.txt")
            paths.append(f"{variant}={tmp_path}/{name}.txt")
    assert list_rows(paths) == {"old": Counter({"/ping": 2}), "new": Counter({"/ping": 2})}


def test_matrix_below_a_label_is_kept_separate(tmp_path: Path) -> None:
    for path in expand("{linux,mac}/go1.{21,22}.txt"):
        write_go(tmp_path / path)
    assert list_rows([f"old={tmp_path}"])["old"] == Counter(
        {f"{system}: go1.{go} / Run": 6 for system in ("linux", "mac") for go in (21, 22)}
    )


def test_missing_file_does_not_change_benchmark_names(tmp_path: Path) -> None:
    for path in ("old/small.txt", "old/large.txt", "new/large.txt"):
        write_go(tmp_path / path)
    rows = list_rows([f"old={tmp_path}/old", f"new={tmp_path}/new"])
    assert rows["new"] == Counter({"large / Run": 6})
    assert set(rows["old"]) == {"large / Run", "small / Run"}


@pytest.mark.parametrize("road", ["label", "named files"])
def test_two_attacks_with_one_number_are_separate_runs(road: str, tmp_path: Path) -> None:
    write_vegeta(tmp_path / "get-1.txt")
    (tmp_path / "post-1.json").write_text(json.dumps(VEGETA_JSON))
    paths = [tmp_path] if road == "label" else sorted(tmp_path.iterdir())
    assert list_rows([f"old={path}" for path in paths])["old"].total() == 2


def test_report_with_another_request_count_is_a_separate_run(tmp_path: Path) -> None:
    write_vegeta(tmp_path / "get.txt")
    for count, runs in ((300, 1), (900, 2)):
        (tmp_path / "report.json").write_text(json.dumps({**VEGETA_JSON, "requests": count}))
        paths = [f"old={path}" for path in tmp_path.iterdir()]
        assert list_rows(paths)["old"].total() == runs


@pytest.mark.parametrize("road", ["run.toml", "option", "layout"])
@pytest.mark.parametrize("benchmarks", [("Run",), ("Run", "Stop")])
def test_declared_benchmark_applies_to_results_with_names(
    benchmarks: tuple[str, ...], road: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    gated.write_runs(Path("results/old/big.txt"), seed=1, runs=3, benchmarks=benchmarks)
    if road == "run.toml":
        Path("results/run.toml").write_text('benchmark = "big"\n')
    options = {"option": ["--benchmark", "big"], "layout": ["--layout", "{variant}/{benchmark}"]}
    assert run(["ingest", "results", "--quiet", *options.get(road, [])]) == 0
    names = ["big"] if len(benchmarks) == 1 else ["big / Run", "big / Stop"]
    assert list_rows([".benchkit"])["old"] == Counter(dict.fromkeys(names, 3))
