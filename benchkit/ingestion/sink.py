"""Values on their way to the store: many from one source become a file, few a batch.

A source may hold more values than fit into memory. The process that reads it also writes them,
while it reads: samples by metric, with one metric per row group; values of runs in columns, as they
come.

Further threads read blocks of one large source ahead, and write behind.

A large file is one task. While the values of one block are summarised and stored, the next ones can
be unpacked and read, and the previous ones written. Files, their digest, gzip, the compiled kernel
and Parquet release the lock for other threads. A block consists of whole lines, and its reading
depends on nothing else, so the result is the same to the bit.
"""

from __future__ import annotations

from collections import deque
from collections.abc import Callable, Iterable, Iterator
from concurrent.futures import Future, ThreadPoolExecutor
from pathlib import Path
from typing import TYPE_CHECKING, ParamSpec, TypeVar

from benchkit.errors import DataError
from benchkit.ingestion.batches import repeats_batch, sample_table
from benchkit.ingestion.copies import Contents, digest_values
from benchkit.reading.source import UntilDamage
from benchkit.store.columns import GROUP_ROWS, values_schema

if TYPE_CHECKING:
    import pyarrow as pa

    from benchkit.parsers.base import Repeats, Samples
    from benchkit.store.batch_files import BatchWriter
    from benchkit.store.files import DataFile, FileWriter


#: Text fields that every sample must have.
_TEXTS = ("metric", "stat", "unit", "origin")
#: Maximum number of values of a source that form a batch, sharing a file with other sources.
FEW = 1 << 16
_P = ParamSpec("_P")
_T = TypeVar("_T")

#: Maximum number of blocks, of up to 4 MiB each, in progress.
_AHEAD = 4
#: Maximum number of waiting calls, which hold memory.
_WAITING = 2


class ValueSink:
    """Receives the samples of one source, and its runs in columns.

    Parameters
    ----------
    batch : int
        The id under which they are stored.
    folder : Path or None
        Folder for files of values; None to keep everything in memory.
    """

    def __init__(self, batch: int, folder: Path | None) -> None:
        self.rows = 0
        self.runs: list[tuple[int, pa.RecordBatch]] = []
        self.contents: list[Contents] = []  # of written runs
        self._batch = batch
        self._folder = folder
        self._held: dict[str, list[tuple[int, Samples]]] = {}
        self._counts: dict[str, int] = {}
        self._run_rows = 0
        self._run_writer: BatchWriter | None = None
        self._writer: FileWriter | None = None
        self._behind: Behind | None = None

    def take(self, piece: int, samples: Samples) -> None:
        """Add a block of samples of a piece.

        Raises
        ------
        DataError
            If they lack a text that every sample must have, which a plug-in's parser may leave out.
        """
        for name in _TEXTS:
            if not isinstance(getattr(samples, name), str):
                raise DataError(
                    f"its parser yields samples without {name}",
                    hint="`benchkit help tools` describes what a parser must yield",
                )
        if not (size := len(samples.values)):
            return
        metric = samples.metric
        self._held.setdefault(metric, []).append((piece, samples))
        self._counts[metric] = self._counts.get(metric, 0) + size
        self.rows += size
        if self._counts[metric] >= GROUP_ROWS and self._folder is not None:
            self._write(metric)

    def take_runs(self, first: int, repeats: Repeats) -> None:
        """Add the values of the next runs; ``first`` is the first run's piece.

        ``runs`` holds them as long as they are few.
        """
        if not len(repeats):
            return
        self.runs.append((first, repeats_batch(self._batch, first, repeats)))
        self._run_rows += len(repeats)
        if self._folder is None or self._run_rows <= FEW:
            return
        if self._run_writer is None:
            from benchkit.store.batch_files import BatchWriter

            self._run_writer = BatchWriter(self._folder, self._batch, is_raw=False)
        for _, batch in self.runs:
            self.contents.append(digest_values(batch))
            self._run_writer.take(batch)
        self.runs.clear()

    def close(self) -> tuple[list[pa.RecordBatch], list[DataFile]]:
        """Return the values: batches of samples, and files if there are too many."""
        batches, files = self._close_samples() if self.rows else ([], [])
        if self._run_writer is not None:
            files.append(self._run_writer.close())
        return batches, files

    def _close_samples(self) -> tuple[list[pa.RecordBatch], list[DataFile]]:
        if self._writer is None and (self._folder is None or self.rows <= FEW):
            tables = [sample_table(self._batch, blocks) for blocks in self._held.values()]
            schema = values_schema()
            return [batch for t in tables for batch in t.cast(schema).to_batches()], []
        for metric in [name for name, blocks in self._held.items() if blocks]:
            self._write(metric)
        assert self._writer is not None  # noqa: S101 - more than a few rows were written
        assert self._behind is not None  # noqa: S101 - made with it
        self._behind.finish()
        return [], [self._writer.close()]

    def drop(self) -> None:
        """Discard all values."""
        if self._behind is not None:
            self._behind.stop()
        if self._writer is not None:
            self._writer.drop()
        if self._run_writer is not None:
            self._run_writer.drop()
        self._held.clear()
        self.runs.clear()

    def _write(self, metric: str) -> None:
        from benchkit.store.files import FileWriter

        if self._writer is None or self._behind is None:
            assert self._folder is not None  # noqa: S101 - asked for by the callers
            self._writer = FileWriter(self._folder, self._batch, is_raw=True)
            self._behind = Behind()
        self._behind.do(self._put, self._writer, self._held[metric])
        self._held[metric], self._counts[metric] = [], 0

    def _put(self, writer: FileWriter, blocks: list[tuple[int, Samples]]) -> None:
        writer.write(sample_table(self._batch, blocks))


def run_ahead(items: Iterator[_T]) -> Iterator[_T]:
    """Yield the items of an iterator that another thread runs; errors are raised in order."""
    pool = ThreadPoolExecutor(1)
    try:
        waiting = deque(pool.submit(next, items, None) for _ in range(_AHEAD))
        while (item := waiting.popleft().result()) is not None:
            waiting.append(pool.submit(next, items, None))
            yield item
    finally:
        pool.shutdown(cancel_futures=True)


def read_ahead(function: Callable[[bytes], _T], blocks: Iterable[bytes]) -> Iterator[_T]:
    """Yield ``function(block)`` for each block; errors and damage are raised in order."""
    waiting: deque[Future[_T]] = deque()
    sound = UntilDamage(blocks)
    with ThreadPoolExecutor(2) as pool:
        for block in sound:
            waiting.append(pool.submit(function, block))
            if len(waiting) > _AHEAD:
                yield waiting.popleft().result()
        while waiting:
            yield waiting.popleft().result()
    sound.raise_damage()


class Behind:
    """A thread that makes calls one after the other, while its owner continues."""

    def __init__(self) -> None:
        self._pool = ThreadPoolExecutor(1)
        self._calls: deque[Future[None]] = deque()

    def do(self, function: Callable[_P, None], *args: _P.args, **kwargs: _P.kwargs) -> None:
        """Schedule a call; raise the error of an earlier one."""
        while len(self._calls) >= _WAITING:
            self._calls.popleft().result()
        self._calls.append(self._pool.submit(function, *args, **kwargs))

    def finish(self) -> None:
        """Wait for all calls; raise the error of any of them."""
        try:
            while self._calls:
                self._calls.popleft().result()
        finally:
            self.stop()

    def stop(self) -> None:
        """Cancel calls that have not begun, and ignore errors."""
        self._pool.shutdown(cancel_futures=True)
        self._calls.clear()
