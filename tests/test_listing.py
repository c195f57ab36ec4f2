"""A single function lists names in a sentence, however many there are."""

from __future__ import annotations

import pytest

from benchkit.listing import list_names


@pytest.mark.parametrize(
    ("names", "most", "text"),
    [
        ([], 0, ""),
        (["a"], 0, "a"),
        (["a", "b"], 2, "a and b"),
        (["a", "b", "c"], 2, "a, b and 1 more"),
        (["a", "b", "c"], 0, "a, b and c"),
    ],
)
def test_names_are_joined_and_those_beyond_the_limit_counted(
    names: list[str], most: int, text: str
) -> None:
    assert list_names(iter(names), most) == text
