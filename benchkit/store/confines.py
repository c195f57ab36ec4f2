"""Confinement of a store to its folder: nothing outside is read, written or deleted through it.

A store may come with a checkout, whose author may have placed links in it, or paths in its log of
commits.
"""

from __future__ import annotations

import os
import shlex
from collections.abc import Iterable
from contextlib import suppress
from pathlib import Path, PurePosixPath
from typing import TYPE_CHECKING

from benchkit.errors import ConfigError, StoreError
from benchkit.regexes import regex
from benchkit.store.contents import UnsoundError, require_types
from benchkit.store.entries import find_stranger
from benchkit.store.files import REMEDY

if TYPE_CHECKING:
    from deltalake import Schema

DEFAULT = ".benchkit"
#: Text that delta-rs reads differently, so that it opens another folder: ``a%2Fb`` becomes ``a/b``.
#: It finds no commit below a folder that is named like its logs.
_MISREAD = regex(r"%[\da-fA-F]{2}|\\|[\x00-\x1f\x7f]|(?<=/)_delta_log(?=/|\Z)")


def choose_place(named: str | None) -> str:
    """Return the location of the store that ``--store`` names, or the default one.

    Raises
    ------
    ConfigError
        If its value is empty, for example an unset variable in a script.
    """
    if named is not None and not named.strip():
        hint = "give a folder or URL, or omit the option"
        raise ConfigError("its value is empty", where="--store", hint=hint)
    if named is None:
        return DEFAULT
    _require_folder(named)
    return named


def require_place(url: str) -> None:
    """Refuse a path that delta-rs reads differently, and a link in place of the default store.

    A path where no folder can exist is refused as well.
    """
    if "://" not in url and (match := _MISREAD.search(os.path.realpath(url))):
        what = f"a store cannot lie in a folder with {match[0]!r} in its path"
        hint = "use another folder with --store, or move this one"
        raise StoreError(what, where=url, hint=hint)
    if url == DEFAULT and Path(DEFAULT).is_symlink():
        hint = f"if you trust it, pass --store {shlex.quote(os.path.realpath(DEFAULT))}"
        raise StoreError("the store is a link to another folder", where=DEFAULT, hint=hint)
    _require_folder(url)


def _require_folder(url: str) -> None:
    """Refuse a path that leads through a file, or through a dangling link."""
    if "://" in url:
        return
    there = (place for place in (Path(url), *Path(url).parents) if os.path.lexists(place))
    if (place := next(there, None)) is None or place.is_dir():
        return
    if place.is_symlink() and not place.exists():
        target = place.readlink()
        what = f"a link in the path of the store leads to {target}, which does not exist"
        hint = "create that folder, or use another one with --store"
    else:
        what = "a file is where the store needs a folder"
        hint = "move it away, or use another store with --store"
    raise StoreError(what, where=str(place), hint=hint)


def require_files(folder: Path) -> None:
    """Refuse a pipe or device in place of a file, because opening one may block forever.

    A link is refused as well: files elsewhere would be read, written and deleted through it.
    """
    if folder.is_symlink():
        raise _refuse(folder.name, "a link", folder.parent)
    if folder.exists() and not (folder.is_dir() or folder.is_file()):
        raise _refuse(folder.name, "a pipe or device", folder.parent)
    with (
        suppress(FileNotFoundError, NotADirectoryError, PermissionError),
        os.scandir(folder) as held,
    ):
        for entry in held:
            if entry.is_symlink():
                raise _refuse(entry.name, "a link", folder)
            if entry.is_dir():
                require_files(Path(entry))
            elif not entry.is_file() and Path(entry).exists():
                raise _refuse(entry.name, "a pipe or device", folder)


def _refuse(name: str, kind: str, folder: Path) -> StoreError:
    problem = f"{name} is not a file, but {kind}"
    hint = f"run `rm {shlex.quote(str(folder / name))}`, then {REMEDY.removeprefix('run ')}"
    return StoreError(problem, where=str(folder), hint=hint)


def is_within(path: str) -> bool:
    """Return whether a path in a log of commits lies below its table.

    A valid path never contains a percent sign: delta-rs would write it differently than it reads
    it.

    Examples
    --------
    >>> is_within("raw=true/part-0.parquet"), is_within("a/../b"), is_within("file:///b")
    (True, False, False)
    """
    place = PurePosixPath(path)
    return (
        "%" not in path and not place.is_absolute() and ".." not in place.parts and ":/" not in path
    )


def explain_misstated(table: str, paths: Iterable[str], columns: Schema) -> str:
    """Return why no commit of a table can contain these files and columns; empty if one can."""
    import pyarrow as pa

    if not all(map(is_within, paths)):
        return "refers to a file outside its table"
    try:
        require_types(pa.schema(columns))
    except UnsoundError as error:
        return str(error)
    return find_stranger(table, (field.name for field in columns.fields))  # as from a checkpoint
