"""wrk and wrk2: real reports value by value, and every form in which they come."""

from __future__ import annotations

import re
from pathlib import Path
from typing import Any

import pytest
from wrk_readings import EDGE, TRACING, WHOLE, WRK2, claimed, near, only, readings, remarks, values

from benchkit.parsers.base import Head, Reading, Source
from benchkit.parsers.wrk import TEXT as FORMAT

MEASURED = sorted(TRACING.glob("*/wrk-[0-9].txt"))
WARM_UPS = sorted(TRACING.glob("*/wrk-warmup-*.txt"))


def test_every_value_of_a_complete_report_is_read() -> None:
    reading = only(WHOLE)
    assert values(reading) == near(
        {
            ("latency", "mean"): 0.00086,
            ("latency", "stdev"): 0.00084793,
            ("latency", "max"): 0.01729,
            ("latency_within_stdev", "mean"): 0.9532,
            ("thread_request_rate", "mean"): 5230.0,
            ("thread_request_rate", "stdev"): 521.60,
            ("thread_request_rate", "max"): 6280.0,
            ("thread_request_rate_within_stdev", "mean"): 0.7767,
            ("latency", "p50"): 0.000701,
            ("latency", "p75"): 0.00087,
            ("latency", "p90"): 0.00116,
            ("latency", "p99"): 0.00463,
            ("requests", "count"): 156120.0,
            ("duration", "total"): 15.0,
            ("bytes_in", "total"): 38.5 * 2**20,
            ("request_rate", "mean"): 10406.41,
            ("bandwidth_in", "mean"): 2.57 * 2**20,
        }
    )
    assert remarks(WHOLE) == []


def test_run_metadata_is_read() -> None:
    reading = only(WHOLE)
    assert (reading.tool, reading.form, reading.status) == ("wrk", "text", "complete")
    assert (reading.line, reading.last_line) == (1, 13)
    assert reading.target == "/ping/GRM"
    assert reading.params == {"connections": "8", "threads": "2"}
    assert (reading.connections, reading.duration) == (8, 15.0)
    assert (reading.load_model, reading.corrected) == ("closed", "approximate")
    assert reading.command is None
    assert reading.target_rate is None
    assert reading.tool_version is None


def test_rows_have_unit_resolution_and_line() -> None:
    details = {row[1:3]: (row[4], row[5], row[7], row[8], row[9]) for row in only(WHOLE).rows}
    assert details["latency", "mean"] == ("s", None, 1e-5, "reported", 4)
    assert details["latency", "stdev"] == ("s", None, 1e-8, "reported", 4)
    assert details["thread_request_rate", "mean"] == ("1/s", None, 10.0, "reported", 5)
    assert details["latency_within_stdev", "mean"] == ("1", None, 1e-4, "reported", 4)
    assert details["latency", "p99"] == ("s", None, 1e-5, "reported", 10)
    assert details["requests", "count"] == ("1", None, 1.0, "reported", 11)
    assert details["bytes_in", "total"] == ("B", None, 0.01 * 2**20, "reported", 11)
    assert details["request_rate", "mean"] == ("1/s", None, 0.01, "reported", 12)


def test_scenario_has_all_runs() -> None:
    assert (len(MEASURED), len(WARM_UPS)) == (40, 40)


@pytest.mark.parametrize("path", MEASURED + WARM_UPS, ids=lambda p: f"{p.parent.name}-{p.stem}")
def test_every_run_of_the_scenario_is_complete(path: Path) -> None:
    reading = only(path)
    assert reading.status == "complete"
    assert len(reading.rows) == (17 if path in MEASURED else 13)
    assert reading.target == "/ping/GRM"
    assert claimed(path)
    assert remarks(path) == []


@pytest.mark.parametrize(
    ("name", "rate", "p50", "p99", "largest"),
    [
        ("otlp/wrk-5.txt", 9075.83, 0.000724, 0.00795, 0.06883),
        ("zipkin/wrk-6.txt", 8425.14, 0.000751, 0.01295, 0.06772),
        ("apm/wrk-7.txt", 10862.99, 0.000664, 0.00392, 0.01536),
        ("skywalking/wrk-8.txt", 9145.48, 0.000739, 0.00866, 0.03242),
    ],
)
def test_runs_match_the_scenario_table(
    name: str, rate: float, p50: float, p99: float, largest: float
) -> None:
    actual = values(only(TRACING / name))
    expected = {
        ("request_rate", "mean"): rate,
        ("latency", "p50"): p50,
        ("latency", "p99"): p99,
        ("latency", "max"): largest,
    }
    assert {key: actual[key] for key in expected} == near(expected)


