"""Sources whose runs all appear in others, so that they would count twice: finding B103.

A file that was packed, concatenated with others or written with other line endings is a copy, even
if no byte is the same. Whole sources are compared, and only if their numbers are too many to be
equal by chance: repeats of a benchmark may agree in a few rounded numbers. Runs that record
different starts are different measurements even if they are equal, as instruction counts may be.

Digests of measured values identify a copy whatever became of its bytes.

Files with other line endings, concatenated files and packed files hold the same values. A digest
therefore covers the values of a run, but neither their text nor their order.
"""

from __future__ import annotations

import hashlib
from collections import defaultdict
from collections.abc import Callable, Collection, Hashable, Mapping, Sequence
from dataclasses import dataclass, replace
from datetime import datetime
from functools import lru_cache
from typing import TYPE_CHECKING, NamedTuple

from benchkit.derived.record import began_alike
from benchkit.errors import Diagnostic, Finding, SourceReport
from benchkit.ingestion.addresses import name_path
from benchkit.ingestion.gone import SHOWN, row_of
from benchkit.ingestion.parts import Part, show_label, show_remark
from benchkit.ingestion.sources import Identity
from benchkit.labels.numbering import settle
from benchkit.labels.walk import path_key
from benchkit.listing import list_first

if TYPE_CHECKING:
    import numpy as np
    import pyarrow as pa

    from benchkit.ingestion.parts import Part


#: Minimum total of digits in a source's distinct numbers to rule out chance, for example four
#: times.
_ENOUGH = 8
#: Roles of runs that a copy may hold; failed runs have no values to identify them.
_ROLES = frozenset({"measured", "warmup", "aggregate"})
#: A run by its labels without the number, and the digest of its values.
_Run = tuple[Hashable, int]
_Holders = Mapping[_Run, set[Identity]]

#: Units of clock measurements, which two runs hardly ever share to the last digit.
_CLOCKED = ("s", "1/s", "B/s")
#: Leading digits of a number that repeats share, and the maximum count of digits beyond these.
_SHARED, _MOST = 1, 4
#: The last bits of a digest count the digits that distinguish the run from others.
_DIGITS_BITS = 4
_DIGITS = (1 << _DIGITS_BITS) - 1
#: The other bits, which identify the values however they are written.
OF_VALUES = ~_DIGITS
#: Number of bits of a sort key for the value; the bits above hold its owner.
_VALUE_BITS = 40
#: Odd factors, as in splitmix64, that spread each bit over all others.
_FACTORS = (0xBF58476D1CE4E5B9, 0x94D049BB133111EB, 0x9E3779B97F4A7C15)


@dataclass(frozen=True, slots=True)
class Copy:
    """A source whose runs all appear in others, represented by one part of each."""

    part: Part
    originals: tuple[Part, ...]

    def describe(self) -> Finding:
        """Return the finding on this copy."""
        names = [name_path(part.label) for part in self.originals]
        shown = list_first(names, SHOWN)
        return describe_copy(self.part.label, f"all its runs are also in {shown}")

    def report(self) -> SourceReport:
        """Return the report on this copy."""
        return report_copy(self.describe(), self.part.variant)

    def remember(self) -> Part:
        """Return the piece by which a store remembers this copy."""
        return replace(
            self.part, role="duplicate", status="partial", places=None, content=0, sha256="",
            fingerprint="", remark=show_remark(self.part.label, f": {self.describe().message}"),
        )  # fmt: skip


def describe_copy(label: str, message: str) -> Finding:
    """Return the finding on a source that is a copy."""
    return find_remembered(label, f"{message}; counted once")


def find_remembered(label: str, message: str) -> Finding:
    """Return the finding on a copy from the message that a store keeps."""
    return Finding(
        code="B103",
        severity="warning",
        message=message,
        remedy="delete the copy; if both files are variants, label each one with label=path",
        where=label,
    )


def report_copy(finding: Finding, variant: str) -> SourceReport:
    """Return the report on a source that a finding declares a copy."""
    return SourceReport(
        label=finding.where,
        outcome="duplicate",
        reason=finding.message,
        variant=show_label(variant),
    )


def settle_originals(
    new: Sequence[Part], kept: Sequence[Part] = ()
) -> tuple[list[Diagnostic], list[Copy]]:
    """Settle parts in place, ignoring copies among them; return notes and copies.

    Parameters
    ----------
    new : sequence of Part
        The parts that were read.
    kept : sequence of Part
        The stored parts of the same series.
    """
    notes, copies = settle([*kept, *new]), find_copies(new, kept)
    if copies:
        notes = settle([*leave_out(kept, copies), *leave_out(new, copies)])
    return notes, copies


def leave_out(parts: Sequence[Part], copies: Sequence[Copy]) -> list[Part]:
    """Return the parts of sources that are not copies."""
    gone = {copy.part.identity for copy in copies}
    return [part for part in parts if part.identity not in gone] if gone else [*parts]


