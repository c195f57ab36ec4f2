"""hey: real reports value by value, misleading numbers, its CSV, and similar tools."""

from __future__ import annotations

import gzip

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
    records,
    records_before_damage,
    remarks,
    samples,
    values,
)
from hypothesis import assume, given
from hypothesis import strategies as st

from benchkit.parsers.base import Reading, Samples
from benchkit.parsers.hey import samples as requests
from benchkit.reading.outcomes import reason_of

LIMITED = NGINX / "hey-z3s-q50-1.txt"
WHOLE = LIMITED.read_bytes()
CSV = gzip.decompress((NGINX / "hey-c30-1.csv.gz").read_bytes())
PAGE = EDGE / "synthetic-hey-and-oha.md"


@pytest.mark.parametrize("line", ["Requests/sec:\t1204.5000", "Average:\t0.0012 secs"])
def test_line_below_a_command_without_its_report_is_reported(line: str) -> None:
    data = b"$ hey -n 9 http://h/\n" + WHOLE + f"\n$ hey -n 7 http://h/\n{line}\n".encode()
    actual = [remark for remark in remarks(data, "hey") if "too short" in remark.what]
    last = data.count(b"\n")
    assert [(each.line, each.what) for each in actual] == [
        (last, "this part of a hey report is too short to be read")
    ]
    assert len(readings(data, "hey")) == 1
    assert "too short" not in str(remarks(data.replace(b"$ hey -n 7", b"about"), "hey"))


def test_every_value_of_a_complete_report_is_read() -> None:
    phases = {
        ("connect", "mean"): 0.0,
        ("dns", "mean"): 0.0,
        ("dns", "min"): 0.0,
        ("dns", "max"): 0.0,
        ("send", "mean"): 0.0,
        ("send", "min"): 0.0,
        ("send", "max"): 0.0005,
        ("wait", "mean"): 0.0009,
        ("wait", "min"): 0.0001,
        ("wait", "max"): 0.0088,
        ("receive", "mean"): 0.0001,
        ("receive", "min"): 0.0,
        ("receive", "max"): 0.0071,
    }
    expected = {(subject, "phase_time", stat): time for (subject, stat), time in phases.items()}
    assert values(only(LIMITED, "hey")) == near(
        expected
        | {
            (None, "duration", "total"): 3.0081,
            (None, "latency", "max"): 0.0088,
            (None, "latency", "min"): 0.0002,
            (None, "latency", "mean"): 0.0010,
            (None, "request_rate", "mean"): 498.6549,
            (None, "bytes_in", "total"): 199770000.0,
            (None, "bytes_in", "mean"): 133180.0,
            (None, "latency", "p10"): 0.0003,
            (None, "latency", "p25"): 0.0004,
            (None, "latency", "p50"): 0.0005,
            (None, "latency", "p75"): 0.0014,
            (None, "latency", "p90"): 0.0017,
            (None, "latency", "p95"): 0.0046,
            (None, "latency", "p99"): 0.0059,
            ("200", "responses", "count"): 1500.0,
            (None, "requests", "count"): 1500.0,
        }
    )
    assert remarks(LIMITED, "hey") == []


def test_run_metadata_is_read() -> None:
    reading = only(LIMITED, "hey")
    assert (reading.tool, reading.form, reading.status) == ("hey", "text", "complete")
    assert (reading.line, reading.last_line, reading.duration) == (2, 43, 3.0081)
    assert (reading.target, reading.params, reading.command) == ("", {}, None)
    assert reading.load_model == "closed"
    details = {row[:3]: row[7:10] for row in reading.rows}
    assert details[None, "latency", "p99"] == (0.0001, "reported", 33)
    assert details[None, "requests", "count"] == (None, "computed", 43)


