"""A raw file as parsers see it: decompressed, decoded, with clean lines.

BOM, UTF-16, CRLF, ANSI colours, progress overwrites and gzip are handled once, here.
"""

from __future__ import annotations

import errno
import hashlib
import io
import zlib
from collections.abc import Callable, Iterator
from contextlib import suppress
from functools import cached_property, partial
from pathlib import Path
from typing import IO, Any

from benchkit.reading.bounds import LARGEST, OPTION, explain_excess, open_gzip
from benchkit.reading.cleaning import (
    as_utf8,
    blank_repeats,
    clean_line,
    clean_text,
    decode_lines,
    is_doubled,
    number_blocks,
    unwrap,
)
from benchkit.reading.damage import UnreadableError, UntilDamage
from benchkit.reading.entities import holds_entities
from benchkit.reading.prefixes import Prefix, find_wrapping, is_logged
from benchkit.reading.rawfile import PIPE_BYTES, BlockReader, Checksum, RawFile, read_whole
from benchkit.reading.signs import Head
from benchkit.reading.spans import Span, read_span
from benchkit.reading.webpages import begins_page, begins_part, joins_lines, split_lines

__all__ = [
    "HEAD_BYTES",
    "LINE_BLOCK",
    "Head",
    "Source",
    "UnreadableError",
    "UntilDamage",
    "number_blocks",
]

HEAD_BYTES = 1 << 16
#: Maximum bytes of a log that are searched for reports with a prefix.
LOG_BYTES = 32 << 20
_BLOCK = 1 << 20
#: Maximum bytes of a line; no tool writes longer ones.
MAX_LINE = 64 << 20
#: Bytes of whole lines that are read in columns at once.
LINE_BLOCK = 1 << 20
#: Maximum bytes of a web page that are searched for listings.
PAGE_BYTES = 8 << 20
#: The first bytes of a Parquet file.
PARQUET = b"PAR1"
_GZIP = b"\x1f\x8b"


