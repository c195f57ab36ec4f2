"""`benchkit store check` reports damage as text or JSON."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from benchkit.cli import run

RESULTS = Path(__file__).parents[2] / "fixtures/tracing-wrk/none"


def test_damage_is_a_list_in_json(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.chdir(tmp_path)
    assert run(["ingest", str(RESULTS), "-q"]) == 0
    capsys.readouterr()
    assert run(["store", "check", "--format", "json"]) == 0
    assert json.loads(capsys.readouterr().out)["damage"] == []
    lost = next(Path(".benchkit/values").rglob("*.parquet"))
    lost.unlink()
    assert run(["store", "check", "--format", "json"]) == 3
    (one,) = json.loads(capsys.readouterr().out)["damage"]
    assert list(one) == ["where", "message"]
    assert lost.name in one["where"]
    assert run(["store", "check"]) == 3
    assert capsys.readouterr().out == f"{one['where']}: {one['message']}\n"
