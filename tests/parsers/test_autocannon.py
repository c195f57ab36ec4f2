"""autocannon's JSON and tables: milliseconds, grouped thousands, and a rate only where counted."""

from __future__ import annotations

import json
import re
from pathlib import Path

import pytest

from benchkit import load
from benchkit.errors import Diagnostic
from benchkit.parsers.autocannon import JSON, TEXT
from benchkit.parsers.base import Format, Reading, Source

FIXTURES = Path(__file__).resolve().parents[2] / "fixtures/autocannon"


def read(name: str) -> tuple[Reading, list[Diagnostic]]:
    form = JSON if name.endswith(".json") else TEXT
    return split(form, Source.load(FIXTURES / name))


def split(form: Format, source: Source) -> tuple[Reading, list[Diagnostic]]:
    run, *rest = form.parse(source)
    assert isinstance(run, Reading)
    return run, [each for each in rest if isinstance(each, Diagnostic)]


def test_percentiles_separated_from_their_report_are_reported() -> None:
    text = (FIXTURES / "text-percentiles.txt").read_text(encoding="utf-8")
    head = "┌────────────┬──────────────┐\n│ Percentile │ Latency (ms) │\n"
    before, after = text.split(head)
    report, table = before + after.split("└", 1)[1], head + after.partition("┘")[0]
    _, problems = split(TEXT, Source(None, "x", f"{report}\nWith -l:\n\n{table}┘\n".encode()))
    assert [each.what for each in problems if "percentiles" in each.what] == [
        "this table of percentiles stands apart from its report and is not read"
    ]


def test_each_result_of_a_list_is_a_run_under_its_title() -> None:
    """A list, as scripts write it, was refused."""
    result = json.loads((FIXTURES / "none-1.json").read_text(encoding="utf-8"))
    text = json.dumps([result | {"title": "a"}, result | {"title": "b"}], indent=1)
    source = Source(None, "x.json", text.encode())
    assert JSON.recognises(source.head())
    runs = [each for each in JSON.parse(source) if isinstance(each, Reading)]
    assert [run.headings for run in runs] == [("a",), ("b",)]
    assert values(runs[0]) == values(runs[1]) == values(read("none-1.json")[0])
    assert runs[0].last_line < runs[1].line


def test_results_stored_by_autocannon_ci_are_runs() -> None:
    """They were refused as an incomplete result."""
    result = json.loads((FIXTURES / "none-1.json").read_text(encoding="utf-8"))
    stored = [{"path": f"run-{n}", "results": [result | {"title": "root"}]} for n in (6, 5)]
    source = Source(None, "meta.json", json.dumps({"nextId": 7, "runs": stored}).encode())
    assert JSON.recognises(source.head())
    runs = [each for each in JSON.parse(source) if isinstance(each, Reading)]
    assert [run.headings for run in runs] == [("run-6", "root"), ("run-5", "root")]
    assert values(runs[0]) == values(read("none-1.json")[0])


def test_tables_in_a_markdown_page_are_read() -> None:
    """They were reported as output of autocannon or wrk without a complete report."""
    text = (FIXTURES / "text-percentiles.txt").read_text(encoding="utf-8")
    page = re.sub(r"^[┌└].*\n", "", text.replace("│", "|"), flags=re.MULTILINE)
    page = re.sub(r"^├.*$", "| ------- | ---: |", page, flags=re.MULTILINE)
    page = re.sub(r" test @ (\S+)\n(\d+ connections)", r" test @ \1 with \2", page)
    assert TEXT.recognises(Source(None, "x.md", page.encode()).head())
    run, problems = split(TEXT, Source(None, "x.md", page.encode()))
    plain, _ = read("text-percentiles.txt")
    assert not problems
    assert values(run) == values(plain)
    assert (run.params, run.connections) == (plain.params, plain.connections)


def values(run: Reading) -> dict[tuple[str | None, str, str], float]:
    return {row[:3]: row[3] for row in run.rows}


