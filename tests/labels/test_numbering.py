"""The assignment and number of runs do not depend on the order of files."""

from __future__ import annotations

import random
from collections import Counter
from copy import deepcopy
from pathlib import PurePosixPath

import pytest
from hypothesis import given
from hypothesis import strategies as st
from scaling import assert_linear

from benchkit.errors import Diagnostic
from benchkit.ingestion.parts import Part
from benchkit.labels import numbering
from benchkit.labels.numbering import Piece, part_packages, series_of
from benchkit.labels.patterns import read_path
from benchkit.labels.stems import ToolNames
from benchkit.labels.tree import read_tree
from benchkit.parsers import registry
from benchkit.schema import format_params
from benchkit.selection import SIDE_NAMES

TOOLS = ToolNames(registry.tools(), registry.companions(), registry.snapshotting())


def settle(pieces: list[Piece]) -> list[Diagnostic]:
    """Settle pieces, and read their labels as those of a complete set."""
    notes = numbering.settle(pieces)
    part_packages(pieces)
    return notes


def piece(path: str, form: str = "text", **facts: object) -> Piece:
    """Make a piece as ingestion does, with the labels of the path and facts of the content."""
    labels = read_path(PurePosixPath(path), tools=TOOLS)
    params = dict(labels.params) | dict(facts.pop("params", {}))  # type: ignore[call-overload]
    made = Part(
        path=path,
        tool=labels.tool,
        form=form,
        group=labels.group,
        variant=labels.variant,
        benchmark=labels.benchmark,
        params=format_params(params),
        run=labels.run,
        role=labels.role,
        folder=labels.folder,
        leftover=labels.leftover,
    )
    for name, value in facts.items():
        setattr(made, name, value)
    return made


def read_folder(names: list[str], forms: list[str]) -> list[Piece]:
    """Make pieces of a folder whose files are read together."""
    tree = read_tree(names, SIDE_NAMES, TOOLS, root_name="none")
    return [
        piece(
            name,
            form,
            target="/",
            tool="any",
            variant=labels.variant,
            run=labels.run,
            folder=labels.folder,
            leftover=labels.leftover,
        )
        for name, form, labels in zip(names, forms, tree, strict=True)
    ]


def numbers(pieces: list[Piece]) -> dict[str, list[int]]:
    """Return the numbers of each path, in the order of its readings."""
    listed: dict[str, list[int]] = {}
    for one in sorted(pieces, key=lambda each: each.index):
        listed.setdefault(one.path, []).append(one.number)
    return listed


def test_formats_of_one_run_share_its_number() -> None:
    pieces = [
        piece("agent/vegeta-results-1.bin", "gob", target="/consume"),
        piece("agent/vegeta-results-1.json.gz", "ndjson", target="/consume"),
        piece("agent/vegeta-report-1.json", "json"),
        piece("agent/vegeta-text-1.txt", "text"),
        piece("agent/vegeta-hdrplot-1.txt", "hdrplot"),
        piece("agent/vegeta-text-2.txt", "text"),
    ]
    assert settle(pieces) == []
    assert [one.number for one in pieces] == [1, 1, 1, 1, 1, 2]
    assert [one.benchmark for one in pieces] == ["/consume"] * 5 + [""]


def test_format_words_are_names_if_the_format_is_the_same() -> None:
    pieces = [
        piece(f"main/wrk-{word}-{run}.txt", target=target)
        for word, target in (("json", "/"), ("text", "/"), ("raw", "/raw"))
        for run in (1, 2)
    ]
    settle(pieces)
    assert [(one.benchmark or one.target, one.number) for one in pieces] == [
        (name, run) for name in ("json / /", "text / /", "/raw") for run in (1, 2)
    ]


def test_remaining_part_of_the_stem_separates_runs() -> None:
    pieces = [
        piece("otel/k6-1.txt", target="/"),
        piece("otel/k6-export-1.json", "export"),
        piece("otel/k6-old-1.txt"),
        piece("otel/k6-old-1-export.json", "export"),
    ]
    settle(pieces)
    assert [(one.benchmark, one.number) for one in pieces] == [("/", 1)] * 2 + [("old", 1)] * 2


def test_formats_share_facts_of_the_workload() -> None:
    text = piece("nginx/ab-1.txt", target="/index.html", params={"connections": "20"})
    table = piece("nginx/ab-1.csv", "percentiles")
    settle([table, text])
    assert (table.number, table.params, table.benchmark) == (1, "connections=20", "/index.html")


def test_contradicting_formats_are_two_runs() -> None:
    eight = piece("none/wrk-1.txt", params={"connections": "8"})
    nine = piece("none/wrk-1.json", "json", params={"connections": "9"})
    settle([eight, nine])
    assert (eight.params, nine.params) == ("connections=8", "connections=9")
    assert (eight.number, nine.number) == (1, 1)


