r"""Output of ``go test -bench``: one reading per result line, as text or as ``-json`` events.

The lines of `-count` are the repeats that tests use; benchstat reads the same lines.

A log, verbatim (Go 1.26, ``go test -bench . -benchmem -count=2``)::

    goos: linux
    goarch: amd64
    pkg: bench/redisbench
    cpu: Intel(R) Xeon(R) Processor
    BenchmarkRedis/Ping-2         	    2595	     75329 ns/op	     216 B/op	       6 allocs/op
    BenchmarkRedis/Ping-2         	    2502	     69368 ns/op	     218 B/op	       6 allocs/op
    PASS
    ok  	bench/redisbench	1.050s

The same as events (``go test -json``); one result may be split across two of them::

    {"Time":"2026-11-21T00:46:00.763391152Z","Action":"output","Package":"bench/redisbench","Output":"BenchmarkRedis/Ping-2         \t"}
    {"Time":"2026-11-21T00:46:00.763520013Z","Action":"output","Package":"bench/redisbench","Output":"    3357\t     64792 ns/op\t    4124 B/op\t      22 allocs/op\n"}

Versions: every Go with ``testing.B``; the format is golang.org/x/perf/benchfmt with its ``Unit``
lines. Output of the benchmark may appear between a name and its result.

A count of eight digits or more has no blank before it. If a benchmark printed digits without a
newline directly before such a count, the two cannot be separated: the iterations (``n``) are then
wrong, but the measurements are right.

Not recorded: the time of a plain log, the length of a run, the Go version, the order of the logs of
several variants. ``pkg`` is in `Reading.env`; `Reading.group` stays empty, because only all
readings together show whether packages differ.
"""  # noqa: E501 - verbatim

from __future__ import annotations

from benchkit.parsers.base import FirstPlan, Form, Format, Tool, late

LOG = Format(
    name="gobench",
    tools=("gobench",),
    words=("Benchmark", "FAIL", "panic: ", "fatal error: "),
    anchors=(
        ("Benchmark", r"\S+\s+\d+\s+[\d.]+(?:e[+-]?\d+)? \S"),
        ("--- ", r"(?:FAIL|BENCH|SKIP): Benchmark"),
        ("goos: ", r"\w+\s*$"),
        ('{"Time":"', ""),
        ('{"Action":"', ""),
    ),
    summary="go test -bench: time, memory and custom metrics per operation",
    forms=(
        Form(
            name="text",
            signature="lines BenchmarkName  iterations  value unit …",
            versions="every Go with testing.B",
            not_recorded="start and length of a run, Go version",
        ),
        Form(
            name="json",
            signature='events {"Time":…,"Action":"output","Package":…,"Output":"Benchmark…"}',
            versions="Go 1.10 and later",
            not_recorded="length of a run, Go version",
        ),
    ),
    recognises=late("benchkit.parsers.gobench.reader:recognises"),
    parse=late("benchkit.parsers.gobench.reader:parse"),
    embeds=True,
    reads_ends=True,
)

TOOLS = (
    Tool(
        name="gobench",
        formats=(LOG,),
        command="go test -run '^$' -bench . -benchmem -count 10 ./...",
        role="microbenchmark",
        metrics={
            "time_per_op": "ns/op",
            "bytes_per_op": "B/op",
            "allocs_per_op": "allocs/op",
            "processing_rate": "MB/s",
        },
        primaries=(("time_per_op", "sample"),),
        executables=("go",),
        plan=FirstPlan(
            "env {variant} go test -run '^$' -bench . ./...", variants=("GOGC=100", "GOGC=200")
        ),
    ),
)