def test_rate_with_a_thousands_separator_is_read() -> None:
    """It was left out as damaged, and the run was partial."""
    text = WHOLE.read_text(encoding="utf-8")
    run = only(re.sub(r"(Requests/sec: +)(\d+)(\d{3}\.)", r"\1\2,\3", text).encode())
    assert run.status == "complete"
    assert values(run) == values(only(WHOLE))


def test_errors_are_failures_by_reason() -> None:
    actual = values(only(EDGE / "wrk/wrk-mixed-errors-1.txt"))
    failures = {key: value for key, value in actual.items() if "failures" in key[0]}
    assert failures == {
        ("failures/connect", "count"): 0.0,
        ("failures/read", "count"): 98.0,
        ("failures/write", "count"): 0.0,
        ("failures/timeout", "count"): 24.0,
        ("failures/non2xx", "count"): 3564.0,
    }


def test_timeouts_are_reported_as_censoring_latencies() -> None:
    (remark,) = remarks(EDGE / "wrk/wrk-mixed-errors-1.txt")
    assert remark.severity == "warning"
    assert "24 of 35890 requests timed out" in remark.what
    assert "--timeout" in remark.hint


def test_errors_without_socket_errors_are_read() -> None:
    path = EDGE / "wrk/wrk-non2xx-only-1.txt"
    assert values(only(path))["failures/non2xx", "count"] == 121770.0
    assert remarks(path) == []


def test_zeros_of_a_run_without_samples_are_not_latencies() -> None:
    path = EDGE / "wrk/wrk-all-timeouts-1.txt"
    actual = values(only(path))
    assert [key for key in actual if key[0].startswith("latency")] == []
    assert actual["failures/timeout", "count"] == 4.0
    assert actual["thread_request_rate", "max"] == 0.0
    (remark,) = remarks(path)
    assert "4 requests completed (4 timed out)" in remark.what


def test_digits_of_other_scripts_are_treated_as_damage() -> None:
    text = WHOLE.read_text(encoding="utf-8")
    line = next(line for line in text.splitlines() if "Latency  " in line)
    stdev = line.split()[2]
    for other in ("\uff11\uff12us", stdev.replace("1", "\uff11").replace("3", "\uff13")):
        hurt = text.replace(line, line.replace(stdev, other)).encode()
        assert ("latency", "stdev") not in values(only(hurt))
        assert "is truncated or altered" in remarks(hurt)[0].what


def test_run_without_a_completed_request_is_reported() -> None:
    path = EDGE / "synthetic-nan-mac.txt"
    assert set(values(only(path))) == {
        ("requests", "count"),
        ("duration", "total"),
        ("bytes_in", "total"),
        ("request_rate", "mean"),
        ("bandwidth_in", "mean"),
    }
    assert [remark.what for remark in remarks(path)] == ["no request was completed in this run"]
    assert only(path).status == "failed"


def test_report_without_the_latency_option_has_no_percentiles() -> None:
    reading = only(EDGE / "wrk/wrk-nolatency-1.txt")
    assert reading.status == "complete"
    assert {stat for metric, stat in values(reading) if metric == "latency"} == {
        "mean",
        "stdev",
        "max",
    }


def test_output_of_a_script_below_the_report_is_ignored() -> None:
    path = EDGE / "wrk/wrk-lua-done-1.txt"
    assert only(path).last_line == 13
    assert remarks(path) == []


def test_interrupted_run_has_its_actual_duration() -> None:
    reading = only(EDGE / "wrk/wrk-sigint-1.txt")
    assert (reading.status, reading.duration) == ("complete", 2.0)


def test_refused_connection_is_a_failed_run() -> None:
    path = EDGE / "wrk/wrk-refused-1.txt"
    assert claimed(path)
    reading = only(path)
    assert (reading.status, reading.rows) == ("failed", [])
    (remark,) = remarks(path)
    assert "unable to connect to 127.0.0.1:8099 (Connection refused)" in remark.what
    assert remark.line == 1


def test_refused_connection_below_a_prompt_keeps_its_command() -> None:
    data = b"$ wrk -c1 -t1 http://h:1/\nunable to connect to h:1 Connection refused\n"
    assert claimed(data)
    assert only(data).command == "wrk -c1 -t1 http://h:1/"


