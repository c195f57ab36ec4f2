"""BenchmarkDotNet's JSON: launches are runs, jobs are params, failures are failed runs."""

from __future__ import annotations

from pathlib import Path

import pytest

from benchkit import load
from benchkit.errors import Diagnostic
from benchkit.parsers.base import Reading, Source
from benchkit.parsers.benchmarkdotnet import JSON

FIXTURES = Path(__file__).resolve().parents[2] / "fixtures"


def read(name: str) -> list[Reading]:
    records = JSON.parse(Source.load(FIXTURES / name))
    return [each for each in records if isinstance(each, Reading)]


def test_each_launch_is_a_run() -> None:
    runs = read("benchmarkdotnet/synthetic-none.json")
    assert len(runs) == 3 * 5
    first = runs[0]
    assert (first.benchmark, first.params) == ("Sorts.Quick", {"N": "100"})
    assert (first.tool_version, first.env["cpus"]) == ("0.14.0", "4")
    assert first.env["cpu"] == "Intel Xeon Platinum 8370C CPU 2.80GHz"
    subject, metric, stat, value, _, n, *_ = first.rows[0]
    assert (subject, metric, stat, n) == (None, "time_per_op", "median", 6)
    assert value == pytest.approx(103e-9, rel=0.05)
    assert {row[1:4] for row in first.rows} >= {("bytes_per_op", "mean", 424.0)}


def test_statistics_stand_for_one_launch() -> None:
    (run,) = read("benchmarkdotnet-forms/synthetic-brief.json")
    assert {row[2] for row in run.rows if row[1] == "time_per_op"} == {
        "median",
        "mean",
        "stdev",
        "min",
        "max",
    }


def test_jobs_of_one_benchmark_are_kept_apart() -> None:
    runs = read("benchmarkdotnet-forms/synthetic-jobs.json")
    assert [run.params["job"] for run in runs] == ["Runtime=.NET 8.0", "Runtime=.NET 6.0"]


def test_a_benchmark_without_results_failed() -> None:
    failed, whole = read("benchmarkdotnet-forms/synthetic-failed.json")
    assert (failed.status, whole.status) == ("failed", "complete")


def test_two_variants_are_compared() -> None:
    frame = load(FIXTURES / "benchmarkdotnet").compare(baseline="synthetic-none").frame
    primary = frame[frame["primary"]]
    assert list(primary["verdict"]) == ["regression", "regression", "equivalent"]


def test_a_median_that_is_no_number_is_named() -> None:
    text = '{"Benchmarks": [{"Type": "A", "Method": "B", "Statistics": {"Median": "x"}}]}'
    (problem,) = JSON.parse(Source(None, "x.json", text.encode()))
    assert isinstance(problem, Diagnostic)
    assert problem.what == "A.B has no valid median"


@pytest.mark.parametrize("ending", ["full", "full-compressed", "brief", "brief-compressed"])
def test_tables_beside_the_json_are_parts_of_its_result(ending: str, tmp_path: Path) -> None:
    """They were errors that ask for the JSON, and a brief JSON was a variant beside the full."""
    text = (FIXTURES / "benchmarkdotnet-forms/synthetic-brief.json").read_text(encoding="utf-8")
    names = {"report.csv": "Method,Job,Mean,Error\n", "report-github.md": "| Method | Mean |\n"}
    names |= {f"report-{ending}.json": text, "report.html": "<table>BenchmarkDotNet</table>"}
    if ending.startswith("full"):
        names |= {"report-brief.json": text, "report-brief-compressed.json": text}
    for name, content in names.items():
        (tmp_path / f"Sorts-{name}").write_text(content, encoding="utf-8")
    found = load(tmp_path)
    assert not found.diagnostics
    assert found.variants == [f"Sorts-report-{ending}"]
