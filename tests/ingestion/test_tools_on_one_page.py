"""Results of several tools on one page keep their tool, command and the lines above them."""

from __future__ import annotations

from pathlib import Path

import benchkit as bk

HYPERFINE = """Benchmark 1: tool one
  Time (mean ± σ):     {}39.7 ms ±  43.7 ms    [User: 607.0 ms, System: 822.3 ms]
  Range (min … max):   {}13.0 ms … 527.5 ms    10 runs
"""
WRK = """$ wrk -t2 -c8 -d10s http://localhost:8080/a
Running 10s test @ http://localhost:8080/a
  2 threads and 8 connections
  Thread Stats   Avg      Stdev     Max   +/- Stdev
    Latency     1.17ms  200.00us   9.00ms   90.00%
    Req/Sec     3.44k   100.00     3.80k    70.00%
  68512 requests in 10.00s, 8.49MB read
Requests/sec:   6851.20
Transfer/sec:    869.50KB
"""
VEGETA = """Requests      [total, rate, throughput]  6000, 100.02, 100.01
Duration      [total, attack, wait]      59.992s, 59.991s, 882.315µs
Latencies     [mean, 50, 95, 99, max]    864.008µs, 845.597µs, 1.01ms, 1.148ms, 12.788ms
Bytes In      [total, mean]              924000, 154.00
Bytes Out     [total, mean]              0, 0.00
Success       [ratio]                    100.00%
Status Codes  [code:count]               200:6000
"""


def list_runs(folder: Path, *paragraphs: str) -> list[tuple[str, str, str]]:
    """Return tool, benchmark and params of each run of a page of these paragraphs."""
    (folder / "page.md").write_text("\n".join(["# Speed\n", *paragraphs]), encoding="utf-8")
    runs = bk.load(str(folder / "page.md")).runs
    return list(zip(runs["tool"], runs["benchmark"], runs["params"], strict=True))


def fence(text: str) -> str:
    return f"```\n{text}```\n"


def test_go_results_below_do_not_change_those_of_hyperfine(tmp_path: Path) -> None:
    typed = "$ hyperfine 'tool one'\n" + HYPERFINE
    sides = ["Before\n", fence(typed.format(1, 1)), "After\n", fence(typed.format(2, 2))]
    go = ["Then a try.\n", fence("BenchmarkCheck-8        3000000        466 ns/op\n")]
    assert sorted(list_runs(tmp_path, *sides, *go)) == [
        ("gobench", "Check", "gomaxprocs=8"),
        ("hyperfine", "After / tool one", ""),
        ("hyperfine", "Before / tool one", ""),
    ]


def test_command_does_not_apply_to_results_of_another_tool(tmp_path: Path) -> None:
    paragraphs = fence(WRK), fence(HYPERFINE.format(1, 1)), fence(VEGETA)
    assert sorted(list_runs(tmp_path, *paragraphs)) == [
        ("hyperfine", "tool one", ""),
        ("vegeta", "", ""),
        ("wrk", "/a", "connections=8,threads=2"),
    ]
