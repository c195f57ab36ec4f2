"""The key of a store: the marks of secrets in its names are made by it, and stay comparable.

It lies in the store and travels with it. Whoever has it can try guesses on the marks, so only those
may read it who may write to the store.
"""

from __future__ import annotations

import os
import re
from contextlib import suppress
from pathlib import Path

from benchkit.errors import StoreError
from benchkit.store.confines import require_place
from benchkit.store.conflicts import translated
from benchkit.store.files import make_folder, writing

#: The file, in the folder of the store.
NAME = "marks.key"
_KEY = re.compile(rb"[\da-f]{64}\s*")
_MOST = 80
_OPEN = getattr(os, "O_NOFOLLOW", 0) | getattr(os, "O_NONBLOCK", 0) | getattr(os, "O_BINARY", 0)


def read_key(url: str) -> bytes | None:
    """Return the key of a store, or None where it has none yet.

    Raises
    ------
    StoreError
        If what lies there cannot be read, or is no key.
    """
    try:
        content = _read_distant(url) if "://" in url else _read_local(Path(url, NAME))
    except (FileNotFoundError, NotADirectoryError):
        return None
    except PermissionError as error:
        hint = "ask its owner to let you read it: chmod g+r"
        place = f"{url}/{NAME}"
        raise StoreError("the key of the store cannot be read", where=place, hint=hint) from error
    except OSError as error:
        raise _refuse(url) from error
    if not _KEY.fullmatch(content):
        raise _refuse(url)
    return bytes.fromhex(content.decode())


def keep_key(url: str, key: bytes) -> bytes:
    """Put a key into a store that has none; return the one that it has now."""
    require_place(url)
    content = key.hex().encode() + b"\n"
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
    """Write a file for those who may write to its folder, whole or not at all; an old one stays."""
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
    from deltalake.fs import DeltaStorageHandler
    from pyarrow import fs

    with translated(url), suppress(FileNotFoundError, TableNotFoundError):
        with fs.PyFileSystem(DeltaStorageHandler(url)).open_input_file(NAME) as stream:
            content: bytes = stream.read(_MOST)
        return content
    raise FileNotFoundError


def _refuse(url: str) -> StoreError:
    hint = "restore the file, or delete it; names that contain a secret are then masked differently"
    return StoreError("the file holds no key of a store", where=f"{url}/{NAME}", hint=hint)
