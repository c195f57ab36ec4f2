"""Vegeta's text reports, and the text around them."""

from __future__ import annotations

import gzip
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from benchkit.parsers.base import Diagnostic, Reading, Record, Source
from benchkit.parsers.vegeta import REPORT as FORMAT
from benchkit.parsers.vegeta.readings import begin
from benchkit.parsers.vegeta.text import read_time
from benchkit.reading.source import UnreadableError

FIXTURES = Path(__file__).parents[2] / "fixtures"
SCENARIO = FIXTURES / "skywalking-vegeta"
EDGE = FIXTURES / "vegeta-edge"
Key = tuple[str, str, str | None]

#: The scenario's table: total, rate, throughput, min … max in ms, success in %, codes.
HEADLINES = {
    "no-agent/1": "9000 300.03 300.01 1.217 3.628 1.878 5.967 8.118 36.563 134.911 100 200:9000",
    "no-agent/2": "9000 300.04 300.03 1.21 3.298 1.931 5.587 7.063 32.012 93.985 100 200:9000",
    "no-agent/3": "9000 300.02 300.01 1.16 3.377 2.093 5.931 7.201 24.988 98.714 100 200:9000",
    "agent/1": "9000 300.04 300.02 1.187 3.783 2.311 6.061 7.692 33.187 137.822 100 200:9000",
    "agent/2": "9000 300.03 299.99 1.282 3.939 2.769 6.423 7.775 36.339 102.239 100 200:9000",
    "agent/3": "9000 300.04 299.98 1.311 2.089 1.55 2.47 3.51 10.607 85.867 100 200:9000",
    "edge/overload": "22951 4587.28 1.13 13.377 315.882 303.134 338.572 406.239 461.772 569.191"
    " 0.03 0:22945 200:6",
    "edge/partial": "8800 2200.15 66.12 2.443 149.232 150.715 152.29 153.858 158.509 162.448"
    " 3.10 0:8527 200:273",
    "edge/refused": "200 100.47 0 0.042772 0.194673 0.143774 0.198931 0.260802 2.22 4.433 0 0:200",
}
LATENCIES = ("min", "mean", "p50", "p90", "p95", "p99", "max")


def parse(path: Path) -> tuple[list[Reading], list[Diagnostic]]:
    return parse_bytes(path.read_bytes())


def parse_bytes(data: bytes) -> tuple[list[Reading], list[Diagnostic]]:
    records = list(FORMAT.parse(Source(None, "vegeta.txt", data)))
    readings = [record for record in records if isinstance(record, Reading)]
    return readings, [record for record in records if isinstance(record, Diagnostic)]


def values(reading: Reading) -> dict[Key, float]:
    return {(row[1], row[2], row[0]): row[3] for row in reading.rows}


#: Remarks on the one run in which no request was answered.
UNANSWERED = "no request was answered (200 failed), so this run has no result"


@pytest.mark.parametrize("form", ["text", "report"])
def test_run_without_a_response_is_failed_but_error_statuses_are_not(form: str) -> None:
    path = next((SCENARIO / "edge").glob(f"vegeta-{form}-refused.*"))
    (reading,), (problem,) = parse(path)
    assert (reading.status, problem.what, problem.is_remark) == ("failed", UNANSWERED, True)
    text = path.read_text(encoding="utf-8")
    (reading,), problems = parse_bytes(
        text.replace("0:200", "500:200").replace('"0"', '"500"').encode()
    )
    assert (reading.status, problems) == ("complete", [])


@pytest.mark.parametrize("name", HEADLINES)
def test_numbers_match_the_scenario_table(name: str) -> None:
    folder, run = name.split("/")
    (reading,), problems = parse(SCENARIO / folder / f"vegeta-text-{run}.txt")
    assert [each.what for each in problems] == [UNANSWERED] * (run == "refused")
    total, rate, throughput, *rest = HEADLINES[name].split()
    actual = values(reading)
    assert actual["requests", "count", None] == float(total)
    assert actual["request_rate", "mean", None] == float(rate)
    assert actual["success_rate_per_second", "mean", None] == float(throughput)
    for stat, milliseconds in zip(LATENCIES, rest, strict=False):
        assert actual["latency", stat, None] == pytest.approx(float(milliseconds) / 1e3, rel=1e-12)
    assert actual["error_rate", "mean", None] == pytest.approx(1 - float(rest[7]) / 100, abs=1e-12)
    codes = {code: float(count) for code, count in (part.split(":") for part in rest[8:])}
    assert {key[2]: actual[key] for key in actual if key[0] == "responses"} == codes


