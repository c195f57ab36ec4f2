"""The key of a store, which makes the marks of secrets in its names comparable.

It lies in the store and travels with it. Anyone with the key can test guesses on the marks, so only
users with write access to the store may read it.
"""

from __future__ import annotations

import hashlib
import os
import time
from contextlib import suppress
from pathlib import Path
from typing import TYPE_CHECKING

from benchkit.errors import StoreError
from benchkit.regexes import regex
from benchkit.store.confines import require_place
from benchkit.store.conflicts import translated
from benchkit.store.files import make_folder, writing

if TYPE_CHECKING:
    from pyarrow import fs

#: The file in the folder of the store.
NAME = "marks.key"
#: The key and its checksum, which earlier builds did not write.
_KEY = regex(rb"([\da-f]{64})(?: ([\da-f]{8}))?\s*")
_MOST = 80
#: The unavoidable consequence of another key.
CONSEQUENCE = (
    "from now on, a secret in a name is masked differently, so earlier and later runs with such "
    "a name no longer match"
)
_OPEN = getattr(os, "O_NOFOLLOW", 0) | getattr(os, "O_NONBLOCK", 0) | getattr(os, "O_BINARY", 0)


class DamagedKeyError(StoreError):
    """The file does not contain a valid key."""


def read_key(url: str) -> bytes | None:
    """Return the key of a store, or None if it has none yet.

    Raises
    ------
    StoreError
        If the file cannot be read, or is not a key.
    """
    try:
        content = _read_distant(url) if "://" in url else _read_local(Path(url, NAME))
    except (FileNotFoundError, NotADirectoryError):
        return None
    except PermissionError as error:
        hint = "ask the owner for read access: chmod g+r"
        place = f"{url}/{NAME}"
        raise StoreError("the key of the store cannot be read", where=place, hint=hint) from error
    except OSError as error:
        raise _refuse(url) from error
    if not (match := _KEY.fullmatch(content)):
        raise _refuse(url)
    key = bytes.fromhex(match[1].decode())
    if match[2] not in {None, _sum(key)}:
        raise _refuse(url)
    return key


def replace_key(url: str, key: bytes) -> str:
    """Set a new key, and return the new path of the damaged one; empty if it is gone."""
    aside, kept = f"{NAME}.damaged-{time.time_ns()}", ""
    with translated(url), suppress(FileNotFoundError):
        if "://" in url:
            _open_distant(url).move(NAME, aside)
        else:
            Path(url, NAME).rename(Path(url, aside))
        kept = f"{url}/{aside}"
    keep_key(url, key)
    return kept


def keep_key(url: str, key: bytes) -> bytes:
    """Set the key of a store that has none; return the store's key afterwards."""
    require_place(url)
    content = key.hex().encode() + b" " + _sum(key) + b"\n"
    if "://" in url:
        from deltalake.fs import DeltaStorageHandler

        with translated(url):
            target = DeltaStorageHandler(url)._handler.open_output_stream(NAME, None)
            target.write(content)
            target.close()  # type: ignore[attr-defined]
    else:
        make_folder(Path(url))
        with writing(Path(url)):
            _write_local(Path(url, NAME), content)
    return read_key(url) or key


def _write_local(path: Path, content: bytes) -> None:
    """Write a file for users with write access to its folder, atomically and never over another."""
    draft = path.with_name(f".{path.name}.{os.getpid()}")
    draft.unlink(missing_ok=True)
    file = os.open(draft, os.O_WRONLY | os.O_CREAT | os.O_EXCL | _OPEN, 0o600)
    try:
        with os.fdopen(file, "wb") as stream:
            stream.write(content)
        if writers := path.parent.stat().st_mode & 0o022:
            draft.chmod(0o600 | writers << 1)
        try:
            os.link(draft, path)
        except FileExistsError:  # another writer was first
            return
        except OSError:  # a file system without links
            if not path.exists():
                draft.rename(path)
    finally:
        draft.unlink(missing_ok=True)


def _read_local(path: Path) -> bytes:
    with os.fdopen(os.open(path, os.O_RDONLY | _OPEN), "rb") as stream:
        return stream.read(_MOST)


def _read_distant(url: str) -> bytes:
    from deltalake.exceptions import TableNotFoundError

    with translated(url), suppress(FileNotFoundError, TableNotFoundError):
        with _open_distant(url).open_input_file(NAME) as stream:
            content: bytes = stream.read(_MOST)
        return content
    raise FileNotFoundError


def _open_distant(url: str) -> fs.FileSystem:
    from deltalake.fs import DeltaStorageHandler
    from pyarrow import fs

    return fs.PyFileSystem(DeltaStorageHandler(url))


def _sum(key: bytes) -> bytes:
    """Return the checksum of a key, which reveals a digit that changed on disk."""
    return hashlib.sha256(key).hexdigest()[:8].encode()


def _refuse(url: str) -> DamagedKeyError:
    hint = "restore the file, or run `benchkit store repair` for a new key"
    return DamagedKeyError("the file holds no valid key", where=f"{url}/{NAME}", hint=hint)
