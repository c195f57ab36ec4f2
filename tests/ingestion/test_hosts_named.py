"""On a page of long captions, results at separate hosts are named like the others."""

from __future__ import annotations

from pathlib import Path

import benchkit as bk

WRK = """\
Running 30s test @ http://localhost:{port}
  4 threads and 128 connections
  Thread Stats   Avg      Stdev     Max   +/- Stdev
    Latency     1.00ms    1.00ms   2.00ms   90.00%
    Req/Sec     9.00      1.00     9.00     90.00%
  270 requests in 30.00s, 9.00KB read
Requests/sec:      9.00
Transfer/sec:      9.00KB
"""
CAPTION = "The pull request that adds {} was merged last week, and here is what it gives."


def test_results_at_shared_and_separate_hosts_are_named_the_same_way(tmp_path: Path) -> None:
    results = (("gin", 8080), ("echo", 8080), ("rails", 3000))
    page = "".join(
        f"{CAPTION.format(name)}\n\n```\n{WRK.format(port=port)}```\n\n" for name, port in results
    )
    (tmp_path / "page.md").write_text(f"# Results\n\n{page}", encoding="utf-8")
    runs = bk.load(tmp_path / "page.md").runs
    for benchmark, (name, _) in zip(runs["benchmark"], results, strict=True):
        assert benchmark.startswith(f"The pull request that adds {name} ")
    assert {params.split(",")[1] for params in runs["params"]} == {
        "host=localhost:8080",
        "host=localhost:3000",
    }
