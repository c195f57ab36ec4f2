r"""docker stats: the table with its refreshes, JSON lines, and the answers of the Docker API.

It is available wherever Docker is.

The table, verbatim (the header is repeated at every refresh; old versions have ``CONTAINER``)::

    CONTAINER ID   NAME                CPU %     MEM USAGE / LIMIT     MEM %     NET I/O          BLOCK I/O   PIDS
    b7de80246e82   gracious_curran     0.29%     463.8MiB / 5.892GiB   7.69%     866B / 0B        0B / 0B     33
    aa71222c3d71   practical_shirley   0.00%     3.965MiB / 5.892GiB   0.07%     17.9kB / 586kB   0B / 0B     5

``docker stats --format '{{json .}}'``, from Docker's documentation::

    {"BlockIO":"0B / 13.3kB","CPUPerc":"0.03%","Container":"5acfcb1b4fd1","ID":"5acfcb1b4fd1","MemPerc":"0.01%","MemUsage":"2.5MiB / 15.2GiB","Name":"web","NetIO":"916B / 0B","PIDs":"2"}

Meaning of the numbers: CPU is relative to one core (200 % is two cores). Memory in MiB uses powers
of 1,024 and excludes the inactive cache (Docker 19.03 and later, cgroup v2). Memory in MB (Docker
1.12 and before, Podman), network and disk use powers of 1,000. Network and disk count since the
start of the container. A stopped container shows ``--`` or zeros. In the API's answer
``memory_usage`` includes the cache, and usage minus ``inactive_file`` is the working set
(*computed*).

Versions: Docker 1.5 and later; the table may have user-defined columns if its header is present.

Not recorded: times (except in the API's answers), the CPU limit, and whether the memory limit next
to the usage is the container's or the machine's, so it is not read.
"""  # noqa: E501 - verbatim

from __future__ import annotations

from benchkit.parsers.base import Form, Format, Tool, late
from benchkit.parsers.containers import METRICS

_NEVER = "limits, which run it belongs to"

STATS = Format(
    name="docker-stats",
    tools=("docker-stats",),
    words=("CPU %", '"CPUPerc"'),
    starts="{[",
    anchors=(
        ("CONTAINER", r"(?: ID)?\s.*CPU %"),
        ("NAME ", r"\s*CPU %"),
        ('{"BlockIO":', ""),
    ),
    summary="docker stats: CPU, memory, network and disk of containers",
    forms=(
        Form(
            name="table",
            signature="CONTAINER ID   NAME   CPU %   MEM USAGE / LIMIT   …, once per refresh",
            versions="Docker 1.5 and later, Podman",
            not_recorded=f"times; {_NEVER}; not read: memory limit, MEM %, PIDS",
        ),
        Form(
            name="json",
            signature='lines {"BlockIO":…,"CPUPerc":"0.29%",…,"MemUsage":…,"Name":…}',
            versions="Docker 17.03 and later, --format '{{json .}}'",
            not_recorded=f"times; {_NEVER}; not read: memory limit, MEM %, PIDS",
        ),
        Form(
            name="api",
            signature='{"read":…,"cpu_stats":{…},"memory_stats":{…}}',
            versions="Docker Engine API 1.17 and later: /containers/NAME/stats",
            not_recorded=_NEVER,
        ),
    ),
    recognises=late("benchkit.parsers.dockerstats.reader:recognises"),
    parse=late("benchkit.parsers.dockerstats.reader:parse"),
    embeds=True,
    is_companion=True,
)

TOOLS = (
    Tool(
        name="docker-stats",
        formats=(STATS,),
        role="companion",
        metrics=dict.fromkeys(("cpu_usage", *METRICS), ""),
        has_snapshots=True,
    ),
)
