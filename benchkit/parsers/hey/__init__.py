"""hey's report: one or many in a file, alone or among other text.

Hey is the usual load tool for users who find ab too old; its report has only four decimals of a
second.

A report, verbatim (hey 0.1.4, part of the histogram omitted)::

    Summary:
      Total:	3.0081 secs
      Slowest:	0.0088 secs
      Fastest:	0.0002 secs
      Average:	0.0010 secs
      Requests/sec:	498.6549

      Total data:	199770000 bytes
      Size/request:	133180 bytes

    Response time histogram:
      0.000 [1]	|
      0.001 [1000]	|■■■■■■■■■■■■■■■■■■■■■■■■■■■■■■■■■■■■■■■■

    Latency distribution:
      10% in 0.0003 secs
      50% in 0.0005 secs
      99% in 0.0059 secs

    Details (average, fastest, slowest):
      DNS+dialup:	0.0000 secs, 0.0002 secs, 0.0088 secs
      DNS-lookup:	0.0000 secs, 0.0000 secs, 0.0000 secs
      req write:	0.0000 secs, 0.0000 secs, 0.0005 secs
      resp wait:	0.0009 secs, 0.0001 secs, 0.0088 secs
      resp read:	0.0001 secs, 0.0000 secs, 0.0071 secs

    Status code distribution:
      [200]	1500 responses

Failures follow under ``Error distribution:``, a line such as ``[50]	Get "http://…": dial tcp …``
per address and port; they are summed by reason here (`reasons`).

Meaning of the numbers: a percentile is the first time in order whose share, rounded down, reaches
it, ``sorted[ceil(n*p/100)]``, among the first million responses. Latency covers answered requests
only; the rate of newer versions also counts failed ones. In most versions, fastest and slowest
under ``DNS+dialup`` are those of the whole request; they are left out if they are equal to those.
``Total data`` counts bodies. Output with ``%%`` instead of ``%`` comes from versions that print it
like that, and means the same.

Not recorded: the start of the run, the target, ``-c``, ``-n``, ``-q``, unless a shell prompt shows
the command; the version.
"""

from __future__ import annotations

from benchkit.parsers.base import Form, Format, Tool, late

TEXT = Format(
    name="hey",
    tools=("hey",),
    words=("Summary:", "Slowest:", "resp wait:"),
    anchors=(
        ("Summary:", r"\s*$"),
        ("resp wait:", r"\s+(?:\d|NaN)"),
    ),
    summary="text reports of hey: alone, many in a file, or pasted into other text",
    forms=(
        Form(
            name="text",
            signature="Summary: Total: … secs … Requests/sec: … Status code distribution:",
            versions="hey 0.1, all",
            not_recorded="when the run began; target, -c, -n and -q, unless the command is above "
            "the report; not read: the histogram",
        ),
    ),
    recognises=late("benchkit.parsers.hey.report:recognises"),
    parse=late("benchkit.parsers.hey.report:parse"),
    embeds=True,
)

_HEADER = "response-time,DNS+dialup,DNS,Request-write,Response-delay,Response-read"

CSV = Format(
    name="hey_csv",
    tools=("hey",),
    words=("response-time,", "response-time;", "response-time\t"),
    summary="the times of every answered request, as hey -o csv writes them",
    forms=(
        Form(
            name="csv",
            signature=_HEADER + ",status-code,offset",
            versions="hey 0.1, with six or eight columns",
            not_recorded="target, concurrency, failed requests, bytes, the beginning of the run",
        ),
    ),
    recognises=late("benchkit.parsers.hey.samples:recognises"),
    quantile_rule="ceil",
    parse=late("benchkit.parsers.hey.samples:parse"),
)

TOOLS = (
    Tool(
        name="hey",
        formats=(TEXT, CSV),
        command="hey -c 50 -z 30s URL",
        role="load",
        metrics={"phase_time": "", "responses": "", "bytes_in": ""},
        load_model="closed",
        outputs=("-o",),
        drops_timeouts=True,
        answered=("non2xx",),
    ),
)
