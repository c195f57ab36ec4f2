"""Which files of a tree are runs by their names, and which numbers are part of the names."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Collection, Iterable, Sequence
from dataclasses import dataclass

from benchkit.labels.counts import find_counts, find_levels, find_sequences, is_count
from benchkit.labels.run_folders import find_glued
from benchkit.labels.stems import PlainStem, ToolNames, is_counted, split_name, split_stem

__all__ = ["PlainFile", "count_runs", "open_file"]


@dataclass(slots=True)
class PlainFile:
    """A file whose name begins with no tool's: its folders, its stem, and what they come to."""

    folders: tuple[str, ...]
    stem: PlainStem
    name: str
    run: int | None
    level: str = ""


def open_file(path: str, run: int | None, tools: ToolNames) -> PlainFile:
    """Split a path; ``run`` is what one of its folders counts.

    Examples
    --------
    >>> file = open_file("none/trial01.out", None, ToolNames())
    >>> file.folders, file.name, file.stem.run
    (('none',), '', 1)
    """
    *folders, name = (part for part in path.split("/") if part not in ("", ".", ".."))
    stem = split_stem(split_name(name)[0], tools)
    return PlainFile(tuple(folders), stem, stem.name, run)


def count_runs(files: Sequence[PlainFile], baselines: Collection[str]) -> None:
    """Take runs from the ends of stems; numbers that are no count are part of a name.

    Where several names of a folder have them, they are the levels of a parameter.
    """
    _keep_names(files, baselines)
    _split_glued(files, baselines)
    alike: dict[tuple[tuple[str, ...], str, str], list[PlainFile]] = defaultdict(list)
    for file in files:
        alike[file.folders, file.stem.role, file.name].append(file)
    numbers = {
        key: {file.stem.number for file in same if file.stem.number is not None}
        for key, same in alike.items()
    }
    counts = find_counts(numbers, {key for key in alike if not key[2]}) | find_sequences(numbers)
    levels = find_levels({key: numbers[key] for key in alike if key[2] and key not in counts})
    _keep_sparse(files)
    for key, same in alike.items():
        moments = sorted({file.stem.moment for file in same})
        for file in same:
            stem = file.stem
            if stem.moment:
                file.run = moments.index(stem.moment) + (moments[0] != "")
            elif stem.run is not None or (key in counts and stem.number is not None):
                file.run = stem.number if stem.run is None else stem.run
            elif stem.number is not None and key in levels:
                file.level = str(stem.number)
            elif stem.number is not None:
                file.name = stem.whole


def _keep_names(files: Iterable[PlainFile], baselines: Collection[str]) -> None:
    """Leave numbers in the names beside a baseline that has none: `main`, `patch-1`, `patch-2`."""
    by_group: dict[tuple[str, ...], list[PlainFile]] = defaultdict(list)
    for file in files:
        by_group[file.folders].append(file)
    for same in by_group.values():
        counted = {is_counted(file.stem) for file in same if file.name.lower() in baselines}
        for file in same if counted == {False} else ():
            if file.stem.run is None and is_counted(file.stem):
                file.name = file.stem.whole or file.name
                file.stem = PlainStem(file.name, role=file.stem.role, whole=file.name)


def _keep_sparse(files: Iterable[PlainFile]) -> None:
    """Name files after numbers that leave most runs out: `run-11`, `run-15`, `run-16` of a folder.

    Where a variant's name or other folders of such files stand beside the numbers, they are runs.
    """
    bare = [file for file in files if file.stem.run is not None and not file.name]
    numbers = {file.stem.run for file in bare if file.stem.run is not None}
    is_single = len(numbers) > 1 and len({file.folders for file in bare}) == 1
    if is_single and min(numbers) > 1 and not is_count(numbers, starts_anywhere=True):
        for file in bare:
            file.name = file.stem.whole


def _split_glued(files: Iterable[PlainFile], baselines: Collection[str]) -> None:
    """Take the runs from names such as `none1` and `otlp1`."""
    by_group: dict[tuple[str, ...], list[PlainFile]] = defaultdict(list)
    for file in files:
        if not is_counted(file.stem):
            by_group[file.folders].append(file)
    for same in by_group.values():
        glued = find_glued((file.name for file in same), baselines)
        for file in same:
            file.name, file.run = glued.get(file.name, (file.name, file.run))
