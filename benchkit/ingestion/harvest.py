"""Parse sources into parts of runs and batches of values.

In: `Found` sources. Out: `Part`s, Arrow batches, and a diagnostic for all that was not read.
Why: one bad file costs itself and a line, never the other 400; memory does not grow with a file.
"""

from __future__ import annotations

import hashlib
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field, replace
from datetime import datetime
from itertools import count, pairwise
from pathlib import Path
from typing import TYPE_CHECKING

from benchkit import schema
from benchkit.derived.summaries import Summary
from benchkit.errors import AmbiguousFormatError, BenchkitError, Diagnostic, Finding, SourceReport
from benchkit.ingestion.batches import row_batch, sample_batch
from benchkit.ingestion.discovery import Found, Options
from benchkit.layout.numbering import Piece
from benchkit.layout.rename import Rename, split_variant
from benchkit.parsers import registry
from benchkit.parsers.base import Format, Reading, Row, Samples, Source
from benchkit.parsers.source import UnreadableError
from benchkit.store import values_schema

if TYPE_CHECKING:
    import pyarrow as pa

#: Values gathered before a batch is handed on.
BATCH_ROWS = 1 << 16


@dataclass(slots=True, kw_only=True)
class Part(Piece):
    """One run as one source tells it: its labels, and what is known of the run.

    ``batch`` and ``piece`` tie it to its values; ``label`` is the path as the user knows it;
    ``fingerprint`` changes when labels or the reader change. The rest is as in the table of runs.
    """

    batch: int
    label: str
    line: int
    piece: int = 0
    fingerprint: str = ""
    started_at: datetime | None = None
    duration: float | None = None
    load_model: str = "unknown"
    target_rate: float | None = None
    connections: int | None = None
    tool_version: str | None = None
    command: str | None = None
    block: int | None = None
    position: int | None = None
    corrected: str | None = None
    units: dict[str, str] = field(default_factory=dict)
    env: dict[str, str] = field(default_factory=dict)


