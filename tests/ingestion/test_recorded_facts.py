"""Unnamed blocks of one file are repeats only if their recorded facts agree."""

from __future__ import annotations

from pathlib import Path

import pytest

import benchkit as bk

K6 = """\
     http_req_duration..............: avg=5.2ms min=1.1ms med=4.9ms max=30ms p(90)=8ms p(95)=9ms
     http_reqs......................: {count}   {rate}/s
     iterations.....................: {count}   {rate}/s
     vus............................: {users}
"""
HEY = """\
Summary:
  Total:\t{length} secs
  Slowest:\t0.0200 secs
  Fastest:\t0.0010 secs
  Average:\t0.0050 secs
  Requests/sec:\t{rate}.0000

  Total data:\t{total} bytes
  Size/request:\t{size} bytes

Status code distribution:
  [200]\t{count} responses
"""
VEGETA = """\
Requests      [total, rate, throughput]         500, 50.00, 50.00
Duration      [total, attack, wait]             10.001s, 10s, 1ms
Latencies     [min, mean, 50, 90, 95, 99, max]  1ms, 2ms, 2ms, 3ms, 3ms, 5ms, 9ms
Bytes In      [total, mean]                     5000, 10.00
Bytes Out     [total, mean]                     {total}, {mean}
Success       [ratio]                           100.00%
Status Codes  [code:count]                      200:500
Error Set:
"""
WRK = """\
Running {length}s test @ http://h/
  2 threads and 8 connections
  Thread Stats   Avg      Stdev     Max   +/- Stdev
    Latency    82.18us   64.99us   2.27ms   90.68%
    Req/Sec    16.17k    14.89k   42.11k    55.00%
  {count} requests in {length}.01s, {size:.2f}MB read
Requests/sec:   {rate}.13
Transfer/sec:    703.40KB
"""


def k6(users: str, rate: float = 166.6) -> str:
    return K6.format(users=users, rate=rate, count=5000)


def hey(size: int, rate: int = 1000) -> str:
    return HEY.format(size=size, total=200 * size, rate=rate, length="0.2000", count=200)


def vegeta(sent: int) -> str:
    return VEGETA.format(total=500 * sent, mean=f"{sent}.00")


def wrk(length: int, count: int) -> str:
    return WRK.format(length=length, count=count, rate=count // length, size=count / 8000)


def load(folder: Path, *blocks: str) -> bk.RunSet:
    (folder / "bench.txt").write_text("\n".join(blocks), encoding="utf-8")
    return bk.load(folder / "bench.txt")


def list_numbers(loaded: bk.RunSet) -> list[int]:
    return [int(run) for run in loaded.runs["run"][loaded.runs["role"] == "measured"]]


@pytest.mark.parametrize(
    ("one", "other", "param", "reason"),
    [
        (k6("10 min=10 max=10"), k6("50 min=50 max=50"), "connections", "connections"),
        (hey(10), hey(5000), "response_size", "response size"),
        (vegeta(0), vegeta(200), "request_size", "request size"),
        (wrk(10, 30000), wrk(30, 30100), "duration", "length"),
    ],
)
def test_blocks_that_differ_in_a_fact_are_distinct(
    tmp_path: Path, one: str, other: str, param: str, reason: str
) -> None:
    loaded = load(tmp_path, one, other)
    assert list_numbers(loaded) == [1, 1]
    measured = loaded.runs[loaded.runs["role"] == "measured"]
    assert all(f"{param}=" in params for params in measured["params"])
    message = loaded.findings.set_index("code").loc["B109", "message"]
    assert f"they differ in {reason}" in str(message)


@pytest.mark.parametrize(
    ("one", "other"),
    [
        (k6("10 min=10 max=10"), k6("10 min=10 max=10", rate=170.2)),
        (hey(1000), hey(1010, rate=1100)),
        (vegeta(200), vegeta(200)),
        (wrk(10, 30000), wrk(10, 36000)),
    ],
)
def test_blocks_with_equal_facts_are_repeats(tmp_path: Path, one: str, other: str) -> None:
    loaded = load(tmp_path, one, other)
    assert list_numbers(loaded) == [1, 2]
    assert "B109" not in set(loaded.findings["code"])
