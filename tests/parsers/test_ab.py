"""ab's report: real reports value by value, every version, and every option that changes it."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest
from ab_readings import (
    EDGE,
    FIXTURES,
    LIMITS,
    NGINX,
    claimed,
    latency,
    near,
    only,
    phase,
    readings,
    remarks,
    values,
)

from benchkit.parsers.ab import TEXT as FORMAT
from benchkit.parsers.base import Head, Reading, Source

SMALL = NGINX / "ab-small-c30-1.txt"


def test_every_value_of_a_complete_report_is_read() -> None:
    reading = only(SMALL)
    phases = {
        (subject, "phase_time", stat): value
        for subject, row in {
            "connect": (0, 0, 0.0006, 0, 0.018),
            "processing": (0, 0.004, 0.0071, 0.001, 0.042),
            "wait": (0, 0.003, 0.0067, 0, 0.041),
        }.items()
        for stat, value in zip(("min", "mean", "stdev", "median", "max"), row, strict=True)
    }
    assert values(reading) == near(
        phases
        | {
            (None, "duration", "total"): 0.459,
            (None, "requests", "count"): 3000.0,
            (None, "failures", "count"): 0.0,
            (None, "bytes_in", "total"): 400254000.0,
            ("body", "bytes_in", "total"): 399540000.0,
            (None, "request_rate", "mean"): 6531.64,
            (None, "time_per_request", "mean"): 0.004593,
            (None, "bandwidth_in", "mean"): 851013.49 * 1024,
            (None, "latency", "min"): 0.001,
            (None, "latency", "mean"): 0.005,
            (None, "latency", "stdev"): 0.0072,
            (None, "latency", "median"): 0.002,
            (None, "latency", "max"): 0.042,
            (None, "latency", "p50"): 0.002,
            (None, "latency", "p66"): 0.003,
            (None, "latency", "p75"): 0.004,
            (None, "latency", "p80"): 0.004,
            (None, "latency", "p90"): 0.013,
            (None, "latency", "p95"): 0.019,
            (None, "latency", "p98"): 0.029,
            (None, "latency", "p99"): 0.041,
        }
    )
    assert remarks(SMALL) == []


def test_run_metadata_is_read() -> None:
    reading = only(SMALL)
    assert (reading.tool, reading.form, reading.status) == ("ab", "text", "complete")
    assert (reading.line, reading.last_line) == (1, 42)
    assert (reading.target, reading.params) == ("/index.html", {"connections": "30"})
    assert (reading.connections, reading.duration) == (30, 0.459)
    assert (reading.load_model, reading.tool_version) == ("closed", "2.3")
    assert reading.env == {
        "server": "nginx/1.22.1",
        "host": "127.0.0.1:8090",
        "document_length": "133180 bytes",
    }
    assert (reading.command, reading.started_at, reading.target_rate) == (None, None, None)


def test_rows_have_unit_count_resolution_and_line() -> None:
    details = {row[:3]: (row[4], row[5], row[7], row[9]) for row in only(SMALL).rows}
    assert details[None, "duration", "total"] == ("s", None, 0.001, 16)
    assert details[None, "request_rate", "mean"] == ("1/s", None, 0.01, 21)
    assert details[None, "time_per_request", "mean"] == ("s", None, 1e-6, 22)
    assert details[None, "bandwidth_in", "mean"] == ("B/s", None, 10.24, 24)
    assert details[None, "latency", "max"] == ("s", 3000, 0.001, 31)
    assert details["connect", "phase_time", "stdev"] == ("s", 3000, 0.0001, 28)
    assert details[None, "latency", "p99"] == ("s", 3000, 0.001, 41)


@pytest.mark.parametrize(
    ("name", "connections", "rate", "p50", "p99", "largest"),
    [
        ("ab-c1-1", "1", 4884.02, 0.0, 0.004, 0.012),
        ("ab-c1-2", "1", 5681.57, 0.0, 0.003, 0.033),
        ("ab-c20-1", "20", 11322.98, 0.001, 0.007, 0.010),
        ("ab-c30-3", "30", 13122.76, 0.001, 0.009, 0.027),
        ("ab-c50-2", "50", 16534.26, 0.002, 0.009, 0.017),
        ("ab-c100-3", "100", 16540.75, 0.005, 0.020, 0.040),
        ("ab-k-c30-1", "30", 21067.01, 0.001, 0.008, 0.028),
    ],
)
def test_runs_of_the_scenario_have_the_expected_values(
    name: str, connections: str, rate: float, p50: float, p99: float, largest: float
) -> None:
    path = NGINX / f"{name}.txt"
    reading, times = only(path), latency(only(path))
    assert reading.params == {"connections": connections}
    assert values(reading)[None, "request_rate", "mean"] == rate
    assert (times["p50"], times["p99"], times["max"]) == near((p50, p99, largest))
    assert remarks(path) == []


def test_time_below_half_a_millisecond_is_kept_as_zero() -> None:
    rows = {row[2]: (row[3], row[7]) for row in only(NGINX / "ab-c1-1.txt").rows if not row[0]}
    assert rows["p50"] == (0.0, 0.001)
    assert rows["median"] == (0.0, 0.001)


def test_keep_alive_count_goes_to_the_environment() -> None:
    assert only(NGINX / "ab-k-c30-1.txt").env["keep_alive"] == "100000"


def test_length_failures_are_separate_and_explained() -> None:
    path = LIMITS / "ab-length-failures-1.txt"
    actual = {row[0]: row[3] for row in only(path).rows if row[1] == "failures"}
    assert actual == {None: 195, "connect": 0, "receive": 0, "length": 195, "exceptions": 0}
    (remark,) = remarks(path)
    assert (remark.severity, remark.line) == ("note", 43)
    assert "195 requests" in remark.what
    varying = only(LIMITS / "ab-length-ok-l-1.txt")
    assert varying.env["document_length"] == "Variable"
    assert values(varying)[None, "failures", "count"] == 0


@pytest.mark.parametrize("name", ["ab-404-1", "ab-503-1"])
def test_non_2xx_responses_are_not_failures_but_are_reported(name: str) -> None:
    path = LIMITS / f"{name}.txt"
    actual = {row[0]: row[3] for row in only(path).rows if row[1] == "failures"}
    assert actual == {None: 0, "non2xx": 2000}
    assert [remark.what[:36] for remark in remarks(path)] == [
        "all 2000 responses were outside 2xx:"
    ]


@pytest.mark.parametrize("name", ["ab-closed-port-1", "ab-timeout-1"])
def test_run_without_a_report_is_failed(name: str) -> None:
    path = LIMITS / f"{name}.txt"
    reading, (remark,) = only(path), remarks(path)
    assert (reading.status, reading.rows, reading.tool_version) == ("failed", [], "2.3")
    assert "standard error" in remark.hint
    assert claimed(path) == ["ab"]


def test_aborted_runs_report_the_reason_and_completed_requests() -> None:
    path = EDGE / "synthetic-failed.txt"
    actual = readings(path)
    assert [reading.status for reading in actual] == ["failed"] * 4
    assert [[row[3] for row in reading.rows] for reading in actual] == [[1432.0], [], [1.0], [99.0]]
    assert actual[3].command == "ab -n 100 -c 4 http://127.0.0.1:8090/ | tail -2"
    reasons = [remark.what for remark in remarks(path)]
    assert "apr_socket_recv: Connection reset by peer (104)" in reasons[0]
    assert "socket: Too many open files (24)" in reasons[1]
    assert "apr_pollset_poll: The timeout specified has expired (70007)" in reasons[2]
    assert "after 99 requests" in reasons[3]


def test_html_has_no_percentiles_and_only_the_mean_of_processing() -> None:
    path = LIMITS / "ab-w-html-1.html"
    reading = only(path)
    assert (reading.form, reading.status, reading.tool_version) == ("html", "complete", "2.3")
    assert (reading.target, reading.params) == ("/index.html", {"connections": "5"})
    assert values(reading) == near(
        {
            (None, "duration", "total"): 0.065,
            (None, "requests", "count"): 500.0,
            (None, "failures", "count"): 0.0,
            (None, "bytes_in", "total"): 66709000.0,
            ("body", "bytes_in", "total"): 66590000.0,
            (None, "request_rate", "mean"): 7668.12,
            (None, "bandwidth_in", "mean"): 999087.61 * 1024,
            ("connect", "phase_time", "min"): 0.0,
            ("connect", "phase_time", "mean"): 0.0,
            ("connect", "phase_time", "max"): 0.0,
            ("processing", "phase_time", "mean"): 0.0,
            (None, "latency", "min"): 0.0,
            (None, "latency", "mean"): 0.0,
            (None, "latency", "max"): 0.008,
        }
    )
    assert remarks(path) == []


def test_html_on_one_line_is_read_row_by_row() -> None:
    reading = only(EDGE / "synthetic-one-line.html")
    assert (reading.form, reading.target, reading.line) == ("html", "/a/b", 1)
    assert latency(reading) == near({"min": 0.05, "mean": 0.232, "max": 0.738})
    assert values(reading)["length", "failures", "count"] == 10
    assert values(reading)["non2xx", "failures", "count"] == 9


def test_version_1_3_counts_1000_byte_kilobytes_and_broken_pipes() -> None:
    reading = only(EDGE / "synthetic-1.3.txt")
    actual = values(reading)
    assert (reading.tool_version, reading.target) == ("1.3d", "/shop/list.cgi")
    assert reading.status == "complete"
    assert actual[None, "bandwidth_in", "mean"] == 210000.0
    assert actual[None, "bandwidth_out", "mean"] == 8000.0
    assert actual[None, "bytes_out", "total"] == 20000.0
    assert actual["write", "failures", "count"] == 1
    assert latency(reading)["max"] == near(0.509)


def test_every_line_of_a_post_over_tls_is_read() -> None:
    reading = only(EDGE / "synthetic-post-tls.txt")
    actual = values(reading)
    failures = {key[0]: value for key, value in actual.items() if key[1] == "failures"}
    assert failures == {
        None: 5,
        "connect": 0,
        "receive": 2,
        "length": 2,
        "exceptions": 1,
        "write": 4,
        "non2xx": 7,
    }
    assert actual[None, "bytes_out", "total"] == 51200
    assert actual[None, "bandwidth_out", "mean"] == 40 * 1024
    assert reading.env["tls"] == "TLSv1.3,TLS_AES_256_GCM_SHA384,256,256"
    assert reading.status == "complete"
    assert reading.command is not None
    assert reading.command.startswith("ab -k -n 200")


def test_times_averaged_over_a_window_keep_only_their_means() -> None:
    path = EDGE / "synthetic-trunk.txt"
    reading = only(path)
    assert latency(reading) == {"mean": 0.002}
    assert phase(reading, "wait") == {"mean": 0.002}
    assert values(reading)[None, "requests", "count"] == 12000
    assert reading.status == "partial"
    interrupted, windowed = remarks(path)
    assert "interrupted after 12000 requests" in interrupted.what
    assert "averaged its 12000 requests into 5000 values" in windowed.what


def test_tables_without_spread_or_percentiles_or_with_one_request() -> None:
    path = EDGE / "synthetic-plain-tables.txt"
    plain, no_percentiles, single = readings(path)
    assert phase(plain, "processing") == near({"min": 0.09, "mean": 0.499, "max": 3.6})
    assert "median" not in latency(plain)
    assert latency(plain)["p50"] == near(0.45)
    assert latency(no_percentiles).keys() == {"min", "mean", "stdev", "median", "max"}
    assert latency(single)["max"] == near(0.005)
    assert [reading.target for reading in readings(path)] == ["/slow", "/quick", "/once"]
    assert {reading.status for reading in readings(path)} == {"complete"}
    assert remarks(path) == []


def test_response_body_that_looks_like_a_report_is_ignored() -> None:
    reading = only(EDGE / "synthetic-verbose.txt")
    assert (reading.params, reading.duration) == ({"connections": "1"}, 0.01)
    assert (reading.line, reading.status) == (2, "complete")


def test_each_of_several_runs_keeps_its_command() -> None:
    first, second = readings(EDGE / "multi/ab-2runs-prompt.txt")
    assert first.command == "ab -n 1000 -c 1 http://127.0.0.1:8092/ok"
    assert second.command == "ab -n 1000 -c 10 http://127.0.0.1:8092/ok"
    assert (first.line, first.last_line, second.line, second.last_line) == (2, 54, 56, 108)
    assert (first.status, second.status) == ("complete", "complete")


def test_ab_reads_only_its_block_next_to_a_wrk_report() -> None:
    path = FIXTURES / "wrk-edge/multi/wrk-then-ab.txt"
    reading = only(path)
    assert (reading.line, reading.last_line) == (11, 52)
    assert values(reading)[None, "request_rate", "mean"] == 8918.54
    assert claimed(path) == ["wrk", "ab"]


def test_report_in_markdown_is_read() -> None:
    path = EDGE / "synthetic-mangled.md"
    whole, fork, changed = readings(path)
    assert (whole.status, whole.last_line) == ("complete", 39)
    assert values(whole)[None, "bandwidth_in", "mean"] == near(15625.08 * 1024)
    assert values(whole)[None, "bandwidth_out", "mean"] == near(0.41 * 1024)
    assert latency(whole)["max"] == near(1.899)
    assert (latency(fork), fork.status) == ({}, "partial")
    assert changed.duration is None
    assert any("this table is in us" in remark.what for remark in remarks(path))


def test_times_as_a_markdown_table_belong_to_their_report() -> None:
    table: list[str] = []
    for line in SMALL.read_text().splitlines():
        label, *cells = line.split() or [""]
        if label in {"Connect:", "Processing:", "Waiting:", "Total:"}:
            least, mean, spread, middle, most = cells
            table.append(f"|{label} | {least} | {mean} {spread} | {middle} | {most} |")
        elif label == "min":
            table += ["| |min |mean[+/-sd] |median |max|", "|---|:--|---|---|--:|"]
        else:
            table.append(line)
    page = "\n".join([*table, ""]).encode()
    assert page.count(b"|\n") == 6
    (reading,) = readings(page)
    assert (reading.status, values(reading)) == ("complete", values(only(SMALL)))
    assert remarks(page) == []


def test_text_that_is_not_from_ab_yields_an_error() -> None:
    path = EDGE / "synthetic-not-ab.txt"
    assert readings(path) == []
    assert [remark.severity for remark in remarks(path)] == ["error"]


@pytest.mark.parametrize(
    "path", ["crlf/ab.txt", "encoding/utf16le-bom-ab.txt", "encoding/utf8-bom-ab.txt"]
)
def test_line_ends_and_encodings_do_not_change_the_result(path: str) -> None:
    plain, dressed = only(NGINX / "ab-c1-1.txt"), only(EDGE / Path(path))
    assert dressed.rows == plain.rows
    assert dressed.env == plain.env


@pytest.mark.parametrize(
    ("host", "expected"), [("127.0.0.1", "127.0.0.1:8443"), ("::1", "[::1]:8443")]
)
def test_host_includes_the_port_and_query_is_separate(host: str, expected: str) -> None:
    text = SMALL.read_text().replace(
        "Server Hostname:        127.0.0.1", f"Server Hostname: {host}"
    )
    text = text.replace(":            8090", ":            8443").replace("index.html", "?id=1#a")
    reading = only(text.encode())
    assert (reading.target, reading.env["host"], reading.env["query"]) == ("/", expected, "id=1")


def test_port_without_a_host_is_ignored() -> None:
    text = SMALL.read_text().replace("Server Hostname", "Server Name")
    assert "host" not in only(text.encode()).env


def test_single_line_below_its_command_is_a_partial_run() -> None:
    rate = "Requests per second:    810.37 [#/sec] (mean)\n"
    command = "ab -n 1000 -c 10 http://127.0.0.1:8080/list?page=2"
    text = f'$ {command} | grep "Requests per"\n{rate}'
    (reading, diagnostic) = read_all(text)
    assert FORMAT.recognises(Head("x", text.encode(), text))
    assert (reading.status, reading.connections, reading.target) == ("partial", 10, "/list")
    assert reading.params == {"connections": "10"}
    assert reading.env == {"host": "127.0.0.1:8080", "query": "page=2"}
    assert [row[1:4] for row in reading.rows] == [("request_rate", "mean", 810.37)]
    assert "lacks" in diagnostic.what
    loop = f"$ for i in 1 2 3; do {command} | grep Requests; done\n{rate * 3}"
    readings = [each for each in read_all(loop) if isinstance(each, Reading)]
    assert [reading.connections for reading in readings] == [10, 10, 10]
    two = f"$ {command}\n{rate}$ {command.replace('c 10', 'c 20')}\n{rate}"
    readings = [each for each in read_all(two) if isinstance(each, Reading)]
    assert [reading.connections for reading in readings] == [10, 20]
    talk = f"$ {command}\nand on another day\n{rate}"
    assert not [each for each in read_all(talk) if isinstance(each, Reading)]


def test_report_without_its_head_takes_the_load_from_the_command() -> None:
    text = """$ ab -n 1000 -c 10 http://127.0.0.1:8080/list
Complete requests:      1000
Failed requests:        0
Requests per second:    810.37 [#/sec] (mean)
Time per request:       12.340 [ms] (mean)
"""
    (reading, _) = read_all(text)
    assert (reading.connections, reading.target) == (10, "/list")


def read_all(text: str) -> list[Any]:
    return list(FORMAT.parse(Source(None, "x.txt", text.encode())))
