"""RFC 3339 times, read a column at a time.

Reading each with `datetime` would cost more than the rest of its line.
"""

from __future__ import annotations

from datetime import UTC, datetime, timedelta
from functools import lru_cache

import numpy as np

from benchkit.parsers.numerals import read_digits
from benchkit.parsers.octets import Array, Octets, change
from benchkit.regexes import regex

#: Bytes of the longest time: a fraction of nine digits and an offset.
LONGEST = 35
_SHORTEST = 20
_EPOCH = datetime(1970, 1, 1, tzinfo=UTC)
_MINUTE = regex(rb"\d{4}-\d\d-\d\dT\d\d:\d\d")
_ZONE = regex(rb"[+-]\d\d:\d\d")
_POWERS = 10 ** np.arange(10, dtype=np.int64)
_BYTE = np.uint64(0xFF)
#: The first microsecond whose nanoseconds are not below 2**62.
_LAST = (1 << 62) // 1000


def read_times(block: Octets, starts: Array, lengths: Array) -> tuple[Array, Array]:
    """Read times, with the fraction truncated to microseconds.

    Parameters
    ----------
    starts, lengths : int64, shape (k,)
        The index and the length of each time.

    Returns
    -------
    tuple of (int64, bool), shape (k,)
        Microseconds since 1970, and a mask of the cells in Go's format.
    """
    if not len(starts):
        return np.empty(0, dtype=np.int64), np.empty(0, dtype=bool)
    good = (lengths >= _SHORTEST) & (lengths <= LONGEST)
    lengths = np.clip(lengths, _SHORTEST, LONGEST)
    words = block.take(starts, 24)
    last = block.word(starts + lengths - 8)
    is_utc = last >> np.uint64(56) == ord("Z")
    ends = np.where(is_utc, lengths - 1, lengths - 6)
    minutes, minutes_good = _read_minutes(words[:, :2])
    offsets, offsets_good = _read_zones(last >> np.uint64(16), is_utc)
    seconds, seconds_good = read_digits(words[:, 2] << np.uint64(40), np.full(len(starts), 2))
    good &= minutes_good & offsets_good & seconds_good & (seconds < 60)
    good &= words[:, 2] & _BYTE == ord(":")
    micros, fraction_good = _read_fractions(block, starts, words[:, 2], ends)
    good &= fraction_good
    return minutes + seconds * 1_000_000 + micros - offsets, good


def _read_fractions(block: Octets, starts: Array, words: Array, ends: Array) -> tuple[Array, Array]:
    """Read the text from index 19 to ``ends``: empty, or a point and 1 to 9 digits."""
    counts = np.clip(ends - 20, 0, 9)
    has_point = words >> np.uint64(24) & _BYTE == ord(".")
    good = (ends == 19) | (has_point & (ends >= 21) & (ends <= 29))
    digits = np.minimum(counts, 6)
    micros, micros_good = read_digits(block.word(starts + 20 + digits - 8), digits)
    _, rest_good = read_digits(block.word(starts + 20 + counts - 8), np.minimum(counts, 8))
    return micros * _POWERS[6 - digits], good & micros_good & rest_good


def _read_minutes(words: Array) -> tuple[Array, Array]:
    """Read date, hour and minute once per change, because most of a block shares them."""
    changed = change(words)
    known = [_read_minute(row.tobytes()) for row in words[changed]]
    place = np.cumsum(changed) - 1
    values = np.array([0 if value is None else value for value in known], dtype=np.int64)
    return values[place], np.array([value is not None for value in known])[place]


@lru_cache(maxsize=4096)
def _read_minute(text: bytes) -> int | None:
    if _MINUTE.fullmatch(text) is None:
        return None
    try:
        moment = datetime.fromisoformat(text.decode("ascii") + ":00+00:00")
    except ValueError:
        return None
    return (moment - _EPOCH) // timedelta(microseconds=1)


def _read_zones(words: Array, is_utc: Array) -> tuple[Array, Array]:
    """Read offsets from UTC in microseconds; only few are distinct."""
    offsets = np.zeros(len(words), dtype=np.int64)
    good = is_utc.copy()
    if is_utc.all():
        return offsets, good
    for zone in np.unique(words[~is_utc])[:64]:
        offset = _read_zone(int(zone).to_bytes(8, "little")[:6])
        if offset is not None:
            same = ~is_utc & (words == zone)
            offsets[same] = offset
            good |= same
    return offsets, good


@lru_cache(maxsize=4096)
def _read_zone(text: bytes) -> int | None:
    if _ZONE.fullmatch(text) is None:
        return None
    try:
        moment = datetime.fromisoformat("1970-01-02T00:00:00" + text.decode("ascii"))
    except ValueError:
        return None
    offset = moment.utcoffset() or timedelta()
    return offset // timedelta(microseconds=1)


def read_nanoseconds(block: Octets, starts: Array, lengths: Array) -> tuple[Array, Array]:
    """Read times like `read_times`, but to the nanosecond; from 1970 to 2116.

    Examples
    --------
    >>> text = b"1970-01-01T01:00:01.0203040506+01:00 1970-01-01T00:00:01.020304056Z"
    >>> block = Octets(text)
    >>> read_nanoseconds(block, np.array([64, 101]), np.array([36, 30]))
    (array([         0, 1020304056]), array([False,  True]))
    """
    micros, good = read_times(block, starts, lengths)
    good &= (micros >= 0) & (micros < _LAST)
    lengths = np.clip(lengths, _SHORTEST, LONGEST)
    is_utc = block.bytes[starts + lengths - 1] == ord("Z")
    digits = np.clip(lengths - np.where(is_utc, 21, 26), 6, 9)
    rest, _ = read_digits(block.word(starts + 12 + digits), digits - 6)
    return np.where(good, micros * 1000 + rest * _POWERS[9 - digits], 0), good