@pytest.mark.parametrize("name", HEADLINES)
def test_json_report_agrees_within_rounding(name: str) -> None:
    folder, run = name.split("/")
    (text,), _ = parse(SCENARIO / folder / f"vegeta-text-{run}.txt")
    (exact,), problems = parse(SCENARIO / folder / f"vegeta-report-{run}.json")
    assert exact.form == "json"
    assert [each.what for each in problems] == [UNANSWERED] * (run == "refused")
    precise = values(exact)
    for subject, metric, stat, value, _, _, _, resolution, _, _ in text.rows:
        step = (resolution or 0) * 0.5000001
        assert abs(value - precise[metric, stat, subject]) <= step


def test_every_value_of_a_report_has_its_line_and_resolution() -> None:
    (reading,), _ = parse(SCENARIO / "edge" / "vegeta-text-refused.txt")
    assert (reading.tool, reading.form, reading.line, reading.last_line) == ("vegeta", "text", 1, 9)
    assert (reading.status, reading.load_model, reading.target_rate) == ("failed", "open", None)
    assert reading.duration == 1.991
    lines = {(row[1], row[2], row[0]): (row[3], row[7], row[8], row[9]) for row in reading.rows}
    assert lines == {
        ("requests", "count", None): (200, None, "reported", 1),
        ("request_rate", "mean", None): (100.47, 0.01, "reported", 1),
        ("success_rate_per_second", "mean", None): (0, 0.01, "reported", 1),
        ("duration", "total", None): (1.991, 1e-3, "reported", 2),
        ("duration", "total", "attack"): (1.991, 1e-3, "reported", 2),
        ("duration", "total", "wait"): (0.000174791, 1e-9, "reported", 2),
        ("latency", "min", None): (0.000042772, 1e-9, "reported", 3),
        ("latency", "mean", None): (0.000194673, 1e-9, "reported", 3),
        ("latency", "p50", None): (0.000143774, 1e-9, "reported", 3),
        ("latency", "p90", None): (0.000198931, 1e-9, "reported", 3),
        ("latency", "p95", None): (0.000260802, 1e-9, "reported", 3),
        ("latency", "p99", None): (0.00222, 1e-6, "reported", 3),
        ("latency", "max", None): (0.004433, 1e-6, "reported", 3),
        ("bytes_in", "total", None): (0, None, "reported", 4),
        ("bytes_in", "mean", None): (0, 0.01, "reported", 4),
        ("bytes_out", "total", None): (0, None, "reported", 5),
        ("bytes_out", "mean", None): (0, 0.01, "reported", 5),
        ("error_rate", "mean", None): (1, 1e-4, "computed", 6),
        ("responses", "count", "0"): (200, None, "reported", 7),
    }


@pytest.mark.parametrize(
    ("version", "latencies", "others"),
    [
        ("v1.0.0", ("mean", "p95", "p99", "max"), {("duration", "attack")}),
        ("v4.0.0", ("mean", "p50", "p95", "p99", "max"), {("duration", "attack")}),
        ("v5.9.0", ("mean", "p50", "p95", "p99", "max"), {("request_rate", None)}),
        (
            "v12.6.0",
            ("mean", "p50", "p95", "p99", "max"),
            {("request_rate", None), ("success_rate_per_second", None)},
        ),
    ],
)
def test_old_versions_are_read_by_their_bracketed_names(
    version: str, latencies: tuple[str, ...], others: set[tuple[str, str | None]]
) -> None:
    (reading,), problems = parse(EDGE / "old" / f"{version}.txt")
    actual = values(reading)
    assert not problems
    assert tuple(key[1] for key in actual if key[0] == "latency") == latencies
    assert actual["latency", "max", None] == 0.158283849
    assert actual["latency", "mean", None] == 0.148749877
    assert actual["duration", "total", "attack"] == 0.144101578
    assert actual["error_rate", "mean", None] == 0.875
    assert others <= {(metric, subject) for metric, _, subject in actual}
    assert (("duration", "total", None) in actual) == (version not in {"v1.0.0", "v4.0.0"})
    assert (("request_rate", "mean", None) in actual) == (("request_rate", None) in others)
    assert {row[7] for row in reading.rows if row[4] == "s"} == {1e-9}