def find_copies(new: Sequence[Part], kept: Sequence[Part] = ()) -> list[Copy]:
    """Return the sources whose runs all appear in others that are not copies themselves.

    Among sources with the same runs, the original is a stored one, then the one with fewer runs,
    then the first by name.
    """
    sources: dict[Identity, list[Part]] = defaultdict(list)
    for part in (*kept, *new):
        sources[part.identity].append(part)
    if not (suspects := _find_suspects(sources)):
        return []
    runs = {source: _list_runs(parts) for source, parts in sources.items()}
    holders: dict[_Run, set[Identity]] = defaultdict(set)
    for source, own in runs.items():
        for run in own:
            holders[run].add(source)
    stored = {part.identity for part in kept}
    started = {source: {part.started_at for part in parts} for source, parts in sources.items()}
    suspects.sort(key=lambda source: path_key(source.path), reverse=True)
    suspects.sort(key=lambda source: (source in stored, -sum(p.size for p in sources[source])))
    copies = []
    for source in suspects:
        if not _has_enough(runs[source]):
            continue
        if others := _find_others(source, runs[source], holders, started):
            copies.append(Copy(sources[source][0], tuple(sources[each][0] for each in others)))
            for run in runs[source]:
                holders[run].discard(source)
    return copies


def _find_suspects(sources: Mapping[Identity, Sequence[Part]]) -> list[Identity]:
    """Return the sources without any run whose values appear nowhere else, whatever its labels."""
    if len(sources) < 2:
        return []
    import numpy as np

    each = [np.concatenate([part.contents for part in parts]) for parts in sources.values()]
    contents = np.concatenate(each) & OF_VALUES
    owners = np.repeat(np.arange(len(each)), [len(own) for own in each])
    order = contents.argsort(kind="stable")  # the owners of equal contents stay in order
    ranked = contents[order]
    ends = np.append(np.flatnonzero(np.diff(ranked)), len(ranked) - 1)
    starts = np.append(0, ends[:-1] + 1)
    is_alone = (owners[order[starts]] == owners[order[ends]]) | (ranked[starts] == 0)
    unique = set(owners[order[np.repeat(is_alone, ends - starts + 1)]].tolist())
    return [
        source
        for place, (source, parts) in enumerate(sources.items())
        if place not in unique and all(part.role in _ROLES for part in parts)
    ]


def _list_runs(parts: Sequence[Part]) -> dict[_Run, int]:
    """Return the distinct runs of a source, with the number of digits that identify each."""
    runs: dict[_Run, int] = {}
    for part in parts:
        is_sum = part.role == "aggregate"  # never a copy of a run, even if equal
        labels = *row_of(part), part.pkg, part.format, part.form, part.env.get("commit"), is_sum
        contents = map(int, part.contents)
        runs |= {(labels, each & OF_VALUES): count_digits(each) for each in contents}
    return runs


def _has_enough(runs: Mapping[_Run, int]) -> bool:
    """Return whether runs have so many digits that others cannot share them all by chance."""
    return sum(runs.values()) >= _ENOUGH


def _find_others(
    source: Identity,
    runs: Collection[_Run],
    holders: _Holders,
    started: Mapping[Identity, set[datetime | None]],
) -> list[Identity]:
    """Return sources that together hold all runs of one; none if a run appears nowhere else."""
    others: dict[Identity, None] = {}
    for run in runs:
        elsewhere = {
            other
            for other in holders[run] - {source}
            if began_alike(started[source], started[other])
        }
        if not elsewhere:
            return []
        if elsewhere.isdisjoint(others):
            others[min(elsewhere, key=lambda each: path_key(each.path))] = None
    return [*others]


class Contents(NamedTuple):
    """Pieces, the sums of their values' digests, and the number of identifying digits."""

    pieces: np.ndarray
    sums: np.ndarray
    digits: np.ndarray


def digest_values(batch: pa.RecordBatch) -> Contents:
    """Digest values per piece; values of a piece may be spread over several batches."""
    import numpy as np

    pieces, values = batch["piece"].to_numpy(), batch["value"].to_numpy() + 0.0  # -0 becomes 0
    starts = np.flatnonzero(np.diff(pieces, prepend=pieces[0] - 1))
    events = batch["n"].fill_null(0).to_numpy(zero_copy_only=False).astype(np.uint64)
    names = [_look_up(batch[name], _digest_text) for name in ("metric", "stat", "subject")]
    about = _mix(names[0] ^ _mix(names[1] ^ _mix(names[2] ^ events)))
    sums = np.add.reduceat(_mix(about ^ _mix(values.view(np.uint64))), starts)
    owners = np.repeat(np.arange(len(starts)), np.diff(starts, append=len(pieces)))
    return Contents(pieces[starts], sums, _count_digits(batch, values, owners))


def enter_contents(parts: Sequence[Part], contents: Sequence[Contents]) -> None:
    """Set the digests of parts in place, except companions, whose values don't identify a run."""
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
    """Return how many digits of its distinct numbers identify a run, up to fifteen."""
    return content & _DIGITS


def _count_digits(batch: pa.RecordBatch, values: np.ndarray, owners: np.ndarray) -> np.ndarray:
    """Count the digits of each owner's distinct numbers that two runs don't share by chance."""
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
    """Return a number for each text of a column with few distinct values; 0 for missing texts."""
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
    """Spread each bit of the numbers over all bits: the last step of splitmix64."""
    import numpy as np

    first, second, third = (np.uint64(factor) for factor in _FACTORS)
    mixed = numbers + third
    mixed = (mixed ^ mixed >> np.uint64(30)) * first
    mixed = (mixed ^ mixed >> np.uint64(27)) * second
    return mixed ^ mixed >> np.uint64(31)
