"""Text between results names the results that it separates."""

from __future__ import annotations

import pytest

from benchkit.reading.passages import drop_counts, name_passages
from benchkit.reading.surroundings import Block


def name(page: str) -> list[str]:
    """Name the blocks of a page of words, where each ``#`` is one."""
    lines = page.split()
    blocks = [Block(at, at) for at, line in enumerate(lines, 1) if line == "#"]
    return name_passages(lines, blocks, [""] * len(blocks), str)


@pytest.mark.parametrize(
    ("page", "names"),
    [
        ("gin # # echo # #", ["gin", "gin", "echo", "echo"]),
        ("gin # echo # gin # echo #", ["gin", "echo", "gin", "echo"]),
        ("gin # # #", ["", "", ""]),
        ("out # out # out #", ["", "", ""]),
        ("# end # end", ["", ""]),
        ("# echo #", ["result 1", "echo"]),
        ("gin echo gin out # echo out #", ["gin", "echo"]),
    ],
)
def test_new_line_begins_a_test(page: str, names: list[str]) -> None:
    assert name(page) == names


def test_lines_of_other_tools_do_not_hide_names() -> None:
    lines = ["A", "#", "hey", "#", "B", "#", "hey", "#"]
    blocks = [Block(at, at) for at in (2, 4, 6, 8)]
    names = name_passages(lines, blocks, ["wrk", "hey", "wrk", "hey"], str)
    assert names == ["A", "A", "B", "B"]


@pytest.mark.parametrize(
    ("line", "kept"),
    [
        ("DB sleep 2", "DB sleep 2"),
        ("image 5f16a0e8e2f2", "image"),
        ("0b9f6c1e-7a54-4a0e-9d7e-1f2a3b4c5d6e", ""),
        ("[1] 12345", ""),
        ("9000 requests in 1.25s", "requests in s"),
        ("decade facade", "decade facade"),
    ],
)
def test_counts_are_dropped(line: str, kept: str) -> None:
    assert drop_counts(line) == kept


def test_image_is_not_a_passage() -> None:
    page = ["sync", "9000", '![alt text](a.svg "CPU")', "9100"]
    blocks = [Block(number, number) for number in (2, 4)]
    assert name_passages(page, blocks, [""] * 2, str) == ["", ""]
