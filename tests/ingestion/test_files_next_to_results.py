"""Other files next to results cost one line; a damaged result is an error."""

from __future__ import annotations

from pathlib import Path
from shutil import copy

import pytest

import benchkit as bk
from benchkit.cli import run

WRK = Path(__file__).parents[2] / "fixtures" / "tracing-wrk"
Captured = pytest.CaptureFixture[str]

#: Files that people keep next to results.
OTHER_FILES = {
    "env.json": '{"GOMAXPROCS": 2, "cpu": "8 cores"}\n',
    "requirements.txt": "numpy==2.1\nrequests\n",
    "urls.txt": "GET http://127.0.0.1:8080/ping\n",
    "prometheus.yml": "global:\n  scrape_interval: 5s\n",
    "server.log": "2026-01-01 INFO started\n2026-01-01 INFO served\n",
    "none/notes.txt": "measured on a quiet machine\n",
}


@pytest.fixture
def results(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.chdir(tmp_path)
    return Path("results")


def list_problems_with(results: Path, files: dict[str, str]) -> list[tuple[str, str]]:
    """Return severity and file of each problem in a folder with additional files."""
    for side in ("none", "otlp"):
        (results / side).mkdir(parents=True)
        for n in (1, 2, 3):
            copy(WRK / side / f"wrk-{n}.txt", results / side)
    for name, text in files.items():
        (results / name).write_text(text)
    loaded = bk.load("results")
    assert {*loaded.runs[loaded.runs.role == "measured"].variant} == {"none", "otlp"}
    return [(each.severity, each.path) for each in loaded.diagnostics]


def test_files_next_to_results_cost_one_line(results: Path, capsys: Captured) -> None:
    assert [severity for severity, _ in list_problems_with(results, OTHER_FILES)] == ["warning"]
    assert run(["compare", "results"]) == 0
    shown = capsys.readouterr()
    [line] = shown.err.splitlines()
    assert "results/env.json: left out" in line
    assert " and 2 more" in line
    assert "no readable" not in shown.out
    assert "B113" not in shown.out


def test_one_file_next_to_results_is_left_out_with_its_reason(results: Path) -> None:
    assert list_problems_with(results, {"urls.txt": OTHER_FILES["urls.txt"]}) == [
        ("warning", "results/urls.txt")
    ]


@pytest.mark.parametrize(
    ("name", "text"),
    [
        ("none/wrk-4.txt", "cannot connect\n"),
        ("otlp/4.txt", ""),
        ("otlp/load.json", '{"metrics": {"http_reqs": 1, "vus": ['),
        ("none/notes.txt", "wrk: command not found\n"),
    ],
)
def test_damaged_result_is_an_error_whatever_files_are_next_to_it(
    name: str, text: str, results: Path
) -> None:
    problems = list_problems_with(results, {name: text, "env.json": OTHER_FILES["env.json"]})
    assert ("error", f"results/{name}") in problems
    assert ("warning", "results/env.json") in problems


def test_named_file_that_is_not_a_result_is_an_error(results: Path, capsys: Captured) -> None:
    list_problems_with(results, {"urls.txt": OTHER_FILES["urls.txt"]})
    run(["compare", "results/none", "results/otlp", "results/urls.txt"])
    assert "error: results/urls.txt: unknown format" in capsys.readouterr().err
