"""Damage: files of a store that are missing or cannot be read."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass
from itertools import pairwise
from pathlib import Path
from typing import TYPE_CHECKING, Any

from benchkit.errors import StoreError
from benchkit.store import entries
from benchkit.store import log as log_of_runs
from benchkit.store.columns import fits
from benchkit.store.delta import REMEDY, require_files

if TYPE_CHECKING:
    import pyarrow as pa
    from deltalake import DeltaTable

    from benchkit.store.delta import Table

#: Roles of runs that have values.
MEASURED = {"measured", "companion"}


@dataclass(frozen=True, slots=True, kw_only=True)
class Damage:
    """One file of a store that is missing or cannot be read.

    Parameters
    ----------
    table : Table
    path : str
        Within the table.
    problem : str
    batches, pieces, paths : tuple of (least, greatest), optional
        Those of its rows, as the log of commits has them.
    """

    table: Table
    path: str
    problem: str
    batches: tuple[int, int] | None = None
    pieces: tuple[int, int] | None = None
    paths: tuple[str, str] | None = None

    @property
    def where(self) -> str:
        """The whole path."""
        return f"{self.table.url}/{self.path}"

    @property
    def is_log(self) -> bool:
        """Whether it is a file of the log of commits, without which the table cannot be opened."""
        return self.path.startswith(entries.FOLDER)

    @property
    def message(self) -> str:
        """What is wrong, with the batches that are concerned."""
        if self.batches is None:
            return self.problem
        first, last = self.batches
        of = f"batch {first}" if first == last else f"batches {first} to {last}"
        return f"{self.problem} ({of})"

    def error(self) -> StoreError:
        """Return the error of a command that needed the file."""
        what = f"a file of the store is damaged: {self.message}"
        return StoreError(what, where=self.where, hint=REMEDY)


@dataclass(frozen=True, slots=True)
class Repaired:
    """What a repair dropped, the sources to ingest again, and the lost runs of unknown sources."""

    damage: tuple[Damage, ...]
    sources: tuple[str, ...]
    unknown: int = 0


def list_damage(
    runs: Table, values: Table, read_log: Callable[[], pa.Table | None]
) -> list[Damage]:
    """Return all damage of a store; commits that it lost show only where its files are sound."""
    for table in (runs, values):
        table.require_folder()
    return (
        [*find_damage(runs), *find_damage(values)]
        or list(_find_lost_logs(runs, values))
        or list(find_lost_commits(read_log(), values, values.open()))
    )


def find_damage(table: Table, *, thoroughly: bool = True) -> Iterator[Damage]:
    """Yield the damaged files of a table.

    Parameters
    ----------
    table : Table
    thoroughly : bool
        Whether every page is read and its checksum verified, or the end of each file alone.
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


def find_missing(table: Table, version: DeltaTable) -> Iterator[Damage]:
    """Yield the files of a version that are gone or of another size; none is opened."""
    sizes = {info.path: info.size for info in table.list_data()}
    for file in table.list_files(version):
        if problem := _check_size(sizes.get(file["path"]), file["size_bytes"]):
            yield _describe(table, file, problem)


def _check_size(size: int | None, stated: int) -> str:
    if size is None:
        return "missing"
    return "" if size == stated else f"{size} bytes in place of {stated}"


def _describe(table: Table, file: dict[str, Any], problem: str) -> Damage:
    return Damage(
        table=table,
        path=file["path"],
        problem=problem,
        batches=_bounds(file, "batch"),
        pieces=_bounds(file, "piece"),
        paths=_bounds(file, "path"),
    )


def _bounds(file: dict[str, Any], column: str) -> Any:  # noqa: ANN401 - as the column
    low, high = file.get(f"min.{column}"), file.get(f"max.{column}")
    return None if low is None or high is None else (low, high)


def _check_file(
    table: Table, version: DeltaTable, file: dict[str, Any], *, thoroughly: bool
) -> str:
    """Return what is wrong with a file of a table; empty if nothing is."""
    import pyarrow as pa
    import pyarrow.parquet as pq

    try:
        with table.filesystem.open_input_file(file["path"]) as opened:
            if problem := _check_size(opened.size(), file["size_bytes"]):
                return problem
            parquet = pq.ParquetFile(opened, page_checksum_verification=True)
            if not fits(parquet.schema_arrow, version):
                return "has columns of other types than its table"
            if thoroughly:
                for _ in parquet.iter_batches():
                    pass
    except FileNotFoundError:
        return "missing"
    except (OSError, pa.ArrowException):
        return "cannot be read"
    return ""


def _check_log(table: Table) -> Iterator[Damage]:
    """Yield the files of the log of commits that cannot be read; gaps where a commit is missing."""
    newest, names = entries.read_newest(table.url), entries.list_names(table.filesystem)
    paths = [f"{entries.FOLDER}/{name}" for name in names]
    broken = [path for path in paths if not entries.is_sound(table.filesystem, path)]
    for path in broken:
        yield Damage(table=table, path=path, problem="cannot be read")
    if broken:
        return
    versions = sorted(entries.version_of(name) for name in names if name.endswith(".json"))
    gaps = [gap for one, next_ in pairwise(versions) for gap in range(one + 1, next_)]
    for gap in gaps:
        yield Damage(table=table, path=entries.path_of(gap), problem="missing")
    if not gaps and newest > max(map(entries.version_of, names), default=-1):
        gaps = [newest]
        yield Damage(table=table, path=entries.path_of(newest), problem="missing")
    if gaps:
        return
    try:
        version = table.open()
    except StoreError as error:
        yield Damage(table=table, path=entries.FOLDER, problem=f"cannot be read: {error.what}")
    else:
        if names and version is None:
            yield Damage(table=table, path=entries.FOLDER, problem="its first commit is missing")


def lose_log(table: Table) -> Damage:
    """Return the damage of a table whose log of commits is gone."""
    return Damage(table=table, path=entries.FOLDER, problem="missing, the whole log of commits")


def _find_lost_logs(runs: Table, values: Table) -> Iterator[Damage]:
    """Yield the logs of commits that a store lost: its log of runs is begun before any other file.

    Values alone may be those of a writer that was killed, so that their log is missed only where
    that of runs is, too.
    """
    if runs.open() is None:
        lost = [table for table in (runs, values) if table.has_remains()]
        if lost:
            yield lose_log(runs)
        if values in lost and values.open() is None:
            yield lose_log(values)


def find_lost_commits(
    log: pa.Table | None, values: Table, version: DeltaTable | None
) -> Iterator[Damage]:
    """Yield the newest entry of the values that the log of runs knows of, if it is missing."""
    if log is None:
        return
    known, pieces = log_of_runs.values_version(log), log_of_runs.current(log)
    roles = set(pieces["role"].unique().to_pylist()) if "role" in pieces.column_names else set()
    if version is None and known < 0 and roles & MEASURED:
        known = 0  # an earlier build did not write down the version
    if known > (-1 if version is None else version.version()):
        yield Damage(table=values, path=entries.path_of(known), problem="missing")
