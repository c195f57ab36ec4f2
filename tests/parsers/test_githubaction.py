"""github-action-benchmark: an entry is a run of its commit, a unit decides the metric."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from benchkit import load
from benchkit.errors import Diagnostic
from benchkit.parsers.base import Reading, Source
from benchkit.parsers.githubaction import CUSTOM, HISTORY

FORMS = Path(__file__).resolve().parents[2] / "fixtures/github-action-benchmark-forms"


def read(name: str) -> list[Reading]:
    records = list(HISTORY.parse(Source.load(FORMS / name)))
    return [each for each in records if isinstance(each, Reading)]


def test_each_entry_is_a_run_of_its_commit() -> None:
    runs = read("synthetic-data.js")
    assert len(runs) == 12 * 4
    first = runs[0]
    assert (first.benchmark, first.variant, first.group) == ("BenchmarkFib10", "00a9c1d4", "")
    assert first.env["date"] == "2026-10-01T10:00:00+00:00"
    assert first.env["commit"].startswith("00a9c1d4")
    assert {run.benchmark for run in runs} == {"BenchmarkFib10", "BenchmarkFib20"}
    assert {run.rows[0][1] for run in runs} == {"time_per_op", "bytes_per_op", "allocs_per_op"}


def test_external_json_file_gives_the_same_runs() -> None:
    text = (FORMS / "synthetic-data.js").read_text(encoding="utf-8").partition("=")[2]
    source = Source(None, "benchmark-data.json", text.encode())
    assert HISTORY.claims(source.head())
    runs = [each for each in HISTORY.parse(source) if isinstance(each, Reading)]
    assert [run.rows[0][3] for run in runs] == [run.rows[0][3] for run in read("synthetic-data.js")]


def test_suites_are_groups_and_tools_set_the_direction() -> None:
    runs = {run.group: run for run in read("synthetic-suites.js")}
    assert runs["Rust Benchmark"].rows[0][1:4] == ("time_per_op", "sample", 139e-9)
    python = runs["Python Benchmark with pytest-benchmark"]
    assert python.rows[0][1:4] == ("operation_rate", "sample", 37523.84)
    assert runs["Custom"].better == {"Megabytes": "lower"}


def test_two_variants_of_custom_results_are_compared() -> None:
    folder = FORMS.with_name("github-action-benchmark")
    frame = load(folder).compare(baseline="synthetic-none").frame
    verdicts = dict(zip(frame["benchmark"], frame["verdict"], strict=True))
    assert verdicts == {"Start-up": "regression", "Throughput": "equivalent"}


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ('[{"name": "a", "unit": "ms", "value": -1}]', "a has no valid value or unit"),
        ('[{"name": "a", "unit": "ms", "value": 1e999}]', "a has no valid value or unit"),
        ('[{"unit": "ms", "value": 1}]', "a benchmark has no name"),
    ],
)
def test_invalid_measurement_is_reported(text: str, message: str) -> None:
    (record,) = CUSTOM.parse(Source(None, "x.json", text.encode()))
    assert isinstance(record, Diagnostic)
    assert record.what == message


def test_entry_without_a_commit_is_reported() -> None:
    text = 'window.BENCHMARK_DATA = {"entries": {"Go": [{"benches": []}]}}'
    (record,) = HISTORY.parse(Source(None, "data.js", text.encode()))
    assert isinstance(record, Diagnostic)
    assert record.what == "an entry has no commit"


@pytest.mark.parametrize("is_split", [False, True])
def test_complete_go_result_line_is_not_a_unit(is_split: bool) -> None:
    """The action takes everything after the first number as its unit, and now its values, too."""
    benches = [
        {"name": "BenchmarkA", "value": 250, "unit": "ns/op\t    16 B/op\t       2 allocs/op"},
        {"name": "BenchmarkA - ns/op", "value": 250, "unit": "ns/op"},
        {"name": "BenchmarkA - B/op", "value": 16, "unit": "B/op"},
        {"name": "BenchmarkA - allocs/op", "value": 2, "unit": "allocs/op"},
        {"name": "BenchmarkB", "value": 7.5, "unit": "ns/op\t         4.000 hits"},
    ]
    chosen = benches if is_split else [benches[0], benches[-1]]
    entry = {"commit": {"id": "00a9c1d4"}, "tool": "go", "benches": chosen}
    text = f"window.BENCHMARK_DATA = {json.dumps({'entries': {'Go': [entry]}})}"
    records = HISTORY.parse(Source(None, "data.js", text.encode()))
    runs = [each for each in records if isinstance(each, Reading)]
    rows = [(run.benchmark, *row[1:4]) for run in runs for row in run.rows]
    assert rows == [
        ("BenchmarkA", "time_per_op", "sample", 250e-9),
        ("BenchmarkA", "bytes_per_op", "sample", 16.0),
        ("BenchmarkA", "allocs_per_op", "sample", 2.0),
        ("BenchmarkB", "time_per_op", "sample", 7.5e-9),
        ("BenchmarkB", "hits", "sample", 4.0),
    ]


@pytest.mark.parametrize("extra", [r"a\nb", r"\"quoted\"", r"C:\\x"])
def test_texts_with_escapes_are_recognised(extra: str) -> None:
    """The action's own example splits its `extra` into lines."""
    text = f'[{{"name": "A", "unit": "seconds", "value": 2, "extra": "{extra}"}}]'
    assert CUSTOM.recognises(Source(None, "a.json", text.encode()).head())
    (run,) = CUSTOM.parse(Source(None, "a.json", text.encode()))
    assert isinstance(run, Reading)
    assert run.rows[0][1:5] == ("time_per_op", "sample", 2.0, "s")


