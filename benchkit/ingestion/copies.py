"""Sources whose runs all stand in others, so that they would count twice: finding B103.

A file that was packed, put together with others, or whose lines end otherwise is a copy, though no
byte of it need be the same. Whole sources are compared, and only where their numbers are too many
to be equal by chance: repeats of a benchmark may well agree in a few rounded ones. Runs that record
different starts are different measurements, however equal they are: instruction counts, say.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Collection, Hashable, Mapping, Sequence
from dataclasses import dataclass, replace
from datetime import datetime

from benchkit.derived.record import began_alike
from benchkit.errors import Diagnostic, Finding, SourceReport
from benchkit.ingestion.addresses import name_path
from benchkit.ingestion.contents import OF_VALUES, count_digits
from benchkit.ingestion.gone import SHOWN, row_of
from benchkit.ingestion.parts import Part, show_label, show_remark
from benchkit.ingestion.sources import Identity
from benchkit.labels.natural import path_key
from benchkit.labels.numbering import settle
from benchkit.listing import list_first

#: Digits of the different numbers of a source that are not the same by chance: of four times, say.
_ENOUGH = 8
#: Roles of the runs that a copy may hold: what failed has no values that tell it.
_ROLES = frozenset({"measured", "warmup"})
#: A run by its labels, but for its number, and the digest of its values.
_Run = tuple[Hashable, int]
_Holders = Mapping[_Run, set[Identity]]


@dataclass(frozen=True, slots=True)
class Copy:
    """A source whose runs all stand in others, by one of its parts and one of each of theirs."""

    part: Part
    originals: tuple[Part, ...]

    def describe(self) -> Finding:
        """Return the finding on it."""
        names = [name_path(part.label) for part in self.originals]
        shown = list_first(names, SHOWN)
        return describe_copy(self.part.label, f"all its runs are also in {shown}")

    def report(self) -> SourceReport:
        """Return what became of it."""
        return report_copy(self.describe(), self.part.variant)

    def remember(self) -> Part:
        """Return a piece by which a store remembers it."""
        return replace(
            self.part, role="duplicate", status="partial", places=None, content=0, sha256="",
            fingerprint="", remark=show_remark(self.part.label, f": {self.describe().message}"),
        )  # fmt: skip


def describe_copy(label: str, message: str) -> Finding:
    """Return the finding on a source that is a copy."""
    return find_remembered(label, f"{message}; counted once")


def find_remembered(label: str, message: str) -> Finding:
    """Return the finding on a copy that a store remembers by its message."""
    return Finding(
        code="B103",
        severity="warning",
        message=message,
        remedy="delete the copy; if both files are variants, label each one with label=path",
        where=label,
    )


def report_copy(finding: Finding, variant: str) -> SourceReport:
    """Return the report on a source that a finding calls a copy."""
    return SourceReport(
        label=finding.where,
        outcome="duplicate",
        reason=finding.message,
        variant=show_label(variant),
    )


def settle_originals(
    new: Sequence[Part], kept: Sequence[Part] = ()
) -> tuple[list[Diagnostic], list[Copy]]:
    """Settle parts in place, as if the copies among them were not there; return notes and copies.

    Parameters
    ----------
    new : sequence of Part
        Those that were read.
    kept : sequence of Part
        The stored parts of the same series.
    """
    notes, copies = settle([*kept, *new]), find_copies(new, kept)
    if copies:
        notes = settle([*leave_out(kept, copies), *leave_out(new, copies)])
    return notes, copies


def leave_out(parts: Sequence[Part], copies: Sequence[Copy]) -> list[Part]:
    """Return the parts of sources that are no copies."""
    gone = {copy.part.identity for copy in copies}
    return [part for part in parts if part.identity not in gone] if gone else [*parts]


def find_copies(new: Sequence[Part], kept: Sequence[Part] = ()) -> list[Copy]:
    """Return the sources all of whose runs stand in others that are not copies themselves.

    Of sources that hold the same, the one that was stored is the original, then the one with fewer
    runs, then the first by name.
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
        if not _tells_enough(runs[source]):
            continue
        if others := _find_others(source, runs[source], holders, started):
            copies.append(Copy(sources[source][0], tuple(sources[each][0] for each in others)))
            for run in runs[source]:
                holders[run].discard(source)
    return copies


def _find_suspects(sources: Mapping[Identity, Sequence[Part]]) -> list[Identity]:
    """Return the sources that have no run whose values stand nowhere else, whatever its labels."""
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
    """Return the runs of a source, each once, and the digits that tell it."""
    runs: dict[_Run, int] = {}
    for part in parts:
        labels = *row_of(part), part.pkg, part.format, part.form, part.env.get("commit")
        contents = map(int, part.contents)
        runs |= {(labels, each & OF_VALUES): count_digits(each) for each in contents}
    return runs


def _tells_enough(runs: Mapping[_Run, int]) -> bool:
    """Tell whether runs have so many digits that no others have all of them by chance."""
    return sum(runs.values()) >= _ENOUGH


def _find_others(
    source: Identity,
    runs: Collection[_Run],
    holders: _Holders,
    started: Mapping[Identity, set[datetime | None]],
) -> list[Identity]:
    """Return other sources in which all runs of one stand; none if one run stands nowhere."""
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
