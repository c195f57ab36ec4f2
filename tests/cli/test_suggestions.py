"""Commands that benchkit suggests for a page of several results work."""

from __future__ import annotations

import shlex
from pathlib import Path

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from benchkit.cli import run

WRK = """```
Running 10s test @ http://localhost:80/{path}
  2 threads and {n}0 connections
  Thread Stats   Avg      Stdev     Max   +/- Stdev
    Latency     1.{n}ms    1.80ms  42.31ms   86.68%
    Req/Sec     1.86k   144.44     2.11k    83.67%
  1670{n} requests in 10.01s, 19.62GB read
Requests/sec:   5{n}66.23
Transfer/sec:    669.45MB
```
"""
GO = """```
goos: linux
Benchmark{path}-{n}   	 3046042	      1{n}79 ns/op	      53 B/op	       2 allocs/op
PASS
```
"""
VEGETA = """
Requests      [total, rate, throughput]  {n}00, 50.18, 22.01
Duration      [total, attack, wait]      10.722s, 4.982s, 5.74s
Latencies     [min, mean, 50, 90, 95, 99, max]  65ms, 70{n}ms, 124ms, 462ms, 10s, 10s, 10s
Bytes In      [total, mean]              311284, 1245.14
Bytes Out     [total, mean]              42244, 168.98
Success       [ratio]                    94.40%
Status Codes  [code:count]               0:14  200:236
"""
CAPTIONS = st.sampled_from(
    (
        "## {}", "### {}", "**{}**", "{}:", "{}\n----------", "Rate: {}\nTimeout: 3s", "{} ran.",
        '![alt text](img/{}.svg "{}")', "<summary>{}</summary>", "- {}", "**$ go test -cpu {}**",
        "## {} with 1 core: 1 | runtime.NumCPU() | 10000", "",
    )
)  # fmt: skip
NAMES = st.sampled_from(("nginx", "caddy v2", "base", "GET", "POST", "a / b", "1.2 (new)", "none"))
RESULTS = st.builds(
    str.format,
    st.sampled_from((WRK, GO, VEGETA)),
    path=st.sampled_from(("Get", "Put")),
    n=st.integers(1, 2),
)
SECTIONS = st.tuples(st.lists(st.tuples(CAPTIONS, NAMES), max_size=3), RESULTS)


@settings(
    max_examples=15, deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture]
)
@given(sections=st.lists(SECTIONS, min_size=2, max_size=6))
def test_printed_suggestion_works(
    sections: list[tuple[list[tuple[str, str]], str]],
    tmp_path: Path,
    capsys: pytest.CaptureFixture[str],
) -> None:
    page = "# Results\n\nOf one page.\n\n" + "\n".join(
        "\n\n".join((*(caption.format(name, name) for caption, name in above), result))
        for above, result in sections
    )
    file = tmp_path / "page.md"
    file.write_text(page, encoding="utf-8")
    capsys.readouterr()
    run(["compare", str(file)])
    run(["layout", str(file)])
    printed = capsys.readouterr()
    lines = (printed.out + printed.err).splitlines()
    commands = [line.partition("benchkit compare ")[2] for line in lines if " --split " in line]
    for command in commands:
        code = run(["compare", *shlex.split(command)])
        assert code == 0, (command, page, capsys.readouterr().err)
