"""Vegeta's JSON report: alone, indented, in a log, truncated and never closed."""

from __future__ import annotations

import json
from datetime import UTC, datetime
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from benchkit.parsers.base import Diagnostic, Reading, Source
from benchkit.parsers.vegeta import REPORT as FORMAT

FIXTURES = Path(__file__).parents[2] / "fixtures"
REPORT = FIXTURES / "skywalking-vegeta" / "edge" / "vegeta-report-partial.json"
OLD = FIXTURES / "vegeta-edge" / "old"


def parse(data: bytes) -> tuple[list[Reading], list[Diagnostic]]:
    records = list(FORMAT.parse(Source(None, "report.json", data)))
    readings = [record for record in records if isinstance(record, Reading)]
    return readings, [record for record in records if isinstance(record, Diagnostic)]


def values(reading: Reading) -> dict[tuple[str, str, str | None], float]:
    return {(row[1], row[2], row[0]): row[3] for row in reading.rows}


def test_every_value_of_a_report_is_read() -> None:
    (reading,), problems = parse(REPORT.read_bytes())
    assert not problems
    assert reading.started_at == datetime(2026, 11, 21, 0, 47, 49, 197520, tzinfo=UTC)
    assert reading.duration == 4.128850776
    assert (reading.form, reading.load_model, reading.target) == ("json", "open", "")
    assert values(reading) == {
        ("requests", "count", None): 8800,
        ("request_rate", "mean", None): 2200.154872751764,
        ("success_rate_per_second", "mean", None): 66.12009365581392,
        ("duration", "total", "attack"): 3.999718433,
        ("duration", "total", "wait"): 0.129132343,
        ("duration", "total", None): 4.128850776,
        ("bytes_in", "total", None): 0,
        ("bytes_in", "mean", None): 0,
        ("bytes_out", "total", None): 0,
        ("bytes_out", "mean", None): 0,
        ("latency", "min", None): 0.002443221,
        ("latency", "mean", None): 0.149232105,
        ("latency", "p50", None): 0.150714626,
        ("latency", "p90", None): 0.152290379,
        ("latency", "p95", None): 0.15385798,
        ("latency", "p99", None): 0.158508758,
        ("latency", "max", None): 0.162448214,
        ("responses", "count", "0"): 8527,
        ("responses", "count", "200"): 273,
        ("error_rate", "mean", None): 1 - 0.03102272727272727,
    }


@pytest.mark.parametrize("indent", [1, 2, 4])
@pytest.mark.parametrize("sort_keys", [True, False])
def test_each_row_has_the_line_of_its_number(indent: int, sort_keys: bool) -> None:
    report = json.loads(REPORT.read_text())
    (compact,), _ = parse(REPORT.read_bytes())
    text = "log of today\n\n" + json.dumps(report, indent=indent, sort_keys=sort_keys) + "\nbye\n"
    assert FORMAT.recognises(Source(None, "x", text.encode()).head())
    (reading,), problems = parse(text.encode())
    assert not problems
    assert (reading.line, reading.last_line) == (3, 3 + text.count("\n") - 4)
    assert values(reading) == values(compact)
    lines = text.split("\n")
    for row in reading.rows:
        if row[8] == "reported":
            number = row[3] * 1e9 if row[4] == "s" else row[3]
            assert f"{number:.0f}" in lines[row[9] - 1] or repr(row[3]) in lines[row[9] - 1]


def test_errors_may_contain_braces() -> None:
    report = json.loads(REPORT.read_text()) | {"errors": ['} {"latencies":{"total":1}', "\\"]}
    (reading,), problems = parse(json.dumps(report, indent=2).encode())
    assert (len(reading.rows), problems) == (20, [])


def test_each_report_line_of_a_log_is_a_run() -> None:
    line = REPORT.read_text()
    log = f"run-benchmark:\t{line}noise\n{line}{line}# {line}"
    readings, problems = parse(log.encode())
    assert [reading.line for reading in readings] == [1, 3, 4, 5]
    assert {len(reading.rows) for reading in readings} == {20}
    assert not problems


def test_truncated_report_does_not_lose_the_next_one() -> None:
    line = REPORT.read_text()
    readings, problems = parse(f"{line[:300]}\n{line}".encode())
    assert [reading.line for reading in readings] == [2]
    assert [(problem.line, problem.severity) for problem in problems] == [(1, "error")]


@given(st.integers(0, 10**6))
def test_truncated_report_is_refused(place: int) -> None:
    whole = REPORT.read_bytes().rstrip()
    truncated = whole[: place % len(whole)]
    readings, problems = parse(truncated)
    assert not readings
    assert bool(problems) == FORMAT.recognises(Source(None, "x", truncated).head())


def test_old_reports_yield_only_the_values_they_have() -> None:
    (reading,), problems = parse((OLD / "v1.0.0-report.json").read_bytes())
    assert not problems
    assert (reading.started_at, reading.duration) == (None, None)
    actual = values(reading)
    assert {key[1] for key in actual if key[0] == "latency"} == {"mean", "p95", "p99", "max"}
    assert actual["duration", "total", "attack"] == 0.144101578
    assert ("request_rate", "mean", None) not in actual


def test_zeros_of_unclosed_metrics_are_left_out() -> None:
    (reading,), (problem,) = parse((OLD / "v12.8.0-unclosed.json").read_bytes())
    assert "Close()" in problem.what
    assert (reading.status, reading.duration) == ("partial", None)
    assert values(reading) == {
        ("requests", "count", None): 40,
        ("latency", "min", None): 0.105633454,
        ("latency", "max", None): 0.158283849,
        ("bytes_in", "total", None): 0,
        ("bytes_out", "total", None): 0,
        ("responses", "count", "0"): 35,
        ("responses", "count", "200"): 5,
    }


def test_one_request_has_no_rate() -> None:
    (reading,), problems = parse((OLD / "v12.8.0-one-report.json").read_bytes())
    actual = values(reading)
    assert not problems
    assert reading.status == "complete"
    assert actual["latency", "p99", None] == 0.142728302
    assert not {"request_rate", "success_rate_per_second"} & {key[0] for key in actual}


@pytest.mark.parametrize(
    ("name", "value"),
    [("rate", "fast"), ("requests", True), ("wait", None), ("success", 1e400), ("duration", [3])],
)
def test_invalid_number_is_left_out(name: str, value: object) -> None:
    report = json.loads(REPORT.read_text()) | {name: value, "earliest": "yesterday"}
    (reading,), problems = parse(json.dumps(report).encode())
    assert (len(values(reading)) < 20, reading.started_at, problems) == (True, None, [])


def test_objects_other_than_reports_are_ignored() -> None:
    text = '{\n "latencies": {"mean": 3},\n "metrics": {}\n}\n{"a": 1}\n{\n"open": [\n'
    assert parse(text.encode()) == ([], [])
