"""Files named as ``label=path`` without a result: their earlier runs decide nothing."""

from __future__ import annotations

import json
from pathlib import Path

import gated
import pytest

from benchkit.cli import run

FAILED_LOG = (
    "goos: linux\ngoarch: amd64\npkg: example.com/redis\n"
    "panic: boom\n\ngoroutine 1 [running]:\nmain.main()\n"
    "exit status 2\nFAIL\texample.com/redis\t0.012s\nFAIL\n"
)
#: The current content of the variant's file, the event and the exit code that follow.
BROKEN = {
    "panic": ("goos: linux\npanic: boom\nFAIL\n", "crash", 1),
    "panic in a benchmark": ("BenchmarkPing-8\npanic: boom\n", "crash", 1),
    "failed log": (FAILED_LOG, "crash", 1),
    "failed build": ("FAIL example.com/redis [build failed]\n", "crash", 1),
    "empty": ("", "damaged", 3),
    "killed": ("killed\n", "damaged", 3),
}


@pytest.mark.parametrize("road", ["paths", "store", "first ingest", "folder"])
@pytest.mark.parametrize("name", BROKEN)
def test_current_content_of_a_named_file_decides(
    name: str,
    road: str,
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
    capsys: pytest.CaptureFixture[str],
) -> None:
    text, event, code = BROKEN[name]
    monkeypatch.chdir(tmp_path)
    gated.write_pair(tmp_path)
    named = ["baseline=baseline.txt", "enabled=enabled.txt"]
    if road == "folder":
        (tmp_path / "results").mkdir()
        for file in ("baseline.txt", "enabled.txt"):
            (tmp_path / file).rename(tmp_path / "results" / file)
        named = ["results"]
    broken = Path("results/enabled.txt" if road == "folder" else "enabled.txt")
    if road in {"store", "folder"}:
        assert run(["ingest", *named, "--quiet"]) == 0
        assert run(["gate", "--quiet"]) == 0
    broken.write_text(text)
    if road != "paths":
        run(["ingest", *named, "--quiet"])
        named = []
    capsys.readouterr()
    assert run(["gate", *named, "--format", "json", "--quiet"]) == code
    document = json.loads(capsys.readouterr().out)
    assert document["counts"][event] == 1
    assert document["verdict"] == "fail"


def test_new_damage_replaces_the_earlier_damage(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.chdir(tmp_path)
    gated.write_pair(tmp_path)
    for text in (None, "killed\n", ""):
        if text is not None:
            Path("enabled.txt").write_text(text)
        run(["ingest", ".", "--quiet"])
    capsys.readouterr()
    assert run(["gate", "--quiet"]) == 3
    output = capsys.readouterr().out
    assert "1 file is damaged: enabled.txt: the file is empty" in output
    gated.write_pair(tmp_path)
    run(["ingest", ".", "--quiet"])
    assert run(["gate", "--quiet"]) == 0


def test_text_in_a_named_folder_is_not_a_damaged_result(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    gated.write_runs(tmp_path / "a" / "1.txt", seed=1)
    gated.write_runs(tmp_path / "b" / "1.txt", seed=2)
    (tmp_path / "b" / "notes.txt").write_text("warm machine\n")
    assert run(["gate", "baseline=a", "enabled=b", "--quiet"]) == 0
