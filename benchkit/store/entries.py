"""Entries of a table's log of commits, and checks that each one is complete.

delta-rs takes an empty or truncated entry for a commit that changed less, and an entry that was
overwritten with another for that other one. Commits therefore state a checksum of the files that
they add and remove, one of all files that are valid after them, and their table and version.
"""

from __future__ import annotations

import json
import zlib
from collections.abc import Iterable, Iterator, Sequence
from contextlib import suppress
from typing import TYPE_CHECKING, Any

from benchkit.reading.bounds import OUTSIZED, OutsizedError, open_parquet
from benchkit.store.files import explain_refusal, refused

if TYPE_CHECKING:
    from deltalake.transaction import AddAction
    from pyarrow import fs

FOLDER = "_delta_log"
#: Number of digits of a version in the name of its entry.
_DIGITS = 20
_CHECKSUM, _PLACE, _FILES = "checksum", "place", "files"
#: a unique column of each table
_COLUMN = {"runs": "seq", "values": "raw"}
#: The file with the newest version, next to the entries. Other readers ignore names without digits.
NEWEST = "_newest"
#: Name, size and time of each file of a log.
State = list[tuple[str, int, int]]


def state(
    table: str,
    version: int,
    before: Iterable[str] = (),
    added: Iterable[AddAction] = (),
    removed: Iterable[str] = (),
) -> dict[str, str]:
    """Return the statement of a commit about its table, version and files.

    Parameters
    ----------
    table, version
        Its table and version.
    before : iterable of str
        The paths of files that are valid before it.
    added, removed
        The files that it adds and removes.

    Examples
    --------
    >>> state("runs", 3)
    {'place': 'runs/3', 'checksum': '228934a7', 'files': '0d4cbb29'}
    """
    files, gone = [(file.path, file.size, file.stats) for file in added], list(removed)
    valid = {*before, *(path for path, _, _ in files)}.difference(gone)
    return {_PLACE: f"{table}/{version}", _CHECKSUM: _sum(files, gone), _FILES: sum_paths(valid)}


def _sum(added: Iterable[tuple[str, int, str]], removed: Iterable[str]) -> str:
    text = json.dumps([sorted(added), sorted(removed)])
    return f"{zlib.crc32(text.encode()):08x}"


def sum_paths(paths: Iterable[str]) -> str:
    """Return a checksum of the files that are valid in a version."""
    return f"{zlib.crc32(json.dumps(sorted(paths)).encode()):08x}"


def find_stale(filesystem: fs.FileSystem, version: int, paths: Iterable[str]) -> str:
    """Return the path of the checkpoint, or the folder, that yields other files for a version.

    Parameters
    ----------
    filesystem
    version : int
    paths : iterable of str
        The files of the version when it was opened.
    """
    entry = path_of(version)
    try:
        _, actions = _read(filesystem, entry)
        stated = next(one["commitInfo"] for one in actions if one.get("commitInfo"))
    except (OSError, ValueError, AttributeError, StopIteration):
        return ""  # from an earlier build, or from another writer
    if stated.get(_FILES) in {None, sum_paths(paths)}:
        return ""
    checkpoints = [name for name in list_names(filesystem) if name.endswith(".parquet")]
    checkpoints = [name for name in checkpoints if version_of(name) <= version]
    return f"{FOLDER}/{checkpoints[-1]}" if checkpoints else FOLDER


def path_of(version: int) -> str:
    """Return the path of a version's entry within its table."""
    return f"{FOLDER}/{version:0{_DIGITS}}.json"


def version_of(path: str) -> int:
    """Return the version of an entry or a checkpoint."""
    return int(path.rpartition("/")[2][:_DIGITS])


def list_folder(
    filesystem: fs.FileSystem, folder: str, *, recursive: bool = False
) -> list[fs.FileInfo]:
    """Return the content of a table's folder; empty if the folder does not exist.

    pyarrow lists a folder, and checks whether it exists if that fails; it raises an error if
    another writer creates the folder in between.
    """
    from pyarrow import fs

    selector = fs.FileSelector(folder, recursive=recursive, allow_not_found=True)
    listed: list[fs.FileInfo]
    try:
        listed = filesystem.get_file_info(selector)
    except FileNotFoundError:
        listed = filesystem.get_file_info(selector)
    return listed


def list_state(filesystem: fs.FileSystem) -> State:
    """Return the state of a log, to detect changes; empty if it is missing or can't be listed."""
    from deltalake.exceptions import TableNotFoundError

    try:
        infos = list_folder(filesystem, FOLDER)
    except (OSError, TableNotFoundError):  # opening reports the reason
        return []
    return sorted((info.path, info.size, info.mtime_ns) for info in infos)


def list_names(filesystem: fs.FileSystem, folder: str = FOLDER) -> list[str]:
    """Return the names of entries and checkpoints.

    Unfinished entries, which have a number after the suffix, are left out.
    """
    names = (info.path.rpartition("/")[2] for info in list_folder(filesystem, folder))
    entries = (name for name in names if name.endswith((".json", ".parquet")))
    return sorted(name for name in entries if name[:_DIGITS].isdecimal())


def read_newest(filesystem: fs.FileSystem, folder: str = FOLDER) -> int:
    """Return the newest version that a log is known to have had, or -1."""
    try:
        with filesystem.open_input_file(f"{folder}/{NEWEST}") as file:
            return int(file.read())
    except (FileNotFoundError, ValueError):
        return -1


