"""pytest-benchmark's JSON: a session is one run, its value the median of its rounds."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from benchkit import load
from benchkit.errors import Diagnostic
from benchkit.parsers.base import Reading, Source
from benchkit.parsers.pytestbenchmark import JSON

FIXTURES = Path(__file__).resolve().parents[2] / "fixtures/pytest-benchmark"


def read(text: str | Path) -> tuple[list[Reading], list[Diagnostic]]:
    source = Source(None, "x", text.encode()) if isinstance(text, str) else Source.load(text)
    records = list(JSON.parse(source))
    return (
        [each for each in records if isinstance(each, Reading)],
        [each for each in records if isinstance(each, Diagnostic)],
    )


def values(run: Reading) -> dict[str, tuple[float, int | None]]:
    assert {row[:2] for row in run.rows} == {(None, "time_per_op")}
    return {row[2]: (row[3], row[5]) for row in run.rows}


def test_session_has_a_run_per_test() -> None:
    runs, problems = read(FIXTURES / "none-1.json")
    assert not problems
    assert [(each.benchmark, each.params) for each in runs] == [
        ("test_roots", {"size": "10"}),
        ("test_roots", {"size": "200"}),
        ("test_once", {}),
    ]
    run = runs[2]
    assert (run.tool_version, run.env["python"]) == ("5.3.1", "3.11.7")
    assert values(run) == {
        "min": (5.8912499980579014e-05, 6),
        "max": (0.05011235649999435, 6),
        "mean": (0.008402284250034123, 6),
        "stdev": (0.020433678863778847, 6),
        "median": (6.042200004685583e-05, 6),
    }
    assert values(runs[0])["p90"][1] == 58


def test_saved_session_without_its_rounds_is_read() -> None:
    runs, problems = read(FIXTURES / "saved.json")
    assert not problems
    assert all("p90" not in values(run) for run in runs)
    assert len(runs) == 3


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("[]", "the session has no benchmarks"),
        ('{"benchmarks": []}', "the session has no benchmarks"),
        ('{"benchmarks": [7]}', "a result has no name"),
        ('{"benchmarks": [{"name": "test_a"}]}', "test_a has no valid median"),
        ('{"benchmarks": [{"name": "test_a", "stats": {"median": -1}}]}', "test_a has no valid"),
        ('{"benchmarks": [{"name": "test_a", "stats": {"median": NaN}}]}', "test_a has no valid"),
        ('{"benchmarks": [{"name": "test_a", "stats": {"med', "truncated"),
    ],
)
def test_unreadable_input_is_a_diagnostic(text: str, message: str) -> None:
    runs, problems = read(text)
    assert not runs
    assert [each.what.startswith(message) for each in problems] == [True]


def test_sessions_of_two_variants_compare_with_a_verdict() -> None:
    comparison = load(FIXTURES).compare(baseline="none", variant="otlp")
    primary = comparison.verdicts.primary
    assert {(row.contrast.metric, row.contrast.stat) for row in primary} == {
        ("time_per_op", "median")
    }
    assert len(primary) == 3
    assert {row.word for row in primary} == {"regression"}


def write_session(*tests: tuple[str, dict[str, str]]) -> str:
    results = [
        {"name": f"test_a[{param}]", "param": param, "params": params, "stats": {"median": 0.5}}
        for param, params in tests
    ]
    return json.dumps({"benchmarks": results})


def test_object_param_is_the_same_in_each_session() -> None:
    text = "UNSERIALIZABLE[Case(id='ints', make=<function make_ints at 0x7f00{}>)]"
    for address in ("1a2b", "3c4d"):
        (run,), _ = read(write_session(("ints-9", {"spec": text.format(address), "count": "9"})))
        assert (run.benchmark, run.params) == ("test_a", {"param": "ints-9"})
        (run,), _ = read(write_session((f"<function make at 0x7f00{address}>", {})))
        assert run.params == {"param": "<function make>"}


def test_objects_that_differ_only_in_address_keep_it() -> None:
    ids = [f"<x.Case object at 0x7f001a{end}>" for end in ("10", "20")]
    runs, _ = read(write_session(*((each, {}) for each in ids)))
    assert [run.params["param"] for run in runs] == ids


@pytest.mark.parametrize(
    ("stats", "message"),
    [
        ({"median": 2, "max": None}, "max is null in test_a, which is not a time"),
        ({"median": 2, "mean": "x"}, 'mean is "x" in test_a'),
        ({"median": 2, "data": [1, None, 2]}, "data has null in test_a"),
        ({"median": 2, "data": "x"}, 'data has "x" in test_a'),
    ],
)
def test_damaged_number_is_skipped_with_a_diagnostic(
    stats: dict[str, object], message: str
) -> None:
    document = {"machine_info": {}, "benchmarks": [{"name": "test_a", "stats": stats}]}
    (run,), (problem,) = read(json.dumps(document))
    assert message in str(problem)
    assert values(run) == {"median": (2.0, None)}
