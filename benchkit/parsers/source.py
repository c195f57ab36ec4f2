"""A raw file as parsers see it: decompressed, decoded, with clean lines.

In: a path or bytes. Out: a `Head` to identify it by, lines or a byte stream to parse.
Why: BOM, UTF-16, CRLF, ANSI colours, progress overwrites and gzip are handled once, here.
"""

from __future__ import annotations

import codecs
import gzip
import hashlib
import io
import os
import re
import zlib
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from functools import cached_property
from pathlib import Path
from typing import IO, Any

from benchkit.parsers.rawfile import Checksum, RawFile

HEAD_BYTES = 1 << 16
_BLOCK = 1 << 20
#: Bytes of whole lines that are read in columns at once.
LINE_BLOCK = 1 << 20
_GZIP = b"\x1f\x8b"
_ANSI = re.compile(
    r"\x1b(?:\[[0-?]*[ -/]*[@-~]|\][^\x07\x1b]*(?:\x07|\x1b\\)|[ -/]+[0-~]|[@-Z\\-_=>])"
)
_BOMS = (
    (codecs.BOM_UTF8, "utf-8-sig"),
    (codecs.BOM_UTF16_LE, "utf-16"),
    (codecs.BOM_UTF16_BE, "utf-16"),
)


class UnreadableError(Exception):
    """A source's bytes cannot be had: damaged gzip, or the file system refuses."""


@dataclass(frozen=True, slots=True)
class Head:
    """The beginning of a source, or a later window of it, to recognise a format by.

    Parameters
    ----------
    name : str
        The file's name, for messages; formats decide by content, never by name.
    data : bytes
        Decompressed.
    text : str
        Decoded and cleaned as `Source.lines` does; empty if the data is binary.
    is_start : bool
        Whether this is the beginning of the source.
    """

    name: str
    data: bytes
    text: str
    is_start: bool = True


