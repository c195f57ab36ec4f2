"""Every command has `--format`, and its JSON output has a version."""

from __future__ import annotations

import json
from collections.abc import Iterator
from pathlib import Path

import pytest
import typer.main
from typer.core import TyperCommand, TyperGroup

from benchkit.cli import application, run

FIXTURES = Path(__file__).parents[2] / "fixtures"
RESULTS = str(FIXTURES / "tracing-wrk/none")
COMMIT = ["--commit", "c861e65", "--date", "2026-11-20T10:00:00Z"]


def list_commands(command: object, name: str = "") -> Iterator[tuple[str, TyperCommand]]:
    if isinstance(command, TyperGroup):
        for each, inner in command.commands.items():
            yield from list_commands(inner, f"{name} {each}".strip())
    elif isinstance(command, TyperCommand):
        yield name, command


def test_every_command_has_a_format_option() -> None:
    commands = dict(list_commands(typer.main.get_command(application())))
    assert len(commands) > 30
    names = {
        name
        for name, command in commands.items()
        if not any("--format" in option.opts for option in command.params)
    }
    assert names == set()


@pytest.mark.parametrize(
    ("command", "keys"),
    [
        (["undo"], {"store", "runs", "message"}),
        (["store", "check"], {"store", "damage"}),
        (
            ["store", "repair"],
            {"store", "damage", "sources", "runs_of_unknown_source", "damaged_key"},
        ),
        (["store", "upgrade"], {"store", "message"}),
        (["store", "vacuum"], {"store", "files", "message"}),
        (
            ["store", "prune", "--older-than", "90d"],
            {"store", "before", "runs", "ingests", "kept", "message"},
        ),
        (["history", "add", RESULTS, *COMMIT], {"store", "commit", "runs", "sources"}),
        (["history", "site", "site"], {"index", "pages", "bytes", "message"}),
        (["history", "export", "--influx", "h.lp"], {"files", "message"}),
        (["history", "prune", "--keep", "1"], {"store", "dropped", "message"}),
        (["init"], {"path", "next", "message"}),
        (["map", "t.csv"], {"map", "values"}),
        (["help", "tutorial"], {"pages"}),
    ],
    ids=lambda value: " ".join(value[:2]) if isinstance(value, list) else "",
)
def test_result_of_a_command_is_printed_as_json(
    command: list[str],
    keys: set[str],
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
    capsys: pytest.CaptureFixture[str],
) -> None:
    monkeypatch.chdir(tmp_path)
    Path("t.csv").write_text("variant,latency_ms\nnone,1.5\notlp,2.5\n", encoding="utf-8")
    assert run(["history", "add", RESULTS, *COMMIT, "-q"]) == 0
    capsys.readouterr()
    assert run([*command, "--format", "json"]) == 0
    output = capsys.readouterr()
    document = json.loads(output.out)
    assert document["format_version"] == 1
    assert keys <= document.keys()
    assert output.err == ""


def test_import_is_reported_as_json(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.chdir(tmp_path)
    data = FIXTURES / "github-action-benchmark-forms/synthetic-data.js"
    assert run(["history", "import", str(data), "--format", "json"]) == 0
    document = json.loads(capsys.readouterr().out)
    assert (document["new_commits"], document["runs"]) == (12, 48)


def test_map_in_json_equals_the_one_in_toml(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.chdir(tmp_path)
    Path("t.csv").write_text("variant,latency_ms\nnone,1.5\notlp,2.5\n", encoding="utf-8")
    assert run(["map", "t.csv"]) == 0
    text = capsys.readouterr().out
    assert run(["map", "t.csv", "--format", "json"]) == 0
    document = json.loads(capsys.readouterr().out)
    assert document["map"]["variant"] == "variant"
    assert all(f"# {line}\n" in text for line in document["values"])
    assert len(document["values"]) == 2
