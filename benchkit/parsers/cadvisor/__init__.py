r"""cAdvisor's REST answers of API 1.0 to 2.1: containers, subcontainers, docker, stats, summary.

CAdvisor sees the usage of a server, its storage and its collector without their cooperation.

API 1.3, ``subcontainers``, verbatim except for omissions at …::

    [{"name":"/bench/storage","spec":{…"has_cpu":true,"cpu":{"limit":1024,"max_limit":0,"period":100000},
    "has_memory":true,"memory":{"limit":2147483648,…}},"stats":[{"timestamp":"2026-11-21T01:21:41.622269238Z",
    "cpu":{"usage":{"total":306678907164,"user":145210000000,"system":161460000000},"cfs":{…}},
    "memory":{"usage":117612544,"cache":33304576,"rss":82448384,"working_set":84652032,…}},…]},…]

API 2.1, ``stats``, is a map of cgroups, with the CPU in use as nanocores next to the counter; 2.0
has lists of values as ``{"spec":…,"stats":…}``::

    {"/bench":{"spec":{…},"stats":[…,{"timestamp":"2026-11-21T01:21:43.274959896Z",
    "cpu":{"usage":{"total":789319591904,…}},"cpu_inst":{"usage":{"total":1094577794,…}},…}]}}

Meaning of the numbers: ``cpu.usage.total`` counts ns since the cgroup was created, across restarts
of its processes; per-CPU counters are parts of it and are not read. Network and disk are sums over
the interfaces (without lo) and devices. A cgroup whose children are in the same answer repeats them
and is left out, as are cgroups inside a Docker container, and pause containers. Limits are in
`Reading.env` as ``limit.<container>.cpu`` (cores) and ``limit.<container>.memory`` (B), or missing
if there is none. For a summary, the latest values and those of the last minute are read. A
truncated answer is rejected, because the parents of its cgroups would be guesses.

Not recorded: which run an answer belongs to, the version of cAdvisor, names of plain cgroups.
"""

from __future__ import annotations

from benchkit.parsers.base import Form, Format, Tool, late
from benchkit.parsers.containers import METRICS

_NEVER = "which run it belongs to; the version of cAdvisor; names of plain cgroups"

ANSWERS = Format(
    name="cadvisor",
    tools=("cadvisor",),
    starts="{[",
    summary="REST answers of cAdvisor: CPU, memory, network and disk of containers over time",
    forms=(
        Form(
            name="v1",
            signature='{"name":"/…","spec":{…},"stats":[{"timestamp":…}]}, alone, in a list or map',
            versions="API 1.0 to 1.3: containers, subcontainers, docker",
            not_recorded=_NEVER,
        ),
        Form(
            name="v2",
            signature='{"/…":{"spec":{…},"stats":[…]}} or {"/…":[{"timestamp":…,"has_cpu":…}]}',
            versions="API 2.0 and 2.1: stats, spec, machinestats",
            not_recorded=_NEVER,
        ),
        Form(
            name="summary",
            signature='{"/…":{"timestamp":…,"latest_usage":{…},"minute_usage":{…}}}',
            versions="API 2.x: summary",
            not_recorded=f"{_NEVER}; counters; not read: the statistics by hour and by day",
        ),
        Form(
            name="machine",
            signature='{"num_cores":…,"memory_capacity":…}',
            versions="API 1.x and 2.x: machine",
            not_recorded="everything except facts about the machine; the file describes no run",
        ),
    ),
    recognises=late("benchkit.parsers.cadvisor.reader:recognises"),
    parse=late("benchkit.parsers.cadvisor.reader:parse"),
    is_companion=True,
)

TOOLS = (
    Tool(
        name="cadvisor",
        formats=(ANSWERS,),
        role="companion",
        metrics=dict.fromkeys(
            (*METRICS, "cpu_usage", "cpu_limit", "memory_limit", "memory_rss", "memory_cache"), ""
        ),
        has_snapshots=True,
    ),
)
