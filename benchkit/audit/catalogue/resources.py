"""The codes about containers and the machine (B41x), and about spans (B42x)."""

from __future__ import annotations

from benchkit.audit.catalogue.entry import Entry

RESOURCES = (
    Entry(
        code="B410",
        severity="warning",
        says="the start and end of runs are unknown, so no container sample can be assigned to "
        "them",
        what="Containers were sampled, but neither the tool nor a sidecar or runs.json records "
        "when the run started and ended.",
        why="wrk and ab print no timestamps, so benchkit cannot tell which samples belong to the "
        "run. CPU per request is left out, never guessed.",
        example="the start and end of run 1 of 'otlp' and run 2 of 'otlp' are unknown, so no "
        "container sample can be assigned to these runs, and there is no CPU per request",
        do="Write start and end to run.toml or runs.json, or measure with `benchkit capture`.",
    ),
    Entry(
        code="B411",
        severity="warning",
        says="too few CPU samples of containers during the runs",
        what="No container has two samples between the start and end of a run. If a Prometheus "
        "range response repeats a scrape, the repeats do not count.",
        why="CPU time is the increase of a counter between two samples, so one sample is not "
        "enough.",
        example="no container has two CPU samples between the start and end of run 1 of 'otlp'",
        do="Sample at least once a second, and check that the clocks of sampler and load "
        "generator agree. The resolution of a Prometheus range response is one scrape interval.",
    ),
    Entry(
        code="B413",
        severity="warning",
        says="benchkit cannot tell which container is the service",
        what="Several containers were sampled, and their names do not show which one served the "
        "load.",
        why="CPU per request counts only the service; collector and storage are reported "
        "separately.",
        example="benchkit cannot tell which container is the service: a, b",
        do='Put `[containers]` with `service = "NAME"` into run.toml or benchkit.toml. If you '
        "use a store, ingest again.",
    ),
    Entry(
        code="B414",
        severity="info",
        says="the CPU samples cover only part of some runs",
        what="The time from the first to the last sample in a run is less than three quarters of "
        "the run.",
        why="CPU use in one part of a run may differ from that of the whole run.",
        example="the CPU samples cover only part of some runs, as little as 61 %: run 1 of 'otlp'",
        do="Sample at least once a second, from the start to the end of the load.",
    ),
    Entry(
        code="B420",
        severity="info",
        says="the number of spans per request is unknown",
        what="The span counts are not a multiple of the requests, and [spans] per_request is not "
        "set.",
        why="The expected number of spans, the share of incomplete traces and the cost per span "
        "depend on it. Possible causes: the counts include a warm-up, or some requests were not "
        "traced.",
        example="the number of spans per request is unknown for run 1 of 'otlp'",
        do="Write it to run.toml: [spans] per_request = 4.",
    ),
    Entry(
        code="B415",
        severity="info",
        says="the generator ran on the same machine as the service",
        what="The URL of the load is on the loopback interface, and no record shows that "
        "generator and service are pinned to different cores.",
        why="The generator competes with the service for CPU, caches and interrupts. A fast "
        "service suffers most, so differences look smaller than they are.",
        example="127.0.0.1:8080: wrk ran on the same machine as the service (40 runs)",
        do="Use a second machine, or pin both to different cores with `benchkit capture --pin`, "
        "which records it.",
    ),
    Entry(
        code="B416",
        severity="warning",
        says="service and generator are pinned to the same core (hyper-threads)",
        what="Service and generator are pinned to the same CPU, or to hyper-threads of one core "
        "(see `thread_siblings`). Their CPUs come from taskset or --cpuset-cpus in the command, "
        "or from `service.cpus` and `generator.cpus` in [env].",
        why="On many laptops, CPU 0 and CPU 1 are one physical core. Two programs pinned to them "
        "compete for its execution units.",
        example="the service is pinned to CPU 0 and the generator to 1, which are one core (0,1)",
        do="Pin them to different cores with `benchkit capture --pin`, or see "
        "thread_siblings_list below /sys/devices/system/cpu.",
    ),
    Entry(
        code="B418",
        severity="warning",
        says="the machine disturbed some runs: stolen CPU time, a lower clock, other programs",
        what="More than 2 % of a run's CPU time went to other virtual machines, its CPU clock was "
        "more than 5 % below the median of all runs, or its service lost the CPU to other "
        "programs far more often than in the variant's median run: more than 3 times as often, "
        "and over 50 additional times per second. `benchkit capture` records these conditions.",
        why="These runs also measured the neighbours or the heat, and all numbers include these "
        "runs.",
        example="other virtual machines took up to 6.3 % of the CPU time in 1 of 16 runs: run 3 of "
        "'otlp'",
        do="Repeat these runs on a quieter machine; see `benchkit doctor` and `benchkit capture "
        "--quiet-before 5s --pin`.",
    ),
    Entry(
        code="B419",
        severity="warning",
        says="several benchmarks of one command share their CPU time",
        what="One command ran several benchmarks, and only its start and end are recorded.",
        why="Dividing the CPU time of the whole command by the requests of one benchmark does not "
        "give the CPU per request of that benchmark, so it is left out.",
        example="several benchmarks share start and end in run 1 of 'otlp' (2 benchmarks), so the "
        "CPU time cannot be divided among them, and there is no CPU per request",
        do="Run one benchmark per command.",
    ),
    Entry(
        code="B417",
        severity="info",
        says="no histogram of the service was scraped twice during a run",
        what="There are histograms of times (NAME_seconds_bucket), but fewer than two of their "
        "scrapes belong to the run.",
        why="A histogram counts from the start of the service, including the warm-up. Only the "
        "difference between two scrapes belongs to the run.",
        example="no histogram was scraped twice during run 1 of 'otlp', so it is unknown "
        "what the run added to it",
        do="Save /metrics before and after each run, in one folder per run "
        "(prometheus-metrics-1/). Or query Prometheus for the time of the runs, and record the "
        "start and end of each run.",
    ),
    Entry(
        code="B412",
        severity="warning",
        says="a container is at its CPU limit",
        what="The container used at least 95 % of its CPU limit on average (from cAdvisor, or "
        "from [limits] in run.toml), or it was throttled in more than 5 % of its periods.",
        why="You measured the limit, not the service. A storage backend without spare CPU drops "
        "what it cannot handle.",
        example="otlp: elasticsearch is at its CPU limit: it used 1.99 of 2.00 cores on average "
        "(run 1)",
        do="Raise the limit, or lower the load until no container is near its limit.",
    ),
    Entry(
        code="B425",
        severity="warning",
        says="created spans are not equal to saved plus dropped spans",
        what="The numbers differ by more than 0.1 %. Either some spans are unaccounted for "
        "(still queued, or lost without being counted), or there are too many (from before the "
        "run).",
        why="If the counters do not add up, the drop rate is wrong.",
        example="skywalking: 559 890 spans were created, but only 160 766 saved and 370 862 "
        "dropped, so 28 262 are unaccounted for (run 1; all 8 runs affected)",
        do="Reset the counters after the warm-up, and read them when the queues are empty.",
    ),
    Entry(
        code="B421",
        severity="info",
        says="some traces are incomplete: the saved spans are not a multiple of the spans per "
        "request",
        what="Spans were dropped, and the number of saved spans shows that some traces are "
        "incomplete.",
        why="A backend should save complete traces. Half a trace may be useless.",
        example="otlp: 120 834 saved spans are not a multiple of 4, the spans per request (run "
        "1): some traces are incomplete",
        do="Count complete traces in the backend, not only spans.",
    ),
    Entry(
        code="B422",
        severity="warning",
        says="there are fewer spans than the requests should create",
        what="Created spans ÷ requests is more than 0.5 % below [spans] per_request.",
        why="Requests without spans cost nothing, so the cost per span is wrong. Typical reasons "
        "are sampling, and counters that were read too early.",
        example="otlp: 120 000 spans for 100 000 requests: 1.20 per request instead of 3 (run "
        "1): some requests were traced only in part or not at all",
        do="Check that sampling is off and that the counters cover the whole run.",
    ),
    Entry(
        code="B423",
        severity="warning",
        says="spans were lost, so the runs do not show the cost of complete tracing",
        what="More than 1 % of the created spans were dropped.",
        why="A backend that drops most spans is cheap because it does not do its job.",
        example="otlp: 77.4 to 78.5 % of the created spans were dropped (all 8 runs)",
        do="Lower the load, or give exporter and backend more resources. Otherwise report how "
        "many spans were lost.",
    ),
    Entry(
        code="B424",
        severity="warning",
        says="there are more spans than the requests should create: a warm-up was counted",
        what="Created spans ÷ requests is more than 0.5 % above [spans] per_request.",
        why="A warm-up of 10 s creates a third as many spans as a run of 30 s. If they are still "
        "in the storage, they hide the same number of lost spans.",
        example="otlp: 529 052 spans too many for 529 052 requests with 3 spans each (run 1): "
        "the counters include a warm-up, or a request creates more spans; the records show a "
        "warm-up of 10 s",
        do="After the warm-up, reset the counters and empty the storage.",
    ),
)
