"""hyperfine's JSON: each time is a run, an exit code other than 0 a failed one."""

from __future__ import annotations

from pathlib import Path

import pytest

from benchkit import load
from benchkit.errors import Diagnostic
from benchkit.parsers.base import Reading, Source
from benchkit.parsers.hyperfine import JSON

FIXTURES = Path(__file__).resolve().parents[2] / "fixtures/hyperfine"


def read(text: str | Path) -> tuple[list[Reading], list[Diagnostic]]:
    source = Source(None, "x.json", text.encode()) if isinstance(text, str) else Source.load(text)
    records = list(JSON.parse(source))
    return (
        [each for each in records if isinstance(each, Reading)],
        [each for each in records if isinstance(each, Diagnostic)],
    )


def test_every_time_is_a_run() -> None:
    readings, problems = read(FIXTURES / "none.json")
    assert not problems
    assert {each.benchmark for each in readings} == {"count"}
    assert len(readings) == 12
    assert [row[:5] for row in readings[0].rows] == [
        (None, "time_per_op", "sample", readings[0].rows[0][3], "s")
    ]
    assert readings[1].line == readings[0].line + 1


def test_a_scan_is_one_benchmark_with_a_parameter() -> None:
    readings, _ = read(FIXTURES / "scan.json")
    assert {each.benchmark for each in readings} == {"./count.sh {n}"}
    assert {each.params["n"] for each in readings} == {"1000", "2000", "3000"}


def test_a_command_that_failed_is_a_failed_run() -> None:
    readings, _ = read(FIXTURES / "failed.json")
    assert [each.status for each in readings] == ["failed"] * 5 + ["complete"] * 5
    assert readings[0].remark == "13: the command ended with exit code 2"


@pytest.mark.parametrize(
    ("text", "what"),
    [
        ('{"results": []}', "the file holds no result"),
        ('{"results": [{"command": "a"}]}', "the result of 'a' has no `times`"),
        ('{"results": [{"times": [1]}]}', "a result has no command"),
        ('{"results": [{"command": "a", "times": [-1]}]}', "-1 is no time and was left out"),
        ('{"results": [{"command": "a", "times": [1e999]}]}', "inf is no time and was left out"),
        ('{"results": [{"command": "a", "times": [0.5', "is cut short"),
        ('{"results": [7]}', "a result has no command"),
    ],
)
def test_what_cannot_be_read_is_a_diagnostic(text: str, what: str) -> None:
    readings, problems = read(text)
    assert not readings
    assert [each.what.startswith(what) for each in problems] == [True]


def test_two_variants_compare_with_a_verdict() -> None:
    comparison = load(FIXTURES).compare(baseline="none", variant="otlp")
    (verdict,) = comparison.verdicts.primary
    assert (verdict.contrast.metric, verdict.word) == ("time_per_op", "regression")
