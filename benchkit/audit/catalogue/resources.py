"""The codes about containers and the machine (B41x), and about spans (B42x)."""

from __future__ import annotations

from benchkit.audit.catalogue.entry import Entry

RESOURCES = (
    Entry(
        code="B410",
        severity="warning",
        says="start and end of runs are unknown, so container samples cannot be assigned to them",
        what="There are container samples over time, but the run's start and end are not recorded, "
        "neither by the tool (k6, vegeta) nor in a sidecar or runs.json.",
        why="wrk and ab print no times, so no sample can be assigned to the run. CPU per request "
        "is left out, never guessed.",
        example="start and end of otlp 1, otlp 2 are unknown",
        do="Write start and end to run.toml or runs.json, or measure with `benchkit capture`.",
    ),
    Entry(
        code="B411",
        severity="warning",
        says="too few CPU samples of containers during the runs",
        what="No container has two samples between the start and end of a run. In a Prometheus "
        "range response, a repeated scrape does not count as a sample.",
        why="CPU time is the increase of a counter between two samples.",
        example="no container has two CPU samples between start and end of otlp 1",
        do="Sample at least once a second, and check that both clocks agree. The resolution of a "
        "Prometheus range response is one scrape interval.",
    ),
    Entry(
        code="B413",
        severity="warning",
        says="which container is the service is unknown",
        what="Several containers were sampled, and no name shows which one served the load.",
        why="CPU per request is for the service only; the cost of collector and storage is "
        "reported "
        "separately.",
        example="which container is the service is unknown: a, b",
        do="Name it in run.toml or benchkit.toml, and if you use a store, ingest again: "
        '[containers] service = "NAME".',
    ),
    Entry(
        code="B414",
        severity="info",
        says="the CPU samples cover only a part of the runs",
        what="The first and last sample inside a run span less than three quarters of it.",
        why="CPU use in one part of a run may differ from the whole.",
        example="the CPU samples cover a part of otlp 1, at least 61%",
        do="Sample from the start to the end of the load, at least once a second.",
    ),
    Entry(
        code="B420",
        severity="info",
        says="the number of spans per request is unknown",
        what="The span counts are not a whole number per request, and [spans] per_request is not "
        "set.",
        why="Expected spans, incomplete traces and cost per span depend on it. A warm-up may have "
        "been counted, or some requests may not have been traced.",
        example="the number of spans per request is unknown for otlp 1",
        do="Write it to run.toml: [spans] per_request = 4.",
    ),
    Entry(
        code="B415",
        severity="info",
        says="the generator ran on the machine under load",
        what="The URL under load is on the loopback interface, and generator and service are not "
        "recorded as pinned to different cores.",
        why="The generator competes with the service for CPU, caches and interrupts, most of all "
        "with a fast one, so differences look smaller than they are.",
        example="127.0.0.1:8080: wrk ran on the machine under load (40 runs)",
        do="Use a second machine, or pin them to different cores: `benchkit capture --pin` "
        "does that and records it.",
    ),
    Entry(
        code="B416",
        severity="warning",
        says="service and generator are pinned to one core (hyper-threads)",
        what="The CPUs of service and generator (from taskset or --cpuset-cpus in the command, or "
        "from `service.cpus` and `generator.cpus` in [env]) are the same CPU, or hyper-threads "
        "of one core according to `thread_siblings`.",
        why="On many laptops, CPU 0 and 1 are one physical core: pinned there, the two compete for "
        "its execution units.",
        example="the service is pinned to CPU 0 and the generator to 1, which are one core (0,1)",
        do="Pin them to different cores: `benchkit capture --pin`; or see thread_siblings_list "
        "below /sys/devices/system/cpu.",
    ),
    Entry(
        code="B418",
        severity="warning",
        says="the machine disturbed some runs: stolen CPU time, a lower clock, other programs",
        what="More than 2 % of a run's CPU time went to other virtual machines, its CPU clock was "
        "5 % below the usual one, or its service lost the CPU to other programs at least 3 times "
        "as often as in the variant's other runs, and 50 times a second more often. `benchkit "
        "capture` records these in [conditions].",
        why="These runs measured the neighbours or the heat, too. They still count in every "
        "number.",
        example="other virtual machines took up to 6.3 % of the CPU time: run 3 of otlp, of 16 "
        "runs",
        do="Repeat these runs on a quieter machine; see `benchkit doctor` and `benchkit capture "
        "--quiet-before 5s --pin`.",
    ),
    Entry(
        code="B417",
        severity="info",
        says="no histogram of the service was scraped twice during a run",
        what="There are histograms of times (NAME_seconds_bucket), but fewer than two scrapes of "
        "them belong to the run.",
        why="A histogram counts since the service began, warm-up included; only the difference of "
        "two scrapes is the run's.",
        example="no histogram was scraped twice during otlp 1",
        do="Save /metrics before and after each run in one folder per run "
        "(prometheus-metrics-1/), or query the range that covers the runs; start and end of the "
        "runs must be recorded then.",
    ),
    Entry(
        code="B412",
        severity="warning",
        says="a container is at its CPU limit",
        what="Its mean CPU is at least 95 % of its limit (cAdvisor's spec, run.toml's "
        "[limits]), or it was throttled in more than 5 % of its periods.",
        why="You measured the limit, not the service. A storage backend that uses all of its CPU "
        "drops what it cannot handle.",
        example="otlp: elasticsearch is at its CPU limit: it used 1.99 of 2.00 cores on average "
        "(run 1)",
        do="Raise the limit, or lower the load until no container is near its limit.",
    ),
    Entry(
        code="B425",
        severity="warning",
        says="created spans do not equal saved plus dropped spans",
        what="The numbers differ by more than 0.1 %: some spans are unaccounted for (still queued, "
        "or lost uncounted), or there are too many (left over from before the run).",
        why="A drop rate from counters that do not add up is off by the difference.",
        example="skywalking: 559 890 spans were created: 160 766 saved and 370 862 dropped leave "
        "28 262 unaccounted for (run 1; all 8 runs)",
        do="Reset the counters after the warm-up, and read them when the queues are empty.",
    ),
    Entry(
        code="B421",
        severity="info",
        says="saved spans are not a multiple of the spans per request: incomplete traces",
        what="Spans were dropped, and the saved ones cannot all be whole traces.",
        why="Half a trace may be useless: a backend is there to save complete traces.",
        example="otlp: 120 834 saved spans are not a multiple of 4, the spans per request",
        do="Count complete traces in the backend, not only spans.",
    ),
    Entry(
        code="B422",
        severity="warning",
        says="fewer spans than the requests should create",
        what="Created spans ÷ requests is below [spans] per_request by more than 0.5 %.",
        why="Requests that were not traced (because of sampling, or counters read too early) cost "
        "nothing, so the cost per span is wrong.",
        example="otlp: 120 000 spans for 100 000 requests are 1.20 each, not 3",
        do="Check that sampling is off and that the counters cover the whole run.",
    ),
    Entry(
        code="B423",
        severity="warning",
        says="spans were lost: the runs do not show the cost of complete tracing",
        what="More than 1 % of the created spans were dropped.",
        why="A backend that drops most of its spans is cheap, but does not deliver what it "
        "promises.",
        example="otlp: 77.4 to 78.5 % of the created spans were dropped (all 8 runs)",
        do="Lower the load, or give exporter and backend more room; otherwise report how many "
        "were lost.",
    ),
    Entry(
        code="B424",
        severity="warning",
        says="more spans than the requests should create: a warm-up was counted",
        what="Created spans exceed requests × [spans] per_request by more than 0.5 %.",
        why="The spans of a 10 s warm-up are a third of those of a 30 s run, and if the storage "
        "was not emptied, they hide as many losses.",
        example="otlp: 529 052 more spans than 529 052 requests × 3 (run 1): a warm-up was "
        "counted, or a request creates more; a warm-up of 10 s is recorded",
        do="Reset the counters and empty the storage between warm-up and run.",
    ),
)
