"""Comparing one page of results suggests headings as sides, with a command that works."""

from __future__ import annotations

import shlex
from pathlib import Path

import pytest
from invocation import benchkit

WRK = """```
Running 10s test @ http://localhost:80/items
  2 threads and 10 connections
  Thread Stats   Avg      Stdev     Max   +/- Stdev
    Latency     1.0{n}ms    1.80ms  42.31ms   86.68%
    Req/Sec     1.86k   144.44     2.11k    83.67%
  16707{n} requests in 10.01s, 19.62GB read
Requests/sec:   5{n}66.23
Transfer/sec:    669.45MB
```
"""
GO = """```
goos: linux
BenchmarkGet-8   	 3046042	      1{n}79 ns/op	      53 B/op	       2 allocs/op
BenchmarkPut-8   	12018472	       2{n}9.4 ns/op	       0 B/op	       0 allocs/op
```
"""
HYPERFINE = """```
Benchmark 1: sort
  Time (mean ± σ):      4{n}.4 ms ±   1.4 ms    [User: 1.3 ms, System: 3.9 ms]
  Range (min … max):    4{n}.0 ms …  4{n}.9 ms    100 runs
```
"""


@pytest.mark.parametrize("result", [WRK, GO, HYPERFINE], ids=["wrk", "go", "hyperfine"])
@pytest.mark.parametrize(
    ("captions", "names"),
    [
        (("## nginx (1.22)", "## caddy v2"), "nginx (1.22), caddy v2"),
        (("Before:\n", "After:\n"), "Before, After"),
        (("# GET\n\n## warp", "## axum", "## rocket", "## actix"), "warp, axum, rocket and 1 more"),
    ],
)
def test_headings_above_results_of_one_test_are_suggested(
    result: str, captions: tuple[str, ...], names: str, tmp_path: Path
) -> None:
    page = "\n".join(f"{caption}\n{result.format(n=at)}" for at, caption in enumerate(captions, 2))
    (tmp_path / "page.md").write_text(page, encoding="utf-8")
    refused = benchkit("compare", "page.md", cwd=tmp_path)
    assert refused.returncode == 3
    assert f"its headings are {names};" in refused.stderr
    command = shlex.split(refused.stderr.rpartition("for example: benchkit ")[2])
    compared = benchkit(*command, cwd=tmp_path)
    assert compared.returncode == 0, compared.stderr
    assert names.partition(",")[0] in compared.stdout.splitlines()[0]


def test_headings_of_different_tests_are_not_sides(tmp_path: Path) -> None:
    other = WRK.replace("/items", "/orders")
    page = f"## List\n{WRK.format(n=2)}\n## Order\n{other.format(n=3)}"
    (tmp_path / "page.md").write_text(page, encoding="utf-8")
    refused = benchkit("compare", "page.md", cwd=tmp_path)
    assert refused.returncode == 3
    assert "--split" not in refused.stderr


def test_line_of_prose_with_a_name_is_not_a_side(tmp_path: Path) -> None:
    results = (WRK.format(n=at) for at in (2, 3))
    page = "The nginx server gave:\n\n{}\nThe caddy server gave:\n\n{}".format(*results)
    (tmp_path / "page.md").write_text(page, encoding="utf-8")
    run = benchkit("runs", "page.md", "--split", "(?P<variant>nginx|caddy)", cwd=tmp_path)
    assert {line.split()[0] for line in run.stdout.splitlines() if " / /items" in line} == {"page"}


def test_layout_lists_each_heading_level_that_gives_sides(tmp_path: Path) -> None:
    names = [f"## {server}\n\n### {test}\n" for server in ("nginx", "caddy") for test in "ab"]
    page = "\n".join(f"{name}\n{WRK.format(n=at)}" for at, name in enumerate(names, 2))
    (tmp_path / "page.md").write_text(page, encoding="utf-8")
    shown = benchkit("layout", "page.md", cwd=tmp_path).stdout
    assert "variants nginx, caddy\n" in shown
    assert "variants a, b\n" in shown


def test_file_titles_do_not_lead_benchmarks_named_by_a_layout(tmp_path: Path) -> None:
    for at, (server, test) in enumerate([(s, t) for s in ("none", "apm") for t in ("get", "put")]):
        file = tmp_path / server / f"{test}.md"
        file.parent.mkdir(exist_ok=True)
        file.write_text(f"# {test} with {server}\n\n{WRK.format(n=at + 2)}", encoding="utf-8")
    options = ("--layout", "{variant}/{benchmark}.md")
    compared = benchkit("compare", ".", *options, cwd=tmp_path)
    assert compared.returncode == 0, compared.stderr
    assert " with " not in compared.stdout


def write_page(folder: Path, captions: list[str], port: str = "80") -> None:
    blocks = (
        f"{caption}\n{WRK.replace(':80/', f':{port}{at}/').format(n=at % 10)}"
        for at, caption in enumerate(captions)
    )
    (folder / "page.md").write_text("\n".join(blocks), encoding="utf-8")


@pytest.mark.parametrize(
    ("captions", "names"),
    [
        ([f"## srv{at}" for at in range(13)], "srv0, srv1, srv2 and 10 more"),
        (["- gin", "- echo"], "gin, echo"),
        (["1. gin (port 800)\n", "2. echo (port 801)\n"], "gin (port 800), echo (port 801)"),
    ],
)
def test_many_headings_and_captions_with_ports_are_suggested(
    captions: list[str], names: str, tmp_path: Path
) -> None:
    write_page(tmp_path, captions)
    refused = benchkit("compare", "page.md", cwd=tmp_path)
    assert f"its headings are {names};" in refused.stderr
    command = shlex.split(refused.stderr.rpartition("for example: benchkit ")[2])
    assert benchkit(*command, cwd=tmp_path).returncode == 0


def test_split_without_a_match_is_reported_and_replaced(
    tmp_path: Path,
) -> None:
    write_page(tmp_path, ["## gin", "## echo"])
    split = ("--split", "^(?P<variant>zzz)$")
    shown = benchkit("ingest", "page.md", *split, "--store", "s", cwd=tmp_path).stderr
    assert "--split: the pattern '^(?P<variant>zzz)$' matches no benchmark name, " in shown
    assert "there are gin, echo\n" in shown
    assert "matches no" not in benchkit("runs", "page.md", "--split", "(?P<variant>gin)",
                                        cwd=tmp_path).stderr  # fmt: skip
    refused = benchkit("compare", "page.md", *split, "--baseline=zzz", cwd=tmp_path)
    example = refused.stderr.rpartition("for example: benchkit ")[2].strip()
    assert example == "compare page.md --split '^(?P<variant>gin|echo)$' --baseline gin"
