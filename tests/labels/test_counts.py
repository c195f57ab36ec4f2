"""Numbers in real names: runs are dense, levels of a parameter are not."""

from __future__ import annotations

import pytest

from benchkit.labels.counts import find_counts, is_count

RUNS = {
    "two": "1 2",
    "two from 0": "0 1",
    "three": "1 2 3",
    "three from 0": "0 1 2",
    "five": "1 2 3 4 5",
    "ten": "1 2 3 4 5 6 7 8 9 10",
    "ten from 0": "0 1 2 3 4 5 6 7 8 9",
    "a lost run": "1 2 3 5",
    "the second lost": "1 3 4 5",
    "two of twelve lost": "1 2 4 5 6 7 8 10 11 12",
    "the first of 0 to 4 lost": "1 2 3 4",
    "a third lost": "1 3 4 6",
    "eight": "1 2 3 4 5 6 7 8",
}
LEVELS = {
    "doubled connections": "1 2 4 8",
    "doubled threads": "1 2 4 8 16 32",
    "three doubled": "1 2 4",
    "doubled from none": "0 1 2 4",
    "fourfold": "1 4 16 64",
    "decades": "1 10 100 1000",
    "one and ten": "1 10",
    "one, five, ten": "1 5 10",
    "one, two, five": "1 2 5 10 20 50",
    "rounded connections": "10 20 50 100",
    "hundreds": "100 200 300",
    "quarters": "0 25 50 75 100",
    "on and off a load": "0 100",
    "sizes": "64 256 1024 4096",
    "cores": "1 2 4 6 8",
    "a dense start": "1 2 3 4 8",
    "thousands": "1000 2000 5000",
    "HTTP 1 and 3": "1 3",
    "odd": "1 3 5 7",
    "threads": "1 2 4 6",
    "Java": "8 11 17 21",
    "neighbouring versions": "17 18",
    "Postgres": "14 15 16",
    "rate and ten times it": "5 50",
}


def read(text: str) -> set[int]:
    return {*map(int, text.split())}


@pytest.mark.parametrize("name", RUNS)
def test_dense_numbers_are_runs(name: str) -> None:
    assert is_count(read(RUNS[name]))


@pytest.mark.parametrize("name", LEVELS)
def test_ladders_are_levels_of_a_parameter(name: str) -> None:
    assert not is_count(read(LEVELS[name]))


#: The numbers of each name, and whether they count runs.
TOGETHER = {
    "runs lost by one side only": {"none": ("1 2 3 4", True), "otlp": ("1 4", True)},
    "another run lost by each": {"none": ("1 2", True), "otlp": ("2 3", True)},
    "half a ladder": {"get": ("1 2 4 8", False), "post": ("1 2", False)},
    "runs beside versions": {"go": ("1 2 3", True), "jdk": ("17 21", False)},
    "one alone": {"none": ("8", True), "otlp": ("17", True)},
}


@pytest.mark.parametrize("name", TOGETHER)
def test_numbers_next_to_each_other_are_judged_together(name: str) -> None:
    sets = {key: read(numbers) for key, (numbers, _) in TOGETHER[name].items()}
    assert find_counts(sets) == {key for key, (_, is_run) in TOGETHER[name].items() if is_run}


def test_numbers_without_a_name_may_begin_anywhere() -> None:
    assert find_counts({"": {3, 4, 5}, "a": {3, 4, 5}}, {""}) == {""}
    assert find_counts({"": {1, 2, 4, 8}}, {""}) == set()