class Source:
    """One raw file.

    Parameters
    ----------
    path : Path or None
        Its path; None for standard input.
    label : str
        Its name in messages and in the ``source`` column.
    data : bytes, optional
        The raw content, if it is already in memory.
    """

    def __init__(self, path: Path | None, label: str, data: bytes | None = None) -> None:
        self.path = path
        self.label = label
        #: Called with the place in the file after each read of a large one.
        self.watch: Callable[[int], None] | None = None
        #: Maps a function over independent blocks of lines, perhaps in other threads.
        self.map: Callable[..., Iterator[Any]] = map
        #: Runs an iterator, perhaps in another thread, ahead of its consumer.
        self.ahead: Callable[[Iterator[Any]], Iterator[Any]] = iter
        #: The range of lines that `line_blocks` yields; None for all.
        self.span: Span | None = None
        #: Maximum unpacked bytes.
        self.max_unpacked = LARGEST
        self._data = data
        #: Whether the head is the whole file, and not compressed: the case of most reports.
        self.is_small = data is not None and len(data) <= HEAD_BYTES and not data.startswith(_GZIP)
        self._text: str | None = None
        #: Whether every line is doubled; it then counts once.
        self.is_doubled = False
        #: Whether it is a page whose file joins lines; they are then split, and counted after that.
        self.is_joined = False
        #: Digest of the bytes, if another process has computed it.
        self.digest = ""
        self._checksum, self._sha256 = Checksum(), ""

    @classmethod
    def load(
        cls,
        path: Path,
        label: str = "",
        *,
        keep: int = 8 << 20,
        guard: Callable[[Path], None] = lambda _: None,
    ) -> Source:
        """Open a file; one of at most ``keep`` bytes is read once and held in memory.

        A file that is not regular is passed to ``guard`` before it is read, which may refuse it.
        """
        label = label or str(path)
        try:
            return cls(path, label, read_whole(path, keep, guard))
        except OSError as error:
            raise UnreadableError(error.strerror or str(error)) from error

    def open_raw(self) -> IO[bytes]:
        """Open the raw bytes on disk."""
        if self._data is not None:
            return io.BytesIO(self._data)
        assert self.path is not None  # noqa: S101 - one of the two is always there
        try:
            return io.BufferedReader(RawFile(self.path, self._checksum, self.watch), _BLOCK)
        except OSError as error:
            raise UnreadableError(error.strerror or str(error)) from error

    def blocks(self) -> Iterator[bytes]:
        """Yield the decompressed content in blocks, without the prefixes of a log.

        Raises
        ------
        UnreadableError
            If gzip is damaged; everything before the damage has been yielded.
        """
        wrapping = self._wrapping
        blocks = self.ahead(self._blocks_as_they_are())
        blocks = split_lines(blocks) if self.is_joined else blocks
        return blocks if wrapping is None else unwrap(blocks, wrapping, is_doubled=self.is_doubled)

    def _blocks_as_they_are(self) -> Iterator[bytes]:
        with self.open_raw() as raw:
            is_packed = raw.read(2) == _GZIP
            raw.seek(0)
            plain = iter(partial(raw.read, _BLOCK), b"")
            yield from _bound_lines(_unzip(raw, self.max_unpacked) if is_packed else plain)

    def open(self) -> IO[bytes]:
        """Open the decompressed content as a stream; may raise `UnreadableError`."""
        return io.BufferedReader(BlockReader(self.blocks()), _BLOCK)

    @property
    def sha256(self) -> str:
        """Digest of the raw bytes on disk."""
        if self._data is not None:
            self._sha256 = self._sha256 or hashlib.sha256(self._data).hexdigest()
            return self._sha256
        if self.digest:
            return self.digest
        with self.open_raw() as raw:  # the rest that has not been read yet
            raw.seek(self._checksum.place)
            while raw.read(_BLOCK):
                pass
        return self._checksum.hexdigest()

    @property
    def size(self) -> int:
        """Number of bytes on disk."""
        if self._data is not None:
            return len(self._data)
        assert self.path is not None  # noqa: S101
        return self.path.stat().st_size

    def head(self) -> Head:
        """Return the beginning, for `Format.recognises`."""
        if self.is_small and self._data is not None:
            data = self._data if self._wrapping is None else b"".join(self.blocks())
            return Head(self.label, data, self.text())
        data = _begin(self.blocks(), HEAD_BYTES)
        if data.startswith(PARQUET):  # which names its columns at its end
            with self.open_raw() as raw:
                raw.seek(max(raw.seek(0, io.SEEK_END) - HEAD_BYTES, 0))
                return Head(self.label, data + raw.read(), "")
        return Head(self.label, data, clean_text(data))

    def windows(self) -> Iterator[Head]:
        """Yield later, overlapping windows, for blocks far down in a text."""
        if self.is_small:
            return
        tail = b""
        for number, block in enumerate(self.blocks()):
            data = tail + block
            if number or len(data) > HEAD_BYTES:
                yield Head(self.label, data, clean_text(data), is_start=False)
            tail = block[-4096:]

    def text(self) -> str:
        """Return the whole content as cleaned text; only for forms that are always small."""
        if not self.is_small:
            return clean_text(self._read_bounded())
        if self._text is None:
            plain = self._wrapping is None  # which caches the text, if so
            self._text = self._text if plain else clean_text(b"".join(self.blocks()))
        return self._text or ""

    def raw_text(self) -> str:
        """Return the cleaned text of a small source, including the prefixes of a log.

        Empty for a larger one.
        """
        return clean_text(self._data) if self.is_small and self._data is not None else ""

    @property
    def prefixes(self) -> tuple[Prefix, ...]:
        """Prefixes of the lines of reports in a log; several if it shows several processes."""
        return self._wrapping or ()

    @cached_property
    def _wrapping(self) -> tuple[Prefix, ...] | None:
        """The prefixes of reports' lines; None if the text is unchanged from its tool.

        Only a text that is a log from its beginning is searched for reports far down.
        """
        data = self._data or b""
        if not self.is_small:
            data = _begin(_until_damage(self._blocks_as_they_are()), HEAD_BYTES)
        text = self._text = clean_text(data)
        self.is_doubled = is_doubled(text, is_whole=self.is_small)
        if self.is_doubled:
            text = blank_repeats(text)
        is_document = not text or text[0] == "{" or (text[0] == "<" and not text[1:2].isdecimal())
        prefixes = None if is_document else find_wrapping(text, self.label)
        is_page = begins_page(text)
        if not self.is_small and is_page:
            data = _begin(_until_damage(self._blocks_as_they_are()), PAGE_BYTES)
        self.is_joined = (is_page or begins_part(data)) and joins_lines(data)
        is_changed = self.is_doubled or self.is_joined or holds_entities(data)
        prefixes = () if prefixes is None and is_changed else prefixes
        if not self.is_small and (prefixes or is_logged(text)):
            data = _begin(_until_damage(self._blocks_as_they_are()), LOG_BYTES)
            prefixes = find_wrapping(clean_text(data), self.label)
        if prefixes is not None or not self.is_small:
            self._text = None
        return prefixes

    def _read_bounded(self) -> bytes:
        data = bytearray()
        for block in self.blocks():
            data += block
            if len(data) > PIPE_BYTES:
                raise UnreadableError(f"larger than {PIPE_BYTES >> 20} MiB")
        return bytes(data)

    def lines(self) -> Iterator[tuple[int, str]]:
        """Yield (number, text) of every line: no BOM, CR, ANSI sequence or overwritten progress.

        Raises
        ------
        UnreadableError
            If gzip is damaged; the whole lines before the damage have been yielded.
        """
        for number, (line, _) in enumerate(decode_lines(self.blocks()), 1):
            yield number, clean_line(line)

    def line_blocks(self, size: int = LINE_BLOCK) -> Iterator[bytes]:
        """Yield the content in blocks of whole lines, in UTF-8 and without a BOM, not yet cleaned.

        `clean_lines` on the blocks returns the same as `lines`. A line longer than a block is one
        block; the last block may have no line end.

        Raises
        ------
        UnreadableError
            If gzip is damaged; the whole lines before the damage have been yielded.
        """
        held: list[bytes] = []
        count = 0
        try:
            for block in self.read_span(self.span) if self.span else as_utf8(self.blocks()):
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

    def read_span(self, span: Span) -> Iterator[bytes]:
        """Yield the lines of a range in blocks that need not end with a line."""
        assert self.path is not None  # noqa: S101 - what is in memory is not read in ranges
        try:
            yield from read_span(self.path, span, _BLOCK, self.watch)
        except OSError as error:
            raise UnreadableError(error.strerror or str(error)) from error

    @cached_property
    def is_ended(self) -> bool:
        """Whether the last line has a line end; may raise `UnreadableError`."""
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
        """Yield `lines`, except a last one without a line end that a cut may have shortened.

        Parameters
        ----------
        may_be_cut : callable
            Whether a line may be the beginning of another one (``50%  1`` of ``50%  140``).

        Raises
        ------
        UnreadableError
            If gzip is damaged; the whole lines before the damage have been yielded.
        """
        for number, text, is_ended in self.ended_lines():
            if is_ended or not may_be_cut(text):
                yield number, text

    def ended_lines(self) -> Iterator[tuple[int, str, bool]]:
        r"""Yield `lines`, each with whether it has a line end; a last one without it may be cut.

        Examples
        --------
        >>> list(Source(None, "", b"goos: linux\ngoar").ended_lines())
        [(1, 'goos: linux', True), (2, 'goar', False)]
        """
        held: tuple[int, str] | None = None
        lines = UntilDamage(self.lines())
        for item in lines:
            if held is not None:
                yield *held, True
            held = item
        if held is not None:
            yield *held, lines.damage is not None or self.is_ended
        lines.raise_damage()


