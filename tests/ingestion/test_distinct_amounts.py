"""Runs of different lengths are repeats only if their tool can fix the number of requests."""

from __future__ import annotations

from pathlib import Path

import pytest

import benchkit as bk

WRK = """\
{head}
  2 threads and 8 connections
  Thread Stats   Avg      Stdev     Max   +/- Stdev
    Latency    82.18us   64.99us   2.27ms   90.68%
    Req/Sec    16.17k    14.89k   42.11k    55.00%
  35890 requests in {length}, 4.13MB read
Requests/sec:   5900.13
Transfer/sec:    703.40KB

"""
AB = """\
Server Hostname:        h
Server Port:            80
Document Path:          /
Document Length:        10 bytes

Concurrency Level:      8
Time taken for tests:   {length} seconds
Complete requests:      50000
Failed requests:        0
Total transferred:      5000000 bytes
HTML transferred:       500000 bytes
Requests per second:    {rate} [#/sec] (mean)
Time per request:       1.600 [ms] (mean)
Time per request:       0.200 [ms] (mean, across all concurrent requests)

"""


def number_runs(folder: Path, *blocks: str) -> list[int]:
    (folder / "bench.txt").write_text("".join(blocks), encoding="utf-8")
    runs = bk.load(folder / "bench.txt").runs
    return list(runs[runs["role"] == "measured"]["run"])


@pytest.mark.parametrize("length", ["30.01s", "7.31s"])
def test_equal_request_counts_of_a_timed_tool_do_not_make_repeats(
    tmp_path: Path, length: str
) -> None:
    head = "Running 10s test @ http://h/"
    blocks = (WRK.format(head=head, length=each) for each in ("10.01s", length))
    assert number_runs(tmp_path, *blocks) == [1, 1]


def test_equal_request_counts_of_a_count_based_tool_make_repeats(tmp_path: Path) -> None:
    lengths = ("10.000", "5000.00"), ("20.000", "2500.00")
    blocks = (AB.format(length=length, rate=rate) for length, rate in lengths)
    assert number_runs(tmp_path, *blocks) == [1, 2]


def test_request_count_of_early_wrk_makes_repeats(tmp_path: Path) -> None:
    head = "Making 35890 requests to http://h/"
    blocks = (WRK.format(head=head, length=each) for each in ("9.37s", "12.61s"))
    assert number_runs(tmp_path, *blocks) == [1, 2]