def test_json_values_are_read() -> None:
    run, problems = read("none-1.json")
    assert not problems
    assert (run.status, run.load_model, run.connections) == ("complete", "closed", 10)
    assert (run.target, run.env) == ("/", {"host": "127.0.0.1:18181"})
    assert run.started_at is not None
    assert run.started_at.isoformat() == "2026-11-23T18:55:52.971000+00:00"
    expected = {
        (None, "duration", "total"): 3.02,
        (None, "requests", "count"): 33949.0,
        (None, "request_rate", "mean"): 11316.67,
        (None, "latency", "p97.5"): 0.005,
        (None, "latency", "p99.99"): 0.027,
        (None, "latency", "max"): 0.04,
        (None, "bytes_in", "total"): 4345472.0,
        ("200", "responses", "count"): 33949.0,
    }
    assert values(run).items() >= expected.items()
    assert (None, "latency", "min") not in values(run)  # 1 ms, though half took less


def test_table_values_are_read() -> None:
    run, problems = read("text.txt")
    assert not problems
    assert values(run) == {
        (None, "latency", "p2.5"): 0.0,
        (None, "latency", "p50"): 0.0,
        (None, "latency", "p97.5"): 0.002,
        (None, "latency", "p99"): 0.004,
        (None, "latency", "mean"): 0.00017,
        (None, "latency", "stdev"): 0.00087,
        (None, "latency", "max"): 0.027,
        (None, "request_rate", "mean"): 18678.67,
        (None, "bandwidth_in", "mean"): 2390000.0,
        (None, "duration", "total"): 3.01,
        (None, "bytes_in", "total"): 7170000.0,
    }


@pytest.mark.parametrize("width", [73, 75, 78, 83])
def test_wrapped_tables_are_read_completely(width: int) -> None:
    """A page wrapped them before the last bar, and a run with its rate was lost silently."""
    path = FIXTURES / "text.txt"
    lines = path.read_text(encoding="utf-8").splitlines()
    wrapped = [text[i : i + width] for text in lines for i in range(0, len(text) or 1, width)]
    run, problems = split(TEXT, Source(None, "page.txt", "\n".join(wrapped).encode()))
    assert not problems
    assert values(run) == values(read("text.txt")[0])
    row = next(row for row in run.rows if row[1] == "request_rate")
    assert "Req/Sec" in wrapped[row[-1] - 1]


@pytest.mark.parametrize(
    ("name", "rate", "longest"),
    [
        ("v2.json", 12544.0, 0.01027686),
        ("text-v2.txt", 17838.0, 0.01323),
        ("text-v5.txt", 12492.0, 0.01187),
    ],
)
def test_earlier_versions_are_read(name: str, rate: float, longest: float) -> None:
    run, problems = read(name)
    assert not problems
    assert values(run)[None, "request_rate", "mean"] == rate
    assert values(run)[None, "latency", "max"] == pytest.approx(longest)


def test_version_2_percentiles_have_three_nines() -> None:
    run, _ = read("v2.json")
    assert values(run)[None, "latency", "p99.9"] == 0.006
    assert values(run)[None, "latency", "p99.99"] == 0.01


@pytest.mark.parametrize("name", ["bad.json", "text-workers.txt"])
def test_single_sample_of_the_count_is_not_a_rate(name: str) -> None:
    run, (problem,) = read(name)
    assert "only one sample of the request count" in str(problem)
    assert "request_rate" not in {row[1] for row in run.rows}
    assert run.status == "complete"


def test_failures_have_reasons() -> None:
    assert values(read("bad.json")[0])["non2xx", "failures", "count"] == 20.0
    assert values(read("mismatch.json")[0])["mismatch", "failures", "count"] == 300.0
    text, _ = read("text-percentiles.txt")
    assert values(text)["non2xx", "failures", "count"] == 50873.0
    assert values(text)[None, "requests", "count"] == 50873.0


@pytest.mark.parametrize(("name", "failed"), [("refused.json", 5316), ("text-refused.txt", 4000)])
def test_run_without_a_response_has_no_measurements(name: str, failed: float) -> None:
    run, (problem,) = read(name)
    assert run.status == "failed"
    assert f"{failed} failed" in str(problem)
    assert {row[1] for row in run.rows} == {"duration", "failures"}


