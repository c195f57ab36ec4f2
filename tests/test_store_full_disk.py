"""A full disk: commands that free space still work, and nothing is lost."""

from __future__ import annotations

import errno
import os
import shutil
import subprocess
from collections.abc import Iterator
from pathlib import Path

import gated
import pytest

from benchkit.cli import run
from benchkit.store import Store, tidying
from benchkit.store.files import FileWriter, writing


@pytest.fixture
def disk(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[Path]:
    """Provide a disk of 1 MiB with a store of several ingests, the last of which is wrong."""
    mount, umount = map(shutil.which, ("mount", "umount"))
    place = tmp_path / "disk"
    place.mkdir()
    command = [mount or "", "-t", "tmpfs", "-o", "size=1m", "tmpfs", str(place)]
    if mount is None or subprocess.run(command, capture_output=True, check=False).returncode:
        pytest.skip("this user may not mount a disk")
    monkeypatch.chdir(tmp_path)
    try:
        for number in range(4):
            write_runs(tmp_path, number, runs=1500)
            assert run(["ingest", "results", "-q", "--store", "disk/store"]) == 0
        yield place
    finally:
        subprocess.run([umount or "", str(place)], check=True)


def write_runs(folder: Path, number: int, runs: int = 10) -> None:
    gated.write_runs(folder / "results/base.txt", seed=number, runs=runs, benchmarks=("Ping",))


def fill(disk: Path) -> None:
    with (disk / "filling").open("wb", buffering=0) as file:
        try:
            while file.write(bytes(4096)):
                pass
        except OSError as error:
            assert error.errno == errno.ENOSPC  # noqa: PT017 - it is not raised by the code tested
    assert not count_free(disk)


def count_free(disk: Path) -> int:
    stated = os.statvfs(disk)
    return stated.f_bavail * stated.f_bsize


def age(disk: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Let an hour pass, after which no reader needs the files that a commit removed."""
    from benchkit.store import delta

    assert disk.is_dir()
    monkeypatch.setattr(delta, "_REMOVED_HOURS", 0)


def test_undo_works_on_a_full_disk(disk: Path, capsys: pytest.CaptureFixture[str]) -> None:
    fill(disk)
    assert run(["undo", "--store", "disk/store"]) == 0
    assert "undid the ingest of" in capsys.readouterr().err
    assert run(["store", "check", "--store", "disk/store"]) == 0


def test_vacuum_frees_space_on_a_full_disk(
    disk: Path, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    before = Store("disk/store").values()
    fill(disk)
    assert run(["store", "vacuum", "--store", "disk/store"]) == 0
    shown = capsys.readouterr().err
    assert "2 files dropped as unneeded" in shown
    age(disk, monkeypatch)
    fill(disk)
    assert run(["store", "vacuum", "--store", "disk/store"]) == 0
    assert "deleted from disk" in capsys.readouterr().err
    assert count_free(disk) > 4096
    assert run(["store", "check", "--store", "disk/store"]) == 0
    assert Store("disk/store").values().num_rows < before.num_rows
    assert run(["undo", "--store", "disk/store"]) == 0


def test_ingest_leaves_the_room_that_undo_needs(disk: Path) -> None:
    write_runs(disk.parent, 9)
    fill(disk)
    assert run(["ingest", "results", "-q", "--store", "disk/store"]) == 3
    assert run(["undo", "--store", "disk/store"]) == 0
    assert run(["store", "check", "--store", "disk/store"]) == 0


def test_unneeded_files_are_deleted_even_if_nothing_can_be_merged(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.chdir(tmp_path)
    for number in range(4):
        write_runs(tmp_path, number)
        assert run(["ingest", "results", "-q"]) == 0

    class FullWriter(FileWriter):
        def write(self, table: object) -> None:
            with writing(self.path.parent):
                raise OSError(errno.ENOSPC, f"{table}")

    monkeypatch.setattr(tidying, "FileWriter", FullWriter)
    capsys.readouterr()
    assert run(["store", "vacuum"]) == 0
    assert capsys.readouterr().err == (
        ".benchkit: 2 files dropped as unneeded; no space to merge small files; run it again in "
        "1 hour to delete what was dropped\n"
    )
    assert run(["store", "vacuum"]) == 3
    assert "No space left on device" in capsys.readouterr().err
    assert run(["undo", "-q"]) == 0
    assert run(["store", "check"]) == 0
