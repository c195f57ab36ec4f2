"""Ranges of one large file, each read by one of several workers, and their merging into one run.

A worker stores the samples of its range itself. It returns only the state of the parser, sums of
blocks and the data for quantiles to the worker that joins the ranges. Ranges begin at block
boundaries of a reader of the whole file, and sums of blocks are added up in order, so the result is
the same to the bit. A file for which this is impossible (two runs, a line of megabytes) is read as
a whole.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, field, replace
from typing import TYPE_CHECKING

from benchkit.derived.stretches import Summary
from benchkit.errors import StoreError
from benchkit.ingestion.sink import ValueSink
from benchkit.ingestion.soundness import Soundness
from benchkit.parsers import kernel
from benchkit.parsers.base import Format, Samples, Source, SpanReader
from benchkit.reading.cleaning import encoding_of
from benchkit.reading.spans import END, SECTION, Span

if TYPE_CHECKING:
    from collections.abc import Iterator

    import pyarrow as pa

    from benchkit.parsers.base import Reading, Record
    from benchkit.store.files import DataFile

#: Ranges per worker, so that a slow one delays nobody, and the maximum number of sections per
#: range.
_EACH, _MOST = 4, 8
_GZIP = b"\x1f\x8b"

#: The lines of one or more ranges: their number, and those on which later lines depend.
Passed = tuple[int, bytes]


def plan_spans(size: int, workers: int) -> list[Span]:
    """Split a file of ``size`` bytes; the last range extends to its end, wherever that is."""
    step = SECTION * min(max(size // (_EACH * workers * SECTION), 1), _MOST)
    starts = range(0, max(size - step, 0) + 1, step)
    return [Span(start, start + step) for start in starts[:-1]] + [Span(starts[-1], END)]


def choose_form(source: Source, formats: Sequence[Format]) -> Format | None:
    """Return the format of a source if any range of it can be read independently."""
    form = formats[0]
    if len(formats) > 1 or form.open_span is None or source.path is None:
        return None
    with source.open_raw() as raw:
        begin = raw.read(4)
    is_plain = not begin.startswith(_GZIP) and encoding_of(begin) == "utf-8"
    is_plain &= not (source.prefixes or source.is_doubled)
    return form if is_plain and form.open_span(source) is not None else None


def scan_lines(source: Source, span: Span, form: Format) -> Passed:
    """Count the lines of a range, and collect those on which later ones depend."""
    import numpy as np

    lines, rest, before = 0, b"", list[bytes]()
    for block in source.read_span(span):
        ends = kernel.find_all(block, ord("\n"))
        if not len(ends):
            rest += block
            continue
        lines += len(ends)
        if not form.depends_on:
            continue
        if (first := rest + block[: ends[0] + 1]).startswith(form.depends_on):
            before.append(first)
        rest, starts = block[ends[-1] + 1 :], ends[:-1] + 1
        for place, octet in enumerate(form.depends_on):
            starts = starts[np.frombuffer(block, np.uint8)[starts + place] == octet]
        before += [block[start : block.find(b"\n", start) + 1] for start in starts.tolist()]
    return lines, b"".join(before)


@dataclass(slots=True, kw_only=True)
class RangeResult:
    """The result of reading a range.

    Parameters
    ----------
    reader : SpanReader
        The parser's knowledge of the run.
    sampled : int
        Number of samples.
    batches, files
        The stored samples, from `ValueSink`.
    """

    reader: SpanReader
    summary: Summary
    soundness: Soundness = field(default_factory=Soundness)
    sampled: int = 0
    batches: list[pa.RecordBatch] = field(default_factory=list)
    files: list[DataFile] = field(default_factory=list)


def read_range(
    source: Source, form: Format, sink: ValueSink, store: Callable[[Samples], None], part: float
) -> RangeResult | None:
    """Read the span of a source; return None if only reading the whole source shows its content.

    Parameters
    ----------
    sink : ValueSink
        The sink to which ``store`` adds samples.
    part : float
        The approximate share of the source that the span covers.
    """
    reader = form.open_span(source) if form.open_span else None
    if reader is None:
        return None
    found = RangeResult(reader=reader, summary=Summary(form.quantile_rule))
    try:
        for record in reader.read_lines():
            if isinstance(record, Samples):
                sound = found.soundness.check_samples(record)
                found.sampled += len(sound.values)
                found.summary.add(sound)
                store(sound)
        found.batches, found.files = sink.close()
    except StoreError:  # not the source's fault; for example, a full disk
        sink.drop()
        raise
    except Exception:  # noqa: BLE001 - whoever reads it whole says what is wrong
        sink.drop()
        return None
    del found.reader.source  # which cannot be sent to another process
    found.summary.condense(part)
    return found


@dataclass(slots=True, kw_only=True)
class Joined:
    """A run whose ranges were read by others.

    Parameters
    ----------
    digest : str
        The digest of the file.
    """

    digest: str
    reading: Reading
    ranges: Sequence[RangeResult]

    @classmethod
    def join(cls, digest: str, ranges: Sequence[RangeResult | None]) -> Joined | None:
        """Join ranges in order; return None if the file has to be read as a whole."""
        whole = [found for found in ranges if found is not None]
        if not digest or len(whole) < len(ranges):
            return None
        first, *rest = whole
        for found in rest:
            if not first.reader.join(found.reader):
                return None
            first.summary.join(found.summary)
            first.soundness.join(found.soundness)
        reading = first.reader.reading
        if reading is None or not first.summary.is_sound:
            return None
        return cls(digest=digest, reading=reading, ranges=whole)

    def present(self, form: Format) -> Format:
        """Return the format with a parser that yields the joined ranges."""
        return replace(form, parse=self._parse)

    def enter(self, summaries: dict[int, Summary], soundness: Soundness) -> int:
        """Add the summary of the samples; return the number of samples."""
        first = self.ranges[0]
        summaries[id(self.reading)] = first.summary
        soundness.join(first.soundness)
        return sum(found.sampled for found in self.ranges)

    def close(self) -> tuple[list[pa.RecordBatch], list[DataFile]]:
        """Return the stored samples, as `ValueSink.close` does."""
        batches = [batch for found in self.ranges for batch in found.batches]
        return batches, [file for found in self.ranges for file in found.files]

    def _parse(self, source: Source) -> Iterator[Record]:
        reader = self.ranges[0].reader
        reader.source = source
        yield self.reading
        yield from reader.finish()
