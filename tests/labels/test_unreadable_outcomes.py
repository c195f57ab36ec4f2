"""An unreadable sidecar that may record a failed run is not ignored."""

from __future__ import annotations

import json
from pathlib import Path

import gated
import pytest

from benchkit.cli import run
from benchkit.labels.run_toml import Sidecar, read_sidecar
from benchkit.labels.sidecars import Sidecars


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ('role = "cold"', "must be one of measured, warmup"),
        ('exit = "one"', "whole number"),
        ("exit_code = 1.0", "whole number"),
        ("exit_code = true", "whole number"),
        ("exit-code = 1", "did you mean 'exit_code'?"),
        ('Role = "failed"', "the unknown key 'Role' is ignored"),
        ("load = {exit_code = 1}", "the unknown key 'exit_code' is ignored"),
        ("run = {exitCode = 1}", "whole number"),
        ("result = {exit = 1}", "the unknown key 'result' is ignored"),
    ],
)
def test_unreadable_outcome_marks_the_runs_as_damaged(text: str, message: str) -> None:
    sidecar, (problem,) = read_sidecar(f'group = "kept"\n{text}', "x/run.toml")
    assert sidecar == Sidecar(group="kept", damage=str(problem))
    assert (problem.where, problem.severity) == ("x/run.toml:2", "warning")
    assert message in f"{problem.what}; {problem.hint}"
    assert "its runs count as damaged" in problem.what


@pytest.mark.parametrize(("first", "second"), [(1, 0), (0, 1)])
def test_contradicting_keys_mark_the_runs_as_damaged(first: int, second: int) -> None:
    sidecar, (problem,) = read_sidecar(f"exit_code = {first}\nexit = {second}", "run.toml")
    assert sidecar == Sidecar(exit_code=first, damage=str(problem))
    assert problem.what.startswith(f"exit = {second} is ignored: another key says {first}; its ")
    assert read_sidecar("exit_code = 1\nexit = 1", "run.toml") == (Sidecar(exit_code=1), [])


def test_outcome_among_too_many_keys_marks_the_runs_as_damaged() -> None:
    sidecar, (problem,) = read_sidecar(
        "exit_code = 1\n" + "".join(f"a{n} = 1\n" for n in range(200)), "run.toml"
    )
    assert sidecar == Sidecar(damage=str(problem))


TIMES = '"start": "2026-11-21T01:21:43Z", "end": "2026-11-21T01:21:58Z"'
LATER = TIMES.replace("T01", "T02")
ENTRY = f'{{"variant": "pr", "run": 3, {TIMES}, "exit_code": 1}}'


@pytest.mark.parametrize(
    "text",
    [
        f"[{ENTRY}, {ENTRY.replace(TIMES, LATER)}]",
        f"[{ENTRY}",
        f'{{"runs": [{ENTRY}]}}',
        f"[{','.join([ENTRY] * 10_001)}]",
        '[{"variant": "pr", "run": 3, "exit_code": 1}]',
        f"[{ENTRY.replace('1}', 'true}')}]",
        '[{"variant": "pr", "run": 3, "exit": "one"}]',
    ],
)
def test_outcome_in_an_ignored_run_list_marks_the_runs_as_damaged(
    tmp_path: Path, text: str
) -> None:
    (tmp_path / "runs.json").write_text(text, encoding="utf-8")
    sidecars = Sidecars(tmp_path)
    sidecar = sidecars.for_file(tmp_path / "go.txt")
    (problem,) = sidecars.diagnostics
    assert sidecar == Sidecar(damage=str(problem))


def test_failed_entry_takes_precedence_over_one_with_the_same_times(tmp_path: Path) -> None:
    passed = ENTRY.replace('"exit_code": 1', '"exit": 0')
    for texts in ((passed, ENTRY), (ENTRY, passed)):
        (tmp_path / "runs.json").write_text(f"[{', '.join(texts)}]", encoding="utf-8")
        window = Sidecars(tmp_path).window_for("pr", 3, tmp_path / "go.txt")
        assert window is not None
        assert window.exit_code == 1


def test_exit_code_is_read_from_a_string() -> None:
    assert read_sidecar('exit_code = "-9"', "run.toml") == (Sidecar(exit_code=-9), [])


