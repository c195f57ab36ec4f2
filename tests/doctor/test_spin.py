"""The grade follows the spread alone, and the blocks hold the same work."""

from __future__ import annotations

import itertools

import pytest

from benchkit.doctor.spin import BLOCKS, FEWEST, grade, measure_blocks, summarise_blocks


@pytest.mark.parametrize(
    ("spread", "expected"),
    [
        (0.0, "A"), (0.005, "A"), (0.0051, "B"), (0.01, "B"), (0.02, "C"), (0.0201, "D"),
        (0.05, "D"), (0.051, "E"), (9.0, "E"),
    ],
)  # fmt: skip
def test_the_grade_is_a_function_of_the_spread(spread: float, expected: str) -> None:
    assert grade(spread) == expected


def test_blocks_are_summed_up_as_runs_are_planned() -> None:
    noise = summarise_blocks([1.0, 1.01, 0.99, 1.005, 0.995] * 4)
    assert noise.spread == pytest.approx(0.0073, abs=1e-4)
    assert noise.detectable == pytest.approx(0.0115, abs=2e-4)
    assert (noise.grade, noise.outliers) == ("B", 0)


def test_one_interrupted_block_changes_no_grade() -> None:
    steady = [1.0, 1.001, 0.999, 1.0005, 0.9995] * 4
    noise = summarise_blocks([*steady[1:], 3.0])
    assert (noise.grade, noise.outliers) == ("A", 1)


def test_equal_blocks_have_no_spread() -> None:
    noise = summarise_blocks([1.0] * BLOCKS)
    assert (noise.grade, noise.spread, noise.detectable) == ("A", 0.0, 0.0)


def test_blocks_fill_the_time() -> None:
    blocks = measure_blocks(0.2)
    assert len(blocks) == BLOCKS
    assert min(blocks) > 0


def test_a_machine_that_becomes_slow_does_fewer_blocks() -> None:
    ticks = itertools.chain([0.0, 1.0, 1.0], itertools.count(1.0, 10.0))
    assert len(measure_blocks(21, clock=lambda: next(ticks))) == FEWEST
