"""How much a packed file, or an archive, may unpack to."""

from __future__ import annotations

from benchkit.errors import ConfigError
from benchkit.units import parse_bytes

#: The option that sets another bound than `LARGEST`.
OPTION = "--max-unpacked"
#: Bytes that a file or an archive may unpack to.
LARGEST = 4 << 30
#: Bytes that a packed byte may unpack to; texts of benchmarks come to some tens.
_RATIO = 250
#: Bytes below which the ratio does not matter.
_SMALL = 64 << 20


def parse_limit(text: str | None) -> int:
    """Read the size that `OPTION` sets."""
    try:
        return int(parse_bytes(text, binary=True).value) if text else LARGEST
    except (ValueError, OverflowError):
        hint = f"write a number of bytes: {OPTION} 8GiB"
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
