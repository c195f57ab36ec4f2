"""Archives of results: unpacked into a folder, within limits.

An untrusted archive may unpack to far more than its size, name paths outside its folder, or contain
links and devices. Files are written only below the folder, and never over another file; sizes are
counted while they are written, whatever the archive declares. Other members are left out.
"""

from __future__ import annotations

import bz2
import errno
import io
import lzma
import stat
import struct
import tarfile
import zipfile
import zlib
from collections.abc import Callable, Iterable, Iterator
from functools import partial
from pathlib import Path, PurePosixPath, PureWindowsPath
from typing import IO, Any, Self, cast

from benchkit.errors import DataError
from benchkit.reading.bounds import LARGEST, MEMBERS, OPTION, explain_excess, open_gzip
from benchkit.reading.rawfile import BlockReader

#: Maximum memory in bytes for a decompressor; the highest level of `xz` takes 65 MiB.
_MEMORY = 1 << 28
#: Maximum depth of nested folders.
_DEPTH = 64
#: Bytes of the headers of one member: names and attributes; in a zip's directory, on average.
_HEADERS, _ENTRY = 1 << 16, 300
_BLOCK = 1 << 20


def _open_xz(packed: IO[bytes]) -> io.BufferedReader:
    """Open the content of an xz file, which states how much memory reading it takes."""
    return io.BufferedReader(BlockReader(_read_xz(packed)))


def _read_xz(packed: IO[bytes]) -> Iterator[bytes]:
    data = packed.read(_BLOCK)
    while data:
        stream = lzma.LZMADecompressor(memlimit=_MEMORY)
        while not stream.eof:
            if not data and stream.needs_input and not (data := packed.read(_BLOCK)):
                raise EOFError(_CUT)
            yield stream.decompress(data, _BLOCK)
            data = b""
        data = stream.unused_data.lstrip(b"\0")
        while not data and (block := packed.read(_BLOCK)):
            data = block.lstrip(b"\0")


_TARS: dict[str, Callable[[IO[bytes]], IO[bytes]]] = {
    ".tar": lambda packed: packed,
    ".tar.gz": open_gzip,
    ".tgz": open_gzip,
    ".tar.xz": _open_xz,
    ".txz": _open_xz,
    ".tar.bz2": bz2.BZ2File,
    ".tbz2": bz2.BZ2File,
}
ENDINGS = (".zip", *_TARS)
#: Types of headers that are read into memory as a whole.
_EXTENDED = frozenset(
    {tarfile.XHDTYPE, tarfile.XGLTYPE, tarfile.SOLARIS_XHDTYPE}
    | {tarfile.GNUTYPE_LONGNAME, tarfile.GNUTYPE_LONGLINK}
)
#: Records of an extended header that state the path and the size of a file.
_PLACES = ("path", "size", "GNU.sparse.")
_CUT = "it is truncated: its end is missing"
#: Reasons for leaving out a file.
LINK = "it is a link"
_SPECIAL = "it is a pipe or a device"
_OUTSIDE = "its path leads out of the folder it is unpacked to"
_JOINED = ("what follows its end", "only the first of archives that were joined is read")
REPLACED = "a later file has the same name, and is read instead"
_UNFIT = {
    errno.ENAMETOOLONG: "its name is too long",
    errno.EEXIST: "an earlier file has the same name, and is read instead",
    errno.EISDIR: "it has the same name as a folder",
    errno.ENOTDIR: "its folder is a file",
}
_DAMAGE = (
    *(OSError, ValueError, EOFError, RuntimeError, LookupError, ArithmeticError, MemoryError),
    *(tarfile.TarError, zipfile.BadZipFile, zlib.error, lzma.LZMAError),
)
_GREEDY = "unpacking it takes too much memory"


class TooLargeError(Exception):
    """The archive unpacks to more than the limit."""


class TooManyError(TooLargeError):
    """Too many or too deep folders, or too long names, whatever size is allowed."""