@pytest.mark.parametrize(
    ("tool", "names", "benchmarks"),
    [
        ("googlecpp", "a a a_mean a_median a_stddev a_cv", ["a", "a"]),
        ("googlecpp", "a/8_mean a/8_median a/8_stddev a/8_cv", ["a/8"]),
        ("googlecpp", "a a_mean", ["a", "a_mean"]),
        ("pytest", "a_mean a_median a_stddev", ["a_mean", "a_median", "a_stddev"]),
    ],
)
def test_aggregates_over_repetitions_are_not_benchmarks(
    tool: str, names: str, benchmarks: list[str]
) -> None:
    benches = [{"name": name, "value": 5, "unit": "ns/iter"} for name in names.split()]
    entry = {"commit": {"id": "3f2a9c1d"}, "tool": tool, "benches": benches}
    text = f"window.BENCHMARK_DATA = {json.dumps({'entries': {'C++': [entry]}})}"
    runs = list(HISTORY.parse(Source(None, "data.js", text.encode())))
    assert [run.benchmark for run in runs if isinstance(run, Reading)] == benchmarks


def test_custom_unit_with_a_direction_decides_the_verdict(
    tmp_path: Path,
) -> None:
    """Such metrics were secondary next to a time, or gave no verdict at all."""
    entries = [
        {
            "commit": {"id": f"{name * 40}", "timestamp": f"2026-11-0{day}T10:00:00Z"},
            "tool": "customSmallerIsBetter",
            "benches": [
                {"name": "Load", "unit": "Percent", "value": 40 * factor + run / 10},
                {"name": "Start", "unit": "ms", "value": 20 + run / 10},
            ],
        }
        for name, day, factor in (("a", 1, 1.0), ("b", 2, 1.2))
        for run in range(5)
    ]
    text = json.dumps({"entries": {"suite": entries}})
    path = tmp_path / "data.js"
    path.write_text(f"window.BENCHMARK_DATA = {text}", encoding="utf-8")
    frame = load(path).compare(baseline="aaaaaaaa").frame
    assert list(frame["primary"]) == [True, True]
    assert dict(zip(frame["metric"], frame["verdict"], strict=True))["Percent"] == "regression"


def test_custom_unit_without_a_direction_is_secondary(tmp_path: Path) -> None:
    for name, load_ in (("none", 40), ("otlp", 50)):
        for run in range(3):
            text = json.dumps([{"name": "Load", "unit": "Percent", "value": load_ + run}])
            (tmp_path / f"{name}-{run}.json").write_text(text, encoding="utf-8")
    frame = load(tmp_path).compare(baseline="none").frame
    assert not frame["primary"].any()


def test_empty_unit_is_a_metric_with_a_direction(tmp_path: Path) -> None:
    for name, score in (("none", 40), ("otlp", 50)):
        benches = [{"name": "Score", "unit": "", "value": score}]
        entry = {
            "commit": {"id": "3f2a9c1d"},
            "tool": "customBiggerIsBetter",
            "benches": benches,
        }
        text = f"window.BENCHMARK_DATA = {json.dumps({'entries': {'suite': [entry]}})}"
        (tmp_path / f"{name}.js").write_text(text, encoding="utf-8")
    result = load({name: tmp_path / f"{name}.js" for name in ("none", "otlp")})
    frame = result.compare(baseline="none").frame
    assert list(frame["metric"]) == ["value"]
    assert list(frame["primary"]) == [True]
