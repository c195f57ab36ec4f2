"""Locust's table: milliseconds become seconds, the aggregated row is the run."""

from __future__ import annotations

from pathlib import Path

import pytest

from benchkit import load
from benchkit.errors import Diagnostic
from benchkit.parsers.base import Reading, Source
from benchkit.parsers.locust import CSV, HISTORY

FIXTURES = Path(__file__).resolve().parents[2] / "fixtures/locust"
HEADER = "Type,Name,Request Count,Failure Count,Average Response Time,Requests/s,50%,100%\n"


def read(text: str | Path) -> tuple[list[Reading], list[Diagnostic]]:
    source = Source(None, "x", text.encode()) if isinstance(text, str) else Source.load(text)
    records = list(CSV.parse(source))
    return (
        [each for each in records if isinstance(each, Reading)],
        [each for each in records if isinstance(each, Diagnostic)],
    )


def values(run: Reading) -> dict[tuple[str | None, str, str], float]:
    return {row[:3]: row[3] for row in run.rows}


def test_aggregated_row_is_the_run_and_others_are_its_parts() -> None:
    (run,), problems = read(FIXTURES / "none-1_stats.csv")
    assert not problems
    assert (run.status, run.load_model) == ("complete", "closed")
    actual = values(run)
    expected = {
        (None, "requests", "count"): 164.0,
        (None, "failures", "count"): 0.0,
        (None, "bytes_in", "mean"): 50.0,
    }
    assert actual.items() >= expected.items()
    assert actual[None, "latency", "p50"] <= actual[None, "latency", "p99.9"]
    assert ("POST /order, now", "latency", "p98") in actual
    assert (None, "latency", "p100") not in actual


def test_second_header_starts_a_second_run() -> None:
    """The first run also had the second one's requests of each name."""
    row = "GET,/a,{0},0,10,{0}.5,9,20\n,Aggregated,{0},0,10,{0}.5,9,20\n"
    runs, problems = read(HEADER + row.format(3) + HEADER + row.format(5))
    assert not problems
    assert [(run.line, run.last_line) for run in runs] == [(1, 3), (4, 6)]
    for run, count in zip(runs, (3.0, 5.0), strict=True):
        counts = [row[0::3][:2] for row in run.rows if row[1] == "requests"]
        assert counts == [("GET /a", count), (None, count)]


def test_older_headers_are_read() -> None:
    text = (
        '"Method","Name","# requests","# failures","Median response time",'
        '"Average response time","Requests/s"\n'
        '"GET","/a",10,1,12,13,5.00\n"None","Total",10,1,12,13,5.00\n'
    )
    (run,), problems = read(text)
    assert not problems
    assert values(run)[None, "latency", "p50"] == 0.012
    assert values(run)["GET /a", "failures", "count"] == 1.0


def test_run_of_only_failures_has_no_measurements() -> None:
    (run,), (problem,) = read(FIXTURES / "refused_stats.csv")
    assert run.status == "failed"
    assert "requests failed, so this run has no result" in str(problem)
    assert {row[1] for row in run.rows} == {"failures"}


@pytest.mark.parametrize(
    ("text", "message"),
    [
        (HEADER, "the table has no row Aggregated"),
        (HEADER + "GET,/a,5,0,7,2.5,6,9\n", "the table has no row Aggregated"),
        (HEADER + ",Aggregated,x,0,7,2.5,6,9\n", "the table has no row Aggregated"),
        (HEADER + ",Aggregated,5,0\n", "this row has 4 cells"),
        (HEADER + ",Aggregated,5,0,7,2.5,6,9", "the last row is left out: it has no line end"),
        (HEADER + ",Aggregated,0,0,0,0,N/A,N/A\n", "all 0 requests failed"),
        (HEADER + ",Aggregated,5,0,7,2.5,6,9\n" * 2, "a second row Aggregated is left out"),
    ],
)
def test_unreadable_input_is_a_diagnostic(text: str, message: str) -> None:
    runs, problems = read(text)
    assert len(runs) == 1
    assert problems[0].what.startswith(message)


def test_other_files_of_locust_are_ignored() -> None:
    runs = load(FIXTURES)
    assert set(runs.runs["variant"]) >= {"none", "otlp"}
    assert set(runs.runs["role"]) == {"measured", "failed"}


def test_two_variants_compare_by_requests_per_second() -> None:
    comparison = load(FIXTURES).compare(baseline="none", variant="otlp")
    (verdict,) = comparison.verdicts.primary
    assert (verdict.contrast.metric, verdict.word) == ("request_rate", "regression")


HISTORY_HEADER = "Timestamp,User Count,Type,Name,50%,Total Request Count,Total Failure Count\n"


def read_history(text: str) -> tuple[list[Reading], list[str]]:
    records = list(HISTORY.parse(Source(None, "x", text.encode())))
    return (
        [each for each in records if isinstance(each, Reading)],
        [str(each) for each in records if isinstance(each, Diagnostic)],
    )


def test_history_has_the_totals_of_its_table_and_a_coarser_rate() -> None:
    (run,), problems = read_history(
        (FIXTURES / "none-1_stats_history.csv").read_text(encoding="utf-8")
    )
    (table,) = (each for each in CSV.parse(Source.load(FIXTURES / "none-1_stats.csv")))
    assert isinstance(table, Reading)
    totals = {row[:3]: row[3] for row in table.rows if row[0] is None}
    rows = {row[:3]: row for row in run.rows}
    rate = rows.pop((None, "request_rate", "mean"))
    assert not problems
    assert {key: row[3] for key, row in rows.items()}.items() <= totals.items()
    assert rate[3] == pytest.approx(164 / 3)
    assert rate[7] == pytest.approx(164 / 9)
    assert (run.connections, run.duration, str(run.started_at)[:19]) == (
        4, 3.0, "2026-11-23 23:51:42",
    )  # fmt: skip


@pytest.mark.parametrize(
    ("rows", "rate"),
    [
        ("10,1,,Aggregated,N/A,0,0\n12,1,,Aggregated,5,90,0\n13,1,,Aggregated,5,90,0\n", 45.0),
        ("10,1,,Aggregated,5,30,0\n12,1,,Aggregated,5,90,0\n", 30.0),
        ("1,1,,Aggregated,5,500,0\n3,1,,Aggregated,5,10,0\n5,1,,Aggregated,5,90,0\n", 40.0),
    ],
)
def test_history_rate_covers_only_the_time_with_requests(rows: str, rate: float) -> None:
    (run,), problems = read_history(HISTORY_HEADER + rows)
    assert not problems
    assert [row[3] for row in run.rows if row[1] == "request_rate"] == [rate]


def test_unreadable_history_row_is_reported() -> None:
    rows = "10,1,,Aggregated,5,0,0\n11,1,,Aggregated,5,x,0\n12,1,,Aggregated,5,90,0\n"
    (run,), (problem,) = read_history(HISTORY_HEADER + rows)
    assert problem.startswith("x:3: this row has no valid time or count")
    assert run.status == "partial"
    assert read_history(HISTORY_HEADER)[0][0].status == "failed"