def _begin(blocks: Iterator[bytes], size: int) -> bytes:
    """Return the first ``size`` bytes."""
    data = bytearray()
    for block in blocks:
        data += block
        if len(data) >= size:
            break
    return bytes(data[:size])


def _until_damage(blocks: Iterator[bytes]) -> Iterator[bytes]:
    with suppress(UnreadableError):
        yield from blocks


def _bound_lines(blocks: Iterator[bytes]) -> Iterator[bytes]:
    """Yield blocks until a line has no end: a gzip of megabytes may contain one of terabytes."""
    length = 0
    for block in blocks:
        cut = block.rfind(b"\n")
        length = length + len(block) if cut < 0 else len(block) - cut - 1
        if length > MAX_LINE:
            raise UnreadableError(f"a line is longer than {MAX_LINE >> 20} MiB")
        yield block


def _unzip(raw: IO[bytes], limit: int) -> Iterator[bytes]:
    stream = open_gzip(raw)
    size = 0
    while True:
        try:
            block = stream.read1(_BLOCK)
        except (OSError, EOFError, zlib.error) as error:
            if isinstance(error, OSError) and error.errno == errno.EFBIG:
                raise UnreadableError(error.strerror) from error
            raise UnreadableError(f"the gzip stream is damaged or truncated ({error})") from error
        if not block:
            return
        size += len(block)
        if excess := explain_excess(size, raw.tell(), limit):
            other = f" or pass {OPTION} 8GiB" if size > limit else ""
            raise UnreadableError(f"{excess}; if you trust it, unpack it{other}")
        yield block