def test_zeros_of_unclosed_metrics_are_left_out() -> None:
    (reading,), (problem,) = parse(EDGE / "old" / "v12.8.0-unclosed.txt")
    assert "Close()" in problem.what
    assert reading.status == "partial"
    assert values(reading) == {
        ("requests", "count", None): 40,
        ("latency", "min", None): 0.105633,
        ("latency", "max", None): 0.158284,
        ("bytes_in", "total", None): 0,
        ("bytes_out", "total", None): 0,
        ("responses", "count", "0"): 35,
        ("responses", "count", "200"): 5,
    }


@pytest.mark.parametrize("lines", [1, 2, 3])
def test_zeros_of_unclosed_metrics_are_recognised_in_truncated_text(lines: int) -> None:
    whole = (EDGE / "old" / "v12.8.0-unclosed.txt").read_text().splitlines(keepends=True)
    (reading,), problems = parse_bytes("".join([*whole[:lines], "then\n"]).encode())
    assert ["truncated" in problem.what for problem in problems] == [True, False]
    assert "Close()" in problems[1].what
    assert (reading.status, reading.duration) == ("partial", None)
    assert 0 not in values(reading).values()


def test_attack_without_results_is_failed() -> None:
    (reading,), problems = parse(EDGE / "old" / "v12.8.0-none.txt")
    assert (reading.status, reading.duration, problems) == ("failed", None, [])
    assert values(reading) == {("requests", "count", None): 0}


def test_tail_of_a_report_is_a_run_unless_a_report_follows() -> None:
    readings, problems = parse(EDGE / "kubectl-tails.txt")
    assert [(r.line, r.last_line, r.status, r.role) for r in readings] == [
        (2, 3, "partial", "part"),
        (4, 11, "complete", ""),
        (14, 21, "complete", ""),
        (22, 25, "partial", ""),
        (27, 28, "partial", ""),
    ]
    assert values(readings[0]) == {("responses", "count", "200"): 9000}
    assert ("responses", "count", "200") not in values(readings[3])
    assert [problem.line for problem in problems] == [25, 2]
    assert "2 reports lack their beginning" in problems[1].what


def test_errors_below_a_report_belong_to_it() -> None:
    whole = (EDGE / "kubectl-tails.txt").read_text().splitlines()[3:11]
    errors = ['Get "http://h:80/": EOF', "500 Internal Server Error"]
    readings, _ = parse_bytes("\n".join([*whole, *errors, "Pod: b", *whole, ""]).encode())
    assert [(r.line, r.last_line) for r in readings] == [(1, 10), (12, 19)]


def test_source_reports_are_parts_of_their_aggregate() -> None:
    readings, (note,) = parse(EDGE / "aggregated.md")
    assert [reading.role for reading in readings] == ["", "part", "part", "part"]
    counts = [values(reading)["requests", "count", None] for reading in readings]
    assert counts == [27000, 9000, 9000, 9000]
    assert (note.line, note.severity) == (readings[1].line, "note")
    assert note.what.startswith("3 source reports are parts of one load test, not repeats")


@pytest.mark.parametrize("heading", ["All pods", "# Aggregate", "**Aggregated reports:**"])
def test_source_reports_are_parts_under_any_aggregate_heading(heading: str) -> None:
    text = (EDGE / "aggregated.md").read_text().replace("Aggregated report", heading)
    readings, _ = parse_bytes(text.replace("Source reports", "## Source reports").encode())
    assert [reading.role for reading in readings] == ["", "part", "part", "part"]


