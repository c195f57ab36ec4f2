"""Which samples over time are cut to runs.

Whoever reads samples keeps these, and passes over the millions of single requests.
"""

from __future__ import annotations

#: Of containers: counters, and what is looked at now and then.
SERIES = frozenset(
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
