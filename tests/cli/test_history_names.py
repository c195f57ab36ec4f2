"""A commit has one name in a store, regardless of which of two writers adds it first."""

from __future__ import annotations

import json
from collections import Counter
from pathlib import Path

import gated
import pytest

from benchkit.cli import run
from benchkit.ingestion import commit
from benchkit.store import Store, tables

FULL = "abc1234def0123456789abc1234def0123456789"


@pytest.fixture(autouse=True)
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.chdir(tmp_path)
    for name in ("GITHUB_SHA", "CI_COMMIT_SHA"):
        monkeypatch.delenv(name, raising=False)
    for number in (1, 2):
        gated.write_runs(tmp_path / f"r{number}/base.txt", seed=number, benchmarks=("Ping",))
    return tmp_path


def add(place: str, name: str) -> int:
    return run(["history", "add", place, "--commit", name, "--date", "2026-10-01T10:00:00Z"])


def count_runs(capsys: pytest.CaptureFixture[str]) -> dict[str, int]:
    capsys.readouterr()
    assert run(["runs", "--format", "json"]) == 0
    runs = json.loads(capsys.readouterr().out)["runs"]
    return Counter(one["group"] for one in runs)


def precede(
    monkeypatch: pytest.MonkeyPatch, owner: object, step: str, place: str, name: str
) -> list[int]:
    """Let another writer add a commit before the first writer takes a step."""
    original, codes = getattr(owner, step), list[int]()

    def later(*arguments: object, **options: object) -> object:
        monkeypatch.setattr(owner, step, original)
        codes.append(add(place, name))
        return original(*arguments, **options)

    monkeypatch.setattr(owner, step, later)
    return codes


@pytest.mark.parametrize(
    ("owner", "step"), [(commit, "discover"), (Store, "pieces"), (Store, "commit_pieces")]
)
def test_abbreviated_name_becomes_the_full_one_of_another_writer(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str], owner: object, step: str
) -> None:
    # As on a file system without locks, or on an object store.
    monkeypatch.setattr(tables, "wait_for_others", lambda _: None)
    codes = precede(monkeypatch, owner, step, "r1", FULL)
    assert add("r2", "abc1234def") == 0
    printed = capsys.readouterr().err
    assert codes == [0]
    assert f"abc1234def is recorded as {FULL}" in printed
    assert "Traceback" not in printed
    assert count_runs(capsys) == {FULL: 20}


@pytest.mark.parametrize(
    ("owner", "step"), [(commit, "discover"), (Store, "pieces"), (Store, "commit_pieces")]
)
def test_full_name_is_refused_if_another_writer_adds_an_abbreviation(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str], owner: object, step: str
) -> None:
    monkeypatch.setattr(tables, "wait_for_others", lambda _: None)
    codes = precede(monkeypatch, owner, step, "r1", "abc1234def")
    assert add("r2", FULL) == 2
    assert codes == [0]
    assert f"{FULL} starts with abc1234def, which is in the store" in capsys.readouterr().err
    assert count_runs(capsys) == {"abc1234def": 10}


def test_same_results_under_both_names_count_once(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setattr(tables, "wait_for_others", lambda _: None)
    codes = precede(monkeypatch, Store, "commit_pieces", "r1", FULL)
    assert add("r1", "abc1234def") == 0
    assert codes == [0]
    assert count_runs(capsys) == {FULL: 10}
