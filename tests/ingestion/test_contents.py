"""The digest of a run depends on its values, not on their order or on how they were read."""

from __future__ import annotations

from dataclasses import replace

import pytest

from benchkit.ingestion.batches import row_batch
from benchkit.ingestion.copies import (
    OF_VALUES,
    Contents,
    count_digits,
    digest_values,
    enter_contents,
)
from benchkit.ingestion.parts import Part
from benchkit.parsers.base import Row

MEAN: Row = (None, "latency", "mean", 0.001234, "s", 100, None, 1e-6, "reported", 3)
RATE: Row = (None, "request_rate", "mean", 9876.54, "1/s", None, None, 0.01, "reported", 4)
COUNT: Row = ("5xx", "failures", "count", 3.0, "1", None, None, 1.0, "reported", 5)
ROWS = [MEAN, RATE, COUNT]
#: The rows of some pieces.
Batch = list[tuple[int, list[Row]]]


def digest(*batches: Batch, pieces: int = 1) -> list[int]:
    """Return the digests of pieces whose values come in some batches."""
    parts = [Part(path="wrk-1.txt", tool="wrk", piece=piece) for piece in range(pieces)]
    enter_contents(parts, [digest_values(row_batch(1, batch)) for batch in batches])
    return [part.content for part in parts]


def change(row: Row, place: int, value: object) -> Row:
    return (*row[:place], value, *row[place + 1 :])  # type: ignore[return-value]


@pytest.mark.parametrize(
    "batches",
    [
        ([(0, ROWS[::-1])],),
        ([(0, ROWS[:1])], [(0, ROWS[1:])]),
        ([(0, [change(row, 9, 70) for row in ROWS])],),
        ([(0, [change(row, 7, None) for row in ROWS])],),
    ],
    ids=["other order", "two batches", "other lines", "other rounding"],
)
def test_digest_does_not_depend_on_batches(
    batches: tuple[list[tuple[int, list[Row]]], ...],
) -> None:
    (first,), (second,) = digest([(0, ROWS)]), digest(*batches)
    assert first & OF_VALUES == second & OF_VALUES != 0


@pytest.mark.parametrize(
    ("place", "value"), [(0, "x"), (1, "phase_time"), (2, "p50"), (3, 0.001235), (5, 101)]
)
def test_digest_depends_on_each_word_and_number(place: int, value: object) -> None:
    (first,), (second,) = (
        digest([(0, ROWS)]),
        digest([(0, [change(MEAN, place, value), RATE, COUNT])]),
    )
    assert first & OF_VALUES != second & OF_VALUES


def test_each_piece_has_a_separate_digest() -> None:
    one, two, three = digest([(0, ROWS), (1, ROWS), (2, ROWS[:2])], pieces=3)
    assert one == two != three


@pytest.mark.parametrize(
    ("rows", "digits"),
    [
        (ROWS, 2 + 4),
        ([MEAN, change(MEAN, 2, "p50")], 2),
        ([change(MEAN, 7, 1e-3)], 0),
        ([change(MEAN, 7, None)], 4),
        ([change(MEAN, 3, 0.0)], 0),
        ([COUNT], 0),
        ([change(RATE, 3, float(n)) for n in range(1000, 1009)], 15),
    ],
    ids=["all", "twice the same", "a rounded one", "exact", "zero", "a count", "many"],
)
def test_clock_digits_after_the_first_are_counted(rows: list[Row], digits: int) -> None:
    (content,) = digest([(0, rows)])
    assert count_digits(content) == digits


def test_companions_and_empty_runs_have_no_digest() -> None:
    load = Part(path="wrk-1.txt", tool="wrk", piece=0)
    companion = replace(load, path="cadvisor.json", tool="cadvisor", role="companion")
    empty = replace(load, piece=7)
    contents: list[Contents] = [digest_values(row_batch(1, [(0, ROWS)]))]
    enter_contents([load, companion, empty], contents)
    assert load.content
    assert not companion.content
    assert not empty.content
