"""Blocks are repeats of one test only if headings, command, server, host and facts agree."""

from __future__ import annotations

from copy import deepcopy
from typing import Any

import pytest

from benchkit.labels.numbering import Piece, settle
from benchkit.labels.sections import share_headings

PARAMS = "connections=8,threads=2"


def block(index: int = 0, path: str = "a.md", **facts: object) -> Piece:
    made = Piece(path=path, tool="wrk", form="text", variant="a", target="/", params=PARAMS)
    made.index, made.duration, made.requests = index, 30.05 + index / 100, 90_000 + 7_000 * index
    for name, value in facts.items():
        setattr(made, name, value)
    return made


def labels(pieces: list[Piece]) -> list[tuple[str, str, int]]:
    settle(pieces)
    return [
        (piece.benchmark, piece.params.removeprefix(PARAMS).strip(","), piece.number)
        for piece in sorted(pieces, key=lambda piece: (piece.path, piece.index))
    ]


def test_blocks_equal_in_every_fact_are_repeats() -> None:
    same: dict[str, Any] = {
        "headings": {"1": "GET"},
        "shown_command": "wrk -t2 http://a/",
        "env": {"host": "a"},
    }
    assert labels([block(0, **same), block(1, **same)]) == [("/", "", 1), ("/", "", 2)]


def test_only_headings_that_differ_become_names() -> None:
    pieces = [block(at, headings={"1": "Results", "2": name}) for at, name in enumerate("xyx")]
    assert labels(pieces) == [("x / /", "", 1), ("y / /", "", 1), ("x / /", "", 2)]


@pytest.mark.parametrize(
    ("name", "values", "written"),
    [
        ("shown_command", ("wrk -s a.lua http://h/", "wrk http://h/"), ("command=-s a.lua", "")),
        ("env", ({"server": "x"}, {"server": "y"}), ("server=x", "server=y")),
        ("env", ({"host": "a:1"}, {"host": "a:2"}), ("host=a:1", "host=a:2")),
        ("env", ({"query": "a=1"}, {"query": "a=2"}), ("query=a=1", "query=a=2")),
        ("env", ({}, {"query": "a=1"}), ("", "query=a=1")),
        ("env", ({"tls": "TLSv1.2,A"}, {"tls": "TLSv1.3,A"}), ("tls=TLSv1.2 A", "tls=TLSv1.3 A")),
        (
            "env",
            ({"document_length": "6"}, {"document_length": "9"}),
            ("document_length=6", "document_length=9"),
        ),
        ("target_rate", (50.0, 100.0), ("rate=50", "rate=100")),
        ("duration", (30.05, 60.1), ("duration=30", "duration=60")),
    ],
)
def test_differing_facts_of_one_file_become_params(
    name: str, values: tuple[object, object], written: tuple[str, str]
) -> None:
    facts: list[dict[str, Any]] = [{name: value} for value in values]
    labelled = labels([block(at, **each) for at, each in enumerate(facts)])
    more = [",".join(set(params.split(",")) - set(PARAMS.split(","))) for _, params, _ in labelled]
    assert tuple(more) == written
    assert [number for *_, number in labelled] == [1, 1]


def test_fixed_count_runs_are_separated_by_count_and_not_by_length() -> None:
    counts = (1000, 1000, 10_000)
    lengths = (3.24, 4.51, 33.4)
    pairs = enumerate(zip(counts, lengths, strict=True))
    labelled = labels([block(at, requests=n, duration=length) for at, (n, length) in pairs])
    assert [(params.split(",")[1], number) for _, params, number in labelled] == [
        ("requests=1000", 1),
        ("requests=1000", 2),
        ("requests=10000", 1),
    ]


def test_request_count_of_a_timed_run_does_not_separate() -> None:
    pieces = [
        block(at, requests=count, duration=length)
        for at, (count, length) in enumerate(((1327, None), (1373, 10.01), (1290, 10.02)))
    ]
    assert labels(pieces) == [("/", "", 1), ("/", "", 2), ("/", "", 3)]


def test_fact_missing_from_one_block_does_not_separate() -> None:
    assert labels([block(0, shown_command="wrk http://h/"), block(1)]) == [
        ("/", "", 1),
        ("/", "", 2),
    ]


def test_line_above_several_blocks_distinguishes_equal_ones_below() -> None:
    above = ("10\nthreads", "single", "500\nthreads", "single")
    pieces = [block(at, lines=lines) for at, lines in enumerate(above)]
    names = ["10, threads / /", "single / 10 / /", "500, threads / /", "single / 500 / /"]
    assert labels(pieces) == [(name, "", 1) for name in names]
    repeats = [block(at, lines=lines) for at, lines in enumerate(("1\na", "b", "1\na", "b"))]
    assert [(name, number) for name, _, number in labels(repeats)] == [
        ("1, a / /", 1), ("b / /", 1), ("1, a / /", 2), ("b / /", 2)
    ]  # fmt: skip


def test_captions_are_used_only_without_other_differences() -> None:
    headed = [block(at, headings={"1": name}, caption=name * 2) for at, name in enumerate("xy")]
    assert labels(headed) == [("x / /", "", 1), ("y / /", "", 1)]
    assert labels([block(0, caption="x"), block(1, caption="y")]) == [
        ("x / /", "", 1),
        ("y / /", "", 1),
    ]


def test_hosts_and_lengths_never_separate_declared_repeats() -> None:
    pieces = [
        block(path="a-1.txt", run=1, env={"host": "h:1"}, caption="x"),
        block(path="a-2.txt", run=2, env={"host": "h:2"}, caption="y", duration=60.0, requests=9),
    ]
    assert labels(pieces) == [("/", "", 1), ("/", "", 2)]


def test_headings_and_servers_separate_files_of_a_series() -> None:
    pieces = [
        block(path=f"a-{run}.txt", run=run, headings={"1": name}, env={"server": name})
        for run, name in ((1, "x"), (2, "y"))
    ]
    assert labels(pieces) == [("x / /", "", 1), ("y / /", "", 2)]


def test_headings_needed_by_one_variant_are_given_to_others() -> None:
    mine = [block(at, headings={"1": "A", "2": name}) for at, name in enumerate(("GET", "POST"))]
    other = block(path="b.md", variant="b", headings={"1": "B", "2": "GET"})
    pieces = [*mine, other]
    settle(pieces)
    share_headings(pieces)
    assert [piece.benchmark for piece in pieces] == ["GET / /", "POST / /", "GET / /"]


def test_settling_again_changes_nothing() -> None:
    pieces = [
        block(at, headings={"1": name}, duration=30.0 * (at + 1)) for at, name in enumerate("xyx")
    ]
    settle(pieces)
    again = deepcopy(pieces)
    settle(again)
    assert again == pieces


def test_reason_for_separating_unnamed_blocks_is_kept() -> None:
    pieces = [block(0, duration=30.0), block(1, duration=60.0)]
    settle(pieces)
    assert {piece.split_by for piece in pieces} == {"duration"}
