"""ApacheBench's report, as text or as the HTML of ``-w``, one or many in a file.

In: what ab prints to standard output, bare or among other text. Out: one `Reading` per run, also
of a run that failed. Why: most published numbers of web servers are these lines.

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

What the numbers are: times are whole milliseconds, so 0 is a time below half a millisecond.
`Complete` includes the failed; ``Length`` is a body of another length than the first one and
rarely a failure; responses outside 2xx are not among the failed. ``Time per request`` is
concurrency divided by rate, not a latency. A percentile is ``sorted[floor(n*p/100)]``
(`quantiles`); the median of the table is not the 50 % line, as for odd n ab averages two
neighbours above the middle. Under ``-w``, and ``-S`` before 2.4, least and greatest of
``Processing`` are differences of extremes and are left out. Interrupted by Ctrl-C, ab prints a
whole report: only the command, the progress lines or the dots before ``done`` tell.

Not kept: ``HTML transferred``, the second ``Time per request`` (1 / rate), the total transfer
rate. Not recorded: when the run began, method, headers, ``-n`` and ``-t``; status codes.
"""

from __future__ import annotations

import re

from benchkit.parsers.ab.quantiles import TEXT_RULE
from benchkit.parsers.ab.reader import parse
from benchkit.parsers.base import Form, Format, Head

__all__ = ["FORMAT", "QUANTILE_RULE"]

#: Which order statistic a percentile is.
QUANTILE_RULE = TEXT_RULE

_START = r"^[ \t#>|*/]*+(?:- ++)?+(?:\d{4}-\d\d-\d\dT\S++ ++|[\w.-]++ ++\| *+)?+[ \t#>|*/]*+"
_CELL = r":(?:\s|\*|</?t[dh][^<>]*>)*+"
#: Words that must all be there, and the lines that must then be there, for ab to claim a text.
_SIGNS = tuple(
    (words, tuple(re.compile(line, re.MULTILINE | re.IGNORECASE) for line in lines))
    for words, lines in (
        (("(be patient)",), (_START + r"Benchmarking \S+(?: \[.+\])? \(be patient\)",)),
        (
            ("Complete requests:", "Time taken for tests:"),
            (rf"Complete requests{_CELL}\d", rf"Time taken for tests{_CELL}[\d.]++ seconds"),
        ),
        (
            ("Time per request:", "[#/sec] (mean)"),
            (
                _START + r"Requests per second: +[\d.]+ \[#/sec\] \(mean\)",
                _START + r"Time per request: +[\d.]+ \[ms\] \(mean\)",
            ),
        ),
        (
            ("(longest request)", "within a certain time"),
            (
                _START + r"Percentage of the requests served within a certain time \(ms\)",
                _START + r"100% +\d+ \(longest request\)",
            ),
        ),
        ((" requests completed",), (_START + r"Total of \d+ requests completed\W*$",)),
        (
            ("This is ApacheBench, Version ", "Server Software:"),
            (_START + r"This is ApacheBench, Version \d", rf"Server Software{_CELL}"),
        ),
    )
)


def recognises(head: Head) -> bool:
    """Whether a text holds a part of ab's report, or ab's word that it gave up."""
    text = head.text
    return any(
        all(word in text for word in words) and all(line.search(text) for line in lines)
        for words, lines in _SIGNS
    )


_NEVER = "when the run began; method, headers, -n and -t; status codes"

FORMAT = Format(
    name="ab",
    tools=("ab",),
    summary="reports of ApacheBench, alone, many in a file, or pasted among other text",
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
            not_recorded="everything: nothing was measured",
        ),
    ),
    recognises=recognises,
    parse=parse,
    embeds=True,
)
