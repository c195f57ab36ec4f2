"""Bencher's metric format: known measures are metrics, others keep the user's name."""

from __future__ import annotations

from benchkit.errors import Diagnostic
from benchkit.parsers.base import Reading, Source
from benchkit.parsers.bencher import BMF


def read(text: str) -> list[Reading | Diagnostic]:
    actual = BMF.parse(Source(None, "x.json", text.encode()))
    return [each for each in actual if isinstance(each, Reading | Diagnostic)]


def test_measures_are_metrics() -> None:
    text = '{"a": {"latency": {"value": 88000.5, "lower_value": 1}, "own": {"value": 4}}}'
    (run,) = read(text)
    assert isinstance(run, Reading)
    assert run.benchmark == "a"
    assert [row[1:5] for row in run.rows] == [
        ("time_per_op", "sample", 88000.5e-9, "s"),
        ("own", "sample", 4.0, "1"),
    ]


def test_measure_without_a_number_is_skipped() -> None:
    problem, run = read('{"a": {"latency": {"value": "x"}, "throughput": {"value": 2}}}')
    assert isinstance(problem, Diagnostic)
    assert problem.what == "latency of a has no valid value"
    assert isinstance(run, Reading)
    assert run.rows[0][1] == "operation_rate"


def test_other_documents_are_not_claimed() -> None:
    for text in (
        '{"a": {"latency": {"count": 1}}}',
        '{"a": {"value": 1}}',
        '{"metrics": {"http_reqs": {"count": 3, "value": 1}}}',
    ):
        assert not BMF.recognises(Source(None, "x.json", text.encode()).head())


def test_benchmark_whose_measures_have_no_names_is_reported() -> None:
    """A list of them was left out silently."""
    text = '{"a": {"latency": {"value": 2}}, "b": [{"latency": {"value": 3}}]}'
    run, problem = BMF.parse(Source(None, "a.json", text.encode()))
    assert isinstance(run, Reading)
    assert run.benchmark == "a"
    assert isinstance(problem, Diagnostic)
    assert problem.what == "b has no measures by name"


def test_version_1_benchmark_has_a_run_per_parameter_set() -> None:
    """Its files were refused; entries with equal parameters are one run, later metrics win."""
    text = """{"sort": [
        {"parameters": {"size": 16, "op": "read"}, "measures": {"latency": {"value": 1}}},
        {"parameters": {"op": "read", "size": 16.0}, "measures":
            {"latency": {"value": 4, "p99": 9}}},
        {"measures": {"throughput": {"value": 3}}}]}"""
    runs = read(text)
    assert BMF.recognises(Source(None, "x.json", text.encode()).head())
    actual = [
        (run.params, [row[1:4] for row in run.rows]) for run in runs if isinstance(run, Reading)
    ]
    times = [("time_per_op", "sample", 4e-9), ("time_per_op", "p99", 9e-9)]
    assert actual == [
        ({"op": "read", "size": "16"}, times),
        ({}, [("operation_rate", "sample", 3.0)]),
    ]


def test_explicit_unit_is_used() -> None:
    """Milliseconds were read as nanoseconds."""
    run, problem = read(
        '{"a": {"latency": {"value": 688.5, "unit": "ms"}}, '
        '"b": {"latency": {"value": 3, "unit": "cycles"}}}'
    )
    assert isinstance(run, Reading)
    assert run.rows[0][3] == 0.6885
    assert isinstance(problem, Diagnostic)
    assert problem.what == "latency of b has the unit cycles, which is not known"
