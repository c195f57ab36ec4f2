r"""Prometheus' text exposition: ``/metrics`` of cAdvisor, the kubelet, and services with spans.

Snapshots before and after a run show the usage of the run without a Prometheus server.

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

A histogram of times, verbatim except for omitted buckets (client_golang 1.20)::

    # TYPE http_request_duration_seconds histogram
    http_request_duration_seconds_bucket{code="200",handler="/list",le="0.0005"} 14939
    http_request_duration_seconds_bucket{code="200",handler="/list",le="+Inf"} 16398
    http_request_duration_seconds_sum{code="200",handler="/list"} 6.151350319999982
    http_request_duration_seconds_count{code="200",handler="/list"} 16398

Versions: text format 0.0.4 and OpenMetrics (``# EOF``), of any cAdvisor, kubelet
(``/metrics/cadvisor``, ``/metrics/resource``), OpenTelemetry Collector or application. Times are in
ms since 1970, in OpenMetrics in s.

Meaning of the numbers: the parts of one container (CPUs without ``cpu="total"``, interfaces except
lo, devices) are summed (origin *computed*) at the end of their family. If the text ends inside the
family, they are left out, because a truncated text looks the same: ``# EOF`` shows that it is
complete. A last line without a newline is not read. Parents, pods and pause containers are left
out. The known names of spans and their meaning are listed in `benchkit.parsers.counters`.

Histograms whose name ends in ``_seconds`` are kept as counters: a run's contribution is the
difference of two snapshots. Summaries are left out, and so are native histograms, whose buckets the
text does not show.

Not recorded: the time of a line without one, the time of the scrape, its run.
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

#: The tool for files like ``spans-1.prom``; their values are Prometheus'.
TOOLS = (Tool(name="spans", formats=(TEXT,), role="companion", has_snapshots=True),)
