"""A checksum of each data file, in its name, to detect changes on disk.

Parquet's own checksums cover pages. A flipped bit between them, or in the footer, which describes
the columns, would go unnoticed and result in another value.
"""

from __future__ import annotations

import zlib
from pathlib import Path
from typing import TYPE_CHECKING, BinaryIO

from benchkit.regexes import regex
from benchkit.store.contents import UnsoundError

if TYPE_CHECKING:
    import pyarrow as pa

#: The end of a file name; names from earlier builds have no checksum.
_NAME = regex(r"-[0-9a-f]{32}-([0-9a-f]{8})\.parquet")
_CHUNK = 1 << 20


def sign(path: Path) -> Path:
    """Add the checksum of a written file to its name, and return the new path."""
    with path.open("rb") as file:
        return path.rename(path.with_name(f"{path.stem}-{_sum(file)}{path.suffix}"))


def require_signed(path: str, file: pa.NativeFile) -> None:
    """Raise `UnsoundError` if an open file does not match the checksum in its name, if any."""
    stated = _NAME.search(path)
    if stated and stated[1] != _sum(file):
        raise UnsoundError("does not have the checksum in its name")
    file.seek(0)


def _sum(file: BinaryIO | pa.NativeFile) -> str:
    checksum = 0
    while chunk := file.read(_CHUNK):
        checksum = zlib.crc32(chunk, checksum)
    return f"{checksum:08x}"
