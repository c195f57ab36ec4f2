"""Reading of a table's data files; columns that were already read are not read again.

A file never changes, so its columns are kept as long as the version that was read last contains it.
"""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterator, Mapping, Sequence
from contextlib import contextmanager
from typing import TYPE_CHECKING, Any, NamedTuple

from benchkit.reading.bounds import open_parquet, read_rows
from benchkit.store.checksums import require_signed
from benchkit.store.columns import plain
from benchkit.store.contents import UnsoundError, require_sound
from benchkit.store.files import damaged, join_rows, require_names, require_stated_rows

if TYPE_CHECKING:
    import numpy as np
    import pyarrow as pa
    from deltalake import DeltaTable
    from pyarrow import fs

#: Size in bytes below which all columns of a file are read at once, whichever are requested.
SMALL = 1 << 18


class _Read(NamedTuple):
    """The columns read from a file, the names of all columns, and the remaining ones as codes."""

    names: Sequence[str]
    rows: pa.Table
    rest: pa.Table | None = None


class Reader:
    """Reads the files of a table.

    Parameters
    ----------
    url : str
        The address of the table.
    connect : callable
        Returns the table's file system.
    """

    def __init__(self, url: str, connect: Callable[[], fs.FileSystem]) -> None:
        self._url, self._connect = url, connect
        self._kept: dict[str, _Read] = {}

    def read_files(
        self, files: Sequence[Mapping[str, Any]], columns: Sequence[str] | None,
        version: DeltaTable, paths: Collection[str] | None = None,
    ) -> pa.Table:  # fmt: skip
        """Return the rows of all files of a version, or of the files at some paths."""
        self._keep(files)
        read = {
            file["path"]: self._read_columns(file, columns, version)
            for file in files
            if paths is None or file["path"] in paths
        }
        return self._join(read, version)

    def take_rows(
        self, files: Sequence[Mapping[str, Any]], places: np.ndarray, version: DeltaTable
    ) -> pa.Table:
        """Return some rows of the files of a version with all columns.

        Files without any of these rows are not read further.
        """
        import numpy as np
        import pyarrow as pa

        self._keep(files)
        start, read, order = 0, dict[str, pa.Table](), list[np.ndarray]()
        for file in files:
            end = start + len(self._read_columns(file, (), version))
            inside = np.flatnonzero((places >= start) & (places < end))
            if len(inside):
                order.append(inside)
                read[file["path"]] = self._take(file, pa.array(places[inside] - start), version)
            start = end
        rows = self._join(read, version)
        return rows.take(pa.array(np.concatenate(order).argsort())) if order[1:] else rows

    def _keep(self, files: Sequence[Mapping[str, Any]]) -> None:
        """Forget all files except these."""
        paths = {file["path"] for file in files}
        self._kept = {path: read for path, read in self._kept.items() if path in paths}

    def _join(self, read: Mapping[str, pa.Table], version: DeltaTable) -> pa.Table:
        import pyarrow as pa

        if not read:
            return plain(pa.schema(version.schema()).empty_table())
        return join_rows(self._url, read, version)

    def _read_columns(
        self, file: Mapping[str, Any], columns: Sequence[str] | None, version: DeltaTable
    ) -> pa.Table:
        """Return all or some columns of a file of a version."""
        path, known = file["path"], self._kept.get(file["path"])
        if known is None:
            is_whole = columns is None or file["size_bytes"] < SMALL
            known = self._read(path, None if is_whole else columns, version, file)
        names = [name for name in known.names if columns is None or name in columns]
        held = {*known.rows.column_names}
        missing = [name for name in names if name not in held]
        if missing:
            rows = self._read(path, missing, version, file).rows
            for name in missing:
                known = known._replace(rows=known.rows.append_column(name, rows[name]))
        self._kept[path] = known
        return known.rows.select(names)

    def _take(self, file: Mapping[str, Any], places: pa.Array, version: DeltaTable) -> pa.Table:
        """Return some rows of a file with all columns; rarely used columns are kept as codes."""
        known = self._kept[file["path"]]
        held = {*known.rows.column_names}
        missing = [name for name in known.names if name not in held]
        rows = known.rows.take(places)
        if missing and known.rest is None:
            known = known._replace(rest=self._read_coded(file["path"], missing, version).rows)
            self._kept[file["path"]] = known
        if known.rest is not None and missing:
            rest = plain(known.rest.select(missing).take(places))
            try:
                require_sound(rest)
            except UnsoundError as error:
                raise damaged(f"{self._url}/{file['path']}", error) from None
            for name in missing:
                rows = rows.append_column(name, rest[name])
        return rows.select(known.names)

    def read_coded(self, file: Mapping[str, Any], version: DeltaTable) -> pa.Table:
        """Return the rows of a file with codes for texts, without keeping them."""
        return self._read_coded(file["path"], None, version).rows

    def read_file(self, path: str, columns: Sequence[str] | None = None) -> pa.Table:
        """Return the rows of one file, whether or not a version contains it."""
        return self._read(path, columns, None).rows

    def read_groups(self, path: str) -> Iterator[pa.Table]:
        """Yield the rows of one file, one row group at a time."""
        with self._reading(path) as file:
            parquet = open_parquet(file)
            for group in range(parquet.num_row_groups):
                yield plain(parquet.read_row_group(group))

    def _read(
        self, path: str, columns: Sequence[str] | None, version: DeltaTable | None,
        stated: Mapping[str, Any] | None = None,
    ) -> _Read:  # fmt: skip
        """Read columns of a file; require that they match the log of commits, if stated."""
        read = self._read_coded(path, columns, version)
        if stated is not None:  # before decoding the texts: fewer have to be checked
            coded = read.rows.unify_dictionaries()
            require_stated_rows(f"{self._url}/{path}", stated, coded)
        return read._replace(rows=plain(read.rows))

    def _read_coded(
        self, path: str, columns: Sequence[str] | None, version: DeltaTable | None
    ) -> _Read:
        with self._reading(path) as file:
            parquet = open_parquet(file, coded=True)
            names = parquet.schema_arrow.names
            require_names(f"{self._url}/{path}", names, version)
            return _Read(names, read_rows(file, parquet, columns))

    @contextmanager
    def _reading(self, path: str) -> Iterator[pa.NativeFile]:
        """Open a data file after checking that it is unchanged; report read errors as damage."""
        import pyarrow as pa

        try:
            with self._connect().open_input_file(path) as file:
                if "://" not in self._url:  # which would transfer it twice
                    require_signed(path, file)
                yield file
        except (OSError, UnicodeError, pa.ArrowException) as error:
            raise damaged(f"{self._url}/{path}", error) from error
