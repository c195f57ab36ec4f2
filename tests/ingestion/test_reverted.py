"""Output of `undo`."""

from __future__ import annotations

import re
import shutil
from pathlib import Path

import pytest
from gated import History

from benchkit.cli import run


@pytest.fixture
def history(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> History:
    monkeypatch.chdir(tmp_path)
    return History(monkeypatch)


def undo(capsys: pytest.CaptureFixture[str], *options: str, code: int = 0) -> str:
    capsys.readouterr()
    assert run(["undo", *options]) == code
    return " ".join(capsys.readouterr().err.split())


def test_undo_names_the_ingest_if_a_later_one_read_nothing_new(
    history: History, capsys: pytest.CaptureFixture[str]
) -> None:
    history.ingest(*history.write_labelled("main=a.txt"))
    history.ingest(*history.write_labelled("pr=b.txt"))
    history.ingest("pr=b.txt")
    printed = undo(capsys)
    assert re.search(
        r"undid the ingest of \d{4}-\d\d-\d\d [\d:]+ UTC: 10 runs from b.txt; ", printed
    )
    assert printed.endswith("the store now holds 10 runs")


def test_undo_counts_the_restored_runs(
    history: History, capsys: pytest.CaptureFixture[str]
) -> None:
    names = [f"main={name}.txt" for name in "abcde"]
    history.ingest(*history.write_labelled(*names))
    history.ingest(*history.write_labelled(*names))
    printed = undo(capsys)
    assert "50 runs from a.txt, b.txt, c.txt and 2 more; the store now holds 50 runs" in printed


@pytest.mark.parametrize("run_id", ["", "71"])
def test_undo_of_a_prune_is_not_called_an_ingest(
    run_id: str,
    history: History,
    capsys: pytest.CaptureFixture[str],
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setenv("GITHUB_RUN_ID", run_id)
    for day, commit in enumerate(("aaaaaaa1", "bbbbbbb2"), 1):
        history.write("r.txt")
        date = f"2026-10-0{day}T10:00:00Z"
        assert run(["history", "add", "r.txt", "--commit", commit, "--date", date]) == 0
    assert run(["history", "prune", "--keep", "1"]) == 0
    line = undo(capsys)
    of = " of origin github/71" if run_id else ""
    assert f"undid the last change, which dropped 10 runs{of}; the store now holds 20 runs" in line


def test_ingest_of_another_job_is_undone_only_by_name(
    history: History, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    history.ingest(*history.write_labelled("main=a.txt"))
    for job in ("71", "72"):
        monkeypatch.setenv("CI_PIPELINE_ID", "500")
        monkeypatch.setenv("CI_JOB_ID", job)
        history.ingest(*history.write_labelled("pr=b.txt"))
    monkeypatch.setenv("CI_JOB_ID", "71")
    line = undo(capsys, code=2)
    assert "the last ingest is of origin 'gitlab/500/72', not of this CI job" in line
    assert "run `benchkit undo --origin gitlab/500/72`" in line
    assert undo(capsys, "-q", code=2)
    assert undo(capsys, "--origin", "gitlab/500/73", code=2)
    line = undo(capsys, "--origin", "gitlab/500")
    assert "UTC by gitlab/500/72: 10 runs from b.txt; the store now holds 20 runs" in line


def test_ingest_that_only_misses_files_belongs_to_its_job(
    history: History, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("CI_PIPELINE_ID", "500")
    history.write("r/main/1.txt", "r/pr/1.txt")
    history.ingest("r")
    shutil.rmtree("r/pr")
    history.ingest("r")
    monkeypatch.setenv("CI_PIPELINE_ID", "501")
    assert "of origin 'gitlab/500', not of this CI job" in undo(capsys, code=2)
    monkeypatch.setenv("CI_PIPELINE_ID", "500")
    assert "undid the last change, which added no runs" in undo(capsys)


def test_ingest_outside_ci_can_be_undone_by_any_job(
    history: History, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    history.ingest(*history.write_labelled("main=a.txt"))
    monkeypatch.setenv("CI_PIPELINE_ID", "500")
    assert "UTC: 10 runs from a.txt" in undo(capsys)
