"""Artillery's report: both versions, and requests without a response."""

from __future__ import annotations

import json
import re
from pathlib import Path

from benchkit import load
from benchkit.errors import Diagnostic
from benchkit.parsers.artillery import JSON
from benchkit.parsers.base import Reading, Source

FIXTURES = Path(__file__).resolve().parents[2] / "fixtures"


def read(name: str) -> tuple[Reading, list[Diagnostic]]:
    records = list(JSON.parse(Source.load(FIXTURES / "artillery-forms" / name)))
    (run,) = (each for each in records if isinstance(each, Reading))
    return run, [each for each in records if isinstance(each, Diagnostic)]


def values(run: Reading) -> dict[tuple[str | None, str, str], float]:
    return {row[:3]: row[3] for row in run.rows}


def test_version_2_has_counts_times_and_failures() -> None:
    run, problems = read("synthetic-timeouts.json")
    assert not problems
    assert run.started_at is not None
    assert (run.load_model, run.duration) == ("open", 10.012)
    actual = values(run)
    assert actual[None, "requests", "count"] == 593
    assert actual["503", "responses", "count"] == 2
    assert actual["timeout", "failures", "count"] == 7
    assert actual[None, "bytes_in", "total"] == 7200
    assert {stat for _, metric, stat in actual if metric == "latency"} == {
        *("min", "max", "mean", "p50", "p75", "p90", "p95", "p99", "p99.9"),
    }
    assert (None, "request_rate", "mean") not in actual


def test_real_run_has_consistent_counts_and_latencies() -> None:
    (run,) = JSON.parse(Source.load(FIXTURES / "artillery-runs/none-1.json"))
    assert isinstance(run, Reading)
    actual = values(run)
    assert actual[None, "requests", "count"] == actual["200", "responses", "count"]
    assert actual[None, "latency", "min"] <= actual[None, "latency", "p50"]
    assert actual[None, "latency", "p50"] <= actual[None, "latency", "max"]
    frame = load(FIXTURES / "artillery-runs").compare(baseline="none").frame
    assert list(frame[frame["primary"]]["n_variant"]) == [3]


def test_version_1_has_a_rate() -> None:
    run, problems = read("synthetic-version1.json")
    assert not problems
    actual = values(run)
    assert actual[None, "request_rate", "mean"] == 11.93
    assert actual[None, "latency", "p99"] == 0.0121
    assert actual["connect", "failures", "count"] == 2


def test_negative_time_is_skipped_with_a_diagnostic() -> None:
    text = (FIXTURES / "artillery-forms/synthetic-version1.json").read_text(encoding="utf-8")
    text = re.sub(r'"min": [\d.]+', '"min": -3', text)
    run, problem = JSON.parse(Source(None, "x.json", text.encode()))
    assert isinstance(run, Reading)
    assert isinstance(problem, Diagnostic)
    assert (None, "latency", "min") not in values(run)
    assert (None, "latency", "p50") in values(run)
    assert "latency.min is -3" in problem.what
    assert text.split("\n")[problem.line - 1].strip().startswith('"min": -3')


def test_run_without_a_response_is_failed() -> None:
    run, (problem,) = read("synthetic-refused.json")
    assert run.status == "failed"
    assert "5 failed" in problem.what


def test_run_is_failed_if_all_virtual_users_failed() -> None:
    report = """{"aggregate": {"counters": {"http.requests": 6, "http.responses": 6,
        "http.codes.200": 6, "vusers.created": 3, "vusers.completed": %d,
        "vusers.failed": 3}, "summaries": {}}}"""
    runs = [
        next(iter(JSON.parse(Source(None, "x.json", (report % completed).encode()))))
        for completed in (0, 1)
    ]
    assert all(isinstance(run, Reading) for run in runs)
    assert [(run.status, run.remark) for run in runs if isinstance(run, Reading)] == [
        ("failed", "3: all 3 virtual users failed"),
        ("complete", None),
    ]


def test_metric_names_of_the_version_2_preview_are_read() -> None:
    text = (
        b'{"aggregate": {"counters": {"core.vusers.created.total": 9, "engine.http.requests": 9,\n'
        b'"engine.http.codes.200": 6, "engine.http.responses": 6, "errors.ETIMEDOUT": 3},\n'
        b'"summaries": {"engine.http.response_time": {"min": 34, "median": 2780, "p99": 9230.4}}}}'
    )
    (run,) = JSON.parse(Source(None, "x.json", text))
    assert isinstance(run, Reading)
    assert run.status != "failed"
    assert values(run) == {
        (None, "requests", "count"): 6,
        ("200", "responses", "count"): 6,
        ("timeout", "failures", "count"): 3,
        (None, "latency", "min"): 0.034,
        (None, "latency", "p50"): 2.78,
        (None, "latency", "p99"): 9.2304,
    }


def test_intermediate_periods_may_precede_the_aggregate(tmp_path: Path) -> None:
    text = (FIXTURES / "artillery-forms/synthetic-version1.json").read_text(encoding="utf-8")
    report = {"intermediate": [{"codes": {}}], **json.loads(text)}
    (tmp_path / "run.json").write_text(json.dumps(report, indent=2), encoding="utf-8")
    assert list(load(tmp_path).runs["tool"]) == ["artillery"]


def test_aggregate_of_another_protocol_is_refused() -> None:
    text = b'{"aggregate": {"counters": {"ws.messages": 3}}}'
    (problem,) = JSON.parse(Source(None, "x.json", text))
    assert isinstance(problem, Diagnostic)
    assert problem.what == "the aggregate has no requests over HTTP"


def test_two_variants_are_compared_by_their_median() -> None:
    frame = load(FIXTURES / "artillery").compare(baseline="synthetic-none").frame
    primary = frame[frame["primary"]]
    assert list(zip(primary["metric"], primary["stat"], strict=True)) == [("latency", "p50")]
    assert list(primary["verdict"]) == ["regression"]
