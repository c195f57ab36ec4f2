"""Results of JMH that differ in recorded settings or in a note are not repeats."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

import benchkit as bk

HEAD = "Benchmark  (size)  Mode  Cnt   Score     Error  Units\n"
ROW = "Sort.ints      10  avgt   {count}   {score} ±   0.001  us/op{note}\n"


def list_runs(folder: Path, name: str, text: str) -> list[tuple[str, str, int]]:
    (folder / name).write_text(text, encoding="utf-8")
    runs = bk.load(folder / name).runs
    return list(zip(runs["benchmark"], runs["params"], runs["run"], strict=True))


def result(**settings: object) -> dict[str, Any]:
    run: dict[str, Any] = {
        "benchmark": "b.Sort.ints", "mode": "avgt", "threads": 1, "forks": 1,
        "jdkVersion": "17.0.15", "measurementIterations": 5, "jvmArgs": [], **settings,
    }  # fmt: skip
    scores = [float(score) for score in range(run["measurementIterations"])]
    return run | {"primaryMetric": {"scoreUnit": "us/op", "rawData": [scores]}}


@pytest.mark.parametrize(
    ("settings", "params"),
    [
        ({"jdkVersion": "21.0.1"}, ("jdk=17.0.15", "jdk=21.0.1")),
        ({"jvmArgs": ["-Xmx1g", "-Xms1g"]}, ("", "jvm_args=-Xmx1g -Xms1g")),
        ({"measurementIterations": 10}, ("iterations=5", "iterations=10")),
        ({"measurementTime": "10 s"}, ("", "iteration_time=10 s")),
        ({"forks": 2}, ("forks=1", "forks=2")),
        ({"jdkVersion": "21.0.1", "vmVersion": "21+1"}, ("jdk=17.0.15", "jdk=21.0.1")),
        ({"mode": "ss"}, ("mode=avgt", "mode=ss")),
        ({"params": {"size": "10"}}, ("", "size=10")),
    ],
)
def test_results_with_different_settings_are_not_repeats(
    tmp_path: Path, settings: dict[str, object], params: tuple[str, str]
) -> None:
    text = json.dumps([result(), result(**settings)])
    runs = list_runs(tmp_path, "jmh.json", text)
    assert [number for *_, number in runs] == [1, 1]
    names = [pair for _, text, _ in runs for pair in [",".join(_drop_mode(text, params))]]
    assert tuple(names) == params


def _drop_mode(text: str, params: tuple[str, str]) -> list[str]:
    return [pair for pair in text.split(",") if pair != "mode=avgt" or pair in params]


def test_results_with_equal_settings_are_repeats(tmp_path: Path) -> None:
    runs = list_runs(tmp_path, "jmh.json", json.dumps([result(), result()]))
    assert runs == [("Sort.ints", "mode=avgt", 1), ("Sort.ints", "mode=avgt", 2)]


def test_rows_with_different_iteration_counts_are_not_repeats(tmp_path: Path) -> None:
    rows = (ROW.format(count=count, score=0.1, note="") for count in (15, 5))
    assert list_runs(tmp_path, "jmh.txt", HEAD + "".join(rows)) == [
        ("Sort.ints", "iterations=15,mode=avgt,size=10", 1),
        ("Sort.ints", "iterations=5,mode=avgt,size=10", 1),
    ]


def test_csv_rows_with_different_iteration_counts_are_not_repeats(tmp_path: Path) -> None:
    head = '"Benchmark","Mode","Threads","Samples","Score","Score Error (99.9%)","Unit"\n'
    rows = (f'"b.Sort.ints","avgt",1,{count},0.1,0.01,"us/op"\n' for count in (5, 10))
    assert list_runs(tmp_path, "jmh.csv", head + "".join(rows)) == [
        ("Sort.ints", "iterations=5,mode=avgt", 1),
        ("Sort.ints", "iterations=10,mode=avgt", 1),
    ]


@pytest.mark.parametrize("notes", [(" // heap", " // pool"), ("  (heap)", "  (pool)")])
def test_rows_that_differ_only_in_a_note_are_not_repeats(
    tmp_path: Path, notes: tuple[str, str]
) -> None:
    rows = (ROW.format(count=5, score=0.1, note=note) for note in notes)
    assert [name for name, *_ in list_runs(tmp_path, "jmh.txt", HEAD + "".join(rows))] == [
        "heap / Sort.ints",
        "pool / Sort.ints",
    ]


def test_rows_with_equal_settings_are_separate_runs(tmp_path: Path) -> None:
    rows = (ROW.format(count=5, score=score, note="") for score in (0.1, 0.2))
    assert list_runs(tmp_path, "jmh.txt", HEAD + "".join(rows)) == [
        ("Sort.ints", "mode=avgt,size=10", 1),
        ("Sort.ints", "mode=avgt,size=10", 2),
    ]
