"""Which files of a tree are runs by their names, and which numbers are part of the names."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Collection, Iterable, Iterator, Sequence
from dataclasses import dataclass

from benchkit.labels.counts import find_counts, find_levels, find_sequences, find_stated, is_count
from benchkit.labels.plain_stems import PlainStem, is_counted, split_stem
from benchkit.labels.run_folders import find_glued
from benchkit.labels.stems import ToolNames, is_name, split_name

__all__ = ["PlainFile", "count_runs", "open_file"]


@dataclass(slots=True)
class PlainFile:
    """A file whose name begins with no tool's: its folders, its stem, and what they come to."""

    folders: tuple[str, ...]
    stem: PlainStem
    name: str
    run: int | None
    level: str = ""
    stated: int | None = None


def open_file(path: str, run: int | None, tools: ToolNames, stated: int | None = None) -> PlainFile:
    """Split a path; ``run`` is what one of its folders counts, ``stated`` what its sidecar says.

    Examples
    --------
    >>> file = open_file("none/trial01.out", None, ToolNames())
    >>> file.folders, file.name, file.stem.run
    (('none',), '', 1)
    """
    *folders, name = (part for part in path.split("/") if part not in ("", ".", ".."))
    stem = split_stem(split_name(name)[0], tools)
    return PlainFile(tuple(folders), stem, stem.name, run, stated=stated)


def count_runs(files: Sequence[PlainFile], baselines: Collection[str], tools: ToolNames) -> None:
    """Take runs from the ends of stems; numbers that are no count are part of a name.

    Where several names of a folder have them, they are the levels of a parameter. So are all
    numbers of stems that count their runs otherwise, too.
    """
    _take_stated(files)
    _keep_names(files, baselines)
    _split_glued(files, baselines)
    alike: dict[tuple[tuple[str, ...], str, str], list[PlainFile]] = defaultdict(list)
    for file in files:
        alike[file.folders, file.stem.role, file.name].append(file)
    numbers = {key: _list_numbers(same) for key, same in alike.items()}
    unnamed = {key for key in alike if not is_name(key[2], tools)}
    counts = find_counts(numbers, unnamed) | find_sequences(numbers)
    others = {key: {*_list_others(same)} for key, same in alike.items() if key[2]}
    levels = find_levels(
        {key: each | (numbers[key] if key not in counts else set()) for key, each in others.items()}
    )
    _keep_sparse(files)
    for key, same in alike.items():
        for file in same:
            if file.stem.number is None or (file.stem.run is None and key in counts):
                continue
            if key in levels or (file.stem.run is not None and not file.name):
                file.level = str(file.stem.number)
            else:
                file.name = file.stem.whole
        _number(same, is_counted=key in counts)


def _take_stated(files: Iterable[PlainFile]) -> None:
    """Take the numbers that sidecars state as runs out of the stems."""
    alike: dict[tuple[object, ...], list[PlainFile]] = defaultdict(list)
    for file in files:
        if (number := _number_of(file.stem)) is not None and file.run in (None, number):
            alike[file.folders, file.stem.role, file.name].append(file)
    numbers = {
        key: [(_number_of(file.stem) or 0, file.stated) for file in same]
        for key, same in alike.items()
    }
    for key in find_stated(numbers):
        for file in alike[key]:
            file.run = _number_of(file.stem)
            file.stem = file.stem._replace(run=file.run, number=None)


def _number_of(stem: PlainStem) -> int | None:
    return stem.number if stem.run is None else stem.run


def _list_numbers(files: Iterable[PlainFile]) -> set[int]:
    """Return the numbers that may count runs of one name; one without any is the first."""
    numbers = {x.stem.number for x in files if x.stem.run is None and x.stem.number is not None}
    has_first = numbers and any(not is_counted(x.stem) and x.run is None for x in files)
    return numbers | ({1} if has_first else set())


def _list_others(files: Iterable[PlainFile]) -> Iterator[int]:
    """Yield the numbers of stems that count their runs by a word."""
    for file in files:
        if file.stem.run is not None and file.stem.number is not None:
            yield file.stem.number


def _number(files: Sequence[PlainFile], *, is_counted: bool) -> None:
    """Give the runs of one name the numbers that they tell, or those of their moments in order."""
    counted = [
        file.stem.number if file.stem.run is None and is_counted else file.stem.run
        for file in files
    ]
    marks = [(file.stem.moment, run or 0) for file, run in zip(files, counted, strict=True)]
    moments = sorted({*marks})
    is_dated = moments[-1][0] != "" and (None in counted or len({*counted}) < len(moments))
    for file, mark, run in zip(files, marks, counted, strict=True):
        if is_dated:
            file.run = moments.index(mark) + (moments[0][0] != "")
        elif run is not None and file.run is None:
            file.run = run


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
    bare = [file for file in files if file.stem.run not in (None, file.run) and not file.name]
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
