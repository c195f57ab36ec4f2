"""Damage: files of a store that are missing or cannot be read."""

from __future__ import annotations

import math
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass
from itertools import pairwise
from pathlib import Path
from typing import TYPE_CHECKING, Any

from benchkit.errors import StoreError
from benchkit.reading.bounds import OUTSIZED, OutsizedError, open_parquet
from benchkit.store import entries, keys
from benchkit.store import log as log_of_runs
from benchkit.store.checksums import require_signed
from benchkit.store.columns import fits
from benchkit.store.confines import require_files
from benchkit.store.conflicts import translated
from benchkit.store.contents import UnsoundError, require_types
from benchkit.store.files import (
    COUNTED,
    OTHER_COLUMNS,
    OTHER_ROWS,
    REMEDY,
    as_problem,
    explain_refusal,
    holds_stated_rows,
    is_file_of_store,
    is_raw,
    refused,
)

if TYPE_CHECKING:
    import pyarrow as pa
    import pyarrow.parquet as pq
    from deltalake import DeltaTable

    from benchkit.store.delta import Table

#: Batches of a file without known bounds.
_ALL = (-math.inf, math.inf)
#: Number of bytes per read when only access is tested.
_CHUNK = 1 << 20
#: Roles of runs that have values.
MEASURED = ("measured", "companion")


@dataclass(frozen=True, slots=True, kw_only=True)
class Damage:
    """One file of a store that is missing or cannot be read.

    Parameters
    ----------
    folder : str
        The store, or one of its tables.
    path : str
        Its path within the folder.
    problem : str
    batches, pieces, paths : tuple of (least, greatest), optional
        The bounds of its rows, according to the log of commits.
    """

    folder: str
    path: str
    problem: str
    batches: tuple[int, int] | None = None
    pieces: tuple[int, int] | None = None
    paths: tuple[str, str] | None = None

    @property
    def where(self) -> str:
        """The full path."""
        return f"{self.folder}/{self.path}"

    @property
    def is_log(self) -> bool:
        """Return whether it belongs to the log of commits, without which no table opens."""
        return self.path.startswith(entries.FOLDER)

    @property
    def is_key(self) -> bool:
        """Return whether it is the key by which secrets in names are masked."""
        return self.path == keys.NAME

    @property
    def message(self) -> str:
        """The problem, with the affected batches."""
        if self.batches is None:
            return self.problem
        first, last = self.batches
        of = f"batch {first}" if first == last else f"batches {first} to {last}"
        return f"{self.problem} ({of})"

    def error(self) -> StoreError:
        """Return the error for a command that needed the file."""
        what = f"a file of the store is damaged: {self.message}"
        return StoreError(what, where=self.where, hint=REMEDY)


@dataclass(frozen=True, slots=True)
class Repaired:
    """Result of a repair: what it dropped, and what remains to be done.

    Parameters
    ----------
    damage : tuple of Damage
    sources : tuple of str
        The sources to ingest again.
    unknown : int
        Number of lost runs of unknown sources.
    key : str
        The new path of the damaged key, if there was one.
    """

    damage: tuple[Damage, ...]
    sources: tuple[str, ...]
    unknown: int = 0
    key: str = ""


def list_damage(
    runs: Table, values: Table, read: Callable[[], tuple[pa.Table | None, pa.Table | None]]
) -> list[Damage]:
    """Return all damage of a store; lost commits are only detected if its files are sound."""
    with translated(runs.url):
        for table in (runs, values):
            table.require_folder()
        return (
            [*find_damage(runs), *find_damage(values)]
            or list(_find_lost_logs(runs, values))
            or list(find_lost_runs(runs, runs.open()))
            or list(find_lost_commits(*read(), values, values.open()))
        )


def find_key_damage(url: str, log: pa.Table | None) -> Iterator[Damage]:
    """Yield the damage of a store's key; a deleted one is detected by marks in the store.

    Parameters
    ----------
    url : str
    log : Table or None
        The log of runs, if it can be read.
    """
    problem = ""
    try:
        if keys.read_key(url) is None and log is not None and log_of_runs.holds_marks(log):
            problem = "missing"
    except keys.DamagedKeyError as error:
        problem = error.what.removeprefix("the file ")
    if problem:
        yield Damage(folder=url, path=keys.NAME, problem=problem)


