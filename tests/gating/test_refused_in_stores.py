"""Files that an ingest could not read are kept in the store, and its gate names them."""

from __future__ import annotations

from pathlib import Path

import gated
import pytest

import benchkit.api as bk
from benchkit.cli import run
from benchkit.store import Store

GATE = ("gate", "--max-overhead", "time_per_op=50%", "--quiet")
UNKNOWN = "has an unknown format"


@pytest.fixture
def odd(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """Write a file of unknown format next to results."""
    monkeypatch.chdir(tmp_path)
    for seed, side in enumerate(("main", "pr"), 1):
        gated.write_runs(Path(f"res/{side}.txt"), seed=seed, runs=5, spread=0.002)
    path = Path("res/odd.dat")
    path.write_text("nothing that a tool prints\n" * 9)
    return path


def test_strict_gate_fails_on_files_refused_by_an_earlier_ingest(
    odd: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    assert run(["ingest", "res"]) == 0
    capsys.readouterr()
    assert run(GATE) == 0
    assert UNKNOWN in capsys.readouterr().out
    assert run([*GATE, "--strict"]) == 3
    out = capsys.readouterr().out
    assert UNKNOWN in out
    assert odd.name in out
    assert run([*GATE, "res", "--strict"]) == 3  # the files themselves have the same effect
    assert run(["check", "--strict"]) == 3


@pytest.mark.parametrize("how", ["removed", "excluded", "mended"])
def test_refused_file_is_forgotten_once_it_is_gone_or_read(
    odd: Path, how: str, capsys: pytest.CaptureFixture[str]
) -> None:
    run(["ingest", "res"])
    if how == "removed":
        odd.unlink()
    elif how == "mended":
        gated.write_runs(odd, seed=9, runs=5)
    run(["ingest", "res", *(["--exclude", odd.name] if how == "excluded" else [])])
    capsys.readouterr()
    assert run([*GATE, "--baseline", "main", "--strict"]) == 0
    assert UNKNOWN not in capsys.readouterr().out
    run(["undo"])
    capsys.readouterr()
    assert run([*GATE, "--strict"]) == 3


@pytest.mark.usefixtures("odd")
def test_file_refused_by_another_ingest_is_kept() -> None:
    run(["ingest", "res"])
    gated.write_runs(Path("more/pr2.txt"), seed=8, runs=5)
    run(["ingest", "more"])
    assert run([*GATE, "--strict"]) == 3


def test_repeated_refusal_leaves_the_store_unchanged(odd: Path) -> None:
    run(["ingest", "res"])
    entries = sorted(path for path in Path(".benchkit").rglob("*") if path.is_file())
    run(["ingest", "res"])
    assert sorted(path for path in Path(".benchkit").rglob("*") if path.is_file()) == entries
    assert odd.exists()


def test_refused_file_is_neither_run_nor_variant(odd: Path) -> None:
    run(["ingest", "res"])
    stored = bk.load(store=".benchkit")
    assert sorted(stored.variants) == ["main", "pr"]
    assert set(stored.runs["role"]) == {"measured"}
    assert [Path(report.label).name for report in stored.reports] == [odd.name]


def test_folder_without_results_stores_nothing(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    Path("odd.dat").write_text("nothing that a tool prints\n" * 9)
    assert run(["ingest", "odd.dat"]) == 3
    assert not Store(".benchkit").pieces()