class Harvest:
    """Everything that was read in one go.

    Parameters
    ----------
    options : Options
    batch : int
        The id under which the values are stored.
    known : mapping of identity to (sha256, fingerprint), optional
        Sources that a store already holds; the same content with the same labels is not read.
    """

    def __init__(
        self, options: Options, batch: int = 0, known: dict[str, tuple[str, str]] | None = None
    ) -> None:
        self.parts: list[Part] = []
        self.diagnostics: list[Diagnostic] = []
        self.findings: list[Finding] = []
        self.reports: list[SourceReport] = []
        self._options = options
        self._renames = options.renames()
        self._given = repr(replace(options, exclude=()))
        self._batch = batch
        self._known = known or {}
        self._digests = {digest: identity for identity, (digest, _) in self._known.items()}
        self._pieces = count()
        self._beside: dict[int, str] = {}
        self._rows: list[tuple[int, list[Row]]] = []
        self._waiting = 0

    def batches(self, sources: Sequence[Found]) -> Iterator[pa.RecordBatch]:
        """Read the sources one by one and yield their values."""
        for found in sources:
            yield from self._read(found)
        yield from self._flush(0)

    def gather(self, sources: Sequence[Found], *, samples: bool) -> pa.Table:
        """Read the sources and return their values, with or without raw samples."""
        import pyarrow as pa

        batches = self.batches(sources)
        kept = [batch for batch in batches if samples or not batch["raw"][0].as_py()]
        return pa.Table.from_batches(kept, values_schema())

    def _read(self, found: Found) -> Iterator[pa.RecordBatch]:
        try:
            source = found.load()
            fingerprint = self._fingerprint(found)
            if self._is_unchanged(found, source, fingerprint):
                return
            formats = self._identify(source)
            if self._is_copy(found, source, formats):
                return
            yield from self._parse(found, source, formats, fingerprint)
        except UnreadableError as error:
            self._refuse(
                found.label,
                Diagnostic(found.label, 0, f"cannot be read: {error}", "check the file"),
            )
        except BenchkitError as error:
            self._refuse(found.label, Diagnostic(found.label, 0, error.what, error.hint))
        except Exception as error:  # noqa: BLE001 - a parser's own failure costs one file
            what = f"benchkit failed to read it ({type(error).__name__}: {error})"
            self._refuse(found.label, Diagnostic(found.label, 0, what, "please report it"))

    def _identify(self, source: Source) -> tuple[Format, ...]:
        if self._options.as_format:
            return registry.choose(source, self._options.as_format)
        return registry.identify(source)

    def _is_unchanged(self, found: Found, source: Source, fingerprint: str) -> bool:
        """Report a source that the store holds already, under the same labels."""
        if found.path is None:
            found.identity = f"-:{source.sha256}"
        if self._known.get(found.identity) != (source.sha256, fingerprint):
            return False
        self.reports.append(SourceReport(label=found.label, outcome="unchanged"))
        return True

    def _is_copy(self, found: Found, source: Source, formats: tuple[Format, ...]) -> bool:
        """Report a load result whose very bytes were read under another path."""
        if found.is_named or all(form.is_companion for form in formats):
            return False
        first = self._digests.get(source.sha256, found.identity)
        if first == found.identity or not Path(first).exists():
            return False
        reason = f"the same bytes as {first}"
        self.reports.append(SourceReport(label=found.label, outcome="duplicate", reason=reason))
        self.findings.append(_duplicate(found, first))
        return True

    def _parse(
        self, found: Found, source: Source, formats: tuple[Format, ...], fingerprint: str
    ) -> Iterator[pa.RecordBatch]:
        read: list[tuple[Format, Reading]] = []
        pieces: dict[int, int] = {}
        summaries: dict[int, Summary] = {}
        sampled, problems = 0, len(self.diagnostics)
        for form in formats:
            for record in _records(form, source, self.diagnostics):
                if isinstance(record, Reading):
                    pieces[id(record)] = next(self._pieces)
                    read.append((form, record))
                else:
                    sampled += len(record.values)
                    owner = id(record.reading)
                    if not form.is_companion:
                        summaries.setdefault(owner, Summary(form.quantile_rule)).add(record)
                    if self._options.samples or form.is_companion:
                        yield sample_batch(self._batch, pieces[owner], record)
        _require_apart(read, found.label)
        runs = values = 0
        for index, (form, reading) in enumerate(read):
            if reading.rows or sampled or reading.status == "failed":
                piece = pieces[id(reading)]
                if id(reading) in summaries:
                    reading.rows.extend(summaries[id(reading)].rows())
                self._rows.append((piece, reading.rows))
                part = self._part(found, source, form, reading, index)
                part.fingerprint, part.piece = fingerprint, piece
                self.parts.append(part)
                runs, values = runs + 1, values + len(reading.rows)
        if values + sampled:
            self._digests.setdefault(source.sha256, found.identity)
        self._waiting += values
        self._report(found, formats, runs, values + sampled, problems)
        yield from self._flush(BATCH_ROWS)

    def _report(
        self, found: Found, formats: tuple[Format, ...], runs: int, values: int, problems: int
    ) -> None:
        names = tuple(form.name for form in formats)
        if runs:
            self.reports.append(
                SourceReport(
                    label=found.label, outcome="read", formats=names, runs=runs, values=values
                )
            )
            return
        if len(self.diagnostics) == problems:
            self.diagnostics.append(
                Diagnostic(
                    found.label,
                    0,
                    f"looks like {' and '.join(names)} but holds no result",
                    "check that the run has ended",
                )
            )
        reason = self.diagnostics[-1].what
        self.reports.append(
            SourceReport(label=found.label, outcome="empty", formats=names, reason=reason)
        )

    def _part(
        self, found: Found, source: Source, form: Format, reading: Reading, index: int
    ) -> Part:
        """Label a reading: the lowest word counts where no higher one is given."""
        options, path, side = self._options, found.labels, found.sidecar
        outside = options.benchmark or side.benchmark or path.benchmark
        role = "failed" if reading.status == "failed" else reading.role or side.role or path.role
        if form.is_companion and role == "measured":
            role = "companion"
        split = split_variant(reading.benchmark, options.split)
        variant = found.variant or options.variant or split or side.variant or reading.variant
        part = Part(
            path=found.identity,
            label=found.label,
            sha256=source.sha256,
            format=form.name,
            tool=reading.tool,
            form=reading.form,
            index=index,
            line=reading.line,
            batch=self._batch,
            group=side.group or path.group or reading.group,
            variant=variant or path.variant,
            benchmark=rename(reading.benchmark or outside or "", self._renames),
            target=rename(reading.target, self._renames),
            params=schema.format_params({**reading.params, **dict(path.params), **side.params}),
            run=side.run if side.run is not None else path.run,
            role=role,
            folder=path.folder,
            leftover=path.leftover,
            pkg=reading.env.get("pkg", ""),
            status=reading.status,
        )
        _complete(part, reading, found)
        part.env.update(options.meta)
        return part

    def _refuse(self, label: str, diagnostic: Diagnostic) -> None:
        self.diagnostics.append(diagnostic)
        self.reports.append(SourceReport(label=label, outcome="refused", reason=diagnostic.what))

    def _fingerprint(self, found: Found) -> str:
        from benchkit import __version__

        beside = self._beside.get(id(found.sidecar))
        if beside is None:  # a folder's files share one
            beside = self._beside[id(found.sidecar)] = repr(found.sidecar)
        told = f"{__version__}{self._given}{found.variant}{found.labels}{beside}"
        return hashlib.sha256(told.encode()).hexdigest()[:16]

    def _flush(self, at_least: int) -> Iterator[pa.RecordBatch]:
        if self._waiting > at_least:
            rows, self._rows, self._waiting = self._rows, [], 0
            yield row_batch(self._batch, rows)