def test_many_runs_in_a_file_keep_their_commands() -> None:
    runs = readings(EDGE / "multi/wrk-3runs-prompt.txt")
    assert [run.params["connections"] for run in runs] == ["1", "4", "12"]
    assert [run.command for run in runs] == [
        f"wrk -c{n} -t1 -d2 --latency http://127.0.0.1:8092/ok" for n in (1, 4, 12)
    ]
    assert [(run.line, run.last_line) for run in runs] == [(2, 14), (16, 28), (30, 42)]
    rates = [values(run)["request_rate", "mean"] for run in runs]
    assert rates == [10863.73, 47450.04, 24025.13]


def test_many_runs_without_prompts_are_read() -> None:
    runs = readings(EDGE / "multi/wrk-2runs-noprompt.txt")
    assert [(run.status, run.command) for run in runs] == [("complete", None)] * 2
    assert [values(run)["request_rate", "mean"] for run in runs] == [29507.69, 63798.10]


def test_report_of_another_tool_in_the_file_is_ignored() -> None:
    path = EDGE / "multi/wrk-then-ab.txt"
    assert only(path).last_line == 9
    assert remarks(path) == []


def test_command_with_other_threads_belongs_to_another_run() -> None:
    text = WHOLE.read_text()
    assert only(f"$ wrk -t4 -c8 http://h/\n{text}".encode()).command is None
    assert only(f"$ wrk -t 2 -c 8 http://h/\n{text}".encode()).command is not None
    assert only(f"I measured with wrk below.\n{text}".encode()).command is None


def test_pasted_reports_are_read_behind_every_prefix() -> None:
    runs = readings(EDGE / "synthetic-pasted.md")
    assert [run.target[1:] for run in runs] == [
        "commented",
        "quoted",
        "tabbed",
        "listed",
        "stamped",
        "composed",
    ]
    assert {run.status for run in runs} == {"complete"}
    assert [values(run)["request_rate", "mean"] for run in runs] == [9966.51, *[60879.13] * 5]
    assert runs[0].command == 'wrk -c8 -t4 -d30s --latency "http://$HOST:8092/commented"'
    assert remarks(EDGE / "synthetic-pasted.md") == []


def test_wrk_1_is_read_as_uncorrected() -> None:
    reading = only(EDGE / "synthetic-wrk1.txt")
    assert (reading.target, reading.corrected) == ("/index.html", "no")
    assert (reading.load_model, reading.status) == ("closed", "complete")
    assert values(reading)["request_rate", "mean"] == 99606.37


def test_version_above_the_report_decides_the_correction() -> None:
    reading = only(EDGE / "synthetic-wrk3-version.txt")
    assert (reading.tool_version, reading.corrected) == ("3.1.2", "no")
    newer = (EDGE / "synthetic-wrk3-version.txt").read_text().replace("3.1.2", "debian/4.1.0-3")
    reading = only(newer.encode())
    assert (reading.tool_version, reading.corrected) == ("debian/4.1.0-3", "approximate")


def test_minutes_are_converted_and_the_head_is_rounded() -> None:
    reading = only(EDGE / "synthetic-minutes.txt")
    actual = values(reading)
    expected = {
        ("latency", "mean"): 1.08,
        ("latency", "max"): 90.0,
        ("latency", "p75"): 51.3,
        ("latency", "p90"): 52.2,
        ("latency", "p99"): 88.2,
        ("thread_request_rate", "max"): 950.0,
        ("duration", "total"): 199.8,
        ("bytes_in", "total"): 972.8,
        ("bandwidth_in", "mean"): 4.86,
    }
    assert {key: actual[key] for key in expected} == near(expected)
    assert reading.duration == pytest.approx(199.8)
    assert {row[7] for row in reading.rows if row[1] == "duration"} == {0.6}


@pytest.mark.parametrize(
    ("url", "target"),
    [
        ("http://h:80", "/"),
        ("https://h/", "/"),
        ("http://h/a/b/", "/a/b/"),
        ("http://h/a?b=/c#d", "/a"),
        ("http://h?x=/y", "/"),
        ("http://[::1]:80/a#b", "/a"),
    ],
)
def test_target_is_only_the_path(url: str, target: str) -> None:
    text = WHOLE.read_text().replace("http://127.0.0.1:8080/ping/GRM", url)
    assert only(text.encode()).target == target