def test_command_with_a_rate_is_an_open_loop() -> None:
    command = b"$ autocannon -c 10 -R 500 http://127.0.0.1:18181/\n"
    run, _ = split(TEXT, Source(None, "x", command + (FIXTURES / "text.txt").read_bytes()))
    assert run.load_model == "open"
    altered = (FIXTURES / "text.txt").read_bytes().replace(b" test @ ", b" test  ")
    run, problems = split(TEXT, Source(None, "x", altered))
    assert run.target == ""
    assert "is truncated or altered and is ignored: 'Running " in problems[0].what
    run, problems = split(TEXT, Source(None, "x", command + altered))
    assert (run.target, problems) == ("/", [])


def test_object_without_counts_is_refused() -> None:
    data = json.dumps({"connections": 1, "sampleInt": 1000, "duration": 2}).encode()
    (problem,) = JSON.parse(Source(None, "x.json", data))
    assert "the average and total" in str(problem)


def test_two_variants_compare_by_requests_per_second() -> None:
    none, otlp = ([*FIXTURES.glob(f"{name}-*.json")] for name in ("none", "otlp"))
    result = load({"none": none, "otlp": otlp}).compare(baseline="none").to_frame()
    (row,) = result[result["primary"]].to_dict("records")
    assert (row["metric"], row["n_variant"], row["verdict"]) == ("request_rate", 5, "regression")


def test_misplaced_thousands_separators_are_not_read() -> None:
    text = (FIXTURES / "text.txt").read_text(encoding="utf-8")
    (rate,) = (line.split("│")[6].strip() for line in text.splitlines() if "Req/Sec" in line)
    records = TEXT.parse(Source(None, "x", text.replace(rate, "1,1,234").encode()))
    rows = [row for each in records if isinstance(each, Reading) for row in each.rows]
    assert "request_rate" not in {row[1] for row in rows}


@pytest.mark.parametrize(
    ("cells", "rate"),
    [
        ("18.678,67 │ 5.524,74", 18678.67),
        ("18.678 │ 5.524", 18678.0),
        ("18\u202f678,67 │ 5\u202f524,74", 18678.67),
        ("18\u00a0678,7 │ 524,7", 18678.7),
        ("18’678.67 │ 5’524.74", 18678.67),
        ("12,34,567.8 │ 5,524.74", 1234567.8),
        ("678,6 │ 55", 678.6),
    ],
)
def test_rates_in_the_language_of_the_machine_are_read(cells: str, rate: float) -> None:
    """A dot between thousands made whole rates a thousandth, and lost the row of all others."""
    text = (FIXTURES / "text.txt").read_text(encoding="utf-8")
    english = "18,678.67 │ 5,524.74"
    assert text.count(english) == 1
    run, problems = split(TEXT, Source(None, "x", text.replace(english, cells).encode()))
    assert (values(run)[None, "request_rate", "mean"], problems) == (rate, [])


def test_tables_of_zeros_are_a_run_without_a_response() -> None:
    """The minimum of no counts is the largest number that the tool can represent."""
    text = """Running 100s test @ http://localhost:3000
10 connections

│ Stat    │ 2.5% │ 50%  │ 97.5% │ 99%  │ Avg  │ Stdev │ Max  │
│ Latency │ 0 ms │ 0 ms │ 0 ms  │ 0 ms │ 0 ms │ 0 ms  │ 0 ms │
│ Stat      │ 1%  │ 2.5% │ 50% │ 97.5% │ Avg │ Stdev │ Min              │
│ Req/Sec   │ 0   │ 0    │ 0   │ 0     │ 0   │ 0     │ 9007199254740991 │
│ Bytes/Sec │ 0 B │ 0 B  │ 0 B │ 0 B   │ 0 B │ 0 B   │ 0 B              │

Req/Bytes counts sampled once per second.

0 requests in 100.26s, 0 B read
100 errors (100 timeouts)
"""
    run, (problem,) = split(TEXT, Source(None, "x", text.encode()))
    assert run.status == "failed"
    assert "no request was answered (100 failed)" in problem.what