def list_logs(filesystem: fs.FileSystem) -> list[str]:
    """Return the folders of the log, and of logs that repairs put aside."""
    infos = list_folder(filesystem, "")
    return sorted(info.path for info in infos if info.path.startswith(FOLDER))


def find_outsized(filesystem: fs.FileSystem) -> str:
    """Return the path of a checkpoint that unpacks to far more than its size; empty if none."""
    import pyarrow as pa

    for name in list_names(filesystem):
        if name.endswith(".parquet"):
            try:
                with filesystem.open_input_file(f"{FOLDER}/{name}") as file:
                    open_parquet(file)
            except OutsizedError:
                return f"{FOLDER}/{name}"
            except (OSError, pa.ArrowException):  # unreadable files are reported elsewhere
                continue
    return ""


def list_read(filesystem: fs.FileSystem, version: int) -> list[str]:
    """Return the paths of the entries that opening a version reads, the oldest first."""
    from pyarrow import fs

    paths: list[str] = []
    for number in range(version, -1, -1):
        path = path_of(number)
        checkpoint, entry = filesystem.get_file_info(
            [f"{path.removesuffix('.json')}.checkpoint.parquet", path]
        )
        if checkpoint.type != fs.FileType.NotFound or entry.type == fs.FileType.NotFound:
            break
        paths.append(path)
    return paths[::-1]


def find_unsound(
    filesystem: fs.FileSystem, url: str, paths: Iterable[str]
) -> Iterator[tuple[str, str]]:
    """Yield the entries and checkpoints that differ from those of the table's commits.

    Parameters
    ----------
    filesystem
    url : str
        The address of the table.
    paths : iterable of str
        Oldest first.

    Raises
    ------
    StoreError
        If a file exists, but must not be read.
    """
    import pyarrow as pa

    unreadable = (
        *(OSError, pa.ArrowException, RecursionError),
        *(ValueError, LookupError, TypeError, AttributeError),
    )
    table, seen = url.rpartition("/")[2], dict[bytes, str]()
    for path in paths:
        try:
            text, actions = _read(filesystem, path)
            problem = _find_problem(actions, f"{table}/{version_of(path)}")
        except OutsizedError:
            yield path, OUTSIZED
            continue
        except unreadable as error:  # also if names of fields have changed
            if reason := explain_refusal(error):
                raise refused(f"{url}/{path}", reason) from error
            yield path, "cannot be read"
            continue
        original = seen.setdefault(text, path) if text else path
        if original != path:
            problem = problem or f"has the same commit as {original.rpartition('/')[2]}"
        if problem:
            yield path, problem


def _read(filesystem: fs.FileSystem, path: str) -> tuple[bytes, list[dict[str, Any]]]:
    """Return the text and the actions of an entry; for a checkpoint, only the actions."""
    with filesystem.open_input_file(path) as file:
        if path.endswith(".parquet"):
            return b"", open_parquet(file).read().to_pylist()
        text = file.read()
    return text, [json.loads(line) for line in text.splitlines()]


def _find_problem(actions: Sequence[dict[str, Any]], place: str) -> str:
    """Return the problem of the actions in an entry or checkpoint; empty if there is none."""
    if not actions or not all(isinstance(action, dict) for action in actions):
        return "cannot be read"
    for stated in (one["commitInfo"] for one in actions if one.get("commitInfo")):
        if _CHECKSUM in stated and stated[_CHECKSUM] != _recount(actions):
            return "cannot be read"
        if stated.get(_PLACE, place) != place:
            return f"contains the commit {stated[_PLACE]}"
    return find_stranger(place.partition("/")[0], _list_columns(actions))


def find_stranger(table: str, columns: Iterable[str]) -> str:
    """Return the problem that columns belong to another table; empty if there is none."""
    names = set(columns)
    others = (other for other, name in _COLUMN.items() if other != table and name in names)
    return "".join(f"belongs to the table {other}" for other in others)


def _list_columns(actions: Iterable[dict[str, Any]]) -> Iterator[str]:
    for action in actions:
        if table := action.get("metaData"):
            yield from (field["name"] for field in json.loads(table["schemaString"])["fields"])
        if file := action.get("add"):
            yield from dict(file["partitionValues"])
            yield from json.loads(file.get("stats") or "{}").get("minValues", ())


def _recount(actions: Iterable[dict[str, Any]]) -> str:
    added = [one["add"] for one in actions if "add" in one]
    removed = [one["remove"]["path"] for one in actions if "remove" in one]
    return _sum([(file["path"], file["size"], file["stats"]) for file in added], removed)


def states_place(filesystem: fs.FileSystem, version: int) -> bool:
    """Return whether an entry was written by a build that notes the newest version."""
    with suppress(OSError, ValueError, AttributeError):
        _, actions = _read(filesystem, path_of(version))
        return any(_PLACE in one.get("commitInfo", ()) for one in actions)
    return False


def list_added(filesystem: fs.FileSystem, path: str) -> dict[str, str]:
    """Return paths and statistics of files added in readable lines of an entry or checkpoint."""
    import pyarrow as pa

    try:
        with filesystem.open_input_file(path) as file:
            if path.endswith(".parquet"):
                added = open_parquet(file).read(["add"])["add"].to_pylist()
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