class Meter:
    """Counts the content unpacked from an archive.

    Parameters
    ----------
    packed : int, optional
        Size of the archive in bytes, if known.
    limit : int
        Maximum number of unpacked bytes.
    """

    def __init__(self, packed: int | None, limit: int) -> None:
        self._packed, self._limit = limit if packed is None else max(packed, 1), limit
        self._bytes = self._members = 0
        self._places: set[PurePosixPath] = set()

    def take(self, size: int) -> None:
        """Count bytes, which need not be unpacked yet."""
        self._bytes += size
        if excess := explain_excess(self._bytes, self._packed, self._limit):
            raise TooLargeError(excess)

    def enter(self, place: PurePosixPath) -> None:
        """Count a file or folder, and the folders that its path implies."""
        if len(place.parts) > _DEPTH:
            raise TooManyError(f"its folders are more than {_DEPTH} deep")
        new = {place, *place.parents} - self._places
        self._places |= new
        self._members += max(len(new), 1)
        if self._members > MEMBERS:
            raise TooManyError(f"it holds more than {MEMBERS:,} files")


class _Metered(io.RawIOBase):
    """A stream that counts the bytes read from it."""

    def __init__(self, stream: IO[bytes], meter: Meter) -> None:
        self._stream, self._meter = stream, meter

    def readable(self) -> bool:
        return True

    def readinto(self, buffer: bytearray | memoryview) -> int:  # type: ignore[override]
        data = self._stream.read(len(buffer))
        self._meter.take(len(data))
        buffer[: len(data)] = data
        return len(data)


def find_ending(name: str) -> str:
    """Return the archive ending of a name, if any."""
    return next((ending for ending in ENDINGS if name.lower().endswith(ending)), "")


def is_inside(name: str) -> bool:
    """Return whether an untrusted name leads to a file below its folder."""
    place = PurePosixPath(name)
    is_bound = not place.is_absolute() and not PureWindowsPath(name).drive
    return is_bound and bool(place.parts) and ".." not in place.parts and "\0" not in name


def write(blocks: Iterable[bytes], target: Path, name: str, *, replaces: bool = False) -> str:
    """Write an untrusted file below a folder, over one of the same name if it replaces it.

    Returns
    -------
    str
        Why it, or the file that it replaces, is left out; empty otherwise.
    """
    if not is_inside(name):
        return _OUTSIDE
    path = target / name
    try:
        path.parent.mkdir(parents=True, exist_ok=True)
        is_replaced = replaces and path.is_file()
        if is_replaced:
            path.unlink()
        with path.open("xb") as file:
            try:
                file.writelines(blocks)
            except BaseException:
                path.unlink()
                raise
    except (OSError, UnicodeEncodeError) as error:
        return _explain_unfit(error)
    return REPLACED if is_replaced else ""


def _explain_unfit(error: OSError | UnicodeEncodeError) -> str:
    """Describe the problem with a file's name; raise any other error again."""
    if isinstance(error, UnicodeEncodeError):
        return "its name is not text"
    if error.errno not in _UNFIT:
        raise error
    return _UNFIT[error.errno]


def unpack(archive: Path, target: Path, name: str, limit: int = LARGEST) -> list[tuple[str, str]]:
    """Unpack an archive into a folder; return the names of left-out members, with reasons.

    Links, devices, paths outside the folder and names that no file can have are left out. Of
    several files with one name only one is read: the first in a zip, the last in a tar.

    Parameters
    ----------
    archive : Path
        Its ending is one of `ENDINGS`.
    target : Path
        The folder, which is created.
    name : str
        The origin of the archive, for messages.
    limit : int
        Maximum number of unpacked bytes.

    Raises
    ------
    DataError
        If it is damaged, or exceeds the limit.
    """
    meter = Meter(archive.stat().st_size, limit)
    ending = find_ending(archive.name)
    target.mkdir(parents=True)
    try:
        if ending == ".zip":
            return list(_unpack_zip(archive, target, meter))
        with archive.open("rb") as packed:
            return list(_unpack_tar(_TARS[ending](packed), target, meter))
    except TooLargeError as error:
        larger = "" if isinstance(error, TooManyError) else f" or pass {OPTION} 8GiB"
        hint = f"if you trust it, unpack it yourself{larger}"
        raise DataError(f"the archive was not unpacked: {error}", where=name, hint=hint) from None
    except _DAMAGE as error:
        is_odd = isinstance(error, (ValueError, LookupError, ArithmeticError))
        what: object = "a header is damaged" if is_odd else error
        if isinstance(error, RecursionError):  # from `tarfile`, which reads headers recursively
            what = "a single file has hundreds of headers"
        if isinstance(error, MemoryError):
            what = _GREEDY
        reason = getattr(error, "strerror", None) or what
        raise DataError(f"the archive cannot be unpacked: {reason}", where=name) from None


