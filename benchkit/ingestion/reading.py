"""Read one source: identify it, parse it, label its runs, sum its samples up.

What is read of a source depends on that source alone, so that any process may read it, and one
bad file costs itself and a line, never the other 400.
"""

from __future__ import annotations

import hashlib
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from itertools import pairwise
from pathlib import Path
from typing import TYPE_CHECKING

from benchkit.derived.series import SERIES
from benchkit.derived.summaries import Summary
from benchkit.errors import (
    AmbiguousFormatError,
    BenchkitError,
    Diagnostic,
    SourceReport,
    StoreError,
)
from benchkit.ingestion.discovery import Options
from benchkit.ingestion.identity import Identity
from benchkit.ingestion.marks import explain_failures, last_index, list_marks, lost_variant
from benchkit.ingestion.parts import Part, make_part, require_one_name
from benchkit.ingestion.pieces import Pieces
from benchkit.ingestion.progress import Pace, Seen
from benchkit.ingestion.sink import ValueSink
from benchkit.ingestion.soundness import Soundness
from benchkit.ingestion.sources import Found
from benchkit.ingestion.streams import is_dropped
from benchkit.ingestion.surroundings import list_sections
from benchkit.parsers import kernel, registry
from benchkit.parsers.base import Format, Reading, Repeats, Row, Samples, Source
from benchkit.reading.source import UnreadableError
from benchkit.redaction import HIDDEN
from benchkit.schema import Side

if TYPE_CHECKING:
    import pyarrow as pa

    from benchkit.ingestion.ahead import Ahead
    from benchkit.store.files import DataFile

#: Pieces are numbered source by source, so that no number depends on what else is read.
PIECE_BITS = 24
#: Bytes beyond which reading takes long enough for a file to grow meanwhile.
_LARGE = 1 << 20
#: Bytes of a source below which starting what reads ahead costs more than it saves.
AHEAD_BYTES = 16 << 20


@dataclass(slots=True, kw_only=True)
class Outcome:
    """What came of one source.

    Parameters
    ----------
    index : int
        Its place among the sources.
    report : SourceReport
    sha256 : str
    parts : list of Part
    rows : list of (piece, rows)
        The values per run, but for those in files.
    batches, files
        The samples, and files of values per run, as `ValueSink` gives them.
    diagnostics : list of Diagnostic
    has_load : bool
        Whether it may hold results of load, not counters beside it alone.
    is_original : bool
        Whether another source with the same bytes would be a copy of it.
    """

    index: int
    report: SourceReport
    sha256: str = ""
    parts: list[Part] = field(default_factory=list)
    rows: list[tuple[int, list[Row] | pa.RecordBatch]] = field(default_factory=list)
    batches: list[pa.RecordBatch] = field(default_factory=list)
    files: list[DataFile] = field(default_factory=list)
    diagnostics: list[Diagnostic] = field(default_factory=list)
    has_load: bool = False
    is_original: bool = False


@dataclass(frozen=True, slots=True, kw_only=True)
class Known:
    """What a store holds already, and where new values go.

    Parameters
    ----------
    batch : int
        The id under which values are stored.
    sources : mapping of identity to (sha256, fingerprint)
        The same content with the same labels is not read again.
    folder : Path or None
        Where files of samples are written; None where all is kept in memory.
    samples : bool
        Whether samples are kept beside what they sum up to; those over time beside the load are in
        any case.
    """

    batch: int = 0
    sources: Mapping[Identity, tuple[str, str]] = field(default_factory=dict)
    folder: Path | None = None
    samples: bool = True