def test_file_and_its_gzip_are_one_run() -> None:
    pieces = [piece("small/k6-raw-1.json", "raw"), piece("small/k6-raw-1.json.gz", "raw")]
    assert settle(pieces) == []
    assert [one.number for one in pieces] == [1, 1]


@pytest.mark.parametrize(
    ("first", "second"),
    [
        ("wrk_export_1.txt", "wrk_metrics_1.txt"),
        ("wrk_export_1.txt", "wrk_metrics_2.txt"),
        ("wrk-json-1.txt", "wrk-text-2.txt"),
        ("wrk.export.1.txt", "wrk.metrics.1.txt"),
        ("result_1.txt", "log_2.txt"),
        ("output.txt", "bench.txt"),
        ("out1.txt", "bench2.txt"),
    ],
)
def test_files_with_different_words_are_different_benchmarks(first: str, second: str) -> None:
    pieces = read_folder([first, second], ["text", "text"])
    settle(pieces)
    assert len({(one.variant, one.benchmark) for one in pieces}) == 2


@pytest.mark.parametrize("sign", "-_.")
def test_formats_of_a_run_are_one_with_any_separator(sign: str) -> None:
    forms = ["raw", "summary", "raw", "summary"]
    names = [f"k6{sign}{form}{sign}{1 + at // 2}.json" for at, form in enumerate(forms)]
    pieces = read_folder(names, forms)
    settle(pieces)
    assert [one.number for one in pieces] == [1, 1, 2, 2]
    assert len({one.benchmark for one in pieces}) == 1


def test_warmups_are_numbered_separately() -> None:
    pieces = [piece("none/wrk-1.txt"), piece("none/wrk-warmup-1.txt")]
    assert settle(pieces) == []
    assert [one.number for one in pieces] == [1, 1]


def test_count_lines_are_runs_of_each_benchmark() -> None:
    names = ["Ping"] * 3 + ["Set"] * 3
    pieces = [
        piece("baseline.txt", tool="gobench", benchmark=name, index=at)
        for at, name in enumerate(names)
    ]
    assert settle(pieces) == []
    assert numbers(pieces) == {"baseline.txt": [1, 2, 3, 1, 2, 3]}


def test_kth_runs_of_two_formats_belong_together() -> None:
    text = [piece("On/gobench-1.txt", benchmark="Ping", index=at) for at in range(3)]
    json = [
        piece("On/gobench-json-1.json", "json", benchmark=name, index=at)
        for at, name in enumerate(["Set", "Ping", "Ping"])
    ]
    assert settle([*json, *text]) == []
    assert [one.number for one in text] == [1, 2, 3]
    assert [one.number for one in json] == [1, 1, 2]


def test_several_runs_in_one_file_continue_the_numbering() -> None:
    pieces = [
        *(piece("none/wrk-1.txt", target="/", index=at) for at in range(3)),
        piece("none/wrk-2.txt", target="/"),
        *(piece("none/wrk.txt", target="/", index=at) for at in range(2)),
    ]
    assert settle(pieces) == []
    assert numbers(pieces) == {
        "none/wrk-1.txt": [1, 3, 4],
        "none/wrk-2.txt": [2],
        "none/wrk.txt": [5, 6],
    }


def test_equal_labels_in_two_folders_are_two_runs_with_a_note() -> None:
    pieces = [
        piece("monday/wrk-1.txt", variant="none"),
        piece("tuesday/wrk-1.txt", variant="none"),
        piece("tuesday/wrk-2.txt", variant="none"),
    ]
    notes = settle(pieces)
    assert numbers(pieces) == {
        "monday/wrk-1.txt": [1],
        "tuesday/wrk-1.txt": [3],
        "tuesday/wrk-2.txt": [2],
    }
    assert [(note.path, note.severity) for note in notes] == [("tuesday/wrk-1.txt", "note")]
    assert "monday/wrk-1.txt" in notes[0].what
    assert isinstance(notes[0], Diagnostic)


def test_date_in_a_name_numbers_only_one_run() -> None:
    name, date = "none/wrk-20240131.txt", 20240131
    pieces = [piece(name, target="/", run=date, index=at) for at in range(3)]
    pieces.append(piece(name, target="/other", run=date, index=3))
    assert settle(pieces) == []
    assert [one.number for one in pieces] == [1, 2, 3, date]


def test_timestamps_keep_formats_together() -> None:
    first, second = 1795219562862, 1795219563811
    pieces = [
        *(piece(f"none/k6-{stamp}.txt") for stamp in (second, first)),
        *(piece(f"none/k6-export-{stamp}.json", "export") for stamp in (first, second)),
    ]
    assert settle(pieces) == []
    assert [one.number for one in pieces] == [2, 1, 1, 2]