@pytest.mark.parametrize(
    ("name", "rate", "p50", "p99"),
    [
        ("hey-c1-1", 5699.3747, 0.0001, 0.0032),
        ("hey-c20-2", 10562.3188, 0.0008, 0.0124),
        ("hey-c30-1", 11288.2596, 0.0014, 0.0134),
        ("hey-c50-1", 10850.3914, 0.0031, 0.0154),
        ("hey-c100-2", 11883.3534, 0.0077, 0.0205),
    ],
)
def test_runs_of_the_scenario_have_the_expected_values(
    name: str, rate: float, p50: float, p99: float
) -> None:
    reading = only(NGINX / f"{name}.txt", "hey")
    assert values(reading)[None, "request_rate", "mean"] == rate
    assert (latency(reading)["p50"], latency(reading)["p99"]) == (p50, p99)
    assert reading.status == "complete"


def test_run_without_responses_is_failed_and_has_no_times() -> None:
    path = LIMITS / "hey-closed-port-1.txt"
    reading, (remark,) = only(path, "hey"), remarks(path, "hey")
    assert reading.status == "failed"
    assert values(reading) == {
        (None, "duration", "total"): 0.0027,
        ("connect", "failures", "count"): 50.0,
    }
    assert "50 failed" in remark.what


def test_error_responses_count_as_responses() -> None:
    assert values(only(LIMITS / "hey-404-1.txt", "hey"))["404", "responses", "count"] == 1000


def test_oha_report_is_not_read_and_a_tail_is_partial() -> None:
    first, tail = readings(PAGE, "hey")
    assert (first.command, first.target) == (
        "hey -n 6 -c 2 http://127.0.0.1:8090/a/b?c=d",
        "/a/b",
    )
    assert (first.params, first.connections) == ({"connections": "2"}, 2)
    assert (tail.status, tail.line, tail.last_line) == ("partial", 73, 81)
    assert phase(tail, "wait") == {}
    assert [remark.line for remark in remarks(PAGE, "hey")] == [69, 77, 81]


def test_doubled_percent_signs_are_read_and_zero_percentiles_dropped() -> None:
    actual = latency(readings(PAGE, "hey")[0])
    assert {stat: actual[stat] for stat in actual if stat.startswith("p")} == {
        "p10": 0.0011,
        "p25": 0.0012,
        "p50": 0.0040,
        "p75": 0.0100,
    }


def test_errors_are_summed_by_reason_and_the_rate_is_questioned() -> None:
    reading = readings(PAGE, "hey")[0]
    actual = {row[0]: (row[3], row[8]) for row in reading.rows if row[1] == "failures"}
    assert actual == {"read": (2.0, "computed"), "timeout": (1.0, "computed")}
    assert "3 requests failed and 6 were answered" in remarks(PAGE, "hey")[0].what


def test_connect_extremes_are_dropped_if_they_repeat_the_request() -> None:
    assert phase(readings(PAGE, "hey")[0], "connect") == near(
        {"mean": 0.0002, "min": 0.0001, "max": 0.0003}
    )
    assert phase(only(LIMITED, "hey"), "connect") == {"mean": 0.0}


@pytest.mark.parametrize(
    ("error", "reason"),
    [
        ('Get "http://h:1/": dial tcp 127.0.0.1:1: connect: connection refused', "connect"),
        ("Get http://h/: dial tcp: lookup h on 1.1.1.1:53: no such host", "dns"),
        ('Get "http://h/": net/http: request canceled (Client.Timeout exceeded)', "timeout"),
        ("Get https://h/: x509: certificate signed by unknown authority", "tls"),
        ("Get http://h/: EOF", "read"),
        ("Post http://h/: write tcp 127.0.0.1:5->127.0.0.1:6: write: broken pipe", "write"),
        ("stopped after 10 redirects", "other"),
    ],
)
def test_error_maps_to_one_reason(error: str, reason: str) -> None:
    assert reason_of(error) == reason


def test_histogram_reveals_a_truncated_status_code() -> None:
    data = PAGE.read_bytes()
    head = data[: data.index(b"  [503]\t2 responses")]
    reading = readings(head, "hey")[0]
    assert reading.status == "partial"
    assert (None, "requests", "count") not in values(reading)
    assert "Status code distribution (in full)" in remarks(head, "hey")[-1].what


