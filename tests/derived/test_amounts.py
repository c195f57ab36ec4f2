"""What a variant's runs come to, as a table of variants shows it."""

from __future__ import annotations

import warnings
from pathlib import Path

import pytest

import benchkit.api as bk
from benchkit.derived.amounts import list_amounts

GO = "BenchmarkA 1 {}e{} ns/op\n"


def write(folder: Path, exponent: int, *, cores: str = "") -> None:
    folder.mkdir()
    text = "".join(GO.format(number, exponent) for number in range(1, 9))
    (folder / "go.txt").write_text(text)
    if cores:
        (folder / "run.toml").write_text(f'[machine]\ncores = "{cores}"\n')


def test_values_whose_squares_are_no_numbers_are_left_out(tmp_path: Path) -> None:
    for name, exponent in {"a": 300, "b": 301}.items():
        write(tmp_path / name, exponent)
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        answer = bk.load(tmp_path / "a", tmp_path / "b").compare()
        assert answer.wide == {}
        assert "10.0×" in answer.to_markdown()


@pytest.mark.parametrize("cores", ["8", "9" * 400, "9" * 5000])
def test_a_number_of_cores_without_end_is_none(tmp_path: Path, cores: str) -> None:
    write(tmp_path / "a", 3, cores=cores)
    runs = bk.load(tmp_path / "a")
    assert list_amounts(runs.observations, runs.runs, confidence=0.95)
