"""The grade depends only on the spread, and all blocks do the same work."""

from __future__ import annotations

import itertools
from pathlib import Path

import pytest

from benchkit.doctor import work
from benchkit.doctor.spin import (
    BLOCKS,
    FEWEST,
    grade,
    measure_blocks,
    summarise_blocks,
    time_work,
)
from benchkit.errors import DataError


@pytest.mark.parametrize(
    ("spread", "expected"),
    [
        (0.0, "A"), (0.005, "A"), (0.0051, "B"), (0.01, "B"), (0.02, "C"), (0.0201, "D"),
        (0.04, "D"), (0.041, "E"), (0.08, "E"), (0.081, "F"), (9.0, "F"),
    ],
)  # fmt: skip
def test_grade_is_a_function_of_the_spread(spread: float, expected: str) -> None:
    assert grade(spread) == expected


def test_blocks_are_summarised_like_planned_runs() -> None:
    noise = summarise_blocks([1.0, 1.01, 0.99, 1.005, 0.995] * 4)
    assert noise.spread == pytest.approx(0.0073, abs=1e-4)
    assert noise.detectable == pytest.approx(0.0115, abs=2e-4)
    assert (noise.grade, noise.outliers) == ("B", 0)


def test_single_interrupted_block_does_not_change_the_grade() -> None:
    steady = [1.0, 1.001, 0.999, 1.0005, 0.9995] * 4
    noise = summarise_blocks([*steady[1:], 3.0])
    assert (noise.grade, noise.outliers) == ("A", 1)


def test_frequently_interrupted_machine_is_noisy() -> None:
    steady = [1.0, 1.001, 0.999, 1.0005, 0.9995] * 4
    noise = summarise_blocks([*steady[2:], 1.5, 1.6])
    assert (noise.grade, noise.outliers) == ("F", 0)
    assert noise.spread > 0.1


def test_equal_blocks_have_no_spread() -> None:
    noise = summarise_blocks([1.0] * BLOCKS)
    assert (noise.grade, noise.spread, noise.detectable) == ("A", 0.0, 0.0)


def test_blocks_fill_the_time() -> None:
    blocks = measure_blocks(1.0)
    assert FEWEST <= len(blocks) <= BLOCKS
    assert min(blocks) > 0


def test_slow_machine_measures_fewer_blocks() -> None:
    ticks = itertools.count(0.0, 100.0)
    blocks = measure_blocks(21, clock=lambda: next(ticks), measure=float)
    assert blocks == (1.0,) * FEWEST


def test_rounds_fill_a_block() -> None:
    assert measure_blocks(42, measure=lambda rounds: rounds / 1000) == (2.0,) * BLOCKS


def test_failing_work_is_an_error(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(work, "__file__", str(tmp_path / "none.py"))
    with pytest.raises(DataError, match=r"the timed work failed: .*No such file"):
        time_work(1)
