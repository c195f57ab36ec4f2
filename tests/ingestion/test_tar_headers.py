"""The cost of a tar's extended headers is limited, and their statements about a file apply."""

from __future__ import annotations

import io
import tarfile
import time
import tracemalloc
from pathlib import Path

import pytest

from benchkit.errors import DataError
from benchkit.ingestion import archives


def unpack(path: Path) -> dict[str, bytes]:
    """Return the unpacked content of an archive."""
    folder = path.parent / "unpacked"
    assert archives.unpack(path, folder, "archive") == []
    files = (file for file in folder.rglob("*") if file.is_file())
    return {file.relative_to(folder).as_posix(): file.read_bytes() for file in files}


def write_tar(target: Path, count: int = 1, *, scope: str = "member", **records: str) -> Path:
    """Write files ``a0`` and so on of one byte; records precede each, or the first one."""
    whole = records if scope == "archive" else {}
    with tarfile.open(target, "w", format=tarfile.PAX_FORMAT, pax_headers=whole) as archive:
        for number in range(count):
            member = tarfile.TarInfo(f"a{number}")
            member.size, member.pax_headers = 1, {} if whole else records
            archive.addfile(member, io.BytesIO(b"a"))
    return target


def test_header_of_digits_is_read_quickly(tmp_path: Path) -> None:
    path = write_tar(tmp_path / "a.tar", comment="1" * 60_000)
    start = time.process_time()
    assert unpack(path) == {"a0": b"a"}
    assert time.process_time() - start < 1


def test_global_header_is_kept_in_memory_once(tmp_path: Path) -> None:
    records = {f"{number:x}": "a" for number in range(6_000)}
    path = write_tar(tmp_path / "a.tar", 100, scope="archive", **records)
    tracemalloc.start()
    try:
        assert len(unpack(path)) == 100
        assert tracemalloc.get_traced_memory()[1] < 16 << 20
    finally:
        tracemalloc.stop()


@pytest.mark.parametrize("scope", ["member", "archive"])
def test_header_longer_than_any_path_is_refused(tmp_path: Path, scope: str) -> None:
    path = write_tar(tmp_path / "a.tar", scope=scope, comment="1" * 1_000_000)
    with pytest.raises(DataError, match="it contains a name longer than 65,536 bytes"):
        unpack(path)


def test_path_in_a_header_is_applied(tmp_path: Path) -> None:
    path = write_tar(tmp_path / "a.tar", path="dir/é" + "b" * 200, mtime="1.5", comment="a=b\n")
    assert unpack(path) == {"dir/é" + "b" * 200: b"a"}


@pytest.mark.parametrize("old", [b"13 comment=aa\n", b"13 comment=bb\n"])
@pytest.mark.parametrize("new", [b"0", b"2", b"99", b"-1", b"aa"])
def test_record_with_a_wrong_length_is_a_damaged_header(
    tmp_path: Path, old: bytes, new: bytes
) -> None:
    path = write_tar(tmp_path / "a.tar", comment="aa")
    data = path.read_bytes()
    assert b"14 comment=aa\n" in data
    path.write_bytes(data.replace(b"14 comment=aa\n", new.rjust(2) + old[2:] + b"\n"))
    with pytest.raises(DataError, match="a header is damaged"):
        unpack(path)


@pytest.mark.parametrize(
    "gaps",
    [
        {"GNU.sparse.map": "1536,512"},
        {"GNU.sparse.offset": "1536", "GNU.sparse.numbytes": "512"},
    ],
)
def test_holes_stated_in_a_header_are_restored(tmp_path: Path, gaps: dict[str, str]) -> None:
    member = tarfile.TarInfo("a")
    member.size = 512
    member.pax_headers = {"GNU.sparse.size": "2048", "GNU.sparse.numblocks": "1", **gaps}
    with tarfile.open(tmp_path / "a.tar", "w", format=tarfile.PAX_FORMAT) as archive:
        archive.addfile(member, io.BytesIO(b"a" * 512))
    assert unpack(tmp_path / "a.tar") == {"a": bytes(1536) + b"a" * 512}
