"""Keeping the values tidy: batches that no commit needs go, small files are put together.

Nothing goes that the present state or `undo` needs, nor what a writer may still be about to commit.
"""

from __future__ import annotations

import time
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any

from benchkit.store import log as log_of_runs
from benchkit.store.columns import GROUP_ROWS, PARTITION, values_schema
from benchkit.store.files import DataFile, FileWriter

if TYPE_CHECKING:
    import pyarrow as pa

    from benchkit.store.delta import Table

#: So many files smaller than this are put together.
MANY_FILES = 64
SMALL_FILE = 16 << 20
#: Superseded rows that the log of runs may hold, besides as many as are needed.
MANY_ROWS = 10_000
#: Age, in microseconds, from which no writer is still about to commit the pieces of a batch.
_DAY = 86_400_000_000
#: Ids of batches above this begin with 51 bits of time; below, they are the time.
_WITH_RANDOM_BITS = 1 << 60


@dataclass(slots=True)
class Tidied:
    """What was done.

    Parameters
    ----------
    dropped : int
        Files whose rows are needed no more.
    rewritten : int
        Files that were put together.
    deleted : int
        Files that were deleted: those that no reader can be reading any more.
    """

    dropped: int = 0
    rewritten: int = 0
    deleted: int = 0

    @property
    def has_changed(self) -> bool:
        """Whether a table is another than before."""
        return bool(self.dropped or self.rewritten)


def tidy_values(
    values: Table, log: pa.Table, folder: Path, done: Tidied, *, thoroughly: bool
) -> None:
    """Commit the table of values without the batches that ``log`` needs no more.

    Raises
    ------
    ConflictError
        If another writer came first; nothing was changed.
    """
    version = values.open()
    if version is None:
        return
    is_stale = _staleness(log)
    files = values.list_files(version)
    mixed: list[dict[str, Any]] = []
    stale: list[dict[str, Any]] = []
    for file in files:
        first, last = file.get("min.batch"), file.get("max.batch")
        (stale if first is not None and first == last and is_stale(first) else mixed).append(file)
    small = [file for file in mixed if file["size_bytes"] < SMALL_FILE]
    bins = list(_bins(small)) if len(small) >= MANY_FILES or thoroughly else []
    written = [_join(values, group, folder, is_stale) for group in bins]
    rewritten = [file for group in bins for file in group]
    if not (stale or rewritten):
        return
    added = [file for file in written if file is not None]
    for new in added:
        values.bring(new)
    removed = [file["path"] for file in (*stale, *rewritten)]
    values.claim(version, values_schema(), added, removed)
    done.dropped += len(stale)
    done.rewritten += len(rewritten)


def _staleness(log: pa.Table) -> Callable[[int], bool]:
    """Return a function that tells whether a batch is needed no more."""
    import pyarrow.compute as pc

    states = [log_of_runs.current(log)]
    if log_of_runs.last_operation(log) == log_of_runs.INGEST:
        states.append(log_of_runs.before_last(log))
    needed = {batch for state in states for batch in pc.unique(state["batch"]).to_pylist()}
    committed = set(pc.unique(log["batch"]).to_pylist())
    old = time.time_ns() // 1000 - _DAY

    def is_stale(batch: int) -> bool:
        began = batch >> 12 if batch > _WITH_RANDOM_BITS else batch
        return batch not in needed and (batch in committed or began < old)

    return is_stale


def _bins(files: Sequence[dict[str, Any]]) -> Iterator[list[dict[str, Any]]]:
    """Yield groups of files of one partition that together make a file that is not small."""
    for is_raw in (False, True):
        group: list[dict[str, Any]] = []
        for file in sorted((f for f in files if _is_raw(f) == is_raw), key=lambda f: f["path"]):
            group.append(file)
            if sum(one["size_bytes"] for one in group) >= SMALL_FILE:
                yield group
                group = []
        if len(group) > 1:
            yield group


def _is_raw(file: dict[str, Any]) -> bool:
    return str(file[f"partition.{PARTITION}"]).lower() == "true"


def _join(
    values: Table, files: Sequence[dict[str, Any]], folder: Path, is_stale: Callable[[int], bool]
) -> DataFile | None:
    """Write the needed rows of files as one, samples by metric; None where there are none."""
    import pyarrow as pa
    import pyarrow.compute as pc

    rows = pa.concat_tables([values.read_file(file["path"]) for file in files])
    stale = [batch for batch in pc.unique(rows["batch"]).to_pylist() if is_stale(batch)]
    if stale:
        rows = rows.filter(pc.invert(pc.is_in(rows["batch"], pa.array(stale, pa.int64()))))
    if not len(rows):
        return None
    is_raw = _is_raw(files[0])
    writer = FileWriter(folder, max(pc.unique(rows["batch"]).to_pylist()), is_raw=is_raw)
    try:
        for part in _by_metric(rows) if is_raw else [rows]:
            for start in range(0, len(part), GROUP_ROWS):
                writer.write(part.slice(start, GROUP_ROWS))
        return writer.close()
    except BaseException:
        writer.drop()
        raise


def _by_metric(rows: pa.Table) -> Iterator[pa.Table]:
    import pyarrow.compute as pc

    for metric in sorted(pc.unique(rows["metric"]).to_pylist()):
        yield rows.filter(pc.equal(rows["metric"], metric))
