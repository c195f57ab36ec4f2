"""Files of values: written next to the store's table, but valid only once they are committed.

Processes that read sources write the samples themselves, in the layout of the store. Nothing large
ever passes from one process to another, and no file is visible before the single commit that names
all of them.
"""

from __future__ import annotations

import errno
import json
import os
import time
import uuid
from collections.abc import Iterable, Iterator, Mapping, Sequence
from contextlib import contextmanager, suppress
from dataclasses import dataclass, field
from pathlib import Path
from typing import TYPE_CHECKING, Any

from benchkit.errors import StoreError
from benchkit.reading.bounds import OUTSIZED, OutsizedError
from benchkit.regexes import regex
from benchkit.store.checksums import sign
from benchkit.store.columns import (
    GROUP_ROWS,
    PARTITION,
    file_schema,
    fits,
    log_settings,
    parquet_settings,
    plain,
)
from benchkit.store.contents import UnsoundError, has_all_values, require_sound
from benchkit.store.notes import write_notes

if TYPE_CHECKING:
    import pyarrow as pa
    from deltalake import DeltaTable
    from deltalake.transaction import AddAction

#: Metadata key in a file of the log of runs, for the base of its commit.
RECORD = b"benchkit"
#: Paths, within their tables, of files that this package writes.
_FILE = regex(rf"{PARTITION}=(true|false)/.+\.parquet|\d+-[0-9a-f]{{32}}(-[0-9a-f]{{8}})?\.parquet")
#: The remedy for damage.
REMEDY = "list all damage with `benchkit store check`, and remove it with `benchkit store repair`"
_SUBJECT = "a file of the store "
#: Problems of a file with rows or columns other than expected.
OTHER_ROWS = "does not have the rows that were committed"
OTHER_COLUMNS = "has columns other than those of its table"
#: Error numbers of a file that does not exist.
_GONE = {errno.ENOENT, errno.ENOTDIR, errno.EISDIR}
#: Error numbers of a file system without space.
_FULL = {errno.ENOSPC, errno.EDQUOT, errno.EFBIG}
#: Columns whose minimum and maximum let readers skip files.
_BOUNDED = ("batch", "piece", "metric")
#: Columns whose bounds reveal a wrong file.
COUNTED = {"batch", "piece", "seq"}


@dataclass(frozen=True, slots=True, kw_only=True)
class DataFile:
    """A written Parquet file that a commit may add to its table.

    Parameters
    ----------
    path : Path
        Its local path.
    is_raw : bool or None
        The partition of the table of values: whether it holds samples. None if there is no
        partition.
    rows, size : int
        The size is in bytes.
    bounds : dict of column to (least, greatest)
    notes : mapping
        Further information on a file of the log of runs for the log of commits.
    is_placed : bool
        Whether it is already in its table, if that is remote.
    """

    path: Path
    is_raw: bool | None = None
    rows: int
    size: int
    bounds: dict[str, tuple[Any, Any]]
    notes: Mapping[str, object] = field(default_factory=dict)
    is_placed: bool = False

    @classmethod
    def existing(
        cls, name: str, size: int, keys: pa.Table, notes: Mapping[str, object] | None = None
    ) -> DataFile:
        """Return a file that is already in its table, given the batch and piece of its rows."""
        import pyarrow.compute as pc

        path = Path(name)
        is_raw = {_partition(is_raw=kind): kind for kind in (True, False)}.get(path.parent.name)
        extremes = {column: pc.min_max(keys[column]) for column in keys.column_names}
        bounds = {
            column: (one["min"].as_py(), one["max"].as_py()) for column, one in extremes.items()
        }
        rows, notes = len(keys), notes or {}
        return cls(path=path, is_raw=is_raw, rows=rows, size=size, bounds=bounds, notes=notes)

    @property
    def name(self) -> str:
        """Its path within the table."""
        name = self.path.name
        return name if self.is_raw is None else f"{_partition(is_raw=self.is_raw)}/{name}"

    def action(self) -> AddAction:
        """Return the entry for a commit."""
        from deltalake.transaction import AddAction

        values = {} if self.is_raw is None else {PARTITION: str(self.is_raw).lower()}
        return AddAction(
            path=self.name,
            size=self.size,
            partition_values=values,
            modification_time=time.time_ns() // 1_000_000,
            data_change=True,
            stats=self._statistics(),
        )

    def _statistics(self) -> str:
        return json.dumps(
            {
                "numRecords": self.rows,
                "minValues": {name: low for name, (low, _) in self.bounds.items()},
                "maxValues": {name: high for name, (_, high) in self.bounds.items()},
                "nullCount": dict.fromkeys(self.bounds, 0),
                **self.notes,
            }
        )


