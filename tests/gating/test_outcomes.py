"""Every line of the table of outcomes, end to end: from paths and from a store."""

from __future__ import annotations

import json
import os
import shutil
from collections.abc import Callable
from pathlib import Path
from xml.etree import ElementTree as ET

import gated
import pytest
from documents import read_documents
from outcome_cases import CASES, write_unknown

from benchkit.cli import run
from benchkit.gating.events import EVENTS, write_events


@pytest.mark.parametrize("road", ["paths", "store"])
@pytest.mark.parametrize("name", CASES)
def test_every_outcome(
    name: str,
    road: str,
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
    capsys: pytest.CaptureFixture[str],
) -> None:
    case = CASES[name]
    monkeypatch.chdir(tmp_path)
    (tmp_path / "results").mkdir()
    case.write(tmp_path / "results")
    (tmp_path / "benchkit.toml").write_text(f"schema = 1\n{case.policy}", encoding="utf-8")
    named = ["results"]
    if road == "store":
        run(["ingest", "results", "--quiet"])
        shutil.rmtree(tmp_path / "results")
        named = []
    capsys.readouterr()
    files = ("--junit", "j.xml", "--comment", "c.md", "--format", "json", "--quiet")
    assert run(["gate", *named, *case.options, *files]) == case.code
    document = json.loads(capsys.readouterr().out)
    sentence = document["sentence"]
    assert document["exit_code"] == case.code
    assert document["verdict"] == case.verdict
    assert {event for event, count in document["counts"].items() if count} >= {case.event} - {""}
    assert case.part in sentence
    assert sentence.endswith(".")
    comment = (tmp_path / "c.md").read_text(encoding="utf-8").replace("\\", "")
    assert case.part.removesuffix(".").replace("<", "&lt;") in comment
    junit = ET.parse(tmp_path / "j.xml").getroot()  # noqa: S314 - our own file
    failing = junit.findall(".//failure") + junit.findall(".//error")
    assert bool(failing) == bool(case.code)


@pytest.mark.parametrize(
    ("options", "code", "verdict"), [((), 0, "pass"), (("--strict",), 3, "fail")]
)
def test_file_of_unknown_format_warns_and_fails_under_strict(
    options: tuple[str, ...],
    code: int,
    verdict: str,
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
    capsys: pytest.CaptureFixture[str],
) -> None:
    (tmp_path / "results").mkdir()
    write_unknown(tmp_path / "results")
    monkeypatch.chdir(tmp_path)
    assert run(["gate", "results", "--quiet", "--format", "json", *options]) == code
    document = json.loads(capsys.readouterr().out)
    assert (document["verdict"], document["counts"]["unknown"]) == (verdict, 1)
    assert "1 file has an unknown format: results/notes.log" in document["sentence"]


@pytest.mark.parametrize("road", ["paths", "store"])
@pytest.mark.parametrize(
    ("make", "reason"),
    [
        (lambda path: path.symlink_to("nowhere"), "cannot be read: No such file or directory"),
        (lambda path: path.symlink_to(path.name), "cannot be read: Too many levels of symbolic"),
        (os.mkfifo, "cannot be read: not a regular file"),
        (Path.touch, "the file is empty"),
        (lambda path: path.write_text("Killed\n"), "the command failed (it printed 'Kil"),
    ],
)
def test_unreadable_file_named_like_a_result_is_damaged(
    make: Callable[[Path], object],
    reason: str,
    road: str,
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
    capsys: pytest.CaptureFixture[str],
) -> None:
    monkeypatch.chdir(tmp_path)
    for seed in range(10):
        name = "enabled" if seed % 2 else "baseline"
        gated.write_runs(Path(f"results/{name}/bench-{seed // 2}.txt"), seed=seed, runs=2)
    make(Path("results/enabled/bench-6.txt"))
    named = ["results"]
    if road == "store":
        run(["ingest", "results", "--quiet"])
        shutil.rmtree("results")
        named = []
    capsys.readouterr()
    assert run(["gate", *named, "--quiet"]) == 3
    printed = " ".join(capsys.readouterr().out.split())
    assert f"✗ 1 file is damaged: results/enabled/bench-6.txt: {reason}" in printed


