"""Runs dropped by a repair stay known: no gate passes on the rest of a variant."""

from __future__ import annotations

import shutil
from pathlib import Path

import pytest

from benchkit.cli import run

TRACING = Path(__file__).resolve().parent.parent / "fixtures" / "tracing-wrk"


@pytest.fixture
def repaired(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> Path:
    """Repair a store that lost the values of half of a variant's runs."""
    monkeypatch.chdir(tmp_path)
    for variant, first, last in (("none", 1, 9), ("otlp", 1, 5), ("otlp", 5, 9)):
        (tmp_path / variant).mkdir(exist_ok=True)
        for number in range(first, last):
            shutil.copy(TRACING / variant / f"wrk-{number}.txt", variant)
        assert run(["ingest", variant]) == 0
    newest = max(Path(".benchkit/values/raw=false").glob("*.parquet"), key=lambda file: file.name)
    newest.write_bytes(b"damaged")
    assert run(["store", "check"]) == 3
    assert run(["store", "repair"]) == 0
    capsys.readouterr()
    return tmp_path


GATE = ["gate", "--baseline", "none", "--max-overhead", "request_rate=40%"]


@pytest.mark.usefixtures("repaired")
def test_gate_names_the_lost_runs_until_they_are_ingested_again(
    capsys: pytest.CaptureFixture[str],
) -> None:
    assert run(GATE) == 3
    shown = capsys.readouterr().out
    lost = "its values were lost with a damaged file of the store; ingest it again"
    assert (
        f"4 files are damaged: otlp/wrk-5.txt: {lost}, otlp/wrk-6.txt: {lost} and 2 more" in shown
    )
    assert run(["store", "check"]) == 0
    assert run(["ingest", "otlp"]) == 0
    assert run(GATE) == 0
    capsys.readouterr()
    assert run(["runs", "--all", "--format", "json"]) == 0
    assert "damaged" not in capsys.readouterr().out


@pytest.mark.usefixtures("repaired")
def test_runs_lists_the_lost_runs(capsys: pytest.CaptureFixture[str]) -> None:
    assert run(["runs", "--all"]) == 0
    shown = capsys.readouterr().out
    assert shown.count(" damaged ") >= 4