class Source:
    """One raw file.

    Parameters
    ----------
    path : Path or None
        Where it is; None for standard input.
    label : str
        How messages and the ``source`` column name it.
    data : bytes, optional
        The raw content, where it is already in memory.
    """

    def __init__(self, path: Path | None, label: str, data: bytes | None = None) -> None:
        self.path = path
        self.label = label
        #: Is told the place in the file after each read of a large one.
        self.watch: Callable[[int], None] | None = None
        #: How blocks of lines are read, where each can be by itself; perhaps in another process.
        self.map: Callable[..., Iterator[Any]] = map
        self._data = data
        #: Whether the head is all there is, and not compressed: the case of most reports.
        self.is_small = data is not None and len(data) <= HEAD_BYTES and not data.startswith(_GZIP)
        self._text: str | None = None
        self._checksum, self._sha256 = Checksum(), ""

    @classmethod
    def load(cls, path: Path, label: str = "", *, keep: int = 8 << 20) -> Source:
        """Open a file; one of at most ``keep`` bytes is read once and held."""
        label = label or str(path)
        try:
            return cls(path, label, _read_whole(path, keep))
        except OSError as error:
            raise UnreadableError(error.strerror or str(error)) from error

    def open_raw(self) -> IO[bytes]:
        """Open the bytes as they are on disk."""
        if self._data is not None:
            return io.BytesIO(self._data)
        assert self.path is not None  # noqa: S101 - one of the two is always there
        try:
            return io.BufferedReader(RawFile(self.path, self._checksum, self.watch), _BLOCK)
        except OSError as error:
            raise UnreadableError(error.strerror or str(error)) from error

    def blocks(self) -> Iterator[bytes]:
        """Yield the decompressed content in blocks.

        Raises
        ------
        UnreadableError
            When damaged gzip is met; what came before has been yielded.
        """
        with self.open_raw() as raw:
            if raw.read(2) != _GZIP:
                raw.seek(0)
                while block := raw.read(_BLOCK):
                    yield block
                return
            raw.seek(0)
            yield from _unzip(raw)

    def open(self) -> IO[bytes]:
        """Open the decompressed content as a stream; it may raise `UnreadableError`."""
        return io.BufferedReader(_BlockReader(self.blocks()), _BLOCK)

    @property
    def sha256(self) -> str:
        """Digest of the bytes as they are on disk."""
        if self._data is not None:
            self._sha256 = self._sha256 or hashlib.sha256(self._data).hexdigest()
            return self._sha256
        with self.open_raw() as raw:  # the rest of what was not read yet
            raw.seek(self._checksum.place)
            while raw.read(_BLOCK):
                pass
        return self._checksum.hexdigest()

    @property
    def size(self) -> int:
        """Bytes on disk."""
        if self._data is not None:
            return len(self._data)
        assert self.path is not None  # noqa: S101
        return self.path.stat().st_size

    def head(self) -> Head:
        """Return the beginning, for `Format.recognises`."""
        if self.is_small and self._data is not None:
            return Head(self.label, self._data, self.text())
        data = b""
        for block in self.blocks():
            data += block
            if len(data) >= HEAD_BYTES:
                break
        data = data[:HEAD_BYTES]
        return Head(self.label, data, _clean_text(data))

    def windows(self) -> Iterator[Head]:
        """Yield later, overlapping windows, for blocks that stand far down in a text."""
        if self.is_small:
            return
        tail = b""
        for number, block in enumerate(self.blocks()):
            data = tail + block
            if number or len(data) > HEAD_BYTES:
                yield Head(self.label, data, _clean_text(data), is_start=False)
            tail = block[-4096:]

    def text(self) -> str:
        """Return the whole content as cleaned text; only for forms that are small by nature."""
        if not self.is_small:
            return _clean_text(b"".join(self.blocks()))
        if self._text is None:
            self._text = _clean_text(self._data or b"")
        return self._text

    def lines(self) -> Iterator[tuple[int, str]]:
        """Yield (number, text) of every line: no BOM, CR, ANSI sequence or overwritten progress.

        Raises
        ------
        UnreadableError
            When damaged gzip is met; the whole lines before it have been yielded.
        """
        number, rest, held, decoder = 1, "", b"", None
        blocks = self.blocks()
        problem: UnreadableError | None = None
        while True:
            try:
                block = next(blocks, b"")
            except UnreadableError as error:
                block, problem = b"", error
            held += block
            if block and len(held) < len(codecs.BOM_UTF8):
                continue
            decoder = decoder or codecs.getincrementaldecoder(_encoding(held))(errors="replace")
            rest += decoder.decode(held, final=not block)
            held = b""
            *whole, rest = rest.split("\n")
            for line in whole:
                yield number, _clean_line(line)
                number += 1
            if not block:
                break
        if problem is not None:
            raise problem
        if rest:
            yield number, _clean_line(rest)

    def line_blocks(self, size: int = LINE_BLOCK) -> Iterator[bytes]:
        """Yield the content in blocks of whole lines, in UTF-8 and without a BOM, not yet cleaned.

        `clean_lines` of the blocks gives what `lines` gives. A line longer than a block is one
        block; the last block may lack its line end.

        Raises
        ------
        UnreadableError
            When damaged gzip is met; the whole lines before it have been yielded.
        """
        held: list[bytes] = []
        count = 0
        try:
            for block in _as_utf8(self.blocks()):
                count += len(block)
                cut = block.rfind(b"\n") + 1 if count >= size else 0
                if cut:
                    yield b"".join((*held, memoryview(block)[:cut]))
                    held, count = [], len(block) - cut
                held.append(block[cut:])
        except UnreadableError:
            whole, end, _ = b"".join(held).rpartition(b"\n")
            if end:
                yield whole + end
            raise
        if count:
            yield b"".join(held)

    @cached_property
    def is_ended(self) -> bool:
        """Whether the last line has its line end; it may raise `UnreadableError`."""
        last = b""
        with self.open_raw() as raw:
            if raw.read(2) != _GZIP:
                raw.seek(max(raw.seek(0, io.SEEK_END) - 2, 0))
                last = raw.read()
            else:
                for block in self.blocks():
                    last = (last + block)[-2:]
        return b"\n" in (last if b"\0" in last else last[-1:])

    def whole_lines(self, may_be_cut: Callable[[str], bool]) -> Iterator[tuple[int, str]]:
        """Yield `lines`, but not a last one without its end that a cut may have shortened.

        Parameters
        ----------
        may_be_cut : callable
            Whether a line may be the beginning of another one (``50%  1`` of ``50%  140``).

        Raises
        ------
        UnreadableError
            When damaged gzip is met; the whole lines before it have been yielded.
        """
        held: tuple[int, str] | None = None
        try:
            for item in self.lines():
                if held is not None:
                    yield held
                held = item
        except UnreadableError:
            if held is not None:
                yield held
            raise
        if held is not None and (self.is_ended or not may_be_cut(held[1])):
            yield held


