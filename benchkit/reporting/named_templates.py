"""Templates of other packages: entry points of the group ``benchkit.templates``.

An organisation's look is installed once, and named in one word.
"""

from __future__ import annotations

import os
from importlib.metadata import entry_points
from pathlib import Path

from benchkit.errors import ConfigError

GROUP = "benchkit.templates"
#: What a folder of templates holds.
_ENDINGS = (".html", ".css", ".js")


def find_folder(folder: Path) -> Path:
    """Return the folder of templates that is meant.

    Parameters
    ----------
    folder : Path
        A folder with a template in it; else the name of an entry point, which holds the path of
        one: the checkout of a package often is a folder of its name.

    Raises
    ------
    ConfigError
        If the package cannot be loaded, or holds no path.
    """
    held_here = folder.is_dir() and any(path.suffix in _ENDINGS for path in folder.iterdir())
    named = [] if held_here else list(entry_points(group=GROUP, name=str(folder)))
    if not named:
        return folder
    where = f"template plug-in {named[0].name} ({named[0].value})"
    try:
        held = named[0].load()
    except Exception as error:
        raise ConfigError(f"cannot be loaded: {error}", where=where) from error
    if not isinstance(held, (str, os.PathLike)):
        raise ConfigError("holds no path of a folder", where=where)
    return Path(held)
