"""Archives of results: unpacked into a folder, within bounds.

An archive from elsewhere may unpack to far more than it weighs, name places outside its folder, or
hold links and devices. Files are written below the folder only; sizes are counted while they are
written, whatever the archive declares.
"""

from __future__ import annotations

import bz2
import gzip
import io
import lzma
import stat
import tarfile
import zipfile
import zlib
from collections.abc import Callable, Iterator
from pathlib import Path, PurePosixPath
from typing import IO, Any

from benchkit.errors import DataError
from benchkit.reading.bounds import LARGEST, OPTION, explain_excess

#: Files and folders that it may hold.
_MEMBERS = 100_000
#: Folders within each other.
_DEPTH = 64
#: Bytes of the headers of one member: names and attributes.
_HEADERS = 1 << 20
_BLOCK = 1 << 20

_TARS: dict[str, Callable[[Path], Any]] = {
    ".tar": io.FileIO,
    ".tar.gz": gzip.GzipFile,
    ".tgz": gzip.GzipFile,
    ".tar.xz": lzma.LZMAFile,
    ".tar.bz2": bz2.BZ2File,
}
ENDINGS = (".zip", *_TARS)
#: Types of headers that are held whole.
_EXTENDED = frozenset(
    {tarfile.XHDTYPE, tarfile.XGLTYPE, tarfile.SOLARIS_XHDTYPE}
    | {tarfile.GNUTYPE_LONGNAME, tarfile.GNUTYPE_LONGLINK}
)
_DAMAGE = (
    *(OSError, ValueError, EOFError, RuntimeError, tarfile.TarError),
    *(zipfile.BadZipFile, zlib.error, lzma.LZMAError),
)


class _TooLargeError(Exception):
    """An archive unpacks to more than it may."""


class _Meter:
    """Counts what comes out of an archive.

    Parameters
    ----------
    packed : int
        Bytes of the archive.
    limit : int
        Bytes that may come out of it.
    """

    def __init__(self, packed: int, limit: int) -> None:
        self._packed, self._limit = max(packed, 1), limit
        self._bytes = self._members = 0
        self._places: set[PurePosixPath] = set()

    def take(self, size: int) -> None:
        """Count bytes, which may not have been unpacked yet."""
        self._bytes += size
        if excess := explain_excess(self._bytes, self._packed, self._limit):
            raise _TooLargeError(excess)

    def enter(self, place: PurePosixPath) -> None:
        """Count a file or folder, and those that its path implies."""
        if len(place.parts) > _DEPTH:
            raise _TooLargeError(f"its folders are more than {_DEPTH} deep")
        new = {place, *place.parents} - self._places
        self._places |= new
        self._members += max(len(new), 1)
        if self._members > _MEMBERS:
            raise _TooLargeError(f"it holds more than {_MEMBERS:,} files")


class _Metered(io.RawIOBase):
    """A stream that is counted while it is read."""

    def __init__(self, stream: IO[bytes], meter: _Meter) -> None:
        self._stream, self._meter = stream, meter

    def readable(self) -> bool:
        return True

    def readinto(self, buffer: bytearray | memoryview) -> int:  # type: ignore[override]
        data = self._stream.read(len(buffer))
        self._meter.take(len(data))
        buffer[: len(data)] = data
        return len(data)


def find_ending(name: str) -> str:
    """Return the ending by which a name is an archive's, or nothing."""
    return next((ending for ending in ENDINGS if name.lower().endswith(ending)), "")


def unpack(archive: Path, target: Path, name: str, limit: int = LARGEST) -> list[str]:
    """Unpack an archive into a folder; return the names of what was left out.

    Links and devices are, and what would lie outside of the folder.

    Parameters
    ----------
    archive : Path
        Its ending is one of `ENDINGS`.
    target : Path
        The folder, which is made.
    name : str
        Where the archive came from, for messages.
    limit : int
        Bytes that it may unpack to.

    Raises
    ------
    DataError
        If it is damaged, or larger than it may be.
    """
    meter = _Meter(archive.stat().st_size, limit)
    ending = find_ending(archive.name)
    target.mkdir(parents=True)
    try:
        if ending == ".zip":
            return list(_unpack_zip(archive, target, meter))
        with _TARS[ending](archive) as stream:
            return list(_unpack_tar(stream, target, meter))
    except _TooLargeError as error:
        hint = f"unpack it yourself if you trust it, or pass {OPTION} 8GiB"
        raise DataError(f"the archive was not unpacked: {error}", where=name, hint=hint) from None
    except _DAMAGE as error:
        raise DataError(f"the archive cannot be unpacked: {error}", where=name) from None


def _unpack_zip(archive: Path, target: Path, meter: _Meter) -> Iterator[str]:
    """Yield the names of what is left out."""
    with zipfile.ZipFile(archive) as packed:
        for member in packed.infolist():
            place = PurePosixPath(member.filename.replace("\\", "/"))
            meter.enter(place)
            is_link = stat.S_ISLNK(member.external_attr >> 16)
            if is_link or not _is_inside(place):
                yield member.filename
                continue
            if member.is_dir():
                continue
            path = target / place
            path.parent.mkdir(parents=True, exist_ok=True)
            with packed.open(member) as source, path.open("xb") as file:
                while block := source.read(_BLOCK):
                    meter.take(len(block))
                    file.write(block)


def _is_inside(place: PurePosixPath) -> bool:
    return not place.is_absolute() and ".." not in place.parts and ":" not in str(place)


class _Member(tarfile.TarInfo):
    """A member whose headers are bounded before they are read."""

    def _proc_member(self, tar: tarfile.TarFile) -> tarfile.TarInfo:
        if self.type in _EXTENDED and self.size > _HEADERS:
            raise _TooLargeError(f"a name in it is longer than {_HEADERS:,} bytes")
        return super()._proc_member(tar)  # type: ignore[misc,no-any-return]


def _unpack_tar(stream: IO[bytes], target: Path, meter: _Meter) -> Iterator[str]:
    """Yield the names of what is left out."""
    metered = io.BufferedReader(_Metered(stream, meter), _BLOCK)
    with tarfile.open(fileobj=metered, mode="r|", tarinfo=_Member) as packed:
        for member in packed:
            meter.enter(PurePosixPath(member.name))
            if member.isdir():
                continue
            try:
                if not member.isreg():
                    raise tarfile.SpecialFileError(member)
                packed.extract(member, target, filter="data")
            except tarfile.FilterError:
                yield member.name
