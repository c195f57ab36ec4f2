"""All output is printed in one place, and controls neither a terminal nor a CI runner."""

from __future__ import annotations

import json
import os
import re
import subprocess
import sys
from io import BytesIO, TextIOWrapper
from pathlib import Path
from shutil import copytree

import gated
import pytest

from benchkit import cli
from benchkit.cli import run
from benchkit.cli.printing import print_line, write, write_stream

_STREAMS = "stdout", "stderr"
FIXTURES = Path(__file__).parents[2] / "fixtures" / "tracing-wrk"


@pytest.mark.parametrize(
    "text",
    [
        *("::error::x", " ::add-mask::x", "##[error]x", "a\n::error::x", "##vso[task.complete]x"),
        "##teamcity[buildStop]x",
    ],
)
def test_printed_line_is_not_a_workflow_command(
    text: str, capsys: pytest.CaptureFixture[str]
) -> None:
    print_line(text)
    print_line(text, err=True)
    streams = capsys.readouterr()
    for line in (*streams.out.splitlines(), *streams.err.splitlines()):
        assert not line.lstrip().startswith(("::", "##[", "##vso[", "##teamcity["))


def test_printed_line_shows_no_credentials(capsys: pytest.CaptureFixture[str]) -> None:
    print_line("s3://me:s3cr3t@bucket/store: 2 runs")
    assert capsys.readouterr().out == "s3://REDACTED@bucket/store: 2 runs\n"


_OUT, _ERR, _BOTH = ("stdout",), ("stderr",), _STREAMS


@pytest.mark.parametrize(
    ("words", "code", "streams"),
    [
        *((("gate", "results"), 1, streams) for streams in (_OUT, _ERR, _BOTH)),
        *((("compare", "results"), 0, streams) for streams in (_OUT, _ERR, _BOTH)),
        (("gate", "results", "--github"), 1, _BOTH),
        (("gate", "gone"), 3, _ERR),
        (("gate", "--unknown"), 2, _BOTH),
        (("check", "results", "--free-of", "info"), 3, _OUT),
    ],
)
def test_closed_pipe_does_not_change_the_exit_code(
    words: tuple[str, ...],
    code: int,
    streams: tuple[str, ...],
    tmp_path: Path,
) -> None:
    gated.write_pair(tmp_path / "results", cost=0.5)
    environment = {"PYTHONUNBUFFERED": "1"} if streams == _BOTH else {}
    assert _run_unread(words, streams, environment, tmp_path) == code


def test_truncated_output_is_not_a_success(tmp_path: Path) -> None:
    gated.write_pair(tmp_path / "results", runs=2000)
    assert _run_unread(("export", "results"), ("stdout",), {}, tmp_path) == 141


def _run_unread(
    words: tuple[str, ...], streams: tuple[str, ...], environment: dict[str, str], folder: Path
) -> int:
    """Run a command with pipes that nobody reads."""
    reader, writer = os.pipe()
    os.close(reader)
    ends = {name: writer if name in streams else subprocess.DEVNULL for name in _STREAMS}
    command = [sys.executable, "-m", "benchkit", *words]
    try:
        done = subprocess.run(
            command, cwd=folder, env={**os.environ, **environment}, check=False,
            stdout=ends["stdout"], stderr=ends["stderr"],
        )  # fmt: skip
    finally:
        os.close(writer)
    return done.returncode


def test_every_command_prints_through_one_function() -> None:
    for path in Path(cli.__file__).parent.glob("*.py"):
        assert "typer.echo(" not in path.read_text(encoding="utf-8"), path


