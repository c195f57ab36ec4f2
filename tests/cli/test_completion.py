"""Tab offers variants and metrics, soon, and never an error."""

from __future__ import annotations

import os
import re
import subprocess
import sys
from pathlib import Path

import pytest

from benchkit.cli import run

FIXTURES = Path(__file__).resolve().parents[2] / "fixtures"
WRK = str(FIXTURES / "tracing-wrk")
GO = [str(FIXTURES / "redis-gobench" / f"{name}.txt") for name in ("baseline", "disabled")]
HEAVY = re.compile(r"\| +(pandas|scipy|matplotlib|numpy)$", re.MULTILINE)


def press_tab(folder: Path, *words: str) -> tuple[list[str], str]:
    """Return what bash offers for the last of the words, and what was imported on the way."""
    environment = {
        **os.environ,
        "_BENCHKIT_COMPLETE": "complete_bash",
        "COMP_WORDS": " ".join(("benchkit", *words)),
        "COMP_CWORD": str(len(words)),
    }
    command = [sys.executable, "-X", "importtime", "-m", "benchkit"]
    done = subprocess.run(
        command, env=environment, cwd=folder, capture_output=True, text=True, check=False
    )
    told = re.sub(r"^import time:.*\n?", "", done.stderr, flags=re.MULTILINE)
    assert told == ""
    return done.stdout.split(), done.stderr


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Return a working folder with a store in it."""
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
        (["compare", "nowhere/", "--variant", ""], []),
        (["compare", "-", "--variant", ""], []),
        (["compare", "git:main:results", "s3://a/b", "--variant", ""], []),
        (["compare", "--store", "nowhere", "--variant", ""], []),
    ],
)
def test_what_is_offered(words: list[str], offered: list[str], folder: Path) -> None:
    assert press_tab(folder, *words)[0] == offered


@pytest.mark.parametrize("words", [["compare", WRK, "--variant", ""], ["compare", "--metric", "l"]])
def test_nothing_heavy_is_loaded(words: list[str], folder: Path) -> None:
    offered, imported = press_tab(folder, *words)
    assert offered
    assert not HEAVY.search(imported)


def test_settings_that_cannot_be_read_offer_nothing(tmp_path: Path) -> None:
    (tmp_path / "benchkit.toml").write_text("no toml", encoding="utf-8")
    assert press_tab(tmp_path, "compare", WRK, "--variant", "")[0] == []
