"""All results of one ingest: outcomes merged in the order of their sources.

The result is the same whichever process reads a source, and in whatever order they finish.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, field
from datetime import datetime
from functools import cached_property
from shlex import quote
from typing import TYPE_CHECKING, NamedTuple

from benchkit.derived.record import began_alike
from benchkit.derived.sources import SERIES
from benchkit.errors import Diagnostic, Finding, SourceReport
from benchkit.ingestion.addresses import name_path
from benchkit.ingestion.batches import row_batches
from benchkit.ingestion.copies import (
    Contents,
    Copy,
    describe_copy,
    digest_values,
    enter_contents,
    report_copy,
)
from benchkit.ingestion.discovery import Discovery, Options
from benchkit.ingestion.folders import (
    READ,
    list_cut_outputs,
    list_lost_files,
    list_lost_folders,
)
from benchkit.ingestion.listed import list_lost_runs
from benchkit.ingestion.origins import read_commit
from benchkit.ingestion.outcomes import Outcome, describe_foreign, mark_refused, report_unsplit
from benchkit.ingestion.parts import Part, show_label
from benchkit.ingestion.pieces import PIECE_BITS
from benchkit.ingestion.reading import Known, Reader
from benchkit.ingestion.sources import Found, Identity, holds
from benchkit.ingestion.stored import list_contents
from benchkit.labels.numbering import join_levels
from benchkit.labels.shards import SHARD
from benchkit.parsers.base import Row
from benchkit.parsers.gobench.failures import UNENDED
from benchkit.store import values_schema
from benchkit.store.columns import code_texts

if TYPE_CHECKING:
    import pyarrow as pa

    from benchkit.store.files import DataFile

#: The finding on a result that belongs to another commit.
LEFT_OVER = "B114"
#: The remedy if one file was given under two labels.
NAME_FILES = "give each variant's file a label: before=old.txt after=new.txt"


class Content(NamedTuple):
    """The content of a source, the labels assigned to it, and the group of its runs.

    Groups are never compared with each other, so each may hold a copy of a baseline.
    """

    origin: str
    assigned: str
    sha256: str
    group: str


#: Number of sources above which the digests of stored sources are grouped in advance.
_MANY = 100
#: The sources of each content, and the start times of their runs.
_Originals = dict[Content, dict[Identity, set[datetime | None]]]


@dataclass(slots=True)
class Catch:
    """The results of several sources that were read one after the other."""

    outcomes: list[Outcome] = field(default_factory=list)
    batches: list[pa.RecordBatch] = field(default_factory=list)


def catch(batch: int, outcomes: Iterable[Outcome]) -> Catch:
    """Merge outcomes: rows and samples become batches, which are cheap to transfer.

    Parameters
    ----------
    batch : int
        The id under which the values are stored.
    """
    found = Catch()
    rows: list[tuple[int, list[Row] | pa.RecordBatch]] = []
    contents: list[Contents] = []
    for outcome in outcomes:
        found.outcomes.append(outcome)
        found.batches += outcome.batches
        rows += [own for own in outcome.rows if own[1]]
        contents += outcome.contents
        outcome.rows, outcome.batches, outcome.contents = [], [], []
    batches = [*row_batches(batch, rows)]
    found.batches += batches
    contents += map(digest_values, batches)
    enter_contents([part for outcome in found.outcomes for part in outcome.parts], contents)
    return found


class Harvest:
    """All results of one ingest.

    Parameters
    ----------
    known : Known, optional
        The content that a store holds of these sources.
    stored : Table, optional
        All pieces in the store.
    """

    def __init__(
        self,
        sources: Sequence[Found],
        known: Known | None = None,
        stored: pa.Table | None = None,
    ) -> None:
        self.parts: list[Part] = []
        self.files: list[DataFile] = []
        self.diagnostics: list[Diagnostic] = []
        self.findings: list[Finding] = []
        self.reports: list[SourceReport] = []
        self._sources = sources
        self._stored, self._batch = stored, known.batch if known else 0
        self._first_label: dict[tuple[str, str], Found] = {}
        self._contents: _Originals = defaultdict(dict)
        self._cut: dict[int, Diagnostic] = {}
        self._foreign: dict[int, Diagnostic] = {}
        self._copies: set[int] = set()
        self._is_split = False

    def take(self, found: Catch) -> Iterator[pa.RecordBatch]:
        """Add the results of the next sources, in order, and yield their values."""
        copies = [outcome.index for outcome in found.outcomes if not self._take(outcome)]
        for batch in found.batches:
            kept = _without(batch, copies) if copies else batch
            if len(kept):
                yield kept

    def _take(self, outcome: Outcome) -> bool:
        """Add the results of one source; return whether its values count."""
        source = self._sources[outcome.index]
        group = outcome.parts[0].group if outcome.parts else ""
        content = Content(source.origin, source.assigned, outcome.sha256, group)
        finding = self._find_copy(source, outcome, content)
        if finding is not None:
            for file in outcome.files:
                file.path.unlink(missing_ok=True)
            self.reports.append(report_copy(finding, source.variant))
            self.findings.append(finding)
            if finding.code == "B103":
                self._copies.add(outcome.index)
            return False
        if outcome.is_original:
            self._contents[content][source.identity] = _list_starts(outcome.parts)
        for problem in outcome.diagnostics:
            if problem.what == UNENDED:
                self._cut[outcome.index] = problem
        if outcome.is_foreign:
            self._foreign[outcome.index] = outcome.diagnostics[0]
        self._is_split |= outcome.is_split or outcome.report.outcome == "unchanged"
        self.parts += outcome.parts
        self.files += outcome.files
        self.diagnostics += outcome.diagnostics
        self.reports.append(outcome.report)
        return True

    def complete(self, discovery: Discovery, options: Options) -> None:
        """Record losses, and name the variants of files that are levels of a sweep."""
        if options.importing:
            return
        self._take_losses(discovery, options)
        self._join_foreign()
        if options.split and not self._is_split:
            self.diagnostics += report_unsplit(options.split[0], self.parts)
        if not options.layout:
            join_levels(part for part in self.parts if "variant=" not in part.assigned)

    def list_refused(self, options: Options) -> Iterator[Part]:
        """Yield entries on refused sources and copies, which a store keeps for the gate."""
        marked = {part.path for part in self.parts}
        read = {part.piece >> PIECE_BITS for part in self.parts}
        for index, (source, report) in enumerate(zip(self._sources, self.reports, strict=True)):
            is_refused = report.outcome in {"refused", "empty"} or index in self._copies
            if is_refused and index not in read and source.address not in marked:
                part = mark_refused(source, options, report)
                part.batch, part.piece = self._batch, index << PIECE_BITS
                yield part

    def leave_out(self, copies: Sequence[Copy]) -> None:
        """Name the sources whose runs all appear in others, and count them as duplicates."""
        reports = {copy.part.label: copy.report() for copy in copies}
        self.reports = [reports.get(report.label, report) for report in self.reports]
        self.findings += [copy.describe() for copy in copies]

    def _take_losses(self, discovery: Discovery, options: Options) -> None:
        """Record files and folders that should hold results, but from which none was read."""
        marked = {part.path for part in self.parts}
        lost = [*list_lost_files(self._sources, self.reports, options)]
        lost = [part for part in lost if part.path not in marked]
        lost += list_cut_outputs(self._sources, self._cut, self.parts, options)
        lost += list_lost_folders(discovery, self.reports, options)
        for part, problem in list_lost_runs(discovery, [*self.parts, *lost], self._stored, options):
            lost.append(part)
            self.diagnostics.append(problem)
        for number, part in enumerate(lost, len(self._sources)):
            part.batch, part.piece = self._batch, number << PIECE_BITS
            self.parts.append(part)
            is_reported = part.path in marked
            marked.add(part.path)
            if is_reported or part.role == "damaged":  # its problem was reported when it was read
                continue
            hint = f"measure it again, or pass --exclude {quote(part.folder)}"
            what = (part.remark or "").partition(": ")[2]
            self.diagnostics.append(Diagnostic(part.label, 0, what, hint, "warning"))

    def _join_foreign(self) -> None:
        """Report in one line all files that are not results: notes, settings, targets."""
        lost = {part.path for part in self.parts}
        foreign = [
            problem
            for index, problem in self._foreign.items()
            if not self._sources[index].is_chosen and self._sources[index].address not in lost
        ]
        if foreign and any(report.outcome in READ for report in self.reports):
            self.diagnostics = [each for each in self.diagnostics if each not in foreign]
            self.diagnostics.append(describe_foreign(foreign))

    def _find_copy(self, source: Found, outcome: Outcome, content: Content) -> Finding | None:
        """Return the finding on a result that already counts: for another commit, label or path."""
        commit = read_commit(source.assigned)
        is_measured = any(part.role == "measured" for part in outcome.parts)
        started = _list_starts(outcome.parts)
        first = self._find_commit(content.sha256, commit, started) if commit and is_measured else ""
        if first:
            return _left_over(source, first, commit)
        labelled = self._first_label.setdefault((source.origin, source.address), source)
        if outcome.has_load and labelled.variant != source.variant:
            return _labelled_twice(source, labelled)
        is_single = source.is_named and "variant=" not in source.assigned
        if is_single or not outcome.has_load:
            return None
        alike = [one for one, own in self._list_same(content) if began_alike(started, own)]
        if source.identity in alike:
            return None
        first = next((one.path for one in alike if holds(one.path, content.sha256)), "")
        return _duplicate(source, first) if first else None

    def _list_same(self, content: Content) -> Iterator[tuple[Identity, set[datetime | None]]]:
        """Yield the sources of a content, stored ones first, with their start times."""
        yield from self._list_stored(content.sha256).get(content, {}).items()
        yield from self._contents.get(content, {}).items()

    def _find_commit(self, sha256: str, commit: str, started: set[datetime | None]) -> str:
        """Return the other commit that alone holds a content, if there is one."""
        starts: dict[str, set[datetime | None]] = {}
        for content, sources in self._list_stored(sha256).items():
            if sha256 and (other := read_commit(content.assigned)):
                starts.setdefault(other, set()).update(*sources.values())
        if commit in starts:
            return ""
        alike = (other for other, own in starts.items() if began_alike(started, own))
        return min(alike, default="")

    def _list_stored(self, sha256: str) -> _Originals:
        """Return the stored sources with a digest, by content, of any origin."""
        if self._stored is None:
            return {}
        if len(self._sources) > _MANY:
            return self._stored_originals.get(sha256, {})
        import pyarrow.compute as pc

        rows = self._stored.filter(pc.equal(self._stored["sha256"], sha256))
        return _group_by_digest(rows).get(sha256, {})

    @cached_property
    def _stored_originals(self) -> dict[str, _Originals]:
        return _group_by_digest(self._stored)


def _group_by_digest(stored: pa.Table | None) -> dict[str, _Originals]:
    """Group stored sources by digest and content, with their start times."""
    originals: dict[str, _Originals] = {}
    for one, digest, group, start in list_contents(stored):
        content = Content(one.origin, one.assigned, digest, group)
        of_digest = originals.setdefault(digest, {})
        of_digest.setdefault(content, {}).setdefault(one, set()).add(start)
    return originals


def gather(
    sources: Sequence[Found], options: Options, *, samples: bool
) -> tuple[Harvest, pa.Table, pa.Table, list[pa.RecordBatch]]:
    """Read sources and keep their values in memory, with the samples that are needed.

    These are samples over time of companions, and samples of runs from several generators.

    Parameters
    ----------
    samples : bool
        Whether to include all raw samples.
    """
    import pyarrow as pa

    harvest = Harvest(sources)
    reader = Reader(options, Known(samples=samples))
    found = catch(0, (reader.read(index, source) for index, source in enumerate(sources)))
    sharded = {o.index for o in found.outcomes if any(SHARD in p.env for p in o.parts)}
    nothing, of_shards = code_texts(values_schema().empty_table()), list[pa.RecordBatch]()
    kept, series = [nothing], [nothing]
    for batch in harvest.take(found):
        table, is_raw = code_texts(pa.Table.from_batches([batch])), batch["raw"][0].as_py()
        if samples or not is_raw:
            kept.append(table)
        if is_raw and table["metric"][0].as_py() in SERIES:
            series.append(table)
        if is_raw and batch["piece"][0].as_py() >> PIECE_BITS in sharded:
            of_shards.append(batch)
    return harvest, pa.concat_tables(kept), pa.concat_tables(series), of_shards


def _list_starts(parts: Sequence[Part]) -> set[datetime | None]:
    return {part.started_at for part in parts}


def _without(batch: pa.RecordBatch, sources: Sequence[int]) -> pa.RecordBatch:
    """Remove the values of some sources."""
    import numpy as np
    import pyarrow as pa

    owners = batch["piece"].to_numpy() >> PIECE_BITS
    return batch.filter(pa.array(~np.isin(owners, sources)))


def _duplicate(found: Found, first: str) -> Finding:
    return describe_copy(found.label, f"identical to {name_path(first)}")


def _left_over(found: Found, first: str, commit: str) -> Finding:
    return Finding(
        code=LEFT_OVER,
        severity="error",
        message=f"identical to a result of commit {show_label(first)}, so it was not added to "
        f"{show_label(commit)}",
        remedy="measure the new commit; if the result was added to the other commit by mistake, "
        "run `benchkit undo` while that addition is the last one",
        where=found.label,
    )


def _labelled_twice(found: Found, first: Found) -> Finding:
    counted = f"as {show_label(first.variant)!r}" if first.variant else "without a label"
    return Finding(
        code="B103",
        severity="warning",
        message=f"this file already counts {counted}; the same file cannot be on both sides",
        remedy=NAME_FILES,
        where=found.label,
    )
