"""Output files that users name: complete or absent, and never written elsewhere.

The author of an untrusted folder may have put a link or a pipe in the place of an output.
"""

from __future__ import annotations

import os
import shutil
import stat
from collections.abc import Callable
from pathlib import Path
from shlex import quote

from benchkit.errors import ConfigError


def save(path: Path, produce: Callable[[Path], object]) -> None:
    """Write a temporary file and move it into place, so the output is complete or absent.

    The mode is kept. Of devices and pipes, only those below ``/dev`` are written to. A link is
    followed only within its folder.
    """
    require_own_folder(path)
    target = Path(os.path.realpath(path))
    partial = target.with_name(f".{target.name}.{os.getpid()}.partial")
    is_special = path.exists() and not path.is_file()
    if is_special and not path.is_dir() and not _is_device(path):
        raise ConfigError("not a regular file", where=str(path), hint="choose another file")
    try:
        if is_special:
            produce(path)
            return
        partial.unlink(missing_ok=True)
        partial.touch(exist_ok=False)  # do not follow a link at this path
    except OSError as error:
        raise _refuse(path, error) from error
    try:
        produce(partial)
        if target.exists():
            shutil.copymode(target, partial)
        partial.replace(target)
    except OSError as error:
        raise _refuse(path, error) from error
    finally:
        partial.unlink(missing_ok=True)


def make_folder(path: Path, root: Path) -> None:
    """Create a folder, or one inside it, without following a link at its path."""
    if path != root:
        refuse_link(path)
    try:
        path.mkdir(parents=path == root, exist_ok=True)
    except OSError as error:
        what, hint = f"cannot create the folder: {error.strerror}", "choose another folder"
        raise ConfigError(what, where=str(path), hint=hint) from error


def refuse_link(folder: Path) -> None:
    """Refuse a link in place of a folder that nobody named."""
    if folder.is_symlink():
        hint = "delete it, or choose another folder"
        raise ConfigError("is a link to another folder", where=str(folder), hint=hint)


def append(path: Path, text: str) -> None:
    """Append to a file; refuse pipes and devices except those below ``/dev``.

    Raises
    ------
    OSError
    ConfigError
    """
    flags = os.O_WRONLY | os.O_APPEND | os.O_CREAT | getattr(os, "O_NONBLOCK", 0)
    with os.fdopen(os.open(path, flags, 0o666), "a", encoding="utf-8") as out:
        if not (stat.S_ISREG(os.fstat(out.fileno()).st_mode) or _is_device(path)):
            raise ConfigError("not a regular file", where=str(path), hint="give a file name")
        os.set_blocking(out.fileno(), True)
        out.write(text)


def require_own_folder(path: Path) -> None:
    """Refuse a link that leads out of its folder."""
    target = Path(os.path.realpath(path))
    if path.is_symlink() and target.parent != path.parent.resolve() and not _is_device(path):
        what = "is a link to another folder" if target.is_dir() else "is a link to a file elsewhere"
        hint = f"name its target instead: {quote(str(target))}"
        raise ConfigError(what, where=str(path), hint=hint)


def _is_device(path: Path) -> bool:
    return path.parts[:2] == ("/", "dev")


def _refuse(path: Path, error: OSError) -> ConfigError:
    hint = "choose another file"
    return ConfigError(f"cannot write: {error.strerror}", where=str(path), hint=hint)
