"""`benchkit` without arguments: the content of the folder and one command that works."""

from __future__ import annotations

import shlex
import shutil
from pathlib import Path

import pytest
from invocation import benchkit

WRK = Path(__file__).resolve().parents[2] / "fixtures" / "tracing-wrk"


@pytest.mark.parametrize(
    ("copies", "first", "command"),
    [
        (
            {"none/wrk-1.txt": "results/none/1.txt", "otlp/wrk-1.txt": "results/otlp/1.txt"},
            "results holds results of wrk (variants none, otlp). Run:",
            "benchkit compare results",
        ),
        (
            {"none/wrk-1.txt": "a.txt", "otlp/wrk-1.txt": "b.txt"},
            ". holds results of wrk (variants a, b). Run:",
            "benchkit compare . --baseline a",
        ),
        (
            {
                "none/wrk-1.txt": "out/v1/ping/a.txt",
                "none/wrk-2.txt": "out/v1/list/a.txt",
                "otlp/wrk-1.txt": "out/v2/ping/a.txt",
                "otlp/wrk-2.txt": "out/v2/list/a.txt",
            },
            "out holds results of wrk (variants list, ping). Run:",
            "benchkit layout out",
        ),
        (
            {"none/wrk-1.txt": "my runs/1.txt", "none/wrk-2.txt": "my runs/2.txt"},
            "my runs holds results of wrk (variant my runs). Run:",
            "benchkit layout 'my runs'",
        ),
        (
            {f"none/wrk-{n}.txt": f"t1-c{n}0.txt" for n in (1, 2, 3)},
            ". holds results of wrk (variants t1-c10, t1-c20, t1-c30). Run:",
            "benchkit layout .",
        ),
    ],
    ids=["a baseline by name", "no baseline", "groups", "one variant", "levels"],
)
def test_folder_of_results_is_recognised(
    copies: dict[str, str], first: str, command: str, tmp_path: Path
) -> None:
    for source, target in copies.items():
        (tmp_path / target).parent.mkdir(parents=True, exist_ok=True)
        shutil.copy(WRK / source, tmp_path / target)
    (tmp_path / "notes.txt").write_text("nothing that any tool wrote\n")
    before = sorted(tmp_path.rglob("*"))
    result = benchkit(cwd=tmp_path)
    assert result.returncode == 0
    assert result.stdout.splitlines() == [first, f"  {command}"]
    assert sorted(tmp_path.rglob("*")) == before
    assert benchkit(*shlex.split(command)[1:], cwd=tmp_path).returncode == 0


def test_sweep_is_recognised(tmp_path: Path) -> None:
    for level in (1, 20, 50):
        source = WRK.parent / "nginx-ab/nginx" / f"ab-c{level}-1.txt"
        shutil.copy(source, tmp_path / source.name)
    result = benchkit(cwd=tmp_path)
    assert result.stdout.splitlines()[1] == "  benchkit compare ."
    assert benchkit("compare", ".", cwd=tmp_path).returncode == 0


def test_page_of_results_is_recognised(tmp_path: Path) -> None:
    (tmp_path / "README.md").write_text("# How to run\n\nrun it\n")
    blocks = (
        f"## {side}\n\n```\n{(WRK / side / 'wrk-1.txt').read_text()}```\n"
        for side in ("none", "otlp")
    )
    (tmp_path / "results.md").write_text("\n".join(["# Tracing", *blocks]))
    lines = ["results.md holds results of wrk. Run:", "  benchkit compare results.md"]
    assert benchkit(cwd=tmp_path).stdout.splitlines() == lines
    assert benchkit("compare", "results.md", cwd=tmp_path).returncode == 0


def test_store_is_compared(tmp_path: Path) -> None:
    benchkit("ingest", str(WRK / "none"), str(WRK / "otlp"), cwd=tmp_path)
    lines = [".benchkit is a store of results. Run:", "  benchkit compare"]
    assert benchkit(cwd=tmp_path).stdout.splitlines() == lines


def test_folder_without_results_shows_the_commands(tmp_path: Path) -> None:
    (tmp_path / "notes.txt").write_text("nothing that any tool wrote\n")
    assert benchkit(cwd=tmp_path).stderr.startswith("Usage: benchkit")


def test_archives_are_opened_if_a_folder_holds_no_other_results(tmp_path: Path) -> None:
    for side in ("none", "otlp"):
        folder = tmp_path / "unpacked" / side
        folder.mkdir(parents=True)
        shutil.copy(WRK / side / "wrk-1.txt", folder)
    shutil.make_archive(str(tmp_path / "nightly"), "zip", tmp_path / "unpacked")
    shutil.rmtree(tmp_path / "unpacked")
    lines = [". holds results of wrk (variants none, otlp). Run:", "  benchkit compare ."]
    assert benchkit(cwd=tmp_path).stdout.splitlines() == lines
    assert benchkit("compare", ".", cwd=tmp_path).returncode == 0


@pytest.mark.parametrize("content", ["notes", None])
def test_archive_without_results_shows_the_commands(content: str | None, tmp_path: Path) -> None:
    if content is None:
        (tmp_path / "nightly.zip").write_bytes(b"PK\x03\x04 and no more")
    else:
        (tmp_path / "unpacked").mkdir()
        (tmp_path / "unpacked" / "notes.txt").write_text(content)
        shutil.make_archive(str(tmp_path / "nightly"), "zip", tmp_path / "unpacked")
        shutil.rmtree(tmp_path / "unpacked")
    assert benchkit(cwd=tmp_path).stderr.startswith("Usage: benchkit")
