"""Folders and files numbered in the order of measuring or saving."""

from __future__ import annotations

from pathlib import Path
from shutil import copy

import pytest

import benchkit as bk
from benchkit.ingestion.discovery import Options, discover

FIXTURES = Path(__file__).parents[2] / "fixtures"
WRK = "tracing-wrk/{side}/wrk-{n}.txt"


@pytest.fixture
def results(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.chdir(tmp_path)
    return Path("results")


def place_copy(path: Path, output: str) -> None:
    path.parent.mkdir(parents=True, exist_ok=True)
    copy(FIXTURES / output, path)


@pytest.mark.parametrize("place", ["{n:02}-{side}.txt", "{n}_{side}/wrk.log", "{side}-{n}.txt"])
def test_sides_distinguish_runs_numbered_in_execution_order(place: str, results: Path) -> None:
    for n, side in enumerate(("none", "otlp", "otlp", "none", "none", "otlp"), 1):
        place_copy(results / place.format(n=n, side=side), WRK.format(side=side, n=n))
    [row] = bk.load("results").compare().frame.query("primary").itertuples()
    assert (row.baseline, row.variant, row.n_baseline, row.n_variant) == ("none", "otlp", 3, 3)


def test_hidden_folder_of_pytest_benchmark_is_read(results: Path) -> None:
    for name, side in (("0001_baseline", "none"), ("0002_lazy", "otlp")):
        path = results / ".benchmarks" / "Linux-CPython-3.11-64bit" / f"{name}.json"
        place_copy(path, f"pytest-benchmark/{side}-1.json")
    frame = bk.load("results").compare().frame.query("primary")
    assert {*zip(frame.baseline, frame.variant, strict=True)} == {("baseline", "lazy")}
    assert {*frame.benchmark} == {"test_once", "test_roots"}


def test_each_side_may_have_separate_builds(results: Path) -> None:
    for number, side in enumerate(("main", "feature-x")):
        for n in (1, 2, 3):
            build = 1840 + 10 * number + n
            place_copy(
                results / side / f"build-{build}" / "wrk.txt",
                WRK.format(side=("none", "otlp")[number], n=n),
            )
    [row] = bk.load("results").compare().frame.query("primary").itertuples()
    assert (row.baseline, row.variant) == ("main", "feature-x")
    assert (row.n_baseline, row.n_variant) == (3, 3)


def test_levels_that_every_side_has_are_not_builds(results: Path) -> None:
    for side in ("none", "otlp"):
        for n in (10, 50):
            place_copy(results / side / f"rate-{n}" / "wrk.txt", WRK.format(side=side, n=n // 10))
    rows = bk.load("results").compare().frame.query("primary")
    assert sorted(rows.group) == ["rate-10", "rate-50"]


@pytest.mark.parametrize("name", ["wrk-{n}.txt", "wrk-get-{n}.txt", "{n}.txt", "get_{n}.txt"])
@pytest.mark.parametrize("numbers", [(2, 4), (1, 2, 4), (1, 3), (3,), (10, 50, 100)])
def test_sidecar_run_numbers_are_runs_even_with_gaps(
    name: str, numbers: tuple[int, ...], results: Path
) -> None:
    sides = {"no": (1, 2), "yes": numbers}
    for side, runs in sides.items():
        for n in runs:
            path = results / side / name.format(n=n)
            path.parent.mkdir(parents=True, exist_ok=True)
            path.touch()
            if n != 100:  # lost
                path.with_name(f"{path.name}.run.toml").write_text(f"run = {n}\n", "utf-8")
    read = [source.labels for source in discover(["results"], Options()).found]
    benchmark = "get" if "wrk-get" in name else ""
    assert [(x.variant, x.benchmark, x.run) for x in read] == [
        (side, benchmark, n) for side, runs in sides.items() for n in runs
    ]


@pytest.mark.parametrize("name", ["wrk-{n}.txt", "{n}.txt"])
def test_renamed_run_keeps_its_sidecar_number_with_a_warning(name: str, results: Path) -> None:
    for n, run in ((1, 1), (7, 2)):
        path = results / "none" / name.format(n=n)
        place_copy(path, WRK.format(side="none", n=run))
        path.with_name(f"{path.name}.run.toml").write_text(f"run = {run}\nexit = 0\n", "utf-8")
    loaded = bk.load("results")
    assert {*loaded.runs["benchmark"]} == {"/ping/GRM"}
    assert sorted(loaded.runs["run"]) == [1, 2]
    (note,) = (each for each in loaded.diagnostics if each.severity == "warning")
    assert note.path == f"{path}"
    assert note.what.startswith(
        f"the file name counts run 7, but {path.name}.run.toml states run 2"
    )


def test_levels_are_not_runs_though_a_shared_sidecar_states_a_run(results: Path) -> None:
    for n in (1, 10, 50):
        place_copy(results / "none" / f"wrk-{n}.txt", WRK.format(side="none", n=1))
    (results / "none" / "run.toml").write_text("run = 1\n", "utf-8")
    assert [source.labels.benchmark for source in discover(["results"], Options()).found] == [
        "1",
        "10",
        "50",
    ]


def test_file_may_be_named_none(results: Path) -> None:
    place_copy(results / "none" / "wrk-None.txt", WRK.format(side="none", n=1))
    assert not discover(["results"], Options()).notes


@pytest.mark.parametrize(
    ("numbers", "note"),
    [((1, 3), "the numbers 1, 3 count as benchmarks"), ((1, 3, 4, 6), ""), ((1, 2, 4), "")],
)
def test_ambiguous_numbers_with_gaps_are_noted(
    numbers: tuple[int, ...], note: str, results: Path
) -> None:
    for n in numbers:
        place_copy(results / "none" / f"wrk-{n}.txt", WRK.format(side="none", n=n))
    notes = [each.what for each in discover(["results"], Options()).notes]
    assert [text for text in notes if text.startswith("the numbers")] == [
        f"{note}, because many between them are missing"
    ][: bool(note)]
