"""The log of runs of a store: opening, reading, appending, and merging of its files."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager, nullcontext, suppress
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import TYPE_CHECKING

from benchkit.errors import StoreError
from benchkit.store import damage
from benchkit.store import log as log_of_runs
from benchkit.store.columns import plain
from benchkit.store.confines import require_place
from benchkit.store.conflicts import ConflictError, attempts, translated
from benchkit.store.files import DataFile, write_rows
from benchkit.store.log import log_schema
from benchkit.store.tidying import MANY_COMMITS, MANY_ROWS, choose_similar, count_rows

if TYPE_CHECKING:
    import numpy as np
    import pyarrow as pa
    from deltalake import DeltaTable

    from benchkit.store.delta import Table


def _identify(version: DeltaTable) -> tuple[str, int]:
    return str(version.metadata().id), version.version()


def open_table(url: str, table: Table) -> DeltaTable | None:
    """Open a table of a store; if that fails, name the damaged file."""
    require_place(url)
    table.require_folder()
    try:
        with translated(url):
            return table.open()
    except StoreError as error:
        with suppress(OSError):  # if the table is unreachable, no file is damaged
            for one in damage.find_damage(table, thoroughly=False):
                raise one.error() from error
        raise


class RunLog:
    """The log of runs of a store.

    Parameters
    ----------
    url : str
        The address of the store.
    runs, values : Table
    """

    def __init__(self, url: str, runs: Table, values: Table) -> None:
        self.url = url
        self._runs, self._values = runs, values
        self._last: tuple[tuple[object, ...], pa.Table] | None = None
        self._places: tuple[tuple[object, ...], np.ndarray] | None = None
        self._current: tuple[pa.Table, pa.Table | None] | None = None
        self._version: DeltaTable | None = None

    def open(self) -> DeltaTable | None:
        """Open the log; refuse files of a store that lost its log."""
        version = open_table(self.url, self._runs)
        if version is None and self.has_remains():
            version = open_table(self.url, self._runs)  # another writer may have begun it meanwhile
            if version is None:
                raise damage.lose_log(self._runs).error()
        for one in damage.find_lost_runs(self._runs, version):
            raise one.error()
        return version

    def has_remains(self) -> bool:
        """Return whether the folder contains files of a store."""
        return self._runs.has_remains() or self._values.has_remains()

    def begin(self) -> None:
        """Begin the log before any file is written: files without a log indicate a lost one."""
        if self.open() is None:
            with suppress(ConflictError):
                self._runs.claim(None, log_schema(), [])

    def read(self, version: DeltaTable, columns: Sequence[str] | None = None) -> pa.Table:
        """Return at least these columns of a version's log, kept until another one is read."""
        names = None if columns is None else (*log_of_runs.KEYS, *columns)
        key = *_identify(version), names
        if self._last is None or self._last[0] != key:
            self._last = key, log_of_runs.complete(self._runs.read(version, names))
        self._version = version
        return self._last[1]

    def find_current(self, log: pa.Table | None) -> pa.Table | None:
        """Return the current pieces of a log that was just read, or None if there are none.

        Their positions are those in the version, whichever columns were read.
        """
        if log is None or not len(log):
            return None
        if self._current is None or self._current[0] is not log:
            is_last = self._last is not None and self._last[1] is log
            places = self._place(log) if is_last else None
            self._current = log, log_of_runs.current(log, places)
        return self._current[1]

    def _place(self, log: pa.Table) -> np.ndarray:
        """Return the positions of the pieces in the log of the version that was read last."""
        assert self._version is not None  # noqa: S101 - it was read
        key = _identify(self._version)
        if self._places is None or self._places[0] != key:
            self._places = key, log_of_runs.place_current(log)
        return self._places[1]

    def read_last(self, *, is_anew: bool = False) -> pa.Table | None:
        """Return the log that was read last, or else the current one."""
        if is_anew and (version := self.open()) is not None:
            return log_of_runs.complete(self._runs.read(version))
        if self._last is None and (version := self.open()) is not None:
            self.read(version)
        return self._last and self._last[1]

    def read_pieces(self, *, is_anew: bool = False) -> tuple[pa.Table | None, pa.Table | None]:
        """Return the log like `read_last`, and its current pieces."""
        log = self.read_last(is_anew=is_anew)
        return log, self.find_current(log)

    def forget(self) -> None:
        """Discard the log, so that it is read again."""
        self._last = None

    def take(self, places: pa.Array) -> pa.Table:
        """Return all columns of pieces, by their positions among those that were read last."""
        assert self._version is not None  # noqa: S101 - places are those of a version
        assert self._last is not None  # noqa: S101 - read with it
        at = self._place(self._last[1])
        taken = self._runs.take(self._version, at[places.to_numpy()])
        return log_of_runs.without_log(log_of_runs.complete(taken))

    def holds_marks(self) -> bool:
        """Return whether a name in the log contains a keyed mark in place of a secret."""
        if (version := self.open()) is None:
            return False
        read, files = self._runs.reader.read_coded, self._runs.list_files(version)
        return any(log_of_runs.holds_marks(read(file, version)) for file in files)

    def append(
        self, build: Callable[[pa.Table], pa.Table], operation: str,
        columns: Sequence[str] | None = None,
    ) -> pa.Table:  # fmt: skip
        """Append rows that ``build`` makes from the log or some of its columns, and return them."""
        written: list[DataFile] = []
        rows = log_schema().empty_table()
        for _ in attempts(self.url):
            version = self.open()
            if version is not None and self._has(version, written):
                break  # the response to our commit was lost, so its retry conflicted with itself
            log = self.read(version, columns) if version else log_schema().empty_table()
            rows = build(log)
            if not len(rows):
                break
            if version is None:
                self.begin()
                continue
            seq = max(version.version(), log_of_runs.last_seq(log)) + 1
            values = open_table(self.url, self._values)
            state = -1 if values is None else values.version()
            rows = log_of_runs.add_log_columns(rows, seq, operation, state)
            schema = plain(rows.schema.empty_table()).schema
            try:
                self._runs.widen(version, schema)  # which also conflicts with any other commit
                record = self._describe(version, seq)
                changes = log_of_runs.list_changes(log, rows)
                with self._writing(rows, record, changes) as file:
                    written.append(file)
                    self._runs.claim(version, schema, [file])
            except ConflictError:
                continue
            break
        return rows

    def merge(self, version: DeltaTable, *, thoroughly: bool = False) -> int:
        """Merge many files, or all if many rows are superseded; return how many were merged."""
        files = self._runs.list_files(version)
        rows = sorted(count_rows(file) for file in files)
        is_many = len(files) >= MANY_COMMITS or sum(rows[:-1]) > MANY_ROWS
        if len(files) < 2 or not (is_many or thoroughly):
            return 0
        log, chosen = self.read(version, ()), [file["path"] for file in files]
        if not thoroughly and log_of_runs.count_spare(log) <= MANY_ROWS:
            if len(files) < MANY_COMMITS:
                return 0
            chosen = [file["path"] for file in choose_similar(files)]
            if not chosen:
                return 0
        others = {file["path"] for file in files}.difference(chosen)
        rest = log_of_runs.complete(self._runs.read(version, log_of_runs.KEYS, others))
        rows = log_of_runs.complete(self._runs.read(version, None, chosen))
        rows = log_of_runs.needed(rows, rest)
        if not len(rows):
            self._runs.claim(version, version.schema(), [], chosen)
            return len(chosen)
        record = self._describe(version, log_of_runs.last_seq(log), chosen)
        with self._writing(rows, record, log_of_runs.list_changes(rest, rows)) as file:
            self._runs.claim(version, version.schema(), [file], chosen)
        return len(chosen)

    def _describe(
        self, base: DeltaTable, seq: int, replaced: Sequence[str] = ()
    ) -> dict[str, object]:
        """Return a record of the state after a file's commit, for a repair."""
        files = [file["path"] for file in self._runs.list_files(base)]
        kept = [path for path in files if path not in replaced]
        return {"base": base.version(), "files": kept, "is_joined": bool(replaced), "seq": seq}

    @contextmanager
    def _writing(
        self, rows: pa.Table, record: Mapping[str, object],
        changes: Mapping[str, log_of_runs.Ranges],
    ) -> Iterator[DataFile]:  # fmt: skip
        """Write rows of the log next to its table; delete them if others came first."""
        with (
            TemporaryDirectory(prefix="benchkit-")
            if self._runs.is_remote
            else nullcontext(self._runs.url) as folder
        ):
            file = write_rows(Path(folder), log_of_runs.last_seq(rows), rows, record, changes)
            self._runs.bring(file)
            try:
                yield file
            except ConflictError:
                version = open_table(self.url, self._runs)
                if version is None or not self._has(version, [file]):
                    self._runs.drop(file)
                raise

    def _has(self, version: DeltaTable, files: Sequence[DataFile]) -> bool:
        """Return whether a version contains one of these files."""
        names = {file.name for file in files}
        return bool(names) and any(f["path"] in names for f in self._runs.list_files(version))
