"""Digests of what runs measured, by which a copy is known whatever became of its bytes.

Lines that end otherwise, files put together, and packed files hold the same values; so a digest
is of the values of a run, and neither of their text nor of their order.
"""

from __future__ import annotations

import hashlib
from collections.abc import Callable, Sequence
from functools import lru_cache
from typing import TYPE_CHECKING, NamedTuple

if TYPE_CHECKING:
    import numpy as np
    import pyarrow as pa

    from benchkit.ingestion.parts import Part

#: Units of what is measured by a clock, which two runs hardly have in common to the last digit.
_CLOCKED = ("s", "1/s", "B/s")
#: Digits of a number that repeats have in common, and the most that count beyond these.
_SHARED, _MOST = 1, 4
#: The last bits of a digest count the digits that tell the run from others.
_DIGITS_BITS = 4
_DIGITS = (1 << _DIGITS_BITS) - 1
#: The other bits, which tell the values however they are written.
OF_VALUES = ~_DIGITS
#: Rows of a batch fit into these bits of a sort key, above those of the value.
_VALUE_BITS = 40
#: Odd factors, as of splitmix64, that spread each bit over all others.
_FACTORS = (0xBF58476D1CE4E5B9, 0x94D049BB133111EB, 0x9E3779B97F4A7C15)


class Contents(NamedTuple):
    """Pieces, the sum of the digests of their values, and the digits by which they are told."""

    pieces: np.ndarray
    sums: np.ndarray
    digits: np.ndarray


def digest_values(batch: pa.RecordBatch) -> Contents:
    """Digest values per piece; those of a piece may lie in several batches."""
    import numpy as np

    pieces, values = batch["piece"].to_numpy(), batch["value"].to_numpy() + 0.0  # -0 is 0
    starts = np.flatnonzero(np.diff(pieces, prepend=pieces[0] - 1))
    events = batch["n"].fill_null(0).to_numpy(zero_copy_only=False).astype(np.uint64)
    names = [_look_up(batch[name], _digest_text) for name in ("metric", "stat", "subject")]
    about = _mix(names[0] ^ _mix(names[1] ^ _mix(names[2] ^ events)))
    sums = np.add.reduceat(_mix(about ^ _mix(values.view(np.uint64))), starts)
    owners = np.repeat(np.arange(len(starts)), np.diff(starts, append=len(pieces)))
    return Contents(pieces[starts], sums, _count_digits(batch, values, owners))


def enter_contents(parts: Sequence[Part], contents: Sequence[Contents]) -> None:
    """Note on parts, in place, the digests of their values; a companion's say nothing of a run."""
    import numpy as np

    loads = [part for part in parts if not part.is_companion]
    if not loads or not contents:
        return
    pieces, sums, digits = map(np.concatenate, zip(*contents, strict=True))
    order = pieces.argsort(kind="stable")
    pieces = pieces[order]
    starts = np.flatnonzero(np.diff(pieces, prepend=pieces[0] - 1))
    known = pieces[starts]
    counts = np.minimum(np.add.reduceat(digits[order], starts), _DIGITS).astype(np.uint64)
    digests = np.add.reduceat(sums[order], starts) & ~np.uint64(_DIGITS)
    digests = (digests | counts).view(np.int64)

    def find(sought: np.ndarray) -> np.ndarray:
        places = np.minimum(known.searchsorted(sought), len(known) - 1)
        found: np.ndarray = np.where(known[places] == sought, digests[places], 0)
        return found

    single = [part for part in loads if part.places is None]
    found = find(np.array([part.piece for part in single], np.int64))
    for part, digest in zip(single, found.tolist(), strict=True):
        part.content = digest
    for part in loads:
        if part.places is not None:
            part.places.contents = find(part.piece - part.index + part.places.indices)


def count_digits(content: int) -> int:
    """Return how many digits of its different numbers tell a run from others, up to fifteen."""
    return content & _DIGITS


def _count_digits(batch: pa.RecordBatch, values: np.ndarray, owners: np.ndarray) -> np.ndarray:
    """Count for each owner the digits of its different numbers that no two runs share by chance."""
    import numpy as np

    steps = batch["resolution"].fill_null(0).to_numpy(zero_copy_only=False)
    is_clocked = _look_up(batch["unit"], _is_clocked).astype(bool)
    is_clocked &= (values != 0) & np.isfinite(values)
    owned, sizes = owners[is_clocked], np.abs(values[is_clocked])
    exact = sizes * 10.0 ** -(_SHARED + _MOST)
    digits = np.log10(sizes / np.maximum(steps[is_clocked], exact)) - _SHARED
    shift, rest = np.uint64(_VALUE_BITS), np.uint64(64 - _VALUE_BITS)
    keys = owned.astype(np.uint64) << shift | _mix(sizes.view(np.uint64)) >> rest
    order = keys.argsort()
    is_new = np.ones(len(keys), bool)
    is_new[1:] = np.diff(keys[order]) != 0
    first = order[is_new]
    weights = np.maximum(digits[first], 0)
    return np.bincount(owned[first], weights, minlength=owners[-1] + 1)


def _look_up(column: pa.Array, value_of: Callable[[str], int]) -> np.ndarray:
    """Return a number for each text of a column, of which few differ; 0 where there is none."""
    import numpy as np
    import pyarrow as pa

    coded = column if pa.types.is_dictionary(column.type) else column.dictionary_encode()
    numbers = np.array([*map(value_of, coded.dictionary.to_pylist()), 0], np.uint64)
    codes = coded.indices.fill_null(len(numbers) - 1).to_numpy(zero_copy_only=False)
    looked_up: np.ndarray = numbers[codes]
    return looked_up


@lru_cache(1 << 12)
def _digest_text(text: str) -> int:
    return int.from_bytes(hashlib.blake2b(text.encode(), digest_size=8).digest(), "little")


def _is_clocked(unit: str) -> int:
    return int(unit in _CLOCKED)


def _mix(numbers: np.ndarray) -> np.ndarray:
    """Spread each bit of some numbers over all of theirs: the last step of splitmix64."""
    import numpy as np

    first, second, third = (np.uint64(factor) for factor in _FACTORS)
    mixed = numbers + third
    mixed = (mixed ^ mixed >> np.uint64(30)) * first
    mixed = (mixed ^ mixed >> np.uint64(27)) * second
    return mixed ^ mixed >> np.uint64(31)
