"""An existing but unreadable file of a store is not damage, since a repair would drop it."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import Any

import pyarrow as pa
import pytest
from pyarrow import fs

from benchkit.cli import run
from benchkit.errors import StoreError
from benchkit.ingestion.commit import ingest
from benchkit.store import Store
from benchkit.store.damage import _check_file
from benchkit.store.delta import Table

FIXTURES = Path(__file__).resolve().parent.parent / "fixtures"
Captured = pytest.CaptureFixture[str]


@pytest.fixture
def store(tmp_path: Path) -> Path:
    ingest([str(FIXTURES / "tracing-wrk" / "none")], Store(str(tmp_path / "store")))
    return tmp_path / "store"


class Refusing:
    """A file system that refuses to open or list anything whose path contains a name."""

    def __init__(self, files: fs.FileSystem, name: str) -> None:
        self._files, self._name = files, name

    def __getattr__(self, name: str) -> Any:  # noqa: ANN401 - as the file system has it
        return getattr(self._files, name)

    def open_input_file(self, path: str) -> pa.NativeFile:
        if path.endswith(self._name):
            raise PermissionError(13, "Permission denied")
        return self._files.open_input_file(path)

    def get_file_info(self, where: fs.FileSelector | str) -> Any:  # noqa: ANN401
        if isinstance(where, fs.FileSelector) and where.base_dir == self._name:
            raise PermissionError(13, "Permission denied")
        return self._files.get_file_info(where)


@pytest.fixture
def refuse(monkeypatch: pytest.MonkeyPatch) -> Callable[[str, str], None]:
    """Return a function that makes a file or folder of a table inaccessible."""
    plain = vars(Table)["filesystem"].func

    def close(table: str, name: str) -> None:
        def get(self: Table) -> fs.FileSystem | Refusing:
            return Refusing(plain(self), name) if self.name == table else plain(self)

        monkeypatch.setattr(Table, "filesystem", property(get))

    return close


def list_files(store: Path) -> list[Path]:
    return sorted(file for file in store.rglob("*") if file.is_file())


@pytest.mark.parametrize("table", ["runs", "values"])
@pytest.mark.parametrize("ending", ["parquet", "json"])
def test_file_without_read_permission_is_not_damage(
    table: str,
    ending: str,
    store: Path,
    refuse: Callable[[str, str], None],
    monkeypatch: pytest.MonkeyPatch,
    capsys: Captured,
) -> None:
    path = min((store / table).rglob(f"*.{ending}"))
    before = list_files(store)
    refuse(table, path.name)
    for command in (["store", "check"], ["store", "repair"], ["report"], ["export"]):
        assert run([*command, "--store", str(store)]) == 3
        error = capsys.readouterr().err
        assert f"{path}: a file of the store cannot be opened: Permission denied" in error
    monkeypatch.undo()
    assert list_files(store) == before
    assert Store(str(store)).check() == []


def test_folder_without_list_permission_is_not_damage(
    store: Path, refuse: Callable[[str, str], None], capsys: Captured
) -> None:
    refuse("values", "_delta_log")
    for command in ("check", "repair"):
        assert run(["store", command, "--store", str(store)]) == 3
        assert "make it readable and writable" in capsys.readouterr().err


@pytest.mark.parametrize("is_reached", [True, False])
def test_remote_file_is_damaged_only_if_its_bytes_are_readable(
    store: Path, monkeypatch: pytest.MonkeyPatch, *, is_reached: bool
) -> None:
    """An object store raises the same error for a torn object and for one it does not send."""
    table = Store(str(store))._values

    class Remote(Refusing):
        def open_input_file(self, path: str) -> pa.NativeFile:
            raise OSError(f"Generic S3 error: {path}: timed out")

        def open_input_stream(self, path: str) -> pa.NativeFile:
            return self._files.open_input_stream(path) if is_reached else self.open_input_file(path)

    version = table.open()
    assert version is not None
    (file,) = table.list_files(version)
    monkeypatch.setattr(table, "is_remote", True)
    monkeypatch.setattr(table, "filesystem", Remote(table.filesystem, ""))
    if is_reached:
        assert _check_file(table, version, file, thoroughly=True) == "cannot be read"
    else:
        with pytest.raises(StoreError, match=r"cannot be opened: .* timed out"):
            _check_file(table, version, file, thoroughly=True)
