"""ApacheBench's report, as text or as the HTML of ``-w``, one or many in a file.

Most published numbers about web servers come from these lines.

A report of ab 2.3, verbatim (without the three lines of copyright)::

    This is ApacheBench, Version 2.3 <$Revision$>

    Benchmarking 127.0.0.1 (be patient)


    Server Software:        BaseHTTP/0.6
    Server Hostname:        127.0.0.1
    Server Port:            8091

    Document Path:          /
    Document Length:        200 bytes

    Concurrency Level:      4
    Time taken for tests:   0.104 seconds
    Complete requests:      300
    Failed requests:        195
       (Connect: 0, Receive: 0, Length: 195, Exceptions: 0)
    Total transferred:      74400 bytes
    HTML transferred:       40500 bytes
    Requests per second:    2885.42 [#/sec] (mean)
    Time per request:       1.386 [ms] (mean)
    Time per request:       0.347 [ms] (mean, across all concurrent requests)
    Transfer rate:          698.81 [Kbytes/sec] received

    Connection Times (ms)
                  min  mean[+/-sd] median   max
    Connect:        0    0   0.0      0       0
    Processing:     0    1   1.3      1       8
    Waiting:        0    1   1.2      1       8
    Total:          0    1   1.3      1       8

    Percentage of the requests served within a certain time (ms)
      50%      1
      66%      1
      75%      1
      80%      2
      90%      3
      95%      4
      98%      5
      99%      8
     100%      8 (longest request)

Versions: 1.3 (three n in ``Connnection``, kilobytes of 1,000), 2.0 (microseconds without leading
zeros after the point), 2.1 to 2.4, and trunk with its workers and window.

Meaning of the numbers: times are whole milliseconds, so 0 is a time below half a millisecond.
`Complete` includes the failed requests; ``Length`` counts bodies of another length than the first
one, which are rarely failures; responses outside 2xx do not count as failed. ``Time per request``
is concurrency divided by rate, not a latency. A percentile is ``sorted[floor(n*p/100)]``, in the
CSV ``sorted[floor(0.5 + n*p/100)]``; the median of the table differs from the 50 % line, because
for odd n ab averages two neighbours above the middle. With ``-w``, and with ``-S`` before 2.4, the
minimum and maximum of ``Processing`` are differences of extremes and are left out. After Ctrl-C, ab
prints a whole report: only the command, the progress lines or the dots before ``done`` show that
the run was interrupted.

Not kept: the second ``Time per request`` (1 / rate), the total transfer rate. Not recorded: the
start of the run, method, headers, ``-n`` and ``-t``; status codes.
"""

from __future__ import annotations

from benchkit.parsers.base import FirstPlan, Form, Format, Tool, late

_NEVER = (
    "when the run began; method, headers, -n and -t; status codes; not read: the second "
    "`Time per request`"
)

TEXT = Format(
    name="ab",
    tools=("ab",),
    words=(
        "(be patient)",
        "Complete requests:",
        "[#/sec] (mean)",
        "(longest request)",
        " requests completed",
        "ApacheBench",
        "apr_sockaddr_info_get() for ",
    ),
    anchors=(
        ("This is ApacheBench, Version ", r"\d"),
        ("Benchmarking ", r"\S+ (?:\[.+\] )?\(be patient\)"),
        ("Server Software:", ""),
        ("Complete requests:", r"\s+\d"),
        ("Requests per second:", r"\s+\d"),
        ("Percentage of the requests served", ""),
        ("Total of ", r"\d+ requests completed"),
    ),
    summary="reports of ApacheBench: alone, many in a file, or pasted into other text",
    forms=(
        Form(
            name="text",
            signature="This is ApacheBench, Version …; Complete requests: …",
            versions="ab 1.3, 2.0 to 2.4, trunk",
            not_recorded=f"{_NEVER}; times below a millisecond",
        ),
        Form(
            name="html",
            signature="<th …>Complete requests:</th><td …>…",
            versions="ab -w, all",
            not_recorded=f"{_NEVER}; percentiles, median and spread",
        ),
        Form(
            name="failure",
            signature="Benchmarking HOST (be patient)… no report; Total of N requests completed",
            versions="all",
            not_recorded="all values, because no request was completed",
        ),
    ),
    recognises=late("benchkit.parsers.ab.reader:recognises"),
    parse=late("benchkit.parsers.ab.reader:parse"),
    embeds=True,
)


TSV = Format(
    name="ab_tsv",
    tools=("ab",),
    words=("starttime\tseconds", "starttime,seconds", "starttime;seconds"),
    summary="the time of every request, as ab -g writes it for gnuplot",
    forms=(
        Form(
            name="tsv",
            signature="starttime⇥seconds⇥ctime⇥dtime⇥ttime⇥wait",
            versions="ab -g of 1.3, 2.0 to 2.4, trunk",
            not_recorded="target, concurrency, status, failures, bytes; times below a millisecond",
        ),
    ),
    recognises=late("benchkit.parsers.ab.samples:recognises"),
    quantile_rule="floor",
    parse=late("benchkit.parsers.ab.samples:parse"),
    open_span=late("benchkit.parsers.ab.samples:open_reader"),
)


CSV = Format(
    name="ab_csv",
    tools=("ab",),
    words=("Percentage served",),
    summary="the percentiles of the latency, as ab -e writes them",
    forms=(
        Form(
            name="csv",
            signature="Percentage served,Time in ms",
            versions="ab -e of 1.3, 2.0 to 2.4, trunk",
            not_recorded="everything except the latency",
        ),
    ),
    recognises=late("benchkit.parsers.ab.percentages:recognises"),
    parse=late("benchkit.parsers.ab.percentages:parse"),
)

TOOLS = (
    Tool(
        name="ab",
        formats=(TEXT, TSV, CSV),
        command="ab -c 50 -n 100000 -g samples.tsv URL",
        role="load",
        metrics={
            "phase_time": "",
            "time_per_request": "",
            "bytes_in": "",
            "bytes_out": "",
            "bandwidth_in": "",
            "bandwidth_out": "",
        },
        load_model="closed",
        outputs=("-g", "-e"),
        printing=("-q",),
        quantile_note="ab uses different rules for the percentiles in its CSV and in its text",
        plan=FirstPlan("ab -k -c 8 -n 20000 {}", "ab -k -c 8 -n 5000 {}"),
    ),
)