def _require_short(archive: Path) -> None:
    """Refuse a zip with a longer directory than `MEMBERS` need; each entry takes an object."""
    with archive.open("rb") as packed:
        end = cast("Any", zipfile)._EndRecData(packed)
    if end and end[5] > MEMBERS * _ENTRY:  # the length that it states
        raise TooManyError(f"its directory is longer than {MEMBERS * _ENTRY:,} bytes")


def _unpack_zip(archive: Path, target: Path, meter: Meter) -> Iterator[tuple[str, str]]:
    """Yield each left-out member and the reason."""
    _require_short(archive)
    with zipfile.ZipFile(archive) as packed:
        members = packed.infolist()
        for member in members:
            meter.enter(PurePosixPath(member.filename.replace("\\", "/")))
        for member in members:
            is_link = stat.S_ISLNK(member.external_attr >> 16)
            if member.is_dir():
                continue
            if reason := LINK if is_link else _unpack_member(packed, member, target, meter):
                yield member.filename, reason


def _unpack_member(
    packed: zipfile.ZipFile, member: zipfile.ZipInfo, target: Path, meter: Meter
) -> str:
    """Write a zip member below a folder; return the reason if it is left out.

    An empty file stands in for a member that cannot be unpacked, so that its run is not ignored.
    """
    place = member.filename.replace("\\", "/")
    if member.flag_bits & 1:
        return write([], target, place) or "it is encrypted"
    try:
        _require_memory(packed, member)
        return write(_read_blocks(packed.open(member), meter), target, place)
    except MemoryError:
        reason = _GREEDY
    except NotImplementedError:
        reason = f"it is packed by an unsupported method ({member.compress_type})"
    except _DAMAGE as error:
        if getattr(error, "errno", None):  # an error of the disk, not of the member
            raise
        reason = "it is damaged"
    return write([], target, place) or reason


def _require_memory(packed: zipfile.ZipFile, member: zipfile.ZipInfo) -> None:
    """Raise MemoryError for an LZMA member that declares a dictionary above the limit."""
    if member.compress_type == zipfile.ZIP_LZMA and packed.filename:
        with open(packed.filename, "rb") as file:  # noqa: PTH123 - it is a text
            file.seek(member.header_offset + 26)
            file.seek(sum(struct.unpack("<HH", file.read(4))), io.SEEK_CUR)
            if int.from_bytes(file.read(9)[5:], "little") > _MEMORY:
                raise MemoryError


def _read_blocks(source: IO[bytes], meter: Meter | None) -> Iterator[bytes]:
    with source:
        while block := source.read(_BLOCK):
            if meter:
                meter.take(len(block))
            yield block