def _partition(*, is_raw: bool) -> str:
    return f"{PARTITION}={str(is_raw).lower()}"


class FileWriter:
    """Writes one file of values; a file that is not closed leaves nothing behind.

    Parameters
    ----------
    folder : Path
        The folder of the table.
    batch : int
        The beginning of the file's name.
    is_raw : bool
    """

    def __init__(self, folder: Path, batch: int, *, is_raw: bool) -> None:
        self._is_raw = is_raw
        place = folder / _partition(is_raw=is_raw)
        with writing(folder):
            place.mkdir(parents=True, exist_ok=True)
        self.path = place / f"{batch}-{uuid.uuid4().hex}.parquet"
        self._schema = file_schema(is_raw=is_raw)
        self._rows = 0
        self._bounds: dict[str, tuple[Any, Any]] = {}
        self._writer: Any = None  # created for the first rows

    def write(self, table: pa.Table) -> None:
        """Write rows as one row group, without the partition column."""
        import pyarrow as pa
        import pyarrow.compute as pc
        import pyarrow.parquet as pq

        chosen = table.select(self._schema.names).cast(self._schema)
        for name in _BOUNDED:
            bounded = chosen[name].unique().cast(pa.string()) if name == "metric" else chosen[name]
            extremes = pc.min_max(bounded)
            low, high = extremes["min"].as_py(), extremes["max"].as_py()
            known = self._bounds.get(name, (low, high))
            self._bounds[name] = (min(known[0], low), max(known[1], high))
        with writing(self.path.parent):
            if self._writer is None:
                settings = parquet_settings(chosen, is_raw=self._is_raw)
                self._writer = pq.ParquetWriter(self.path, self._schema, **settings)
            self._writer.write_table(chosen, row_group_size=max(len(chosen), 1))
        self._rows += len(chosen)

    def close(self) -> DataFile:
        """Close the file and return the information that a commit needs."""
        with writing(self.path.parent):
            self._writer.close()
            self.path = sign(self.path)
        return DataFile(
            path=self.path, is_raw=self._is_raw, rows=self._rows,
            size=self.path.stat().st_size, bounds=self._bounds,
        )  # fmt: skip

    def drop(self) -> None:
        """Discard the file."""
        with suppress(OSError):  # a full disk also refuses the end of the file
            if self._writer is not None:
                self._writer.close()
        self.path.unlink(missing_ok=True)


def is_file_of_store(path: str) -> bool:
    """Return whether this package wrote a file, given its path within a table.

    Examples
    --------
    >>> is_file_of_store("raw=true/part-0.parquet"), is_file_of_store("mine.parquet")
    (True, False)
    """
    return _FILE.fullmatch(path) is not None


def holds_stated_rows(
    stated: Mapping[str, Any], parts: Iterable[pa.Table | pa.RecordBatch]
) -> bool:
    """Return whether a file's rows and their bounds match the log of commits.

    Parameters
    ----------
    stated : mapping, as delta-rs lists a file
    parts : iterable of Table, all of its rows with some columns

    Raises
    ------
    UnsoundError
        If a row contains something that benchkit never writes.
    """
    import pyarrow.compute as pc

    rows = 0
    for part in parts:
        rows += len(part)
        require_sound(part)
        if not has_all_values(part):
            return False
        for name in COUNTED & set(part.schema.names):
            least, greatest = pc.min_max(part[name]).as_py().values()
            low, high = stated.get(f"min.{name}"), stated.get(f"max.{name}")
            if None not in (least, low, high) and not low <= least <= greatest <= high:
                return False
    return stated.get("num_records") in {None, rows}


def require_stated_rows(path: str, stated: Mapping[str, Any], rows: pa.Table) -> None:
    """Refuse a file that does not match the log of commits, or contains unsound rows."""
    try:
        is_stated = holds_stated_rows(stated, [rows])
    except UnsoundError as error:
        raise damaged(path, error) from None
    if not is_stated:
        raise damaged(path, OTHER_ROWS)


def is_raw(file: Mapping[str, Any]) -> bool:
    """Return whether a file of values, as delta-rs lists it, holds samples."""
    return str(file.get(f"partition.{PARTITION}")).lower() == "true"


def as_problem(error: StoreError) -> str:
    """Return the problem of the file that an error names."""
    return error.what.removeprefix(_SUBJECT)


