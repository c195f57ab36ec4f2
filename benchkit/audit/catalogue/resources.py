"""The codes about containers and the machine (B41x), and about spans (B42x).

The codes about the load and the arithmetic of its reports (B31x, B320).
"""

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
        code="B426",
        severity="warning",
        says="the cumulative counts of a histogram fall",
        what="Fewer values lie at or below a bound of a histogram of the service than at or below "
        "a lower one, by more than 0.1 % of all values.",
        why="No histogram can have these counts: a scrape was edited, cut, or put together from "
        "several. Its mean and percentiles would be wrong, so it is left out.",
        example='fewer values lie below a bound than below a lower one in api_seconds{code="200"} '
        "during run 1 of 'otlp', so the histogram is left out",
        do="Save the scrapes again, and do not edit them.",
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
LOAD = (
    Entry(
        code="B310",
        severity="warning",
        says="wrk's mean implies more requests in flight than connections",
        what="Rate × mean latency (Little's law) exceeds the number of connections by more than "
        "1 %, after allowing for rounding. wrk adds samples for requests that it considers late "
        "(stats_correct), and includes them in its mean and percentiles.",
        why="Each connection has one request in flight at most, so the mean is too high. An "
        "overhead computed from it is too high, too. In one published comparison, it is +179 %, "
        "but the rate gives +127 %.",
        example="zipkin: wrk's mean latency is too high: it implies 9.9 requests in flight on 8 "
        "connections (one run). In run 1, connections ÷ rate gives 625 µs, but the mean is 770 "
        "µs, because wrk adds samples for late requests",
        do="Use connections ÷ rate as the mean, or compare rates. For latency at a fixed rate, "
        "use wrk2, vegeta or k6.",
    ),
    Entry(
        code="B311",
        severity="warning or info",
        says="rate × mean latency does not match the connections of a closed loop (Little's law)",
        what="Rate × mean latency is the number of requests in flight. Warning: it is more than "
        "1 % above the number of connections, after allowing for rounding. Info: it is below 90 "
        "% of the connections, so some of them were idle. For k6, iterations are checked against "
        "virtual users, and only an excess is reported. Runs with failures are skipped, because "
        "neither rate nor mean includes failures.",
        why="A connection carries only one request at a time, so an excess means that rate, mean "
        "and connections come from different runs. If connections were idle, the bottleneck "
        "was a rate limit, a pool or the generator, so the rate is not the service's capacity.",
        example="nginx at connections=20: only 11 of 20 connections were waiting for the service",
        do="Check that the numbers come from one run, and watch the generator's CPU.",
    ),
    Entry(
        code="B312",
        severity="warning",
        says="requests, bytes, rate and duration of one report contradict each other",
        what="The run length can be computed three ways: as the duration, as requests ÷ rate, "
        "and as bytes ÷ bandwidth. The results differ by more than 0.5 %, after allowing for "
        "rounding. k6 does not report the time base of its rates, so its counters are checked "
        "against each other.",
        why="If one number was mistyped, or pasted from another run, every number computed from "
        "it is wrong.",
        example="ab-c20.txt: the duration is 8.832 s, but requests ÷ request_rate is 9.715 s "
        "(run 1 of 'none'): +10.0 %, more than rounding explains",
        do="Check which number belongs to another run. If you cannot tell, run again.",
    ),
    Entry(
        code="B313",
        severity="warning",
        says="percentiles out of order, or a mean outside its range",
        what="A lower percentile is above a higher one, or the mean is below the minimum or "
        "above the maximum, by more than 1 % after allowing for rounding (percentiles "
        "taken from a histogram are approximate).",
        why="No measurement can give these numbers: a line was mistyped or comes from another run.",
        example="a.txt: latency: p90 (1.44 ms) is above p99 (1.04 ms) in run 1 of 'none'",
        do="Use the original report.",
    ),
    Entry(
        code="B314",
        severity="warning or info",
        says="an open loop missed its target rate or dropped iterations",
        what="Warning: the achieved rate is more than 1 % below the requested rate, or k6 dropped "
        "more than 1 % of the iterations. Info: k6 dropped at most 1 % of them.",
        why="The requests that were never sent would have waited longest. The latencies that "
        "remain look too good, and the load was lower than intended.",
        example="baseline: 2 of 5 runs missed the requested 500/s: run 2 by 6.4 %, run 3 by 0.95 "
        "%; 1108 iterations dropped",
        do="Give the generator more workers (maxVUs, -max-workers) or CPU, or lower the rate.",
    ),
    Entry(
        code="B315",
        severity="warning",
        says="the two sides of an open loop ran at different rates",
        what="The medians of the achieved rates differ by more than 1 %.",
        why="Latency depends on load, so different rates are different experiments.",
        example="otel: 'otel' ran at 467.8 requests/s, 'baseline' at 500 requests/s: latencies "
        "at different loads are not comparable",
        do="Use a rate that every side can reach.",
    ),
    Entry(
        code="B316",
        severity="warning",
        says="requests failed: how many and why",
        what="A failed request is an error that the tool counts, a status outside 2xx and 3xx, "
        "or no answer (vegeta's code 0). ab's length failures (the body is not as "
        "long as that of the first response, as with dynamic pages) do not count. wrk counts a "
        "read error where a connection ends before a response is whole, and also where the server "
        "closes it after a whole response without `Connection: close`, so the share with read "
        "errors is `up to` a number.",
        why="Errors can be faster or slower than real answers. If more than 1 % of a side's "
        "requests failed, its rows get no verdict.",
        example="wrk on mixed-errors: up to 10 % of the requests failed (run 1): "
        "non2xx 3564, read 98, timeout 24; wrk also counts a read error where the server closes a "
        "connection after a whole response",
        do="Check the service's responses, and run again without errors. If wrk's read errors come "
        "from closed connections, keep them open or let the server announce their end.",
    ),
    Entry(
        code="B317",
        severity="warning",
        says="requests timed out: latencies are censored",
        what="wrk and hey count timeouts but leave them out of their latencies. vegeta includes "
        "unanswered requests with the time until it gave up; the finding appears if more than "
        "1 % of the requests got no answer.",
        why="The slowest requests are missing, or a percentile shows the timeout itself.",
        example="24 requests timed out in one run: they are missing from the latencies, so "
        "the mean, the percentiles and the maximum look better than they really were",
        do="Raise the timeout above the slowest response, or compare rates and failures.",
    ),
    Entry(
        code="B318",
        severity="warning",
        says="the percentiles of a closed loop hide a stall (coordinated omission)",
        what="The maximum is at least ten times the highest percentile q. If all connections "
        "stalled for as long as the maximum, an open loop would have measured a percentile q of "
        "at least maximum − (1 − q) × duration, and this is at least twice the reported value.",
        why="A closed loop sends nothing while it waits. A one-second stall appears as one slow "
        "request per connection, although thousands of requests were due.",
        example="none: p99 is 2.00 ms but the maximum is 1.00 s (run 1): if all connections "
        "stalled that long, a steady stream of requests would have had a p99 of at least "
        "850 ms",
        do="Measure tail latency at a fixed rate: wrk2 -R, vegeta -rate, k6 constant-arrival-rate.",
    ),
    Entry(
        code="B319",
        severity="info",
        says="latencies of a closed loop were compared at different rates",
        what="Latencies are compared, although the rates of the two sides differ by more than 3 "
        "% in a closed loop.",
        why="With a fixed number of connections, a slower service gets fewer requests. The lower "
        "rate and the higher latency are one cost, not two.",
        example="zipkin: 'zipkin' ran at 8929 requests/s, 'none' at 10 531 requests/s: in a "
        "closed loop, a lower rate and a higher latency are one cost, not two",
        do="To compare latency at equal load, use the same fixed request rate on both sides.",
    ),
    Entry(
        code="B320",
        severity="info",
        says="a share changed: percentage points and percent are different numbers",
        what="A share changed by at least 0.1 percentage points: the error rate, or the share of "
        "dropped spans, throttled periods or passed checks.",
        why="A rise from 74 % to 81 % CPU is 7 percentage points, or 9.5 percent. Written as "
        "`+9 %`, it could be read as 9 percentage points.",
        example="error rate: 2 % → 3 %, +1 percentage points or +50.0 %",
        do="State which one you mean.",
    ),
    Entry(
        code="B321",
        severity="warning",
        says="the sides got different responses, or made different requests",
        what="On one side, more than 1 % of the checks failed, of the responses have no content "
        "(status 3xx or 204), or of the requests are of one kind that the tool counts apart, and "
        "this is at least twice the share of the other side, or leaves at most half of its rest. "
        "Or the responses of a run have more than twice as many bytes as any on the other side, "
        "and at least 100 more, or fewer than half as many, or none.",
        why="A redirect, an empty page or a wrong answer costs less than the right one, so the "
        "side that sends it looks faster. `gate` leaves such rows undecided and exits 4.",
        example="pr on /list: 100 % of the responses have status 3xx or 204 for 'pr', 0 % for "
        "'main': "
        "other requests and responses have other costs",
        do="Compare the responses of both sides with curl. If the difference is intended, such as "
        'a compressed page, set `on_undecided = "warn"` in the policy for this change.',
    ),
    Entry(
        code="B322",
        severity="warning",
        says="the service fell behind the requests of an open loop",
        what="After vegeta had sent its last request, more than 5 % of the run passed until the "
        "last response came, and the mean latency is between an eighth and three quarters of that "
        "time, as when a queue grows.",
        why="Requests wait in a queue that grows for as long as the run lasts: the latencies show "
        "the length of the run, not what a request costs.",
        example="otlp: the service fell behind the load: 101 responses/s to 500 requests/s "
        "(run 1; 3 of 3 runs affected); requests waited longer and longer, so the latencies depend "
        "on the length of the run",
        do="Lower the rate until the service keeps up, or compare the highest rate that each side "
        "can hold. With wrk2 and k6, B314 shows the same: they achieve less than was requested.",
    ),
)
