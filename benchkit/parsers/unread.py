"""Files that benchkit does not read although users pass them, and what to use instead.

An entry describes a file by words that must all occur in it. It is used only for files that no
format claims, and the reports of tools also for the unread parts of a page; so a word may come from
a supported tool in an unsupported form.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import NamedTuple

_OTHER = "`benchkit help tools` shows how to add a tool"
_SKIP = "skip it with --exclude"
_TEXT_FORM = "give the text or JSON that the tool wrote"
_RESULTS = "give the results behind it"


#: The beginning of the reason for a text that a failed command left instead of its results.
FAILED = "the command failed"
#: Parts of the first line if a command failed and the tool printed nothing.
FAILURES = ("Segmentation fault", "Killed", "command not found", "No such file or directory",
            "Permission denied")  # fmt: skip


class Unread(NamedTuple):
    """A known kind of file that is not read."""

    kind: str
    words: tuple[str, ...]
    instead: str = _OTHER


def _of_tools(kind: str, tools: Mapping[str, tuple[str, ...]]) -> tuple[Unread, ...]:
    return tuple(Unread(f"{name}'s {kind}", words) for name, words in tools.items())


#: The first bytes of binary kinds of file, and what to do.
BINARIES = (
    (b"\x89PNG", "a PNG image", _SKIP),
    (b"\xff\xd8\xff", "a JPEG image", _SKIP),
    (b"GIF8", "a GIF image", _SKIP),
    (b"%PDF-", "a PDF document", _SKIP),
    (b"SQLite format 3", "an SQLite database", _SKIP),
    (b"PERFILE2", "perf record's data", _SKIP),
    (b"\x7fELF", "an executable", _SKIP),
    (
        b"PAR1",
        "a Parquet file whose columns are not those of `benchkit export`",
        "write it as CSV, and see `benchkit map FILE`",
    ),
    (b"PK\x03\x04", "a ZIP archive", "pass it by itself, as a *.zip, or unpack it"),
    (b"\xfd7zXZ", "a file compressed with xz", "unpack it"),
    (b"(\xb5/\xfd", "a file compressed with zstd", "unpack it"),
    (b"BZh", "a file compressed with bzip2", "unpack it"),
)

_FORMS = (
    Unread("a Jupyter notebook", ('"cells"', '"cell_type"', '"source"'),
           "write it as text with `jupyter nbconvert --to markdown FILE`"),
    Unread("a test plan of JMeter", ("<jmeterTestPlan",),
           "give the file that `jmeter -n -t PLAN -l results.jtl` writes"),
    Unread("JMeter's summary on the terminal", ("summary =", "Avg:", "Err:"),
           "give the file that `jmeter -n -t PLAN -l results.jtl` writes"),
    Unread("JMeter's log", (" INFO o.a.j.u.JMeterUtils: ",),
           "give the file that `jmeter -n -t PLAN -l results.jtl` writes"),
    Unread("JMeter's dashboard", ("Apache JMeter Dashboard",),
           "give the .jtl file behind it"),
    Unread("a page of Gatling's report", ("Gatling Stats",),
           "give the simulation.log, or js/global_stats.json of the report"),
    Unread("Gatling's summary on the terminal", ("---- Global Information ---",),
           "give the simulation.log, or js/global_stats.json of the report"),
    Unread("a page of BenchmarkDotNet's report", ("<html", "\nBenchmarkDotNet"),
           "give the *-report.csv or *-report-github.md next to it"),
    Unread("a page of Artillery's report", ("<title>Artillery report",),
           "give the JSON of `artillery run --output FILE`"),
    Unread("Artillery's metrics of a part of a run", ("Metrics for period to: ",),
           "give the whole output; its summary report comes at the end"),
    Unread("asv's configuration", ('"repo":', '"benchmark_dir"'), "give asv's folder results/"),
    Unread("asv's configuration", ('"repo":', '"environment_type"'),
           "give asv's folder results/"),
    Unread("asv's description of a machine", ('"arch"', '"num_cpu"', '"machine"', '"ram"'),
           "give asv's folder results/"),
    Unread("a script for k6", ("from 'k6",), "give what `k6 run --out json=FILE` writes"),
    Unread("a script for k6", ('from "k6',), "give what `k6 run --out json=FILE` writes"),
    Unread("JMH's table as Markdown", ("|Mode", "|Score", "|Units"),
           "give the text or JSON that JMH wrote"),
    Unread("JMH's table as Markdown", ("| Mode", "| Score", "| Units"),
           "give the text or JSON that JMH wrote"),
    Unread("pytest-benchmark's table in a form of its own", ("Name (time in ",),
           "give the file of `pytest --benchmark-json=FILE`"),
    Unread("oha's CSV", ("request-start,DNS,DNS+dialup,",),
           "give the JSON of `oha --output-format json`"),
    Unread("criterion's raw.csv", ("group,function,value,", "sample_measured_value"),
           "give the files sample.json and estimates.json next to it"),
    Unread("criterion's name of a benchmark", ('"group_id"', '"function_id"', '"value_str"'),
           "give the files sample.json and estimates.json next to it"),
    Unread("a page of criterion's report", ("Criterion.rs</title>",),
           "give the folder target/criterion"),
    Unread("Locust's table on the terminal", ("# reqs", "# fails", "req/s"),
           "give the *_stats.csv of `locust --csv PREFIX`"),
    Unread("Locust's report", ("<title>Locust",), "give the *_stats.csv of `locust --csv PREFIX`"),
    Unread("Locust's history", ("Timestamp,User Count,Type,Name,",),
           "give the *_stats.csv next to it"),
    Unread("Locust's history", ('"Timestamp","User Count","Type","Name",',),
           "give the *_stats.csv next to it"),
    Unread("Locust's list of failures", ("Method,Name,Error,Occurrences",),
           "give the *_stats.csv next to it"),
    Unread("Locust's list of exceptions", ("Count,Message,Traceback,Nodes",),
           "give the *_stats.csv next to it"),
    Unread("what `bencher perf` found", ('"testbed"', '"boundary"', '"iteration"'),
           "give the results that `bencher run` read"),
    Unread("asv's output on the terminal", ("total benchmarks (", " commits * "),
           "give asv's folder results/"),
    Unread("asv's list of benchmarks", ('"min_run_count"', '"unit"'),
           "give the folder results/ next to it"),
    Unread("asv's comparison", ("| Ratio |", "| Benchmark"), "give asv's folder results/"),
    Unread("asv's comparison", ("Ratio | Benchmark",), "give asv's folder results/"),
    Unread("asv's comparison", ("before  ", "after  ", " ratio\n"), "give asv's folder results/"),
    Unread("a result of autocannon as Node.js prints an object", ("p97_5: ", "latency: {"),
           "write it with JSON.stringify"),
    Unread("vegeta's plot", ("<title>Vegeta",), "give the file of `vegeta attack`"),
    Unread("a benchkit report", ('name="generator" content="benchkit',), _RESULTS),
    *(
        Unread(f"the output of `benchkit {command}`", words, _RESULTS)
        for command, words in (
            ("gate", ('"format_version"', '"exit_code"', '"sentence"')),
            ("gate", ('<testsuites name="benchkit gate"',)),
            ("gate", ("<!-- benchkit-gate -->",)),
            ("gate", ("benchkit_gate_exit_code ",)),
            ("compare", ('"format_version"', '"pairs"', '"confidence"')),
            ("compare", ("n_baseline,n_variant,center_baseline,",)),
            ("compare", ("<!-- benchkit:overhead -->",)),
        )
    ),
)  # fmt: skip

#: Reports of tools, which may also be on a page with results that are read.
REPORTS = (
    *_of_tools("report", {
        "sysbench": ("total number of events:",),
        "ghz": ("Response time histogram:", "Count:", "Status code distribution:"),
        "siege": ("Availability:", "Transaction rate:"),
        "drill": ("Median time per request",),
        "h2load": ("finished in ", "time for request:"),
        "cassandra-stress": ("Op rate", "Partition rate"),
        "fio": ("IOPS=", "BW="),
        "iperf": ("[ ID] Interval",),
        "netperf": ("Recv   Send    Send",),
        "perf stat": ("Performance counter stats for",),
        "pgbench": ("transactions actually processed:",),
        "redis-benchmark": ("parallel clients", "requests completed in"),
        "redis-benchmark -q": (" requests per second, p50=",),
        "memtier_benchmark": ("ALL STATS", "Ops/sec"),
        "YCSB": ("[OVERALL], RunTime(ms)",),
        "NBomber": ("test suite: ", "load simulation"),
        "Taurus": ("Taurus CLI Tool",),
        "loadtest": ("Target URL:", "Completed requests:"),
        "rewrk": ("Latencies:", "Transfer:"),
        "httperf": ("Reply rate [replies/s]:",),
        "Rally": ("Min Throughput", "service time"),
        "kafka-producer-perf-test": ("records sent,", "records/sec ("),
        "PerfTest": ("sending rate avg:",),
        "HammerDB": ("NOPM",),
        "stress-ng": ("bogo ops",),
        "GNU time": ("Maximum resident set size (kbytes):",),
        "timeit": ("loops, best of",),
        "pyperf": ("Mean +- std dev:",),
        "Benchee": ("ips ", "average ", "deviation "),
        "Catch2": ("benchmark name", "est run time"),
        "nanobench": ("ns/op |", "err% |"),
        "iai or Gungraun": ("Instructions:", "Estimated Cycles:"),
        "benchmark_harness": ("(RunTime): ", " us."),
        "Ruby Benchmark": ("user     system      total        real",),
        "tinybench": ("(index)", "ops/s"),
        "mitata": ("avg (min … max)",),
        "deno bench": ("time/iter",),
        "Vitest": (" hz ", " rme ", " samples"),
        "Benchmark.js": ("ops/sec", "runs sampled)"),
        "benchmark-ips": ("i/100ms",),
        "PHPBench": ("PHPBench (",),
        "Divan": ("Timer precision:",),
        "BenchmarkTools.jl": ("BenchmarkTools.Trial",),
        "microbenchmark": (" lq ", " uq ", " neval"),
    }),
    Unread("ghz's report", ("Count:", "Slowest:", "Fastest:", "Average:")),
    Unread("memtier_benchmark's report", ("Hits/sec", "Misses/sec")),
    Unread("Catch2's report", ("benchmark name", "iterations", "estimated", "low mean")),
    Unread("Catch2's XML", ("<BenchmarkResults", "<mean value=")),
    Unread("cassowary's report", ("Starting Load Test with ", "TCP Connect.")),
)  # fmt: skip

_TOOLS = (
    *REPORTS,
    *_of_tools("JSON", {
        "siege": ('"transaction_rate"', '"availability"'),
        "fio": ('"fio version"',),
        "iperf": ('"iperf 3', '"intervals"'),
        "Playwright": ('"suites"', '"rootDir"', '"specs"'),
        "ghz": ('"latencyDistribution"', '"fastest"'),
        "memtier_benchmark": ('"ALL STATS"',),
        "NBomber": ('"ScenarioStats"',),
        "pyperf": ('"warmups"', '"runs"'),
        "rewrk": ('"latency_std_deviation"', '"requests_avg"'),
        "Lighthouse": ('"lighthouseVersion"',),
        "Gungraun": ('"benchmark_exe"', '"benchmark_file"'),
        "Vitest": ('"benchmarks"', '"hz"', '"groups"'),
        "BenchmarkTools.jl": ('"BenchmarkTools"', '"Julia"'),
        "OpenMessaging Benchmark": ('"publishLatencyAvg"',),
    }),
    *_of_tools("CSV", {
        "redis-benchmark": ('"test","rps"',),
        "Taurus": ("label,avg_ct,",),
    }),
    *(
        Unread("Nighthawk's report", words)
        for words in (
            ("benchmark_http_client.",),
            ("Nighthawk - A layer 7",),
            ('"DurationHistogram"', '"RequestedQPS"', '"Count":"'),
            ('"DurationHistogram"', '"RequestedQPS"', '"Count": "'),
        )
    ),
    Unread("a list of Go benchmarks in a different form from that of go test", ("ns/op", "B/op"),
           "give the output of `go test -bench`"),
    Unread("bombardier's report in a different form from that which it prints",
           ("Statistics", "Reqs/sec"), "give the text that bombardier printed, or its JSON"),
    Unread("pgbench's report", ("scaling factor:", "number of clients:")),
    Unread("sysbench's report", ("sysbench 1.", " LuaJIT")),
    Unread("rewrk's report", ("Benchmarking ", " connections @ ")),
    Unread("Taurus's XML", ("<FinalStatus>",)),
    Unread("Tsung's log", ("# stats: dump at ",)),
    Unread("output of the shell's `time`", ("real\t", "user\t", "sys\t"),
           "measure with hyperfine, which repeats the command"),
)  # fmt: skip

#: Specific entries come before general ones.
TEXTS = (
    *_FORMS,
    *_TOOLS,
    Unread("an HTML page", ("<html",), _TEXT_FORM),
    Unread("an HTML page", ("<!DOCTYPE html",), _TEXT_FORM),
    Unread("an HTML page", ("<!doctype html",), _TEXT_FORM),
    Unread("an SVG image", ("<svg",), _TEXT_FORM),
)
