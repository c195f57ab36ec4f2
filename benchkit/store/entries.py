"""Entries of a table's log of commits, and whether each is whole.

delta-rs takes an empty entry, or one that was cut after a line, for a commit that changed less.
Commits therefore state a checksum of the files that they add and remove.
"""

from __future__ import annotations

import json
import os
import zlib
from collections.abc import Iterable, Iterator
from contextlib import suppress
from pathlib import Path
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from deltalake.transaction import AddAction
    from pyarrow import fs

FOLDER = "_delta_log"
#: Digits of a version in the name of its entry.
_DIGITS = 20
_CHECKSUM = "checksum"
#: Beside the entries: the newest version. Other readers pass over names without digits.
_NEWEST = "_newest"


def state(added: Iterable[AddAction], removed: Iterable[str]) -> dict[str, str]:
    """Return what a commit states of the files that it adds and removes."""
    return {_CHECKSUM: _sum([(file.path, file.size, file.stats) for file in added], removed)}


def _sum(added: Iterable[tuple[str, int, str]], removed: Iterable[str]) -> str:
    text = json.dumps([sorted(added), sorted(removed)])
    return f"{zlib.crc32(text.encode()):08x}"


def path_of(version: int) -> str:
    """Return the path of a version's entry within its table."""
    return f"{FOLDER}/{version:0{_DIGITS}}.json"


def version_of(name: str) -> int:
    """Return the version of which an entry or a checkpoint is."""
    return int(name[:_DIGITS])


def list_names(filesystem: fs.FileSystem, folder: str = FOLDER) -> list[str]:
    """Return the names of entries and checkpoints."""
    from pyarrow import fs

    infos = filesystem.get_file_info(fs.FileSelector(folder, allow_not_found=True))
    names = (info.path.rpartition("/")[2] for info in infos)
    return sorted(name for name in names if name[:_DIGITS].isdecimal())


def read_newest(url: str, folder: str = FOLDER) -> int:
    """Return the newest version that a log on this machine is known to have had, else -1."""
    try:
        return int((Path(url) / folder / _NEWEST).read_text(encoding="ascii"))
    except (OSError, ValueError):
        return -1


def write_newest(url: str, version: int) -> None:
    """Note that a log on this machine has a version: without its entry, that one is lost.

    A writer that is killed before this leaves a lower number, which is true as well.
    """
    place = Path(url) / FOLDER / _NEWEST
    if version > read_newest(url):
        with suppress(OSError):  # the commit stands without it; a URL is no folder
            partial = place.with_name(f"{_NEWEST}.{os.getpid()}")
            partial.write_text(str(version), encoding="ascii")
            partial.replace(place)


def list_logs(filesystem: fs.FileSystem) -> list[str]:
    """Return the folders of the log, and of those that repairs put aside."""
    from pyarrow import fs

    infos = filesystem.get_file_info(fs.FileSelector("", allow_not_found=True))
    return sorted(info.path for info in infos if info.path.startswith(FOLDER))


def find_unsound(filesystem: fs.FileSystem, version: int) -> Iterator[str]:
    """Yield the paths of unsound entries that opening a version reads, the newest first."""
    from pyarrow import fs

    for number in range(version, -1, -1):
        path = path_of(number)
        checkpoint, entry = filesystem.get_file_info(
            [f"{path.removesuffix('.json')}.checkpoint.parquet", path]
        )
        if checkpoint.type != fs.FileType.NotFound or entry.type == fs.FileType.NotFound:
            return
        if not is_sound(filesystem, path):
            yield path


def is_sound(filesystem: fs.FileSystem, path: str) -> bool:
    """Whether an entry or a checkpoint can be read, and an entry is as it was committed."""
    import pyarrow as pa
    import pyarrow.parquet as pq

    try:
        with filesystem.open_input_file(path) as file:
            if path.endswith(".parquet"):
                pq.ParquetFile(file).read()
                return True
            actions = [json.loads(line) for line in file.read().splitlines()]
        if not actions or not all(isinstance(action, dict) for action in actions):
            return False
        stated = [one["commitInfo"].get(_CHECKSUM) for one in actions if "commitInfo" in one]
        return stated in ([], [None]) or stated == [_recount(actions)]
    except (OSError, pa.ArrowException, ValueError, LookupError, TypeError, AttributeError):
        return False  # also where names of fields have changed


def _recount(actions: Iterable[dict[str, Any]]) -> str:
    added = [one["add"] for one in actions if "add" in one]
    removed = [one["remove"]["path"] for one in actions if "remove" in one]
    return _sum([(file["path"], file["size"], file["stats"]) for file in added], removed)


def list_added(filesystem: fs.FileSystem, path: str) -> dict[str, str]:
    """Return path and statistics of the files that readable lines of an entry or checkpoint add."""
    import pyarrow as pa
    import pyarrow.parquet as pq

    try:
        with filesystem.open_input_file(path) as file:
            if path.endswith(".parquet"):
                added = pq.ParquetFile(file).read(["add"])["add"].to_pylist()
                return {one["path"]: one["stats"] for one in added if one}
            lines = file.read().splitlines()
    except (OSError, pa.ArrowException):
        return {}
    files = {}
    for line in lines:
        with suppress(ValueError, TypeError, KeyError):
            added = json.loads(line)["add"]
            files[added["path"]] = added["stats"]
    return files
