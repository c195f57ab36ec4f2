"""wrk 1.0 to 4.2 and wrk2: text reports, one or many in a file, alone or among other text.

Neither tool has another output; every number of a run is in these lines, with two decimals and a
unit.

A whole report of wrk 4.1 with ``--latency`` (without it, the rows from ``Latency Distribution`` on
are missing; wrk 1.x begins with ``Making 100000 requests to http://…``)::

    Running 6s test @ http://127.0.0.1:8092/mixed
      2 threads and 12 connections
      Thread Stats   Avg      Stdev     Max   +/- Stdev
        Latency    82.18us   64.99us   2.27ms   90.68%
        Req/Sec    16.17k    14.89k   42.11k    55.00%
      Latency Distribution
         50%   68.00us
         75%   95.00us
         90%  139.00us
         99%  294.00us
      35890 requests in 6.01s, 4.13MB read
      Socket errors: connect 0, read 98, write 0, timeout 24
      Non-2xx or 3xx responses: 3564
    Requests/sec:   5968.13
    Transfer/sec:    703.40KB

wrk2 adds ``Thread calibration: mean lat.: 1.101ms, rate sampling interval: 10ms`` below the head;
``--latency`` adds a histogram and ``-U`` a second one, ``Uncorrected Latency (…)``::

      Latency Distribution (HdrHistogram - Recorded Latency)
     50.000%    2.10ms
    100.000%    4.05ms

      Detailed Percentile spectrum:
           Value   Percentile   TotalCount 1/(1-Percentile)

           2.101     0.500000         4003         2.00
           4.051     1.000000         8000          inf
    #[Mean    =        2.140, StdDeviation   =        0.521]
    #[Max     =        4.048, Total count    =         8000]
    #[Buckets =           27, SubBuckets     =         2048]
    ----------------------------------------------------------

Forks of wrk2 such as DeathStarBench's call the third column ``99%`` instead of ``Max``; no row is
read without the header that names its columns.

Meaning of the numbers: ``m`` is minutes; KB, MB and GB are powers of 1,024; ``Req/Sec`` is per
thread; the time in the first line is rounded to whole units, so the length of the run is taken from
``requests in``; 0.00us with nan% means that nothing was measured. wrk from 4.0 on adds artificial
samples for those hidden by coordinated omission (``corrected`` is ``approximate``). If wrk2 prints
a statistic twice, the value with more decimals is used.

A read error is not necessarily a failed request: a server that closes each connection after a whole
response without ``Connection: close`` causes one per request.

Not recorded: the start of the run, the method and headers, the timeout, the version (unless
``-v``), the status codes, and the command line unless a shell prompt shows it.
"""

from __future__ import annotations

from benchkit.parsers.base import FirstPlan, Form, Format, Tool, late

_NEVER = (
    "when the run began; method, headers and timeout; the version unless -v was given; status codes"
)

TEXT = Format(
    name="wrk",
    tools=("wrk", "wrk2"),
    words=(" threads and ", " requests in ", "Requests/sec:", "(HdrHistogram - ", "unable to "),
    anchors=(
        ("Running ", r"\d+[smh] test @ \S"),
        ("Thread Stats", r" +Avg +Stdev"),
        ("Requests/sec:", r"\s+\d"),
        ("Latency Distribution", r"(?: \(HdrHistogram|\s*$)"),
        ("unable to ", r"(?:connect to|resolve) \S+:[\w-]+ \S"),
    ),
    plain=late("benchkit.parsers.wrk.shape:read_plain"),
    summary="text reports of wrk and wrk2: alone, many in a file, or pasted into other text",
    forms=(
        Form(
            name="text",
            signature="Running … test @ URL, N threads and N connections … Transfer/sec:",
            versions="wrk 2.0 to 4.2",
            not_recorded=f"{_NEVER}; percentiles unless --latency was given",
        ),
        Form(
            name="text of wrk 1",
            signature="Making N requests to URL, N threads and N connections … Transfer/sec:",
            versions="wrk 1.0 to 1.2",
            not_recorded=f"{_NEVER}; percentiles",
        ),
        Form(
            name="text with histogram",
            signature="Thread calibration: …; Latency Distribution (HdrHistogram - …)",
            versions="wrk2 (giltene), all",
            not_recorded=f"{_NEVER}; the target rate, unless the command is above the report",
        ),
        Form(
            name="failure",
            signature="unable to connect to HOST:PORT …",
            versions="all",
            not_recorded="all values, because the tool could not connect",
        ),
    ),
    recognises=late("benchkit.parsers.wrk.reader:recognises"),
    parse=late("benchkit.parsers.wrk.reader:parse"),
    embeds=True,
)

#: wrk counts complete responses as requests, including late ones; a read error is a connection that
#: ended in the middle of a response, or between two of them.
_ANSWERED, _DOUBTFUL = ("non2xx", "timeout"), ("read",)
_METRICS = {
    "latency_within_stdev": "",
    "thread_request_rate": "Req/Sec",
    "thread_request_rate_within_stdev": "",
    "bytes_in": "",
    "bandwidth_in": "Transfer/sec",
}

TOOLS = (
    Tool(
        name="wrk",
        formats=(TEXT,),
        command="wrk --latency -t 2 -c 50 -d 30s URL",
        role="load",
        metrics=_METRICS,
        load_model="closed",
        is_timed=True,
        printing=("--latency", "-L"),
        corrected="approximate",
        drops_timeouts=True,
        answered=_ANSWERED,
        doubtful=_DOUBTFUL,
        plan=FirstPlan("wrk -t2 -c8 -d10s --latency {}", "wrk -t2 -c8 -d3s {}"),
    ),
    Tool(
        name="wrk2",
        formats=(TEXT,),
        command="wrk --latency -t 2 -c 50 -d 30s -R 2000 URL",
        role="load",
        metrics={**_METRICS, "uncorrected_latency": "-U"},
        load_model="open",
        find_rate=late("benchkit.parsers.wrk.command:find_rate"),
        is_timed=True,
        printing=("--latency", "-L", "--u_latency", "-U"),
        repeats_timeouts=True,
        answered=_ANSWERED,
        doubtful=_DOUBTFUL,
    ),
)
