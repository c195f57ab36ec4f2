"""Copies from object stores, made by a process that `distant` starts and may end."""

from __future__ import annotations

import json
import os
import sys
from collections.abc import Sequence
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path, PurePosixPath
from threading import Lock
from typing import TYPE_CHECKING

from benchkit.errors import DataError, MissingError
from benchkit.ingestion.addresses import refuse_store
from benchkit.ingestion.archives import Meter, TooLargeError, TooManyError, is_inside
from benchkit.reading.bounds import LARGEST, OPTION

if TYPE_CHECKING:
    from pyarrow import fs

#: The exit code that reports a problem on standard output.
REFUSED = 3
#: Number of files copied at once, and of bytes of each that are held.
_AT_ONCE, _BLOCK = 8, 1 << 20


def main() -> int:
    """Copy what standard input names: address, target, the address for messages, and a limit."""
    url, target, name, limit = json.load(sys.stdin)
    try:
        copy(url, Path(target), name, limit)
    except DataError as error:
        is_missing = isinstance(error, MissingError)
        problem = {"what": error.what, "hint": error.hint, "is_missing": is_missing}
        sys.stdout.write(json.dumps(problem))
        return REFUSED
    return 0


def copy(url: str, target: Path, name: str, limit: int = LARGEST) -> None:
    """Copy a folder or a file of at most ``limit`` bytes from an object store.

    ``name`` is its address in messages. A store may send more than it lists, so both are counted.
    """
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
            infos = system.get_file_info(fs.FileSelector(path, recursive=True))
            target.mkdir()
        else:
            infos = [target_info]
        files, listed = list[tuple[str, Path]](), Meter(None, limit)
        for info in infos:
            place = info.path.removeprefix(path).removeprefix("/")
            if place and not is_inside(place):
                raise DataError(f"{info.path} is outside the folder that was named", where=name)
            listed.enter(PurePosixPath(place))
            if info.type is fs.FileType.File:
                listed.take(info.size)
                files.append((info.path, target / place if place else target))
            elif place:
                (target / place).mkdir(parents=True, exist_ok=True)
        _copy_files(system, files, Meter(None, limit))
    except TooLargeError as error:
        larger = "" if isinstance(error, TooManyError) else f", or pass {OPTION} 8GiB"
        hint = f"name a folder or file below it{larger}"
        raise DataError(f"not copied: {error}", where=name, hint=hint) from None
    except (OSError, ValueError, pa.ArrowException) as error:
        what = str(error).partition("\n")[0]
        raise DataError(f"cannot copy it: {what}", where=name) from None


def _copy_files(system: fs.FileSystem, files: Sequence[tuple[str, Path]], meter: Meter) -> None:
    """Copy several files at once, counting the received bytes."""
    lock = Lock()

    def copy_file(file: tuple[str, Path]) -> None:
        source, target = file
        target.parent.mkdir(parents=True, exist_ok=True)
        with system.open_input_stream(source, compression=None) as stream, target.open("wb") as out:
            while block := stream.read(_BLOCK):
                with lock:
                    meter.take(len(block))
                out.write(block)

    with ThreadPoolExecutor(_AT_ONCE) as pool:
        list(pool.map(copy_file, files))


def _require_files(path: Path, name: str) -> None:
    """Refuse files that cannot be copied: devices, pipes, and links to folders."""
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
