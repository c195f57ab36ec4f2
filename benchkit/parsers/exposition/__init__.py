r"""Prometheus' text exposition: ``/metrics`` of cAdvisor, of the kubelet, and of what counts spans.

A snapshot before and one after a run say what the run used, without a Prometheus.

cAdvisor's, verbatim (0.60, ``curl -s http://127.0.0.1:8089/metrics``)::

    # HELP container_cpu_usage_seconds_total Cumulative cpu time consumed in seconds.
    # TYPE container_cpu_usage_seconds_total counter
    container_cpu_usage_seconds_total{cpu="total",id="/"} 6141.351065091 1795224103018
    container_cpu_usage_seconds_total{cpu="total",id="/bench"} 789.319591904 1795224103274
    container_cpu_usage_seconds_total{cpu="total",id="/bench/server"} 467.677489547 1795224101622

Spans, verbatim::

    # HELP app_spans_started_total Spans started by the instrumented application.
    # TYPE app_spans_started_total counter
    app_spans_started_total{backend="otlp"} 558587
    # HELP otelcol_receiver_accepted_spans_total Number of spans successfully pushed into the pipeline.
    # TYPE otelcol_receiver_accepted_spans_total counter
    otelcol_receiver_accepted_spans_total{receiver="otlp",service_name="sink",transport="http"} 121344

A histogram of times, verbatim but for buckets left out (client_golang 1.20)::

    # TYPE http_request_duration_seconds histogram
    http_request_duration_seconds_bucket{code="200",handler="/list",le="0.0005"} 14939
    http_request_duration_seconds_bucket{code="200",handler="/list",le="+Inf"} 16398
    http_request_duration_seconds_sum{code="200",handler="/list"} 6.151350319999982
    http_request_duration_seconds_count{code="200",handler="/list"} 16398

Versions: text format 0.0.4 and OpenMetrics (``# EOF``), of any cAdvisor, kubelet (``/metrics/cadvisor``,
``/metrics/resource``), OpenTelemetry Collector or application. Times are in ms since 1970; in
OpenMetrics, in s.

What the numbers are: parts of one container (CPUs where there is no ``cpu="total"``, interfaces but
lo, devices) are summed (origin *computed*) once their family has ended; if the text ends inside
it, they are left out, for a cut text looks the same: ``# EOF`` says that it is whole. A last line
without a line end is not read. Parents, pods and pause containers are left out. Which names of
spans are known and what they mean stands in `benchkit.parsers.counters`.

Histograms whose name ends in ``_seconds`` are kept as the counters they are: what a run added to them
is the difference of two snapshots. Summaries are left out, and so are native histograms, of which
the text shows no buckets.

Not recorded: when a line without a time was read, the scrape's own time, the run it belongs to.
"""  # noqa: E501 - verbatim

from __future__ import annotations

from benchkit.parsers.base import Form, Format, Tool, late

TEXT = Format(
    name="exposition",
    tools=("cadvisor", "prometheus"),
    words=(
        "# HELP ",
        "# TYPE ",
        "# UNIT ",
        "container_",
        "pod_",
        "node_",
        "machine_",
        "cadvisor_",
        "otelcol_",
        "span_",
        "spans_",
    ),
    summary="text of /metrics: containers (cAdvisor, kubelet), spans and histograms of times",
    forms=(
        Form(
            name="metrics",
            signature='# TYPE container_… counter; container_…{id="/…"} value time',
            versions="Prometheus text 0.0.4 and OpenMetrics; cAdvisor, kubelet",
            not_recorded="which run it belongs to; the time of lines without one",
        ),
        Form(
            name="spans",
            signature="otelcol_receiver_accepted_spans, …_spans_started, …_spans_dropped",
            versions="OpenTelemetry Collector; applications that count their spans",
            not_recorded="when it was taken; whether counters began at zero",
        ),
        Form(
            name="histograms",
            signature='…_seconds_bucket{…,le="0.005"}, …_seconds_sum, …_seconds_count',
            versions="every Prometheus client; classic histograms of seconds",
            not_recorded="when it was taken; not read: summaries, histograms in other units",
        ),
    ),
    recognises=late("benchkit.parsers.exposition.reader:recognises"),
    parse=late("benchkit.parsers.exposition.reader:parse"),
    is_companion=True,
)

#: What files like ``spans-1.prom`` are called after; their values are Prometheus'.
TOOLS = (Tool(name="spans", formats=(TEXT,), role="companion", has_snapshots=True),)
