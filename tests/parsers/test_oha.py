"""oha's JSON: the rate covers answered requests; those aborted at the deadline are no failures."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from benchkit import load
from benchkit.errors import Diagnostic
from benchkit.parsers.base import Reading, Source
from benchkit.parsers.oha import JSON

FIXTURES = Path(__file__).resolve().parents[2] / "fixtures/oha"


def read(source: Source) -> tuple[list[Reading], list[Diagnostic]]:
    records = list(JSON.parse(source))
    return (
        [each for each in records if isinstance(each, Reading)],
        [each for each in records if isinstance(each, Diagnostic)],
    )


def values(run: Reading) -> dict[tuple[str | None, str, str], float]:
    return {row[:3]: row[3] for row in run.rows}


def write(**parts: object) -> Source:
    """Return a result of two seconds: four responses of 200, two of 503, and errors."""
    result: dict[str, object] = {
        "summary": {"successRate": 1.0, "total": 2.0, "average": 0.25, "requestsPerSec": 3.0},
        "statusCodeDistribution": {"200": 4, "503": 2},
        "errorDistribution": {},
    }
    return Source(None, "x.json", json.dumps(result | parts).encode())


def test_real_result_is_read_value_by_value() -> None:
    (run,), problems = read(Source.load(FIXTURES / "none-1.json"))
    assert not problems
    assert run.status == "complete"
    assert (
        values(run).items()
        >= {
            (None, "duration", "total"): 2.01126995,
            (None, "latency", "mean"): 0.0028937246877282718,
            (None, "latency", "p99.9"): 0.027108874,
            ("dns", "phase_time", "min"): 8.773e-6,
            (None, "requests", "count"): 5476.0,
            (None, "request_rate", "mean"): 5476 / 2.01126995,
        }.items()
    )


def test_response_with_an_error_status_is_a_failed_request() -> None:
    (run,), problems = read(write())
    assert not problems
    assert values(run) == {
        (None, "duration", "total"): 2.0,
        (None, "latency", "mean"): 0.25,
        (None, "request_rate", "mean"): 3.0,
        ("200", "responses", "count"): 4.0,
        ("503", "responses", "count"): 2.0,
        (None, "requests", "count"): 6.0,
        ("non2xx", "failures", "count"): 2.0,
    }


def test_rate_counts_only_answered_requests() -> None:
    errors = {"aborted due to deadline": 3, "connection closed": 1}
    summary = {"successRate": 0.9, "total": 2.0, "requestsPerSec": 5.0}
    (run,), _ = read(write(summary=summary, errorDistribution=errors))
    rates = [row[3:] for row in run.rows if row[1] == "request_rate"]
    assert [(row[0], row[5]) for row in rates] == [(3.0, "computed")]
    failures = {row[0]: row[3] for row in run.rows if row[1] == "failures"}
    assert failures == {"non2xx": 2.0, "connection closed": 1.0}


def test_run_without_a_response_is_failed() -> None:
    errors = {"Connection refused (os error 111)": 9, "aborted due to deadline": 1}
    (run,), (problem,) = read(write(statusCodeDistribution={}, errorDistribution=errors))
    assert run.status == "failed"
    assert {row[1] for row in run.rows} == {"duration", "failures"}
    assert problem.what == "no request was answered (9 failed), so this run has no result"


@pytest.mark.parametrize("missing", ["summary", "errorDistribution"])
def test_incomplete_result_is_a_diagnostic(missing: str) -> None:
    runs, (problem,) = read(write(**{missing: None}))
    assert not runs
    assert problem.hint == "use the whole file that oha wrote"


def test_two_variants_compare_with_a_verdict() -> None:
    comparison = load(FIXTURES).compare(baseline="none", variant="otlp")
    (verdict,) = comparison.verdicts.primary
    assert (verdict.contrast.metric, verdict.word) == ("request_rate", "regression")


def test_unknown_phases_are_ignored() -> None:
    details = {"DNSDialup": {"mean": 0.1, "fastest": 0.1, "slowest": 0.2}}
    (run,), problems = read(write(details=details))
    assert not problems
    assert not any(metric == "phase_time" for _, metric, _ in values(run))
