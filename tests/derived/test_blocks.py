"""Blocks follow from a recorded order only."""

from __future__ import annotations

from typing import Any

import pytest

from benchkit.derived.blocks import find_blocks


def rows(order: str, **more: object) -> list[dict[str, Any]]:
    return [
        {
            "group": "",
            "benchmark": "/ping",
            "params": "",
            "tool": "wrk",
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
def test_block_begins_when_a_variant_repeats(order: str, blocks: list[tuple[int, int]]) -> None:
    runs = rows(order)
    find_blocks(runs)
    assert [(row["block"], row["position"]) for row in runs] == blocks


@pytest.mark.parametrize("more", [{"started_at": None}, {"started_at": 3}, {"role": "warmup"}])
def test_unrecorded_order_is_not_guessed(more: dict[str, Any]) -> None:
    runs = rows("abab", **more)
    find_blocks(runs)
    assert {row["block"] for row in runs} == {None}


def test_each_benchmark_has_separate_blocks() -> None:
    runs = [row for name in ("get", "set") for row in rows("ab", benchmark=name)]
    for start, row in enumerate(runs):
        row["started_at"] = start
    find_blocks(runs)
    assert [(row["block"], row["position"]) for row in runs] == [(1, 1), (1, 2)] * 2


def test_runs_without_a_start_do_not_affect_another_benchmark() -> None:
    runs = rows("abab") + rows("ab", benchmark="/other", started_at=None)
    find_blocks(runs)
    assert [row["block"] for row in runs] == [1, 1, 2, 2, None, None]


def test_recorded_positions_in_the_session_are_an_order() -> None:
    runs = rows("abba", started_at=None)
    for place, row in zip((7, 2, 9, 4), runs, strict=True):
        row["position"] = place
    find_blocks(runs)
    assert [(row["block"], row["position"]) for row in runs] == [(2, 1), (1, 1), (2, 2), (1, 2)]


def test_recorded_blocks_are_kept_and_get_positions() -> None:
    runs = rows("abba")
    for block, row in zip((3, 3, 5, 5), runs, strict=True):
        row["block"] = block
    find_blocks(runs)
    assert [(row["block"], row["position"]) for row in runs] == [(3, 1), (3, 2), (5, 1), (5, 2)]


def test_blocks_recorded_only_for_some_runs_are_not_guessed() -> None:
    runs = rows("abab", started_at=None)
    runs[0]["block"] = 1
    find_blocks(runs)
    assert {row["block"] for row in runs} == {None}
