"""The codes about the machine (B41x) and about spans (B42x)."""

from __future__ import annotations

from benchkit.audit.catalogue.entry import Entry

RESOURCES = (
    Entry(
        code="B410",
        severity="info",
        says="the generator ran on the machine that it loaded",
        what="The URL under load is on the loopback interface.",
        why="The generator takes CPU, caches and interrupts from the service, more where the "
        "service is faster: differences look smaller than they are.",
        example="127.0.0.1:8080: wrk ran on the machine that it loaded (40 runs)",
        do="Use a second machine, or pin both to cores of their own and say so.",
    ),
    Entry(
        code="B411",
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
        "(run 1; its one run)",
        do="Raise the limit, or lower the load until no container is near its own.",
    ),
    Entry(
        code="B420",
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
        says="spans do not fit the requests",
        what="Spans made ÷ requests is no whole number within 0.5 %, or less than "
        "[spans] per_request says.",
        why="Requests that were sampled out, or spans of other requests, make cost per span wrong.",
        example="otlp: 120 000 spans for 100 000 requests are 1.20 each, no whole number",
        do="See that sampling is off and that the counters cover the run alone.",
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
        example="otlp: 529 052 spans more than 529 052 requests × 3 (run 1; its one run): those of "
        "a warm-up are counted; a warm-up of 10 s is recorded",
        do="Reset the counters, and empty the storage, between warm-up and run.",
    ),
)
