"""Each labelled folder is a variant; the folders below it become groups."""

from __future__ import annotations

import pytest

from benchkit.labels.stems import ToolNames
from benchkit.labels.tree import lead_by_folders, read_tree
from benchkit.parsers import registry
from benchkit.selection import SIDE_NAMES

TOOLS = ToolNames(registry.tools(), registry.companions(), registry.snapshotting())

#: Trees in labelled folders: the group and run of each path.
LABELLED = {
    "folders that differ": """
        go1.21/1.txt  go1.21 1
        go1.21/2.txt  go1.21 2
        go1.22/1.txt  go1.22 1""",
    "a tool's files in folders that differ": """
        small/wrk-1.txt  small 1
        large/wrk-1.txt  large 1""",
    "a folder beside files": """
        1.txt      1
        2.txt      2
        old/1.txt  old 1""",
    "run folders": """
        run1/out.txt  1
        run2/out.txt  2""",
    "trials with several files": """
        trial-1/1.txt  1
        trial-1/2.txt  2
        trial-2/1.txt  1""",
    "days": """
        2026-07-01/1.txt  1
        2026-07-02/1.txt  2""",
    "numbers that count from 1": """
        1/out.txt  1
        2/out.txt  2
        3/out.txt  3""",
    "numbers that do not count": """
        1/out.txt   1
        10/out.txt  10""",
    "one folder": """
        go1.21/1.txt  1
        go1.21/2.txt  2""",
    "counters in a folder of their own": """
        wrk-1.txt                1
        metrics/cadvisor-1.prom  1""",
    "counters in folders that differ": """
        small/wrk-1.txt          small 1
        small/cadvisor-1.prom    small 1
        large/wrk-1.txt          large 1
        metrics/cadvisor-1.prom  1""",
    "folders within groups": """
        eu/off/trial1.txt  eu/off 1
        eu/on/trial1.txt   eu/on 1
        us/off/trial1.txt  us/off 1""",
}


def list_labels(*trees: list[str]) -> list[dict[str, str]]:
    read = [read_tree(paths, SIDE_NAMES, TOOLS, root_name="results") for paths in trees]
    return [
        {
            path: " ".join(filter(None, (each.group, str(each.run or ""))))
            for path, each in zip(paths, labels, strict=True)
        }
        for paths, labels in zip(trees, lead_by_folders(read, TOOLS), strict=True)
    ]


@pytest.mark.parametrize("name", LABELLED)
def test_label_replaces_the_variant_but_no_folder_below_it(name: str) -> None:
    expected = {
        path: words.strip()
        for path, _, words in (
            line.strip().partition(" ") for line in LABELLED[name].splitlines()[1:]
        )
    }
    assert list_labels(list(expected)) == [expected]


def test_folders_that_differ_below_any_label_become_groups() -> None:
    several, one, other = ["go1.21/1.txt", "go1.22/1.txt"], ["go1.22/1.txt"], ["out/1.txt"]
    assert list_labels(several, one, other)[1:] == [
        {"go1.22/1.txt": "go1.22 1"},
        {"out/1.txt": "1"},
    ]
