"""One place prints, and what it prints drives neither a terminal nor the runner of a pipeline."""

from __future__ import annotations

from pathlib import Path

import pytest

from benchkit import cli
from benchkit.cli import run
from benchkit.cli.printing import print_line

FIXTURES = Path(__file__).parents[2] / "fixtures" / "tracing-wrk"


@pytest.mark.parametrize(
    "text",
    ["::error::x", " ::add-mask::x", "##[error]x", "a\n::error::x", "##vso[task.complete]x"],
)
def test_a_line_is_no_workflow_command(text: str, capsys: pytest.CaptureFixture[str]) -> None:
    print_line(text)
    print_line(text, err=True)
    streams = capsys.readouterr()
    for line in (*streams.out.splitlines(), *streams.err.splitlines()):
        assert not line.lstrip().startswith(("::", "##[", "##vso["))


def test_a_line_shows_no_credentials(capsys: pytest.CaptureFixture[str]) -> None:
    print_line("s3://me:s3cr3t@bucket/store: 2 runs")
    assert capsys.readouterr().out == "s3://REDACTED@bucket/store: 2 runs\n"


def test_no_command_prints_past_it() -> None:
    for path in Path(cli.__file__).parent.glob("*.py"):
        assert "typer.echo(" not in path.read_text(encoding="utf-8"), path


def test_a_hostile_store_and_target_are_spelled_out(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.chdir(tmp_path)
    sides = [f"::error::{side}={FIXTURES / side}" for side in ("none", "otlp")]
    assert run(["ingest", *sides, "--store", "::error::store"]) == 0
    words = ["--store", "::error::store", "--baseline", "::error::none", "-o", "::error::x.md"]
    assert run(["report", *words]) == 0
    streams = capsys.readouterr()
    assert "error" in streams.out + streams.err
    for line in (*streams.out.splitlines(), *streams.err.splitlines()):
        assert not line.lstrip().startswith(("::", "##[", "##vso["))