def test_aggregate_ends_the_parts_of_the_previous_one() -> None:
    readings, (note,) = parse_bytes((EDGE / "aggregated.md").read_bytes() * 2)
    assert [reading.role for reading in readings] == ["", "part", "part", "part"] * 2
    assert note.what.startswith("6 source reports")


def test_command_above_sets_rate_and_target_of_its_report_only() -> None:
    readings, problems = parse(EDGE / "session.txt")
    assert [reading.form for reading in readings] == ["text", "json", "hist"]
    assert [reading.target for reading in readings] == ["/consumer", "", ""]
    assert [reading.target_rate for reading in readings] == [300, None, None]
    command = "vegeta attack -rate=300/s -duration=30s | vegeta report"
    assert readings[0].command == command
    assert not problems


@pytest.mark.parametrize(
    ("command", "rate", "model"),
    [
        ("vegeta attack -rate=50", 50, "open"),
        ("vegeta attack -rate 300/1m -duration 5s", 5, "open"),
        ("vegeta attack -rate=10/100ms", 100, "open"),
        ("vegeta attack -rate=0 -max-workers=8", None, "closed"),
        ("vegeta attack -duration=5s", None, "open"),
    ],
)
def test_rate_and_load_model_are_read_from_the_command(
    command: str, rate: float | None, model: str
) -> None:
    reading = begin("text", 1, command)
    assert reading.target_rate == (None if rate is None else pytest.approx(rate))
    assert reading.load_model == model


@pytest.mark.parametrize("prefix", ["# ", "> ", "\t", "    ", "| ", "vegeta_1  | ", "\x1b[32m"])
@pytest.mark.parametrize("end", ["\n", "\r\n"])
def test_prefixes_and_line_ends_do_not_change_the_result(prefix: str, end: str) -> None:
    text = (SCENARIO / "agent" / "vegeta-text-1.txt").read_text()
    (plain,), _ = parse_bytes(text.encode())
    dressed = end.join(prefix + line for line in text.splitlines()) + end
    (reading,), problems = parse_bytes(dressed.encode())
    assert FORMAT.recognises(Source(None, "x", dressed.encode()).head())
    assert (reading.rows, reading.status, problems) == (plain.rows, "complete", [])


@pytest.mark.parametrize("encoding", ["utf-8-sig", "utf-16"])
def test_encodings_do_not_change_the_result(encoding: str) -> None:
    text = (SCENARIO / "edge" / "vegeta-text-refused.txt").read_text(encoding="utf-8")
    (plain,), _ = parse_bytes(text.encode())
    (reading,), _ = parse_bytes(text.encode(encoding))
    assert reading.rows == plain.rows


@given(st.data())
def test_truncated_text_is_reported_and_yields_no_wrong_number(data: st.DataObject) -> None:
    name = data.draw(st.sampled_from(["agent/vegeta-text-1.txt", "edge/vegeta-text-partial.txt"]))
    whole = (SCENARIO / name).read_bytes()
    size = data.draw(st.integers(0, len(whole) - 1))
    (complete,), _ = parse_bytes(whole)
    readings, problems = parse_bytes(whole[:size])
    rows = [row for reading in readings for row in reading.rows]
    assert set(rows) <= set(complete.rows)
    if len(rows) < len(complete.rows):
        assert all(reading.status == "partial" for reading in readings)
        assert problems or not FORMAT.recognises(Source(None, "x", whole[:size]).head())


def test_garbled_line_loses_only_its_values() -> None:
    text = (SCENARIO / "agent" / "vegeta-text-1.txt").read_text()
    (reading,), (problem,) = parse_bytes(text.replace("300.04, 300.02", "300.04").encode())
    assert reading.status == "partial"
    assert "'Requests' has 2 values for 3 names" in problem.what
    assert problem.line == 1
    assert "requests" not in {row[1] for row in reading.rows}
    assert values(reading)["latency", "p50", None] == 0.002311


