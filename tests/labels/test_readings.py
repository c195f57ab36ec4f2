"""Other readings of a folder: each is a pattern that all its paths match."""

from __future__ import annotations

import pytest

from benchkit.labels.readings import list_readings, write_pattern
from benchkit.labels.stems import ToolNames
from benchkit.labels.tree import read_tree
from benchkit.selection import SIDE_NAMES

TOOLS = ToolNames(frozenset({"wrk", "k6", "cadvisor"}), frozenset({"cadvisor"}))

#: Paths, and the patterns of the two likeliest other readings.
TREES = {
    "runs below variants": (
        ["none/run1.txt", "none/run2.txt", "otlp/run1.txt", "otlp/run2.txt"],
        ["{benchmark}/{variant}.txt"],
    ),
    "variants below runs": (
        ["run1/none.txt", "run1/otlp.txt", "run2/none.txt", "run2/otlp.txt"],
        ["{variant}.txt", "{variant}/{benchmark}.txt"],
    ),
    "benchmarks in the stems": (
        ["none_get_1.txt", "none_get_2.txt", "otlp_get_1.txt", "otlp_get_2.txt"],
        ["{variant}_{benchmark}_{run}.txt", "{variant}.txt"],
    ),
    "a folder between": (
        ["a/x/get-1.txt", "a/x/get-2.txt", "b/x/get-1.txt", "b/x/get-2.txt"],
        ["{variant}/x/get-{run}.txt", "x/{variant}.txt"],
    ),
    "several extensions": (
        ["a/get.json", "a/put.json.gz", "b/get.txt", "b/put.txt"],
        ["{variant}/{benchmark}"],
    ),
    "names that may be runs": (["run-11.log", "run-15.log", "run-16.log"], ["run-{run}"]),
    "numbers that may be runs": (["10.log", "50.log", "100.log"], ["{run}"]),
    "a count before the name": (
        ["T1_none.txt", "T2_otlp.txt", "T3_none.txt", "T4_otlp.txt"],
        ["T{run}_{variant}.txt", "{benchmark}_{variant}.txt"],
    ),
    "a count at once behind a name": (
        ["A1.txt", "A2.txt", "B1.txt", "B2.txt"],
        ["{variant}{run}.txt"],
    ),
    "words around name and count": (
        ["load_none_1_8conn.txt", "load_none_2_8conn.txt", "load_x-y_1_8conn.txt"],
        ["load_{variant}_{run}_8conn.txt", "load_{variant}.txt"],
    ),
    "one file": (["none.txt"], []),
    "signs of patterns": (["{a}/x*.txt", "{b}/y*.txt"], []),
}


@pytest.mark.parametrize("name", TREES)
def test_other_readings_are_patterns_with_the_likeliest_first(name: str) -> None:
    paths, patterns = TREES[name]
    read = read_tree(paths, SIDE_NAMES, TOOLS, root_name="results")
    readings = list_readings(paths, read, SIDE_NAMES, TOOLS, root_name="results")
    assert [reading.pattern for reading in readings][: len(patterns)] == patterns
    assert len(readings) <= 2


@pytest.mark.parametrize(
    ("path", "pattern"),
    [
        ("none/run1.txt", "{variant}/run{run}.txt"),
        ("eu/none/wrk-2.txt", "{group}/{variant}/{tool}-{run}.txt"),
        ("eu/west/none/wrk-2.txt", "{group}/{variant}/{tool}-{run}.txt"),
        ("no-agent-1.txt", "{variant}-{run}.txt"),
        ("none/wrk-ping-c30-2.txt", "{variant}/{tool}-{benchmark}-c30-{run}.txt"),
        ("none-20240101-1200.txt", "{variant}-*.txt"),
        ("none/01.log", "{variant}/{run}.log"),
    ],
)
def test_pattern_of_a_path_names_each_label(path: str, pattern: str) -> None:
    [labels] = read_tree([path], SIDE_NAMES, TOOLS, root_name="results")
    assert write_pattern(path, labels, TOOLS) == pattern
