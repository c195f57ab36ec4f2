"""A full disk, a growing file or a vanished file gives a diagnostic, and the store stays intact."""

from __future__ import annotations

import os
import subprocess
import sys
import time
from collections.abc import Iterator
from contextlib import suppress
from pathlib import Path

import pytest

import benchkit.api as bk
from benchkit.ingestion import reading
from benchkit.ingestion.commit import ingest
from benchkit.ingestion.sources import Found
from benchkit.reading.source import Source
from benchkit.store import Store

HEADER = "starttime\tseconds\tctime\tdtime\tttime\twait\n"
#: Numbers that no encoding compresses much.
LINES = [
    f"Sat Nov 21 11:00:00 2026\t{1795222800 + i // 50}\t{i * 7919 % 9973}\t{i * 104729 % 9967}"
    f"\t{i * 7919 % 9973 + i * 104729 % 9967}\t{i * 15485863 % 9949}\n"
    for i in range(40_000)
]
LIMITED = (
    "import resource, sys; resource.setrlimit(resource.RLIMIT_FSIZE, (150_000, 150_000));"
    "from benchkit.__main__ import main; main()"
)


@pytest.fixture
def results(tmp_path: Path) -> Path:
    """Write a small run of each variant, and a large one."""
    for first, variant in enumerate(("none", "otlp")):
        (tmp_path / "results" / variant).mkdir(parents=True)
        text = HEADER + "".join(LINES[first : first + 100])
        (tmp_path / "results" / variant / "ab-1.tsv").write_text(text)
    (tmp_path / "results" / "otlp" / "ab-2.tsv").write_text(HEADER + "".join(LINES))
    return tmp_path / "results"


def variants(store: Store) -> list[str]:
    runs = bk.load(store=store.url, samples=True).runs
    return sorted(runs[runs["role"] != "damaged"]["variant"])


def fails(command: list[str]) -> None:
    done = subprocess.run(command, capture_output=True, text=True, check=False)
    assert done.returncode == 3, done.stderr
    assert "cannot write the store: " in done.stderr
    assert "nothing was changed; free some space, make the store writable" in done.stderr
    assert "Traceback" not in done.stderr


@pytest.mark.skipif(sys.platform == "win32", reason="no such limits")
@pytest.mark.parametrize("jobs", ["1", "2"])
def test_failed_write_leaves_the_store_unchanged(results: Path, tmp_path: Path, jobs: str) -> None:
    store = Store(str(tmp_path / "store"))
    ingest([str(results / "none")], store)
    files = sorted(Path(store.url).rglob("*.parquet"))
    arguments = ["ingest", str(results), "--store", store.url, "--jobs", jobs]
    fails([sys.executable, "-c", LIMITED, *arguments])
    assert sorted(Path(store.url).rglob("*.parquet")) == files
    assert variants(store) == ["none"]
    assert (
        subprocess.run([sys.executable, "-m", "benchkit", *arguments], check=False).returncode == 0
    )
    assert variants(store) == ["none", "otlp", "otlp"]


@pytest.fixture
def small_disk(tmp_path: Path) -> Iterator[Path]:
    """Mount a file system of 260 KiB, if permitted."""
    place = tmp_path / "disk"
    place.mkdir()
    mount = ["mount", "-t", "tmpfs", "-o", "size=260k", "tmpfs", str(place)]
    try:
        done = subprocess.run(mount, capture_output=True, text=True, check=False)
    except FileNotFoundError:
        pytest.skip("there is no command mount")
    if done.returncode:
        pytest.skip(f"a small disk may not be mounted here: {done.stderr.strip()}")
    yield place
    subprocess.run(["umount", str(place)], check=True)


def test_full_disk_leaves_the_store_unchanged(results: Path, small_disk: Path) -> None:
    store = Store(str(small_disk / "store"))
    ingest([str(results / "none")], store)
    arguments = ["ingest", str(results), "--store", store.url]
    fails([sys.executable, "-m", "benchkit", *arguments])
    assert variants(store) == ["none"]
    subprocess.run(["mount", "-o", "remount,size=8m", str(small_disk)], check=True)
    assert (
        subprocess.run([sys.executable, "-m", "benchkit", *arguments], check=False).returncode == 0
    )
    assert variants(store) == ["none", "otlp", "otlp"]


def test_read_only_store_is_reported(results: Path, small_disk: Path) -> None:
    store = Store(str(small_disk / "store"))
    ingest([str(results / "none")], store)
    subprocess.run(["mount", "-o", "remount,ro", str(small_disk)], check=True)
    for words in (
        ["ingest", str(results)],
        ["undo"],
        ["store", "repair"],
        ["store", "upgrade"],
        ["store", "vacuum"],
    ):
        command = [sys.executable, "-m", "benchkit", *words, "--store", store.url]
        done = subprocess.run(command, capture_output=True, text=True, check=False)
        assert done.returncode == 3, done.stderr
        assert f"{store.url}: cannot write the store: Read-only file system" in done.stderr
    assert variants(store) == ["none"]


def test_vacuum_frees_space_on_a_full_disk_before_writing(results: Path, small_disk: Path) -> None:
    store = Store(str(small_disk / "store"))
    for run in ("none/ab-1.tsv", "otlp/ab-1.tsv"):
        ingest([str(results / run)], store)
    orphan = small_disk / "store" / "values" / "raw=true" / "1-killed.parquet"
    with suppress(OSError), orphan.open("wb", buffering=0) as file:
        while file.write(bytes(4096)):
            pass
    os.utime(orphan, (time.time() - 25 * 3600,) * 2)
    command = [sys.executable, "-m", "benchkit", "store", "vacuum", "--store", store.url]
    done = subprocess.run(command, capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stderr
    assert "1 file deleted from disk" in done.stderr
    assert not orphan.exists()


def test_file_that_grows_during_reading_is_reported_and_read_again(
    results: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    large = results / "otlp" / "ab-2.tsv"
    load = Found.load

    def grow(source_file: Found) -> Source:
        source = load(source_file)
        if source_file.path == large:
            with large.open("a") as file:
                file.writelines(LINES[:500])
        return source

    store = Store(str(tmp_path / "store"))
    monkeypatch.setattr(Found, "load", grow)
    summary = ingest([str(results)], store)
    (problem,) = [p for p in summary.diagnostics if "changed while benchkit read it" in p.what]
    assert (problem.path, problem.severity) == (str(large), "warning")
    assert large.stat().st_size > reading._LARGE
    monkeypatch.undo()
    again = ingest([str(results)], store)
    assert [report.outcome for report in again.reports] == ["unchanged", "unchanged", "read"]
    samples = bk.load(store=store.url, samples=True).observations
    latency = samples[(samples["metric"] == "latency") & (samples["stat"] == "sample")]
    assert (latency["run"] == 2).sum() == len(LINES) + 500
    assert [r.outcome for r in ingest([str(results)], store).reports] == ["unchanged"] * 3


def test_vanished_file_costs_only_itself(
    results: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    load = Found.load

    def vanish(source_file: Found) -> Source:
        if source_file.path == results / "otlp" / "ab-1.tsv":
            source_file.path.unlink()
        return load(source_file)

    monkeypatch.setattr(Found, "load", vanish)
    store = Store(str(tmp_path / "store"))
    summary = ingest([str(results)], store)
    assert [r.outcome for r in summary.reports] == ["read", "refused", "read"]
    (problem,) = [p for p in summary.diagnostics if p.severity == "error"]
    assert problem.what == "cannot be read: No such file or directory"
    assert variants(store) == ["none", "otlp"]