def test_wrk2_is_an_open_load_with_its_rate() -> None:
    reading = only(EDGE / "synthetic-wrk2.txt")
    assert (reading.tool, reading.load_model, reading.corrected) == ("wrk2", "open", "yes")
    assert reading.target_rate == 2000.0
    assert reading.command == "wrk2 -t2 -c40 -d30s -R2k --latency http://127.0.0.1:8092/ok"
    assert reading.status == "complete"
    assert remarks(EDGE / "synthetic-wrk2.txt") == []


def test_rate_in_the_command_identifies_wrk2() -> None:
    text = f"$ wrk -t2 -c8 --rate=150 http://h/\n{WHOLE.read_text()}"
    reading = only(text.encode())
    assert (reading.tool, reading.load_model, reading.target_rate) == ("wrk2", "open", 150.0)


def test_more_precise_of_two_values_is_used() -> None:
    rows = {row[2]: row for row in only(EDGE / "synthetic-wrk2.txt").rows if row[1] == "latency"}
    details = {stat: (row[3], row[7], row[9]) for stat, row in rows.items()}
    assert details["mean"] == (0.00214, 1e-6, 32)
    assert details["stdev"] == (0.00052107, 1e-8, 7)
    assert details["max"] == (0.004048, 1e-6, 33)
    assert details["min"] == (0.000412, 1e-6, 22)
    assert details["p50"] == (0.002101, 1e-6, 24)
    assert details["p99"] == (0.00349, 1e-5, 13)
    assert details["p99.999"] == (0.00405, 1e-5, 16)
    assert details["p95"] == (0.003055, 1e-6, 27)
    assert details["p98.75"] == (0.003439, 1e-6, 28)
    assert {row[5] for row in rows.values()} == {39561}


def test_uncorrected_latencies_are_a_separate_metric() -> None:
    actual = values(only(WRK2))
    assert actual["latency", "p50"] == pytest.approx(314.999807, rel=1e-12)
    assert actual["latency", "p99"] == pytest.approx(654.6, rel=1e-12)
    assert actual["latency", "max"] == pytest.approx(662.175744, rel=1e-12)
    assert actual["uncorrected_latency", "p50"] == pytest.approx(0.003059, rel=1e-12)
    assert actual["uncorrected_latency", "p99"] == pytest.approx(0.00867, rel=1e-12)
    assert actual["uncorrected_latency", "mean"] == pytest.approx(0.003212, rel=1e-12)
    assert actual["uncorrected_latency", "max"] == pytest.approx(0.035552, rel=1e-12)


def test_levels_with_equal_labels_are_kept_once() -> None:
    assert values(only(WRK2))["uncorrected_latency", "p99.9999"] == pytest.approx(0.004002)


def test_wrk2_timeouts_do_not_censor_latencies() -> None:
    assert values(only(WRK2))["failures/timeout", "count"] == 61044.0
    assert remarks(WRK2) == []


def test_empty_histogram_yields_no_latency() -> None:
    path = EDGE / "synthetic-wrk2-short.txt"
    assert {metric for metric, _ in values(only(path))} == {
        "requests",
        "duration",
        "bytes_in",
        "request_rate",
        "bandwidth_in",
    }
    (remark,) = remarks(path)
    assert "wrk2 recorded no latency" in remark.what
    assert "calibrate" in remark.hint


def test_single_line_below_its_command_is_a_partial_run() -> None:
    rate = "Requests/sec:  15535.10\n"
    command = "wrk -t4 -c100 -d10s http://127.0.0.1:8080/list"
    text = f"$ {command} | grep Requests\n{rate}"
    (reading, diagnostic) = read_all(text)
    assert FORMAT.recognises(Head("x", text.encode(), text))
    assert (reading.status, reading.connections, reading.target) == ("partial", 100, "/list")
    assert [row[1:4] for row in reading.rows] == [("request_rate", "mean", 15535.10)]
    assert "lacks" in diagnostic.what
    loop = f"$ for i in 1 2 3; do {command} | grep Requests; done\n{rate * 3}"
    readings = [each for each in read_all(loop) if isinstance(each, Reading)]
    assert [reading.connections for reading in readings] == [100, 100, 100]
    talk = f"$ {command}\nand on another day\n{rate}"
    assert not [each for each in read_all(talk) if isinstance(each, Reading)]
    hey = f"$ wrk2x -c 9 http://h/\n{rate}"
    assert not FORMAT.recognises(Head("x", hey.encode(), hey))


def read_all(text: str) -> list[Any]:
    return list(FORMAT.parse(Source(None, "x.txt", text.encode())))
