"""Rebuilt archives: files that they no longer contain are reported as for a folder."""

from __future__ import annotations

import json
import shutil
from pathlib import Path

import gated
import pytest

from benchkit import load
from benchkit.cli import run


@pytest.fixture(autouse=True)
def results(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Measure six files of each variant."""
    monkeypatch.chdir(tmp_path)
    measure(range(1, 7), seed=0)


def measure(numbers: range, seed: int) -> None:
    for variant in ("main", "pr"):
        for number in numbers:
            seed += 1
            gated.write_runs(Path(f"res/{variant}/{number}.txt"), seed=seed, runs=1)


def pack() -> str:
    return Path(shutil.make_archive("made", "gztar", ".", "res")).name


def test_rebuilt_archive_with_fewer_files_is_reported(
    capsys: pytest.CaptureFixture[str],
) -> None:
    """Its earlier runs used to count in addition to the new ones, without a warning."""
    archive = pack()
    assert run(["ingest", archive, "--store", "packed", "-q"]) == 0
    shutil.rmtree("res")
    measure(range(1, 4), seed=100)
    pack()
    capsys.readouterr()
    assert run(["ingest", archive, "--store", "packed"]) == 0
    assert "B111 main: the folder " in (printed := capsys.readouterr().err)
    assert "made.tar.gz has new results and no longer contains " in printed
    assert run(["gate", "--store", "packed"]) == 3
    assert run(["ingest", archive, "--store", "packed", "--exclude", "1.txt"]) == 0
    assert "res/main/1.txt" not in capsys.readouterr().err


def test_damage_missing_from_the_new_archive_is_forgotten(
    capsys: pytest.CaptureFixture[str],
) -> None:
    lost = Path("res/pr/wrk-9.txt")
    lost.write_text("junk\n", encoding="utf-8")
    archive = pack()
    assert run(["ingest", archive, "--store", "packed", "-q"]) == 0
    assert run(["gate", "--store", "packed"]) == 3
    lost.unlink()
    assert run(["ingest", pack(), "--store", "packed", "-q"]) == 0
    assert run(["gate", "--store", "packed"]) in {0, 4}
    assert "damaged" not in capsys.readouterr().out.splitlines()[-1]


def test_a_sidecar_next_to_an_archive_applies_to_its_runs(
    capsys: pytest.CaptureFixture[str],
) -> None:
    """Its exit code was ignored, so a run that had failed counted in the gate."""
    for variant in ("main", "pr"):
        shutil.make_archive(variant, "gztar", f"res/{variant}")
    Path("run.toml").write_text('[env]\ncommit = "1e0ffee5"\n', encoding="utf-8")
    Path("pr.tar.gz.run.toml").write_text("exit_code = 137\n", encoding="utf-8")
    assert run(["ingest", "main=main.tar.gz", "pr=pr.tar.gz", "--store", "packed", "-q"]) == 0
    runs = load(Path("packed")).runs
    assert {env["commit"] for env in runs["env"]} == {"1e0ffee5"}
    roles = runs.groupby("variant")["role"].unique().map(list)
    assert roles.to_dict() == {"main": ["measured"], "pr": ["failed"]}
    capsys.readouterr()
    assert run(["gate", "--store", "packed", "--baseline", "main"]) != 0


def test_a_list_of_runs_next_to_an_archive_applies_to_its_runs() -> None:
    entry = {"variant": "pr", "run": 3, "start": 1_700_000_000, "end": 1_700_000_009}
    Path("runs.json").write_text(json.dumps([entry | {"exit_code": 1}]), encoding="utf-8")
    assert run(["ingest", pack(), "--store", "packed", "-q"]) == 0
    runs = load(Path("packed")).runs
    failed = runs[runs["role"].eq("failed")]
    assert {*zip(failed["variant"], failed["run"], strict=True)} == {("pr", 3)}