@given(st.integers(0, len(WHOLE)))
def test_truncated_report_yields_a_subset_of_the_full_values(place: int) -> None:
    whole = set(only(WHOLE, "hey").rows)
    for reading in readings(WHOLE[:place], "hey"):
        assert set(reading.rows) <= whole
        is_whole = place >= len(WHOLE.rstrip(b"\n"))
        assert (reading.status == "complete") == is_whole


@given(st.binary(max_size=300), st.integers(0, len(WHOLE)))
def test_arbitrary_bytes_never_raise(junk: bytes, place: int) -> None:
    assume(place or not junk.startswith(b"\x1f\x8b"))  # damaged gzip is reported elsewhere
    for reading in readings(WHOLE[:place] + junk + WHOLE[place:], "hey"):
        assert reading.line <= reading.last_line


def test_times_above_an_empty_code_list_are_kept() -> None:
    """Pages left out the codes below their heading, and so the run was failed."""
    head = WHOLE.partition(b"Response time histogram")[0] + b"Status code distribution:\n"
    reading = only(head, "hey")
    assert reading.status == "partial"
    minimum = {("request_rate", "mean"), ("latency", "mean"), ("latency", "max")}
    assert minimum <= {(row[1], row[2]) for row in reading.rows}
    assert "lacks its `Latency distribution` line; the rest" in remarks(head, "hey")[-1].what


def test_several_consecutive_runs_are_read() -> None:
    other = (NGINX / "hey-c1-1.txt").read_bytes()
    first, second = readings(b"$ hey -c 10 http://h/a\n" + WHOLE + other, "hey")
    assert (first.status, second.status) == ("complete", "complete")
    assert (first.target, second.target) == ("/a", "")


def test_line_ends_do_not_change_the_result() -> None:
    crlf = only(EDGE / "crlf/hey.txt", "hey")
    assert crlf.rows == only(NGINX / "hey-c1-1.txt", "hey").rows


@pytest.mark.parametrize(
    "path", ["wrk-edge/wrk/wrk-mixed-errors-1.txt", "nginx-ab/nginx/ab-c1-1.txt"]
)
def test_other_tools_are_not_claimed(path: str) -> None:
    assert "hey" not in claimed(FIXTURES / path)
    assert readings(FIXTURES / path, "hey") == []
    assert remarks(FIXTURES / path, "hey")[0].severity == "error"


def test_second_header_starts_a_second_run_of_raw_times() -> None:
    actual = list(records(CSV[: CSV.index(b"\n", 1000) + 1] * 2, "hey_csv"))
    runs = [record for record in actual if isinstance(record, Reading)]
    times = [each for each in actual if isinstance(each, Samples) and each.metric == "latency"]
    assert [each.reading for each in times] == runs
    assert times[0].values.tolist() == times[1].values.tolist()
    assert [len(each.values) for each in times] == [run.rows[0][3] for run in runs]


def test_raw_times_are_samples_of_latency_and_every_phase() -> None:
    actual = samples(CSV, "hey_csv")
    assert actual.keys() == {None, "connect", "dns", "send", "wait", "receive"}
    assert {subject: (len(times), float(times[0])) for subject, times in actual.items()} == {
        None: (3000, 0.0028),
        "connect": (3000, 0.0011),
        "dns": (3000, 0.0),
        "send": (3000, 0.0004),
        "wait": (3000, 0.0012),
        "receive": (3000, 0.0001),
    }
    reading = only(CSV, "hey_csv")
    assert (reading.form, reading.status, reading.last_line) == ("csv", "complete", 3001)
    assert values(reading) == {
        (None, "requests", "count"): 3000.0,
        ("200", "responses", "count"): 3000.0,
    }
    assert {row[8] for row in reading.rows} == {"computed"}


def test_large_file_is_read_in_blocks() -> None:
    head, row = CSV.split(b"\n")[:2]
    data = head + b"\n" + (row + b"\n") * (requests.BLOCK + 5)
    sizes = [
        len(record.values)
        for record in records(data, "hey_csv")
        if isinstance(record, Samples) and record.metric == "latency"
    ]
    assert sizes == [requests.BLOCK, 5]