def test_hostile_names_of_a_store_and_a_target_are_escaped(
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
        assert not line.lstrip().startswith(("::", "##[", "##vso[", "##teamcity["))


@pytest.mark.parametrize(
    "words",
    [
        ("ingest", "--format", "json"),
        ("ingest", "-v"),
        ("runs",),
        ("runs", "--format", "json"),
        ("runs", "--format", "csv"),
        ("export",),
        ("export", "--format", "json"),
        ("compare",),
        ("compare", "--format", "csv"),
        ("compare", "--format", "json"),
        ("compare", "--format", "md"),
        ("check",),
        ("check", "--format", "csv"),
        ("gate", "--max-overhead", "latency.p50=5%", "--format", "json"),
        ("explain", "B310", "--format", "json"),
        ("formats", "--format", "json"),
    ],
    ids=" ".join,
)
def test_names_in_any_script_are_written_in_any_encoding(
    words: tuple[str, ...], tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    for side in ("none", "naïve–\u2028ü"):
        copytree(FIXTURES / ("none" if side == "none" else "otlp"), tmp_path / "results" / side)
    (tmp_path / "results" / os.fsdecode(b"na\xff.txt")).write_text("no result")
    monkeypatch.setattr("sys.stdout", out := TextIOWrapper(BytesIO(), encoding="ascii"))
    monkeypatch.setattr("sys.stderr", err := TextIOWrapper(BytesIO(), encoding="ascii"))
    is_named = words[0] in {"explain", "formats"}
    assert run([*words, *([] if is_named else ["results"])]) in {0, 1}
    for stream in (out, err):
        stream.flush()
    text = out.buffer.getvalue()
    assert b"Traceback" not in text
    if "json" in words:
        assert text.isascii()
        json.loads(text)


_COMMANDS = "export", "runs", "compare", "check"
_FORMS = "csv", "json", "md", "table"
_HOSTILE = "::error::x", " ::error::x", "a##vso[task.complete]", "##[error]", "##teamcity[x]"


@pytest.mark.parametrize(
    ("command", "form", "name"),
    [  # each name is used with each command and each format
        (command, form, _HOSTILE[(row + column) % len(_HOSTILE)])
        for row, command in enumerate(_COMMANDS)
        for column, form in enumerate(_FORMS)
    ],
)
def test_no_output_format_contains_a_workflow_command(
    command: str, form: str, name: str, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    if command == "export" and form not in {"csv", "json"}:
        form = "csv"
    for side in ("none", "otlp"):
        copytree(FIXTURES / side, tmp_path / name / side)
    assert run([command, str(tmp_path), "--format", form]) == 0
    for line in capsys.readouterr().out.splitlines():
        assert not line.lstrip().startswith("::")
        assert not re.search(r"##\w*\[", line)


@pytest.mark.parametrize("output", [None, Path("out.txt")])
def test_lone_surrogate_is_escaped(
    output: Path | None, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    monkeypatch.setattr("sys.stdout", out := TextIOWrapper(BytesIO(), encoding="utf-8"))
    write("na\udcff", output)
    write_stream(lambda file: file.writelines(["na\udcff\n"]), output)
    out.flush()
    written = output.read_bytes() if output else out.buffer.getvalue()
    assert set(written.splitlines()) == {b"na\\udcff"}


@pytest.mark.parametrize("words", [("report",), ("compare", "-o", "table.md")])
def test_pipe_in_place_of_an_output_is_refused(
    words: tuple[str, ...],
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
    capsys: pytest.CaptureFixture[str],
) -> None:
    name = words[-1] if len(words) > 1 else "report.html"
    os.mkfifo(tmp_path / name)
    monkeypatch.chdir(tmp_path)
    assert run([words[0], str(FIXTURES), "--baseline", "none", *words[1:]]) == 2
    assert f"{name}: not a regular file" in capsys.readouterr().err


@pytest.mark.parametrize("named", [[], ["-o", "report.html"]])
def test_output_does_not_follow_a_link_to_another_folder(
    named: list[str],
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
    capsys: pytest.CaptureFixture[str],
) -> None:
    (tmp_path / "work").mkdir()
    target = tmp_path / "precious.html"
    target.write_text("kept", encoding="utf-8")
    (tmp_path / "work/report.html").symlink_to(target)
    monkeypatch.chdir(tmp_path / "work")
    assert run(["report", str(FIXTURES), "--baseline", "none", *named]) == 2
    message = f"report.html: is a link to a file elsewhere; name its target instead: {target}"
    assert message in capsys.readouterr().err
    assert target.read_text(encoding="utf-8") == "kept"


def test_quiet_prints_errors(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    text = tmp_path / "x.txt"
    text.write_text("hello\n", encoding="utf-8")
    assert run(["ingest", "-q", str(text), "--store", str(tmp_path / "store")]) == 3
    printed = capsys.readouterr()
    assert not printed.out
    assert printed.err.startswith(f"error: {text}: unknown format")


@pytest.mark.parametrize(
    "words",
    [
        ("compare", "--wide", "-o", "x.parquet"),
        ("gate", "-o", "x.svg"),
        ("check", "-o", "x.parquet"),
    ],
    ids=lambda words: words[0],
)
def test_output_with_a_mismatched_extension_is_refused(
    words: tuple[str, ...], tmp_path: Path, monkeypatch: pytest.MonkeyPatch,
    capsys: pytest.CaptureFixture[str],
) -> None:  # fmt: skip
    monkeypatch.chdir(tmp_path)
    results = Path(__file__).parents[2] / "fixtures/tracing-wrk"
    assert run([words[0], str(results), *words[1:]]) == 2
    assert f"unknown file extension '{Path(words[-1]).suffix}'" in capsys.readouterr().err
    assert not Path(words[-1]).exists()


@pytest.mark.parametrize(
    ("name", "command"),
    [("x.html", "report {results} -o x.html"), ("x.svg", "plot forest {results} -o x.svg")],
)
def test_compare_names_the_command_that_writes_the_requested_file(
    name: str, command: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch,
    capsys: pytest.CaptureFixture[str],
) -> None:  # fmt: skip
    monkeypatch.chdir(tmp_path)
    results = Path(__file__).parents[2] / "fixtures/tracing-wrk"
    assert run(["compare", str(results), "--wide", "-o", name]) == 2
    written = command.format(results=results)
    assert f"; use: benchkit {written}" in capsys.readouterr().err
    assert run(written.split()) == 0
    assert Path(name).exists()
