"""The codes about the load and the arithmetic of its reports (B31x, B320)."""

from __future__ import annotations

from benchkit.audit.catalogue.entry import Entry

LOAD = (
    Entry(
        code="B310",
        severity="warning",
        says="wrk's mean implies more requests in flight than connections",
        what="Rate × mean latency (Little's law) exceeds the number of connections by more than "
        "rounding plus 1 %. wrk adds corrected samples for requests that it considers late "
        "(stats_correct), and includes them in its mean and percentiles.",
        why="Without the correction, this is impossible. The overhead computed from wrk's mean is "
        "inflated: in one published comparison it is +179 %, while the rate says +127 %.",
        example="zipkin: wrk's mean implies 9.9 requests in flight on 8 connections (one run); "
        "in run 1, it reports a mean of 770 µs, but connections ÷ rate gives 625 µs",
        do="Use connections ÷ rate as the mean, or compare rates. For latency at a fixed rate, "
        "use wrk2, vegeta or k6.",
    ),
    Entry(
        code="B311",
        severity="warning or info",
        says="Little's law: rate × mean latency contradicts the connections of a closed loop",
        what="Warning: more requests in flight than connections, beyond rounding and 1 %. Info: "
        "less than 90 %, so some connections were idle. For k6, iterations are checked against "
        "virtual users, and only an excess is reported. Runs with failures are skipped, "
        "because neither rate nor mean includes failures.",
        why="Too many in flight is impossible: the numbers come from different runs. Too few means "
        "that a rate limit, a pool or the generator was the bottleneck, so the rate is not the "
        "service's capacity.",
        example="nginx on connections=20: only 11 of 20 connections were waiting for the service",
        do="Check that the numbers come from one run, and watch the generator's CPU.",
    ),
    Entry(
        code="B312",
        severity="warning",
        says="requests, bytes, rate and duration of one report contradict each other",
        what="The run lengths implied by the duration, requests ÷ rate, and bytes ÷ bandwidth "
        "differ by more than rounding plus 0.5 %. k6 does not report the time base of its "
        "rates, so its counters are checked against each other.",
        why="A number that was mistyped, or pasted from another run, makes every number computed "
        "from it wrong.",
        example="ab-c20.txt: the duration is 8.832 s, but requests ÷ request_rate is 9.715 s "
        "(run 1 of none): +10.0 %, more than rounding",
        do="Check which number belongs to another run. If you cannot tell, run again.",
    ),
    Entry(
        code="B313",
        severity="warning",
        says="percentiles out of order, or a mean outside its range",
        what="A lower percentile is above a higher one, or the mean is below the minimum or above "
        "the maximum, by more than rounding and 1 % (histograms approximate).",
        why="No set of values allows this: a line was mistyped or comes from another run.",
        example="a.txt: latency: p90 (1.44 ms) is above p99 (1.04 ms) in run 1 of none",
        do="Use the original report.",
    ),
    Entry(
        code="B314",
        severity="warning or info",
        says="an open loop missed its target rate or dropped iterations",
        what="The achieved rate is more than 1 % below the requested rate, or k6 dropped "
        "iterations (severity info up to 1 %).",
        why="The requests that were not sent are the ones that would have waited. The remaining "
        "ones look too good, and the load was lower than intended.",
        example="baseline: 2 of 5 runs did not reach the requested 500/s: 6.4 % less (run 2), "
        "0.95 % less (run 3); 1108 iterations dropped",
        do="Give the generator more workers (maxVUs, -max-workers) or CPU, or lower the rate.",
    ),
    Entry(
        code="B315",
        severity="warning",
        says="the two sides of an open loop ran at different rates",
        what="The medians of the achieved rates differ by more than 1 %.",
        why="Latency depends on load, so different rates are different experiments.",
        example="otel: otel was loaded with 467.8 requests/s and baseline with 500 requests/s",
        do="Use a rate that every side can reach.",
    ),
    Entry(
        code="B316",
        severity="warning",
        says="requests failed: how many and why",
        what="Errors by reason, statuses outside 2xx and 3xx, or no answer (vegeta's code 0). ab's "
        "length failures do not count as errors: they are bodies whose length differs from the "
        "first one.",
        why="Errors can be faster or slower than real answers. If more than 1 % of a side's "
        "requests failed, its rows get no verdict.",
        example="wrk on mixed-errors: 10 % of the requests failed (run 1): "
        "non2xx 3564, read 98, timeout 24",
        do="Check the service's responses, and run again without errors.",
    ),
    Entry(
        code="B317",
        severity="warning",
        says="requests timed out: latencies are censored",
        what="wrk and hey count timeouts but leave them out of their latencies. vegeta includes "
        "unanswered requests with the time until it gave up; it is reported above 1 % of "
        "requests.",
        why="The slowest requests are missing, or a percentile shows the timeout itself.",
        example="24 requests timed out in one run: no latency includes them, so mean, "
        "percentiles and maximum look better than they were",
        do="Raise the timeout above the slowest response, or compare rates and failures.",
    ),
    Entry(
        code="B318",
        severity="warning",
        says="the percentiles of a closed loop hide a stall (coordinated omission)",
        what="The maximum is at least ten times the highest percentile. If all connections stalled "
        "that long, an open loop would have had at least twice that percentile: maximum − (1 − "
        "q) × duration.",
        why="A closed loop sends nothing while it waits. A one-second stall appears as one slow "
        "request per connection, not as the thousands that were due.",
        example="none: p99 is 2.00 ms but the maximum is 1.00 s (run 1): if all connections "
        "stalled that long, a steady stream of requests would have had a p99 of at least "
        "850 ms",
        do="Measure tail latency at a fixed rate: wrk2 -R, vegeta -rate, k6 constant-arrival-rate.",
    ),
    Entry(
        code="B319",
        severity="info",
        says="latencies of a closed loop were compared at different rates",
        what="Latencies are compared, although the two sides of a closed loop ran at rates more "
        "than 3 % apart.",
        why="With a fixed number of connections, rate and latency are two views of one effect: a "
        "slower service gets less load. Do not count them as two costs.",
        example="zipkin: its latencies were measured at 8929 requests/s, and those of none at 10 "
        "531 requests/s",
        do="To compare latency at equal load, fix the rate.",
    ),
    Entry(
        code="B320",
        severity="info",
        says="a share changed: percentage points and percent are different numbers",
        what="The error rate, or the share of dropped spans, throttled periods or passed checks, "
        "moved by at least 0.1 percentage points.",
        why="From 74 % to 81 % CPU is 7 percentage points or 9.5 percent; `about 9 %` is "
        "ambiguous.",
        example="error rate: 2 % → 3 %, +1 percentage points or +50.0 %",
        do="State which one you mean.",
    ),
)
