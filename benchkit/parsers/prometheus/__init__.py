r"""Prometheus' answers to queries: JSON of its API, promtool's output, and Grafana's CSV.

If a Prometheus server scrapes anyway, one range query per metric is enough to keep a session.

A range (``/api/v1/query_range``), verbatim except for its length::

    {"status":"success","data":{"resultType":"matrix","result":[{"metric":{"__name__":
    "container_cpu_usage_seconds_total","cpu":"total","id":"/bench/server","instance":"127.0.0.1:8089",
    "job":"cadvisor"},"values":[[1795224103.302,"467.677489547"],[1795224104.302,"467.677489547"]]}]}}

Its ``data``, or its ``result`` alone (also ``promtool -o json``), are read as well. So are
promtool's text and Grafana's CSV (inspect, data; also with ``sep=,`` above, ``;`` and UTF-16)::

    container_memory_rss{id="/bench/server", job="cadvisor"} =>
    8355840 @[1795224103.302]

    "Time","container_memory_rss{id=""/bench/server"", job=""cadvisor""}"
    1795224103302,8355840

A series is read by its name. A series without a name (after ``rate()``, ``sum()``,
``avg_over_time()``) or with an unknown one has an unknown unit and is left out. In a range, times
are the query's steps: a value is repeated until the next scrape, so the resolution of cores is a
scrape interval. NaN and infinite values are left out and counted; so are parents, pods and pause
containers. CPUs, interfaces and devices are summed (origin *computed*) at the times that all of
them have. If two instances report the same container, its name gets ``@instance``. A recreated
container (one name, several ids) continues as one counter, which grows by the growth of each id.
Times without a zone in Grafana's CSV are unknown, not guessed.

Histograms of times, classic (``NAME_seconds_bucket``) and native, are read as the counters of their
bounds; the values between two times follow from these.

Versions: every Prometheus from 1.0 on, promtool 2.x and 3.x, Grafana from 6 on.

Not recorded: the query itself, its step, the runs inside the range, limits.
"""

from __future__ import annotations

from benchkit.parsers.base import Form, Format, Tool, late
from benchkit.parsers.containers import METRICS, SCRAPED

_NEVER = "the query, its step, which runs are in the range"

ANSWERS = Format(
    name="prometheus",
    tools=("prometheus",),
    words=(" =>", "scalar: ", "Time", "Series"),
    starts="{[",
    summary="Prometheus query responses: of the API or promtool, or exported by Grafana as CSV",
    forms=(
        Form(
            name="api",
            signature='{"status":"success","data":{"resultType":…,"result":[…]}}, or a part of it',
            versions="API v1; promtool -o json",
            not_recorded=_NEVER,
        ),
        Form(
            name="promtool",
            signature="name{…} =>, then lines value @[time]",
            versions="promtool 2.x and 3.x: query instant, query range",
            not_recorded=_NEVER,
        ),
        Form(
            name="grafana",
            signature='"Time","name{…}", or "Series","Time","Value"',
            versions="Grafana 6 and later; values as raw numbers",
            not_recorded=f"{_NEVER}; the zone of times that are not epoch ms",
        ),
    ),
    recognises=late("benchkit.parsers.prometheus.reader:recognises"),
    parse=late("benchkit.parsers.prometheus.reader:parse"),
    is_companion=True,
)

TOOLS = (
    Tool(
        name="prometheus",
        formats=(ANSWERS,),
        role="companion",
        metrics=dict.fromkeys((*METRICS, "memory_rss", "memory_cache", *SCRAPED), ""),
        has_snapshots=True,
        is_range=True,
    ),
)
