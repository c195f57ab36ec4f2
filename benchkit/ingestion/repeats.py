"""Files without results of their own: parts and copies made by a tool, and links."""

from __future__ import annotations

import filecmp
import os
from collections.abc import Collection, Sequence
from functools import cache
from itertools import takewhile
from pathlib import Path

from benchkit.errors import BenchkitError
from benchkit.ingestion.sources import Found
from benchkit.labels.walk import SIDECAR, is_store, name_sidecar, walk
from benchkit.parsers import registry
from benchkit.reading.source import Source, UnreadableError

#: Reasons for skipping these files.
PART, COPY = "part of the result next to it", "a copy of {} that the tool made"


def leave_out_repeats(paths: Sequence[Path], passed: list[tuple[Path, str]]) -> list[Path]:
    """Return the files that do not repeat a result; add the others to ``passed``, with reasons.

    Of several copies, the last one in the order of a tool's formats is kept.
    """
    kept, endings = [], tuple({_ending(file) for file, _ in registry.repeating()})
    for path in paths:
        if path.name.endswith(endings) and any(
            _repeats(path, file, result) for file, result in registry.repeating()
        ):
            passed.append((path, PART))
        else:
            kept.append(path)
    for file, result in registry.copying():
        among = set(kept)
        copies = {path: _find_equal(path, result, among) for path in kept if path.match(file)}
        passed += [(path, COPY.format(equal)) for path, equal in copies.items() if equal]
        kept = [path for path in kept if not copies.get(path)]
    return kept


def leave_out_sidecars(sources: Sequence[Found], passed: list[tuple[str, str]]) -> list[Found]:
    """Return named files without the sidecars among them, as a shell's ``*`` names them all."""
    named = {
        id(source): source.label
        for source in sources
        if source.is_named and not source.variant and source.path
        if name_sidecar(source.path.name) and not holds_results(source.path)
    }
    if len(named) == len(sources):
        return [*sources]
    passed += [(label, SIDECAR) for label in named.values()]
    return [source for source in sources if id(source) not in named]


def holds_results(page: Path) -> bool:
    """Return whether a tool's format recognises a file."""
    try:
        return registry.holds_results(Source.load(page, str(page)))
    except (BenchkitError, UnreadableError, OSError):
        return False


def read_once(sources: Sequence[Found]) -> list[Found]:
    """Return each real file once per label, by its real name rather than a link's."""
    chosen: dict[tuple[str, str], Found] = {}
    missing: list[Found] = []
    real_folder = cache(os.path.realpath)
    for found in sources:
        real = found.address
        if found.path is not None:
            folder, name = os.path.split(found.path)
            is_link = found.sidecars is None or found.sidecars.is_link(found.path)
            real = (
                os.path.realpath(found.path) if is_link else f"{real_folder(folder)}{os.sep}{name}"
            )
        first = chosen.setdefault((real, found.variant), found)
        if first is found:
            continue
        if found.path is None or not found.path.exists():
            missing.append(found)
        elif first.path and _count_alike(found.path, real) > _count_alike(first.path, real):
            chosen[real, found.variant] = found
    kept = {id(found) for found in (*chosen.values(), *missing)}
    return [found for found in sources if id(found) in kept]


def _count_alike(path: Path, real: str) -> int:
    """Return how many names at the end of a path equal those of the real file."""
    pairs = zip(reversed(path.parts), reversed(Path(real).parts), strict=False)
    return sum(1 for _ in takewhile(lambda pair: pair[0] == pair[1], pairs))


def _ending(file: str) -> str:
    """Return the end of the file names that a pattern matches."""
    return file.removeprefix("*").rpartition("/")[2]


def _repeats(path: Path, file: str, result: str) -> bool:
    """Return whether a file repeats a result.

    A star stands for the same text in both, or for any name if only the result has one.
    """
    if not path.name.endswith(_ending(file)) or not path.match(file):
        return False
    if "*" in file:
        star = path.name.removesuffix(file.removeprefix("*"))
        return (path.parent / result.replace("*", star)).is_file()
    return any(path.parent.glob(result))


def _find_equal(path: Path, result: str, kept: Collection[Path]) -> str:
    """Return the relative path of another result with the same bytes."""
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
    except OSError:  # reading it later reports the reason
        return False


def list_archives(path: str, exclude: Sequence[str] = ()) -> list[str]:
    """Return the archives of a folder without other results, as if they were named.

    The folder may also hold a Makefile and other files that are not results.
    """
    root = Path(path)
    if is_store(root) or not root.is_dir():
        return []
    found = []
    for each in walk(root, exclude):
        if is_archive(str(each)):
            found.append(str(each))
        elif holds_results(each):
            return []
    return found


def is_archive(path: str) -> bool:
    """Return whether a path is an archive on this machine, by its name."""
    from benchkit.ingestion.archives import find_ending

    return bool(find_ending(path)) and Path(path).is_file()
