"""The codes about the load and the arithmetic of its reports (B31x, B320)."""

from __future__ import annotations

from benchkit.audit.catalogue.entry import Entry

LOAD = (
    Entry(
        code="B310",
        severity="warning",
        says="wrk's mean implies more requests in flight than connections",
        what="Rate × mean latency (Little's law) is above the connections by more than rounding "
        "and 1 %. wrk adds samples for requests that it holds to be late (stats_correct), and "
        "means and percentiles are taken with them.",
        why="A plain mean cannot do that. The overhead by wrk's mean is inflated: in one published "
        "comparison +179 % where the rate says +127 %.",
        example="zipkin: wrk's mean implies 9.9 requests in flight on 8 connections (one run); "
        "in run 1 connections ÷ rate makes the mean 625 µs, not 770 µs",
        do="Take connections ÷ rate for the mean, or compare rates. For latency at a fixed rate "
        "use wrk2, vegeta or k6.",
    ),
    Entry(
        code="B311",
        severity="warning or info",
        says="Little's law: rate × mean latency against the connections of a closed loop",
        what="Warning: more requests in flight than connections, beyond rounding and 1 %. Info: "
        "less than 90 %, so connections were idle. k6: iterations against virtual users, upwards "
        "only counts as wrong. Runs with failures are passed over, as their time is in neither.",
        why="Too many cannot be: the numbers are of different runs. Too few: a rate limit, a pool "
        "or the generator was the limit, and the rate is not what the service can do.",
        example="nginx on connections=20: of 20 connections 11 were waiting for the service",
        do="Check that the numbers are of one run; watch the generator's CPU.",
    ),
    Entry(
        code="B312",
        severity="warning",
        says="requests, bytes, rate and duration of one report do not go together",
        what="The lengths that duration, requests ÷ rate and bytes ÷ bandwidth imply differ by "
        "more than rounding and 0.5 %. k6 does not tell the time its rates stand on; its counters "
        "are held against each other.",
        why="A number that was typed, or pasted from another run, makes every later number wrong.",
        example="ab-c20.txt: the duration says 8.832 s and requests ÷ request_rate 9.715 s "
        "(none 1): +10.0 %, more than rounding",
        do="See which of them belongs to another run; run again if nothing tells.",
    ),
    Entry(
        code="B313",
        severity="warning",
        says="percentiles out of order, or a mean outside its range",
        what="A lower percentile is above a higher one, or the mean is below the minimum or above "
        "the maximum, by more than rounding and 1 % (histograms approximate).",
        why="No set of values allows it: a line is typed or of another run.",
        example="a.txt: latency: p90 (1.44 ms) is above p99 (1.04 ms) in none 1",
        do="Take the raw report again.",
    ),
    Entry(
        code="B314",
        severity="warning or info",
        says="an open loop did not reach its rate, or dropped iterations",
        what="The achieved rate is more than 1 % below the one asked for, or k6 dropped "
        "iterations (info up to 1 %).",
        why="The requests that were not sent are those that would have waited: what is left looks "
        "too good, and the load was another one.",
        example="baseline: 2 of 5 runs did not get the 500/s asked for: 6.4 % less (run 2), "
        "0.95 % less (run 3); 1108 iterations dropped",
        do="More workers (maxVUs, -max-workers) or CPU for the generator, or a lower rate.",
    ),
    Entry(
        code="B315",
        severity="warning",
        says="the sides of an open loop were loaded at different rates",
        what="The medians of the achieved rates differ by more than 1 %.",
        why="Latency depends on load: at another rate it is another experiment.",
        example="otel: otel was loaded with 467.8 requests/s and baseline with 500 requests/s",
        do="Offer a rate that every side can reach.",
    ),
    Entry(
        code="B316",
        severity="warning",
        says="requests failed, how many and why",
        what="Errors by reason, statuses outside 2xx and 3xx, or no answer (vegeta's code 0). "
        "ab's failures by length are no errors: bodies of another length than the first.",
        why="Errors are fast or slow for reasons of their own. Where more than 1 % of a side's "
        "requests failed, its rows show nothing.",
        example="wrk on mixed-errors: 10 % of the requests failed (run 1): "
        "non2xx 3564, read 98, timeout 24",
        do="See what the service answered, and run again without errors.",
    ),
    Entry(
        code="B317",
        severity="warning",
        says="requests timed out: latencies are censored",
        what="The tool counts timeouts (wrk, hey), which are in none of its latencies; or vegeta "
        "had no answer to more than 1 % of requests, which are in its latencies with the time "
        "until they were given up.",
        why="The slowest requests are missing, or a percentile is that of the timeout.",
        example="24 requests timed out in one run: they are in no latency, so mean, "
        "percentiles and maximum look better than they were",
        do="Raise the timeout above the slowest answer, or compare rates and failures.",
    ),
    Entry(
        code="B318",
        severity="warning",
        says="the percentiles of a closed loop hide a stall (coordinated omission)",
        what="The maximum is ten times the last percentile or more, and if all connections waited "
        "so long, an open loop would have had at least twice that percentile: maximum − (1 − q) × "
        "duration.",
        why="A closed loop sends nothing while it waits: a stall of a second is one slow request "
        "for each connection, not the thousands that were due.",
        example="none: p99 is 2.00 ms and the maximum 1.00 s (run 1): if all "
        "connections stood still so long, a steady stream of requests would have had a p99 of "
        "850 ms or more",
        do="Measure tails at a fixed rate: wrk2 -R, vegeta -rate, k6 constant-arrival-rate.",
    ),
    Entry(
        code="B319",
        severity="info",
        says="latencies of a closed loop at different rates",
        what="A closed loop's rates differ by more than 3 % between the sides, and latencies are "
        "compared.",
        why="With so many connections, rate and latency are one fact: a slower service gets less "
        "load. They must not be counted as two costs.",
        example="zipkin: latencies are at 8929 requests/s here and 10 531 requests/s in none",
        do="For latency at equal load fix the rate.",
    ),
    Entry(
        code="B320",
        severity="info",
        says="a share changed: percentage points and per cent are two numbers",
        what="Error rates, dropped spans, throttled periods or passed checks that moved by 0.1 "
        "points or more.",
        why="74 % to 81 % CPU is 7 points and 9.5 per cent; `about 9 %` is neither.",
        example="error_rate goes from 2 % to 3 %: +1 percentage points, or +50.0 %",
        do="Say which of the two is meant.",
    ),
)
