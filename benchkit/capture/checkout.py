"""The commit of the checkout one stands in, and whether its files differ from it.

Who made a checkout wrote its settings, too, and settings of git name programs that watch, filter
and fetch. git only says where the checkout lies; its files are compared by settings of the user.
"""

from __future__ import annotations

import subprocess
from collections.abc import Mapping, Sequence
from itertools import chain
from pathlib import Path
from tempfile import TemporaryDirectory

from benchkit.processes import run_command

_SECONDS = 5
#: A clone without all its objects would fetch them, by a command that its settings name.
_OFFLINE = {"GIT_NO_LAZY_FETCH": "1", "GIT_ALLOW_PROTOCOL": "none"}
#: What a checkout may say of how its files are written: it names no program.
_HARMLESS = "^core[.](autocrlf|eol|filemode|ignorecase|symlinks)$"
_PLACES = ("--show-toplevel", "--git-path", "index", "--git-path", "objects")


def read_checkout(folder: Path | None = None) -> dict[str, str]:
    """Return the ``commit`` of a folder's checkout, and whether it is ``changed``.

    The folder is the working directory if none is given.
    """
    there = ("-C", str(folder)) if folder else ()
    head = _git(*there, "rev-parse", "HEAD").strip()
    places = _git(*there, "rev-parse", "--path-format=absolute", *_PLACES).splitlines()
    if not head or len(places) != 3:
        return {"commit": head} if head else {}
    return {"commit": head, "changed": _find_change(there, head, *places)}


def _find_change(there: Sequence[str], head: str, top: str, index: str, objects: str) -> str:
    """Return whether files differ from the commit, as a text; empty where git does not say."""
    settings = _git(*there, "config", "--local", "-z", "--get-regexp", _HARMLESS).split("\0")
    options = [("-c", setting.replace("\n", "=", 1)) for setting in settings if setting]
    with TemporaryDirectory(prefix="benchkit-") as name:
        folder = Path(name)
        (folder / "refs").mkdir()
        (folder / "HEAD").write_text(f"{head}\n", "ascii")
        if len(head) > 40:
            own = "[core]\nrepositoryformatversion = 1\n[extensions]\nobjectformat = sha256\n"
            (folder / "config").write_text(own, "ascii")
        place = {"GIT_DIR": name, "GIT_WORK_TREE": top, "GIT_INDEX_FILE": index}
        output = _git(
            *chain.from_iterable(options),
            *("status", "--porcelain", "--branch", "--untracked-files=no"),
            "--ignore-submodules=dirty",  # git would run in them, by their settings
            environment={**place, "GIT_OBJECT_DIRECTORY": objects},
        )
    lines = output.splitlines()
    return ("true" if len(lines) > 1 else "false") if lines else ""


def _git(*words: str, environment: Mapping[str, str] | None = None) -> str:
    command = ["git", "--no-optional-locks", "-c", "core.fsmonitor=false", *words]
    try:
        code, output, _ = run_command(
            command, _SECONDS, environment={**_OFFLINE, **(environment or {})}
        )
        return output.decode() if code == 0 else ""
    except (OSError, subprocess.TimeoutExpired, UnicodeDecodeError):
        return ""
