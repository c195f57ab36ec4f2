"""Completion offers variants and metrics quickly, and never prints an error."""

from __future__ import annotations

import os
import re
import shutil
import subprocess
import sys
from pathlib import Path

import pytest

from benchkit.cli import application, run

FIXTURES = Path(__file__).resolve().parents[2] / "fixtures"
WRK = str(FIXTURES / "tracing-wrk")
GO = [str(FIXTURES / "redis-gobench" / f"{name}.txt") for name in ("baseline", "disabled")]
#: Names that a shell would execute if they were inserted.
UNSAFE = [
    "compare",
    *(f"{name}={WRK}/none" for name in ("'$(id)'", "'`id`'", "'a;id'", "'a|id'", "'a>b'", "'a&b'")),
]
OPTIONS = ((["--variant"], ""), (["--pair"], ":"))
HEAVY = re.compile(r"\| +(pandas|scipy|matplotlib|numpy)$", re.MULTILINE)


def completion_environment(*words: str) -> dict[str, str]:
    """Return the environment in which bash requests completions for the last word."""
    return {
        "_BENCHKIT_COMPLETE": "complete_bash",
        "COMP_WORDS": " ".join(("benchkit", *words)),
        "COMP_CWORD": str(len(words)),
    }


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Return a working folder with a store."""
    place = tmp_path_factory.mktemp("work")
    assert run(["ingest", "-q", WRK, "--store", str(place / ".benchkit")]) == 0
    return place


@pytest.mark.parametrize(
    ("words", "offered"),
    [
        (["compare", "--variant", ""], ["apm", "none", "otlp", "skywalking", "zipkin"]),
        (["compare", "--variant", "z"], ["zipkin"]),
        (["gate", "--baseline", "no"], ["none"]),
        (["compare", *GO, "--variant", ""], ["baseline", "disabled"]),
        (["report", f"a={WRK}/otlp", f"b={WRK}/none", "--variant", ""], ["a", "b"]),
        (["runs", "--store", ".benchkit", "--by", "x", "--quiet", ""], []),
        (["export", ".benchkit", "--variant", "o"], ["otlp"]),
        (["history", "show", "--variant", "o"], ["otlp"]),
        (["noise", "--pair", "o"], ["otlp:"]),
        (["compare", "--pair", "none:o"], ["none:otlp"]),
        (["compare", "--metric", "request_r"], ["request_rate"]),
        (["plot", "forest", "--metric", "latency.p99"], ["latency.p99", "latency.p99.9"]),
        *(([*UNSAFE, f"fast={WRK}/otlp", *option, ""], ["fast" + end]) for option, end in OPTIONS),
        (["compare", "nowhere/", "--variant", ""], []),
        (["compare", "-", "--variant", ""], []),
        (["compare", "git:main:results", "s3://a/b", "--variant", ""], []),
        (["compare", "--store", "nowhere", "--variant", ""], []),
    ],
)
def test_completions(
    words: list[str],
    offered: list[str],
    folder: Path,
    monkeypatch: pytest.MonkeyPatch,
    capsys: pytest.CaptureFixture[str],
) -> None:
    monkeypatch.chdir(folder)
    assert complete(monkeypatch, capsys, *words) == offered


def complete(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str], *words: str
) -> list[str]:
    """Return the completions of the last word."""
    for name, value in completion_environment(*words).items():
        monkeypatch.setenv(name, value)
    with pytest.raises(SystemExit):
        application()([], prog_name="benchkit")
    printed = capsys.readouterr()
    assert printed.err == ""
    return printed.out.split()


@pytest.mark.parametrize("words", [["compare", WRK, "--variant", ""], ["compare", "--metric", "l"]])
def test_completion_loads_nothing_heavy(words: list[str], folder: Path) -> None:
    done = subprocess.run(
        [sys.executable, "-X", "importtime", "-m", "benchkit"],
        env=os.environ | completion_environment(*words),
        cwd=folder,
        capture_output=True,
        text=True,
        check=False,
    )
    assert done.stdout
    assert not HEAVY.search(done.stderr)


def test_unreadable_settings_give_no_completions(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    (tmp_path / "benchkit.toml").write_text("no toml", encoding="utf-8")
    monkeypatch.chdir(tmp_path)
    assert complete(monkeypatch, capsys, "compare", WRK, "--variant", "") == []


@pytest.mark.parametrize("name", ["results", "$(touch planted)"])
def test_completion_prints_nothing_from_the_folder(
    name: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    (tmp_path / name).mkdir()
    shutil.copy(f"{WRK}/none/wrk-1.txt", tmp_path / name)
    monkeypatch.chdir(tmp_path)
    monkeypatch.setenv("_BENCHKIT_COMPLETE", "complete_bash")
    monkeypatch.setenv("COMP_WORDS", "benchkit comp")
    monkeypatch.setenv("COMP_CWORD", "1")
    run([])
    assert capsys.readouterr().out.split() == ["compare"]
