"""Reading of one source: identify it, parse it, label its runs and summarise its samples.

The result depends on that source alone, so any process may read it, and a damaged file costs itself
and a line, never the other 400.
"""

from __future__ import annotations

import hashlib
from collections.abc import Callable, Mapping
from contextlib import suppress
from dataclasses import dataclass, field, replace
from math import inf
from pathlib import Path
from typing import TYPE_CHECKING

from benchkit.derived.sources import SERIES
from benchkit.derived.stretches import Summary
from benchkit.errors import (
    BenchkitError,
    Diagnostic,
    ForeignError,
    SourceReport,
    StoreError,
    UnknownFormatError,
    describe_failure,
)
from benchkit.ingestion.discovery import Options
from benchkit.ingestion.outcomes import (
    Outcome,
    make_report,
    mark,
    pass_over,
    refusal,
    report_odd_bytes,
)
from benchkit.ingestion.parts import Part, make_part, require_one_name
from benchkit.ingestion.pieces import PIECE_BITS, Pieces
from benchkit.ingestion.progress import Pace, Seen
from benchkit.ingestion.ranges import (
    Joined,
    Passed,
    RangeResult,
    choose_form,
    read_range,
    scan_lines,
)
from benchkit.ingestion.recorded import Selection
from benchkit.ingestion.sink import ValueSink, read_ahead, run_ahead
from benchkit.ingestion.soundness import Soundness, leave_out_loose, parse_records
from benchkit.ingestion.sources import Found, Identity, is_dropped
from benchkit.ingestion.surroundings import list_sections, mark_crashes
from benchkit.labels.headings import Sections
from benchkit.labels.matching import split_variant
from benchkit.parsers import kernel, mapped, registry
from benchkit.parsers.base import Format, Reading, Repeats, Row, Samples, Source
from benchkit.parsers.embedded import list_reports
from benchkit.reading.damage import UnreadableError
from benchkit.reading.spans import Span
from benchkit.redaction import HIDDEN
from benchkit.schema import Side

if TYPE_CHECKING:
    import pyarrow as pa


#: Size in bytes above which reading takes long enough for a file to grow meanwhile.
_LARGE = 1 << 20
#: Minimum size in bytes of a source for which reading ahead is worth its start-up cost.
AHEAD_BYTES = 16 << 20


@dataclass(frozen=True, slots=True, kw_only=True)
class Known:
    """The content already in a store, and the place for new values.

    Parameters
    ----------
    batch : int
        The id under which values are stored.
    sources : mapping of identity to (sha256, fingerprint)
        Sources with the same content and labels are not read again.
    folder : Path or None
        Folder for files of samples; None to keep everything in memory.
    samples : bool
        Whether to keep samples in addition to their summary; samples over time of companions are
        always kept.
    """

    batch: int = 0
    sources: Mapping[Identity, tuple[str, str]] = field(default_factory=dict)
    folder: Path | None = None
    samples: bool = True


