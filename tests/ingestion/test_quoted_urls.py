"""URLs of commands whose punctuation a shell quoted when they were pasted."""

from __future__ import annotations

from pathlib import Path

import pytest

import benchkit as bk

AB = """
Concurrency Level:      5
Time taken for tests:   {}.411 seconds
Complete requests:      1000
Failed requests:        0
Total transferred:      237000 bytes
HTML transferred:       37000 bytes
Requests per second:    46.70 [#/sec] (mean)
Time per request:       107.057 [ms] (mean)
Time per request:       21.411 [ms] (mean, across all concurrent requests)
Transfer rate:          10.81 [Kbytes/sec] received
"""
HEY = """
Summary:
  Total:	{}.4899 secs
  Slowest:	0.0997 secs
  Fastest:	0.0001 secs
  Average:	0.0034 secs
  Requests/sec:	117.3647

Status code distribution:
  [200]	1000 responses
"""


@pytest.mark.parametrize(("tool", "report"), [("ab", AB), ("hey", HEY)])
@pytest.mark.parametrize(
    "url",
    [
        r"http://127.0.0.1:8888/sum\?limit\={}",
        "'http://h/sum?limit={}'",
        """-m POST -d '{{"url": "http://other/b"}}' "http://h/sum?limit={}\"""",
    ],
)
def test_quoted_url_gives_its_path(tmp_path: Path, tool: str, report: str, url: str) -> None:
    commands = [f"$ {tool} -c 5 -n 1000 {url.format(limit)}\n" for limit in (10, 20)]
    blocks = [f"```\n{each}{report.format(at)}```\n" for at, each in enumerate(commands, 1)]
    (tmp_path / "page.md").write_text("# Sums\n\n" + "\n".join(blocks), encoding="utf-8")
    runs = bk.load(str(tmp_path / "page.md")).runs
    measured = runs[runs["role"] == "measured"]
    names = zip(measured["benchmark"], measured["params"], strict=True)
    assert sorted(names) == [
        ("/sum", f"command=/sum?limit={limit},connections=5") for limit in (10, 20)
    ]