class _Member(tarfile.TarInfo):
    """A member whose headers are limited before they are read; an empty header ends the archive."""

    @classmethod
    def frombuf(cls, buf: bytes | bytearray, encoding: str, errors: str) -> Self:
        if len(buf) < tarfile.BLOCKSIZE:
            raise EOFError(_CUT)
        try:
            return super().frombuf(buf, encoding, errors)
        except tarfile.HeaderError as error:
            if any(buf):  # otherwise it would be read as the end
                raise ValueError from error
            raise

    def _proc_member(self, tar: tarfile.TarFile) -> tarfile.TarInfo:
        if self.type in _EXTENDED and self.size > _HEADERS:
            raise TooManyError(f"it contains a name longer than {_HEADERS:,} bytes")
        return super()._proc_member(tar)  # type: ignore[misc,no-any-return]

    def _proc_pax(self, tar: tarfile.TarFile) -> tarfile.TarInfo:
        """Read an extended header in linear time, keeping nothing of it but `_PLACES`.

        `tarfile` may take quadratic time, and copies a header of the archive into each member.
        """
        parser: Any = self
        blocks = cast("IO[bytes]", tar.fileobj).read(parser._block(self.size))
        if len(header := blocks[: self.size]) < self.size:
            raise EOFError(_CUT)
        records = [record for record in _read_records(header) if record[0].startswith(_PLACES)]
        try:
            member: Any = self.fromtarfile(tar)
        except tarfile.HeaderError as error:
            raise tarfile.SubsequentHeaderError(str(error)) from None  # type: ignore[attr-defined]
        if self.type == tarfile.XGLTYPE:
            return cast("tarfile.TarInfo", member)
        fields = dict(records)
        if "GNU.sparse.map" in fields:
            parser._proc_gnusparse_01(member, fields)
        elif "GNU.sparse.size" in fields:
            gaps = ("GNU.sparse.offset", "GNU.sparse.numbytes")
            columns = ([int(value) for name, value in records if name == gap] for gap in gaps)
            member.sparse = list(zip(*columns, strict=True))
        elif (fields.get("GNU.sparse.major"), fields.get("GNU.sparse.minor")) == ("1", "0"):
            parser._proc_gnusparse_10(member, fields, tar)
        member._apply_pax_info(fields, tar.encoding, tar.errors)
        member.offset = self.offset
        if "size" in fields:  # the size of the file, which then ends elsewhere
            is_held = member.isreg() or member.type not in tarfile.SUPPORTED_TYPES
            tar.offset = member.offset_data + (member._block(member.size) if is_held else 0)
        return cast("tarfile.TarInfo", member)


def _read_records(header: bytes) -> Iterator[tuple[str, str]]:
    """Yield the names and values of an extended header; raise ValueError if one is damaged."""
    start = 0
    while start < len(header):
        space = header.index(b" ", start, start + 20)
        end = start + int(header[start:space])
        name, sign, value = header[space + 1 : end - 1].partition(b"=")
        if end <= space or not sign or header[end - 1 : end] != b"\n":
            raise ValueError
        yield name.decode(errors="replace"), value.decode(errors="surrogateescape")
        start = end


def _unpack_tar(stream: IO[bytes], target: Path, meter: Meter) -> Iterator[tuple[str, str]]:
    """Yield each left-out member; as in `tar`, a later file replaces one of the same name."""
    metered = io.BufferedReader(_Metered(stream, meter), _BLOCK)
    with tarfile.open(fileobj=metered, mode="r|", tarinfo=_Member) as packed:
        for member in packed:
            cast("Any", packed).members.clear()  # otherwise `tarfile` keeps them all until the end
            meter.enter(PurePosixPath(member.name))
            if member.isdir():
                continue
            if reason := _extract(packed, member, target, meter):
                yield member.name, reason
        rest = cast("IO[bytes]", packed.fileobj)
        if any(any(block) for block in iter(partial(rest.read, _BLOCK), b"")):
            yield _JOINED


def _extract(packed: tarfile.TarFile, member: tarfile.TarInfo, target: Path, meter: Meter) -> str:
    """Write a tar member below a folder; return the reason if something is left out.

    The bytes of the archive are already counted, but not the gaps that exist only in a header.
    """
    if not is_inside(member.name):
        return _OUTSIDE
    source = packed.extractfile(member) if member.isreg() else None
    if source is None:
        return LINK if member.issym() or member.islnk() else _SPECIAL
    blocks = _read_blocks(source, meter if member.issparse() else None)
    return write(blocks, target, member.name, replaces=True)
