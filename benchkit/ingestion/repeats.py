"""Files that a tool writes next to a result and that add nothing to it: parts, and copies."""

from __future__ import annotations

import filecmp
from collections.abc import Collection, Sequence
from pathlib import Path

from benchkit.parsers import registry

#: Why such a file is passed over.
PART, COPY = "part of the result next to it", "a copy of {} that the tool made"


def leave_out_repeats(paths: Sequence[Path], passed: list[tuple[Path, str]]) -> list[Path]:
    """Return the files without those that repeat a result; ``passed`` gets these, with the reason.

    Of copies the last one that a tool's format names stays, as it stands elsewhere.
    """
    kept = []
    for path in paths:
        if any(_repeats(path, file, result) for file, result in registry.repeating()):
            passed.append((path, PART))
        else:
            kept.append(path)
    for file, result in registry.copying():
        among = set(kept)
        copies = {path: _find_equal(path, result, among) for path in kept if path.match(file)}
        passed += [(path, COPY.format(equal)) for path, equal in copies.items() if equal]
        kept = [path for path in kept if not copies.get(path)]
    return kept


def _repeats(path: Path, file: str, result: str) -> bool:
    """Tell whether a file is the one that repeats a result.

    A star is the same text in both, and any name where the file has none.
    """
    ending = file.removeprefix("*")
    if not path.name.endswith(ending.rpartition("/")[2]) or not path.match(file):
        return False
    if "*" in file:
        star = path.name.removesuffix(ending)
        return (path.parent / result.replace("*", star)).is_file()
    return any(path.parent.glob(result))


def _find_equal(path: Path, result: str, kept: Collection[Path]) -> str:
    """Return the place of another result with the same bytes, as seen from a file's folder."""
    folder, place = path.parent, result
    while place.startswith("../"):
        folder, place = folder.parent, place.removeprefix("../")
    for other in sorted(folder.glob(place)):
        if other != path and other in kept and _is_equal(path, other):
            return other.relative_to(folder).as_posix()
    return ""


def _is_equal(path: Path, other: Path) -> bool:
    try:
        return filecmp.cmp(path, other, shallow=False)
    except OSError:  # reading it later says why it cannot be
        return False