def explain_refusal(error: BaseException) -> str:
    """Return why the file system refuses an existing file, which is not damage; empty otherwise.

    Examples
    --------
    >>> explain_refusal(PermissionError(13, "Permission denied"))
    'Permission denied'
    >>> explain_refusal(FileNotFoundError(2, "No such file")), explain_refusal(ValueError("cut"))
    ('', '')
    """
    number = error.errno if isinstance(error, OSError) else None
    return os.strerror(number) if number and number not in _GONE else ""


def refused(path: str, reason: str) -> StoreError:
    """Return the error for an existing file that cannot be accessed."""
    return StoreError(
        f"{_SUBJECT}cannot be opened: {reason}",
        where=path,
        hint="nothing is lost while it is there: make it readable, then repeat the command",
    )


def damaged(path: str, cause: Exception | str) -> StoreError:
    """Return the error for a file that cannot be read, or that has a known problem."""
    if isinstance(cause, Exception) and (reason := explain_refusal(cause)):
        return refused(path, reason)
    name = path.rpartition("/")[2]
    batch = name.partition("-")[0]
    of = f"of batch {batch} " if batch.isdecimal() else ""
    missing = "is missing" if isinstance(cause, FileNotFoundError) else "cannot be read"
    missing = OUTSIZED if isinstance(cause, OutsizedError) else missing
    problem = str(cause) if isinstance(cause, str | UnsoundError) else missing
    return StoreError(f"{_SUBJECT}{of}{problem}", where=path, hint=REMEDY)


def require_names(path: str, names: Sequence[str], version: DeltaTable | None) -> None:
    """Refuse a file with a column that its table lacks, because another one is then missing."""
    if version and not {*names} <= {field.name for field in version.schema().fields}:
        raise damaged(path, OTHER_COLUMNS)


def join_rows(url: str, rows: Mapping[str, pa.Table], version: DeltaTable) -> pa.Table:
    """Return the rows of files, by path, as one table."""
    import pyarrow as pa

    try:
        return pa.concat_tables(rows.values(), promote_options="permissive")
    except pa.ArrowException as error:
        for path, table in rows.items():
            if not fits(table.schema, version):
                raise damaged(f"{url}/{path}", error) from error
        raise


@contextmanager
def writing(folder: Path) -> Iterator[None]:
    """Turn a file system's refusal into a `StoreError`."""
    try:
        yield
    except OSError as error:
        reason = os.strerror(error.errno) if error.errno else str(error)
        raise StoreError(
            f"cannot write the store: {reason}",
            where=str(folder),
            hint="nothing was changed; free some space, make the store writable, or use another "
            "one with --store",
        ) from error


def is_about_space(error: StoreError) -> bool:
    """Return whether a file system refused to write for lack of space."""
    cause = error.__cause__
    if isinstance(cause, OSError) and cause.errno:
        return cause.errno in _FULL
    return any(f"(os error {number})" in str(cause) for number in _FULL)  # in the words of delta-rs


def make_folder(folder: Path) -> None:
    """Make the folder of a store, and exclude its files from version control."""
    with writing(folder):
        folder.mkdir(parents=True, exist_ok=True)
        with suppress(FileExistsError), (folder / ".gitignore").open("x") as ignore:
            ignore.write("*\n")


def write_rows(
    folder: Path,
    seq: int,
    rows: pa.Table,
    record: Mapping[str, object],
    changes: Mapping[str, object],
) -> DataFile:
    """Write the rows that one commit adds to the log of runs.

    Parameters
    ----------
    folder, seq
        Table and commit; both begin the file's path.
    rows : Table
    record : mapping
        The base of the commit, for a repair without the log of commits.
    changes : mapping
        Its effect on earlier pieces, for a repair without the file.
    """
    import pyarrow.parquet as pq

    path = folder / f"{seq}-{uuid.uuid4().hex}.parquet"
    with writing(folder):
        folder.mkdir(parents=True, exist_ok=True)
        try:
            with pq.ParquetWriter(path, rows.schema, **log_settings(rows)) as writer:
                writer.write_table(rows, row_group_size=GROUP_ROWS)
                writer.add_key_value_metadata({RECORD: json.dumps(record)})
            path = sign(path)
        except BaseException:
            path.unlink(missing_ok=True)
            raise
        size, bounds, notes = path.stat().st_size, _bound(rows), write_notes(rows, changes)
        return DataFile(path=path, rows=len(rows), size=size, bounds=bounds, notes=notes)


def _bound(rows: pa.Table) -> dict[str, tuple[Any, Any]]:
    import pyarrow.compute as pc

    names = [name for name in ("seq", "batch", "path") if name in rows.column_names]
    bounded = plain(rows.select(names))
    extremes = {name: pc.min_max(bounded[name]) for name in names}
    return {name: (one["min"].as_py(), one["max"].as_py()) for name, one in extremes.items()}