def test_six_column_csv_has_no_codes() -> None:
    path = EDGE / "synthetic-o-six-columns.csv"
    assert claimed(path) == ["hey_csv"]
    assert samples(path, "hey_csv")["wait"].tolist() == [0.0012, 0.0013]
    assert values(only(path, "hey_csv")) == {(None, "requests", "count"): 2.0}
    assert [remark.line for remark in remarks(path, "hey_csv")] == [3]


@pytest.mark.parametrize("eight", [True, False])
def test_truncated_raw_times_lose_only_the_last_line(eight: bool) -> None:
    data = CSV[:1000] if eight else (EDGE / "synthetic-o-six-columns.csv").read_bytes()
    whole = samples(data, "hey_csv")[None].tolist()
    for place in range(len(data)):
        actual = samples(data[:place], "hey_csv").get(None)
        times = [] if actual is None else actual.tolist()
        assert times == whole[: len(times)]


def test_table_without_rows_is_a_failed_run() -> None:
    data = CSV.split(b"\n")[0] + b"\n"
    assert only(data, "hey_csv").status == "failed"
    assert "is empty" in remarks(data, "hey_csv")[0].what


def test_truncated_table_has_no_total_count() -> None:
    path = EDGE / "truncated/hey.cut.csv"
    reading = only(path, "hey_csv")
    assert reading.status == "partial"
    assert values(reading) == {("200", "responses", "count"): 54.0}


def test_damaged_gzip_yields_what_precedes_the_damage() -> None:
    report = records_before_damage(gzip.compress(WHOLE, compresslevel=0)[:900], "hey")
    assert [type(record).__name__ for record in report] == ["Reading", "Diagnostic"]
    table = records_before_damage(gzip.compress(CSV, compresslevel=0)[:70000], "hey_csv")
    times = next(block.values for block in table if isinstance(block, Samples)).tolist()
    assert 1000 < len(times) < 3000
    assert times == samples(CSV, "hey_csv")[None].tolist()[: len(times)]


def test_phase_with_a_non_numeric_extreme_is_skipped() -> None:
    changed = WHOLE.replace(b"0.0001 secs, 0.0088 secs", b"0.0001 secs, NaN secs")
    assert changed != WHOLE
    assert phase(only(WHOLE, "hey"), "wait")
    assert not phase(only(changed, "hey"), "wait")
    assert any("has NaN as a time" in remark.what for remark in remarks(changed, "hey"))


HEAD = "Total:        5.5254 secs\nSlowest:      0.0784 secs\nFastest:      0.0028 secs\n"
SHORT = f"{HEAD}Average:      0.0275 secs\nRequests/sec: 1809.8082\n"


@pytest.mark.parametrize("between", ["", "```\n\n2. FastAPI\n\n```\n", "Success rate: 100.00%\n"])
def test_report_without_its_first_line_is_partial(between: str) -> None:
    data = (SHORT + between + SHORT.replace("1809", "2420")).encode()
    assert "hey" in claimed(data)
    read = readings(data, "hey")
    is_ohas = "Success" in between
    assert [run.status for run in read] == ["partial"] * (1 if is_ohas else 2)
    assert values(read[0]) == {
        (None, "duration", "total"): 5.5254,
        (None, "latency", "max"): 0.0784,
        (None, "latency", "min"): 0.0028,
        (None, "latency", "mean"): 0.0275,
        (None, "request_rate", "mean"): 1809.8082,
    }
    assert "lacks its `Latency distribution`" in str(remarks(data, "hey"))


def test_headless_hey_report_is_read_below_an_oha_report() -> None:
    data = f"Summary:\n  Success rate: 100.00%\n{SHORT}\n{SHORT}".encode()
    assert len(readings(data, "hey")) == 1


def test_total_alone_is_not_a_report() -> None:
    data = b"Total: 5.5254 secs\n\nRequests/sec: 1809.8082\n"
    assert readings(data + WHOLE, "hey") == readings(data.replace(b"To", b"to") + WHOLE, "hey")
