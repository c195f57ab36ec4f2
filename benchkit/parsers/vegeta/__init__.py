"""vegeta 1 to 12: reports (`report`) and raw results (`raw`).

A report may be part of other text, while raw results are a whole file; they are two formats of one
tool.
"""

from __future__ import annotations

from benchkit.parsers.base import FirstPlan, Form, Format, Tool, late

REPORT = Format(
    name="vegeta",
    tools=("vegeta",),
    words=("[total", "[code:count]", '"latencies"', "Histogram", "Value(ms)"),
    anchors=(
        ("Requests", r"\s+\[total"),
        ("Status Codes", r"\s+\[code:count\]"),
        ("Bucket ", r"\s*#\s+%\s+Histogram"),
        ("Value(ms)", r"\s+Percentile"),
        ('{"latencies":', ""),
    ),
    summary="vegeta report: text, JSON, hist and hdrplot, alone or in other text",
    forms=(
        Form(
            name="text",
            signature="Requests [total…] / Status Codes [code:count]",
            versions="1-12",
            not_recorded="target, offered rate, start; counts of each error",
        ),
        Form(
            name="json",
            signature='an object with "latencies", "bytes_in", "status_codes"',
            versions="1-12",
            not_recorded="target, offered rate; counts of each error; buckets are not kept",
        ),
        Form(
            name="hist",
            signature="Bucket # % Histogram",
            versions="5-12",
            not_recorded="everything except the number of requests; counts by bucket are not kept",
        ),
        Form(
            name="hdrplot",
            signature="Value(ms) Percentile TotalCount 1/(1-Percentile)",
            versions="12.6-12.13",
            not_recorded="p99, mean, rates, success, start, target",
        ),
    ),
    recognises=late("benchkit.parsers.vegeta.report:recognises"),
    parse=late("benchkit.parsers.vegeta.report:parse"),
    embeds=True,
)


RAW = Format(
    name="vegeta_raw",
    tools=("vegeta",),
    words=('"latency"', "Result"),
    starts="0123456789",
    summary="vegeta raw results: gob of `attack`, CSV and JSON lines of `encode` and `dump`",
    forms=(
        Form(
            name="gob",
            signature="a gob descriptor of Result or Results",
            versions="1-12",
            not_recorded="offered rate, version; the URL before 12.8",
        ),
        Form(
            name="csv",
            signature="no header; 19 digits of nanoseconds, code, latency, bytes out and in",
            versions="5.5-12 (6, 7, 9 or 12 columns)",
            not_recorded="offered rate, version; the URL before 12.8",
        ),
        Form(
            name="ndjson",
            signature="lines of objects with timestamp, latency, code, bytes_in",
            versions="5.5-12",
            not_recorded="offered rate, version; the URL before 12.8",
        ),
    ),
    recognises=late("benchkit.parsers.vegeta.raw:recognises"),
    quantile_rule="hazen",
    parse=late("benchkit.parsers.vegeta.raw:parse"),
    open_span=late("benchkit.parsers.vegeta.raw:open_reader"),
)

TOOLS = (
    Tool(
        name="vegeta",
        formats=(REPORT, RAW),
        command="vegeta attack -rate 500 -duration 30s < targets.txt > result.bin",
        role="load",
        metrics={
            "success_rate_per_second": "throughput",
            "responses": "",
            "error_rate": "1 - success",
            "bytes_in": "",
            "bytes_out": "",
        },
        load_model="open",
        outputs=("-o", "-output", "--output", "-name", "--name"),
        find_rate=late("benchkit.parsers.vegeta.readings:find_rate"),
        reports_sent=True,
        unanswered="0",
        plan=FirstPlan(
            "echo 'GET {}' | vegeta attack -rate=200/s -duration=10s | vegeta report -type=json",
            "echo 'GET {}' | vegeta attack -rate=200/s -duration=3s | vegeta report -type=json",
        ),
        quantile_error=0.05,
        quantile_note="vegeta reports quantiles from a t-digest, which approximates",
    ),
)
