"""Go benchmarks that did not finish: interrupted, killed, or failed below make."""

from __future__ import annotations

import json

import pytest
from scaling import assert_linear

from benchkit.errors import Diagnostic
from benchkit.parsers.base import Reading
from benchkit.parsers.gobench import LOG, failures
from benchkit.reading.source import Source

PAGE = """```
pkg: x
BenchmarkPing-4               1        2249228637 ns/op
{end}

But if you are unlucky:

```
fatal error: concurrent map writes
```
"""


def parse_one(text: str) -> Reading:
    records = LOG.parse(Source(None, "log.txt", text.encode()))
    (reading,) = (record for record in records if isinstance(record, Reading))
    return reading


@pytest.mark.parametrize(
    "last",
    [
        "Killed",
        "SIGQUIT: quit",
        "signal: terminated",
        "./bench.sh: line 7: 4711 Killed                  go test -bench .",
        "make: *** [bench] Error 1",
        "make[1]: *** [Makefile:12: bench] Error 137",
        "Segmentation fault (core dumped)",
        "Bus error (core dumped)",
        "Killed: 9",
        "./bench.sh: line 7: 4711 Segmentation fault      (core dumped) go test -bench .",
        "Terminated",
        "signal: segmentation fault (core dumped)",
        "runtime: out of memory: cannot allocate 8192-byte block",
        "*** Test killed with quit: ran too long (11m0s).",
        "exit status 2",
        "command terminated with exit code 137",
        "Error: Process completed with exit code 137.",
        "##[error]Process completed with exit code 1.",
        "ERROR: Job failed: exit code 1",
    ],
)
def test_killed_run_is_failed(last: str) -> None:
    begun = "goos: linux\npkg: x\nBenchmarkPing-2 \t 100\t 12.5 ns/op\n"
    reading = parse_one(f"{begun}{last}\n")
    assert (reading.status, reading.remark) == ("failed", f"4: {' '.join(last.split())}")
    for whole in (
        f"{begun}{last}\nPASS\n",
        f"{begun}ok  \tx\t1s\n{last}\n",
    ):
        assert parse_one(whole).status == "complete"
    has_failed = last.startswith("exit status")
    assert parse_one(f"{begun}PASS\n{last}\n").status == ["complete", "failed"][has_failed]


@pytest.mark.parametrize("end", ["PASS\n```", "PASS\nok      x        2.268s", "ok      x  2.2s"])
def test_crash_below_a_finished_output_belongs_to_another_run(end: str) -> None:
    (reading, *_) = [
        record
        for record in LOG.parse(Source(None, "page.md", PAGE.format(end=end).encode()))
        if isinstance(record, Reading)
    ]
    assert reading.status == "complete"


def test_event_with_many_actions_takes_linear_time() -> None:
    assert_linear(lambda size: '{"' + '"Action":"fail"' * size, failures._EVENT.match, 20_000)
    assert failures._EVENT.match('{"' + '"Action":"fail"' * 20_000) is None
    assert failures._EVENT.match('{"Time":"x","Action":"fail","Package":"p"}')


@pytest.mark.parametrize(
    ("end", "is_unended"),
    [
        ("", True),
        ("\n", True),
        ("2026/11/23 10:00:00 dial tcp: connection refused\n", True),
        ("##[error]The operation was canceled.\n", True),
        ("WARNING: DATA RACE\n", True),
        ("goos: linux\npkg: q\nBenchmarkB-8 \t100\t10.5 ns/op\nPASS\n", True),
        ("goos: linux\npkg: q\nBenchmarkB-8 \t100\t10.5 ns/op\n", True),
        ("PASS\n", False),
        ("PASS\nok  \tp\t1s\nUploading artifacts...\n", False),
        ("ok  \tp\t1s\n", False),
        ("```\n", False),
        ("```\nAs the table shows, it is fast.\n", False),
        ("</pre>\n", False),
    ],
)
def test_output_without_pass_or_fail_is_reported(end: str, is_unended: bool) -> None:
    text = f"goos: linux\npkg: p\nBenchmarkA-8 \t100\t10.5 ns/op\n{end}"
    records = LOG.parse(Source(None, "go.txt", text.encode()))
    remarks = [record for record in records if isinstance(record, Diagnostic)]
    assert ["without PASS or FAIL" in remark.what for remark in remarks] == [True] * is_unended
    assert not any(remark.is_damage for remark in remarks)


def write_events(*events: dict[str, str]) -> Source:
    text = "".join(f"{json.dumps(event)}\n" for event in events)
    return Source(None, "events.json", text.encode())


RESULT = {"Action": "output", "Package": "p", "Output": "BenchmarkA-8 \t100\t10.5 ns/op\n"}


