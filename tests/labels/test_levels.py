"""Files whose numbers are levels of a recorded param are a sweep of one variant."""

from __future__ import annotations

import pytest

from benchkit.labels.numbering import Piece, join_levels

#: Numbered files with the connections that they record, and the resulting variants.
LEVELS = {
    "a level each": ({1: 10, 2: 20, 4: 40, 8: 80}, {"get"}),
    "the numbers themselves": ({10: 10, 50: 50, 100: 100}, {"get"}),
    "one level": ({1: 10, 2: 10, 4: 10}, {"get_1", "get_2", "get_4"}),
    "levels of something else": ({17: 10, 21: 20}, {"get_17", "get_21"}),
    "one that is none": ({10: 10, 50: 50, 100: 10}, {"get_10", "get_50", "get_100"}),
    "one number": ({10: 10}, {"get_10"}),
    "one of nothing": ({0: 10, 10: 20}, {"get_0", "get_10"}),
}


def piece(path: str, variant: str, level: int, *, group: str = "") -> Piece:
    """Make the piece of a file that records its connections."""
    params = f"connections={level},threads=2"
    folder = path.rpartition("/")[0]
    return Piece(path=path, folder=folder, group=group, variant=variant, params=params)


@pytest.mark.parametrize("name", LEVELS)
def test_file_numbers_recorded_as_levels_are_a_sweep(name: str) -> None:
    levels, expected = LEVELS[name]
    pieces = [piece(f"get_{n}.txt", f"get_{n}", level) for n, level in levels.items()]
    join_levels(pieces)
    assert {one.variant for one in pieces} == expected


@pytest.mark.parametrize(
    ("name", "expected"),
    [
        ("t2-c{}", {"t2"}),
        ("out-{}", {"out"}),
        ("before-ab-C{}", {"before-ab"}),
        ("c{}", {"reports"}),
        ("{}users", {"reports"}),
        ("get-{}-clients", {"get"}),
        ("baseline_c{}_posts", {"baseline_posts"}),
        ("http{}", {"http10", "http20"}),
    ],
)
def test_level_may_be_anywhere_in_a_name(name: str, expected: set[str]) -> None:
    names = {level: name.format(level) for level in (10, 20)}
    pieces = [piece(f"reports/{stem}-1.txt", stem, level) for level, stem in names.items()]
    join_levels(pieces)
    assert {one.variant for one in pieces} == expected


def test_level_folders_are_a_sweep_of_their_parent() -> None:
    pieces = [piece(f"nginx/{n}-users/1.txt", f"{n}-users", n) for n in (10, 20)]
    join_levels(pieces)
    assert {one.variant for one in pieces} == {"nginx"}


def test_folder_of_levels_is_the_variant_and_not_a_group() -> None:
    pieces = [
        piece(f"eu/{side}/c{level}.txt", f"c{level}", level, group=f"eu/{side}")
        for side in ("tracing", "no-tracing")
        for level in (10, 20)
    ]
    join_levels(pieces)
    assert {(one.group, one.variant) for one in pieces} == {("eu", "tracing"), ("eu", "no-tracing")}
