"""A stall hidden by the percentiles of a closed loop (B318), also where they are rounded to 0."""

from __future__ import annotations

from pathlib import Path

import pytest

import benchkit as bk

REPORT = """\
This is ApacheBench, Version 2.3 <$Revision$>

Server Hostname:        127.0.0.1
Server Port:            8080

Document Path:          /
Document Length:        2 bytes

Concurrency Level:      8
Time taken for tests:   0.220 seconds
Complete requests:      20000
Failed requests:        0
Requests per second:    90822.81 [#/sec] (mean)
Time per request:       0.088 [ms] (mean)

Percentage of the requests served within a certain time (ms)
  50%      0
  99%      0
 100%     {longest} (longest request)
"""


@pytest.mark.parametrize(("longest", "is_hidden"), [(10, True), (1, False)])
def test_zero_percentile_counts_as_at_most_its_rounding_step(
    longest: int, is_hidden: bool, tmp_path: Path
) -> None:
    """The stall was divided by the percentile, which `ab` rounds to whole milliseconds."""
    path = tmp_path / "ab-1.txt"
    path.write_text(REPORT.format(longest=longest), encoding="utf-8")
    messages = {finding.code: finding.message for finding in bk.load(path).check()}
    assert ("B318" in messages) == is_hidden
    if is_hidden:
        assert "p99 is at most 1.00 ms but the maximum is 10.0 ms" in messages["B318"]
