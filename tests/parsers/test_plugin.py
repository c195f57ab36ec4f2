"""A tool from another package, installed with pip, works like a built-in one."""

from __future__ import annotations

import json
from pathlib import Path

import pytest
from plugged import install, run_benchkit

ROOT = Path(__file__).resolve().parents[2]


def rename(text: str) -> str:
    """Turn hyperfine, its module or its results, into a tool that benchkit does not know."""
    return text.replace("hyperfine", "tempo").replace('"command"', '"program"')


@pytest.fixture
def environment(tmp_path: Path) -> dict[str, str]:
    module = rename((ROOT / "benchkit/parsers/hyperfine.py").read_text(encoding="utf-8"))
    points = "[benchkit.parsers]\ntempo = tempo_parser:TOOLS\n"
    return install(tmp_path, "tempo_parser", points, {"tempo_parser.py": module})


def test_an_installed_tool_is_read_compared_reported_and_gated(
    tmp_path: Path, environment: dict[str, str]
) -> None:
    (tmp_path / "results").mkdir()
    for name in ("none.json", "otlp.json"):
        text = (ROOT / "fixtures/hyperfine" / name).read_text(encoding="utf-8")
        (tmp_path / "results" / name).write_text(rename(text), encoding="utf-8")

    def call(*arguments: str, code: int = 0) -> str:
        return run_benchkit(tmp_path, environment, *arguments, code=code)

    assert "tempo" in call("formats")
    assert "24" in call("ingest", "results")
    rows = json.loads(call("compare", "--baseline", "none", "--format", "json"))["rows"]
    primary = [(row["metric"], row["verdict"]) for row in rows if row["primary"]]
    assert primary == [("time_per_op", "regression")]
    call("report", "--baseline", "none")
    assert "time per operation" in (tmp_path / "report.html").read_text(encoding="utf-8")
    assert "otlp" in call("gate", "--baseline", "none", code=1)
