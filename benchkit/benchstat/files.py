"""The files of one comparison, in their order.

The label is the column, so that two files with one label are one column and a path named twice is
two (benchfmt/files.go).
"""

from __future__ import annotations

import sys
from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

from benchkit.benchstat.reader import BenchstatError, Reader, Result
from benchkit.benchstat.units import UnitMetadata
from benchkit.config.files import is_readable


@dataclass(frozen=True, slots=True)
class Read:
    """What all files hold.

    Parameters
    ----------
    results : tuple of Result
        File by file, line by line.
    units : UnitMetadata
        Of all files: what the last one says of a unit counts for the first one too.
    warnings : tuple of str
        ``file:line: message`` for each line that is no result and looks like one.
    error : str
        What ended the reading, empty if nothing did.
    """

    results: tuple[Result, ...]
    units: UnitMetadata
    warnings: tuple[str, ...]
    error: str = ""


def read_files(arguments: Sequence[str]) -> Read:
    """Read file by file, up to the first that benchstat cannot read."""
    units = UnitMetadata()
    results: list[Result] = []
    warnings: list[str] = []
    for path, label in label_files(arguments):
        reader = Reader(path, label, units)
        try:
            results.extend(reader.read(_read_bytes(path)))
        except BenchstatError as error:
            return Read((), units, (*warnings, *reader.warnings), str(error))
        warnings += reader.warnings
    return Read(tuple(results), units, tuple(warnings))


def label_files(arguments: Sequence[str]) -> list[tuple[str, str]]:
    """Return path and label of each file.

    Examples
    --------
    >>> label_files(["a=old.txt", "new.txt", "new.txt"])
    [('old.txt', 'a'), ('new.txt', 'new.txt#0'), ('new.txt', 'new.txt#1')]
    """
    total = Counter(argument for argument in arguments if "=" not in argument)
    seen: Counter[str] = Counter()
    named = []
    for argument in arguments:
        label, equals, path = argument.partition("=")
        if equals:
            named.append((path, label))
            continue
        named.append(
            (argument, f"{argument}#{seen[argument]}" if total[argument] > 1 else argument)
        )
        seen[argument] += 1
    return named


def _read_bytes(path: str) -> bytes:
    """Read a file; BenchstatError in Go's words if that fails."""
    try:
        if path == "-":
            return sys.stdin.buffer.read()
        if Path(path).exists() and not (Path(path).is_dir() or is_readable(Path(path))):
            raise BenchstatError(f"{path}:0: read {path}: not a regular file")
        with open(path, "rb") as file:  # noqa: PTH123 - an empty path is no file, "." is a folder
            return file.read()
    except IsADirectoryError:
        raise BenchstatError(f"{path}:0: read {path}: is a directory") from None
    except OSError as error:
        raise BenchstatError(f"open {path}: {(error.strerror or '').lower()}") from None
