"""The codes about the load and the arithmetic of its reports (B31x, B320)."""

from __future__ import annotations

from benchkit.audit.catalogue.entry import Entry

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
