"""An ingest that gives stored runs other labels says which, and what to do."""

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
def test_labels_that_stay_and_files_that_changed_are_no_warning(
    capsys: pytest.CaptureFixture[str],
) -> None:
    path = Path("results/base/wrk-1.txt")
    path.write_text(path.read_text().replace("10001", "19999"))
    capsys.readouterr()
    ingest("results")
    ingest("r2/third/wrk-1.txt")
    ingest("r2/third")
    assert "changes from" not in capsys.readouterr().err