@pytest.mark.parametrize(
    ("old", "new", "message"),
    [
        ("2.311ms", "2.311m", "'Latencies' contains '2.311m' instead of a time"),
        ("9000, 300.04", "9e3, 300.04", "'Requests' contains '9e3' instead of a count"),
        ("100.00%", "all", "'Success' is not a percentage"),
        ("100.00%", "9" * 400 + "%", "'Success' is not a percentage"),
        ("100.00%", "100.01%", "'Success' is not a percentage"),
        ("200:9000", "200=9000", "'Status Codes' contains something other"),
        ("[total, mean]", "[total, median]", ""),
        ("9000, 300.04", f"{'9' * 400}, 300.04", "'99999999999999999999': the number is too"),
    ],
)
def test_values_in_another_notation_are_left_out(old: str, new: str, message: str) -> None:
    text = (SCENARIO / "agent" / "vegeta-text-1.txt").read_text()
    (plain,), _ = parse_bytes(text.encode())
    (reading,), problems = parse_bytes(text.replace(old, new).encode())
    assert set(reading.rows) < set(plain.rows)
    assert [message in problem.what for problem in problems] == ([True] if message else [])


def test_undefined_rates_of_version_6_are_left_out() -> None:
    text = (EDGE / "old" / "v5.9.0.txt").read_text().replace("277.58", "+Inf")
    (reading,), problems = parse_bytes(text.encode())
    assert not problems
    assert "request_rate" not in {row[1] for row in reading.rows}


@pytest.mark.parametrize(
    "text",
    [
        "",
        'fmt.Fprintf(w, "Requests\\t[total, rate]\\t%d, %.2f\\n", m.Requests, m.Rate)',
        "echo Requests [total, rate, throughput]",
        "Running 30s test @ http://h/\n  Latency     1.00ms",
        '{"latencies": "high", "requests": 3}',
        "Value     Percentile   TotalCount 1/(1-Percentile)",
    ],
)
def test_other_texts_are_not_recognised(text: str) -> None:
    assert not FORMAT.recognises(Source(None, "x", text.encode()).head())
    assert parse_bytes(text.encode()) == ([], [])


def test_damaged_gzip_yields_the_reports_before_the_damage() -> None:
    text = (SCENARIO / "agent" / "vegeta-text-1.txt").read_bytes() * 3000
    actual: list[Record] = []
    with pytest.raises(UnreadableError, match="truncated"):
        actual.extend(FORMAT.parse(Source(None, "vegeta.txt", gzip.compress(text)[:-2000])))
    readings = [record for record in actual if isinstance(record, Reading)]
    assert 0 < len(readings) < 3000
    assert {reading.status for reading in readings[:-1]} == {"complete"}


@pytest.mark.parametrize(
    ("printed", "seconds", "resolution"),
    [
        ("0", 0, 1e-9),
        ("0s", 0, 1e-9),
        ("1h2m0s", 3720, 60),
        ("2m55s", 175, 1),
        ("4s", 4, 1e-3),
        ("1.54ms", 0.00154, 1e-6),
        ("809.694µs", 0.000809694, 1e-9),
        ("154.78262ms", 0.15478262, 1e-9),
    ],
)
def test_time_resolution_follows_from_rounding(
    printed: str, seconds: float, resolution: float
) -> None:
    time = read_time(printed)
    assert (time.value, time.resolution) == (seconds, resolution)


def test_undefined_success_is_left_out() -> None:
    text = (SCENARIO / "agent" / "vegeta-text-1.txt").read_text().replace("100.00%", "NaN%")
    (reading,), problems = parse_bytes(text.encode())
    assert not problems
    assert "error_rate" not in {row[1] for row in reading.rows}


def test_command_far_above_a_report_is_ignored() -> None:
    command = 'echo "GET http://h/a" | vegeta attack -rate=7 | vegeta report'
    text = (SCENARIO / "agent" / "vegeta-text-1.txt").read_text()
    (near,), _ = parse_bytes(f"{command}\n\n\n\n\n{text}".encode())
    (far,), _ = parse_bytes(f"{command}\na\nb\nc\n{text}".encode())
    assert (near.target, near.target_rate) == ("/a", 7)
    assert (far.target, far.target_rate) == ("", None)


def test_command_above_gives_host_and_query() -> None:
    reading = begin("text", 1, 'echo "GET http://me:pw@h:8080/a?id=1" | vegeta attack -rate=5')
    assert reading.target == "/a"
    assert reading.env == {"host": "h:8080", "query": "id=1"}