def find_damage(table: Table, *, thoroughly: bool = True) -> Iterator[Damage]:
    """Yield the damaged files of a table.

    Parameters
    ----------
    table : Table
    thoroughly : bool
        Whether to read every page and verify every checksum, or only the footer of each file and,
        on a file system, the checksum of files without samples.
    """
    if not table.is_remote:
        require_files(Path(table.url))
    broken = list(_check_log(table))
    yield from broken
    version = None if broken else table.open()
    if version is None:
        return
    for file in table.list_files(version):
        if problem := _check_file(table, version, file, thoroughly=thoroughly):
            yield _describe(table, file, problem)


def find_missing(table: Table, version: DeltaTable, *, raw: bool = True) -> Iterator[Damage]:
    """Yield the files of values that are missing, or differ from their commits.

    On an object store, where opening a file takes two requests, only existence and size are
    checked; elsewhere the footer of each file is read.

    Parameters
    ----------
    table, version
    raw : bool
        Whether to include files of samples.
    """
    sizes = {info.path: info.size for info in table.list_data()} if table.is_remote else {}
    for file in table.list_files(version):
        if is_raw(file) and not raw:
            continue
        if table.is_remote:
            problem = _check_size(sizes.get(file["path"]), file["size_bytes"])
        else:
            problem = _check_file(table, version, file, thoroughly=False)
        if problem:
            yield _describe(table, file, problem)


def _check_size(size: int | None, stated: int) -> str:
    if size is None:
        return "missing"
    return "" if size == stated else f"{size} bytes instead of {stated}"


def _describe(table: Table, file: dict[str, Any], problem: str) -> Damage:
    return Damage(
        folder=table.url, path=file["path"], problem=problem, batches=_bounds(file, "batch"),
        pieces=_bounds(file, "piece"), paths=_bounds(file, "path"),
    )  # fmt: skip


def _bounds(file: dict[str, Any], column: str) -> Any:  # noqa: ANN401 - as the column
    low, high = file.get(f"min.{column}"), file.get(f"max.{column}")
    return None if low is None or high is None else (low, high)


def _check_file(
    table: Table, version: DeltaTable, file: dict[str, Any], *, thoroughly: bool
) -> str:
    """Return the problem of a table's file; empty if there is none."""
    import pyarrow as pa

    try:
        with table.filesystem.open_input_file(file["path"]) as opened:
            if problem := _check_size(opened.size(), file["size_bytes"]):
                return problem
            if thoroughly or not (is_raw(file) or table.is_remote):
                require_signed(file["path"], opened)
            parquet = open_parquet(opened)
            require_types(parquet.schema_arrow)
            if not fits(parquet.schema_arrow, version):
                return OTHER_COLUMNS
            is_stated = _has_stated_bounds(file, parquet.metadata)
            if is_stated and thoroughly:
                is_stated = holds_stated_rows(file, parquet.iter_batches())
    except FileNotFoundError:
        return "missing"
    except (OutsizedError, UnsoundError) as error:
        return OUTSIZED if isinstance(error, OutsizedError) else str(error)
    except (OSError, UnicodeError, pa.ArrowException) as error:
        _require_access(table, file["path"], error)
        return "cannot be read"
    return "" if is_stated else OTHER_ROWS


def _require_access(table: Table, path: str, error: Exception) -> None:
    """Raise `StoreError` if a file could not be read because its bytes are inaccessible.

    Object stores do not number their refusals, so the bytes are requested again there.
    """
    reason = explain_refusal(error)
    if not reason and table.is_remote and isinstance(error, OSError):
        try:
            with table.filesystem.open_input_stream(path) as stream:
                while stream.read(_CHUNK):
                    pass
        except OSError as again:
            reason = str(again)
    if reason:
        raise refused(f"{table.url}/{path}", reason) from error


def _has_stated_bounds(stated: Mapping[str, Any], metadata: pq.FileMetaData) -> bool:
    """Return whether a file's footer matches the statistics in the log of commits.

    Parameters
    ----------
    stated : mapping
        A file as listed by delta-rs.
    metadata : FileMetaData
    """
    if stated.get("num_records") not in {None, metadata.num_rows}:
        return False
    for group in map(metadata.row_group, range(metadata.num_row_groups)):
        for column in map(group.column, range(group.num_columns)):
            name, held = column.path_in_schema, column.statistics
            low, high = stated.get(f"min.{name}"), stated.get(f"max.{name}")
            has_bounds = held and held.has_min_max and None not in (low, high)
            if name in COUNTED and has_bounds and not low <= held.min <= held.max <= high:
                return False
    return True


