"""A refused file is named, compared with the nearest format, or described, in one sentence."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from benchkit.errors import UnknownFormatError
from benchkit.parsers import registry
from benchkit.parsers.unread import BINARIES
from benchkit.reading.source import HEAD_BYTES, Source

FIXTURES = Path(__file__).parents[2] / "fixtures"


def refuse(data: str | bytes) -> UnknownFormatError:
    content = data.encode() if isinstance(data, str) else data
    with pytest.raises(UnknownFormatError) as raised:
        registry.identify(Source(None, "new/1.txt", content))
    return raised.value


SYSBENCH = """\
sysbench 1.0.20 (using system LuaJIT 2.1.0-beta3)

General statistics:
    total time:                          10.0024s
    total number of events:              14317
"""


def test_report_of_another_tool_is_named() -> None:
    assert str(refuse(SYSBENCH)) == (
        "new/1.txt: sysbench's report, which benchkit does not read; "
        "`benchkit help tools` shows how to add a tool"
    )


@pytest.mark.parametrize(
    ("tool", "article_and_tool"), [("autocannon", "an autocannon"), ("wrk", "a wrk")]
)
def test_command_without_its_report_is_named(tool: str, article_and_tool: str) -> None:
    error = refuse(f"$ {tool} -c 9 http://h/\n\nand so on\n")
    assert (
        error.what
        == f"this line shows {article_and_tool} command, but no complete report follows it"
    )


@pytest.mark.parametrize(
    ("text", "message", "hint"),
    [
        ("<jmeterTestPlan version='1.2'>", "a test plan of JMeter", "`jmeter -n -t PLAN"),
        (
            "Count:\t1\nRequests/sec:\t6.28\nResponse time histogram:\nStatus code distribution:\n",
            "ghz's report",
            "help tools",
        ),
        (
            "Summary:\n  Count:\t9\n  Slowest:\t9 ms\n  Fastest:\t1 ms\n  Average:\t2 ms\n",
            "ghz's report",
            "help tools",
        ),
        ("sysbench 1.0.20 (using system LuaJIT 2.1)\nCPU speed:\n", "sysbench's report", "help"),
        ("scaling factor: 1\nnumber of clients: 10\ntps = 19.3\n", "pgbench's report", "help"),
        ('{"start": {"version": "iperf 3.9"}, "intervals": []}', "iperf's JSON", "help tools"),
        (
            '{"config": {"rootDir": "/x"}, "suites": [{"specs": []}]}',
            "Playwright's JSON",
            "help tools",
        ),
        ("|Benchmark |Mode |Cnt|Score |Error |Units|\n", "JMH's table as Markdown", "JMH wrote"),
        ("<!DOCTYPE html>\n<title>Gatling Stats</title>", "a page of Gatling's", "simulation.log"),
        ("<!DOCTYPE html>\n<p>1204 requests/s", "an HTML page", "text or JSON"),
        ("import http from 'k6/http';\n", "a script for k6", "k6 run --out json"),
        (
            "Timestamp,User Count,Type,Name,Requests/s,Failures/s,50%\n",
            "Locust's history",
            "_stats.csv",
        ),
        (
            "Nighthawk - A layer 7 protocol benchmarking tool.\n\nRequest start to response end\n",
            "Nighthawk's report",
            "benchkit help tools",
        ),
        (
            '{"RequestedQPS":"5","ActualQPS":5,"DurationHistogram":{"Count":"998","Avg":0.1}}',
            "Nighthawk's report",
            "benchkit help tools",
        ),
        (
            '"Timestamp","User Count","Type","Name","Requests/s"\n',
            "Locust's history",
            "_stats.csv",
        ),
        ("Method,Name,Error,Occurrences\n", "Locust's list of failures", "_stats.csv"),
        (
            "All benchmarks:\n\n       before           after         ratio\n     [53c4bb0b]",
            "asv's comparison",
            "folder results/",
        ),
        (
            "{\n  url: 'http://h',\n  latency: {\n    p2_5: 3,\n    p97_5: 9\n",
            "a result of autocannon as Node.js prints an object",
            "JSON.stringify",
        ),
        ('{"group_id":"a","function_id":"b","value_str":null}', "criterion's name", "sample.json"),
        (
            '{"results": [{"testbed": {}, "metrics": [{"iteration": 0, "boundary": {}}]}]}',
            "what `bencher perf` found",
            "`bencher run` read",
        ),
        ('{"fio version" : "fio-3.28"}', "fio's JSON", "benchkit help tools"),
        ('{"latency_std_deviation":1,"requests_avg":9}', "rewrk's JSON", "help tools"),
        ('{"files": [{"groups": [{"benchmarks": [{"hz": 9.5}]}]}]}', "Vitest's JSON", "help tools"),
        (
            '[{"Julia": "1.7", "BenchmarkTools": "1.0"}, []]',
            "BenchmarkTools.jl's JSON",
            "help tools",
        ),
        (
            "a::b\n  Instructions:  17|9\n  Estimated Cycles:  24|9\n",
            "iai or Gungraun",
            "help tools",
        ),
        ("      user     system      total        real\n", "Ruby Benchmark's report", "help tools"),
        ('<BenchmarkResults name="a"><mean value="12.3"/>', "Catch2's XML", "help tools"),
        (" Starting Load Test with 9 requests\n TCP Connect..: 1ms\n", "cassowary's", "help tools"),
        ("Template(RunTime): 1.0 us.\n", "benchmark_harness's report", "help tools"),
        (
            "benchmark name  samples  iterations  estimated\n  mean  low mean  high mean\n",
            "Catch2's report",
            "help tools",
        ),
        (
            "· Running 10 total benchmarks (1 commits * 2 environments * 5 benchmarks)\n",
            "asv's output on the terminal",
            "folder results/",
        ),
        (
            "<html lang='en'><body><pre><code>\nBenchmarkDotNet v0.15.8, Windows 11\n<table>",
            "a page of BenchmarkDotNet's report",
            "-report.csv",
        ),
        ("<html><title>Artillery report</title>", "a page of Artillery's report", "--output"),
        (
            "Metrics for period to: 10:12:40(+0100) (width: 9.93s)\nhttp.requests: ....... 9\n",
            "Artillery's metrics of a part of a run",
            "comes at the end",
        ),
        (
            '{\n    // The project\n    "repo": ".",\n    "environment_type": "virtualenv"\n}',
            "asv's configuration",
            "folder results/",
        ),
        (
            '{"arch": "x86_64", "machine": "m", "num_cpu": "2", "ram": "7098320", "version": 1}',
            "asv's description of a machine",
            "folder results/",
        ),
        ("Benchmarking 9 connections @ http://h\n  Requests:\n", "rewrk's report", "help tools"),
        ("Statistics :bar_chart: Avg\n  Reqs/sec  27\n", "bombardier's report in a", "printed"),
        (
            '{"format_version": 1, "verdict": "pass", "sentence": "✓", "exit_code": 0',
            "the output of `benchkit gate`",
            "results behind it",
        ),
        (
            "# TYPE benchkit_gate_exit_code gauge\nbenchkit_gate_exit_code 1.0\n# EOF\n",
            "the output of `benchkit gate`",
            "results behind it",
        ),
        (
            '{"format_version": 1, "pairs": [["none", "otlp"]], "confidence": 0.95',
            "the output of `benchkit compare`",
            "results behind it",
        ),
        (
            '{"cells": [{"cell_type": "code", "source": ["from \'k6/http\'"]}], "nbformat": 4}',
            "a Jupyter notebook",
            "jupyter nbconvert",
        ),
    ],
)
def test_unsupported_format_suggests_an_alternative(text: str, message: str, hint: str) -> None:
    error = refuse(text)
    assert error.what.startswith(message)
    assert error.what.endswith(", which benchkit does not read")
    assert hint in error.hint


@pytest.mark.parametrize(
    "text",
    [
        "PASS\n",
        "testing: warning: no tests to run\nPASS\nok  \texample.org/x\t0.003s\n",
        "goos: linux\ngoarch: amd64\npkg: example.org/x\ncpu: AMD EPYC\nPASS\nok  \tx\t0.003s\n",
        "?   \texample.org/x\t[no test files]\n",
    ],
)
def test_go_test_that_ran_no_benchmark_is_not_an_unknown_format(text: str) -> None:
    error = refuse(text)
    assert error.what == "go test ran no benchmark"
    assert "-bench" in error.hint


def test_truncated_go_test_output_is_not_called_without_benchmarks() -> None:
    assert "ran no benchmark" not in refuse("goos: linux\ngoarch: amd64\n").what
    assert "ran no benchmark" not in refuse("PASS\nall is well\n").what


@pytest.mark.parametrize(("opening", "kind", "instead"), BINARIES)
def test_binary_file_is_identified_by_its_first_bytes(
    opening: bytes, kind: str, instead: str
) -> None:
    error = refuse(opening + bytes(40))
    assert (error.what, error.hint) == (f"{kind}, which benchkit does not read", instead)


OHA = (FIXTURES / "oha" / "none-1.json").read_text(encoding="utf-8")
LOCUST = (FIXTURES / "locust" / "none-1_stats.csv").read_text(encoding="utf-8")


@pytest.mark.parametrize(
    ("text", "sentence"),
    [
        ("running for 2 s\n" + LOCUST, "for line 1 ('running for 2 s'); remove line 1"),
        ("a\nb\n" + LOCUST, "for lines 1 to 2 ('a'); remove lines 1 to 2"),
        (OHA.partition("{")[2], "that its first '{' is missing; give the whole file"),
        (OHA[:150], "that line 7 is cut off; give the whole file"),
        (OHA.replace('"summary"', "summary", 1), "that line 2 is not valid JSON"),
    ],
    ids=["one line above", "two lines above", "no opening", "cut off", "broken"],
)
def test_nearest_format_is_named_with_the_mismatch(text: str, sentence: str) -> None:
    name = "locust" if text.endswith(LOCUST) else "oha"
    assert f"looks like {name}, except {sentence}" in str(refuse(text))


def test_command_above_a_go_history_is_not_called_go_test() -> None:
    data = FIXTURES / "github-action-benchmark-forms/synthetic-data.js"
    error = refuse(f"$ cat data.js\n{data.read_text(encoding='utf-8')}")
    assert "looks like github_action_benchmark, except for line 1" in error.what


@pytest.mark.parametrize("opening", ["[\n", "[", " [ "])
def test_list_of_results_is_distinguished_from_a_damaged_result(opening: str) -> None:
    plow = (FIXTURES / "plow" / "none-1.json").read_text(encoding="utf-8")
    assert str(refuse(f"{opening}{plow},\n{plow}]\n")) == (
        "new/1.txt: a list of JSON results that look like plow_json, which is read one result a "
        "file; write each result of the list to a file of its own"
    )


@pytest.mark.parametrize(
    "page",
    [
        "# fast\n\n| Package | Time | Objects |\n\nThe name of its context is in benchmarks.\n",
        "[![Build](b.svg)](b)\n\n| benchmark | old ns/op |\n",
        "[//]: # (vim: tw=120)\n\n| benchmark | old ns/op | new |\n",
        "# Batching\n\nIt is running until all are complete.\n",
        "# Load\n\nIt runs until interrupted.\n\nIs it running?\n\nA complete list is below.\n",
        "{{< toc >}}\n# Name of benchmarks and their context\n",
    ],
)
def test_page_of_prose_is_not_called_a_damaged_result(page: str) -> None:
    assert refuse(page).what.startswith("unknown format (it starts with ")


PROSE = "# Results\n\n" + "Text.\n" * 30


def test_command_without_its_report_is_named_with_its_line() -> None:
    text = f"{PROSE}```\n$ ./wrk -t2 -d30s http://h/\nLatency  5.40ms\n```\n"
    assert str(refuse(text)) == (
        "new/1.txt:34: this line shows a wrk command, but no complete report follows it; "
        "give the whole output of wrk"
    )


def test_jmh_log_without_its_table_is_named() -> None:
    log = (
        "# JMH version: 1.37\n# VM version: JDK 21\n# Run progress: 0.00% complete, ETA 00:01:00\n"
    )
    for text, line in ((log, 1), (log.partition("\n")[2], 2)):
        message = "this line looks like output of jmh, but no complete report is here"
        assert str(refuse(text)).startswith(f"new/1.txt:{line}: {message}")


def test_jmeter_log_is_named() -> None:
    line = "2025-03-25 17:35:16,879 INFO o.a.j.u.JMeterUtils: Setting Locale to en_EN\n"
    error = refuse(line)
    assert error.what == "JMeter's log, which benchkit does not read"
    assert "results.jtl" in error.hint


def test_sentence_about_a_server_is_not_a_command() -> None:
    text = "config:\n  # This is a test server run by the team\n  target: http://h:8080\n"
    assert refuse(text).what.startswith("unknown format (it starts with 'config:'")


@pytest.mark.parametrize(
    "rows",
    [
        "| Name | ns/op | B/op |\n|---|---|---|\n| BenchmarkX-8 | 12 | 0 |\n",
        "| gin | `BenchmarkX-8 1000 12 ns/op 0 B/op` |\n",
        "BenchmarkX-8    12 ns/op    0 B/op\n",
    ],
)
def test_unread_list_of_go_benchmarks_is_named_with_its_line(rows: str) -> None:
    error = refuse(PROSE + rows)
    kind = "a list of Go benchmarks in a different form from that of go test"
    assert (error.where, error.what) == (
        "new/1.txt:33", f"{kind}, which benchkit does not read"
    )  # fmt: skip


def test_mismatching_table_is_compared_with_its_format() -> None:
    text = "starttime\tseconds\tctime\tdtime\tttime\twaits\nTue Nov 21 2023\t1\t2\t3\t4\t5\n"
    assert str(refuse(text)).startswith("new/1.txt: looks like ab_tsv, except ")


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("variant,run,rps\nnone,1,5\n", "a table with the columns variant, run, rps"),
        ("variant\trun\nnone\t1\n", "a table with the columns variant, run"),
        ("name,90%_line,rps\nGet,39,0.5\n", "a table with the columns name, "),
        ("| variant | rps |\n|---|---|\n", "a table with the columns variant, rps"),
        ('{"own": [{"rate": 5}]}', "JSON with own, rate"),
        ('{"variant": "a", "rate": 5}\n{"variant": "b"}\n', "JSON with variant, rate"),
        ('{"own": [{"rate": 5', "JSON with own, rate, but line 1 is cut off"),
        ('{"own": 5, }', "JSON with own, but line 1 is not valid JSON"),
        (
            '{"own": ' + "9" * 5000 + "}",
            "JSON with own, but a number has too many digits",
        ),
        ("1,2,3\n4,5,6\n", "(it starts with '1,2,3')"),
        (
            "implementation,configuration_of_agent\nx,1\n",
            "a table with the columns implementation, configuration_of_agent",
        ),
    ],
)
def test_unknown_text_is_described(text: str, message: str) -> None:
    assert refuse(text).what.replace("format: ", "format ").startswith(f"unknown format {message}")


def test_custom_table_is_referred_to_a_map() -> None:
    assert refuse("variant,run,rps\nnone,1,5\n").hint.startswith("to read its columns")
    assert refuse('{"own": [{"rate": 5}]}').hint.startswith("to read its columns")


def test_failed_command_is_distinguished_from_a_format() -> None:
    error = refuse("bash: wrk: command not found\n")
    assert error.what == "the command failed (it printed 'bash: wrk: command not found')"


def test_long_document_is_not_called_truncated() -> None:
    error = refuse(json.dumps({"own": ["x" * 9] * HEAD_BYTES}))
    assert error.what == "unknown format: JSON with own"


def test_possible_secret_in_a_key_is_not_quoted() -> None:
    assert "s3cr3t" not in str(refuse('{"a s3cr3tT0k3nValue99": 1}'))
    assert "s3cr3t" not in str(refuse("name,s3cr3tT0k3nValue99\nx,1\n"))


@pytest.mark.parametrize(
    "text", [
        "web 0.29% 12.3MiB / 1GiB\ndb 1.29% 2MiB / 1GiB\n", "web: 0.29%\n", "web,0.29%,3\n",
        ('$ docker stats --no-stream --format "{{.Name}} {{.CPUPerc}} {{.MemUsage}}"\n'
        "web 12.5% 100MiB / 2GiB\ndb 3.2% 200MiB / 2GiB\n"),
        "docker stats --format '{{.Name}}\t{{.CPUPerc}}'\nweb\t12.5%\n",
    ],
)  # fmt: skip
def test_docker_stats_without_a_header_suggests_a_format_option(text: str) -> None:
    error = refuse(text)
    assert "docker stats" in error.what
    assert r'--format "table {{.Name}}\t{{.CPUPerc}}\t{{.MemUsage}}"' in error.hint
    assert "`table `" in error.hint
    assert "--map" in error.hint


@pytest.mark.parametrize("text", ["\N{NO-BREAK SPACE}", "\N{EM SPACE}\n\x1f"])
def test_text_of_unicode_blanks_is_blank(text: str) -> None:
    with pytest.raises(UnknownFormatError, match="the file is blank"):
        registry.identify(Source(None, "out.txt", text.encode()))


def test_generic_line_names_no_tool() -> None:
    assert refuse("Summary:\n  all went well\n").what.startswith("unknown format")
