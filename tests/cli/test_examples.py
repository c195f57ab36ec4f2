"""The example in each command's `--help` works."""

from __future__ import annotations

import os
import shlex
import shutil
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
import typer
from typer.main import get_command

from benchkit.cli import application, run

FIXTURES = Path(__file__).resolve().parents[2] / "fixtures" / "tracing-wrk"
#: Replaces the load generator that the example of `capture` runs.
WRK = f"#!/bin/sh\nexec cat {FIXTURES}/none/wrk-1.txt\n"


def walk(command: object, *path: str) -> Iterator[tuple[tuple[str, ...], Any]]:
    yield path, command
    for name, verb in getattr(command, "commands", {}).items():
        yield from walk(verb, *path, name)


COMMANDS = dict(walk(get_command(application())))


def read_example(path: tuple[str, ...]) -> list[str]:
    """Return the words of the example in `--help`."""
    text = COMMANDS[path].get_help(typer.Context(COMMANDS[path], info_name="benchkit"))
    _, mark, example = text.partition("Example: ")
    assert mark, f"{path} has no example"
    return shlex.split(example)


@pytest.fixture
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """Return a working folder with results, a store, a history and a load generator."""
    for variant in ("none", "otlp"):
        shutil.copytree(FIXTURES / variant, tmp_path / "results" / variant)
    shutil.copy(FIXTURES.parent / "tables" / "builds.csv", tmp_path / "results.csv")
    chart = "github-action-benchmark-forms/synthetic-data.js"
    shutil.copy(FIXTURES.parent / chart, tmp_path / "data.js")
    (tmp_path / "bin").mkdir()
    for name, text in (("wrk", WRK), ("browser", "#!/bin/sh\n")):
        program = tmp_path / "bin" / name
        program.write_text(text, encoding="utf-8")
        program.chmod(0o755)
    monkeypatch.setenv("PATH", f"{tmp_path / 'bin'}:{os.environ['PATH']}")
    monkeypatch.setenv("BROWSER", "browser")
    monkeypatch.chdir(tmp_path)
    return tmp_path


@pytest.mark.parametrize("path", sorted(COMMANDS.keys() - {("ab",), ("bisect",)}), ids=" ".join)
def test_example_runs(
    path: tuple[str, ...], folder: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    program, *words = read_example(path)
    assert program == "benchkit"
    assert tuple(words[: len(path)]) == path
    if "results/" not in words or path == ("history",):
        assert run(["ingest", "-q", "results/"]) == 0
    if path[:1] == ("history",) and path != ("history", "add"):
        assert run(read_example(("history", "add"))[1:]) == 0
    capsys.readouterr()
    assert run(words) == (4 if path == ("history", "gate") else 0)  # needs more commits
    printed = capsys.readouterr()
    output = words[words.index("-o") + 1] if "-o" in words else ""
    assert (folder / output).is_file() if output else printed.out + printed.err
