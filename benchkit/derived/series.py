"""Which samples over time are cut to runs.

Whoever reads samples keeps these, and passes over the millions of single requests.
"""

from __future__ import annotations

#: Of containers: counters, and what is looked at now and then.
USAGE = frozenset(
    {
        "cpu_time",
        "cpu_usage",
        "cpu_periods",
        "cpu_throttled_periods",
        "memory_working_set",
        "memory_usage",
        "network_in",
        "network_out",
        "disk_read",
        "disk_write",
    }
)

#: Of histograms of times: the counters of their buckets, their sum, their number.
HISTOGRAMS = ("observed_time_bucket", "observed_time_sum", "observed_time_count")

SERIES = USAGE | frozenset(HISTOGRAMS)
