"""A commit without readable results is the newest one, and fails the gate."""

from __future__ import annotations

import shutil
from pathlib import Path

import gated
import pytest

from benchkit.cli import run


@pytest.fixture(autouse=True)
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    for name in ("GITHUB_SHA", "CI_COMMIT_SHA"):
        monkeypatch.delenv(name, raising=False)


def add(number: int) -> int:
    gated.write_runs(Path("results/base.txt"), seed=number, benchmarks=("Ping",))
    date = f"2026-10-{number + 1:02d}T10:00:00Z"
    return run(["history", "add", "results", "--commit", f"{number:07d}a", "--date", date, "-q"])


@pytest.fixture(scope="module")
def recorded(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Make a history of ten commits, next to the results of the last one."""
    place = tmp_path_factory.mktemp("history")
    with pytest.MonkeyPatch.context() as patch:
        patch.chdir(place)
        assert [add(number) for number in range(10)] == [0] * 10
    return place


@pytest.mark.parametrize(
    ("name", "content"),
    [
        ("base.txt", b""),
        ("base.txt", b"bash: go: command not found\n"),
        ("base.txt", b"goos: linux\nPASS\nok  \tp\t0.1s\n"),
        ("base.txt.gz", b"\x1f\x8b\x08\x00torn"),
    ],
)
def test_commit_without_readable_results_is_the_newest(
    capsys: pytest.CaptureFixture[str], name: str, content: bytes, recorded: Path
) -> None:
    shutil.copytree(recorded, ".", dirs_exist_ok=True)
    assert run(["history", "gate"]) == 0
    Path("results/base.txt").unlink()
    Path("results", name).write_bytes(content)
    torn = ["history", "add", "results", "--commit", "0000010a", "--date", "2026-10-11T10:00:00Z"]
    capsys.readouterr()
    assert run(torn) == 3
    assert ".benchkit: 0000010, 0 sources · next: " in capsys.readouterr().err
    assert run(["history", "gate"]) == 3
    assert "nothing was measured at the newest commit, 0000010" in capsys.readouterr().out
    Path("results", name).unlink()
    assert add(10) == 0
    assert run(["history", "gate"]) == 0


def test_history_without_results_says_that_nothing_was_measured(
    capsys: pytest.CaptureFixture[str],
) -> None:
    Path("results").mkdir()
    for number, commits in enumerate(["0000000a", "any of 2 commits"]):
        Path("results/base.txt").write_bytes(b"")
        assert run(["history", "add", "results", "--commit", f"{number:07d}a", "-q"]) == 3
        capsys.readouterr()
        assert run(["history", "gate"]) == 3
        assert f"nothing was measured at {commits}; see what failed with" in capsys.readouterr().err