@pytest.mark.parametrize("road", ["paths", "store"])
def test_copies_of_the_baseline_files_are_not_a_measurement(
    road: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.chdir(tmp_path)
    gated.write_runs(Path("a.txt"), seed=1)
    shutil.copy("a.txt", "b.txt")
    named = ["main=a.txt", "pr=b.txt"]
    if road == "store":
        run(["ingest", *named, "--quiet"])
        named = []
    capsys.readouterr()
    assert run(["gate", *named, "--quiet"]) == 3
    assert "✗ The files of pr are copies of those of main" in capsys.readouterr().out


@pytest.mark.parametrize("road", ["paths", "store"])
@pytest.mark.parametrize("form", ["csv", "json", "parquet"])
def test_the_runs_of_one_export_are_no_copies(
    form: str,
    road: str,
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
    capsys: pytest.CaptureFixture[str],
) -> None:
    """The files of an export's runs have names, but their digests are unknown."""
    monkeypatch.chdir(tmp_path)
    for number in range(6):
        gated.write_runs(Path(f"results/main/{number}.txt"), seed=number, runs=1)
        gated.write_runs(Path(f"results/pr/{number}.txt"), seed=number + 10, runs=1)
    table = f"table.{form}"
    assert run(["export", "results", "--format", form, "-o", table]) == 0
    assert road == "paths" or run(["ingest", table, "--quiet"]) == 0
    capsys.readouterr()
    assert run(["gate", *([table] if road == "paths" else []), *gated.GATE[1:]]) == 0
    assert capsys.readouterr().out.startswith("✓ Acceptable")


@pytest.mark.parametrize("road", ["paths", "store"])
def test_equal_files_of_runs_with_different_starts_are_measurements(
    road: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    """Instruction counts that a change leaves unchanged."""
    monkeypatch.chdir(tmp_path)
    for name in ("main", "pr"):
        path = gated.write_runs(Path(f"results/{name}/1.txt"), seed=1, spread=0)
        for second in (1, 2, 3, 4):
            copy = path.with_name(f"{second}.txt")
            copy.write_bytes(path.read_bytes())
            start = f"start = 2026-11-26T04:{len(name)}9:{second:02}Z\n"
            copy.with_name(f"{copy.name}.run.toml").write_text(start)
    named = ["results"]
    if road == "store":
        run(["ingest", "results", "--quiet"])
        named = []
    assert run(["gate", *named, "--quiet"]) == 0
    shutil.copytree("results/main", "results/pr", dirs_exist_ok=True)
    assert run(["gate", "results", "--quiet"]) == 3
    assert "Nothing was compared: 'main' is the only variant" in capsys.readouterr().out


def test_one_folder_ingested_under_two_labels_is_one_measurement(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.chdir(tmp_path)
    gated.write_runs(Path("res/a.txt"), seed=1)
    for label in ("main", "pr"):
        run(["ingest", f"{label}=res", "--quiet"])
    capsys.readouterr()
    assert run(["gate", "--quiet"]) == 3
    printed = capsys.readouterr().out
    assert "all values of pr equal those of main: one measurement under two names" in printed


def test_files_that_count_as_both_sides_are_not_a_measurement(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    """Four values alone are too few to identify them as one measurement."""
    monkeypatch.chdir(tmp_path)
    for number in (1, 2, 3, 4):
        gated.write_runs(Path(f"res/{number}.txt"), seed=number, runs=1)
    for label in ("main", "pr"):
        run(["ingest", f"{label}=res", "--quiet"])
    capsys.readouterr()
    assert run(["gate", "--quiet"]) == 3
    assert "✗ The same values of res/1.txt, res/2.txt, res/3.txt and 1 more count as main and" in (
        " ".join(capsys.readouterr().out.split())
    )


def test_history_commits_are_not_required_by_a_gate_on_the_same_store(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    main, pr = (gated.write_runs(Path(f"{side}.txt"), seed=len(side)) for side in ("main", "pr"))
    for name in ("1a2b3c4", "5d6e7f8"):
        assert run(["history", "add", f"main={main}", "--commit", name, "--quiet"]) == 0
        gated.write_runs(main, seed=len(name))
    assert run(["ingest", f"main={main}", f"pr={pr}", "--quiet"]) == 0
    assert run(["gate", "--quiet"]) == 0


def test_variants_of_one_file_are_not_copies(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    sides = [
        gated.write_runs(Path("a.txt"), seed=seed).read_text().replace("-8", f"/v={name}-8")
        for seed, name in enumerate(("main", "pr"), 1)
    ]
    Path("a.txt").write_text("".join(sides))
    names = ["--split", "/v=(?P<variant>[a-z]+)", "--rename", "s#/v=(main|pr)$##"]
    assert run(["gate", "a.txt", *names, "--quiet"]) == 0


def test_worst_exit_code_wins_and_every_event_is_named(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    results = tmp_path / "results"
    gated.write_pair(results, cost=0.2)
    gated.write_runs(results / "enabled.txt", seed=2, cost=0.2, benchmarks=("Ping", "Fresh"))
    with (results / "enabled.txt").open("a") as file:
        file.write("BenchmarkTorn-8\t 4000\t 30")
    monkeypatch.chdir(tmp_path)
    assert run(["gate", "results", "--quiet"]) == 1
    first = capsys.readouterr().out.splitlines()[0]
    assert first.startswith("✗ Regression: enabled takes 1")
    for clause in ("1 file is damaged: ", "Set not compared: only in baseline", "new: Fresh"):
        assert clause in first


def test_manual_shows_the_table_of_outcomes() -> None:
    assert write_events() in read_documents()
    assert len({event.name for event in EVENTS}) == len(EVENTS)


def test_outputs_of_a_gate_next_to_the_results_do_not_fail_the_next_one(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.chdir(gated.write_pair(tmp_path))
    outputs = {"--openmetrics": "m.txt", "--gitlab": "g.txt", "--junit": "j.xml"}
    gate = [*gated.GATE, "."]
    assert run([*gate, *(word for pair in outputs.items() for word in pair)]) == 0
    for command, ending in (("gate", "json"), ("compare", "json"), ("compare", "csv")):
        assert run([command, ".", "--format", ending, "-o", f"{command}-out.{ending}"]) == 0
    capsys.readouterr()
    assert run(gate) == 0
    assert "damaged" not in capsys.readouterr().out
    assert run(["runs", "g.txt"]) == 3
    assert "the output of `benchkit gate`, which benchkit does not read" in capsys.readouterr().err
