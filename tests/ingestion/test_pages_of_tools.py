"""A heading names its result even if it is the only one of its tool on a page."""

from __future__ import annotations

from pathlib import Path

import pytest
from invocation import benchkit

import benchkit as bk

WRK = """Running 10s test @ http://localhost:80/
  2 threads and 10 connections
  Thread Stats   Avg      Stdev     Max   +/- Stdev
    Latency     1.01ms    1.80ms  42.31ms   86.68%
    Req/Sec     1.86k   144.44     2.11k    83.67%
  167072 requests in 10.01s, 19.62GB read
Requests/sec:   5566.23
Transfer/sec:    669.45MB
"""
VEGETA = """Requests      [total, rate, throughput]         6000, 20.00, 20.00
Duration      [total, attack, wait]             5m0s, 5m0s, 533.161µs
Latencies     [min, mean, 50, 90, 95, 99, max]  197µs, 453µs, 439µs, 624µs, 711µs, 944µs, 4.2ms
Bytes In      [total, mean]                     6000, 1.00
Bytes Out     [total, mean]                     0, 0.00
Success       [ratio]                           100.00%
Status Codes  [code:count]                      200:6000
"""


def read_names(page: str, folder: Path) -> list[str]:
    path = folder / "page.md"
    path.write_text(page, encoding="utf-8")
    return sorted(bk.load(path).runs["benchmark"])


@pytest.mark.parametrize("wrk", [WRK, WRK.replace("Transfer/sec:    669.45MB\n", "")])
def test_only_result_of_a_tool_gets_its_heading(wrk: str, tmp_path: Path) -> None:
    page = f"# Servers\n\n## Go\n```\n{wrk}```\n\n## Janet\n```\n{VEGETA}```\n"
    names = [name for name in read_names(page, tmp_path) if name]
    assert names == ["Go / /", "Janet"]


def test_heading_above_all_results_names_none(tmp_path: Path) -> None:
    page = f"# Servers\n\n```\n{WRK}```\n\n```\n{VEGETA}```\n"
    assert read_names(page, tmp_path) == ["", "/"]


def test_store_has_the_same_names(tmp_path: Path) -> None:
    page = tmp_path / "page.md"
    page.write_text(f"## Go\n```\n{WRK}```\n\n## Janet\n```\n{VEGETA}```\n", encoding="utf-8")
    store = tmp_path / "store"
    assert benchkit("ingest", "page.md", "--store", "store", cwd=tmp_path).returncode == 0
    assert sorted(bk.load(store).runs["benchmark"]) == ["Go / /", "Janet"]