def _check_log(table: Table) -> Iterator[Damage]:
    """Yield the unreadable files of the log of commits, and gaps where commits are missing."""
    newest, names = table.read_newest(), entries.list_names(table.filesystem)
    paths = [f"{entries.FOLDER}/{name}" for name in names]
    broken = list(entries.find_unsound(table.filesystem, table.url, paths))
    for path, problem in broken:
        yield Damage(folder=table.url, path=path, problem=problem)
    if broken:
        return
    versions = sorted(entries.version_of(name) for name in names if name.endswith(".json"))
    gaps = [(one + 1, next_ - 1) for one, next_ in pairwise(versions) if next_ > one + 1]
    for first, last in gaps:
        problem = "missing" if first == last else f"missing, as are all later entries up to {last}"
        yield Damage(folder=table.url, path=entries.path_of(first), problem=problem)
    if not gaps and newest > max(map(entries.version_of, names), default=-1):
        gaps = [(newest, newest)]
        yield Damage(folder=table.url, path=entries.path_of(newest), problem="missing")
    if gaps:
        return
    try:
        version = table.open()
    except StoreError as error:
        path, problem = entries.FOLDER, f"cannot be read: {error.what}"
        if error.where.startswith(f"{table.url}/{path}/"):
            path, problem = error.where.removeprefix(f"{table.url}/"), as_problem(error)
        yield Damage(folder=table.url, path=path, problem=problem)
    else:
        if names and version is None:
            yield Damage(
                folder=table.url, path=entries.FOLDER, problem="its first commit is missing"
            )


def lose_log(table: Table) -> Damage:
    """Return the damage of a table whose log of commits is missing."""
    return Damage(
        folder=table.url, path=entries.FOLDER, problem="the whole log of commits is missing"
    )


def _find_lost_logs(runs: Table, values: Table) -> Iterator[Damage]:
    """Yield the lost logs of commits; a store's log of runs begins before any other file.

    Values alone may come from a writer that was killed, so their log only counts as lost if the log
    of runs is lost as well.
    """
    if runs.open() is None:
        lost = [table for table in (runs, values) if table.has_remains()]
        if lost:
            yield lose_log(runs)
        if values in lost and values.open() is None:
            yield lose_log(values)


def find_lost_runs(runs: Table, version: DeltaTable | None) -> Iterator[Damage]:
    """Yield the entry after the newest of runs, if no version is noted and a file is newer.

    If a version is noted, the file comes from a writer that was killed.
    """
    if version is None or runs.is_remote or runs.read_newest() >= 0:
        return
    known = max((_begin_number(file["path"]) for file in runs.list_files(version)), default=0)
    newer = [info.path for info in runs.list_data() if is_file_of_store(info.path)]
    newer = [path for path in newer if _begin_number(path) > known]
    # A writer at work has noted its base version by now.
    if newer and runs.read_newest() < 0:
        number = version.version()
        if entries.states_place(runs.filesystem, number):
            problem = f"missing: the log ends before the commit that wrote {newer[0]}"
            yield Damage(folder=runs.url, path=entries.path_of(number + 1), problem=problem)


def _begin_number(path: str) -> int:
    """Return the sequence number at the beginning of the name of a file of runs."""
    number = path.partition("-")[0]
    return int(number) if number.isdecimal() else 0


def find_lost_commits(
    log: pa.Table | None, pieces: pa.Table | None, values: Table, version: DeltaTable | None
) -> Iterator[Damage]:
    """Yield the entry of values that the log of runs refers to, or the log, if it is missing.

    Every batch of measured runs, among all ``pieces``, has values. If the log names none of them,
    it lost an entry.
    """
    if log is None:
        return
    known, batches = log_of_runs.values_version(log), _list_measured(pieces)
    if version is None and known < 0 and batches:
        known = 0  # an earlier build did not record the version
    if known > (-1 if version is None else version.version()):
        yield Damage(folder=values.url, path=entries.path_of(known), problem="missing")
    elif version is not None and batches:
        bounds = {_bounds(file, "batch") or _ALL for file in values.list_files(version)}
        wide = [(low, high) for low, high in bounds if low < high]  # the few merged ones
        missed = sorted(set(batches) - {low for low, _ in bounds})
        missed = [one for one in missed if not any(low <= one <= high for low, high in wide)]
        if missed:
            ends, problem = (missed[0], missed[-1]), "lacks values of measured runs"
            yield Damage(folder=values.url, path=entries.FOLDER, problem=problem, batches=ends)


def _list_measured(pieces: pa.Table | None) -> list[int]:
    """Return the batches of the runs that have values."""
    import pyarrow as pa
    import pyarrow.compute as pc

    if pieces is None or "role" not in pieces.column_names:
        return []
    is_measured = pc.is_in(pieces["role"], pa.array(MEASURED))
    batches: list[int] = pieces["batch"].filter(is_measured).unique().to_pylist()
    return batches
