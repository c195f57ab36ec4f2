"""Tidying of values: unneeded batches are dropped, small files are merged.

Nothing is dropped that the current state or `undo` needs, or that a writer may still commit.
"""

from __future__ import annotations

import time
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any

from benchkit.store import log as log_of_runs
from benchkit.store.batch_files import part_by_metric
from benchkit.store.columns import GROUP_ROWS, began_at, values_schema
from benchkit.store.files import DataFile, FileWriter, is_raw

if TYPE_CHECKING:
    import pyarrow as pa

    from benchkit.store.delta import Table

#: Number of files smaller than this from which they are merged.
MANY_FILES = 64
SMALL_FILE = 16 << 20
#: Number of unneeded files of values from which one commit drops them.
MANY_STALE = 16
#: Number of files of the log of runs, which every command reads, from which small ones are merged.
MANY_COMMITS = 16
#: Maximum number of rows of a file relative to all smaller ones with which it is merged: large
#: files are not rewritten for a few rows, and each row only as often as the files double.
_GROWTH = 2
#: Maximum number of superseded rows in the log of runs, in addition to the number of needed rows.
MANY_ROWS = 10_000
#: Age in microseconds after which no writer will still commit the pieces of a batch.
_DAY = 86_400_000_000


@dataclass(slots=True)
class Tidied:
    """The result of tidying.

    Parameters
    ----------
    dropped : int
        Number of files whose rows are no longer needed.
    rewritten : int
        Number of merged files.
    deleted : int
        Number of deleted files, which no reader can be reading any more.
    is_full : bool
        Whether the disk lacks the space for merging files.
    """

    dropped: int = 0
    rewritten: int = 0
    deleted: int = 0
    is_full: bool = False

    @property
    def has_changed(self) -> bool:
        """Return whether a table has changed."""
        return bool(self.dropped or self.rewritten)


def tidy_values(
    values: Table,
    read_log: Callable[[], pa.Table],
    folder: Path,
    done: Tidied,
    *,
    thoroughly: bool,
    rewrite: bool = False,
) -> None:
    """Commit the table of values without batches that the log no longer needs.

    Raises
    ------
    ConflictError
        If another writer came first; nothing was changed.
    """
    version = values.open()
    if version is None:
        return
    files = values.list_files(version)
    if len(files) < min(MANY_FILES, MANY_STALE) and not (thoroughly or rewrite):
        return
    is_stale = _staleness(read_log())
    mixed: list[dict[str, Any]] = []
    stale: list[dict[str, Any]] = []
    for file in files:
        first, last = file.get("min.batch"), file.get("max.batch")
        (stale if first is not None and first == last and is_stale(first) else mixed).append(file)
    if stale and (len(stale) >= MANY_STALE or thoroughly):
        # First, and without writing any of the others, because the disk may be full.
        values.claim(version, values_schema(), [], [file["path"] for file in stale])
        done.dropped += len(stale)
        tidy_values(values, read_log, folder, done, thoroughly=thoroughly, rewrite=rewrite)
        return
    small = [file for file in mixed if file["size_bytes"] < SMALL_FILE]
    bins = list(_bins(small, thoroughly=thoroughly))
    if rewrite:
        joined = {file["path"] for group in bins for file in group}
        bins += [[file] for file in mixed if file["path"] not in joined]
    written = [_join(values, group, folder, is_stale) for group in bins]
    rewritten = [file for group in bins for file in group]
    if not rewritten:
        return
    added = [file for file in written if file is not None]
    for new in added:
        values.bring(new)
    values.claim(version, values_schema(), added, [file["path"] for file in rewritten])
    done.rewritten += len(rewritten)


def choose_similar(files: Sequence[dict[str, Any]]) -> list[dict[str, Any]]:
    """Return the files to merge: the smallest ones, up to one with far more rows than all before.

    Examples
    --------
    >>> files = [{"num_records": rows} for rows in (100_000, 40, 2, 4, 2)]
    >>> [file["num_records"] for file in choose_similar(files)]
    [2, 2, 4]
    """
    rows = chosen = 0
    ordered = sorted(files, key=count_rows)
    for place, file in enumerate(ordered):
        if place and count_rows(file) <= _GROWTH * rows:
            chosen = place + 1
        rows += count_rows(file)
    return ordered[:chosen]


def count_rows(file: Mapping[str, Any]) -> int:
    """Return the number of rows of a file according to its commit; 0 if unknown."""
    return file.get("num_records") or 0


def _staleness(log: pa.Table) -> Callable[[int], bool]:
    """Return a function for whether a batch is no longer needed."""
    import pyarrow.compute as pc

    log = log.select(log_of_runs.KEYS)
    states = [log_of_runs.current(log)]
    if log_of_runs.last_operation(log) in log_of_runs.UNDOABLE:
        states.append(log_of_runs.before_last(log))
    needed = {batch for state in states for batch in pc.unique(state["batch"]).to_pylist()}
    committed = set(pc.unique(log["batch"]).to_pylist())
    old = time.time_ns() // 1000 - _DAY

    def is_stale(batch: int) -> bool:
        return batch not in needed and (batch in committed or began_at(batch) < old)

    return is_stale


def _bins(files: Sequence[dict[str, Any]], *, thoroughly: bool) -> Iterator[list[dict[str, Any]]]:
    """Yield groups of files of one partition that together are no longer small."""
    if len(files) < MANY_FILES and not thoroughly:
        return
    for samples in (False, True):
        alike = [file for file in files if is_raw(file) == samples]
        chosen = alike if thoroughly else choose_similar(alike)
        group: list[dict[str, Any]] = []
        for file in sorted(chosen, key=lambda file: file["path"]):
            group.append(file)
            if sum(one["size_bytes"] for one in group) >= SMALL_FILE:
                yield group
                group = []
        if len(group) > 1:
            yield group


def _join(
    values: Table, files: Sequence[dict[str, Any]], folder: Path, is_stale: Callable[[int], bool]
) -> DataFile | None:
    """Write the needed rows of files to one, samples by metric; return None if there are none."""
    import pyarrow as pa

    is_sample = is_raw(files[0])
    if len(files) == 1:  # of any size, so read one row group at a time
        parts: Iterator[pa.Table] = values.reader.read_groups(files[0]["path"])
    else:
        parts = iter([pa.concat_tables([values.reader.read_file(file["path"]) for file in files])])
    writer = FileWriter(folder, files[0]["max.batch"], is_raw=is_sample)
    try:
        rows = 0
        for part in parts:
            kept = _without_stale(part, is_stale)
            rows += len(kept)
            for alike in part_by_metric(kept) if is_sample else [kept]:
                for start in range(0, len(alike), GROUP_ROWS):
                    writer.write(alike.slice(start, GROUP_ROWS))
        if rows:
            return writer.close()
    except BaseException:
        writer.drop()
        raise
    writer.drop()
    return None


def _without_stale(rows: pa.Table, is_stale: Callable[[int], bool]) -> pa.Table:
    import pyarrow as pa
    import pyarrow.compute as pc

    stale = [batch for batch in pc.unique(rows["batch"]).to_pylist() if is_stale(batch)]
    if not stale:
        return rows
    return rows.filter(pc.invert(pc.is_in(rows["batch"], pa.array(stale, pa.int64()))))
