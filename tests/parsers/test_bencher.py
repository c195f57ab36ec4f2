"""Bencher's metric format: known measures are metrics, others stay the user's own."""

from __future__ import annotations

from benchkit.errors import Diagnostic
from benchkit.parsers.base import Reading, Source
from benchkit.parsers.bencher import BMF


def read(text: str) -> list[Reading | Diagnostic]:
    found = BMF.parse(Source(None, "x.json", text.encode()))
    return [each for each in found if isinstance(each, Reading | Diagnostic)]


def test_measures_are_metrics() -> None:
    text = '{"a": {"latency": {"value": 88000.5, "lower_value": 1}, "own": {"value": 4}}}'
    (run,) = read(text)
    assert isinstance(run, Reading)
    assert run.benchmark == "a"
    assert [row[1:5] for row in run.rows] == [
        ("time_per_op", "sample", 88000.5e-9, "s"),
        ("own", "sample", 4.0, "1"),
    ]


def test_a_measure_without_a_number_costs_itself() -> None:
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


def test_a_benchmark_whose_measures_have_no_names_is_named() -> None:
    """A list of them was left out without a word."""
    text = '{"a": {"latency": {"value": 2}}, "b": [{"measures": {"latency": {"value": 3}}}]}'
    run, problem = BMF.parse(Source(None, "a.json", text.encode()))
    assert isinstance(run, Reading)
    assert run.benchmark == "a"
    assert isinstance(problem, Diagnostic)
    assert problem.what == "b has no measures by name"