class Reader:
    """Reads sources one by one.

    Parameters
    ----------
    see : callable, optional
        Called a few times a second with the progress of reading a large source.
    share : float
        Size in bytes above which other threads also read blocks of a source.
    """

    def __init__(
        self,
        options: Options,
        known: Known,
        see: Callable[[Seen], None] | None = None,
        *,
        share: float = inf,
    ) -> None:
        from benchkit import __version__

        self._options = options
        self._see = see
        self._share = share
        self._pace = Pace()
        self._known = known
        self._renames = options.renames()
        self._stamp = f"{__version__}{replace(options, exclude=())!r}"
        self._digests: dict[int, tuple[object, bytes]] = {}
        self._claims: tuple[Format, ...] = ()
        self._is_split = False
        self._usual: Format | None = None  # the last one that recognised a plain report
        self._joined: Joined | None = None

    def read(self, index: int, found: Found) -> Outcome:
        """Read the source ``found``, which is number ``index``; never raise for bad data."""
        self._claims, self._is_split = (), False
        outcome = self._try(index, found)
        outcome.diagnostics += report_odd_bytes(found.label, outcome.parts)
        mark(outcome, found, self._options, self._known.batch, self._claims, self._known.sources)
        return outcome

    def open_span(self, found: Found) -> tuple[Source, Format] | None:
        """Return a source and its format if it can be read in ranges; otherwise None."""
        source = found.load()
        form = choose_form(source, self._identify(source)[0])
        return None if form is None else (source, form)

    def scan_lines(self, found: Found, span: Span) -> Passed | None:
        """Count the lines of a range, and collect those on which later ones depend."""
        opened = self.open_span(found)
        if opened is None:
            return None
        kernel.keep_memory()
        with suppress(UnreadableError):  # `read_range` meets the same problem
            return scan_lines(opened[0], span, opened[1])
        return None

    def read_range(self, index: int, found: Found, span: Span, part: float) -> RangeResult | None:
        """Read a range, about ``part`` of a source; return None if it must be read as a whole."""
        opened = self.open_span(found)
        if opened is None:
            return None
        source, form = opened
        source.span = span
        sink = ValueSink(self._known.batch, self._known.folder)
        if self._see is not None:
            source.watch = lambda place: self._report(Seen(index, place - span.start, sink.rows))
        kernel.keep_memory()

        def store(samples: Samples) -> None:
            if self._keeps(form, samples, found):
                sink.take(index << PIECE_BITS, samples)

        return read_range(source, form, sink, store, part)

    def read_joined(self, index: int, found: Found, joined: Joined) -> Outcome:
        """Read a source whose ranges others have read."""
        self._joined = joined
        return self.read(index, found)

    def is_plain(self, found: Found) -> bool:
        """Return whether a file is a single plain report, which is fast to read."""
        if found.path is None:
            return False
        try:
            source = found.load()
            # The first call finds the format; the second uses it, as all later files do.
            return any(self._identify(source)[1] is not None for _ in range(2))
        except (Exception, SystemExit):  # noqa: BLE001 - told when it is read
            return False

    def _try(self, index: int, found: Found) -> Outcome:
        sink = ValueSink(self._known.batch, self._known.folder)
        is_unread = is_foreign = False
        try:
            return self._read(index, found, sink)
        except StoreError:  # not the source's fault; for example, a full disk
            sink.drop()
            raise
        except (UnreadableError, OSError) as error:
            reason, is_unread = getattr(error, "strerror", None) or error, True
            problem = Diagnostic(found.label, 0, f"cannot be read: {reason}", "check the file")
        except BenchkitError as error:
            if found.sidecar.role == "failed":
                sink.drop()
                return pass_over(index, found, error.what)
            is_foreign = isinstance(error, ForeignError)
            problem = Diagnostic(found.label, getattr(error, "line", 0), error.what, error.hint)
        except (Exception, SystemExit) as error:  # noqa: BLE001 - its parser's: costs one file
            what = f"benchkit failed to read it ({describe_failure(error)})"
            problem = Diagnostic(found.label, 0, what, "please report it")
        sink.drop()
        outcome = refusal(index, found, problem, is_unread=is_unread)
        outcome.is_foreign = is_foreign
        return outcome

    def _read(self, index: int, found: Found, sink: ValueSink) -> Outcome:
        size = found.measure() if found.size > _LARGE else 0
        known = self._known.sources.get(found.identity)
        if known and any(known) and is_dropped(found.path):
            return Outcome(index=index, report=_unchanged(found))
        source = found.load()
        if self._joined is not None:
            source.digest = self._joined.digest
        source.max_unpacked = self._options.max_unpacked or source.max_unpacked
        if size and self._see is not None:
            source.watch = lambda place: self._report(Seen(index, place, sink.rows))
        if is_bulk(found):
            kernel.keep_memory()
        fingerprint = self._fingerprint(found)
        if found.path is None and found.ask is None:
            found.address = f"-:{source.sha256}"
            known = self._known.sources.get(found.identity)
        if known and known[1] == fingerprint and known[0] == source.sha256:
            return Outcome(index=index, report=_unchanged(found), sha256=source.sha256)
        formats, plain = self._identify(source)
        self._claims = formats
        if self._joined is not None:
            formats = (self._joined.present(formats[0]),)
        if is_bulk(found) and found.size > self._share:
            source.map, source.ahead = read_ahead, run_ahead
        if plain is None or self._options.importing:
            outcome = self._parse(index, found, source, formats, sink)
        else:
            outcome = self._take_plain(index, found, formats[0], plain)
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

    def _identify(self, source: Source) -> tuple[tuple[Format, ...], Reading | None]:
        """Return the formats that claim a source, and its reading if it is plain."""
        if self._options.as_format:
            return registry.choose(source, self._options.as_format), None
        usual = self._usual
        if usual is not None and usual.plain is not None:
            plain = usual.plain(source.raw_text())
            if plain is not None:
                return (usual,), plain
        if self._options.maps and (form := mapped.choose(source, self._options.maps)):
            return (form,), None
        formats = self._ask_formats(source)
        self._usual = next((form for form in formats if form.plain is not None), usual)
        return formats, None

    def _ask_formats(self, source: Source) -> tuple[Format, ...]:
        """Return the formats that claim a source; if it is unknown, explain why no map fits it."""
        try:
            return registry.identify(source)
        except UnknownFormatError as error:
            if not self._options.maps:
                raise
            what = f"{error.what}; {mapped.explain_none(source, self._options.maps)}"
            raise UnknownFormatError(what, where=error.where, hint=error.hint) from error

    def _parse(
        self, index: int, found: Found, source: Source, formats: tuple[Format, ...],
        sink: ValueSink,
    ) -> Outcome:  # fmt: skip
        diagnostics: list[Diagnostic] = []
        runs, soundness = Pieces(index << PIECE_BITS), Soundness()
        summaries: dict[int, Summary] = {}
        selection = Selection(self._options.importing, found)
        sampled = values = 0
        for form in formats:
            records = selection.select(parse_records(form, source, diagnostics))
            for record in map(soundness.check_record, records):
                if not isinstance(record, Samples):
                    first = runs.take(form, record)
                    if isinstance(record, Repeats):
                        sink.take_runs(first, record)
                        values += len(record)
                    continue
                sampled += len(record.values)
                owner = id(record.reading)
                if not (form.is_companion or form.is_export):
                    summaries.setdefault(owner, Summary(form.quantile_rule)).add(record)
                if self._keeps(form, record, found):
                    sink.take(runs.pieces[owner], record)
        if self._joined is not None:
            sampled += self._joined.enter(summaries, soundness)
        runs.require_apart(found.label)
        in_order = [run for _, run in runs.in_order()]
        diagnostics = leave_out_loose(diagnostics, in_order)
        diagnostics += list_reports(source, formats, in_order, diagnostics)
        diagnostics += mark_crashes(source, runs.in_order())
        parts, named = list[Part](), dict[tuple[Side, str], str]()
        rows: list[tuple[int, list[Row] | pa.RecordBatch]] = [*sink.runs]
        sections = list_sections(source, runs, self._options, diagnostics)
        for form, reading, section, places in sections:
            soundness.check_reading(reading)
            if reading.rows or places or sampled or reading.is_lost:
                if id(reading) in summaries:
                    reading.rows.extend(summaries[id(reading)].rows())
                part = self._label(reading, form, found, section, is_alone=runs.has_one_name)
                if self._renames or HIDDEN in part.benchmark:
                    require_one_name(part, reading.benchmark or "", named)
                part.index = runs.locate(reading, places)
                part.piece, part.places = runs.first + part.index, places
                parts.append(part)
                rows.append((part.piece, reading.rows))
                values += len(reading.rows)
        rows.sort(key=lambda piece: piece[0])
        diagnostics += [*soundness.diagnostics(found.label), *selection.list_problems()]
        counts = sum(p.size for p in parts), values + sampled
        is_known = selection.is_known and not parts
        report = (
            _unchanged(found) if is_known else make_report(found, formats, *counts, diagnostics)
        )
        batches, files = (self._joined or sink).close()
        return Outcome(
            index=index, report=report, parts=parts, rows=rows, batches=batches, files=files,
            contents=sink.contents, diagnostics=diagnostics, is_original=bool(values or sampled),
            is_split=self._is_split,
        )  # fmt: skip

    def _take_plain(self, index: int, found: Found, form: Format, reading: Reading) -> Outcome:
        """Label the single report of a source without any text around it."""
        soundness = Soundness()
        soundness.check_reading(reading)
        part = self._label(reading, form, found, None, is_alone=bool(reading.benchmark))
        part.piece = index << PIECE_BITS
        problems = [*soundness.diagnostics(found.label)]
        return Outcome(
            index=index, report=make_report(found, (form,), 1, len(reading.rows), problems),
            parts=[part], rows=[(part.piece, reading.rows)], diagnostics=problems, is_original=True,
            is_split=self._is_split,
        )  # fmt: skip

    def _label(
        self, reading: Reading, form: Format, found: Found, section: Sections | None, *,
        is_alone: bool,
    ) -> Part:  # fmt: skip
        """Label a reading, and record whether its name or a heading contains a variant."""
        by_name = split_variant(reading.benchmark, self._options.split)
        self._is_split |= bool(by_name or (section and section.variant))
        labels = found, self._options, self._renames, section
        return make_part(reading, form, *labels, is_alone=is_alone)

    def _keeps(self, form: Format, samples: Samples, found: Found) -> bool:
        """Return whether to keep samples; those over time and of partial runs are always kept."""
        belongs_to_load = form.is_companion or samples.reading.role == "companion"
        if self._known.samples:
            return self._options.samples or belongs_to_load
        return found.is_shard or (belongs_to_load and samples.metric in SERIES)

    def _report(self, seen: Seen) -> None:
        if self._see is not None and self._pace.is_due():
            self._see(seen)

    def _fingerprint(self, found: Found) -> str:
        """Return a text that changes if labels or the reader change."""
        labels = tuple(found.labels)  # a record's own repr takes ten times as long
        windows = found.sidecars.windows(found.path) if found.sidecars and found.path else ()
        around = self._digest(found.sidecar) + self._digest(windows)
        return hashlib.sha256(around + f"{found.variant}{labels}".encode()).hexdigest()[:16]

    def _digest(self, shared: object) -> bytes:
        """Return the digest of an object shared by files, which is kept to keep its id unique."""
        if id(shared) not in self._digests:
            digest = hashlib.sha256(f"{self._stamp}{shared!r}".encode()).digest()
            self._digests[id(shared)] = shared, digest
        return self._digests[id(shared)][1]


def _unchanged(found: Found) -> SourceReport:
    return SourceReport(label=found.label, outcome="unchanged")


def is_bulk(found: Found) -> bool:
    """Return whether a source is large enough for two threads; if packed, an eighth is enough."""
    return found.size > (AHEAD_BYTES >> 3 if found.label.endswith(".gz") else AHEAD_BYTES)


def _changing(label: str, before: int, now: int) -> Diagnostic:
    what = f"the file changed while benchkit read it, from {before} to {now} bytes"
    hint = "ingest it again when its run has ended"
    return Diagnostic(label, 0, what, hint, "warning")
