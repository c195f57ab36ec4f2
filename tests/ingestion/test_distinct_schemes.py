"""Runs of one page that differ only in HTTP and HTTPS are not repeats."""

from __future__ import annotations

from pathlib import Path

import pytest

import benchkit as bk

FAILED = "Benchmarking h (be patient)...apr_poll: Time out (70007)\n\n"
WHOLE = """\
Running 1s test @ {url}
  1 threads and 1 connections
  Thread Stats   Avg      Stdev     Max   +/- Stdev
    Latency     1.00ms    1.00ms   2.00ms   90.00%
    Req/Sec     9.00      1.00     9.00     90.00%
  9 requests in 1.00s, 9.00KB read
Requests/sec:      9.00
Transfer/sec:      9.00KB

"""


@pytest.mark.parametrize("block", [f"$ ab -n 9 {{url}}\n{FAILED}", WHOLE])
def test_runs_with_and_without_tls_are_not_repeats(tmp_path: Path, block: str) -> None:
    urls = "http://h/", "https://h/"
    page = tmp_path / "page.md"
    page.write_text("".join(block.format(url=url) for url in urls), encoding="utf-8")
    runs = bk.load(page).runs
    assert [params.split(",")[0 if "ab" in block else 1] for params in runs["params"]] == [
        "host=h", "host=h:443"
    ]  # fmt: skip
    assert list(runs["run"]) == [1, 1]