class Reader:
    """Reads sources, one by one.

    Parameters
    ----------
    options : Options
    known : Known
    see : callable, optional
        Is told a few times a second how far the reading of a large source is.
    ahead : Ahead, optional
        Another process that reads the blocks of a large source.
    """

    def __init__(
        self,
        options: Options,
        known: Known,
        see: Callable[[Seen], None] | None = None,
        ahead: Ahead | None = None,
    ) -> None:
        self._options = options
        self._see = see
        self._ahead = ahead
        self._pace = Pace()
        self._known = known
        self._renames = options.renames()
        self._given = repr(replace(options, exclude=()))
        self._beside: dict[int, str] = {}
        self._claims: tuple[Format, ...] = ()

    def read(self, index: int, found: Found) -> Outcome:
        """Read the source ``found``, which is number ``index``; this never raises for bad data."""
        self._claims = ()
        outcome = self._try(index, found)
        mark(outcome, found, self._options, self._known, self._claims)
        return outcome

    def _try(self, index: int, found: Found) -> Outcome:
        sink = ValueSink(self._known.batch, self._known.folder)
        is_unread = False
        try:
            return self._read(index, found, sink)
        except StoreError:  # not the source's fault: the disk is full, say
            sink.drop()
            raise
        except (UnreadableError, OSError) as error:
            reason, is_unread = getattr(error, "strerror", None) or error, True
            problem = Diagnostic(found.label, 0, f"cannot be read: {reason}", "check the file")
        except BenchkitError as error:
            if found.sidecar.role == "failed":
                sink.drop()
                return _pass_over(index, found, error.what)
            problem = Diagnostic(found.label, 0, error.what, error.hint)
        except Exception as error:  # noqa: BLE001 - a parser's own failure costs one file
            what = f"benchkit failed to read it ({type(error).__name__}: {error})"
            problem = Diagnostic(found.label, 0, what, "please report it")
        sink.drop()
        return refusal(index, found, problem, is_unread=is_unread)

    def _read(self, index: int, found: Found, sink: ValueSink) -> Outcome:
        size = found.measure() if found.size > _LARGE else 0
        unchanged = SourceReport(label=found.label, outcome="unchanged")
        if any(self._known.sources.get(found.identity, ())) and is_dropped(found.path):
            return Outcome(index=index, report=unchanged)
        source = found.load()
        source.max_unpacked = self._options.max_unpacked or source.max_unpacked
        if self._see is not None:
            source.watch = lambda place: self._tell(Seen(index, place, sink.rows))
        if is_bulk(found):
            kernel.keep_memory()
            if self._ahead is not None:
                source.map = self._ahead.map
        fingerprint = self._fingerprint(found)
        if found.path is None and found.ask is None:
            found.address = f"-:{source.sha256}"
        known = self._known.sources.get(found.identity)
        if known is not None and known == (source.sha256, fingerprint):
            return Outcome(index=index, report=unchanged, sha256=source.sha256)
        if self._options.as_format:
            formats = registry.choose(source, self._options.as_format)
        else:
            formats = registry.identify(source)
        self._claims = formats
        outcome = self._parse(index, found, source, formats, sink)
        outcome.sha256 = source.sha256
        outcome.has_load = not all(f.is_companion for f in formats)
        if size and (now := found.measure()) != size:
            outcome.diagnostics.append(_changing(found.label, size, now))
            fingerprint = ""  # the next ingest reads it again
        for part in outcome.parts:
            part.batch, part.sha256, part.fingerprint = (
                self._known.batch, outcome.sha256, fingerprint
            )  # fmt: skip
        return outcome

    def _parse(
        self,
        index: int,
        found: Found,
        source: Source,
        formats: tuple[Format, ...],
        sink: ValueSink,
    ) -> Outcome:
        diagnostics: list[Diagnostic] = []
        runs, soundness = Pieces(index << PIECE_BITS), Soundness()
        summaries: dict[int, Summary] = {}
        sampled = values = 0
        for form in formats:
            for record in map(soundness.check_record, _records(form, source, diagnostics)):
                if not isinstance(record, Samples):
                    first = runs.take(form, record)
                    if isinstance(record, Repeats):
                        sink.take_runs(first, record)
                        values += len(record)
                    continue
                sampled += len(record.values)
                owner = id(record.reading)
                if not form.is_companion:
                    summaries.setdefault(owner, Summary(form.quantile_rule)).add(record)
                if self._keeps(form, record):
                    sink.take(runs.pieces[owner], record)
        _require_apart(runs.spans(), found.label)
        parts: list[Part] = []
        rows: list[tuple[int, list[Row] | pa.RecordBatch]] = [*sink.runs]
        named: dict[tuple[Side, str], str] = {}
        sections = list_sections(source, runs, self._options, diagnostics)
        for form, reading, section, places in sections:
            soundness.check_reading(reading)
            if reading.rows or places or sampled or reading.status == "failed":
                if id(reading) in summaries:
                    reading.rows.extend(summaries[id(reading)].rows())
                labels = found, self._options, self._renames, section
                part = make_part(reading, form, *labels, is_alone=runs.has_one_name)
                if self._renames or HIDDEN in part.benchmark:
                    require_one_name(part, reading.benchmark or "", named)
                part.index = runs.locate(reading, places)
                part.piece, part.places = runs.first + part.index, places
                parts.append(part)
                rows.append((part.piece, reading.rows))
                values += len(reading.rows)
        rows.sort(key=lambda piece: piece[0])
        diagnostics += soundness.diagnostics(found.label)
        report = _report(found, formats, sum(p.size for p in parts), values + sampled, diagnostics)
        batches, files = sink.close()
        return Outcome(
            index=index, report=report, parts=parts, rows=rows, batches=batches, files=files,
            diagnostics=diagnostics, is_original=bool(values or sampled),
        )  # fmt: skip

    def _keeps(self, form: Format, samples: Samples) -> bool:
        """Tell whether samples are kept; those over time beside the load always are."""
        if self._known.samples:
            return self._options.samples or form.is_companion
        return form.is_companion and samples.metric in SERIES

    def _tell(self, seen: Seen) -> None:
        if self._see is not None and self._pace.is_due():
            self._see(seen)

    def _fingerprint(self, found: Found) -> str:
        """Return what changes when labels or the reader change."""
        from benchkit import __version__

        beside = self._beside.get(id(found.sidecar))
        if beside is None:  # a folder's files share one
            beside = self._beside[id(found.sidecar)] = repr(found.sidecar)
        labels = tuple(found.labels)  # a record's own repr takes ten times as long
        told = f"{__version__}{self._given}{found.variant}{labels}{beside}"
        return hashlib.sha256(told.encode()).hexdigest()[:16]


