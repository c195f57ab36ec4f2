"""Pages in Textile: headings `h2. nginx` and code blocks that begin with `bc.` or `bc..`."""

from __future__ import annotations

from pathlib import Path

import pytest

import benchkit as bk

WRK = """\
Running 10s test @ http://localhost:8080/
  4 threads and 64 connections
  Thread Stats   Avg      Stdev     Max   +/- Stdev
    Latency     1.20ms    0.40ms  12.31ms   91.20%
    Req/Sec     2.25k   310.20     9.10k    70.10%
  90000 requests in 10.00s, 11.76MB read
Requests/sec:  9000.00
Transfer/sec:      1.20MB
"""


@pytest.mark.parametrize(
    "block", ["bc. ", "bc.. ", "bc(text).. ", "pre. ", "bc.. $ wrk http://h/\n"]
)
def test_code_block_is_read_from_its_first_line(tmp_path: Path, block: str) -> None:
    page = tmp_path / "bench.textile"
    text = "\n".join(f"h2. {name}\n\n{block}{WRK}\np. Text.\n" for name in ("nginx", "caddy"))
    page.write_text(f"h1. Results\n\n{text}", encoding="utf-8")
    loaded = bk.load(page)
    assert not loaded.diagnostics
    assert list(loaded.runs["benchmark"]) == ["nginx / /", "caddy / /"]


def test_headings_name_go_results(tmp_path: Path) -> None:
    page = tmp_path / "bench.textile"
    blocks = (
        f"h2. {name}\n\nbc. BenchmarkGet-8 100 {time} ns/op\n"
        for name, time in (("v1", 5), ("v2", 6))
    )
    page.write_text("\n".join(blocks), encoding="utf-8")
    assert list(bk.load(page).runs["benchmark"]) == ["v1 / Get", "v2 / Get"]
