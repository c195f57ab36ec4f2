"""A command's output begins with the answer and its setting; problems follow."""

from __future__ import annotations

import shutil
import subprocess
import sys
from pathlib import Path

import pytest
from invocation import benchkit

FIXTURES = Path(__file__).parents[2] / "fixtures"
EMPTY = '{"status":"success","data":{"resultType":"matrix","result":[]}}'
SETTING = "  otlp vs. none · /ping/GRM · 8 runs per side · wrk · closed loop · connections=8, "


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    """Two variants and an empty Prometheus response."""
    for name in ("none", "otlp"):
        shutil.copytree(FIXTURES / "tracing-wrk" / name, tmp_path / "results" / name)
    (tmp_path / "results" / "query.json").write_text(EMPTY)
    return tmp_path


@pytest.mark.parametrize("words", [["compare"], ["compare", "--wide"], ["report", "-o", "r.html"]])
def test_answer_is_followed_by_its_setting(folder: Path, words: list[str]) -> None:
    done = benchkit(*words, "results", cwd=folder)
    verdict, setting, *_ = done.stdout.splitlines()
    assert verdict.startswith("▲ otlp serves 13.1")
    assert setting.replace("\N{NO-BREAK SPACE}", " ").startswith(SETTING)
    assert "machine" in setting


@pytest.mark.parametrize("words", [["compare"], ["report", "-o", "r.html"]])
def test_problems_are_below_the_answer(folder: Path, words: list[str]) -> None:
    done = subprocess.run(
        [sys.executable, "-m", "benchkit", *words, "results"],
        cwd=folder, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True, check=True,
    )  # fmt: skip
    lines = done.stdout.splitlines()
    errors = [at for at, line in enumerate(lines) if line.startswith("error: ")]
    assert len(errors) == 1
    assert "query.json" in lines[errors[0]]
    assert lines[0].startswith("▲ otlp")


def test_problems_are_above_the_error_that_ends_a_command(folder: Path) -> None:
    done = benchkit("compare", "results", "--baseline", "no", cwd=folder)
    first, second, *_ = done.stderr.splitlines()
    assert (done.returncode, done.stdout) == (3, "")
    assert first.startswith("error: ")
    assert second.startswith("benchkit: error: ")
