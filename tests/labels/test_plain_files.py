"""File numbers after a word for runs are runs, unless most of them are missing."""

from __future__ import annotations

import pytest

from benchkit.labels.stems import ToolNames
from benchkit.labels.tree import lead_by_folders, read_tree
from benchkit.selection import SIDE_NAMES

#: Files in a folder `results`, with the variant and run of each.
READ = {
    "most are missing": (
        "run-11.log run-15.log run-16.log",
        "run-11/11 run-15/15 run-16/16",
    ),
    "trials most of which are missing": ("trial40.txt trial90.txt", "trial40/40 trial90/90"),
    "the warm-up is missing": (
        "run-2.log run-3.log run-4.log run-5.log",
        "results/2 results/3 results/4 results/5",
    ),
    "they follow each other": ("run-17.log run-18.log", "results/17 results/18"),
    "the first is there": (
        "run-1.log run-2.log run-40.log",
        "results/1 results/2 results/40",
    ),
    "one": ("run-11.log", "results/11"),
    "of a name": ("none-run-11.log none-run-15.log none-run-16.log", "none/11 none/15 none/16"),
    "in the folders of both sides": (
        "old/run-11.log old/run-15.log new/run-21.log new/run-26.log",
        "old/11 old/15 new/21 new/26",
    ),
}


@pytest.mark.parametrize("name", READ)
def test_run_numbers_with_most_missing_are_names(name: str) -> None:
    paths, expected = READ[name]
    read = read_tree(paths.split(), SIDE_NAMES, ToolNames(), root_name="results")
    assert " ".join(f"{labels.variant}/{labels.run}" for labels in read) == expected


def test_numbers_are_runs_if_a_label_names_the_variant() -> None:
    paths = ["run-11.log", "run-15.log", "run-16.log"]
    read = read_tree(paths, SIDE_NAMES, ToolNames(), root_name="results")
    (labelled,) = lead_by_folders([read], ToolNames())
    assert [(labels.benchmark, labels.run) for labels in labelled] == [("", 11), ("", 15), ("", 16)]
