"""plow's text and JSON: a run's last report, and its answered requests."""

from __future__ import annotations

import json
import re
from pathlib import Path

import pytest
from scaling import assert_linear

from benchkit.errors import Diagnostic
from benchkit.parsers.base import Format, Reading, Source
from benchkit.parsers.plow import JSON, TEXT

FORMS = Path(__file__).resolve().parents[2] / "fixtures/plow-forms"


def read(form: Format, text: str) -> tuple[list[Reading], list[Diagnostic]]:
    records = list(form.parse(Source(None, "x", text.encode())))
    runs = [each for each in records if isinstance(each, Reading)]
    return runs, [each for each in records if isinstance(each, Diagnostic)]


def load(name: str) -> str:
    return (FORMS / name).read_text(encoding="utf-8")


def values(run: Reading) -> dict[tuple[str | None, str, str], float]:
    return {row[:3]: row[3] for row in run.rows}


def test_report_has_count_rate_sizes_and_latencies() -> None:
    (run,), problems = read(TEXT, load("text-summary.txt"))
    assert not problems
    assert (run.target, run.params, run.load_model) == ("/list", {"connections": "4"}, "closed")
    actual = values(run)
    assert actual[None, "requests", "count"] == 13096
    assert actual[None, "request_rate", "mean"] == 13095.164
    assert actual[None, "bandwidth_in", "mean"] == pytest.approx(1.511 * 2**20)
    assert actual[None, "latency", "max"] == 0.050715
    assert actual[None, "latency", "p99.99"] == 0.050715
    assert run.duration == pytest.approx(1.00006, abs=1e-5)


@pytest.mark.parametrize(
    ("form", "name", "count"), [(TEXT, "text-live.txt", 7274), (JSON, "live.json", 6395)]
)
def test_last_of_the_progress_reports_is_used(form: Format, name: str, count: int) -> None:
    (run,), problems = read(form, load(name))
    assert not problems
    assert values(run)[None, "requests", "count"] == count
    assert run.connections in {2, 4}


def test_two_runs_in_a_file_are_kept_apart() -> None:
    document = json.loads(load("errors.json"))
    (first, second), _ = read(JSON, json.dumps(document) * 2)
    assert values(first) == values(second)
    document["Summary"] |= {"Count": 400, "RPS": document["Summary"]["RPS"] * 1.99}
    runs, _ = read(JSON, load("errors.json") + json.dumps(document))
    assert len(runs) == 2
    runs, _ = read(TEXT, load("text-summary.txt") + load("text-short.txt"))
    assert [run.target for run in runs] == ["/list", ""]


def test_run_without_its_last_report_yields_no_values() -> None:
    text = load("text-live.txt")
    (run,), (problem,) = read(TEXT, text[: text.rindex("Latency Histogram")])
    assert (run.status, run.rows) == ("partial", [])
    assert "lacks its `Latency Histogram` line" in problem.what
    reports = text.split("Summary:")
    (run,), (problem,) = read(TEXT, "Summary:".join(reports[:2]))
    assert (run.status, run.rows) == ("partial", [])
    assert "plow printed this report before its run ended" in problem.what
    runs, (problem,) = read(JSON, load("live.json")[:-40])
    assert not runs
    assert "truncated" in problem.what


def test_times_in_seconds_have_no_unit() -> None:
    (run,), _ = read(TEXT, load("text-seconds.txt"))
    assert values(run)[None, "latency", "mean"] == 0.00014
    (run,), _ = read(JSON, load("errors.json"))
    assert values(run)[None, "latency", "p99"] == 0.00103
    assert values(run)["non2xx", "failures", "count"] == 200


@pytest.mark.parametrize(("form", "name"), [(TEXT, "text-refused.txt"), (JSON, "refused.json")])
def test_run_without_a_response_has_no_measurements(form: Format, name: str) -> None:
    (run,), (problem,) = read(form, load(name))
    assert run.status == "failed"
    assert values(run)["connect", "failures", "count"] == 50
    assert "no request was answered (50 failed)" in problem.what


def test_rate_counts_only_answered_requests() -> None:
    document = json.loads(load("errors.json"))
    document["Error"] = {"timeout": 50}
    document["Summary"]["Count"] = 250
    (run,), _ = read(JSON, json.dumps(document))
    assert values(run)[None, "request_rate", "mean"] == pytest.approx(15374.159 * 200 / 250)
    assert values(run)["timeout", "failures", "count"] == 50


def test_document_without_a_summary_is_refused() -> None:
    runs, (problem,) = read(JSON, '{"Summary": {"Elapsed": "1s"}, "Percentiles": {}}')
    assert not runs
    assert "needs the count of requests and their rate" in problem.what


