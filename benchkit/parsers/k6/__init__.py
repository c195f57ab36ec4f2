"""k6: console output, JSON summaries and raw points.

Users keep any of these. `text` finds summaries among other text, `summary` and `raw` read whole
files, and all three use the same names (`words`).
"""

from __future__ import annotations

from benchkit.parsers.base import FirstPlan, Form, Format, Tool, late

TEXT = Format(
    name="k6",
    tools=("k6",),
    words=("...:", "….:", "…..:", "…:", " VUs, "),
    anchors=(
        ("http_req", r"\w*(?:\.{3}|…)[.…]*+:\s+\S"),
        ("iteration", r"(?:s|_duration)(?:\.{3}|…)[.…]*+:\s+\S"),
        ("data_", r"(?:received|sent)(?:\.{3}|…)[.…]*+:\s+\S"),
        ("checks", r"(?:_total)?(?:\.{3}|…)[.…]*+:\s+\S"),
        ("running (", r"[\dhms.]+\), \d+/\d+ VUs, "),
        ("execution: ", r"(?:local|cloud)\b"),
        ("█ ", r"(?:THRESHOLDS|TOTAL RESULTS)\s*$"),
    ),
    summary="k6's end-of-test summary and console lines",
    forms=(
        Form(
            name="text",
            signature="http_req_duration......: avg=…, http_reqs......: 15001  500.01/s",
            versions="0.2x to 2.x: classic, legacy, compact, full",
            not_recorded="URL, version, start, raw samples, third decimals; not read: each check",
        ),
        Form(
            name="console",
            signature="running (30.0s), 00/50 VUs, 15001 complete and 0 interrupted iterations",
            versions="0.27 on, where handleSummary or --no-summary left no summary",
            not_recorded="everything except duration, iterations and scenarios",
        ),
    ),
    recognises=late("benchkit.parsers.k6.text:recognises"),
    parse=late("benchkit.parsers.k6.text:parse"),
    embeds=True,
)


SUMMARY = Format(
    name="k6_summary",
    tools=("k6",),
    starts="{[<",
    summary="k6's JSON summaries, also several in one document",
    forms=(
        Form(
            name="export",
            signature='{"metrics": {"http_req_duration": {"avg": …}}, "root_group": …}',
            versions="0.x to 2.x, --summary-export",
            not_recorded="URL, version, start, duration, units of custom trends, raw samples",
        ),
        Form(
            name="handlesummary",
            signature='{"metrics": {"…": {"type": …, "contains": …, "values": …}}, "state": …}',
            versions="0.30 on, JSON.stringify(data) in handleSummary",
            not_recorded="URL, version, start, raw samples",
        ),
        Form(
            name="machine",
            signature='{"config": …, "metadata": {"k6_version": …}, "results": {"metrics": […]}}',
            versions="1.5 on, --new-machine-readable-summary",
            not_recorded="URL, start, rates per second, percentiles but p90 and p95, thresholds",
        ),
    ),
    recognises=late("benchkit.parsers.k6.summary:recognises"),
    parse=late("benchkit.parsers.k6.summary:parse"),
)


RAW = Format(
    name="k6_raw",
    tools=("k6",),
    words=("metric_name", '"metric"'),
    summary="k6's raw points",
    forms=(
        Form(
            name="json",
            signature='{"metric":"http_reqs","type":"Point","data":{"time":…,"value":…}} per line',
            versions="all, --out json, plain or gzipped",
            not_recorded="load model, version, length of the run",
        ),
        Form(
            name="csv",
            signature="metric_name,timestamp,metric_value,…",
            versions="0.2x on, --out csv, plain or gzipped, any system tags and time format",
            not_recorded="load model, version, length of the run, kinds of custom metrics",
        ),
    ),
    recognises=late("benchkit.parsers.k6.raw:recognises"),
    parse=late("benchkit.parsers.k6.raw:parse"),
    open_span=late("benchkit.parsers.k6.raw:open_reader"),
    depends_on=b'{"type":"Metric",',
)

_SCRIPT = 'import http from "k6/http"; export default () => { http.get("{}"); }'
TOOLS = (
    Tool(
        name="k6",
        formats=(TEXT, SUMMARY, RAW),
        command="k6 run --out json=result.json.gz script.js",
        role="load",
        metrics={
            "phase_time": "",
            "error_rate": "http_req_failed",
            "bytes_in": "data_received",
            "bytes_out": "data_sent",
            "bandwidth_in": "",
            "bandwidth_out": "",
            "iteration_time": "iteration_duration",
            "iterations": "",
            "iteration_rate": "iterations",
            "interrupted_iterations": "",
            "dropped_iterations": "",
            "checks": "",
            "check_rate": "checks_total",
            "thresholds_crossed": "",
            "vus": "",
            "vus_max": "",
        },
        outputs=("-o", "--out", "--summary-export", "--console-output", "--log-output"),
        printing=("-q", "--quiet"),
        whole_exits=(99,),  # exit code for a crossed threshold
        iterates=True,
        plan=FirstPlan(
            f"echo '{_SCRIPT}' | k6 run --vus 8 --duration 10s -",
            f"echo '{_SCRIPT}' | k6 run --vus 8 --duration 3s -",
        ),
        quantile_note="the samples end before the run ends, and console times are truncated, not "
        "rounded",
    ),
)
