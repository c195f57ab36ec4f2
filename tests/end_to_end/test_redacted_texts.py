"""Titles, addresses, reasons, jobs and labels are redacted in every output."""

from __future__ import annotations

from pathlib import Path

import gated
import pytest
from secret_shapes import SECRET

import benchkit.api as bk
from benchkit.cli import run
from benchkit.config.acceptance import parse_accepted
from benchkit.ingestion.origins import name_job
from benchkit.reporting.site import _read_pattern

TITLE = f"T postgres://u:{SECRET}@h password={SECRET}"


@pytest.fixture(autouse=True)
def workspace(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.chdir(tmp_path)
    for variant in ("main", "pr"):
        gated.write_runs(tmp_path / f"results/{variant}.txt", seed=1 + len(variant))
    return tmp_path


def test_title_of_a_project_is_redacted_in_every_file(
    workspace: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    (workspace / "benchkit.toml").write_text(f'[project]\ntitle = "{TITLE}"\n')
    monkeypatch.setenv("GITHUB_STEP_SUMMARY", "summary.md")
    monkeypatch.setenv("GITHUB_OUTPUT", "output")
    run(["gate", "results", "--baseline", "main", "--github", "--comment", "comment.md"])
    run(["report", "results", "--baseline", "main", "-o", "report.html"])
    files = [Path(name).read_text() for name in ("summary.md", "comment.md", "report.html")]
    assert all("password=REDACTED" in text for text in files)
    assert SECRET not in "".join((*files, *capsys.readouterr()))


@pytest.mark.parametrize("ending", ["html", "md", "json"])
def test_title_of_a_report_is_redacted(ending: str) -> None:
    output = f"report.{ending}"
    assert run(["report", "results", "--baseline", "main", "--title", TITLE, "-o", output]) == 0
    assert SECRET not in Path(output).read_text()


@pytest.mark.parametrize(
    ("address", "pattern"),
    [
        (f"https://u:{SECRET}@h/a/b?token={SECRET}", "https://h/a/b/commit/{commit}"),
        (f"https://{SECRET}@h/a/b.git#{SECRET}", "https://h/a/b/commit/{commit}"),
        (f"https://h/?p=b.git;token={SECRET};h={{commit}}", None),
        ("https://h/?p=b.git;a=commit;h={commit}", "https://h/?p=b.git;a=commit;h={commit}"),
        ("https://h/c/{commit}?diff=1", "https://h/c/{commit}"),
        ("https://h/#/c/{commit}", "https://h/#/c/{commit}"),
    ],
)
def test_address_of_a_commit_has_no_credentials(address: str, pattern: str | None) -> None:
    shown = _read_pattern(address)
    assert shown == pattern or (pattern is None and SECRET not in shown and "{commit}" in shown)


def test_pages_of_a_site_contain_no_credentials(workspace: Path) -> None:
    (workspace / "benchkit.toml").write_text(f'[project]\ntitle = "{TITLE}"\n')
    commit = ["--commit", "0000001a", "--date", "2026-11-20T10:00:00Z"]
    assert run(["history", "add", "results", *commit]) == 0
    assert (
        run(["history", "site", "site", "--repo-url", f"https://u:{SECRET}@h/a/b?t={SECRET}"]) == 0
    )
    pages = [path.read_text() for path in Path("site").rglob("*") if path.is_file()]
    assert any("https://h/a/b/commit/0000001a" in page for page in pages)
    assert SECRET not in "".join(pages)


def test_reason_is_redacted() -> None:
    (accepted,) = parse_accepted([{"commit": "abc1234", "reason": f"pwd={SECRET}"}], "a.toml")
    assert accepted.reason == "pwd=REDACTED"


def test_name_of_a_job_is_redacted_in_the_origin() -> None:
    job = {"GITHUB_RUN_ID": "71", "GITHUB_JOB": f"token={SECRET}"}
    assert name_job(job) == "github/71/token=REDACTED"
    assert name_job({**job, "GITHUB_JOB": "bench linux"}) == "github/71/bench-linux"


def test_labels_of_a_secret_folder_are_masked_everywhere(
    workspace: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    for name in ("1", "2"):
        folder = workspace / f"raw/token={SECRET}{name}"
        folder.mkdir(parents=True)
        (folder / "go-1.txt").write_text("goos: linux\nBenchmarkA 1 5 ns/op\n")
        (folder / "go-2.txt").write_text("goos: linux\nBenchmarkA 1 5 ns/op\n")
        (folder / "notes.txt").write_text("12\n")
    for name in ("table", "json", "csv"):
        assert run(["layout", "raw", "--format", name]) == 0
        printed = "".join(capsys.readouterr())
        assert "token=" in printed
        assert SECRET not in printed
    assert run(["ingest", "raw", "-q"]) == 0
    assert not any(SECRET in name for name in bk.load(".benchkit").runs["variant"])
    for words in (["runs"], ["compare"], ["export", "--format", "json"], []):
        run(words)
        assert SECRET not in "".join(capsys.readouterr())
