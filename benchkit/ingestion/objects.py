"""Copies out of object stores, as the process makes them that `distant` starts and may end."""

from __future__ import annotations

import json
import os
import sys
from pathlib import Path

from benchkit.errors import DataError, MissingError
from benchkit.ingestion.addresses import refuse_store
from benchkit.ingestion.archives import is_inside

#: The exit code that says that the problem stands on standard output.
REFUSED = 3


def main() -> int:
    """Copy what standard input names: an address, a target, and the address in messages."""
    url, target, name = json.load(sys.stdin)
    try:
        copy(url, Path(target), name)
    except DataError as error:
        is_missing = isinstance(error, MissingError)
        problem = {"what": error.what, "hint": error.hint, "is_missing": is_missing}
        sys.stdout.write(json.dumps(problem))
        return REFUSED
    return 0


def copy(url: str, target: Path, name: str) -> None:
    """Copy a folder or a file out of an object store; ``name`` is its address in messages."""
    import pyarrow as pa
    from pyarrow import fs

    try:
        system, path = fs.FileSystem.from_uri(url)
        store, target_info = system.get_file_info([f"{path}/runs/_delta_log", path])
        if store.type is fs.FileType.Directory:
            raise refuse_store(name)
        if target_info.type is fs.FileType.NotFound:
            raise MissingError("no such file or folder", where=name, hint="check the address")
        if isinstance(system, fs.LocalFileSystem):
            _require_files(Path(path), name)
        if target_info.type is fs.FileType.Directory:
            for file in system.get_file_info(fs.FileSelector(path, recursive=True)):
                if not is_inside(file.path.removeprefix(path).removeprefix("/")):
                    raise DataError(f"{file.path} is outside its folder", where=name)
            target.mkdir()
        fs.copy_files(
            path, str(target), source_filesystem=system, destination_filesystem=fs.LocalFileSystem()
        )
    except (OSError, ValueError, pa.ArrowException) as error:
        what = str(error).partition("\n")[0]
        raise DataError(f"cannot copy it: {what}", where=name) from None


def _require_files(path: Path, name: str) -> None:
    """Refuse what a copy may not end at: devices, pipes, and links to folders."""
    places = [path]
    for folder, folders, files in os.walk(path):
        places += [Path(folder, file) for file in files]
        places += [place for inner in folders if (place := Path(folder, inner)).is_symlink()]
    for place in places:
        if place.is_symlink() and place.is_dir():
            problem = f"{place} is a link to a folder"
        elif place.is_file() or place.is_dir():
            continue
        else:
            problem = f"{place} is not a file"
        raise DataError(problem, where=name, hint=f"give it without file://: {path}")


if __name__ == "__main__":
    sys.exit(main())
