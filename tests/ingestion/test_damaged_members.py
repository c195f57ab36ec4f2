"""An unreadable member of an archive costs only itself."""

from __future__ import annotations

import gzip
import lzma
import struct
import zipfile
from pathlib import Path

import pytest

from benchkit.cli import run
from benchkit.errors import DataError
from benchkit.ingestion import archives
from benchkit.reading.source import Source, UnreadableError

MIB = 1 << 20


def write(path: Path, method: int, *changes: tuple[bytes, int, bytes]) -> Path:
    """Write a zip of two files, and change bytes of the first one after a marker."""
    with zipfile.ZipFile(path, "w", method) as archive:
        archive.writestr("a.txt", b"a" * 100)
        archive.writestr("b.txt", b"b" * 100)
    data = bytearray(path.read_bytes())
    for sign, shift, put in changes:
        at = data.index(sign) + shift
        data[at : at + len(put)] = put
    path.write_bytes(data)
    return path


HEADER, ENTRY, NAME = b"PK\3\4", b"PK\1\2", b"a.txt"


@pytest.mark.parametrize(
    ("method", "changes", "reason"),
    [
        (zipfile.ZIP_STORED, [(HEADER, 6, b"\1"), (ENTRY, 8, b"\1")], "it is encrypted"),
        (zipfile.ZIP_STORED, [(NAME, 9, b"x")], "it is damaged"),
        (zipfile.ZIP_BZIP2, [(NAME, 15, b"xxxx")], "it is damaged"),
        (zipfile.ZIP_DEFLATED, [(NAME, 5, b"xxxx")], "it is damaged"),
        (zipfile.ZIP_STORED, [(ENTRY, 10, b"c")], "it is packed by an unsupported method (99)"),
        (zipfile.ZIP_LZMA, [(NAME, 10, b"\xff" * 4)], "unpacking it takes too much memory"),
    ],
)  # fmt: skip
def test_unreadable_zip_member_is_left_out(
    method: int, changes: list[tuple[bytes, int, bytes]], reason: str, tmp_path: Path
) -> None:
    path = write(tmp_path / "a.zip", method, *changes)
    target = tmp_path / "unpacked"
    assert archives.unpack(path, target, "https://host/a") == [("a.txt", reason)]
    files = {file.name: file.read_bytes() for file in target.iterdir()}
    assert files == {"a.txt": b"", "b.txt": b"b" * 100}  # an empty file is a damaged run


def test_archive_of_encrypted_files_is_reported(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    path = tmp_path / "a.zip"
    with zipfile.ZipFile(path, "w") as archive:
        archive.writestr("wrk-1.txt", b"a")
    data = path.read_bytes().replace(HEADER + b"\x14\0\0", HEADER + b"\x14\0\1")
    path.write_bytes(data.replace(ENTRY + b"\x14\3\x14\0\0", ENTRY + b"\x14\3\x14\0\1"))
    assert run(["runs", str(path)]) == 3
    shown = capsys.readouterr().err
    assert "left out wrk-1.txt: it is encrypted" in shown
    assert "wrk-1.txt: the file is empty" in shown


def test_xz_memory_is_limited(tmp_path: Path) -> None:
    path = tmp_path / "a.tar.xz"
    large = [{"id": lzma.FILTER_LZMA2, "preset": 0, "dict_size": 1 << 30}]
    header = lzma.compress(b"", filters=[large[0] | {"dict_size": MIB}])
    path.write_bytes(header + b"\0" * 8 + lzma.compress(bytes(1024), filters=large))
    with pytest.raises(DataError, match="Memory usage limit exceeded"):
        archives.unpack(path, tmp_path / "unpacked", "a")


@pytest.mark.parametrize(("flag", "size"), [(8, MIB), (16, MIB), (8, 1000), (4, 4)])
def test_gzip_header_names_are_limited(flag: int, size: int) -> None:
    packed = gzip.compress(b"GET /\n", mtime=0)
    name = b"\2\0ab" if flag == 4 else b"x" * size + b"\0"
    data = packed[:3] + bytes([flag]) + packed[4:10] + name + packed[10:]
    source = Source(None, "a.gz", data * 200 if size == 1000 else data)
    if size == 4:
        assert list(source.blocks()) == [b"GET /\n"]
        return
    with pytest.raises(UnreadableError, match="a name in its header is too long"):
        list(source.blocks())


def test_zip_directory_size_is_checked_before_reading(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(archives, "MEMBERS", 4)
    path = write(tmp_path / "a.zip", zipfile.ZIP_STORED)
    data = path.read_bytes()
    at, end = data.index(ENTRY), data.index(b"PK\5\6")
    entries = data[at:end] * 1000
    size = struct.pack("<I", len(entries))
    path.write_bytes(data[:at] + entries + data[end : end + 12] + size + data[end + 16 :])
    monkeypatch.setattr(zipfile, "ZipFile", None)
    with pytest.raises(DataError, match="its directory is longer than 1,200 bytes"):
        archives.unpack(path, tmp_path / "unpacked", "https://host/a")
