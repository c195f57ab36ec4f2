"""A sidecar that may call a run failed, and that cannot be read, is not passed over."""

from __future__ import annotations

from pathlib import Path

import gated
import pytest

from benchkit.cli import run
from benchkit.labels.run_toml import Sidecar, read_sidecar
from benchkit.labels.sidecars import Sidecars


@pytest.mark.parametrize(
    ("text", "what"),
    [
        ('role = "cold"', "must be one of measured, warmup"),
        ('exit = "one"', "whole number"),
        ("exit_code = 1.0", "whole number"),
        ("exit_code = true", "whole number"),
    ],
)
def test_an_unreadable_outcome_marks_the_runs_as_damaged(text: str, what: str) -> None:
    sidecar, (problem,) = read_sidecar(f'group = "kept"\n{text}', "x/run.toml")
    assert sidecar == Sidecar(group="kept", damage=str(problem))
    assert (problem.where, problem.severity) == ("x/run.toml:2", "warning")
    assert what in problem.what
    assert "its runs count as damaged" in problem.what


def test_an_exit_code_is_read_from_its_text() -> None:
    assert read_sidecar('exit_code = "-9"', "run.toml") == (Sidecar(exit_code=-9), [])


@pytest.mark.parametrize("name", ["run.toml", "go.txt.run.toml", "benchkit.toml"])
def test_a_sidecar_that_lies_elsewhere_or_is_broken_marks_the_runs_as_damaged(
    tmp_path: Path, name: str
) -> None:
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
    (folder / name).write_text("[labels]\nexit_code = 1\n= broken", encoding="utf-8")
    assert Sidecars(folder).for_file(folder / "go.txt").damage


@pytest.mark.parametrize(
    ("text", "code"), [("exit_code = \n", 3), ('role = "cold"', 3), ('exit_code = "1"', 1)]
)
def test_the_gate_fails_on_a_run_that_may_have_failed(
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