def is_bulk(found: Found) -> bool:
    """Tell whether a source is so large that two may read it; packed, it is an eighth of that."""
    return found.size > (AHEAD_BYTES >> 3 if found.label.endswith(".gz") else AHEAD_BYTES)


def mark(
    outcome: Outcome, found: Found, options: Options, known: Known, claims: Sequence[Format] = ()
) -> None:
    """Add to an outcome the pieces that stand for failed runs without values, and for damage."""
    explain_failures(outcome.parts, outcome.diagnostics, found)
    marks = list_marks(
        found, options, outcome.report, outcome.diagnostics, claims,
        is_stored=found.identity in known.sources,
    )  # fmt: skip
    for part in marks:
        part.index = max(map(last_index, outcome.parts), default=-1) + 1
        part.piece = (outcome.index << PIECE_BITS) + part.index
        part.batch, part.sha256 = known.batch, outcome.sha256
        part.fingerprint = outcome.parts[0].fingerprint if outcome.parts else ""
        outcome.parts.append(part)


def _pass_over(index: int, found: Found, reason: str) -> Outcome:
    """Return the outcome of a run that its sidecar calls failed, and that left nothing to read."""
    reason = f"its sidecar says that the run failed; {reason}"
    report = SourceReport(
        label=found.label, outcome="failed", reason=reason, variant=lost_variant(found)
    )
    problem = Diagnostic(found.label, 0, reason, severity="note")
    return Outcome(index=index, report=report, diagnostics=[problem])


def refusal(index: int, found: Found, problem: Diagnostic, *, is_unread: bool = False) -> Outcome:
    """Return the outcome of a source that was refused."""
    report = SourceReport(
        label=found.label, outcome="refused", reason=problem.what, variant=lost_variant(found),
        is_unread=is_unread,
    )  # fmt: skip
    return Outcome(index=index, report=report, diagnostics=[problem])


def _changing(label: str, before: int, now: int) -> Diagnostic:
    what = f"the file changed while it was read, from {before} to {now} bytes"
    hint = "ingest it again when its run has ended: it is then read anew"
    return Diagnostic(label, 0, what, hint, "warning")


def _report(
    found: Found,
    formats: Sequence[Format],
    runs: int,
    values: int,
    diagnostics: list[Diagnostic],
) -> SourceReport:
    names = tuple(form.name for form in formats)
    if runs:
        return SourceReport(
            label=found.label, outcome="read", formats=names, runs=runs, values=values
        )
    if not diagnostics:
        what = f"looks like {' and '.join(names)} but holds no result"
        diagnostics.append(Diagnostic(found.label, 0, what, "check that the run has ended"))
    reason = diagnostics[-1].what
    if found.sidecar.role == "failed":
        reason = f"its sidecar says that the run failed; {reason}"
        diagnostics.append(Diagnostic(found.label, 0, reason, severity="note"))
        return SourceReport(
            label=found.label, outcome="failed", reason=reason, variant=lost_variant(found)
        )
    variant = lost_variant(found, formats)
    return SourceReport(
        label=found.label, outcome="empty", formats=names, reason=reason, variant=variant
    )


def _records(
    form: Format, source: Source, diagnostics: list[Diagnostic]
) -> Iterator[Reading | Repeats | Samples]:
    """Yield what a parser reads; its diagnostics, and its own failure, are put aside."""
    last: Reading | Repeats | Samples | None = None
    try:
        for record in form.parse(source):
            if isinstance(record, Diagnostic):
                diagnostics.append(record)
                continue
            last = record
            yield record
    except UnreadableError as error:
        diagnostics.append(
            Diagnostic(
                source.label,
                _last_line(last),
                f"{error}; what came before was read",
                "write the file again",
                "warning",
            )
        )


def _last_line(record: Reading | Repeats | Samples | None) -> int:
    """Return the line up to which a source was surely read."""
    if record is None:
        return 0
    if isinstance(record, Repeats):
        return int(record.lines[-1])
    return (record if isinstance(record, Reading) else record.reading).last_line


def _require_apart(spans: Sequence[tuple[int, int, str]], label: str) -> None:
    """Refuse a source in which two formats claim the same lines."""
    for (_, end, name), (start, _, other) in pairwise(spans):
        if other != name and start <= end:
            raise AmbiguousFormatError(
                f"line {start} is claimed by {name} and {other}",
                where=label,
                hint=registry.SAY_WHICH,
            )
