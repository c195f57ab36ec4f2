"""Totals of a variant's runs, as a table of variants shows them."""

from __future__ import annotations

import warnings
from pathlib import Path

import pytest

import benchkit.api as bk
from benchkit.derived.amounts import list_amounts

GO = "BenchmarkA 1 {}e{} ns/op\n"


FIXTURES = Path(__file__).resolve().parents[2] / "fixtures"


def write(folder: Path, exponent: int, *, cores: str = "") -> None:
    folder.mkdir()
    text = "".join(GO.format(number, exponent) for number in range(1, 9))
    (folder / "go.txt").write_text(text)
    if cores:
        (folder / "run.toml").write_text(f'[machine]\ncores = "{cores}"\n')


def test_values_with_overflowing_squares_are_left_out(tmp_path: Path) -> None:
    for name, exponent in {"a": 300, "b": 301}.items():
        write(tmp_path / name, exponent)
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        answer = bk.load(tmp_path / "a", tmp_path / "b").compare()
        assert answer.wide == {}
        assert "10.0×" in answer.to_markdown()


@pytest.mark.parametrize("cores", ["8", "9" * 400, "9" * 5000])
def test_infinite_number_of_cores_is_ignored(tmp_path: Path, cores: str) -> None:
    write(tmp_path / "a", 3, cores=cores)
    runs = bk.load(tmp_path / "a")
    assert list_amounts(runs.observations, runs.runs, confidence=0.95)


def test_run_of_several_formats_has_the_value_used_by_a_comparison() -> None:
    results = bk.load(FIXTURES / "shorturl-k6")
    compared = {
        (str(row.benchmark), str(side)): center
        for row in results.compare(baseline="baseline").frame.itertuples()
        if (row.metric, row.stat, row.subject) == ("latency", "p95", "")
        for side, center in ((row.baseline, row.center_baseline), (row.variant, row.center_variant))
    }
    shown = {
        (cell.benchmark, variant): amount.center
        for (cell, variant), row in list_amounts(results.observations, results.runs, 0.95).items()
        for published, amount in row.items()
        if (published.metric, amount.stat) == ("latency", "p95")
    }
    assert compared
    assert {key: shown[key] for key in compared} == compared