@pytest.mark.parametrize("is_printed", [True, False])
def test_fail_event_of_a_package_is_sufficient(is_printed: bool) -> None:
    """Event filters keep results and drop all other output."""
    ends = [{"Action": "output", "Package": "p", "Output": text} for text in ("FAIL\tp\t1s\n",)]
    other = {"Action": "output", "Package": "q", "Output": "FAIL\tq\t1s\n"}
    printed = (*ends, other) if is_printed else ()
    fails = ({"Action": "fail", "Package": name} for name in ("p", "q"))
    records = list(LOG.parse(write_events(RESULT, *printed, *fails)))
    readings = [record for record in records if isinstance(record, Reading)]
    assert [(run.benchmark, run.status) for run in readings] == [("A", "failed"), ("", "failed")]


def test_package_that_did_not_build_is_failed() -> None:
    passes = [{"Action": "output", "Package": "p", "Output": "PASS\n"}]
    built = {"ImportPath": "q [q.test]", "Action": "build-fail"}
    fails = {"Action": "fail", "Package": "q", "FailedBuild": "q [q.test]"}
    records = LOG.parse(write_events(RESULT, *passes, built, fails))
    readings = [record for record in records if isinstance(record, Reading)]
    assert [(run.benchmark, run.status) for run in readings] == [("A", "complete"), ("", "failed")]
    assert readings[1].env["pkg"] == "q"


def test_fail_event_of_a_benchmark_fails_the_run() -> None:
    fails = {"Action": "fail", "Package": "p", "Test": "BenchmarkB"}
    passes = {"Action": "pass", "Package": "p"}
    ok = {"Action": "output", "Package": "p", "Output": "PASS\nok  \tp\t1s\n"}
    for events in ((fails,), (fails, passes), (fails, ok), (ok, fails), (ok, fails, passes)):
        records = LOG.parse(write_events(RESULT, *events))
        (reading,) = (record for record in records if isinstance(record, Reading))
        assert reading.status == "failed"
        assert (reading.remark or "").endswith(": --- FAIL: BenchmarkB")
    (other,) = LOG.parse(write_events(RESULT, {**fails, "Test": "TestB"}, passes))
    assert isinstance(other, Reading)
    assert other.status == "complete"


TEXT = RESULT["Output"]


@pytest.mark.parametrize("end", ["exit status 1", "FAIL", "Killed", "FAIL\tp\t1.5s"])
@pytest.mark.parametrize("prefix", ["  ", "> ", "# "])
def test_quoted_output_that_ends_with_a_failure_is_failed(prefix: str, end: str) -> None:
    lines = f"{TEXT}{end}\n".splitlines()
    reading = parse_one("".join(f"{prefix}{line}\n" for line in lines))
    assert (reading.status, reading.remark) == ("failed", f"2: {' '.join(end.split())}")
    prose = "The old version ended with exit status 1\n"
    assert parse_one(f"{prefix}{TEXT}\n{prose}").status == "complete"


@pytest.mark.parametrize("end", ["Killed", "FAIL"])
def test_results_below_pass_belong_to_another_run(end: str) -> None:
    records = LOG.parse(Source(None, "log.txt", f"{TEXT}PASS\n{TEXT}{end}\n".encode()))
    runs = [record for record in records if isinstance(record, Reading)]
    assert [run.status for run in runs] == ["complete", "failed"]


def test_fail_at_the_end_of_a_log_without_its_package_is_reported() -> None:
    log = f"{TEXT}PASS\nok  \tp\t1.5s\n"
    texts = (f"{log}FAIL\n", f"{log}FAIL\tq\t1.5s\nFAIL\n", f"FAIL\n{log}")
    lines = []
    for text in texts:
        records = LOG.parse(Source(None, "log.txt", text.encode()))
        lines.append([record.what for record in records if isinstance(record, Diagnostic)])
    assert [len(each) for each in lines] == [1, 1, 0]
    assert lines[0] == ["the run failed: FAIL"]


def test_event_decides_whether_a_run_failed() -> None:
    outputs = ["pkg: x\n", "BenchmarkPing-2 \t 100\t 12.5 ns/op\n", "PASS\n", "ok  \tx\t1s\n"]
    printed = [{"Action": "output", "Package": "x", "Output": each} for each in outputs]
    failed = {"Action": "fail", "Package": "x"}

    def read(*events: dict[str, str]) -> tuple[str, str | None]:
        reading = parse_one("".join(json.dumps(each) + "\n" for each in (*printed, *events)))
        return reading.status, reading.remark

    assert read(failed) == ("failed", "5: FAIL x")
    assert read({**failed, "Test": "TestX"}, failed) == ("failed", "6: FAIL x")
    benchmark = {**failed, "Test": "BenchmarkPing"}
    assert read(benchmark, failed) == ("failed", "5: --- FAIL: BenchmarkPing")
    assert read({"Action": "pass", "Package": "x"}) == ("complete", "")
