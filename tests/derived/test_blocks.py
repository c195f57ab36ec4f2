"""Blocks come from recorded order alone."""

from __future__ import annotations

from typing import Any

import pytest

from benchkit.derived.blocks import find_blocks


def rows(order: str, **more: object) -> list[dict[str, Any]]:
    return [
        {
            "group": "",
            "variant": variant,
            "role": "measured",
            "started_at": start,
            "block": None,
            "position": None,
            **more,
        }
        for start, variant in enumerate(order)
    ]


@pytest.mark.parametrize(
    ("order", "blocks"),
    [
        ("abab", [(1, 1), (1, 2), (2, 1), (2, 2)]),
        ("aabb", [(1, 1), (2, 1), (2, 2), (3, 1)]),
        ("abcbca", [(1, 1), (1, 2), (1, 3), (2, 1), (2, 2), (2, 3)]),
    ],
)
def test_a_block_begins_when_a_variant_comes_round(
    order: str, blocks: list[tuple[int, int]]
) -> None:
    found = rows(order)
    find_blocks(found)
    assert [(row["block"], row["position"]) for row in found] == blocks


@pytest.mark.parametrize("more", [{"started_at": None}, {"started_at": 3}, {"role": "warmup"}])
def test_an_order_that_was_not_recorded_is_not_guessed(more: dict[str, Any]) -> None:
    found = rows("abab", **more)
    find_blocks(found)
    assert {row["block"] for row in found} == {None}
