"""How much a packed file, or an archive, may unpack to."""

from __future__ import annotations

import errno
import gzip
import io
from typing import IO

from benchkit.errors import ConfigError, DataError
from benchkit.units import parse_bytes

#: The option that sets another bound than `LARGEST`.
OPTION = "--max-unpacked"
#: Bytes that a file or an archive may unpack to.
LARGEST = 4 << 30
#: Files and folders that an archive may hold, and members that a gzip stream may.
MEMBERS = 100_000
#: Bytes that a packed byte may unpack to; texts of benchmarks come to some tens.
_RATIO = 250
#: Bytes below which the ratio does not matter.
_SMALL = 1 << 20
#: Runs and faults that a file may hold; each is an object of kilobytes.
RUNS = 250_000
#: Metrics and subjects of a run, each of which is an object, however few values it has.
SERIES = 250_000
#: Packed bytes of a run beyond the first `_FEW`: a single number that was measured takes more.
_FEW, _RUN_BYTES = 10_000, 4


def parse_limit(text: str) -> int:
    """Read the size that `OPTION` sets."""
    try:
        return int(parse_bytes(text, binary=True).value)
    except (ValueError, OverflowError):
        hint = f"use a number of bytes: {OPTION} 8GiB"
        raise ConfigError(f"{text!r} is not a size", where=OPTION, hint=hint) from None


def explain_excess(size: int, packed: int, limit: int) -> str:
    """Return why so many bytes may not come out of so many packed ones; empty if they may.

    Examples
    --------
    >>> explain_excess(2000, 100, 1000), explain_excess(1 << 30, 100, LARGEST)
    ('it unpacks to more than 1,000 bytes', 'it unpacks to more than 250 times its size')
    """
    if size > limit:
        return f"it unpacks to more than {limit:,} bytes"
    if size > max(_SMALL, _RATIO * packed):
        return f"it unpacks to more than {_RATIO} times its size"
    return ""


def limit_runs(size: int) -> int:
    """Return how many runs and faults a file of so many bytes, perhaps packed, may hold.

    Examples
    --------
    >>> limit_runs(4_800), limit_runs(400_000), limit_runs(1 << 30)
    (10000, 100000, 250000)
    """
    return min(RUNS, max(_FEW, size // _RUN_BYTES))


class CrowdedError(DataError):
    """A run has more metrics and subjects than benchkit reads; ``line`` is the first too many."""

    line = 0


def require_few(count: int, line: int) -> None:
    """Refuse a run with more than `SERIES` metrics and subjects, counted up to a line."""
    if count > SERIES:
        error = CrowdedError(
            f"more than {SERIES:,} metrics and subjects in one run",
            hint="remove labels that differ for each request, or split the file",
        )
        error.line = line
        raise error


class _Members(gzip._GzipReader):
    """The content of a gzip stream, each member of which takes time even if it is empty."""

    _members = 0

    def _init_read(self) -> None:
        self._members += 1
        if self._members > MEMBERS:
            raise OSError(errno.EFBIG, f"it has more than {MEMBERS:,} members")
        super()._init_read()  # type: ignore[misc]


def open_gzip(raw: IO[bytes]) -> io.BufferedReader:
    """Open the content of a gzip stream of at most `MEMBERS` members."""
    return io.BufferedReader(_Members(raw))
