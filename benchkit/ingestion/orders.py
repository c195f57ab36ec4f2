"""Tasks of a worker of a Dask cluster: read sources, or ranges of one, and store the samples."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from dataclasses import dataclass, replace
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import TYPE_CHECKING, Protocol, TypeVar

from benchkit.ingestion.harvest import Catch, catch
from benchkit.ingestion.ranges import Joined, Passed, RangeResult
from benchkit.ingestion.reading import Known, Reader
from benchkit.reading.spans import Span
from benchkit.redaction.marks import use_key

if TYPE_CHECKING:
    from benchkit.ingestion.discovery import Options
    from benchkit.ingestion.sources import Found
    from benchkit.store.files import DataFile

_Read = TypeVar("_Read")


class _Stored(Protocol):
    """A result whose files are stored."""

    files: list[DataFile]


@dataclass(frozen=True, slots=True, kw_only=True)
class Order:
    """A request to read sources, with everything a worker needs for it.

    ``store`` is the address of a remote store, to which the worker copies its files; empty if it
    writes to a folder that it shares with the coordinator.
    """

    first: int
    sources: tuple[Found, ...]
    options: Options
    known: Known
    key: bytes
    store: str
    share: float
    topic: str


def find_version() -> str:
    """Return the version of this benchkit."""
    from benchkit import __version__

    return __version__


def read(order: Order) -> Catch | None:
    """Read as a worker; return None if the files differ on this machine."""
    if not all(found.path is None or found.measure() == found.bytes for found in order.sources):
        return None
    use_key(order.key)
    indices = range(order.first, order.first + len(order.sources))

    def read(known: Known) -> Catch:
        reader = _make_reader(order, known)
        return catch(known.batch, map(reader.read, indices, order.sources))

    return _bring(order, read, lambda found: found.outcomes)


def scan(order: Order, span: Span) -> Passed | None:
    """Scan a range as a worker."""
    return _make_reader(order, order.known).scan_lines(order.sources[0], span)


def add(before: Passed | None, passed: Passed | None) -> Passed | None:
    """Add the lines of a range to those of the ranges before it."""
    if before is None or passed is None:
        return None
    return before[0] + passed[0], before[1] + passed[1]


def take_digest(order: Order) -> str:
    """Return the digest of a file whose ranges are read, otherwise an empty string."""
    (found,) = order.sources
    opened = _make_reader(order, order.known).open_span(found)
    return "" if opened is None else opened[0].sha256


def read_range(order: Order, span: Span, passed: Passed | None) -> RangeResult | None:
    """Read a range as a worker."""
    (found,) = order.sources
    if passed is None:
        return None
    use_key(order.key)
    span, end = span._replace(lines=passed[0], before=passed[1]), min(span.end, found.size)
    part = (end - span.start) / found.size

    def read(known: Known) -> RangeResult | None:
        return _make_reader(order, known, span.start).read_range(order.first, found, span, part)

    return _bring(order, read, lambda found: [found] if found else [])


def join(order: Order, digest: str, ranges: list[RangeResult | None]) -> Catch | None:
    """Join ranges as a worker, or read the whole file if they can't be joined."""
    (found,) = order.sources
    joined = Joined.join(digest, ranges) if found.measure() == found.bytes else None
    if joined is None:
        for each in filter(None, ranges):
            for file in each.files:
                file.path.unlink(missing_ok=True)
        return read(order)
    use_key(order.key)
    outcome = _make_reader(order, order.known).read_joined(order.first, found, joined)
    return catch(order.known.batch, [outcome])


def _bring(
    order: Order, read: Callable[[Known], _Read], parts: Callable[[_Read], Iterable[_Stored]]
) -> _Read:
    """Read, and copy the resulting files to the store if it is remote."""
    if not order.store:
        return read(order.known)
    from benchkit.store import Store

    with TemporaryDirectory(prefix="benchkit-") as folder:
        found = read(replace(order.known, folder=Path(folder)))
        store = Store(order.store)
        for each in parts(found):
            each.files = [store.bring(file) for file in each.files]
    return found


def _make_reader(order: Order, known: Known, start: int = 0) -> Reader:
    """Return a reader that reports its progress from a given start in the source."""
    from distributed import get_worker

    log = get_worker().log_event
    return Reader(
        order.options,
        known,
        lambda seen: log(order.topic, (start, seen.index, seen.bytes, seen.values)),
        share=order.share,
    )
