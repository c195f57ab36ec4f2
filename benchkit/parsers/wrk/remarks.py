"""Remarks about a whole report of wrk or wrk2."""

from __future__ import annotations

from benchkit.reading.remarks import Remark

__all__ = ["CENSORED", "FOREIGN", "IDLE", "NAMELESS", "TORN", "UNSAMPLED"]

NAMELESS = Remark(
    "this histogram is left out: it has no heading, so it is unknown whether its latencies are "
    "corrected",
    "include the line `Latency Distribution (HdrHistogram - ...`",
    is_remark=False,
)
TORN = Remark(
    "this histogram and the lines above belong to different runs: their values of {stat} differ "
    "by more than 10 %; the values with more decimals are kept",
    "use the output as wrk2 printed it",
    is_remark=False,
)
CENSORED = Remark(
    "{timeouts}{of} requests timed out, and wrk leaves them out of its latencies, so mean, "
    "percentiles and maximum look better than they were",
    "run again with --timeout above the slowest response, or compare request_rate",
)
IDLE = Remark("no request was completed in this run", "check whether the server responded")
UNSAMPLED = Remark(
    "{count}requests completed{late}, but {tool} recorded no latency; its zeros are left out",
    "{hint}",
)
FOREIGN = Remark(
    "this is a go-wrk report, which benchkit does not read: its `Requests/sec` is not requests ÷ "
    "run length, but requests ÷ time spent in requests",
    "use wrk or hey instead",
    is_remark=False,
)
