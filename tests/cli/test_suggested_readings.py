"""If names do not identify sides, a command explains its reading and suggests working commands."""

from __future__ import annotations

import shlex
import shutil
from pathlib import Path

import pytest

from benchkit.cli import run

WRK = Path(__file__).resolve().parents[2] / "fixtures" / "tracing-wrk"
Captured = pytest.CaptureFixture[str]


def write_copies(folder: Path, names: list[str]) -> None:
    for number, name in enumerate(names):
        path = folder / name
        path.parent.mkdir(parents=True, exist_ok=True)
        variant = ("none", "otlp", "apm")[number % 3]
        shutil.copy(WRK / variant / f"wrk-{number // 3 + 1}.txt", path)


@pytest.mark.parametrize(
    ("names", "understood", "alternatives"),
    [
        (
            ["go1.21_get.txt", "go1.21_put.txt", "go1.22_get.txt", "go1.22_put.txt"],
            "read as 4 variants: go1.21_get (1 file), go1.21_put (1 file)",
            2,
        ),
        (
            ["run_1.txt", "run_2.txt", "run_3.txt"],
            "read as 1 variant: results (3 files)",
            1,
        ),
    ],
)
def test_ambiguous_folder_gets_commands_that_work(
    names: list[str],
    understood: str,
    alternatives: int,
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
    capsys: Captured,
) -> None:
    monkeypatch.chdir(tmp_path)
    write_copies(tmp_path / "results", names)
    assert run(["compare", "results", "--quiet"]) in {2, 3}
    lines = capsys.readouterr().err.splitlines()
    assert any(line.startswith(understood) for line in lines)
    commands = [line.strip() for line in lines if line.startswith("    benchkit compare results")]
    assert len(commands) == alternatives
    assert [run(shlex.split(command)[1:]) for command in commands] == [0] * alternatives


def test_other_errors_and_explicit_layouts_get_no_suggestion(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: Captured
) -> None:
    monkeypatch.chdir(tmp_path)
    write_copies(tmp_path / "results", ["a-1.txt", "b-1.txt"])
    for words in (["--layout", "{variant}-{run}.txt"], ["--baseline", "c"]):
        assert run(["compare", "results", *words]) in {2, 3}
        assert "read as" not in capsys.readouterr().err


def test_formats_are_not_sides_and_runs_are_not_benchmarks(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: Captured
) -> None:
    monkeypatch.chdir(tmp_path)
    write_copies(
        tmp_path / "rounds", [f"round{n}-{name}.txt" for n in (1, 2) for name in ("ramp", "spike")]
    )
    assert run(["compare", "rounds"]) == 2
    text = capsys.readouterr().err
    assert "--layout '{variant}-{benchmark}.txt' --baseline round1" in text
    assert "--layout '{benchmark}-{variant}.txt'" not in text
    write_copies(tmp_path / "forms", ["a.txt", "a_summary.txt", "b.txt", "b_summary.txt"])
    assert run(["compare", "forms"]) in {2, 3}
    assert "_summary" not in capsys.readouterr().err.partition("It could")[2]


def test_error_with_a_long_argument_is_one_line(capsys: Captured) -> None:
    for words in (
        ["gate", "results", "--policy", "x" * 300],
        ["bisect", "v1", "--bench", "echo " + "x" * 5000],
        ["x" * 300],
    ):
        assert run(words) in {2, 3}
        assert len(capsys.readouterr().err.splitlines()) == 1