def _read_whole(path: Path, keep: int) -> bytes | None:
    """Read a file of at most ``keep`` bytes; a stream around it would double the time."""
    file = os.open(path, os.O_RDONLY | getattr(os, "O_BINARY", 0))
    try:
        size = os.fstat(file).st_size
        if size > keep:
            return None
        data = os.read(file, size + 1)  # a byte more than there is, to meet the end
        if len(data) != size:  # a pipe, or a file that grows
            while block := os.read(file, _BLOCK):
                data += block
        return data
    finally:
        os.close(file)


def number_blocks(blocks: Iterator[bytes]) -> Iterator[tuple[int, bytes]]:
    """Yield blocks of whole lines, each with the number of its first line."""
    number = 1
    for block in blocks:
        yield number, block
        number += block.count(b"\n")


def clean_lines(block: bytes) -> list[str]:
    r"""Return the lines of a block of `Source.line_blocks`, cleaned as `Source.lines` does it.

    Examples
    --------
    >>> clean_lines(b"one\r\ntwo\n")
    ['one', 'two']
    """
    text = block.decode("utf-8", errors="replace")
    return [_clean_line(line) for line in text.removesuffix("\n").split("\n")]


def _as_utf8(blocks: Iterator[bytes]) -> Iterator[bytes]:
    """Drop a BOM; write UTF-16 as UTF-8."""
    held = b""
    for block in blocks:
        held += block
        if len(held) >= len(codecs.BOM_UTF8):
            break
    encoding = _encoding(held)
    if encoding != "utf-16":
        yield held.removeprefix(codecs.BOM_UTF8)
        yield from blocks
        return
    decoder = codecs.getincrementaldecoder(encoding)(errors="replace")
    yield decoder.decode(held).encode("utf-8", errors="replace")
    for block in blocks:
        yield decoder.decode(block).encode("utf-8", errors="replace")
    yield decoder.decode(b"", final=True).encode("utf-8", errors="replace")


def _encoding(data: bytes) -> str:
    return next((name for bom, name in _BOMS if data.startswith(bom)), "utf-8")


def _clean_text(data: bytes) -> str:
    encoding = _encoding(data)
    if encoding != "utf-16" and b"\0" in data:
        return ""
    text = data.decode(encoding, errors="replace")
    if "\r" in text or "\x1b" in text:
        return "\n".join(map(_clean_line, text.split("\n")))
    return text


def _clean_line(line: str) -> str:
    if "\x1b" in line:
        line = _ANSI.sub("", line)
    if "\r" in line:
        line = line.rstrip("\r").rpartition("\r")[2]
    return line


def _unzip(raw: IO[bytes]) -> Iterator[bytes]:
    stream = gzip.GzipFile(fileobj=raw)
    while True:
        try:
            block = stream.read1(_BLOCK)
        except (OSError, EOFError, zlib.error) as error:
            raise UnreadableError(f"the gzip stream is damaged or cut short ({error})") from error
        if not block:
            return
        yield block


class _BlockReader(io.RawIOBase):
    """Blocks as a raw stream, so that the standard library can buffer it."""

    def __init__(self, blocks: Iterator[bytes]) -> None:
        self._blocks = blocks
        self._rest = memoryview(b"")

    def readable(self) -> bool:
        return True

    def readinto(self, buffer: bytearray | memoryview) -> int:  # type: ignore[override]
        while not self._rest:
            block = next(self._blocks, None)
            if block is None:
                return 0
            self._rest = memoryview(block)
        size = min(len(buffer), len(self._rest))
        buffer[:size] = self._rest[:size]
        self._rest = self._rest[size:]
        return size
