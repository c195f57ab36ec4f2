"""The demo shows a real report of results that the package includes."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from benchkit.cli import run

ROOT = Path(__file__).resolve().parents[2]
SAMPLE = ROOT / "benchkit" / "ingestion" / "sample_results"


def test_sample_is_part_of_the_fixtures() -> None:
    files = sorted(SAMPLE.glob("*/wrk-*.txt"))
    assert len(files) == 24
    for path in files:
        fixture = ROOT / "fixtures" / "tracing-wrk" / path.parent.name / path.name
        assert path.read_bytes() == fixture.read_bytes()
    listed = json.loads((SAMPLE / "runs.json").read_text())
    whole = json.loads((ROOT / "fixtures" / "tracing-wrk" / "runs.json").read_text())
    assert [run for run in whole if run["variant"] in {"none", "otlp", "apm"}] == listed
    assert sum(path.stat().st_size for path in SAMPLE.rglob("*") if path.is_file()) < 25_000


def test_demo_writes_results_and_their_report(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.chdir(tmp_path)
    (tmp_path / "benchkit.toml").write_text("schema = 1\n[project]\nbaseline = 'mine'\n")
    assert run(["demo"]) == 0
    printed = capsys.readouterr()
    assert printed.out.startswith("▲ otlp serves 13.1")
    assert "apm: no meaningful difference" in printed.out
    assert "benchkit-demo/report.html" in printed.err
    page = (tmp_path / "benchkit-demo" / "report.html").read_text(encoding="utf-8")
    assert "otlp serves 13.1" in page
    assert "benchkit-demo/results/none/wrk-1.txt" in page
    assert run(["demo", "--format", "json", "--quiet", "-o", "demo.json"]) == 0
    assert json.loads((tmp_path / "demo.json").read_text())["format_version"] == 1
    assert capsys.readouterr().err == ""


@pytest.mark.parametrize(
    ("link", "words"),
    [
        ("mine/results/none", ["demo", "--out", "mine"]),
        ("benchkit-demo", ["demo"]),
        ("results", ["capture", "--", "true"]),
    ],
)
def test_link_in_place_of_a_folder_is_not_followed(
    link: str, words: list[str], tmp_path: Path, monkeypatch: pytest.MonkeyPatch,
    capsys: pytest.CaptureFixture[str],
) -> None:  # fmt: skip
    monkeypatch.chdir(tmp_path)
    (tmp_path / "home").mkdir()
    (tmp_path / link).parent.mkdir(parents=True, exist_ok=True)
    (tmp_path / link).symlink_to(tmp_path / "home")
    assert run(words) == 2
    assert f"{link}: is a link to another folder" in capsys.readouterr().err
    assert not list((tmp_path / "home").iterdir())


def test_unwritable_folder_is_a_usage_error(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    (tmp_path / "file").write_text("in the way")
    assert run(["demo", "--out", str(tmp_path / "file")]) == 2
    assert "cannot write" in capsys.readouterr().err