def test_command_with_a_fixed_rate_is_an_open_loop() -> None:
    (run,), _ = read(TEXT, f"$ plow --rate 200/1s http://h/\n{load('text-short.txt')}")
    assert (run.load_model, run.target) == ("open", "/")


def test_altered_first_line_is_reported() -> None:
    first = "Benchmarking http://h/a for 1s using 4 conn\n\n"
    (run,), (problem,) = read(TEXT, f"{first}{load('text-short.txt')}")
    assert (run.target, run.line) == ("", 1)
    assert "is truncated or altered and is ignored: 'Benchmarking http" in problem.what


def test_names_without_a_line_take_linear_time() -> None:
    def make(size: int) -> str:
        document = {
            "Summary": {"Elapsed": "2s", "Count": 6, "Counts": {"2xx": 6}, "RPS": 3.0},
            "Statistics": {"Latency": {"Min": "1ms", "Max": "2ms"}},
            "Percentiles": {f"P{n}\N{MICRO SIGN}": "1ms" for n in range(size)},  # escaped
        }
        return json.dumps(document, indent=1)

    assert_linear(make, lambda text: read(JSON, text), 8000)
    (run,), problems = read(JSON, make(2000))
    assert len(problems) == 2000
    assert {row[9] for row in run.rows if row[2] in {"min", "max"}} == {12, 13}


def test_rate_with_underscores_is_not_read() -> None:
    text = re.sub(r'"Reads": "[\d.]+MB/s"', '"Reads": "1_000MB/s"', load("live.json"))
    assert "1_000" in text
    (run,), (problem, *_) = read(JSON, text)
    assert "bandwidth_in" not in {row[1] for row in run.rows}
    assert "1_000MB/s" in problem.what


def test_duplicate_name_has_the_line_of_its_value() -> None:
    text = (FORMS.parent / "plow/none-1.json").read_text(encoding="utf-8")
    (run,), _ = read(JSON, text.replace('"P90"', '"P50"'))
    actual = {row[2]: row for row in run.rows if row[1] == "latency"}
    for stat in ("p50", "p75", "p95"):
        assert f'"{actual[stat][3] * 1e6:.0f}µs"' in text.splitlines()[actual[stat][9] - 1]


def test_time_with_digits_after_its_unit_is_not_read() -> None:
    text = load("errors.json").replace('"0.000245"', '"0.0m30s0245"')
    (run,), (problem, *_) = read(JSON, text)
    assert ("latency", "mean") not in {(row[1], row[2]) for row in run.rows}
    assert "0.0m30s0245" in problem.what


@pytest.mark.parametrize("count", ["NaN", "-200"])
def test_invalid_count_is_skipped_with_a_diagnostic(count: str) -> None:
    text = load("errors.json").replace('"4xx": 200', f'"4xx": {count}')
    assert count in text
    (run,), (problem, _) = read(JSON, text)
    assert "responses" not in {row[1] for row in run.rows}
    assert f"'{count}' is not an amount of 4xx" in problem.what


def test_infinite_count_is_refused() -> None:
    text = re.sub(r'"Count": \d+', f'"Count": {"9" * 400}', load("errors.json"))
    runs, (amount, problem) = read(JSON, text)
    assert not runs
    assert "is not an amount of Count" in amount.what
    assert "count of requests" in problem.what


@pytest.mark.parametrize("end", ["Latency Percentile:", "Latency Histogram:"])
def test_single_report_without_its_last_lines_is_a_partial_run(end: str) -> None:
    """Nothing was kept from a page whose author left out percentiles and histogram."""
    text = load("text-summary.txt")
    (run,), (problem,) = read(TEXT, text[: text.index(end)])
    (whole,), _ = read(TEXT, text)
    assert (run.status, whole.status) == ("partial", "complete")
    assert values(run).items() <= values(whole).items()
    assert values(run)[None, "latency", "mean"] == 300e-6
    assert "lacks its `Latency Histogram` line; the rest is kept" in problem.what


@pytest.mark.parametrize("rows", ["", "  46µs     3886  ■■■■\n  917µs      12\n"])
def test_report_of_an_unlimited_run_needs_no_percentages(rows: str) -> None:
    text, _ = load("text-summary.txt").split("Latency Histogram:\n")
    (run,), problems = read(TEXT, f"{text}Latency Histogram:\n{rows}")
    assert not problems
    assert (run.status, values(run)[None, "requests", "count"]) == ("complete", 13096)


def test_progress_report_of_a_counted_run_yields_no_values() -> None:
    text, _ = load("text-summary.txt").split("Latency Histogram:\n")
    text = re.sub(r"(Count +\d+)", r"\1  |■■■      |", text)
    (run,), (problem,) = read(TEXT, f"{text}Latency Histogram:\n")
    assert (run.status, run.rows) == ("partial", [])
    assert "plow printed this report before its run ended" in problem.what
