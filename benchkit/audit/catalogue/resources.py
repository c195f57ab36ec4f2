"""The codes about containers and the machine (B41x), and about spans (B42x)."""

from __future__ import annotations

from benchkit.audit.catalogue.entry import Entry

RESOURCES = (
    Entry(
        code="B410",
        severity="warning",
        says="start and end of runs are not known: samples of containers cannot be cut to them",
        what="Samples of containers over time lie beside runs whose window is not recorded, by the "
        "tool's own clock (k6, vegeta), a sidecar or runs.json.",
        why="wrk and ab print no times, so no sample can be told to be of the run; CPU per request "
        "is left out, never guessed.",
        example="start and end are not known of otlp 1, otlp 2",
        do="Write start and end into run.toml or runs.json, or measure with `benchkit capture`.",
    ),
    Entry(
        code="B411",
        severity="warning",
        says="too few CPU samples of containers lie inside the runs",
        what="Fewer than two samples of any container lie between start and end of a run. In a "
        "range answer of Prometheus a repeat of the last scrape is no sample.",
        why="CPU is the increase of a counter between two samples.",
        example="fewer than two CPU samples of any container lie between start and end of otlp 1",
        do="Sample at least once a second, and check that both clocks agree. A range answer tells "
        "cores only to within a scrape interval.",
    ),
    Entry(
        code="B413",
        severity="warning",
        says="which container is the service cannot be told",
        what="Several containers were sampled, and no name tells which of them served the load.",
        why="CPU per request is of the service; collector and storage are another cost.",
        example="which container is the service cannot be told: a, b",
        do="Name it in run.toml or benchkit.toml, and ingest again where there is a store: "
        '[containers] service = "NAME".',
    ),
    Entry(
        code="B414",
        severity="info",
        says="the CPU samples cover a part of the runs only",
        what="First and last sample inside a run are apart by less than three quarters of it.",
        why="CPU of a part may not be that of the whole.",
        example="the CPU samples cover a part of otlp 1, at least 61%",
        do="Sample from the start to the end of the load, at least once a second.",
    ),
    Entry(
        code="B420",
        severity="info",
        says="how many spans one request makes is not known",
        what="The counts of spans are no whole number per request, and [spans] per_request does "
        "not say.",
        why="Expected spans, incomplete traces and cost per span stand on it; or a warm-up was "
        "counted, or requests were not traced.",
        example="how many spans one request makes is not known of otlp 1",
        do="Write it into run.toml: [spans] per_request = 4.",
    ),
    Entry(
        code="B415",
        severity="info",
        says="the generator ran on the machine that it loaded",
        what="The URL under load is on the loopback interface.",
        why="The generator takes CPU, caches and interrupts from the service, more where the "
        "service is faster: differences look smaller than they are.",
        example="127.0.0.1:8080: wrk ran on the machine that it loaded (40 runs)",
        do="Use a second machine, or pin both to cores of their own and say so.",
    ),
    Entry(
        code="B416",
        severity="warning",
        says="service and generator are pinned to one core (hyper-threads)",
        what="The CPUs of service and generator (taskset or --cpuset-cpus in the command; "
        "`service.cpus`, `generator.cpus` in [env]) are hyper-threads of one core by "
        "`thread_siblings`, or the same CPU.",
        why="On many laptops CPU 0 and 1 are one physical core: pinning to them makes the two "
        "compete for its execution units.",
        example="the service is pinned to CPU 0 and the generator to 1, which are one core (0,1)",
        do="Pin them to different cores: see thread_siblings_list below /sys/devices/system/cpu.",
    ),
    Entry(
        code="B412",
        severity="warning",
        says="a container is at its CPU limit",
        what="Its mean CPU is 95 % of its limit or more (cAdvisor's spec, run.toml's [limits]), or "
        "it was throttled in more than 5 % of its periods.",
        why="What is measured is the limit: a storage at 200 of 200 % drops what it cannot take.",
        example="otlp: elasticsearch is at its CPU limit: it used 1.99 of 2.00 cores on average "
        "(run 1)",
        do="Raise the limit, or lower the load until no container is near its own.",
    ),
    Entry(
        code="B425",
        severity="warning",
        says="spans made are not spans saved plus spans dropped",
        what="They differ by more than 0.1 %: too few are accounted for (still in a queue, or lost "
        "uncounted), or too many (left over from before the run).",
        why="A drop rate from counters that do not add up is wrong by the difference.",
        example="skywalking: of 559 890 spans made 160 766 saved and 370 862 dropped leave 28 262 "
        "unaccounted for (run 1; all 8 runs)",
        do="Reset the counters after the warm-up, read them when the queues are empty.",
    ),
    Entry(
        code="B421",
        severity="info",
        says="spans saved are no multiple of the spans of a request: incomplete traces",
        what="Spans were dropped, and those saved cannot be whole traces.",
        why="Half a trace may be of no use: complete traces are what a backend is paid for.",
        example="otlp: 120 834 spans saved are no multiple of 4, the spans of a request",
        do="Count complete traces in the backend, not only spans.",
    ),
    Entry(
        code="B422",
        severity="warning",
        says="fewer spans than the requests make",
        what="Spans made ÷ requests is below [spans] per_request by more than 0.5 %.",
        why="Requests that were not traced (sampling, or counters read too early) cost nothing, "
        "and cost per span comes out wrong.",
        example="otlp: 120 000 spans for 100 000 requests are 1.20 each, not 3",
        do="See that sampling is off and that the counters cover the whole run.",
    ),
    Entry(
        code="B423",
        severity="warning",
        says="spans were lost: the runs do not show the cost of complete tracing",
        what="More than 1 % of the spans made were dropped.",
        why="A backend that drops most of its spans costs little, and not for what it promises.",
        example="otlp: 77.4 to 78.5 % of the spans made were dropped (all 8 runs)",
        do="Lower the load or give exporter and backend more room; or say how many were lost.",
    ),
    Entry(
        code="B424",
        severity="warning",
        says="more spans than the requests make: a warm-up was counted",
        what="Spans made exceed requests × [spans] per_request by more than 0.5 %.",
        why="The spans of a warm-up of 10 s are a third of those of a run of 30 s; a storage that "
        "was not emptied hides as many losses.",
        example="otlp: 529 052 spans more than 529 052 requests × 3 (run 1): those of "
        "a warm-up are counted, or a request makes more; a warm-up of 10 s is recorded",
        do="Reset the counters, and empty the storage, between warm-up and run.",
    ),
)
