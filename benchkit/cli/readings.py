"""What else a folder could mean, where a command cannot tell its sides: each with its command."""

from __future__ import annotations

import os
from collections.abc import Sequence

from benchkit.errors import BaselineError, BenchkitError, DataError

#: Commands that need two sides, and files of a folder that are read to suggest others.
_COMMANDS, _FILES = ("compare", "report", "gate"), 200


def suggest(arguments: Sequence[str], error: BenchkitError) -> list[str]:
    """Say how the one folder of a command was understood, and write the likeliest others.

    Nothing where the error is about something else, or the layout was named.
    """
    is_named = any(each.startswith(("--layout", "--split")) for each in arguments)
    if arguments[0] not in _COMMANDS or is_named or not _asks(error):
        return []
    # A word that is too long for a path is no folder, and no error of pathlib's.
    folders = [each for each in arguments[1:] if each[:1] != "-" and os.path.isdir(each)]  # noqa: PTH112
    if len(folders) != 1:
        return []
    from benchkit.cli import options as o
    from benchkit.ingestion.layout import explain_layout
    from benchkit.tables.layout import suggest_readings, summarise_layout

    try:
        explained = explain_layout(folders, o.Request(quiet=True).options(o.settings()), _FILES)
    except BenchkitError:
        return []
    understood = summarise_layout(explained.files, 0, explained.unread)
    readings = suggest_readings(arguments, explained.readings)
    return [f"read as {understood}", *readings]


def _asks(error: BenchkitError) -> bool:
    """Tell whether an error is about which files are the sides."""
    return isinstance(error, BaselineError) or (
        isinstance(error, DataError) and "other=PATH" in error.options
    )
