"""`benchkit history gate`: the newest commit judged, with the exit codes of the gate."""

from __future__ import annotations

import json
from pathlib import Path

import gated
import pytest

from benchkit.cli import run

LEVEL = 9


@pytest.fixture(autouse=True)
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.chdir(tmp_path)
    for name in ("GITHUB_SHA", "CI_COMMIT_SHA"):
        monkeypatch.delenv(name, raising=False)
    return tmp_path


def add(number: int, cost: float = 0.0, benchmarks: tuple[str, ...] = ("Ping",)) -> None:
    gated.write_runs(Path("results/base.txt"), seed=number, cost=cost, benchmarks=benchmarks)
    date = f"2026-10-{number + 1:02d}T10:00:00Z"
    commit = ["--commit", f"{number:07d}a", "--date", date]
    assert run(["history", "add", "results", *commit, "-q"]) == 0


def gate(capsys: pytest.CaptureFixture[str], *options: str) -> tuple[int, str]:
    capsys.readouterr()
    code = run(["history", "gate", *options])
    return code, capsys.readouterr().out.replace("\N{NO-BREAK SPACE}", " ")


def test_a_newest_commit_that_costs_fails_and_one_of_the_level_passes(
    capsys: pytest.CaptureFixture[str],
) -> None:
    for number in range(LEVEL):
        add(number)
    code, shown = gate(capsys)
    assert (code, shown.splitlines()[0]) == (
        0, "✓ No regression at the newest commit: 3 of 3 judged.",
    )  # fmt: skip
    add(LEVEL, 0.2)
    code, shown = gate(capsys)
    assert code == 1
    assert shown.startswith("✗ Regression: time_per_op · base · Ping · gomaxprocs=8: newest")
    code, shown = gate(capsys, "--format", "json")
    told = json.loads(shown)
    assert (code, told["verdict"], told["exit_code"]) == (1, "fail", 1)
    assert len(told["regressions"]) == 1


def test_a_newest_commit_that_gains_passes(capsys: pytest.CaptureFixture[str]) -> None:
    for number in range(LEVEL):
        add(number)
    add(LEVEL, -0.2)
    assert gate(capsys)[0] == 0


def test_a_change_since_a_commit_fails_until_it_is_accepted(
    capsys: pytest.CaptureFixture[str],
) -> None:
    for number in range(2 * LEVEL):
        add(number, 0.1 if number >= LEVEL else 0.0)
    assert gate(capsys)[0] == 0
    code, shown = gate(capsys, "--since", "0000007a")
    assert code == 1
    assert "✗ Regression: time_per_op · base · Ping · gomaxprocs=8: since 0000009" in shown
    assert gate(capsys, "--since", "0000009a")[0] == 0
    Path("benchkit.toml").write_text(
        '[[history.accept]]\ncommit = "0000009a"\nreason = "TLS"\n', encoding="utf-8"
    )
    assert gate(capsys, "--since", "0000007a")[0] == 0


def test_a_benchmark_that_is_gone_fails_and_few_commits_decide_nothing(
    capsys: pytest.CaptureFixture[str],
) -> None:
    add(0, benchmarks=("Ping", "Pong"))
    code, shown = gate(capsys, "--metric", "time_per_op")
    assert (code, shown[:12]) == (4, "? Undecided:")
    add(1)
    code, shown = gate(capsys)
    assert code == 3
    assert shown.startswith("✗ Gone at the newest commit: time_per_op · base · Pong")


def test_a_commit_that_is_not_in_the_history_is_named(capsys: pytest.CaptureFixture[str]) -> None:
    add(0)
    assert run(["history", "gate", "--since", "fffffff"]) == 2
    assert "--since: 'fffffff' is no commit of this history" in capsys.readouterr().err
