"""A suggested command can be pasted: a name in it is one shell word and runs nothing."""

from __future__ import annotations

import subprocess
from pathlib import Path
from shutil import copy

import gated
import pytest

import benchkit as bk
from benchkit.cli import run
from benchkit.errors import BenchkitError
from benchkit.parsers import registry
from benchkit.reading.prefixes import MixedError
from benchkit.reading.source import Source

FIXTURES = Path(__file__).parents[2] / "fixtures/tracing-wrk"
HOSTILE = "a;$(echo)'b"


@pytest.fixture
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.chdir(tmp_path)
    return tmp_path


def words_after(text: str, mark: str) -> list[str]:
    """Return the words into which a shell splits the text after a mark."""
    assert mark in text, text
    command = text.partition(mark)[2].splitlines()[0]
    script = f"tell() {{ printf '%s\\n' \"$@\"; }}; tell {command}"
    done = subprocess.run(["sh", "-c", script], capture_output=True, text=True, check=False)
    return done.stdout.splitlines()


@pytest.mark.usefixtures("folder")
def test_branch_of_a_commit_is_quoted(capsys: pytest.CaptureFixture[str]) -> None:
    dated = ["--commit", "0123456a", "--date", "2026-10-01T10:00:00Z"]
    assert run(["history", "add", str(FIXTURES), *dated, "--branch", HOSTILE]) == 0
    stderr = capsys.readouterr().err
    assert words_after(stderr, "history show") == ["--branch", HOSTILE]
    assert run(["history", "show", "--branch", "gone"]) == 3
    assert words_after(capsys.readouterr().err, "--branch") == [HOSTILE]


def test_table_without_a_known_format_is_quoted(
    folder: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    path = folder / f"{HOSTILE}.csv"
    path.write_text("variant,run,ms\nnone,1,2\notlp,1,3\n", encoding="utf-8")
    assert run(["map", path.name, "-o", "my map.toml"]) == 0
    words = words_after(capsys.readouterr().err, "benchkit compare")
    assert words == [path.name, "--map", "my map.toml"]


@pytest.mark.usefixtures("folder")
def test_folder_of_captured_runs_is_quoted(capsys: pytest.CaptureFixture[str]) -> None:
    assert run(["capture", "--out", HOSTILE, "--", "true"]) == 0
    assert words_after(capsys.readouterr().err, "benchkit ingest") == [HOSTILE]


def test_folder_without_results_is_quoted(folder: Path) -> None:
    for seed in (1, 2, 3):
        for shift, variant in enumerate(("main", "pr")):
            gated.write_runs(folder / f"{variant}/{HOSTILE}{seed}/b.txt", seed=seed + 9 * shift)
    (folder / f"pr/{HOSTILE}4").mkdir()
    (hint,) = (d.hint for d in bk.load(folder).diagnostics if "no result" in d.what)
    assert words_after(hint, "--exclude") == [f"pr/{HOSTILE}4"]


def test_files_read_one_at_a_time_are_quoted(
    folder: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    names = [f"{HOSTILE}-{number}.txt" for number in (17, 21)]
    for name, side in zip(names, ("none", "otlp"), strict=True):
        copy(FIXTURES / side / "wrk-1.txt", folder / name)
        assert run(["ingest", name]) == 0
    assert words_after(capsys.readouterr().err, "with one command: benchkit ingest") == names


def test_prefixes_of_alternating_lines_are_quoted() -> None:
    text = (FIXTURES / "none/wrk-1.txt").read_text(encoding="utf-8")
    pods = (f"[pod/-'{HOSTILE}-1/wrk] ", f"[pod/-'{HOSTILE}-2/wrk] ")
    mixed = "\n".join(pod + line for line in text.split("\n") for pod in pods)
    with pytest.raises(MixedError) as raised:
        registry.identify(Source(None, "x", mixed.encode()))
    words = words_after(raised.value.hint.partition(" FILE")[0], "grep -F -e")
    assert words == [f"[pod/-'{HOSTILE}-1/wrk]"]


@pytest.mark.usefixtures("folder")
def test_unknown_commit_is_quoted() -> None:
    with pytest.raises(BenchkitError) as raised:
        bk.load(f"git:{HOSTILE}")
    assert words_after(raised.value.hint, "git fetch origin") == [HOSTILE]


@pytest.mark.usefixtures("folder")
def test_demo_folder_is_quoted(capsys: pytest.CaptureFixture[str]) -> None:
    assert run(["demo", "--out", HOSTILE]) == 0
    words = words_after(capsys.readouterr().err, "benchkit compare")
    assert words[0] == f"{HOSTILE}/results"


def test_target_of_a_link_is_quoted(folder: Path, capsys: pytest.CaptureFixture[str]) -> None:
    (folder / "work").mkdir()
    (folder / "work/x.md").symlink_to(f"../{HOSTILE}.md")
    words = ["compare", str(FIXTURES), "--baseline", "none", "-o", "work/x.md"]
    assert run(words) == 2
    assert words_after(capsys.readouterr().err, "target instead:") == [
        str(folder / f"{HOSTILE}.md")
    ]
