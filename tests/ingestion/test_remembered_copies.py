"""A store remembers left-out copies, and a result overwritten by a copy no longer counts."""

from __future__ import annotations

import re
import shutil
from pathlib import Path

import pytest

import benchkit.api as bk
from benchkit.cli import run

WRK = Path(__file__).resolve().parents[2] / "fixtures" / "tracing-wrk" / "none" / "wrk-1.txt"
GO = "BenchmarkPing-8\t{count}\t{time} ns/op\t172 B/op\t6 allocs/op\n"


def write_wrk(number: int) -> str:
    """Return a wrk report with a distinct rate."""
    return re.sub(r"(?<=Requests/sec:)( +\d+)", rf"\g<1>{number}", WRK.read_text())


def test_store_remembers_copies(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.chdir(tmp_path)
    (tmp_path / "r").mkdir()
    for name in ("main-1", "main-2", "main-3", "pr-1", "pr-2", "pr-3"):
        number = ["main-1", "pr-1", "main-2", "pr-2", "main-3", "pr-3"].index(name)
        Path("r", f"{name}.txt").write_text(write_wrk(number))
    shutil.copy("r/pr-1.txt", "r/pr-2.txt")
    Path("r/pr-3.txt").write_text(Path("r/pr-1.txt").read_text().replace("\n", "\r\n"))
    assert run(["ingest", "r"]) == 0
    for _ in range(2):
        capsys.readouterr()
        run(["gate"])
        assert "B103 r/pr-2.txt: identical to " in capsys.readouterr().out
        messages = {one.where: one.message for one in bk.load(store=".benchkit").problems}
        assert "all its runs are also in r/pr-1.txt" in messages["r/pr-3.txt"]
        assert run(["ingest", "r"]) == 0
    Path("r/pr-2.txt").write_text(write_wrk(8))
    Path("r/pr-3.txt").write_text(write_wrk(9))
    assert run(["ingest", "r"]) == 0
    capsys.readouterr()
    run(["gate"])
    assert "B103" not in capsys.readouterr().out


def test_result_overwritten_by_a_copy_no_longer_counts(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.chdir(tmp_path)
    (tmp_path / "r").mkdir()
    for name, add in (("main", 0), ("pr", 1)):
        times = (20000 + add + 7 * each for each in (1, 4, 2, 5, 3))
        Path("r", f"{name}.txt").write_text("".join(GO.format(count=9, time=t) for t in times))
    assert run(["ingest", "r"]) == 0
    assert run(["gate"]) == 0
    shutil.copy("r/main.txt", "r/pr.txt")
    assert run(["ingest", "r"]) == 0
    capsys.readouterr()
    assert run(["gate"]) == 3
    assert "r/pr.txt: identical to" in capsys.readouterr().out
    assert run(["undo"]) == 0
    assert run(["gate"]) == 0


def test_copy_is_not_judged_by_the_measurements_of_another_job(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.chdir(tmp_path)
    monkeypatch.setenv("GITHUB_RUN_ID", "71")
    Path("r").mkdir()

    def write(name: str, add: int) -> None:
        times = (20000 + add + 7 * each for each in (1, 4, 2, 5, 3))
        Path("r", f"{name}.txt").write_text("".join(GO.format(count=9, time=t) for t in times))

    monkeypatch.setenv("GITHUB_JOB", "first")
    write("main", 0)
    write("pr", 1)
    assert run(["ingest", "r"]) == 0
    assert run(["gate"]) == 0
    monkeypatch.setenv("GITHUB_JOB", "second")
    write("main", 4000)
    shutil.copy("r/main.txt", "r/pr.txt")
    assert run(["ingest", "r"]) == 0
    capsys.readouterr()
    assert run(["gate"]) == 3
    assert "r/pr.txt: identical to" in capsys.readouterr().out
    assert run(["gate", "--origin", "github/71/first"]) == 0
    write("pr", 4001)
    assert run(["ingest", "r"]) == 0
    assert run(["gate"]) == 0