def rename(name: str, renames: Sequence[Rename]) -> str:
    """Apply the user's renames to a benchmark's name, in order."""
    for change in renames:
        name = change.apply(name)
    return name


def _records(
    form: Format, source: Source, diagnostics: list[Diagnostic]
) -> Iterator[Reading | Samples]:
    """Yield what a parser reads; its diagnostics, and its own failure, are put aside."""
    try:
        for record in form.parse(source):
            if isinstance(record, Diagnostic):
                diagnostics.append(record)
            else:
                yield record
    except UnreadableError as error:
        diagnostics.append(
            Diagnostic(
                source.label,
                0,
                f"{error}; what came before was read",
                "write the file again",
                "warning",
            )
        )


def _require_apart(read: Sequence[tuple[Format, Reading]], label: str) -> None:
    """Refuse a source in which two formats claim the same lines."""
    if len(read) < 2:
        return
    spans = sorted(
        (reading.line, max(reading.line, reading.last_line), form.name) for form, reading in read
    )
    for (_, end, name), (start, _, other) in pairwise(spans):
        if other != name and start <= end:
            raise AmbiguousFormatError(
                f"line {start} is claimed by {name} and {other}",
                where=label,
                hint="say which with --as FORMAT",
            )


def _complete(part: Part, reading: Reading, found: Found) -> None:
    """Fill in what is known of the run, once the parser has told everything."""
    side = found.sidecar
    window = _window(part, found)
    part.started_at = reading.started_at or side.started_at or (window[0] if window else None)
    part.duration = reading.duration if reading.duration is not None else side.duration
    if part.duration is None and side.started_at and side.ended_at:
        part.duration = (side.ended_at - side.started_at).total_seconds()
    part.load_model = side.load_model or reading.load_model
    part.target_rate = reading.target_rate or side.target_rate
    part.connections = reading.connections or side.connections
    part.tool_version, part.command = reading.tool_version, reading.command or side.command
    part.corrected = reading.corrected
    part.block, part.position = side.block, side.position
    part.env = {**reading.env, **side.env}
    names = dict.fromkeys((*reading.assume, *reading.better))
    part.units = {name: _unit_words(name, reading) for name in names}


def _window(part: Part, found: Found) -> tuple[datetime, datetime] | None:
    """Return the run's start and end from ``runs.json``, if its path tells which run it is."""
    if found.sidecars is None or found.path is None or part.run is None or part.role != "measured":
        return None
    return found.sidecars.window_for(
        part.variant,
        part.run,
        found.path,
        benchmark=found.labels.leftover,
        group=part.group,
    )


def _unit_words(name: str, reading: Reading) -> str:
    words = (("assume", reading.assume.get(name)), ("better", reading.better.get(name)))
    return " ".join(f"{key}={value}" for key, value in words if value)


def _duplicate(found: Found, first: str) -> Finding:
    return Finding(
        code="B103",
        severity="warning",
        message=f"the same bytes as {first}; counted once",
        remedy="delete the copy, or name both files with label=path if they are two runs",
        where=found.label,
    )