@pytest.mark.parametrize("name", ["run.toml", "go.txt.run.toml", "benchkit.toml", "runs.json"])
def test_linked_or_broken_sidecar_marks_the_runs_as_damaged(tmp_path: Path, name: str) -> None:
    file, folder = tmp_path / "failed.toml", tmp_path / "results"
    folder.mkdir()
    file.write_text("exit_code = 1\n[labels]\nexit_code = 1\n", encoding="utf-8")
    (folder / name).symlink_to(file)
    sidecars = Sidecars(folder)
    sidecar = sidecars.for_file(folder / "go.txt")
    (problem,) = sidecars.diagnostics
    assert sidecar == Sidecar(damage=str(problem))
    assert "a link to outside the folder" in problem.what
    (folder / name).unlink()
    (folder / name).write_text('[labels]\n"exit_code" = 1\n= broken', encoding="utf-8")
    assert Sidecars(folder).for_file(folder / "go.txt").damage


@pytest.mark.parametrize(
    ("text", "code"), [("exit_code = \n", 3), ('role = "cold"', 3), ('exit_code = "1"', 1)]
)
def test_gate_fails_on_a_run_that_may_have_failed(
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
    capsys: pytest.CaptureFixture[str],
    text: str,
    code: int,
) -> None:
    monkeypatch.chdir(tmp_path)
    for seed, side in enumerate(("main", "pr")):
        for number in (1, 2, 3):
            path = Path(f"res/{side}/run-{number}.txt")
            gated.write_runs(path, seed=10 * seed + number, runs=5, spread=0.002)
    Path("res/pr/run-3.txt.run.toml").write_text(text, encoding="utf-8")
    assert run(["gate", "res"]) == code
    assert run(["ingest", "res", "-q"]) == 0
    capsys.readouterr()
    assert run(["gate"]) == code
    assert "res/pr/run-3.txt" in capsys.readouterr().out
    Path("res/pr/run-3.txt.run.toml").write_text("exit_code = 0", encoding="utf-8")
    assert run(["ingest", "res", "-q"]) == 0
    assert "damaged" not in capsys.readouterr().out
    assert run(["gate"]) in {0, 4}


LABELS = {"variant": "pr", "run": 3, "start": 1767225600, "end": 1767225610, "exit_code": 1}


@pytest.mark.parametrize("change", [{"run": 4}, {"variant": "PR"}, {"benchmark": "Pnig"}])
def test_listed_failed_run_without_a_result_fails_the_gate(
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
    capsys: pytest.CaptureFixture[str],
    change: dict[str, object],
) -> None:
    monkeypatch.chdir(tmp_path)
    for seed, side in enumerate(("main", "pr")):
        for each in (1, 2, 3):
            path = Path(f"res/{side}/run-{each}.txt")
            gated.write_runs(path, seed=10 * seed + each, runs=1, spread=0.002)
    runs = Path("res/runs.json")
    runs.write_text(json.dumps([LABELS | change]), encoding="utf-8")
    for _ in range(2):  # the second ingest reads no file
        assert run(["ingest", "res"]) == 0
        assert "res/runs.json: entry 1: run " in capsys.readouterr().err
        for paths in ([], ["res"]):
            assert run(["gate", *paths]) == 3
            printed = capsys.readouterr().out
            assert "1 file is damaged: res/runs.json: entry 1: run " in printed
            assert "no regression" in printed  # the other runs are compared
    assert run(["gate", "res", "--exclude", "run-1.txt"]) != 3
    for text, code in (([LABELS | {"benchmark": "Ping"}], 1), ([], 0)):
        runs.write_text(json.dumps(text), encoding="utf-8")
        assert run(["ingest", "res", "-q"]) == 0
        capsys.readouterr()
        for paths in ([], ["res"]):
            assert run(["gate", *paths]) == code
            assert "damaged" not in capsys.readouterr().out


def test_failed_run_with_a_deleted_result_is_recognised(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.chdir(tmp_path)
    for seed, side in enumerate(("main", "pr")):
        for each in (1, 2, 3, 4):
            path = Path(f"res/{side}/run-{each}.txt")
            gated.write_runs(path, seed=10 * seed + each, runs=1, spread=0.002)
    Path("res/runs.json").write_text(json.dumps([LABELS]), encoding="utf-8")
    assert run(["ingest", "res", "-q"]) == 0
    Path("res/pr/run-3.txt").unlink()
    assert run(["ingest", "res", "-q"]) == 0
    capsys.readouterr()
    assert run(["gate"]) == 1
    assert "damaged" not in capsys.readouterr().out
    assert run(["gate", "new=res/pr", "main=res/main"]) != 3  # these folders contain no list
