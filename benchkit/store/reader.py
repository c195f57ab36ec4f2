"""Reading the data files of a table: what was read of a file is not read again.

A file never changes, so its columns are kept for as long as the version that was last read has it.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from typing import TYPE_CHECKING, Any, NamedTuple

from benchkit.reading.parquet import open_parquet, read_rows
from benchkit.store.checksums import require_signed
from benchkit.store.columns import plain
from benchkit.store.files import damaged, require_names, require_stated_rows

if TYPE_CHECKING:
    import pyarrow as pa
    from deltalake import DeltaTable
    from pyarrow import fs

#: Bytes of a file below which all its columns are read at once, whichever are requested.
SMALL = 1 << 18


class _Read(NamedTuple):
    """What was read of a file, and the names of all its columns."""

    names: Sequence[str]
    rows: pa.Table


class Reader:
    """Reads the files of a table.

    Parameters
    ----------
    url : str
        Of the table.
    connect : callable
        Returns its file system.
    """

    def __init__(self, url: str, connect: Callable[[], fs.FileSystem]) -> None:
        self._url, self._connect = url, connect
        self._kept: dict[str, _Read] = {}

    def keep(self, files: Sequence[Mapping[str, Any]]) -> None:
        """Forget all but these files."""
        paths = {file["path"] for file in files}
        self._kept = {path: read for path, read in self._kept.items() if path in paths}

    def read(
        self, file: Mapping[str, Any], columns: Sequence[str] | None, version: DeltaTable
    ) -> pa.Table:
        """Return the rows of a file of a version, all columns or some of them."""
        path, known = file["path"], self._kept.get(file["path"])
        if known is None:
            is_whole = columns is None or file["size_bytes"] < SMALL
            known = self._read(path, None if is_whole else columns, version)
            self._require_stated(file, known.rows)
        names = [name for name in known.names if columns is None or name in columns]
        missing = [name for name in names if name not in known.rows.column_names]
        if missing:
            rows = self._read(path, missing, version).rows
            self._require_stated(file, rows)
            for name in missing:
                known = known._replace(rows=known.rows.append_column(name, rows[name]))
        self._kept[path] = known
        return known.rows.select(names)

    def read_file(self, path: str, columns: Sequence[str] | None = None) -> pa.Table:
        """Return the rows of one file, of any version or none."""
        return self._read(path, columns, None).rows

    def read_groups(self, path: str) -> Iterator[pa.Table]:
        """Yield the rows of one file, a row group at a time."""
        with self._reading(path) as file:
            parquet = open_parquet(file)
            for group in range(parquet.num_row_groups):
                yield plain(parquet.read_row_group(group))

    def _read(self, path: str, columns: Sequence[str] | None, version: DeltaTable | None) -> _Read:
        with self._reading(path) as file:
            parquet = open_parquet(file, coded=True)
            names = parquet.schema_arrow.names
            require_names(f"{self._url}/{path}", names, version)
            return _Read(names, plain(read_rows(file, parquet, columns)))

    @contextmanager
    def _reading(self, path: str) -> Iterator[pa.NativeFile]:
        """Open a data file that is as it was written; what cannot be read is damage."""
        import pyarrow as pa

        try:
            with self._connect().open_input_file(path) as file:
                if "://" not in self._url:  # where it would be transferred twice
                    require_signed(path, file)
                yield file
        except (OSError, UnicodeError, pa.ArrowException) as error:
            raise damaged(f"{self._url}/{path}", error) from error

    def _require_stated(self, file: Mapping[str, Any], rows: pa.Table) -> None:
        require_stated_rows(f"{self._url}/{file['path']}", file, rows)