def test_companions_keep_the_number_of_their_run() -> None:
    pieces = [
        piece("none/cadvisor-v13-4.json", format="cadvisor"),
        piece("none/spans-4.prom", format="prometheus"),
        piece("none/server.log", format="server"),
    ]
    assert settle(pieces) == []
    assert [one.number for one in pieces] == [4, 4, 0]


def test_packages_split_groups_only_if_they_differ() -> None:
    equal = [piece("a.txt", pkg="x/y"), piece("b.txt", pkg="x/y"), piece("c.txt")]
    settle(equal)
    assert [one.group for one in equal] == ["", "", ""]
    differing = [piece("a.txt", pkg="x/y"), piece("eu/b.txt", pkg="x/z"), piece("c.txt")]
    settle(differing)
    settle(differing)
    assert [one.group for one in differing] == ["x/y", "eu/x/z", ""]


pieces_of_any_kind = st.builds(
    Piece,
    path=st.sampled_from(
        ["a/k6-1.txt", "a/k6-1.json", "a/k6-raw-1.json.gz", "b/k6-2.txt", "k6.txt"]
    ),
    index=st.integers(0, 6),
    form=st.sampled_from(["text", "json"]),
    tool=st.sampled_from(["k6", "wrk"]),
    variant=st.sampled_from(["none", "otlp"]),
    benchmark=st.sampled_from(["", "", "/a", "/b"]),
    target=st.sampled_from(["", "/a", "/b"]),
    params=st.sampled_from(["", "c=1", "c=2", "c=1,t=2"]),
    run=st.sampled_from([None, 1, 2, 1795219562862]),
    role=st.sampled_from(["measured", "measured", "warmup"]),
    folder=st.sampled_from(["a", "b"]),
    pkg=st.sampled_from(["", "", "x/y", "x/z"]),
)
sets_of_pieces = st.lists(
    pieces_of_any_kind, max_size=14, unique_by=lambda one: (one.path, one.index)
)


def outcome(pieces: list[Piece]) -> dict[tuple[str, int], Piece]:
    return {(one.path, one.index): one for one in pieces}


@given(sets_of_pieces, st.randoms(use_true_random=False))
def test_order_of_the_pieces_does_not_matter(pieces: list[Piece], rng: random.Random) -> None:
    shuffled = deepcopy(pieces)
    rng.shuffle(shuffled)
    assert settle(pieces) == settle(shuffled)
    assert outcome(pieces) == outcome(shuffled)


@given(sets_of_pieces)
def test_settling_again_changes_nothing(pieces: list[Piece]) -> None:
    notes = settle(pieces)
    before = deepcopy(pieces)
    assert settle(pieces) == notes
    assert pieces == before


@given(sets_of_pieces, st.integers(0, 14))
def test_only_series_of_new_pieces_need_settling_again(pieces: list[Piece], first: int) -> None:
    whole = deepcopy(pieces)
    numbering.settle(whole)
    stored, new = pieces[:first], pieces[first:]
    numbering.settle(stored)
    touched = {series_of(one) for one in new}
    numbering.settle([*new, *(one for one in stored if series_of(one) in touched)])
    assert outcome(pieces) == outcome(whole)


@given(sets_of_pieces)
def test_number_is_used_once_per_source_and_format(pieces: list[Piece]) -> None:
    settle(pieces)
    given_out = Counter(
        (p.group, p.variant, p.benchmark, p.params, p.tool, p.role, p.number, p.path)
        for p in pieces
    )
    assert all(times == 1 for times in given_out.values())
    assert all(one.number >= 1 for one in pieces)


@given(sets_of_pieces)
def test_runs_with_one_number_belong_to_one_family(pieces: list[Piece]) -> None:
    settle(pieces)
    families: dict[tuple[object, ...], set[object]] = {}
    for one in pieces:
        key = one.group, one.variant, one.benchmark, one.params, one.tool, one.role, one.number
        families.setdefault(key, set()).add((one.folder, one.run))
    assert all(len(family) == 1 for family in families.values())


@pytest.mark.parametrize("files", [1, 5000])
def test_pieces_are_settled_in_linear_time(files: int) -> None:
    def make(size: int) -> list[Piece]:
        return [
            piece(f"v{at % 5}/wrk-{at % files}.txt", target="/", index=at // files)
            for at in range(size)
        ]

    assert_linear(make, settle, 5000)
    pieces = make(5000)
    settle(pieces)
    assert len({(one.variant, one.number) for one in pieces}) == 5000
