"""An ingest that relabels stored runs lists them, and suggests what to do."""

from __future__ import annotations

from pathlib import Path

import pytest

from benchkit.cli import run

REPORT = (Path(__file__).resolve().parents[2] / "fixtures/tracing-wrk/none/wrk-1.txt").read_text(
    encoding="utf-8"
)


@pytest.fixture
def _ingested(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Ingest two folders one by one."""
    monkeypatch.chdir(tmp_path)
    for place, folder in enumerate(("results/base", "results/new", "r2/third")):
        Path(folder).mkdir(parents=True)
        for n in (1, 2):
            rate = 1000 * place + n
            Path(folder, f"wrk-{n}.txt").write_text(REPORT.replace("10406", f"1{rate:04}"))
    ingest("results")
    ingest("r2")


def ingest(*words: str) -> None:
    assert run(["ingest", *words]) == 0


@pytest.mark.usefixtures("_ingested")
def test_folders_read_together_change_labels_with_a_warning(
    capsys: pytest.CaptureFixture[str],
) -> None:
    capsys.readouterr()
    ingest("results", "r2")
    shown = capsys.readouterr().err
    assert (
        "results/base/wrk-1.txt: its group changes from none to 'results', and that of 3 more; "
        "paths that are given together are labelled together; to keep the former labels, run "
        "`benchkit undo` and ingest with the paths and options of before"
    ) in shown
    assert "r2/third/wrk-1.txt: its group changes from none to 'r2', and that of 1 more" in shown
    assert run(["undo"]) == 0
    capsys.readouterr()
    ingest("results")
    ingest("r2")
    assert "changes from" not in capsys.readouterr().err


@pytest.mark.usefixtures("_ingested")
def test_unchanged_labels_and_changed_files_give_no_warning(
    capsys: pytest.CaptureFixture[str],
) -> None:
    path = Path("results/base/wrk-1.txt")
    path.write_text(path.read_text().replace("10001", "19999"))
    capsys.readouterr()
    ingest("results")
    ingest("r2/third/wrk-1.txt")
    ingest("r2/third")
    assert "changes from" not in capsys.readouterr().err


def _measure(folder: str, numbers: range, seed: int) -> None:
    Path(folder).mkdir(parents=True, exist_ok=True)
    for n in numbers:
        Path(folder, f"wrk-{n}.txt").write_text(REPORT.replace("10406", f"1{seed + n:04}"))


def test_unchanged_files_next_to_new_ones_keep_their_commit(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.chdir(tmp_path)
    _measure("r/base", range(1, 6), 0)
    _measure("r/new", range(1, 6), 100)
    ingest("r", "--meta", "commit=a1b2c3d")
    _measure("r/base", range(1, 6), 200)
    _measure("r/new", range(1, 3), 300)
    capsys.readouterr()
    ingest("r", "--meta", "commit=b1b2c3d")
    shown = capsys.readouterr().err
    assert (
        "r/new/wrk-3.txt: unchanged since it was ingested for commit a1b2c3d (and so are 2 more), "
        "so it does not count for b1b2c3d"
    ) in shown
    assert run(["gate"]) == 3
    assert "runs of 2 commits count together: a1b2c3d, b1b2c3d" in capsys.readouterr().out
    _measure("r/new", range(3, 6), 300)
    ingest("r", "--meta", "commit=b1b2c3d")
    assert run(["gate"]) != 3


def test_variant_measured_only_at_an_earlier_commit_is_undecided(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.chdir(tmp_path)
    _measure("r/base", range(1, 6), 0)
    _measure("r/new", range(1, 6), 20)
    ingest("r", "--meta", "commit=a1b2c3d")
    assert run(["gate"]) == 0
    _measure("r/base", range(1, 6), 10)
    for note in ("once", "again"):  # each of which is read again
        ingest("r", "--meta", "commit=b1b2c3d", "--meta", f"note={note}")
        capsys.readouterr()
        assert run(["gate"]) == 4
        assert (
            "the runs of 'new' are unchanged since commit a1b2c3d, though they were ingested for "
            "b1b2c3d"
        ) in capsys.readouterr().out
    _measure("r/new", range(1, 6), 30)
    ingest("r", "--meta", "commit=b1b2c3d")
    assert run(["gate"]) == 0
    _measure("r/new", range(1, 6), 40)
    ingest("r", "--meta", "commit=c1b2c3d")
    assert run(["gate"]) == 0  # a baseline may be older


def test_runs_keep_their_commit_when_ingested_again(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.chdir(tmp_path)
    _measure("r/base", range(1, 6), 0)
    _measure("r/new", range(1, 6), 20)
    ingest("r", "--meta", "commit=a1b2c3d")
    _measure("r/new", range(1, 3), 30)
    for note in ("once", "again"):  # each of which is read again
        ingest("r", "--meta", "commit=b1b2c3d", "--meta", f"note={note}")
        assert "so it does not count for b1b2c3d" in capsys.readouterr().err
        assert run(["gate"]) == 3


def test_commit_is_corrected_if_no_result_is_new(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.chdir(tmp_path)
    _measure("r/base", range(1, 6), 0)
    ingest("r", "--meta", "commit=a1b2c3d")
    ingest("r", "--meta", "commit=b1b2c3d")
    assert "for commit a1b2c3d (and so are 4 more); now it is of b1b2c3d" in capsys.readouterr().err
    ingest("r", "--meta", "commit=b1b2c3d")
    assert "unchanged since" not in capsys.readouterr().err


def test_second_measurement_that_replaces_a_commit_is_a_warning(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.chdir(tmp_path)
    add = ["history", "add", "x=r", "--commit", "abcdef1", "--date", "2026-05-01T10:00:00Z"]
    _measure("r", range(1, 4), 0)
    assert run(add) == 0
    assert "replaced" not in capsys.readouterr().err
    _measure("r", range(1, 4), 50)
    assert run(add) == 0
    shown = capsys.readouterr().err
    assert "abcdef1: replaced 3 earlier runs of this commit" in shown
    assert "--origin NAME" in shown
    _measure("r", range(3, 4), 70)
    assert run(add) == 0
    assert "abcdef1: replaced 1 earlier run of this commit" in capsys.readouterr().err
    _measure("r", range(1, 4), 90)
    assert run([*add, "--origin", "mac"]) == 0
    assert "replaced" not in capsys.readouterr().err
